"""The dialog with the details for a bug report, and the heartbeat for the stall watchdog."""

from __future__ import annotations

from PyQt6.QtCore import QObject, Qt, QTimer
from PyQt6.QtGui import QFontDatabase, QGuiApplication
from PyQt6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QWidget

from ui.background_task import BackgroundTask
from ui.desktop.labels import wrapping_label
from ui.desktop.layouts import close_button, in_column
from ui.desktop.theme import TEXT_PX
from ui.diagnostics.bug_report import EventLog, bug_report
from ui.diagnostics.ui_watchdog import BEAT_S, StallWatchdog
from ui.translation import mark_for_translation, tr

_TICK_MS = 100
_SIZE = (760, 560)
_ABOUT = mark_for_translation(
    "Copy this into your report, and write what you did and what happened. It names your files, cameras and ports,"
    " but not their folders. Read it before you send it."
)


class DetailsDialog(QDialog):
    """Examines the machine in the background and shows the report."""

    def __init__(self, event_log: EventLog, parent: QWidget | None = None) -> None:
        """Start the examination."""
        super().__init__(parent)
        self.setWindowTitle(tr("Details for a bug report"))
        self.resize(*_SIZE)
        self._event_log = event_log
        self._examination: BackgroundTask[str] = BackgroundTask("sandtable details")
        self._text = QPlainTextEdit(tr("Checking this computer…"))
        self._text.setReadOnly(True)
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPixelSize(TEXT_PX)
        self._text.setFont(font)
        self._text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._text.setAccessibleName(tr("Details for a bug report"))
        about = wrapping_label(tr(_ABOUT))
        buttons = close_button(self)
        self.report = ""
        self.copy = buttons.addButton(tr("Copy"), QDialogButtonBox.ButtonRole.ActionRole)
        if self.copy is not None:
            self.copy.setEnabled(False)
            self.copy.setToolTip(tr("Copy the whole text"))
            self.copy.clicked.connect(self._copy)
        in_column(about, self._text, buttons, on=self)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._pull)
        self._timer.start(_TICK_MS)
        self._examination.start(event_log.examined)

    def _pull(self) -> None:
        if self._examination.busy:
            return
        self._timer.stop()
        self.report = bug_report(self._examination.take() or self._examination.refusal, self._event_log)
        self._text.setPlainText(self.report)
        if self.copy is not None:
            self.copy.setEnabled(True)

    def _copy(self) -> None:
        clipboard = QGuiApplication.clipboard()
        if clipboard is not None:
            clipboard.setText(self.report)

    def done(self, result: int) -> None:
        """Stop polling."""
        self._timer.stop()
        super().done(result)


class Heartbeat(QObject):
    """Beats while the event loop runs, also in dialogs."""

    def __init__(self, watch: StallWatchdog, parent: QObject) -> None:
        """Start watching the calling thread."""
        super().__init__(parent)
        self._watch = watch
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(watch.beat)
        self._timer.start(round(1000 * BEAT_S))
        watch.start()

    def stop(self) -> None:
        """Stop; the watchdog is stopped too, because what follows is not a stall."""
        self._timer.stop()
        self._watch.stop()
