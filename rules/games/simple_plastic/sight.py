"""Simple Plastic Wargame: sight, cover and height between two figures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from shapely.geometry import LineString, Polygon

from rules.engine.common import part_of_target
from rules.engine.facts import Context, Source
from rules.engine.position import Position
from rules.engine.ruleset import limit, row_title
from rules.engine.schema import Asked, Inches, Part, Record
from rules.engine.state import Unit
from rules.engine.verdict import Reason, RuleRefusal, Verdict, verdict
from rules.games.simple_plastic.tables import Cover, Elevation, Rules
from rules.tabletop.measure import held_by
from rules.tabletop.opacity import OPACITY, CoverKind, Opacity, screening
from rules.tabletop.scene import SightRules
from rules.tabletop.table import TerrainKind, TerrainPiece
from rules.tabletop.tolerance import within

HIGHER_OR_LOWER = Asked("Does the target stand higher than the attacker, lower, or level with him?")
ANY_COVER = Asked("Does anything hide a part of the target from the attacker?")


def sight_rules(rules: Rules) -> SightRules:
    """The kinds of terrain that hide figures; semi-solid ones hide, but stop no attack."""

    def opacity(kind: TerrainKind) -> Opacity:
        cover = rules.tables.terrain[kind.value].cover
        row = rules.tables.covers[cover] if cover else None
        if row is not None and row.counts and not row.blocks:
            return screening(kind)
        return replace(OPACITY[kind], cover_kind=CoverKind.SOLID if row is not None and row.counts else CoverKind.CLEAR)

    figures = rules.tables.covers["figures"]
    opacities = {kind: opacity(kind) for kind in TerrainKind}
    return SightRules(opacities, figures_hide=figures.counts, fire_passes_screens=True)


# What the table shows of a target.


def _obstacle(context: Context) -> str | None:
    """The cover of a target: solid pieces decide first; screens cover but never block."""
    view = context.target_view
    between = (piece.kind for piece, _ in view.hidden_by if not _sees_out_of(context, piece))
    veils = {context.position.sight.of(kind).cover_kind for kind in between}
    return "semi_solid" if view.exposure_to_fire > 0 and CoverKind.SCREEN in veils else None


def _sees_out_of(context: Context, piece: TerrainPiece) -> bool:
    """Whether the attacker stands so near the edge of woods that they do not block his view out of them (SP-16)."""
    near, far = (context.position.figure(unit.id) for unit in (context.actor, context.target))
    depth_in = OPACITY[piece.kind].depth_in
    if not depth_in or not held_by(near, (piece,)) or held_by(far, (piece,)):
        return False
    line = LineString((near.centre_in, far.centre_in))
    return within(line.intersection(Polygon(piece.outline_in)).length, depth_in)


def distance_in(context: Context) -> float:
    """The distance from base edge to base edge, to a hundredth of an inch."""
    return round(context.target_view.range.edge_in, 2)


def is_special(context: Context) -> bool:
    """Whether the target is a specialist."""
    return bool(context.rules.tables.units[context.position.kind(context.target)["unit"]].special)


def group_of(position: Position, unit: Unit) -> str:
    """The name of the squad or lone unit that an attack on this unit is aimed at, unlike that of any other."""
    name, own = unit.squad or unit.id, (unit.side, unit.squad)
    alike = (one for one in position.state.units.values() if (one.squad or one.id) == name)
    return f"{unit.side}/{unit.squad}/{name}" if any((one.side, one.squad) != own for one in alike) else name


def group_of_target(context: Context) -> str:
    """The name of the squad or lone unit that is attacked."""
    return group_of(context.position, context.target)


_PART_TO_FIRE = Source(lambda context: part_of_target(context, context.target_view.exposure_to_fire))
_ELEVATION = Source(lambda context: level(context.rules, context.target_view.range.rise_in))


class Target(Record):
    """A figure as one attacker sees it.

    Attributes:
        in_cover: None if what is seen of it decides.
        visible_fraction: The part of it that solid things do not hide.
        obstacle: What stands on the line to it.
        squad: The squad or lone unit that it belongs to.
    """

    id: Annotated[str, Source(lambda context: context.target.id)] = "the target"
    distance_in: Annotated[Inches, Source(distance_in)] = 0
    elevation: Annotated[Elevation, HIGHER_OR_LOWER, _ELEVATION] = Elevation.LEVEL
    in_cover: Annotated[bool | None, ANY_COVER] = None
    special: Annotated[bool, Source(is_special)] = False
    visible_fraction: Annotated[Part, _PART_TO_FIRE] = 1.0
    obstacle: Annotated[str | None, Source(_obstacle)] = None
    squad: Annotated[str, Source(group_of_target)] = ""


# What the rules make of it.


@dataclass(frozen=True, slots=True)
class Sight:
    """The visible part of a target; `ask` if it is too little or too much for a camera to decide."""

    visible: bool
    covered: bool
    ask: bool
    reason: Reason


def sight_of(rules: Rules, visible_fraction: float, obstacle: str | None) -> Sight:
    """Whether a target can be seen and is covered; something solid hides it where no obstacle is named."""
    name = obstacle or "solid"
    row = _cover(rules, name)
    if not row.counts:
        return Sight(True, False, False, rules.because(row.rule, f"{row_title(name)} neither block nor cover"))
    hidden = 1 - visible_fraction
    visible = visible_fraction > 0 or not row.blocks
    covered = visible and (row.always or not within(hidden, rules.option("cover_beyond")))
    ask = not row.always and 0 < min(hidden, visible_fraction) < limit(rules, "ask_when_hidden_below")
    text = f"{row_title(name)} cover: {visible_fraction:.0%} of the target can be seen"
    return Sight(visible, covered, ask, rules.because(row.rule, text) if covered else rules.because("SP-09"))


def _cover(rules: Rules, word: str) -> Cover:
    """A kind of cover by any of its names."""
    rows = rules.tables.covers
    found = rows.get(word) or next((row for row in rows.values() if word in row.also), None)
    if found is None:
        known = ", ".join((*rows, *(name for row in rows.values() for name in row.also)))
        raise RuleRefusal("unknown_obstacle", f"the obstacle {word!r} is no kind of cover: choose one of {known}")
    return found


def in_cover(rules: Rules, target: Target) -> bool:
    """Whether a target is covered: the players' answer, otherwise as measured."""
    if target.in_cover is not None:
        return target.in_cover
    return sight_of(rules, target.visible_fraction, target.obstacle).covered


def elevation(rules: Rules, rise_in: float) -> Verdict:
    """Whether the target is uphill, downhill or level."""
    found = level(rules, rise_in)
    return verdict(found, rules.because("SP-12", f"the target is {found}"), elevation=str(found))


def level(rules: Rules, rise_in: float) -> Elevation:
    """Where a target stands that is so much higher than its attacker."""
    if within(abs(rise_in), rules.option("uphill_beyond_in")):
        return Elevation.LEVEL
    return Elevation.UPHILL if rise_in > 0 else Elevation.DOWNHILL
