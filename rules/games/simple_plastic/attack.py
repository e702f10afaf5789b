"""Simple Plastic Wargame: the number needed to kill, and the attacks of a man, a sniper and a squad."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from rules.engine.dice import DiceRequest, Die, Procedure
from rules.engine.facts import PHASE, UNKNOWN, Bound, Context, Source, bind, facts_from, on_card, status, times_done
from rules.engine.game import Answer
from rules.engine.ruleset import limit, row_title
from rules.engine.schema import Asked, Count, Inches, Part, Record
from rules.engine.state import ELIMINATED
from rules.engine.state import Unit as Fighter
from rules.engine.verdict import (
    ACTORS,
    TARGETS,
    Effect,
    Reason,
    RuleRefusal,
    StatusEffect,
    Verdict,
    forbidden,
    total,
    verdict,
)
from rules.games.simple_plastic.sight import (
    ANY_COVER,
    HIGHER_OR_LOWER,
    Target,
    distance_in,
    group_of,
    in_cover,
    sight_of,
)
from rules.games.simple_plastic.tables import Elevation, PhaseName, Rules, Unit, UnitName
from rules.tabletop.tolerance import EXACT

MOVED = "moved"
"""Status of this turn: the unit, or its squad, has moved."""
FIRED_AT = "fired_at"
"""Status of this turn, where a whole squad attacks one target: the squad or lone unit that the man has attacked."""
DICE_ROLLED = "dice_rolled"
"""Status of this turn, where dice may be shared among targets: how many of his dice the man has rolled."""
ATTACKS_MADE = "attacks_made"
"""Status of this turn: how many attacks a sniper had made after a step of several attacks."""
ATTACKS = ("attack", "squad_attack", "sniper_attacks")


@dataclass(frozen=True, slots=True)
class Attacker:
    """The attacker: its kind, and whether it counts as moved."""

    unit: UnitName
    moved: bool

    def row(self, rules: Rules) -> Unit:
        """His row in the table of units."""
        return rules.tables.units[self.unit]


def _squad_fired_at(context: Context) -> str:
    mates = context.position.squad(context.actor) if context.actor.squad else ()
    return next((str(one.this_turn[FIRED_AT]) for one in mates if FIRED_AT in one.this_turn), "")


def attacks_made(unit: Fighter) -> int:
    """How often a unit has attacked in this turn; a sniper's step may have been several attacks."""
    return max(times_done(unit, *ATTACKS), int(unit.this_turn.get(ATTACKS_MADE, 0)))


_ACTORS_ATTACKS = Source(lambda context: attacks_made(context.actor))


def _who_stayed_put(context: Context) -> list[bool]:
    return [man.allowance_used_in <= EXACT for man in context.men]


_STAYED_PUT = Source(lambda context: _who_stayed_put(context)[0])


class Turn(Record):
    """The moment of an attack in the turn; a man who `stayed_put` belongs to a squad that may have moved.

    Attributes:
        squad_fired_at: The squad or lone unit that his squad has attacked, where it may attack only one.
    """

    attacker_moved: Annotated[bool, Asked("Did the attacker's squad move this turn?"), status(MOVED)]
    stayed_put: Annotated[bool, _STAYED_PUT] = False
    phase: Annotated[PhaseName, PHASE] = "attacking"
    attacks_made_this_turn: Annotated[Count, _ACTORS_ATTACKS] = 0
    squad_fired_at: Annotated[str, Source(_squad_fired_at)] = ""


def _moved(rules: Rules, squad_moved: bool, stayed_put: bool) -> bool:
    return squad_moved and not (stayed_put and rules.chooses("did_not_move", "figure"))


# The to-kill number.


FACTS: Mapping[str, Callable[[Rules, Attacker, Target], bool]] = {
    "target_downhill": lambda _, __, target: target.elevation is Elevation.DOWNHILL,
    "target_uphill": lambda _, __, target: target.elevation is Elevation.UPHILL,
    "attacker_special": lambda rules, attacker, _: attacker.row(rules).special,
    "attacker_did_not_move": lambda _, attacker, __: not attacker.moved,
    "target_in_cover": lambda rules, _, target: in_cover(rules, target),
    "target_special": lambda _, __, target: target.special,
}
"""What a modifier may depend on."""


