"""A webcam as a source of frames; on Linux its settings are locked."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from calibration.opencv import cv2
from rules.tabletop.errors import UserError, user_error
from rules.tabletop.translation import tr
from vision.capture import Capture, OpenCapture, same_size, size_text, without_opencv_log
from vision.frame import Frame

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
        with without_opencv_log():
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
        return f"{size_text((int(width), int(height)))} {form} at {rate:g} frames a second; {self.held}"

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
        self._size_px = same_size(frame, self._size_px, tr("the picture from {name}", name=self.name))
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
