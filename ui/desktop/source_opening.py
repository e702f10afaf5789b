"""Opens another source in the background, so that one that cannot be opened changes nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from ui.background_task import BackgroundTask
from vision.source import Recording, Source


@dataclass(frozen=True)
class OpenedSource:
    """A source that was opened: a camera stays open, a file that can be read was closed again."""

    spec: str
    camera: Source | None


class SourceOpening:
    """Opens one source at a time; the newest request replaces those before."""

    def __init__(self, opener: Callable[[str], Source]) -> None:
        """`opener` opens a source; it is called in a thread."""
        self._opener = opener
        self._task: BackgroundTask[OpenedSource] = BackgroundTask("sandtable opening")
        self._started = self._wanted = ""
        self._closed = threading.Event()

    def start(self, spec: str) -> None:
        """Begin to open a source."""
        self._wanted = spec
        self._go_on()

    def take(self) -> OpenedSource | str | None:
        """The opened source, or why it cannot be opened; None while none is being opened."""
        if not self._started or self._task.busy:
            return None
        opened, is_wanted = self._task.take(), self._started == self._wanted
        self._started = ""
        if is_wanted:
            self._wanted = ""
            return opened or self._task.refusal
        _close(opened)
        self._go_on()
        return None

    def cancel(self) -> None:
        """Open none; what is being opened will be closed."""
        self._wanted = ""

    def close(self) -> None:
        """Close what was opened; what is being opened closes itself."""
        self._closed.set()
        _close(self._task.take())

    def join(self) -> None:
        """Wait for what is being opened, and close it."""
        self._task.join()
        _close(self._task.take())

    def _go_on(self) -> None:
        spec = self._wanted
        if spec and not self._started and self._task.start(lambda: self._open(spec)):
            self._started = spec

    def _open(self, spec: str) -> OpenedSource:
        source = self._opener(spec)
        if source.live and not self._closed.is_set():
            return OpenedSource(spec, source)
        try:
            is_folder = isinstance(source, Recording) and len(source.pictures) > 1
            if not source.live and not is_folder:  # a broken picture of a folder can be skipped
                source.read()
        finally:
            source.close()
        return OpenedSource(spec, None)


def handing_over(opened: OpenedSource, opener: Callable[[str], Source]) -> Callable[[str], Source]:
    """An opener that first returns the camera that is open already."""
    waiting = [] if opened.camera is None else [opened.camera]
    return lambda spec: waiting.pop() if waiting else opener(spec)


def _close(opened: OpenedSource | None) -> None:
    if opened is not None and opened.camera is not None:
        opened.camera.close()
