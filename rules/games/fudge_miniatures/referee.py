"""Fudge Miniatures Battles: the referee: all actions but attacks and moves, obligations, and the players' turns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from shapely import Point, Polygon

from rules.engine.action import Action, UncertainFact
from rules.engine.effects import CONDITIONS, condition, goal_key, next_step, unharmed
from rules.engine.events import Change, PhaseBegun
from rules.engine.facts import Context, action_for
from rules.engine.objectives import Task
from rules.engine.position import Position
from rules.engine.referee import Referee, rounds_where
from rules.engine.ruleset import Ruleset
from rules.engine.text import display_name
from rules.engine.verdict import total
from rules.engine.without_dice import verdict_without_dice
from rules.games.fudge_miniatures import statuses
from rules.games.fudge_miniatures.attack import guts_penalties, sight_rules
from rules.games.fudge_miniatures.model import Model, models
from rules.games.fudge_miniatures.referee_effects import effects, task_held
from rules.games.fudge_miniatures.referee_fight import CAST, attacks, free_strikes
from rules.games.fudge_miniatures.referee_moves import (
    MOVE,
    acted,
    cannot_act,
    counts_now,
    march,
    movement,
    not_now,
    order,
    out_of_reach,
    rules_of,
    run_along,
    safest_run,
    step_of,
    to_try_again,
    turns_held,
    turns_since,
    waits_for,
)
from rules.games.fudge_miniatures.tables import Concern, Tables
from rules.games.fudge_miniatures.turn import turn_steps
from rules.games.fudge_miniatures.wounds import NEAR_DEATH
from rules.tabletop.measure import Range, range_to
from rules.tabletop.table import TerrainPiece

USUAL_GOAL = "last_man_standing"
WIELD, LOOT, TAKE_UP = "wield", "loot_dead", "pick_up_object"


def others(position: Position, figure: str) -> Iterator[Action]:
    """Changing equipment, leaving a fight, charging a Terrifying enemy, looting, spells, running."""
    model = Model(position, position.unit(figure))
    if model.unit.out:
        return
    stood = model.where_it_stood
    yield from _grips(model)
    yield from _ways_to_leave(stood)
    yield from _charges(stood)
    yield from _finds(model)
    yield from _spells(model)
    if model.must_run:
        yield from _runs(stood)


def _grips(model: Model) -> Iterator[Action]:
    """All other equipment that it can take in hand as its action begins."""
    bar = not_now(model, WIELD, "acts") or (acted(model, LOOT) if model.listed(statuses.DONE) else None)
    for some in model.grips:
        if set(some) != {name for name in model.wielded if model.arms[name].hands}:
            facts = {"hands_of_items": [model.arms[name].hands for name in some]}
            title = f"Wield {' and '.join(display_name(name).lower() for name in some)}"
            yield model.action(title, "wield", facts, weapon=", ".join(some), blocked_by=bar)


# Leaving a fight, and charging.


def _ways_to_leave(model: Model) -> Iterator[Action]:
    """Tests against the enemies whose bases it may leave, one by one and all at once."""
    enemies = [] if model.must_run else model.guards
    leaver = {"dexterity": model.stats["dexterity"], **model.shaken}
    bar = not_now(model, MOVE, "moves")
    if len(enemies) < 2 or model.rules.chooses("leaving_several", "one_each"):
        for enemy in enemies:
            facts, title = {**leaver, **enemy.as_opponent_of(model)}, f"Break away from {enemy.name}"
            yield model.action(title, "disengage", facts, enemy, blocked_by=bar)
    if len(enemies) > 1:
        facts = {**leaver, "enemies": [enemy.as_opponent_of(model) for enemy in enemies]}
        yield model.action("Break away from all", "leave_several", facts, *enemies, blocked_by=bar)


def _charges(model: Model) -> Iterator[Action]:
    """Charges that call for a Guts check: declared first, as both sides check before the move."""
    now = not_now(model, MOVE, "moves")
    for enemy in model.enemies:
        gifts = {"charger_gifts": model.terror, "charged_gifts": enemy.terror}
        if any(gifts.values()) and model.touches(enemy) is False and enemy.id not in model.listed(statuses.DARED):
            facts = {**gifts, "touching_before": False, "touching_after": True, "declared": True}
            bar = now or out_of_reach(model, enemy)
            yield model.action(f"Charge {enemy.name}", "charge", facts, enemy, blocked_by=bar)


def _runs(model: Model) -> Iterator[Action]:
    """Breaking off from the enemies at its base, which strike; then the run along the safest path."""
    bar, movement = waits_for(model), {"movement_in": model.stats["movement_in"]}
    if enemies := model.guards:
        facts = {
            **movement,
            "dexterity": model.stats["dexterity"],
            "enemies": [enemy.as_opponent_of(model) for enemy in enemies],
            "farther_from_every_enemy": True,
        }
        yield model.action("Break off to run", "flee", facts, *enemies, blocked_by=bar, owed="FM-53")
        return
    if path := safest_run(model):
        # The program chose how far it runs: nothing about it is measured.
        yield replace(run_along(model, path), title="Run to safety", measured=(), owed="FM-53")
        if model.position.state.area_in:
            return  # else only the players see whether the way ends beyond the table's edge
    yield model.action("Stay, as no place is safe", "minimum_run", movement, blocked_by=bar, owed="FM-53")


# Things and spells.


def _finds(model: Model) -> Iterator[Action]:
    """The dead and the things that lie about, which no model has taken yet."""
    position, here = model.position, model.figure
    taken = {name for one in position.state.units.values() for name in one.statuses.get(statuses.CARRIES, ())}
    for unit in position.state.units.values():
        if unit.out and unit.id in position.figures and unit.id not in taken:
            facts = {"deed": LOOT, "target_state": Model(position, unit).level}
            found = _taking(model, facts, position.measure(here, position.figure(unit.id)), unit.id)
            yield replace(found, title=f"Loot {display_name(unit.id)}", at=(unit.id,))
    for piece in position.terrain:
        if piece.kind in model.rules.tables.activities[TAKE_UP].kinds and piece.name not in taken:
            found = _taking(model, {"deed": TAKE_UP}, range_to(here, piece.outline_in), piece.name)
            yield replace(found, piece=piece.name)


def _taking(model: Model, facts: dict[str, Any], gap: Range, name: str) -> Action:
    given = {**facts, "edge_in": round(gap.edge_in, 2)}
    far = UncertainFact(("edge_in",), gap.sigma_in, f"the gap to {display_name(name)}")
    bar = cannot_act(model, facts["deed"])
    return model.action(f"Take up {display_name(name)}", "take_up", given, measured=(far,), blocked_by=bar)


def _spells(model: Model) -> Iterator[Action]:
    """Registered spells that are no attacks, at every model; the players apply their effects."""
    spells = [name for name, row in model.rules.tables.spells.items() if row.odf is None]
    bar = cannot_act(model, CAST) if spells else None
    for other in models(model.position) if spells else ():
        gap = model.position.measure(model.figure, other.figure)
        far = UncertainFact(("distance_in",), gap.sigma_in, f"the range to {other.name}")
        for name in spells:
            facts = {"spell": name, "distance_in": round(gap.edge_in, 2)}
            title = f"{display_name(name)} at {other.name}"
            yield model.action(title, "cast_spell", facts, other, weapon=name, measured=(far,), blocked_by=bar)


# What is owed.


def obligations(position: Position) -> Iterator[Action]:
    """All obligations now, the most urgent first."""
    state = position.state
    for side in state.sides if not state.turn and statuses.ORDER not in state.statuses else ():
        begins = action_for(f"{display_name(side)} begins", "turn_order", Context(position), owed="FM-17")
        # Who brought the pizza does not matter if the players choose who begins.
        yield replace(begins, given={**begins.given, "first": side, "brought_pizza": None})
    yield from free_strikes(position)
    for unit in position.state.units.values():
        yield from () if unit.out else _owed_by(Model(position, unit))
    yield from goals(position)


def _owed_by(model: Model) -> Iterator[Action]:
    """The obligations of one model: its fall, its wounds of step 2, its checks; off the table only its wounds."""
    if model.plays and model.status(statuses.FALLS):
        facts = {"track_before": model.track, "hddf": model.stats["hddf"], "flying": True}
        yield model.action(f"{model.name} falls from the air", "crash", facts, round="Wounds", owed="FM-43")
    waiting, (step, _) = model.listed(statuses.TO_MARK), step_of(model.position)
    marking = min(one.number for one in model.rules.tables.phases.values() if one.marks)
    if waiting and not (step and step.number < marking):
        facts = {"track_before": model.track, "wounds": waiting}
        yield model.action(f"The wounds of {model.name}", "apply_wounds", facts, round="Wounds", owed="FM-20")
    if model.plays:
        yield from _checks_of(model)


def _checks_of(model: Model) -> Iterator[Action]:
    """The Guts checks that a model owes, its clinging to life and its run."""
    for key, one in model.owed.items():
        row = model.rules.tables.guts_triggers[one["trigger"]]
        cause = key.replace(one["trigger"], row.text or one["trigger"]).replace("_", " ")
        title = f"{model.name} checks Guts: {cause}"
        yield model.action(title, "guts_check", _check(model, one), round="Guts", owed=row.rule)
    if facts := _near_death(model):
        yield model.action(f"{model.name} clings to life", "near_death_roll", facts, round="Guts", owed="FM-44")
    for key in to_try_again(model):
        facts = _check_again(model, model.failed[key])
        yield model.action(f"{model.name} checks Guts again", "guts_recovery", facts, round="Guts", owed="FM-55")
    if model.must_run:
        yield from _runs(model.where_it_stood)


def _check(model: Model, check: dict[str, Any]) -> dict[str, Any]:
    """The facts of a Guts check that a model owes."""
    return {
        **model.situation(Concern.GUTS, charged_by_terrifying=bool(check.get("charged"))),
        **model.shaken,
        "trigger": check["trigger"],
        "guts_now": model.stats["guts"],
        "terrifying_gifts": check.get("gifts", 1),
    }


def _check_again(model: Model, check: dict[str, Any]) -> dict[str, Any]:
    """The facts of a failed check of an earlier turn that is made again."""
    return {
        **model.situation(Concern.GUTS, charged_by_terrifying=False),
        **model.shaken,
        "guts_now": model.stats["guts"],
        "target": check["target"],
        "turns_since_wound": turns_since(model, check["first"]),
        "bonuses_lost": check["lost"],
        "effect": check["effect"],
        "from_wound": check["wound"],
    }


def _near_death(model: Model) -> dict[str, Any]:
    """The facts of the roll of a model Near Death, once in each of its turns from the next on; else none."""
    turns = turns_since(model, int(model.status(statuses.CLINGS, model.position.state.turn)))
    if model.level != NEAR_DEATH or not model.own_turn or NEAR_DEATH in model.listed(statuses.TRIED) or not turns:
        return {}
    every_roll = model.rules.chooses("minus_1_on", "every_roll")
    shaken_by = {"roll_modifier": int(total(guts_penalties(model.rules, *model.effects)))} if every_roll else {}
    return {"guts_now": model.stats["guts"], "turns_since": turns, "track_before": model.track, **shaken_by}


def goals(position: Position) -> Iterator[Action]:
    """Each side's task, first those that were agreed: counted if possible, otherwise confirmed by the players."""
    state, rules = position.state, rules_of(position)
    for side in sorted(state.sides, key=lambda side: (goal_key(side) not in state.statuses, side != state.side)):
        name = str(state.statuses.get(goal_key(side), USUAL_GOAL))
        row = rules.tables.goals[name]
        facts: dict[str, Any] = {"side": side, "goal": name}
        if row.counted and not state.standing(side):
            continue  # the last man of this side has fallen too
        if row.counted or row.turns or state.statuses.get(statuses.VICTORY) == side:
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
            facts["turns_agreed"] = state.statuses.get(statuses.AGREED_FOR.format(side))
        yield Action(f"{display_name(side)}: {row.text}", "victory", facts)


