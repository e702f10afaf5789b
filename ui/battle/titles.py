"""What the games that ship are called on the screen. A ruleset takes a tenth of a second to read, so once will do."""

from __future__ import annotations

from functools import cache

from rules.games import open_game


@cache
def title_of(game: str) -> str:
    """The title of a game, by its short name; raises as `open_game`."""
    return open_game(game).title
