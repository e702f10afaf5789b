"""Plastic Fudge: levels, cards and their cost, the muster of a side, terrain set by turns, scenarios and victory."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from rules.engine.ruleset import limit
from rules.engine.schema import Asked, Count, Row
from rules.engine.verdict import Reason, RuleRefusal, StatusEffect, Verdict, forbidden, verdict
from rules.games.plastic_fudge.tables import (
    Card,
    ClassName,
    LevelName,
    PoseName,
    Rules,
    UnitName,
    called,
    rating,
    special_of,
)
from rules.tabletop.tolerance import within

ScenarioName = Annotated[str, Row("scenarios", "unknown_scenario")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A level by its name."""

    level: LevelName


def level(rules: Rules, asked: Named) -> Verdict:
    """A level: its modifier, cost, movement and reach."""
    row = rules.tables.levels[asked.level]
    numbers = {"rating": row.rating, "cost": row.cost, "range_bands": row.range_bands}
    numbers["move_in"] = row.move_in * rules.option("move_scale")
    numbers["range_in"] = row.range_bands * rules.option("band_in")
    return verdict(asked.level, rules.because(row.rule), **numbers)


# Cards and their cost.

SeenPose = Annotated[PoseName, Asked("Does the figure stand, kneel or lie?")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bought:
    """A ready unit, or one made up; an attribute that is not said is that of the card, else the Basic Trooper's."""

    unit: UnitName | None = None
    ML: LevelName | None = None
    RL: tuple[LevelName, ...] | None = None
    AL: tuple[LevelName, ...] | None = None
    DL: LevelName | None = None
    TL: LevelName | None = None
    class_: ClassName | None = None
    pose: PoseName = "standing"
    commander: bool | None = None
    special: bool | None = None


def unit_cost(rules: Rules, bought: Bought) -> Verdict:
    """The cost of a unit."""
    names = ("ML", "RL", "AL", "DL", "TL", "commander")
    said = {name: value for name in names if (value := getattr(bought, name)) is not None}
    card = dataclasses.replace(rules.tables.cards[bought.unit or "basic"], **said)
    special = card.special is not None if bought.special is None else bought.special
    return _cost(rules, dataclasses.replace(card, kind=bought.class_ or card.kind), bought.pose, special)


def _cost(rules: Rules, card: Card, pose: str, special: bool) -> Verdict:
    """The cost of a unit with a card's attributes."""
    row = rules.tables.classes[card.kind]
    if card.commander and card.kind != "trooper":
        return forbidden("commander_must_be_trooper", rules.because("PF-19"))
    names = [card.ML, *card.RL, *card.AL, _paid_defense(rules, card, pose), card.TL]
    costs = [rules.tables.levels[name].cost * row.cost_factor for name in names]
    spelled = " + ".join(f"{name} {cost}" for name, cost in zip(names, costs, strict=True))
    reasons = [rules.because("PF-14", spelled, sum(costs))]
    if row.surcharge:
        reasons.append(rules.because(row.rule, modifier=row.surcharge))
    if card.commander:
        reasons.append(rules.because("PF-19", modifier=limit(rules, "commander_cost")))
    if special:
        reasons.append(rules.because("PF-107", modifier=max(s.cost for s in rules.tables.specials.values())))
    whole = int(sum(reason.modifier or 0 for reason in reasons))
    return verdict(f"{whole} points", *reasons, attribute_cost=sum(costs), total=whole)


def _paid_defense(rules: Rules, card: Card, pose: str) -> str:
    """The Defense Level that is paid for."""
    if not rules.option("pose_paid"):
        return card.DL
    levels = rules.tables.poses[pose if card.posed else "standing"].levels
    posed = called(rules, rating(rules, card.DL) + levels)
    return posed if posed in rules.tables.levels else max(rules.tables.levels, key=lambda name: rating(rules, name))


def card_cost(rules: Rules, name: str, pose: str = "standing") -> Verdict:
    """The cost of a ready unit."""
    card = rules.tables.cards[name]
    if name == "grenade_and_rifle" and rules.chooses("grenadier_cost", "printed"):
        return verdict("as printed", rules.because(card.rule), total=card.printed_cost)
    return _cost(rules, card, pose, card.special is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Carded:
    """A ready unit, in its pose."""

    unit: UnitName
    pose: SeenPose = "standing"


def unit_card(rules: Rules, asked: Carded) -> Verdict:
    """A ready unit: its levels, weapons, cost and what is special about it."""
    card = rules.tables.cards[asked.unit]
    cost = card_cost(rules, asked.unit, asked.pose)
    numbers: dict[str, Any] = dataclasses.asdict(card)
    numbers |= {"class": numbers.pop("kind"), "RL": list(card.RL), "AL": list(card.AL), "weapons": list(card.weapons)}
    numbers |= {"cost": cost.numbers["total"], "DL_rating": _defense(rules, card, asked.pose)[0]}
    special = special_of(rules, asked.unit)
    reasons = [rules.because(numbers.pop("rule")), rules.because("PF-07")]
    reasons += [rules.because("PF-107"), rules.because(special.hand_to_hand.rule)] if special else []
    return verdict(card.title, *reasons, *cost.reasons, **numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Posed:
    """The pose of a figure; the Basic Trooper unless another is named, and his DL unless another is."""

    pose: SeenPose = "standing"
    unit: UnitName = "basic"
    DL: LevelName | None = None


def basic_defense_level(rules: Rules, figure: Posed) -> Verdict:
    """The Defense Level of a figure in its pose."""
    card = rules.tables.cards[figure.unit]
    found, reasons = _defense(rules, dataclasses.replace(card, DL=figure.DL or card.DL), figure.pose)
    return verdict(called(rules, found), *reasons, DL=found)


def _defense(rules: Rules, card: Card, pose: str) -> tuple[int, list[Reason]]:
    base = rating(rules, card.DL)
    reasons = [rules.because(card.rule, f"Defense Level {card.DL}", base)]
    if not card.posed:
        return base, reasons + ([rules.because("PF-99")] if card.pose else [])
    row = rules.tables.poses[card.pose or pose]
    return base + row.levels, [*reasons, rules.because(row.rule, card.pose or pose, row.levels)]


# Forces.


@dataclass(frozen=True, slots=True, kw_only=True)
class Army:
    """A side in numbers; `agreed_points` where another total was agreed on."""

    units: Count
    points: Count
    commanders: Count = 0
    radiomen: Count | None = None
    agreed_points: Count | None = None
    scenario: ScenarioName = "capture_the_flag"


def army_check(rules: Rules, army: Army) -> Verdict:
    """Whether a side keeps to the scenario's limits."""
    row = rules.tables.scenarios[army.scenario]
    most = row.forces.points_most if army.agreed_points is None else army.agreed_points
    needed, radiomen = limit(rules, "commanders"), limit(rules, "radiomen")
    faults = [
        ("too_many_units", row.forces.rule, army.units > row.forces.units_most),
        ("too_many_points", row.forces.rule, not within(army.points, most)),
        ("no_commander", "PF-19", army.commanders < needed),
        ("too_many_commanders", "PF-19", army.commanders > needed),
        ("no_radioman", "PF-89", army.radiomen is not None and army.radiomen < radiomen),
    ]
    found = [(code, rules.because(rule)) for code, rule, wrong in faults if wrong]
    numbers: dict[str, Any] = {"points_left": most - army.points}
    if found:
        numbers |= {"legal": False, "reason": found[0][0], "faults": [code for code, _ in found]}
        return verdict(found[0][0], *(why for _, why in found), **numbers)
    reasons = (rules.because(row.forces.rule), rules.because("PF-18", f"{army.points} of {most} points"))
    return verdict("legal", *reasons, legal=True, **numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """A side's units by their cards, and the points for mines and the like."""

    roster: tuple[UnitName, ...]
    extra_points: Count = 0
    agreed_points: Count | None = None
    scenario: ScenarioName = "capture_the_flag"


def muster(rules: Rules, side: Roster) -> Verdict:
    """The total cost of a side's cards, and whether it is allowed."""
    cards = [rules.tables.cards[name] for name in side.roster]
    points = sum(card_cost(rules, name).numbers["total"] for name in side.roster) + side.extra_points
    numbers = {
        "units": len(cards),
        "points": points,
        "commanders": sum(card.commander for card in cards),
        "radiomen": sum(card.radio for card in cards),
    }
    checked = army_check(rules, Army(**numbers, agreed_points=side.agreed_points, scenario=side.scenario))
    numbers["counted_for_morale"] = counted(rules, side.roster)
    return verdict(checked.outcome, *checked.reasons, **{**checked.numbers, **numbers})


def counted(rules: Rules, roster: Sequence[str]) -> int:
    """How many units of a side count in the shares of the destroyed and the routed."""
    kinds = [rules.tables.cards[name].kind for name in roster]
    return len(kinds) if rules.option("vehicles_count") else sum(kind == "trooper" for kind in kinds)


# Set-up and victory.


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """How many terrain pieces were placed, the players that place them by turns, and those that are content."""

    pieces_placed: Count
    pieces_left: Annotated[Count, Asked("How many terrain pieces are left?")] = 0
    players: tuple[str, ...] = ("P1", "P2")
    content: Annotated[tuple[str, ...], Asked("Who is content with the terrain?")] = ()


def place_terrain(rules: Rules, terrain: Placed) -> Verdict:
    """The player that places the next piece of terrain."""
    if not terrain.players:
        raise RuleRefusal("wrong_players", "terrain needs a player that places it: name the players")
    done = terrain.pieces_left == 0 or set(terrain.players) <= set(terrain.content)
    following = None if done else terrain.players[terrain.pieces_placed % len(terrain.players)]
    return verdict("done" if done else f"{following} places", rules.because("PF-88"), done=done, next=following)


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A scenario."""

    scenario: ScenarioName = "capture_the_flag"


def scenario(rules: Rules, asked: Played) -> Verdict:
    """A scenario's forces, terrain and victory."""
    row = rules.tables.scenarios[asked.scenario]
    numbers = {
        "title": row.title,
        "units_most": row.forces.units_most,
        "points_most": row.forces.points_most,
        "enemy_loss": row.victory.enemy_loss,
        "flag": row.flag,
        "terrain": list(row.terrain),
        "set_up": row.set_up,
    }
    named = ("PF-08", row.rule, row.forces.rule, row.victory.rule)
    return verdict(row.title, *map(rules.because, dict.fromkeys(named)), **numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Losses:
    """The enemy's losses among the troops of the beginning, whether the flag is taken, and the side that wins then."""

    enemy_troops: Count
    enemy_lost: Count
    flag_taken: Annotated[bool, Asked("Is the flag taken?")] = False
    scenario: ScenarioName = "capture_the_flag"
    side: str = ""


def victory_check(rules: Rules, enemy: Losses) -> Verdict:
    """Whether a side has won."""
    row = rules.tables.scenarios[enemy.scenario]
    if enemy.enemy_lost > enemy.enemy_troops:
        raise RuleRefusal("bad_count", f"of {enemy.enemy_troops} troops {enemy.enemy_lost} cannot be lost")
    by_losses = enemy.enemy_troops > 0 and within(row.victory.enemy_loss, enemy.enemy_lost / enemy.enemy_troops)
    by_flag = row.flag and enemy.flag_taken
    reasons = [rules.because(row.victory.rule, f"{enemy.enemy_lost} of {enemy.enemy_troops} are lost")]
    reasons += [rules.because(row.rule, "the flag is taken")] if by_flag else []
    won = by_losses or by_flag
    winner = {"winner": enemy.side} if won and enemy.side else {}
    found = verdict("victory" if won else "not yet", *reasons, victory=won, **winner)
    return found.causing(StatusEffect("", "victory", enemy.side, "PF-86")) if won else found
