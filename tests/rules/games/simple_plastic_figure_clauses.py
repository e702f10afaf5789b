"""Questions to Simple Plastic Figure and situations on its table, for tests of single clauses of its rules."""

from __future__ import annotations

from functools import partial
from typing import Any

from rules.engine.game import Game
from rules.engine.verdict import StatusEffect, Verdict
from rules.games import open_game
from rules.games.simple_plastic_figure.tables import Tables
from tests.rules.games.clauses import Step, answer_to, played_out

NAME = "simple_plastic_figure"
GAME: Game[Tables] = open_game(NAME)
TABLES = GAME.rules.tables
RANGES = {
    "pistol": 6,
    "american_carbine": 12,
    "rifle_german": 24,
    "rifle_russian": 24,
    "rifle_british": 24,
    "rifle_american": 24,
    "sniper_rifle": 30,
    "smg_german": 12,
    "smg_british": 12,
    "smg_american": 12,
    "smg_russian": 12,
    "bar": 24,
    "bren": 24,
    "dp": 24,
    "mg34_42": 30,
    "medium_machinegun": 30,
    "grenade": 6,
    "panzerfaust": 6,
    "panzerschreck": 12,
    "bazooka": 18,
    "piat": 18,
    "mortar_50_60": 30,
    "mortar_81": 48,
    "mortar_120": 66,
    "gun_75": 72,
    "gun_105": 96,
}
RATES = {
    "pistol": 2,
    "american_carbine": 2,
    "rifle_american": 2,
    "smg_german": 3,
    "smg_british": 3,
    "smg_american": 3,
    "smg_russian": 4,
    "bar": 3,
    "bren": 3,
    "dp": 3,
    "mg34_42": 4,
    "medium_machinegun": 3,
}
RADII = {
    "grenade": 4,
    "bazooka": 3,
    "panzerschreck": 3.5,
    "piat": 4,
    "panzerfaust": 4.5,
    "mortar_50_60": 4.5,
    "mortar_81": 5,
    "mortar_120": 5.5,
    "gun_75": 5,
    "gun_105": 6,
}
LAUNCHERS, MORTARS = ("bazooka", "panzerschreck", "piat", "panzerfaust"), ("mortar_50_60", "mortar_81", "mortar_120")
GUNS = ("gun_75", "gun_105")
ACTS = {"phase": "first_actions", "side": "german", "turn": 1}

asked = partial(answer_to, GAME)


def statuses(found: Verdict) -> list[StatusEffect]:
    """The statuses that an answer gives figures or the battle."""
    return [one for one in found.effects if isinstance(one, StatusEffect)]


def whole(german: list[Step], allied: list[Step], *steps: Step, **more: Any) -> dict[str, Any]:
    """The whole answer to a situation."""
    return played_out(NAME, {"german": german, "allied": allied}, *steps, **{"table_in": [72, 48], **more})
