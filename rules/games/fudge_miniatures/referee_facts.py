"""Fudge Miniatures Battles: what the referee knows of a model, from its card, its statuses and its place."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations, count
from typing import Any

from rules.engine.position import Position, rules_with
from rules.engine.schema import Reader
from rules.engine.state import Unit
from rules.engine.text import display_name
from rules.games.fudge_miniatures.characters import odf_with, stats_now
from rules.games.fudge_miniatures.rolls import bearing, traits_of, words
from rules.games.fudge_miniatures.tables import Card, Concern, Item, ItemKind, Rules, Tables, whole
from rules.games.fudge_miniatures.wounds import DEAD, NEAR_DEATH, level
from rules.tabletop.measure import Range
from rules.tabletop.table import Figure
from rules.tabletop.tolerance import DOUBT_SIGMAS, Comparison

WOUNDS = "wounds"
"""The columns of its wound track that are marked, a name for each box."""
TO_MARK = "wounds_to_mark"
"""Wounds of step 2 that wait for step 3."""
GUTS_OWED = "guts_checks_owed"
"""Checks to be made at once, by their triggers, each with what bears on it."""
SHAKEN = "guts_failed"
"""Checks that failed and are not passed since, by their effects.

Each has its effect, its target, the turn of its first repetition, the bonuses it lost, and whether a wound called for
it.
"""
TRIED = "pulled_itself_together"
"""Of this turn: which of them were tried again, and of a model Near Death that it has rolled."""
CLINGS = "clings_to_life_from_turn"
"""The turn in which a model Near Death rolls first."""
FALLS = "falls_from_the_air"
WIELDS, STANDABLE_KINDS, FLIES = "wields", "carries", "flies"
SURPRISED, HELPLESS = "surprised", "helpless"
"""What only the players say of a model."""
MOVEMENT_BEFORE = "movement_before"
DONE, STRUCK_WITH, STRUCK_AT = "done", "struck_with", "struck_at"
"""Of this turn: the kinds of its actions, the weapons that it attacked with, and whom."""
BROKE_FROM, STRIKES = "broke_from", "free_strikes_on_it"
"""Of this turn: the enemies that it tested against to leave them, and those who may strike, each with the reason."""
DARED, SHOT_PAST = "dared", "shot_past_by"
"""Of this turn: the opponents that it charges in spite of terror, and how often which friend shot into its fight."""
VICTORY = "victory"
KING_FALLEN = "king_fallen"
THIS_TURN = frozenset(
    {TRIED, MOVEMENT_BEFORE, DONE, STRUCK_WITH, STRUCK_AT, BROKE_FROM, STRIKES, DARED, SHOT_PAST, SURPRISED}
)
"""The statuses that the next turn forgets."""


def held_by(side: str) -> str:
    """The battle's status that holds for how many turns a side has kept up its task."""
    return f"turns_held_by_{side}"


def last_held_by(side: str) -> str:
    """The battle's status that holds the last turn in which a side kept up its task."""
    return f"last_held_by_{side}"


def agreed_for(side: str) -> str:
    """The battle's status that holds for how many turns it must."""
    return f"turns_agreed_for_{side}"


# A model.


rules_of = rules_with(Tables)
"""The game's data at a moment."""


def card(position: Position, unit: Unit) -> Card:
    """A model's datacard, ready or its player's own.

    Raises:
        UserError: if its own is not one; the message says which key.
    """
    rules = rules_of(position)
    if unit.card:
        return rules.tables.cards[unit.card]
    given = {key: value for key, value in (unit.own or {}).items() if key != "title"}
    rows = {name: list(table) for name, table in rules.plain.items() if isinstance(table, Mapping)}
    return Reader(rows).read(Card, {"rule": "FM-08", **given}, f"the card of {unit.id}")


def model(position: Position, unit: Unit) -> str:
    """Its name, by which gifts and faults are known: with those of its own card, and what its squad's name makes it."""
    if unit.card:
        name, traits = unit.card, ""
    else:
        its = card(position, unit)
        name = str((unit.own or {}).get("title") or display_name(unit.id))
        traits = "".join(f" {bearing(trait)}" for trait in (*its.gifts, *its.faults) if _its_own(position, trait))
    kinds = sorted((words(unit.squad) | _led(position, unit)) & _nobodys(rules_of(position)))
    return " ".join(filter(None, (name, *kinds))) + traits


def _led(position: Position, unit: Unit) -> frozenset[str]:
    """What the leader of its side makes it: where nobody is called a follower, all of the King's side follow him."""
    leaders = [row for row in rules_of(position).tables.traits.values() if row.fact == KING_FALLEN]
    called = frozenset(word for row in leaders for word in row.bearers)
    mates = [one for one in position.state.units.values() if one.side == unit.side]
    named = any(called & words(f"{one.squad} {(one.own or {}).get('title', '')}") for one in mates)
    return called if any(_kings(position, unit)) and not named else frozenset()


