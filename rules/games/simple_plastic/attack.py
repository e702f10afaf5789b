"""Simple Plastic Wargame: what one attacker needs to kill one target, and his attack."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from rules.engine.dice import DiceRequest, Die, Procedure
from rules.engine.game import Answer
from rules.engine.ruleset import limit, row_words
from rules.engine.schema import Asked, Count, Inches, Part
from rules.engine.verdict import Reason, RuleRefusal, Verdict, forbidden, total, verdict
from rules.games.simple_plastic.tables import Cover, Elevation, PhaseName, Rules, Unit, UnitName
from rules.tabletop.tolerance import within

HIGHER_OR_LOWER = Asked("Does the target stand higher than the attacker, lower, or level with him?")
ANY_COVER = Asked("Does anything hide a part of the target from the attacker?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A figure as one attacker has it before him.

    Attributes:
        in_cover: None where what is seen of it decides.
        visible_fraction: The part of it that solid things do not hide.
        obstacle: What stands on the line to it.
        squad: The squad or lone unit that it belongs to.
    """

    id: str = "the target"
    distance_in: Inches = 0
    elevation: Annotated[Elevation, HIGHER_OR_LOWER] = Elevation.LEVEL
    in_cover: Annotated[bool | None, ANY_COVER] = None
    special: bool = False
    visible_fraction: Part = 1.0
    obstacle: str | None = None
    squad: str = ""


