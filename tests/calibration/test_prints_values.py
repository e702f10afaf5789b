"""Values of the calibration targets, and combining detections of several frames."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.by_hand import Rectangle, TapeMeasurement
from calibration.calibration_targets import SHEET_SIDE_IN, CalibrationTargets, Detections, combine_frames, fix, redetect
from calibration.camera import Lens
from calibration.marker_issue import MarkerIssue, Reason, outline_of
from calibration.markers import Board, SeenBoard
from calibration.print_scale import PrintScale
from calibration.solve import laid_at, marker_square
from rules.tabletop.errors import UserError
from tests.calibration.drawn import camera, marker_corners, picture

SIZE = (960, 540)
CAMERA = camera()
TAPED = TapeMeasurement(((1.0, 2.0), (3.0, 4.0)), 5.0)
OTHER = TapeMeasurement(((1.0, 2.0), (3.0, 4.0)), 6.0)


@pytest.mark.parametrize("side_in", [0.2, 40.0])
def test_the_smallest_and_the_largest_marker(side_in):
    assert CalibrationTargets(side_in).side_in == side_in


@pytest.mark.parametrize("side_in", [0.19, 40.1, -3.0, float("nan")])
def test_a_side_out_of_range_is_refused(side_in):
    with pytest.raises(UserError, match=f"a marker side of {side_in:g} in is out of range"):
        CalibrationTargets(side_in)


def test_the_default_targets():
    assert (CalibrationTargets().side_in, SHEET_SIDE_IN, CalibrationTargets().dictionary) == (3, 3, "4X4_50")
    with pytest.raises(UserError, match="no ArUco dictionary"):
        CalibrationTargets(dictionary="nonsense")


def test_adding_distances_is_detected():
    one, two = CalibrationTargets(taped=(TAPED,)), CalibrationTargets(taped=(TAPED, OTHER))
    assert two.adds_distances(one)
    assert one.adds_distances(CalibrationTargets())
    assert not one.adds_distances(one)
    assert not one.adds_distances(two)
    assert not two.adds_distances(CalibrationTargets(taped=(OTHER,))), "another first one"
    for changed in ({"side_in": 2.0}, {"dictionary": "5X5_50"}, {"board": Board(6, 8, 1.0, 0.7)}, {"layout": {}}):
        assert not two.adds_distances(replace(one, **changed))
    assert not two.adds_distances(replace(one, scale=PrintScale()))


def test_clicked_pixels_are_dropped_for_another_camera():
    rectangle = Rectangle(((0, 1), (1, 1), (1, 0), (0, 0)), (3.0, 4.0))
    unclicked = CalibrationTargets(side_in=2.0, rectangle=rectangle, taped=(TAPED,)).unclicked
    assert (unclicked.rectangle, unclicked.taped, unclicked.side_in) == (None, (), 2.0)


def test_a_measured_size_has_a_smaller_sigma():
    assert (CalibrationTargets(scale=PrintScale()).size_sigma, CalibrationTargets().size_sigma) == (0.0025, 0.005)


def test_the_shapes_of_prints():
    assert CalibrationTargets(2.0).square_in.tolist() == [[-1, 1], [1, 1], [1, -1], [-1, -1]]
    assert CalibrationTargets(2.0).board_marks_in == {}
    assert CalibrationTargets(2.0).board_corners_in(np.arange(3, dtype=np.int32)).shape == (0, 2)


def seen(*corners_px, **of):
    return Detections(SIZE, {n: np.asarray(px, float) for n, px in enumerate(corners_px) if px is not None}, **of)


HERE = np.array([[10.0, 10], [20, 10], [20, 20], [10, 20]])


def test_frames_at_rest_are_combined_by_medians():
    """At 960 px across, half a pixel counts as rest; the first frame with a marker defines its place."""
    joint = combine_frames([seen(HERE), seen(HERE + 0.4), seen(HERE + 0.1), seen(HERE + (0.0, 0.6)), seen(HERE - 5)])
    assert joint.corners_px[0] == pytest.approx(HERE + 0.1)
    assert joint.image_size == SIZE
    assert joint.board is None


def test_a_marker_missing_in_the_first_frame_is_included():
    joint = combine_frames([seen(None, HERE), seen(HERE + 50, HERE), seen(HERE + 50.2, None)])
    assert list(joint.corners_px) == [0, 1]
    assert joint.corners_px[0] == pytest.approx(HERE + 50.1)


def test_set_aside_markers_are_those_of_the_first_frame():
    trouble = MarkerIssue(outline_of(HERE), Reason.BLURRED, "blurred")
    assert combine_frames([seen(HERE, set_aside=(trouble,)), seen(HERE)]).set_aside == (trouble,)


def test_board_corners_are_combined_one_by_one():
    def board(ids, off):
        ids = np.array(ids, np.int32)
        return seen(board=SeenBoard(ids, np.c_[10.0 * ids, 20.0 * ids] + off))

    joint = combine_frames([board([4, 2], 0.0), board([2, 5], 0.2), seen(), board([2], 9.0)])
    assert joint.board.ids.tolist() == [2, 4, 5]
    assert joint.board.corners_px == pytest.approx(np.array([[20.1, 40.1], [40, 80], [50.2, 100.2]]))
    assert joint.board.ids.dtype == np.int32


def test_markers_are_redetected_at_their_places():
    places = {0: marker_corners((6, 6), 3), 7: marker_corners((30, 22), 3, 30)}
    before = Detections(SIZE, {n: CAMERA.table_to_pixel(corners) for n, corners in places.items()})
    again = redetect(picture(CAMERA, {0: places[0]}), CalibrationTargets(), before)
    assert list(again.corners_px) == [0], "the other one is gone"
    assert again.corners_px[0] == pytest.approx(before.corners_px[0], abs=0.2)


def detections(**sides):
    places = {0: (6.0, 6.0, 0.1), 1: (33.0, 8.0, 1.0), 2: (30.0, 22.0, -0.5), 3: (8.0, 20.0, 0.7)}
    square = marker_square(3.0)
    return Detections(SIZE, {n: CAMERA.table_to_pixel(laid_at(square, place)) for n, place in places.items()}, **sides)


@pytest.mark.parametrize(("side_in", "right"), [(3.05, True), (3.07, False), (2.95, True), (2.93, False)])
def test_layout_markers_must_have_the_stated_side_within_two_percent(side_in, right):
    prints = CalibrationTargets(layout={0: marker_corners((6, 6), side_in, np.degrees(0.1))})
    if right:
        assert fix(detections(), prints, CAMERA.lens).calibration.markers_in[0].mean(0) == pytest.approx(
            (6, 6), abs=1e-3
        )
    else:
        with pytest.raises(
            UserError, match=f"marker 0 has a side of {side_in:.3g} in in the layout file, .* set to 3 in"
        ):
            fix(detections(), prints, CAMERA.lens)


def test_if_all_markers_are_set_aside_the_error_is_that_of_the_first():
    troubles = tuple(MarkerIssue(outline_of(HERE), Reason.BLURRED, f"marker {n} is blurred", n) for n in (4, 5))
    with pytest.raises(UserError, match="marker 4 is blurred"):
        fix(Detections(SIZE, {}, None, troubles), CalibrationTargets())
    found = fix(detections(set_aside=troubles), CalibrationTargets(), CAMERA.lens)
    assert found.set_aside == troubles


def test_a_measured_distance_is_used():
    """A distance that is 2 % larger is more than the markers allow, and is refused."""
    ends = tuple((float(x), float(y)) for x, y in CAMERA.table_to_pixel([[6.0, 6.0], [33.0, 20.0]]))
    true = float(np.hypot(27, 14))
    plain = fix(detections(), CalibrationTargets(), CAMERA.lens).calibration
    taped = fix(detections(), CalibrationTargets(taped=(TapeMeasurement(ends, true + 0.2),)), CAMERA.lens).calibration
    far = [[30.0, 20.0, 0.0]]
    assert taped.sigma_in(far) < plain.sigma_in(far)
    a, b = taped.camera.pixel_to_table(ends)
    assert true + 0.03 < np.hypot(*(b - a)) < true + 0.2


def test_a_board_is_placed_by_its_markers_in_the_layout():
    board = Board(7, 5, 1.4, 1.0)
    prints = CalibrationTargets(board=board)
    place = (15.0, 18.0, 0.3)
    ids = np.arange(24, dtype=np.int32)
    seen_px = CAMERA.table_to_pixel(laid_at(board.corners_in(ids), place))
    known = {n: laid_at(corners, place) for n, corners in prints.board_marks_in.items() if n in (2, 9, 40)}
    found = fix(Detections(SIZE, {}, SeenBoard(ids, seen_px)), replace(prints, layout=known), CAMERA.lens).calibration
    assert len(found.markers_in) == 17
    for number, corners in prints.board_marks_in.items():
        assert found.markers_in[number] == pytest.approx(laid_at(corners, place), abs=5e-3)


@pytest.mark.parametrize(
    ("side_in", "words"), [(2.7, "marker 2 is not used, because its side is 2.70 in instead of 3 in")]
)
def test_the_issue_names_the_wrong_side(side_in, words):
    picture_with_wrong_marker = detections()
    smaller = CAMERA.table_to_pixel(laid_at(marker_square(side_in), (30.0, 22.0, -0.5)))
    found = fix(
        replace(picture_with_wrong_marker, corners_px=picture_with_wrong_marker.corners_px | {2: smaller}),
        CalibrationTargets(),
        CAMERA.lens,
    )
    (trouble,) = found.set_aside
    assert words in trouble.sentence
    assert (trouble.reason, trouble.id) == (Reason.WRONG_SIDE, 2)
    assert np.array(trouble.outline_px) == pytest.approx(smaller)


def set_aside(off_px, size=SIZE, times=1.0):
    """The issues of four markers if the last one's right corner is off by `off_px` to the right and up."""
    lens = Lens(size, CAMERA.lens.matrix * [[times], [times], [1]], CAMERA.lens.distortion)
    seen_px = {number: (px + 0.5) * times - 0.5 for number, px in detections().corners_px.items()}
    seen_px[2] = seen_px[2] + [[0, 0], [off_px, -off_px], [0, 0], [0, 0]]
    return fix(Detections(size, seen_px), CalibrationTargets(), lens).set_aside


def test_a_bent_marker_must_be_pressed_down():
    """0.7 px at one corner and axis are 0.35 px over the marker after the fit; 1.0 px are 0.5 px."""
    assert set_aside(0.7) == ()
    for off_px in (1.0, 5.0):
        (trouble,) = set_aside(off_px)
        assert (trouble.reason, trouble.id) == (Reason.NOT_FLAT, 2)


def test_in_a_larger_picture_markers_may_be_off_by_more():
    """0.8 px at 3840 px across."""
    assert set_aside(1.4, (3840, 2160), 4.0) == ()
    assert [trouble.id for trouble in set_aside(2.4, (3840, 2160), 4.0)] == [2]
