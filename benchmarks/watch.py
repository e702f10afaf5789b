"""Time of watching the markers on a 1080p frame, for one to eight of them, and of finding the camera after a bump.

Run with `python -m benchmarks.watch`. The baseline, in the same run, is one conversion of the frame from BGR to Lab.
With `--bumps N`, instead: errors on the table before and after N random bumps, the first frame after each.
"""

import argparse
from collections import Counter

import numpy as np

from benchmarks.sight import typical_ms
from calibration.camera import TableCamera
from calibration.keeper import Keeper
from calibration.markers import ImageGray, refit_marker
from calibration.opencv import cv2
from calibration.prints import Prints, see
from calibration.solve import laid_at, place_of
from calibration.watch import lookout
from vision.simulator import overhead_camera, render
from vision.surface import Surface
from vision.table_scene import PrintedMarker, Scene, corner_markers

SIZE_IN = (48.0, 36.0)
MANY = 200
"""Glances to one measurement: one alone is too short for the clock."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bumps", type=int)
    bumps = parser.parse_args().bumps
    if bumps:
        errors_after(bumps)
    else:
        times()


def errors_after(bumps: int) -> None:
    """Print the inches of points on the table as they were seen before and after random bumps, against the truth."""
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
        before, after, within, told = [], [], [], Counter[str]()
        for bumped, gray in shots[1:]:
            keeper, prints = Keeper(), Prints()
            start = keeper.look(shots[0][1], prints, lens).calibration
            assert start is not None
            seen = start.camera.pixel_to_table(camera.table_to_pixel(places))
            place = place_of(seen, places[:, :2])
            before += [*np.linalg.norm(laid_at(seen, place) - places[:, :2], axis=1)]
            kept = keeper.look(gray, prints, lens)
            told.update(str(drift.what) for drift in kept.drifts)
            assert kept.calibration is not None
            seen = kept.calibration.camera.pixel_to_table(bumped.table_to_pixel(places))
            error = np.linalg.norm(laid_at(seen, place) - places[:, :2], axis=1)
            after += [*error]
            within += [*(error < 2.448 * kept.calibration.sigma_in(places))]
        print(
            f"{words}: before {_spread(before)} in, first frame after {_spread(after)} in,"
            f" within two sigma {np.mean(within):.2f} ({len(after)} points), told {dict(told)}"
        )


def _gray(scene: Scene, camera: TableCamera, rng: np.random.Generator) -> ImageGray:
    return np.asarray(cv2.cvtColor(render(scene, camera, rng), cv2.COLOR_BGR2GRAY), np.uint8)


def _spread(errors: list[float]) -> str:
    return f"{np.median(errors):.3f} / {np.percentile(errors, 95):.3f}"


def times() -> None:
    """Print the table of times."""
    camera, bumped = overhead_camera(), overhead_camera(height_in=55.3, tilt_deg=4.2)
    more = tuple(PrintedMarker(4 + n, (9 + 10.0 * n, 18.0)) for n in range(4))
    scene = Scene(SIZE_IN, Surface.WOOD, markers=corner_markers(SIZE_IN) + more)
    frame = render(scene, camera, np.random.default_rng(0))
    gray = np.asarray(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), np.uint8)
    after = _gray(scene, bumped, np.random.default_rng(1))
    lab_ms = typical_ms(lambda: [cv2.cvtColor(frame, cv2.COLOR_BGR2LAB) for _ in range(10)]) / 10
    print(f"baseline, 1080p frame BGR to Lab: {lab_ms:.2f} ms")
    corners = {marker.id: camera.table_to_pixel(marker.corners_in) for marker in scene.markers}
    print("markers  glance ms  of baseline  full refit ms (what each frame took before)")
    for count in range(1, 9):
        some = {number: corners[number] for number in range(count)}
        watching = lookout(some, "4X4_50", camera.lens.image_size)
        glance_ms = typical_ms(lambda w=watching: [w.glance(gray) for _ in range(MANY)]) / MANY  # type: ignore[misc]
        refit_ms = typical_ms(lambda s=some: [refit_marker(gray, px, "4X4_50", n) for n, px in s.items()])  # type: ignore[misc]
        print(f"{count:7d}  {glance_ms:9.3f}  {glance_ms / lab_ms:11.3f}  {refit_ms:6.1f}")
    print(f"look at the whole picture: {typical_ms(lambda: see(gray, Prints())):.0f} ms")

    def bump() -> None:
        keeper = Keeper()
        prints = Prints()
        keeper.look(gray, prints, camera.lens)
        keeper.look(after, prints, camera.lens)

    def start() -> None:
        Keeper().look(gray, Prints(), camera.lens)

    print(f"frame in which a bump is found and the pose solved again: {typical_ms(bump) - typical_ms(start):.0f} ms")


if __name__ == "__main__":
    main()
