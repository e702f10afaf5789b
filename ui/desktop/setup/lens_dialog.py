"""The dialog that measures the camera's lens with the printed board."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QProgressBar, QWidget

from calibration.lens import MIN_VIEWS, Coverage, LensViews
from calibration.lens_fit import LensFit
from calibration.opencv import cv2
from ui.background_task import BackgroundTask
from ui.desktop.picture.image import to_qimage
from ui.desktop.picture.picture_dialog import PictureDialog
from ui.desktop.widgets import button_with_tip, in_column, in_row, wrapping_label
from ui.formatting import sentence
from ui.paper.marker_sheet import board_words
from ui.picture.shapes import Line, Shape
from ui.setup.lens import LensSession, lens_story
from ui.theme import GREEN, ORANGE, SKY, Colour, faded
from ui.translation import tr
from vision.frame import Frame

_TICK_MS = 50


class LensDialog(PictureDialog):
    """Takes pictures of the board automatically while each adds information, and computes the lens."""

    def __init__(self, newest: Callable[[], Frame | None], camera: str, parent: QWidget | None = None) -> None:
        """`newest` returns the current picture; `camera` is the camera's name in the title."""
        super().__init__(tr("The lens of {camera}", camera=camera), parent, asks=True)
        self._newest = newest
        self._frame: Frame | None = None
        self._looking: BackgroundTask[LensSession] = BackgroundTask("sandtable lens picture")
        self._fitting: BackgroundTask[LensFit] = BackgroundTask("sandtable lens fit")
        self.session: LensSession | None = None
        self.fit: LensFit | None = None
        self.progress, self.coverage, self.verdict = QProgressBar(), wrapping_label(), wrapping_label()
        self.undo = button_with_tip(tr("Remove last"), tr("Remove the last picture taken"), self._remove_last)
        self.compute = button_with_tip(tr("Compute lens"), "", self._compute)
        self._lay_out()
        self.allow(False)
        self._show_progress()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.pull)
        self._timer.start(_TICK_MS)

    def _lay_out(self) -> None:
        self.progress.setRange(0, 100)
        board = LensSession(LensViews((1, 1))).board
        about = wrapping_label(
            tr(
                "Use the program's own board ({board}; Table, Print…), glued to something stiff and flat."
                " Pictures are taken automatically while it is still; green marks where it has been.",
                board=board_words(board),
            )
        )
        row = in_row(self.undo, self.compute)
        self.column.addLayout(in_column(self.progress, self.coverage, row, self.verdict, None, about), 1)

    @property
    def measurement(self) -> dict[str, object]:
        """How the lens was found, for the lens file."""
        assert self.session is not None  # there is a lens
        assert self.fit is not None
        return lens_story(self.session.lens_views, self.fit)

    def pull(self) -> None:
        session, fit = self._looking.take(), self._fitting.take()
        if session is not None:
            self.session = session
            self._show_progress()
        if fit is not None or self._fitting.refusal:
            self._take(fit)
        frame = self._newest()
        if frame is None or frame is self._frame or self._fitting.busy or self.fit is not None:
            return
        self._frame = frame
        self.picture.show_picture(to_qimage(frame.image_bgr))
        before = self.session or LensSession(LensViews(frame.size_px))
        if not self._looking.busy:
            self._looking.start(lambda: before.with_picture(frame.gray()))

    def _remove_last(self) -> None:
        self._looking.drop()
        self._fitting.drop()
        self.progress.setRange(0, 100)
        if self.session is not None:
            self.session = self.session.without_last()
        self.fit = None
        self.allow(False)
        self.verdict.clear()
        self._show_progress()

    def _compute(self) -> None:
        self._looking.drop()
        if self.session is not None and self._fitting.start(self.session.fit):
            self.compute.setEnabled(False)
            self.progress.setRange(0, 0)  # shows a busy indicator
            self.verdict.setText(tr("Computing… Press Cancel to stop."))

    def _take(self, fit: LensFit | None) -> None:
        self.fit = fit
        if fit is None:
            words = self._fitting.refusal
            self._fitting.drop()
        else:
            out = int(np.isnan(fit.by_view_px).sum())
            words = fit.sentence + (
                tr("; {out} pictures are left out because they contradict the others", out=out) if out else ""
            )
            self.say(
                tr("The lens is ready. Press OK to use it, now and whenever this camera sends pictures of this size.")
            )
        self.verdict.setText(sentence(words))
        self.allow(fit is not None)
        self.compute.setEnabled(True)
        self.progress.setRange(0, 100)
        if self.session is not None:
            self.progress.setValue(round(100 * self.session.progress))

    def _show_progress(self) -> None:
        session = self.session
        self.undo.setEnabled(session is not None and bool(session.lens_views.views))
        self.compute.setEnabled(session is not None and session.can_fit)
        if session is None:
            self.say(tr("Waiting for the camera…"))
            return
        count, coverage = len(session.lens_views.views), session.lens_views.coverage
        words = session.words
        if session.is_enough:
            words += " " + tr("{count} pictures are enough. Press Compute lens.", count=count)
        self.say(words)
        self.progress.setValue(round(100 * session.progress))
        missing = MIN_VIEWS - count
        more = tr("At least {missing} more needed. ", missing=missing) if missing > 0 else ""
        self.coverage.setText(
            tr("{count} taken. {more}{sentence}.", count=count, more=more, sentence=coverage.sentence)
        )
        size = session.lens_views.image_size
        self.picture.show_shapes((*_cells(coverage, size), *_board(session)))


def _cells(coverage: Coverage, size: tuple[int, int]) -> list[Shape]:
    """Squares over the cells of the frame where the board has been."""
    rows, columns = coverage.cells.shape
    width, height = size[0] / columns, size[1] / rows
    shapes: list[Shape] = []
    for row, column in zip(*np.nonzero(coverage.cells), strict=True):
        left, top = float(column * width), float(row * height)
        square = ((left, top), (left + width, top), (left + width, top + height), (left, top + height))
        shapes.append(Line(square, faded(GREEN, 70), 1.0, faded(GREEN, 45), closed=True, halo=False))
    return shapes


def _board(session: LensSession) -> list[Shape]:
    """The outline of the board as seen now, green if this picture was taken."""
    if session.seen is None:
        return []
    colour: Colour = GREEN if session.taken else SKY if session.words.startswith("Hold it still") else ORANGE
    hull = cv2.convexHull(session.seen.seen_px.astype(np.float32)).reshape(-1, 2)
    return [Line(tuple((float(x), float(y)) for x, y in hull), colour, 4.0, closed=True)]
