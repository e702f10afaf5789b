"""Simple Plastic Figure: finding rows of its tables, and the verdicts that something is legal or not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rules.engine.verdict import Reason, RuleRefusal, Verdict, forbidden, verdict
from rules.games.simple_plastic_figure.tables import Band, Rules, Status, Weapon, WeaponKind
from rules.tabletop.tolerance import within


def weapon_of(rules: Rules, name: str) -> Weapon:
    """The row of a weapon in play.

    Raises:
        RuleRefusal: "unknown_weapon" if the players chose the rulebook's first list and it is not there.
    """
    weapon = rules.tables.weapons[name]
    if rules.chooses("weapon_list", "first_list") and not weapon.first_list:
        raise RuleRefusal("unknown_weapon", f"{name} is not in the first list of weapons: choose another", "WW-A35")
    return weapon


def kind_of(rules: Rules, weapon: str) -> WeaponKind:
    """How a weapon in play is aimed; raises as `weapon_of`."""
    return rules.tables.weapon_kinds[weapon_of(rules, weapon).kind]


def called(rules: Rules, weapon: str) -> str:
    """A weapon as a player calls it."""
    return rules.tables.weapons[weapon].title or display_name(weapon)


def band(rules: Rules, bands: Mapping[str, Band], distance_in: float) -> Band:
    """The range band of a distance; the option decides between two printed inches."""
    if rules.chooses("between_bands", "nearest_inch"):
        distance_in = math.floor(distance_in + 0.5)
    elif rules.chooses("between_bands", "whole_inches"):
        distance_in = math.floor(distance_in)
    return next(row for row in bands.values() if row.up_to_in is None or within(distance_in, row.up_to_in))


def status_of(rules: Rules, face: int) -> Status:
    """The actions that a status die allows a figure."""
    return next(row for row in rules.tables.status.values() if face in row.faces)


def tidy(length_in: float) -> float:
    """A length as the rulebook writes it: whole inches without a decimal point."""
    return int(length_in) if length_in == int(length_in) else length_in


def display_name(name: str) -> str:
    """A row's name in words."""
    return name.replace("_", " ")


def legal(outcome: str, *reasons: Reason, **numbers: Any) -> Verdict:
    """The rules allow it."""
    return verdict(outcome, *reasons, legal=True, **numbers)


def illegal(code: str, *reasons: Reason, **numbers: Any) -> Verdict:
    """The rules forbid it; `code` is the short name of why."""
    return forbidden(code, *reasons, legal=False, **numbers)
