"""Simple Plastic Figure: weapons, legal targets, and the effects of shots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from rules.engine.dice import DiceRequest, Die, Procedure
from rules.engine.facts import status
from rules.engine.ruleset import limit
from rules.engine.schema import Asked, Count, Inches, Part, Record, Row
from rules.engine.verdict import ACTORS, TARGETS, Effect, Reason, Verdict, total, verdict
from rules.games.simple_plastic_figure.aims import Aim, aiming, held_facts
from rules.games.simple_plastic_figure.cover import Piece, cover_of, exposure, lowered, worst
from rules.games.simple_plastic_figure.rows import band, called, illegal, kind_of, legal, weapon_of
from rules.games.simple_plastic_figure.statuses import DONE, SHOTS_LEFT, STATUS_DIE, eliminated, for_now
from rules.games.simple_plastic_figure.tables import (
    AimAt,
    CoverName,
    Face,
    NationName,
    PlaceName,
    PoseName,
    Rules,
    WeaponName,
)
from rules.games.simple_plastic_figure.turn import Action, Helped, both, fire_help, permits
from rules.tabletop.tolerance import reaches, within

# What the tables say of a weapon.


HasScope = Annotated[bool, Asked("Has the rifle a scope?")]


class Held(Record):
    """The weapon in a figure's hands."""

    weapon: Annotated[WeaponName, aiming(lambda aim: aim.weapon)]
    scope: Annotated[HasScope, aiming(Aim.scope)] = False

    def row(self, rules: Rules) -> str:
        """The row of the weapon."""
        return held(rules, self.weapon, self.scope)


def held(rules: Rules, weapon: str, scope: bool) -> str:
    """The row of a figure's weapon: any rifle with a scope is a sniper rifle."""
    rifles = {nation.rifle for nation in rules.tables.nations.values()}
    return "sniper_rifle" if scope and weapon in rifles else weapon


def rate_of_fire(rules: Rules, facts: Mapping[str, Any]) -> int:
    """How often the weapon of these facts fires."""
    return rules.tables.weapons[Held(**facts).row(rules)].rof


def weapon_profile(
    rules: Rules, weapon: WeaponName, scope: HasScope = False, distances_in: tuple[Inches, ...] = ()
) -> Verdict:
    """Range, rate of fire and blast radius, and which of the distances are in range."""
    name = held(rules, weapon, scope)
    row = weapon_of(rules, name)
    return verdict(
        name,
        *map(rules.because, ("WW-03", row.rule, "WW-36")),
        weapon=name,
        range_in=row.range_in,
        in_range=[within(distance_in, row.range_in) for distance_in in distances_in],
        rate_of_fire=row.rof,
        blast_radius_in=row.blast_radius_in,
        fire=row.fire,
    )


def weapon_alias(rules: Rules, name: Annotated[str, Row("aliases", "unknown_weapon")]) -> Verdict:
    """The row of a weapon's common name."""
    return weapon_profile(rules, rules.tables.aliases[name].weapon)


def weapon_of_rifle_figure(rules: Rules, nation: NationName, scope: HasScope = False) -> Verdict:
    """A rifle is its nation's, or with a scope a sniper rifle."""
    return weapon_profile(rules, rules.tables.nations[nation].rifle, scope)


def aim(rules: Rules, weapon: WeaponName, scope: HasScope = False, distances_in: tuple[Inches, ...] = ()) -> Verdict:
    """Whether a weapon is aimed at a figure or at a spot, with or without a scope and at any distance."""
    kind = kind_of(rules, weapon)
    return verdict(kind.aim_at, rules.because("WW-38"), aim_at=str(kind.aim_at), direct=kind.direct)


def declare_shots(rules: Rules, *, weapon: WeaponName, scope: HasScope = False, shots: Count) -> Verdict:
    """Whether a weapon fires that often."""
    name = held(rules, weapon, scope)
    rof = weapon_of(rules, name).rof
    reason = rules.because("WW-36", f"the {called(rules, name)} fires {rof} a turn")
    return legal("allowed", reason) if shots <= rof else illegal("rate_of_fire", reason)


