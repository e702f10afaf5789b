"""Fit a lens profile to views of a board: solve for all poses and the nine lens parameters, with their covariance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.camera import Lens
from calibration.intrinsics import (
    PARAMETER_COUNT,
    by_lens_parameters,
    default_lens,
    default_prior,
    lens_from_parameters,
    lens_parameters,
)
from calibration.lens import MIN_VIEWS, BoardView, LensViews
from calibration.opencv import cv2
from rules.tabletop.errors import UserError, user_error
from rules.tabletop.table import FloatArray
from rules.tabletop.translation import tr, tr_count

_MAX_RESIDUAL_TO_MEDIAN = 2.5
_MAX_FOCAL_SIGMA = 0.03
_MAX_RESIDUAL_WIDTHS = 2.0 / 1920
_MIN_SIGMA_PX = 0.02
_STEPS = 20


@dataclass(frozen=True, slots=True, eq=False)
class LensFit:
    """A lens and how well it fits the views.

    Attributes:
        lens: The lens, with its covariance.
        residual_px: Root mean square reprojection error of the corners.
        by_view_px: The same for each view; NaN for a view that was rejected as an outlier.
    """

    lens: Lens
    residual_px: float
    by_view_px: tuple[float, ...]

    @property
    def focal_sigma(self) -> float:
        """Relative standard deviation of the focal length."""
        assert self.lens.covariance is not None  # `fit_lens` always sets it
        return float(np.sqrt(self.lens.covariance[0, 0]))

    @property
    def sentence(self) -> str:
        """The quality of the fit as a sentence for players."""
        full_hd_px = self.residual_px / self.lens.image_size[0] * 1920
        quality = (
            tr("excellent")
            if full_hd_px < 0.35
            else tr("good")
            if full_hd_px < 0.8
            else tr("usable; a stiffer board, more light or a locked focus would improve it")
        )
        return tr(
            "the board's corners are off by {off:.2f} px (rms): {quality};"
            " the focal length is known to ±{percent:.2g} %",
            off=self.residual_px,
            quality=quality,
            percent=200 * self.focal_sigma,
        )


def fit_lens(lens_views: LensViews) -> LensFit:
    """Fit a lens to the views.

    Raises:
        UserError: if there are too few views, they contradict one another, or the focal length stays uncertain.
    """
    _check_enough(len(lens_views.views))
    kept = list(range(len(lens_views.views)))
    while True:
        bundle = _Bundle.of([lens_views.views[k] for k in kept], lens_views.image_size)
        rms = bundle.by_view_px()
        worst = int(np.argmax(rms))
        if rms[worst] < _MAX_RESIDUAL_TO_MEDIAN * np.median(rms) or len(kept) <= MIN_VIEWS:
            break
        del kept[worst]
    fit = bundle.result(kept, len(lens_views.views))
    if fit.residual_px > _MAX_RESIDUAL_WIDTHS * lens_views.image_size[0]:
        raise user_error(
            "the pictures do not fit any lens (off by {off:.1f} px): check the number of the board's"
            " squares, use a stiff and flat board, and keep the focus fixed",
            off=fit.residual_px,
        )
    if fit.focal_sigma > _MAX_FOCAL_SIGMA:
        raise user_error(
            "the focal length is uncertain (±{percent:.0f} %): add pictures of the board tilted to"
            " the left, to the right, towards the camera and away from it",
            percent=200 * fit.focal_sigma,
        )
    return fit


def _check_enough(count: int) -> None:
    if count == 0:
        raise user_error(
            "there are no usable pictures of the board, but {needed} are needed: take more, with the board at the"
            " edges of the picture and tilted",
            needed=MIN_VIEWS,
        )
    if count < MIN_VIEWS:
        raise UserError(
            tr_count(
                "there is {count} usable picture of the board, but {needed} are needed: take more, with the board at"
                " the edges of the picture and tilted",
                "there are {count} usable pictures of the board, but {needed} are needed: take more, with the board at"
                " the edges of the picture and tilted",
                count=count,
                needed=MIN_VIEWS,
            )
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Bundle:
    """Bundle adjustment: views, lens parameters `numbers` (9,), and `poses` (V, 6) as rotation and translation."""

    views: Sequence[BoardView]
    image_size: tuple[int, int]
    numbers: FloatArray
    poses: FloatArray

    @classmethod
    def of(cls, views: Sequence[BoardView], image_size: tuple[int, int]) -> _Bundle:
        start = default_lens(image_size)
        boards = [np.c_[view.points_in, np.zeros(len(view.ids))].astype(np.float32) for view in views]
        seen = [view.seen_px.astype(np.float32) for view in views]
        flags = cv2.CALIB_USE_INTRINSIC_GUESS | cv2.CALIB_FIX_K3 | cv2.CALIB_ZERO_TANGENT_DIST
        _, matrix, distortion, turns, shifts = cv2.calibrateCamera(
            boards, seen, image_size, start.matrix.copy(), start.distortion.copy(), flags=flags
        )
        lens = Lens(image_size, np.asarray(matrix, np.float64), np.asarray(distortion, np.float64).ravel()[:5])
        poses = np.concatenate([np.reshape(turns, (-1, 3)), np.reshape(shifts, (-1, 3))], axis=1)
        bundle = cls(views, image_size, lens_parameters(lens), np.asarray(poses, np.float64))
        for _ in range(_STEPS):
            step = bundle._step()
            bundle = cls(views, image_size, bundle.numbers + step[0], bundle.poses + step[1])
            if np.abs(step[0]).max() < 1e-7:
                break
        return bundle

    def _residuals(self, k: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """BoardView k's residuals (2N,), predicted minus seen, and their Jacobians by lens (2N, 9) and pose (2N, 6)."""
        view, lens = self.views[k], lens_from_parameters(self.numbers, self.image_size)
        points = np.c_[view.points_in, np.zeros(len(view.ids))]
        pixels, slopes = cv2.projectPoints(points, self.poses[k, :3], self.poses[k, 3:], lens.matrix, lens.distortion)
        by: FloatArray = np.asarray(slopes, np.float64)
        errors = np.asarray(pixels, np.float64).reshape(-1, 2) - view.seen_px
        return errors.ravel(), by_lens_parameters(by, self.numbers), by[:, :6]

    def by_view_px(self) -> FloatArray:
        return np.array([np.sqrt(2 * (self._residuals(k)[0] ** 2).mean()) for k in range(len(self.views))])

    def noise_px(self) -> float:
        errors = np.concatenate([self._residuals(k)[0] for k in range(len(self.views))])
        spare = max(1, errors.size - 6 * len(self.views) - PARAMETER_COUNT)
        return max(_MIN_SIGMA_PX, float(np.sqrt((errors**2).sum() / spare)))

    def _normal_equations(self) -> tuple[FloatArray, list[FloatArray]]:
        """Normal equations of the lens, poses eliminated: the (9, 9) matrix with prior, and (9,) gradient per view."""
        information = np.zeros((PARAMETER_COUNT, PARAMETER_COUNT))
        gradients = []
        for k in range(len(self.views)):
            errors, by_lens, by_pose = self._residuals(k)
            # A change that a pose explains as well carries no information about the lens.
            free = by_lens - by_pose @ np.linalg.lstsq(by_pose, by_lens, rcond=None)[0]
            information += free.T @ free
            gradients.append(free.T @ errors)
        root = default_prior(self.image_size).root
        return information / self.noise_px() ** 2 + root.T @ root, gradients

    def _step(self) -> tuple[FloatArray, FloatArray]:
        normal, gradients = self._normal_equations()
        prior, noise2 = default_prior(self.image_size), self.noise_px() ** 2
        gradient = sum(gradients) / noise2 + prior.root.T @ (prior.root @ (self.numbers - prior.mean))
        lens_step = -np.linalg.solve(normal, gradient)
        pose_steps = []
        for k in range(len(self.views)):
            errors, by_lens, by_pose = self._residuals(k)
            pose_steps.append(-np.linalg.lstsq(by_pose, errors + by_lens @ lens_step, rcond=None)[0])
        return np.asarray(lens_step), np.array(pose_steps)

    def covariance(self) -> FloatArray:
        """(9, 9) covariance of the lens parameters.

        A bent board or motion gives the corners of one view correlated errors. If the gradients of the views scatter
        more than independent corners would, the covariance is scaled up accordingly.
        """
        normal, gradients = self._normal_equations()
        noise2, count = self.noise_px() ** 2, len(self.views)
        independent = np.linalg.inv(normal)
        scatter = sum(np.outer(g, g) for g in gradients) / noise2**2 * count / max(1, count - 1)
        inflation = float(np.trace(np.linalg.solve(normal, scatter)) / PARAMETER_COUNT)
        return np.asarray(independent * max(1.0, inflation))

    def result(self, kept: Sequence[int], count: int) -> LensFit:
        by_view = np.full(count, np.nan)
        by_view[list(kept)] = self.by_view_px()
        errors = np.concatenate([self._residuals(k)[0] for k in range(len(self.views))])
        covariance = self.covariance()
        bare = lens_from_parameters(self.numbers, self.image_size)
        lens = replace(bare, covariance=(covariance + covariance.T) / 2)
        return LensFit(lens, float(np.sqrt(2 * (errors**2).mean())), tuple(float(rms) for rms in by_view))