def _reckoning(rules: Rules, attacker: Attacker, target: Target) -> tuple[Reason, ...]:
    """The base number and every modifier that applies, in reading order; their sum is the to-kill number."""
    base = int(limit(rules, "base_to_kill"))
    rows = [row for row in rules.tables.modifiers.values() if FACTS[row.fact](rules, attacker, target)]
    modifiers = (rules.because(row.rule, row.text, row.modifier) for row in rows)
    return (rules.because("SP-11", f"{base} or more kills", base), *modifiers)


def _kills(rules: Rules, number: float, face: int) -> bool:
    return face >= number and face != limit(rules, "never_kills")


# What forbids an attack.


def _no_attack(code: str, reason: Reason, **numbers: Any) -> Verdict:
    return forbidden(code, reason, attackable=False, legal=False, kills=0, killed=[], **numbers)


def _attacker_barred(rules: Rules, attacker: Attacker, phase: str, attacks_made: int) -> Verdict | None:
    """The reason why a unit may not attack now; None if it may."""
    row = attacker.row(rules)
    if phase != "attacking":
        return _no_attack("wrong_phase", rules.because("SP-01", "units attack in the attacking phase"))
    if attacker.moved and not row.attacks_after_moving:
        return _no_attack("moved", rules.because("SP-21"))
    if attacks_made >= row.attacks:
        return _no_attack("already_attacked", rules.because(row.rule))
    return None


def _second_target(rules: Rules, fired_at: str, squads: set[str]) -> Verdict | None:
    """The refusal of a second target of one squad, where the whole squad attacks the same one."""
    if rules.chooses("squad_fires_at", "each_his_own") or len(squads | ({fired_at} - {""})) < 2:
        return None
    return _no_attack("several_targets", rules.because("SP-A20", "the whole squad attacks one target"))


def _target_barred(rules: Rules, attacker: Attacker, target: Target) -> Verdict | None:
    """The reason that forbids an attack on this target; None if it is allowed."""
    if not sight_of(rules, target.visible_fraction, target.obstacle).visible:
        return _no_attack("not_visible", rules.because("SP-09"))
    number = int(total(_reckoning(rules, attacker, target)))
    if number > limit(rules, "most_to_kill"):
        text = f"it would take {number}: the target is too well protected"
        return _no_attack("too_well_protected", rules.because("SP-14", text), to_kill=number)
    return None


def _closest(rules: Rules, man: Attacker, standing: Sequence[Target]) -> Target | None:
    """The closest of those standing that this man may attack."""
    if rules.chooses("protected_closest", "shields_the_rest"):
        standing = standing[:1]
    return next((target for target in standing if _target_barred(rules, man, target) is None), None)


def may_attack(
    rules: Rules,
    visible_fraction: Part,
    obstacle: str | None = None,
    attacker: UnitName | None = None,
    attacker_moved: bool = False,
) -> Verdict:
    """Whether enough of a target is visible past solid pieces, and the modifier of cover; the attacker may matter."""
    looker = Attacker(attacker, attacker_moved) if attacker else None
    if looker and (barred := _attacker_barred(rules, looker, "attacking", 0)):
        return barred
    found = sight_of(rules, visible_fraction, obstacle)
    if not found.visible:
        return forbidden("not_visible", found.reason, legal=False, ask=found.ask)
    added = rules.tables.modifiers["target_in_cover"].modifier if found.covered else 0
    reasons = (found.reason, rules.because("SP-10"))
    return verdict("may attack", *reasons, legal=True, cover_modifier=added, in_cover=found.covered, ask=found.ask)


# The attack of one man at one unit or squad.


def _each_target(context: Context) -> list[Bound]:
    return [bind(Target, context.between(context.actor, one)) for one in context.targets]


def _shares_dice(context: Context) -> Any:
    dice = context.rules.tables.units[context.position.kind(context.actor)["unit"]].dice
    return UNKNOWN if dice > 1 and context.rules.chooses("split_dice", True) else None


_EACH_HAS_ITS_OWN = Source(lambda _: Elevation.LEVEL)
"""Every target brings its own elevation."""
_DICE_ROLLED = Source(lambda context: int(context.actor.this_turn.get(DICE_ROLLED, 0)))


