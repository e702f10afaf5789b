"""Two small networks that read dice: the finder marks top faces in a picture, the reader reads each in a crop.

Both were trained on dice that this project rendered (`training/dice`); OpenCV runs them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Protocol

import numpy as np
import numpy.typing as npt

from calibration.opencv import cv2
from rules.tabletop.table import FloatArray
from vision.dice.pyramid import Pyramid
from vision.frame import ImageBgr

FloatImage = npt.NDArray[np.float32]
FACES = (1, 2, 3, 4, 5, 6, -1, 0, 1)
"""In the order of the reader's outputs: six-sided dice, then Fudge dice; the last output is no top face."""

D6, FUDGE, NOTHING = slice(0, 6), slice(6, 9), 9
FOUND_PX = (9.0, 60.0)
"""Sides of the dice that the finder finds."""

_OUTPUTS = 20  # of the reader: scores (10), leaning, offset (2), stretch (3), turn (2), normal (2)
_CELL_PX, _USUAL_PX = 4, 24.0  # pixels of the picture for each output of the finder, and its unit of size
_STRIDE_PX = 16  # sides of pictures are multiples of this
_LEAST_CHANCE = 0.35  # of the finder, from which the reader looks
_SAME_PLACE, _SAME_SIZE = 0.25, 1.6  # distance in sides and ratio of sides below which two hints are one
_AT_ONCE = 16  # crops; more do not fit into the processor's cache and take a fifth longer
_CROP_PX, _SIDE_PX = 64, 28.0  # a crop, and the side of the die in it
_VIEWS: tuple[tuple[tuple[float, bool], ...], ...] = (
    ((0.0, False),),
    ((45.0, False),),
    ((110.0, True), (20.0, True), (160.0, False), (65.0, True)),
)
"""Turns in degrees and mirrorings in which a die is shown: at first, at its corrected place, and if still in doubt."""

_DOUBT = 0.97  # probability of the best face below which the last views are shown
_ONE_DIE = 0.55  # distance of two top faces, in sides, up to which they are one die
_UNLIKE = 2.5  # ratio of a die's side and the usual one, above which more views are in vain
BLANK = 0.3
"""Weight of a blank for the decisions on size and kind: other things look like it."""
_SHARES = np.where(np.arange(NOTHING) == FACES.index(0), BLANK, 1.0)
_NO_DIE = (0.9, 0.75)  # probability above which no further view is needed: after the first, and after more
CONFIDENCE_WEIGHTS = (1.0, 1.0, -4.0)
"""Log odds that a face is right: weights of the reader's and of the finder's log odds, and a constant. For dice that
were not used for training `training.dice.calibrate` fits 1.0, 1.3 and -2.1; for a usual die this is 2.4 less: errors on
photographs are taken to be eleven times as frequent."""


class _Sized(Protocol):
    @property
    def centre_px(self) -> FloatArray: ...
    @property
    def side_px(self) -> float: ...


@dataclass(frozen=True, slots=True, eq=False)
class DieHint:
    """A place where the finder expects a top face.

    Attributes:
        centre_px: (2,) in the picture.
        side_px: Of the square of the same area.
        chance: The finder's probability, 0 to 1.
    """

    centre_px: FloatArray
    side_px: float
    chance: float


@dataclass(frozen=True, slots=True, eq=False)
class FaceRead:
    """The reader's result for a hint.

    Attributes:
        centre_px: (2,) middle of the top face in the picture.
        half_px: (2, 2) columns: from the middle to the middles of two edges.
        chances: (10,) probability of each of `FACES`, and of no top face.
        hint: The finder's probability.
        leaning: Probability that the die leans, by the look of it alone.
        normal: (2,) part of the top's unit normal across the line of sight, in the picture's directions.
    """

    centre_px: FloatArray
    half_px: FloatArray
    chances: FloatArray
    hint: float
    leaning: float
    normal: FloatArray

    def likeliest(self, kind: slice) -> tuple[int, FloatArray]:
        """The output of the likeliest face of a kind of dice, and (2,) the reader's and the finder's log odds of it."""
        best = int(np.argmax(self.chances[kind])) + kind.start
        chance = self.chances[best] / (self.chances[kind].sum() + self.chances[NOTHING])
        both = np.clip([chance, self.hint], 1e-6, 1 - 1e-6)
        return best, np.log(both / (1 - both))

    @property
    def side_px(self) -> float:
        """Side of the square of the same area."""
        return _side_px(self.half_px)

    @property
    def long_px(self) -> float:
        """Side of the die, which an oblique view does not shorten: twice the spectral norm of `half_px`."""
        (a, b), (c, d) = self.half_px.tolist()  # numpy takes 20 times as long for so small a matrix
        return math.hypot(a + d, b - c) + math.hypot(a - d, b + c)


