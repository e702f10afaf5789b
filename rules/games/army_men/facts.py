"""Army Men: facts of weapons and units from the tables, and facts of a shot from measured places."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Annotated

from rules.engine.ruleset import limit, row_title
from rules.engine.schema import Asked, Inches, Row
from rules.engine.verdict import Verdict, forbidden, verdict
from rules.games.army_men.bursts import radius_in
from rules.games.army_men.shot import near_cover, struck_face
from rules.games.army_men.tables import Face, Indirect, Rules, WeaponName, touching
from rules.tabletop.table import TerrainKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Armed:
    """A weapon."""

    weapon: WeaponName


def weapon(rules: Rules, asked: Armed) -> Verdict:
    """A weapon's row in inches, without the columns that it leaves empty."""
    row = rules.tables.weapons[asked.weapon]
    numbers = {name: getattr(row, name) for name in WEAPON_NUMBERS} | {"indirect": row.indirect is not Indirect.NEVER}
    sizes = {"blast_in": row.blast_in, "cone_in": row.cone_in, "immobilize_area_in": row.area_in}
    numbers |= {name: size for name, size in sizes.items() if size is not None}
    return Verdict("weapon", numbers, (rules.because(row.rule),))


WEAPON_NUMBERS = (
    *("range_min_in", "range_max_in", "attack", "rof", "stationary", "half_move", "crew", "phase", "automatic"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranged(Armed):
    """A weapon and a distance."""

    distance_in: Inches


def range_check(rules: Rules, asked: Ranged) -> Verdict:
    """Whether a distance is within a weapon's range."""
    row = rules.tables.weapons[asked.weapon]
    in_range = row.reaches(asked.distance_in)
    reasons = (rules.because(row.rule), rules.because("AM-38"))
    measured_from = rules.option("measured_from")
    return verdict("in range" if in_range else "out of range", *reasons, in_range=in_range, measured_from=measured_from)


def template(rules: Rules, asked: Armed) -> Verdict:
    """The shape that a weapon lays on the table, its sizes in inches."""
    row = rules.tables.weapons[asked.weapon]
    if row.cone_in is not None:
        numbers = {"shape": rules.option("flame_shape"), "length_in": row.range_max_in, "width_in": row.cone_in}
        return Verdict("flame", numbers, (rules.because(row.rule),))
    across_in = row.blast_in if row.blast_in is not None else row.area_in
    if across_in is None:
        return forbidden("no_blast", rules.because(row.rule, f"{row_title(asked.weapon)} fills no area"))
    reasons = (rules.because(row.rule), rules.because("AM-79"))
    return verdict("circle", *reasons, shape="circle", radius_in=radius_in(rules, across_in))


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """The distance from the target to the nearest cover on the line of sight; None if there is none."""

    cover_to_target_in: Inches | None = None


def cover(rules: Rules, asked: Covered) -> Verdict:
    """Whether the target counts as behind cover."""
    near = near_cover(rules, asked.cover_to_target_in)
    return verdict("behind cover" if near else "in the open", rules.because("AM-83"), behind_cover=near)


@dataclass(frozen=True, slots=True, kw_only=True)
class Apart:
    """How far two bases are apart, edge to edge."""

    edge_in: Inches


def adjacent(rules: Rules, asked: Apart) -> Verdict:
    """Whether two units are adjacent."""
    beside = touching(rules, asked.edge_in)
    return verdict("adjacent" if beside else "apart", rules.because("AM-89"), adjacent=beside)


@dataclass(frozen=True, slots=True, kw_only=True)
class FromWhere:
    """How far the attacker is off the direction in which the target faces."""

    off_facing_deg: Annotated[float, Asked("Which way does the target face?")]


def face(rules: Rules, asked: FromWhere) -> Verdict:
    """Which face is struck, and whether the attack is from behind."""
    struck = struck_face(rules, asked.off_facing_deg)
    reasons = (rules.because("AM-90"), rules.because("AM-98"))
    return verdict(struck, *reasons, face=str(struck), from_behind=struck is Face.REAR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """A household object and, if it may stand for several kinds, the players' choice."""

    prop: Annotated[str, Row("props", "unknown_prop")]
    terrain: Annotated[TerrainKind | None, Asked("What does it stand for?")] = None


def prop(rules: Rules, thing: Thing) -> Verdict:
    """The kind of terrain that a household object stands for."""
    row = rules.tables.props[thing.prop]
    chosen = thing.terrain if thing.terrain in row.terrain else row.terrain[0]
    sensible = rules.chooses("prop_effects", "sensible")
    numbers = {
        "stands_for": row.stands_for,
        "terrain": str(chosen),
        "must_ask": len(row.terrain) > 1 and thing.terrain not in row.terrain,
        "cover": row.cover and sensible,
        "rough_for_vehicles": row.rough and sensible,
        "blocks_sight": row.blocks_sight and sensible,
        "cliff": row.cliff,
    }
    return Verdict(row.stands_for, numbers, (rules.because(row.rule),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A ready unit card by its name."""

    card: Annotated[str, Row("cards", "unknown_card")]


def unit_card(rules: Rules, asked: Named) -> Verdict:
    """A ready unit."""
    row = rules.tables.cards[asked.card]
    numbers = dataclasses.asdict(row) | {"weapons": list(row.weapons)}
    del numbers["rule"]
    numbers["lives"] = int(limit(rules, "hero_lives")) if row.hero else 1
    return Verdict(row.title, numbers, (rules.because(row.rule),))
