"""Consensus among markers: find those of another size and those that moved, so that they do not distort the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from calibration.camera import TableCamera
from calibration.opencv import cv2
from calibration.solve import Calibration, Target
from rules.tabletop.errors import UserError
from rules.tabletop.table import FloatArray

SUSPECT_PX = 0.4
"""At 1920 px across: markers of one table fit it to 0.05 to 0.3 px, on rendered pictures and on photographs."""

_MAX_RESIDUAL_RATIO = 0.5
_MAX_FOR_PAIRS = 8  # with more targets, only single outliers are tried, not pairs


def solve_without_outliers(
    targets: Sequence[Target], solved: Callable[[Sequence[Target]], Calibration], suspect_px: float
) -> tuple[Calibration, list[Target]]:
    """Solve with the targets that agree; return the calibration and the outliers.

    A target is an outlier if the others fit at least twice as well without it. This takes three or more targets, and a
    majority must remain.

    Raises:
        UserError: the error of `solved`, if no majority fits.
    """
    kept, out = list(targets), []
    calibration = _try(solved, kept)
    while _has_misfit(calibration, kept, suspect_px) and len(kept) >= 3 and 2 * (len(kept) - 1) > len(targets):
        fits = [(_try(solved, [t for t in kept if t is not left]), left) for left in kept if not _frame(left, kept)]
        good = [(fit, left) for fit, left in fits if isinstance(fit, Calibration)]
        if not good:
            break
        best, left = min(good, key=lambda pair: pair[0].residual_px)
        if isinstance(calibration, Calibration) and best.residual_px > _MAX_RESIDUAL_RATIO * calibration.residual_px:
            break
        calibration = best
        kept = [t for t in kept if t is not left]
        out.append(left)
    if isinstance(calibration, UserError):
        raise calibration
    return calibration, out


def _frame(target: Target, targets: Sequence[Target]) -> bool:
    """Whether this target alone defines the table's frame."""
    return target.place is not None and all(t.place is None for t in targets if t is not target)


def _try(solved: Callable[[Sequence[Target]], Calibration], targets: Sequence[Target]) -> Calibration | UserError:
    try:
        return solved(targets)
    except UserError as error:
        return error


def _has_misfit(calibration: Calibration | UserError, targets: Sequence[Target], suspect_px: float) -> bool:
    if isinstance(calibration, UserError):
        return True
    camera, places = calibration.camera, calibration.markers_in
    seen = [(t.seen_px, np.concatenate([places[n] for n in t.marks])) for t in targets]
    return any(len(px) == len(at) and _away_px(camera, at, px) > suspect_px for px, at in seen)


def _away_px(camera: TableCamera, points_in: FloatArray, seen_px: FloatArray) -> float:
    """Root mean square reprojection error; infinite if a point is not visible."""
    miss = np.linalg.norm(camera.table_to_pixel(points_in) - seen_px, axis=1)
    return float(np.sqrt((miss**2).mean())) if np.isfinite(miss).all() else float("inf")


def misfit_px(camera: TableCamera, target: Target) -> float:
    """Root mean square reprojection error of a target in table coordinates."""
    return _away_px(camera, target.points_in, target.seen_px)


def common_pose(targets: Sequence[Target], camera: TableCamera, tolerance_px: float) -> list[Target]:
    """The largest group of targets, in table coordinates, that fits one pose of `camera`, whose lens it uses.

    At most two targets may be missing from it; empty if there is no such group.
    """
    count = len(targets)
    fewest = max(count - (2 if count <= _MAX_FOR_PAIRS else 1), min(count, 2), 1)
    for size in range(count, fewest - 1, -1):
        fits = [(_worst_px(group, camera), k, group) for k, group in enumerate(combinations(targets, size))]
        worst, _, group = min(fits)
        if worst <= tolerance_px:
            return list(group)
    return []


def _worst_px(targets: Sequence[Target], camera: TableCamera) -> float:
    """Largest misfit of these targets under their best common pose."""
    lens = camera.lens
    points = np.concatenate([t.points_in for t in targets])
    points = np.c_[points, np.zeros(len(points))]
    seen = np.concatenate([t.seen_px for t in targets])
    count, rotations, translations, _ = cv2.solvePnPGeneric(
        points, seen, lens.matrix, lens.distortion, flags=cv2.SOLVEPNP_IPPE
    )
    worst = float("inf")
    for k in range(count):
        turn, shift = cv2.solvePnPRefineLM(points, seen, lens.matrix, lens.distortion, rotations[k], translations[k])
        camera_there = TableCamera(
            lens, np.asarray(cv2.Rodrigues(turn)[0], np.float64), np.asarray(shift, np.float64).ravel()
        )
        worst = min(worst, max(misfit_px(camera_there, target) for target in targets))
    return worst