def _holds(position: Position, side: str, piece: TerrainPiece) -> bool:
    """Whether only models of one side stand on a piece of terrain."""
    area = Polygon(piece.outline_in)
    upright = (model for model in models(position) if not model.lies)
    return {one.unit.side for one in upright if area.covers(Point(one.figure.centre_in))} == {side}


def next_phase(position: Position) -> PhaseBegun:
    """The steps of each player's turn, of his whole force or of one model after another; then the next player's."""
    state = position.state
    return next_step(state, [(side, phase) for side in order(state) for phase in _phases(position, side)])


def at_phase_end(position: Position) -> tuple[Change, ...]:
    """The tasks that a side has kept up for a turn more, as far as the table shows whether it has."""
    shown = (one for one in goals(position) if one.given.get("turns_agreed") is not None and "held" in one.given)
    found = ((str(one.given["side"]), verdict_without_dice(position.game, one.name, one.given)) for one in shown)
    return tuple(change for side, task in found if task for change in task_held(position, side, task))


def _phases(position: Position, side: str) -> list[str]:
    """The steps of a side that has models left, or had as its turn began; handing the turn on is not among them."""
    state, (_, now) = position.state, step_of(position)
    if side != state.side and not state.standing(side) and any(state.figures_left.values()):
        return []
    force = tuple(unit.id for unit in state.units.values() if unit.side == side and (not unit.out or unit.id == now))
    steps = [one for one in turn_steps(rules_of(position), force or (side,)).numbers["steps"] if one["model"]]
    alone = rules_of(position).chooses("activation", "model_by_model")
    return list(dict.fromkeys(f"{one['step']} {one['model']}" if alone else str(one["step"]) for one in steps))


