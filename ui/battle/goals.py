"""The goals of each side: agreeing on them, showing them, and how far they are met."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rules.battle.battle import Battle
from rules.battle.referees import referee_of
from rules.engine.events import Changed
from rules.engine.objectives import Objective, Task, objective_changes, objectives_of
from rules.engine.position import Position
from rules.engine.referee import preview_of
from rules.engine.text import display_name, outcome_words
from ui.battle.battle_session import BattleSession


def tasks_in(battle: Battle) -> tuple[Task, ...]:
    """The goals that the battle's game offers; none if it leaves them to the players."""
    return referee_of(battle.game.name).tasks(battle.game.rules)


def agreed_aims(battle: Battle) -> tuple[Objective, ...]:
    """The goals on which the players agreed."""
    return objectives_of(battle.state, tasks_in(battle))


def agree(battle: Battle, aims: Sequence[Objective]) -> int:
    """Journal an entry for each new goal and return their number.

    Raises:
        UserError: as `rules.engine.objectives.objective_changes`; then nothing is journalled.
    """
    now, tasks = agreed_aims(battle), tasks_in(battle)
    new = [changes for aim in aims if aim not in now and (changes := objective_changes(battle.state, tasks, aim))]
    for changes in new:
        battle.record(Changed(changes=changes))
    return len(new)


def aim_words(aim: Objective, tasks: Sequence[Task]) -> str:
    """Such as "Green is to take or hold a place: the stone bridge", "Tan wins when no enemy is left"; or empty."""
    row = next((task for task in tasks if task.name == aim.task), None)
    number = f" ({aim.number} {row.number})" if row is not None and row.number and aim.number else ""
    parts = [f"{row.words}{number}" if row is not None else "", aim.words]
    goal = ": ".join(filter(None, parts))
    leads = f" {row.leads}" if row is not None else ":"
    return f"{display_name(aim.side)}{leads} {goal}" if goal else ""


def goal_lines(play: BattleSession) -> tuple[str, ...]:
    """The goal of each side, a line each."""
    tasks = tasks_in(play.battle)
    return tuple(filter(None, (aim_words(aim, tasks) for aim in agreed_aims(play.battle))))


def standings(play: BattleSession, position: Position) -> dict[str, str]:
    """How far each side has met its goal, such as "not yet", if the game knows it without questions."""
    obligations = [
        preview_of(position, action) for action in play.referee.obligations(position) if action.given.get("side")
    ]
    return {
        str(obligation.action.given["side"]): outcome_words(obligation.before.outcome)
        for obligation in obligations
        if obligation.action.name.startswith("victory") and obligation.before is not None
    }


def usual_numbers(task: Task, figures: Mapping[str, int]) -> dict[str, int]:
    """The goal's default number for each side, from the sides' numbers of figures."""
    total = sum(figures.values())
    return {side: max(1, task.usual_number(own, total - own)) for side, own in figures.items()}
