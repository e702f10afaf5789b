"""Army Men: a shot, all that is known of it, and the facts that its modifiers hang on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated

from rules.engine.ruleset import limit, row_title
from rules.engine.schema import Asked, Count, Inches, Part
from rules.games.army_men.hard import ZoneOfPillbox
from rules.games.army_men.tables import Effect, Face, Indirect, Kind, KindName, Rules, Weapon, WeaponName
from rules.tabletop.tolerance import reaches, within


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """A target as the firer has it before him.

    What a camera measures may stand for what a player says: `edge_in` for `adjacent`, `off_facing_deg` (the firer's
    direction off the target's front) for `face` and `from_behind`, `cover_to_target_in` (how near to the target the
    line of sight crosses cover) for `behind_cover`, `rise_in` (how much higher the target stands) for `from_lower`.
    `garrison` is a target inside a pillbox that can be aimed at itself, `sealed` one inside a tank or an aircraft.
    """

    distance_in: Inches
    target: KindName = "infantry"
    los: bool = True
    behind_cover: Annotated[bool, Asked("Is the target behind cover?")] = False
    entrenched: Annotated[bool, Asked("Is the target entrenched?")] = False
    inside_half_track: Annotated[bool, Asked("Is the target inside a half-track?")] = False
    inside_pillbox: Annotated[bool, Asked("Is the target inside a pillbox?")] = False
    garrison: bool = False
    sealed: bool = False
    flying: Annotated[bool, Asked("Does the target fly?")] = False
    from_lower: Annotated[bool, Asked("Does the firer stand lower than the target?")] = False
    rise_in: float = 0.0
    cover_to_target_in: Inches | None = None
    adjacent: bool = False
    edge_in: Inches | None = None
    from_behind: bool = False
    fraction: Part = 1.0
    face: Face = Face.FRONT
    off_facing_deg: Annotated[float | None, Asked("How many degrees is the firer off the target's front?")] = None
    heavy: Annotated[bool, Asked("Is the target a heavy tank?")] = False
    fixed_location: Annotated[bool, Asked("Is the shot at a fixed location?")] = False
    earlier_attacks_on_location: Count = 0
    target_weapon: WeaponName | None = None
    target_hero: bool = False
    target_eliminations: Count = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot(Aim):
    """One attack: the target, and all that the firer brings to it.

    Attributes:
        phase: The part of the turn, where that matters; before the first turn it has no name.
        opportunity: The target was seen on its way.
        returns: It answers opportunity fire, then and there.
        shut_in: He is inside what lets nobody shoot out.
        in_the_air: He has a parachute and has not landed.
        destroyed_in_phase: In which phase of this turn the firer himself was hit.
        fired_this_turn: The weapons of this turn's attacks, as far as they are known apart.
    """

    weapon: WeaponName
    attacker: KindName = "infantry"
    shown_weapons: tuple[WeaponName, ...] | None = None
    phase: str | None = None
    opportunity: bool = False
    returns: bool = False
    shut_in: bool = False
    in_the_air: bool = False
    destroyed_in_phase: Count | None = None
    wounded: bool = False
    moved_this_turn: bool = False
    climbing: bool = False
    dropped_this_turn: bool = False
    attacks_made_this_turn: Count = 0
    fired_this_turn: tuple[WeaponName, ...] = ()
    mounted: bool = False
    crew: Count | None = None
    jammed: bool = False
    out_of_ammo: bool = False
    stunned: bool = False
    target_zone: Annotated[ZoneOfPillbox | None, Asked("Where does the target stand, seen from his pillbox?")] = None
    turret_points_at_target: Annotated[bool, Asked("Does the turret point at the target?")] = True
    glued: bool = False
    immobilized: bool = False
    sustained: Annotated[bool, Asked("Does the whole burst go at this one vehicle?")] = False
    indirect: bool = False
    radio: Annotated[bool, Asked("Does a friend with a radio see the target?")] = False
    hero: bool = False
    leader: bool = False
    leader_distance_in: Inches | None = None
    leader_by_radio: Annotated[bool, Asked("Does a radio pass on the leader's bonus?")] = False
    binoculars: Annotated[bool, Asked("Does the firer or a man of his crew hold binoculars?")] = False
    spotter_binoculars: bool = False


def weapon_of(rules: Rules, shot: Shot) -> Weapon:
    """The row of the weapon that fires."""
    return rules.tables.weapons[shot.weapon]


def kind_of(rules: Rules, shot: Shot) -> Kind:
    """The row of the target's kind."""
    return rules.tables.kinds[shot.target]


