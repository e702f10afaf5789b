"""Titles that are read without the rules of their games."""

from __future__ import annotations

import pytest

from rules.engine.verdict import RuleRefusal
from rules.games import GAMES, open_game
from ui.battle.battle_setup import title_of


@pytest.mark.parametrize("game", GAMES)
def test_titles_are_those_of_the_games(game: str) -> None:
    assert title_of(game) == open_game(game).title


def test_an_unknown_game_has_no_title() -> None:
    with pytest.raises(RuleRefusal, match="there is no game 'chess'"):
        title_of("chess")
