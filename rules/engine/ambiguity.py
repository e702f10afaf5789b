"""Measurement errors of facts that are not numbers: whether a figure is seen, and what terrain it stands in."""

from __future__ import annotations

from rules.engine.position import View
from rules.engine.referee import FactPath, UncertainFact
from rules.engine.text import display_name
from rules.tabletop.sight import SLIVER
from rules.tabletop.tolerance import DOUBT_SIGMAS, Choice

HIDDEN, SEEN = "hidden", "seen"
"""The players' answers to the question whether one figure sees another."""


def in_sight(view: View, what: str, way: FactPath = ("los",)) -> tuple[UncertainFact, ...]:
    """The uncertainty of whether the target is seen; empty if clearly enough of it is in sight, or nothing.

    Args:
        view: The target as the shooter sees it.
        what: Text for the player: which figure sees which.
        way: Path of the fact among the facts of the question.
    """
    exposure = view.exposure
    sigmas = (sigma for sigma in view.part_errors(exposure) if exposure - DOUBT_SIGMAS * sigma < SLIVER)
    return tuple(UncertainFact(way, sigma, what, either={HIDDEN: False, SEEN: True}) for sigma in sigmas)


def one_of(found: Choice[tuple[str, ...]], sigma_in: float, what: str, way: FactPath) -> tuple[UncertainFact, ...]:
    """The uncertainty of the terrain that a figure stands in, by its names; empty if it is certain."""
    either = {" and ".join(map(display_name, names)).lower() or "open": names for names in found.possible}
    return () if found.certain else (UncertainFact(way, sigma_in, what, either=either),)
