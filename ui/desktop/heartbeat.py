"""Reports to the stall watchdog that the window's event loop is running."""

from __future__ import annotations

from PyQt6.QtCore import QObject, Qt, QTimer

from ui.diagnostics.ui_watchdog import BEAT_S, StallWatchdog


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
