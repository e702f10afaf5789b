"""What can happen in a battle: small values that go into the journal and come back out of it as they were."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import Annotated, Any, ClassVar

from rules.engine.dice import DiceRequest, Roll
from rules.engine.schema import Inches, Reader, Within
from rules.engine.verdict import Verdict
from rules.tabletop.errors import UserError
from rules.tabletop.table import Outline, PointIn, TerrainPiece

EntryNumber = Annotated[int, Within(low=1)]


def plain(value: Any) -> Any:
    """A value in what JSON knows; dataclasses become objects.

    Raises:
        UserError: for a number that is not finite.
    """
    if isinstance(value, float) and not math.isfinite(value):
        raise UserError(f"a journal cannot keep {value}: give a finite number")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A figure that went from one place to another.

    Attributes:
        moved_in: The way, as it was walked.
        cost_in: What it took of the figure's allowance.
        ground: Names of the terrain pieces on the way.
        facing_deg: Which way it faces at the end; None where that is unchanged or unknown.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What is new about a figure, or about the battle itself.

    Attributes:
        figure: Whom it is about; empty for what all share, as who won the initiative.
        key: What of it, as "wounds" or "eliminated".
        value: What it is now; None takes it away.
        rule: Id of the rule that says so; empty where the players say so.
        this_turn: Forgotten when the next turn begins, as "moved".
    """

    figure: str
    key: str
    value: Any
    rule: str = ""
    this_turn: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """What comes of a verdict on the table."""

    moves: tuple[Move, ...] = ()
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Refund:
    """What a deed took of those who did it, and no longer takes.

    Attributes:
        allowance_in: Inches of its move that each figure has again.
        action, by: The deed that no longer counts as done, by whom; nobody where it goes on counting.
        this_turn: Whether it counted among the acts of this turn.
    """

    allowance_in: Mapping[str, Inches]
    action: str = ""
    by: tuple[str, ...] = ()
    this_turn: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Throw:
    """Dice as they were asked for and as they fell."""

    die: str
    for_whom: str
    why: str
    faces: tuple[int, ...]

    @classmethod
    def of(cls, request: DiceRequest, roll: Roll) -> Throw:
        """The answer to a request."""
        return cls(die=request.die.name, for_whom=request.for_whom, why=request.why, faces=roll.faces)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A reason of a verdict, as it was said."""

    rule: str
    text: str
    modifier: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A verdict, as it was told."""

    outcome: str
    numbers: Mapping[str, Any]
    reasons: tuple[Said, ...]

    @classmethod
    def of(cls, verdict: Verdict) -> Told:
        """A verdict in values that JSON gives back unchanged."""
        reasons = tuple(Said(rule=one.rule, text=one.text, modifier=one.modifier) for one in verdict.reasons)
        return cls(outcome=str(verdict.outcome), numbers=plain(verdict.numbers), reasons=reasons)


