"""Fudge Miniatures Battles: the equipment in a model's hands, and the number of its attacks."""

from __future__ import annotations

from typing import Annotated

from rules.engine.schema import Count, Record, Within
from rules.engine.verdict import RuleRefusal, Verdict, forbidden, verdict
from rules.games.fudge_miniatures.tables import CardName, Hands, Item, ItemKind, Rules, whole


def wield(rules: Rules, hands_of_items: tuple[Hands, ...], hands_available: Count | None = None) -> Verdict:
    """Whether there are enough hands for the equipment; a human has two unless more are given."""
    needed = sum(hands_of_items)
    there = whole(rules, "hands") if hands_available is None else hands_available
    reason = rules.because("FM-16", f"hands needed: {needed} of {there}")
    if needed > there:
        return forbidden("too_few_hands", reason, legal=False, hands_needed=needed)
    return verdict("legal", reason, legal=True, hands_needed=needed)


class Held(Record):
    """Something that is wielded."""

    kind: ItemKind
    hands: Annotated[int, Within(low=0, high=2, code="bad_hands")] = 1


class Wielded(Record):
    """The weapons in a model's hands, its other equipment, and the number of its targets."""

    wielded: tuple[Held, ...]
    carried: tuple[Held, ...] = ()
    hands_available: Count | None = None
    targets: Count = 1


def attacks_in_melee_action(rules: Rules, model: Wielded) -> Verdict:
    """One attack for each wielded melee weapon."""
    return _attacks(rules, model, ItemKind.MELEE, "FM-29")


def attacks_in_shoot_action(rules: Rules, model: Wielded) -> Verdict:
    """One attack for each wielded ranged weapon."""
    return _attacks(rules, model, ItemKind.RANGED, "FM-38")


def _attacks(rules: Rules, model: Wielded, kind: ItemKind, rule: str) -> Verdict:
    carried = rules.chooses("attacks_with", "carried")
    if not (held := wield(rules, tuple(item.hands for item in model.wielded), model.hands_available)).allowed:
        return forbidden("too_few_hands", *held.reasons, legal=False, attacks=0)
    items = (*model.wielded, *(model.carried if carried else ()))
    attacks = sum(item.kind is kind for item in items)
    most = attacks if rules.chooses("targets", "one_each") else min(attacks, 1)
    if model.targets > max(1, most):
        too_many = rules.because("FM-A43", f"{model.targets} targets; {max(1, most)} may be attacked")
        return forbidden("too_many_targets", too_many, legal=False, attacks=attacks)
    if not attacks:
        return forbidden("no_such_weapon", rules.because("FM-23"), legal=False, attacks=0)
    return verdict(f"{attacks} attacks", rules.because(rule), legal=True, attacks=attacks)


def wielded_set(
    rules: Rules, card: CardName, items: tuple[str, ...] = (), hands_available: Count | None = None
) -> Verdict:
    """Whether a character holds these things of its card, and how often it strikes and shoots with them.

    Raises:
        RuleRefusal: "unknown_item" if the card does not list one of the things.
    """
    listed = {item.name: item for item in rules.tables.cards[card].equipment}
    strange = next((name for name in items if name not in listed), None)
    if strange is not None:
        raise RuleRefusal("unknown_item", f"{card} has no {strange!r}: {', '.join(listed)}", "FM-16")
    held = [listed[name] for name in items]
    if not (grip := wield(rules, tuple(item.hands for item in held), hands_available)).allowed:
        return grip
    melee, ranged = (sum(item.kind is kind for item in held) for kind in (ItemKind.MELEE, ItemKind.RANGED))
    return Verdict("legal", {**grip.numbers, "attacks": {"melee": melee, "shoot": ranged}}, grip.reasons)


def weapon_of_card(rules: Rules, card: CardName, weapon: str) -> Verdict:
    """A weapon as its owner's card has it; other cards do not matter.

    Raises:
        RuleRefusal: "unknown_weapon" if the card does not list it.
    """
    weapons = [item for item in rules.tables.cards[card].equipment if item.is_weapon]
    found = next((item for item in weapons if item.name == weapon), None)
    if found is None and rules.chooses("unprinted_weapons", "improvised"):
        found = Item(name=weapon, kind=ItemKind.MELEE, hands=1)
    if found is None:
        listed = ", ".join(item.name for item in weapons) or "no weapon"
        raise RuleRefusal("unknown_weapon", f"{card} has {listed}, not {weapon!r}: register it", "FM-64")
    numbers = {"weapon": found.name, "kind": str(found.kind), "hands": found.hands, "damage": found.damage}
    return verdict(found.name, rules.because("FM-64"), **numbers, range_in=found.range_in)
