"""Small networks that find figures on a rectified image: place, posture and facing.

The finder searches tiles for places where a figure may stand. The judge examines each of those hints in a crop centred
on it. If the judge finds a figure likely, a close-up network examines a crop of the photo itself, centred on the place
that the judge gives; where the camera looks obliquely, one that was trained for that. All were trained on pictures made
by this project (`training/finder`); OpenCV runs them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import resources

import numpy as np

from calibration.opencv import cv2
from rules.tabletop.table import FloatArray, Posture
from vision.palette import FloatImage
from vision.tiles import (
    CLOSER_PX_PER_IN,
    CROP_PX,
    CROP_PX_PER_IN,
    TILE_PX,
    TILE_PX_PER_IN,
    NetworkView,
    Place,
    crop_at,
    cut,
    cut_photo_tile,
)

POSTURES = (Posture.STANDING, Posture.KNEELING, Posture.PRONE, Posture.DOWN)
"""In the order of the networks' outputs."""

_CELL_PX = 4  # of a tile; the finder has one output per cell
_BATCH = 16  # tiles at a time, so that the layers fit into the processor's cache
_MARGIN_PX = 10.0  # figures nearer to the edge of a tile are cut off
_MIN_HINT_CHANCE = 0.15  # the finder's chance from which the judge examines a hint
_SECOND_LOOK_CHANCE = 0.1  # the judge's chance from which a candidate is examined again
_OUTPUTS = 10  # number of outputs; the last hidden layer follows them
_MIRROR_SIGNS = np.array([1, 1, 1, 1, 1, 1, -1, 1, -1, 1], np.float32)  # facing and place change sides
_NO_FEATURES = np.zeros(0, np.float32)
# Calibration of the log odds that there is a figure, fitted by `training.finder.check`: the judge's bias; and bias
# and gain of the mean of the judge and each close-up network.
_JUDGE_BIAS = 1.17
_MEAN_BIAS, _MEAN_GAIN = 0.67, 0.83
_OBLIQUE_BIAS, _OBLIQUE_GAIN = 1.2, 0.87
_OBLIQUE_SIGMA = 1.4  # the oblique network's error / its own sigma, relative to the other close-up network's
_MIN_SEPARATION_IN = 0.42  # figures do not stand nearer together
# Where the camera looks obliquely, the judge places figures too far away from it. Fitted to the figures of random
# tables: the median error grows with the square of the lean above this one.
_UNBIASED_LEAN, _OUTWARD_IN = 0.5, 0.10


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A place on a rectified image where a figure may stand.

    Attributes:
        column, row: Of the rectified image: middle of the base; of a casualty, of its outline.
        chance: Probability of a figure, 0 to 1.
        sigma_in: One standard deviation of the place along one axis, for 54 mm soldiers.
        postures: Probability of each of `POSTURES`.
        facing_rad: Direction in which the figure looks, from the columns' towards the rows' direction.
        facing_confidence: 0 to about 1.
        features: Last hidden layers of the judge, then of the close-up network; empty unless both have examined it.
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
    """A place where the finder expects a figure.

    Attributes:
        at: (2,) column and row of the rectified image.
        chance: The finder's probability, 0 to 1.
        zoom: Sheet pixels per tile pixel there.
    """

    at: FloatArray
    chance: float
    zoom: float


