"""Shows why there are no inches: everything that looks like a marker, on the live picture and in sentences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QListWidget, QWidget

from calibration.calibration_targets import fix, see
from calibration.diagnosis import why_not
from calibration.marker_issue import outline_of
from rules.tabletop.errors import UserError
from ui.background_task import BackgroundTask
from ui.desktop.picture.image import to_qimage
from ui.desktop.picture.picture_dialog import PictureDialog
from ui.formatting import capitalized, sentence
from ui.picture.marker_issues import marker_issue_shapes
from ui.picture.overlay import Label, Line, Shape
from ui.theme import GREEN, YELLOW, faded
from ui.translation import mark_for_translation, tr
from vision.frame import Frame
from vision.setup import Setup

_TICK_MS = 100
_NOTHING = mark_for_translation(
    "No marker found. Print some (Table, Print…), put one flat on the table, and make sure that the camera sees it"
    " with its white border."
)


class MarkerCheck:
    """The markers in one picture.

    Attributes:
        used: Id -> outline of the markers used.
        issues: What looks like a marker but cannot be used.
        problem: Why there is no calibration; empty if there is one.
    """

    def __init__(self, frame: Frame, setup: Setup) -> None:
        gray = frame.gray()
        self.frame, self.issues = frame, why_not(gray, setup.prints, setup.lens)
        sight, self.problem = see(gray, setup.prints), ""
        try:
            fix(sight, setup.prints, setup.lens)
        except UserError as refusal:
            self.problem = str(refusal)
        left_out = {issue.id for issue in self.issues}
        self.used = {n: outline_of(px) for n, px in sight.corners_px.items() if n not in left_out}


class DiagnosisDialog(PictureDialog):
    """Checks the newest picture repeatedly, so that lamp and markers can be adjusted meanwhile."""

    def __init__(
        self, newest: Callable[[], Frame | None], setup: Callable[[], Setup], parent: QWidget | None = None
    ) -> None:
        """`newest` returns the current picture, `setup` what is known about the table."""
        super().__init__(tr("Check markers"), parent, asks=False)
        self._newest, self._setup = newest, setup
        self._task: BackgroundTask[MarkerCheck] = BackgroundTask("sandtable marker check")
        self._asked: tuple[Frame, Setup] | None = None
        self.look: MarkerCheck | None = None
        self.sentences = QListWidget()
        self.sentences.setWordWrap(True)
        self.sentences.setAccessibleName(tr("Findings"))
        self.sentences.currentRowChanged.connect(lambda _: self._draw())
        self.column.addWidget(self.sentences, 1)
        self.say(tr("Looking…"))
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.pull)
        self._timer.start(_TICK_MS)

    def pull(self) -> None:
        """Show the last result and check the next picture."""
        found = self._task.take()
        if found is not None:
            self._show(found)
        frame = self._newest()
        if frame is None or self._task.busy:
            return
        asked = (frame, self._setup())
        if self._asked is None or asked[0] is not self._asked[0] or asked[1] is not self._asked[1]:
            self._asked = asked
            self._task.start(lambda: MarkerCheck(*asked))

    def _show(self, look: MarkerCheck) -> None:
        words = [issue.sentence for issue in look.issues]
        if self.look is None or words != [issue.sentence for issue in self.look.issues]:
            self.sentences.clear()
            self.sentences.addItems([f"{n}  {capitalized(one)}" for n, one in enumerate(words, 1)])
        self.look = look
        self.picture.show_picture(to_qimage(look.frame.image_bgr))
        self.say(_summary(look))
        self._draw()

    def _draw(self) -> None:
        if self.look is None:
            return
        shapes: list[Shape] = []
        for number, outline in self.look.used.items():
            shapes.append(Line(outline, GREEN, 3.0, faded(GREEN, 50), closed=True))
            middle, low = np.mean(outline, axis=0), np.max(outline, axis=0)
            shapes.append(Label((float(middle[0]), float(low[1])), ((f"{number} ✓", 15.0),), GREEN, (0.0, 18.0)))
        shapes += marker_issue_shapes(self.look.issues, self.look.frame.size_px)
        row = self.sentences.currentRow()
        if 0 <= row < len(self.look.issues):
            shapes.append(Line(self.look.issues[row].outline_px, YELLOW, 5.0, closed=True))
        self.picture.show_shapes(tuple(shapes))

    def done(self, result: int) -> None:
        self._timer.stop()
        self._task.drop()
        super().done(result)


def _summary(look: MarkerCheck) -> str:
    count = len(look.used)
    good = tr("1 marker is good") if count == 1 else tr("{count} markers are good", count=count)
    if not look.problem:
        rest = "" if not look.issues else tr("; fix the others to use them too")
        return tr("{good}. Inches are known{rest}.", good=good, rest=rest)
    if not look.issues:
        return tr(_NOTHING) if not count else sentence(look.problem)
    return f"{good}. {sentence(look.problem)}" if count else tr("No marker can be used, because:")
