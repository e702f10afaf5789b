"""Rules questions from strangers: an answer or a refusal, no traceback, and no endless calculation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.engine.dice import DiceRequest, Die
from rules.games import GAMES, open_game
from rules.tabletop.errors import UserError
from tests.hostile.nasty import NASTY, TREES, few, is_a_sentence, mutants, only_refuses, text_of
from ui.commands.resolve import read_document, resolve_question

DATA = Path(__file__).parents[1] / "data"
EXAMPLES: dict[str, list[Any]] = {
    game: [
        {key: example[key] for key in ("ruleset", "given", "dice", "options") if key in example}
        for example in json.loads((DATA / f"{game}.json").read_text("utf-8"))
    ]
    for game in GAMES
}
of_each = pytest.mark.parametrize("game", GAMES)


def ask(path: Path, question: Any) -> None:
    """Resolve a file as `sandtable resolve` does: read it, answer it, and print the answer."""
    path.write_text(text_of(question), "utf-8")

    def answer() -> None:
        told = resolve_question(read_document(str(path), "question"))
        json.dumps(told, indent=1, ensure_ascii=False).encode(errors="replace")
        for one in told if isinstance(told, list) else [told]:
            if isinstance(one, dict) and "error" in one:
                is_a_sentence(one["message"])

    only_refuses(answer, path)


@of_each
@few
@given(data=st.data())
def test_one_wrong_value(game: str, tmp_path: Path, data: st.DataObject) -> None:
    ask(tmp_path / "q.json", data.draw(mutants(data.draw(st.sampled_from(EXAMPLES[game])))))


@few
@given(question=TREES | st.fixed_dictionaries({"ruleset": st.sampled_from(sorted(GAMES)), "given": TREES}))
def test_any_tree(tmp_path: Path, question: Any) -> None:
    ask(tmp_path / "q.json", question)


@of_each
@few
@given(data=st.data())
def test_any_facts_for_any_action(game: str, tmp_path: Path, data: st.DataObject) -> None:
    """Facts mixed from several examples: each is valid, but the combination is new."""
    examples = EXAMPLES[game]
    given: dict[str, Any] = {}
    for _ in range(data.draw(st.integers(0, 3))):
        given |= data.draw(st.sampled_from(examples))["given"]
    action = data.draw(st.sampled_from(sorted(open_game(game).actions)))
    dice = data.draw(st.lists(st.integers(-1, 7), max_size=8))
    ask(tmp_path / "q.json", {"ruleset": game, "given": {**given, "action": action}, "dice": dice})


@of_each
def test_each_nasty_value_as_each_part(game: str, tmp_path: Path) -> None:
    question = EXAMPLES[game][0]
    for nasty in NASTY:
        for key in ("ruleset", "given", "dice", "options"):
            ask(tmp_path / "q.json", {**question, key: nasty})
        ask(tmp_path / "q.json", {**question, "options": {"self": nasty}})
        ask(tmp_path / "q.json", [question, nasty])


def test_an_endless_file_is_not_read_to_its_end() -> None:
    only_refuses(lambda: read_document("/dev/zero", "question"))


def test_a_mistake_in_house_rules_does_not_roll_thousands_of_dice() -> None:
    with pytest.raises(UserError, match="at most 1000"):
        DiceRequest(Die.D6, 10**9, "Tan 1", "to hit")