class Line(Held):
    """A firer and its target; exposed is the part of a body that the other sees."""

    distance_in: Annotated[Inches, aiming(Aim.distance)]
    target_exposed: Annotated[Part, aiming(Aim.target_exposed)] = 1.0
    shooter_exposed: Annotated[Part, aiming(Aim.shooter_exposed)] = 1.0
    target_at_opening: Annotated[bool, Asked("Is the target at a window, slit or rim?"), aiming(Aim.at_opening)] = False
    shooter_at_opening: Annotated[bool, Asked("Is the firer at a window, slit or rim?"), aiming(Aim.own_window)] = False
    figure_in_line: bool = False
    status_die: Annotated[Face, status(STATUS_DIE, 1)] = 1


class Aiming(Helped, Line):
    """A firer with the help that it has, and its target."""


def may_target(rules: Rules, shot: Aiming) -> Verdict:
    """Whether a weapon may be fired at a target, or a spot."""
    name = shot.row(rules)
    weapon = weapon_of(rules, name)
    if not permits(rules, Action.FIRE, shot.status_die):
        return illegal("status", rules.because("WW-09", "its status check forbids firing"))
    measured = f"{shot.distance_in:g} in away; the {called(rules, name)} reaches {weapon.range_in:g} in"
    in_range = rules.because("WW-25", measured)
    if not within(shot.distance_in, weapon.range_in):
        return illegal("out_of_range", in_range)
    if not kind_of(rules, name).direct and rules.chooses("indirect_needs_sight", False):
        return legal("in range", in_range, rules.because("WW-A25", "indirect fire needs no sight"))
    opening = rules.option("exposed_at_opening")
    target = min(opening, shot.target_exposed) if shot.target_at_opening else shot.target_exposed
    shooter = min(opening, shot.shooter_exposed) if shot.shooter_at_opening else shot.shooter_exposed
    if shot.figure_in_line and rules.chooses("figures_block", True):
        return illegal("figure_in_the_way", rules.because("WW-A42", "a figure stands in the line of fire"))
    if not reaches(target, limit(rules, "target_exposed")):
        return illegal("target_hidden", rules.because("WW-26", f"{target:.0%} of the target is exposed"))
    if not reaches(shooter, limit(rules, "shooter_exposed")):
        return illegal("shooter_hidden", rules.because("WW-27", f"{shooter:.0%} of the firer is exposed"))
    reasons = (in_range, rules.because("WW-26"), rules.because("WW-27"))
    return legal("may fire", *reasons, target_exposed=target, shooter_exposed=shooter)


def _at_figure(rules: Rules, weapon: str) -> Verdict:
    """Whether a weapon is aimed at a figure."""
    if kind_of(rules, weapon).aim_at is AimAt.FIGURE:
        return legal("allowed")
    return illegal(
        "aimed_at_a_spot", rules.because("WW-38", f"a {called(rules, weapon)} is aimed at a place, not at a figure")
    )


# Combat effects.


class Target(Helped):
    """A target: its pose and its cover."""

    pose: PoseName
    cover: CoverName = "none"


class Shot(Target, Held):
    """One shot, or an explosive's effect on one figure; with a `place` the pose is as modelled."""

    range_for_modifier_in: Inches
    place: PlaceName = "open"


def modifiers(
    rules: Rules, weapon: str, range_in: float, pose: str, covers: Sequence[str], helped: Helped
) -> tuple[Reason, ...]:
    """All that is added to the combat roll, in reading order."""
    tables = rules.tables
    near = band(rules, tables.range_bands, range_in)
    fire = weapon_of(rules, weapon).fire
    stands = tables.poses[pose]
    return (
        rules.because(near.rule, f"{range_in:g} in away", near.modifier),
        rules.because(tables.fires[fire].rule, f"{fire} fire", tables.fires[fire].modifier),
        rules.because(stands.rule, f"the target is {pose}", stands.modifier),
        *(rules.because(tables.covers[c].rule, f"cover: {c}", tables.covers[c].modifier) for c in covers),
        *fire_help(rules, helped),
    )


def eliminates(rules: Rules, face: int, modifier: int) -> bool:
    """Whether a face of the combat die eliminates the target."""
    least = limit(rules, "eliminated_at")
    return face + modifier == least if rules.chooses("eliminated_on", "exactly_6") else face + modifier >= least


