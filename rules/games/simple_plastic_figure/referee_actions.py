"""Simple Plastic Figure: a figure's moves and all its other actions but shots, and the obligations of whole sides."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, product
from typing import Any

from shapely.geometry import Point, Polygon

from rules.engine.action import Action
from rules.engine.effects import goal_key
from rules.engine.facts import UNKNOWN, Context, Uncertain, action_for
from rules.engine.objectives import OBJECTIVE, Task, description_key
from rules.engine.position import Position, View
from rules.engine.preview import preview_of
from rules.engine.referee import NO_FACINGS
from rules.engine.state import Unit
from rules.engine.text import display_name, display_names, place_words
from rules.engine.verdict import Verdict, forbidden
from rules.engine.without_dice import refusal_of
from rules.games.simple_plastic_figure import figures, statuses
from rules.games.simple_plastic_figure.cover import crossings, holder, place_kind
from rules.games.simple_plastic_figure.figures import (
    bar,
    friends,
    inside,
    on_table,
    phase,
    place,
    place_of,
    rules_of,
    weapons,
)
from rules.games.simple_plastic_figure.movement import movement_profile
from rules.games.simple_plastic_figure.referee_fire import between, bursting, coming_down, spreads
from rules.games.simple_plastic_figure.statuses import done, status_die
from rules.games.simple_plastic_figure.tables import Commander, Enemies, Rules
from rules.games.simple_plastic_figure.turn import OFFBOARD_WEAPON
from rules.tabletop.measure import Range, range_between, range_to
from rules.tabletop.movement import Walk, walk
from rules.tabletop.path import Path, contacts, length_in, placed
from rules.tabletop.sight import SLIVER
from rules.tabletop.table import Figure, PointIn, TerrainPiece
from rules.tabletop.template import Blast
from rules.tabletop.tolerance import DOUBT_SIGMAS, Comparison, all_of


def movement(position: Position, figure: str) -> Action:
    """How far a figure may go this turn."""
    unit = position.unit(figure)
    facts = {"distance_in": 0, "inside_building": False, "touching_at_start_of_move": False}
    return action_for("Move", "move", Context(position, (unit,)), facts, blocked_by=bar(position, unit, "move"))


def march(position: Position, paths: Mapping[str, Path], facing_deg: Mapping[str, float] = NO_FACINGS) -> Action:
    """One figure along its path; the players must move several one by one."""
    if len(paths) != 1:
        why = rules_of(position).because("WW-11", "one figure at a time is touched and moved")
        bar_all = forbidden("one_by_one", why)
        return Action("Move", "move", {}, tuple(paths), paths=paths, facing_deg=facing_deg, blocked_by=bar_all)
    [(name, path)] = paths.items()
    unit, here = position.unit(name), position.figure(name)
    walked = walk(path, position.terrain, movement_profile(rules_of(position), touches_bunker=True), 0.0)
    sigma_in = math.hypot(here.sigma_in, here.sigma_in)
    facts = {
        "distance_in": Uncertain(round(length_in(path), 2), sigma_in, f"how far {display_name(name)} went"),
        **crossings(rules_of(position), walked),
        "inside_building": _indoors(position, walked),
        "touching_at_start_of_move": _touching(position, here, _entered(position, walked)),
        **_meetings(position, unit, path),
    }
    barred = bar(position, unit, "move") or _shut(position, unit, walked)
    context = Context(position, (unit,), paths=paths)
    return action_for("Move", "move", context, facts, facing_deg=facing_deg, blocked_by=barred)


def _entered(position: Position, walked: Walk) -> list[TerrainPiece]:
    """The pieces that a walk comes into."""
    return [piece for piece in position.terrain if piece.name in walked.entered]


def _indoors(position: Position, walked: Walk) -> bool:
    """Whether some of a walk lies in a house."""
    rules, pieces = rules_of(position), [piece for stretch in walked.stretches for piece in stretch.inside]
    places = [place_kind(rules, piece.kind) for piece in pieces]
    return any(place is not None and rules.tables.places[place].enemies is Enemies.FIGHT for place in places)


def _touching(position: Position, here: Figure, entered: Sequence[TerrainPiece]) -> Any:
    """Whether the figure touched the bunker that it enters before it set out, where that can be measured."""
    ground = rules_of(position).tables.ground
    first = [piece for piece in entered if piece.kind in ground and ground[piece.kind].touch_first]
    contact = all_of(range_to(here, piece.outline_in).contact() for piece in first)
    return UNKNOWN if contact is Comparison.TOO_CLOSE else bool(first) and contact is Comparison.IN


def _shut(position: Position, unit: Unit, walked: Walk) -> Verdict | None:
    """Why a figure may not enter a place on its path because of the enemies there; None if it may."""
    for piece in _entered(position, walked):
        where = place_kind(rules_of(position), piece.kind)
        if where is None:
            continue
        there = bool(inside(position, piece, position.enemies(unit)))
        asked = {"place": place_of(position, piece), "touching_at_start_of_move": True, "enemy_inside": there}
        if barred := refusal_of(position.game, "enter", asked):
            return barred
    return None


def _meetings(position: Position, unit: Unit, path: Path) -> dict[str, Any]:
    """The enemies that the figure passes in touch or touches at last, and those in the house that it enters."""
    here = position.figure(unit.id)
    after = placed(here, path[-1])
    piece = holder(rules_of(position), after, position.terrain)
    gaps = {one.id: range_between(after, position.figure(one.id)) for one in _within_reach(position, unit)}
    near = {name: gap for name, gap in gaps.items() if gap.edge_in <= DOUBT_SIGMAS * gap.sigma_in}
    passed = [met.along_in for met in contacts(here, path, map(position.figure, gaps)) if met.id not in near]
    return {
        "enemy_gaps_in": {name: _touch(unit.id, name, gap) for name, gap in near.items()},
        "ends_in": place_of(position, piece),
        "enemies_inside": [one.id for one in inside(position, piece, position.enemies(unit))] if piece else [],
        "enemy_base_touched_after_in": round(passed[0], 2) if passed else UNKNOWN,
    }


def _touch(figure: str, enemy: str, gap: Range) -> Uncertain:
    """How far two figures are apart; measured as touching, they touch whatever the error."""
    what = f"whether {display_name(figure)} touches {display_name(enemy)}"
    return Uncertain(round(gap.edge_in, 2), gap.sigma_in if gap.edge_in > 0 else 0.0, what)


def _within_reach(position: Position, unit: Unit) -> list[Unit]:
    """The enemies whose bases the figure may touch: there is no hand-to-hand combat with those in a bunker."""
    places, enemies = rules_of(position).tables.places, position.enemies(unit)
    return [one for one in enemies if places[place(position, one.id)].enemies is not Enemies.REFUSE]


USUAL_GOAL = "eliminate_all"


def others(position: Position, figure: str) -> Iterator[Action]:
    """Checks, fights, shots at several, leading and directing, calls for a shell, and leaving the table."""
    man = position.unit(figure)
    if not man.out:
        yield from chain(_checks(position, man), fights(position, man), _fights_on(position, man))
        yield from chain(spreads(position, man), between(position, man))
        yield from chain(_leads(position, man), _directs(position, man), _calls(position, man), _leaves(position, man))


def _checks(position: Position, man: Unit) -> Iterator[Action]:
    """Its status check; after a failed one a second beside each leader that leads."""
    now = phase(position)
    if now is None or not (now.checks or now.acts) or position.state.side != man.side:
        return
    die = man.this_turn.get(statuses.STATUS_DIE)
    if die is None:
        yield Action("Status check", "status_check", {}, (man.id,))
    elif die >= position.game.rules.option("failed_status") or man.this_turn.get(statuses.REROLLED):
        for leader in figures.leading(position, man):
            context = Context(position, (man,), (leader,))
            yield action_for("Second check, led", "status_reroll", context, blocked_by=figures.waits(position, man))


def fights(position: Position, man: Unit) -> Iterator[Action]:
    """The fights that its move has led to, with each enemy as the first."""
    enemies = figures.fighting(position, man)
    for first in enemies:
        order = (first, *(one for one in enemies if one is not first))
        context = Context(position, (man,), order)
        yield action_for("Hand-to-hand", "hand_to_hand", context, round="Hand-to-hand", owed="WW-22")


def _fights_on(position: Position, man: Unit) -> Iterator[Action]:
    """A figure in a house with enemies may fight the next of them as its action."""
    piece = figures.held_in(position, man.id)
    if piece is None or figures.fighting(position, man):
        return
    place = rules_of(position).tables.places[figures.place_of(position, piece)]
    if place.enemies is Enemies.FIGHT and figures.inside(position, piece, position.enemies(man)):
        action = march(position, {man.id: (position.figure(man.id).centre_in,)})
        yield replace(action, title=f"Fight on in {piece.name}", piece=piece.name, measured=())


# Leaders, observers, radiomen.


def _commander(position: Position, man: Unit) -> Commander:
    return rules_of(position).tables.commanders[figures.role(position, man)]


def _leads(position: Position, man: Unit) -> Iterator[Action]:
    if _commander(position, man).leads:
        facts = {"who": figures.role(position, man), "actions": [*done(man), "lead"], "status_die": status_die(man)}
        yield Action("Lead", "command_actions", facts, (man.id,), blocked_by=bar(position, man, "lead"))


def _directs(position: Position, man: Unit) -> Iterator[Action]:
    """With binoculars any near friend, by radio any mortar or gun; the target is known when that one fires."""
    row, kinds = _commander(position, man), rules_of(position).tables.weapon_kinds
    binoculars = row.binoculars or bool(position.kind(man).get("binoculars"))
    barred = bar(position, man, "direct_fire")
    for mate in friends(position, man):
        context, carried = Context(position, (man,), (mate,)), weapons(position, mate)
        lofted = [weapon for weapon, its in carried.items() if not kinds[its.kind].direct]
        if binoculars and carried:
            facts = {"weapon": next(iter(carried)), "weapon_to_target_in": 0, "observer_sees_target": True}
            yield action_for("Direct the fire", "direct_fire_binoculars", context, facts, blocked_by=barred)
        if row.radio and lofted:
            facts = {"mode": "direct_onboard", "distance_to_target_in": 0, "weapon": lofted[0]}
            facts |= {"onboard_mortar_or_gun": True, "observer_sees_target": True}
            yield action_for("Direct by radio", "radio", context, facts, blocked_by=barred)


def _calls(position: Position, man: Unit) -> Iterator[Action]:
    """A shell from off the board at the spot where an enemy stands."""
    for enemy in position.enemies(man) if _commander(position, man).radio else ():
        yield _call(Context(position, (man,), (enemy,)), position.view(man.id, enemy.id), display_name(enemy.id))


def calls_at_spot(position: Position, figure: str, spot_in: PointIn) -> Iterator[Action]:
    """A shell from off the board at a bare place."""
    man = position.unit(figure)
    if not man.out and _commander(position, man).radio:
        there = f"the spot {place_words(spot_in)}"
        action = _call(Context(position, (man,)), position.view_of_spot(man.id, spot_in), there)
        radius_in = rules_of(position).tables.weapons[OFFBOARD_WEAPON].blast_radius_in
        template = Blast(spot_in, radius_in) if radius_in else None
        yield replace(action, title=f"{action.title} at {there}", spot_in=spot_in, template=template)


def _call(context: Context, view: View, there: str) -> Action:
    """A call for a shell at a target as the radioman sees it."""
    position, man = context.position, context.actor
    kinds = rules_of(position).tables.weapon_kinds
    side = [man, *friends(position, man)]
    lofted = any(not kinds[its.kind].direct for one in side for its in weapons(position, one).values())
    calls = {one.id: done(one).count("call_fire") for one in position.state.units.values() if one.side == man.side}
    what = f"the range from {display_name(man.id)} to {there}"
    facts = {
        "mode": "offboard",
        "onboard_mortar_or_gun": lofted,
        "distance_to_target_in": Uncertain(round(view.range.edge_in, 2), view.range.sigma_in, what),
        "observer_sees_target": view.exposure >= SLIVER,
        "calls_by_this_radioman": calls[man.id],
        "calls_by_side": sum(calls.values()),
    }
    barred = bar(position, man, "call_fire")
    return action_for("Call a shell", "radio", context, facts, view=view, blocked_by=barred)


def _leaves(position: Position, man: Unit) -> Iterator[Action]:
    """Leaving by the far edge, if that is the objective; the rest of the move must reach it."""
    if position.state.statuses.get(goal_key(man.side)) == "exit_far_edge":
        reaches: Any = UNKNOWN
        if position.state.area_in:
            gap_in = figures.to_edge_in(
                position, position.figure(man.id), figures.own_edge_deg(position, man.side) + 180
            )
            given = {**movement(position, man.id).given, "distance_in": max(0.0, man.allowance_used_in + gap_in)}
            reaches = refusal_of(position.game, "move", given) is None
        context, barred = Context(position, (man,)), figures.waits(position, man)
        facts = {"reaches_far_edge": reaches}
        yield action_for("Leave by the far edge", "leave_table", context, facts, blocked_by=barred)


# Obligations of whole sides.


def obligations(position: Position) -> Iterator[Action]:
    """Agreements before the battle, the first side, reserves, checks, fights, shells and victory.

    All but what players agree on, and bring back as they like, is owed before the phase ends.
    """
    yield from chain(_set_up(position), _initiative(position), _returns(position), _side_checks(position))
    for unit in position.state.units.values():
        if not unit.out and unit.id in position.figures:
            yield from fights(position, unit)
    yield from chain(coming_down(position), bursting(position), _victory(position))


def tasks(rules: Rules) -> tuple[Task, ...]:
    """The objectives, the usual one first; of numbered ones half of the figures concerned is usual."""
    half_of = {"eliminate_number": "enemies", "exit_far_edge": "own"}
    numbers = {"number": "figures", "number_key": statuses.NEEDED_BY.format}
    rows = sorted(rules.tables.goals.items(), key=lambda one: one[0] != USUAL_GOAL)
    counts: Any = {name: {**numbers, "half_of": half_of.get(name)} if row.numbered else {} for name, row in rows}
    return tuple(
        Task(name, row.title, row.rule, leads="is to", at_place=not row.counted, **counts[name]) for name, row in rows
    )


def _set_up(position: Position) -> Iterator[Action]:
    """Before the first turn: the armies, their places, and the sides' objectives."""
    state, rules = position.state, rules_of(position)
    if state.turn:
        return
    armies = {side: {side: number} for side, number in state.figures_left.items()}
    yield Action("Are both sides ready", "armies", {"armies": armies})
    yield from _deployments(position)
    for side in state.sides:
        if goal_key(side) in state.statuses:
            continue
        own, known = state.figures_left[side], tasks(rules)
        enemies = sum(state.figures_left.values()) - own
        half = {one.name: one.usual_number(own, enemies) for one in known if one.half_of}
        for goal, row in rules.tables.goals.items():
            given = {"side": side, "goal": goal, **({"needed": half[goal]} if goal in half else {})}
            title = f"{display_name(side)} is to {row.title}" + (f" ({half[goal]})" if goal in half else "")
            yield Action(title, OBJECTIVE, given)
            for piece in () if row.counted else position.terrain:
                title = f"{display_name(side)} is to take or hold {piece.name}"
                yield Action(title, OBJECTIVE, given, piece=piece.name)


