"""Fudge Miniatures Battles: four Fudge dice, their modifiers, and the gifts and faults that modify them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from rules.engine.dice import DiceRequest, Die, Procedure
from rules.engine.schema import Asked, Record
from rules.engine.verdict import Reason, Verdict, total, verdict
from rules.games.fudge_miniatures.tables import Concern, EffectName, Rules, Trait, whole

PLUS = 1


@dataclass(frozen=True, slots=True)
class Throw:
    """Four dice, whether four pluses were thrown again, and everything that counts, the dice first."""

    value: int
    rerolled: bool
    reasons: tuple[Reason, ...]

    @property
    def total(self) -> int:
        """The dice with everything that is added to them."""
        return int(total(self.reasons))


def throw(
    rules: Rules, for_whom: str, why: str, *added: Reason, target: int | None = None, attack: bool = False
) -> Procedure[Throw]:
    """Four Fudge dice against a target; on four pluses they are thrown once more, and only the pluses count."""
    dice = whole(rules, "dice")
    needed = None if target is None else target - int(total(added))
    roll = yield DiceRequest(Die.FUDGE, dice, for_whom, why, known=Verdict("rolls", {"to_hit": needed}, added))
    value = natural = roll.total
    again = 0
    covered = attack or rules.chooses("rolled_again_for", "every_roll")
    while covered and natural == whole(rules, "rolled_again_on") and again < rules.option("rolled_again"):
        again += 1
        roll = yield DiceRequest(Die.FUDGE, dice, for_whom, f"{why}, again after four pluses")
        natural = roll.faces.count(PLUS)
        value += natural
    dice_reasons = [rules.because("FM-03", f"the dice show {value:+d}", value)]
    dice_reasons += [rules.because("FM-04")] if again else []
    return Throw(value, again > 0, (*dice_reasons, *added))


class Modifier(Record):
    """Something else that counts, as a scenario's gift."""

    why: str
    value: int


def modifier_reasons(rules: Rules, rule: str, modifiers: Sequence[Modifier]) -> list[Reason]:
    """Further modifiers as reasons under a rule."""
    return [rules.because(rule, modifier.why, modifier.value) for modifier in modifiers]


def roll_4df(rules: Rules, modifier: int = 0) -> Procedure[Verdict]:
    """Four dice and a modifier."""
    thrown = yield from throw(rules, "the player", "the test")
    rolled = thrown.value + modifier
    return verdict(f"{rolled:+d}", *thrown.reasons, total=rolled, natural=thrown.value, rerolled=thrown.rerolled)


# Gifts and faults.


class RollFacts(Record):
    """The name of the model that rolls, and the facts that gifts and faults depend on.

    Attributes:
        other_effects: Effects of its other failed Guts checks, beside the worst.
    """

    model: str = ""
    in_melee_with_king: Annotated[bool, Asked("Does this peasant fight the King himself?")] = False
    king_fallen: Annotated[bool, Asked("Has the King that this model follows fallen?")] = False
    defending_king: Annotated[bool, Asked("Does this model defend the King?")] = False
    charged_by_terrifying: Annotated[bool, Asked("Is this model being charged by a Terrifying opponent?")] = False
    from_behind: Annotated[bool, Asked("Is the attack from behind the target?")] = False
    other_effects: tuple[EffectName, ...] = ()


NEGATIONS = frozenset({"not", "no", "never", "before", "until", "without", "unless", "out", "outside"})
OTHER_ROLLS = frozenset({"attack", "attacking", "shooting", "dexterity", "disengage", "disengagement"})


def words(text: str) -> frozenset[str]:
    """The words of a sentence in small letters, plurals as one of them."""
    found = re.findall(r"[a-z]+", text.lower())
    return frozenset(found) | {word.removesuffix("s") for word in found}


def affects(trait: Trait, model: str) -> bool:
    """Whether a trait's effect holds for a model, by the words of its name."""
    named = words(model)
    return bool(named & set(trait.bearers)) and not named & NEGATIONS


def trait_tag(trait: str) -> str:
    """What a model's name says of a gift or fault that is on its own card, not in its name."""
    return f"[{trait}]"


def traits_of(rules: Rules, model: str, concerns: Concern) -> list[Trait]:
    """The gifts and faults with this effect that hold for a model."""
    rows = rules.tables.traits.items()
    return [row for name, row in rows if row.concerns is concerns and (affects(row, model) or trait_tag(name) in model)]


def reasons_of(rules: Rules, traits: Iterable[Trait]) -> list[Reason]:
    """Traits as reasons."""
    return [rules.because(row.rule, row.text, row.modifier) for row in traits]


def trait_reasons(rules: Rules, situation: RollFacts, concerns: Concern) -> list[Reason]:
    """The modifiers of gifts and faults for this model in this situation."""
    rows = traits_of(rules, situation.model, concerns)
    return reasons_of(rules, (row for row in rows if row.fact is None or getattr(situation, row.fact)))


def gift_modifier(rules: Rules, model: str, situation: str) -> Verdict:
    """The modifiers of gifts and faults for a model, parsed from a sentence about it."""
    said = words(f"{model} {situation}")

    def speaks_of(row: Trait) -> bool:
        elsewhere = row.concerns is Concern.GUTS and "guts" not in said and said & OTHER_ROLLS
        return not (said & NEGATIONS or elsewhere) and any(set(saying.split()) <= said for saying in row.said)

    rows = [row for row in rules.tables.traits.values() if affects(row, model) and speaks_of(row)]
    modifier = sum(row.modifier for row in rows)
    return verdict(f"{modifier:+d}", *reasons_of(rules, rows), modifier=modifier)
