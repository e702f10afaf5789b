"""How each kind of terrain blocks a line of sight. Rulesets that differ supply their own table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from shapely.geometry import Polygon

from rules.tabletop.table import Outline, TerrainKind, TerrainPiece


class CoverKind(StrEnum):
    """How a piece affects sight and fire: `SOLID` hides and stops shots, `SCREEN` only hides, `CLEAR` does neither."""

    SOLID = "solid"
    SCREEN = "screen"
    CLEAR = "clear"


class Within(StrEnum):
    """How a piece affects lines of sight from and to a figure inside it.

    `BESIDE`: no figure can be inside; one that seems to be leans on the piece, whose nearest part then hides nothing.
    `OPEN`: hides nothing, like a house with windows or woods. `RIM`: only its outline rises above the ground, like a
    foxhole. `FILLED`: hides inside as it does outside, like smoke.
    """

    BESIDE = "beside"
    OPEN = "open"
    RIM = "rim"
    FILLED = "filled"


@dataclass(frozen=True, slots=True)
class Opacity:
    """How one kind of terrain blocks lines of sight.

    Attributes:
        cover_kind: Solid, screen or clear.
        within: Its effect on figures inside it.
        depth_in: How far sight reaches into it; what is at most so deep hides nothing, and has no wall to lean on.
    """

    cover_kind: CoverKind = CoverKind.SOLID
    within: Within = Within.BESIDE
    depth_in: float = 0.0


_K = TerrainKind
_SOLID = (_K.HILL, _K.WALL, _K.LOW_WALL, _K.ROCKS, _K.MOUNTAIN, _K.BRIDGE, _K.TANK_OBSTACLE, _K.OTHER)
_CLEAR = (_K.WATER, _K.SHALLOW_WATER, _K.MARSH, _K.DESERT, _K.ROAD, _K.WIRE, _K.MINE, _K.ROUGH)

OPACITY: Mapping[TerrainKind, Opacity] = MappingProxyType(
    {
        **dict.fromkeys(_SOLID, Opacity()),
        **dict.fromkeys((_K.BUILDING, _K.BUNKER), Opacity(within=Within.OPEN)),
        **dict.fromkeys((_K.SANDBAGS, _K.FOXHOLE, _K.TRENCH), Opacity(within=Within.RIM)),
        **dict.fromkeys((_K.FENCE, _K.HEDGE, _K.TREE, _K.BUSH), Opacity(CoverKind.SCREEN)),
        **dict.fromkeys(_CLEAR, Opacity(CoverKind.CLEAR)),
        _K.WOODS: Opacity(within=Within.OPEN, depth_in=2.0),
        _K.SMOKE: Opacity(CoverKind.SCREEN, Within.FILLED),
    }
)
"""The default for rulesets that say nothing else."""


def screening(kind: TerrainKind) -> Opacity:
    """How a kind of terrain blocks sight under rules by which fire passes through it, even from inside."""
    usual = OPACITY[kind]
    return usual if usual.cover_kind is CoverKind.SCREEN else Opacity(CoverKind.SCREEN, Within.FILLED)


TRUNK_PART = 0.3
"""Width of a model tree's trunk relative to its foot; from above, only the foot can be seen and outlined."""


def standing_outlines(terrain: Sequence[TerrainPiece]) -> tuple[Outline, ...]:
    """The outlines that block sight: as drawn, except that tree trunks are narrower than the foot that was drawn.

    A tree below the crown of another tree piece is its trunk.
    """
    crowns = [(p.base_in, Polygon(p.outline_in)) for p in terrain if p.kind is TerrainKind.TREE and p.base_in > 0]

    def standing(piece: TerrainPiece) -> Outline:
        foot = Polygon(piece.outline_in).centroid
        if piece.kind is not TerrainKind.TREE or not any(
            base_in > piece.base_in and crown.contains(foot) for base_in, crown in crowns
        ):
            return piece.outline_in
        return tuple(
            (foot.x + TRUNK_PART * (x - foot.x), foot.y + TRUNK_PART * (y - foot.y)) for x, y in piece.outline_in
        )

    return tuple(standing(piece) for piece in terrain)
