"""Simple Plastic Wargame: the possible actions of a figure on a measured table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from rules.engine.action import Action
from rules.engine.common import not_your_turn
from rules.engine.effects import next_step
from rules.engine.events import PhaseBegun
from rules.engine.facts import Context, action_for, times_done
from rules.engine.position import Position
from rules.engine.referee import FIRE, NO_FACINGS, Referee, effects_of
from rules.engine.state import Unit
from rules.engine.text import display_name, display_names
from rules.engine.verdict import Verdict, forbidden
from rules.engine.without_dice import verdict_without_dice
from rules.games.simple_plastic.attack import ATTACKS, ATTACKS_MADE, DICE_ROLLED, FIRED_AT, MOVED, shots_at
from rules.games.simple_plastic.movement import LED, MOVING, closes_gaps
from rules.games.simple_plastic.sight import distance_in, group_of, sight_rules
from rules.games.simple_plastic.tables import Tables
from rules.games.simple_plastic.turn import STEPS
from rules.tabletop.path import Path

_bar = partial(not_your_turn, rule="SP-01")


# Movement.


def movement(position: Position, figure: str) -> Action:
    """The remaining move of a man."""
    unit = position.unit(figure)
    action = "squad_move" if unit.squad else "lone_unit_move"
    return action_for("Move", action, Context(position, (unit,)), blocked_by=_bar(position, unit))


def march(position: Position, paths: Mapping[str, Path], facing_deg: Mapping[str, float] = NO_FACINGS) -> Action:
    """The move of a lone unit, or of one squad; men without a path stay."""
    first = position.unit(next(iter(paths)))
    context = Context(position, position.squad(first) or (first,), paths=paths)
    bar = _apart(context)
    if not first.squad:
        bar = bar or _bar(position, first)
        return action_for("Move", "lone_unit_move", context, facing_deg=facing_deg, blocked_by=bar)
    bar = bar or (None if closes_gaps(context) else _bar(position, first))
    return action_for(f"Move the squad {first.squad}", "squad_move", context, facing_deg=facing_deg, blocked_by=bar)


def _apart(context: Context) -> Verdict | None:
    """Why those with a path do not move together: one is killed or of another squad."""
    rules, men = context.rules, {man.id for man in context.men}
    if dead := [name for name in context.paths if context.position.unit(name).out]:
        return forbidden("killed", rules.because("SP-15", f"killed and out of the game: {display_names(tuple(dead))}"))
    if others := [name for name in context.paths if name not in men]:
        mover = f"the squad {context.actor.squad}" if context.actor.squad else display_name(context.actor.id)
        text = f"{mover} moves without others: {display_names(tuple(others))}"
        return forbidden("not_of_the_squad", rules.because("SP-03" if context.actor.squad else "SP-04", text))
    return None


# Attacks.


def _groups(position: Position, men: Sequence[Unit]) -> Iterator[tuple[Unit, ...]]:
    """The enemy squads and lone units, each with its men from the closest to the farthest."""
    closest_to = men[:1] if position.game.rules.chooses("closest_to", "rolling_figure") else position.squad(men[0])

    def near_in(enemy: Unit) -> float:
        return min(distance_in(Context(position, (man,), (enemy,))) for man in closest_to)

    groups: dict[str, list[Unit]] = {}
    for enemy in position.enemies(men[0]):
        groups.setdefault(group_of(position, enemy), []).append(enemy)
    return (tuple(sorted(enemies, key=near_in)) for enemies in groups.values())


def attacks(position: Position, figure: str) -> Iterator[Action]:
    """One man at every enemy squad or lone unit, whose closest man is killed first."""
    man = position.unit(figure)
    for enemies in _groups(position, (man,)):
        title, view = f"Attack on {display_name(enemies[0].id)}", position.view(man.id, enemies[0].id)
        context = Context(position, (man,), enemies)
        yield action_for(title, "attack", context, preview="to_kill", view=view, blocked_by=_bar(position, man))


def at_targets(position: Position, figure: str, names: tuple[str, ...]) -> Iterator[Action]:
    """A sniper's attacks at enemies named in the order of his shots; of a squad the closest man is killed first."""
    man, named = position.unit(figure), set(names)
    squads = [enemies for enemies in _groups(position, (man,)) if named & {one.id for one in enemies}]
    known = {one.id for enemies in squads for one in enemies}
    if len(names) < 2 or man.squad or not _is_sniper(position, man) or not named <= known:
        return
    context = Context(position, (man,), tuple(one for enemies in squads for one in enemies))
    title = f"Attacks on {display_names(names)}"
    views = {"targets": [], "views": shots_at(context, names)}
    found = action_for(title, "sniper_attacks", context, views, blocked_by=_bar(position, man))
    yield replace(found, at=names, view=position.view(man.id, names[0]))


