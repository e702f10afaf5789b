"""Writes the pictures of a film as MP4, WebP or GIF. No Qt here."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from calibration.opencv import cv2
from rules.tabletop.errors import UserError
from ui.files import check_writable, replaced, write_bytes
from ui.translation import tr
from vision.frame import ImageBgr

SIZE_PX = (1280, 720)
"""Size of an MP4 film."""

_CODEC = "mp4v"  # the wheels of OpenCV have no encoder for H.264, and VP9 takes thirty times as long
_SMALL_PX = (640, 360)
_MOST_WEBP, _MOST_GIF = 360, 240
"""All pictures are in memory until they are encoded, which nothing can interrupt: 250 MB, and 15 s."""
_GIF = (cv2.IMWRITE_GIF_DITHER, 3)  # without the usual noise of dots a picture is a third as large


@dataclass(frozen=True, slots=True)
class FilmFormat:
    """A format of film files.

    Attributes:
        suffix: Ending of the file's name.
        size_px: (width, height).
        rate_hz: Pictures in a second of motion.
        most_pictures: More do not fit; None if any number does.
    """

    suffix: str
    size_px: tuple[int, int]
    rate_hz: float
    most_pictures: int | None


FORMATS = (
    FilmFormat(".mp4", SIZE_PX, 20.0, None),
    FilmFormat(".webp", _SMALL_PX, 12.5, _MOST_WEBP),
    FilmFormat(".gif", _SMALL_PX, 12.5, _MOST_GIF),
)


def format_of(path: Path) -> FilmFormat:
    """The format of a film with this name, before there is work to lose.

    Raises:
        UserError: if there is none, or the file cannot be written.
    """
    found = next((one for one in FORMATS if one.suffix == path.suffix.lower()), None)
    if found is None:
        endings = ", ".join(one.suffix for one in FORMATS)
        raise UserError(tr("the film {path} needs a name ending in {endings}", path=path, endings=endings))
    check_writable(path)
    return found


def write_film(path: Path, pictures: Iterable[tuple[ImageBgr, float]]) -> None:
    """Write a film of pictures, each with the seconds for which it is shown, in the format of the path's ending.

    Whatever `pictures` raises leaves no file. Raises `UserError` if the file cannot be written, or its disk is full.
    """
    film_format = format_of(path)
    if film_format.most_pictures is None:
        with replaced(path) as temporary:
            _write_video(temporary, pictures, film_format)
    else:
        write_bytes(path, _animation(pictures, film_format))


def _write_video(path: Path, pictures: Iterable[tuple[ImageBgr, float]], film_format: FilmFormat) -> None:
    """Write one picture after the other, each as often as it is shown."""
    rate_hz, written, until_s = film_format.rate_hz, 0, 0.0
    video = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*_CODEC), rate_hz, film_format.size_px)
    if not video.isOpened():
        raise UserError(tr("this computer cannot write MP4: save the film as .webp"))
    try:
        for image_bgr, lasts_s in pictures:
            until_s += lasts_s
            while written < max(1, round(until_s * rate_hz)):
                video.write(image_bgr)
                written += 1
    finally:
        video.release()
    if _frames_in(path) != written:  # the writer reports nothing, not even a full disk
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _frames_in(path: Path) -> int:
    video = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    count = int(video.get(cv2.CAP_PROP_FRAME_COUNT)) if video.isOpened() else 0
    video.release()
    return count


def _animation(pictures: Iterable[tuple[ImageBgr, float]], film_format: FilmFormat) -> bytes:
    animation = cv2.Animation()
    shown = list(pictures)
    animation.frames = [image_bgr for image_bgr, _ in shown]
    animation.durations = [round(1000 * lasts_s) for _, lasts_s in shown]
    done, data = cv2.imencodeanimation(film_format.suffix, animation, _GIF if film_format.suffix == ".gif" else ())
    if not done:
        raise UserError(tr("the film cannot be written as {ending}: save it as .mp4", ending=film_format.suffix))
    return bytes(data.tobytes())
