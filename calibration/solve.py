"""Pose, lens and the markers' own places, solved together with the table's plane as the constraint.

What is known enters as fixed (a lens profile, a layout); what is not is a parameter, held by a prior where a view
from above cannot tell (focal length against height). Its uncertainty comes out with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.optimize import least_squares

from calibration.camera import Lens, TableCamera, times_full_hd
from calibration.intrinsics import (
    COUNT,
    LensBelief,
    by_numbers,
    lens_numbers,
    lens_of,
    profile_belief,
    usual_belief,
    usual_lens,
)
from calibration.noise import POINT_SIGMA_PX, USUAL, Paper, whitener
from calibration.opencv import cv2
from calibration.spread import SOFT, chance_of, noise2_of, one_sigma_steps, step_to
from rules.table import FloatArray, UserError

NUDGE = 0.01
"""Of a standard deviation: so near, every length changes in proportion."""

WORST_RESIDUAL_PX = 3.0
"""Above this, at 1920 px across, the markers do not lie on one plane or are not of the stated size."""

_FAR = 4.0
"""So many stated deviations off, points do not belong together either."""


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """Something printed that lies on the table, and where its points are seen.

    Attributes:
        points_in: (N, 2) in its own frame, y up as printed.
        seen_px: (N, 2).
        marks: Id -> (4, 2) corners in its own frame of the markers printed on it.
        place: (x_in, y_in, turn_rad) on the table where it is known; None where it is to be found.
        sigma_px: How well the finder places one point, along one axis.
        paper: How true the print is.
        place_sigma_in: How well its place is known along one axis, where it is.
    """

    points_in: FloatArray
    seen_px: FloatArray
    marks: Mapping[int, FloatArray]
    place: tuple[float, float, float] | None = None
    sigma_px: float = POINT_SIGMA_PX
    paper: Paper = USUAL
    place_sigma_in: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """A camera with its error.

    Attributes:
        camera: The best estimate.
        markers_in: Marker id -> (4, 2) corners on the table, in OpenCV's order.
        residual_px: Root mean square distance between seen and predicted points.
        deviants: Cameras `NUDGE` standard deviations away from `camera` along independent directions: any number
            that is computed from the camera has as its variance the sum over them of (its change / NUDGE) squared.
            They are near because focal length and height err together along a curve that a long step would leave.
    """

    camera: TableCamera
    markers_in: Mapping[int, FloatArray]
    residual_px: float
    deviants: tuple[TableCamera, ...]

    def covariance_in2(self, points_in: npt.ArrayLike) -> FloatArray:
        """(2N, 2N) covariance of the places x1, y1, x2, ... of points (N, 3) whose pixels are given.

        Points beyond the picture's model come out as NaN.
        """
        points = np.asarray(points_in, np.float64).reshape(-1, 3)
        pixels = self.camera.table_to_pixel(points)
        moved = [camera.pixel_to_table(pixels, points[:, 2]) - points[:, :2] for camera in self.deviants]
        change = np.reshape(moved, (len(self.deviants), 2 * len(points))) / NUDGE
        return np.asarray(change.T @ change)

    def sigma_in(self, points_in: npt.ArrayLike) -> FloatArray:
        """(N,) standard deviation along one axis of the places of points (N, 3), by calibration alone."""
        variance = np.diag(self.covariance_in2(points_in))
        return np.asarray(np.sqrt(variance.reshape(-1, 2).mean(1)))

    def typical_sigma_in(self) -> float:
        """Median of `sigma_in` over the part of the picture that shows the table within the markers' reach."""
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
    """The (x, y, turn in radians) that lays points (N, 2) on their places (N, 2) with least squares, without scale."""
    p, q = np.asarray(points_in, np.float64), np.asarray(on_table_in, np.float64)
    a, b = p - p.mean(0), q - q.mean(0)
    turn = float(np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum()))
    shift = q.mean(0) - p.mean(0) @ _turned(turn).T
    return (float(shift[0]), float(shift[1]), turn)