@dataclass(frozen=True, slots=True)
class Attacker:
    """Who rolls: his kind, and whether he counts as moved."""

    unit: UnitName
    moved: bool

    def row(self, rules: Rules) -> Unit:
        """His row in the table of units."""
        return rules.tables.units[self.unit]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Where in the turn an attack is made; a man who `stayed_put` belongs to a squad that may have moved."""

    attacker_moved: Annotated[bool, Asked("Did the attacker's squad move this turn?")]
    stayed_put: bool = False
    phase: PhaseName = "attacking"
    attacks_made_this_turn: Count = 0


def moved(rules: Rules, squad_moved: bool, stayed_put: bool) -> bool:
    """Whether a man counts as moved."""
    return squad_moved and not (stayed_put and rules.chooses("did_not_move", "figure"))


# What is seen.


@dataclass(frozen=True, slots=True)
class Look:
    """What an attacker sees of a target; `ask` where it is too little or too much for a camera to decide."""

    visible: bool
    covered: bool
    ask: bool
    reason: Reason


def look(rules: Rules, visible_fraction: float, obstacle: str | None) -> Look:
    """Whether a target can be seen and is covered; something solid hides what nothing is named for."""
    name = obstacle or "solid"
    row = _cover(rules, name)
    if not row.counts:
        return Look(True, False, False, rules.because(row.rule, f"{row_words(name)} neither block nor cover"))
    hidden = 1 - visible_fraction
    visible = visible_fraction > 0 or not row.blocks
    covered = visible and (row.always or not within(hidden, rules.option("cover_beyond")))
    barely = min(hidden, visible_fraction)
    ask = not row.always and 0 < barely < limit(rules, "ask_when_hidden_below")
    text = f"{row_words(name)} cover: {visible_fraction:.0%} of the target can be seen"
    return Look(visible, covered, ask, rules.because(row.rule, text) if covered else rules.because("SP-09"))


def _cover(rules: Rules, word: str) -> Cover:
    """A kind of cover by any of its names."""
    rows = rules.tables.covers
    found = rows.get(word) or next((row for row in rows.values() if word in row.also), None)
    if found is None:
        known = ", ".join((*rows, *(name for row in rows.values() for name in row.also)))
        raise RuleRefusal("unknown_obstacle", f"the obstacle {word!r} is no kind of cover: choose one of {known}")
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """How much of a target is seen past what is solid, what stands on the line to it, and who looks, if it matters."""

    visible_fraction: Part
    obstacle: str | None = None
    attacker: UnitName | None = None
    attacker_moved: bool = False


def may_attack(rules: Rules, seen: Seen) -> Verdict:
    """Whether a target is seen well enough, and what cover adds."""
    looker = Attacker(seen.attacker, seen.attacker_moved) if seen.attacker else None
    if looker and (barred := attacker_barred(rules, looker, "attacking", 0)):
        return barred
    found = look(rules, seen.visible_fraction, seen.obstacle)
    if not found.visible:
        return forbidden("not_visible", found.reason, legal=False, ask=found.ask)
    added = rules.tables.modifiers["target_in_cover"].modifier if found.covered else 0
    reasons = (found.reason, rules.because("SP-10"))
    return verdict("may attack", *reasons, legal=True, cover_modifier=added, in_cover=found.covered, ask=found.ask)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rise:
    """How much higher the ground under the target is than the ground under the attacker."""

    rise_in: float


def elevation(rules: Rules, ground: Rise) -> Verdict:
    """Whether the target is uphill, downhill or level."""
    found = level(rules, ground.rise_in)
    return verdict(found, rules.because("SP-12", f"the target is {found}"), elevation=str(found))


def level(rules: Rules, rise_in: float) -> Elevation:
    """Where a target stands that is so much higher than its attacker."""
    if within(abs(rise_in), rules.option("uphill_beyond_in")):
        return Elevation.LEVEL
    return Elevation.UPHILL if rise_in > 0 else Elevation.DOWNHILL


# The to-kill number.


def in_cover(rules: Rules, target: Target) -> bool:
    """Whether a target is covered: as the players say, else as it is seen."""
    if target.in_cover is not None:
        return target.in_cover
    return look(rules, target.visible_fraction, target.obstacle).covered


FACTS: Mapping[str, Callable[[Rules, Attacker, Target], bool]] = {
    "target_downhill": lambda _, __, target: target.elevation is Elevation.DOWNHILL,
    "target_uphill": lambda _, __, target: target.elevation is Elevation.UPHILL,
    "attacker_special": lambda rules, attacker, _: attacker.row(rules).special,
    "attacker_did_not_move": lambda _, attacker, __: not attacker.moved,
    "target_in_cover": lambda rules, _, target: in_cover(rules, target),
    "target_special": lambda _, __, target: target.special,
}
"""What a modifier may hang on."""


def reckoning(rules: Rules, attacker: Attacker, target: Target) -> tuple[Reason, ...]:
    """The base number and every modifier that applies, in reading order; their sum is the to-kill number."""
    base = int(limit(rules, "base_to_kill"))
    rows = [row for row in rules.tables.modifiers.values() if FACTS[row.fact](rules, attacker, target)]
    modifiers = (rules.because(row.rule, row.text, row.modifier) for row in rows)
    return (rules.because("SP-11", f"{base} or more kills", base), *modifiers)


def kills(rules: Rules, number: float, face: int) -> bool:
    """Whether a face kills against a to-kill number."""
    return face >= number and face != limit(rules, "never_kills")


def killing_faces(rules: Rules, number: float) -> list[int]:
    """The faces that kill; none where the target is too well protected."""
    protected = number > limit(rules, "most_to_kill")
    return [face for face in Die.D6.faces if not protected and kills(rules, number, face)]


# What forbids an attack.


def no_attack(code: str, reason: Reason, **numbers: Any) -> Verdict:
    """An attack that may not be made."""
    return forbidden(code, reason, attackable=False, legal=False, kills=0, killed=[], **numbers)


def attacker_barred(rules: Rules, attacker: Attacker, phase: str, attacks_made: int) -> Verdict | None:
    """Why somebody may not attack at all now, None where he may."""
    row = attacker.row(rules)
    if phase != "attacking":
        return no_attack("wrong_phase", rules.because("SP-01", "units attack in the attacking phase"))
    if attacker.moved and not row.attacks_after_moving:
        return no_attack("moved", rules.because("SP-21"))
    if attacks_made >= row.attacks:
        return no_attack("already_attacked", rules.because(row.rule))
    return None


def target_barred(rules: Rules, attacker: Attacker, target: Target) -> Verdict | None:
    """Why this target may not be attacked, None where it may."""
    if not look(rules, target.visible_fraction, target.obstacle).visible:
        return no_attack("not_visible", rules.because("SP-09"))
    number, most = int(total(reckoning(rules, attacker, target))), limit(rules, "most_to_kill")
    if number > most:
        text = f"it would take {number}: the target is too well protected"
        return no_attack("too_well_protected", rules.because("SP-14", text), to_kill=number)
    return None


# One attack on one target.


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack(Turn):
    """One attack on one unit or squad, as its closest figure is seen.

    Attributes:
        target_figures: How many the attack could kill at most; None where nobody counts them.
        dice_at_target: Of an attacker with several dice that may be shared, how many he rolls at this target.
    """

    attacker: UnitName
    elevation_of_target: Annotated[Elevation, HIGHER_OR_LOWER] = Elevation.LEVEL
    target_in_cover: Annotated[bool | None, ANY_COVER] = None
    target_special: bool = False
    visible_fraction: Part = 1.0
    obstacle: str | None = None
    distance_in: Inches = 0
    target_figures: Count | None = None
    dice_at_target: Annotated[Count | None, Asked("How many of his dice does he roll at this target?")] = None

    @property
    def target(self) -> Target:
        """The target as any attacker has it before him."""
        return Target(
            distance_in=self.distance_in,
            elevation=self.elevation_of_target,
            in_cover=self.target_in_cover,
            special=self.target_special,
            visible_fraction=self.visible_fraction,
            obstacle=self.obstacle,
        )


def attack(rules: Rules, wanted: Attack) -> Answer:
    """The attack of one unit."""
    attacker = _attacker(rules, wanted)
    return _attack_barred(rules, wanted, attacker) or _rolled(rules, wanted, attacker)


def to_kill(rules: Rules, wanted: Attack) -> Verdict:
    """What an attack would need, without rolling."""
    attacker = _attacker(rules, wanted)
    return _attack_barred(rules, wanted, attacker) or _need(rules, wanted, attacker)


def _attacker(rules: Rules, wanted: Attack) -> Attacker:
    return Attacker(wanted.attacker, moved(rules, wanted.attacker_moved, wanted.stayed_put))


def _attack_barred(rules: Rules, wanted: Attack, attacker: Attacker) -> Verdict | None:
    dice, shared = attacker.row(rules).dice, wanted.dice_at_target
    if shared is not None and shared != dice and not (rules.chooses("split_dice", True) and 0 < shared < dice):
        return no_attack(
            "dice_not_shared", rules.because("SP-A14", f"{row_words(wanted.attacker)} rolls {dice} at once")
        )
    barred = attacker_barred(rules, attacker, wanted.phase, wanted.attacks_made_this_turn)
    return barred or target_barred(rules, attacker, wanted.target)


def _need(rules: Rules, wanted: Attack, attacker: Attacker) -> Verdict:
    reasons = list(reckoning(rules, attacker, wanted.target))
    number = int(total(reasons))
    if not attacker.row(rules).attacks_after_moving:
        reasons.append(rules.because("SP-23"))
    numbers = {
        "attackable": True,
        "to_kill": number,
        "needs_roll": min(killing_faces(rules, number), default=None),
        "dice": wanted.dice_at_target or attacker.row(rules).dice,
    }
    return Verdict("may attack", numbers, (*reasons, rules.because("SP-10")))


def _rolled(rules: Rules, wanted: Attack, attacker: Attacker) -> Procedure[Verdict]:
    need = _need(rules, wanted, attacker)
    roll = yield DiceRequest(Die.D6, need.numbers["dice"], row_words(wanted.attacker), "the attack")
    hits = sum(kills(rules, need.numbers["to_kill"], face) for face in roll.faces)
    fallen = hits if wanted.target_figures is None else min(hits, wanted.target_figures)
    ones = [rules.because("SP-13")] if limit(rules, "never_kills") in roll.faces else []
    numbers = {**need.numbers, "roll": list(roll.faces), "hits": hits, "kills": fallen}
    return Verdict("kills" if fallen else "misses", numbers, (*need.reasons, *ones))
