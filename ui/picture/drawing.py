"""Caches the shapes over a picture, because they change less often than the mouse moves. No Qt here."""

from __future__ import annotations

from ui.measuring import Read, read_off
from ui.picture.overlay import Preview, Shape, area_shapes, found_shapes, loose_shapes, resting_shapes
from ui.session import TableState
from ui.table.finding import Finding
from vision.table_view import TableView

Shapes = tuple[Shape, ...]


class Drawing:
    """The shapes over one picture of the table."""

    def __init__(self, read: Read = read_off) -> None:
        self._read = read
        self._resting: Shapes = ()
        self._resting_key: tuple[object, ...] = ()
        self._areas: Shapes = ()
        self._areas_key: tuple[object, object] = (None, ())
        self._found: Shapes = ()
        self._found_key: tuple[object, Finding | None] = (None, None)

    def of(
        self, view: TableView, state: TableState, preview: Preview, screen_scale: float = 1.0, *, numbers: bool = True
    ) -> tuple[Shapes, Shapes, Shapes, Shapes]:
        """Areas, what lies on the table, the tool's answer, and what follows the mouse: together `table_overlay`.

        The first three are the identical tuples as before while nothing in them changes.
        """
        quiet = preview.finding is not None
        key = (view.calibration, view.figures, state, preview.ground, screen_scale, quiet, numbers)
        if key != self._resting_key:
            self._resting_key = key
            self._resting = resting_shapes(
                view, state, preview.ground, screen_scale, self._read, quiet=quiet, numbers=numbers
            )
        if self._areas_key[0] is not view.calibration or self._areas_key[1] != preview.areas:
            self._areas_key, self._areas = (view.calibration, preview.areas), area_shapes(view, preview)
        if self._found_key[0] is not view.calibration or self._found_key[1] is not preview.finding:
            self._found_key, self._found = (view.calibration, preview.finding), found_shapes(view, preview)
        loose = loose_shapes(view, state, preview, screen_scale, self._read)
        return self._areas, self._resting, self._found, loose
