"""Solve for the camera pose, the lens and the markers' places together; all markers lie in the table's plane.

Known values (a lens profile, a layout) are fixed. Unknown values are parameters; a prior constrains those that a view
from above leaves open, such as focal length against height. The result includes their uncertainty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from calibration.camera import Lens, TableCamera, times_full_hd
from calibration.intrinsics import (
    PARAMETER_COUNT,
    LensPrior,
    by_lens_parameters,
    default_lens,
    default_prior,
    lens_from_parameters,
    lens_parameters,
    profile_prior,
)
from calibration.noise import HOME_PRINTER, POINT_SIGMA_PX, Paper, whitener
from calibration.opencv import cv2
from calibration.spread import SOFT_L1_SCALE, noise_estimate, one_sigma_steps, rival_probability, rival_step
from rules.tabletop.errors import user_error
from rules.tabletop.table import FloatArray

PERTURBATION_SIGMAS = 0.01
"""Step of a perturbed camera, in standard deviations: small enough that every length changes linearly."""

WORST_RESIDUAL_PX = 3.0
"""Above this, at 1920 px across, the markers do not lie on one plane or do not have the stated size."""

_MAX_RESIDUAL_SIGMAS = 4.0
_MAX_LOG_SCALE = 2.0  # of the prints
"""Residuals up to this many stated standard deviations are accepted even above `WORST_RESIDUAL_PX`."""


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """A printed target on the table, and the pixels of its points.

    Attributes:
        points_in: (N, 2) in the target's own frame, y up as printed.
        seen_px: (N, 2).
        marks: Id -> (4, 2) corners, in the target's own frame, of the markers printed on it.
        place: (x_in, y_in, turn_rad) on the table, or None if it is unknown.
        sigma_px: Standard deviation of one detected point along one axis.
        paper: Errors of the print.
        place_sigma_in: Standard deviation of a known place along one axis.
    """

    points_in: FloatArray
    seen_px: FloatArray
    marks: Mapping[int, FloatArray]
    place: tuple[float, float, float] | None = None
    sigma_px: float = POINT_SIGMA_PX
    paper: Paper = HOME_PRINTER
    place_sigma_in: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """A camera and its uncertainty.

    Attributes:
        camera: The best estimate.
        markers_in: Marker id -> (4, 2) corners on the table, in OpenCV's order.
        residual_px: Root mean square reprojection error.
        deviants: Cameras `PERTURBATION_SIGMAS` standard deviations away from `camera` along independent directions. The
            variance of a value computed from the camera is the sum over them of (its change / that) squared. The steps
            are small
            because the errors of focal length and height lie on a curve, which a long step would leave.
    """

    camera: TableCamera
    markers_in: Mapping[int, FloatArray]
    residual_px: float
    deviants: tuple[TableCamera, ...]

    def covariance_in2(self, points_in: npt.ArrayLike) -> FloatArray:
        """(2N, 2N) covariance of the table places x1, y1, x2, ... computed from the pixels of points (N, 3).

        NaN for points that the lens model does not cover.
        """
        points = np.asarray(points_in, np.float64).reshape(-1, 3)
        pixels = self.camera.table_to_pixel(points)
        moved = [camera.pixel_to_table(pixels, points[:, 2]) - points[:, :2] for camera in self.deviants]
        change = np.reshape(moved, (len(self.deviants), 2 * len(points))) / PERTURBATION_SIGMAS
        return np.asarray(change.T @ change)

    def sigma_in(self, points_in: npt.ArrayLike) -> FloatArray:
        """(N,) standard deviation along one axis of the places of points (N, 3), from the calibration alone."""
        variance = np.diag(self.covariance_in2(points_in))
        return np.asarray(np.sqrt(variance.reshape(-1, 2).mean(1)))

    def typical_sigma_in(self) -> float:
        """Median of `sigma_in` over the pixels that show the table within 1.5 camera heights of the camera's foot."""
        width, height = self.camera.lens.image_size
        u, v = np.meshgrid(np.linspace(0.05, 0.95, 9) * width, np.linspace(0.05, 0.95, 9) * height)
        places = self.camera.pixel_to_table(np.c_[u.ravel(), v.ravel()])
        places = places[np.isfinite(places).all(1)]
        near = np.linalg.norm(places - self.camera.position_in[:2], axis=1) < 1.5 * self.camera.position_in[2]
        sigma = self.sigma_in(np.c_[places[near], np.zeros(near.sum())])
        return float(np.nanmedian(sigma)) if np.isfinite(sigma).any() else float("inf")


