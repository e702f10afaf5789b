"""Opens sources in the background; a camera is opened only if no other Sandtable has it. No network port is involved.

Qt's lock stores the process that holds it, so a killed process leaves no lock that must be removed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_state_path
from PyQt6.QtCore import QLockFile, QSettings

from calibration.opencv import cv2
from rules.tabletop.errors import user_error
from ui.background_task import BackgroundTask
from ui.desktop.settings import Settings
from vision.capture import Capture, OpenCapture
from vision.source import Recording, Source, open_source


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


def locks_folder() -> Path:
    """Folder of this user's locks; it may not exist yet."""
    return user_state_path("sandtable", appauthor=False)


class CameraLocks:
    """Opens cameras that no other Sandtable of this user has open."""

    def __init__(self, folder: Path, open_capture: OpenCapture = cv2.VideoCapture) -> None:
        """Locks are kept in `folder`; `open_capture` opens a free camera."""
        self._folder, self._open_capture = folder, open_capture

    def open(self, spec: str) -> Source:
        """Open a source like `vision.source.open_source`; raises `UserError` if another Sandtable has it."""
        return open_source(spec, open_capture=self.capture)

    def capture(self, what: Any, backend: int) -> Capture:
        """Open a file, or a camera that is free. Raises `UserError` if another Sandtable has it."""
        if not isinstance(what, int):
            return self._open_capture(what, backend)
        lock = self._locked(what)
        capture = self._open_capture(what, backend)
        return capture if lock is None else _LockedCapture(capture, lock.unlock)

    def _locked(self, number: int) -> QLockFile | None:
        """The camera's lock; None if locking is impossible or this process already has the camera."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            return None
        lock = QLockFile(str(self._folder / f"camera-{number}.lock"))
        lock.setStaleLockTime(0)  # a lock is stale only when its process is gone, however long the evening
        if lock.tryLock(0):
            return lock
        _, holder, _, _ = lock.getLockInfo()
        if lock.error() is not QLockFile.LockError.LockFailedError or holder == os.getpid():
            return None
        raise user_error(
            "camera {number} is in use by another Sandtable window: close that window and this one"
            " continues by itself, or open another source",
            number=number,
        )


class _LockedCapture:
    """A capture that unlocks its camera when it is released."""

    def __init__(self, capture: Capture, release_lock: Callable[[], object]) -> None:
        self._capture, self._release_lock = capture, release_lock

    def isOpened(self) -> bool:
        return self._capture.isOpened()

    def read(self) -> tuple[bool, Any]:
        return self._capture.read()

    def get(self, propId: int) -> float:
        return self._capture.get(propId)

    def set(self, propId: int, value: float) -> bool:
        return self._capture.set(propId, value)

    def release(self) -> None:
        self._capture.release()
        self._release_lock()
