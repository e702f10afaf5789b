"""Run all benchmarks (`make bench`), write docs/performance.md and check the design's budgets; takes a few minutes.

    python -m benchmarks.all [--quick] [--only PART,PART] [--scenes FOLDER] [--page FILE]

Every number is a ratio to a baseline of the same run, or appears next to one. `--quick` takes a minute, prints fewer
lines, and does not write the page. `--scenes` also compares the finder on a folder of rendered scenes.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks import (
    available_actions,
    finding,
    ground,
    ids,
    journal,
    paint,
    questions,
    sequence,
    sight,
    solving,
    starting,
    watch,
)
from benchmarks.page import Table, budget_table, write
from calibration.opencv import cv2

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
_BUSY = 0.5
"""Load per core above which the machine is busy with other work."""


def main() -> None:
    """Run the parts, print their tables, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--scenes", type=Path, metavar="FOLDER")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    parts = parts_of(options.quick, options.scenes)
    chosen = options.only.split(",") if options.only else [*parts]
    if strange := set(chosen) - set(parts):
        parser.error(f"there is no part {', '.join(sorted(strange))}: choose from {', '.join(parts)}")
    machine = _machine()
    print(machine.words, flush=True)
    tables: list[Table] = [] if options.only else [machine]
    for name in chosen:
        began_s, before = time.monotonic(), os.times()
        made = parts[name]()
        for one in made:
            print(f"\n{one.markdown()}", flush=True)
        own_s = sum(os.times()[:4]) - sum(before[:4])
        print(f"({name}: {time.monotonic() - began_s:.0f} s, {own_s:.0f} s of the processor)", flush=True)
        tables += made
    measured = [budget for one in tables for budget in one.budgets]
    print(f"\n{budget_table(measured).markdown()}")
    if not options.quick:
        write(options.page, [*tables, budget_table(measured, options.page)])


def parts_of(quick: bool, scenes: Path | None) -> dict[str, Callable[[], Sequence[Table]]]:
    """The benchmarks by name; each returns its tables."""
    counts: Sequence[int] = (60,) if quick else sequence.FIGURES
    markers: Sequence[int] = (1, 4) if quick else watch.COUNTS
    rounds = 3 if quick else 7
    return {
        "sequence": lambda: [sequence.table(counts, 11 if quick else 21)],
        "search": lambda: [sequence.search_table(counts, 1 if quick else 3)],
        "markers": lambda: [watch.table(markers, rounds)],
        "solve": lambda: [solving.table(markers, rounds)],
        "sight": lambda: [sight.table(((60, 30, 1.0),) if quick else sight.SIZES, rounds)],
        "ground": lambda: [ground.table(rounds)],
        "resolve": lambda: [questions.table(rounds)],
        "actions": lambda: [available_actions.table(rounds)],
        "journal": lambda: journal.tables((100, 1000) if quick else journal.LENGTHS, 6 if quick else 15),
        "paint": lambda: [paint.table(counts, rounds)],
        "start": lambda: [starting.table(1 if quick else 3)],
        "finding": lambda: [finding.table(1 if quick else 6, scenes)],
        "ids": lambda: _ids(2 if quick else 10),
    }


def _ids(rounds: int) -> list[Table]:
    """The ids table; without the other libraries none, so that the page keeps its old one."""
    if missing := ids.missing():
        print(f"\nids: {' and '.join(missing)} not installed here, so the page keeps its table; see benchmarks/ids.py")
        return []
    return [ids.table(rounds)]


def _machine() -> Table:
    """A description of the machine, without its name or the date."""
    cores = os.cpu_count() or 1
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    busy = f", busy with other work as well (load {load:.1f})" if load > _BUSY * cores else ""
    words = (
        f"Last written on {cores} processor cores{busy}: Python {platform.python_version()}, OpenCV {cv2.__version__}, "
        f"numpy {np.__version__}, {platform.system()}."
    )
    return Table("machine", (), (), words)


if __name__ == "__main__":
    main()
