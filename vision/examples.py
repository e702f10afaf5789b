"""What players taught about their own toys: examples, and how far they sway what is said of figures like them.

An example votes for its posture as far as a figure looks like it, and for its army as far as the plastic has its
colour. Votes move the odds between postures, or between armies, and never by more than a bound: clear cases stay as
they are, and right examples outvote a wrong one. Bystanders, figures of the same table that the networks are sure of,
vote too, by less: they keep what is taught from spreading to them and theirs. Whether a figure is there, and where, is
not asked.
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
"""The oldest are dropped beyond."""
POSTURE_BOUND, ARMY_BOUND = 5.0, 3.0
"""Log odds that all examples together can move."""
CROP_PX = 40
"""Side of an example's picture."""
# Chosen by `benchmarks.examples`: a cosine this far below 1 counts 1 / e, so does plastic whose log colour is this far
# off; and by how much all that was taught must be alike to count as much as what the picture shows.
_UNLIKE, _OTHER_COLOUR, _RESERVE = 0.1, 0.1, 0.4
_SURE, _BYSTANDER = 0.8, 0.6  # chance from which a figure is a bystander, and its weight beside an example
_SAME_LOOK = 0.995  # a cosine: the figure has not been touched since
_SAME_FIGURE = 0.98  # likewise, in another picture: what was taught of a figure is more than what it looks like
_LEAST = 1e-6

Colour = tuple[float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Appearance:
    """What a figure looks like in one picture.

    Attributes:
        signature: As `vision.likeness.signature` makes it.
        postures: Chance of each of `vision.recogniser.POSTURES`, as the networks see it.
        armies: Names, and the share of the evidence on the body that is for each.
        colour: Median log colour of its plastic.
    """

    signature: FloatImage
    postures: tuple[float, ...]
    armies: tuple[tuple[str, float], ...]
    colour: Colour


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """One figure as a player confirmed or corrected it.

    Attributes:
        name: What the figure was called then.
        army, posture: What it is.
        signature, colour: As of `Appearance`.
        crop_bgr: (`CROP_PX`, `CROP_PX`, 3) uint8 picture of it, for people.
    """

    name: str
    army: str
    posture: Posture
    signature: FloatImage
    colour: Colour
    crop_bgr: ImageBgr


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """All that was taught about one table's toys.

    Attributes:
        all: The oldest first.
    """

    all: tuple[Example, ...] = ()

    def with_more(self, new: Iterable[Example]) -> Examples:
        """With newer ones; what was said before of the very same look no longer counts."""
        kept = self.all
        for one in new:
            kept = (*(old for old in kept if not _is_same_look(old, one)), one)
        return Examples(kept[-MOST_EXAMPLES:])

    def bystanders(self, seen: Iterable[Appearance]) -> tuple[Appearance, ...]:
        """Those that the networks are sure of and nobody taught."""
        taught = self._signatures()
        sure = (one for one in seen if max(one.postures) > _SURE)
        return tuple(one for one in sure if not (taught @ one.signature > _SAME_FIGURE).any())

    def posture_votes(self, signature: FloatImage, bystanders: Sequence[Appearance] = ()) -> FloatArray:
        """(4,) log odds to add to those of each posture: none negative, less than `POSTURE_BOUND` together."""
        looks = np.vstack([self._signatures(), *(one.signature for one in bystanders)])
        said = [one.posture for one in self.all] + [POSTURES[int(np.argmax(one.postures))] for one in bystanders]
        weights = np.repeat((1.0, _BYSTANDER), (len(self.all), len(bystanders)))
        return POSTURE_BOUND * _shares(np.exp((looks @ signature - 1) / _UNLIKE) * weights, said, POSTURES)

    def _signatures(self) -> FloatImage:
        return np.array([one.signature for one in self.all], np.float32).reshape(-1, DIRECTIONS)

    def army_votes(self, colour: Colour, armies: Sequence[str]) -> FloatArray:
        """Log odds to add to those of each army: none negative, less than `ARMY_BOUND` together."""
        away = np.array([math.dist(one.colour, colour) for one in self.all]) / _OTHER_COLOUR
        return ARMY_BOUND * _shares(np.exp(-(away**2)), [one.army for one in self.all], armies)

    def posture_of(self, seen: Appearance, bystanders: Sequence[Appearance] = ()) -> Posture:
        """The likeliest posture; casualties stay what the picture says: a fall is news, not an opinion."""
        odds = np.log(np.maximum(seen.postures, _LEAST))
        own = POSTURES[int(np.argmax(odds))]
        if not self.all or own is Posture.DOWN:
            return own
        odds += self.posture_votes(seen.signature, bystanders)
        odds[POSTURES.index(Posture.DOWN)] = -math.inf
        return POSTURES[int(np.argmax(odds))]

    def army_of(self, seen: Appearance) -> str:
        """The likeliest of the armies that are looked for."""
        names = [name for name, _ in seen.armies]
        odds = np.log(np.maximum([share for _, share in seen.armies], _LEAST)) + self.army_votes(seen.colour, names)
        return names[int(np.argmax(odds))]


def _shares(weights: FloatArray, said: Sequence[object], labels: Sequence[object]) -> FloatArray:
    """Of each label the share of what was said, (N,) weights, and of a reserve that is for none."""
    votes = [float(weights[[one == label for one in said]].sum()) if len(weights) else 0.0 for label in labels]
    return np.asarray(np.array(votes) / (weights.sum() + _RESERVE), np.float64)


def _is_same_look(old: Example, new: Example) -> bool:
    return float(old.signature @ new.signature) > _SAME_LOOK