class Attack(Turn):
    """One man's attack at a lone unit, described by the facts of the target, or at `targets`, the closest first.

    Attributes:
        target_in_cover: Of the closest target.
        target_figures: How many the attack could kill at most; None if it is not counted.
        dice_at_target: Of an attacker with several dice that may be shared, how many he rolls at this target.
        dice_rolled: How many of them he has rolled at others in this turn.
        targets: All men of the squad that is attacked, as he sees them.
    """

    attacker: Annotated[UnitName, on_card("unit")]
    elevation_of_target: Annotated[Elevation, HIGHER_OR_LOWER, _EACH_HAS_ITS_OWN] = Elevation.LEVEL
    target_in_cover: Annotated[bool | None, ANY_COVER] = None
    target_special: bool = False
    visible_fraction: Part = 1.0
    obstacle: str | None = None
    distance_in: Annotated[Inches, Source(distance_in)] = 0
    target_figures: Count | None = None
    dice_at_target: Annotated[
        Count | None, Asked("How many of his dice does he roll at this target?"), Source(_shares_dice)
    ] = None
    dice_rolled: Annotated[Count, _DICE_ROLLED] = 0
    targets: Annotated[tuple[Target, ...], Source(_each_target)] = ()

    def in_order(self, rules: Rules) -> list[Target]:
        """The targets, the closest first."""
        if not self.targets:
            shown = {"elevation": self.elevation_of_target, "in_cover": self.target_in_cover}
            return [facts_from(Target, self, special=self.target_special, **shown)]
        ordered = _in_order(rules, self.targets)
        if self.target_in_cover is not None:
            ordered[0] = replace(ordered[0], in_cover=self.target_in_cover)
        return ordered

    def man(self, rules: Rules) -> Attacker:
        """The attackers."""
        return Attacker(self.attacker, _moved(rules, self.attacker_moved, self.stayed_put))


def _in_order(rules: Rules, targets: Sequence[Target]) -> list[Target]:
    """Closest first; where the squad's distance counts, they are listed in that order already."""
    by_man = rules.chooses("closest_to", "rolling_figure")
    return sorted(targets, key=lambda target: target.distance_in) if by_man else list(targets)


def attack(rules: Rules, wanted: Attack) -> Answer:
    """The attack of one unit."""
    return _attack_barred(rules, wanted) or (_at_squad if wanted.targets else _at_lone)(rules, wanted)


def to_kill(rules: Rules, wanted: Attack) -> Verdict:
    """The number that an attack needs, without rolling."""
    return _attack_barred(rules, wanted) or _need(rules, wanted)


def _attack_barred(rules: Rules, wanted: Attack) -> Verdict | None:
    man = wanted.man(rules)
    dice, shared = man.row(rules).dice, wanted.dice_at_target
    left = dice - wanted.dice_rolled
    targets, has_more = wanted.in_order(rules), 0 < left < dice
    barred = _attacker_barred(rules, man, wanted.phase, 0 if has_more else wanted.attacks_made_this_turn)
    if not barred and shared not in (None, dice) and not rules.chooses("split_dice", True):
        barred = _no_attack(
            "dice_not_shared", rules.because("SP-A14", f"{row_title(wanted.attacker)} rolls {dice} at once")
        )
    if not barred and shared is not None and not 0 < shared <= left:
        barred = _no_attack(
            "dice_not_shared", rules.because("SP-A14", f"{row_title(wanted.attacker)} has {left} dice left")
        )
    barred = barred or _second_target(rules, wanted.squad_fired_at, {target.squad for target in wanted.targets})
    return barred or (None if _closest(rules, man, targets) else _target_barred(rules, man, targets[0]))


def _need(rules: Rules, wanted: Attack) -> Verdict:
    man, targets = wanted.man(rules), wanted.in_order(rules)
    reasons = list(_reckoning(rules, man, _closest(rules, man, targets) or targets[0]))
    number = int(total(reasons))
    if not man.row(rules).attacks_after_moving:
        reasons.append(rules.because("SP-23"))
    numbers = {
        "attackable": True,
        "to_kill": number,
        "needs_roll": next((face for face in Die.D6.faces if _kills(rules, number, face)), None),
        "dice": wanted.dice_at_target or man.row(rules).dice - wanted.dice_rolled,
    }
    return Verdict("may attack", numbers, (*reasons, rules.because("SP-10")))


