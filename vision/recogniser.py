"""Three small networks that look at a sheet and say who stands there: where, how, and which way he looks.

The finder looks at tiles and says where somebody may stand; the judge looks at each of those again, from the middle;
whoever it believes in is looked at more closely, from where it says that he stands, in the photo itself. All were
trained on pictures the project makes itself (`benchmarks/training`); OpenCV runs them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import resources

import numpy as np

from calibration.opencv import cv2
from rules.table import FloatArray, Posture
from vision.palette import FloatImage
from vision.tiles import (
    CLOSER_PX_PER_IN,
    CROP_PX,
    CROP_PX_PER_IN,
    TILE_PX,
    TILE_PX_PER_IN,
    Place,
    View,
    crop_at,
    cut,
    cut_finely,
)

POSTURES = (Posture.STANDING, Posture.KNEELING, Posture.PRONE, Posture.DOWN)
"""In the order of the answers."""

_CELL_PX = 4  # of a tile, for which the finder has one answer
_BATCH = 16  # tiles at a time, so that layers stay in the processor's cache
_MARGIN_PX = 10.0  # what stands nearer to a tile's rim is only half seen in it
_MIN_HINT_CHANCE = 0.15  # the finder's chance below which the judge is not asked
_SECOND_LOOK_CHANCE = 0.1  # the judge's chance from which it looks again
_ANSWERS = 10  # answers; what follows them is the last hidden layer
_LAYERS = ("onnx_node!/17/Relu", "said")
_MIRROR_SIGNS = np.array([1, 1, 1, 1, 1, 1, -1, 1, -1, 1], np.float32)  # answers that change sides: facing, place
_NO_FEATURES = np.zeros(0, np.float32)
# Odds that there is somebody, as `benchmarks.training.check` fits them: by how much the judge's are too low; and what
# becomes of the mean of the judge's and the closer look's, from where he stands.
_JUDGE_BIAS = 1.17
_MEAN_BIAS, _MEAN_GAIN = 0.67, 0.83
_MIN_SEPARATION_IN = 0.42  # two cannot stand nearer together


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Somebody who may stand on a sheet.

    Attributes:
        column, row: Of the sheet, where his base's middle is (of a casualty: his own).
        chance: 0 to 1, that there is somebody.
        sigma_in: One standard deviation of the place along one axis, for 54 mm soldiers.
        postures: Chance of each of `POSTURES`.
        facing_rad: Where he looks, from the columns' towards the rows' direction.
        facing_confidence: 0 to about 1, how far that can be told.
        features: What the networks' last hidden layers make of it: the judge's, then the closer look's. Empty where
            only one of them has looked.
    """

    column: float
    row: float
    chance: float
    sigma_in: float
    postures: tuple[float, ...]
    facing_rad: float
    facing_confidence: float
    features: FloatImage


@dataclass(frozen=True, slots=True, eq=False)
class Hint:
    """Where the finder thinks that somebody stands: (2,) column and row of the sheet.

    Attributes:
        at: Column and row.
        chance: 0 to 1, as the finder sees it.
        zoom: Sheet pixels per tile pixel there.
    """

    at: FloatArray
    chance: float
    zoom: float


@dataclass(frozen=True, slots=True, eq=False)
class SecondLook:
    """The second look, from where the judge says that he stands.

    Attributes:
        place: Where the closer look lay.
        judged, closer: (10 + H,) The answers of the judge and of the closer look: odds that there is somebody, of the
            postures (4), facing (2), offset (2) px and its log sigma; then the last hidden layer.
    """

    place: Place
    judged: FloatImage
    closer: FloatImage


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """What the networks say of one hint: the judge at first; where he believes it a little, both once more."""

    first: Candidate
    second: SecondLook | None = None

    @property
    def candidate(self) -> Candidate:
        """Who stands there: where, and which way he looks, as the closer look says; whether, and how, as both do."""
        if self.second is None:
            return self.first
        both = np.asarray((self.second.judged + self.second.closer) / 2, np.float32)
        chance = _chance(_MEAN_BIAS + _MEAN_GAIN * float(both[0]))
        seen = _candidate(self.second.place, self.second.closer, CLOSER_PX_PER_IN)
        features = np.concatenate([self.second.judged[_ANSWERS:], self.second.closer[_ANSWERS:]])
        return replace(seen, chance=chance, postures=_postures(both), features=features)