def needed(rules: Rules, modifier: int) -> int | None:
    """The lowest face that eliminates the target; None if no face does."""
    return next((face for face in Die.D6.faces if eliminates(rules, face, modifier)), None)


def need(rules: Rules, target: str, reasons: Sequence[Reason]) -> Reason:
    """The number needed against a target under these modifiers, as a line of text."""
    modifier = int(total(reasons))
    least = needed(rules, modifier)
    text = f"{target}: {'nothing eliminates' if least is None else f'{least} or more eliminates'}"
    return rules.because("WW-50", text, modifier)


def effect(rules: Rules, face: int, reasons: Sequence[Reason]) -> Verdict:
    """The effect of a face of the combat die under these modifiers; effects are immediate."""
    modifier = int(total(reasons))
    dead = eliminates(rules, face, modifier)
    least = needed(rules, modifier)
    rolled = rules.because("WW-50", f"rolled {face}, with {modifier:+d} that is {face + modifier}")
    certain = [rules.because("WW-55")] if least in (None, min(Die.D6.faces)) else []
    numbers = {"modifier": modifier, "needs_roll": least, "roll": face, "eliminated": dead}
    outcome = "eliminated" if dead else "unharmed"
    return legal(outcome, *reasons, *certain, rolled, rules.because("WW-63"), **numbers)


def rolled_at(rules: Rules, target: str, weapon: str, reasons: Sequence[Reason]) -> Procedure[Verdict]:
    """The combat die against a target, under these modifiers."""
    roll = yield DiceRequest(Die.D6, 1, target, f"the effect of the {called(rules, weapon)}")
    return effect(rules, roll.total, reasons)


def combat(rules: Rules, shot: Shot) -> Procedure[Verdict]:
    """The combat roll against one target."""
    pose = lowered(rules, shot.place, shot.pose)
    covers = worst(rules, [rules.tables.places[shot.place].cover, shot.cover])
    weapon = shot.row(rules)
    reasons = modifiers(rules, weapon, shot.range_for_modifier_in, pose, covers, shot)
    return rolled_at(rules, "the target", weapon, reasons)


# A volley at several targets.


class Aimed(Target):
    """One shot of a volley; `covers` are further covers of the target."""

    target: str
    range_in: Inches
    covers: tuple[CoverName, ...] = ()


class Volley(Helped, Held):
    """All shots of one weapon in a turn, at one target or several; help for the firer helps every shot."""

    shots: tuple[Aimed, ...]

    def at(self, rules: Rules, shot: Aimed) -> tuple[Reason, ...]:
        """The modifiers of one of the shots."""
        covers = worst(rules, [shot.cover, *shot.covers])
        return modifiers(rules, self.row(rules), shot.range_in, shot.pose, covers, both(self, shot))


def volley_aim(rules: Rules, fired: Volley) -> Verdict:
    """The number that each shot of a volley needs, or the reason why it is forbidden."""
    weapon = fired.row(rules)
    declared = declare_shots(rules, weapon=weapon, shots=len(fired.shots))
    in_range = (may_target(rules, Aiming(weapon=weapon, distance_in=shot.range_in)) for shot in fired.shots)
    barred = next((one for one in (_at_figure(rules, weapon), declared, *in_range) if not one.allowed), None)
    if barred is not None:
        return barred
    each = {shot.target: fired.at(rules, shot) for shot in fired.shots}
    needs = [need(rules, target, reasons) for target, reasons in each.items()]
    numbers = {target: needed(rules, int(total(reasons))) for target, reasons in each.items()}
    return legal("may fire", rules.because("WW-36"), *needs, needs_roll=numbers)


def volley(rules: Rules, fired: Volley) -> Procedure[Verdict]:
    """A die for every shot; shots at a target that is eliminated already are lost."""
    if not (aimed := volley_aim(rules, fired)).allowed:
        return aimed
    answers: list[tuple[str, Verdict]] = []
    dead: list[str] = []
    left = 0
    for shot in fired.shots:
        if shot.target in dead and rules.chooses("targets_named", "one_by_one"):
            left += 1
            continue
        answer = yield from rolled_at(rules, shot.target, fired.row(rules), fired.at(rules, shot))
        answers.append((shot.target, answer))
        if answer.numbers["eliminated"] and shot.target not in dead:
            dead.append(shot.target)
    each = [{"target": target, **answer.numbers} for target, answer in answers]
    reasons = (reason for _, answer in answers for reason in answer.reasons)
    found = legal("fired", rules.because("WW-36"), *reasons, eliminated=dead, each=each, shots_left=left)
    return found.causing(_shots_left(rules, fired, left), *eliminated(dead, "WW-50"))