def _kings(position: Position, unit: Unit) -> Iterator[Unit]:
    """The leaders of its side besides itself."""
    mates = (one for one in position.state.units.values() if one.side == unit.side and one.id != unit.id)
    return (one for one in mates if _grants(position, one, KING_FALLEN))


def _nobodys(rules: Rules) -> frozenset[str]:
    """Words that gifts and faults go by and that no card has in its name: peasants and followers."""
    bearers = {word for row in rules.tables.traits.values() for word in row.bearers}
    return frozenset(bearers - {word for name in rules.tables.cards for word in words(name)})


def _its_own(position: Position, trait: str) -> bool:
    """Whether a gift or fault has its effect on him whose card lists it, not on others as the King's have."""
    return not set(rules_of(position).tables.traits[trait].bearers) & _nobodys(rules_of(position))


def track(position: Position, unit: Unit) -> dict[str, int]:
    """Its wound track."""
    marked = list(unit.statuses.get(WOUNDS, ()))
    return {name: marked.count(name) for name in rules_of(position).tables.wounds}


def boxes(track_after: Mapping[str, int]) -> list[str]:
    """A wound track as it is kept: a name for each marked box."""
    return [name for name, count in track_after.items() for _ in range(count)]


def level_of(position: Position, unit: Unit) -> str:
    """Its wound level; who is out of the battle is dead."""
    return DEAD if unit.out else level(rules_of(position), track(position, unit))


def stats(position: Position, unit: Unit) -> dict[str, Any]:
    """Its stats and factors now."""
    return stats_with(position, unit, list(unit.statuses.get(WOUNDS, ())))


def stats_with(position: Position, unit: Unit, marked: Sequence[str]) -> dict[str, Any]:
    """Its stats and factors with these boxes marked, without the shield that it does not hold up."""
    found = stats_now(rules_of(position), card(position, unit), marked)
    held = wielded(position, unit)
    idle = [one for name, one in arms(card(position, unit)).items() if one.shield and name not in held]
    found["ddf"] -= sum(one.shield for one in idle)
    found["hddf"] -= sum(one.shield for one in idle if one.usable_when_helpless)
    return found


def effect_of(position: Position, unit: Unit) -> str:
    """The worst effect of the Guts checks that it failed and has not passed since."""
    return worst_effect(rules_of(position), failed(unit))


def worst_effect(rules: Rules, open_checks: Mapping[str, Mapping[str, Any]]) -> str:
    """The worst effect of failed Guts checks."""
    rows = rules.tables.guts_effects
    effects = [str(one["effect"]) for one in open_checks.values()]
    return max(effects, key=lambda name: rows[name].margin, default="none")


def failed(unit: Unit) -> dict[str, dict[str, Any]]:
    """Its open Guts checks."""
    return {name: dict(one) for name, one in unit.statuses.get(SHAKEN, {}).items()}


def owed(unit: Unit) -> dict[str, dict[str, Any]]:
    """The Guts checks that it is to make at once."""
    return {name: dict(one) for name, one in unit.statuses.get(GUTS_OWED, {}).items()}


def numbered(name: str, taken: Collection[str]) -> str:
    """A name that is not taken yet: the second of a name has its number."""
    names = (name if n == 1 else f"{name} ({n})" for n in count(1))
    return next(one for one in names if one not in taken)


def state_of(position: Position, unit: Unit) -> str:
    """How it is when it is attacked or wants to act."""
    now = level_of(position, unit)
    if now in (NEAR_DEATH, DEAD):
        return now
    effect = effect_of(position, unit)
    if rules_of(position).tables.states[effect if effect != "none" else "normal"].hddf:
        return effect
    return next((said for said in (HELPLESS, SURPRISED) if {**unit.statuses, **unit.this_turn}.get(said)), "normal")


def lies(position: Position, unit: Unit) -> bool:
    """Whether it is Near Death or dead."""
    return unit.out or level_of(position, unit) in (NEAR_DEATH, DEAD)


def flies(position: Position, unit: Unit) -> bool:
    """Whether it flies, by its card or as the players say."""
    return bool(unit.statuses.get(FLIES, card(position, unit).flies))


def terrors(position: Position, unit: Unit) -> int:
    """How many Terrifying gifts it has."""
    return len(traits_of(rules_of(position), model(position, unit), Concern.TERROR))


# What it holds.


def arms(its: Card) -> dict[str, Item]:
    """What a card's owner may take in hand, by name; a second thing of one name has its number."""
    found: dict[str, Item] = {}
    for item in its.equipment:
        if item.hands:
            found[numbered(item.name, found)] = item
    return found