def solve(
    targets: Sequence[Target], image_size: tuple[int, int], lens: Lens | None = None, print_sigma: float = 0.0
) -> Calibration:
    """Calibrate from one picture.

    Args:
        targets: At least one, with at least four points; those with a place fix the table's frame. Without any,
            x runs along the picture's lower edge and the origin is the near-left corner of what was found.
        image_size: (width, height) of the picture.
        lens: A profile, or None to find the lens as well. A profile that says how sure it is may give way by as much.
        print_sigma: Standard deviation of the prints' size, as a part of it: 0 where it has been measured.

    Raises:
        UserError: if nothing was found, the lens belongs to another picture size, or the fit is too bad to measure by.
    """
    if not targets:
        raise UserError("no marker found: lay a printed marker flat on the table, well lit and wholly in the picture")
    if lens is not None and tuple(lens.image_size) != tuple(image_size):
        raise UserError(
            f"the lens profile is for {lens.image_size[0]}x{lens.image_size[1]} pictures and this one is"
            f" {image_size[0]}x{image_size[1]}: set the camera to the profile's size or make a profile for this one"
        )
    problem = _Problem(tuple(targets), image_size, lens, print_sigma)
    rough = sorted((problem.fit(start, "linear", 40) for start in problem.starts()), key=lambda fit: float(fit.cost))
    problem = replace(problem, white=problem.whiteners(rough[0].x))
    # A few plain steps tell two poses roughly apart; then outliers are let go of.
    fits = sorted((problem.fit(fit.x, "soft_l1", 200) for fit in rough), key=lambda fit: float(fit.cost))
    return problem.calibration(fits[0], fits[1:])


def _floats(array: npt.ArrayLike) -> FloatArray:
    return np.asarray(array, np.float64)


def _turned(turn: float) -> FloatArray:
    c, s = np.cos(turn), np.sin(turn)
    return np.array([[c, -s], [s, c]])


def laid_at(points_in: FloatArray, place: npt.ArrayLike) -> FloatArray:
    """Points (N, 2) of a print on the table, turned and shifted to a place (x, y, turn) as `place_of` gives it."""
    x, y, turn = np.asarray(place, np.float64)
    return np.asarray(points_in @ _turned(turn).T + (x, y))


