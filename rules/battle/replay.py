"""A battle's questions asked anew with the faces that fell: where the rules now answer otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rules.battle.battle import Battle, played
from rules.battle.progress import Step, no_step
from rules.engine.dice import Scripted
from rules.engine.events import Asked, Event, Throw, Told
from rules.engine.game import Game
from rules.tabletop.errors import UserError


@dataclass(frozen=True, slots=True)
class Difference:
    """An entry whose question the rules now answer otherwise: what was told, and what is."""

    seq: int
    was: str
    now: str


def differences(game: Game[Any], events: Mapping[int, Event], step: Step = no_step) -> tuple[Difference, ...]:
    """Where the rules now answer a journal's question otherwise for the same dice; questions that were undone count.

    Args:
        game: With the battle's options and house rules.
        events: Of the journal by the numbers of their entries, those that were undone included.
        step: Called now and then with the progress; it may end the work.

    Raises:
        UserError: what `step` raises.
    """
    found = []
    for done, (seq, event) in enumerate(events.items()):
        step(done, len(events))
        if isinstance(event, Asked):
            found.append(_difference(game, seq, event))
    return tuple(one for one in found if one)


def replay(path: Path) -> tuple[Difference, ...]:
    """The differences of the battle in a file; none where it replays to the same state.

    Raises:
        UserError: as `Battle.open`.
    """
    with Battle.open(path, lambda: 0.0) as battle:
        return differences(battle.game, battle.events)


def _difference(game: Game[Any], seq: int, asked: Asked) -> Difference | None:
    script = Scripted([face for throw in asked.throws for face in throw.faces])
    try:
        verdict, throws = played(game, asked.action, asked.given, script)
    except UserError as refusal:
        return Difference(seq, asked.verdict.outcome, f"refused: {refusal}")
    told = Told.of(verdict)
    if throws != asked.throws:
        return Difference(seq, _dice(asked.throws), _dice(throws))
    return None if told == asked.verdict else _verdicts_apart(seq, asked.verdict, told)


def _dice(throws: Sequence[Throw]) -> str:
    return "; ".join(f"{one.for_whom}, {one.why}: {' '.join(map(str, one.faces))}" for one in throws) or "no dice"


def _verdicts_apart(seq: int, was: Told, now: Told) -> Difference:
    """The first thing in which two verdicts differ, in words."""
    if was.outcome != now.outcome:
        return Difference(seq, was.outcome, now.outcome)
    for name in {**was.numbers, **now.numbers}:
        if was.numbers.get(name) != now.numbers.get(name):
            return Difference(seq, f"{name} {was.numbers.get(name)}", f"{name} {now.numbers.get(name)}")
    return Difference(seq, _reasons(was), _reasons(now))


def _reasons(told: Told) -> str:
    return "; ".join(f"{one.rule} {one.text}" for one in told.reasons)
