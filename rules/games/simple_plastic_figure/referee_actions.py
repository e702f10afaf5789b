"""Simple Plastic Figure: the questions that stand for all else that a figure does, and for what nobody owes alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, product
from typing import Any

from rules.engine.effects import goal_key
from rules.engine.position import Position, View
from rules.engine.referee import Action, UncertainFact, preview_of, verdict_without_dice
from rules.engine.state import Unit
from rules.engine.text import display_name, display_names, place_words
from rules.games.simple_plastic_figure.command import OFFBOARD_WEAPON
from rules.games.simple_plastic_figure.referee_bursts import between, bursting, coming_down, own_edge_deg
from rules.games.simple_plastic_figure.referee_facts import (
    at_piece,
    bar,
    fighting,
    friends,
    held_in,
    inside,
    is_reserve,
    leading,
    phase,
    place_of,
    role,
    rules_of,
    to_edge_in,
    waits,
    weapons,
)
from rules.games.simple_plastic_figure.referee_fire import spreads
from rules.games.simple_plastic_figure.referee_moves import march, movement
from rules.games.simple_plastic_figure.statuses import (
    CHOOSER,
    EXITED,
    FAILED,
    FIGHTS,
    FIRST,
    INITIATIVE,
    LAST_CHOOSER,
    LOST,
    REROLLED,
    STATUS_DIE,
    done,
    needed_by,
    place_for,
    returned,
    status_die,
)
from rules.games.simple_plastic_figure.tables import Commander, Enemies
from rules.tabletop.sight import SLIVER
from rules.tabletop.table import PointIn
from rules.tabletop.template import Blast

USUAL_GOAL = "eliminate_all"


def others(position: Position, figure: str) -> Iterator[Action]:
    """Checks, fights, shots at several, leading and directing, calls for a shell, and leaving the table."""
    man = position.unit(figure)
    if not man.out:
        yield from chain(_checks(position, man), fights(position, man), _fights_on(position, man))
        yield from chain(spreads(position, man), between(position, man))
        yield from chain(_leads(position, man), _directs(position, man), _calls(position, man), _leaves(position, man))


def _gap(position: Position, one: Unit, other: Unit, fact: str) -> tuple[float, tuple[UncertainFact, ...]]:
    """How far two figures are apart, and the error of that."""
    gap = position.measure(position.figure(one.id), position.figure(other.id))
    what = f"the range from {display_name(one.id)} to {display_name(other.id)}"
    return round(gap.edge_in, 2), (UncertainFact((fact,), gap.sigma_in, what),) if gap.sigma_in > 0 else ()


# Status checks.


def _checks(position: Position, man: Unit) -> Iterator[Action]:
    now = phase(position)
    if now is not None and (now.checks or now.acts) and position.state.side == man.side:
        if STATUS_DIE not in man.this_turn:
            yield Action("Status check", "status_check", {}, (man.id,))
        elif man.this_turn.get(FAILED) or man.this_turn.get(REROLLED):
            yield from _second_checks(position, man)


def _second_checks(position: Position, man: Unit) -> Iterator[Action]:
    """Beside each leader who leads."""
    for leader in leading(position, man):
        gap_in, measured = _gap(position, leader, man, "figure_distance_in")
        facts = {
            "status_die": status_die(man),
            "figure_distance_in": gap_in,
            "has_acted": bool(done(man)),
            "anybody_acted": any(set(done(one)) - {"lead"} for one in friends(position, man)),
            "rerolled_already": bool(man.this_turn.get(REROLLED)),
        }
        names = ((man.id,), (leader.id,))
        yield Action(
            "Second check, led", "status_reroll", facts, *names, measured=measured, blocked_by=waits(position, man)
        )


# Hand-to-hand.


def fights(position: Position, man: Unit) -> Iterator[Action]:
    """The fights that his move has led to; his player says with whom he begins."""
    enemies = fighting(position, man)
    for first in enemies:
        order = [first, *(one for one in enemies if one is not first)]
        facts = {
            "enemies": [{"id": one.id, "bayonet": _bayonet(position, one)} for one in order],
            "attacker_bayonet": _bayonet(position, man),
            "where": man.this_turn[FIGHTS]["in"],
            "status_die": status_die(man),
        }
        at = tuple(one.id for one in order)
        yield Action("Hand-to-hand", "hand_to_hand", facts, (man.id,), at, round="Hand-to-hand", owed="WW-22")


def _bayonet(position: Position, unit: Unit) -> bool:
    return bool(position.kind(unit).get("bayonet"))


def _fights_on(position: Position, man: Unit) -> Iterator[Action]:
    """Who is in a house with enemies may fight the next of them as his action."""
    piece = held_in(position, man.id)
    if piece is None or fighting(position, man):
        return
    place = rules_of(position).tables.places[place_of(position, piece)]
    if place.enemies is Enemies.FIGHT and inside(position, piece, position.enemies(man)):
        action = march(position, {man.id: (position.figure(man.id).centre_in,)})
        yield Action(
            f"Fight on in {piece.name}", action.name, action.given, action.by, blocked_by=action.blocked_by,
            piece=piece.name,
            paths=action.paths,
        )  # fmt: skip


# Leaders, observers, radiomen.


def _commander(position: Position, man: Unit) -> Commander:
    return rules_of(position).tables.commanders[role(position, man)]


def _leads(position: Position, man: Unit) -> Iterator[Action]:
    if _commander(position, man).leads:
        facts = {"who": role(position, man), "actions": [*done(man), "lead"], "status_die": status_die(man)}
        yield Action("Lead", "command_actions", facts, (man.id,), blocked_by=bar(position, man, "lead"))


def _directs(position: Position, man: Unit) -> Iterator[Action]:
    """With binoculars whoever is near, by radio any mortar or gun; at what, is seen when that one fires."""
    row, kinds = _commander(position, man), rules_of(position).tables.weapon_kinds
    binoculars = row.binoculars or bool(position.kind(man).get("binoculars"))
    for mate in friends(position, man):
        carried = list(weapons(position, mate).items())
        if binoculars and carried:
            yield _by_binoculars(position, man, mate, carried[0][0])
        lofted = [weapon for weapon, its in carried if not kinds[its.kind].direct]
        if row.radio and lofted:
            facts = {**_radioman(position, man, "direct_onboard"), "distance_to_target_in": 0, "weapon": lofted[0]}
            facts |= {"onboard_mortar_or_gun": True, "observer_sees_target": True}
            barred = bar(position, man, "direct_fire")
            yield Action("Direct by radio", "radio", facts, (man.id,), (mate.id,), blocked_by=barred)


def _by_binoculars(position: Position, man: Unit, mate: Unit, weapon: str) -> Action:
    gap_in, measured = _gap(position, man, mate, "distance_to_directed_figure_in")
    facts = {
        "distance_to_directed_figure_in": gap_in,
        "weapon": weapon,
        "weapon_to_target_in": 0,
        "observer_sees_target": True,
        "status_die": status_die(man),
    }
    barred = bar(position, man, "direct_fire")
    return Action(
        "Direct the fire", "direct_fire_binoculars", facts, (man.id,), (mate.id,), measured=measured, blocked_by=barred
    )


def _radioman(position: Position, man: Unit, mode: str) -> dict[str, Any]:
    return {"mode": mode, "radioman_armed": bool(weapons(position, man)), "status_die": status_die(man)}


def _calls(position: Position, man: Unit) -> Iterator[Action]:
    """A shell from off the board at the spot where an enemy stands."""
    for enemy in position.enemies(man) if _commander(position, man).radio else ():
        view = position.view(man.id, enemy.id)
        yield replace(_call(position, man, view, display_name(enemy.id)), at=(enemy.id,))


def calls_at_spot(position: Position, figure: str, spot_in: PointIn) -> Iterator[Action]:
    """A shell from off the board at a bare place."""
    man = position.unit(figure)
    if not man.out and _commander(position, man).radio:
        there = f"the spot {place_words(spot_in)}"
        action = _call(position, man, position.view_of_spot(man.id, spot_in), there)
        radius_in = rules_of(position).tables.weapons[OFFBOARD_WEAPON].blast_radius_in
        template = Blast(spot_in, radius_in) if radius_in else None
        yield replace(action, title=f"{action.title} at {there}", spot_in=spot_in, template=template)


def _call(position: Position, man: Unit, view: View, there: str) -> Action:
    """A call for a shell at what he has so before him."""
    kinds = rules_of(position).tables.weapon_kinds
    side = [man, *friends(position, man)]
    lofted = any(not kinds[its.kind].direct for one in side for its in weapons(position, one).values())
    calls = {one.id: done(one).count("call_fire") for one in position.state.units.values() if one.side == man.side}
    facts = {
        **_radioman(position, man, "offboard"),
        "onboard_mortar_or_gun": lofted,
        "distance_to_target_in": round(view.range.edge_in, 2),
        "observer_sees_target": view.exposure >= SLIVER,
        "calls_by_this_radioman": calls[man.id],
        "calls_by_side": sum(calls.values()),
    }
    sigma_in, what = view.range.sigma_in, f"the range from {display_name(man.id)} to {there}"
    measured = (UncertainFact(("distance_to_target_in",), sigma_in, what),) if sigma_in > 0 else ()
    barred = bar(position, man, "call_fire")
    return Action("Call a shell", "radio", facts, (man.id,), view=view, measured=measured, blocked_by=barred)


def _leaves(position: Position, man: Unit) -> Iterator[Action]:
    """Over the far edge, where that is the objective: the rest of its move must reach it."""
    if position.state.statuses.get(goal_key(man.side)) == "exit_far_edge":
        facts: dict[str, Any] = {"actions": done(man), "status_die": status_die(man)}
        if position.state.area_in:
            gap_in = to_edge_in(position, position.figure(man.id), own_edge_deg(position, man.side) + 180)
            given = movement(position, man.id).given
            found = verdict_without_dice(
                position.game, "move", {**given, "distance_in": max(0.0, man.allowance_used_in + gap_in)}
            )
            facts["reaches_far_edge"] = found is not None and found.allowed
        yield Action("Leave by the far edge", "leave_table", facts, (man.id,), blocked_by=waits(position, man))


# What is owed by nobody alone.


def obligations(position: Position) -> Iterator[Action]:
    """What was agreed before the battle, who goes first, who comes back, checks, fights, shells, who has won.

    All but what players agree on, and bring back as they like, is owed before the phase ends.
    """
    yield from chain(_set_up(position), _initiative(position), _returns(position), _side_checks(position))
    for unit in position.state.units.values():
        if not unit.out and unit.id in position.figures:
            yield from fights(position, unit)
    yield from chain(coming_down(position), bursting(position), _victory(position))


def _set_up(position: Position) -> Iterator[Action]:
    state = position.state
    if state.turn:
        return
    yield Action(
        "Are both sides ready", "armies", {"armies": {side: {side: n} for side, n in state.figures_left.items()}}
    )
    yield from _deployments(position)
    for side in state.sides:
        if goal_key(side) in state.statuses:
            continue
        enemies = sum(n for other, n in state.figures_left.items() if other != side)
        half = {"eliminate_number": (enemies + 1) // 2, "exit_far_edge": (state.figures_left[side] + 1) // 2}
        for goal, row in rules_of(position).tables.goals.items():
            given = {"side": side, "goal": goal, **({"needed": half[goal]} if goal in half else {})}
            number = f" ({half[goal]})" if goal in half else ""
            yield Action(f"{display_name(side)} is to {row.title}{number}", "objective", given)
            for piece in () if row.counted else position.terrain:
                yield Action(
                    f"{display_name(side)} is to take or hold {piece.name}", "objective", given, piece=piece.name
                )


def _deployments(position: Position) -> Iterator[Action]:
    """Whether every figure of a side stands near its own edge; while one surely does not, the first turn waits."""
    for side in position.state.sides if position.state.area_in else ():
        figures = [position.figures[one.id] for one in position.state.standing(side) if one.id in position.figures]
        gaps_in = {one.id: round(to_edge_in(position, one, own_edge_deg(position, side)), 2) for one in figures}
        errors = tuple(
            UncertainFact(("figures", one.id), one.sigma_in, f"how far {display_name(one.id)} is from its edge")
            for one in figures
            if one.sigma_in > 0
        )
        action = Action(f"Set-up of {display_name(side)}", "deployment", {"figures": gaps_in}, measured=errors)
        before = preview_of(position, action).before
        apart = tuple(before.numbers["too_far_in"]) if before else ()
        if apart:
            yield replace(action, title=f"Set up {display_names(apart)} nearer to the own edge", at=apart, owed="WW-06")


def _initiative(position: Position) -> Iterator[Action]:
    state = position.state
    if state.phase != INITIATIVE or FIRST in state.this_turn:
        return
    chooser = state.this_turn.get(CHOOSER)
    if chooser is None:
        last = state.statuses.get(LAST_CHOOSER)
        given = {"sides": list(state.sides), **({"last_chooser": last} if last else {})}
        yield Action("Who goes first", "initiative", given, owed="WW-07")
        return
    for side in state.sides:
        other = next((one for one in state.sides if one != side), side)
        title = f"{display_name(chooser)} lets {display_name(side)} go first"
        yield Action(title, "turn", {"first": side, "second": other}, owed="WW-07")


def _side_checks(position: Position) -> Iterator[Action]:
    now, state = phase(position), position.state
    if now is None or not now.checks:
        return
    names = [one.id for one in state.standing(state.side) if STATUS_DIE not in one.this_turn]
    names = [name for name in names if name in position.figures]
    if names:
        title = f"Status checks of {display_name(state.side)}"
        yield Action(title, "status_checks", {"figures": names}, tuple(names), has_odds=False, owed="WW-09")


def _returns(position: Position) -> Iterator[Action]:
    """Fighting figures that come back where a reserve stands, before their side checks its figures."""
    now, state = phase(position), position.state
    if now is None or not now.checks:
        return
    lost = [one for one in state.units.values() if one.side == state.side and one.out and LOST in one.statuses]
    waiting = [one for one in state.standing(state.side) if is_reserve(position, one) and one.id in position.figures]
    for gone, reserve in product(lost, waiting):
        facts = {
            "fighting_figures_eliminated": len(lost),
            "reserves_on_board": len(waiting),
            "eliminated_on_turn": gone.statuses[LOST],
            "turn": state.turn,
            "returned_this_turn": int(state.this_turn.get(returned(state.side), 0)),
        }
        yield Action(f"{display_name(reserve.id)} brings back", "reserve", facts, (reserve.id,), (gone.id,))


def _victory(position: Position) -> Iterator[Action]:
    state = position.state
    for side in state.sides:
        own, enemies = [[u for u in state.units.values() if (u.side == side) is mine] for mine in (True, False)]
        goal = str(state.statuses.get(goal_key(side), USUAL_GOAL))
        facts: dict[str, Any] = {
            "side": side,
            "goal": goal,
            "needed": int(state.statuses.get(needed_by(side), 0)),
            "enemies_eliminated": _eliminated(enemies),
            "own_lost": _eliminated(own),
            "enemies_left": sum(not one.out for one in enemies),
            "exited": sum(bool(one.statuses.get(EXITED)) for one in own),
        }
        place = next((one for one in position.terrain if one.name == state.statuses.get(place_for(side))), None)
        if rules_of(position).tables.goals[goal].counted:
            facts["reached"] = False
        elif place is not None:
            units = [one for one in state.units.values() if not one.out]
            facts["reached"] = {one.side for one in at_piece(position, place, units)} == {side}
        asked = tuple(one.id for one in state.standing(side)[:1]) if "reached" not in facts else ()
        yield Action(f"Has {display_name(side)} won", "victory", facts, asked)


def _eliminated(units: list[Unit]) -> int:
    return sum(one.out and not one.statuses.get(EXITED) for one in units)
