"""Plastic Fudge: levels, cards and their cost, the muster of a side, terrain set by turns, scenarios and victory."""

# ruff: noqa: N803 - AL, DL, RL and TL are the sheet's own words
from __future__ import annotations

import dataclasses
from collections.abc import Sequence
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


def level(rules: Rules, level: LevelName) -> Verdict:
    """A level: its modifier, cost, movement and reach."""
    row = rules.tables.levels[level]
    numbers = {"rating": row.rating, "cost": row.cost, "range_bands": row.range_bands}
    numbers["move_in"] = row.move_in * rules.option("move_scale")
    numbers["range_in"] = row.range_bands * rules.option("band_in")
    return verdict(level, rules.because(row.rule), **numbers)


# Cards and their cost.

SeenPose = Annotated[PoseName, Asked("Does the figure stand, kneel or lie?")]


def unit_cost(
    rules: Rules,
    unit: UnitName | None = None,
    ML: LevelName | None = None,
    RL: tuple[LevelName, ...] | None = None,
    AL: tuple[LevelName, ...] | None = None,
    DL: LevelName | None = None,
    TL: LevelName | None = None,
    class_: ClassName | None = None,
    pose: PoseName = "standing",
    commander: bool | None = None,
    special: bool | None = None,
) -> Verdict:
    """The cost of a unit, a ready one or one made up; what is not said is as on its card, or the Basic Trooper's."""
    said: dict[str, Any] = {"ML": ML, "RL": RL, "AL": AL, "DL": DL, "TL": TL, "commander": commander, "kind": class_}
    known = {name: value for name, value in said.items() if value is not None}
    card = dataclasses.replace(rules.tables.cards[unit or "basic"], **known)
    return _cost(rules, card, pose, card.special is not None if special is None else special)


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
        specials = rules.tables.specials
        extra = specials[card.special].cost if card.special else max(row.cost for row in specials.values())
        reasons.append(rules.because("PF-107", modifier=extra))
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


def unit_card(rules: Rules, unit: UnitName, pose: SeenPose = "standing") -> Verdict:
    """A ready unit: its levels, weapons, cost and what is special about it."""
    card = rules.tables.cards[unit]
    cost = card_cost(rules, unit, pose)
    numbers: dict[str, Any] = dataclasses.asdict(card)
    numbers |= {"class": numbers.pop("kind"), "RL": list(card.RL), "AL": list(card.AL), "weapons": list(card.weapons)}
    numbers |= {"cost": cost.numbers["total"], "DL_rating": _defense(rules, card, pose)[0]}
    special = special_of(rules, unit)
    reasons = [rules.because(numbers.pop("rule")), rules.because("PF-07")]
    reasons += [rules.because("PF-107"), rules.because(special.hand_to_hand.rule)] if special else []
    return verdict(card.title, *reasons, *cost.reasons, **numbers)


def basic_defense_level(
    rules: Rules, pose: SeenPose = "standing", unit: UnitName = "basic", DL: LevelName | None = None
) -> Verdict:
    """The Defense Level of a figure in its pose, by default that of the Basic Trooper."""
    card = rules.tables.cards[unit]
    found, reasons = _defense(rules, dataclasses.replace(card, DL=DL or card.DL), pose)
    return verdict(called(rules, found), *reasons, DL=found)


def _defense(rules: Rules, card: Card, pose: str) -> tuple[int, list[Reason]]:
    base = rating(rules, card.DL)
    reasons = [rules.because(card.rule, f"Defense Level {card.DL}", base)]
    if not card.posed:
        return base, reasons + ([rules.because("PF-99")] if card.pose else [])
    row = rules.tables.poses[card.pose or pose]
    return base + row.levels, [*reasons, rules.because(row.rule, card.pose or pose, row.levels)]


# Forces.