def marker_square(side_in: float) -> FloatArray:
    """(4, 2) corners of a marker about its centre, y up, in OpenCV's order: top-left, then clockwise as printed."""
    return np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]], np.float64) * (side_in / 2)


def place_of(points_in: npt.ArrayLike, on_table_in: npt.ArrayLike) -> tuple[float, float, float]:
    """The rigid (x, y, turn in radians) that moves points (N, 2) to their table places (N, 2), by least squares."""
    p, q = np.asarray(points_in, np.float64), np.asarray(on_table_in, np.float64)
    a, b = p - p.mean(0), q - q.mean(0)
    turn = float(np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum()))
    shift = q.mean(0) - p.mean(0) @ _rotation_2d(turn).T
    return (float(shift[0]), float(shift[1]), turn)


def solve(
    targets: Sequence[Target], image_size: tuple[int, int], lens: Lens | None = None, print_sigma: float = 0.0
) -> Calibration:
    """Calibrate from one picture.

    Args:
        targets: At least one, with at least four points. Targets with a known place define the table's frame; without
            any, x runs along the picture's lower edge and the origin is the near-left corner of all targets.
        image_size: (width, height) of the picture.
        lens: A profile, or None to solve for the lens as well. A profile with a covariance is refined within it.
        print_sigma: Relative standard deviation of the prints' size; 0 if the size is exact.

    Raises:
        UserError: if there are no targets, the lens belongs to another picture size, or the residual is too large.
    """
    if not targets:
        raise user_error(
            "no marker found: lay a printed marker flat on the table, well lit and fully in the picture, or give the"
            " corners of a rectangle of known size"
        )
    if lens is not None and tuple(lens.image_size) != tuple(image_size):
        raise user_error(
            "the lens profile is for {lens_width}x{lens_height} pictures, but this picture is"
            " {width}x{height}: set the camera to the profile's size, or make a profile for this size",
            lens_width=lens.image_size[0],
            lens_height=lens.image_size[1],
            width=image_size[0],
            height=image_size[1],
        )
    problem = CalibrationProblem(tuple(targets), image_size, lens, print_sigma)
    rough = sorted((problem.fit(start, "linear", 40) for start in problem.starts()), key=lambda fit: float(fit.cost))
    problem = replace(problem, white=problem.whiteners(rough[0].x))
    # A few linear steps rank the two poses roughly; the robust loss then reduces the weight of outliers.
    fits = sorted((problem.fit(fit.x, "soft_l1", 200) for fit in rough), key=lambda fit: float(fit.cost))
    return problem.calibration(fits[0], fits[1:])


def _floats(array: npt.ArrayLike) -> FloatArray:
    return np.asarray(array, np.float64)


def _rotation_2d(turn: float) -> FloatArray:
    c, s = np.cos(turn), np.sin(turn)
    return np.array([[c, -s], [s, c]])