def _deployments(position: Position) -> Iterator[Action]:
    """Whether every figure of a side stands near its own edge; while one surely does not, the first turn waits."""
    for side in position.state.sides if position.state.area_in else ():
        gaps_in = {}
        for figure in (position.figures[one.id] for one in on_table(position, side)):
            gap_in = round(figures.to_edge_in(position, figure, figures.own_edge_deg(position, side)), 2)
            what = f"how far {display_name(figure.id)} is from its edge"
            gaps_in[figure.id] = Uncertain(gap_in, figure.sigma_in, what)
        facts = {"figures": gaps_in}
        action = action_for(f"Set-up of {display_name(side)}", "deployment", Context(position), facts)
        before = preview_of(position, action).before
        if before and (apart := tuple(before.numbers["too_far_in"])):
            yield replace(action, title=f"Set up {display_names(apart)} nearer to the own edge", at=apart, owed="WW-06")


def _initiative(position: Position) -> Iterator[Action]:
    state = position.state
    if state.phase != statuses.INITIATIVE or statuses.FIRST in state.this_turn:
        return
    chooser = state.this_turn.get(statuses.CHOOSER)
    if chooser is None:
        last = state.statuses.get(statuses.LAST_CHOOSER)
        given = {"sides": list(state.sides), **({"last_chooser": last} if last else {})}
        yield Action("Who goes first", "initiative", given, owed="WW-07")
        return
    for side in state.sides:
        other = next((one for one in state.sides if one != side), side)
        name = display_name(side)
        title = f"{name} goes first" if side == chooser else f"{display_name(chooser)} lets {name} go first"
        yield Action(title, "turn", {"first": side, "second": other}, owed="WW-07")


