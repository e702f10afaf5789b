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

from calibration.camera import Lens, TableCamera
from calibration.opencv import cv2
from rules.table import FloatArray, Refused

POINT_SIGMA_PX = 0.08
"""Of one point within its target; the spread of fitted against true corners of rendered markers is 0.02 to 0.1 px."""

TARGET_SIGMA_PX = 0.15
"""Shared by all points of one target: what the lens model leaves, and paper that is not quite flat."""

NUDGE = 0.01
"""Of a standard deviation: so near, every length changes in proportion."""

WORST_RESIDUAL_PX = 3.0
"""Above this, at 1920 px across, the markers do not lie on one plane or are not of the stated size."""

# Webcams and phones span about 50 to 90 degrees across; their axis meets the picture near its middle.
_FOCAL_OF_WIDTH, _FOCAL_SPREAD = 0.78, 0.22
_AXIS_SPREAD_OF_WIDTH = 0.012
_K1, _K1_SPREAD, _K2, _K2_SPREAD = -0.12, 0.12, 0.04, 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """Something printed that lies on the table, and where its points are seen.

    Attributes:
        points_in: (N, 2) in its own frame, y up as printed.
        seen_px: (N, 2).
        marks: Id -> (4, 2) corners in its own frame of the markers printed on it.
        place: (x_in, y_in, turn_rad) on the table where it is known; None where it is to be found.
    """

    points_in: FloatArray
    seen_px: FloatArray
    marks: Mapping[int, FloatArray]
    place: tuple[float, float, float] | None = None


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


def default_lens(image_size: tuple[int, int]) -> Lens:
    """The lens that is assumed before anything is known: 65 degrees across, a little barrel distortion."""
    width, height = image_size
    focal = _FOCAL_OF_WIDTH * max(width, height)
    return Lens(
        image_size,
        np.array([[focal, 0, width / 2 - 0.5], [0, focal, height / 2 - 0.5], [0, 0, 1]]),
        np.array([_K1, _K2, 0, 0, 0]),
    )


def solve(targets: Sequence[Target], image_size: tuple[int, int], lens: Lens | None = None) -> Calibration:
    """Calibrate from one picture.

    Args:
        targets: At least one, with at least four points; those with a place fix the table's frame. Without any,
            x runs along the picture's lower edge and the origin is the near-left corner of what was found.
        image_size: (width, height) of the picture.
        lens: A profile, or None to find focal length, axis, k1 and k2 as well.

    Raises:
        Refused: if nothing was found, the lens belongs to another picture size, or the fit is too bad to measure by.
    """
    if not targets:
        raise Refused("no marker was found: lay a printed marker flat on the table, wholly in the picture and in light")
    if lens is not None and tuple(lens.image_size) != tuple(image_size):
        raise Refused(
            f"the lens profile is for {lens.image_size[0]}x{lens.image_size[1]} pictures and this one is"
            f" {image_size[0]}x{image_size[1]}: set the camera to the profile's size or make a profile for this one"
        )
    problem = _Problem(tuple(targets), image_size, lens)
    # The wrong one of two poses is far off: a few plain steps tell them apart, then outliers are let go of.
    rough = min((problem.fit(start, "linear", 40) for start in problem.starts()), key=lambda fit: float(fit.cost))
    return problem.calibration(problem.fit(rough.x, "soft_l1", 200))


def _floats(array: npt.ArrayLike) -> FloatArray:
    return np.asarray(array, np.float64)


def _lens_numbers(lens: Lens) -> FloatArray:
    """The five that are solved for when no profile is given: log focal length, axis x and y, k1, k2."""
    return np.array([np.log(lens.matrix[0, 0]), lens.matrix[0, 2], lens.matrix[1, 2], *lens.distortion[:2]])


def _turned(turn: float) -> FloatArray:
    c, s = np.cos(turn), np.sin(turn)
    return np.array([[c, -s], [s, c]])


def _laid(points: FloatArray, place: npt.ArrayLike) -> FloatArray:
    x, y, turn = np.asarray(place, np.float64)
    return np.asarray(points @ _turned(turn).T + (x, y))


