"""Army Men: engineers, medics, mine detectors, diggers, heroes, and weapons that fail."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from shapely import Polygon

from rules.engine.dice import Procedure
from rules.engine.facts import PHASE, UNKNOWN, Context, Source, bind, facts_from, of_actor
from rules.engine.ruleset import limit, refused
from rules.engine.schema import Asked, Count, Inches, Record, Row
from rules.engine.text import display_name
from rules.engine.verdict import ACTORS, TARGETS, RuleRefusal, StatusEffect, Verdict, forbidden, verdict
from rules.games.army_men import status
from rules.games.army_men.attack import barred, exploded, two_dice
from rules.games.army_men.movement import Waits, waiting
from rules.games.army_men.shot import Shot, holds
from rules.games.army_men.status import by_hand, gap, has
from rules.games.army_men.tables import EXTRA_ARM, KindName, Rules, WeaponName, in_phase, touching
from rules.tabletop.measure import sides_in
from rules.tabletop.tolerance import within


def _busy(rule: str) -> StatusEffect:
    """An action that replaces the only attack of a turn."""
    return StatusEffect(ACTORS, status.BUSY, 1, rule, this_turn=True)


_TURNS_DIGGING = Source(lambda context: int(context.actor.statuses.get(status.DIGGING, 0)) + 1)


def entrench(
    rules: Rules,
    turns_digging: Annotated[Count, Asked("For how many turns has he dug?"), _TURNS_DIGGING],
    waits: Waits = False,
    shovels: Annotated[bool, Asked("Has he a shovel?"), Source(lambda _: True)] = False,
    unit: Annotated[KindName, of_actor(status.kind_name)] = "infantry",
    busy_this_turn: Annotated[bool, of_actor(status.busy)] = False,
) -> Verdict:
    """Whether the soldier is entrenched, and its benefit; digging replaces the move and the attack of a turn."""
    if bar := refused(rules, waiting(waits), (busy_this_turn, "busy_this_turn", "AM-92")):
        return bar
    dug = turns_digging >= limit(rules, "digging_turns")
    entrenched = dug and shovels and unit == "infantry"
    worth = rules.tables.attack_modifiers["entrenched"].modifier if entrenched else 0
    reason = rules.because("AM-92", modifier=worth or None)
    found = verdict("entrenched" if entrenched else "digging", reason, entrenched=entrenched, cover_modifier=worth)
    shelter = [StatusEffect(ACTORS, status.ENTRENCHED, rule="AM-92")] if entrenched else []
    return found.causing(StatusEffect(ACTORS, status.DIGGING, turns_digging, "AM-92"), _busy("AM-92"), *shelter)


_TREATED = Source(
    lambda context: bool(context.target.this_turn.get(status.TREATED)) or "medic" in context.actor.acts_this_turn
)


def medic(
    rules: Rules,
    waits: Waits = False,
    adjacent: bool = True,
    edge_in: Annotated[Inches | None, gap()] = None,
    wounded: Annotated[bool, Source(lambda _: True)] = True,
    treated_this_turn: Annotated[bool, _TREATED] = False,
) -> Procedure[Verdict]:
    """A medic's try to heal."""
    apart = (not adjacent or not touching(rules, edge_in or 0.0), "not_adjacent", "AM-68")
    treated = (treated_this_turn, "already_treated", "AM-68")
    bar = refused(rules, apart, (not wounded, "not_wounded", "AM-68"), treated, healed=False)
    if bar := bar or refused(rules, waiting(waits)):
        return bar
    roll = yield two_dice("the medic", "healing")
    seven = limit(rules, "medic")
    healed = roll.total <= seven if rules.chooses("medic_roll", "seven_or_less") else roll.total == seven
    found = verdict("healed" if healed else "still wounded", rules.because("AM-68"), roll=roll.total, healed=healed)
    cured = [StatusEffect(TARGETS, status.WOUNDED, None, "AM-68")] if healed else []
    return found.causing(StatusEffect(TARGETS, status.TREATED, rule="AM-68", this_turn=True), *cured)


_TURNS_SINCE_JAM = Source(lambda context: 0 if context.actor.this_turn.get(status.JAM.format(context.weapon)) else 1)