# The events.


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened.

    Attributes:
        kind: Its name in the journal.
        version: Of what its body means; a newer one is not read.
    """

    kind: ClassVar[str]
    version: ClassVar[int] = 1

    def to_body(self) -> dict[str, Any]:
        """The body of its entry in the journal."""
        body: dict[str, Any] = plain(self)
        return body

    @classmethod
    def from_body(cls, body: Mapping[str, Any], place: str = "the event") -> Event:
        """The event of an entry's body.

        Raises:
            UserError: if the body is not one; the message names `place`, the key and what was expected.
        """
        return Reader({}).read(cls, body, place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun(Event):
    """The battle begins; the players are its sides.

    Attributes:
        options: What the players chose instead of a default.
        house_rules: Text of the file of house rules; empty where the game is played as it is.
    """

    kind = "begun"
    game: str
    players: tuple[str, ...]
    options: Mapping[str, Any]
    house_rules: str = ""


def one_card(figure: str, card: str | None, own: Mapping[str, Any] | None) -> None:
    """Raise `UserError` unless a figure has just one: a ready card or its own."""
    if (card is None) == (own is None):
        raise UserError(f"{figure} needs either a ready card or one of its own: give one of the two")


@dataclass(frozen=True, slots=True, kw_only=True)
class Enlisted(Event):
    """A figure joins as a unit: of a ready card, or of the players' own."""

    kind = "enlisted"
    figure: str
    side: str
    card: str | None = None
    own: Mapping[str, Any] | None = None
    squad: str = ""

    def __post_init__(self) -> None:
        one_card(self.figure, self.card, self.own)


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseBegun(Event):
    """A turn, or a part of one, begins; `side` is empty where all act in it."""

    kind = "phase"
    turn: Annotated[int, Within(low=1)]
    side: str = ""
    phase: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed(Event):
    """A figure is put somewhere without moving there: set up, dropped, brought in."""

    kind = "placed"
    figure: str
    at_in: PointIn
    facing_deg: float | None = None

    def __post_init__(self) -> None:
        _check_point(self.figure, self.at_in)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved(Event):
    """Figures went; those of one squad together."""

    kind = "moved"
    moves: tuple[Move, ...]

    def __post_init__(self) -> None:
        _check_some(self.moves, "moved")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(Event):
    """The rules were asked, dice were rolled, this was the answer, and it had these effects.

    Attributes:
        action, given: The question, as it was put to the game.
        by: Figures that acted; counted for each.
        throws: All dice, in order.
        title: The deed, as "Rifle at Tan 4"; empty in battles of before it was kept.
    """

    kind = "asked"
    action: str
    given: Mapping[str, Any]
    by: tuple[str, ...]
    throws: tuple[Throw, ...]
    verdict: Told
    effects: Effects
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed(Event):
    """Something is new about figures: wounds, ammunition, a jam, who is out."""

    kind = "changed"
    changes: tuple[Change, ...]

    def __post_init__(self) -> None:
        _check_some(self.changes, "changed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubted(Event):
    """A question that is too close to call, or that no camera can answer, is put to the players."""

    kind = "doubted"
    question: str
    answers: tuple[str, ...] = ("in", "out")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled(Event):
    """The players answered a question.

    Attributes:
        limit: What was measured against, as "4 in"; empty where that was not kept.
    """

    kind = "settled"
    question: str
    answer: str
    limit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overruled(Event):
    """The players set aside what an entry says.

    Attributes:
        reason: Why, in their words.
        effects: What holds instead: all that becomes otherwise by it, from now on.
        what: What was set aside, in a few words; empty in battles of before it was kept.
        outcome: What holds instead, in a few words.
        given_back: What those who did it have again.
    """

    kind = "overruled"
    entry: EntryNumber
    reason: str
    effects: Effects
    what: str = ""
    outcome: str = ""
    given_back: Refund | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruled(Event):
    """The players say what comes of a deed, and no die is rolled.

    Attributes:
        title: The deed, as "Rifle at Tan 4".
        action, by: As of a question; it counts as done by them.
        outcome: What comes of it, in a few words.
        reason: Why they say so, in their words.
    """

    kind = "ruled"
    title: str
    action: str
    by: tuple[str, ...]
    outcome: str
    reason: str
    effects: Effects


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted(Event):
    """A remark."""

    kind = "noted"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraMoved(Event):
    """Camera or table were bumped; positions on the table stay.

    Attributes:
        what: Which, as far as the picture tells: "camera", "table" or "camera or table".
    """

    kind = "camera_moved"
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkerMoved(Event):
    """Printed markers were moved on the table; positions on the table stay."""

    kind = "marker_moved"
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLaid(Event):
    """The table that is played on, as it is from now on: nobody's deed, so it is not taken back.

    Attributes:
        camera: Identity of the camera over it; empty where there is none.
        terrain: What stands on it.
        area_in: Outline of the part that is played on; none where nobody has said.
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
        raise UserError(f"an event of the kind {kind!r} needs at least one figure: name it")
