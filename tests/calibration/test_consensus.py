"""Consensus of several markers, with fake solutions and true poses."""

import numpy as np
import pytest

from calibration.consensus import common_pose, misfit_px, solve_without_outliers
from calibration.solve import Calibration, Target
from rules.tabletop.errors import UserError
from tests.calibration.drawn import camera, marker_corners

CAMERA = camera(tilt_deg=12.0)
MIDDLES = [(5, 5), (20, 4), (35, 6), (6, 23), (21, 25), (34, 22), (12, 14), (28, 13), (20, 14)]
ALIKE = 0.02


def target(number, off_px=(0.0, 0.0), place=None):
    corners = marker_corners(MIDDLES[number], 3.0, 20 * number)
    return Target(corners, CAMERA.table_to_pixel(corners) + off_px, {number: corners}, place)


def four(*bad, off_px=(2.0, 0.0), **places):
    return [target(n, off_px if n in bad else (0.0, 0.0), places.get(f"m{n}")) for n in range(4)]


def numbers(targets):
    return [number for one in targets for number in one.marks]


class FakeSolver:
    """A solver with given residuals for given sets of markers; all other sets fit well."""

    def __init__(self, residuals, otherwise=ALIKE):
        self.residuals, self.otherwise, self.calls = residuals, otherwise, []

    def __call__(self, kept):
        ids = "".join(map(str, numbers(kept)))
        self.calls.append(ids)
        residual = self.residuals.get(ids, self.otherwise)
        if residual is None:
            raise UserError(f"{ids} do not fit")
        places = {number: corners for one in kept for number, corners in one.marks.items()}
        return Calibration(CAMERA, places, residual, ())


def solve_with(targets, residuals, suspect_px=0.4, otherwise=ALIKE):
    solved = FakeSolver(residuals, otherwise)
    found, out = solve_without_outliers(targets, solved, suspect_px)
    return found.residual_px, numbers(out), solved.calls


def test_markers_that_agree_are_solved_once():
    assert solve_with(four(), {}) == (ALIKE, [], ["0123"])


def test_the_outlier_is_left_out():
    residual, out, _ = solve_with(four(2), {"0123": 1.0, "123": 0.9, "023": 0.9, "013": 0.1, "012": 0.9})
    assert (residual, out) == (0.1, [2])


@pytest.mark.parametrize(("without", "out"), [(0.5, [2]), (0.51, [])])
def test_the_others_must_fit_twice_as_well_without_the_outlier(without, out):
    residuals = {"0123": 1.0, "123": 0.9, "023": 0.9, "013": without, "012": 0.9}
    assert solve_with(four(2), residuals)[1] == out


def test_markers_within_the_limit_are_not_suspected():
    limit_px = misfit_px(CAMERA, target(2, (2.0, 0.0)))
    assert limit_px == pytest.approx(2.0)
    assert solve_with(four(2), {"013": 0.0}, limit_px)[1] == []
    assert solve_with(four(2), {"013": 0.0}, 0.999 * limit_px)[1] == [2]


def test_two_contradicting_markers_are_both_kept():
    assert solve_with(four(1)[:2], {"01": 1.0})[1:] == ([], ["01"])
    assert solve_with(four(1)[:3], {"012": 1.0, "12": 0.9, "01": 0.9})[1] == [1]


def test_a_majority_must_remain():
    targets = [target(n, (2.0, 0.0) if n in (1, 2, 3) else (0.0, 0.0)) for n in range(5)]
    residuals = {"01234": 8.0, "0234": 4.0, "034": 2.0, "04": 0.1}
    assert solve_with(targets, residuals, otherwise=9.0)[:2] == (2.0, [1, 2]), "three of five are left, not two"
    residuals = {"0123": 8.0, "023": 4.0, "02": 0.1}
    assert solve_with(four(1, 3), residuals, otherwise=9.0)[:2] == (4.0, [1]), "three of four are left, not two"


