"""Fudge Miniatures Battles: trait levels, building a human, its factors, and the sample characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from rules.engine.ruleset import limit
from rules.engine.schema import Count, Record, Row
from rules.engine.verdict import RuleRefusal, Verdict, forbidden, total, verdict
from rules.games.fudge_miniatures.rolls import RollFacts, trait_reasons
from rules.games.fudge_miniatures.tables import Card, CardName, Concern, Item, ItemKind, Rules, Stat, WoundName, whole
from rules.games.fudge_miniatures.wounds import worst_penalty

FACTORS = ("strength", "dexterity", "guts", "movement_in", "modf", "rodf", "ddf")
"""The stats and factors of a card, in its order, HDDF left out."""


def trait_values(rules: Rules, names: tuple[Annotated[str, Row("ladder", "unknown_trait")], ...]) -> Verdict:
    """Trait levels in numbers."""
    values = [rules.tables.ladder[name].value for name in names]
    return verdict("values", rules.because("FM-02"), values=values)


def trait_names(rules: Rules, values: tuple[int, ...]) -> Verdict:
    """Trait levels in words.

    Raises:
        RuleRefusal: "unknown_trait".
    """
    by_value = {row.value: name for name, row in rules.tables.ladder.items()}
    strange = [value for value in values if value not in by_value]
    if strange:
        ends = f"the ladder runs from {min(by_value)} to {max(by_value):+d}"
        raise RuleRefusal("unknown_trait", f"{strange[0]:+d} has no name: {ends}", "FM-02")
    return verdict("names", rules.because("FM-02"), names=[by_value[value] for value in values])


# Building a character.


class Build(Record):
    """A human as the player wants it."""

    strength: int
    dexterity: int
    guts: int
    movement_in: int
    gifts: Count = 1
    faults: Count = 1


def build_human(rules: Rules, build: Build) -> Verdict:
    """Whether a human keeps to the levels that a player may give it."""
    steps = _steps(rules, build)
    raised, lowered = _levels(rules, steps), sorted(-step for step in steps.values() if step < 0)
    traded_for, split = whole(rules, "lowered_by"), rules.chooses("lowered_levels", "may_be_split")
    traded = sum(lowered) == traded_for if split else lowered == [traded_for]
    allowance = whole(rules, "free_levels") + (whole(rules, "extra_levels") if traded else 0)
    ladder = [row.value for row in rules.tables.ladder.values()]
    levels = [getattr(build, name) for name, row in rules.tables.stats.items() if not row.inches]
    off = [level for level in levels if not min(ladder) <= level <= max(ladder)]
    faults = []
    if raised > allowance:
        faults.append(rules.because("FM-09", f"raised by {raised} levels; {allowance} are allowed"))
    if lowered and not traded:
        faults.append(rules.because("FM-10"))
    if build.gifts != limit(rules, "gifts") or build.faults != limit(rules, "faults"):
        faults.append(rules.because("FM-11"))
    if off and rules.chooses("ladder_ends", True):
        ends = f"{min(ladder)} to {max(ladder):+d}"
        faults.append(rules.because("FM-A05", f"{off[0]:+d} lies beyond the ladder's {ends}"))
    numbers = {"levels_raised": raised, "levels_allowed": allowance}
    if faults:
        return forbidden("not_a_standard_human", *faults, legal=False, **numbers)
    return verdict("legal", rules.because("FM-09"), legal=True, **numbers)


def _steps(rules: Rules, human: Build | Card) -> dict[str, int]:
    """How far each stat lies above its start."""
    return {name: getattr(human, name) - row.start for name, row in rules.tables.stats.items()}


def _levels(rules: Rules, steps: dict[str, int]) -> int:
    """Levels that the raised stats cost."""
    rows, inch = rules.tables.stats, rules.option("movement_price")
    return sum(max(0, step) * (inch if rows[name].inches else 1) for name, step in steps.items())


# Factors.


def modf(
    rules: Rules,
    weapon_damage: int,
    weapon_stat: Stat | None = None,
    strength: int | None = None,
    dexterity: int | None = None,
) -> Verdict:
    """Melee Offensive Damage Factor; raises "missing_key" where the stat that the weapon adds is not given."""
    name = weapon_stat or Stat(rules.option("silent_weapons"))
    stat = {Stat.STRENGTH: strength, Stat.DEXTERITY: dexterity}[name]
    if stat is None:
        needed = f"the weapon adds {name.capitalize()}: give it with the key {str(name)!r}"
        raise RuleRefusal("missing_key", needed, "FM-12")
    reasons = (
        rules.because("FM-12", "the weapon's damage", weapon_damage),
        rules.because("FM-12", f"the wielder's {name.capitalize()}", stat),
    )
    return verdict("modf", *reasons, modf=weapon_damage + stat)


def rodf(
    rules: Rules,
    weapon_damage: int | None,
    strength: int = 0,
    dexterity: int = 0,
    weapon_adds_stat: Stat | None = None,
) -> Verdict:
    """Ranged Offensive Damage Factor, None without a ranged weapon, whose damage is None."""
    if weapon_damage is None:
        return verdict("N/A", rules.because("FM-13"), rodf=None)
    reasons = [rules.because("FM-13", "the weapon's damage", weapon_damage)]
    if weapon_adds_stat:
        stat = {Stat.STRENGTH: strength, Stat.DEXTERITY: dexterity}[weapon_adds_stat]
        reasons.append(rules.because("FM-13", f"the weapon adds {weapon_adds_stat.capitalize()}", stat))
    return verdict("rodf", *reasons, rodf=int(total(reasons)))


def defence(
    rules: Rules, dexterity: int, armour: int = 0, shield: int = 0, shield_usable_when_helpless: bool = False
) -> Verdict:
    """DDF and HDDF."""
    hddf = armour + (shield if shield_usable_when_helpless else 0)
    ddf = dexterity + armour + shield
    return verdict("defence", rules.because("FM-14"), rules.because("FM-15"), ddf=ddf, hddf=hddf)


# The sample characters.


def sample_card(rules: Rules, name: CardName) -> Verdict:
    """A datacard as printed, and its levels above a standard human."""
    card = rules.tables.cards[name]
    traits = rules.tables.traits
    raised = _levels(rules, _steps(rules, card))
    over = max(0, raised - whole(rules, "free_levels"))
    reasons = [rules.because(card.rule), rules.because("FM-08")]
    if over:
        reasons.append(rules.because("FM-A03", f"{over} level over a standard human's"))
    numbers: dict[str, Any] = {
        **{factor: getattr(card, factor) for factor in FACTORS},
        "hddf": card.hddf,
        "equipment": [item.name for item in card.equipment],
        "gifts": [traits[gift].text for gift in card.gifts],
        "faults": [traits[fault].text for fault in card.faults],
        "levels_raised": raised,
        "levels_over": over,
    }
    return verdict(name, *reasons, **numbers)


class Character(Build):
    """A player's own character with its equipment."""

    equipment: tuple[Item, ...] = ()


