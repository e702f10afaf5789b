"""Dice in a picture: their places and faces.

A tray is read as a whole, since dice that are thrown together are of one kind and nearly one size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.camera import TableCamera
from calibration.opencv import cv2
from rules.tabletop.errors import UserError
from rules.tabletop.table import FloatArray
from vision.dice.fudge import guessed_slant, read_fudge
from vision.dice.groups import SIDE_PITCHES, Group, Pips, groups, select_faces
from vision.dice.marks import Marks, find_marks
from vision.dice.pips import read_pips
from vision.dice.view import DieKind, DieSeen, Slant, View
from vision.frame import ImageBgr

_LARGE_PX = 1600  # longer side of the picture that is processed
_WORK_SIDE_PX = 90.0  # side of a die to which the picture is reduced, if known: more adds no information
_SMALLEST_PX = 3.6  # diameter of a mark
_LEAST_SIDE_PX = 14.0  # of a die: on smaller ones, marks are two pixels wide
_LARGEST_MARK = 0.2  # of the shorter side of the picture
_SQUASHES = (0.85, 0.72, 0.6, 0.5)  # height / width of circles that are seen obliquely
_LONE_PIP = 0.15  # weight of a one relative to other faces
_USUAL_SIDE_IN = 0.63  # 16 mm
_TRUSTED = 2.0  # weight of a face for the slant, relative to the guess
_STRAIGHT = 1.5  # more pips that an oblique view must explain


def read_dice(
    image_bgr: ImageBgr,
    tray_px: Sequence[tuple[float, float]] | None = None,
    kind: DieKind | None = None,
    side_in: float | None = None,
    camera: TableCamera | None = None,
) -> tuple[DieSeen, ...]:
    """All dice in the tray with their top faces, from the top left to the bottom right.

    Args:
        image_bgr: (height, width, 3) uint8.
        tray_px: Outline of the tray in pixels; None for the whole picture.
        kind: Kind of the dice, if known.
        side_in: Side of the dice in inches; together with the camera it gives their size in pixels.
        camera: Pose and lens if the dice lie on the table; it gives the slant of their tops.

    Raises:
        UserError: If the tray is outside the picture or the side is not positive.
    """
    if side_in is not None and not (math.isfinite(side_in) and side_in > 0):
        raise UserError(f"Dice cannot have a side of {side_in:g} in. Measure one die.")
    corner, image = _crop(image_bgr, tray_px)
    scale, side_px = _work_scale(image, corner, side_in, camera)
    work = _scaled(image, scale)
    largest = _LARGEST_MARK * min(work.shape[:2]) if side_px is None else 0.8 * side_px * scale
    smallest = _SMALLEST_PX if side_px is None else 0.1 * side_px * scale
    marks = find_marks(work, max(_SMALLEST_PX, smallest), largest)
    slant = _camera_level(camera, corner + np.array(image.shape[1::-1]) / 2, side_in) if camera is not None else None
    found = [_to_picture(die, scale, corner) for die in _read(work, marks, slant, side_px and side_px * scale, kind)]
    inside = [die for die in found if _within(die, tray_px)]
    row = np.median([die.side_px for die in inside]) if inside else 1.0
    return tuple(sorted(inside, key=lambda die: (round(die.centre_px[1] / row / 1.5), die.centre_px[0])))


def _read(
    image: ImageBgr, marks: Marks, slant: Slant | None, side_px: float | None, kind: DieKind | None
) -> tuple[DieSeen, ...]:
    """The dice of the given kind; if None, of the kind that explains more."""
    pips: tuple[DieSeen, ...] = ()
    signs: tuple[DieSeen, ...] = ()
    if kind is not DieKind.FUDGE:
        pips = read_pips(View(image, marks, slant or _guessed_level(marks), side_px))
    if kind is not DieKind.D6:
        signs = read_fudge(View(image, marks, slant or guessed_slant(marks), side_px))
    pips, signs = _legible(pips), _legible(signs)
    kind_weights = [sum(_kind_weight(die) for die in dice) for dice in (pips, [die for die in signs if die.face])]
    return signs if kind is DieKind.FUDGE or kind_weights[1] > kind_weights[0] else pips


def _legible(dice: tuple[DieSeen, ...]) -> tuple[DieSeen, ...]:
    return tuple(die for die in dice if die.side_px > _LEAST_SIDE_PX)


def _kind_weight(die: DieSeen) -> float:
    """Weight of a die for the decision on the kind: spots of the tray look like small dice, blanks like large pips."""
    alone = die.kind is DieKind.D6 and die.face == 1
    return die.confidence**4 * die.side_px * (_LONE_PIP if alone else 1.0)


def _crop(image_bgr: ImageBgr, tray_px: Sequence[tuple[float, float]] | None) -> tuple[FloatArray, ImageBgr]:
    """Corner of the box around the tray, and its part of the picture."""
    if tray_px is None:
        return np.zeros(2), image_bgr
    outline = np.array(tray_px, np.float64)
    size = np.array(image_bgr.shape[1::-1])
    low = np.clip(np.floor(outline.min(axis=0)), 0, size).astype(int)
    high = np.clip(np.ceil(outline.max(axis=0)) + 1, 0, size).astype(int)
    if (high - low).min() < 16:
        raise UserError("The dice tray is outside the picture. Draw it again.")
    return low.astype(np.float64), image_bgr[low[1] : high[1], low[0] : high[0]]


def _within(die: DieSeen, tray_px: Sequence[tuple[float, float]] | None) -> bool:
    if tray_px is None:
        return True
    return cv2.pointPolygonTest(np.array(tray_px, np.float32), die.centre_px, False) >= 0


def _work_scale(
    image: ImageBgr, corner: FloatArray, side_in: float | None, camera: TableCamera | None
) -> tuple[float, float | None]:
    """Scale of the processed picture, and the side of a die in pixels of the original if known."""
    longer = max(image.shape[:2])
    side_px = None
    if camera is not None and side_in is not None:
        middle = camera.pixel_to_table(corner + np.array(image.shape[1::-1]) / 2, side_in)[0]
        if np.isfinite(middle).all():
            side_px = side_in * camera.px_per_inch(middle[0], middle[1], side_in)
    most = _LARGE_PX / longer if side_px is None else _WORK_SIDE_PX / side_px
    return min(1.0, most), side_px


def _scaled(image: ImageBgr, scale: float) -> ImageBgr:
    if scale == 1.0:
        return image
    return np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)


def _to_picture(die: DieSeen, scale: float, corner: FloatArray) -> DieSeen:
    """Convert a die from the scaled part to the whole picture."""
    points = (np.array(die.outline_px) + 0.5) / scale - 0.5 + corner
    return replace(die, outline_px=tuple((float(x), float(y)) for x, y in points))


def _camera_level(camera: TableCamera, middle_px: FloatArray, side_in: float | None) -> Slant | None:
    """The slant of the dice's tops at the tray."""
    side_in = side_in or _USUAL_SIDE_IN
    points = camera.pixel_to_table(middle_px + np.array([[0, 0], [4, 0], [0, 4]]), side_in)
    if not np.isfinite(points).all():
        return None
    slant = Slant.of(np.stack([points[1] - points[0], points[2] - points[0]], axis=1))
    foot_px = camera.table_to_pixel(np.append(points[0, :2], 0.0)[None])[0]
    side_px = side_in * camera.px_per_inch(points[0, 0], points[0, 1], side_in)
    return replace(slant, drop=slant.level @ (foot_px - middle_px) / side_px)


