"""Events of a battle: frozen values that the journal stores and restores unchanged."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Annotated, Any, ClassVar

from rules.engine.dice import DiceRequest, Roll
from rules.engine.schema import Inches, Reader, Record, Within
from rules.engine.verdict import Reason, Verdict
from rules.tabletop.errors import UserError
from rules.tabletop.table import Outline, PointIn, Posture, TerrainPiece

EntryNumber = Annotated[int, Within(low=1)]


def plain(value: Any) -> Any:
    """A value converted to JSON types; dataclasses become objects.

    Raises:
        UserError: for a number that is not finite.
    """
    if isinstance(value, float) and not math.isfinite(value):
        raise UserError(f"a journal cannot store {value}: give a finite number")
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


# The parts of events.


class Move(Record):
    """A figure's move from one place to another.

    Attributes:
        moved_in: Length of the path.
        cost_in: Allowance spent.
        ground: Names of the terrain pieces on the path.
        facing_deg: Its facing at the end; None if unchanged or unknown.
    """

    figure: str
    from_in: PointIn
    to_in: PointIn
    moved_in: Inches
    cost_in: Inches
    ground: tuple[str, ...] = ()
    facing_deg: float | None = None

    def __post_init__(self) -> None:
        _check_point(self.figure, self.from_in)
        _check_point(self.figure, self.to_in)


class Change(Record):
    """A new value of a status of a figure or of the battle.

    Attributes:
        figure: Its id; empty for a status of the battle, such as which side has the initiative.
        key: Name of the status, such as "wounds" or "eliminated".
        value: The new value; None removes the status.
        rule: Id of the rule behind the change; empty if the players decided it.
        this_turn: Whether the status ends with the turn, like "moved".
    """

    figure: str
    key: str
    value: Any
    rule: str = ""
    this_turn: bool = False


class Effects(Record):
    """What a verdict changes in the battle."""

    moves: tuple[Move, ...] = ()
    changes: tuple[Change, ...] = ()


class Refund(Record):
    """Costs of an overruled action that are given back.

    Attributes:
        allowance_in: Inches of allowance given back to each figure.
        action, by: The action that no longer counts as done, and its figures; no figures if it still counts.
        this_turn: Whether it counted among the actions of this turn.
    """

    allowance_in: Mapping[str, Inches]
    action: str = ""
    by: tuple[str, ...] = ()
    this_turn: bool = False


class Throw(Record):
    """One dice request and the faces that answered it."""

    die: str
    for_whom: str
    why: str
    faces: tuple[int, ...]

    @classmethod
    def of(cls, request: DiceRequest, roll: Roll) -> Throw:
        """The record of a request and its roll."""
        return cls(die=request.die.name, for_whom=request.for_whom, why=request.why, faces=roll.faces)


class VerdictRecord(Record):
    """A verdict, as stored in the journal."""

    outcome: str
    numbers: Mapping[str, Any]
    reasons: tuple[Reason, ...]

    @classmethod
    def of(cls, verdict: Verdict) -> VerdictRecord:
        """The record of a verdict, in values that survive JSON unchanged."""
        return cls(outcome=str(verdict.outcome), numbers=plain(verdict.numbers), reasons=verdict.reasons)


# The events.


class Event(Record):
    """Something that happened in a battle.

    Attributes:
        kind: Its name in the journal.
        version: Format version of its body; newer versions are refused.
    """

    kind: ClassVar[str]
    version: ClassVar[int] = 1

    def to_body(self) -> dict[str, Any]:
        """The body of its journal entry."""
        body: dict[str, Any] = plain(self)
        return body

    @classmethod
    def from_body(cls, body: Mapping[str, Any], place: str = "the event") -> Event:
        """The event with this body.

        Raises:
            UserError: if the body is invalid; the message names `place`, the key and what was expected.
        """
        return Reader({}).read(cls, body, place)


class BattleBegun(Event):
    """The battle begins; the players are its sides.

    Attributes:
        options: Options that differ from their defaults.
        house_rules: Text of the file of house rules; empty if there is none.
    """

    kind = "begun"
    game: str
    players: tuple[str, ...]
    options: Mapping[str, Any]
    house_rules: str = ""


class Recruit(Record):
    """A figure with its card.

    Attributes:
        figure: Its id.
        card: Name of a ready card of the game, or None.
        own: A card of the player's own as data, if there is no ready one.
        squad: Name of its squad; empty if it has none.
    """

    figure: str
    card: str | None = None
    own: Mapping[str, Any] | None = None
    squad: str = ""

    def __post_init__(self) -> None:
        if (self.card is None) == (self.own is None):
            raise UserError(f"{self.figure} needs one card: a card of the game or its own, not both")


class UnitJoined(Recruit, Event):
    """A figure joins a side as a unit."""

    kind = "enlisted"
    side: str


class PhaseBegun(Event):
    """A turn or phase begins; `side` is empty if all sides act in it."""

    kind = "phase"
    turn: Annotated[int, Within(low=1)]
    side: str = ""
    phase: str = ""


class Placed(Event):
    """A figure appears at a place without moving there: set up, dropped or brought in."""

    kind = "placed"
    figure: str
    at_in: PointIn
    facing_deg: float | None = None

    def __post_init__(self) -> None:
        _check_point(self.figure, self.at_in)


class Posed(Event):
    """A figure lies down, stands up, or looks elsewhere, without leaving its place.

    Attributes:
        posture: Its posture from now on; None if unchanged.
        facing_deg: Its facing by the players, which holds against the camera's until it moves; None if unchanged.
    """

    kind = "posed"
    figure: str
    posture: Posture | None = None
    facing_deg: float | None = None

    def __post_init__(self) -> None:
        if self.posture is None and self.facing_deg is None:
            raise UserError(f"the pose of {self.figure} must be a posture or a facing")


class Moved(Event):
    """One or more figures moved, such as a squad together."""

    kind = "moved"
    moves: tuple[Move, ...]

    def __post_init__(self) -> None:
        _check_some(self.moves, "moved")


class ActionResolved(Event):
    """An action was resolved: the question to the rules, the dice, the verdict and its effects.

    Attributes:
        action, given: The rule that was asked, and the facts.
        by: Figures that acted; the action counts for each of them.
        throws: All dice, in order.
        title: The action for the players, such as "Rifle at Tan 4"; empty in battles of old versions.
        at: Figures that were attacked; empty for other actions and in battles of old versions.
    """

    kind = "asked"
    action: str
    given: Mapping[str, Any]
    by: tuple[str, ...]
    throws: tuple[Throw, ...]
    verdict: VerdictRecord
    effects: Effects
    title: str = ""
    at: tuple[str, ...] = ()


class Changed(Event):
    """Statuses changed, such as wounds, ammunition, a jam or elimination."""

    kind = "changed"
    changes: tuple[Change, ...]

    def __post_init__(self) -> None:
        _check_some(self.changes, "changed")


class QuestionAsked(Event):
    """The players are asked a question that is too close to call or that the camera cannot answer."""

    kind = "doubted"
    question: str
    answers: tuple[str, ...] = ("in", "out")


class QuestionAnswered(Event):
    """The players answered a question.

    Attributes:
        limit: The limit of the measurement, such as "4 in"; empty if it was not stored.
    """

    kind = "settled"
    question: str
    answer: str
    limit: str = ""


class VerdictOverruled(Event):
    """The players replaced the verdict of an earlier entry.

    Attributes:
        reason: The players' reason.
        effects: Every change that leads from the old outcome to the new one.
        what: Label of the replaced entry; empty in battles of old versions.
        outcome: The new outcome, in a few words.
        given_back: Costs that the figures get back.
    """

    kind = "overruled"
    entry: EntryNumber
    reason: str
    effects: Effects
    what: str = ""
    outcome: str = ""
    given_back: Refund | None = None


class OutcomeDecided(Event):
    """The players decided the outcome of an action without dice.

    Attributes:
        title: The action, such as "Rifle at Tan 4".
        action, by: The rule, and the figures for which the action counts as done.
        outcome: The outcome, in a few words.
        reason: The players' reason.
    """

    kind = "ruled"
    title: str
    action: str
    by: tuple[str, ...]
    outcome: str
    reason: str
    effects: Effects


class Noted(Event):
    """A note by the players or by the program."""

    kind = "noted"
    text: str


class CameraMoved(Event):
    """The camera or the table was bumped; positions on the table stay the same.

    Attributes:
        what: "camera", "table" or, if the picture does not show which, "camera or table".
    """

    kind = "camera_moved"
    what: str


class MarkerMoved(Event):
    """Printed markers were moved on the table; positions on the table stay the same."""

    kind = "marker_moved"
    ids: tuple[int, ...]


class TableLaid(Event):
    """The table changed; an external event that is never undone.

    Attributes:
        camera: Identity of the camera; empty if there is none.
        terrain: All terrain pieces.
        area_in: Outline of the area of play; empty if it is not defined.
    """

    kind = "table"
    camera: str
    terrain: tuple[TerrainPiece, ...]
    area_in: Outline = ()

    def __post_init__(self) -> None:
        for place_in in self.area_in:
            _check_point("the table's edge", place_in)


def _check_point(figure: str, place_in: PointIn) -> None:
    if len(place_in) != 2:
        raise UserError(f"the place of {figure} must be [x, y] in inches, not {list(place_in)}")


def _check_some(parts: tuple[Any, ...], kind: str) -> None:
    if not parts:
        raise UserError(f"an event of kind {kind!r} needs at least one figure")
