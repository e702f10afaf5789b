"""Calibration by clicks and a tape measure: a rectangle of known size, and one measured distance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.camera import Lens, TableCamera
from calibration.intrinsics import lens_from_parameters, lens_parameters
from calibration.noise import PERFECT
from calibration.opencv import cv2
from calibration.solve import PERTURBATION_SIGMAS, Calibration, Target, solve
from rules.tabletop.errors import UserError, user_error
from rules.tabletop.table import FloatArray, PointIn

CLICK_SIGMA_PX = 1.5
"""Standard deviation of one click along one axis, by eye with a magnifier."""

TAPE_SIGMA_IN = 0.06
"""Standard deviation of one reading of a tape measure: a sixteenth of an inch."""

_MAX_SIGMAS = 4.0

Clicks = tuple[tuple[float, float], ...]
"""Pixels, in the order of the clicks."""


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle on the table with clicked corners; for the values see `calibrate_rectangle`."""

    corners_px: Clicks
    size_in: tuple[float, float]

    def calibrate(self, image_size: tuple[int, int], lens: Lens | None) -> Calibration:
        """See `calibrate_rectangle`."""
        return calibrate_rectangle(self.corners_px, self.size_in, image_size, lens)


@dataclass(frozen=True, slots=True)
class TapeMeasurement:
    """A distance on the table, measured between two clicked places; see `sharpen`."""

    ends_px: tuple[PointIn, PointIn]
    distance_in: float

    def sharpen(self, calibration: Calibration) -> Calibration:
        """See `sharpen`."""
        return sharpen(calibration, self.ends_px, self.distance_in)


def calibrate_rectangle(
    corners_px: Sequence[tuple[float, float]],
    size_in: tuple[float, float],
    image_size: tuple[int, int],
    lens: Lens | None = None,
) -> Calibration:
    """Calibrate from the clicked corners of a rectangle on the table, for a table without markers.

    Args:
        corners_px: Near left, near right, far right, far left. The near left one is the table's origin.
        size_in: Width along the near edge, and depth.
        image_size: (width, height) of the picture.
        lens: see `solve`.

    Raises:
        UserError: if the corners are not four in this order, or the size is not positive; also see `solve`.
    """
    seen = np.array(corners_px, np.float64).reshape(-1, 2)
    width, depth = size_in
    if not (np.isfinite(size_in).all() and min(size_in) > 0):
        raise user_error(
            "a rectangle of {width:g} x {depth:g} in is not possible: enter its width and depth in inches",
            width=width,
            depth=depth,
        )
    if len(seen) != 4 or not _is_counter_clockwise(seen):
        raise user_error("click the rectangle's four corners in this order: near left, near right, far right, far left")
    corners = np.array([[0, 0], [width, 0], [width, depth], [0, depth]], np.float64)
    target = Target(corners, seen, {}, (0.0, 0.0, 0.0), CLICK_SIGMA_PX, PERFECT)
    try:  # assumes the same relative error for both sides
        found = solve([target], image_size, lens, TAPE_SIGMA_IN / float(np.hypot(width, depth)))
        if not math.isfinite(found.typical_sigma_in()):
            raise user_error("no camera sees it like this")
        return found
    except UserError as error:
        raise user_error(
            "the clicked corners do not fit a rectangle of {width:g} x {depth:g} in: check the"
            " clicks, the width along the near edge, and the lens profile ({reason})",
            width=width,
            depth=depth,
            reason=error,
        ) from error


def _is_counter_clockwise(seen: FloatArray) -> bool:
    """Whether four pixels (y down) run counter-clockwise around a convex outline."""
    sides = np.roll(seen, -1, 0) - seen
    turns = sides[:, 0] * np.roll(sides[:, 1], -1) - sides[:, 1] * np.roll(sides[:, 0], -1)
    return bool((turns < 0).all())


def sharpen(calibration: Calibration, ends_px: tuple[PointIn, PointIn], distance_in: float) -> Calibration:
    """The calibration updated by one distance measured on the table's surface.

    This is a Bayesian update: the more certain the calibration already is, the less it changes.

    Raises:
        UserError: if an end is not on the table, or the distance contradicts the calibration.
    """
    was = _distance_in(calibration.camera, ends_px)
    if not (np.isfinite(was) and was > 0 and np.isfinite(distance_in) and distance_in > 0):
        raise user_error("click two different places on the table, and enter the distance between them in inches")
    slope = np.array([_distance_in(deviant, ends_px) - was for deviant in calibration.deviants]) / PERTURBATION_SIGMAS
    scale = np.mean([calibration.camera.px_per_inch(*place) for place in calibration.camera.pixel_to_table(ends_px)])
    reading = TAPE_SIGMA_IN**2 + 2 * (CLICK_SIGMA_PX / float(scale)) ** 2
    known = float(slope @ slope)
    off = distance_in - was
    if abs(off) > _MAX_SIGMAS * np.sqrt(known + reading):
        raise user_error(
            "you measured {distance_in:.2f} in, but the calibration gives {was:.2f} in"
            " (±{uncertainty:.2f} in): measure again, or check the size of the printed markers",
            distance_in=distance_in,
            was=was,
            uncertainty=2 * np.sqrt(known + reading),
        )
    steps = np.array([_step(calibration.camera, deviant) for deviant in calibration.deviants]) / PERTURBATION_SIGMAS
    camera = _with_step(calibration.camera, (slope @ steps) * (off / (known + reading)))
    # The uncertainty along the measured direction shrinks; the rest stays.
    left = 1 - np.sqrt(reading / (known + reading))
    steps = steps - np.outer(slope, slope @ steps) * (left / max(known, 1e-18))
    markers = {
        number: camera.pixel_to_table(calibration.camera.table_to_pixel(corners))
        for number, corners in calibration.markers_in.items()
    }
    deviants = tuple(_with_step(camera, PERTURBATION_SIGMAS * step) for step in steps)
    return replace(calibration, camera=camera, markers_in=markers, deviants=deviants)


def _distance_in(camera: TableCamera, ends_px: tuple[PointIn, PointIn]) -> float:
    a, b = camera.pixel_to_table(ends_px)
    return float(np.hypot(*(b - a)))


def _step(camera: TableCamera, other: TableCamera) -> FloatArray:
    """(15,) difference between two cameras: rotation vector, translation and lens parameters."""
    turn = np.asarray(cv2.Rodrigues(other.rotation @ camera.rotation.T)[0], np.float64).ravel()
    lens = lens_parameters(other.lens) - lens_parameters(camera.lens)
    return np.concatenate([turn, other.translation - camera.translation, lens])


def _with_step(camera: TableCamera, step: FloatArray) -> TableCamera:
    turn = np.asarray(cv2.Rodrigues(step[:3])[0], np.float64)
    lens = lens_from_parameters(lens_parameters(camera.lens) + step[6:], camera.lens.image_size)
    return TableCamera(lens, turn @ camera.rotation, camera.translation + step[3:6])