def datacard(rules: Rules, character: Character) -> Verdict:
    """The datacard of a new character: its factors by its equipment, and whether it is a standard human."""
    build = build_human(rules, character)
    stats = {name: getattr(character, name) for name in rules.tables.stats}
    found = computed(rules, character.strength, character.dexterity, character.equipment)
    factors_by = ("FM-12", "FM-13", "FM-14", "FM-15")
    reasons = (rules.because("FM-08"), *build.reasons, *(rules.because(rule) for rule in factors_by))
    return verdict(build.outcome, *reasons, **stats, **found, **build.numbers)


def computed(rules: Rules, strength: int, dexterity: int, equipment: Sequence[Item]) -> dict[str, int | None]:
    """The factors that follow from stats and equipment, those of attack by the first weapon of each kind."""
    blade, bow = _first(equipment, ItemKind.MELEE), _first(equipment, ItemKind.RANGED)
    armour = sum(item.armour for item in equipment)
    return {
        "modf": modf(rules, blade.damage, blade.stat, strength, dexterity).numbers["modf"] if blade else None,
        "rodf": rodf(rules, bow.damage, strength, dexterity, bow.adds_stat).numbers["rodf"] if bow else None,
        "ddf": dexterity + armour + sum(item.shield for item in equipment),
        "hddf": armour + sum(item.shield for item in equipment if item.usable_when_helpless),
    }


