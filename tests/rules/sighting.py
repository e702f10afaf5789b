"""Two figures that look at each other past terrain, with numbers that are easy to compute by hand."""

from __future__ import annotations

from rules.tabletop.body import Body
from rules.tabletop.scene import SightRules
from rules.tabletop.sight import Sight, sight
from rules.tabletop.table import Figure, Posture, TerrainKind, TerrainPiece, ellipse_outline

BOARD = Body(eye_in=1.6, bands=((2.1, 0.3),))
"""2.1 in high and 0.6 in wide, with the eye of a standing figure, so that parts of it are easy to compute."""

BOARDS = SightRules(bodies={Posture.STANDING: BOARD})


def soldier(name: str, x: float, y: float = 0.0, z: float = 0.0, posture: Posture = Posture.STANDING) -> Figure:
    return Figure(name, "tan", x, y, z, 0.1, posture, ellipse_outline((x, y), 0.54, 0.41))


def box(
    kind: TerrainKind,
    x0: float,
    x1: float,
    height: float,
    *,
    y0: float = -5.0,
    y1: float = 5.0,
    base: float = 0.0,
    name: str = "it",
) -> TerrainPiece:
    return TerrainPiece(name, kind, ((x0, y0), (x1, y0), (x1, y1), (x0, y1)), base, height)


def seen(
    *terrain: TerrainPiece, a: Figure | None = None, b: Figure | None = None, rules: SightRules | None = BOARDS
) -> Sight:
    """What figure a, at the origin, sees of figure b, 10 in to the east."""
    return sight(a or soldier("a", 0), b or soldier("b", 10), terrain, rules=rules)