def grips(rules: Rules, its: Card) -> Iterator[tuple[str, ...]]:
    """Every way to fill the hands: nothing more could be taken in hand beside it. First that in the card's order."""
    held = arms(its)
    hands = whole(rules, "hands")
    found: list[tuple[str, ...]] = []
    for size in range(len(held), 0, -1):
        for some in combinations(held, size):
            fits = sum(held[name].hands for name in some) <= hands
            if fits and not any(set(some) < set(more) for more in found):
                found.append(some)
    yield from sorted(found, key=lambda some: [list(held).index(name) for name in some])


def wielded(position: Position, unit: Unit) -> tuple[str, ...]:
    """What it holds: as was said, or else what its card lists first."""
    said = unit.statuses.get(WIELDS)
    if said is not None:
        return tuple(said)
    return next(grips(rules_of(position), card(position, unit)), ())


def weapons(position: Position, unit: Unit, kind: ItemKind) -> dict[str, Item]:
    """The weapons of a kind that it carries, those in hand first."""
    held = wielded(position, unit)
    found = {name: item for name, item in arms(card(position, unit)).items() if item.kind is kind}
    return dict(sorted(found.items(), key=lambda one: one[0] not in held))


def ready(position: Position, unit: Unit, kind: ItemKind) -> dict[str, Item]:
    """Those of them that attack: the ones in hand, or all where the players chose so."""
    held = wielded(position, unit)
    carried = rules_of(position).chooses("attacks_with", "carried")
    return {name: item for name, item in weapons(position, unit, kind).items() if carried or name in held}


def odf(position: Position, unit: Unit, item: Item) -> int:
    """The ODF of one of its weapons now."""
    return odf_with(rules_of(position), card(position, unit), item, list(unit.statuses.get(WOUNDS, ())))


# Who touches whom.


def touches(position: Position, one: Unit, other: Unit) -> bool | None:
    """Whether two bases touch, as measured or as the players said; None where it is too close to call."""
    for unit, at in ((one, other), (other, one)):
        known = {**unit.statuses, **unit.this_turn}
        said = known.get(f"in_base_contact at {at.id}")
        if said is not None:
            return bool(said)
    here, there = position.figure(one.id), position.figure(other.id)
    return False if _far_apart(here, there) else in_contact(position.measure(here, there))


def _far_apart(one: Figure, other: Figure) -> bool:
    """Whether nothing need be measured to know that bases do not touch; most of all pairs are so."""
    spare_in = 1.0 + DOUBT_SIGMAS * (one.sigma_in + other.sigma_in)
    sides = ((min(places), max(places)) for figure in (one, other) for places in zip(*figure.base_in, strict=True))
    (left, right), (low, high), (other_left, other_right), (other_low, other_high) = sides
    gaps_in = (other_left - right, left - other_right, other_low - high, low - other_high)
    return any(gap_in > spare_in for gap_in in gaps_in)


def in_contact(measured: Range) -> bool | None:
    """Whether bases so far apart touch; None where it is too close to call."""
    return {Comparison.IN: True, Comparison.OUT: False}.get(measured.contact())


def touched(position: Position, unit: Unit) -> tuple[Unit, ...]:
    """The enemies at its base, those perhaps there among them; the dead are none."""
    return tuple(enemy for enemy in position.enemies(unit) if touches(position, unit, enemy) is not False)


# Facts of several questions.

_SITUATION = {
    "in_melee_with_king": lambda position, unit: any(
        _grants(position, enemy, "in_melee_with_king") for enemy in touched(position, unit)
    ),
    KING_FALLEN: lambda position, unit: any(lies(position, king) for king in _kings(position, unit)),
}
"""What of a situation can be seen on the table."""


def _grants(position: Position, unit: Unit, fact: str) -> bool:
    """Whether a model has a gift or fault on its card that hangs on a fact: who is the King."""
    its = card(position, unit)
    traits = rules_of(position).tables.traits
    return any(traits[name].fact == fact for name in (*its.gifts, *its.faults))


def situation(position: Position, unit: Unit, concerns: Concern, **known: bool | None) -> dict[str, Any]:
    """Whose roll it is and what bears on it; what no camera tells is left out where it matters to him."""
    named = model(position, unit)
    hang_on = {row.fact for row in traits_of(rules_of(position), named, concerns)}
    facts: dict[str, Any] = {"model": named}
    for fact in ("in_melee_with_king", "king_fallen", "defending_king", "charged_by_terrifying", "from_behind"):
        if fact not in hang_on:
            facts[fact] = False
        elif fact in _SITUATION:
            facts[fact] = _SITUATION[fact](position, unit)
        elif fact == "defending_king" and all(king.out for king in _kings(position, unit)):
            facts[fact] = False
        elif known.get(fact) is not None:
            facts[fact] = known[fact]
    return facts
