"""Army Men: facts of weapons and units from the tables, and facts of a shot from measured places."""

from __future__ import annotations

import dataclasses
from typing import Annotated

from rules.engine.ruleset import limit, row_title
from rules.engine.schema import Asked, Inches, Row
from rules.engine.verdict import Verdict, forbidden, verdict
from rules.games.army_men.bursts import radius_in
from rules.games.army_men.shot import near_cover, struck_face
from rules.games.army_men.tables import Face, Indirect, Rules, WeaponName, touching
from rules.tabletop.table import TerrainKind


def weapon(rules: Rules, weapon: WeaponName) -> Verdict:
    """A weapon's row in inches, without the columns that it leaves empty."""
    row = rules.tables.weapons[weapon]
    numbers = {name: getattr(row, name) for name in WEAPON_NUMBERS} | {"indirect": row.indirect is not Indirect.NEVER}
    sizes = {"blast_in": row.blast_in, "cone_in": row.cone_in, "immobilize_area_in": row.area_in}
    numbers |= {name: size for name, size in sizes.items() if size is not None}
    return Verdict("weapon", numbers, (rules.because(row.rule),))


WEAPON_NUMBERS = (
    *("range_min_in", "range_max_in", "attack", "rof", "stationary", "half_move", "crew", "phase", "automatic"),
)


def range_check(rules: Rules, weapon: WeaponName, distance_in: Inches) -> Verdict:
    """Whether a distance is within a weapon's range."""
    row = rules.tables.weapons[weapon]
    in_range = row.reaches(distance_in)
    reasons = (rules.because(row.rule), rules.because("AM-38"))
    measured_from = rules.option("measured_from")
    return verdict("in range" if in_range else "out of range", *reasons, in_range=in_range, measured_from=measured_from)


def template(rules: Rules, weapon: WeaponName) -> Verdict:
    """The shape that a weapon lays on the table, its sizes in inches."""
    row = rules.tables.weapons[weapon]
    if row.cone_in is not None:
        numbers = {"shape": rules.option("flame_shape"), "length_in": row.range_max_in, "width_in": row.cone_in}
        return Verdict("flame", numbers, (rules.because(row.rule),))
    across_in = row.blast_in if row.blast_in is not None else row.area_in
    if across_in is None:
        return forbidden("no_blast", rules.because(row.rule, f"{row_title(weapon)} fills no area"))
    reasons = (rules.because(row.rule), rules.because("AM-79"))
    return verdict("circle", *reasons, shape="circle", radius_in=radius_in(rules, across_in))


def cover(rules: Rules, cover_to_target_in: Inches | None = None) -> Verdict:
    """Whether the target counts as behind cover."""
    near = near_cover(rules, cover_to_target_in)
    return verdict("behind cover" if near else "in the open", rules.because("AM-83"), behind_cover=near)


def adjacent(rules: Rules, edge_in: Inches) -> Verdict:
    """Whether two units are adjacent."""
    beside = touching(rules, edge_in)
    return verdict("adjacent" if beside else "apart", rules.because("AM-89"), adjacent=beside)


def face(rules: Rules, off_facing_deg: Annotated[float, Asked("Which way does the target face?")]) -> Verdict:
    """Which face is struck, and whether the attack is from behind."""
    struck = struck_face(rules, off_facing_deg)
    reasons = (rules.because("AM-90"), rules.because("AM-98"))
    return verdict(struck, *reasons, face=str(struck), from_behind=struck is Face.REAR)


def prop(
    rules: Rules,
    prop: Annotated[str, Row("props", "unknown_prop")],
    terrain: Annotated[TerrainKind | None, Asked("What does it stand for?")] = None,
) -> Verdict:
    """The kind of terrain that a household object stands for."""
    row = rules.tables.props[prop]
    chosen = terrain if terrain in row.terrain else row.terrain[0]
    sensible = rules.chooses("prop_effects", "sensible")
    numbers = {
        "stands_for": row.stands_for,
        "terrain": str(chosen),
        "must_ask": len(row.terrain) > 1 and terrain not in row.terrain,
        "cover": row.cover and sensible,
        "rough_for_vehicles": row.rough and sensible,
        "blocks_sight": row.blocks_sight and sensible,
        "cliff": row.cliff,
    }
    return Verdict(row.stands_for, numbers, (rules.because(row.rule),))


def unit_card(rules: Rules, card: Annotated[str, Row("cards", "unknown_card")]) -> Verdict:
    """A ready unit."""
    row = rules.tables.cards[card]
    numbers = dataclasses.asdict(row) | {"weapons": list(row.weapons)}
    del numbers["rule"]
    numbers["lives"] = int(limit(rules, "hero_lives")) if row.hero else 1
    return Verdict(row.title, numbers, (rules.because(row.rule),))
