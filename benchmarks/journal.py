"""Time of the battle journal as it grows: adding an entry, adding an event, undo, and opening it.

Run with `python -m benchmarks.journal [--folder DIR]` to measure the disk of that folder. The baselines of the same
run are a bare insert with its commit into a plain SQLite file (with default settings), and reading all rows and their
JSON. Writing is measured in wall-clock time because it waits for the disk, the rest in processor time.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.page import Table, number
from benchmarks.stopwatch import time_with_baseline
from rules.battle.battle import Battle
from rules.battle.journal import Journal
from rules.engine.dice import Scripted
from rules.engine.events import (
    ActionResolved,
    Effects,
    Event,
    Move,
    Moved,
    Noted,
    PhaseBegun,
    UnitJoined,
    VerdictRecord,
)
from rules.engine.verdict import Verdict

GAME, SIDES = "simple_plastic", ("green", "tan")
LENGTHS = (100, 1000, 10_000)
NEXT = Noted(text="an entry more")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="where the battles are kept while it lasts")
    for one in tables(LENGTHS, 15, parser.parse_args().folder):
        print(one.markdown(), end="\n\n")


def tables(lengths: Sequence[int], rounds: int, folder: Path | None = None) -> tuple[Table, Table]:
    """The page's tables: writing, and reading."""
    writing, reading = [], []
    for length in lengths:
        with tempfile.TemporaryDirectory(dir=folder) as place:
            path = Path(place) / "evening.battle"
            prepare(path, length)
            writing.append((str(length), *_written(path, rounds)))
            reading.append((str(length), *_read(path, max(3, rounds // 3))))
    words = f"One bare insert with its commit: {writing[0][-1]} ms here."
    own = [f"{what}, processor ms" for what in ("an event", "undo", "redo")]
    head = ("events so far", "an entry, x bare insert", "an event, checked and folded", *own)
    return (
        Table("journal", head, [row[:-1] for row in writing], words),
        Table("replay", ("events", "opened, x reading its rows", "processor ms"), reading),
    )


def prepare(path: Path, length: int) -> None:
    """Write a battle of forty figures that move and fire, in one transaction: thousands of flushes take minutes."""
    with Battle.begin(path, lambda: 0.0, GAME, SIDES) as battle:
        shot = battle.game.ask("attack", {"attacker": "ordinary", "attacker_moved": True}, Scripted([2]))
    events = itertools.islice(_evening(shot), length - 1)
    with Journal(path, lambda: 0.0) as journal:
        journal.append_all((one.kind, one.to_body()) for one in events)


def _evening(shot: Verdict) -> Iterator[Event]:
    men = [f"{side}-{n}" for side in SIDES for n in range(1, 21)]
    for man in men:
        yield UnitJoined(figure=man, side=man.partition("-")[0], card="soldier")
    for turn in itertools.count(1):
        for side in SIDES:
            yield PhaseBegun(turn=turn, side=side, phase="moving")
            mine = [(n, man) for n, man in enumerate(men) if man.startswith(side)]
            for n, man in mine:
                here, there = (2.0 + n, 10.0 + 4 * (turn % 2)), (2.0 + n, 14.0 - 4 * (turn % 2))
                yield Moved(moves=(Move(figure=man, from_in=here, to_in=there, moved_in=4.0, cost_in=4.0),))
            yield PhaseBegun(turn=turn, side=side, phase="attacking")
            for _, man in mine:
                yield ActionResolved(
                    action="attack", given={}, by=(man,), throws=(), verdict=VerdictRecord.of(shot), effects=Effects()
                )


def _written(path: Path, rounds: int) -> tuple[str, ...]:
    """Cells of one row: an entry and an event as ratios to a bare insert; event, undo and redo in milliseconds."""
    plain = sqlite3.connect(path.with_suffix(".plain"), isolation_level=None)
    plain.execute("CREATE TABLE entry (seq INTEGER PRIMARY KEY, time_s REAL, kind TEXT, version INTEGER, body TEXT)")
    row = (0.0, NEXT.kind, NEXT.version, json.dumps(NEXT.to_body()))

    def bare() -> None:
        plain.execute("INSERT INTO entry (time_s, kind, version, body) VALUES (?, ?, ?, ?)", row)

    with Journal(path.with_suffix(".journal"), lambda: 0.0) as journal:
        entry = time_with_baseline(
            lambda: journal.append(NEXT.kind, NEXT.to_body()), bare, rounds=rounds, clock=time.perf_counter
        )
    with Battle.open(path, lambda: 0.0) as battle:
        event = time_with_baseline(lambda: battle.record(NEXT), bare, rounds=rounds, clock=time.perf_counter)
        own = [
            time_with_baseline(work, bare, rounds=rounds)
            for work in (lambda: battle.record(NEXT), battle.undo, battle.redo)
        ]
    plain.close()
    return (number(entry.ratio), number(event.ratio), *(number(one.ms) for one in own), number(entry.baseline_ms))


def _read(path: Path, rounds: int) -> tuple[str, ...]:
    """Cells of one row: opening a battle as a ratio to reading its rows, and in milliseconds."""

    def rows() -> None:
        file = sqlite3.connect(path)
        for (body,) in file.execute("SELECT body FROM entry ORDER BY seq"):
            json.loads(body)
        file.close()

    opened = time_with_baseline(lambda: Battle.open(path, lambda: 0.0).close(), rows, rounds=rounds)
    return (number(opened.ratio), number(opened.ms))


if __name__ == "__main__":
    main()
