"""Fudge Miniatures Battles: what a model may do besides attacks, and what is owed: checks, wounds, free strikes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from shapely import Point, Polygon

from rules.engine.effects import as_journalled, goal_key, kept
from rules.engine.position import Position
from rules.engine.referee import Deed, Measured
from rules.engine.state import Unit
from rules.engine.text import display_name
from rules.engine.verdict import Verdict, total
from rules.games.fudge_miniatures.attack import shaken
from rules.games.fudge_miniatures.referee_facts import (
    CARRIES,
    CLINGS,
    DARED,
    DONE,
    FALLS,
    MUST_RUN,
    ORDER,
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
from rules.games.fudge_miniatures.wounds import NEAR_DEATH
from rules.tabletop.measure import Range, range_to
from rules.tabletop.table import TerrainPiece

USUAL_GOAL = "last_man_standing"
MOVE, WIELD, LOOT, TAKE_UP = "move", "wield", "loot_dead", "pick_up_object"


def others(moment: Position, figure: str) -> Iterator[Deed]:
    """Another grip, leaving a fight, a charge at what is Terrifying, things to take up, spells, a run."""
    unit = moment.unit(figure)
    if unit.out:
        return
    stood = as_journalled(moment)  # what must be rolled before a move counts from there, though he may have gone
    yield from _grips(moment, unit)
    yield from _leavings(stood, unit)
    yield from _charges(stood, unit)
    yield from _finds(moment, unit)
    yield from _spells(moment, unit)
    if unit.statuses.get(MUST_RUN):
        yield from _runs(stood, unit)


# What it holds.


def _grips(moment: Position, unit: Unit) -> Iterator[Deed]:
    """Everything else that it could hold, chosen as its action begins."""
    rules, its, now = rules_of(moment), card(moment, unit), wielded(moment, unit)
    begun = kept(unit, DONE)
    bar = not_now(moment, unit, WIELD, "acts") or (acted(moment, unit, LOOT) if begun else None)
    for some in grips(rules, its):
        if set(some) != set(now):
            facts = {"hands_of_items": [arms(its)[name].hands for name in some]}
            title = f"Wield {' and '.join(display_name(name).lower() for name in some)}"
            yield Deed(title, "wield", facts, (unit.id,), weapon=", ".join(some), bar=bar)


# Leaving a fight.


def _leavings(moment: Position, unit: Unit) -> Iterator[Deed]:
    """Tests against those whose bases it may leave, one by one and all at once."""
    enemies = [] if unit.statuses.get(MUST_RUN) else still_guarding(moment, unit)
    leaver = {"dexterity": stats(moment, unit)["dexterity"], "effect": effect_of(moment, unit)}
    bar = not_now(moment, unit, MOVE, "moves")
    if len(enemies) < 2 or rules_of(moment).chooses("leaving_several", "one_each"):
        for enemy in enemies:
            facts = {**leaver, **opponent(moment, enemy, unit)}
            yield Deed(
                f"Break away from {display_name(enemy.id)}", "disengage", facts, (unit.id,), (enemy.id,), bar=bar
            )
    if len(enemies) > 1:
        facts = {**leaver, "enemies": [opponent(moment, enemy, unit) for enemy in enemies]}
        at = tuple(enemy.id for enemy in enemies)
        yield Deed("Break away from all", "leave_several", facts, (unit.id,), at, bar=bar)


def _charges(moment: Position, unit: Unit) -> Iterator[Deed]:
    """Charges that somebody must check Guts for: declared first, as both sides check before the move."""
    now = not_now(moment, unit, MOVE, "moves")
    for enemy in moment.enemies(unit):
        gifts = {"charger_gifts": terrors(moment, unit), "charged_gifts": terrors(moment, enemy)}
        if any(gifts.values()) and touches(moment, unit, enemy) is False and enemy.id not in kept(unit, DARED):
            facts = {**gifts, "touching_before": False, "touching_after": True, "declared": True}
            bar = now or out_of_reach(moment, unit, enemy)
            yield Deed(f"Charge {display_name(enemy.id)}", "charge", facts, (unit.id,), (enemy.id,), bar=bar)


def _runs(moment: Position, unit: Unit) -> Iterator[Deed]:
    """Breaking off from those at its base, who strike; then the run itself, on the way that looks safest."""
    its = stats(moment, unit)
    if enemies := still_guarding(moment, unit):
        facts = {
            "movement_in": its["movement_in"],
            "dexterity": its["dexterity"],
            "enemies": [opponent(moment, enemy, unit) for enemy in enemies],
            "farther_from_every_enemy": True,
        }
        at = tuple(enemy.id for enemy in enemies)
        yield Deed("Break off to run", "flee", facts, (unit.id,), at, bar=waits_for(moment, unit), owed="FM-53")
        return
    if path := safest(moment, unit):
        yield replace(flight(moment, unit, path), title="Run to safety", owed="FM-53")
        if moment.state.area_in:
            return  # else only the players see whether the way ends beyond the table's edge
    facts = {"movement_in": its["movement_in"]}
    bar = waits_for(moment, unit)
    yield Deed("Stay, as no place is safe", "minimum_run", facts, (unit.id,), bar=bar, owed="FM-53")


# Things and spells.


def _finds(moment: Position, unit: Unit) -> Iterator[Deed]:
    """The dead and the things that lie about, which nobody has taken yet."""
    rules, here = rules_of(moment), moment.figure(unit.id)
    taken = {name for one in moment.state.units.values() for name in one.statuses.get(CARRIES, ())}
    bar = not_now(moment, unit, LOOT, "acts") or acted(moment, unit, LOOT)
    for other in moment.state.units.values():
        if other.out and other.id in moment.figures and other.id not in taken:
            facts = {"deed": LOOT, "target_state": level_of(moment, other)}
            gap = moment.measure(here, moment.figure(other.id))
            yield replace(
                _taking(unit, facts, gap, other.id, bar), title=f"Loot {display_name(other.id)}", at=(other.id,)
            )
    bar = not_now(moment, unit, TAKE_UP, "acts") or acted(moment, unit, TAKE_UP)
    for piece in moment.terrain:
        if piece.kind in rules.tables.deeds[TAKE_UP].kinds and piece.name not in taken:
            gap = range_to(here, piece.outline_in)
            yield replace(_taking(unit, {"deed": TAKE_UP}, gap, piece.name, bar), piece=piece.name)


def _taking(unit: Unit, facts: dict[str, Any], gap: Range, name: str, bar: Verdict | None) -> Deed:
    given = {**facts, "edge_in": round(gap.edge_in, 2)}
    far = Measured(("edge_in",), gap.sigma_in, f"the gap to {display_name(name)}")
    return Deed(f"Take up {display_name(name)}", "take_up", given, (unit.id,), measured=(far,), bar=bar)


def _spells(moment: Position, unit: Unit) -> Iterator[Deed]:
    """What its players registered that is no attack, at everybody; its effect is theirs to play."""
    spells = {name: row for name, row in rules_of(moment).tables.spells.items() if row.odf is None}
    if not spells:
        return
    bar = not_now(moment, unit, CAST, "acts") or acted(moment, unit, CAST)
    for other in moment.state.units.values():
        if other.out or other.id not in moment.figures:
            continue
        gap = moment.measure(moment.figure(unit.id), moment.figure(other.id))
        for name in spells:
            facts = {"spell": name, "distance_in": round(gap.edge_in, 2)}
            far = Measured(("distance_in",), gap.sigma_in, f"the range to {display_name(other.id)}")
            title = f"{display_name(name)} at {display_name(other.id)}"
            yield Deed(title, "cast_spell", facts, (unit.id,), (other.id,), name, measured=(far,), bar=bar)


# What is owed.


def duties(moment: Position) -> Iterator[Deed]:
    """Everything that is owed at this moment, what presses most first."""
    yield from _first_player(moment)
    yield from free_strikes(moment)
    for unit in moment.state.units.values():
        if not unit.out and unit.id in moment.figures:
            yield from _owed_by(moment, unit)
    yield from _goals(moment)


def _first_player(moment: Position) -> Iterator[Deed]:
    """The scenario says who begins, or else the players know who brought the pizza."""
    state = moment.state
    for side in state.sides if not state.turn and ORDER not in state.statuses else ():
        yield Deed(
            f"{display_name(side)} begins",
            "turn_order",
            {"players_clockwise": list(state.sides), "first": side},
            owed="FM-17",
        )


def _owed_by(moment: Position, unit: Unit) -> Iterator[Deed]:
    """What one model owes: its fall, its wounds of step 2, its checks."""
    name = display_name(unit.id)
    if unit.statuses.get(FALLS):
        fall = {"track_before": track(moment, unit), "hddf": stats(moment, unit)["hddf"], "flying": True}
        yield Deed(f"{name} falls from the air", "crash", fall, (unit.id,), round="Wounds", owed="FM-43")
    waiting, (step, _) = unit.statuses.get(TO_MARK), step_of(moment)
    if waiting and not (step and step.acts):
        wounds = {"track_before": track(moment, unit), "wounds": list(waiting)}
        yield Deed(f"The wounds of {name}", "apply_wounds", wounds, (unit.id,), round="Wounds", owed="FM-20")
    for key in owed(unit):
        yield _check(moment, unit, key)
    if level_of(moment, unit) == NEAR_DEATH:
        yield from _clinging(moment, unit)
    yield from (_again(moment, unit, key) for key in to_try_again(moment, unit))
    if unit.statuses.get(MUST_RUN):
        yield from _runs(as_journalled(moment), unit)


def _check(moment: Position, unit: Unit, key: str) -> Deed:
    """A Guts check; the facts of who called for it are those of its trigger."""
    one = owed(unit)[key]
    facts = {
        **situation(moment, unit, Concern.GUTS, charged_by_terrifying=bool(one.get("charged"))),
        "trigger": one["trigger"],
        "guts_now": stats(moment, unit)["guts"],
        "terrifying_gifts": one.get("gifts", 1),
        "effect": effect_of(moment, unit),
    }
    title = f"{display_name(unit.id)} checks Guts: {key.replace('_', ' ')}"
    rule = rules_of(moment).tables.guts_triggers[one["trigger"]].rule
    return Deed(title, "guts_check", facts, (unit.id,), round="Guts", owed=rule)


def _again(moment: Position, unit: Unit, key: str) -> Deed:
    """A failed check of an earlier turn, made again."""
    one = failed(unit)[key]
    facts = {
        **situation(moment, unit, Concern.GUTS, charged_by_terrifying=False),
        "guts_now": stats(moment, unit)["guts"],
        "target": one["target"],
        "turns_since_wound": turns_since(moment.state, one["first"]),
        "bonuses_lost": one["lost"],
        "effect": one["effect"],
        "from_wound": one["wound"],
    }
    return Deed(
        f"{display_name(unit.id)} checks Guts again", "guts_recovery", facts, (unit.id,), round="Guts", owed="FM-55"
    )


def _clinging(moment: Position, unit: Unit) -> Iterator[Deed]:
    """Whether a model Near Death lives, once in each of its turns from the next on."""
    first = unit.statuses.get(CLINGS, moment.state.turn)
    if unit.side != moment.state.side or NEAR_DEATH in kept(unit, TRIED):
        return
    facts = {
        "guts_now": stats(moment, unit)["guts"],
        "turns_since": turns_since(moment.state, int(first)),
        "track_before": track(moment, unit),
    }
    if rules_of(moment).chooses("minus_1_on", "every_roll"):
        facts["roll_modifier"] = int(total(shaken(rules_of(moment), effect_of(moment, unit))))
    if facts["turns_since"]:
        yield Deed(
            f"{display_name(unit.id)} clings to life", "near_death_roll", facts, (unit.id,), round="Guts", owed="FM-44"
        )


def _goals(moment: Position) -> Iterator[Deed]:
    """Each side's task: counted where it can be, else for the players to say when it is done."""
    state, rules = moment.state, rules_of(moment)
    for side in state.sides:
        name = str(state.statuses.get(goal_key(side), USUAL_GOAL))
        row = rules.tables.goals[name]
        facts: dict[str, Any] = {"side": side, "goal": name}
        if row.counted or row.turns or state.statuses.get(VICTORY) == side:
            facts["done"] = not (row.counted or row.turns)
        if row.counted:
            facts["enemies_left"] = sum(len(state.standing(other)) for other in state.sides if other != side)
        if row.turns:
            facts["turns_held"] = turns_held(moment, side)
            places = [piece for piece in moment.terrain if piece.kind in row.kinds]
            if not counts_now(moment, side):
                facts["held"] = True
            elif places:
                facts["held"] = any(_holds(moment, side, piece) for piece in places)
            facts["turns_agreed"] = state.statuses.get(agreed_for(side))
        yield Deed(f"{display_name(side)}: {row.text}", "victory", facts)


def _holds(moment: Position, side: str, piece: TerrainPiece) -> bool:
    """Whether a side alone has somebody upright on a piece of terrain."""
    area = Polygon(piece.outline_in)
    units = (unit for unit in moment.state.units.values() if unit.id in moment.figures and not lies(moment, unit))
    return {unit.side for unit in units if area.covers(Point(moment.figure(unit.id).centre_in))} == {side}
