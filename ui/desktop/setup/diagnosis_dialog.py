"""The dialogs for markers: their size, and why there are no inches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QCheckBox, QComboBox, QDialog, QFormLayout, QListWidget, QWidget

from calibration.calibration_targets import CalibrationTargets, fix, see
from calibration.diagnosis import why_not
from calibration.marker_issue import outline_of
from calibration.markers import DICTIONARY_SUFFIXES, dictionary_of
from calibration.print_scale import TRUE_PRINT, PrintScale
from rules.tabletop.errors import UserError
from ui.background_task import BackgroundTask
from ui.desktop.picture.image import to_qimage
from ui.desktop.picture.picture_dialog import PictureDialog
from ui.desktop.saving import ask_file, endings
from ui.desktop.widgets import NumberBox, button_with_tip, in_row, ok_and_cancel, wrapping_label
from ui.formatting import capitalized, sentence
from ui.picture.overlay import marker_issue_shapes
from ui.picture.shapes import Label, Line, Shape
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


def _summary(look: MarkerCheck) -> str:
    count = len(look.used)
    good = tr("1 marker is good") if count == 1 else tr("{count} markers are good", count=count)
    if not look.problem:
        rest = "" if not look.issues else tr("; fix the others to use them too")
        return tr("{good}. Inches are known{rest}.", good=good, rest=rest)
    if not look.issues:
        return tr(_NOTHING) if not count else sentence(look.problem)
    return f"{good}. {sentence(look.problem)}" if count else tr("No marker can be used, because:")


_DICTIONARIES = tuple(f"{cells}X{cells}_{count}" for cells in (4, 5, 6) for count in (50, 100, 250, 1000))


class MarkerSizeDialog(QDialog):
    """Asks which markers lie on the table."""

    def __init__(self, prints: CalibrationTargets, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Marker size"))
        tip = tr("The length of one side of the black square; it is printed beside it, or measure it with a ruler")
        self._side = NumberBox(0.2, 40.0, 0.05, 3, tr(" in"), tip)
        self._dictionary, self._problem = QComboBox(), wrapping_label()
        self._measured = QCheckBox(tr("I measured the 100 mm scales on the sheet"))
        tip = tr("The length of this scale; 100 if the sheet was printed at the right size")
        # The range is that of `PrintScale`.
        self._across, self._down = (NumberBox(95.0, 105.0, 0.1, 1, " mm", tip) for _ in range(2))
        self._form = QFormLayout(self)
        self._fill_markers(prints)
        self._fill_scale(prints.scale)
        self._lay_out()
        self._before, self._unchanged = prints, self._answers

    def _fill_markers(self, prints: CalibrationTargets) -> None:
        self._side.setValue(prints.side_in)
        self._dictionary.addItems([*_DICTIONARIES, *({prints.dictionary} - {*_DICTIONARIES})])
        self._dictionary.setCurrentText(prints.dictionary)
        self._dictionary.setAccessibleName(tr("Marker dictionary"))
        self._dictionary.setToolTip(tr("The ArUco dictionary; the program's own sheets use 4X4_50"))
        self._dictionary.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._dictionary.setMinimumContentsLength(14)

    def _fill_scale(self, known: PrintScale | None) -> None:
        self._measured.setToolTip(tr("Halves the uncertainty of all lengths, from half a percent to a quarter"))
        self._measured.setChecked(known is not None)
        scale = known or TRUE_PRINT
        for box, measured_mm in ((self._across, scale.measured_x_mm), (self._down, scale.measured_y_mm)):
            box.setValue(measured_mm)
            box.setEnabled(known is not None)
            self._measured.toggled.connect(box.setEnabled)

    def _lay_out(self) -> None:
        tip = tr("Use your own dictionary from an OpenCV file (.yml)")
        from_file = button_with_tip(tr("Open file…"), tip, self._ask_dictionary)
        self._form.addRow(tr("Side of the black square, as drawn:"), self._side)
        self._form.addRow(tr("Dictionary:"), in_row((self._dictionary, 1), from_file))
        self._form.addRow(self._problem)
        self._form.setRowVisible(self._problem, False)
        self._form.addRow(self._measured)
        self._form.addRow(tr("Horizontal scale:"), self._across)
        self._form.addRow(tr("Vertical scale:"), self._down)
        self._form.addRow(ok_and_cancel(self))

    def _ask_dictionary(self) -> None:
        kinds = tr("Dictionaries ({endings})", endings=endings(DICTIONARY_SUFFIXES))
        if path := ask_file(self, tr("A dictionary"), kinds):
            self.use_dictionary(path)

    def use_dictionary(self, path: Path) -> None:
        """Use the dictionary in a file, or show why it cannot be used."""
        try:
            dictionary_of(str(path))
        except UserError as refusal:
            self._problem.setText(capitalized(str(refusal)))
            self._form.setRowVisible(self._problem, True)
            self._problem.setMinimumHeight(self._problem.heightForWidth(self._problem.width()))
            return
        self._form.setRowVisible(self._problem, False)
        self._dictionary.addItem(str(path))
        self._dictionary.setCurrentText(str(path))

    @property
    def _answers(self) -> tuple[float, str, PrintScale | None]:
        scale = PrintScale(self._across.value(), self._down.value()) if self._measured.isChecked() else None
        return self._side.value(), self._dictionary.currentText(), scale

    @property
    def prints(self) -> CalibrationTargets:
        """The markers as answered; if nothing was changed those from before, with all that is known of their places."""
        side_in, dictionary, scale = self._answers
        if self._answers == self._unchanged:
            return self._before
        return CalibrationTargets(side_in, dictionary, scale=scale)
