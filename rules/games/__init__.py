"""The games that ship, by name: each opens as it is, or as a house-rules file changes it."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from rules.engine.game import Game
from rules.engine.verdict import RuleRefusal

GAMES = ("army_men", "fudge_miniatures", "plastic_fudge", "simple_plastic", "simple_plastic_figure")


def open_game(name: str, house_rules: Path | None = None) -> Game[Any]:
    """A game by its name.

    Raises:
        RuleRefusal: "unknown_ruleset".
        UserError: if the house rules do not fit the game.
    """
    if name not in GAMES:
        raise RuleRefusal("unknown_ruleset", f"there is no game {name!r}: choose one of {', '.join(GAMES)}")
    return _published(name) if house_rules is None else _opened(name, house_rules)


@cache
def _published(name: str) -> Game[Any]:
    # Reading and checking a ruleset takes 50 ms, and a battle needs it twice. A game is immutable.
    return _opened(name, None)


def _opened(name: str, house_rules: Path | None) -> Game[Any]:
    game: Game[Any] = module_of(name, "game").open_game(house_rules)
    return game


def module_of(game: str, part: str) -> ModuleType:
    """The module `part` of the package of one of `GAMES`.

    It is imported when it is first asked for: an evening plays one game, and to make the data classes of all five takes
    as long as all else that a question needs.
    """
    return import_module(f"{__name__}.{game}.{part}")