@dataclass(frozen=True, slots=True, eq=False)
class SecondLook:
    """The second examination, centred on the place that the judge gave first.

    Attributes:
        place: Placement of the close-up network's crop.
        judged, closer: (10 + H,) outputs of the judge and of a close-up network: log odds of a figure, scores of the
            postures (4), facing (2), offset (2) in pixels and its log sigma; then the last hidden layer.
    """

    place: Place
    judged: FloatImage
    closer: FloatImage


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """The networks' results for one hint: the judge's, and if that is at all likely, a second look by both."""

    first: Candidate
    second: SecondLook | None = None

    @property
    def candidate(self) -> Candidate:
        """The result: place and facing by the close-up network; chance and posture by the mean of both."""
        if self.second is None:
            return self.first
        place, judged, closer = self.second.place, self.second.judged, self.second.closer
        both = np.asarray((judged + closer) / 2, np.float32)
        seen = _candidate(place, closer, CLOSER_PX_PER_IN)
        bias, gain, sigma_in = _MEAN_BIAS, _MEAN_GAIN, seen.sigma_in
        if place.is_oblique:
            bias, gain, sigma_in = _OBLIQUE_BIAS, _OBLIQUE_GAIN, _OBLIQUE_SIGMA * sigma_in / place.squeeze
        chance, features = _chance(bias + gain * float(both[0])), np.concatenate([judged[_OUTPUTS:], closer[_OUTPUTS:]])
        return replace(seen, chance=chance, sigma_in=sigma_in, postures=_postures(both), features=features)


class Recogniser:
    """The loaded networks; do not share them between threads."""

    def __init__(self) -> None:
        self._finder, self._judge = _network("finder.onnx"), _network("judge.onnx")
        self._closer, self._oblique = _network("closer.onnx"), _network("closer_oblique.onnx")

    def candidates(self, view: NetworkView, places: Sequence[Place]) -> list[Candidate]:
        """Candidates in tiles at these places, the likeliest first."""
        found = [look.candidate for look in self.looks(view, self.hints(view, places))]
        return sorted(found, key=lambda one: -one.chance)

    def hints(self, view: NetworkView, places: Sequence[Place]) -> list[Hint]:
        """The finder's hints in tiles at these places."""
        hints: list[Hint] = []
        for some in _batches(places):
            outputs = _outputs(self._finder, np.stack([cut(view, place) for place in some]))
            for place, output in zip(some, outputs, strict=True):
                hints += _hints(place, output)
        return _without_duplicates(hints, _MIN_SEPARATION_IN * TILE_PX_PER_IN)

    def looks(self, view: NetworkView, hints: Sequence[Hint]) -> list[Look]:
        """The judge's result for each hint, with a second look at each that is at all likely."""
        places = [crop_at(view.eye_px, hint.at, hint.zoom) for hint in hints]
        first = [
            _candidate(*one, CROP_PX_PER_IN) for one in zip(places, self._judge_outputs(view, places), strict=True)
        ]
        looks = [Look(one) for one in first]
        again = [k for k, one in enumerate(first) if one.chance > _SECOND_LOOK_CHANCE]
        feet = [(_unbiased(first[k], places[k]), hints[k].zoom) for k in again]
        judged = self._judge_outputs(view, [crop_at(view.eye_px, at, zoom) for at, zoom in feet])
        places = [crop_at(view.eye_px, at, zoom, CLOSER_PX_PER_IN) for at, zoom in feet]
        for k, place, one, closer in zip(again, places, judged, self._closer_outputs(view, places), strict=True):
            looks[k] = Look(first[k], SecondLook(place, one, closer))
        return looks

    def _judge_outputs(self, view: NetworkView, places: Sequence[Place]) -> list[FloatImage]:
        """The judge's outputs."""
        return [output for crops in _crops(cut, view, places) for output in _outputs_and_features(self._judge, crops)]

    def _closer_outputs(self, view: NetworkView, places: Sequence[Place]) -> list[FloatImage]:
        """The close-up networks' outputs: the mean over the crop and its mirror image."""
        outputs: dict[int, FloatImage] = {}
        for network, oblique in ((self._closer, False), (self._oblique, True)):
            here = [k for k, place in enumerate(places) if place.is_oblique is oblique]
            found: list[FloatImage] = []
            for crops in _crops(cut_photo_tile, view, [places[k] for k in here]):
                straight = _outputs_and_features(network, crops)
                mirrored = _outputs_and_features(network, np.ascontiguousarray(crops[:, :, ::-1]))
                mirrored[:, :_OUTPUTS] *= _MIRROR_SIGNS
                found += list((straight + mirrored) / 2)
            outputs |= dict(zip(here, found, strict=True))
        return [outputs[k] for k in range(len(places))]


