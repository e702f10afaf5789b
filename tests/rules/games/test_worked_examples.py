"""Every worked example of every game, and the options that change answers."""

from __future__ import annotations

import pytest

from rules.games import GAMES, open_game
from tests.rules.games.worked import Question, chosen, questions, told, with_options
from ui.commands.resolve import resolve_question


def _name(question: Question) -> str:
    return f"{question['id']}-{question['rule']}"


@pytest.mark.parametrize("question", [one for game in GAMES for one in questions(game)], ids=_name)
def test_worked_example(question: Question) -> None:
    answer = resolve_question(question)
    assert told(question, answer) == question["expect"]
    assert "reasons" in answer or answer["message"]


@pytest.mark.parametrize("question", [one for game in GAMES for one in with_options(game)], ids=_name)
def test_each_option_value_changes_an_answer(question: Question) -> None:
    assert told(question, resolve_question({**question, "options": {}})) != question["expect"]


@pytest.mark.parametrize("game", GAMES)
def test_every_option_is_tried_with_every_value(game: str) -> None:
    options = open_game(game).options.items()
    words = {(name, value) for name, one in options for value in one.values if isinstance(value, str | bool)}
    assert {name for name, _ in chosen(game)} == {name for name, _ in options}
    assert words - {(name, one.default) for name, one in options} <= chosen(game)
