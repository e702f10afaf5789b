"""Simple Plastic Wargame: the attacks of a whole squad, closest target first, and the two of a sniper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rules.engine.dice import DiceRequest, Die, Procedure
from rules.engine.game import Answer
from rules.engine.ruleset import row_words
from rules.engine.verdict import Reason, RuleRefusal, Verdict, total, verdict
from rules.games.simple_plastic.attack import (
    Attacker,
    Target,
    Turn,
    attacker_barred,
    kills,
    moved,
    no_attack,
    reckoning,
    target_barred,
)
from rules.games.simple_plastic.tables import Rules, UnitName
from rules.tabletop.tolerance import EXACT


@dataclass(frozen=True, slots=True, kw_only=True)
class SquadAttack(Turn):
    """The attacks of a squad's men, in the order in which they roll.

    Attributes:
        targets: The enemies as all of them see them.
        views: For each attacker the enemies as he sees them, where that differs; instead of `targets`.
        stayed_put_each: For each attacker whether he stayed where he was.
    """

    attackers: tuple[UnitName, ...]
    targets: tuple[Target, ...] = ()
    views: tuple[tuple[Target, ...], ...] = ()
    stayed_put_each: tuple[bool, ...] = ()

    def seen_by(self, index: int) -> tuple[Target, ...]:
        """The enemies as one of the attackers sees them."""
        return self.views[index] if self.views else self.targets

    def man(self, rules: Rules, index: int) -> Attacker:
        """One of the attackers."""
        stayed = self.stayed_put_each[index] if self.stayed_put_each else self.stayed_put
        return Attacker(self.attackers[index], moved(rules, self.attacker_moved, stayed))


def squad_attack(rules: Rules, fire: SquadAttack) -> Answer:
    """A squad's attacks, man by man."""
    _check(fire)
    return _barred(rules, fire) or _volley(rules, fire)


def _check(fire: SquadAttack) -> None:
    if not fire.attackers:
        raise RuleRefusal("no_attackers", "nobody attacks: name the attackers")
    for name in ("views", "stayed_put_each"):
        given = getattr(fire, name)
        if given and len(given) != len(fire.attackers):
            raise RuleRefusal("wrong_length", f"{name} has {len(given)} entries: one is needed for each attacker")
    for index in range(len(fire.attackers)):
        ids = [target.id for target in fire.seen_by(index)]
        if len(set(ids)) < len(ids):
            raise RuleRefusal("same_target_twice", f"the targets {', '.join(ids)} need a name each: name them apart")


def _barred(rules: Rules, fire: SquadAttack) -> Verdict | None:
    for index, unit in enumerate(fire.attackers):
        man = fire.man(rules, index)
        if not man.row(rules).in_squad and len(fire.attackers) > 1:
            return no_attack("not_in_squad", rules.because("SP-20"))
        barred = attacker_barred(rules, man, fire.phase, fire.attacks_made_this_turn)
        if barred:
            return barred
        if len({target.squad for target in fire.seen_by(index)}) > 1:
            return no_attack("several_targets", rules.because("SP-A14", f"{row_words(unit)} attacks one unit or squad"))
    squads = {target.squad for index in range(len(fire.attackers)) for target in fire.seen_by(index)}
    if len(squads) > 1 and rules.chooses("squad_fires_at", "one_target"):
        return no_attack("several_targets", rules.because("SP-A20", "the whole squad attacks one target"))
    if all(_closest(rules, fire.man(rules, i), _in_order(rules, fire, i)) is None for i in range(len(fire.attackers))):
        return no_attack("no_target", rules.because("SP-14", "no target is seen and killed by a 6"))
    return None


def _in_order(rules: Rules, fire: SquadAttack, index: int) -> list[Target]:
    """The enemies of one attacker, closest first; the tied as they are listed, which the players may change."""
    if rules.chooses("closest_to", "rolling_figure"):
        return sorted(fire.seen_by(index), key=lambda target: target.distance_in)
    nearest: dict[str, float] = {}
    for other in range(len(fire.attackers)):
        for target in fire.seen_by(other):
            nearest[target.id] = min(nearest.get(target.id, target.distance_in), target.distance_in)
    return sorted(fire.seen_by(index), key=lambda target: nearest[target.id])


