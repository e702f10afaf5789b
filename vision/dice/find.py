"""Dice in a picture: their places and faces.

A tray is read as a whole, since dice that are thrown together are of one kind and nearly one size.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from calibration.camera import TableCamera
from calibration.opencv import cv2
from rules.tabletop.errors import user_error
from rules.tabletop.table import FloatArray
from vision.dice.lean import hint_above, leaning_dice, without_sides
from vision.dice.networks import (
    BLANK,
    D6,
    FACES,
    FOUND_PX,
    FUDGE,
    NOTHING,
    DiceNetworks,
    DieHint,
    FaceRead,
    confidence,
    is_known,
    usual_side_px,
    without_duplicates,
)
from vision.dice.pyramid import Pyramid
from vision.dice.view import DieKind, DieSeen
from vision.frame import ImageBgr

_LEVELS_PX = (96, 320, 1024)  # longer sides to which a picture is reduced, to find large and small dice
_FINE = 0.5  # scale at which the smallest dice that can be read are found
_KNOWN_PX = 22.0  # side of a die to which the picture is reduced if its size is known
_SIZE_SLACK = 1.7  # of the known size
_LEAST_DIE = 0.5  # least probability of a die that gets a second look, or is reported, if only to be asked about
_CLEAR = 0.97  # probability of a face from which it needs no second look
_OBLIQUE = 0.2  # mean length of the faces' normals from which a camera is oblique
_DOWN = 0.1  # of a face's normal, from which it may be on the side of a die
_UNLIKE = 2.0  # largest ratio of a die's side and the median of all
_MOST_LEANING = 0.75  # confidence in the face of a die that leans, or of which the side may have been read
_MOST_BLANKS = 6.0  # weight of all blanks together, relative to the signs: dots on a cloth may look like many blanks
_LEAST_PIPS = 0.9  # probability that a face has pips plus that of the finder, below which it is no six-sided die

_loaded = threading.local()


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
        camera: Pose and lens if the dice lie on the table.

    Raises:
        UserError: If the tray is outside the picture or the side is not positive.
    """
    if side_in is not None and not (math.isfinite(side_in) and side_in > 0):
        raise user_error("Dice cannot have a side of {side_in:g} in. Measure one die.", side_in=side_in)
    corner, image = _crop(image_bgr, tray_px)
    faces, part = top_faces(image, kind, _known_side_px(image, corner, side_in, camera))
    leaning = leaning_dice(faces, None if camera is None else _level_normals(faces, corner, camera))
    found = [_die(face, part, corner, leans) for face, leans in zip(faces, leaning, strict=True)]
    return tuple(_in_rows([die for die in found if _within(die, tray_px)]))


def top_faces(
    image: ImageBgr, kind: DieKind | None = None, side_px: float | None = None
) -> tuple[list[FaceRead], slice]:
    """Faces that may be tops of dice, and the outputs for the kind of dice that they are read as."""
    networks, picture = _networks(), Pyramid(image)
    hints = list(without_duplicates(list(_hints(networks, picture, side_px))))
    faces = networks.read(picture, hints)
    faces += networks.read(picture, list(_second_hints(_of_one_size(faces))))
    faces = [face for face in faces if 1 - face.chances[NOTHING] > _LEAST_DIE]
    faces = without_sides(_of_one_size(_apart(faces)))
    part = _part(faces, kind)
    if part == D6:  # spots look like blanks
        faces = [face for face in faces if face.chances[D6].sum() + face.hint > _LEAST_PIPS]
    return faces, part


def _in_rows(dice: Sequence[DieSeen]) -> list[DieSeen]:
    """From the top left to the bottom right; a die less than a side below the first of a row belongs to that row."""
    rows: list[list[DieSeen]] = []
    for die in sorted(dice, key=lambda die: die.centre_px[1]):
        if rows and die.centre_px[1] - rows[-1][0].centre_px[1] < rows[-1][0].side_px:
            rows[-1].append(die)
        else:
            rows.append([die])
    return [die for row in rows for die in sorted(row, key=lambda die: die.centre_px[0])]


def _networks() -> DiceNetworks:
    """The networks of this thread."""
    if not hasattr(_loaded, "networks"):
        _loaded.networks = DiceNetworks()
    networks: DiceNetworks = _loaded.networks
    return networks


def _crop(image_bgr: ImageBgr, tray_px: Sequence[tuple[float, float]] | None) -> tuple[FloatArray, ImageBgr]:
    """Corner of the box around the tray, and its part of the picture."""
    if tray_px is None:
        return np.zeros(2), image_bgr
    outline = np.array(tray_px, np.float64)
    size = np.array(image_bgr.shape[1::-1])
    low = np.clip(np.floor(outline.min(axis=0)), 0, size).astype(int)
    high = np.clip(np.ceil(outline.max(axis=0)) + 1, 0, size).astype(int)
    if (high - low).min() < 16:
        raise user_error("The dice tray is outside the picture. Draw it again.")
    return low.astype(np.float64), image_bgr[low[1] : high[1], low[0] : high[0]]


def _within(die: DieSeen, tray_px: Sequence[tuple[float, float]] | None) -> bool:
    if tray_px is None:
        return True
    return cv2.pointPolygonTest(np.array(tray_px, np.float32), die.centre_px, False) >= 0


