"""Small signs beside figures that are more than riflemen: leaders, snipers, and those with heavy weapons. No Qt here.

The strokes lie in a square from -1 to 1, x to the right and y up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from rules.engine.position import Position
from rules.tabletop.table import PointIn
from ui.table.finding import Mark, Trace, lifted
from ui.theme import PLATE, WHITE

_RADIUS_IN = 0.42
_OFFSET_IN = 0.85
"""How far right of the middle and beyond it, so that the ring stays visible and the number below it too."""

Stroke = tuple[tuple[float, float], ...]


def _arc(radius: float, from_deg: float, to_deg: float, middle: tuple[float, float] = (0.0, 0.0)) -> Stroke:
    turns = [math.radians(from_deg + (to_deg - from_deg) * k / 16) for k in range(17)]
    return tuple((middle[0] + radius * math.cos(turn), middle[1] + radius * math.sin(turn)) for turn in turns)


def _star() -> Stroke:
    turns = [(math.radians(90 + 36 * k), 0.42 if k % 2 else 1.0) for k in range(11)]
    return tuple((far * math.cos(turn), far * math.sin(turn)) for turn, far in turns)


BADGES: Mapping[str, tuple[Stroke, ...]] = {
    "leader": (_star(),),
    "sniper": (
        _arc(0.6, 0, 360),
        ((-1.0, 0.0), (-0.3, 0.0)),
        ((0.3, 0.0), (1.0, 0.0)),
        ((0.0, -1.0), (0.0, -0.3)),
        ((0.0, 0.3), (0.0, 1.0)),
    ),
    "machine_gun": tuple(((-0.9, y / 3), (0.9, y)) for y in (-0.7, 0.0, 0.7)),
    "mortar": (_arc(0.75, 180, 0, (0.0, -0.3)), ((0.4, 0.1), (0.75, -0.4), (1.05, 0.15))),
    "rocket": (((-0.9, -0.9), (0.8, 0.8)), ((0.1, 0.8), (0.8, 0.8), (0.8, 0.1)), ((-0.9, -0.3), (-0.3, -0.9))),
    "flame": (((0.0, 1.0), (0.65, 0.1), (0.55, -0.6), (0.0, -0.95), (-0.55, -0.6), (-0.65, 0.1), (0.0, 1.0)),),
    "medic": (((-0.8, 0.0), (0.8, 0.0)), ((0.0, -0.8), (0.0, 0.8))),
    "radio": (((0.0, -0.9), (0.0, 0.3)), _arc(0.4, 30, 150, (0.0, 0.2)), _arc(0.8, 30, 150, (0.0, 0.2))),
    "grenade": (_arc(0.6, 0, 360, (0.0, -0.3)), ((0.0, 0.3), (0.0, 0.7), (0.6, 0.9))),
    "gun": (_arc(0.45, 0, 360, (-0.3, -0.4)), ((-0.8, -0.1), (0.95, 0.6))),
    "engineer": (((0.0, 0.85), (0.85, 0.0), (0.0, -0.85), (-0.85, 0.0), (0.0, 0.85)),),
}
"""The strokes of each badge."""

_IN_CARDS = (
    ("leader", ("commander", "officer", "sergeant", "hero", "king")),
    ("sniper", ("sniper",)),
    ("radio", ("radio", "spotter")),
    ("medic", ("medic",)),
    ("engineer", ("engineer", "mine_sweeper", "minesweeper")),
    ("mortar", ("mortar",)),
    ("rocket", ("bazooka", "panzerfaust", "panzerschreck", "piat", "bfg")),
    ("flame", ("flame",)),
    ("gun", ("howitzer", "cannon", "infantry_gun")),
    ("grenade", ("grenad",)),
    ("machine_gun", ("machine_gun", "bar_gunner", "bren_gunner", "dp_gunner", "50_cal")),
)


def badge_of(card: str) -> str:
    """Name of a card's badge in `BADGES`; empty for riflemen and vehicles, which need none."""
    name = card.lower()
    if "submachine" in name:
        return "leader" if "sergeant" in name else ""
    return next((badge for badge, parts in _IN_CARDS if any(part in name for part in parts)), "")


def badge_marks(position: Position) -> Iterator[Mark]:
    """The badges of the figures in play, beside them."""
    for name, figure in position.figures.items():
        unit = position.state.units.get(name)
        badge = badge_of(unit.card or "") if unit is not None and not unit.out else ""
        if badge:
            x, y = figure.centre_in
            yield from _marks((x + _OFFSET_IN, y + _OFFSET_IN), figure.z_in, BADGES[badge])


def _marks(middle_in: PointIn, z_in: float, strokes: Iterable[Stroke]) -> Iterator[Mark]:
    x, y = middle_in
    disc = [(x + _RADIUS_IN * u, y + _RADIUS_IN * v) for u, v in _arc(1.4, 0, 360)]
    yield Trace(lifted(disc, z_in), PLATE, 1.0, PLATE, closed=True, halo=False)
    for stroke in strokes:
        line = [(x + _RADIUS_IN * u, y + _RADIUS_IN * v) for u, v in stroke]
        yield Trace(lifted(line, z_in), WHITE, 1.6, halo=False)