def clear_jam(
    rules: Rules,
    turns_since_jam: Annotated[Count, _TURNS_SINCE_JAM],
    attacks_made_this_turn: Annotated[Count, of_actor(status.attacks_made)] = 0,
    weapon: Annotated[WeaponName | None, Source(lambda context: context.weapon)] = None,
    phase: Annotated[str | None, PHASE] = None,
) -> Procedure[Verdict]:
    """A try to clear a jam, in the weapon's own phase if weapon and phase are known."""
    now = not weapon or in_phase(rules, phase, rules.tables.weapons[weapon].phase)
    fresh, attacked = turns_since_jam < 1, attacks_made_this_turn > 0
    early = (fresh, "jammed_this_turn", "AM-76"), (attacked, "already_attacked", "AM-37")
    if bar := refused(rules, *early, (not now, "wrong_phase", "AM-12"), fixed=False):
        return bar
    roll = yield two_dice("the gunner", "clearing the jam")
    fixed = roll.total <= limit(rules, "clear_jam")
    fires = fixed and rules.chooses("fires_after_clearing", True)
    numbers = {"roll": roll.total, "fixed": fixed, "may_fire_this_turn": fires}
    return Verdict("fixed" if fixed else "jammed", numbers, (rules.because("AM-76"),))


class ShotAtPiece(Shot):
    """A shot at an obstacle."""

    distance_in: Annotated[Inches, gap("way")]


_SHOT_AT_PIECE = Source(lambda context: bind(ShotAtPiece, context) if context.weapon else UNKNOWN)


class Clearing(Record):
    """A unit that wants to destroy an obstacle: "engineer", "tank", "gun", or a kind of unit or weapon.

    Attributes:
        shot: All that is known of the shot, where a weapon does it.
    """

    obstacle: Annotated[str, Row("obstacles", "unknown_obstacle")]
    by: str
    waits: Waits = False
    moved_this_turn: Annotated[bool, by_hand(has(status.MOVED))] = False
    attacks_made_this_turn: Annotated[Count, by_hand(of_actor(status.attacks_made))] = 0
    phase: str | None = None
    jammed_or_empty: bool = False
    distance_in: Annotated[Inches, by_hand(gap("way"))] = 0
    shot: Annotated[Shot | None, _SHOT_AT_PIECE] = None


def destroy_obstacle(rules: Rules, clearing: Clearing) -> Verdict:
    """Whether he may destroy it; an engineer needs a turn beside it, tanks and guns shoot it.

    Raises:
        RuleRefusal: "unknown_unit".
    """
    row = rules.tables.obstacles[clearing.obstacle]
    known = {"engineer", "gun", *rules.tables.kinds, *rules.tables.weapons, *rules.tables.cards}
    if clearing.by not in known:
        text = f"{clearing.by!r} is no unit: say engineer, tank, gun or the name of a weapon"
        raise RuleRefusal("unknown_unit", text)
    if not as_what(rules, clearing.by) & set(row.destroyed_by):
        return forbidden("cannot_destroy", rules.because(row.rule))
    reasons = [rules.because(row.rule), *([rules.because("AM-67")] if clearing.by == "engineer" else [])]
    busy = [] if clearing.by in rules.tables.weapons else [_busy("AM-67")]
    return _cannot_clear(rules, clearing) or verdict("destroyed", *reasons, allowed=True).causing(*busy)


def _cannot_clear(rules: Rules, clearing: Clearing) -> Verdict | None:
    """The reason why an obstacle is not destroyed by hand or by this shot; None if it is."""
    if clearing.by in rules.tables.weapons:
        failed = clearing.jammed_or_empty
        return barred(rules, clearing.shot or facts_from(Shot, clearing, weapon=clearing.by, out_of_ammo=failed))
    attacked = (clearing.attacks_made_this_turn > 0, "already_attacked", "AM-37")
    if clearing.by != "engineer":
        return refused(rules, attacked)
    moved = (clearing.moved_this_turn, "moved_this_turn", "AM-67")
    apart = (not within(clearing.distance_in, rules.option("clearing_within_in")), "not_adjacent", "AM-67")
    return refused(rules, attacked, moved, apart, waiting(clearing.waits))


