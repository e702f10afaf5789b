"""Simple Plastic Figure: the questions that stand for all else that a figure does, and for what nobody owes alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, product
from typing import Any

from rules.engine.effects import goal_key
from rules.engine.position import Position, View
from rules.engine.referee import Deed, Measured, prospect, verdict_without_dice
from rules.engine.state import Unit
from rules.engine.text import display_name, listed, place_words
from rules.games.simple_plastic_figure.command import OFFBOARD_WEAPON
from rules.games.simple_plastic_figure.referee_bursts import between, bursting, coming_down, own_edge_deg
from rules.games.simple_plastic_figure.referee_facts import (
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
    at_piece,
    bar,
    done,
    fighting,
    friends,
    held_in,
    inside,
    is_reserve,
    leading,
    needed_by,
    phase,
    place_for,
    place_of,
    returned,
    role,
    rules_of,
    status_die,
    to_edge_in,
    waits,
    weapons,
)
from rules.games.simple_plastic_figure.referee_fire import spreads
from rules.games.simple_plastic_figure.referee_moves import march, movement
from rules.games.simple_plastic_figure.tables import Commander, Enemies
from rules.tabletop.sight import SLIVER
from rules.tabletop.table import PointIn
from rules.tabletop.template import Blast

USUAL_GOAL = "eliminate_all"


def others(moment: Position, figure: str) -> Iterator[Deed]:
    """Checks, fights, shots at several, leading and directing, calls for a shell, and leaving the table."""
    man = moment.unit(figure)
    if not man.out:
        yield from chain(_checks(moment, man), fights(moment, man), _fights_on(moment, man))
        yield from chain(spreads(moment, man), between(moment, man))
        yield from chain(_leads(moment, man), _directs(moment, man), _calls(moment, man), _leaves(moment, man))


def _gap(moment: Position, one: Unit, other: Unit, fact: str) -> tuple[float, tuple[Measured, ...]]:
    """How far two figures are apart, and the error of that."""
    gap = moment.measure(moment.figure(one.id), moment.figure(other.id))
    what = f"the range from {display_name(one.id)} to {display_name(other.id)}"
    return round(gap.edge_in, 2), (Measured((fact,), gap.sigma_in, what),) if gap.sigma_in > 0 else ()


# Status checks.


def _checks(moment: Position, man: Unit) -> Iterator[Deed]:
    now = phase(moment)
    if now is not None and (now.checks or now.acts) and moment.state.side == man.side:
        if STATUS_DIE not in man.this_turn:
            yield Deed("Status check", "status_check", {}, (man.id,))
        elif man.this_turn.get(FAILED) or man.this_turn.get(REROLLED):
            yield from _second_checks(moment, man)


def _second_checks(moment: Position, man: Unit) -> Iterator[Deed]:
    """Beside each leader who leads."""
    for leader in leading(moment, man):
        gap_in, measured = _gap(moment, leader, man, "figure_distance_in")
        facts = {
            "status_die": status_die(man),
            "figure_distance_in": gap_in,
            "has_acted": bool(done(man)),
            "anybody_acted": any(set(done(one)) - {"lead"} for one in friends(moment, man)),
            "rerolled_already": bool(man.this_turn.get(REROLLED)),
        }
        names = ((man.id,), (leader.id,))
        yield Deed("Second check, led", "status_reroll", facts, *names, measured=measured, bar=waits(moment, man))


# Hand-to-hand.


def fights(moment: Position, man: Unit) -> Iterator[Deed]:
    """The fights that his move has led to; his player says with whom he begins."""
    enemies = fighting(moment, man)
    for first in enemies:
        order = [first, *(one for one in enemies if one is not first)]
        facts = {
            "enemies": [{"id": one.id, "bayonet": _bayonet(moment, one)} for one in order],
            "attacker_bayonet": _bayonet(moment, man),
            "where": man.this_turn[FIGHTS]["in"],
            "status_die": status_die(man),
        }
        at = tuple(one.id for one in order)
        yield Deed("Hand-to-hand", "hand_to_hand", facts, (man.id,), at, round="Hand-to-hand", owed="WW-22")


def _bayonet(moment: Position, unit: Unit) -> bool:
    return bool(moment.kind(unit).get("bayonet"))


def _fights_on(moment: Position, man: Unit) -> Iterator[Deed]:
    """Who is in a house with enemies may fight the next of them as his action."""
    piece = held_in(moment, man.id)
    if piece is None or fighting(moment, man):
        return
    place = rules_of(moment).tables.places[place_of(moment, piece)]
    if place.enemies is Enemies.FIGHT and inside(moment, piece, moment.enemies(man)):
        deed = march(moment, {man.id: (moment.figure(man.id).centre_in,)})
        yield Deed(
            f"Fight on in {piece.name}", deed.action, deed.given, deed.by, bar=deed.bar, piece=piece.name,
            paths=deed.paths,
        )  # fmt: skip


# Leaders, observers, radiomen.


def _commander(moment: Position, man: Unit) -> Commander:
    return rules_of(moment).tables.commanders[role(moment, man)]


def _leads(moment: Position, man: Unit) -> Iterator[Deed]:
    if _commander(moment, man).leads:
        facts = {"who": role(moment, man), "actions": [*done(man), "lead"], "status_die": status_die(man)}
        yield Deed("Lead", "command_actions", facts, (man.id,), bar=bar(moment, man, "lead"))


def _directs(moment: Position, man: Unit) -> Iterator[Deed]:
    """With binoculars whoever is near, by radio any mortar or gun; at what, is seen when that one fires."""
    row, kinds = _commander(moment, man), rules_of(moment).tables.weapon_kinds
    binoculars = row.binoculars or bool(moment.kind(man).get("binoculars"))
    for mate in friends(moment, man):
        carried = list(weapons(moment, mate).items())
        if binoculars and carried:
            yield _by_binoculars(moment, man, mate, carried[0][0])
        lofted = [weapon for weapon, its in carried if not kinds[its.kind].direct]
        if row.radio and lofted:
            facts = {**_radioman(moment, man, "direct_onboard"), "distance_to_target_in": 0, "weapon": lofted[0]}
            facts |= {"onboard_mortar_or_gun": True, "observer_sees_target": True}
            barred = bar(moment, man, "direct_fire")
            yield Deed("Direct by radio", "radio", facts, (man.id,), (mate.id,), bar=barred)


def _by_binoculars(moment: Position, man: Unit, mate: Unit, weapon: str) -> Deed:
    gap_in, measured = _gap(moment, man, mate, "distance_to_directed_figure_in")
    facts = {
        "distance_to_directed_figure_in": gap_in,
        "weapon": weapon,
        "weapon_to_target_in": 0,
        "observer_sees_target": True,
        "status_die": status_die(man),
    }
    barred = bar(moment, man, "direct_fire")
    return Deed(
        "Direct the fire", "direct_fire_binoculars", facts, (man.id,), (mate.id,), measured=measured, bar=barred
    )


def _radioman(moment: Position, man: Unit, mode: str) -> dict[str, Any]:
    return {"mode": mode, "radioman_armed": bool(weapons(moment, man)), "status_die": status_die(man)}


def _calls(moment: Position, man: Unit) -> Iterator[Deed]:
    """A shell from off the board at the spot where an enemy stands."""
    for enemy in moment.enemies(man) if _commander(moment, man).radio else ():
        view = moment.view(man.id, enemy.id)
        yield replace(_call(moment, man, view, display_name(enemy.id)), at=(enemy.id,))


def calls_at_spot(moment: Position, figure: str, spot_in: PointIn) -> Iterator[Deed]:
    """A shell from off the board at a bare place."""
    man = moment.unit(figure)
    if not man.out and _commander(moment, man).radio:
        there = f"the spot {place_words(spot_in)}"
        deed = _call(moment, man, moment.view_of_spot(man.id, spot_in), there)
        radius_in = rules_of(moment).tables.weapons[OFFBOARD_WEAPON].blast_radius_in
        template = Blast(spot_in, radius_in) if radius_in else None
        yield replace(deed, title=f"{deed.title} at {there}", spot_in=spot_in, template=template)


def _call(moment: Position, man: Unit, view: View, there: str) -> Deed:
    """A call for a shell at what he has so before him."""
    kinds = rules_of(moment).tables.weapon_kinds
    side = [man, *friends(moment, man)]
    lofted = any(not kinds[its.kind].direct for one in side for its in weapons(moment, one).values())
    calls = {one.id: done(one).count("call_fire") for one in moment.state.units.values() if one.side == man.side}
    facts = {
        **_radioman(moment, man, "offboard"),
        "onboard_mortar_or_gun": lofted,
        "distance_to_target_in": round(view.range.edge_in, 2),
        "observer_sees_target": view.exposure >= SLIVER,
        "calls_by_this_radioman": calls[man.id],
        "calls_by_side": sum(calls.values()),
    }
    sigma_in, what = view.range.sigma_in, f"the range from {display_name(man.id)} to {there}"
    measured = (Measured(("distance_to_target_in",), sigma_in, what),) if sigma_in > 0 else ()
    barred = bar(moment, man, "call_fire")
    return Deed("Call a shell", "radio", facts, (man.id,), view=view, measured=measured, bar=barred)


def _leaves(moment: Position, man: Unit) -> Iterator[Deed]:
    """Over the far edge, where that is the objective: the rest of its move must reach it."""
    if moment.state.statuses.get(goal_key(man.side)) == "exit_far_edge":
        facts: dict[str, Any] = {"actions": done(man), "status_die": status_die(man)}
        if moment.state.area_in:
            gap_in = to_edge_in(moment, moment.figure(man.id), own_edge_deg(moment, man.side) + 180)
            given = movement(moment, man.id).given
            found = verdict_without_dice(
                moment.game, "move", {**given, "distance_in": max(0.0, man.allowance_used_in + gap_in)}
            )
            facts["reaches_far_edge"] = found is not None and found.allowed
        yield Deed("Leave by the far edge", "leave_table", facts, (man.id,), bar=waits(moment, man))


# What is owed by nobody alone.


def duties(moment: Position) -> Iterator[Deed]:
    """What was agreed before the battle, who goes first, who comes back, checks, fights, shells, who has won.

    All but what players agree on, and bring back as they like, is owed before the phase ends.
    """
    yield from chain(_set_up(moment), _initiative(moment), _returns(moment), _side_checks(moment))
    for unit in moment.state.units.values():
        if not unit.out and unit.id in moment.figures:
            yield from fights(moment, unit)
    yield from chain(coming_down(moment), bursting(moment), _victory(moment))


def _set_up(moment: Position) -> Iterator[Deed]:
    state = moment.state
    if state.turn:
        return
    yield Deed(
        "Are both sides ready", "armies", {"armies": {side: {side: n} for side, n in state.figures_left.items()}}
    )
    yield from _deployments(moment)
    for side in state.sides:
        if goal_key(side) in state.statuses:
            continue
        enemies = sum(n for other, n in state.figures_left.items() if other != side)
        half = {"eliminate_number": (enemies + 1) // 2, "exit_far_edge": (state.figures_left[side] + 1) // 2}
        for goal, row in rules_of(moment).tables.goals.items():
            given = {"side": side, "goal": goal, **({"needed": half[goal]} if goal in half else {})}
            number = f" ({half[goal]})" if goal in half else ""
            yield Deed(f"{display_name(side)} is to {row.title}{number}", "objective", given)
            for piece in () if row.counted else moment.terrain:
                yield Deed(
                    f"{display_name(side)} is to take or hold {piece.name}", "objective", given, piece=piece.name
                )


def _deployments(moment: Position) -> Iterator[Deed]:
    """Whether every figure of a side stands near its own edge; while one surely does not, the first turn waits."""
    for side in moment.state.sides if moment.state.area_in else ():
        figures = [moment.figures[one.id] for one in moment.state.standing(side) if one.id in moment.figures]
        gaps_in = {one.id: round(to_edge_in(moment, one, own_edge_deg(moment, side)), 2) for one in figures}
        errors = tuple(
            Measured(("figures", one.id), one.sigma_in, f"how far {display_name(one.id)} is from its edge")
            for one in figures
            if one.sigma_in > 0
        )
        deed = Deed(f"Set-up of {display_name(side)}", "deployment", {"figures": gaps_in}, measured=errors)
        before = prospect(moment, deed).before
        apart = tuple(before.numbers["too_far_in"]) if before else ()
        if apart:
            yield replace(deed, title=f"Set up {listed(apart)} nearer to the own edge", at=apart, owed="WW-06")


def _initiative(moment: Position) -> Iterator[Deed]:
    state = moment.state
    if state.phase != INITIATIVE or FIRST in state.this_turn:
        return
    chooser = state.this_turn.get(CHOOSER)
    if chooser is None:
        last = state.statuses.get(LAST_CHOOSER)
        given = {"sides": list(state.sides), **({"last_chooser": last} if last else {})}
        yield Deed("Who goes first", "initiative", given, owed="WW-07")
        return
    for side in state.sides:
        other = next((one for one in state.sides if one != side), side)
        title = f"{display_name(chooser)} lets {display_name(side)} go first"
        yield Deed(title, "turn", {"first": side, "second": other}, owed="WW-07")


def _side_checks(moment: Position) -> Iterator[Deed]:
    now, state = phase(moment), moment.state
    if now is None or not now.checks:
        return
    names = [one.id for one in state.standing(state.side) if STATUS_DIE not in one.this_turn]
    names = [name for name in names if name in moment.figures]
    if names:
        title = f"Status checks of {display_name(state.side)}"
        yield Deed(title, "status_checks", {"figures": names}, tuple(names), listed=False, owed="WW-09")


def _returns(moment: Position) -> Iterator[Deed]:
    """Fighting figures that come back where a reserve stands, before their side checks its figures."""
    now, state = phase(moment), moment.state
    if now is None or not now.checks:
        return
    lost = [one for one in state.units.values() if one.side == state.side and one.out and LOST in one.statuses]
    waiting = [one for one in state.standing(state.side) if is_reserve(moment, one) and one.id in moment.figures]
    for gone, reserve in product(lost, waiting):
        facts = {
            "fighting_figures_eliminated": len(lost),
            "reserves_on_board": len(waiting),
            "eliminated_on_turn": gone.statuses[LOST],
            "turn": state.turn,
            "returned_this_turn": int(state.this_turn.get(returned(state.side), 0)),
        }
        yield Deed(f"{display_name(reserve.id)} brings back", "reserve", facts, (reserve.id,), (gone.id,))


def _victory(moment: Position) -> Iterator[Deed]:
    state = moment.state
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
        place = next((one for one in moment.terrain if one.name == state.statuses.get(place_for(side))), None)
        if rules_of(moment).tables.goals[goal].counted:
            facts["reached"] = False
        elif place is not None:
            units = [one for one in state.units.values() if not one.out]
            facts["reached"] = {one.side for one in at_piece(moment, place, units)} == {side}
        asked = tuple(one.id for one in state.standing(side)[:1]) if "reached" not in facts else ()
        yield Deed(f"Has {display_name(side)} won", "victory", facts, asked)


def _eliminated(units: list[Unit]) -> int:
    return sum(one.out and not one.statuses.get(EXITED) for one in units)
