"""Lock files that keep two Sandtables from opening the same camera. No network port is involved.

Qt's lock stores the process that holds it, so a killed process leaves no lock that must be removed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from platformdirs import user_state_path
from PyQt6.QtCore import QLockFile

from calibration.opencv import cv2
from rules.tabletop.errors import UserError
from ui.translation import tr
from vision.source import Capture, OpenCapture, Source, open_source


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
        raise UserError(
            tr(
                "camera {number} is in use by another Sandtable window: close that window and this one"
                " continues by itself, or open another source",
                number=number,
            )
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