def _side_checks(position: Position) -> Iterator[Action]:
    now, side = phase(position), position.state.side
    unchecked = [one.id for one in on_table(position, side) if statuses.STATUS_DIE not in one.this_turn]
    if now is not None and now.checks and unchecked:
        title, facts = f"Status checks of {display_name(side)}", {"figures": unchecked}
        yield Action(title, "status_checks", facts, tuple(unchecked), has_odds=False, owed="WW-09")


def _returns(position: Position) -> Iterator[Action]:
    """Fighting figures that come back where a reserve stands, before their side checks its figures."""
    now, state = phase(position), position.state
    if now is None or not now.checks:
        return
    lost = [one for one in state.units.values() if one.side == state.side and one.out and statuses.LOST in one.statuses]
    waiting = [one for one in on_table(position, state.side) if figures.is_reserve(position, one)]
    for gone, reserve in product(lost, waiting):
        facts = {
            "fighting_figures_eliminated": len(lost),
            "reserves_on_board": len(waiting),
            "eliminated_on_turn": gone.statuses[statuses.LOST],
            "turn": state.turn,
            "returned_this_turn": int(state.this_turn.get(statuses.RETURNED.format(state.side), 0)),
        }
        yield Action(f"{display_name(reserve.id)} brings back", "reserve", facts, (reserve.id,), (gone.id,))


