"""A referee for games in which each figure moves and attacks by itself, one side after another.

`plain_referee` needs only the names of the game's actions and the order of its phases. A game with more keeps it and
replaces single functions: `dataclasses.replace(REFEREE, others=...)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from rules.engine.action import Action
from rules.engine.common import not_your_turn
from rules.engine.effects import next_step
from rules.engine.facts import Context, action_for
from rules.engine.position import Position
from rules.engine.referee import FIRE, NO_FACINGS, Referee, effects_of
from rules.engine.text import display_name
from rules.engine.verdict import forbidden
from rules.tabletop.path import Path
from rules.tabletop.scene import SightRules

Steps = Sequence[tuple[str, str]]
"""(side, phase) in the order of a turn; the side is empty if all sides act at once."""


def plain_referee(
    *,
    steps: Callable[[Position], Steps],
    obligations: Callable[[Position], Iterable[Action]],
    turn_rule: str,
    move: str = "move",
    attack: str = "shoot",
    preview: str = "",
    fire_phases: Sequence[str] = (),
) -> Referee[Any]:
    """A referee whose figures move alone and attack one enemy at a time; verdicts carry their effects.

    Args:
        steps: The sides and phases of the current turn.
        obligations: As `Referee.obligations`: initiative, victory.
        turn_rule: Id of the rule that the sides take turns.
        move: The rule for a move; its facts need a source for the path, as `rules.engine.common.PATH_COST`.
        attack: The rule for an attack at one target.
        preview: The rule that returns what an attack needs without dice; empty if there is none.
        fire_phases: The phases with a round of fire; without any, all phases have one.
    """

    blocked_by = partial(not_your_turn, rule=turn_rule)

    def movement(position: Position, figure: str) -> Action:
        unit = position.unit(figure)
        return action_for("Move", move, Context(position, (unit,)), blocked_by=blocked_by(position, unit))

    def march(position: Position, paths: Mapping[str, Path], facing_deg: Mapping[str, float] = NO_FACINGS) -> Action:
        unit = position.unit(next(iter(paths)))
        blocked = blocked_by(position, unit)
        if len(paths) > 1:
            text = "figures move one at a time"
            blocked = forbidden("one_at_a_time", position.game.rules.because(turn_rule, text))
        context = Context(position, (unit,), paths=paths)
        return action_for("Move", move, context, facing_deg=facing_deg, blocked_by=blocked)

    def attacks(position: Position, figure: str) -> Iterator[Action]:
        unit = position.unit(figure)
        for enemy in position.enemies(unit):
            context, view = Context(position, (unit,), (enemy,)), position.view(unit.id, enemy.id)
            title = f"Attack on {display_name(enemy.id)}"
            blocked = blocked_by(position, unit)
            yield action_for(title, attack, context, preview=preview, view=view, blocked_by=blocked)

    return Referee(
        sight=lambda _: SightRules(),
        movement=movement,
        march=march,
        attacks=attacks,
        others=lambda _position, _figure: (),
        obligations=obligations,
        effects=effects_of,
        next_phase=lambda position: next_step(position.state, steps(position)),
        rounds=lambda position: (FIRE,) if not fire_phases or position.state.phase in fire_phases else (),
    )
