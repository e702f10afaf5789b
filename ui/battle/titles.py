"""Titles of the games without their rules, and the games themselves, loaded before the players need them."""

from __future__ import annotations

from functools import cache

from rules.battle.referees import referee_of
from rules.engine.ruleset import title_in_file
from rules.games import game_names, open_game


@cache
def title_of(game: str) -> str:
    """The title of a game with this short name; raises as `open_game`."""
    title = title_in_file(game) if game in game_names() else None
    return open_game(game).title if title is None else title


def load_games() -> None:
    """Load all games and their referees, for which a dialog would otherwise stop the window."""
    for name in game_names():
        referee_of(name)
        open_game(name)
