"""Calibrate random cameras over a table of noisy markers and compare them with the truth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from calibration.camera import Lens, TableCamera
from calibration.noise import Paper
from calibration.opencv import cv2
from calibration.solve import Calibration, Target, marker_square, place_of, solve
from rules.tabletop.table import FloatArray

SIZE_PX = (1920, 1080)
STATED_NOISE_PX = 0.32
"""Root mean square of 0.1 to 0.5."""
PRINT_OFF, PRINT_MEASURED = 0.02, 0.0025
_TABLE_IN = np.array([48.0, 36.0])
_SIDE_IN = 3.0
_PAPER = Paper()


@dataclass(frozen=True, slots=True)
class Kind:
    """One class of trials: the number of markers, and what is known beforehand."""

    markers: int
    profile: bool
    measured: bool


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """Errors (N, 2) in inches at places on and above the table, and the stated sigmas (N,)."""

    error_in: FloatArray
    sigma_in: FloatArray

    @property
    def ratio(self) -> FloatArray:
        """(N, 2) errors in units of the stated sigma."""
        return np.asarray(self.error_in / self.sigma_in[:, None])


def kinds(counts: tuple[int, ...] = (1, 2, 4, 8)) -> Iterator[Kind]:
    """All classes."""
    for profile in (True, False):
        for measured in (True, False):
            for count in counts:
                yield Kind(count, profile, measured)


def trial(rng: np.random.Generator, kind: Kind) -> Trial:
    """Calibrate one random camera from noisy corners, and compare it with the truth."""
    camera, corners = _view(rng, kind.markers)
    off = PRINT_MEASURED if kind.measured else PRINT_OFF
    printed = 1 + rng.normal(0, off)
    true = [middle + (quad - middle) * printed for quad in corners for middle in (quad.mean(0),)]
    noise_px, lift_in = rng.uniform(0.1, 0.5), rng.normal(0, _PAPER.height_in)
    square = marker_square(_SIDE_IN)
    targets = [
        Target(square, _seen(rng, camera, quad, noise_px, lift_in), {n: square}, sigma_px=STATED_NOISE_PX)
        for n, quad in enumerate(true)
    ]
    found = solve(targets, SIZE_PX, camera.lens if kind.profile else None, off)
    return compare(found, camera, np.concatenate(true))


def compare(found: Calibration, camera: TableCamera, corners_in: FloatArray) -> Trial:
    """Errors over the visible table at heights of 0 and 2 in, after the frames are aligned by the markers."""
    x, y = np.meshgrid(*(np.linspace(1, side - 1, 7) for side in _TABLE_IN))
    places = np.c_[x.ravel(), y.ravel()]
    places = np.r_[np.c_[places, np.zeros(len(places))], np.c_[places, np.full(len(places), 2.0)]]
    seen = camera.table_to_pixel(places)
    inside = ((seen > 0) & (seen < SIZE_PX)).all(1)
    places, seen = places[inside], seen[inside]
    got = np.concatenate([found.markers_in[n] for n in sorted(found.markers_in)])
    ax, ay, turn = place_of(corners_in, got)
    c, s = np.cos(turn), np.sin(turn)
    want = places[:, :2] @ np.array([[c, s], [-s, c]]) + (ax, ay)
    there = found.camera.pixel_to_table(seen, places[:, 2])
    sigma_in = found.sigma_in(np.c_[there, places[:, 2]])
    good = np.isfinite(sigma_in)
    return Trial((there - want)[good], sigma_in[good])


def _seen(
    rng: np.random.Generator, camera: TableCamera, quad: FloatArray, noise_px: float, lift_in: float
) -> FloatArray:
    height_in = lift_in + rng.normal(0, _PAPER.height_in, 4)
    printed = np.c_[quad + rng.normal(0, _PAPER.place_in, (4, 2)), height_in]
    return np.asarray(camera.table_to_pixel(printed) + rng.normal(0, noise_px, (4, 2)))


def _view(rng: np.random.Generator, count: int) -> tuple[TableCamera, list[FloatArray]]:
    """A camera, and the corners of fully visible markers that do not overlap."""
    while True:
        camera = _camera(rng)
        quads: list[FloatArray] = []
        for _ in range(400):
            at, turn = rng.uniform((3, 3), _TABLE_IN - 3), rng.uniform(0, 2 * np.pi)
            c, s = np.cos(turn), np.sin(turn)
            quad = marker_square(_SIDE_IN) @ np.array([[c, s], [-s, c]]) + at
            seen = camera.table_to_pixel(quad)
            apart = all(np.linalg.norm(quad.mean(0) - other.mean(0)) > 1.5 * _SIDE_IN for other in quads)
            if apart and ((seen > 5) & (seen < np.array(SIZE_PX) - 5)).all():
                quads.append(quad)
            if len(quads) == count:
                return camera, quads


def _camera(rng: np.random.Generator) -> TableCamera:
    width = SIZE_PX[0]
    focal = width * 0.78 * np.exp(rng.normal(0, 0.2))
    axis = np.array(SIZE_PX) / 2 - 0.5 + rng.normal(0, 0.01 * width, 2)
    lens = Lens(
        SIZE_PX,
        np.array([[focal, 0, axis[0]], [0, focal, axis[1]], [0, 0, 1]]),
        np.array([rng.uniform(-0.3, 0.1), rng.normal(0.04, 0.04), *rng.normal(0, 5e-4, 2), 0]),
    )
    roll, tilt, way = rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(0, 25)), rng.uniform(0, 2 * np.pi)
    down = cv2.Rodrigues(np.array([np.pi, 0, 0]))[0]
    lean = cv2.Rodrigues(tilt * np.array([np.cos(way), np.sin(way), 0]))[0]
    rotation = np.asarray(lean @ cv2.Rodrigues(np.array([0, 0, roll]))[0] @ down, np.float64)
    up = rng.uniform(40, 65)
    # The camera is placed so that it looks at the centre of the table.
    ray = rotation.T @ (0, 0, 1)
    eye = np.array([*(_TABLE_IN / 2 + rng.normal(0, 2, 2)), 0]) - ray * (up / -ray[2])
    return TableCamera(lens, rotation, -rotation @ eye)
