"""Simple Plastic Figure: how terrain protects figures, and how pieces count for sight, movement and as shelters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from shapely.geometry import Point, Polygon

from rules.engine.ruleset import limit
from rules.engine.schema import Asked, Part, Record
from rules.engine.verdict import Reason, Verdict, verdict
from rules.games.simple_plastic_figure.rows import display_name
from rules.games.simple_plastic_figure.tables import PlaceName, PoseName, Rules, TerrainName
from rules.tabletop.measure import ground_under
from rules.tabletop.movement import Walk
from rules.tabletop.opacity import screening
from rules.tabletop.scene import ON_TOP_IN, SightRules
from rules.tabletop.table import Figure, PointIn, TerrainKind, TerrainPiece, boxes_meet
from rules.tabletop.tolerance import EXACT, reaches


def sight_rules(rules: Rules) -> SightRules:
    """The terrain that hides figures; pieces that fire passes also allow sight, even from inside."""
    names, rows = {kind: terrain_names(rules, kind) for kind in TerrainKind}, rules.tables.terrain
    light = {kind: screening(kind) for kind, known in names.items() if known and rows[known[0]].through}
    return SightRules(light, figures_hide=rules.chooses("figures_block", True), fire_passes_screens=True)


def terrain_names(rules: Rules, kind: TerrainKind) -> list[str]:
    """The rulebook's possible names for a piece, the default first; none if it does not matter to a shot."""
    return [name for name, row in rules.tables.terrain.items() if kind in row.kinds]


def place_kind(rules: Rules, kind: TerrainKind) -> str | None:
    """The kind of place that a piece is for a figure inside it; None if no figure can be inside."""
    return next((name for name, row in rules.tables.places.items() if kind in row.kinds), None)


def holder(rules: Rules, figure: Figure, terrain: Iterable[TerrainPiece]) -> TerrainPiece | None:
    """The house, bunker or trench that a figure is inside of, by the larger part of its base; a roof holds none."""
    holding = [piece for piece in terrain if place_kind(rules, piece.kind) and figure.z_in < piece.top_in + ON_TOP_IN]
    there = [piece for piece in holding if boxes_meet(figure.base_in, piece.outline_in)]
    return ground_under(figure, there).value if there else None


def holder_at(rules: Rules, spot_in: PointIn, terrain: Iterable[TerrainPiece]) -> TerrainPiece | None:
    """The house, bunker or trench that a spot is in."""
    spot = Point(spot_in)
    holding = (piece for piece in terrain if place_kind(rules, piece.kind))
    return next((piece for piece in holding if Polygon(piece.outline_in).covers(spot)), None)


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
        row = rules.tables.ground.get(piece.kind)
        out = row.leave if row and piece.name in walked.left else None
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


class Piece(Record):
    """A terrain piece near a target; without `fraction_behind` the pose tells what a waist-high piece hides."""

    terrain: TerrainName
    fraction_behind: Annotated[Part | None, Asked("How much of the target is behind the terrain?")] = None
    line_passes_terrain: bool = False
    touching: bool = False


class Behind(Piece):
    """A target behind one terrain piece."""

    pose: PoseName


def behind(rules: Rules, pose: str, piece: Piece) -> float:
    """The part of a figure that a piece hides from the firer."""
    if not piece.line_passes_terrain:
        return 0.0
    return rules.tables.poses[pose].behind if piece.fraction_behind is None else piece.fraction_behind


def exposure(rules: Rules, pose: str, piece: Piece) -> float:
    """The part of a figure that can be fired at past a piece; what fire runs through hides nothing.

    A figure that lies beside a piece fires past it, so that it hides no more of it than of a figure at an opening.
    """
    shown = 1.0 if rules.tables.terrain[piece.terrain].through else max(0.0, 1 - behind(rules, pose, piece))
    beside = rules.tables.poses[pose].lying and piece.touching
    return max(shown, float(rules.option("exposed_at_opening"))) if beside else shown


def cover_of(rules: Rules, pose: str, piece: Piece) -> tuple[str, Reason]:
    """The cover that a piece gives, and why."""
    kind = rules.tables.terrain[piece.terrain].cover
    name = display_name(piece.terrain)
    if rules.tables.poses[pose].lying and piece.touching and kind != "none":
        certain = "cover" if rules.chooses("prone_by_concealment", "cover") else kind
        return certain, rules.because("WW-34", f"prone beside the {name}: {certain}")
    if not piece.line_passes_terrain:
        text = f"the shot does not cross the {name}"
        return "none", rules.because("WW-30" if piece.touching else "WW-28", text)
    hidden = behind(rules, pose, piece)
    enough = reaches(hidden, limit(rules, "cover_behind"))
    if not enough and not (piece.touching and rules.chooses("touching_is_enough", True)):
        return "none", rules.because("WW-29", f"{hidden:.0%} is behind the {name}; half is needed")
    return kind, rules.because("WW-29", f"{hidden:.0%} is behind the {name}: {kind}")


def worst(rules: Rules, covers: Sequence[str]) -> list[str]:
    """The covers that count of all that a figure has: the best, or one of each class."""
    found = sorted(set(covers) | {"none"}, key=lambda name: rules.tables.covers[name].modifier)
    if rules.chooses("both_covers", "add"):
        return [name for name in found if rules.tables.covers[name].modifier] or ["none"]
    return found[:1]


def cover(rules: Rules, target: Behind) -> Verdict:
    """The cover of a target behind one piece, and whether enough of it shows to be shot at."""
    found, reason = cover_of(rules, target.pose, target)
    exposed = exposure(rules, target.pose, target)
    seen = reaches(exposed, limit(rules, "target_exposed"))
    hidden = [] if seen else [rules.because("WW-26", f"{exposed:.0%} of the target is exposed")]
    row = rules.tables.covers[found]
    return verdict(
        found,
        reason,
        rules.because(row.rule, f"cover: {found}", row.modifier),
        *hidden,
        cover=found,
        modifier=row.modifier,
        exposed=exposed,
        targetable=seen,
    )


def terrain_class(rules: Rules, terrain: tuple[TerrainName, ...]) -> Verdict:
    """Whether each kind of terrain conceals or covers."""
    covers = [(name, rules.tables.terrain[name].cover) for name in terrain]
    reasons = (rules.because("WW-54", f"{display_name(name)}: {cover}") for name, cover in covers)
    return Verdict("classes", {"class": [cover for _, cover in covers]}, (rules.because("WW-04"), *reasons))


def terrain_on_table(rules: Rules, kind: TerrainKind) -> Verdict:
    """Which of the rulebook's kinds a measured piece may be; with several the players are asked."""
    names = terrain_names(rules, kind)
    return verdict("known" if names else "no effect", rules.because("WW-04"), terrain=names)


def lowered(rules: Rules, place: str, pose: str) -> str:
    """The pose that a figure counts as in a place."""
    for _ in range(rules.tables.places[place].pose_steps):
        pose = rules.tables.poses[pose].lower
    return pose


def shelter(rules: Rules, place: PlaceName, pose: PoseName) -> Verdict:
    """How a figure in a place counts as a target."""
    row = rules.tables.places[place]
    counts_as = lowered(rules, place, pose)
    return verdict(
        "sheltered" if row.cover != "none" else "in the open",
        rules.because(row.rule),
        pose_counts_as=counts_as,
        cover=row.cover,
        modifier=rules.tables.covers[row.cover].modifier + rules.tables.poses[counts_as].modifier,
    )
