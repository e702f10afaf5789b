"""Reading pictures with OpenCV: the part of it that a test replaces, one size for all, and no messages of its own."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from calibration.opencv import cv2
from rules.tabletop.errors import user_error
from vision.frame import Frame

os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # our own message about a broken video says more

_STANDARD_ERROR = 2


class Capture(Protocol):
    """The part of `cv2.VideoCapture` that is used here, so that a test can replace a camera."""

    def isOpened(self) -> bool: ...
    def read(self) -> tuple[bool, Any]: ...
    def get(self, propId: int) -> float: ...
    def set(self, propId: int, value: float) -> bool: ...
    def release(self) -> None: ...


OpenCapture = Callable[[Any, int], Capture]
"""Opens a path or camera number with one of OpenCV's backends, like `cv2.VideoCapture`."""


def same_size(frame: Frame, size_px: tuple[int, int] | None, name: str) -> tuple[int, int]:
    """The frame's size; an error if earlier frames had another, since the calibration depends on it."""
    if size_px is not None and frame.size_px != size_px:
        raise user_error(
            "{name} is {size} pixels, the pictures before it {earlier}: use pictures of one size",
            name=name,
            size=size_text(frame.size_px),
            earlier=size_text(size_px),
        )
    return frame.size_px


def size_text(size_px: tuple[int, int]) -> str:
    """A size in words, such as "1920 x 1080"."""
    return f"{size_px[0]} x {size_px[1]}"


_stderr_lock = threading.Lock()


@contextmanager
def without_stderr() -> Iterator[None]:
    """Suppress what libpng, libjpeg and libtiff print about a broken file; our own message follows.

    They write to the standard error of the process, which is redirected meanwhile. The lock ensures that no other
    thread takes the redirected stream for the original one.
    """
    with _stderr_lock, without_opencv_log():
        try:
            kept = os.dup(_STANDARD_ERROR)
        except OSError:  # a program without a terminal may have no standard error
            yield
            return
        null_device = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null_device, _STANDARD_ERROR)
        os.close(null_device)
        try:
            yield
        finally:
            os.dup2(kept, _STANDARD_ERROR)
            os.close(kept)


@contextmanager
def without_opencv_log() -> Iterator[None]:
    """Suppress OpenCV's warnings about a device that does not open; our own message says more."""
    log = cv2.utils.logging
    before = log.setLogLevel(log.LOG_LEVEL_SILENT)
    try:
        yield
    finally:
        log.setLogLevel(before)
