"""Measure how the camera's height affects the accuracy in inches.

    python -m benchmarks.heights [--pictures N] [--view DEG]

A webcam with a 70 degree field of view hangs 3.5 degrees off vertical above the centre of a 48 x 36 in table. Markers
of 3 in lie in the visible part: one at its left edge, or one near each corner. Their corners are displaced by 0.2 px,
the detection error on a rendered table. For each height, size of picture, number of markers and with and
without a lens profile it prints the visible area, pixels per inch, and the error of places over the table: median and
95 %, and the stated two sigma (median). The prints were measured to 0.25 %.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence

import numpy as np

from calibration.calibration_targets import CalibrationTargets
from calibration.camera import TableCamera
from calibration.print_scale import TRUE_PRINT
from calibration.solve import Target, laid_at, marker_square, place_of, solve
from rules.tabletop.table import FloatArray
from vision.simulation.simulator import overhead_camera

HEIGHTS_IN = (40.0, 55.0, 72.0)
SIZES_PX = ((1920, 1080), (1280, 720))
TABLE_IN = (48.0, 36.0)
_FITS = 0.95  # share of the picture that `overhead_camera` fills with the table
_SIDE_IN = 3.0
_NOISE_PX = 0.2
_PRINTER_SIGMA = 0.0025


def main() -> None:
    """Print one line for each case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=12)
    parser.add_argument("--view", type=float, default=70.0, help="degrees across that the camera sees")
    options = parser.parse_args()
    print(f"{options.pictures} pictures a case; inches: error median / 95 %, stated two sigma")
    for height_in in HEIGHTS_IN:
        for size_px in SIZES_PX:
            seen_in = seen_from(height_in, size_px, options.view)
            for count in (1, 4):
                for profile in (False, True):
                    print(case(height_in, size_px, seen_in, count, profile, options.pictures), flush=True)


def seen_from(height_in: float, size_px: tuple[int, int], view_deg: float) -> tuple[float, float]:
    """(width, depth) of the table area that a camera sees from this height."""
    width_in = 2 * height_in * math.tan(math.radians(view_deg / 2))
    return width_in, width_in * size_px[1] / size_px[0]


def case(
    height_in: float, size_px: tuple[int, int], seen_in: tuple[float, float], count: int, profile: bool, pictures: int
) -> str:
    """One case as a printed line."""
    frame_in = (_FITS * seen_in[0], _FITS * seen_in[1])
    camera = overhead_camera(size_px, frame_in, height_in, k1=-0.1)
    played_in = tuple(min(seen, table) for seen, table in zip(frame_in, TABLE_IN, strict=True))
    corner_in = ((frame_in[0] - played_in[0]) / 2, (frame_in[1] - played_in[1]) / 2)
    places = np.stack(
        np.meshgrid(*(np.linspace(c + 1, c + p - 1, 9) for c, p in zip(corner_in, played_in, strict=True)))
    )
    errors, claims = [], []
    for number in range(pictures):
        rng = np.random.default_rng(number)
        found = solve(
            seen(camera, markers(corner_in, played_in, count), rng),
            size_px,
            camera.lens if profile else None,
            _PRINTER_SIGMA,
        )
        flat = np.c_[places.reshape(2, -1).T, np.zeros(81)]
        there = found.camera.pixel_to_table(camera.table_to_pixel(flat))
        truth = flat[:, :2]
        errors.append(np.linalg.norm(laid_at(there, place_of(there, truth)) - truth, axis=1))
        claims.append(found.sigma_in(np.c_[there, np.zeros(81)]))
    error, claim = np.concatenate(errors), 2 * np.concatenate(claims)
    middle = np.linalg.norm(
        np.diff(
            camera.table_to_pixel([(x, frame_in[1] / 2, 0.0) for x in (frame_in[0] / 2, frame_in[0] / 2 + 1)]), axis=0
        )
    )
    lens = "profile" if profile else "unknown"
    return (
        f"  {height_in:g} in up, {size_px[1]}p, {count} marker{'s'[: count - 1]}, lens {lens}:"
        f" sees {seen_in[0]:.0f} x {seen_in[1]:.0f} in, {middle:.0f} px/in,"
        f" error {np.median(error):.3f} / {np.percentile(error, 95):.3f}, stated {np.nanmedian(claim):.3f}"
    )


def markers(corner_in: Sequence[float], size_in: Sequence[float], count: int) -> list[FloatArray]:
    """(4, 2) corners of the markers: one at the centre of the left edge, or one near each corner."""
    (x, y), (width, depth), near = corner_in, size_in, _SIDE_IN
    spots = [(x + near, y + depth / 2)]
    if count == 4:
        spots = [(x + a, y + b) for a in (near, width - near) for b in (near, depth - near)]
    return [marker_square(_SIDE_IN) + spot for spot in spots]


def seen(camera: TableCamera, squares: Sequence[FloatArray], rng: np.random.Generator) -> list[Target]:
    """The markers with simulated detection noise."""
    square = CalibrationTargets(scale=TRUE_PRINT).square_in
    pixels = [camera.table_to_pixel(corners) for corners in squares]
    return [
        Target(square, px + rng.normal(0, _NOISE_PX, px.shape), {number: square}) for number, px in enumerate(pixels)
    ]


if __name__ == "__main__":
    main()
