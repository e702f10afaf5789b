"""Plastic Fudge on the measured table: what figures and terrain pieces say of an attack, a template or a path."""

from __future__ import annotations

from collections.abc import Iterable

from shapely import get_parts
from shapely.geometry import Point, Polygon

from rules.area import standing_on
from rules.bearing import Turning
from rules.call import EXACT
from rules.games.plastic_fudge_combat import Border, stands_in
from rules.games.plastic_fudge_movement import Mover, slowed
from rules.games.plastic_fudge_tables import Rules, limit
from rules.going import IMPASSABLE, Gait, Going
from rules.measure import Bands, range_between, stepped
from rules.table import Figure, Outline, PointIn, TerrainPiece, area_of
from rules.template import Blast, Wedge


def rod(rules: Rules) -> Bands:
    """The measuring rod: a mark for every range band, those at 6 and 12 inches in another colour."""
    band_in = rules.option("band_in")
    marks = stepped(band_in, int(limit(rules, "rod_in") // band_in))
    coloured = (limit(rules, "first_colour_in"), limit(rules, "second_colour_in"))
    return Bands(marks.marks_in, tuple(mark for mark in marks.marks_in if mark in coloured))


def distance_in(rules: Rules, a: Figure, b: Figure) -> float:
    """The distance that the rules speak of; `range_between` tells how sure it is."""
    measured = range_between(a, b)
    return measured.edge_in if rules.chooses("measured_from", "base_edges") else measured.centre_in


def bands_up(rules: Rules, attacker: Figure, target: Figure) -> int:
    """Whole range bands by which the attacker stands higher; negative where he stands lower."""
    height_in = attacker.z_in - target.z_in
    whole = int((abs(height_in) + EXACT) // rules.option("band_in"))
    return whole if height_in > 0 else -whole


def terrain_under(rules: Rules, figure: Figure, pieces: Iterable[TerrainPiece]) -> str:
    """The terrain that a figure defends in, one on a border included."""
    kinds = {kind: row.terrain for kind, row in rules.tables.grounds().items() if row.terrain != "open"}
    parts: dict[str, float] = {}
    for share in standing_on(figure, [piece for piece in pieces if piece.kind in kinds]):
        name = kinds[share.piece.kind] if share.piece else "open"
        parts[name] = min(1.0, parts.get(name, 0.0) + share.fraction)
    return stands_in(rules, Border(parts=parts)).outcome


def gait(rules: Rules, who: Mover) -> Gait:
    """How a unit walks the measured table, for `rules.movement.walk`."""
    grounds, band_in = rules.tables.grounds(), rules.option("band_in")
    flat, climb_in = rules.chooses("height_counts", "flat"), limit(rules, "climb_cost_in")

    def going(piece: TerrainPiece) -> Going:
        ground = grounds.get(piece.kind)
        if ground is None:
            return Going()
        slowing = slowed(rules, who, ground.terrain)
        if slowing is None:
            return IMPASSABLE
        step_in = climb_in if flat and ground.on_top and piece.top_in >= band_in else 0.0
        return Going(cost_per_in=1 / (1 - slowing[0]), enter_in=step_in, on_top=ground.on_top)

    # Turning goes by whole steps; a thousandth of a step stands for "in proportion".
    parts = 1 if rules.chooses("part_turns", "round_up") else 1000
    turning = Turning(limit(rules, "turn_deg") / parts, limit(rules, "turn_cost_in") / parts)
    climb_per_in = 0.0 if flat else climb_in / band_in
    return Gait(going, climb_cost_per_in=climb_per_in, height_step_in=band_in, turning=turning)


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
    outlines = [_outline(part.exterior.coords) for part in parts]
    names = [base.name] if len(outlines) == 1 else [f"{base.name} {k}" for k in range(1, len(outlines) + 1)]
    return tuple(
        TerrainPiece(name, base.kind, outline, base.base_in, base.height_in)
        for name, outline in zip(names, outlines, strict=True)
    )


def _outline(ring: Iterable[tuple[float, ...]]) -> Outline:
    return tuple((x, y) for x, y, *_ in list(ring)[:-1])