def tasks(rules: Ruleset[Tables]) -> tuple[Task, ...]:
    """The scenarios' tasks; some are to be kept up for turns that are agreed."""
    rows = rules.tables.goals
    return tuple(
        Task(name, row.text, row.rule, number="turns", number_key=statuses.AGREED_FOR.format, usual=3)
        if row.turns
        else Task(name, row.text, row.rule)
        for name, row in sorted(rows.items(), key=lambda one: one[0] != USUAL_GOAL)
    )


COURAGE = (statuses.GUTS_OWED, statuses.SHAKEN, statuses.MUST_RUN)
"""The statuses of a model whose Guts failed or are to be checked."""

REFEREE: Referee[Tables] = Referee(
    sight=sight_rules,
    movement=movement,
    march=march,
    attacks=attacks,
    others=others,
    obligations=obligations,
    effects=effects,
    next_phase=next_phase,
    at_phase_end=at_phase_end,
    rounds=rounds_where("acts"),
    tasks=tasks,
    this_turn=statuses.THIS_TURN,
    conditions={
        **CONDITIONS,
        "unharmed": unharmed(statuses.WOUNDS, statuses.TO_MARK, *COURAGE, statuses.CLINGS, statuses.FALLS),
        "of good courage": condition(*COURAGE, value=None),
        "running": condition(statuses.MUST_RUN),
        "scratch": condition(statuses.WOUNDS, value=["scratch"]),
        "hurt": condition(statuses.WOUNDS, value=["hurt"]),
        "very hurt": condition(statuses.WOUNDS, value=["very_hurt"]),
    },
)