def _at_lone(rules: Rules, wanted: Attack) -> Procedure[Verdict]:
    need = _need(rules, wanted)
    roll = yield DiceRequest(Die.D6, need.numbers["dice"], row_title(wanted.attacker), "the attack")
    hits = sum(_kills(rules, need.numbers["to_kill"], face) for face in roll.faces)
    fallen = hits if wanted.target_figures is None else min(hits, wanted.target_figures)
    ones = [rules.because("SP-13")] if limit(rules, "never_kills") in roll.faces else []
    numbers = {**need.numbers, "roll": list(roll.faces), "hits": hits, "kills": fallen}
    lost = (StatusEffect(TARGETS, ELIMINATED, rule="SP-11"),) if fallen else ()
    effects = lost + _spent(rules, wanted, len(roll.faces))
    return Verdict("kills" if fallen else "misses", numbers, (*need.reasons, *ones), effects)


def _at_squad(rules: Rules, wanted: Attack) -> Procedure[Verdict]:
    need = _need(rules, wanted)
    shot = yield from _fired(rules, wanted.man(rules), wanted.in_order(rules), need.numbers["dice"])
    numbers = {**need.numbers, "roll": shot.faces, "kills": len(shot.killed), "killed": shot.killed}
    reasons = (*need.reasons, rules.because("SP-15"), *(one for one in shot.reasons if one.modifier is None))
    effects = _fallen(shot.killed) + _marked(rules, wanted.targets) + _spent(rules, wanted, len(shot.faces))
    return Verdict("kills" if shot.killed else "misses", numbers, reasons, effects)


def _spent(rules: Rules, wanted: Attack, dice: int) -> tuple[StatusEffect, ...]:
    """The dice that he has rolled so far, where they may be shared among targets."""
    if not rules.chooses("split_dice", True) or rules.tables.units[wanted.attacker].dice < 2:
        return ()
    return (StatusEffect(ACTORS, DICE_ROLLED, wanted.dice_rolled + dice, "SP-A14", this_turn=True),)


def _fallen(killed: Sequence[str]) -> tuple[Effect, ...]:
    return tuple(StatusEffect(name, ELIMINATED, rule="SP-11") for name in killed)


def _marked(rules: Rules, targets: Sequence[Target]) -> tuple[Effect, ...]:
    """The status that holds the squad to its target, where it may attack only one."""
    if rules.chooses("squad_fires_at", "each_his_own"):
        return ()
    return (StatusEffect(ACTORS, FIRED_AT, targets[0].squad, "SP-A20", this_turn=True),)


@dataclass(frozen=True, slots=True)
class _Shot:
    """The result of one man's dice."""

    killed: list[str]
    faces: list[int]
    reasons: list[Reason]


def _fired(rules: Rules, man: Attacker, standing: list[Target], dice: int) -> Procedure[_Shot]:
    """One man's dice. They are thrown together and are interchangeable: the best is read against the closest target."""
    first = _closest(rules, man, standing)
    if first is None:
        return _Shot([], [], [rules.because("SP-15", f"{row_title(man.unit)} has no target left")])
    roll = yield DiceRequest(Die.D6, dice, row_title(man.unit), "the attack")
    by_first = rules.chooses("modifiers_of", "closest_of_squad")
    shot, standing = _Shot([], list(roll.faces), []), list(standing)
    for face in sorted(roll.faces, reverse=True):
        target = _closest(rules, man, standing)
        if target is None:
            break
        number = _reckoning(rules, man, first if by_first else target)
        killed = _kills(rules, total(number), face)
        outcome = "kills" if killed else "misses"
        text = f"{row_title(man.unit)} rolls {face} and {outcome} {target.id}"
        shot.reasons.extend((*number, rules.because("SP-11", text)))
        if killed:
            standing.remove(target)
            shot.killed.append(target.id)
    return shot


# The attacks of a squad and of a sniper.


_ANY_MOVED = Source(lambda context: any(bool(one.this_turn.get(MOVED)) for one in context.men))
_EACH_VIEW = Source(lambda context: [_each_target(replace(context, men=(one,))) for one in context.men])


