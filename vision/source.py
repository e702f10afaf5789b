"""Sources of frames: image, folder, video, webcam, and the simulated table (`vision.simulation`)."""

from __future__ import annotations

import math
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from calibration.opencv import MOST_PIXELS, cv2
from rules.tabletop.errors import UserError, user_error
from rules.tabletop.regular_file import is_special, open_regular
from rules.tabletop.translation import tr
from vision.frame import Frame, ImageBgr
from vision.simulation.practice_table import practice_table

os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # our own message about a broken video says more

IMAGE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})

FOLDER_STEP_S = 1.0
"""Time between two pictures of a folder: the files do not say when they were taken."""

_MAX_FILE_BYTES = 200_000_000  # of one picture; a webcam's is a hundredth of that
_STANDARD_ERROR = 2
_MAX_DURATION_S = 1e6  # of a video; broken headers claim more
_SAME_TIME_S = 1e-4  # between the times of one frame, computed in two ways
_START_S = 0.5  # a frame later than this is not the first one
_MAX_DIGITS = 6  # of a camera's number; OpenCV adds that of a backend to it in 32 bits
_WANTED = {
    cv2.CAP_PROP_FOURCC: cv2.VideoWriter.fourcc(*"MJPG"),  # USB 2 is too slow for raw pictures of this size
    cv2.CAP_PROP_FRAME_WIDTH: 1920,
    cv2.CAP_PROP_FRAME_HEIGHT: 1080,
    cv2.CAP_PROP_FPS: 30,
    cv2.CAP_PROP_BUFFERSIZE: 1,
}
_SETTLE_S = 1.0  # time for exposure and white balance to settle before they are locked
_AUTO, _MANUAL = 3.0, 1.0  # V4L2's aperture priority and manual exposure
SETTLING = "exposure, white balance and focus automatic until they settle"
"""Value of `Webcam.held` before anything is locked."""

_BRIGHTNESS_KEPT = 0.3  # largest relative change of brightness that locking the exposure may cause


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


class Capture(Protocol):
    """The part of `cv2.VideoCapture` that is used here, so that a test can replace a camera."""

    def isOpened(self) -> bool: ...
    def read(self) -> tuple[bool, Any]: ...
    def get(self, propId: int) -> float: ...
    def set(self, propId: int, value: float) -> bool: ...
    def release(self) -> None: ...


OpenCapture = Callable[[Any, int], Capture]
"""Opens a path or camera number with one of OpenCV's backends, like `cv2.VideoCapture`."""


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
        with _without_stderr():
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


def _same_size(frame: Frame, size_px: tuple[int, int] | None, name: str) -> tuple[int, int]:
    """The frame's size; an error if earlier frames had another, since the calibration depends on it."""
    if size_px is not None and frame.size_px != size_px:
        raise user_error(
            "{name} is {size} pixels, the pictures before it {earlier}: use pictures of one size",
            name=name,
            size=_size_text(frame.size_px),
            earlier=_size_text(size_px),
        )
    return frame.size_px


def _size_text(size_px: tuple[int, int]) -> str:
    return f"{size_px[0]} x {size_px[1]}"


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
        self._size_px = _same_size(frame, self._size_px, str(path))
        return frame

    def frame_at(self, time_s: float) -> Frame | None:
        self._next = max(0, math.ceil(time_s / FOLDER_STEP_S))
        return self.read()

    def frame_before(self, time_s: float) -> Frame | None:
        index = min(math.ceil(time_s / FOLDER_STEP_S), len(self._paths)) - 1
        return self.frame_at(index * FOLDER_STEP_S) if index >= 0 else None

    def close(self) -> None:
        """Skip the remaining pictures."""
        self._next = len(self._paths)


