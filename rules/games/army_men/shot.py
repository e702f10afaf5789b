"""Army Men: a shot, its facts, and the facts that decide its modifiers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Annotated, Any

from rules.engine.common import HIDDEN, SEEN, in_sight
from rules.engine.facts import PHASE, UNKNOWN, Source, Uncertain, of_actor
from rules.engine.position import Position, View
from rules.engine.ruleset import limit, row_title
from rules.engine.schema import Asked, Count, Inches, Part, Record
from rules.engine.state import Unit
from rules.engine.text import display_name
from rules.games.army_men import status
from rules.games.army_men.hard import ZoneOfPillbox
from rules.games.army_men.status import card_says, cover_to_target_in, did, has, of_pair, of_target
from rules.games.army_men.tables import Effect, Face, Indirect, Kind, KindName, Rules, Weapon, WeaponName, touching
from rules.tabletop.bearing import aspect_sigma_deg, bearing_deg, turn_deg
from rules.tabletop.measure import Range
from rules.tabletop.sight import SLIVER
from rules.tabletop.table import Figure
from rules.tabletop.tolerance import reaches, within

# What the table shows of a target.


def _pair(man: Unit, enemy: Unit) -> str:
    return f"{display_name(man.id)} to {display_name(enemy.id)}"


def _los(_: Position, man: Unit, enemy: Unit, view: View) -> Uncertain:
    what = f"whether {display_name(man.id)} sees {display_name(enemy.id)}"
    sigma = sum(one.sigma for one in in_sight(view, what))
    return Uncertain(view.exposure >= SLIVER, sigma, what, either={HIDDEN: False, SEEN: True})


def _distance_in(position: Position, man: Unit, enemy: Unit, view: View) -> Uncertain:
    return Uncertain(distance_in(position, view.range), view.range.sigma_in, f"the range from {_pair(man, enemy)}")


def distance_in(position: Position, measured: Range) -> float:
    """The distance that the rules use, of a measured range."""
    edges = position.game.rules.chooses("measured_from", "base_edges")
    return round(measured.edge_in if edges else measured.centre_in, 2)


def _edge_in(position: Position, man: Unit, enemy: Unit, view: View) -> Uncertain:
    """The gap between two units; one that is inside a vehicle or pillbox is as near as its walls are."""
    pairs = list(product(_outsides(position, man), _outsides(position, enemy)))
    gaps = [position.measure(here, there) for here, there in pairs[1:]]
    nearest = min((view.range, *gaps), key=lambda gap: gap.edge_in)
    return Uncertain(round(nearest.edge_in, 2), nearest.sigma_in, f"the gap from {_pair(man, enemy)}")


def _outsides(position: Position, unit: Unit) -> Iterator[Figure]:
    yield position.figure(unit.id)
    around = status.carrier(position, unit)
    if around is not None and around.id in position.figures:
        yield position.figure(around.id)


def _cover_in(position: Position, _: Unit, enemy: Unit, view: View) -> Uncertain | float | None:
    """The distance from a target to the cover on the line of sight; None without cover."""
    there = position.figure(enemy.id)
    found_in = cover_to_target_in(position.game.rules, there, view, position.terrain)
    near_in = None if found_in is None else round(found_in, 2)
    return Uncertain(near_in, there.sigma_in, f"the cover of {display_name(enemy.id)}") if near_in else near_in


def _rise_in(_: Position, man: Unit, enemy: Unit, view: View) -> float:
    """The height of the target above the attacker, on the ground or on a cliff."""
    climbed = [float(one.statuses.get(status.CLIMBED, 0.0)) for one in (man, enemy)]
    return round(view.range.rise_in + climbed[1] - climbed[0], 2)


_FROM = (("front", 0.0), ("side", 91.0), ("behind", 180.0))
"""Where a shot comes from, in degrees off the target's front; 91 is a side also where the front is 180 degrees wide."""


