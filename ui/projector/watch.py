"""Watches whether the projector's alignment still holds. No Qt here."""

from __future__ import annotations

import numpy as np

from ui.projector.alignment import Aligned
from ui.translation import tr
from vision.light_marks import MOVED_IN
from vision.table_view import TableView

EVERY_S = 1.0
"""Time between two checks."""

_TIMES = 3  # checks in a row: a sleeve over a mark or a swinging camera is not a shift
_LEAST_MARKS = 2
_MARKER_MOVED_IN = 0.1


class AlignmentWatch:
    """Checks the projector's own marks, and the printed markers that carry the inches."""

    def __init__(self, aligned: Aligned) -> None:
        self._aligned = aligned
        self._known = np.zeros(len(aligned.marks.places_in), np.bool_)
        self._moved = self._gone = 0

    def problem(self, view: TableView) -> str:
        """Why the light may be in the wrong place, as a sentence; empty while it is right, or if it cannot be seen."""
        if view.calibration is None or view.frozen:
            return ""
        known, now = self._aligned.markers_in, view.calibration.markers_in
        shifts = [float(np.abs(now[number] - known[number]).max()) for number in known.keys() & now.keys()]
        if shifts and np.median(shifts) > _MARKER_MOVED_IN:
            return tr("The printed markers have moved, so the projector's light is in the wrong place. Align it again.")
        offsets_in = self._aligned.marks.offsets_in(view.frame.gray(), view.calibration.camera)
        away_in = np.linalg.norm(offsets_in, axis=1)
        seen = np.isfinite(away_in)
        self._known |= seen
        is_moved = seen.sum() >= _LEAST_MARKS and float(np.median(away_in[seen])) > MOVED_IN
        is_gone = not seen.any() and self._known.sum() >= _LEAST_MARKS  # marks too weak to be seen were never known
        self._moved, self._gone = (self._moved + 1 if is_moved else 0), (self._gone + 1 if is_gone else 0)
        if self._moved >= _TIMES:
            return tr("The projector or the table has moved, so its light is in the wrong place. Align it again.")
        if self._gone >= _TIMES:
            return tr("The camera no longer sees the projector's light. Turn it on, or align it again.")
        return ""