class Video:
    """A recorded video, frame by frame. Times are those in the file, so that frames may last differently long."""

    live = False
    still = False
    pictures: tuple[str, ...] = ()

    def __init__(self, path: Path, open_capture: OpenCapture = cv2.VideoCapture) -> None:
        """Open the file.

        Raises:
            UserError: If OpenCV cannot play it.
        """
        self.name = path.name
        self._path, self._open_capture = path, open_capture
        self._capture = self._opened()
        rate, count = self._capture.get(cv2.CAP_PROP_FPS), self._capture.get(cv2.CAP_PROP_FRAME_COUNT)
        self.step_s = 1 / rate if rate > 0 else 1 / 30
        length_s = (count - 1) * self.step_s
        self.duration_s = length_s if 0 < length_s < _MAX_DURATION_S else None
        self._first_s: float | None = None
        self._has_times = False
        self._last_s = -self.step_s
        self._ahead: Frame | None = None
        self._size_px: tuple[int, int] | None = None

    def _opened(self) -> Capture:
        with _without_opencv_log():
            capture = self._open_capture(str(self._path), cv2.CAP_FFMPEG)
        if not capture.isOpened():
            capture.release()
            raise user_error(
                "{path} is neither a picture nor a video that can be played: convert it to MP4 (H.264)",
                path=self._path,
            )
        return capture

    def read(self) -> Frame | None:
        """The next frame, or None after the last."""
        if self._ahead is not None:
            frame, self._ahead = self._ahead, None
            return frame
        got, image = self._capture.read()
        if not got:
            if self._size_px is None:
                raise user_error(
                    "the video {name} holds no picture that can be read: convert it to MP4 (H.264)", name=self.name
                )
            return None
        self._last_s = self._time_s()
        index = round(self._last_s / self.step_s)
        frame = Frame(image, index, self._last_s)
        self._size_px = _same_size(frame, self._size_px, tr("frame {index} of {name}", index=index, name=self.name))
        return frame

    def _time_s(self) -> float:
        """Time of the frame that was read last; files without usable times count frames."""
        stored_s = self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
        self._first_s = stored_s if self._first_s is None else self._first_s
        time_s = stored_s - self._first_s
        self._has_times |= time_s > 0
        return time_s if time_s > self._last_s else self._last_s + self.step_s

    def frame_at(self, time_s: float) -> Frame | None:
        wanted_s = time_s - self.step_s / 2  # a slider does not hit the time exactly
        frame = self._read_from(wanted_s)
        while frame is not None and frame.time_s < wanted_s:
            frame = self.read()
        return frame

    def frame_before(self, time_s: float) -> Frame | None:
        limit_s = time_s - _SAME_TIME_S
        before, frame = None, self._read_from(limit_s)
        while frame is not None and frame.time_s < limit_s:
            before, frame = frame, self.read()
        self._ahead = frame
        return before

    def _read_from(self, limit_s: float) -> Frame | None:
        """A frame before the limit, usually the last, from which reading reaches the limit; else the first one."""
        back_s = self.step_s
        while True:
            start_s = limit_s - back_s
            frame = self._jump(max(0.0, start_s))
            if start_s <= 0 or (frame is not None and frame.time_s < limit_s):
                return frame
            back_s *= 4

    def _jump(self, time_s: float) -> Frame | None:
        """The frame that FFmpeg finds for a time: another one if frames last differently long, none at a false end."""
        index = math.floor(time_s / self.step_s + _SAME_TIME_S)
        self._ahead, self._last_s = None, -math.inf if self._has_times else (index - 1) * self.step_s
        if not self._capture.set(cv2.CAP_PROP_POS_FRAMES, index):
            return self._reopened()
        frame = self.read()
        if index == 0 and (frame is None or frame.time_s > _START_S):  # a file without an index cannot go back
            return self._reopened()
        return frame

    def _reopened(self) -> Frame | None:
        """The first frame, read again from the file."""
        self._capture.release()
        self._capture, self._last_s = self._opened(), -self.step_s
        return self.read()

    def close(self) -> None:
        """Close the file."""
        self._capture.release()


class Webcam:
    """A camera by its number.

    Attributes:
        name: Name to show, such as "camera 0".
        settings: The settings in use, to show.
    """

    live = True
    still = False

    def __init__(
        self,
        number: int,
        clock: Callable[[], float] = time.monotonic,
        open_capture: OpenCapture = cv2.VideoCapture,
        devices: Path = Path("/dev"),
        linux: bool = sys.platform.startswith("linux"),
    ) -> None:
        """Open the camera and ask for 1080p at 30 frames a second.

        Args:
            number: The system's number of the camera.
            clock: Seconds, from any start.
            open_capture: `cv2.VideoCapture` or a replacement.
            devices: Folder of devices on Linux.
            linux: Whether cameras are V4L2 devices, whose exposure can be locked.

        Raises:
            UserError: If there is no such camera, access is denied, or another program uses it.
        """
        self.name = f"camera {number}"
        with _without_opencv_log():
            self._capture = open_capture(number, cv2.CAP_V4L2 if linux else cv2.CAP_ANY)
        if not self._capture.isOpened():
            self._capture.release()
            raise UserError(_open_failure(number, devices) if linux else _no_such_camera(number, []))
        for wish, value in _WANTED.items():
            self._capture.set(wish, value)
        self._clock = clock
        self._start_s = clock()
        self._index = 0
        self._size_px: tuple[int, int] | None = None
        self._settings_lock = SettingsLock(self._capture) if linux else None

    @property
    def settings(self) -> str:
        """The settings in use, such as "1920 x 1080 MJPG at 30 frames a second; exposure held, ..."."""
        width, height, rate = (
            self._capture.get(wish) for wish in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT, cv2.CAP_PROP_FPS)
        )
        code = int(self._capture.get(cv2.CAP_PROP_FOURCC)) & 0xFFFFFFFF
        form = code.to_bytes(4, "little").decode("ascii", "replace").strip("\0 ")
        return f"{_size_text((int(width), int(height)))} {form} at {rate:g} frames a second; {self.held}"

    @property
    def held(self) -> str:
        """What is locked according to the camera, such as "exposure held, white balance held, focus automatic"."""
        return self._settings_lock.words if self._settings_lock else "exposure, white balance and focus automatic"

    def read(self) -> Frame | None:
        """Wait for the next frame; locks exposure, white balance and focus once they have settled."""
        got, image = self._capture.read()
        if not got:
            raise user_error("{name} no longer answers: plug it in again, or choose another source", name=self.name)
        frame = Frame(image, self._index, self._clock() - self._start_s)
        self._size_px = _same_size(frame, self._size_px, tr("the picture from {name}", name=self.name))
        self._index += 1
        if self._settings_lock:
            self._settings_lock.update(frame)
        return frame

    def close(self) -> None:
        """Release the camera."""
        self._capture.release()


