"""A lens profile from views of a board: all poses and the nine numbers of the lens at once, with their covariance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.camera import Lens
from calibration.intrinsics import COUNT, by_numbers, lens_numbers, lens_of, usual_belief, usual_lens
from calibration.lens import FEWEST_VIEWS, Gathering, View
from calibration.opencv import cv2
from rules.table import FloatArray, UserError

_WORST_OF_TYPICAL = 2.5
_MOST_FOCAL_SIGMA = 0.03
_MOST_RESIDUAL_OF_WIDTH = 2.0 / 1920
_LEAST_SIGMA_PX = 0.02
_STEPS = 20


@dataclass(frozen=True, slots=True, eq=False)
class LensFit:
    """A lens and how well it explains the views.

    Attributes:
        lens: With its covariance.
        residual_px: Root mean square distance of corners from where the lens puts them.
        by_view_px: The same of each view; NaN of one that was left out because the rest contradicts it.
    """

    lens: Lens
    residual_px: float
    by_view_px: tuple[float, ...]

    @property
    def focal_sigma(self) -> float:
        """Standard deviation of the focal length, as a part of it."""
        assert self.lens.covariance is not None  # `fit_lens` gives one
        return float(np.sqrt(self.lens.covariance[0, 0]))

    @property
    def sentence(self) -> str:
        """The residual explained."""
        part = self.residual_px / self.lens.image_size[0] * 1920
        judged = (
            "as good as it gets"
            if part < 0.35
            else "good"
            if part < 0.8
            else "usable; a stiffer board, more light or a locked focus would make it better"
        )
        return (
            f"the board's corners lie {self.residual_px:.2f} px (rms) from where this lens puts them: {judged};"
            f" the focal length is sure to {100 * self.focal_sigma:.2g} %"
        )


def fit_lens(gathering: Gathering) -> LensFit:
    """The lens that explains the views.

    Raises:
        UserError: if there are too few views, they contradict one another, or leave the focal length open.
    """
    _check_enough(len(gathering.views))
    kept = list(range(len(gathering.views)))
    while True:
        bundle = _Bundle.of([gathering.views[k] for k in kept], gathering.image_size)
        rms = bundle.by_view_px()
        worst = int(np.argmax(rms))
        if rms[worst] < _WORST_OF_TYPICAL * np.median(rms) or len(kept) <= FEWEST_VIEWS:
            break
        del kept[worst]
    fit = bundle.result(kept, len(gathering.views))
    if fit.residual_px > _MOST_RESIDUAL_OF_WIDTH * gathering.image_size[0]:
        raise UserError(
            f"the pictures fit no lens (off by {fit.residual_px:.1f} px): check the board's squares and that it is"
            " stiff and flat, and let the focus stay as it is"
        )
    if fit.focal_sigma > _MOST_FOCAL_SIGMA:
        raise UserError(
            f"the pictures leave the focal length open (to {100 * fit.focal_sigma:.0f} %): add some in which the board"
            " is held at a slant, to the left, right, near and far side"
        )
    return fit


def _check_enough(count: int) -> None:
    if count < FEWEST_VIEWS:
        raise UserError(
            f"only {count or 'no'} usable picture{'' if count == 1 else 's'} of the board,"
            f" and {FEWEST_VIEWS} are needed: take more, with the board at the frame's edges and at a slant"
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Bundle:
    """Views with the parameters that fit them: `numbers` (9,) of the lens, `poses` (V, 6) rotation and translation."""

    views: Sequence[View]
    image_size: tuple[int, int]
    numbers: FloatArray
    poses: FloatArray

    @classmethod
    def of(cls, views: Sequence[View], image_size: tuple[int, int]) -> _Bundle:
        start = usual_lens(image_size)
        boards = [np.c_[view.points_in, np.zeros(len(view.ids))].astype(np.float32) for view in views]
        seen = [view.seen_px.astype(np.float32) for view in views]
        flags = cv2.CALIB_USE_INTRINSIC_GUESS | cv2.CALIB_FIX_K3 | cv2.CALIB_ZERO_TANGENT_DIST
        _, matrix, distortion, turns, shifts = cv2.calibrateCamera(
            boards, seen, image_size, start.matrix.copy(), start.distortion.copy(), flags=flags
        )
        lens = Lens(image_size, np.asarray(matrix, np.float64), np.asarray(distortion, np.float64).ravel()[:5])
        poses = np.concatenate([np.reshape(turns, (-1, 3)), np.reshape(shifts, (-1, 3))], axis=1)
        bundle = cls(views, image_size, lens_numbers(lens), np.asarray(poses, np.float64))
        for _ in range(_STEPS):
            step = bundle._step()
            bundle = cls(views, image_size, bundle.numbers + step[0], bundle.poses + step[1])
            if np.abs(step[0]).max() < 1e-7:
                break
        return bundle

    def _misses(self, k: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Of view k: (2N,) predicted less seen, and its derivatives by lens (2N, 9) and pose (2N, 6)."""
        view, lens = self.views[k], lens_of(self.numbers, self.image_size)
        points = np.c_[view.points_in, np.zeros(len(view.ids))]
        pixels, slopes = cv2.projectPoints(points, self.poses[k, :3], self.poses[k, 3:], lens.matrix, lens.distortion)
        by: FloatArray = np.asarray(slopes, np.float64)
        misses = np.asarray(pixels, np.float64).reshape(-1, 2) - view.seen_px
        return misses.ravel(), by_numbers(by, self.numbers), by[:, :6]

    def by_view_px(self) -> FloatArray:
        return np.array([np.sqrt(2 * (self._misses(k)[0] ** 2).mean()) for k in range(len(self.views))])

    def noise_px(self) -> float:
        misses = np.concatenate([self._misses(k)[0] for k in range(len(self.views))])
        spare = max(1, misses.size - 6 * len(self.views) - COUNT)
        return max(_LEAST_SIGMA_PX, float(np.sqrt((misses**2).sum() / spare)))

    def _normal(self) -> tuple[FloatArray, list[FloatArray]]:
        """Of the lens alone, poses eliminated: (9, 9) what views and belief tell, and (9,) what each view pulls at."""
        told = np.zeros((COUNT, COUNT))
        pulls = []
        for k in range(len(self.views)):
            misses, by_lens, by_pose = self._misses(k)
            # What a change of pose explains as well tells nothing about the lens.
            free = by_lens - by_pose @ np.linalg.lstsq(by_pose, by_lens, rcond=None)[0]
            told += free.T @ free
            pulls.append(free.T @ misses)
        root = usual_belief(self.image_size).root
        return told / self.noise_px() ** 2 + root.T @ root, pulls

    def _step(self) -> tuple[FloatArray, FloatArray]:
        normal, pulls = self._normal()
        belief, noise2 = usual_belief(self.image_size), self.noise_px() ** 2
        pull = sum(pulls) / noise2 + belief.root.T @ (belief.root @ (self.numbers - belief.mean))
        lens_step = -np.linalg.solve(normal, pull)
        pose_steps = []
        for k in range(len(self.views)):
            misses, by_lens, by_pose = self._misses(k)
            pose_steps.append(-np.linalg.lstsq(by_pose, misses + by_lens @ lens_step, rcond=None)[0])
        return np.asarray(lens_step), np.array(pose_steps)

    def covariance(self) -> FloatArray:
        """(9, 9) of the lens numbers.

        Corners of one view err together, by a bent board or motion. So the spread of what single views pull at is
        asked as well, and where it is wider than corners on their own would make it, it widens all.
        """
        normal, pulls = self._normal()
        noise2, count = self.noise_px() ** 2, len(self.views)
        plain = np.linalg.inv(normal)
        scatter = sum(np.outer(pull, pull) for pull in pulls) / noise2**2 * count / max(1, count - 1)
        wider = float(np.trace(np.linalg.solve(normal, scatter)) / COUNT)
        return np.asarray(plain * max(1.0, wider))

    def result(self, kept: Sequence[int], count: int) -> LensFit:
        by_view = np.full(count, np.nan)
        by_view[list(kept)] = self.by_view_px()
        misses = np.concatenate([self._misses(k)[0] for k in range(len(self.views))])
        bare = lens_of(self.numbers, self.image_size)
        covariance = self.covariance()
        lens = Lens(bare.image_size, bare.matrix, bare.distortion, (covariance + covariance.T) / 2)
        return LensFit(lens, float(np.sqrt(2 * (misses**2).mean())), tuple(float(rms) for rms in by_view))
