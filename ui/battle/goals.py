"""What each side has to do, in words, and how that is agreed on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rules.battle.battle import Battle
from rules.battle.referees import referee_of
from rules.engine.events import Changed
from rules.engine.objectives import Aim, Task, agreed, aims_of
from rules.engine.position import Moment
from rules.engine.referee import prospect
from rules.engine.text import outcome_words, spoken
from ui.battle.battle_session import Play


def tasks_in(battle: Battle) -> tuple[Task, ...]:
    """What a side may have to do in the battle's game; none where the game leaves that to its players."""
    return referee_of(battle.game.name).tasks(battle.game.rules)


def agreed_aims(battle: Battle) -> tuple[Aim, ...]:
    """What each side has to do as it was agreed."""
    return aims_of(battle.state, tasks_in(battle))


def agree(battle: Battle, aims: Sequence[Aim]) -> int:
    """Let the sides have these aims, an entry for each that is new; how many were.

    Raises:
        UserError: as `rules.engine.objectives.agreed`; then nothing has happened.
    """
    now, tasks = agreed_aims(battle), tasks_in(battle)
    news = [changes for aim in aims if aim not in now and (changes := agreed(battle.state, tasks, aim))]
    for changes in news:
        battle.record(Changed(changes=changes))
    return len(news)


def aim_words(aim: Aim, tasks: Sequence[Task]) -> str:
    """As "Green is to take or hold a place: the stone bridge" or "Tan wins when no enemy is left"; empty for none."""
    row = next((one for one in tasks if one.name == aim.task), None)
    number = f" ({aim.number} {row.number})" if row is not None and row.number and aim.number else ""
    parts = [f"{row.words}{number}" if row is not None else "", aim.words]
    told = ": ".join(filter(None, parts))
    leads = f" {row.leads}" if row is not None else ":"
    return f"{spoken(aim.side)}{leads} {told}" if told else ""


def goal_lines(play: Play) -> tuple[str, ...]:
    """What each side has to do, in a line each."""
    tasks = tasks_in(play.battle)
    return tuple(filter(None, (aim_words(aim, tasks) for aim in agreed_aims(play.battle))))


def standings(play: Play, moment: Moment) -> dict[str, str]:
    """How each side stands with its task, where the game can tell without asking, as "not yet"."""
    duties = [prospect(moment, deed) for deed in play.referee.duties(moment) if deed.given.get("side")]
    return {
        str(one.deed.given["side"]): outcome_words(one.before.outcome)
        for one in duties
        if one.deed.action.startswith("victory") and one.before is not None
    }


def usual_numbers(task: Task, figures: Mapping[str, int]) -> dict[str, int]:
    """The number that is usual for each side of so many figures."""
    total = sum(figures.values())
    return {side: max(1, task.usual_number(own, total - own)) for side, own in figures.items()}
