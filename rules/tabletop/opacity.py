"""How each kind of terrain blocks a line of sight. Rulesets that differ supply their own table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from shapely.geometry import Polygon

from rules.tabletop.errors import UserError
from rules.tabletop.table import Outline, TerrainKind, TerrainPiece


class CoverKind(StrEnum):
    """How a piece affects sight and fire: `SOLID` hides and stops shots, `SCREEN` only hides, `CLEAR` does neither."""

    SOLID = "solid"
    SCREEN = "screen"
    CLEAR = "clear"


class Within(StrEnum):
    """How a piece affects lines of sight from and to a figure inside it.

    `BESIDE`: no figure can be inside; one that seems to be leans on the piece, whose nearest part then hides nothing.
    `OPEN`: hides nothing, like a house with windows. `RIM`: only its outline rises above the ground, like a foxhole.
    `FILLED`: hides inside as it does outside, like woods beyond their depth.
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
        depth_in: How far sight reaches into it.

    Raises:
        UserError: if the depth is negative or not a finite number.
    """

    cover_kind: CoverKind = CoverKind.SOLID
    within: Within = Within.BESIDE
    depth_in: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.depth_in < float("inf"):
            raise UserError(f"sight must reach 0 in or more into terrain, not {self.depth_in} in")


_SOLID = Opacity()
_HOUSE = Opacity(within=Within.OPEN)
_PIT = Opacity(within=Within.RIM)
_SCREEN = Opacity(CoverKind.SCREEN)
_CLEAR = Opacity(CoverKind.CLEAR)

OPACITY: Mapping[TerrainKind, Opacity] = MappingProxyType(
    {
        TerrainKind.HILL: _SOLID,
        TerrainKind.BUILDING: _HOUSE,
        TerrainKind.BUNKER: _HOUSE,
        TerrainKind.WALL: _SOLID,
        TerrainKind.LOW_WALL: _SOLID,
        TerrainKind.FENCE: _SCREEN,
        TerrainKind.HEDGE: _SCREEN,
        TerrainKind.TREE: _SCREEN,
        TerrainKind.WOODS: Opacity(within=Within.FILLED, depth_in=2.0),
        TerrainKind.BUSH: _SCREEN,
        TerrainKind.ROCKS: _SOLID,
        TerrainKind.SANDBAGS: _PIT,
        TerrainKind.FOXHOLE: _PIT,
        TerrainKind.TRENCH: _PIT,
        TerrainKind.WATER: _CLEAR,
        TerrainKind.SHALLOW_WATER: _CLEAR,
        TerrainKind.MARSH: _CLEAR,
        TerrainKind.DESERT: _CLEAR,
        TerrainKind.MOUNTAIN: _SOLID,
        TerrainKind.ROAD: _CLEAR,
        TerrainKind.BRIDGE: _SOLID,
        TerrainKind.WIRE: _CLEAR,
        TerrainKind.TANK_OBSTACLE: _SOLID,
        TerrainKind.MINE: _CLEAR,
        TerrainKind.SMOKE: Opacity(CoverKind.SCREEN, Within.FILLED),
        TerrainKind.ROUGH: _CLEAR,
        TerrainKind.OTHER: _SOLID,
    }
)
"""The default for rulesets that say nothing else."""

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
