"""Where a hand has been, and where it left the table changed."""

from __future__ import annotations

import numpy as np
import pytest

from vision.motion import SHRINK, Motion
from vision.visits import Visits

SIZE_PX = (640, 480)


def cells(x: slice, y: slice) -> np.ndarray:
    mask = np.zeros((SIZE_PX[1] // SHRINK, SIZE_PX[0] // SHRINK), np.bool_)
    mask[y, x] = True
    return mask


def test_a_hovering_hand_changes_nothing() -> None:
    visits = Visits()
    visits.clear()
    visits.add(Motion(blocked=cells(slice(20, 40), slice(20, 40))), SIZE_PX)
    visits.add(Motion(new=cells(slice(30, 33), slice(30, 33))), SIZE_PX)
    assert visits.visited(200, 200), "it was there"
    assert not visits.changed(200, 200, 25.0), "and left all as it was"
    assert visits.changed(252, 252, 25.0), "here it took something"


def test_visits_end_place_by_place() -> None:
    visits = Visits()
    visits.clear()
    for x in (10, 50):
        visits.add(Motion(new=cells(slice(x, x + 3), slice(10, 13))), SIZE_PX)
    for _ in range(8):
        visits.searched([(0, 0, 320, 480)])
    assert not visits.changed(92, 92, 25.0)
    assert visits.changed(412, 92, 25.0), "not searched yet"


@pytest.mark.parametrize(("px_per_in", "enough"), [(10.0, True), (12.0, True), (20.0, False), (30.0, False)])
def test_a_smaller_base_changes_fewer_cells(px_per_in: float, enough: bool) -> None:
    """A base of 1.0 x 0.8 in covers 1.25, 1.8, 5 and 11 cells of 8 pixels: 1, 1, 4 and 6 have to change."""
    visits = Visits()
    visits.clear()
    visits.add(Motion(new=cells(slice(20, 21), slice(20, 21))), SIZE_PX)
    assert visits.changed(165, 165, px_per_in) is enough