def armoured(rules: Rules, kind: str) -> bool:
    """Whether a kind is an armoured vehicle, at which one fires what makes no blast (AM-80)."""
    return rules.tables.kinds[kind].hard == "afv"


def effect_of(rules: Rules, shot: Shot) -> Effect:
    """What a hit of this weapon does to this target."""
    row = rules.tables.effects[weapon_of(rules, shot).group]
    effect: Effect = getattr(row, kind_of(rules, shot).target)
    if effect is Effect.IF_SUSTAINED:
        return Effect.ELIMINATES if shot.sustained else Effect.NOTHING
    return effect


def its_phase(rules: Rules, weapon: str) -> str:
    """When a weapon fires, in words."""
    number = rules.tables.weapons[weapon].phase
    phase = next(name for name, row in rules.tables.phases.items() if row.number == number)
    return f"{row_title(weapon)} fires in the phase of {phase.replace('_', ' ')}"


def _led(rules: Rules, shot: Shot) -> bool:
    radius_in = limit(rules, "leader_area_in") / (1 if rules.chooses("leader_area", "radius") else 2)
    near = shot.leader_distance_in is not None and within(shot.leader_distance_in, radius_in)
    himself = shot.leader and rules.chooses("leader_leads_himself", True)
    return near or himself or shot.leader_by_radio


def _through_binoculars(rules: Rules, shot: Shot) -> bool:
    return shot.binoculars or (shot.spotter_binoculars and rules.chooses("binoculars_held_by", "spotter_too"))


def _ranging_in(rules: Rules, shot: Shot) -> bool:
    weapon = weapon_of(rules, shot)
    first = shot.fixed_location and shot.earlier_attacks_on_location == 0
    far = not within(shot.distance_in, limit(rules, "far_in"))
    indirect = shot.indirect or not shot.los or weapon.indirect is Indirect.ALWAYS
    counted_already = far and rules.chooses("first_shot_and_range", "one")
    return weapon.gun and first and (far or indirect) and not counted_already


def adjacent(rules: Rules, shot: Shot) -> bool:
    """Whether the two are adjacent."""
    return shot.adjacent or (shot.edge_in is not None and touching(rules, shot.edge_in))


def touching(rules: Rules, edge_in: float) -> bool:
    """Whether bases that are so far apart are adjacent."""
    return within(edge_in, rules.option("adjacent_within_in"))


def struck_face(rules: Rules, off_facing_deg: float) -> Face:
    """Which face is struck from a direction that is so far off the target's front."""
    off_deg = abs((off_facing_deg + 180) % 360 - 180)
    if within(180 - off_deg, rules.option("rear_arc_deg") / 2):
        return Face.REAR
    return Face.FRONT if within(off_deg, rules.option("front_arc_deg") / 2) else Face.SIDE


def face_of(rules: Rules, shot: Shot) -> Face:
    """Which face of the target is struck."""
    return shot.face if shot.off_facing_deg is None else struck_face(rules, shot.off_facing_deg)


def _from_behind(rules: Rules, shot: Shot) -> bool:
    return shot.from_behind or (shot.off_facing_deg is not None and face_of(rules, shot) is Face.REAR)


def near_cover(rules: Rules, cover_to_target_in: float | None) -> bool:
    """Whether cover on the line of sight is so near to the target that it serves."""
    return cover_to_target_in is not None and within(cover_to_target_in, rules.option("cover_within_in"))


DERIVED: Mapping[str, Callable[[Rules, Shot], bool]] = {
    "led": _led,
    "through_binoculars": _through_binoculars,
    "ranging_in": _ranging_in,
    "adjacent": adjacent,
    "from_behind": _from_behind,
    "behind_cover": lambda rules, shot: shot.behind_cover or near_cover(rules, shot.cover_to_target_in),
    "from_lower": lambda rules, shot: shot.from_lower or reaches(shot.rise_in, limit(rules, "lower_by_in")),
}
"""Facts that modifiers may name besides the plain ones of a shot, or that measurements tell as well."""


def holds(rules: Rules, shot: Shot, fact: str) -> bool:
    """Whether a fact that a modifier names is so."""
    return DERIVED[fact](rules, shot) if fact in DERIVED else bool(getattr(shot, fact))
