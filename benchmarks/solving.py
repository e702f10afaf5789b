"""Time of watching the markers, finding them, and solving for the camera, for one to eight of them.

Run with `python -m benchmarks.solving`. The baselines, in the same run: one conversion of the 1080p frame from BGR to
Lab for watching and finding; for solving, `cv2.solvePnP` on all corners, which must be told the lens and every marker's
place, and tells no error. Where these are known, they are given to this program too (first column).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.page import Table, number
from benchmarks.stopwatch import beside
from benchmarks.watch import SIZE_IN
from calibration.markers import ImageGray
from calibration.opencv import cv2
from calibration.prints import Prints, fix, see, see_again
from calibration.watch import lookout
from vision.simulator import overhead_camera, render
from vision.surface import Surface
from vision.table_scene import PrintedMarker, Scene, corner_markers

COUNTS = (1, 2, 4, 8)
MANY = 20
"""Calls of the quick ones to a round: one alone is too short for the clock."""


def main() -> None:
    for one in tables(COUNTS, 9):
        print(one.markdown(), end="\n\n")


def tables(counts: Sequence[int], rounds: int) -> tuple[Table, Table]:
    """For the page: watching and finding, and solving."""
    camera = overhead_camera()
    more = tuple(PrintedMarker(4 + n, (9 + 10.0 * n, 18.0)) for n in range(4))
    watching, solving = [], []
    for count in counts:
        markers = (corner_markers(SIZE_IN) + more)[:count]
        frame = render(Scene(SIZE_IN, Surface.WOOD, markers=markers), camera, np.random.default_rng(0))
        gray: ImageGray = np.asarray(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), np.uint8)
        prints = Prints()
        known = Prints(layout={marker.id: marker.corners_in for marker in markers})
        sight = see(gray, prints)
        glances = lookout(sight.corners_px, prints.dictionary, camera.lens.image_size)

        def lab(picture=frame) -> object:  # type: ignore[no-untyped-def]
            return cv2.cvtColor(picture, cv2.COLOR_BGR2LAB)

        glance = beside(lambda g=glances, p=gray: g.glance(p), lab, rounds=rounds, times=MANY, repeats=5)  # type: ignore[misc]
        again = beside(lambda p=gray, s=sight: see_again(p, prints, s), lab, rounds=rounds, repeats=5)  # type: ignore[misc] # noqa: B023
        whole = beside(lambda p=gray: see(p, prints), lab, rounds=rounds, repeats=5)  # type: ignore[misc] # noqa: B023
        watching.append((str(len(sight.corners_px)), *(number(one.ratio) for one in (glance, again, whole))))

        points = np.concatenate([np.c_[marker.corners_in, np.zeros(4)] for marker in markers])
        pixels = np.concatenate([sight.corners_px[marker.id] for marker in markers])
        lens = camera.lens

        def pnp(at=points, px=pixels) -> object:  # type: ignore[no-untyped-def]
            return cv2.solvePnP(at, px, camera.lens.matrix, camera.lens.distortion)

        ways = ((known, lens), (prints, lens), (known, None), (prints, None))
        solved = [
            beside(lambda s=sight, p=p, o=o: fix(s, p, o), pnp, rounds=rounds, repeats=MANY)  # type: ignore[misc]
            for p, o in ways
        ]
        solving.append((str(count), number(solved[1].ms), *(number(one.ratio) for one in solved)))
    return (
        Table(
            "markers", ("markers", "a glance, x Lab", "every marker fitted anew", "whole picture searched"), watching
        ),
        Table(
            "solve",
            ("markers", "ms, lens known", "lens and places known, x solvePnP", "lens known", "places known", "neither"),
            solving,
        ),
    )


if __name__ == "__main__":
    main()
