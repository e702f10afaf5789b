"""Objectives of the sides: the tasks that a game offers, and what the players agreed on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from rules.engine.effects import goal_key
from rules.engine.events import Change
from rules.engine.state import State
from rules.tabletop.errors import user_error

OBJECTIVE = "objective"
"""Name of the action that sets a side's objective; a dialog of all objectives can take its place."""


@dataclass(frozen=True, slots=True)
class Task:
    """A kind of objective that a game offers.

    Attributes:
        name: Its row in the game's table of goals.
        words: The condition or action that fulfils it, as the end of a sentence.
        rule: Id of the rule.
        number: What its number counts, such as "turns"; empty if it has no number.
        number_key: Returns the battle's status that stores the number of a side.
        usual: The default number.
        half_of: Of whose figures the default number is half, if it is not `usual`.
        leads: The words between the side and `words` in a sentence: "wins when" or "is to".
        at_place: Whether it concerns a place, which the players' own words may name.
    """

    name: str
    words: str
    rule: str
    number: str = ""
    number_key: Callable[[str], str] | None = None
    usual: int = 1
    half_of: Literal["own", "enemies"] | None = None
    leads: str = "wins when"
    at_place: bool = False

    def usual_number(self, own: int, enemies: int) -> int:
        """The default number for these numbers of figures."""
        if self.half_of is None:
            return self.usual
        return ((own if self.half_of == "own" else enemies) + 1) // 2


@dataclass(frozen=True, slots=True)
class Objective:
    """The objective of a side.

    Attributes:
        side: The side.
        task: Name of the task; empty in games without tasks.
        number: The task's number, if it has one.
        words: The players' own description, such as which bridge.
    """

    side: str
    task: str = ""
    number: int | None = None
    words: str = ""


def description_key(side: str) -> str:
    """Name of the battle's status that stores the players' description of a side's objective."""
    return f"task_of_{side}"


def objectives_of(state: State, tasks: tuple[Task, ...]) -> tuple[Objective, ...]:
    """The agreed objective of each side; by default the first task of the game."""
    return tuple(_aim_of(state.statuses, side, tasks) for side in state.sides)


def _aim_of(statuses: Mapping[str, Any], side: str, tasks: tuple[Task, ...]) -> Objective:
    task = str(statuses.get(goal_key(side), tasks[0].name)) if tasks else ""
    row = next((one for one in tasks if one.name == task), None)
    number = statuses.get(row.number_key(side)) if row is not None and row.number_key is not None else None
    return Objective(side, task, None if number is None else int(number), str(statuses.get(description_key(side), "")))


def objective_changes(state: State, tasks: tuple[Task, ...], aim: Objective) -> tuple[Change, ...]:
    """The changes that give a side a new objective; empty if it is the same as before.

    Raises:
        UserError: if the game does not have the task, or the task needs a number.
    """
    changes = [Change(figure="", key=description_key(aim.side), value=aim.words.strip() or None)]
    if tasks:
        row = next((one for one in tasks if one.name == aim.task), None)
        if row is None:
            raise user_error(
                "there is no task {task!r}: choose one of {tasks}",
                task=aim.task,
                tasks=", ".join(one.name for one in tasks),
            )
        changes.insert(0, Change(figure="", key=goal_key(aim.side), value=row.name, rule=row.rule))
        if row.number_key is not None:
            if not aim.number or aim.number < 1:
                raise user_error(
                    "the task of {side} needs a number: enter how many {what}", side=aim.side, what=row.number
                )
            number = Change(figure="", key=row.number_key(aim.side), value=aim.number, rule=row.rule)
            changes.insert(1, number)
    return tuple(one for one in changes if state.statuses.get(one.key) != one.value)