def _victory(position: Position) -> Iterator[Action]:
    state = position.state
    exited = {one.id for one in state.units.values() if one.statuses.get(statuses.EXITED)}
    for side in state.sides:
        own, enemies = [[u for u in state.units.values() if (u.side == side) is mine] for mine in (True, False)]
        goal = str(state.statuses.get(goal_key(side), USUAL_GOAL))
        facts = {
            "side": side,
            "goal": goal,
            "needed": int(state.statuses.get(statuses.NEEDED_BY.format(side), 0)),
            "enemies_eliminated": sum(one.out and one.id not in exited for one in enemies),
            "own_lost": sum(one.out and one.id not in exited for one in own),
            "enemies_left": sum(not one.out for one in enemies),
            "exited": sum(one.id in exited for one in own),
            "reached": False if rules_of(position).tables.goals[goal].counted else _holds(position, side),
        }
        men = state.standing(side)[:1] if facts["reached"] is UNKNOWN else ()
        yield action_for(f"Declare victory of {display_name(side)}", "victory", Context(position, men), facts)


def _holds(position: Position, side: str) -> Any:
    """Whether the figures in the place of a side's objective are all of this side; unknown if no place is agreed on."""
    agreed = position.state.statuses
    name = agreed.get(statuses.PLACE_OF.format(side)) or agreed.get(description_key(side))
    area = next((Polygon(one.outline_in) for one in position.terrain if one.name == name), None)
    if area is None:
        return UNKNOWN
    there = chain.from_iterable(on_table(position, one) for one in position.state.sides)
    return {one.side for one in there if area.covers(Point(position.figure(one.id).centre_in))} == {side}
