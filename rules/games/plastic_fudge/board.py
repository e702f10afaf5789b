"""Plastic Fudge on the measured table: facts of figures and terrain for attacks, templates and paths."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from shapely import get_parts
from shapely.geometry import LineString, Point, Polygon

from rules.engine.ruleset import limit
from rules.engine.state import State
from rules.engine.verdict import Verdict
from rules.games.plastic_fudge import statuses
from rules.games.plastic_fudge.combat import stands_in
from rules.games.plastic_fudge.movement import Mover, Stretch, in_the_air, slowed
from rules.games.plastic_fudge.tables import Rules, TerrainName
from rules.games.plastic_fudge.units import holes_in
from rules.tabletop.bearing import Turning
from rules.tabletop.measure import base_area, standing_on
from rules.tabletop.movement import IMPASSABLE, MovementProfile, TerrainCost, walk
from rules.tabletop.path import Path, placed, straight
from rules.tabletop.table import Figure, Outline, PointIn, TerrainPiece, area_of, boxes_meet
from rules.tabletop.template import Blast, Wedge
from rules.tabletop.tolerance import DOUBT_SIGMAS, EXACT, Choice, choice, doubtful_shifts

_TOUCH_IN = 0.02
"""A gap that still counts as touching: a round base is a polygon of 24 corners."""
PART = ", part "
"""Between the name of a base and the number of each part that a hole has left of it."""


def band(rules: Rules, distance_in: float) -> int:
    """The band of the measuring rod that a distance falls into: 0 is contact, and the last is beyond the rod."""
    band_in = float(rules.option("band_in"))
    return min(math.ceil((distance_in - EXACT) / band_in), int(limit(rules, "rod_in") // band_in) + 1)


def bands_up(rules: Rules, attacker: Figure, target: Figure) -> int:
    """Whole range bands by which the attacker stands higher; negative where he stands lower."""
    height_in = attacker.z_in - target.z_in
    whole = int((abs(height_in) + EXACT) // rules.option("band_in"))
    return whole if height_in > 0 else -whole


def terrain_under(rules: Rules, figure: Figure, pieces: Iterable[TerrainPiece]) -> str:
    """The terrain that a figure stands in, one on a border included."""
    kinds = {kind: row.terrain for kind, row in rules.tables.ground.items() if row.terrain != "open"}
    parts: dict[str, float] = {}
    for share in standing_on(figure, [piece for piece in pieces if piece.kind in kinds]):
        name = kinds[share.piece.kind] if share.piece else "open"
        parts[name] = min(1.0, parts.get(name, 0.0) + share.fraction)
    return stands_in(rules, parts=parts).outcome


def terrains_under(
    rules: Rules, figure: Figure, pieces: Sequence[TerrainPiece], from_in: PointIn
) -> tuple[TerrainName, ...]:
    """All terrain that a figure defends in: what it stands in, and what it stands behind.

    It stands behind a piece that adds to the Defense, that its base touches and that lies across the line of an attack
    `from_in`.
    """
    grounds, terrain = rules.tables.ground, rules.tables.terrain
    kinds = [(grounds[piece.kind].terrain, piece) for piece in pieces if piece.kind in grounds]
    behind = (name for name, piece in kinds if terrain[name].defense > 0 and _shields(piece, figure, from_in))
    found = dict.fromkeys((terrain_under(rules, figure, pieces), *behind))
    return tuple(name for name in found if terrain[name].defense)


def _shields(piece: TerrainPiece, figure: Figure, from_in: PointIn) -> bool:
    """Whether a base touches a piece that an attack on it comes across."""
    area = Polygon(piece.outline_in)
    line = LineString((from_in, figure.centre_in)).intersection(area)
    return bool(line.length > EXACT and area.distance(base_area(figure)) <= _TOUCH_IN)


def possible_terrains(
    rules: Rules, figure: Figure, pieces: Iterable[TerrainPiece], from_in: PointIn
) -> Choice[tuple[TerrainName, ...]]:
    """The terrain that a figure defends in, and what else it may be within the error of its place."""
    kinds, reach_in = rules.tables.ground, DOUBT_SIGMAS * figure.sigma_in
    base = base_area(figure)
    near = [one for one in pieces if one.kind in kinds and boxes_meet(one.outline_in, figure.base_in, reach_in)]
    at_an_edge = any(Polygon(one.outline_in).exterior.distance(base) <= reach_in for one in near)
    x, y = figure.centre_in
    shifts = doubtful_shifts(figure.sigma_in) if at_an_edge else ((0.0, 0.0),)
    found = [terrains_under(rules, placed(figure, (x + dx, y + dy)), near, from_in) for dx, dy in shifts]
    return choice(found[0], found)


def movement_profile(rules: Rules, mover: Mover) -> MovementProfile:
    """How a unit walks the measured table, for `rules.tabletop.movement.walk`."""
    grounds, band_in = rules.tables.ground, rules.option("band_in")
    flat = rules.chooses("height_counts", "flat")
    climb_in = 0.0 if in_the_air(rules, mover) else limit(rules, "climb_cost_in")

    def cost_of(piece: TerrainPiece) -> TerrainCost:
        ground = grounds.get(piece.kind)
        if ground is None:
            return TerrainCost()
        slowing = slowed(rules, mover, ground.terrain)
        if slowing is None:
            return IMPASSABLE
        step_in = climb_in if flat and ground.on_top and piece.top_in >= band_in else 0.0
        return TerrainCost(cost_per_in=1 / (1 - slowing[0]), enter_in=step_in, on_top=ground.on_top)

    # Turning goes by whole steps; a thousandth of a step stands for "in proportion".
    parts = 1 if rules.chooses("part_turns", "round_up") else 1000
    turning = Turning(limit(rules, "turn_deg") / parts, limit(rules, "turn_cost_in") / parts)
    climb_per_in = 0.0 if flat else climb_in / band_in
    return MovementProfile(cost_of, climb_cost_per_in=climb_per_in, height_step_in=band_in, turning=turning)


def stretches(rules: Rules, mover: Mover, path_in: Path, terrain: Iterable[TerrainPiece]) -> tuple[Stretch, ...]:
    """A path split by the terrain of the sheet that it crosses, as the question whether it may be walked takes it."""
    grounds, band_in = rules.tables.ground, rules.option("band_in")
    found, height_in = [], None
    for part in walk(path_in, terrain, movement_profile(rules, mover), 0).stretches:
        row = grounds.get(part.ground.kind) if part.ground else None
        up_in = part.height_in - (_height_at(rules, path_in[0], terrain) if height_in is None else height_in)
        climbs = int(max(0.0, up_in + EXACT) // band_in)
        found.append(Stretch(inches=part.length_in, terrain=row.terrain if row else "open", climbs=climbs))
        height_in = part.height_in
    return tuple(found)


def _height_at(rules: Rules, place_in: PointIn, terrain: Iterable[TerrainPiece]) -> float:
    """The height of the ground at the start of a path."""
    grounds = rules.tables.ground
    tops = [piece for piece in terrain if piece.kind in grounds and grounds[piece.kind].on_top]
    return max((piece.top_in for piece in tops if area_of(piece.outline_in).contains(Point(place_in))), default=0.0)


def flight(rules: Rules, unit: str, figure: Figure, found: Verdict, terrain: Iterable[TerrainPiece]) -> Path:
    """The way of a unit that flees as a verdict says: straight on, as far as the ground lets it."""
    far_in = found.numbers["distance_in"]
    path = straight(figure.centre_in, found.numbers["facing_deg"], far_in)
    if not rules.option("rout_terrain"):
        return path
    return (figure.centre_in, walk(path, terrain, movement_profile(rules, Mover(unit=unit)), far_in).reach_in)


def run_in(rules: Rules, unit: str, path: Path, terrain: Iterable[TerrainPiece]) -> float:
    """The cost of a path for a unit that flees along it."""
    on_it = terrain if rules.option("rout_terrain") else ()
    return walk(path, on_it, movement_profile(rules, Mover(unit=unit)), 0).cost_in


def reaches_edge(figure: Figure, path: Path, area_in: Outline) -> bool:
    """Whether a figure's base comes to the edge of the table, or over it, along a path or at its end."""
    edge, end = area_of(area_in).exterior, base_area(placed(figure, path[-1]))
    return bool(end.intersects(edge) or LineString((path[0], *path)).intersects(edge))


