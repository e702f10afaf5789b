"""Pictures in files, as a source of frames."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from calibration.opencv import MOST_PIXELS, cv2
from rules.tabletop.errors import UserError, user_error
from rules.tabletop.regular_file import open_regular
from rules.tabletop.translation import tr
from vision.capture import same_size, without_stderr
from vision.frame import Frame, ImageBgr

IMAGE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})

FOLDER_STEP_S = 1.0
"""Time between two pictures of a folder: the files do not say when they were taken."""

_MAX_FILE_BYTES = 200_000_000  # of one picture; a webcam's is a hundredth of that


def read_image(path: Path) -> ImageBgr:
    """Decode one picture as (height, width, 3) uint8.

    The orientation in the file is ignored: lens and pixels belong to the sensor.

    Raises:
        UserError: If the file cannot be read, is a pipe or a device, is too large, or contains no complete picture.
    """
    try:
        with open_regular(path, tr("the picture {path}", path=path)) as file:
            size = os.fstat(file.fileno()).st_size
            data = file.read(_MAX_FILE_BYTES + 1) if size <= _MAX_FILE_BYTES else b""
    except UserError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise user_error(
            "{path} cannot be read: {reason}", path=path, reason=getattr(error, "strerror", None) or error
        ) from error
    size = max(size, len(data))  # the file may have grown
    if size > _MAX_FILE_BYTES:
        raise user_error(
            "{path} is {megabytes:.0f} MB, too large for a picture of the table: save it smaller",
            path=path,
            megabytes=size / 1e6,
        )
    try:
        pixels = np.frombuffer(data, np.uint8)
        with without_stderr():
            image = cv2.imdecode(pixels, cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION) if data else None
    except cv2.error as error:
        if "CV_IO_MAX_IMAGE" in str(error):
            most = MOST_PIXELS // 1_000_000
            raise user_error(
                "{path} has too many pixels: save it smaller, with {most} million of them at most",
                path=path,
                most=most,
            ) from error
        image = None
    if image is None:
        raise user_error(
            "{path} is not a picture, or is broken: open it in a picture viewer, or save it again as PNG", path=path
        )
    return np.asarray(image, np.uint8)


def images_in(folder: Path) -> list[Path]:
    """The pictures of a folder, sorted by name.

    Raises:
        UserError: If there are none, or the folder cannot be read.
    """
    try:
        found = sorted(path for path in folder.iterdir() if path.suffix.lower() in IMAGE_SUFFIXES and path.is_file())
    except OSError as error:
        raise user_error(
            "the folder {folder} cannot be read: {reason}", folder=folder, reason=error.strerror
        ) from error
    if not found:
        raise user_error(
            "the folder {folder} holds no pictures: their names must end in {suffixes}",
            folder=folder,
            suffixes=", ".join(_suffixes()),
        )
    return found


def _suffixes() -> Sequence[str]:
    return sorted(IMAGE_SUFFIXES)


class ImageSequence:
    """One or more images, each read in its turn; after an error, `read` continues with the next one."""

    live = False
    step_s = FOLDER_STEP_S

    def __init__(self, paths: Sequence[Path], name: str, *, still: bool = False) -> None:
        self.name = name
        self.still = still
        self.pictures = tuple(path.name for path in paths)
        self.duration_s: float | None = (len(paths) - 1) * FOLDER_STEP_S
        self._paths = tuple(paths)
        self._next = 0
        self._size_px: tuple[int, int] | None = None

    def read(self) -> Frame | None:
        """The next picture, or None after the last."""
        if self._next >= len(self._paths):
            return None
        path, index = self._paths[self._next], self._next
        self._next += 1
        frame = Frame(read_image(path), index, index * FOLDER_STEP_S)
        self._size_px = same_size(frame, self._size_px, str(path))
        return frame

    def frame_at(self, time_s: float) -> Frame | None:
        """The first frame at or after this time, None behind the last; raises as `read`."""
        self._next = max(0, math.ceil(time_s / FOLDER_STEP_S))
        return self.read()

    def frame_before(self, time_s: float) -> Frame | None:
        """The last frame before this time, None before the first; raises as `read`."""
        index = min(math.ceil(time_s / FOLDER_STEP_S), len(self._paths)) - 1
        return self.frame_at(index * FOLDER_STEP_S) if index >= 0 else None

    def close(self) -> None:
        """Skip the remaining pictures."""
        self._next = len(self._paths)
