"""Army Men: the effect of terrain on units that cross it, look across it or stand in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from shapely.geometry import Point, Polygon

from rules.engine.position import View
from rules.engine.ruleset import limit
from rules.engine.schema import Inches, Record
from rules.games.army_men.tables import Rules, Shelter
from rules.tabletop.measure import STANDABLE_KINDS, base_area
from rules.tabletop.movement import IMPASSABLE, MovementProfile, TerrainCost, Walk
from rules.tabletop.opacity import CoverKind, Opacity
from rules.tabletop.scene import SightRules
from rules.tabletop.table import Figure, TerrainKind, TerrainPiece


class Stretch(Record):
    """A part of a path on one kind of ground."""

    inches: Inches
    uphill: bool = False
    rough: bool = False
    on_road: bool = False
    swimming: bool = False


def movement_profile(rules: Rules, unit: str, stands_on: Iterable[TerrainPiece] = ()) -> MovementProfile:
    """How a unit walks the measured table, for `rules.tabletop.movement.walk`.

    It walks on a cliff that it is on, and out of the wreck that it was in.
    """
    inside = {piece.name for piece in stands_on}
    grounds = _grounds(rules, unit)
    left = {**grounds, TerrainKind.MOUNTAIN: TerrainCost(on_top=True), TerrainKind.OTHER: TerrainCost()}

    def cost_of(piece: TerrainPiece) -> TerrainCost:
        return (left if piece.name in inside else grounds).get(piece.kind, TerrainCost())

    return MovementProfile(cost_of, uphill_factor=1 / rules.tables.halvings["uphill"].factor)


def _grounds(rules: Rules, unit: str) -> Mapping[TerrainKind, TerrainCost]:
    kind = rules.tables.kinds[unit]
    rough = TerrainCost(cost_per_in=1 / rules.tables.halvings["rough"].factor) if kind.vehicle else TerrainCost()
    swum = IMPASSABLE if kind.vehicle else TerrainCost(cost_per_in=kind.move_in / limit(rules, "swimming_in"))
    return {
        **dict.fromkeys(rough_kinds(rules), rough),
        TerrainKind.WATER: swum,
        TerrainKind.HILL: TerrainCost(on_top=True),
        TerrainKind.BRIDGE: TerrainCost(on_top=True),
        TerrainKind.WIRE: TerrainCost() if kind.vehicle else IMPASSABLE,
        TerrainKind.TANK_OBSTACLE: IMPASSABLE if kind.vehicle else TerrainCost(),
        TerrainKind.BUILDING: IMPASSABLE,
        TerrainKind.BUNKER: IMPASSABLE if kind.vehicle else TerrainCost(),
        TerrainKind.MOUNTAIN: TerrainCost(passable=False, on_top=True),
        TerrainKind.WALL: IMPASSABLE,
        TerrainKind.OTHER: IMPASSABLE,
    }


def rough_kinds(rules: Rules) -> tuple[TerrainKind, ...]:
    """The kinds of terrain that are rough ground for a vehicle."""
    return (TerrainKind.ROUGH, *([TerrainKind.WOODS] if rules.chooses("prop_effects", "sensible") else []))


def stretches(rules: Rules, unit: str, walked: Walk) -> Iterator[Stretch]:
    """A measured walk as the parts of a move."""
    grounds, rough = _grounds(rules, unit), set(rough_kinds(rules))

    def height_in(pieces: Iterable[TerrainPiece]) -> float:
        return max((piece.top_in for piece in pieces if grounds.get(piece.kind, TerrainCost()).on_top), default=0.0)

    before_in, uphill = height_in(walked.start_inside), False
    for part in walked.stretches:
        uphill = part.height_in > before_in if part.height_in != before_in else uphill
        before_in = part.height_in
        kinds = {piece.kind for piece in part.inside}
        yield Stretch(
            inches=part.length_in,
            uphill=uphill and TerrainKind.BRIDGE not in kinds,
            rough=bool(kinds & rough),
            on_road=TerrainKind.ROAD in kinds,
            swimming=TerrainKind.WATER in kinds,
        )


def sight_rules(rules: Rules) -> SightRules:
    """The terrain that hides figures, with matchbox smoke if household objects count."""
    smoke = {} if rules.chooses("prop_effects", "sensible") else {TerrainKind.SMOKE: Opacity(CoverKind.CLEAR)}
    return SightRules(opacity=smoke)


# Shelter.


def shelter(rules: Rules, kind: TerrainKind) -> Shelter | None:
    """The kind of protection that terrain gives."""
    sensible = rules.chooses("prop_effects", "sensible")
    rows = (row for row in rules.tables.shelters.values() if kind in row.terrain)
    return next((row for row in rows if sensible or not row.if_sensible), None)


def held_by(target: Figure, terrain: Iterable[TerrainPiece]) -> tuple[TerrainPiece, ...]:
    """The pieces that a figure stands inside."""
    x, y = target.centre_in

    def near(piece: TerrainPiece) -> bool:
        """A quick look that spares most pieces the exact one."""
        xs, ys = zip(*piece.outline_in, strict=True)
        return bool(min(xs) <= x <= max(xs) and min(ys) <= y <= max(ys))

    return tuple(piece for piece in terrain if near(piece) and Polygon(piece.outline_in).contains(Point(x, y)))


def inside_pillbox(rules: Rules, target: Figure, terrain: Iterable[TerrainPiece]) -> bool:
    """Whether a figure stands in a pillbox that is a piece of terrain."""
    shelters = (shelter(rules, piece.kind) for piece in held_by(target, terrain))
    return any(row is not None and row.pillbox for row in shelters)


def cover_to_target_in(rules: Rules, target: Figure, view: View, terrain: Iterable[TerrainPiece]) -> float | None:
    """The distance from a target to the cover on the line of sight; 0 in cover, None without cover."""
    held = held_by(target, terrain)
    for piece in held:
        row = shelter(rules, piece.kind)
        if row is not None and row.inside and not row.pillbox:
            return 0.0
    base = base_area(target)
    # The hill on which he stands hides his feet from below, and is no cover: that shot has its own -1 (AM-88).
    under = {piece.name for piece in held if piece.kind in STANDABLE_KINDS}
    pieces = [piece for piece, _ in view.hidden_by if piece.name not in under]
    hiding = [piece for piece in pieces if (row := shelter(rules, piece.kind)) and not row.pillbox]
    return min((float(base.distance(Polygon(piece.outline_in))) for piece in hiding), default=None)