def laid_at(points_in: FloatArray, place: npt.ArrayLike) -> FloatArray:
    """Points (N, 2) of a print moved to the table by a place (x, y, turn), as `place_of` returns it."""
    x, y, turn = np.asarray(place, np.float64)
    return np.asarray(points_in @ _rotation_2d(turn).T + (x, y))


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationProblem:
    """The least-squares problem.

    Its parameters are the rotation vector, the translation, [the lens parameters], [log of the prints' scale], and x, y
    and turn of each free target. If no target has a place, the first lies at the origin and `calibration` chooses the
    frame afterwards.

    Attributes:
        white: Whitening matrix of each target's residuals; empty until the pose is known.
    """

    targets: tuple[Target, ...]
    image_size: tuple[int, int]
    lens: Lens | None
    print_sigma: float = 0.0
    white: tuple[FloatArray, ...] = ()

    @property
    def fixed(self) -> tuple[tuple[float, float, float] | None, ...]:
        """Places of the targets that are known; the first is the origin where none is."""
        places = [target.place for target in self.targets]
        if all(place is None for place in places):
            places[0] = (0.0, 0.0, 0.0)
        return tuple(places)

    @property
    def prior(self) -> LensPrior | None:
        """Prior of the lens, or None if the lens is exact."""
        return default_prior(self.image_size) if self.lens is None else profile_prior(self.lens)

    @property
    def free_lens(self) -> int:
        """Number of lens parameters to find."""
        return 0 if self.prior is None else PARAMETER_COUNT

    @property
    def free_scale(self) -> int:
        """Number of scale parameters to find: 1 where the prints' size is uncertain."""
        return 1 if self.print_sigma > 0 else 0

    def starts(self) -> list[FloatArray]:
        """Both poses that fit the fixed targets (a plane seen from nearly above has two)."""
        lens = self.lens or default_lens(self.image_size)
        fixed = [(t, place) for t, place in zip(self.targets, self.fixed, strict=True) if place is not None]
        on_table = np.concatenate([laid_at(t.points_in, place) for t, place in fixed])
        seen = np.concatenate([t.seen_px for t, _ in fixed])
        points = np.c_[on_table, np.zeros(len(on_table))]
        count, rotations, translations, _ = cv2.solvePnPGeneric(
            points, seen, lens.matrix, lens.distortion, flags=cv2.SOLVEPNP_IPPE
        )
        poses = zip(rotations[:count], translations[:count], strict=True)
        finite = [(r, t) for r, t in poses if np.isfinite(r).all() and np.isfinite(t).all()]
        if not finite:  # seen exactly from above, the two poses coincide and IPPE divides by zero
            finite = [cv2.solvePnP(points, seen, lens.matrix, lens.distortion, flags=cv2.SOLVEPNP_ITERATIVE)[1:]]
        if not np.isfinite(finite[0]).all():
            raise user_error(
                "the markers' corners fit no camera position: lay the marker flat and fully in the picture"
            )
        return [self._start(_floats(r).ravel(), _floats(t).ravel(), lens) for r, t in finite]

    def _start(self, rotation: FloatArray, translation: FloatArray, lens: Lens) -> FloatArray:
        camera = TableCamera(lens, _floats(cv2.Rodrigues(rotation)[0]), translation)
        start = [*rotation, *translation]
        if self.free_lens:
            start += [*lens_parameters(lens)]
        start += [0.0] * self.free_scale
        for target, place in zip(self.targets, self.fixed, strict=True):
            if place is None:
                seen = camera.pixel_to_table(target.seen_px)
                start += place_of(target.points_in, seen) if np.isfinite(seen).all() else (0.0, 0.0, 0.0)
        return np.array(start, np.float64)

    def camera(self, x: FloatArray) -> TableCamera:
        """The camera of these parameters."""
        lens = lens_from_parameters(x[6 : 6 + PARAMETER_COUNT], self.image_size) if self.free_lens else self.lens
        assert lens is not None  # without a profile, the lens is free
        return TableCamera(lens, _floats(cv2.Rodrigues(x[:3])[0]), x[3:6])

    def scaled(self, x: FloatArray, target: Target, points_in: FloatArray) -> FloatArray:
        """Points (N, 2) of a target's frame, scaled by the estimated print scale."""
        if not self.free_scale:
            return points_in
        centre = target.points_in.mean(0)
        # A step may try any scale before it is rejected.
        scale = np.exp(np.clip(x[6 + self.free_lens], -_MAX_LOG_SCALE, _MAX_LOG_SCALE))
        return np.asarray(centre + (points_in - centre) * scale)

    def placed_targets(self, x: FloatArray) -> list[FloatArray]:
        """Points (N, 2) of each target on the table, in inches."""
        free = iter(x[6 + self.free_lens + self.free_scale :].reshape(-1, 3))
        places = (place if place is not None else next(free) for place in self.fixed)
        return [
            laid_at(self.scaled(x, target, target.points_in), place)
            for target, place in zip(self.targets, places, strict=True)
        ]

    def _predicted(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(N, 2) pixels of all points, and OpenCV's (2N, 15) Jacobian by rotation, translation, f, c and k."""
        laid = np.concatenate(self.placed_targets(x))
        lens = self.camera(x).lens
        points = np.c_[laid, np.zeros(len(laid))]
        pixels, slopes = cv2.projectPoints(points, x[:3], x[3:6], lens.matrix, lens.distortion)
        return _floats(pixels).reshape(-1, 2), _floats(slopes)

    def errors_px(self, x: FloatArray) -> FloatArray:
        """(N, 2) predicted minus seen pixels of all points."""
        return np.asarray(self._predicted(x)[0] - np.concatenate([t.seen_px for t in self.targets]))

    def residuals(self, x: FloatArray) -> FloatArray:
        """Whitened errors of all points, then those of the priors."""
        errors = self.whitened(self.errors_px(x).reshape(-1, 1))[:, 0]
        return np.concatenate([errors, self._prior(x)[0]])

    def jacobian(self, x: FloatArray) -> FloatArray:
        """(2N + priors, P) derivative of `residuals`."""
        slopes = self._predicted(x)[1]
        by = np.zeros((len(slopes), x.size))
        by[:, :6] = slopes[:, :6]
        if self.free_lens:
            by[:, 6 : 6 + PARAMETER_COUNT] = by_lens_parameters(slopes, x[6 : 6 + PARAMETER_COUNT])
        rotation = _floats(cv2.Rodrigues(x[:3])[0])
        row, scale = 0, 6 + self.free_lens
        column = scale + self.free_scale
        for target, fixed, laid in zip(self.targets, self.fixed, self.placed_targets(x), strict=True):
            rows = slice(2 * row, 2 * (row + len(laid)))
            # Moving a point on the table equals a translation of the camera frame, rotated into the table's axes.
            by_point = slopes[rows, 3:6].reshape(-1, 2, 3) @ rotation[:, :2]
            if self.free_scale:
                by[rows, scale] = (by_point @ (laid - laid.mean(0))[:, :, None]).ravel()
            if fixed is None:
                arm = (laid - x[column : column + 2])[:, ::-1] * (-1, 1)
                by[rows, column : column + 2] = by_point.reshape(-1, 2)
                by[rows, column + 2] = (by_point @ arm[:, :, None]).ravel()
                column += 3
            row += len(target.seen_px)
        return np.concatenate([self.whitened(by), self._prior(x)[1]])

    def _prior(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Residuals (M,) of the priors of lens and print scale, and their (M, P) Jacobian."""
        prior = self.prior
        residuals, slopes = [np.empty(0)], [np.empty((0, x.size))]
        if prior is not None:
            slope = np.zeros((PARAMETER_COUNT, x.size))
            slope[:, 6 : 6 + PARAMETER_COUNT] = prior.root
            residuals.append(prior.root @ (x[6 : 6 + PARAMETER_COUNT] - prior.mean))
            slopes.append(slope)
        if self.free_scale:
            at = 6 + self.free_lens
            slope = np.zeros((1, x.size))
            slope[0, at] = 1 / self.print_sigma
            residuals.append(x[at : at + 1] / self.print_sigma)
            slopes.append(slope)
        return np.concatenate(residuals), np.concatenate(slopes)

    def whiteners(self, x: FloatArray) -> tuple[FloatArray, ...]:
        """`white` for the camera with these parameters."""
        slopes = self._predicted(x)[1][:, 3:6].reshape(-1, 2, 3) @ _floats(cv2.Rodrigues(x[:3])[0])
        ends = np.cumsum([len(target.points_in) for target in self.targets])[:-1]
        return tuple(
            whitener(laid, slope, target.sigma_px, target.paper, target.place_sigma_in)
            for target, laid, slope in zip(self.targets, self.placed_targets(x), np.split(slopes, ends), strict=True)
        )

    def whitened(self, rows: FloatArray) -> FloatArray:
        """Reprojection errors or their Jacobian (2N, K), in units of the errors' standard deviation."""
        if not self.white:
            return rows / POINT_SIGMA_PX
        ends = np.cumsum([len(white) for white in self.white])[:-1]
        return np.concatenate([w @ part for w, part in zip(self.white, np.split(rows, ends), strict=True)])

    def fit(self, start: FloatArray, loss: str, steps: int):  # type: ignore[no-untyped-def]
        """SciPy's result; the loss "soft_l1" reduces the weight of outlying corners."""
        from scipy.optimize import least_squares  # here, because the window opens before it is needed

        return least_squares(
            self.residuals,
            start,
            self.jacobian,
            loss=loss,
            f_scale=SOFT_L1_SCALE,
            x_scale="jac",
            ftol=1e-6,
            max_nfev=steps,
        )

    def calibration(self, solution, rivals) -> Calibration:  # type: ignore[no-untyped-def]
        """The solution with its uncertainty, which includes the chance that a rival solution is the true one."""
        x = np.asarray(solution.x, np.float64)
        errors = self.errors_px(x)
        residual_px = float(np.sqrt((errors**2).sum(1).mean()))
        stated_px = max(target.sigma_px for target in self.targets)
        if not residual_px <= max(WORST_RESIDUAL_PX * times_full_hd(self.image_size), _MAX_RESIDUAL_SIGMAS * stated_px):
            raise user_error(
                "the markers do not fit a flat table (off by {off:.1f} px): check that each marker lies"
                " flat, and check the marker side, the dictionary and the lens profile",
                off=residual_px,
            )
        camera, laid = self.camera(x), self.placed_targets(x)
        if all(target.place is None for target in self.targets):
            move = _table_frame(camera, np.concatenate(laid))
            camera, laid = _moved(camera, move), [laid_at(points, move) for points in laid]
        white = self.whitened(errors.reshape(-1, 1))[:, 0]
        noise2, spare = noise_estimate(solution.jac, white)
        if any(target.place_sigma_in for target in self.targets):
            # Residuals within markers can be small while the known places are no better than stated.
            noise2 = max(noise2, 1.0)
        steps = list(one_sigma_steps(solution.jac, white.size, noise2))
        for rival in rivals:
            steps.append(rival_step(x, rival.x, rival_probability(float(rival.cost), float(solution.cost), spare)))
        deviants = tuple(self._perturbed(x + PERTURBATION_SIGMAS * step, laid) for step in steps) + self._raised_prints(
            camera
        )
        markers: dict[int, FloatArray] = {}
        for target, points in zip(self.targets, laid, strict=True):
            place = place_of(self.scaled(x, target, target.points_in), points)
            marks = {number: self.scaled(x, target, corners) for number, corners in target.marks.items()}
            markers |= {number: laid_at(corners, place) for number, corners in marks.items()}
        return Calibration(camera, markers, residual_px, deviants)

    def _raised_prints(self, camera: TableCamera) -> tuple[TableCamera, ...]:
        """The perturbed camera for prints that all lie above the table; a fit cannot detect a shared height."""
        height_in = float(np.mean([target.paper.height_in for target in self.targets]))
        up = camera.rotation @ (0.0, 0.0, PERTURBATION_SIGMAS * height_in)
        return (replace(camera, translation=camera.translation + up),) if height_in else ()

    def _perturbed(self, x: FloatArray, laid: Sequence[FloatArray]) -> TableCamera:
        """The camera of other parameters, in the frame that best aligns its targets with `laid`.

        With free targets the frame is a convention, so a common motion of camera and targets is not an error.
        """
        camera = self.camera(x)
        if any(target.place is not None for target in self.targets):
            return camera
        return _moved(camera, place_of(np.concatenate(self.placed_targets(x)), np.concatenate(laid)))


def _moved(camera: TableCamera, move: tuple[float, float, float]) -> TableCamera:
    """The same camera after the table's frame is moved as `laid_at` moves points."""
    turn = np.eye(3)
    turn[:2, :2] = _rotation_2d(move[2])
    rotation = camera.rotation @ turn.T
    return replace(camera, rotation=rotation, translation=camera.translation - rotation @ (move[0], move[1], 0.0))


def _table_frame(camera: TableCamera, found_in: FloatArray) -> tuple[float, float, float]:
    """The move after which x runs along the picture's lower edge and all points have x, y >= 0."""
    centre = found_in.mean(0)
    pixel = camera.table_to_pixel(centre)[0]
    left, right = camera.pixel_to_table(pixel + np.array([[-20, 0], [20, 0]]))
    turn = -float(np.arctan2(*(right - left)[::-1]))
    low = (found_in @ _rotation_2d(turn).T).min(0)
    return (-float(low[0]), -float(low[1]), turn)
