"""Dice in a picture: where they lie and what they show.

Pure functions. A tray is read as a whole, since dice thrown together are of one kind and about one size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.camera import TableCamera
from calibration.opencv import cv2
from rules.table import FloatArray, Refused
from vision.dice_fudge import read_fudge
from vision.dice_groups import Pips, chosen, groups
from vision.dice_marks import Marks, find_marks
from vision.dice_pips import read_pips
from vision.dice_view import DieKind, DieSeen, View
from vision.frame import ImageBgr

_LARGE_PX = 1600  # longer side of the picture that is worked on
_SMALL_PX = 700  # smaller pictures are worked on twice as large
_WORK_SIDE_PX = 90.0  # of a die, where that is known: more shows nothing more
_SMALLEST_PX = 3.6  # diameter of a mark
_LARGEST_MARK = 0.2  # of the picture's shorter side
_SQUASHES = (0.85, 0.72, 0.6, 0.5)  # heights of circles over their widths in slanting views
_STRAIGHT = 1.5  # pips more that a slanting view must explain


def read_dice(
    image_bgr: ImageBgr,
    tray_px: Sequence[tuple[float, float]] | None = None,
    kind: DieKind | None = None,
    side_in: float | None = None,
    camera: TableCamera | None = None,
) -> tuple[DieSeen, ...]:
    """Every die in the tray with the face on top, from the top left to the bottom right.

    Args:
        image_bgr: (height, width, 3) uint8.
        tray_px: the tray's outline in pixels; None for the whole picture.
        kind: of the dice, where that is known.
        side_in: side of the dice in inches; with the camera it tells their size in pixels.
        camera: where the picture was taken from, if the dice lie on the table; it tells how their tops are squashed.

    Raises:
        Refused: if the tray lies outside of the picture or the side is not positive.
    """
    if side_in is not None and not (math.isfinite(side_in) and side_in > 0):
        raise Refused(f"dice cannot have a side of {side_in:g} in: measure one")
    corner, image = _cut(image_bgr, tray_px)
    scale, side_px = _work_scale(image, corner, side_in, camera)
    work = _scaled(image, scale)
    largest = _LARGEST_MARK * min(work.shape[:2]) if side_px is None else 0.8 * side_px * scale
    smallest = _SMALLEST_PX * max(1.0, scale) if side_px is None else 0.1 * side_px * scale
    marks = find_marks(work, max(_SMALLEST_PX, smallest), largest)
    level = _camera_level(camera, corner + np.array(image.shape[1::-1]) / 2, side_in) if camera is not None else None
    view = View(work, marks, np.eye(2) if level is None else level, side_px and side_px * scale)
    if level is None:
        view = replace(view, level=_guessed_level(marks))
    found = [_moved(die, scale, corner) for die in _read(view, kind)]
    inside = [die for die in found if _within(die, tray_px)]
    row = np.median([die.side_px for die in inside]) if inside else 1.0
    return tuple(sorted(inside, key=lambda die: (round(die.centre_px[1] / row / 1.5), die.centre_px[0])))


def _read(view: View, kind: DieKind | None) -> tuple[DieSeen, ...]:
    """The dice of the kind; if that is not known, of the kind that explains more."""
    pips = read_pips(view) if kind is not DieKind.FUDGE else ()
    signs = read_fudge(view) if kind is not DieKind.D6 else ()
    surety = [
        sum(die.confidence**2 * die.side_px for die in dice) for dice in (pips, [die for die in signs if die.face])
    ]  # spots of the tray may be read as small dice
    return signs if kind is DieKind.FUDGE or surety[1] > surety[0] else pips


def _cut(image_bgr: ImageBgr, tray_px: Sequence[tuple[float, float]] | None) -> tuple[FloatArray, ImageBgr]:
    """The box round the tray: its corner, and what is in it."""
    if tray_px is None:
        return np.zeros(2), image_bgr
    outline = np.array(tray_px, np.float64)
    size = np.array(image_bgr.shape[1::-1])
    low = np.clip(np.floor(outline.min(axis=0)), 0, size).astype(int)
    high = np.clip(np.ceil(outline.max(axis=0)) + 1, 0, size).astype(int)
    if (high - low).min() < 16:
        raise Refused("the dice tray lies outside of the picture: draw it again")
    return low.astype(np.float64), image_bgr[low[1] : high[1], low[0] : high[0]]


def _within(die: DieSeen, tray_px: Sequence[tuple[float, float]] | None) -> bool:
    if tray_px is None:
        return True
    return cv2.pointPolygonTest(np.array(tray_px, np.float32), die.centre_px, False) >= 0


def _work_scale(
    image: ImageBgr, corner: FloatArray, side_in: float | None, camera: TableCamera | None
) -> tuple[float, float | None]:
    """Pixels that are worked on for one of the picture, and the side of a die in the picture if it is known."""
    longer = max(image.shape[:2])
    side_px = None
    if camera is not None and side_in is not None:
        middle = camera.pixel_to_table(corner + np.array(image.shape[1::-1]) / 2, side_in)[0]
        if np.isfinite(middle).all():
            side_px = side_in * camera.px_per_inch(middle[0], middle[1], side_in)
    scale = 2.0 if longer < _SMALL_PX else min(1.0, _LARGE_PX / longer)
    if side_px is not None:
        scale = min(2.0, _WORK_SIDE_PX / side_px)
    return scale, side_px


def _scaled(image: ImageBgr, scale: float) -> ImageBgr:
    if scale == 1.0:
        return image
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=how), np.uint8)


def _moved(die: DieSeen, scale: float, corner: FloatArray) -> DieSeen:
    """A die found in the scaled cutting, in the whole picture."""
    points = (np.array(die.outline_px) + 0.5) / scale - 0.5 + corner
    return replace(die, outline_px=tuple((float(x), float(y)) for x, y in points))


def _camera_level(camera: TableCamera, middle_px: FloatArray, side_in: float | None) -> FloatArray | None:
    """How the tops of dice are squashed where the tray is."""
    around = middle_px + np.array([[0, 0], [4, 0], [0, 4]])
    points = camera.pixel_to_table(around, side_in or 0.6)
    if not np.isfinite(points).all():
        return None
    level = np.stack([points[1] - points[0], points[2] - points[0]], axis=1)
    return np.asarray(level / np.sqrt(abs(np.linalg.det(level))))


def _guessed_level(marks: Marks) -> FloatArray:
    """The slant under which the marks make most faces; cameras are taken to stand upright."""
    best, level = 0.0, np.eye(2)
    for squash in (1.0, *_SQUASHES):
        trial = np.diag([np.sqrt(squash), 1 / np.sqrt(squash)])
        pips = Pips(View(np.empty((0, 0, 3), np.uint8), marks, trial).level_marks())
        faces = [group for group in chosen(groups(pips), pips) if not group.strays]
        worth = sum(group.score - 0.8 for group in faces) + (_STRAIGHT if squash == 1.0 else 0.0)
        if worth > best:
            best, level = worth, trial
    return level
