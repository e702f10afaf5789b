"""Time of solving for the camera, for one to eight markers.

Run with `python -m benchmarks.solving`. The baseline, in the same run, is `cv2.solvePnP` on all corners, which needs
the lens and every marker's place, and gives no uncertainty. In some columns this program gets these values too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from benchmarks.page import Table, number
from benchmarks.stopwatch import time_with_baseline
from benchmarks.watch import COUNTS, SIZE_IN, markers_of
from calibration.calibration_targets import CalibrationTargets, fix, see
from calibration.opencv import cv2
from vision.simulation.scene import Scene
from vision.simulation.simulator import overhead_camera, render
from vision.simulation.surface import Surface

MANY = 20
"""Baseline runs per measurement; one alone is too short for the clock."""


def main() -> None:
    print(table(COUNTS, 7).markdown())


def table(counts: Sequence[int], rounds: int) -> Table:
    """The page's table, by what is known beforehand."""
    camera, rows = overhead_camera(), []
    lens = camera.lens
    for count in counts:
        markers = markers_of(count)
        frame = render(Scene(SIZE_IN, Surface.WOOD, markers=markers), camera, np.random.default_rng(0))
        free, known = (
            CalibrationTargets(),
            CalibrationTargets(layout={marker.id: marker.corners_in for marker in markers}),
        )
        sight = see(np.asarray(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), np.uint8), free)
        points = np.concatenate([np.c_[marker.corners_in, np.zeros(4)] for marker in markers])
        pixels = np.concatenate([sight.corners_px[marker.id] for marker in markers])
        pnp = partial(cv2.solvePnP, points, pixels, lens.matrix, lens.distortion)
        ways = ((known, lens), (free, lens), (known, None), (free, None))
        solved = [time_with_baseline(partial(fix, sight, *way), pnp, rounds=rounds, repeats=MANY) for way in ways]
        rows.append((str(count), *(f"{number(one.ratio)} ({number(one.ms)} ms)" for one in solved)))
    head = ("markers", "lens and positions known, x solvePnP", "lens known", "positions known", "neither")
    return Table("solve", head, rows)


if __name__ == "__main__":
    main()
