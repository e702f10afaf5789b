"""Where frames come from: image, folder, video, webcam, and the simulated table (`vision.simulation`)."""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from calibration.opencv import MOST_PIXELS, cv2
from rules.regular_file import is_special, open_regular
from rules.table import UserError
from vision.frame import Frame, ImageBgr
from vision.simulation.practice_table import practice_table

os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # what it says of a broken video, our own sentence says better

IMAGE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})

FOLDER_STEP_S = 1.0
"""Between two pictures of a folder: nothing in them says when they were taken."""

_LARGEST_FILE_BYTES = 200_000_000  # of one picture; a webcam's is a hundredth of that
_STANDARD_ERROR = 2
_MOST_DIGITS = 6  # of a camera's number; OpenCV adds that of a backend to it, and takes 32 bits
_WANTED = {
    cv2.CAP_PROP_FOURCC: cv2.VideoWriter.fourcc(*"MJPG"),  # raw pictures of this size do not fit through USB 2
    cv2.CAP_PROP_FRAME_WIDTH: 1920,
    cv2.CAP_PROP_FRAME_HEIGHT: 1080,
    cv2.CAP_PROP_FPS: 30,
    cv2.CAP_PROP_BUFFERSIZE: 1,
}
_SETTLING_S = 1.0  # exposure and white balance find their values before they are held
_AUTO, _MANUAL = 3.0, 1.0  # what V4L2 calls aperture priority and manual exposure
SETTLING = "exposure, white balance and focus automatic until they settle"
"""What `Webcam.held` says before anything is held."""

_BRIGHTNESS_KEPT = 0.3  # largest relative change that holding the exposure may make


class Source(Protocol):
    """Frames in order of time.

    Attributes:
        name: For people, as "camera 0" or "table.jpg".
        live: True where frames pass whether or not they are read (a camera), False where each waits its turn.
        still: True of a single picture, False of what goes on.
    """

    name: str
    live: bool
    still: bool

    def read(self) -> Frame | None:
        """Next frame, or None after the last.

        Raises:
            UserError: if the source cannot deliver (unplugged, broken file): one sentence with the way out.
        """
        ...

    def close(self) -> None:
        """Release the device; a second call does nothing. The thread that reads is the thread that closes."""
        ...


class Capture(Protocol):
    """The part of `cv2.VideoCapture` that is used here, so that a test can stand in for a camera."""

    def isOpened(self) -> bool: ...
    def read(self) -> tuple[bool, Any]: ...
    def get(self, propId: int) -> float: ...
    def set(self, propId: int, value: float) -> bool: ...
    def release(self) -> None: ...


OpenCapture = Callable[[Any, int], Capture]
"""Called with a path or camera number and OpenCV's number of a backend, as `cv2.VideoCapture` is."""


def is_camera(spec: str) -> bool:
    """Whether the player named a camera by its number: a file or folder that is called so goes before."""
    return spec.isdecimal() and len(spec) <= _MOST_DIGITS and not os.path.exists(spec)


def open_source(
    spec: str, clock: Callable[[], float] = time.monotonic, open_capture: OpenCapture = cv2.VideoCapture
) -> Source:
    """Open what the player named.

    Args:
        spec: "demo", a camera's number, or the path of an image, a video or a folder of images.
        clock: Seconds, from any start.
        open_capture: `cv2.VideoCapture`, or what stands in for it.

    Raises:
        UserError: if there is no such thing, or it cannot be opened.
    """
    if spec == "demo":
        return practice_table(clock)
    if not spec:
        raise UserError("no source is named: give an image, a folder, a video, a camera's number, or demo")
    path = Path(spec)
    if is_camera(spec):
        return Webcam(int(spec), clock, open_capture)
    if os.path.isdir(path):  # unlike the path's own, os.path says no where the system will not tell
        return Pictures(pictures_in(path), path.name or str(path))
    if not os.path.exists(path):
        raise UserError(f"there is no {spec!r}: give an image, a folder, a video, a camera's number, or demo")
    if is_special(path):
        raise UserError(f"{path} is no file: give an image, a folder, a video, a camera's number, or demo")
    if path.suffix.lower() in IMAGE_SUFFIXES:
        return Pictures([path], path.name, still=True)
    return Video(path, open_capture)


