"""Detection of marker-like shapes, with explicit outlines and small pictures."""

import numpy as np
import pytest

from calibration.calibration_targets import CalibrationTargets
from calibration.diagnosis import (
    edge_width_px,
    glare_share,
    is_on_paper,
    is_squarish,
    issue_of,
    marker_like_outlines,
    marker_outline,
    scaled_mask,
    similar_in_size,
    touches_edge,
    why_not,
)
from calibration.marker_issue import Reason
from calibration.opencv import cv2

SQUARE = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
GRAY = np.full((200, 300), 220, np.uint8)


def square(side_px, at=(100.0, 80.0)):
    return SQUARE * side_px + at


def printed(cell_px=10, at=(100, 60), number=3, ink=20, paper=220, blur_px=0.8):
    """A pixel-aligned marker on paper."""
    gray = np.full((200, 300), paper, np.uint8)
    marker = cv2.aruco.generateImageMarker(cv2.aruco.getPredefinedDictionary(0), number, 6 * cell_px)
    gray[at[1] : at[1] + 6 * cell_px, at[0] : at[0] + 6 * cell_px] = np.where(marker > 0, paper, ink)
    return cv2.GaussianBlur(gray, (0, 0), blur_px) if blur_px else gray


MARKED, AT = printed(), square(59.0, (100.0, 60.0))


@pytest.mark.parametrize(("side_px", "alike"), [(20.4, True), (19.6, False), (79.0, True), (81.0, False)])
def test_unread_markers_are_similar_in_size(side_px, alike):
    """Relative to 40 px: four times the area is twice the side."""
    assert len(similar_in_size([square(side_px)], [square(40), square(40), square(90)])) == alike
    assert len(similar_in_size([square(side_px)], [])) == 1, "where none is read all count"


@pytest.mark.parametrize(
    ("size", "cut", "squarish"),
    [
        ((51.0, 100.0), False, True),
        ((49.0, 100.0), False, False),
        ((100.0, 49.0), False, False),
        ((11.0, 100.0), True, True),  # an outline cut off by the picture's edge may be narrow
        ((9.0, 100.0), True, False),
        ((0.0, 0.0), True, False),
    ],
)
def test_the_narrowest_accepted_outline(size, cut, squarish):
    assert is_squarish(SQUARE * size + 50, cut) is squarish


@pytest.mark.parametrize(
    ("low", "high", "touches"),
    [
        ((3, 3), (296, 196), False),
        ((2, 3), (296, 196), True),
        ((3, 2), (296, 196), True),
        ((3, 3), (297, 196), True),
        ((3, 3), (296, 197), True),
    ],
)
def test_the_margin_at_the_edge(low, high, touches):
    """300 x 200 pixels: the last ones are 299 and 199."""
    outline = np.array([low, (high[0], low[1]), high, (low[0], high[1])], float)
    assert touches_edge(outline, GRAY) is touches


def contour_of(mask):
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return contours[0]


def drawn_shape(points):
    mask = np.zeros((200, 300), np.uint8)
    cv2.fillPoly(mask, [np.round(points).astype(np.int32)], 255)
    return contour_of(mask)


@pytest.mark.parametrize(("side_px", "large_enough"), [(8, False), (9, True)])
def test_the_smallest_accepted_outline(side_px, large_enough):
    """Between pixel centres: 8 x 8 are 64, 9 x 9 are 81."""
    assert (marker_outline(drawn_shape(square(side_px))) is not None) is large_enough
    assert marker_outline(drawn_shape(SQUARE * (7, 10) + 50)) is not None


@pytest.mark.parametrize(("corners", "kept"), [(3, True), (4, True), (6, True), (8, False), (12, False)])
def test_an_outline_has_three_to_six_corners(corners, kept):
    turn = 2 * np.pi * np.arange(corners) / corners
    found = marker_outline(drawn_shape(np.c_[np.cos(turn), np.sin(turn)] * 60 + 100))
    assert (found is not None) is kept
    if kept:
        assert found.shape == (corners, 2)
        assert found.dtype == np.float64


@pytest.mark.parametrize(("thick", "kept"), [(30, True), (22, False)])
def test_ink_fills_most_of_an_outline(thick, kept):
    """An angle of two bars of 100 px: they fill 51/75 or 39/70 of its hull."""
    bars = np.array([[0, 0], [100, 0], [100, thick], [thick, thick], [thick, 100], [0, 100]], float) + 50
    hull = 100 * 100 - (100 - thick) ** 2 / 2
    part = (200 * thick - thick**2) / hull
    assert (part > 0.67) is kept
    spike = np.array([[0, 0], [100, 0], [100, 4], [4, 4], [4, 100], [0, 100]], float) + 50
    assert marker_outline(drawn_shape(spike)) is None, "8 parts in 54"
    assert marker_outline(drawn_shape(bars)) is not None


def test_a_marker_on_paper_is_found():
    assert is_on_paper(MARKED, AT)
    (found,) = marker_like_outlines(MARKED)
    assert found[found.sum(1).argmin()] == pytest.approx((100, 60), abs=1.5)
    assert found[found.sum(1).argmax()] == pytest.approx((159, 119), abs=1.5)


def test_the_largest_shape_comes_first():
    both = np.hstack([printed(6, (60, 60))[:, :150], printed(12, (100, 60))])
    large, small = marker_like_outlines(both)
    assert np.ptp(large, axis=0) == pytest.approx((71, 71), abs=3)
    assert np.ptp(small, axis=0) == pytest.approx((35, 35), abs=3)


