"""Compare the finder with a tutorial's method on the same pictures: soldiers found, their places, and the time.

Run with `python -m benchmarks.finding [--tables N] [FOLDER]`: the pictures in `samples/`, N simulated tables, and the
rendered scenes of FOLDER (as `benchmarks.scenes` reads them). Both methods get one click per army and the markers'
places; this program also gets the lens and a picture of the empty table. Times are processor times of a first analysis.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np

from benchmarks.accuracy import Tally, count_in, spread
from benchmarks.page import Table, number
from benchmarks.scenes import Known, rendered, samples, simulated
from benchmarks.tutorial import find_by_colour
from calibration.opencv import cv2
from rules.tabletop.table import Figure
from vision.frame import Frame
from vision.pipeline import Pipeline

LABS = 5
"""Runs of the baseline per picture."""
Way = Callable[[Known], list[Figure]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=6)
    parser.add_argument("folder", type=Path, nargs="?")
    options = parser.parse_args()
    print(table(options.tables, options.folder).markdown())


def table(tables: int, folder: Path | None = None) -> Table:
    """The page's table: each set of pictures with each method."""
    sets = {"the pictures in samples/": samples(), f"{tables} simulated tables": simulated(tables)}
    if folder is not None:
        sets["rendered scenes"] = rendered(folder)
    ways: Mapping[str, Way] = {
        "tutorial": _tutorial,
        "this program, same input": lambda known: _ours(known, more=False),
        "this program, lens and empty table known": lambda known: _ours(known, more=True),
    }
    rows = [(name, *row) for name, pictures in sets.items() for row in _rows(pictures, ways)]
    head = (
        "pictures",
        "",
        "F1",
        "found",
        "missed",
        "phantom",
        "army right",
        "position, median / 95 % in",
        "time, x Lab",
    )
    return Table("finding", head, rows)


def _rows(pictures: Iterable[Known], ways: Mapping[str, Way]) -> list[tuple[str, ...]]:
    tallies = {name: Tally() for name in ways}
    taken_s = dict.fromkeys(ways, 0.0)
    lab_s = 0.0
    for known in pictures:
        for name, way in ways.items():
            began_s = time.process_time()
            found = way(known)
            taken_s[name] += time.process_time() - began_s
            count_in(tallies[name], known.counting(found), known.figures)
        began_s = time.process_time()
        for _ in range(LABS):
            cv2.cvtColor(known.image_bgr, cv2.COLOR_BGR2LAB)
        lab_s += (time.process_time() - began_s) / LABS
    return [
        (
            name,
            f"{tally.f1:.2f}",
            str(len(tally.place_in)),
            str(tally.missed),
            str(tally.phantom),
            f"{np.mean(tally.army):.2f}" if tally.army else "-",
            spread(tally.place_in) if tally.place_in else "-",
            number(taken_s[name] / lab_s),
        )
        for name, tally in tallies.items()
    ]


def _tutorial(known: Known) -> list[Figure]:
    return find_by_colour(known.image_bgr, known.clicks, known.layout, cv2.aruco.DICT_4X4_50)


def _ours(known: Known, *, more: bool) -> list[Figure]:
    setup = known.setup(known.lens, known.empty_bgr) if more else known.setup(None, None)
    return list(Pipeline().process(Frame(known.image_bgr, 0, 0.0), setup).figures)


if __name__ == "__main__":
    main()
