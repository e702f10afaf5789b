"""What the sides of a battle are to do: tasks that a game knows, and what the players have agreed on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from rules.engine.effects import goal_of
from rules.engine.events import Change
from rules.engine.state import State
from rules.tabletop.errors import UserError


class HalfOf(StrEnum):
    """Whose number is halved for what is usual."""

    ENEMIES = "enemies"
    OWN = "own"


@dataclass(frozen=True, slots=True)
class Task:
    """Something that a side may have to do.

    Attributes:
        name: Its row in the game's table of goals.
        words: What is to be done, or is so when it is.
        rule: Id of the rule.
        number: What its number counts, as "turns"; empty where it has none.
        number_key: The battle's status that holds the number of a side.
        usual: The number until another is agreed.
        half_of: Where the usual number is half of somebody's figures instead.
        leads: What stands between the side and `words` in a sentence: "wins when" or "is to".
    """

    name: str
    words: str
    rule: str
    number: str = ""
    number_key: Callable[[str], str] | None = None
    usual: int = 1
    half_of: HalfOf | None = None
    leads: str = "wins when"

    def usual_number(self, own: int, enemies: int) -> int:
        """What is agreed on most often, of so many figures."""
        if self.half_of is None:
            return self.usual
        return ((own if self.half_of is HalfOf.OWN else enemies) + 1) // 2


@dataclass(frozen=True, slots=True)
class Aim:
    """What a side has to do.

    Attributes:
        side: Whose.
        task: Its name; empty in games that know no tasks.
        number: How many, where the task has a number.
        words: What the players add in their own words, as which bridge.
    """

    side: str
    task: str = ""
    number: int | None = None
    words: str = ""


def words_key(side: str) -> str:
    """The battle's status that holds what the players add to a side's task."""
    return f"task_of_{side}"


def aims_of(state: State, tasks: tuple[Task, ...]) -> tuple[Aim, ...]:
    """What each side has to do as it was agreed; where nothing was, the first task, which is the usual one."""
    return tuple(_aim_of(state.statuses, side, tasks) for side in state.sides)


def _aim_of(told: Mapping[str, Any], side: str, tasks: tuple[Task, ...]) -> Aim:
    task = str(told.get(goal_of(side), tasks[0].name)) if tasks else ""
    row = next((one for one in tasks if one.name == task), None)
    number = told.get(row.number_key(side)) if row is not None and row.number_key is not None else None
    return Aim(side, task, None if number is None else int(number), str(told.get(words_key(side), "")))


def agreed(state: State, tasks: tuple[Task, ...], aim: Aim) -> tuple[Change, ...]:
    """What is new about the battle when a side has another aim; nothing where it is as before.

    Raises:
        UserError: if the game has no such task, or the task needs a number.
    """
    changes = [Change(figure="", key=words_key(aim.side), value=aim.words.strip() or None)]
    if tasks:
        row = next((one for one in tasks if one.name == aim.task), None)
        if row is None:
            raise UserError(f"there is no task {aim.task!r}: choose one of {', '.join(one.name for one in tasks)}")
        changes.insert(0, Change(figure="", key=goal_of(aim.side), value=row.name, rule=row.rule))
        if row.number_key is not None:
            if not aim.number or aim.number < 1:
                raise UserError(f"the task of {aim.side} needs a number: say how many {row.number}")
            number = Change(figure="", key=row.number_key(aim.side), value=aim.number, rule=row.rule)
            changes.insert(1, number)
    return tuple(one for one in changes if state.statuses.get(one.key) != one.value)