class SquadAttack(Turn):
    """The attacks of a squad's men, in the order in which they roll.

    Attributes:
        targets: The enemies as all of them see them.
        views: For each attacker the enemies as he sees them, where that differs; instead of `targets`.
        stayed_put_each: For each attacker whether he stayed where he was.
    """

    attacker_moved: Annotated[bool, _ANY_MOVED]
    attackers: Annotated[
        tuple[UnitName, ...], Source(lambda context: [context.position.kind(one)["unit"] for one in context.men])
    ]
    targets: tuple[Target, ...] = ()
    views: Annotated[
        tuple[tuple[Target, ...], ...],
        _EACH_VIEW,
    ] = ()
    stayed_put_each: Annotated[tuple[bool, ...], Source(_who_stayed_put)] = ()

    def seen_by(self, index: int) -> tuple[Target, ...]:
        """The enemies as one of the attackers sees them."""
        return self.views[index] if self.views else self.targets

    def man(self, rules: Rules, index: int) -> Attacker:
        """One of the attackers."""
        stayed = self.stayed_put_each[index] if self.stayed_put_each else self.stayed_put
        return Attacker(self.attackers[index], _moved(rules, self.attacker_moved, stayed))

    def in_order(self, rules: Rules, index: int) -> list[Target]:
        """The enemies of one attacker, closest first; the tied as they are listed, which the players may change."""
        if rules.chooses("closest_to", "rolling_figure"):
            return _in_order(rules, self.seen_by(index))
        nearest: dict[str, float] = {}
        for other in range(len(self.attackers)):
            for target in self.seen_by(other):
                nearest[target.id] = min(nearest.get(target.id, target.distance_in), target.distance_in)
        return sorted(self.seen_by(index), key=lambda target: nearest[target.id])


def squad_attack(rules: Rules, fire: SquadAttack) -> Answer:
    """A squad's attacks, man by man."""
    _check(fire)
    return _squad_barred(rules, fire) or _volley(rules, fire)


def _check(fire: SquadAttack) -> None:
    if not fire.attackers:
        raise RuleRefusal("no_attackers", "there is no attacker: name the attackers")
    for name in ("views", "stayed_put_each"):
        given = getattr(fire, name)
        if given and len(given) != len(fire.attackers):
            raise RuleRefusal("wrong_length", f"{name} has {len(given)} entries: one is needed for each attacker")
    for index in range(len(fire.attackers)):
        ids = [target.id for target in fire.seen_by(index)]
        if len(set(ids)) < len(ids):
            raise RuleRefusal("same_target_twice", f"the targets {', '.join(ids)} share a name: give each its own")


def _squad_barred(rules: Rules, fire: SquadAttack) -> Verdict | None:
    men = range(len(fire.attackers))
    for index, unit in enumerate(fire.attackers):
        man = fire.man(rules, index)
        if not man.row(rules).in_squad and len(fire.attackers) > 1:
            return _no_attack("not_in_squad", rules.because("SP-20"))
        if barred := _attacker_barred(rules, man, fire.phase, fire.attacks_made_this_turn):
            return barred
        if len({target.squad for target in fire.seen_by(index)}) > 1:
            return _no_attack(
                "several_targets", rules.because("SP-A14", f"{row_title(unit)} attacks one unit or squad")
            )
    squads = {target.squad for index in men for target in fire.seen_by(index)}
    if barred := _second_target(rules, fire.squad_fired_at, squads):
        return barred
    if all(_closest(rules, fire.man(rules, index), fire.in_order(rules, index)) is None for index in men):
        return _no_attack("no_target", rules.because("SP-14", "no target is seen and killed by a 6"))
    return None


def _volley(rules: Rules, fire: SquadAttack) -> Procedure[Verdict]:
    killed: list[str] = []
    rolls: list[list[int]] = []
    reasons = [rules.because("SP-08"), rules.because("SP-15"), rules.because("SP-26")]
    for index in range(len(fire.attackers)):
        gone = killed if rules.chooses("casualties_removed", "at_once") else []
        standing = [target for target in fire.in_order(rules, index) if target.id not in gone]
        man = fire.man(rules, index)
        shot = yield from _fired(rules, man, standing, man.row(rules).dice)
        killed += [name for name in shot.killed if name not in killed]
        rolls.append(shot.faces)
        reasons += shot.reasons
    every = dict.fromkeys(target.id for index in range(len(fire.attackers)) for target in fire.seen_by(index))
    found = _told(killed, [name for name in every if name not in killed], rolls, reasons, tied=_tied(fire))
    return found.causing(*found.effects, *_marked(rules, fire.seen_by(0)))