@dataclass(frozen=True, slots=True, eq=False)
class _Problem:
    """The parameters: rotation vector, translation, [log focal, axis x, axis y, k1, k2], x y turn of each free target.

    Where no target has a place the first is laid at the origin, and the frame is chosen afterwards.
    """

    targets: tuple[Target, ...]
    image_size: tuple[int, int]
    lens: Lens | None

    @property
    def fixed(self) -> tuple[tuple[float, float, float] | None, ...]:
        places = [target.place for target in self.targets]
        if all(place is None for place in places):
            places[0] = (0.0, 0.0, 0.0)
        return tuple(places)

    @property
    def free_lens(self) -> int:
        return 5 if self.lens is None else 0

    def starts(self) -> list[FloatArray]:
        """Both poses that explain the fixed targets' points (a plane seen from nearly above has two)."""
        lens = self.lens or default_lens(self.image_size)
        fixed = [(t, place) for t, place in zip(self.targets, self.fixed, strict=True) if place is not None]
        on_table = np.concatenate([_laid(t.points_in, place) for t, place in fixed])
        seen = np.concatenate([t.seen_px for t, _ in fixed])
        points = np.c_[on_table, np.zeros(len(on_table))]
        count, rotations, translations, _ = cv2.solvePnPGeneric(
            points, seen, lens.matrix, lens.distortion, flags=cv2.SOLVEPNP_IPPE
        )
        if not count:
            raise Refused("the markers' corners fit no camera position: is the marker flat, and wholly in the picture?")
        return [
            self._start(_floats(r).ravel(), _floats(t).ravel(), lens)
            for r, t in zip(rotations, translations, strict=True)
        ]

    def _start(self, rotation: FloatArray, translation: FloatArray, lens: Lens) -> FloatArray:
        camera = TableCamera(lens, _floats(cv2.Rodrigues(rotation)[0]), translation)
        start = [*rotation, *translation]
        if self.free_lens:
            start += [*_lens_numbers(lens)]
        for target, place in zip(self.targets, self.fixed, strict=True):
            if place is None:
                seen = camera.pixel_to_table(target.seen_px)
                start += place_of(target.points_in, seen) if np.isfinite(seen).all() else (0.0, 0.0, 0.0)
        return np.array(start, np.float64)

    def camera(self, x: FloatArray) -> TableCamera:
        lens = self.lens
        if lens is None:
            log_focal, cx, cy, k1, k2 = x[6:11]
            focal = np.exp(log_focal)
            matrix = np.array([[focal, 0, cx], [0, focal, cy], [0, 0, 1]])
            lens = Lens(self.image_size, matrix, np.array([k1, k2, 0, 0, 0]))
        return TableCamera(lens, _floats(cv2.Rodrigues(x[:3])[0]), x[3:6])

    def laid_targets(self, x: FloatArray) -> list[FloatArray]:
        free = iter(x[6 + self.free_lens :].reshape(-1, 3))
        places = (place if place is not None else next(free) for place in self.fixed)
        return [_laid(target.points_in, place) for target, place in zip(self.targets, places, strict=True)]

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
        misses = self.whitened(self.misses_px(x)).ravel()
        return np.concatenate([misses, self._prior(x)[0]])

    def jacobian(self, x: FloatArray) -> FloatArray:
        """(2N + priors, P) derivative of `residuals`."""
        slopes = self._predicted(x)[1]
        by = np.zeros((len(slopes), x.size))
        by[:, :6] = slopes[:, :6]
        if self.free_lens:
            by[:, 6] = (slopes[:, 6] + slopes[:, 7]) * np.exp(x[6])
            by[:, 7:11] = slopes[:, 8:12]
        rotation = _floats(cv2.Rodrigues(x[:3])[0])
        row, column = 0, 6 + self.free_lens
        for target, fixed, laid in zip(self.targets, self.fixed, self.laid_targets(x), strict=True):
            rows = slice(2 * row, 2 * (row + len(laid)))
            if fixed is None:
                # A point that moves on the table moves before the camera as the translation does, turned.
                by_point = slopes[rows, 3:6].reshape(-1, 2, 3) @ rotation[:, :2]
                arm = (laid - x[column : column + 2])[:, ::-1] * (-1, 1)
                by[rows, column : column + 2] = by_point.reshape(-1, 2)
                by[rows, column + 2] = (by_point @ arm[:, :, None]).ravel()
                column += 3
            row += len(target.seen_px)
        white = np.stack([self.whitened(k.reshape(-1, 2)).ravel() for k in by.T], axis=1)
        return np.concatenate([white, self._prior(x)[1]])

    def _prior(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """What cameras usually are, as five residuals, and their (5, P) derivative; empty with a lens profile."""
        wide = max(self.image_size)
        spread = np.array(
            [_FOCAL_SPREAD, _AXIS_SPREAD_OF_WIDTH * wide, _AXIS_SPREAD_OF_WIDTH * wide, _K1_SPREAD, _K2_SPREAD]
        )
        usual = _lens_numbers(default_lens(self.image_size))
        slope = np.zeros((self.free_lens, x.size))
        if not self.free_lens:
            return np.empty(0), slope
        slope[:, 6:11] = np.diag(1 / spread)
        return (x[6:11] - usual) / spread, slope

    def whitened(self, misses_px: FloatArray) -> FloatArray:
        """Misses in units of their deviation: `POINT_SIGMA_PX` each, and `TARGET_SIGMA_PX` shared within a target."""
        white, at = misses_px / POINT_SIGMA_PX, 0
        for target in self.targets:
            n = len(target.seen_px)
            shared = 1 / np.hypot(POINT_SIGMA_PX, np.sqrt(n) * TARGET_SIGMA_PX) - 1 / POINT_SIGMA_PX
            white[at : at + n] += misses_px[at : at + n].mean(0) * shared
            at += n
        return np.asarray(white)

    def fit(self, start: FloatArray, loss: str, steps: int):  # type: ignore[no-untyped-def]
        """SciPy's result; with "soft_l1" a corner far off weighs less instead of pulling the table askew."""
        return least_squares(
            self.residuals, start, self.jacobian, loss=loss, f_scale=4.0, x_scale="jac", ftol=1e-6, max_nfev=steps
        )

    def calibration(self, solution) -> Calibration:  # type: ignore[no-untyped-def]
        x = np.asarray(solution.x, np.float64)
        misses = self.misses_px(x)
        residual_px = float(np.sqrt((misses**2).sum(1).mean()))
        if not residual_px <= WORST_RESIDUAL_PX * max(self.image_size) / 1920:
            raise Refused(
                f"the markers do not fit one flat table of the stated size (off by {residual_px:.1f} px):"
                " check that each lies flat, and the side, dictionary and lens that were given"
            )
        camera, laid = self.camera(x), self.laid_targets(x)
        if all(target.place is None for target in self.targets):
            move = _table_frame(camera, np.concatenate(laid))
            camera, laid = _moved(camera, move), [_laid(points, move) for points in laid]
        white = self.whitened(misses)
        deviants = tuple(self._deviant(x + NUDGE * step, laid) for step in _one_sigma_steps(solution.jac, white))
        markers: dict[int, FloatArray] = {}
        for target, points in zip(self.targets, laid, strict=True):
            place = place_of(target.points_in, points)
            markers |= {number: _laid(corners, place) for number, corners in target.marks.items()}
        return Calibration(camera, markers, residual_px, deviants)

    def _deviant(self, x: FloatArray, laid: Sequence[FloatArray]) -> TableCamera:
        """The camera of other parameters, in the frame in which the targets lie where they were found.

        With free targets the frame is a convention: what moves camera and targets alike is no error.
        """
        camera = self.camera(x)
        if any(target.place is not None for target in self.targets):
            return camera
        return _moved(camera, place_of(np.concatenate(self.laid_targets(x)), np.concatenate(laid)))


def _one_sigma_steps(jacobian: FloatArray, white: FloatArray) -> FloatArray:
    """(P, P) rows: one standard deviation along each principal direction of the parameters' covariance."""
    _, size, directions = np.linalg.svd(jacobian, full_matrices=False)
    # Points worse than assumed widen everything; better ones do not narrow it, they may only be few.
    spare = max(1, white.size - jacobian.shape[1])
    worse = max(1.0, float(np.sqrt((white**2).sum() / spare)))
    return np.asarray(directions * (worse / np.maximum(size, 1e-9))[:, None])


def _moved(camera: TableCamera, move: tuple[float, float, float]) -> TableCamera:
    """The same camera after the table's frame is turned and shifted as `_laid` does with points."""
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
