"""Titles of the built-in games, cached because reading a ruleset takes a tenth of a second."""

from __future__ import annotations

from functools import cache

from rules.games import open_game


@cache
def title_of(game: str) -> str:
    """The title of a game with this short name; raises as `open_game`."""
    return open_game(game).title
