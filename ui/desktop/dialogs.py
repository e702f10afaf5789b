"""The dialogs that ask for a file or a folder, and the place of a dialog beside the picture."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PyQt6.QtWidgets import QDialog, QFileDialog, QWidget

from ui.translation import tr
from vision.source import IMAGE_SUFFIXES

_VIDEO_SUFFIXES = (".mp4", ".avi", ".mkv", ".mov", ".webm")


def endings(suffixes: Iterable[str]) -> str:
    """The endings of files as a file dialog wants them, in both cases."""
    return " ".join(f"*{suffix} *{suffix.upper()}" for suffix in sorted(suffixes))


def ask_file(parent: QWidget, title: str, kinds: str, folder: Path | None = None) -> Path | None:
    """Ask for a file to open, first in this folder; None if cancelled."""
    found = QFileDialog.getOpenFileName(parent, title, str(folder or ""), kinds)[0]
    return Path(found) if found else None


def ask_picture(parent: QWidget) -> Path | None:
    """Ask for an image or video to open; None if cancelled."""
    images, videos = endings(IMAGE_SUFFIXES), endings(_VIDEO_SUFFIXES)
    kinds = tr("Pictures and videos ({images} {videos});;All files (*)", images=images, videos=videos)
    return ask_file(parent, tr("Open a picture or a video"), kinds)


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
