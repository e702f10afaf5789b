"""Aligns the projector with the table by pictures that the camera sees, and watches the alignment. No Qt here."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.markers import ImageGray
from calibration.opencv import cv2
from calibration.projector import Pattern, Projection
from calibration.solve import Calibration
from rules.tabletop.errors import UserError
from rules.tabletop.table import FloatArray
from ui.translation import tr
from vision.frame import Frame
from vision.light_marks import MOVED_IN, LightMarks, light_marks
from vision.projected_light import align, board_points, coded_points, linear, pattern_light, solids_px
from vision.setup import Setup
from vision.table_outline import marker_papers
from vision.table_view import TableView

_FIRST_S, _LEAST_S, _PATIENCE_S = 0.7, 0.3, 2.0
"""Time for which a picture is shown: the first one until old light is gone, the others at least and at most."""

_FRAMES = 3  # at rest, of which the mean is taken
_SHRINK = 8
_STILL, _CHANGED = 0.5, 0.4
"""Mean change in grey levels of pictures shrunk by eight: below the first at rest, above the second another one."""

_STEPS = 4

_Light = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """A projector that is aligned with the table.

    Attributes:
        projection: Which pixel lights which place.
        marks: What shows later whether it still does.
        markers_in: The printed markers' places then, by id: other places mean other table coordinates.
    """

    projection: Projection
    marks: LightMarks
    markers_in: dict[int, FloatArray]


class Alignment:
    """One alignment. `take` belongs to one thread; the others are replaced as a whole and may be read by any.

    Attributes:
        picture: What the projector must show now, (height, width).
        aligned: The result, once there is one.
        problem: Why there is none, as a sentence.
    """

    def __init__(self, size_px: tuple[int, int], view: TableView, setup: Setup) -> None:
        """Prepare to align a projector whose picture is `size_px`, (width, height), with the table of a view.

        Raises:
            UserError: if the table has no inches yet.
        """
        if view.calibration is None:
            raise UserError(tr("The camera does not know the table's inches yet. Lay a printed marker on the table."))
        pattern = Pattern(size_px)
        solids = solids_px(view.calibration.camera, view.figures, setup.terrain)
        self._steps = _sequence(pattern, view.calibration, solids)
        self._count, self._most = 0, _STEPS + 2 * pattern.code_bits
        self._before: _Light | None = None
        self._recent: list[tuple[ImageGray, _Light]] = []
        self._shown_s: float | None = None
        self.picture: ImageGray = next(self._steps)
        self.aligned: Aligned | None = None
        self.problem = ""

    @property
    def over(self) -> bool:
        """Whether it has succeeded, failed or been cancelled."""
        return bool(self.aligned or self.problem)

    @property
    def progress(self) -> float:
        """Part of the pictures that were shown, if the codes are needed too; usually it ends long before 1."""
        return self._count / self._most

    def cancel(self) -> None:
        """End without a result."""
        self.problem = self.problem or tr("The projector is not aligned.")

    def take(self, frame: Frame) -> None:
        """Take the camera's next picture."""
        if self.over:
            return
        gray = frame.gray()
        size = (gray.shape[1] // _SHRINK, gray.shape[0] // _SHRINK)
        small = cv2.resize(gray, size, interpolation=cv2.INTER_AREA).astype(np.float32)
        self._recent = [*self._recent[1 - _FRAMES :], (gray, small)]
        self._shown_s = frame.time_s if self._shown_s is None else self._shown_s
        for_s = frame.time_s - self._shown_s
        if for_s < (_LEAST_S if self._count else _FIRST_S):
            self._recent = self._recent[-1:]
            return
        changed = self._before is None or _difference(small, self._before) > _CHANGED
        still = len(self._recent) == _FRAMES and all(_difference(small, other) < _STILL for _, other in self._recent)
        if (changed and still) or for_s > _PATIENCE_S:
            self._go_on(small)
            self._shown_s = None  # from the next frame on, however long this took

    def _go_on(self, small: _Light) -> None:
        self._before, seen = small, linear([gray for gray, _ in self._recent])
        self._recent, self._count = [], self._count + 1
        try:
            self.picture = self._steps.send(seen)
        except StopIteration as end:
            self.aligned = end.value
        except UserError as error:
            self.problem = str(error)


def _difference(one: _Light, other: _Light) -> float:
    return float(np.abs(one - other).mean())


def _sequence(
    pattern: Pattern, measured: Calibration, solids: list[FloatArray]
) -> Generator[ImageGray, _Light, Aligned]:
    """Yields what to show and is sent what the camera then sees: dark, the board, its inverse and dark again.

    Where too few of the board's markers can be read, eight pictures of bits number its squares.

    Raises:
        UserError: if the light is not seen, or too little of it lies on the table.
    """
    black = np.zeros_like(pattern.picture)
    dark = yield black
    board = yield pattern.picture
    light = pattern_light(dark, board, (yield 255 - pattern.picture))
    try:
        projection, places_in = align(light, board_points(light, pattern), pattern, measured, solids)
    except UserError:
        codes = []
        for code in pattern.codes:
            codes.append((yield code))
        projection, places_in = align(light, coded_points(light, codes, pattern), pattern, measured, solids)
    marks = light_marks(dark, measured.camera, places_in, marker_papers(measured))
    yield black  # until the camera sees the table as it was: vision goes on from there
    return Aligned(projection, marks, dict(measured.markers_in))


CHECK_EVERY_S = 1.0
"""Time between two checks of an alignment."""

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
