"""Starts the window and ends it: application, last resort for errors, Ctrl+C."""

from __future__ import annotations

import platform
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType

from PyQt6.QtCore import QEvent, QObject, QSettings, Qt, QTimer, pyqtSignal
from PyQt6.QtWidgets import QApplication, QMessageBox

from ui.desktop.camera_lock import Claims, claims_folder
from ui.desktop.garbage import collected_here
from ui.desktop.heartbeat import Heartbeat
from ui.desktop.translation import speak, tr
from ui.desktop.window import Window
from ui.diagnostics.crashes import crash_file, crashes_kept, last_crash
from ui.diagnostics.event_log import Diary, log_file
from ui.diagnostics.ui_watchdog import StallWatch


def run(source: str | None = None, examined: Callable[[], str] = lambda: "") -> int:
    """Show the window until it is closed; the exit status. The caller has made sure that there is a display.

    Args:
        source: What to open; None opens what was open last, at first the simulated table.
        examined: What the doctor finds on this machine, for bug reports.
    """
    application = QApplication.instance() or QApplication(["sandtable"])
    assert isinstance(application, QApplication)  # noqa: S101 - the program makes no other
    application.setApplicationName("sandtable")
    application.setApplicationDisplayName("Sandtable")
    _spoken = speak(application)  # they speak as long as this name lives
    log = log_file()
    diary = Diary(log, examined=examined)
    report = LastResort(application, diary.failed)
    report.install()
    try:
        if crash := last_crash(crash_file(log)):
            diary.failed(f"The program crashed when it ran last:\n{crash}")
        with crashes_kept(crash_file(log)):
            return _show(application, source, diary)
    finally:
        report.remove()
        diary.close()


def _show(application: QApplication, source: str | None, diary: Diary) -> int:
    """Build the window and run the event loop; the exit status."""
    opener = Claims(claims_folder()).open
    window = Window(source, QSettings("sandtable", "sandtable"), opener, diary=diary)
    # The window's timer lets Python run often enough to notice.
    before = signal.signal(signal.SIGINT, lambda *_: QTimer.singleShot(0, window.close))
    window.show()
    heartbeat = Heartbeat(StallWatch(diary.stalled), window)
    if source is None:
        window.help.guide.begin_at_first()
    try:
        with collected_here():
            return application.exec()
    finally:
        heartbeat.stop()
        signal.signal(signal.SIGINT, before)
        # Here and now, rather than by Python in any order as the process ends.
        window.deleteLater()
        application.sendPostedEvents(None, QEvent.Type.DeferredDelete)


class LastResort(QObject):
    """Shows an unexpected error in a box whose text can be copied, and lets the program go on.

    Without it PyQt ends the program at the first exception that leaves a slot, and a thread dies unseen.

    Attributes:
        box: The box shown last.
    """

    _caught = pyqtSignal(str)

    def __init__(self, parent: QObject, keep: Callable[[str], object] = lambda _: None) -> None:
        """`keep` is given every report, from any thread."""
        super().__init__(parent)
        self._keep = keep
        self._before = sys.excepthook, threading.excepthook
        self.box: QMessageBox | None = None
        # Queued: the error may come from the middle of painting, where no box can be shown.
        self._caught.connect(self._show, Qt.ConnectionType.QueuedConnection)  # type: ignore[call-arg]  # PyQt's stub

    def install(self) -> None:
        """Catch what nothing else catches, in all threads."""
        self._before = sys.excepthook, threading.excepthook
        sys.excepthook = self.catch
        threading.excepthook = lambda args: self.catch(args.exc_type, args.exc_value, args.exc_traceback)

    def remove(self) -> None:
        """Leave errors to what caught them before, and delete the box."""
        sys.excepthook, threading.excepthook = self._before
        if self.box is not None:
            self.box.close()
            self.box.deleteLater()
            self.box = None

    def catch(self, kind: type[BaseException], error: BaseException | None, where: TracebackType | None) -> None:
        """Report an exception, from any thread."""
        report = "".join(traceback.format_exception(kind, error, where))
        # The traceback lives until the next error, and with it all variables: widgets, painters, pictures.
        traceback.clear_frames(where)
        with suppress(OSError, ValueError):  # a terminal that has been closed
            print(report, file=sys.stderr)
        self._keep(report)
        self._caught.emit(f"Python {platform.python_version()} on {platform.platform()}\n\n{report}")

    def _show(self, report: str) -> None:
        if self.box is not None and self.box.isVisible():
            return  # one is enough: what fails once in painting fails sixty times a second
        if self.box is not None:
            self.box.deleteLater()
        box = QMessageBox(QMessageBox.Icon.Warning, tr("Sandtable"), tr("Something went wrong that should not have."))
        box.setInformativeText(tr("The program goes on. If it happens again, send in the report below."))
        box.setDetailedText(report)
        box.setModal(False)
        box.show()
        self.box = box