def as_what(rules: Rules, by: str) -> set[str]:
    """The names under which the table of obstacles may list the unit."""
    weapon, card = rules.tables.weapons.get(by), rules.tables.cards.get(by)
    kind = card.kind if card else by
    gun = weapon is not None and weapon.gun and weapon.ammunition
    as_gun = gun or (kind in rules.tables.kinds and rules.tables.kinds[kind].target == "cannon")
    return {by, kind} | ({"gun"} if as_gun else set()) | ({"tank"} if by == "tank_gun" else set())


def _unswept_in(context: Context) -> float:
    """The length of the piece, as far as it is not swept."""
    if context.piece is None:
        return 0.0
    _, long_in = sides_in(Polygon(context.piece.outline_in))
    done_in = float(context.position.state.statuses.get(status.SWEPT.format(context.piece.name), 0.0))
    return round(max(0.0, long_in - done_in), 1)


def mine_detector(
    rules: Rules,
    waits: Waits = False,
    mine_distance_in: Annotated[Inches, gap("way")] = 0,
    path_in: Annotated[Inches, Source(_unswept_in)] = 0,
    swept_this_turn: Annotated[bool, of_actor(status.has_attacked)] = False,
) -> Verdict:
    """The mines that a detector finds and clears."""
    if bar := refused(rules, (swept_this_turn, "already_swept", "AM-69"), waiting(waits)):
        return bar
    reach_in = limit(rules, "mine_path_in")
    found = within(mine_distance_in, reach_in)
    wide = rules.chooses("mine_path", "width")
    cleared_in = (path_in if wide else min(path_in, reach_in)) if found else 0
    outcome = "found" if found else "nothing near"
    width_in = reach_in if wide else None
    numbers = {"found": found, "cleared_in": cleared_in, "width_in": width_in}
    return Verdict(outcome, numbers, (rules.because("AM-69"),), (_busy("AM-69"),))


def hero_status(rules: Rules, eliminations: Count) -> Verdict:
    """Whether a hero is out of the game."""
    lives = int(limit(rules, "hero_lives"))
    removed = eliminations >= lives
    left = max(0, lives - eliminations)
    return verdict("removed" if removed else "fights on", rules.because("AM-115"), removed=removed, lives_left=left)


def _names(context: Context) -> list[str]:
    """The names of the targets, which the players or their own cards give them."""
    units, card = context.targets, status.card
    known = [one.statuses.get("name") or card(context.position, one, "name") for one in units]
    return [str(name or display_name(one.id)) for name, one in zip(known, units, strict=True)]


def hero_names(rules: Rules, names: Annotated[tuple[str, ...], Source(_names)]) -> Verdict:
    """Whether every hero has a name of his own."""
    unnamed = sum(not name.strip() for name in names)
    repeated = sorted(name for name, times in Counter(names).items() if times > 1 and name.strip())
    legal = not unnamed and not repeated
    reasons = (rules.because("AM-114"), rules.because("AM-118"))
    return verdict("named" if legal else "to be named", *reasons, legal=legal, unnamed=unnamed, repeated=repeated)


def leader_bonus(rules: Rules, shot: Shot) -> Verdict:
    """Whether the leader's bonus reaches a firer."""
    bonus = rules.tables.attack_modifiers["leader"].modifier if holds(rules, shot, "led") else 0
    reasons = [rules.because("AM-64", modifier=bonus)] + ([rules.because("AM-66")] if shot.leader_by_radio else [])
    return verdict("led" if bonus else "alone", *reasons, modifier=bonus)


def flame_thrower_hit(rules: Rules) -> Procedure[Verdict]:
    """Whether a flame-thrower that was hit explodes."""
    numbers, reasons = yield from exploded(rules)
    return Verdict("explodes" if numbers["explodes"] else "burns out", numbers, tuple(reasons))


def extra_attack(rules: Rules, unit: KindName, weapon: WeaponName = EXTRA_ARM) -> Verdict:
    """Whether a vehicle may fire a light machine gun in addition to its main weapon."""
    may = rules.tables.kinds[unit].extra_lmg and weapon == EXTRA_ARM and rules.chooses("extra_lmg", True)
    if not may:
        return forbidden("already_attacked", rules.because("AM-37"))
    phase = rules.tables.weapons[weapon].phase
    return verdict("allowed", rules.because("AM-81"), allowed=True, phase=phase, stationary=False, half_move=False)
