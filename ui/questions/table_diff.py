"""What is otherwise on the table than it was: who has moved and how far, who has come, gone or fallen. No Qt here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rules.table import Figure
from rules.text import spoken
from rules.tolerance import DOUBT_SIGMAS
from ui.battle.battle_session import LEAST_MOVE_IN
from ui.formatting import in_order, spread_words
from ui.questions.sighting import cross
from ui.table.finding import Answer, Finding, Mark, Note, Trace, along, lifted
from ui.theme import SILVER, WHITE, YELLOW, faded
from ui.units import Unit
from vision.pipeline import TableView

_ROWS = 8


@dataclass(frozen=True, slots=True)
class Change:
    """One figure that is otherwise than it was.

    Attributes:
        then, now: It; None where it was not seen, or is not.
    """

    then: Figure | None
    now: Figure | None

    @property
    def figure(self) -> Figure:
        """It, as new as it is known."""
        found = self.now or self.then
        assert found is not None  # one of both there is
        return found

    @property
    def moved_in(self) -> float:
        """How far it has moved; 0 where it rests within its error, or was or is not seen."""
        if self.then is None or self.now is None:
            return 0.0
        far_in = math.dist(self.then.centre_in, self.now.centre_in)
        return far_in if far_in > max(LEAST_MOVE_IN, DOUBT_SIGMAS * self.sigma_in) else 0.0

    @property
    def sigma_in(self) -> float:
        """One standard deviation of the way."""
        return math.hypot(*(one.sigma_in for one in (self.then, self.now) if one is not None))

    def words(self, unit: Unit = Unit.INCH) -> str:
        """What happened to it, as "moved 5.8 in, now down"; empty where nothing did."""
        if self.then is None:
            return "is new"
        if self.now is None:
            return "is gone"
        moved = f"moved {unit.words(self.moved_in)}" if self.moved_in else ""
        turned = f"now {self.now.posture.value}" if self.now.posture is not self.then.posture else ""
        return ", ".join(filter(None, (moved, turned)))


def changes(then: Iterable[Figure], now: Iterable[Figure]) -> tuple[Change, ...]:
    """Every figure that is otherwise, by army and number; a figure is the same by its id."""
    before, after = ({one.id: one for one in figures} for figures in (then, now))
    either = in_order({**before, **after}.values())
    found = (Change(before.get(one.id), after.get(one.id)) for one in either)
    return tuple(change for change in found if change.words())


def compared(then: TableView, now: TableView, unit: Unit = Unit.INCH) -> Finding:
    """What has changed between two views of one table, told and marked at its places in inches."""
    found = changes(then.figures, now.figures)
    headline = {0: "nothing has changed", 1: "1 change"}.get(len(found), f"{len(found)} changes")
    rows = [_row(change, unit) for change in found[:_ROWS]]
    if len(found) > _ROWS:
        rows.append(f"and {len(found) - _ROWS} more")
    return Finding(Answer(headline, tuple(rows)), tuple(_marks(found, unit)))


def _row(change: Change, unit: Unit) -> str:
    spread = f" (± {spread_words(change.sigma_in, unit)})" if change.moved_in else ""
    return f"{spoken(change.figure.id)} {change.words(unit)}{spread}"


def _marks(found: Sequence[Change], unit: Unit) -> Iterator[Mark]:
    for change in found:
        then, now = change.then, change.now
        if then is not None:
            yield Trace(lifted(then.base_in, then.z_in), SILVER, 2.5, closed=True, dashed=True)
        if now is not None:
            yield Trace(lifted(now.base_in, now.z_in), YELLOW, 3.0, faded(YELLOW, 70), closed=True)
        if then is not None and now is not None and change.moved_in:
            yield Trace(along(((*then.centre_in, then.z_in), (*now.centre_in, now.z_in))), YELLOW, 2.5)
        if then is not None and now is None:
            yield from cross((*then.centre_in, then.z_in), SILVER, 0.4)
    for change in found:
        place = (*change.figure.centre_in, change.figure.z_in)
        yield Note(place, ((change.words(unit), 14.0),), YELLOW if change.now is not None else WHITE, (0.0, 24.0))
