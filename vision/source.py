"""Sources of frames: image, folder, video, webcam, and the simulated table (`vision.simulation`)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, runtime_checkable

from calibration.opencv import cv2
from rules.tabletop.errors import user_error
from rules.tabletop.regular_file import is_special
from vision.capture import OpenCapture
from vision.frame import Frame
from vision.pictures import IMAGE_SUFFIXES, ImageSequence, images_in
from vision.simulation.practice_table import practice_table
from vision.video import Video
from vision.webcam import Webcam

_MAX_DIGITS = 6  # of a camera's number; OpenCV adds that of a backend to it in 32 bits


class Source(Protocol):
    """Frames in order of time.

    Attributes:
        name: Name to show, such as "camera 0" or "table.jpg".
        live: True if frames pass whether or not they are read (a camera), False if each waits to be read.
        still: True for a single picture.
    """

    name: str
    live: bool
    still: bool

    def read(self) -> Frame | None:
        """Next frame, or None after the last.

        Raises:
            UserError: If the source cannot deliver (unplugged, broken file).
        """
        ...

    def close(self) -> None:
        """Release the device; a second call does nothing. Call it from the thread that reads."""
        ...


@runtime_checkable
class Recording(Source, Protocol):
    """A source that can go to any of its frames. After each jump, `read` continues behind the frame that it returned.

    Attributes:
        pictures: The names of a folder's pictures, in order; empty for a video.
        step_s: Time between two frames; of a video, on average.
        duration_s: Time of the last frame; None if unknown.
    """

    pictures: tuple[str, ...]
    step_s: float
    duration_s: float | None

    def frame_at(self, time_s: float) -> Frame | None:
        """The first frame at or after this time, None behind the last; raises as `read`."""
        ...

    def frame_before(self, time_s: float) -> Frame | None:
        """The last frame before this time, None before the first; raises as `read`."""
        ...


def is_camera(spec: str) -> bool:
    """Whether this is the number of a camera; an existing file or folder of that name takes precedence."""
    return spec.isdecimal() and len(spec) <= _MAX_DIGITS and not os.path.exists(spec)


def open_source(
    spec: str, clock: Callable[[], float] = time.monotonic, open_capture: OpenCapture = cv2.VideoCapture
) -> Source:
    """Open a source by its name.

    Args:
        spec: "demo", a camera's number, or the path of an image, a video or a folder of images.
        clock: Seconds, from any start.
        open_capture: `cv2.VideoCapture` or a replacement.

    Raises:
        UserError: If there is no such source, or it cannot be opened.
    """
    if spec == "demo":
        return practice_table(clock)
    if not spec:
        raise user_error("no source is named: choose a picture, a video, a folder or a camera")
    path = Path(spec)
    if is_camera(spec):
        return Webcam(int(spec), clock, open_capture)
    if os.path.isdir(path):  # False if the system denies access, where Path.is_dir raises
        return ImageSequence(images_in(path), path.name or str(path))
    if not os.path.exists(path):
        raise user_error("there is no {spec!r}: choose another picture, video, folder or camera", spec=spec)
    if is_special(path):
        raise user_error("{path} is not a file: choose another picture, video, folder or camera", path=path)
    if path.suffix.lower() in IMAGE_SUFFIXES:
        return ImageSequence([path], path.name, still=True)
    return Video(path, open_capture)