class SettingsLock:
    """Locks exposure, colours and focus of a V4L2 camera.

    Attributes:
        words: What is locked, to show.
    """

    def __init__(self, capture: Capture) -> None:
        self.words = SETTLING
        self._capture = capture
        self._brightness_before: float | None = None
        self._done = False
        capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, _AUTO)

    def update(self, frame: Frame) -> None:
        """Lock the settings after a second, and unlock the exposure again if that changed the picture's brightness."""
        if self._done or frame.time_s < _SETTLE_S:
            return
        brightness = float(frame.image_bgr[::8, ::8].mean())
        if self._brightness_before is None:
            self._brightness_before = brightness
            self._lock()
        elif frame.time_s >= 2 * _SETTLE_S:
            # Some cameras report an exposure other than the one in use.
            if abs(brightness - self._brightness_before) > _BRIGHTNESS_KEPT * max(self._brightness_before, 1.0):
                self._capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, _AUTO)
                self.words = self.words.replace("exposure held", "exposure automatic")
            self._done = True

    def _lock(self) -> None:
        get, put = self._capture.get, self._capture.set
        exposure, warmth = get(cv2.CAP_PROP_EXPOSURE), get(cv2.CAP_PROP_WB_TEMPERATURE)
        put(cv2.CAP_PROP_AUTO_EXPOSURE, _MANUAL)
        put(cv2.CAP_PROP_EXPOSURE, exposure)
        put(cv2.CAP_PROP_AUTO_WB, 0)
        put(cv2.CAP_PROP_WB_TEMPERATURE, warmth)
        put(cv2.CAP_PROP_AUTOFOCUS, 0)
        granted = {
            "exposure": get(cv2.CAP_PROP_AUTO_EXPOSURE) == _MANUAL,
            "white balance": get(cv2.CAP_PROP_AUTO_WB) == 0,
            "focus": get(cv2.CAP_PROP_AUTOFOCUS) == 0,
        }
        self.words = ", ".join(f"{what} {'held' if held else 'automatic'}" for what, held in granted.items())


def camera_numbers(devices: Path = Path("/dev")) -> list[int]:
    """Numbers of the cameras on Linux; some cameras have a second number without pictures."""
    return sorted(int(found[1]) for node in devices.glob("video*") if (found := re.fullmatch(r"video(\d+)", node.name)))


def _open_failure(number: int, devices: Path) -> str:
    """Error message for a camera that does not open."""
    present = camera_numbers(devices)
    if number not in present:
        return _no_such_camera(number, present)
    if not os.access(devices / f"video{number}", os.R_OK | os.W_OK):
        return tr(
            "you may not use camera {number}: run `sudo usermod -aG video $USER`, then log in again", number=number
        )
    return tr("camera {number} cannot be opened: close the program that uses it, or try another number", number=number)


def _no_such_camera(number: int, present: Sequence[int]) -> str:
    if not present:
        return tr("there is no camera {number}, and no other: plug one in, or open another source", number=number)
    return tr("there is no camera {number}: choose one of {known}", number=number, known=", ".join(map(str, present)))


_stderr_lock = threading.Lock()


@contextmanager
def _without_stderr() -> Iterator[None]:
    """Suppress what libpng, libjpeg and libtiff print about a broken file; our own message follows.

    They write to the standard error of the process, which is redirected meanwhile. The lock ensures that no other
    thread takes the redirected stream for the original one.
    """
    with _stderr_lock, _without_opencv_log():
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
def _without_opencv_log() -> Iterator[None]:
    """Suppress OpenCV's warnings about a device that does not open; our own message says more."""
    log = cv2.utils.logging
    before = log.setLogLevel(log.LOG_LEVEL_SILENT)
    try:
        yield
    finally:
        log.setLogLevel(before)