@dataclass(frozen=True, slots=True, eq=False)
class _Problem:
    """The parameters: rotation vector, translation, [lens numbers], [log of the prints' scale], x y turn of each free
    target.

    Where no target has a place the first is laid at the origin, and the frame is chosen afterwards.

    Attributes:
        white: For each target what takes its misses to unit deviations; empty while the pose is not known.
    """

    targets: tuple[Target, ...]
    image_size: tuple[int, int]
    lens: Lens | None
    print_sigma: float = 0.0
    white: tuple[FloatArray, ...] = ()

    @property
    def fixed(self) -> tuple[tuple[float, float, float] | None, ...]:
        places = [target.place for target in self.targets]
        if all(place is None for place in places):
            places[0] = (0.0, 0.0, 0.0)
        return tuple(places)

    @property
    def belief(self) -> LensBelief | None:
        """What is believed of the lens where it is to be found."""
        return usual_belief(self.image_size) if self.lens is None else profile_belief(self.lens)

    @property
    def free_lens(self) -> int:
        return 0 if self.belief is None else COUNT

    @property
    def free_scale(self) -> int:
        return 1 if self.print_sigma > 0 else 0

    def starts(self) -> list[FloatArray]:
        """Both poses that explain the fixed targets' points (a plane seen from nearly above has two)."""
        lens = self.lens or usual_lens(self.image_size)
        fixed = [(t, place) for t, place in zip(self.targets, self.fixed, strict=True) if place is not None]
        on_table = np.concatenate([laid_at(t.points_in, place) for t, place in fixed])
        seen = np.concatenate([t.seen_px for t, _ in fixed])
        points = np.c_[on_table, np.zeros(len(on_table))]
        count, rotations, translations, _ = cv2.solvePnPGeneric(
            points, seen, lens.matrix, lens.distortion, flags=cv2.SOLVEPNP_IPPE
        )
        poses = zip(rotations[:count], translations[:count], strict=True)
        finite = [(r, t) for r, t in poses if np.isfinite(r).all() and np.isfinite(t).all()]
        if not finite:  # seen exactly from above the two are one, and that way of finding them divides by nothing
            finite = [cv2.solvePnP(points, seen, lens.matrix, lens.distortion, flags=cv2.SOLVEPNP_ITERATIVE)[1:]]
        if not np.isfinite(finite[0]).all():
            raise UserError(
                "the markers' corners fit no camera position: lay the marker flat and wholly in the picture"
            )
        return [self._start(_floats(r).ravel(), _floats(t).ravel(), lens) for r, t in finite]

    def _start(self, rotation: FloatArray, translation: FloatArray, lens: Lens) -> FloatArray:
        camera = TableCamera(lens, _floats(cv2.Rodrigues(rotation)[0]), translation)
        start = [*rotation, *translation]
        if self.free_lens:
            start += [*lens_numbers(lens)]
        start += [0.0] * self.free_scale
        for target, place in zip(self.targets, self.fixed, strict=True):
            if place is None:
                seen = camera.pixel_to_table(target.seen_px)
                start += place_of(target.points_in, seen) if np.isfinite(seen).all() else (0.0, 0.0, 0.0)
        return np.array(start, np.float64)

    def camera(self, x: FloatArray) -> TableCamera:
        lens = lens_of(x[6 : 6 + COUNT], self.image_size) if self.free_lens else self.lens
        assert lens is not None  # it is free where there is none
        return TableCamera(lens, _floats(cv2.Rodrigues(x[:3])[0]), x[3:6])

    def scaled(self, x: FloatArray, target: Target, points_in: FloatArray) -> FloatArray:
        """Points (N, 2) of a target's frame as large as they were really printed."""
        if not self.free_scale:
            return points_in
        middle = target.points_in.mean(0)
        return np.asarray(middle + (points_in - middle) * np.exp(x[6 + self.free_lens]))

    def laid_targets(self, x: FloatArray) -> list[FloatArray]:
        free = iter(x[6 + self.free_lens + self.free_scale :].reshape(-1, 3))
        places = (place if place is not None else next(free) for place in self.fixed)
        return [
            laid_at(self.scaled(x, target, target.points_in), place)
            for target, place in zip(self.targets, places, strict=True)
        ]

    def _predicted(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(N, 2) pixels of all points, and OpenCV's (2N, 15) derivatives by rotation, translation, f, c and k."""
        laid = np.concatenate(self.laid_targets(x))
        lens = self.camera(x).lens
        points = np.c_[laid, np.zeros(len(laid))]
        pixels, slopes = cv2.projectPoints(points, x[:3], x[3:6], lens.matrix, lens.distortion)
        return _floats(pixels).reshape(-1, 2), _floats(slopes)

    def misses_px(self, x: FloatArray) -> FloatArray:
        """(N, 2) predicted less seen pixels of all points."""
        return np.asarray(self._predicted(x)[0] - np.concatenate([t.seen_px for t in self.targets]))

    def residuals(self, x: FloatArray) -> FloatArray:
        misses = self.whitened(self.misses_px(x).reshape(-1, 1))[:, 0]
        return np.concatenate([misses, self._prior(x)[0]])

    def jacobian(self, x: FloatArray) -> FloatArray:
        """(2N + priors, P) derivative of `residuals`."""
        slopes = self._predicted(x)[1]
        by = np.zeros((len(slopes), x.size))
        by[:, :6] = slopes[:, :6]
        if self.free_lens:
            by[:, 6 : 6 + COUNT] = by_numbers(slopes, x[6 : 6 + COUNT])
        rotation = _floats(cv2.Rodrigues(x[:3])[0])
        row, scale = 0, 6 + self.free_lens
        column = scale + self.free_scale
        for target, fixed, laid in zip(self.targets, self.fixed, self.laid_targets(x), strict=True):
            rows = slice(2 * row, 2 * (row + len(laid)))
            # A point that moves on the table moves before the camera as the translation does, turned.
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
        """What is believed of lens and prints, as residuals, and their (M, P) derivative."""
        belief = self.belief
        residuals, slopes = [np.empty(0)], [np.empty((0, x.size))]
        if belief is not None:
            slope = np.zeros((COUNT, x.size))
            slope[:, 6 : 6 + COUNT] = belief.root
            residuals.append(belief.root @ (x[6 : 6 + COUNT] - belief.mean))
            slopes.append(slope)
        if self.free_scale:
            at = 6 + self.free_lens
            slope = np.zeros((1, x.size))
            slope[0, at] = 1 / self.print_sigma
            residuals.append(x[at : at + 1] / self.print_sigma)
            slopes.append(slope)
        return np.concatenate(residuals), np.concatenate(slopes)

    def whiteners(self, x: FloatArray) -> tuple[FloatArray, ...]:
        """`white` as it is with the camera of these parameters."""
        slopes = self._predicted(x)[1][:, 3:6].reshape(-1, 2, 3) @ _floats(cv2.Rodrigues(x[:3])[0])
        ends = np.cumsum([len(target.points_in) for target in self.targets])[:-1]
        return tuple(
            whitener(laid, slope, target.sigma_px, target.paper, target.place_sigma_in)
            for target, laid, slope in zip(self.targets, self.laid_targets(x), np.split(slopes, ends), strict=True)
        )

    def whitened(self, rows: FloatArray) -> FloatArray:
        """Misses or their derivatives (2N, K) in units of the misses' deviation."""
        if not self.white:
            return rows / POINT_SIGMA_PX
        ends = np.cumsum([len(white) for white in self.white])[:-1]
        return np.concatenate([w @ part for w, part in zip(self.white, np.split(rows, ends), strict=True)])

    def fit(self, start: FloatArray, loss: str, steps: int):  # type: ignore[no-untyped-def]
        """SciPy's result; with "soft_l1" a corner far off weighs less instead of pulling the table askew."""
        return least_squares(
            self.residuals, start, self.jacobian, loss=loss, f_scale=SOFT, x_scale="jac", ftol=1e-6, max_nfev=steps
        )

    def calibration(self, solution, rivals) -> Calibration:  # type: ignore[no-untyped-def]
        """The solution with its error, which holds how far off it is if a rival should be the true one."""
        x = np.asarray(solution.x, np.float64)
        misses = self.misses_px(x)
        residual_px = float(np.sqrt((misses**2).sum(1).mean()))
        stated_px = max(target.sigma_px for target in self.targets)
        if not residual_px <= max(WORST_RESIDUAL_PX * times_full_hd(self.image_size), _FAR * stated_px):
            raise UserError(
                f"the markers do not fit one flat table of the stated size (off by {residual_px:.1f} px):"
                " check that each lies flat, and the side, dictionary and lens that were given"
            )
        camera, laid = self.camera(x), self.laid_targets(x)
        if all(target.place is None for target in self.targets):
            move = _table_frame(camera, np.concatenate(laid))
            camera, laid = _moved(camera, move), [laid_at(points, move) for points in laid]
        white = self.whitened(misses.reshape(-1, 1))[:, 0]
        noise2, spare = noise2_of(solution.jac, white)
        if any(target.place_sigma_in for target in self.targets):
            # What is to spare are pixels within markers: they may be seen well, and places be measured no better.
            noise2 = max(noise2, 1.0)
        steps = list(one_sigma_steps(solution.jac, white.size, noise2))
        for rival in rivals:
            steps.append(step_to(x, rival.x, chance_of(float(rival.cost), float(solution.cost), spare)))
        deviants = tuple(self._deviant(x + NUDGE * step, laid) for step in steps) + self._lifted(camera)
        markers: dict[int, FloatArray] = {}
        for target, points in zip(self.targets, laid, strict=True):
            place = place_of(self.scaled(x, target, target.points_in), points)
            marks = {number: self.scaled(x, target, corners) for number, corners in target.marks.items()}
            markers |= {number: laid_at(corners, place) for number, corners in marks.items()}
        return Calibration(camera, markers, residual_px, deviants)

    def _lifted(self, camera: TableCamera) -> tuple[TableCamera, ...]:
        """The deviant in which all prints lie higher than the table: what they have in common no fit can tell."""
        height_in = float(np.mean([target.paper.height_in for target in self.targets]))
        up = camera.rotation @ (0.0, 0.0, NUDGE * height_in)
        return (replace(camera, translation=camera.translation + up),) if height_in else ()

    def _deviant(self, x: FloatArray, laid: Sequence[FloatArray]) -> TableCamera:
        """The camera of other parameters, in the frame in which the targets lie where they were found.

        With free targets the frame is a convention: what moves camera and targets alike is no error.
        """
        camera = self.camera(x)
        if any(target.place is not None for target in self.targets):
            return camera
        return _moved(camera, place_of(np.concatenate(self.laid_targets(x)), np.concatenate(laid)))


def _moved(camera: TableCamera, move: tuple[float, float, float]) -> TableCamera:
    """The same camera after the table's frame is turned and shifted as `laid_at` does with points."""
    turn = np.eye(3)
    turn[:2, :2] = _turned(move[2])
    rotation = camera.rotation @ turn.T
    return replace(camera, rotation=rotation, translation=camera.translation - rotation @ (move[0], move[1], 0.0))


def _table_frame(camera: TableCamera, found_in: FloatArray) -> tuple[float, float, float]:
    """The move after which x runs along the picture's lower edge and everything found has x, y >= 0."""
    middle = found_in.mean(0)
    pixel = camera.table_to_pixel(middle)[0]
    left, right = camera.pixel_to_table(pixel + np.array([[-20, 0], [20, 0]]))
    turn = -float(np.arctan2(*(right - left)[::-1]))
    low = (found_in @ _turned(turn).T).min(0)
    return (-float(low[0]), -float(low[1]), turn)
