"""Asks for files, and writes those that take a while in a thread, with a message when done and a way to cancel."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from PyQt6.QtCore import QObject, QTimer
from PyQt6.QtWidgets import QDialog, QFileDialog, QWidget

from rules.tabletop.errors import UserError
from ui.background_task import BackgroundTask
from ui.desktop.messages import MessageActions, Say
from ui.files import check_writable, write_bytes
from ui.translation import tr
from vision.pictures import IMAGE_SUFFIXES

_TICK_MS = 40
_PATIENCE_S = 0.5
"""A shorter save shows only its final message."""


class BackgroundSave(QObject):
    """Runs one save at a time.

    Attributes:
        step: Long work calls this now and then, as a `Step`; it ends the work if the save was cancelled.
    """

    def __init__(self, parent: QObject, say: Say) -> None:
        """`say` shows progress and the result to the player."""
        super().__init__(parent)
        self._say = say
        self._task: BackgroundTask[str] = BackgroundTask("sandtable save", tr("Cancelled. Nothing was saved."))
        self.step, self._is_running = self._task.step, False
        self._description, self._started_s = "", 0.0
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._pull)

    def send(self, path: Path, make: Callable[[], bytes], doing: str = "", done: str = "") -> None:
        """Start writing what `make` computes in a thread; while a save runs, a second one is refused with a message.

        `doing` and `done` are the messages while it runs and afterwards.
        """
        try:
            check_writable(path)
        except UserError as refusal:
            self._say(str(refusal))
            return
        if self._is_running:
            self._say(
                tr("{doing} is still running. Wait a moment, or cancel it.", doing=self._description), self._actions
            )
            return

        def work() -> str:
            data = make()
            self.step(1, 1)
            write_bytes(path, data)
            return done or tr("Saved {path}.", path=path)

        self._description = doing or tr("Saving {name}", name=path.name)
        self._started_s = time.monotonic()
        self._is_running = self._task.start(work)
        self._timer.start(_TICK_MS)

    def close(self) -> None:
        """Wait until the file is written."""
        self._timer.stop()
        self._task.join()

    @property
    def _actions(self) -> MessageActions:
        return ((tr("Cancel"), self._task.cancel),)

    def _pull(self) -> None:
        if not self._task.busy:
            self._timer.stop()
            self._is_running = False
            self._say(self._task.take() or self._task.refusal)
        elif self._task.is_cancelled:
            self._say(tr("Cancelling…"))
        elif time.monotonic() - self._started_s > _PATIENCE_S:
            self._say(f"{self._description}…", self._actions)


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
    """Move a dialog to the right edge of a window, as high as that: there it covers the least of the picture."""
    corner = window.mapToGlobal(window.rect().topRight())
    title_px = window.frameGeometry().height() - window.height()
    dialog.resize(dialog.width(), max(dialog.height(), window.height() - title_px))
    dialog.move(max(0, corner.x() - dialog.frameGeometry().width()), max(0, corner.y()))
