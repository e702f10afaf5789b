"""Measure errors in inches on simulated tables with known truth.

    python -m benchmarks.accuracy [--tables N] [--seed S]

Generates N random tables (surface, camera, places, armies), analyses each like a player, with one click for each army,
and prints medians and 95th percentiles. Photographs are measured by `benchmarks.photos`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linear_sum_assignment

from calibration.calibration_targets import CalibrationTargets, calibrate
from calibration.camera import TableCamera
from calibration.markers import find_markers
from calibration.opencv import cv2
from calibration.solve import Calibration, Target, laid_at, marker_square, place_of, solve
from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure, FloatArray, Posture
from vision.frame import Frame, ImageBgr
from vision.palette import Palette, teach
from vision.pipeline import Pipeline
from vision.setup import Setup
from vision.simulation.scene import Model, Scene, Sculpt, corner_markers
from vision.simulation.simulator import Truth, overhead_camera, render, truth_of
from vision.simulation.surface import Surface

_MATCH_IN = 1.0
_TABLE_IN = (48.0, 36.0)
SOLDIERS = [s for s in Sculpt if s not in (Sculpt.TANK, Sculpt.JEEP)]
TWO_SIGMA = 2.448
"""Radius that contains 95 % of a circular two-dimensional Gaussian, in standard deviations along one axis."""


@dataclass(slots=True)
class Tally:
    """Errors of one method, over all tables."""

    place_in: list[float] = field(default_factory=list)
    within: list[bool] = field(default_factory=list)
    range_in: list[float] = field(default_factory=list)
    army: list[bool] = field(default_factory=list)
    posture: list[bool] = field(default_factory=list)
    missed: int = 0
    phantom: int = 0

    @property
    def f1(self) -> float:
        """F1 score of the figures found."""
        found = len(self.place_in)
        return 2 * found / max(1, 2 * found + self.missed + self.phantom)


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tables(options.tables, options.seed)


def tables(count: int, seed: int) -> None:
    """Calibration and figures on random simulated tables."""
    rng = np.random.default_rng(seed)
    bare: dict[str, tuple[list[float], list[bool]]] = {}
    seen = {"with the empty table": Tally(), "taught clicks only": Tally()}
    for _ in range(count):
        scene, camera = random_scene(rng), random_camera(rng)
        truth, image = truth_of(scene, camera), render(scene, camera, rng)
        for name, calibration in _calibrations(image, truth):
            errors, within = bare.setdefault(name, ([], []))
            error_in, sigma_in = _over_the_table(calibration, truth)
            errors += error_in.tolist()
            within += (error_in < TWO_SIGMA * sigma_in).tolist()
        empty = render(scene.empty, camera, rng, lamp=0.97)
        for name, reference in (("with the empty table", empty), ("taught clicks only", None)):
            prints, palette = CalibrationTargets(layout=truth.markers), taught(image, truth)
            setup = Setup(prints, camera.lens, palette, reference_bgr=reference)
            view = Pipeline().process(Frame(image, 0, 0.0), setup)
            count_in(seen[name], view.figures, truth.figures)
    print(f"Pixels to inches over the table, {count} tables (median / 95 % in, within two sigma)")
    for name, (errors, within) in bare.items():
        print(f"  {name:36s} {spread(errors)}   {np.mean(within):.2f}")
    print(f"Figures, {count} tables, one click for each army")
    for name, tally in seen.items():
        print(f"  {name:22s} {_line(tally)}")


def random_scene(rng: np.random.Generator) -> Scene:
    places: list[tuple[float, float]] = []
    while len(places) < 18:
        x, y = rng.uniform((3, 5), (_TABLE_IN[0] - 3, _TABLE_IN[1] - 5))
        if all(np.hypot(x - u, y - v) > 1.6 for u, v in places):
            places.append((x, y))
    armies = rng.choice(["green", "tan", "grey", "blue"], 2, replace=False)
    models = tuple(
        Model(
            f"{armies[n % 2]}-{n}",
            str(armies[n % 2]),
            SOLDIERS[int(rng.integers(len(SOLDIERS)))] if n > 1 else Sculpt.RIFLEMAN,
            x,
            y,
            facing_deg=float(rng.uniform(0, 360)),
            tilt_deg=90.0 if rng.random() < 0.1 and n > 1 else 0.0,
        )
        for n, (x, y) in enumerate(places)
    )
    surface = list(Surface)[int(rng.integers(len(Surface)))]
    return Scene(_TABLE_IN, surface, (), corner_markers(_TABLE_IN), models, int(rng.integers(1000)))


def random_camera(rng: np.random.Generator) -> TableCamera:
    low, high = np.array([45, -8, -6, -0.22]), np.array([65, 8, 6, -0.05])
    return overhead_camera((1920, 1080), _TABLE_IN, *rng.uniform(low, high))


def _calibrations(image: np.ndarray, truth: Truth) -> Iterator[tuple[str, Calibration]]:  # type: ignore[type-arg]
    gray = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    one = {0: truth.markers[0]}
    for lens, words in ((truth.camera.lens, "lens profile"), (None, "lens unknown")):
        yield f"four markers, {words}", calibrate(gray, CalibrationTargets(), lens)
        yield f"four markers, places known, {words}", calibrate(gray, CalibrationTargets(layout=truth.markers), lens)
    square = marker_square(3.0)
    (seen,) = (marker for marker in find_markers(gray, "4X4_50") if marker.id == 0)
    target = Target(square, seen.corners_px, {0: square}, place_of(square, one[0]))
    yield "one marker, lens profile", solve([target], truth.camera.lens.image_size, truth.camera.lens)


def _over_the_table(calibration: Calibration, truth: Truth) -> tuple[FloatArray, FloatArray]:
    """(N,) errors and stated sigmas over the table, after the frames are aligned by the markers."""
    x, y = np.meshgrid(np.linspace(1, _TABLE_IN[0] - 1, 9), np.linspace(1, _TABLE_IN[1] - 1, 7))
    true = np.c_[x.ravel(), y.ravel()]
    found = calibration.camera.pixel_to_table(truth.camera.table_to_pixel(true))
    numbers = sorted(calibration.markers_in)
    move = place_of(
        np.concatenate([calibration.markers_in[n] for n in numbers]),
        np.concatenate([truth.markers[n] for n in numbers]),
    )
    return np.linalg.norm(laid_at(found, move) - true, axis=1), calibration.sigma_in(np.c_[found, np.zeros(len(found))])


def taught(image: ImageBgr, truth: Truth) -> Palette:
    return tuple(teach(image, px, army) for army, px in clicks_of(image, truth))


def clicks_of(image: ImageBgr, truth: Truth) -> Iterator[tuple[str, tuple[float, float]]]:
    """One click for each army, on the first soldier that is visible enough to learn its colour."""
    for army in sorted({figure.army for figure in truth.figures}):
        for figure in (f for f in truth.figures if f.army == army and f.posture is Posture.STANDING):
            u, v = truth.camera.table_to_pixel((*figure.centre_in, 0.9))[0]
            try:
                teach(image, (float(u), float(v)), army)
            except UserError:  # the click fell between arm and rifle; a player would click the next soldier
                continue
            yield army, (float(u), float(v))
            break


def count_in(tally: Tally, found: Iterable[Figure], true: Iterable[Figure]) -> None:
    got, want = list(found), list(true)
    gap = np.array([[np.hypot(g.x_in - w.x_in, g.y_in - w.y_in) for w in want] for g in got]).reshape(-1, len(want))
    rows, columns = linear_sum_assignment(np.minimum(gap, 50))
    pairs = [(got[r], want[c], gap[r, c]) for r, c in zip(rows, columns, strict=True) if gap[r, c] < _MATCH_IN]
    tally.missed += len(want) - len(pairs)
    tally.phantom += len(got) - len(pairs)
    for g, w, away_in in pairs:
        tally.place_in.append(float(away_in))
        tally.within.append(bool(away_in < TWO_SIGMA * g.sigma_in))
        tally.army.append(g.army == w.army)
        tally.posture.append(g.posture is w.posture)
    for n, (g, w, _) in enumerate(pairs):
        for h, v, _ in pairs[:n]:
            measured_in = np.hypot(g.x_in - h.x_in, g.y_in - h.y_in)
            true_in = np.hypot(w.x_in - v.x_in, w.y_in - v.y_in)
            tally.range_in.append(abs(float(measured_in - true_in)))


def _line(tally: Tally) -> str:
    return (
        f"F1 {tally.f1:.3f} ({len(tally.place_in)} found, {tally.missed} missed, {tally.phantom} phantom)"
        f"  army {np.mean(tally.army):.2f}  posture {np.mean(tally.posture):.2f}  place {spread(tally.place_in)}"
        f"  range {spread(tally.range_in)}  within two sigma {np.mean(tally.within):.2f}"
    )


def spread(errors: list[float]) -> str:
    return f"{np.median(errors):.3f} / {np.percentile(errors, 95):.3f}"


if __name__ == "__main__":
    main()