def wounded_stats(rules: Rules, card: CardName, marked: tuple[WoundName, ...] = ()) -> Verdict:
    """Stats and factors of a wounded character: the stats drop, and the factors with those in them."""
    numbers = stats_now(rules, rules.tables.cards[card], marked)
    penalty = numbers["stat_penalty"]
    return verdict(f"{penalty:+d}", rules.because("FM-41", modifier=penalty), **numbers)


def stats_now(rules: Rules, card: Card, marked: Sequence[str]) -> dict[str, Any]:
    """The stats and factors of a card with these columns of its wound track marked."""
    penalty = worst_penalty(rules, marked)
    bow = _first(card.equipment, ItemKind.RANGED)
    return {
        "strength": card.strength + penalty,
        "dexterity": card.dexterity + penalty,
        "guts": card.guts + penalty,
        "movement_in": max(0, card.movement_in + penalty),
        "modf": None if card.modf is None else card.modf + penalty,
        "rodf": None if card.rodf is None else card.rodf + _shot_drops(rules, bow, penalty),
        "ddf": card.ddf + penalty,
        "hddf": card.hddf + (penalty if rules.chooses("all_factors_drop", True) else 0),
        "stat_penalty": penalty,
    }


def _shot_drops(rules: Rules, bow: Item | None, penalty: int) -> int:
    """The penalty of wounds on a RODF."""
    return penalty if (bow and bow.adds_stat) or rules.chooses("all_factors_drop", True) else 0


def odf_with(rules: Rules, card: Card, weapon: Item, marked: Sequence[str]) -> int:
    """The ODF of one of a card's weapons; the card prints that of the first weapon of each kind."""
    penalty = worst_penalty(rules, marked)
    melee = weapon.kind is ItemKind.MELEE
    printed = card.modf if melee else card.rodf
    if printed is None or weapon is not _first(card.equipment, weapon.kind):
        alone = computed(rules, card.strength, card.dexterity, [weapon])
        printed = alone["modf" if melee else "rodf"]
    return (printed or 0) + (penalty if melee else _shot_drops(rules, weapon, penalty))


def _first(equipment: Sequence[Item], kind: ItemKind) -> Item | None:
    return next((item for item in equipment if item.kind is kind), None)


def modf_from_behind(rules: Rules, model: CardName) -> Verdict:
    """The offensive factors of a character with its bonus from behind."""
    card = rules.tables.cards[model]
    gains = trait_reasons(rules, RollFacts(model=model, from_behind=True), Concern.ODF)
    odfs = {"modf": card.modf, "rodf": card.rodf}
    numbers = {name: None if value is None else value + int(total(gains)) for name, value in odfs.items()}
    return verdict("from behind", *gains, rules.because("FM-62"), **numbers)


def force_size(rules: Rules, models: Count, players: Count = 2) -> Verdict:
    """Whether a force has the size that the rulebook advises; another size is allowed."""
    fits = limit(rules, "models_fewest") <= models <= limit(rules, "models_most")
    enough = players >= limit(rules, "players_fewest")
    outcome = "as advised" if fits and enough else "unusual"
    return verdict(outcome, rules.because("FM-01"), within_stated_size=fits, enough_players=enough)
