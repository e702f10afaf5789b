"""What one place of the table looks like, to tell later whether it still looks so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from calibration.camera import TableCamera
from calibration.opencv import cv2
from vision.frame import Frame
from vision.palette import FloatImage

_HALF_IN = 0.7  # a soldier's base and a little more; a neighbour base to base stays out
_POINTS = 15
_ALIKE = 0.85  # correlation; on the simulated table 0.99 of what stayed (lamp, bump), 0.62 of what went, 0.78 of others
_FLAT = 3.0  # grey levels: less relief is noise, which correlates with nothing


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """A place as it looked.

    Attributes:
        place_in: (x, y, z) of its middle.
        relief: Its grey levels about their mean, (15, 15).
    """

    place_in: tuple[float, float, float]
    relief: FloatImage

    def unchanged(self, frame: Frame, camera: TableCamera) -> bool | None:
        """Whether it looks the same in another picture, however bright; None where it is not in that picture."""
        now = spot_at(frame, camera, self.place_in)
        if now is None:
            return None
        here, there = (float(np.sqrt((spot.relief**2).mean())) for spot in (self, now))
        if min(here, there) < _FLAT:
            return max(here, there) < 2 * _FLAT
        return bool((self.relief * now.relief).mean() / (here * there) > _ALIKE)


def spot_at(frame: Frame, camera: TableCamera, place_in: tuple[float, float, float]) -> Spot | None:
    """The place as it looks in a picture; None where it is not wholly in it.

    Args:
        frame: The picture.
        camera: That took it.
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


class AppearanceMemory:
    """How the figures of one source looked where they stand or lie, by their ids."""

    def __init__(self) -> None:
        self._spots: dict[str, Spot] = {}

    def keep(self, frame: Frame, camera: TableCamera, places: Iterable[tuple[str, tuple[float, float, float]]]) -> None:
        """Keep how these look now: id, and (x, y, z) in inches."""
        for name, place_in in places:
            spot = spot_at(frame, camera, place_in)
            if spot is not None:
                self._spots[name] = spot

    def unchanged(self, name: str, frame: Frame, camera: TableCamera) -> bool:
        """Whether his place looks as it did; not where that is unknown."""
        spot = self._spots.get(name)
        return spot is not None and spot.unchanged(frame, camera) is True
