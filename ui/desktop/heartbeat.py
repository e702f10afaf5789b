"""Lets the window's own event loop beat for whoever watches it."""

from __future__ import annotations

from PyQt6.QtCore import QObject, Qt, QTimer

from ui.diagnostics.ui_watchdog import BEAT_S, StallWatch


class Heartbeat(QObject):
    """Beats as long as the event loop turns, in dialogs too."""

    def __init__(self, watch: StallWatch, parent: QObject) -> None:
        """Start to watch the thread that calls."""
        super().__init__(parent)
        self._watch = watch
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(watch.beat)
        self._timer.start(round(1000 * BEAT_S))
        watch.start()

    def stop(self) -> None:
        """Beat no more; the watch is told first, for what follows is no stall."""
        self._timer.stop()
        self._watch.stop()