def _is_sniper(position: Position, man: Unit) -> bool:
    attacks: int = position.game.rules.tables.units[position.kind(man)["unit"]].attacks
    return attacks > 1


def others(position: Position, figure: str) -> Iterator[Action]:
    """The squad's attacks on an enemy squad or unit, or a sniper's; no man attacks twice."""
    man = position.unit(figure)
    if not man.squad and _is_sniper(position, man):
        for closest, *_ in _groups(position, (man,)):
            title = f"All his attacks on {display_name(closest.id)}"
            yield action_for(
                title, "sniper_attacks", Context(position, (man,), (closest,)), blocked_by=_bar(position, man)
            )
        return
    squad = [mate for mate in position.squad(man) if mate.id in position.figures]
    men = tuple(mate for mate in squad if not times_done(mate, *ATTACKS)) or (man,)
    for enemies in _groups(position, men):
        context = Context(position, men, enemies)
        yield action_for(
            "Attack with the squad", "squad_attack", context, blocked_by=_bar(position, man), has_odds=False
        )


# What a whole side does.


def obligations(position: Position) -> Iterator[Action]:
    """The choice of the first side; gaps left by casualties, when their side moves; victory."""
    state = position.state
    if not state.turn and STEPS not in state.statuses:
        yield from _beginnings(position)
    yield from _squads(position)
    yield action_for("Declare victory", "victory", Context(position))


def _beginnings(position: Position) -> Iterator[Action]:
    """Who begins, by the dice or as the players agree; the other sides follow in their order."""
    sides, context = position.state.sides, Context(position)
    if position.game.rules.chooses("first_player", "highest_die"):
        yield action_for("Who begins", "turn_sequence", context, has_odds=False, owed="SP-27")
        return
    for number, side in enumerate(sides):
        order = {"players": (*sides[number:], *sides[:number])}
        yield action_for(f"{display_name(side)} begins", "turn_sequence", context, order, has_odds=False)


def _squads(position: Position) -> Iterator[Action]:
    """Whether each squad that may close its gaps now keeps together; those left by casualties must be closed."""
    state = position.state
    at_once = position.game.rules.chooses("gaps_closed_by", "at_once")
    sides = state.sides if at_once else [state.side] if state.phase == MOVING else []
    for side in sides:
        standing = [unit for unit in state.standing(side) if unit.squad and unit.id in position.figures]
        lost = {unit.squad for unit in state.units.values() if unit.out and unit.side == side}
        for name in sorted({unit.squad for unit in standing}):
            men = tuple(unit for unit in standing if unit.squad == name)
            keeps = action_for(f"Does {name} keep together", "cohesion", Context(position, men))
            found = verdict_without_dice(position.game, keeps.name, keeps.given)
            apart = found is not None and not found.numbers["coherent"] and name in lost
            yield replace(keeps, title=f"Close the gaps of {name}", owed="SP-06") if apart else keeps


def next_phase(position: Position) -> PhaseBegun:
    """The phases in the order of the options, starting with the first player."""
    steps = position.state.statuses.get(STEPS)
    if steps is None:
        found = verdict_without_dice(position.game, "turn_sequence", {"players": list(position.state.sides)})
        steps = found.numbers["steps"] if found else [[side, "moving"] for side in position.state.sides]
    return next_step(position.state, [(side, phase) for side, phase in steps])


REFEREE: Referee[Tables] = Referee(
    sight=sight_rules,
    movement=movement,
    march=march,
    attacks=attacks,
    others=others,
    at_targets=at_targets,
    obligations=obligations,
    effects=effects_of,
    next_phase=next_phase,
    rounds=lambda position: (FIRE,) if position.state.phase == "attacking" else (),
    moves=lambda position: position.state.phase == MOVING or any(one.owed == "SP-06" for one in _squads(position)),
    this_turn=frozenset({ATTACKS_MADE, DICE_ROLLED, FIRED_AT, LED, MOVED}),
)
