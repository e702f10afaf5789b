"""Examples: figures that players confirmed or corrected, and their votes on figures that look like them.

An example votes for its posture in proportion to how much a figure looks like it, and for its army in proportion to how
similar the plastic's colour is. Votes shift the log odds between postures, or between armies, by a bounded amount:
clear cases stay as they are, and correct examples outvote a wrong one. Bystanders, figures of the same table that the
networks are sure of, vote too, with less weight, so that an example does not spread to figures unlike it. Examples do
not affect whether a figure is there, or where.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rules.tabletop.table import FloatArray, Posture
from vision.frame import ImageBgr
from vision.likeness import DIRECTIONS
from vision.palette import FloatImage
from vision.recogniser import POSTURES

MOST_EXAMPLES = 200
"""Beyond this number, the oldest are dropped."""
POSTURE_BOUND, ARMY_BOUND = 5.0, 3.0
"""Largest shift of log odds by all examples together."""
CROP_PX = 40
"""Side of an example's picture."""
# Chosen by `benchmarks.examples`: a vote's weight is 1 / e where the cosine is this far below 1, or the log colour this
# far off; and the weight of the picture itself against the sum of all votes.
_UNLIKE, _OTHER_COLOUR, _RESERVE = 0.1, 0.1, 0.4
_SURE, _BYSTANDER = 0.8, 0.6  # chance above which a figure is a bystander, and its weight relative to an example
_SAME_LOOK = 0.995  # cosine above which the figure has not been touched since
_SAME_FIGURE = 0.98  # cosine above which it is the same figure in another picture
_LEAST = 1e-6

Colour = tuple[float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Appearance:
    """What a figure looks like in one picture.

    Attributes:
        signature: From `vision.likeness.signature`.
        postures: The networks' probability of each of `vision.recogniser.POSTURES`.
        armies: (army, share of the evidence on the body that supports it).
        colour: Median log colour of its plastic.
    """

    signature: FloatImage
    postures: tuple[float, ...]
    armies: tuple[tuple[str, float], ...]
    colour: Colour


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """One figure that a player confirmed or corrected.

    Attributes:
        name: The figure's name at that time.
        army, posture: The correct ones.
        signature, colour: As in `Appearance`.
        crop_bgr: (`CROP_PX`, `CROP_PX`, 3) uint8 picture to show to the players.
    """

    name: str
    army: str
    posture: Posture
    signature: FloatImage
    colour: Colour
    crop_bgr: ImageBgr


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """All examples of one table.

    Attributes:
        all: The oldest first.
    """

    all: tuple[Example, ...] = ()

    def with_added(self, new: Iterable[Example]) -> Examples:
        """These and newer examples; a newer one replaces those of the same look."""
        kept = self.all
        for one in new:
            kept = (*(old for old in kept if not _is_same_look(old, one)), one)
        return Examples(kept[-MOST_EXAMPLES:])

    def bystanders(self, seen: Iterable[Appearance]) -> tuple[Appearance, ...]:
        """Appearances that the networks are sure of and that are not examples."""
        taught = self._signatures()
        sure = (one for one in seen if max(one.postures) > _SURE)
        return tuple(one for one in sure if not (taught @ one.signature > _SAME_FIGURE).any())

    def posture_votes(self, signature: FloatImage, bystanders: Sequence[Appearance] = ()) -> FloatArray:
        """(4,) log odds to add for each posture: not negative, in total less than `POSTURE_BOUND`."""
        looks = np.vstack([self._signatures(), *(one.signature for one in bystanders)])
        said = [one.posture for one in self.all] + [POSTURES[int(np.argmax(one.postures))] for one in bystanders]
        weights = np.repeat((1.0, _BYSTANDER), (len(self.all), len(bystanders)))
        return POSTURE_BOUND * _shares(np.exp((looks @ signature - 1) / _UNLIKE) * weights, said, POSTURES)

    def _signatures(self) -> FloatImage:
        return np.array([one.signature for one in self.all], np.float32).reshape(-1, DIRECTIONS)

    def army_votes(self, colour: Colour, armies: Sequence[str]) -> FloatArray:
        """Log odds to add for each army: not negative, in total less than `ARMY_BOUND`."""
        away = np.array([math.dist(one.colour, colour) for one in self.all]) / _OTHER_COLOUR
        return ARMY_BOUND * _shares(np.exp(-(away**2)), [one.army for one in self.all], armies)

    def posture_of(self, seen: Appearance, bystanders: Sequence[Appearance] = ()) -> Posture:
        """The likeliest posture."""
        return POSTURES[int(np.argmax(self.postures_of(seen, bystanders)))]

    def postures_of(self, seen: Appearance, bystanders: Sequence[Appearance] = ()) -> tuple[float, ...]:
        """Probability of each posture. Examples never make or unmake a casualty: a fall is an event, not an opinion."""
        odds = np.log(np.maximum(seen.postures, _LEAST))
        if not self.all or POSTURES[int(np.argmax(odds))] is Posture.DOWN:
            return seen.postures
        odds += self.posture_votes(seen.signature, bystanders)
        odds[POSTURES.index(Posture.DOWN)] = -math.inf
        weights = np.exp(odds - odds.max())
        return tuple((weights / weights.sum()).tolist())

    def army_of(self, seen: Appearance) -> str:
        """The likeliest of the figure's possible armies."""
        names = [name for name, _ in seen.armies]
        odds = np.log(np.maximum([share for _, share in seen.armies], _LEAST)) + self.army_votes(seen.colour, names)
        return names[int(np.argmax(odds))]


def _shares(weights: FloatArray, said: Sequence[object], labels: Sequence[object]) -> FloatArray:
    """Each label's share of the total weight, to which a reserve for no label is added."""
    votes = [float(weights[[one == label for one in said]].sum()) if len(weights) else 0.0 for label in labels]
    return np.asarray(np.array(votes) / (weights.sum() + _RESERVE), np.float64)


def _is_same_look(old: Example, new: Example) -> bool:
    return float(old.signature @ new.signature) > _SAME_LOOK
