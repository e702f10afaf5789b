"""Opens the simulated table while the rest of the program is imported: both take about a second."""

from __future__ import annotations

from PyQt6.QtCore import QSettings

from ui.background_task import BackgroundTask
from ui.desktop.settings import Settings
from vision.source import Source, open_source


def stored_settings() -> QSettings:
    """The user's settings."""
    return QSettings("sandtable", "sandtable")


class EarlySource:
    """The first source of the window, if it is the simulated table; others open quickly, or have to be locked."""

    def __init__(self, spec: str | None) -> None:
        """Begin to open a source; None stands for the last one."""
        self._spec = Settings(stored_settings()).source if spec is None else spec
        self._task: BackgroundTask[Source] = BackgroundTask("sandtable early source")
        if self._spec == "demo":
            self._task.start(lambda: open_source("demo"))

    def take(self, spec: str) -> Source | None:
        """The opened source, once; waits for it. None if another one was opened, or none."""
        if spec != self._spec:
            return None
        self._task.join()
        return self._task.take()
