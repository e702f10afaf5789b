"""Reads the steps of a scripted situation: their kind, the action that one describes, its dice and other values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rules.battle.situation import is_point, point_of
from rules.engine.dice import DiceRequest, Die, Roll, rolled
from rules.engine.schema import Record
from rules.tabletop.errors import UserError
from rules.tabletop.table import PointIn

_DICE = {"dice", "dice_read"}
_MORE: Mapping[str, set[str]] = {
    "phase": {"side", "turn"},
    "status": set(),
    "ask": {"spot_in"},
    "do": _DICE,
    "move": {*_DICE, "answers"},
    "see": set(),
    "next": {"dice"},
    "undo": set(),
    "redo": set(),
}
"""The kinds of steps, and the additional keys that a step of each kind may have."""


def kind_of(step: Mapping[str, Any]) -> str:
    """The kind of a step.

    Raises:
        UserError: if it is of no kind, or has a key that its kind does not have.
    """
    kind = next((key for key in step if key in _MORE), None)
    if kind is None:
        raise UserError(f"{sorted(step)} is not a step: choose one of {', '.join(_MORE)}")
    odd = sorted(set(step) - _MORE[kind] - {kind, "note"})
    if odd:
        raise UserError(f"the step {kind!r} has the unknown key {odd[0]!r}")
    return kind


class Wanted(Record):
    """The action that a step describes.

    Attributes:
        action: Name of a rule; "attack" and "move" stand for any attack and any move.
        by: The acting figure; empty if none is named.
        targets: The figures and terrain pieces that it aims at, in the order of the step.
        is_list: Whether the step lists its targets, even if it is only one that is named twice.
        spot_in: The bare place that it aims at.
        weapon: The weapon, as `name_key`; empty if none is named.
        answers: The players' answers.
        is_bare: Whether the step names nothing but the action.
    """

    action: Any
    by: str
    targets: tuple[str, ...]
    is_list: bool
    spot_in: PointIn | None
    weapon: str
    answers: Mapping[str, Any]
    is_bare: bool


def wanted_of(step: Mapping[str, Any]) -> Wanted:
    """The action that a step `do` describes; raises as `object_of`."""
    given = object_of(step["do"], "do")
    odd = sorted(set(given) - {"action", "by", "at", "weapon", "answers"})
    if odd:
        raise UserError(f"do: unknown key {odd[0]!r}; choose action, by, at, weapon or answers")
    if not given.get("action"):
        raise UserError("do lacks an action: name one")
    at = given.get("at")
    is_list = isinstance(at, list) and not (len(at) == 1 and isinstance(at[0], str))
    return Wanted(
        answers=object_of(given.get("answers") or {}, "answers"),
        action=given.get("action"),
        by=_actor_of(given),
        spot_in=point_of(at, "at") if is_point(at) else None,
        targets=() if at is None or is_point(at) else _targets_of(at),
        is_list=is_list,
        weapon=name_key(str(given.get("weapon") or "")),
        is_bare=not given.keys() - {"action"},
    )


def _actor_of(given: Mapping[str, Any]) -> str:
    by = given.get("by") or ""
    first = by[0] if isinstance(by, list) and by else by
    if not isinstance(first, str):
        raise UserError(f"by must be the id of a figure, not {by!r}")
    return first


def _targets_of(at: Any) -> tuple[str, ...]:
    names = at if isinstance(at, list) else [at]
    if not all(isinstance(one, str) for one in names):
        raise UserError(f"at must be a figure, a list of figures or a place [x, y], not {at!r}")
    return tuple(names)


def name_key(name: str) -> str:
    """A name as the rules write it: "Tank gun" and "tank_gun" are one weapon."""
    return name.lower().replace(" ", "_").replace("-", "_")


class NeedsDice(UserError):
    """The dice of a step have run out."""

    def __init__(self, request: DiceRequest) -> None:
        super().__init__("more dice are needed")
        self.request = request


@dataclass
class ScriptedFaces:
    """The dice of a step, read as six-sided dice if `d6`; raises `NeedsDice` if they run out."""

    faces: Sequence[int]
    d6: bool = False
    used: list[int] = field(default_factory=list)

    @property
    def left(self) -> int:
        """How many dice no roll has taken yet."""
        return len(self.faces) - len(self.used)

    def __call__(self, request: DiceRequest) -> Roll:
        """The next faces, as the roll that was requested."""
        start = len(self.used)
        roll = tuple(self.faces[start : start + request.count])
        if len(roll) < request.count:
            raise NeedsDice(request)
        self.used += roll
        return rolled(request, request.read_d6(roll) if self.d6 and request.die is not Die.D6 else roll)


def dice_of(step: Mapping[str, Any]) -> ScriptedFaces:
    """The dice of a step; raises as `object_of`."""
    faces = step.get("dice", [])
    if not isinstance(faces, list) or not all(type(one) is int for one in faces):
        raise UserError(f"dice must be a list of faces, not {faces!r}")
    read = step.get("dice_read", "as_asked")
    if read not in ("as_asked", "d6"):
        raise UserError(f'dice_read must be "as_asked" or "d6", not {read!r}')
    return ScriptedFaces(faces, read == "d6")


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
    given = object_of(found, "next")
    odd, waived = sorted(given.keys() - {"waive"}), given.get("waive", [])
    if odd:
        raise UserError(f"next: unknown key {odd[0]!r}; choose waive")
    if waived is True or (isinstance(waived, list) and all(isinstance(one, str) for one in waived)):
        return waived
    raise UserError("next: waive must be true or a list of actions")