def army_check(
    rules: Rules,
    units: Count,
    points: Count,
    commanders: Count = 0,
    radiomen: Count | None = None,
    agreed_points: Count | None = None,
    scenario: ScenarioName = "capture_the_flag",
) -> Verdict:
    """Whether a side keeps to the scenario's limits, or to the points that were agreed on instead."""
    row = rules.tables.scenarios[scenario]
    most = row.forces.points_most if agreed_points is None else agreed_points
    needed, operators = limit(rules, "commanders"), limit(rules, "radiomen")
    faults = [
        ("too_many_units", row.forces.rule, units > row.forces.units_most),
        ("too_many_points", row.forces.rule, not within(points, most)),
        ("no_commander", "PF-19", commanders < needed),
        ("too_many_commanders", "PF-19", commanders > needed),
        ("no_radioman", "PF-89", radiomen is not None and radiomen < operators),
    ]
    found = [(code, rules.because(rule)) for code, rule, wrong in faults if wrong]
    numbers: dict[str, Any] = {"points_left": most - points}
    if found:
        numbers |= {"legal": False, "reason": found[0][0], "faults": [code for code, _ in found]}
        return verdict(found[0][0], *(why for _, why in found), **numbers)
    reasons = (rules.because(row.forces.rule), rules.because("PF-18", f"{points} of {most} points"))
    return verdict("legal", *reasons, legal=True, **numbers)


def muster(
    rules: Rules,
    roster: tuple[UnitName, ...],
    extra_points: Count = 0,
    agreed_points: Count | None = None,
    scenario: ScenarioName = "capture_the_flag",
) -> Verdict:
    """The total cost of a side's cards, with extra points for mines and the like, and whether it is allowed."""
    cards = [rules.tables.cards[name] for name in roster]
    points = sum(card_cost(rules, name).numbers["total"] for name in roster) + extra_points
    numbers = {
        "units": len(cards),
        "points": points,
        "commanders": sum(card.commander for card in cards),
        "radiomen": sum(card.radio for card in cards),
    }
    checked = army_check(rules, **numbers, agreed_points=agreed_points, scenario=scenario)
    numbers["counted_for_morale"] = counted(rules, roster)
    return verdict(checked.outcome, *checked.reasons, **{**checked.numbers, **numbers})


def counted(rules: Rules, roster: Sequence[str]) -> int:
    """How many units of a side count in the shares of the destroyed and the routed."""
    kinds = [rules.tables.cards[name].kind for name in roster]
    return len(kinds) if rules.option("vehicles_count") else sum(kind == "trooper" for kind in kinds)


# Set-up and victory.


def place_terrain(
    rules: Rules,
    pieces_placed: Count,
    pieces_left: Annotated[Count, Asked("How many terrain pieces are left?")] = 0,
    players: tuple[str, ...] = ("P1", "P2"),
    content: Annotated[tuple[str, ...], Asked("Who is content with the terrain?")] = (),
) -> Verdict:
    """The player that places the next piece of terrain, by turns until all are content."""
    if not players:
        raise RuleRefusal("wrong_players", "terrain needs a player that places it: name the players")
    done = pieces_left == 0 or set(players) <= set(content)
    following = None if done else players[pieces_placed % len(players)]
    return verdict("done" if done else f"{following} places", rules.because("PF-88"), done=done, next=following)


def scenario(rules: Rules, scenario: ScenarioName = "capture_the_flag") -> Verdict:
    """A scenario's forces, terrain and victory."""
    row = rules.tables.scenarios[scenario]
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


def victory_check(
    rules: Rules,
    enemy_troops: Count,
    enemy_lost: Count,
    flag_taken: Annotated[bool, Asked("Is the flag taken?")] = False,
    scenario: ScenarioName = "capture_the_flag",
    side: str = "",
) -> Verdict:
    """Whether a side has won, by the losses of its enemy among those of the beginning or by the flag."""
    row = rules.tables.scenarios[scenario]
    if enemy_lost > enemy_troops:
        raise RuleRefusal("bad_count", f"of {enemy_troops} troops {enemy_lost} cannot be lost")
    by_losses = enemy_troops > 0 and within(row.victory.enemy_loss, enemy_lost / enemy_troops)
    by_flag = row.flag and flag_taken
    reasons = [rules.because(row.victory.rule, f"{enemy_lost} of {enemy_troops} are lost")]
    reasons += [rules.because(row.rule, "the flag is taken")] if by_flag else []
    won = by_losses or by_flag
    winner = {"winner": side} if won and side else {}
    found = verdict("victory" if won else "not yet", *reasons, victory=won, **winner)
    return found.causing(StatusEffect("", "victory", side, "PF-86")) if won else found