def _known_side_px(
    image: ImageBgr, corner: FloatArray, side_in: float | None, camera: TableCamera | None
) -> float | None:
    """Side of a die in the middle of the tray; None if unknown."""
    if camera is None or side_in is None:
        return None
    middle = camera.pixel_to_table(corner + np.array(image.shape[1::-1]) / 2, side_in)[0]
    if not np.isfinite(middle).all():
        return None
    return side_in * camera.px_per_inch(middle[0], middle[1], side_in)


def _level_normals(faces: Sequence[FaceRead], corner: FloatArray, camera: TableCamera) -> FloatArray:
    """(N, 2) parts across the line of sight of the table's unit normal, at the faces."""
    tables = camera.pixel_to_table(np.array([face.centre_px for face in faces]).reshape(-1, 2) + corner)
    sight = camera.position_in - np.c_[tables, np.zeros(len(tables))]
    sight /= np.linalg.norm(sight, axis=1, keepdims=True)
    across = np.array([0.0, 0.0, 1.0]) - sight * sight[:, 2:]
    return np.asarray((across @ camera.rotation.T)[:, :2])


def _hints(networks: DiceNetworks, picture: Pyramid, side_px: float | None) -> Iterator[DieHint]:
    """The finder's hints at all sizes, in pixels of the picture."""
    for scale in _scales(max(picture.size_px), side_px):
        for hint in networks.find(picture.reduced(scale)):
            centre_px, hint_side_px = (hint.centre_px + 0.5) / scale - 0.5, hint.side_px / scale
            if side_px is None or 1 / _SIZE_SLACK < hint_side_px / side_px < _SIZE_SLACK:
                yield replace(hint, centre_px=centre_px, side_px=hint_side_px)


def _scales(longer_px: int, side_px: float | None) -> list[float]:
    """Scales at which the finder searches a picture, the smallest first."""
    if side_px is not None:
        return [min(_KNOWN_PX, FOUND_PX[1] / 1.5) / side_px] if side_px > _KNOWN_PX else [1.0]
    scales = [length / longer_px for length in _LEVELS_PX if length < longer_px]
    if not scales or (scales[-1] < _FINE and longer_px < _LEVELS_PX[-1]):
        scales.append(1.0)
    enough = next((k for k, scale in enumerate(scales) if scale >= _FINE), len(scales))
    return scales[: enough + 1]


def _second_hints(faces: Sequence[FaceRead]) -> Iterator[DieHint]:
    """Places above faces that may be on the side of a die, or, if the camera is oblique, were read too low.

    Where another face is clear, nothing is left to find.
    """
    clear = [face for face in faces if face.chances[:NOTHING].max() > _CLEAR]
    tilts = [np.linalg.norm(face.normal) for face in faces if 1 - face.chances[NOTHING] > _LEAST_DIE]
    oblique = bool(tilts) and np.mean(tilts) > _OBLIQUE
    for face in faces:
        side = face.normal[1] > _DOWN or (oblique and face.chances.max() < _CLEAR)
        if side and 1 - face.chances[NOTHING] > _LEAST_DIE:
            hint = hint_above(face)
            if not is_known(hint, (other for other in clear if other is not face)):
                yield hint


def _apart(faces: Sequence[FaceRead]) -> list[FaceRead]:
    """Without faces that overlap a clearer one."""
    kept: list[FaceRead] = []
    for face in sorted(faces, key=lambda face: -float(face.chances[:NOTHING].max())):
        if not is_known(face, kept):
            kept.append(face)
    return kept


def _of_one_size(faces: Sequence[FaceRead]) -> list[FaceRead]:
    """Without faces much smaller or larger than those that are clear; spots look like small dice."""
    if not faces:
        return []
    usual = usual_side_px([(face.side_px, face.chances) for face in faces])
    return [face for face in faces if 1 / _UNLIKE < face.side_px / usual < _UNLIKE]


def _part(faces: Sequence[FaceRead], kind: DieKind | None) -> slice:
    """The outputs for the given kind; if None, for the kind that explains more."""
    if kind is not None:
        return D6 if kind is DieKind.D6 else FUDGE
    votes = [(face.hint * face.chances) ** 2 for face in faces]  # squared: many weak ones do not outvote a clear sign
    chances = np.sum(votes or [np.zeros(NOTHING + 1)], axis=0)
    minus, blank, plus = chances[FUDGE]
    signs = minus + plus
    return FUDGE if signs + min(BLANK * blank, _MOST_BLANKS * signs) > chances[D6].sum() else D6


def _die(face: FaceRead, part: slice, corner: FloatArray, leans: bool) -> DieSeen:
    best, odds = face.likeliest(part)
    corners = [
        face.centre_px + corner + face.half_px @ np.array(signs) for signs in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ]
    return DieSeen(
        face=FACES[best],
        kind=DieKind.D6 if part == D6 else DieKind.FUDGE,
        outline_px=tuple((float(x), float(y)) for x, y in corners),
        confidence=min(confidence(odds), _MOST_LEANING if leans else 1.0),
        cocked=leans,
    )