def _crops(
    cutter: Callable[[NetworkView, Place], FloatImage], view: NetworkView, places: Sequence[Place]
) -> Iterator[FloatImage]:
    """Inputs of a network for some places, in batches."""
    return (np.stack([cutter(view, place) for place in some]) for some in _batches(places))


def _batches(places: Sequence[Place]) -> Iterator[Sequence[Place]]:
    return (places[start : start + _BATCH] for start in range(0, len(places), _BATCH))


def _network(name: str) -> cv2.dnn.Net:
    weights = resources.files("vision").joinpath(name).read_bytes()
    return cv2.dnn.readNetFromONNX(np.frombuffer(weights, np.uint8))


def _outputs(network: cv2.dnn.Net, shown: FloatImage) -> FloatImage:
    network.setInput(shown)
    return np.asarray(network.forward(), np.float32)


def _outputs_and_features(network: cv2.dnn.Net, shown: FloatImage) -> FloatImage:
    """(N, 10 + H) outputs, then the last hidden layer, which is computed anyway."""
    network.setInput(shown)
    # OpenCV names the layers while it reads them, and another version may name them differently.
    names = network.getLayerNames()
    last_hidden = next(name for name in reversed(names) if network.getLayer(name).type == "ReLU")
    hidden, outputs = network.forward((last_hidden, names[-1]))
    return np.hstack([outputs, hidden]).astype(np.float32)


def _hints(place: Place, output: FloatImage) -> Iterator[Hint]:
    """Local maxima of the finder's probability."""
    chance = 1 / (1 + np.exp(-output[0]))
    peak = (chance >= cv2.dilate(chance, np.ones((3, 3), np.uint8))) & (chance > _MIN_HINT_CHANCE)
    for down, across in np.argwhere(peak).tolist():
        at = np.array([across, down]) * _CELL_PX + (_CELL_PX - 1) / 2 + output[1:3, down, across].astype(np.float64)
        if at.min() > _MARGIN_PX and at.max() < TILE_PX - 1 - _MARGIN_PX:
            yield Hint(place.to_rectified(at[None])[0], float(chance[down, across]), place.zoom)


def _without_duplicates(hints: Sequence[Hint], least_px: float) -> list[Hint]:
    """Without hints too near to a likelier one: tiles overlap."""
    kept: list[Hint] = []
    for hint in sorted(hints, key=lambda hint: -hint.chance):
        if all(math.dist(hint.at, other.at) >= least_px * hint.zoom for other in kept):
            kept.append(hint)
    return kept


def _candidate(place: Place, outputs: FloatImage, px_per_in: float) -> Candidate:
    at = (CROP_PX - 1) / 2 + outputs[7:9].astype(np.float64)
    column, row = place.to_rectified(at[None])[0]
    return Candidate(
        column=float(column),
        row=float(row),
        chance=_chance(_JUDGE_BIAS + float(outputs[0])),
        sigma_in=math.exp(float(np.clip(outputs[9], -3, 3))) / px_per_in,
        postures=_postures(outputs),
        facing_rad=math.atan2(outputs[6], outputs[5]) + place.turn_rad,
        facing_confidence=float(np.hypot(outputs[5], outputs[6])),
        features=_NO_FEATURES,
    )


def _unbiased(one: Candidate, place: Place) -> FloatArray:
    """(2,) column and row that the judge gives, nearer to the camera by its median error."""
    inwards_px = _OUTWARD_IN * max(0.0, place.lean - _UNBIASED_LEAN) ** 2 * CROP_PX_PER_IN * place.zoom
    inwards = inwards_px * np.array([math.cos(place.turn_rad), math.sin(place.turn_rad)])
    return np.array([one.column, one.row]) - inwards


def _chance(odds: float) -> float:
    return 1 / (1 + math.exp(-min(max(odds, -30.0), 30.0)))


def _postures(outputs: FloatImage) -> tuple[float, ...]:
    weights = np.exp(outputs[1:5] - outputs[1:5].max())
    return tuple((weights / weights.sum()).tolist())
