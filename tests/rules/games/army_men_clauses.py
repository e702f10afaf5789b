"""Questions to Army Men and situations on its table, for tests of single clauses of its rules."""

from __future__ import annotations

from functools import partial
from typing import Any

from rules.engine.game import Game
from rules.engine.verdict import Verdict
from rules.games import open_game
from rules.games.army_men.tables import Tables
from tests.rules.games.clauses import Step, answer_to, played_out

GAME: Game[Tables] = open_game("army_men")
TABLES = GAME.rules.tables
FEET = {
    "knife": (0, 0),
    "pistol": (0, 1),
    "rifle": (0, 2),
    "sniper_rifle": (0, 3),
    "submachine_gun": (0, 1),
    "assault_rifle": (0, 2),
    "lmg": (0, 2),
    "hmg": (0, 3),
    "grenade": (0, 1),
    "light_mortar": (2, 4),
    "heavy_mortar": (2, 5),
    "flame_thrower": (0, 1),
    "bazooka": (0, 2),
    "tank_gun": (0, 4),
    "light_cannon": (0, 3),
    "howitzer": (0, 6),
    "missile": (0, 9),
    "glue_cannon": (0, 3),
}
"""The shortest and the longest range of each weapon."""

MOVES = {"phase": "movement", "side": "green", "turn": 1}

asked = partial(answer_to, GAME)


def modifiers(found: Verdict) -> dict[str, float]:
    """The modifiers of an attack value, by rule."""
    return {one.rule: one.modifier for one in found.reasons[1:] if one.modifier is not None}


def whole(green: list[Step], tan: list[Step], *steps: Step, **more: Any) -> dict[str, Any]:
    """The whole answer to a situation."""
    return played_out("army_men", {"green": green, "tan": tan}, *steps, **more)


def played(green: list[Step], tan: list[Step], *steps: Step, **more: Any) -> list[Step]:
    """The answers to the steps of a situation."""
    answers: list[Step] = whole(green, tan, *steps, **more)["steps"]
    return answers


def attack_on(step: dict[str, Any], target: str, weapon: str) -> dict[str, Any]:
    """An attack among the actions that a step lists."""
    found = (one for one in step["actions"] if one["at"] in (target, [target]) and one["weapon"] == weapon)
    return next(one for one in found if one["action"] in ("attack", "blast"))


def offered(step: dict[str, Any], action: str) -> list[dict[str, Any]]:
    """The actions of a name among those that a step lists."""
    return [one for one in step["actions"] if one["action"] == action]


def box(name: str, kind: str, x_in: float, y_in: float, wide_in: float = 4, height_in: float = 1) -> dict[str, Any]:
    """A square piece of terrain by its lower left corner."""
    far_in = (x_in + wide_in, y_in + wide_in)
    outline = [[x_in, y_in], [far_in[0], y_in], [*far_in], [x_in, far_in[1]]]
    return {"name": name, "kind": kind, "outline_in": outline, "height_in": height_in}
