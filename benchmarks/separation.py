"""Check the program's statement on colour separation against recall: `python -m benchmarks.separation [FOLDER]`.

One click for each army on simulated tables, or on the scenes in FOLDER (as `benchmarks.finding` takes them): a line for
each army with its stated separation from the table and how many of its soldiers are found; then a summary by statement.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np

from benchmarks.scenes import Known, rendered, simulated
from vision.frame import Frame
from vision.pipeline import Pipeline

_NEAR_IN = 1.0


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    folder = parser.parse_args().folder
    sums: dict[tuple[bool, str], list[int]] = defaultdict(lambda: [0, 0])
    for known in simulated(12) if folder is None else rendered(folder):
        for with_empty_table in (False, True):
            for army, level, score, found, there in _rows(known, with_empty_table=with_empty_table):
                print(f"{'with the empty table' if with_empty_table else 'clicks only':24}{army:8}{level:6}{score:6.2f}"
                      f"{found:5} of {there}")  # fmt: skip
                sums[with_empty_table, level][0] += found
                sums[with_empty_table, level][1] += there
    for (with_empty_table, level), (found, there) in sorted(sums.items()):
        print(f"{'with the empty table' if with_empty_table else 'clicks only':24}{level:14}{found:5} of {there}")


def _rows(known: Known, *, with_empty_table: bool) -> list[tuple[str, str, float, int, int]]:
    setup = known.setup(known.lens, known.empty_bgr if with_empty_table else None)
    view = Pipeline().process(Frame(known.image_bgr, 0, 0.0), setup)
    places = np.array([figure.centre_in for figure in view.figures]).reshape(-1, 2)
    rows = []
    for one in view.separations:
        if one.other is None:
            there = [np.array(figure.centre_in) for figure in known.figures if figure.army == one.army]
            found = sum(bool((np.hypot(*(places - place).T) < _NEAR_IN).any()) for place in there)
            rows.append((one.army, str(one.level), one.score, found, len(there)))
    return rows


if __name__ == "__main__":
    main()