def _off_facing_deg(position: Position, man: Unit, enemy: Unit, _: View) -> Any:
    here, there = position.figure(man.id), position.figure(enemy.id)
    if there.facing_deg is None or here.centre_in == there.centre_in:
        return UNKNOWN
    off_deg = round(turn_deg(there.facing_deg, bearing_deg(there.centre_in, here.centre_in)), 1)
    what = f"the side of {display_name(enemy.id)} that {display_name(man.id)} sees"
    return Uncertain(off_deg, aspect_sigma_deg(there, here), what, -180.0, 180.0)


def _in_half_track(position: Position, enemy: Unit) -> bool:
    around = status.carrier(position, enemy)
    return around is not None and status.kind(position, around).target == "half_track"


_GARRISON = of_target(lambda position, enemy: status.aboard(position, enemy) and status.in_pillbox(position, enemy))


_ELIMINATIONS = of_target(lambda _, enemy: int(enemy.statuses.get(status.ELIMINATIONS, 0)))


class Aim(Record):
    """A target as the firer has it before him.

    What a camera measures may stand for what a player says: `edge_in` for `adjacent`, `off_facing_deg` (the firer's
    direction off the target's front) for `face` and `from_behind`, `cover_to_target_in` (how near to the target the
    line of sight crosses cover) for `behind_cover`, `rise_in` (how much higher the target stands) for `from_lower`.
    `garrison` is a target inside a pillbox that can be aimed at itself, `sealed` one inside a tank or an aircraft.
    """

    los: Annotated[bool, of_pair(_los)] = True
    distance_in: Annotated[Inches, of_pair(_distance_in)]
    edge_in: Annotated[Inches | None, of_pair(_edge_in)] = None
    cover_to_target_in: Annotated[Inches | None, of_pair(_cover_in)] = None
    target: Annotated[KindName, of_target(status.kind_name)] = "infantry"
    behind_cover: Annotated[bool, Asked("Is the target behind cover?"), has("behind_cover", of_target)] = False
    entrenched: Annotated[bool, Asked("Is the target entrenched?"), has(status.ENTRENCHED, of_target)] = False
    inside_half_track: Annotated[bool, Asked("Is the target inside a half-track?"), of_target(_in_half_track)] = False
    inside_pillbox: Annotated[bool, Asked("Is the target inside a pillbox?"), of_target(status.in_pillbox)] = False
    garrison: Annotated[bool, _GARRISON] = False
    sealed: Annotated[bool, of_target(status.sealed)] = False
    flying: Annotated[bool, Asked("Does the target fly?"), of_target(status.flies)] = False
    from_lower: Annotated[
        bool, Asked("Does the firer stand lower than the target?"), of_target(lambda _, target: False)
    ] = False
    rise_in: Annotated[float, of_pair(_rise_in)] = 0.0
    adjacent: bool = False
    from_behind: bool = False
    fraction: Part = 1.0
    face: Face = Face.FRONT
    off_facing_deg: Annotated[float | None, Asked("Shooting from", _FROM), of_pair(_off_facing_deg)] = None
    heavy: Annotated[bool, Asked("Is the target a heavy tank?"), card_says("heavy", of_target)] = False
    fixed_location: Annotated[bool, Asked("Is the shot at a fixed location?")] = False
    earlier_attacks_on_location: Count = 0
    target_weapon: Annotated[WeaponName | None, of_target(status.weapon_with("cone_in"))] = None
    target_hero: Annotated[bool, card_says("hero", of_target)] = False
    target_eliminations: Annotated[Count, _ELIMINATIONS] = 0


# What the battle knows of the firer.


_SHOWN = of_actor(lambda position, man: list(status.weapons(position, man)))


def _shut_in(position: Position, man: Unit) -> bool:
    around = status.carrier(position, man)
    return around is not None and not status.kind(position, around).ports


_DESTROYED = of_actor(
    lambda _, man: man.this_turn.get(status.DOWN_IN_PHASE, 0) if man.statuses.get(status.DOWN) else None
)
_BINOCULARS = of_actor(
    lambda position, man: any(status.card(position, one, "binoculars") for one in (man, *status.mates(position, man)))
)
_WITHOUT_TURRET = Source(lambda context: UNKNOWN if context.rules.tables.weapons[context.weapon].turret else True)