def disk(rules: Rules, template: str, centre_in: PointIn) -> Blast:
    """The small or the large disk, laid at a point."""
    return Blast.across(centre_in, rules.tables.templates[template].diameter_in or 0)


def flame(rules: Rules, trooper: Figure, toward_deg: float) -> Wedge:
    """The flamethrower's wedge, its apex at the trooper."""
    row = rules.tables.templates["wedge"]
    return Wedge(trooper.centre_in, toward_deg, row.radius_in or 0, row.angle_deg or 0)


def after_hole(rules: Rules, base: TerrainPiece, centre_in: PointIn) -> tuple[TerrainPiece, ...]:
    """What is left of a base once a bazooka has shot a hole into it: one piece, several, or none."""
    hole = Point(centre_in).buffer((rules.tables.templates["small"].diameter_in or 0) / 2)
    left = area_of(base.outline_in).difference(hole)
    parts = [part for part in get_parts(left) if isinstance(part, Polygon) and part.area > EXACT]
    outlines = [tuple((x, y) for x, y, *_ in part.exterior.coords[:-1]) for part in parts]
    names = [base.name] if len(outlines) == 1 else [f"{base.name}{PART}{k}" for k in range(1, len(outlines) + 1)]
    return tuple(
        TerrainPiece(name, base.kind, outline, base.base_in, base.height_in)
        for name, outline in zip(names, outlines, strict=True)
    )


def ground(rules: Rules, state: State, terrain: Iterable[TerrainPiece]) -> Iterator[TerrainPiece]:
    """The terrain as bazookas and shells have left it: holes in bases, and no base that is destroyed."""
    for piece in terrain:
        if base_left(state, piece.name) == statuses.DESTROYED:
            continue
        parts: tuple[TerrainPiece, ...] = (piece,)
        for x, y in holes_in(state, piece.name):
            parts = tuple(left for part in parts for left in after_hole(rules, part, (x, y)))
        for part in parts:
            yield from (part,) if part.name == piece.name else ground(rules, state, (part,))


def base_left(state: State, name: str) -> Any:
    """What a base has left of its level; None if it was never hit. A part has at first what the whole had."""
    whole, part, _ = name.rpartition(PART)
    left = state.statuses.get(statuses.BASE.format(name))
    return base_left(state, whole) if left is None and part else left
