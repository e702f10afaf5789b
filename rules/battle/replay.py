"""Replay of a battle: its actions are resolved again with the stored dice and compared with the stored verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rules.battle.battle import Battle, recorded
from rules.battle.progress import Step, no_step
from rules.engine.dice import Scripted, play
from rules.engine.events import ActionResolved, Event, Throw, VerdictRecord
from rules.engine.game import Game
from rules.tabletop.errors import UserError


@dataclass(frozen=True, slots=True)
class Difference:
    """An entry that the rules now resolve differently: the stored result and the new one."""

    seq: int
    was: str
    now: str


def differences(game: Game[Any], events: Mapping[int, Event], step: Step = no_step) -> tuple[Difference, ...]:
    """The entries that the rules now resolve differently with the same dice; undone entries are checked too.

    Args:
        game: The game with the battle's options and house rules.
        events: The events of the journal by entry number, undone ones included.
        step: Receives the progress and may cancel.

    Raises:
        UserError: whatever `step` raises.
    """
    found = []
    for done, (seq, event) in enumerate(events.items()):
        step(done, len(events))
        if isinstance(event, ActionResolved):
            found.append(_difference(game, seq, event))
    return tuple(one for one in found if one)


def replay(path: Path) -> tuple[Difference, ...]:
    """The differences of the battle in a file; empty if all verdicts are the same.

    Raises:
        UserError: as `Battle.open`.
    """
    with Battle.open(path, lambda: 0.0) as battle:
        return differences(battle.game, battle.events)


def _difference(game: Game[Any], seq: int, asked: ActionResolved) -> Difference | None:
    script = Scripted([face for throw in asked.throws for face in throw.faces])
    try:
        verdict, throws = play(recorded(game.begin(asked.action, asked.given)), script)
    except UserError as refusal:
        return Difference(seq, asked.verdict.outcome, f"refused: {refusal}")
    now = VerdictRecord.of(verdict)
    if _faces(throws) != _faces(asked.throws):
        return Difference(seq, _dice(asked.throws), _dice(throws))
    return None if _compared(now) == _compared(asked.verdict) else _first_difference(seq, asked.verdict, now)


def _faces(throws: Sequence[Throw]) -> list[tuple[str, str, tuple[int, ...]]]:
    return [(one.die, one.for_whom, one.faces) for one in throws]


def _compared(record: VerdictRecord) -> tuple[object, ...]:
    """What must be equal; the texts of reasons may have been reworded since.

    The journal keeps the paths of units that march together by name, so their reasons may come in another order.
    """
    return record.outcome, record.numbers, Counter((one.rule, one.modifier) for one in record.reasons)


def _dice(throws: Sequence[Throw]) -> str:
    return "; ".join(f"{one.for_whom}, {one.why}: {' '.join(map(str, one.faces))}" for one in throws) or "no dice"


def _first_difference(seq: int, was: VerdictRecord, now: VerdictRecord) -> Difference:
    """The first difference between two verdicts."""
    if was.outcome != now.outcome:
        return Difference(seq, was.outcome, now.outcome)
    for name in {**was.numbers, **now.numbers}:
        if was.numbers.get(name) != now.numbers.get(name):
            return Difference(seq, f"{name} {was.numbers.get(name)}", f"{name} {now.numbers.get(name)}")
    return Difference(seq, _reasons(was), _reasons(now))


def _reasons(record: VerdictRecord) -> str:
    return "; ".join(f"{one.rule} {one.text}" for one in record.reasons)
