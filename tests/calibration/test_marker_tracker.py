import numpy as np
import pytest

from calibration.marker_tracker import MAX_TRACKED, track_markers
from tests.calibration.drawn import camera, marker_corners, picture

CAMERA = camera()
PLACES = {0: marker_corners((6, 6), 3), 7: marker_corners((30, 22), 3, 30), 23: marker_corners((10, 21), 2, -100)}
TRUE = {number: CAMERA.table_to_pixel(corners) for number, corners in PLACES.items()}
GRAY = picture(CAMERA, PLACES, noise=2.0)
SIZE = (960, 540)


def expected(shift=(0.0, 0.0), turn_deg=0.0, growth=1.0):
    """Corners away from the drawn ones; each marker is rotated and scaled about its centre."""
    c, s = np.cos(np.radians(turn_deg)) * growth, np.sin(np.radians(turn_deg)) * growth
    turn = np.array([[c, s], [-s, c]])
    return {n: (px - px.mean(0)) @ turn + px.mean(0) + shift for n, px in TRUE.items()}


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"shift": (1.4, -1.1)},
        {"shift": (0.0, 1.6)},
        {"turn_deg": 2.0},
        {"growth": 1.03},
        {"shift": (-0.8, 0.5), "turn_deg": -1.0, "growth": 0.98},
    ],
)
def test_corners_are_found_from_nearby_places(wrong):
    check = track_markers(expected(**wrong), "4X4_50", SIZE).check(GRAY)
    assert check.hidden == frozenset()
    for number, corners in check.corners_px.items():
        miss = np.linalg.norm(expected(**wrong)[number] - TRUE[number], axis=1).mean()
        # 40 edges, each read to a tenth of a pixel; the cells of the smallest are 5 px wide, so lines that start far
        # off reach into the next ones and see a quarter too little.
        assert np.abs(corners - TRUE[number]).max() < 0.1 + 0.25 * miss
        assert check.shift_px[number] == pytest.approx(miss, abs=0.15 + 0.2 * miss)


def test_the_noise_of_a_still_marker_is_small():
    """Noise of 2 levels on edges of 100 levels over 2 px shifts one edge by 0.04 px, forty of them by 0.01 px."""
    watching = track_markers(TRUE, "4X4_50", SIZE)
    rng = np.random.default_rng(1)
    shots = [np.clip(GRAY + rng.normal(0, 2, GRAY.shape), 0, 255).astype(np.uint8) for _ in range(5)]
    seen = [watching.check(gray).corners_px for gray in shots]
    for number in TRUE:
        assert np.std([corners[number] for corners in seen], axis=0).max() < 0.05


def test_a_fading_lamp_does_not_shift_markers():
    before = track_markers(TRUE, "4X4_50", SIZE).check(picture(CAMERA, PLACES, exposure=1.5)).corners_px
    after = track_markers(TRUE, "4X4_50", SIZE).check(picture(CAMERA, PLACES, exposure=0.4)).corners_px
    for number in TRUE:
        assert np.abs(after[number] - before[number]).max() < 0.1


def test_hidden_missing_and_exchanged_markers_are_hidden():
    hand = GRAY.copy()
    (left, top), (right, bottom) = TRUE[0].min(0).astype(int), TRUE[0].max(0).astype(int)
    hand[top - 5 : bottom + 5, left - 5 : (left + right) // 2] = 150
    assert track_markers(TRUE, "4X4_50", SIZE).check(hand).hidden == {0}
    assert track_markers(expected((30.0, 0.0)), "4X4_50", SIZE).check(GRAY).hidden == {0, 7, 23}
    exchanged = {1: TRUE[0], 7: TRUE[7]}
    assert track_markers(exchanged, "4X4_50", SIZE).check(GRAY).hidden == {1}
    assert track_markers(TRUE, "4X4_50", SIZE).check(np.full_like(GRAY, 120)).hidden == {0, 7, 23}


def test_markers_outside_the_picture_are_not_tracked():
    places = {0: TRUE[0], 1: TRUE[0] + 2000, 2: np.full((4, 2), np.nan)}
    assert track_markers(places, "4X4_50", SIZE).ids == (0,)
    nothing = track_markers({}, "4X4_50", SIZE).check(GRAY)
    assert (nothing.corners_px, nothing.hidden) == ({}, frozenset())


def test_markers_far_apart_are_tracked():
    square = np.array([[0, 0], [20, 0], [20, 20], [0, 20]], float)
    grid = {row * 6 + column: square + (40 + 150 * column, 40 + 85 * row) for row in range(6) for column in range(6)}
    ids = track_markers(grid, "4X4_50", SIZE).ids
    assert len(ids) == MAX_TRACKED
    assert {0, 5, 35} <= set(ids), "far corners of the grid"
    assert min(np.hypot(*(grid[a] - grid[b]).mean(0)) for a in ids for b in ids if a != b) > 200
