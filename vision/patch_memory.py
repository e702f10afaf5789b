"""Patches of the table as they looked, to detect whether they still look the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from calibration.camera import TableCamera
from calibration.opencv import cv2
from vision.frame import Frame
from vision.palette import FloatImage

_HALF_IN = 0.7  # covers a soldier's base with a margin, but no neighbour base to base
_POINTS = 15
_ALIKE = 0.85  # correlation; on the simulated table 0.99 if the figure stayed (lamp, bump), 0.62 if it went, 0.78 if
# another came
_FLAT = 3.0  # grey levels: less relief is noise, which correlates with nothing


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """The appearance of one place.

    Attributes:
        place_in: (x, y, z) of its middle.
        relief: (15, 15) grey levels minus their mean.
    """

    place_in: tuple[float, float, float]
    relief: FloatImage

    def unchanged(self, frame: Frame, camera: TableCamera) -> bool | None:
        """Whether the place looks the same in another picture at any brightness; None if it is not in that picture."""
        now = spot_at(frame, camera, self.place_in)
        if now is None:
            return None
        here, there = (float(np.sqrt((spot.relief**2).mean())) for spot in (self, now))
        if min(here, there) < _FLAT:
            return max(here, there) < 2 * _FLAT
        return bool((self.relief * now.relief).mean() / (here * there) > _ALIKE)


def spot_at(frame: Frame, camera: TableCamera, place_in: tuple[float, float, float]) -> Spot | None:
    """The appearance of a place in a picture; None if the place is not entirely in the picture.

    Args:
        frame: The picture.
        camera: Its pose and lens.
        place_in: (x, y, z).
    """
    along = np.linspace(-_HALF_IN, _HALF_IN, _POINTS)
    x, y = (axis.ravel() for axis in np.meshgrid(along, along))
    points = np.c_[place_in[0] + x, place_in[1] + y, np.full(x.size, place_in[2])]
    px = camera.table_to_pixel(points)
    width, height = frame.size_px
    if not (np.isfinite(px).all() and (px >= 1).all() and (px < (width - 2, height - 2)).all()):
        return None
    left, top = (int(v) for v in np.floor(px.min(axis=0)) - 1)
    right, bottom = (int(v) for v in np.ceil(px.max(axis=0)) + 2)
    gray = cv2.cvtColor(frame.image_bgr[max(0, top) : bottom, max(0, left) : right], cv2.COLOR_BGR2GRAY)
    at = (px - (max(0, left), max(0, top))).astype(np.float32).reshape(_POINTS, _POINTS, 2)
    grey = cv2.remap(np.asarray(cv2.blur(gray, (3, 3)), np.float32), at[..., 0], at[..., 1], cv2.INTER_LINEAR)
    relief = np.asarray(grey - grey.mean(), np.float32)
    relief.setflags(write=False)
    return Spot(place_in, relief)


class PatchMemory:
    """How each figure's place looked when its posture was last seen, by id, and the whole table before a hand came."""

    def __init__(self) -> None:
        self._spots: dict[str, Spot] = {}
        self._at_rest: tuple[Frame, TableCamera] | None = None

    def keep(self, frame: Frame, camera: TableCamera, places: Iterable[tuple[str, tuple[float, float, float]]]) -> None:
        """Store the current appearance of the places of (id, (x, y, z) in inches)."""
        for name, place_in in places:
            spot = spot_at(frame, camera, place_in)
            if spot is not None:
                self._spots[name] = spot

    def keep_table(self, frame: Frame, camera: TableCamera) -> None:
        """Store a picture in which the whole table was at rest."""
        self._at_rest = frame, camera

    def changed(self, place_in: tuple[float, float, float], frame: Frame, camera: TableCamera) -> bool:
        """Whether a place looks different from when the whole table was last at rest; False if unknown."""
        before = spot_at(*self._at_rest, place_in) if self._at_rest else None
        return before is not None and before.unchanged(frame, camera) is False

    def unchanged(self, name: str, frame: Frame, camera: TableCamera) -> bool:
        """Whether the figure's place looks as stored; False if unknown."""
        spot = self._spots.get(name)
        return spot is not None and spot.unchanged(frame, camera) is True
