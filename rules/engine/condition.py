"""Conditions that players may give a figure when they overrule the rules, such as eliminated or unharmed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rules.engine.events import Change
from rules.engine.state import ELIMINATED

Condition = tuple[Change, ...]
"""A named set of status changes; their `figure` is empty until `condition_changes` fills it in."""


def condition(*statuses: str, value: Any = True) -> Condition:
    """The condition in which these statuses have this value."""
    return tuple(Change(figure="", key=key, value=value) for key in statuses)


def unharmed(*statuses: str) -> Condition:
    """The condition in which a figure is not eliminated and has none of these statuses."""
    return condition(ELIMINATED, *statuses, value=None)


CONDITIONS: Mapping[str, Condition] = {"eliminated": condition(ELIMINATED), "unharmed": unharmed()}
"""The conditions that every game has."""


def condition_changes(figure: str, found: Condition) -> tuple[Change, ...]:
    """The changes that put a figure into a condition."""
    return tuple(replace(one, figure=figure) for one in found)