def _side_px(half_px: FloatArray) -> float:
    """Side of the square of the same area as a face with these half sides."""
    (a, b), (c, d) = half_px.tolist()
    return 2 * math.sqrt(abs(a * d - b * c) + 1e-9)


def confidence(odds: FloatArray) -> float:
    """Probability that a face is right, from the log odds of `FaceRead.likeliest`."""
    reader, finder, constant = CONFIDENCE_WEIGHTS
    return float(1 / (1 + np.exp(-(reader * odds[0] + finder * odds[1] + constant))))


class DiceNetworks:
    """The loaded networks; do not share them between threads."""

    def __init__(self) -> None:
        self._finder, self._reader = _network("dice_finder.onnx"), _network("face_reader.onnx")

    def find(self, image: ImageBgr) -> list[DieHint]:
        """Places of top faces with sides within `FOUND_PX`, the likeliest first."""
        height, width = image.shape[:2]
        below, beside = -height % _STRIDE_PX, -width % _STRIDE_PX
        padded = cv2.copyMakeBorder(image, 0, below, 0, beside, cv2.BORDER_REPLICATE)
        self._finder.setInput(cv2.dnn.blobFromImage(padded))
        odds, across, down, size = np.asarray(self._finder.forward(), np.float32)[0]
        chance = 1 / (1 + np.exp(-odds))
        peak = (chance >= cv2.dilate(chance, np.ones((3, 3), np.uint8))) & (chance > _LEAST_CHANCE)
        hints = []
        for row, column in np.argwhere(peak).tolist():
            x = _CELL_PX * (column + across[row, column]) + (_CELL_PX - 1) / 2
            y = _CELL_PX * (row + down[row, column]) + (_CELL_PX - 1) / 2
            side = _USUAL_PX * math.exp(float(np.clip(size[row, column], -3, 3)))
            if FOUND_PX[0] <= side <= FOUND_PX[1] and 0 <= x < width and 0 <= y < height:
                hints.append(DieHint(np.array([x, y], np.float64), side, float(chance[row, column])))
        return sorted(hints, key=lambda hint: -hint.chance)

    def read(self, picture: Pyramid, hints: Sequence[DieHint]) -> list[FaceRead]:
        """The reader's results: for each hint the mean over several views of it.

        A hint that overlaps a likelier one waits for its result, and has none if that die's face is clear.
        """
        dice = [_Views(picture, hint) for hint in sorted(hints, key=lambda hint: -hint.chance)]
        apart = [k for k, die in enumerate(dice) if not is_known(die, dice[:k])]
        waiting = [k for k in range(len(dice)) if k not in apart]
        clear: list[_Views] = []
        for wave in (apart, waiting):
            for views in _VIEWS:
                asked = [dice[k] for k in wave if dice[k].in_doubt and not is_known(dice[k], clear)]
                if views is not _VIEWS[0]:
                    asked = _of_one_size(asked, dice)
                self._show(asked, views)
                clear += [die for die in asked if die.is_clear]
        return [die.result() for die in dice if die.is_seen]

    def _show(self, dice: Sequence[_Views], views: Sequence[tuple[float, bool]]) -> None:
        """Show the reader these views of each die."""
        crops = [die.crop(math.radians(turn), mirrored) for die in dice for turn, mirrored in views]
        outputs = self._outputs([crop for crop, _ in crops])
        for k, (_, to_crop) in enumerate(crops):
            dice[k // len(views)].add(outputs[k], to_crop)

    def _outputs(self, crops: Sequence[ImageBgr]) -> FloatImage:
        outputs = [np.zeros((0, _OUTPUTS), np.float32)]
        for first in range(0, len(crops), _AT_ONCE):
            self._reader.setInput(cv2.dnn.blobFromImages(list(crops[first : first + _AT_ONCE])))
            outputs.append(np.asarray(self._reader.forward(), np.float32))
        return np.concatenate(outputs)


class _Views:
    """A die as the reader saw it so far, in turned and mirrored crops."""

    def __init__(self, picture: Pyramid, hint: DieHint) -> None:
        self._picture, self.centre_px, self._side, self._hint = picture, hint.centre_px, hint.side_px, hint.chance
        self._half = np.eye(2) * hint.side_px / 2
        self._scores: list[FloatArray] = []
        self.chances: FloatArray = np.zeros(NOTHING + 1)  # from the mean of the scores
        self._leans: list[float] = []
        self._normals: list[FloatArray] = []

    @property
    def side_px(self) -> float:
        """Side of the square of the same area."""
        return self._side

    @property
    def is_seen(self) -> bool:
        """Whether the reader saw it at all."""
        return bool(self._scores)

    @property
    def in_doubt(self) -> bool:
        """Whether another view may help."""
        if not self._scores:
            return True
        again = len(self._scores) > 1
        if self.chances[NOTHING] > _NO_DIE[again]:
            return False
        return not again or bool(self.chances.max() < _DOUBT)

    @property
    def is_clear(self) -> bool:
        """Whether further views would change nothing, because its face is certain."""
        return len(self._scores) > 1 and bool(self.chances[:NOTHING].max() > _DOUBT)

    def crop(self, turn_rad: float, mirrored: bool) -> tuple[ImageBgr, FloatArray]:
        """A crop around the die, and the (2, 3) map from the picture to it."""
        scale = _SIDE_PX / self._side
        level, own = self._picture.level(scale)
        c, s = scale * math.cos(turn_rad), scale * math.sin(turn_rad)
        turn = np.array([[c, -s], [s, c]]) @ np.diag([-1.0 if mirrored else 1.0, 1.0])
        to_crop = np.hstack([turn, ((_CROP_PX - 1) / 2 - turn @ self.centre_px)[:, None]])
        middle = np.full(2, 0.5 / own - 0.5)  # of the level's first pixel, in the picture
        warp = np.hstack([turn / own, (to_crop[:, 2] + turn @ middle)[:, None]])
        size = (_CROP_PX, _CROP_PX)
        crop = cv2.warpAffine(level, warp, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(crop, np.uint8), to_crop

    def add(self, output: FloatImage, to_crop: FloatArray) -> None:
        """Note the reader's output for a crop; the first corrects place and size."""
        self._scores.append(output[:10].astype(np.float64))
        scores = np.mean(self._scores, axis=0)
        weights = np.exp(scores - scores.max())
        self.chances = weights / weights.sum()
        self._leans.append(float(output[10]))
        back = np.linalg.inv(to_crop[:, :2])
        self._normals.append(back @ output[18:20] / math.sqrt(abs(np.linalg.det(back))))
        moved = np.clip(output[11:13], -0.4, 0.4) * _SIDE_PX
        centre = self.centre_px + back @ moved if len(self._scores) == 1 else self.centre_px
        half = back @ _half_side(output[13:18])
        self._half, self.centre_px = half, centre
        if len(self._scores) == 1:
            self._side = float(np.clip(_side_px(half), 0.7 * self._side, 1.4 * self._side))

    def result(self) -> FaceRead:
        leaning = 1 / (1 + math.exp(-float(np.clip(np.mean(self._leans), -30, 30))))
        normal = np.mean(self._normals, axis=0)
        return FaceRead(self.centre_px, self._half, self.chances, self._hint, leaning, normal)


def _of_one_size(dice: Sequence[_Views], others: Sequence[_Views]) -> list[_Views]:
    """Without dice that will be left out, because they are much smaller or larger than the usual one of the others."""
    if not dice:
        return []
    usual = usual_side_px([(die.side_px, die.chances) for die in others if die.is_seen])
    return [die for die in dice if 1 / _UNLIKE < die.side_px / usual < _UNLIKE]


def usual_side_px(dice: Sequence[tuple[float, FloatArray]]) -> float:
    """Median of the sides, weighted by how clear the dice's faces are: spots look like small dice."""
    ordered = sorted(dice, key=lambda die: die[0])
    weights = np.cumsum([(chances[:NOTHING] * _SHARES).max() ** 4 for _, chances in ordered])
    return ordered[int(np.searchsorted(weights, weights[-1] / 2))][0]


def _half_side(shape: FloatImage) -> FloatArray:
    """(2, 2) half sides of a top face in a crop, from its stretch (3) and the cosine and sine of 4 times its turn."""
    stretch = np.array([[shape[0], shape[1]], [shape[1], shape[2]]], np.float64)
    turn = math.atan2(shape[4], shape[3]) / 4
    c, s = math.cos(turn), math.sin(turn)
    return np.asarray(stretch @ np.array([[c, -s], [s, c]]) * _SIDE_PX / 2)


def _network(name: str) -> cv2.dnn.Net:
    weights = resources.files("vision.dice").joinpath(name).read_bytes()
    return cv2.dnn.readNetFromONNX(np.frombuffer(weights, np.uint8))


def without_duplicates(hints: Sequence[DieHint]) -> Iterator[DieHint]:
    """Without hints that repeat a likelier one.

    A hint of another size, or beside the middle, stays: the reader knows better which of them is a die.
    """
    kept: list[DieHint] = []
    for hint in sorted(hints, key=lambda hint: -hint.chance):
        if not any(_is_same(hint, other) for other in kept):
            kept.append(hint)
            yield hint


def is_known(one: _Sized, others: Iterable[_Sized]) -> bool:
    """Whether a top face is too near to another to be that of a second die."""
    return any(
        math.dist(one.centre_px, other.centre_px) <= _ONE_DIE * min(one.side_px, other.side_px) for other in others
    )


def _is_same(hint: DieHint, other: DieHint) -> bool:
    smaller, larger = sorted((hint.side_px, other.side_px))
    return larger < _SAME_SIZE * smaller and math.dist(hint.centre_px, other.centre_px) < _SAME_PLACE * smaller