def _told(killed: list[str], missed: list[str], rolls: list[list[int]], reasons: list[Reason], **more: Any) -> Verdict:
    numbers = {"attackable": True, "legal": True, "killed": killed, "not_killed": missed, "rolls": rolls, **more}
    return Verdict("kills" if killed else "misses", numbers, tuple(reasons), _fallen(killed))


def _tied(fire: SquadAttack) -> list[str]:
    """Targets at equal distance from an attacker: the players choose the closest."""
    tied: dict[str, None] = {}
    for index in range(len(fire.attackers)):
        seen = fire.seen_by(index)
        for one in seen:
            if any(other is not one and abs(other.distance_in - one.distance_in) <= EXACT for other in seen):
                tied[one.id] = None
    return list(tied)


def _all_shots(context: Context) -> list[Bound]:
    """The same target for every remaining attack."""
    attacks: int = context.rules.tables.units["sniper"].attacks
    return _each_target(context) * max(1, attacks - attacks_made(context.actor))


def shots_at(context: Context, names: Sequence[str]) -> list[list[Bound]]:
    """For each attack of a sniper the men of the squad that it is aimed at, as he sees them.

    Args:
        context: With all men of these squads as targets.
        names: A man or lone unit for each attack.
    """
    seen = list(zip(context.targets, _each_target(context), strict=True))
    squads = {one.id: group_of(context.position, one) for one in context.targets}
    return [[aim for one, aim in seen if squads[one.id] == squads[name]] for name in names]


class SniperAttacks(Turn):
    """The targets of a sniper's attacks, one for each attack; the same may stand twice.

    Attributes:
        views: For each attack the men of the squad that it is aimed at; instead of `targets`.
    """

    targets: Annotated[tuple[Target, ...], Source(_all_shots)]
    views: tuple[tuple[Target, ...], ...] = ()

    @property
    def aims(self) -> tuple[tuple[Target, ...], ...]:
        """The targets of each attack."""
        return self.views or tuple((target,) for target in self.targets)


def sniper_attacks(rules: Rules, fire: SniperAttacks) -> Answer:
    """A sniper's attacks of one turn, one after another."""
    sniper = Attacker("sniper", _moved(rules, fire.attacker_moved, fire.stayed_put))
    if barred := _attacker_barred(rules, sniper, fire.phase, fire.attacks_made_this_turn):
        return barred
    if fire.attacks_made_this_turn + len(fire.aims) > sniper.row(rules).attacks:
        return _no_attack("too_many_attacks", rules.because("SP-22"))
    nearest = [_in_order(rules, seen) for seen in fire.aims]
    bars = (_target_barred(rules, sniper, seen[0]) for seen in nearest if not _closest(rules, sniper, seen))
    return next((bar for bar in bars if bar), None) or _sniped(rules, sniper, fire)


def _sniped(rules: Rules, sniper: Attacker, fire: SniperAttacks) -> Procedure[Verdict]:
    killed: list[str] = []
    aimed_at: dict[str, None] = {}
    rolls: list[list[int]] = []
    reasons = [rules.because("SP-22"), rules.because("SP-23")]
    for seen in fire.aims:
        standing = [target for target in _in_order(rules, seen) if target.id not in killed]
        first = _closest(rules, sniper, standing)
        if first is None:
            continue
        aimed_at[first.id] = None
        shot = yield from _fired(rules, sniper, standing, sniper.row(rules).dice)
        killed += shot.killed
        rolls.append(shot.faces)
        reasons += shot.reasons
    found = _told(killed, [name for name in aimed_at if name not in killed], rolls, reasons)
    made = fire.attacks_made_this_turn + len(rolls)
    return found.causing(*found.effects, StatusEffect(ACTORS, ATTACKS_MADE, made, "SP-22", this_turn=True))
