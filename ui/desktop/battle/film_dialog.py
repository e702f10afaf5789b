"""The dialog that films a battle: format, speed, progress."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QProgressBar, QPushButton, QWidget

from rules.battle.battle import Battle
from rules.battle.progress import Cancelled
from rules.tabletop.errors import UserError
from ui.background_task import BackgroundTask
from ui.battle.film import FORMATS, SPEEDS, format_of
from ui.battle.history import report_of
from ui.battle.thumbnail_store import ThumbnailStore
from ui.desktop.battle.film_painter import save_film
from ui.desktop.messages import Say
from ui.desktop.saving import ask_where
from ui.desktop.widgets import button_with_tip, wrapping_label
from ui.formatting import capitalized
from ui.translation import mark_all_for_translation, tr

_TICK_MS = 40
_FORMATS = mark_all_for_translation(
    "MP4, for video programs and sites", "WebP, for web pages", "GIF, for everything else"
)
_SPEEDS = mark_all_for_translation("Slow", "Normal", "Fast")


class FilmDialog(QDialog):
    """Films one battle; while it does, the dialog shows the progress and can only cancel."""

    def __init__(self, battle: Battle, pictures: ThumbnailStore | None, say: Say, parent: QWidget) -> None:
        """`say` shows the result to the player."""
        super().__init__(parent)
        self.setWindowTitle(tr("Battle film"))
        self._battle, self._pictures, self._say = battle, pictures, say
        self._task: BackgroundTask[str] = BackgroundTask("sandtable film")
        self._done, self._total, self._cancelled = 0, 1, False
        self.format, self.speed, self.bar = QComboBox(), QComboBox(), QProgressBar()
        self.save, self.cancel = button_with_tip(tr("Save…"), "", self._ask), QPushButton(tr("Cancel"))
        self.note = wrapping_label()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._pull)
        self._lay_out()

    def film(self, path: Path) -> None:
        """Start to write the film."""
        speed = SPEEDS[self.speed.currentIndex()]

        def work() -> str:
            save_film(path, report_of(self._battle), self._pictures, speed, self._step)
            return tr("Saved {path}.", path=path)

        try:
            format_of(path)
        except UserError as refusal:
            self.note.setText(capitalized(str(refusal)))
            self.note.setMinimumHeight(self.note.heightForWidth(self.note.width()))
            return
        self.note.clear()
        for widget in (self.format, self.speed, self.save):
            widget.setEnabled(False)
        self.bar.setVisible(True)
        self._task.start(work)
        self._timer.start(_TICK_MS)

    def stop(self) -> None:
        """Cancel, and wait until nothing is written any more."""
        self._cancelled = True
        self._timer.stop()
        self._task.join()

    def reject(self) -> None:
        """Cancel the film, or close the dialog if there is none."""
        if self._task.busy:
            self._cancelled = True
            self.note.setText(tr("Cancelling…"))
        else:
            super().reject()

    def _step(self, done: int, total: int) -> None:
        self._done, self._total = done, total
        if self._cancelled:
            raise Cancelled(tr("Cancelled. Nothing was saved."))

    def _pull(self) -> None:
        self.bar.setRange(0, self._total if self._done < self._total else 0)  # busy while the pictures are encoded
        self.bar.setValue(self._done)
        if not self._task.busy:
            self._timer.stop()
            self._say(self._task.take() or capitalized(self._task.refusal))
            super().accept()

    def _ask(self) -> None:
        suffix = FORMATS[self.format.currentIndex()].suffix
        kinds = tr("Films ({endings})", endings=f"*{suffix}")
        path = ask_where(self, tr("Save film"), f"{self._battle.path.stem}{suffix}", kinds)
        if path is not None:
            self.film(path)

    def _lay_out(self) -> None:
        self.format.addItems([tr(words) for words in _FORMATS])
        self.speed.addItems([tr(words) for words in _SPEEDS])
        self.speed.setCurrentIndex(SPEEDS.index(1.0))
        self.format.setToolTip(tr("MP4 films may be long; the others are small, and show long battles without motion"))
        self.speed.setToolTip(tr("Normal shows an action for one and a half to three seconds"))
        self.bar.setVisible(False)
        self.bar.setAccessibleName(tr("Progress"))
        buttons = QDialogButtonBox()
        buttons.addButton(self.save, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.addButton(self.cancel, QDialogButtonBox.ButtonRole.RejectRole)
        buttons.rejected.connect(self.reject)
        form = QFormLayout(self)
        form.addRow(tr("Format:"), self.format)
        form.addRow(tr("Speed:"), self.speed)
        form.addRow(self.bar)
        form.addRow(self.note)
        form.addRow(buttons)
        self.resize(420, self.sizeHint().height())
