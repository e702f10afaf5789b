"""The geometry of the rings round figures."""

from __future__ import annotations

import pytest

from ui.picture.placement import inset_scale, ring_width


def test_a_ring_is_two_to_three_pixels_wide() -> None:
    assert [ring_width(px_per_in) for px_per_in in (5, 25, 80)] == [2.0, 2.5, 3.0]


def test_both_sides_move_by_the_same_distance() -> None:
    across, down = inset_scale((10.0, 10.0, 50.0, 30.0), 2.0)
    # 40 x 20 px become 36 x 16.
    assert (40 * across, 20 * down) == pytest.approx((36.0, 16.0))


def test_a_tiny_ring_is_not_turned_inside_out() -> None:
    assert min(inset_scale((0.0, 0.0, 1.0, 0.0), 3.0)) > 0
