"""What changed on the table: figures that moved, appeared, disappeared or fell. No Qt here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rules.tabletop.table import Figure
from rules.tabletop.tolerance import DOUBT_SIGMAS
from ui.battle.battle_session import LEAST_MOVE_IN
from ui.formatting import in_order, spread_words
from ui.rules_text import display_name
from ui.table.finding import Answer, Finding, Mark, Note, Trace, along, cross, lifted
from ui.theme import SILVER, WHITE, YELLOW, faded
from ui.translation import tr, tr_count
from ui.vocabulary import Unit, posture_words
from vision.table_view import TableView

_MAX_ROWS = 8


@dataclass(frozen=True, slots=True)
class Change:
    """One figure before and after.

    Attributes:
        then, now: The figure; None if it was not or is not visible.
    """

    then: Figure | None
    now: Figure | None

    @property
    def figure(self) -> Figure:
        """The newest that is known of the figure."""
        found = self.now or self.then
        assert found is not None  # never both
        return found

    @property
    def moved_in(self) -> float:
        """How far it moved; 0 if less than its error, or if it was or is not visible."""
        if self.then is None or self.now is None:
            return 0.0
        distance_in = math.dist(self.then.centre_in, self.now.centre_in)
        return distance_in if distance_in > max(LEAST_MOVE_IN, DOUBT_SIGMAS * self.sigma_in) else 0.0

    @property
    def sigma_in(self) -> float:
        """One standard deviation of the distance."""
        return math.hypot(*(figure.sigma_in for figure in (self.then, self.now) if figure is not None))

    def words(self, unit: Unit = Unit.INCH) -> str:
        """What changed, such as "moved 5.8 in, now down"; empty if nothing did."""
        if self.then is None:
            return tr("is new")
        if self.now is None:
            return tr("is gone")
        moved = tr("moved {distance}", distance=unit.words(self.moved_in)) if self.moved_in else ""
        if self.now.posture is self.then.posture:
            return moved
        turned = tr("now {posture}", posture=posture_words(self.now.posture))
        return ", ".join(filter(None, (moved, turned)))


def changes(then: Iterable[Figure], now: Iterable[Figure]) -> tuple[Change, ...]:
    """Every figure that changed, matched by id, in order of army and number."""
    before, after = ({figure.id: figure for figure in figures} for figures in (then, now))
    every = in_order({**before, **after}.values())
    found = (Change(before.get(figure.id), after.get(figure.id)) for figure in every)
    return tuple(change for change in found if change.words())


def compared(then: TableView, now: TableView, unit: Unit = Unit.INCH) -> Finding:
    """What changed between two views of one table, as text and marks."""
    found = changes(then.figures, now.figures)
    headline = tr_count("{count} change", "{count} changes", len(found)) if found else tr("nothing has changed")
    rows = [_row(change, unit) for change in found[:_MAX_ROWS]]
    if len(found) > _MAX_ROWS:
        rows.append(tr("and {count} more", count=len(found) - _MAX_ROWS))
    return Finding(Answer(headline, tuple(rows)), tuple(_marks(found, unit)))


def _row(change: Change, unit: Unit) -> str:
    spread = f" (± {spread_words(change.sigma_in, unit)})" if change.moved_in else ""
    return f"{display_name(change.figure.id)} {change.words(unit)}{spread}"


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