def _closest(rules: Rules, man: Attacker, standing: Sequence[Target]) -> Target | None:
    """The closest of those standing that this man may attack."""
    if rules.chooses("protected_closest", "shields_the_rest"):
        standing = standing[:1]
    return next((target for target in standing if target_barred(rules, man, target) is None), None)


def _volley(rules: Rules, fire: SquadAttack) -> Procedure[Verdict]:
    killed: list[str] = []
    rolls: list[list[int]] = []
    reasons = [rules.because("SP-08"), rules.because("SP-15"), rules.because("SP-26")]
    for index in range(len(fire.attackers)):
        gone = killed if rules.chooses("casualties_removed", "at_once") else []
        standing = [target for target in _in_order(rules, fire, index) if target.id not in gone]
        fallen, faces, told = yield from _fired(rules, fire.man(rules, index), standing)
        killed += [name for name in fallen if name not in killed]
        rolls.append(faces)
        reasons += told
    every = dict.fromkeys(target.id for index in range(len(fire.attackers)) for target in fire.seen_by(index))
    return verdict(
        "kills" if killed else "misses",
        *reasons,
        attackable=True,
        legal=True,
        killed=killed,
        not_killed=[name for name in every if name not in killed],
        rolls=rolls,
        tied=_tied(fire),
    )


def _fired(rules: Rules, man: Attacker, standing: list[Target]) -> Procedure[tuple[list[str], list[int], list[Reason]]]:
    """One man's dice. They are thrown together and not told apart: the best is read against the closest target."""
    first = _closest(rules, man, standing)
    if first is None:
        return [], [], [rules.because("SP-15", f"{row_words(man.unit)} has nobody left to attack")]
    roll = yield DiceRequest(Die.D6, man.row(rules).dice, row_words(man.unit), "the attack")
    by_first = rules.chooses("modifiers_of", "closest_of_squad")
    fallen: list[str] = []
    reasons: list[Reason] = []
    for face in sorted(roll.faces, reverse=True):
        target = _closest(rules, man, standing)
        if target is None:
            break
        number = reckoning(rules, man, first if by_first else target)
        killed = kills(rules, total(number), face)
        outcome = "kills" if killed else "misses"
        reasons += [*number, rules.because("SP-11", f"{row_words(man.unit)} rolls {face} and {outcome} {target.id}")]
        if killed:
            standing.remove(target)
            fallen.append(target.id)
    return fallen, list(roll.faces), reasons


def _tied(fire: SquadAttack) -> list[str]:
    """Targets as far from some attacker as another: the players say who of them is closest."""
    tied: dict[str, None] = {}
    for index in range(len(fire.attackers)):
        seen = fire.seen_by(index)
        for one in seen:
            if any(other is not one and abs(other.distance_in - one.distance_in) <= EXACT for other in seen):
                tied[one.id] = None
    return list(tied)


@dataclass(frozen=True, slots=True, kw_only=True)
class SniperAttacks(Turn):
    """The targets of a sniper's attacks, one for each attack; the same may stand twice."""

    targets: tuple[Target, ...]


def sniper_attacks(rules: Rules, fire: SniperAttacks) -> Answer:
    """A sniper's attacks of one turn, one after another."""
    sniper = Attacker("sniper", moved(rules, fire.attacker_moved, fire.stayed_put))
    barred = attacker_barred(rules, sniper, fire.phase, fire.attacks_made_this_turn)
    if barred:
        return barred
    if fire.attacks_made_this_turn + len(fire.targets) > sniper.row(rules).attacks:
        return no_attack("too_many_attacks", rules.because("SP-22"))
    bars = (target_barred(rules, sniper, target) for target in fire.targets)
    return next((bar for bar in bars if bar), None) or _sniped(rules, sniper, fire)


def _sniped(rules: Rules, sniper: Attacker, fire: SniperAttacks) -> Procedure[Verdict]:
    killed: list[str] = []
    rolls: list[list[int]] = []
    reasons = [rules.because("SP-22"), rules.because("SP-23")]
    for target in fire.targets:
        if target.id in killed:
            continue
        fallen, faces, told = yield from _fired(rules, sniper, [target])
        killed += fallen
        rolls.append(faces)
        reasons += told
    missed = [name for name in dict.fromkeys(target.id for target in fire.targets) if name not in killed]
    numbers = {"attackable": True, "legal": True, "killed": killed, "not_killed": missed, "rolls": rolls}
    return Verdict("kills" if killed else "misses", numbers, tuple(reasons))
