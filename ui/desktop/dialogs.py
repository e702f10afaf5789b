"""The questions the window asks in dialogs of their own."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QLocale
from PyQt6.QtGui import QValidator
from PyQt6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QDoubleSpinBox, QFileDialog, QFormLayout, QWidget

from calibration.prints import Prints
from vision.source import IMAGE_SUFFIXES

_DICTIONARIES = tuple(f"{cells}X{cells}_{count}" for cells in (4, 5, 6) for count in (50, 100, 250, 1000))
_VIDEO_SUFFIXES = (".mp4", ".avi", ".mkv", ".mov", ".webm")


def _files(suffixes: object) -> str:
    return " ".join(f"*{suffix} *{suffix.upper()}" for suffix in sorted(map(str, suffixes)))  # type: ignore[call-overload]


class NumberBox(QDoubleSpinBox):
    """Takes a comma for a point, as both are typed: where one of them parts thousands, 3.5 would become 35."""

    def __init__(self) -> None:
        super().__init__()
        self.setLocale(QLocale.c())  # as the window writes its other numbers

    def validate(self, input: str | None, pos: int) -> tuple[QValidator.State, str, int]:
        """With a point for every comma."""
        return super().validate((input or "").replace(",", "."), pos)


class PrintsDialog(QDialog):
    """Asks which markers lie on the table."""

    def __init__(self, prints: Prints, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Markers on the table")
        self._side = NumberBox()
        self._side.setRange(0.2, 40.0)
        self._side.setDecimals(3)
        self._side.setSingleStep(0.05)
        self._side.setSuffix(" in")
        self._side.setValue(prints.side_in)
        self._side.setToolTip("Side of the black square, as measured on the print")
        self._dictionary = QComboBox()
        self._dictionary.addItems([*_DICTIONARIES, *({prints.dictionary} - {*_DICTIONARIES})])
        self._dictionary.setCurrentText(prints.dictionary)
        self._dictionary.setToolTip("The ArUco dictionary; the program's own sheets are of 4X4_50")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        form = QFormLayout(self)
        form.addRow("Side of the black square:", self._side)
        form.addRow("Dictionary:", self._dictionary)
        form.addRow(buttons)

    @property
    def prints(self) -> Prints:
        """What was answered."""
        return Prints(self._side.value(), self._dictionary.currentText())


def ask_file(parent: QWidget) -> str:
    """An image or a video to open, or nothing."""
    images, videos = _files(IMAGE_SUFFIXES), _files(_VIDEO_SUFFIXES)
    kinds = f"Pictures and videos ({images} {videos});;All files (*)"
    return QFileDialog.getOpenFileName(parent, "Open a picture or a video", "", kinds)[0]


def ask_battle(parent: QWidget) -> Path | None:
    """A battle to go on with, or None."""
    found = QFileDialog.getOpenFileName(parent, "Open a battle", "", "Battles (*.battle);;All files (*)")[0]
    return Path(found) if found else None


def ask_folder(parent: QWidget) -> str:
    """A folder of pictures to open, or nothing."""
    return QFileDialog.getExistingDirectory(parent, "Open a folder of pictures")


def ask_where(parent: QWidget, title: str, name: str, kinds: str) -> Path | None:
    """Where to write a file, or None; a name without an ending gets that of the one suggested."""
    dialog = QFileDialog(parent, title, "", kinds)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(Path(name).suffix.removeprefix("."))
    dialog.selectFile(name)
    return Path(dialog.selectedFiles()[0]) if dialog.exec() == QDialog.DialogCode.Accepted else None
