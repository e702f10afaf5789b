"""Figures and terrain pieces for tests, and a rigid transformation of a table with everything on it."""

from __future__ import annotations

import dataclasses
import math

from rules.tabletop.table import Figure, Outline, PointIn, Posture, TerrainKind, TerrainPiece, ellipse_outline


def square(x: float, y: float, half: float) -> Outline:
    return ((x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half))


def box(x0: float, y0: float, x1: float, y1: float) -> Outline:
    return ((x0, y0), (x1, y0), (x1, y1), (x0, y1))


def figure(
    name: str,
    x: float,
    y: float,
    sigma: float = 0.0,
    base: Outline | None = None,
    facing: float | None = None,
    z: float = 0.0,
) -> Figure:
    outline = base or ellipse_outline((x, y), 0.5, 0.5)
    return Figure(name, "tan", x, y, z, sigma, Posture.STANDING, outline, facing)


def block(name: str, x: float, y: float, half: float = 0.5, sigma: float = 0.0) -> Figure:
    """A figure on a square base, for distances computed by hand."""
    return figure(name, x, y, sigma, square(x, y, half))


def piece(name: str, kind: TerrainKind, outline: Outline, height: float = 0.0, base: float = 0.0) -> TerrainPiece:
    return TerrainPiece(name, kind, outline, base, height)


@dataclasses.dataclass(frozen=True)
class Turned:
    """A table after a rotation about its origin and a translation."""

    turn_deg: float
    dx: float
    dy: float

    def point(self, place: PointIn) -> PointIn:
        c, s = math.cos(math.radians(self.turn_deg)), math.sin(math.radians(self.turn_deg))
        return (c * place[0] - s * place[1] + self.dx, s * place[0] + c * place[1] + self.dy)

    def outline(self, outline: Outline) -> Outline:
        return tuple(self.point(place) for place in outline)

    def figure(self, one: Figure) -> Figure:
        x, y = self.point(one.centre_in)
        facing = None if one.facing_deg is None else one.facing_deg + self.turn_deg
        return dataclasses.replace(one, x_in=x, y_in=y, base_in=self.outline(one.base_in), facing_deg=facing)

    def piece(self, one: TerrainPiece) -> TerrainPiece:
        return dataclasses.replace(one, outline_in=self.outline(one.outline_in))
