"""A recorded video as a source of frames."""

from __future__ import annotations

import math
from pathlib import Path

from calibration.opencv import cv2
from rules.tabletop.errors import user_error
from rules.tabletop.translation import tr
from vision.capture import Capture, OpenCapture, same_size, without_opencv_log
from vision.frame import Frame

_MAX_DURATION_S = 1e6  # of a video; broken headers claim more
_SAME_TIME_S = 1e-4  # between the times of one frame, computed in two ways
_START_S = 0.5  # a frame later than this is not the first one


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
        with without_opencv_log():
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
        self._size_px = same_size(frame, self._size_px, tr("frame {index} of {name}", index=index, name=self.name))
        return frame

    def _time_s(self) -> float:
        """Time of the frame that was read last; files without usable times count frames."""
        stored_s = self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
        self._first_s = stored_s if self._first_s is None else self._first_s
        time_s = stored_s - self._first_s
        self._has_times |= time_s > 0
        return time_s if time_s > self._last_s else self._last_s + self.step_s

    def frame_at(self, time_s: float) -> Frame | None:
        """The first frame at or after this time, None behind the last; raises as `read`."""
        wanted_s = time_s - self.step_s / 2  # a slider does not hit the time exactly
        frame = self._read_from(wanted_s)
        while frame is not None and frame.time_s < wanted_s:
            frame = self.read()
        return frame

    def frame_before(self, time_s: float) -> Frame | None:
        """The last frame before this time, None before the first; raises as `read`."""
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