def read_image(path: Path) -> ImageBgr:
    """Decode one picture as (height, width, 3) uint8.

    The pixels stay as the sensor wrote them, whatever way up the file asks to be shown: the lens belongs to the
    sensor.

    Raises:
        UserError: if the file cannot be read, is a pipe or a device, is far too large, or holds no whole picture.
    """
    try:
        with open_regular(path, f"the picture {path}") as file:
            size = os.fstat(file.fileno()).st_size
            data = file.read(_LARGEST_FILE_BYTES + 1) if size <= _LARGEST_FILE_BYTES else b""
    except UserError:
        raise
    except (OSError, ValueError) as error:  # the latter: a name that no file can have
        raise UserError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    size = max(size, len(data))  # it may grow meanwhile
    if size > _LARGEST_FILE_BYTES:
        raise UserError(f"{path} is {size / 1e6:.0f} MB, too large for a picture of the table: save it smaller")
    try:
        pixels = np.frombuffer(data, np.uint8)
        with _no_complaints():
            image = cv2.imdecode(pixels, cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION) if data else None
    except cv2.error as error:
        if "CV_IO_MAX_IMAGE" in str(error):
            most = f"{MOST_PIXELS // 1_000_000} million"
            raise UserError(f"{path} has too many pixels: save it smaller, with {most} of them at most") from error
        image = None
    if image is None:
        raise UserError(f"{path} is not a picture, or is broken: open it in a picture viewer, or save it again as PNG")
    return np.asarray(image, np.uint8)


def pictures_in(folder: Path) -> list[Path]:
    """The pictures of a folder, by name.

    Raises:
        UserError: if there are none, or the folder cannot be read.
    """
    try:
        found = sorted(path for path in folder.iterdir() if path.suffix.lower() in IMAGE_SUFFIXES and path.is_file())
    except OSError as error:
        raise UserError(f"the folder {folder} cannot be read: {error.strerror}") from error
    if not found:
        raise UserError(f"the folder {folder} holds no pictures: their names must end in {', '.join(_suffixes())}")
    return found


def _suffixes() -> Sequence[str]:
    return sorted(IMAGE_SUFFIXES)


def _same_size(frame: Frame, size_px: tuple[int, int] | None, name: str) -> tuple[int, int]:
    """The frame's size, which the calibration is tied to, if it is the earlier frames' size."""
    if size_px is not None and frame.size_px != size_px:
        raise UserError(
            f"{name} is {_by(frame.size_px)} pixels, the pictures before it {_by(size_px)}: use pictures of one size"
        )
    return frame.size_px


def _by(size_px: tuple[int, int]) -> str:
    return f"{size_px[0]} x {size_px[1]}"


class Pictures:
    """One image or a row of them, each read when its turn comes."""

    live = False

    def __init__(self, paths: Sequence[Path], name: str, *, still: bool = False) -> None:
        self.name = name
        self.still = still
        self._paths = tuple(paths)
        self._next = 0
        self._size_px: tuple[int, int] | None = None

    def read(self) -> Frame | None:
        """Next picture, or None after the last."""
        if self._next >= len(self._paths):
            return None
        path, index = self._paths[self._next], self._next
        frame = Frame(read_image(path), index, index * FOLDER_STEP_S)
        self._size_px = _same_size(frame, self._size_px, str(path))
        self._next += 1
        return frame

    def close(self) -> None:
        """No more pictures."""
        self._next = len(self._paths)


class Video:
    """A recorded video, frame by frame."""

    live = False
    still = False

    def __init__(self, path: Path, open_capture: OpenCapture = cv2.VideoCapture) -> None:
        """Open the file.

        Raises:
            UserError: if it is no video that OpenCV can play.
        """
        self.name = path.name
        with _quiet():
            self._capture = open_capture(str(path), cv2.CAP_FFMPEG)
        if not self._capture.isOpened():
            self._capture.release()
            raise UserError(f"{path} is neither a picture nor a video that can be played: convert it to MP4 (H.264)")
        rate = self._capture.get(cv2.CAP_PROP_FPS)
        self._step_s = 1 / rate if rate > 0 else 1 / 30
        self._index = 0
        self._size_px: tuple[int, int] | None = None

    def read(self) -> Frame | None:
        """Next frame, or None after the last."""
        got, image = self._capture.read()
        if not got:
            if self._index == 0:
                raise UserError(f"the video {self.name} holds no picture that can be read: convert it to MP4 (H.264)")
            return None
        frame = Frame(image, self._index, self._index * self._step_s)
        self._size_px = _same_size(frame, self._size_px, f"frame {self._index} of {self.name}")
        self._index += 1
        return frame

    def close(self) -> None:
        """Close the file."""
        self._capture.release()


