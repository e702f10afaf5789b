"""Fudge Miniatures Battles: what a model may do besides attacks, and what is owed: checks, wounds, free strikes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from shapely import Point, Polygon

from rules.engine.effects import at_journal_places, goal_key, stored_list
from rules.engine.position import Position
from rules.engine.referee import Action, UncertainFact
from rules.engine.state import Unit
from rules.engine.text import display_name
from rules.engine.verdict import Verdict, total
from rules.games.fudge_miniatures.attack import shaken
from rules.games.fudge_miniatures.guts import MUST_RUN
from rules.games.fudge_miniatures.referee_facts import (
    CLINGS,
    DARED,
    DONE,
    FALLS,
    STANDABLE_KINDS,
    TO_MARK,
    TRIED,
    VICTORY,
    agreed_for,
    arms,
    card,
    effect_of,
    failed,
    grips,
    level_of,
    lies,
    owed,
    rules_of,
    situation,
    stats,
    terrors,
    touches,
    track,
    wielded,
)
from rules.games.fudge_miniatures.referee_fight import CAST, acted, free_strikes
from rules.games.fudge_miniatures.referee_moves import flight, out_of_reach, safest, still_guarding
from rules.games.fudge_miniatures.referee_turn import (
    counts_now,
    not_now,
    opponent,
    step_of,
    to_try_again,
    turns_held,
    turns_since,
    waits_for,
)
from rules.games.fudge_miniatures.tables import Concern
from rules.games.fudge_miniatures.turn import ORDER
from rules.games.fudge_miniatures.wounds import NEAR_DEATH
from rules.tabletop.measure import Range, range_to
from rules.tabletop.table import TerrainPiece

USUAL_GOAL = "last_man_standing"
MOVE, WIELD, LOOT, TAKE_UP = "move", "wield", "loot_dead", "pick_up_object"


def others(position: Position, figure: str) -> Iterator[Action]:
    """Another grip, leaving a fight, a charge at what is Terrifying, things to take up, spells, a run."""
    unit = position.unit(figure)
    if unit.out:
        return
    stood = at_journal_places(position)  # what must be rolled before a move counts from there, though he may have gone
    yield from _grips(position, unit)
    yield from _leavings(stood, unit)
    yield from _charges(stood, unit)
    yield from _finds(position, unit)
    yield from _spells(position, unit)
    if unit.statuses.get(MUST_RUN):
        yield from _runs(stood, unit)


# What it holds.


def _grips(position: Position, unit: Unit) -> Iterator[Action]:
    """Everything else that it could hold, chosen as its action begins."""
    rules, its, now = rules_of(position), card(position, unit), wielded(position, unit)
    begun = stored_list(unit, DONE)
    bar = not_now(position, unit, WIELD, "acts") or (acted(position, unit, LOOT) if begun else None)
    for some in grips(rules, its):
        if set(some) != set(now):
            facts = {"hands_of_items": [arms(its)[name].hands for name in some]}
            title = f"Wield {' and '.join(display_name(name).lower() for name in some)}"
            yield Action(title, "wield", facts, (unit.id,), weapon=", ".join(some), blocked_by=bar)


# Leaving a fight.


def _leavings(position: Position, unit: Unit) -> Iterator[Action]:
    """Tests against those whose bases it may leave, one by one and all at once."""
    enemies = [] if unit.statuses.get(MUST_RUN) else still_guarding(position, unit)
    leaver = {"dexterity": stats(position, unit)["dexterity"], "effect": effect_of(position, unit)}
    bar = not_now(position, unit, MOVE, "moves")
    if len(enemies) < 2 or rules_of(position).chooses("leaving_several", "one_each"):
        for enemy in enemies:
            facts = {**leaver, **opponent(position, enemy, unit)}
            yield Action(
                f"Break away from {display_name(enemy.id)}", "disengage", facts, (unit.id,), (enemy.id,), blocked_by=bar
            )
    if len(enemies) > 1:
        facts = {**leaver, "enemies": [opponent(position, enemy, unit) for enemy in enemies]}
        at = tuple(enemy.id for enemy in enemies)
        yield Action("Break away from all", "leave_several", facts, (unit.id,), at, blocked_by=bar)


def _charges(position: Position, unit: Unit) -> Iterator[Action]:
    """Charges that somebody must check Guts for: declared first, as both sides check before the move."""
    now = not_now(position, unit, MOVE, "moves")
    for enemy in position.enemies(unit):
        gifts = {"charger_gifts": terrors(position, unit), "charged_gifts": terrors(position, enemy)}
        if any(gifts.values()) and touches(position, unit, enemy) is False and enemy.id not in stored_list(unit, DARED):
            facts = {**gifts, "touching_before": False, "touching_after": True, "declared": True}
            bar = now or out_of_reach(position, unit, enemy)
            yield Action(f"Charge {display_name(enemy.id)}", "charge", facts, (unit.id,), (enemy.id,), blocked_by=bar)


def _runs(position: Position, unit: Unit) -> Iterator[Action]:
    """Breaking off from those at its base, who strike; then the run itself, on the way that looks safest."""
    its = stats(position, unit)
    if enemies := still_guarding(position, unit):
        facts = {
            "movement_in": its["movement_in"],
            "dexterity": its["dexterity"],
            "enemies": [opponent(position, enemy, unit) for enemy in enemies],
            "farther_from_every_enemy": True,
        }
        at = tuple(enemy.id for enemy in enemies)
        yield Action(
            "Break off to run", "flee", facts, (unit.id,), at, blocked_by=waits_for(position, unit), owed="FM-53"
        )
        return
    if path := safest(position, unit):
        yield replace(flight(position, unit, path), title="Run to safety", owed="FM-53")
        if position.state.area_in:
            return  # else only the players see whether the way ends beyond the table's edge
    facts = {"movement_in": its["movement_in"]}
    bar = waits_for(position, unit)
    yield Action("Stay, as no place is safe", "minimum_run", facts, (unit.id,), blocked_by=bar, owed="FM-53")


# Things and spells.


def _finds(position: Position, unit: Unit) -> Iterator[Action]:
    """The dead and the things that lie about, which nobody has taken yet."""
    rules, here = rules_of(position), position.figure(unit.id)
    taken = {name for one in position.state.units.values() for name in one.statuses.get(STANDABLE_KINDS, ())}
    bar = not_now(position, unit, LOOT, "acts") or acted(position, unit, LOOT)
    for other in position.state.units.values():
        if other.out and other.id in position.figures and other.id not in taken:
            facts = {"deed": LOOT, "target_state": level_of(position, other)}
            gap = position.measure(here, position.figure(other.id))
            yield replace(
                _taking(unit, facts, gap, other.id, bar), title=f"Loot {display_name(other.id)}", at=(other.id,)
            )
    bar = not_now(position, unit, TAKE_UP, "acts") or acted(position, unit, TAKE_UP)
    for piece in position.terrain:
        if piece.kind in rules.tables.deeds[TAKE_UP].kinds and piece.name not in taken:
            gap = range_to(here, piece.outline_in)
            yield replace(_taking(unit, {"deed": TAKE_UP}, gap, piece.name, bar), piece=piece.name)


def _taking(unit: Unit, facts: dict[str, Any], gap: Range, name: str, bar: Verdict | None) -> Action:
    given = {**facts, "edge_in": round(gap.edge_in, 2)}
    far = UncertainFact(("edge_in",), gap.sigma_in, f"the gap to {display_name(name)}")
    return Action(f"Take up {display_name(name)}", "take_up", given, (unit.id,), measured=(far,), blocked_by=bar)


def _spells(position: Position, unit: Unit) -> Iterator[Action]:
    """What its players registered that is no attack, at everybody; its effect is theirs to play."""
    spells = {name: row for name, row in rules_of(position).tables.spells.items() if row.odf is None}
    if not spells:
        return
    bar = not_now(position, unit, CAST, "acts") or acted(position, unit, CAST)
    for other in position.state.units.values():
        if other.out or other.id not in position.figures:
            continue
        gap = position.measure(position.figure(unit.id), position.figure(other.id))
        for name in spells:
            facts = {"spell": name, "distance_in": round(gap.edge_in, 2)}
            far = UncertainFact(("distance_in",), gap.sigma_in, f"the range to {display_name(other.id)}")
            title = f"{display_name(name)} at {display_name(other.id)}"
            yield Action(title, "cast_spell", facts, (unit.id,), (other.id,), name, measured=(far,), blocked_by=bar)


# What is owed.


def obligations(position: Position) -> Iterator[Action]:
    """Everything that is owed at this moment, what presses most first."""
    yield from _first_player(position)
    yield from free_strikes(position)
    for unit in position.state.units.values():
        if not unit.out and unit.id in position.figures:
            yield from _owed_by(position, unit)
    yield from _goals(position)


def _first_player(position: Position) -> Iterator[Action]:
    """The scenario says who begins, or else the players know who brought the pizza."""
    state = position.state
    for side in state.sides if not state.turn and ORDER not in state.statuses else ():
        yield Action(
            f"{display_name(side)} begins",
            "turn_order",
            {"players_clockwise": list(state.sides), "first": side},
            owed="FM-17",
        )


def _owed_by(position: Position, unit: Unit) -> Iterator[Action]:
    """What one model owes: its fall, its wounds of step 2, its checks."""
    name = display_name(unit.id)
    if unit.statuses.get(FALLS):
        fall = {"track_before": track(position, unit), "hddf": stats(position, unit)["hddf"], "flying": True}
        yield Action(f"{name} falls from the air", "crash", fall, (unit.id,), round="Wounds", owed="FM-43")
    waiting, (step, _) = unit.statuses.get(TO_MARK), step_of(position)
    if waiting and not (step and step.acts):
        wounds = {"track_before": track(position, unit), "wounds": list(waiting)}
        yield Action(f"The wounds of {name}", "apply_wounds", wounds, (unit.id,), round="Wounds", owed="FM-20")
    for key in owed(unit):
        yield _check(position, unit, key)
    if level_of(position, unit) == NEAR_DEATH:
        yield from _clinging(position, unit)
    yield from (_again(position, unit, key) for key in to_try_again(position, unit))
    if unit.statuses.get(MUST_RUN):
        yield from _runs(at_journal_places(position), unit)


def _check(position: Position, unit: Unit, key: str) -> Action:
    """A Guts check; the facts of who called for it are those of its trigger."""
    one = owed(unit)[key]
    facts = {
        **situation(position, unit, Concern.GUTS, charged_by_terrifying=bool(one.get("charged"))),
        "trigger": one["trigger"],
        "guts_now": stats(position, unit)["guts"],
        "terrifying_gifts": one.get("gifts", 1),
        "effect": effect_of(position, unit),
    }
    title = f"{display_name(unit.id)} checks Guts: {key.replace('_', ' ')}"
    rule = rules_of(position).tables.guts_triggers[one["trigger"]].rule
    return Action(title, "guts_check", facts, (unit.id,), round="Guts", owed=rule)


def _again(position: Position, unit: Unit, key: str) -> Action:
    """A failed check of an earlier turn, made again."""
    one = failed(unit)[key]
    facts = {
        **situation(position, unit, Concern.GUTS, charged_by_terrifying=False),
        "guts_now": stats(position, unit)["guts"],
        "target": one["target"],
        "turns_since_wound": turns_since(position.state, one["first"]),
        "bonuses_lost": one["lost"],
        "effect": one["effect"],
        "from_wound": one["wound"],
    }
    return Action(
        f"{display_name(unit.id)} checks Guts again", "guts_recovery", facts, (unit.id,), round="Guts", owed="FM-55"
    )


def _clinging(position: Position, unit: Unit) -> Iterator[Action]:
    """Whether a model Near Death lives, once in each of its turns from the next on."""
    first = unit.statuses.get(CLINGS, position.state.turn)
    if unit.side != position.state.side or NEAR_DEATH in stored_list(unit, TRIED):
        return
    facts = {
        "guts_now": stats(position, unit)["guts"],
        "turns_since": turns_since(position.state, int(first)),
        "track_before": track(position, unit),
    }
    if rules_of(position).chooses("minus_1_on", "every_roll"):
        facts["roll_modifier"] = int(total(shaken(rules_of(position), effect_of(position, unit))))
    if facts["turns_since"]:
        yield Action(
            f"{display_name(unit.id)} clings to life", "near_death_roll", facts, (unit.id,), round="Guts", owed="FM-44"
        )


def _goals(position: Position) -> Iterator[Action]:
    """Each side's task: counted where it can be, else for the players to say when it is done."""
    state, rules = position.state, rules_of(position)
    for side in state.sides:
        name = str(state.statuses.get(goal_key(side), USUAL_GOAL))
        row = rules.tables.goals[name]
        facts: dict[str, Any] = {"side": side, "goal": name}
        if row.counted or row.turns or state.statuses.get(VICTORY) == side:
            facts["done"] = not (row.counted or row.turns)
        if row.counted:
            facts["enemies_left"] = sum(len(state.standing(other)) for other in state.sides if other != side)
        if row.turns:
            facts["turns_held"] = turns_held(position, side)
            places = [piece for piece in position.terrain if piece.kind in row.kinds]
            if not counts_now(position, side):
                facts["held"] = True
            elif places:
                facts["held"] = any(_holds(position, side, piece) for piece in places)
            facts["turns_agreed"] = state.statuses.get(agreed_for(side))
        yield Action(f"{display_name(side)}: {row.text}", "victory", facts)


def _holds(position: Position, side: str, piece: TerrainPiece) -> bool:
    """Whether a side alone has somebody upright on a piece of terrain."""
    area = Polygon(piece.outline_in)
    units = (unit for unit in position.state.units.values() if unit.id in position.figures and not lies(position, unit))
    return {unit.side for unit in units if area.covers(Point(position.figure(unit.id).centre_in))} == {side}
