"""Caches detected markers and solved cameras: most of the time of opening a window. Both have their own tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.calibration_targets import CalibrationTargets, Detections, see
from calibration.camera import Lens
from calibration.markers import ImageGray
from calibration.opencv import cv2
from calibration.solve import Calibration, Target, solve

_NEAR_PX = 0.2
"""Between pictures of a table at rest corners shift by less; after any move in these tests, by more."""

_CELL_PX, _NEAR_LEVELS = 8, 3
"""Means of cells of a picture: noise and the lamp change them by less; a marker that moves by a tenth of a pixel, by
more, because its borders have a contrast of 200 levels."""


class SeenBefore:
    """Replaces `see`: returns the earlier detections for a picture that differs only by noise."""

    def __init__(self) -> None:
        self._seen: list[tuple[tuple[object, ...], ImageGray, Detections]] = []

    def __call__(self, gray: ImageGray, prints: CalibrationTargets) -> Detections:
        asked = (gray.shape, prints.board, prints.dictionary)
        small = cv2.resize(gray, None, fx=1 / _CELL_PX, fy=1 / _CELL_PX, interpolation=cv2.INTER_AREA)
        for asked_before, before, detections in self._seen:
            if asked_before == asked and cv2.absdiff(before, small).max() <= _NEAR_LEVELS:
                return detections
        detections = see(gray, prints)
        self._seen.append((asked, small, detections))
        return detections


class SolvedBefore:
    """Replaces `solve`: returns the earlier calibration for markers that have not moved since."""

    def __init__(self) -> None:
        self._solved: list[tuple[tuple[Target, ...], tuple[object, ...], Calibration]] = []

    def __call__(
        self, targets: Sequence[Target], image_size: tuple[int, int], lens: Lens | None = None, print_sigma: float = 0.0
    ) -> Calibration:
        asked = (image_size, lens, print_sigma)
        for before, asked_before, calibration in self._solved:
            if asked_before == asked and _same(before, tuple(targets)):
                return calibration
        calibration = solve(targets, image_size, lens, print_sigma)
        self._solved.append((tuple(targets), asked, calibration))
        return calibration


def _same(before: tuple[Target, ...], now: tuple[Target, ...]) -> bool:
    return len(before) == len(now) and all(
        was.marks.keys() == one.marks.keys()
        and was.place == one.place
        and np.array_equal(was.points_in, one.points_in)
        and float(np.abs(was.seen_px - one.seen_px).max()) < _NEAR_PX
        for was, one in zip(before, now, strict=True)
    )