class Webcam:
    """A camera by its number.

    Attributes:
        name: As "camera 0".
        settings: What the camera granted, for people.
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
            number: As the system counts cameras.
            clock: Seconds, from any start.
            open_capture: `cv2.VideoCapture`, or what stands in for it.
            devices: Where Linux keeps its devices.
            linux: Cameras are V4L2 devices, and their exposure can be held.

        Raises:
            UserError: if there is no such camera, it may not be used, or something else uses it.
        """
        self.name = f"camera {number}"
        with _quiet():
            self._capture = open_capture(number, cv2.CAP_V4L2 if linux else cv2.CAP_ANY)
        if not self._capture.isOpened():
            self._capture.release()
            raise UserError(_why_not(number, devices) if linux else _absent(number, []))
        for wish, value in _WANTED.items():
            self._capture.set(wish, value)
        self._clock = clock
        self._start_s = clock()
        self._index = 0
        self._size_px: tuple[int, int] | None = None
        self._hold = Hold(self._capture) if linux else None

    @property
    def settings(self) -> str:
        """What the camera granted, as "1920 x 1080 MJPG at 30 frames a second; exposure held, ..."."""
        width, height, rate = (
            self._capture.get(wish) for wish in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT, cv2.CAP_PROP_FPS)
        )
        code = int(self._capture.get(cv2.CAP_PROP_FOURCC)) & 0xFFFFFFFF
        form = code.to_bytes(4, "little").decode("ascii", "replace").strip("\0 ")
        return f"{_by((int(width), int(height)))} {form} at {rate:g} frames a second; {self.held}"

    @property
    def held(self) -> str:
        """What is held, as the camera reads it back: "exposure held, white balance held, focus automatic"."""
        return self._hold.words if self._hold else "exposure, white balance and focus automatic"

    def read(self) -> Frame | None:
        """Next frame; waits for the camera, and once it has settled holds its exposure, white balance and focus."""
        got, image = self._capture.read()
        if not got:
            raise UserError(f"{self.name} no longer answers: plug it in again, or choose another source")
        frame = Frame(image, self._index, self._clock() - self._start_s)
        self._size_px = _same_size(frame, self._size_px, f"the picture from {self.name}")
        self._index += 1
        if self._hold:
            self._hold.watch(frame)
        return frame

    def close(self) -> None:
        """Release the camera."""
        self._capture.release()


class Hold:
    """Keeps a V4L2 camera from changing its exposure, colours and focus under way.

    Attributes:
        words: What is held, for people.
    """

    def __init__(self, capture: Capture) -> None:
        self.words = SETTLING
        self._capture = capture
        self._bright_before: float | None = None
        self._done = False
        capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, _AUTO)

    def watch(self, frame: Frame) -> None:
        """Hold the settings after a second; let the exposure go again if that made the picture lighter or darker."""
        if self._done or frame.time_s < _SETTLING_S:
            return
        bright = float(frame.image_bgr[::8, ::8].mean())
        if self._bright_before is None:
            self._bright_before = bright
            self._take()
        elif frame.time_s >= 2 * _SETTLING_S:
            # Some cameras report an exposure that is not the one in use.
            if abs(bright - self._bright_before) > _BRIGHTNESS_KEPT * max(self._bright_before, 1.0):
                self._capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, _AUTO)
                self.words = self.words.replace("exposure held", "exposure automatic")
            self._done = True

    def _take(self) -> None:
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
    """Numbers of the cameras that Linux knows; some cameras have a second one that gives no pictures."""
    return sorted(int(found[1]) for node in devices.glob("video*") if (found := re.fullmatch(r"video(\d+)", node.name)))


def _why_not(number: int, devices: Path) -> str:
    """Why camera `number` does not open, and what to do."""
    present = camera_numbers(devices)
    if number not in present:
        return _absent(number, present)
    if not os.access(devices / f"video{number}", os.R_OK | os.W_OK):
        return f"camera {number} may not be used by you: run `sudo usermod -aG video $USER`, then log in again"
    return f"camera {number} is there but does not open: close the program that uses it, or try another number"


def _absent(number: int, present: Sequence[int]) -> str:
    if not present:
        return f"there is no camera {number}, and no other: plug one in, or use demo"
    return f"there is no camera {number}: the cameras here have the numbers {', '.join(map(str, present))}"


_complaining = threading.Lock()


@contextmanager
def _no_complaints() -> Iterator[None]:
    """Without what the picture libraries (libpng, libjpeg, libtiff) print of a broken file: our own sentence follows.

    They write to the process's standard error itself, which goes nowhere meanwhile; whose turn it is, is asked first,
    so that nobody takes the other's nowhere for the place to return to.
    """
    with _complaining, _quiet():
        try:
            kept = os.dup(_STANDARD_ERROR)
        except OSError:  # a program without a terminal may have none
            yield
            return
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, _STANDARD_ERROR)
        os.close(nowhere)
        try:
            yield
        finally:
            os.dup2(kept, _STANDARD_ERROR)
            os.close(kept)


@contextmanager
def _quiet() -> Iterator[None]:
    """OpenCV's own warnings about a device that does not open say less than ours, so they stay off meanwhile."""
    log = cv2.utils.logging
    before = log.setLogLevel(log.LOG_LEVEL_SILENT)
    try:
        yield
    finally:
        log.setLogLevel(before)
