"""File dialogs and the dialog for the markers on the table."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QLocale
from PyQt6.QtGui import QValidator
from PyQt6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QFileDialog,
    QFormLayout,
    QWidget,
)

from calibration.calibration_targets import CalibrationTargets
from calibration.markers import DICTIONARY_SUFFIXES, dictionary_of
from calibration.print_scale import TRUE_PRINT, PrintScale
from rules.tabletop.errors import UserError
from ui.desktop.labels import wrapping_label
from ui.desktop.layouts import button_with_tip, in_row, ok_and_cancel
from ui.formatting import capitalized
from ui.translation import tr
from vision.source import IMAGE_SUFFIXES

_DICTIONARIES = tuple(f"{cells}X{cells}_{count}" for cells in (4, 5, 6) for count in (50, 100, 250, 1000))
_VIDEO_SUFFIXES = (".mp4", ".avi", ".mkv", ".mov", ".webm")


def _files(suffixes: object) -> str:
    return " ".join(f"*{suffix} *{suffix.upper()}" for suffix in sorted(map(str, suffixes)))  # type: ignore[call-overload]


class NumberBox(QDoubleSpinBox):
    """Accepts a comma as the decimal point: a locale that groups thousands with it would read 3,5 as 35."""

    def __init__(self) -> None:
        super().__init__()
        self.setLocale(QLocale.c())  # the format of all numbers in the window

    def validate(self, input: str | None, pos: int) -> tuple[QValidator.State, str, int]:
        """Treat every comma as a point."""
        return super().validate((input or "").replace(",", "."), pos)


class MarkerSizeDialog(QDialog):
    """Asks which markers lie on the table."""

    def __init__(self, prints: CalibrationTargets, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Marker size"))
        self._side, self._dictionary, self._problem = NumberBox(), QComboBox(), wrapping_label()
        self._measured = QCheckBox(tr("I measured the 100 mm scales on the sheet"))
        self._across, self._down = NumberBox(), NumberBox()
        self._form = QFormLayout(self)
        self._fill_markers(prints)
        self._fill_scale(prints.scale)
        self._lay_out()

    def _fill_markers(self, prints: CalibrationTargets) -> None:
        self._side.setRange(0.2, 40.0)
        self._side.setDecimals(3)
        self._side.setSingleStep(0.05)
        self._side.setSuffix(tr(" in"))
        self._side.setValue(prints.side_in)
        self._side.setToolTip(
            tr("The length of one side of the black square; it is printed beside it, or measure it with a ruler")
        )
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
            box.setRange(95.0, 105.0)  # the range of `PrintScale`
            box.setDecimals(1)
            box.setSingleStep(0.1)
            box.setSuffix(" mm")
            box.setValue(measured_mm)
            box.setToolTip(tr("The length of this scale; 100 if the sheet was printed at the right size"))
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
        path = QFileDialog.getOpenFileName(
            self, tr("A dictionary"), "", tr("Dictionaries ({endings})", endings=_files(DICTIONARY_SUFFIXES))
        )[0]
        if path:
            self.use_dictionary(Path(path))

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
    def prints(self) -> CalibrationTargets:
        """The answers."""
        scale = PrintScale(self._across.value(), self._down.value()) if self._measured.isChecked() else None
        return CalibrationTargets(self._side.value(), self._dictionary.currentText(), scale=scale)


def ask_file(parent: QWidget) -> str:
    """Ask for an image or video to open; empty if cancelled."""
    images, videos = _files(IMAGE_SUFFIXES), _files(_VIDEO_SUFFIXES)
    kinds = tr("Pictures and videos ({images} {videos});;All files (*)", images=images, videos=videos)
    return QFileDialog.getOpenFileName(parent, tr("Open a picture or a video"), "", kinds)[0]


def ask_battle(parent: QWidget, folder: Path) -> Path | None:
    """Ask for a battle to continue, first in this folder; None if cancelled."""
    kinds = tr("Battles (*.battle);;All files (*)")
    found = QFileDialog.getOpenFileName(parent, tr("Open a battle"), str(folder), kinds)[0]
    return Path(found) if found else None


def ask_terrain(parent: QWidget) -> Path | None:
    """Ask for a terrain file; None if cancelled."""
    found = QFileDialog.getOpenFileName(parent, tr("Open terrain"), "", tr("Terrain (*.json);;All files (*)"))[0]
    return Path(found) if found else None


def ask_folder(parent: QWidget) -> str:
    """Ask for a folder of pictures; empty if cancelled."""
    return QFileDialog.getExistingDirectory(parent, tr("Open a folder of pictures"))


def ask_where(parent: QWidget, title: str, name: str, kinds: str) -> Path | None:
    """Ask where to write a file, None if cancelled; a name without a suffix gets the suffix of `name`."""
    dialog = QFileDialog(parent, title, "", kinds)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(Path(name).suffix.removeprefix("."))
    dialog.selectFile(name)
    chosen = dialog.exec() == QDialog.DialogCode.Accepted
    dialog.deleteLater()
    return Path(dialog.selectedFiles()[0]) if chosen else None


def place_right(dialog: QDialog, window: QWidget) -> None:
    """Move a dialog to the right edge of a window, where it covers the least of the picture."""
    corner = window.mapToGlobal(window.rect().topRight())
    dialog.move(max(0, corner.x() - dialog.frameGeometry().width()), max(0, corner.y()))
