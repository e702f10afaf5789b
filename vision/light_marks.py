"""Four small crosses of the projector's own light, which show whether its alignment still holds.

Each cross is compared with the table as it looked without it, in table coordinates: so neither a bump of the camera nor
the wood under it matters, and one that is no longer where it was painted means that the projector or the markers moved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.camera import TableCamera
from calibration.markers import ImageGray, linear_light
from calibration.opencv import cv2
from rules.tabletop.table import FloatArray, Outline, PointIn

ARM_IN = 0.4
"""Half the length of a cross's strokes."""

MOVED_IN = 0.12
"""A mark farther than this from its place is not where it was painted."""

_STROKE_IN = 0.08
_PX_PER_IN = 20
_WINDOW_IN = 1.1  # around a mark; it is found up to this less its arm from its place
_SEEN = 0.55  # correlation with a cross
_CLEAR_IN = 1.5  # distance of a mark from the printed markers

_Patch = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class LightMarks:
    """The places of the marks, and the table there without them.

    Attributes:
        places_in: (N, 2) middles of the crosses.
        dark: Linear light of the table around each.
    """

    places_in: FloatArray
    dark: tuple[_Patch, ...]

    def offsets_in(self, gray: ImageGray, camera: TableCamera) -> FloatArray:
        """(N, 2) how far each mark is from its place in a picture; NaN for those that are not seen."""
        linear = linear_light(gray)
        offsets = np.full((len(self.places_in), 2), np.nan)
        template = _cross()
        for k, (place, dark) in enumerate(zip(self.places_in, self.dark, strict=True)):
            ratio = _patch(linear, camera, place) / np.maximum(dark, 0.01)
            found = cv2.matchTemplate(np.log(np.maximum(ratio, 0.05)), template, cv2.TM_CCOEFF_NORMED)
            _, best, _, (column, row) = cv2.minMaxLoc(found)
            if best > _SEEN:
                middle = (found.shape[0] - 1) / 2
                offsets[k] = (column - middle) / _PX_PER_IN, (middle - row) / _PX_PER_IN
        return offsets


def light_marks(dark: _Patch, camera: TableCamera, places_in: FloatArray, papers_in: Sequence[Outline]) -> LightMarks:
    """Marks near the corners of what the projector lights.

    Args:
        dark: (height, width) linear light of the table without the projector's.
        camera: The camera that took it.
        places_in: (N, 2) places of the bare table that the projector lights.
        papers_in: The paper of the printed markers, on which no light should fall.
    """
    middles = np.array([np.mean(paper, axis=0) for paper in papers_in]).reshape(-1, 2)
    sizes = [np.ptp(paper, axis=0).max() / 2 + _CLEAR_IN for paper in papers_in]
    apart = np.linalg.norm(places_in[:, None] - middles[None], axis=2) > np.array(sizes)[None]
    clear = places_in[apart.all(1)]
    spread = clear - clear.mean(0) if len(clear) else clear
    chosen = {int(np.argmax(spread @ toward)) for toward in ((1, 1), (1, -1), (-1, -1), (-1, 1))} if len(clear) else ()
    marks = clear[sorted(chosen)]
    return LightMarks(marks, tuple(_patch(dark, camera, place) for place in marks))


def cross_strokes(place_in: PointIn) -> tuple[tuple[PointIn, PointIn], tuple[PointIn, PointIn]]:
    """The two strokes of the mark at a place."""
    x, y = place_in
    return ((x - ARM_IN, y), (x + ARM_IN, y)), ((x, y - ARM_IN), (x, y + ARM_IN))


def _patch(linear: _Patch, camera: TableCamera, place_in: FloatArray) -> _Patch:
    """The table around a place from straight above, +y up."""
    steps = np.arange(-_WINDOW_IN, _WINDOW_IN + 1e-9, 1 / _PX_PER_IN)
    x, y = np.meshgrid(place_in[0] + steps, place_in[1] - steps)
    pixels = camera.table_to_pixel(np.c_[x.ravel(), y.ravel()]).astype(np.float32).reshape(*x.shape, 2)
    return np.asarray(cv2.remap(linear, pixels[..., 0], pixels[..., 1], cv2.INTER_LINEAR), np.float32)


def _cross() -> _Patch:
    """A picture of a mark with a margin around it."""
    steps = np.abs(np.arange(-ARM_IN - 0.2, ARM_IN + 0.2 + 1e-9, 1 / _PX_PER_IN))
    x, y = np.meshgrid(steps, steps)
    drawn = ((np.minimum(x, y) <= _STROKE_IN / 2) & (np.maximum(x, y) <= ARM_IN)).astype(np.float32)
    return np.asarray(cv2.GaussianBlur(drawn, (0, 0), 1.0))
