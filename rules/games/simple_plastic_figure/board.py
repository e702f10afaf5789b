"""Simple Plastic Figure on the measured table: how terrain counts for sight, for movement and as a shelter."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from shapely.geometry import Point, Polygon

from rules.engine.ruleset import limit
from rules.games.simple_plastic_figure.tables import Rules
from rules.tabletop.area import ground_under
from rules.tabletop.movement import Walk
from rules.tabletop.opacity import OPACITY, CoverKind, Opacity, Within
from rules.tabletop.scene import ON_TOP_IN, SightRules
from rules.tabletop.table import Figure, PointIn, TerrainKind, TerrainPiece
from rules.tabletop.tolerance import EXACT


def sight_rules(rules: Rules) -> SightRules:
    """The terrain that hides figures; pieces that fire passes also allow sight, even from inside."""
    light = {kind: OPACITY[kind] for kind in TerrainKind if _runs_through(rules, kind)}
    areas = {
        kind: Opacity(CoverKind.SCREEN, Within.FILLED)
        for kind, one in light.items()
        if one.cover_kind is not CoverKind.SCREEN
    }
    return SightRules(opacity=areas, figures_hide=rules.chooses("figures_block", True))


def _runs_through(rules: Rules, kind: TerrainKind) -> bool:
    names = terrain_names(rules, kind)
    return bool(names) and rules.tables.terrain[names[0]].through


def terrain_names(rules: Rules, kind: TerrainKind) -> list[str]:
    """The rulebook's possible names for a piece, the default first; none if it does not matter to a shot."""
    return [name for name, row in rules.tables.terrain.items() if kind in row.kinds]


def place_kind(rules: Rules, kind: TerrainKind) -> str | None:
    """The kind of place that a piece is for a figure inside it; None if no figure can be inside."""
    return next((name for name, row in rules.tables.places.items() if kind in row.kinds), None)


def holder(rules: Rules, figure: Figure, terrain: Iterable[TerrainPiece]) -> TerrainPiece | None:
    """The house, bunker or trench that a figure is inside of, by the larger part of its base; a roof holds none."""
    holding = [piece for piece in terrain if place_kind(rules, piece.kind) and figure.z_in < piece.top_in + ON_TOP_IN]
    there = [piece for piece in holding if near(figure, piece)]
    return ground_under(figure, there).value if there else None


def holder_at(rules: Rules, spot_in: PointIn, terrain: Iterable[TerrainPiece]) -> TerrainPiece | None:
    """The house, bunker or trench that a spot is in."""
    spot = Point(spot_in)
    holding = (piece for piece in terrain if place_kind(rules, piece.kind))
    return next((piece for piece in holding if Polygon(piece.outline_in).covers(spot)), None)


def near(figure: Figure, piece: TerrainPiece, reach_in: float = 0.0) -> bool:
    """Whether a piece may be within reach of a figure's base: a quick look that spares most pieces the exact one."""
    for base, outline in zip(zip(*figure.base_in, strict=True), zip(*piece.outline_in, strict=True), strict=True):
        if min(outline) > max(base) + reach_in or min(base) > max(outline) + reach_in:
            return False
    return True


def hurdles(rules: Rules) -> tuple[tuple[float, str], ...]:
    """The greatest height of each class of hurdle, with the crossing that it is."""
    return (limit(rules, "leg_high_in"), "cross_leg_high"), (limit(rules, "waist_high_in"), "cross_waist_high")


def crossings(rules: Rules, walked: Walk) -> dict[str, Any]:
    """The facts of a move about the pieces that it crosses, enters and leaves, by their names in the cost table."""
    ends_in = dict.fromkeys(walked.start_inside, 0.0)
    gone_in = 0.0
    for stretch in walked.stretches:
        gone_in += stretch.length_in
        ends_in |= dict.fromkeys(stretch.inside, gone_in)
    found: list[tuple[float, str]] = []
    for piece, end_in in ends_in.items():
        out = _out(rules, piece) if piece.name in walked.left else None
        into = _into(rules, piece) if piece.name in walked.entered else None
        found += [(end_in, name) for name in (out, into) if name]
    found.sort(key=lambda crossing: crossing[0])
    facts = {"events": tuple(name for _, name in found)}
    return facts | ({"last_crossed_in": round(found[-1][0], 2)} if found else {})


def _into(rules: Rules, piece: TerrainPiece) -> str | None:
    row = rules.tables.ground.get(piece.kind)
    if row is None or not row.hurdle:
        return row.enter if row else None
    low_enough = (name for height_in, name in hurdles(rules) if piece.height_in <= height_in + EXACT)
    return next(low_enough, "cross_higher_than_waist")


def _out(rules: Rules, piece: TerrainPiece) -> str | None:
    row = rules.tables.ground.get(piece.kind)
    return row.leave if row else None