def test_at_most_a_dozen_issues_each_once():
    """15 squares of 2 x 2 cells that are in no dictionary, 36 px wide."""
    gray = np.full((400, 640), 220, np.uint8)
    for k in range(15):
        y, x = 30 + 120 * (k // 5), 30 + 120 * (k % 5)
        gray[y : y + 36, x : x + 36] = 20
        gray[y + 12 : y + 24, x + 12 : x + 24] = 220
    found = why_not(cv2.GaussianBlur(gray, (0, 0), 0.8), CalibrationTargets())
    assert len(found) == 12
    middles = [np.mean(trouble.outline_px, axis=0) for trouble in found]
    assert min(np.hypot(*(a - b)) for k, a in enumerate(middles) for b in middles[:k]) > 100


@pytest.mark.parametrize(
    ("ink", "seen"),
    [(20, True), (120, True), (139, False)],  # 0.6 of the paper's 220 are 132
)
def test_ink_is_darker_than_paper(ink, seen):
    assert is_on_paper(printed(ink=ink), AT) is seen


def test_a_black_square_and_a_ring_are_not_markers():
    black = GRAY.copy()
    black[60:120, 100:160] = 20
    assert not is_on_paper(black, AT), "no code"
    ring = black.copy()
    ring[70:110, 110:150] = 220
    assert not is_on_paper(ring, AT), "nothing but paper inside"


def test_a_code_needs_light_cells():
    """8 % of the inside: a side of 40 px has 1521 pixels between centres, of which one 10 x 10 cell is 7 %."""
    dark = GRAY.copy()
    dark[60:120, 100:160] = 20
    one, two = dark.copy(), dark.copy()
    one[80:90, 120:130] = 220
    two[80:90, 120:140] = 220
    assert not is_on_paper(one, AT)
    assert is_on_paper(two, AT)


def test_paper_is_even():
    """If a quarter or more of the ring around it is dark, it is not on paper."""
    uneven = MARKED.copy()
    uneven[95:, 160:] = 60
    assert is_on_paper(uneven, AT), "half of one side"
    uneven[:, 160:] = 60
    assert not is_on_paper(uneven, AT)


def test_an_outline_outside_the_picture_is_not_on_paper():
    assert not is_on_paper(MARKED, square(60, (-500.0, -500.0)))


def test_a_mask_scales_the_outline_about_its_centre():
    mask = scaled_mask(GRAY, square(60.0, (100.0, 60.0)), 0.5)
    rows, columns = np.nonzero(mask)
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (75, 105, 115, 145)
    assert set(np.unique(mask)) == {0, 255}


def spotted(side_px, level=255):
    gray = MARKED.copy()
    gray[80 : 80 + side_px, 120 : 120 + side_px] = level
    return gray


def test_glare_is_the_largest_saturated_region():
    """20 x 20 pixels of 59 x 59."""
    assert glare_share(spotted(20), AT) == pytest.approx(400 / 59**2)
    assert glare_share(spotted(20, 250), AT) == pytest.approx(400 / 59**2)
    assert glare_share(spotted(20, 249), AT) == 0
    assert glare_share(MARKED, AT) == 0
    outside = MARKED.copy()
    outside[:40] = 255
    assert glare_share(outside, AT) == 0
    two = spotted(20)
    two[105:110, 105:110] = 255
    assert glare_share(two, AT) == pytest.approx(400 / 59**2)
    assert glare_share(two, square(0.5, (107.0, 107.0))) == pytest.approx(4, abs=4), "of no area a pixel counts"


@pytest.mark.parametrize("blur_px", [1.0, 2.0, 3.0])
def test_the_width_of_an_edge(blur_px):
    """A step blurred by a Gaussian has the slope of a linear edge of width sqrt(2 pi) sigma."""
    soft = cv2.GaussianBlur(printed(12, blur_px=0), (0, 0), blur_px)
    outline = square(71.0, (100.0, 60.0))
    assert edge_width_px(soft, outline) == pytest.approx(np.sqrt(2 * np.pi) * blur_px, rel=0.12)
    six = np.vstack([outline[:1], (outline[:1] + outline[1:2]) / 2, outline[1:]])
    assert edge_width_px(soft, six) == pytest.approx(np.sqrt(2 * np.pi) * blur_px, rel=0.25)


@pytest.mark.parametrize(
    ("gray", "outline", "reason"),
    [
        (MARKED, square(60.0, (1.0, 60.0)), Reason.CUT_OFF),
        (MARKED, square(19.9), Reason.TOO_SMALL),
        (spotted(17), AT, Reason.GLARE),  # 289 of 3481 are 8.3 in 100
        (spotted(16), AT, Reason.UNREADABLE),  # 7.4
        (printed(blur_px=2.5), AT, Reason.BLURRED),  # 6 px wide, and half a cell is 5
        (printed(blur_px=1.6), AT, Reason.UNREADABLE),
    ],
)
def test_the_reason_why_a_marker_was_not_read(gray, outline, reason):
    trouble = issue_of(gray, outline)
    assert trouble.reason is reason
    assert trouble.id is None
    assert np.array(trouble.outline_px) == pytest.approx(outline)


def test_the_sentence_names_too_small_a_size():
    assert "(15 px wide; 20 needed)" in issue_of(MARKED, square(15.0)).sentence
