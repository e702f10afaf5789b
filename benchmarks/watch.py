"""Time of checking one to eight markers on a 1080p frame, and of finding the camera after a bump.

Run with `python -m benchmarks.watch`. The baseline, in the same run, is one conversion of the frame from BGR to Lab.
With `--bumps N`, prints errors on the table before and after N random bumps instead, for the first frame after each.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from functools import partial

import numpy as np

from benchmarks.accuracy import TWO_SIGMA, spread
from benchmarks.page import Table, number
from benchmarks.stopwatch import time_with_baseline
from calibration.calibration_targets import CalibrationTargets, redetect, see
from calibration.calibration_tracker import CalibrationTracker
from calibration.camera import Lens, TableCamera
from calibration.marker_tracker import track_markers
from calibration.markers import ImageGray
from calibration.opencv import cv2
from calibration.solve import laid_at, place_of
from vision.simulation.scene import PrintedMarker, Scene, corner_markers
from vision.simulation.simulator import overhead_camera, render
from vision.simulation.surface import Surface

SIZE_IN = (48.0, 36.0)
COUNTS = (1, 2, 4, 8)
MANY, LABS = 50, 5
"""Checks and baseline runs per measurement; one alone is too short for the clock."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bumps", type=int)
    bumps = parser.parse_args().bumps
    if bumps:
        errors_after(bumps)
    else:
        print(table(COUNTS, 7).markdown())


def errors_after(bumps: int) -> None:
    """Print the errors of points on the table before and after random bumps, in inches."""
    rng = np.random.default_rng(3)
    camera = overhead_camera((1280, 720), SIZE_IN)
    scene = Scene(SIZE_IN, Surface.WOOD, markers=corner_markers(SIZE_IN))
    places = np.array([(x, y, 0.0) for x in (6, 15, 24, 33, 42) for y in (4, 11, 18, 25, 32)])
    shots = [(camera, _gray(scene, camera, rng))]
    for _ in range(bumps):
        tilt, roll, height = rng.normal((3.5, 0.8, 55.0), (0.8, 0.8, 0.3))
        bumped = overhead_camera((1280, 720), SIZE_IN, height, tilt, roll)
        bumped = TableCamera(camera.lens, bumped.rotation, bumped.translation)
        shots.append((bumped, _gray(scene, bumped, rng)))
    for words, lens in (("lens profile", camera.lens), ("lens unknown", None)):
        before, after, within, reported = [], [], [], Counter[str]()
        for bumped, gray in shots[1:]:
            tracker, prints = CalibrationTracker(), CalibrationTargets()
            start = tracker.update(shots[0][1], prints, lens).calibration
            assert start is not None
            seen = start.camera.pixel_to_table(camera.table_to_pixel(places))
            place = place_of(seen, places[:, :2])
            before += [*np.linalg.norm(laid_at(seen, place) - places[:, :2], axis=1)]
            kept = tracker.update(gray, prints, lens)
            reported.update(str(drift.what) for drift in kept.drifts)
            assert kept.calibration is not None
            seen = kept.calibration.camera.pixel_to_table(bumped.table_to_pixel(places))
            error = np.linalg.norm(laid_at(seen, place) - places[:, :2], axis=1)
            after += [*error]
            within += [*(error < TWO_SIGMA * kept.calibration.sigma_in(places))]
        print(
            f"{words}: before {spread(before)} in, first frame after {spread(after)} in,"
            f" within two sigma {np.mean(within):.2f} ({len(after)} points), reported {dict(reported)}"
        )


def _gray(scene: Scene, camera: TableCamera, rng: np.random.Generator) -> ImageGray:
    return np.asarray(cv2.cvtColor(render(scene, camera, rng), cv2.COLOR_BGR2GRAY), np.uint8)


def table(counts: Sequence[int], rounds: int) -> Table:
    """The page's table: a check, refitting every marker, searching the whole picture, and a frame with a bump."""
    camera, bumped = overhead_camera(), overhead_camera(height_in=55.3, tilt_deg=4.2)
    prints, rows = CalibrationTargets(), []
    for count in counts:
        scene = Scene(SIZE_IN, Surface.WOOD, markers=markers_of(count))
        frame = render(scene, camera, np.random.default_rng(0))
        gray = np.asarray(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), np.uint8)
        after = _gray(scene, bumped, np.random.default_rng(1))
        detections = see(gray, prints)
        watching = track_markers(detections.corners_px, prints.dictionary, camera.lens.image_size)
        trackers = [_started(gray, prints, camera.lens) for _ in range(rounds + 1)]
        lab = partial(cv2.cvtColor, frame, cv2.COLOR_BGR2LAB)
        timings = (
            time_with_baseline(partial(watching.check, gray), lab, rounds=rounds, times=MANY, repeats=LABS),
            time_with_baseline(partial(redetect, gray, prints, detections), lab, rounds=rounds, repeats=LABS),
            time_with_baseline(partial(see, gray, prints), lab, rounds=rounds, repeats=LABS),
            time_with_baseline(
                lambda k=trackers, g=after: k.pop().update(g, prints, camera.lens), lab, rounds=rounds, repeats=LABS
            ),  # type: ignore[misc]
        )
        rows.append((str(len(detections.corners_px)), *(number(one.ratio) for one in timings)))
    head = ("markers", "a check, x Lab", "refitting every marker", "whole picture searched", "a frame with a bump")
    return Table("markers", head, rows)


def markers_of(count: int) -> tuple[PrintedMarker, ...]:
    """`count` markers: near the corners first, then along the middle."""
    return (corner_markers(SIZE_IN) + tuple(PrintedMarker(4 + n, (9 + 10.0 * n, 18.0)) for n in range(4)))[:count]


def _started(gray: ImageGray, prints: CalibrationTargets, lens: Lens) -> CalibrationTracker:
    tracker = CalibrationTracker()
    tracker.update(gray, prints, lens)
    return tracker


if __name__ == "__main__":
    main()