def test_no_more_markers_are_left_out_than_needed():
    targets = [target(n, (2.0, 0.0) if n == 1 else (0.0, 0.0)) for n in range(5)]
    assert solve_with(targets, {"01234": 8.0, "0234": 0.3}, otherwise=4.0)[:2] == (0.3, [1])


def test_a_marker_that_prevents_a_solution_is_left_out():
    assert solve_with(four(2), {"0123": None, "123": None, "023": None, "012": None})[1] == [2]


def test_an_unsolvable_set_raises_the_original_error():
    with pytest.raises(UserError, match="0123 do not fit"):
        solve_with(four(2), {}, otherwise=None)


def test_the_only_target_with_a_place_is_not_left_out():
    here = (0.0, 0.0, 0.0)
    residuals = {"0123": 1.0, "123": 0.01, "023": 0.3, "013": 0.4, "012": 0.4}
    assert solve_with(four(1, m0=here), residuals)[1] == [1]
    assert solve_with(four(1, m0=here, m3=here), residuals)[1] == [0], "of two with a place either may go"
    assert solve_with(four(1), residuals)[1] == [0]


def test_a_target_with_other_points_than_its_markers_is_not_suspected():
    """For example a board, whose inner corners are not marker corners."""
    corners = marker_corners(MIDDLES[0], 3.0)
    board = Target(np.tile(corners, (2, 1)), np.zeros((8, 2)), {0: corners})
    assert solve_with([board, target(1), target(2)], {})[1:] == ([], ["012"])


def test_an_invisible_point_has_an_infinite_misfit():
    behind = np.array([[0.0, 4000], [0, -4000], [1, 0], [2, 0]])
    assert misfit_px(CAMERA, Target(behind, np.zeros((4, 2)), {})) == np.inf


def test_the_misfit_is_a_root_mean_square():
    corners = marker_corners(MIDDLES[0], 3.0)
    off = np.array([[3.0, 4], [0, 0], [0, 0], [0, 0]])
    assert misfit_px(CAMERA, Target(corners, CAMERA.table_to_pixel(corners) + off, {})) == pytest.approx(2.5)


def common(*bad, count=4, tolerance_px=0.5):
    wrong = {n: (25.0 * (-1) ** k, 10.0 * k + 5) for k, n in enumerate(bad)}
    return numbers(common_pose([target(n, wrong.get(n, (0, 0))) for n in range(count)], CAMERA, tolerance_px))


@pytest.mark.parametrize(
    ("bad", "count", "kept"),
    [
        ((), 4, [0, 1, 2, 3]),
        ((), 1, [0]),
        ((1,), 4, [0, 2, 3]),
        ((1, 2), 5, [0, 3, 4]),
        ((1, 2, 3), 6, []),  # no group of five or four excludes three bad ones
        ((1,), 2, []),  # two that contradict each other
        ((1,), 3, [0, 2]),
        ((1, 4), 8, [0, 2, 3, 5, 6, 7]),
        ((1,), 9, [0, 2, 3, 4, 5, 6, 7, 8]),
        ((1, 4), 9, []),  # of more than eight, at most one is left out
    ],
)
def test_the_largest_group_that_one_pose_explains(bad, count, kept):
    assert common(*bad, count=count) == kept


def test_the_given_pose_is_ignored():
    """The given camera has another pose."""
    elsewhere = camera(at_in=(25.0, 10.0), tilt_deg=5.0, roll_deg=20.0)
    assert numbers(common_pose([target(n) for n in range(4)], elsewhere, 0.01)) == [0, 1, 2, 3]
    assert common_pose([], CAMERA, 1.0) == []


def test_a_marker_may_be_off_by_the_tolerance():
    """One of four is off by 2 px: the pose follows by less than that."""
    assert common(tolerance_px=2.0) == [0, 1, 2, 3]
    targets = [target(n, (2.0, 0) if n == 1 else (0, 0)) for n in range(4)]
    assert numbers(common_pose(targets, CAMERA, 2.0)) == [0, 1, 2, 3]
    assert numbers(common_pose(targets, CAMERA, 0.4)) == [0, 2, 3]
