"""The games by name: those that ship, and those of folders that the user names.

Each opens as it is, or as a house-rules file changes it.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module, invalidate_caches
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from rules.engine.game import Game
from rules.engine.roster import Army, check_army
from rules.engine.ruleset import add_folder, load
from rules.engine.verdict import RuleRefusal, Verdict
from rules.tabletop.errors import UserError

GAMES = ("army_men", "fudge_miniatures", "plastic_fudge", "simple_plastic", "simple_plastic_figure")
"""The games that ship."""

_added: list[str] = []


def game_names() -> tuple[str, ...]:
    """The names of all games: those that ship, then those of added folders."""
    return (*GAMES, *_added)


def add_games(folder: Path) -> tuple[str, ...]:
    """Add the games of a folder, which then open by name like those that ship; a second call changes nothing.

    The folder is laid out like `rules/games`: for each game a file NAME.toml and a folder NAME with two modules: `game`
    has the dataclass `Tables`, the rules `ACTIONS` and perhaps a function `check` of the tables, or else a function
    `open_game`; `referee` has the `REFEREE`. They are imported as `rules.games.NAME`: they are programs, so add only a
    folder that the user names, never one that a file names.

    Returns:
        The names of its games.

    Raises:
        UserError: if the folder has no game, or one whose name is taken.
    """
    folder = folder.resolve()
    names = tuple(sorted(path.parent.name for path in folder.glob("*/game.py")))
    if not names:
        raise UserError(f"{folder} has no game: each needs a file NAME.toml and a folder NAME with game.py in it")
    if str(folder) in __path__:
        return names
    for name in names:
        for part in (f"{name}.toml", f"{name}/referee.py"):
            if not (folder / part).is_file():
                raise UserError(f"the game {name} in {folder} lacks a part: add the file {part}")
        if not name.isidentifier() or name in game_names():
            raise UserError(f"{folder} has a game {name!r}, a name that is taken or cannot be imported: rename it")
    __path__.append(str(folder))
    invalidate_caches()
    add_folder(folder)
    _added.extend(names)
    return names


def open_game(name: str, house_rules: Path | None = None) -> Game[Any]:
    """A game by its name.

    Raises:
        RuleRefusal: "unknown_ruleset".
        UserError: if the house rules do not fit the game.
    """
    if name not in game_names():
        known = f"{', '.join(game_names())}, or add its folder with --games"
        raise RuleRefusal("unknown_ruleset", f"there is no game {name!r}: choose one of {known}")
    return _published(name) if house_rules is None else _opened(name, house_rules)


@cache
def _published(name: str) -> Game[Any]:
    # Reading and checking a ruleset takes 50 ms, and a battle needs it twice. A game is immutable.
    return _opened(name, None)


def _opened(name: str, house_rules: Path | None) -> Game[Any]:
    module = module_of(name, "game")
    if hasattr(module, "open_game"):
        game: Game[Any] = module.open_game(house_rules)
        return game
    rules = load(house_rules or name, module.Tables)
    if rules.header.name != name:
        raise UserError(f'{name} is the game {rules.header.name!r} in its file: write name = "{name}" there')
    if hasattr(module, "check"):
        module.check(rules)
    return Game(rules, module.ACTIONS)


def module_of(game: str, part: str) -> ModuleType:
    """The module `part` of the package of a game.

    It is imported when it is first asked for: an evening plays one game, and to make the data classes of all five takes
    as long as all else that a question needs.
    """
    return import_module(f"{__name__}.{game}.{part}")


def points_check(game: Game[Any], army: Army) -> Verdict | None:
    """The game's verdict on an army list; None if the game has no limits or advice.

    Raises:
        UserError: as `rules.engine.roster.enlistment`, or as the game's own action.
    """
    check_army(game, army)
    if game.name not in game_names() or find_spec(f"{__name__}.{game.name}.roster") is None:
        return None
    found: Verdict | None = module_of(game.name, "roster").check(game, army)
    return found
