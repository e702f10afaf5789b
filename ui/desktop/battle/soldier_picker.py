"""Selects soldiers on the table while a battle is set up: one by a click, several by a line drawn around them."""

from __future__ import annotations

from collections.abc import Sequence

from shapely import Point, Polygon, make_valid

from rules.tabletop.table import Figure, PointIn
from ui.desktop.battle.soldier_table import SoldierTable
from ui.desktop.tools.tool import PickResult, was_dragged
from ui.table.finding import Mark, Trace, lifted
from ui.theme import PREVIEW, faded

_WIDTH, _FILL = 3.0, 40


class SoldierPicker:
    """Turns the mouse over the table into selected rows."""

    def __init__(self, soldiers: SoldierTable) -> None:
        self._soldiers = soldiers
        self._pressed: PickResult | None = None
        self._line: list[PointIn] = []
        self._extend = False

    def press(self, at: PickResult, *, extend: bool) -> None:
        """Begin a click or a line; with `extend`, it adds to what is selected."""
        self._pressed, self._extend = at, extend
        self._line = [at.place_in] if at.place_in is not None else []

    def move(self, at: PickResult | None) -> None:
        """Draw the line on."""
        if self._pressed is not None and at is not None and at.place_in is not None:
            self._line.append(at.place_in)

    def release(self, at: PickResult) -> None:
        """Select the soldiers inside the line or, after a click, the soldier there; none at a bare place."""
        pressed, self._pressed = self._pressed, None
        if pressed is None:
            return
        if was_dragged(pressed.px, at):
            self._soldiers.pick_all(_inside(self._line, at.figures), extend=self._extend)
        elif pressed.figure is not None:
            self._soldiers.pick(pressed.figure.id, extend=self._extend)
        elif not self._extend:
            self._soldiers.clearSelection()

    def marks(self, at: PickResult | None) -> tuple[Mark, ...]:
        """The line up to the mouse, closed; empty while none is drawn."""
        pressed = self._pressed
        if pressed is None or at is None or not was_dragged(pressed.px, at):
            return ()
        line = [*self._line, at.place_in] if at.place_in is not None else self._line
        return (Trace(lifted(line), PREVIEW, _WIDTH, faded(PREVIEW, _FILL), closed=True),) if line else ()


def _inside(line: Sequence[PointIn], figures: Sequence[Figure]) -> tuple[str, ...]:
    """Ids of the figures whose base centre is inside a line, which may cross itself."""
    if len(line) < 3:
        return ()
    area = make_valid(Polygon(line))
    return tuple(figure.id for figure in figures if area.contains(Point(figure.centre_in)))