class Shot(Aim):
    """One attack: the target, and all that the firer brings to it.

    Attributes:
        phase: The part of the turn, where that matters; before the first turn it has no name.
        opportunity: The target was seen on its way.
        returns: It answers opportunity fire, then and there.
        shut_in: He is inside a vehicle without ports.
        in_the_air: He has a parachute and has not landed.
        destroyed_in_phase: In which phase of this turn the firer himself was hit.
        fired_this_turn: The weapons of this turn's attacks, as far as they are known apart.
        cleared_this_turn: Whether the firer has tried to clear a jam.
    """

    weapon: Annotated[WeaponName, Source(lambda context: context.weapon)]
    attacker: Annotated[KindName, of_actor(status.kind_name)] = "infantry"
    shown_weapons: Annotated[tuple[WeaponName, ...] | None, _SHOWN] = None
    phase: Annotated[str | None, PHASE] = None
    opportunity: bool = False
    returns: bool = False
    shut_in: Annotated[bool, of_actor(_shut_in)] = False
    in_the_air: Annotated[bool, of_actor(status.in_the_air)] = False
    destroyed_in_phase: Annotated[Count | None, _DESTROYED] = None
    wounded: Annotated[bool, has(status.WOUNDED)] = False
    moved_this_turn: Annotated[bool, has(status.MOVED)] = False
    climbing: Annotated[bool, did("climb")] = False
    dropped_this_turn: Annotated[bool, of_actor(status.dropped)] = False
    attacks_made_this_turn: Annotated[Count, of_actor(status.attacks_made)] = 0
    fired_this_turn: Annotated[tuple[WeaponName, ...], of_actor(status.fired)] = ()
    cleared_this_turn: Annotated[bool, did("clear_jam")] = False
    mounted: Annotated[bool, of_actor(status.is_vehicle)] = False
    crew: Annotated[Count | None, of_actor(status.crew_of)] = None
    jammed: Annotated[bool, Source(status.jammed)] = False
    out_of_ammo: Annotated[bool, Source(status.is_empty)] = False
    stunned: Annotated[bool, of_actor(status.stunned)] = False
    target_zone: Annotated[ZoneOfPillbox | None, Asked("Where does the target stand, seen from his pillbox?")] = None
    turret_points_at_target: Annotated[bool, Asked("Does the turret point at the target?"), _WITHOUT_TURRET] = True
    glued: Annotated[bool, of_actor(status.stuck(status.GLUED))] = False
    immobilized: Annotated[bool, of_actor(status.stuck(status.IMMOBILIZED))] = False
    sustained: Annotated[bool, Asked("Does the whole burst go at this one vehicle?"), Source(lambda _: False)] = False
    indirect: bool = False
    radio: Annotated[bool, Asked("Does a friend with a radio see the target?")] = False
    hero: Annotated[bool, card_says("hero")] = False
    leader: Annotated[bool, card_says("leader")] = False
    leader_distance_in: Inches | None = None
    leader_by_radio: Annotated[bool, Asked("Does a radio pass on the leader's bonus?")] = False
    binoculars: Annotated[bool, Asked("Does the firer or a man of his crew hold binoculars?"), _BINOCULARS] = False
    spotter_binoculars: bool = False


def weapon_of(rules: Rules, shot: Shot) -> Weapon:
    """The row of the weapon that fires."""
    return rules.tables.weapons[shot.weapon]


def kind_of(rules: Rules, shot: Shot) -> Kind:
    """The row of the target's kind."""
    return rules.tables.kinds[shot.target]


def armoured(rules: Rules, kind: str) -> bool:
    """Whether a kind is an armoured vehicle, at which shells are fired that make no blast (AM-80)."""
    return rules.tables.kinds[kind].hard == "afv"


def effect_of(rules: Rules, shot: Shot) -> Effect:
    """The effect of a hit of this weapon on this target."""
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
"""Facts that modifiers may name in addition to the plain ones of a shot, or that may also be measured."""


def holds(rules: Rules, shot: Shot, fact: str) -> bool:
    """Whether a fact that a modifier names is so."""
    return DERIVED[fact](rules, shot) if fact in DERIVED else bool(getattr(shot, fact))
