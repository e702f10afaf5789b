"""Doubts about what is no number: whether somebody is seen at all, and what he stands in."""

from __future__ import annotations

from rules.engine.position import View
from rules.engine.referee import Measured, Way
from rules.engine.text import spoken
from rules.tabletop.sight import SLIVER
from rules.tabletop.tolerance import DOUBT_SIGMAS, Choice

HIDDEN, SEEN = "hidden", "seen"
"""The answers of the players to whether somebody sees another."""


def in_sight(view: View, what: str, way: Way = ("los",)) -> tuple[Measured, ...]:
    """The error of whether somebody is seen: none where enough of him is in sight, or nothing at all.

    Args:
        view: How he is seen.
        what: Who sees whom, for the player.
        way: Where the fact stands.
    """
    part = view.exposure
    barely = (one for one in view.part_errors(part) if part - DOUBT_SIGMAS * one < SLIVER)
    return tuple(Measured(way, one, what, either={HIDDEN: False, SEEN: True}) for one in barely)


def one_of(found: Choice[str], sigma_in: float, what: str, way: Way) -> tuple[Measured, ...]:
    """The error of a choice between names, as of the terrain that somebody stands in; none where it is certain."""
    either = {spoken(name).lower(): name for name in found.possible}
    return () if found.certain else (Measured(way, sigma_in, what, either=either),)