class Recogniser:
    """The networks, loaded; not to be shared between threads."""

    def __init__(self) -> None:
        self._finder, self._judge, self._closer = (_network(f"{name}.onnx") for name in ("finder", "judge", "closer"))

    def look(self, view: View, places: Sequence[Place]) -> list[Candidate]:
        """Everybody in tiles laid at these places, the likeliest first."""
        found = [look.candidate for look in self.looks(view, self.hints(view, places))]
        return sorted(found, key=lambda one: -one.chance)

    def hints(self, view: View, places: Sequence[Place]) -> list[Hint]:
        """Where the finder thinks that somebody stands, in tiles laid at these places."""
        hints: list[Hint] = []
        for some in _batches(places):
            answers = _answers(self._finder, np.stack([cut(view, place) for place in some]))
            for place, answer in zip(some, answers, strict=True):
                hints += _hints(place, answer)
        return _without_duplicates(hints, _MIN_SEPARATION_IN * TILE_PX_PER_IN)

    def looks(self, view: View, hints: Sequence[Hint]) -> list[Look]:
        """What the judge says of each; of those who may be somebody, what both say who look from where he stands."""
        places = [crop_at(view.eye_px, hint.at, hint.zoom) for hint in hints]
        first = [
            _candidate(*one, CROP_PX_PER_IN) for one in zip(places, self._judge_answers(view, places), strict=True)
        ]
        looks = [Look(one) for one in first]
        again = [k for k, one in enumerate(first) if one.chance > _SECOND_LOOK_CHANCE]
        feet = [(np.array([first[k].column, first[k].row]), hints[k].zoom) for k in again]
        judged = self._judge_answers(view, [crop_at(view.eye_px, at, zoom) for at, zoom in feet])
        places = [crop_at(view.eye_px, at, zoom, CLOSER_PX_PER_IN) for at, zoom in feet]
        for k, place, one, closer in zip(again, places, judged, self._closer_answers(view, places), strict=True):
            looks[k] = Look(first[k], SecondLook(place, one, closer))
        return looks

    def _judge_answers(self, view: View, places: Sequence[Place]) -> list[FloatImage]:
        """The judge's answers."""
        return [answer for crops in _crops(cut, view, places) for answer in _answers_and_features(self._judge, crops)]

    def _closer_answers(self, view: View, places: Sequence[Place]) -> list[FloatImage]:
        """The closer look's answers: the mean of what is seen as it is and mirrored."""
        answers: list[FloatImage] = []
        for crops in _crops(cut_finely, view, places):
            straight = _answers_and_features(self._closer, crops)
            mirrored = _answers_and_features(self._closer, np.ascontiguousarray(crops[:, :, ::-1]))
            mirrored[:, :_ANSWERS] *= _MIRROR_SIGNS
            answers += list((straight + mirrored) / 2)
        return answers


def _crops(cutter: Callable[[View, Place], FloatImage], view: View, places: Sequence[Place]) -> Iterator[FloatImage]:
    """What a network is shown of so many places at a time."""
    return (np.stack([cutter(view, place) for place in some]) for some in _batches(places))


def _batches(places: Sequence[Place]) -> Iterator[Sequence[Place]]:
    return (places[start : start + _BATCH] for start in range(0, len(places), _BATCH))


def _network(name: str) -> cv2.dnn.Net:
    weights = resources.files("vision").joinpath(name).read_bytes()
    return cv2.dnn.readNetFromONNX(np.frombuffer(weights, np.uint8))


def _answers(network: cv2.dnn.Net, shown: FloatImage) -> FloatImage:
    network.setInput(shown)
    return np.asarray(network.forward(), np.float32)


def _answers_and_features(network: cv2.dnn.Net, shown: FloatImage) -> FloatImage:
    """(N, 10 + H) answers and last hidden layer; the layer is computed anyway."""
    network.setInput(shown)
    hidden, answers = network.forward(_LAYERS)
    return np.hstack([answers, hidden]).astype(np.float32)


def _hints(place: Place, answer: FloatImage) -> Iterator[Hint]:
    """Where the finder's chance is highest among its neighbours."""
    chance = 1 / (1 + np.exp(-answer[0]))
    peak = (chance >= cv2.dilate(chance, np.ones((3, 3), np.uint8))) & (chance > _MIN_HINT_CHANCE)
    for down, across in np.argwhere(peak).tolist():
        at = np.array([across, down]) * _CELL_PX + (_CELL_PX - 1) / 2 + answer[1:3, down, across].astype(np.float64)
        if at.min() > _MARGIN_PX and at.max() < TILE_PX - 1 - _MARGIN_PX:
            yield Hint(place.to_sheet(at[None])[0], float(chance[down, across]), place.zoom)


def _without_duplicates(hints: Sequence[Hint], least_px: float) -> list[Hint]:
    """The likeliest of those who are nearer together than two can stand; tiles overlap."""
    kept: list[Hint] = []
    for hint in sorted(hints, key=lambda hint: -hint.chance):
        if all(math.dist(hint.at, other.at) >= least_px * hint.zoom for other in kept):
            kept.append(hint)
    return kept


def _candidate(place: Place, answers: FloatImage, px_per_in: float) -> Candidate:
    at = (CROP_PX - 1) / 2 + answers[7:9].astype(np.float64)
    column, row = place.to_sheet(at[None])[0]
    return Candidate(
        column=float(column),
        row=float(row),
        chance=_chance(_JUDGE_BIAS + float(answers[0])),
        sigma_in=math.exp(float(np.clip(answers[9], -3, 3))) / px_per_in,
        postures=_postures(answers),
        facing_rad=math.atan2(answers[6], answers[5]) + place.turn_rad,
        facing_confidence=float(np.hypot(answers[5], answers[6])),
        features=_NO_FEATURES,
    )


def _chance(odds: float) -> float:
    return 1 / (1 + math.exp(-min(max(odds, -30.0), 30.0)))


def _postures(answers: FloatImage) -> tuple[float, ...]:
    weights = np.exp(answers[1:5] - answers[1:5].max())
    return tuple((weights / weights.sum()).tolist())
