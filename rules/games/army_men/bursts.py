"""Army Men: one weapon on several targets, as the burst of an automatic weapon or the blast of a shell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from itertools import pairwise
from typing import Any

from rules.engine.dice import Procedure, Roll
from rules.engine.facts import facts_from
from rules.engine.game import Answer
from rules.engine.ruleset import Bar, limit, refused, row_title
from rules.engine.verdict import Verdict, verdict
from rules.games.army_men.attack import aim, attack_value, barred, struck, two_dice
from rules.games.army_men.shot import Aim, Shot, armoured
from rules.games.army_men.tables import Rules, WeaponName
from rules.tabletop.bearing import bearing_deg, onward
from rules.tabletop.table import PointIn
from rules.tabletop.template import Blast as Disc
from rules.tabletop.template import Flame, Hit, Strip, Template
from rules.tabletop.tolerance import within


def burst(
    rules: Rules,
    weapon: WeaponName,
    bearings_deg: tuple[float, ...],
    separate_targets: bool = True,
    moved_this_turn: bool = False,
    mounted: bool = False,
    jammed: bool = False,
) -> Answer:
    """Whether a burst may be spread so."""
    row = rules.tables.weapons[weapon]
    moved = moved_this_turn and row.stationary and not mounted
    text = f"{len(bearings_deg)} targets; {row_title(weapon)} attacks {row.rof}"
    bar = refused(
        rules,
        (jammed, "jammed", "AM-75"),
        (moved, "moved_stationary_weapon", "AM-78"),
        (not separate_targets, "same_target_twice", "AM-42"),
        (len(bearings_deg) > row.rof, "rof_exceeded", "AM-42", text),
        _scattered(rules, bearings_deg),
    )
    arc_deg = smallest_arc_deg(bearings_deg)
    return bar or verdict("allowed", rules.because("AM-42"), rules.because("AM-43"), allowed=True, arc_deg=arc_deg)


def _scattered(rules: Rules, bearings_deg: Sequence[float]) -> Bar:
    """The reason that forbids a burst at targets too far apart."""
    arc_deg = smallest_arc_deg(bearings_deg)
    wide = not within(arc_deg, limit(rules, "burst_arc_deg"))
    return wide, "arc_exceeded", "AM-43", f"the targets lie within {arc_deg:g} degrees"


def smallest_arc_deg(bearings_deg: Sequence[float]) -> float:
    """Width of the smallest arc that holds all bearings, wherever north lies."""
    seen = sorted(bearing % 360 for bearing in bearings_deg)
    if not seen:
        return 0.0
    return 360 - max(after - before for before, after in pairwise([*seen, seen[0] + 360]))


class Volley(Shot):
    """Attacks of one weapon on several targets; `each` holds the aim at those that differ from the rest.

    Where the bearings of a burst's targets are known, they must lie in its arc.
    """

    targets: tuple[str, ...]
    each: Mapping[str, Aim] = field(default_factory=dict)
    bearings_deg: tuple[float, ...] = ()

    def at(self, target: str) -> Shot:
        """The shot at one of the targets."""
        aim = self.each.get(target)
        return facts_from(Shot, self, **(vars(aim) if aim else {}))


def burst_aim(rules: Rules, volley: Volley) -> Verdict:
    """The value that a burst must roll against each target."""
    answer = _too_many(rules, volley) or _aimed(rules, volley)
    return (_too_wide(rules, volley) if answer.allowed else None) or answer


def _aimed(rules: Rules, volley: Volley) -> Verdict:
    """The value that each attack must roll, or the reason why the first illegal one is forbidden."""
    answers = {target: aim(rules, volley.at(target)) for target in volley.targets}
    reasons = [reason for answer in answers.values() for reason in answer.reasons]
    each = {target: dict(answer.numbers) for target, answer in answers.items()}
    bar = next((answer for answer in answers.values() if not answer.allowed), None)
    return bar or verdict("may attack", *reasons, allowed=True, each=each)


def _too_many(rules: Rules, volley: Volley) -> Verdict | None:
    weapon = rules.tables.weapons[volley.weapon]
    twice = (len(set(volley.targets)) < len(volley.targets), "same_target_twice", "AM-42")
    return refused(rules, twice, (len(volley.targets) > weapon.rof, "rof_exceeded", "AM-42"))


def _too_wide(rules: Rules, volley: Volley) -> Verdict | None:
    return refused(rules, _scattered(rules, volley.bearings_deg))


def _any_barred(rules: Rules, volley: Volley) -> Verdict | None:
    bars = (barred(rules, volley.at(target)) for target in volley.targets)
    return next((bar for bar in bars if bar), None)


def burst_rolls(rules: Rules, volley: Volley) -> Procedure[Verdict]:
    """Two dice for every target of a burst, in order."""
    if bar := _too_many(rules, volley) or _any_barred(rules, volley) or _too_wide(rules, volley):
        return bar
    answers: list[Verdict] = []
    jammed = False
    for target in volley.targets:
        if jammed and rules.chooses("jam_stops_burst", True):
            break
        roll = yield two_dice(target, f"the attack with {row_title(volley.weapon)}")
        shot = volley.at(target)
        answers.append((yield from struck(rules, shot, attack_value(rules, shot), roll.total)))
        jammed = jammed or answers[-1].numbers["jammed"]
    return _summed(volley, answers, jammed=jammed)


LOCATION = ("fixed_location", "earlier_attacks_on_location")


class Blast(Volley):
    """One blast with everything that it may reach; `each` has how much of each target is under it."""

    def at(self, target: str) -> Shot:
        """The blast at one of the targets, with the range and visibility of the place aimed at."""
        aimed = {fact: getattr(self, fact) for fact in ("distance_in", "los", *LOCATION)}
        return replace(Volley.at(self, target), **aimed)


def blast_aim(rules: Rules, shell: Blast) -> Verdict:
    """The value that a blast must roll against each target."""
    return _no_blast(rules, shell) or _aimed(rules, shell)


def _no_blast(rules: Rules, shell: Blast) -> Verdict | None:
    single, text = not rules.tables.weapons[shell.weapon].spreads, f"{row_title(shell.weapon)} has no blast"
    armour = any(armoured(rules, shell.at(target).target) for target in shell.targets)
    return refused(rules, (single, "no_blast", "AM-79", text), (armour, "armour_piercing", "AM-80"))


def blast(rules: Rules, shell: Blast) -> Procedure[Verdict]:
    """One roll, compared with the value against each target under the blast."""
    if bar := _no_blast(rules, shell) or _any_barred(rules, shell):
        return bar
    answers: list[Verdict] = []
    roll: Roll | None = None
    for target in shell.targets:
        if roll is None or rules.chooses("blast_roll", "one_each"):
            roll = yield two_dice(target, f"the blast of {row_title(shell.weapon)}")
        shot = shell.at(target)
        answers.append((yield from struck(rules, shot, attack_value(rules, shot), roll.total)))
    return _summed(shell, answers, jammed=False)


def _summed(volley: Volley, answers: list[Verdict], *, jammed: bool) -> Verdict:
    numbers: dict[str, Any] = {
        "allowed": True,
        "rolls": [answer.numbers["roll"] for answer in answers],
        "hits": [answer.numbers["hit"] for answer in answers],
        "eliminated": [t for t, a in zip(volley.targets, answers, strict=False) if a.numbers["target_eliminated"]],
        "jammed": jammed,
        "out_of_ammo": any(answer.numbers["out_of_ammo"] for answer in answers),
        "each": [dict(answer.numbers) for answer in answers],
    }
    hits = sum(numbers["hits"])
    outcome = f"hits {hits} of {len(volley.targets)}" if hits else "misses"
    return Verdict(outcome, numbers, tuple(reason for answer in answers for reason in answer.reasons))


# Templates on the table.


def radius_in(rules: Rules, across_in: float) -> float:
    """Radius of a disc whose size the rulebook prints."""
    return across_in / 2 if rules.chooses("blast_size", "diameter") else across_in


def laid(rules: Rules, weapon: str, from_in: PointIn, at_in: PointIn) -> Template:
    """The template of an area weapon that is aimed from one place at another.

    Raises:
        UserError: if a flame is aimed at its own place.
    """
    row = rules.tables.weapons[weapon]
    if row.cone_in is None:
        return Disc(at_in, radius_in(rules, row.blast_in or row.area_in or 0.0))
    toward_deg, length_in = bearing_deg(from_in, at_in), row.range_max_in or 0.0
    if rules.chooses("flame_shape", "triangle"):
        return Flame(from_in, toward_deg, length_in, row.cone_in)
    return Strip((from_in, onward(from_in, toward_deg, length_in)), row.cone_in)


def explosion(rules: Rules, at_in: PointIn) -> Disc:
    """The blast of a flame-thrower that explodes."""
    return Disc(at_in, radius_in(rules, limit(rules, "flame_explosion_in")))


def caught(rules: Rules, hits: Iterable[Hit]) -> tuple[str, ...]:
    """Of those under a template, those with enough of themselves in it."""
    return tuple(hit.id for hit in hits if within(limit(rules, "blast_part"), hit.fraction))
