"""Reads the values in a step of a scripted situation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.battle.situation import is_point, point_of
from rules.tabletop.errors import UserError
from rules.tabletop.table import PointIn


def walk_of(walk: Mapping[str, Any], name: str) -> tuple[tuple[PointIn, ...], float | None]:
    """The path of a step, and the facing at its end.

    Raises:
        UserError: if it is not one.
    """
    odd = sorted(set(walk) - {"path_in", "facing_deg"})
    if odd:
        raise UserError(f"move {name}: unknown key {odd[0]!r}; choose path_in or facing_deg")
    facing_deg = walk.get("facing_deg")
    if facing_deg is not None and type(facing_deg) not in (int, float):
        raise UserError(f"move {name}: facing_deg must be a number, not {facing_deg!r}")
    points = walk.get("path_in") or []
    if not isinstance(points, list):
        raise UserError(f"move {name}: path_in must be a list of places [x, y]")
    return tuple(point_of(point, f"move {name}: path_in") for point in points), facing_deg


def object_of(found: Any, place: str) -> Mapping[str, Any]:
    """A JSON object.

    Raises:
        UserError: if it is not one; the message begins with `place`.
    """
    if not isinstance(found, Mapping):
        raise UserError(f"{place} must be an object, not {found!r}")
    return found


def count_of(found: Any, place: str) -> int:
    """A whole number above 0; raises as `object_of`."""
    if type(found) is not int or found < 1:
        raise UserError(f"{place} must be a whole number above 0, not {found!r}")
    return found


def waived_of(found: Any) -> Any:
    """The actions that a step waives; True for all of them. Raises as `object_of`."""
    waived = object_of(found, "next").get("waive", [])
    if waived is True or (isinstance(waived, list) and all(isinstance(one, str) for one in waived)):
        return waived
    raise UserError("next: waive must be true or a list of actions")


def actor_of(wanted: Mapping[str, Any]) -> str:
    """The acting figure that a step names; empty if it names none. Raises as `object_of`."""
    by = wanted.get("by") or ""
    first = by[0] if isinstance(by, list) and by else by
    if not isinstance(first, str):
        raise UserError(f"by must be the id of a figure, not {by!r}")
    return first


def spot_of(wanted: Mapping[str, Any]) -> PointIn | None:
    """The bare place that a step aims at; None if it aims at none."""
    at = wanted.get("at")
    return point_of(at, "at") if is_point(at) else None


def targets_of(wanted: Mapping[str, Any]) -> tuple[str, ...]:
    """The figures and terrain pieces that a step aims at, in its order. Raises as `object_of`."""
    at = wanted.get("at")
    if at is None or spot_of(wanted) is not None:
        return ()
    names = at if isinstance(at, list) else [at]
    if not all(isinstance(one, str) for one in names):
        raise UserError(f"at must be a figure, a list of figures or a place [x, y], not {at!r}")
    return tuple(names)
