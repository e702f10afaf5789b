"""What players may say of a figure where they overrule the rules: that it is out, unharmed, or what else it can be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rules.engine.events import Change
from rules.engine.state import ELIMINATED

Condition = tuple[Change, ...]
"""What is so of a figure, for the players to say; the changes leave open of whom."""


def condition(*statuses: str, value: Any = True) -> Condition:
    """That these statuses have this value."""
    return tuple(Change(figure="", key=key, value=value) for key in statuses)


def unharmed(*statuses: str) -> Condition:
    """That a figure is in the battle, and that none of these statuses holds."""
    return condition(ELIMINATED, *statuses, value=None)


CONDITIONS: Mapping[str, Condition] = {"eliminated": condition(ELIMINATED), "unharmed": unharmed()}
"""What can be so of a figure in any game."""


def befallen(figure: str, found: Condition) -> tuple[Change, ...]:
    """What is new about a figure that a condition holds for."""
    return tuple(replace(one, figure=figure) for one in found)