def _guessed_level(marks: Marks) -> Slant:
    """The slant under which the marks form most faces, for a camera that is not rolled sideways."""
    best, guess = 0.0, Slant.of(np.eye(2))
    for squash in (1.0, *_SQUASHES):
        trial = Slant.of(np.diag([1.0, 1 / squash]))
        faces = _square_faces(marks, trial)
        worth = sum(group.score - 0.8 for group in faces) + (_STRAIGHT if squash == 1.0 else 0.0)
        if worth > best:
            best, guess = worth, trial
    for _ in range(2):
        faces = _square_faces(marks, guess)
        guess = _fit_slant(guess, faces if guess.straight else _without_near_sides(guess, faces))
    return guess


def _square_faces(marks: Marks, slant: Slant) -> list[Group]:
    """Faces of four pips and more; fewer do not show the slant."""
    pips = Pips(View(np.empty((0, 0, 3), np.uint8), marks, slant).level_marks())
    return [group for group in select_faces(groups(pips, 4), pips) if not group.strays]


def _without_near_sides(slant: Slant, faces: Sequence[Group]) -> list[Group]:
    """Faces without another right above them: those may be the near side of that die."""
    return [
        face
        for face in faces
        if not any(slant.near_side(top.centre, face.centre, SIDE_PITCHES * top.pitch, 0.4) for top in faces)
    ]


def _fit_slant(guess: Slant, faces: Sequence[Group]) -> Slant:
    """The slant near a guess under which the faces are squares."""
    rows = [(0.0, 1.0, 0.0, 0.0), (1.0, 0.0, -1.0, 0.0)]  # as the guess
    for group in faces:
        if group.face < 6:  # a six may be longer than wide
            (a, b), (c, d) = (group.half / group.pitch * _TRUSTED).tolist()
            rows += [(a * a - c * c, 2 * (a * b - c * d), b * b - d * d, 0.0), (a * c, a * d + b * c, b * d, 0.0)]
    rows.append((10.0, 0.0, 10.0, 20.0))  # the determinant is 1, to the first order
    table = np.array(rows)
    metric = np.linalg.lstsq(table[:, :3], table[:, 3], rcond=None)[0]
    x, xy, y = metric
    sizes, vectors = np.linalg.eigh(np.array([[x, xy], [xy, y]]))
    root = vectors * np.sqrt(np.maximum(sizes, 0.1)) @ vectors.T
    return Slant.of(root @ guess.level)
