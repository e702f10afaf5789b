"""Starts and ends the window: application, last handler for exceptions, garbage, heartbeat, Ctrl+C."""

from __future__ import annotations

import gc
import platform
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from types import TracebackType

from PyQt6.QtCore import QEvent, QObject, QSettings, Qt, QTimer, pyqtSignal
from PyQt6.QtWidgets import QApplication, QMessageBox

from ui.background_task import BackgroundTask
from ui.battle.battle_folder import is_battle
from ui.battle.battle_setup import load_games
from ui.desktop.appearance import chosen_locale, create_application, install_language, start_again
from ui.desktop.settings import Settings
from ui.desktop.source_opening import CameraLocks, EarlySource, locks_folder, stored_settings
from ui.desktop.theme import apply_theme
from ui.desktop.window import Window
from ui.diagnostics import BEAT_S, EventLog, StallWatchdog, crash_file, crashes_kept, last_crash, log_file
from ui.translation import tr
from vision.source import Source

_LOAD_GAMES_MS = 1500
"""When the games are loaded: after the first picture, and before a player can open the setup of a battle."""


def run(source: str | None = None, examined: Callable[[], str] = lambda: "", early: EarlySource | None = None) -> int:
    """Show the window until it is closed, and return the exit status. The caller checks that a display exists.

    Without a source the last one is opened; `source` may also be a saved battle, which is continued on the last one.
    `early` is the source if it is already being opened. `examined` returns the output of `sandtable doctor` for bug
    reports.
    """
    application = create_application(stored_settings)
    settings = stored_settings()
    application.setApplicationName("sandtable")
    application.setApplicationDisplayName("Sandtable")
    # Qt uses its translator only while it is referenced.
    _of_qt = install_language(application, chosen_locale(Settings(settings)))
    log = log_file()
    event_log = EventLog(log, examined=examined)
    report = ErrorReporter(application, event_log.failed)
    report.install()
    try:
        if crash := last_crash(crash_file(log)):
            event_log.failed(f"The program crashed last time:\n{crash}")
        with crashes_kept(crash_file(log)):
            return _show(application, source, settings, event_log, early)
    finally:
        report.remove()
        event_log.close()
        start_again()


def _show(
    application: QApplication, source: str | None, settings: QSettings, event_log: EventLog, early: EarlySource | None
) -> int:
    locks = CameraLocks(locks_folder())

    def opener(spec: str) -> Source:
        return (early and early.take(spec)) or locks.open(spec)

    apply_theme(application, Settings(settings).theme)
    battle = Path(source) if source is not None and is_battle(Path(source)) else None
    window = Window(source if battle is None else None, settings, opener, event_log=event_log)
    # The window's timer lets Python run often enough to handle the signal.
    before = signal.signal(signal.SIGINT, lambda *_: QTimer.singleShot(0, window.close))
    if Settings(settings).geometry is None:  # the first start: the table as large as it can be
        window.showMaximized()
    else:
        window.show()
    games: BackgroundTask[None] = BackgroundTask("sandtable games")
    soon = QTimer(window)
    soon.setSingleShot(True)
    soon.timeout.connect(lambda: games.start(load_games))
    soon.start(_LOAD_GAMES_MS)
    try:
        with watched_for_stalls(StallWatchdog(event_log.stalled), window):
            if battle is not None:
                window.commands.open_path(battle)
            elif source is None:
                window.help.guide.begin_on_first_start()
            with collected_here():
                return application.exec()
    finally:
        signal.signal(signal.SIGINT, before)
        window.store.join()  # the window has gone; a camera that is being opened may take seconds
        # Destroyed here, not by Python in any order when the process ends.
        window.deleteLater()
        application.sendPostedEvents(None, QEvent.Type.DeferredDelete)


class ErrorReporter(QObject):
    """Shows unexpected errors in a box whose text can be copied, and lets the program continue.

    Without it PyQt ends the program at the first exception that leaves a slot, and a thread dies silently.
    """

    _caught = pyqtSignal(str)

    def __init__(self, parent: QObject, keep: Callable[[str], object] = lambda _: None) -> None:
        """`keep` receives every report, from any thread."""
        super().__init__(parent)
        self._keep = keep
        self._before = sys.excepthook, threading.excepthook
        self.box: QMessageBox | None = None
        # Queued: the error may come from the middle of painting, where no box can be shown.
        self._caught.connect(self._show, Qt.ConnectionType.QueuedConnection)  # type: ignore[call-arg]  # PyQt's stub

    def install(self) -> None:
        """Handle all uncaught exceptions, in all threads."""
        self._before = sys.excepthook, threading.excepthook
        sys.excepthook = self.catch
        threading.excepthook = lambda args: self.catch(args.exc_type, args.exc_value, args.exc_traceback)

    def remove(self) -> None:
        """Restore the previous handlers and delete the box."""
        sys.excepthook, threading.excepthook = self._before
        if self.box is not None:
            self.box.close()
            self.box.deleteLater()
            self.box = None

    def catch(self, kind: type[BaseException], error: BaseException | None, where: TracebackType | None) -> None:
        """Report an exception, from any thread."""
        report = "".join(traceback.format_exception(kind, error, where))
        # The traceback lives until the next error, and would keep all variables alive: widgets, painters, pictures.
        traceback.clear_frames(where)
        with suppress(OSError, ValueError):  # the terminal may be closed
            print(report, file=sys.stderr)
        self._keep(report)
        self._caught.emit(f"Python {platform.python_version()} on {platform.platform()}\n\n{report}")

    def _show(self, report: str) -> None:
        if self.box is not None and self.box.isVisible():
            return  # one is enough: an error in painting repeats sixty times a second
        if self.box is not None:
            self.box.deleteLater()
        box = QMessageBox(QMessageBox.Icon.Warning, tr("Sandtable"), tr("Unexpected error."))
        box.setInformativeText(tr("You can go on playing. If it happens again, please send us the report below."))
        box.setDetailedText(report)
        box.setModal(False)
        box.show()
        self.box = box


EVERY_MS = 1000
_YOUNG, _ALL = 1, 2
_ALL_EVERY = 60
"""Nearly all garbage is young. Old garbage is collected once a minute: that takes longer the longer a battle lasts."""


@contextmanager
def collected_here() -> Iterator[None]:
    """Collect garbage only in the calling thread, once a second while its event loop runs, until the block ends.

    Python collects in whichever thread reaches the limit, and the thread that processes pictures reaches it often. Qt
    objects that are destroyed there can crash the program, since PyQt walks its table of connections without a lock.
    Existing objects are frozen first: the program is loaded by then, and a collection examines only later ones.
    """
    was_on, was_frozen = gc.isenabled(), gc.get_freeze_count() > 0
    gc.collect()
    gc.freeze()
    gc.disable()
    timer, turns = QTimer(), count(1)
    timer.timeout.connect(lambda: gc.collect(_YOUNG if next(turns) % _ALL_EVERY else _ALL))
    timer.start(EVERY_MS)
    try:
        yield
    finally:
        timer.stop()
        if not was_frozen:  # objects frozen by the caller stay frozen
            gc.unfreeze()
        if was_on:
            gc.enable()


@contextmanager
def watched_for_stalls(watch: StallWatchdog, parent: QObject) -> Iterator[None]:
    """Let the watchdog hear a beat whenever the calling thread's event loop runs, also in dialogs, in this block."""
    timer = QTimer(parent)
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(watch.beat)
    timer.start(round(1000 * BEAT_S))
    watch.start()
    try:
        yield
    finally:
        timer.stop()
        watch.stop()
