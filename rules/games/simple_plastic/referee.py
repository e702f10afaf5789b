"""Simple Plastic Wargame: what a figure may do on a measured table; facts bind themselves, verdicts carry effects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rules.engine.effects import following
from rules.engine.events import PhaseBegun
from rules.engine.facts import Context, deed, times_done
from rules.engine.position import Position
from rules.engine.referee import FIRE, NO_FACINGS, Deed, Referee, verdict_without_dice
from rules.engine.state import Unit
from rules.engine.text import display_name
from rules.engine.verdict import Verdict, forbidden
from rules.engine.verdict_effects import effects_of
from rules.games.simple_plastic.attack import ATTACKS, MOVED
from rules.games.simple_plastic.sight import distance_in, sight_rules
from rules.games.simple_plastic.tables import Tables
from rules.games.simple_plastic.turn import STEPS
from rules.tabletop.path import Path


def _bar(moment: Position, unit: Unit) -> Verdict | None:
    """The players take their turns one after another."""
    side = moment.state.side
    text = f"it is the turn of {display_name(side)}"
    return None if unit.side == side else forbidden("not_your_turn", moment.game.rules.because("SP-01", text))


# Movement.


def movement(moment: Position, figure: str) -> Deed:
    """What is left of a man's span."""
    unit = moment.unit(figure)
    action = "squad_move" if unit.squad else "lone_unit_move"
    return deed("Move", action, Context(moment, (unit,)), bar=_bar(moment, unit))


def march(moment: Position, paths: Mapping[str, Path], facing_deg: Mapping[str, float] = NO_FACINGS) -> Deed:
    """A lone unit, or men of one squad, along these paths; men of it who have none stay."""
    first = moment.unit(next(iter(paths)))
    context = Context(moment, moment.squad(first), paths=paths)
    action, title = ("squad_move", f"Move the squad {first.squad}") if first.squad else ("lone_unit_move", "Move")
    return deed(title, action, context, facing_deg=facing_deg, bar=_bar(moment, first))


# Attacks.


def _groups(moment: Position, men: Sequence[Unit]) -> Iterator[tuple[Unit, ...]]:
    """The enemy squads and lone units, each with its men from the closest to the farthest."""
    closest_to = men[:1] if moment.game.rules.chooses("closest_to", "rolling_figure") else moment.squad(men[0])

    def near_in(enemy: Unit) -> float:
        return min(distance_in(Context(moment, (man,), (enemy,))) for man in closest_to)

    groups: dict[str, list[Unit]] = {}
    for enemy in moment.enemies(men[0]):
        groups.setdefault(enemy.squad or enemy.id, []).append(enemy)
    return (tuple(sorted(enemies, key=near_in)) for enemies in groups.values())


def attacks(moment: Position, figure: str) -> Iterator[Deed]:
    """One man at every enemy squad or lone unit, whose closest man is killed first."""
    man = moment.unit(figure)
    for enemies in _groups(moment, (man,)):
        title, view = f"Attack on {display_name(enemies[0].id)}", moment.view(man.id, enemies[0].id)
        context = Context(moment, (man,), enemies)
        yield deed(title, "attack", context, preview="to_kill", view=view, bar=_bar(moment, man))


def others(moment: Position, figure: str) -> Iterator[Deed]:
    """The whole squad at an enemy squad or unit, or a sniper's attacks; who has attacked does not attack again."""
    man, rules = moment.unit(figure), moment.game.rules
    if not man.squad and rules.tables.units[moment.kind(man)["unit"]].attacks > 1:
        for closest, *_ in _groups(moment, (man,)):
            title = f"All his attacks on {display_name(closest.id)}"
            yield deed(title, "sniper_attacks", Context(moment, (man,), (closest,)), bar=_bar(moment, man))
        return
    squad = [mate for mate in moment.squad(man) if mate.id in moment.figures]
    men = tuple(mate for mate in squad if not times_done(mate, *ATTACKS)) or (man,)
    for enemies in _groups(moment, men):
        context = Context(moment, men, enemies)
        yield deed("Attack with the squad", "squad_attack", context, bar=_bar(moment, man), listed=False)


# What a whole side does.


def duties(moment: Position) -> Iterator[Deed]:
    """Who begins, at first; gaps that casualties left, when their side moves; who has won."""
    state, rules = moment.state, moment.game.rules
    if not state.turn and STEPS not in state.statuses:
        owed = "SP-27" if rules.chooses("first_player", "highest_die") else ""
        yield deed("Who begins", "turn_sequence", Context(moment), listed=False, owed=owed)
    if state.phase == "moving":
        standing = [unit for unit in state.standing(state.side) if unit.squad and unit.id in moment.figures]
        lost = {unit.squad for unit in state.units.values() if unit.out}  # only what casualties left must be closed
        for name in sorted({unit.squad for unit in standing}):
            men = tuple(unit for unit in standing if unit.squad == name)
            keeps = deed(f"Does {name} keep together", "cohesion", Context(moment, men))
            found = verdict_without_dice(moment.game, keeps.action, keeps.given)
            apart = found is not None and not found.numbers["coherent"] and name in lost
            yield replace(keeps, title=f"Close the gaps of {name}", owed="SP-06") if apart else keeps
    yield deed("Who has won", "victory", Context(moment))


def next_phase(moment: Position) -> PhaseBegun:
    """The phases in the order that the options say, from the player who begins."""
    steps = moment.state.statuses.get(STEPS)
    if steps is None:
        found = verdict_without_dice(moment.game, "turn_sequence", {"players": list(moment.state.sides)})
        steps = found.numbers["steps"] if found else [[side, "moving"] for side in moment.state.sides]
    return following(moment.state, [(side, phase) for side, phase in steps])


REFEREE: Referee[Tables] = Referee(
    sight=sight_rules,
    movement=movement,
    march=march,
    attacks=attacks,
    others=others,
    duties=duties,
    effects=effects_of,
    next_phase=next_phase,
    rounds=lambda moment: (FIRE,) if moment.state.phase == "attacking" else (),
    this_turn=frozenset({MOVED}),
)
