"""One camera, one Sandtable: a lock file for each camera that is open. Nothing listens anywhere.

Qt's lock knows the process that holds it, so one that was killed leaves nothing that anybody must remove.
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
from ui.desktop.translation import tr
from vision.source import Capture, OpenCapture, Source, open_source


def claims_folder() -> Path:
    """Where this user's locks are kept; it need not exist yet."""
    return user_state_path("sandtable", appauthor=False)


class Claims:
    """The cameras that this process may open, because no other Sandtable of this user has them."""

    def __init__(self, folder: Path, open_capture: OpenCapture = cv2.VideoCapture) -> None:
        """Locks are in `folder`; `open_capture` opens what is free."""
        self._folder, self._open_capture = folder, open_capture

    def open(self, spec: str) -> Source:
        """Open a source, see `vision.source.open_source`; raises besides where another Sandtable has the camera."""
        return open_source(spec, open_capture=self.capture)

    def capture(self, what: Any, backend: int) -> Capture:
        """Open a file, or a camera that nobody else has.

        Raises:
            UserError: if another Sandtable has it.
        """
        if not isinstance(what, int):
            return self._open_capture(what, backend)
        lock = self._locked(what)
        capture = self._open_capture(what, backend)
        return capture if lock is None else _Claimed(capture, lock.unlock)

    def _locked(self, number: int) -> QLockFile | None:
        """The camera's lock; None where there can be none, and where this very process has the camera already."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            return None
        lock = QLockFile(str(self._folder / f"camera-{number}.lock"))
        lock.setStaleLockTime(0)  # an evening is long: a lock is stale when its process is gone, and not before
        if lock.tryLock(0):
            return lock
        _, holder, _, _ = lock.getLockInfo()
        if lock.error() is not QLockFile.LockError.LockFailedError or holder == os.getpid():
            return None
        raise UserError(
            tr(
                "camera {number} is in use by another window of Sandtable: close that one and this one"
                " goes on by itself, or open another source",
                number=number,
            )
        )


class _Claimed:
    """A capture that gives its camera back when it is released."""

    def __init__(self, capture: Capture, give_back: Callable[[], object]) -> None:
        self._capture, self._give_back = capture, give_back

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        return self._capture.isOpened()

    def read(self) -> tuple[bool, Any]:
        return self._capture.read()

    def get(self, propId: int) -> float:  # noqa: N803
        return self._capture.get(propId)

    def set(self, propId: int, value: float) -> bool:  # noqa: N803
        return self._capture.set(propId, value)

    def release(self) -> None:
        self._capture.release()
        self._give_back()