def _shots_left(rules: Rules, fired: Held, left: int) -> Effect:
    """Shots that are left may go to the next target where targets are named one by one."""
    kept = left and rules.chooses("targets_named", "one_by_one")
    return for_now(ACTORS, SHOTS_LEFT, [fired.weapon, left] if kept else None, "WW-36")


# Shots at one target as the measured table shows it.


def _shots(aim: Aim) -> int:
    """All shots of the weapon; where targets are named one by one, those that are left."""
    now = aim.actor.this_turn
    weapon, left = now.get(SHOTS_LEFT) or ("", 0)
    facts = held_facts(aim.position, aim.actor, aim.weapon)
    return int(left) if weapon == aim.weapon and now.get(DONE) else rate_of_fire(aim.rules, facts)


class Sighted(Aiming):
    """Shots at one figure, with the figures around it and the terrain on the line of fire."""

    pose: Annotated[PoseName, Asked("How does the target stand?"), aiming(Aim.target_pose)] = "standing"
    place: Annotated[PlaceName, Asked("What is the target in?"), aiming(Aim.target_place)] = "open"
    terrain: Annotated[tuple[Piece, ...], aiming(Aim.hiding)] = ()
    shots: Annotated[Count, aiming(_shots)] = 1


def aimed(rules: Rules, shot: Sighted) -> Verdict:
    """The number that a shot needs with every modifier, or the reason why it is forbidden."""
    weapon = shot.row(rules)
    exposed = min((shot.target_exposed, *(exposure(rules, shot.pose, piece) for piece in shot.terrain)))
    seen = may_target(rules, replace(shot, target_exposed=exposed))
    declared = declare_shots(rules, weapon=weapon, shots=shot.shots)
    barred = next((one for one in (_at_figure(rules, weapon), seen, declared) if not one.allowed), None)
    if barred is not None:
        return barred
    place = rules.tables.places[shot.place]
    pose = lowered(rules, shot.place, shot.pose)
    found = [cover_of(rules, shot.pose, piece) for piece in shot.terrain]
    covers = worst(rules, [place.cover, *(cover for cover, _ in found)])
    why = [reason for _, reason in found] + ([rules.because(place.rule)] if place.cover != "none" else [])
    added = modifiers(rules, weapon, shot.distance_in, pose, covers, shot)
    modifier = int(total(added))
    numbers = {"modifier": modifier, "needs_roll": needed(rules, modifier), "pose": pose, "covers": covers}
    return legal("may fire", *seen.reasons, *why, *added, **numbers)


def attack(rules: Rules, shot: Sighted) -> Procedure[Verdict]:
    """Shots of a small arm at one target: all dice at once; where targets are named one by one, until it is dead."""
    if not (seen := aimed(rules, shot)).allowed:
        return seen
    at_once, modifier = rules.chooses("targets_named", "all_first"), int(total(seen.reasons))
    faces: list[int] = []
    why = f"the effect of the {called(rules, shot.row(rules))}"
    while len(faces) < shot.shots:
        roll = yield DiceRequest(Die.D6, shot.shots if at_once else 1, "the target", why)
        faces += roll.faces
        if any(eliminates(rules, face, modifier) for face in roll.faces):
            break
    telling = next((face for face in faces if eliminates(rules, face, modifier)), max(faces, default=min(Die.D6.faces)))
    found, left = effect(rules, telling, seen.reasons), shot.shots - len(faces)
    dead = eliminated([TARGETS], "WW-50") if found.numbers["eliminated"] else ()
    numbers = {**found.numbers, "rolls": faces, "shots_left": left}
    return Verdict(found.outcome, numbers, found.reasons, (_shots_left(rules, shot, left), *dead))
