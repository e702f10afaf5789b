"""Separation: how well the armies' colours can be distinguished from each other and from the table by the finder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

import numpy as np

from vision.frame import ImageBgr
from vision.palette import LOG_LEVELS, ArmyColour, FloatImage, Palette
from vision.segment import EVIDENCE_LIMIT, EmptyTable, Likelihood, army_covariance, cells_of, evidence_anywhere

_PIXELS = 1000
_WELL, _FAIR = 0.72, 0.6
"""Scores from which an army separates well or fairly from the table; then the same for a pair of armies."""
_PAIR_WELL, _PAIR_FAIR = 0.9, 0.75


class SeparationLevel(StrEnum):
    """How well two colours separate."""

    WELL = "well"
    FAIR = "fair"
    ALIKE = "alike"


@dataclass(frozen=True, slots=True)
class Separation:
    """How well an army's plastic separates from another's, or from the table.

    Attributes:
        army: Name of the army.
        other: Name of the other army; None for the table.
        score: 0 to 1. For the table, mean evidence of the army's pixels relative to the limit. For another army, share
            of the army's pixels that are more likely its own than the other's.
        empty_known: Whether a picture of the empty table is used.
    """

    army: str
    other: str | None
    score: float
    empty_known: bool

    @property
    def level(self) -> SeparationLevel:
        """The score as one of three levels."""
        well, fair = (_WELL, _FAIR) if self.other is None else (_PAIR_WELL, _PAIR_FAIR)
        return (
            SeparationLevel.WELL
            if self.score >= well
            else SeparationLevel.FAIR
            if self.score >= fair
            else SeparationLevel.ALIKE
        )


def separations(
    palette: Palette, colour_model: Likelihood, image_bgr: ImageBgr, empty: EmptyTable | None
) -> tuple[Separation, ...]:
    """The separation of all armies.

    Args:
        palette: The armies, A of them.
        colour_model: The colour model of armies and table.
        image_bgr: (height, width, 3) uint8 picture of the table.
        empty: The empty table on the same rectified image, if known.

    Returns:
        One for each army against the table, then one for each pair of armies; for an army of several plastics, that of
        its worst plastic.
    """
    if not palette:
        return ()
    plastic = [_pixels(army) for army in palette]
    from_table = []
    for k, (army, pixels) in enumerate(zip(palette, plastic, strict=True)):
        evidence = evidence_anywhere(pixels, colour_model, image_bgr, empty)[k].mean()
        from_table.append(Separation(army.name, None, max(0.0, float(evidence) / EVIDENCE_LIMIT), empty is not None))
    chances = [colour_model.armies[:, cells_of(pixels)[0]] for pixels in plastic]
    pairs = [
        Separation(
            palette[j].name, palette[k].name, min(_own_share(chances[j], j, k), _own_share(chances[k], k, j)), False
        )
        for j, k in combinations(range(len(palette)), 2)
        if palette[j].name != palette[k].name
    ]
    return (*_worst(from_table), *_worst(pairs))


def _worst(found: Iterable[Separation]) -> Iterable[Separation]:
    """The worst separation of each pair of armies."""
    worst: dict[frozenset[str | None], Separation] = {}
    for one in found:
        pair = frozenset((one.army, one.other))
        if pair not in worst or one.score < worst[pair].score:
            worst[pair] = one
    return worst.values()


def _own_share(chances: FloatImage, own: int, other: int) -> float:
    """Share of an army's pixels that are more likely its own than the other's."""
    return float((chances[own] > chances[other]).mean())


def _pixels(army: ArmyColour) -> ImageBgr:
    """(1, N, 3) uint8 random pixels of an army's soldiers."""
    normal = np.random.default_rng(1).normal(size=(_PIXELS, 3))
    red, blue, light = (army.mean + normal @ np.linalg.cholesky(army_covariance(army)).T).T
    green = light - (red + blue) / 3
    logs = np.stack([green + blue, green, green + red], axis=1)
    return np.asarray(np.searchsorted(LOG_LEVELS, np.clip(logs, LOG_LEVELS[0], 0)).clip(0, 255), np.uint8)[None]
