import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

from calibration.camera import Lens, TableCamera
from calibration.intrinsics import lens_parameters
from calibration.noise import POINT_SIGMA_PX, TARGET_SIGMA_PX, Paper
from calibration.solve import CalibrationProblem, Target, marker_square, place_of, solve
from rules.tabletop.errors import UserError
from tests.calibration.drawn import camera, marker_corners
from tests.calibration.random_views import kinds, trial

PLACES = {0: ((5, 5), 0), 1: ((35, 5), 90), 2: ((34, 24), 10), 3: ((6, 23), -45)}
PAPER = Paper()
TABLE = np.array([[x, y, 0.0] for x in range(2, 39, 6) for y in range(2, 27, 6)])


def targets(seen_by, places=PLACES, known=False, rng=None, side_in=3.0):
    """Markers seen exactly, or with the noise of the solver's model."""
    made = []
    for number, (at, turn) in places.items():
        corners = marker_corners(at, side_in, turn)
        seen = seen_by.table_to_pixel(corners)
        if rng is not None:
            # Corners of one marker rise partly together: 0.6 of the variance, as at 3 in in the solver's model.
            height = PAPER.height_in * (np.sqrt(0.6) * rng.normal() + np.sqrt(0.4) * rng.normal(size=4))
            printed = np.c_[corners + rng.normal(0, PAPER.place_in, (4, 2)), height]
            seen = seen_by.table_to_pixel(printed) + rng.normal(0, POINT_SIGMA_PX, seen.shape)
            seen = seen + rng.normal(0, TARGET_SIGMA_PX, (1, 2))
        square = marker_square(side_in)
        made.append(Target(square, seen, {number: square}, place_of(square, corners) if known else None))
    return made


def errors_in(calibration, seen_by, places=PLACES, known=False):
    """(N,) distances in inches between the solution and the truth at the table's points, after alignment."""
    found = calibration.camera.pixel_to_table(seen_by.table_to_pixel(TABLE))
    if not known:
        corners = np.concatenate([calibration.markers_in[n] for n in places])
        x, y, turn = place_of(corners, np.concatenate([marker_corners(at, 3.0, t) for at, t in places.values()]))
        c, s = np.cos(turn), np.sin(turn)
        found = found @ np.array([[c, s], [-s, c]]) + (x, y)
    return found - TABLE[:, :2]


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("profile", [True, False])
@pytest.mark.parametrize("view", [{}, {"tilt_deg": 25.0, "at_in": (20.0, 40.0)}, {"roll_deg": 100.0, "tilt_deg": -8.0}])
def test_exact_corners_give_exact_inches(known, profile, view):
    seen_by = camera(**view)
    calibration = solve(targets(seen_by, known=known), (960, 540), seen_by.lens if profile else None)
    # Without a profile the priors cause a small bias, and p1, p2 of the true lens are not solved for.
    assert np.abs(errors_in(calibration, seen_by, known=known)).max() < (1e-3 if profile else 0.06)
    assert calibration.residual_px < (1e-3 if profile else 0.05)


def test_one_marker_is_enough_with_a_larger_sigma():
    seen_by, one = camera(), {0: PLACES[0]}
    alone = solve(targets(seen_by, one), (960, 540), seen_by.lens)
    four = solve(targets(seen_by), (960, 540), seen_by.lens)
    assert np.abs(errors_in(alone, seen_by, one)).max() < 0.02
    near, far = alone.sigma_in([[*alone.markers_in[0].mean(0), 0], [*(alone.markers_in[0].mean(0) + (25, 15)), 0]])
    assert far > 5 * near
    assert alone.typical_sigma_in() > 3 * four.typical_sigma_in()


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("count", [1, pytest.param(2, marks=pytest.mark.slow), 4])
def test_errors_match_sigma(known, count):
    """Over 40 noisy views, the errors match the stated sigma within sampling error."""
    rng = np.random.default_rng(11)
    places = dict(list(PLACES.items())[:count])
    ratios = []
    for _ in range(40):
        seen_by = camera(height_in=rng.uniform(40, 60), tilt_deg=rng.uniform(-15, 15), k1=rng.uniform(-0.2, 0.0))
        calibration = solve(targets(seen_by, places, known, rng), (960, 540), seen_by.lens)
        sigma = calibration.sigma_in(
            np.c_[calibration.camera.pixel_to_table(seen_by.table_to_pixel(TABLE)), TABLE[:, 2]]
        )
        ratios.append(errors_in(calibration, seen_by, places, known) / sigma[:, None])
    assert 0.7 < np.sqrt(np.nanmean(np.square(ratios))) < 1.3


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", [kind for kind in kinds((2, 4)) if kind.profile or (kind.measured and kind.markers == 4)], ids=str
)
def test_errors_match_sigma_for_random_cameras(kind):
    """The quick version of `python -m benchmarks.sigma`: few cameras determine a sigma to about a third."""
    rng = np.random.default_rng(3)
    ratio = np.concatenate([trial(rng, kind).ratio for _ in range(8)])
    assert 0.6 < np.sqrt((ratio**2).mean()) < 1.6


def test_sigma_includes_the_print_size():
    """Markers 2 % larger than stated shift all places by 2 % relative to the markers' centre."""
    seen_by = camera()
    exact = solve(targets(seen_by), (960, 540), seen_by.lens)
    unsure = solve(targets(seen_by), (960, 540), seen_by.lens, print_sigma=0.02)
    middle = np.mean(list(exact.markers_in.values()), axis=(0, 1))
    away = np.array([[*(middle + (12, 0)), 0.0]])
    cover = unsure.covariance_in2(away) - exact.covariance_in2(away)
    assert np.sqrt(cover[0, 0]) == pytest.approx(0.02 * 12, rel=0.02)
    assert unsure.sigma_in([[*middle, 0]]) < 0.03


def test_known_places_determine_the_print_size():
    """Markers drawn 2 % too large at true places: the places prevail, and the size is found."""
    seen_by = camera()
    grown = [
        Target(t.points_in, seen_by.table_to_pixel(marker_corners(at, 3.06, turn)), t.marks, t.place)
        for t, (at, turn) in zip(targets(seen_by, known=True), PLACES.values(), strict=True)
    ]
    found = solve(grown, (960, 540), seen_by.lens, print_sigma=0.02)
    assert np.abs(errors_in(found, seen_by, known=True)).max() < 0.01
    side = np.linalg.norm(found.markers_in[0][1] - found.markers_in[0][0])
    assert side == pytest.approx(3.06, abs=0.005)


def test_an_uncertain_profile_is_refined():
    seen_by = camera(tilt_deg=25.0, at_in=(20.0, 40.0))  # oblique, so that the picture determines the focal length
    off = Lens((960, 540), seen_by.lens.matrix * [[1.02, 1, 1], [1, 1.02, 1], [1, 1, 1]], seen_by.lens.distortion)
    spread = 1e-12 * np.eye(9)
    spread[:2, :2] += 0.02**2
    unsure = Lens(off.image_size, off.matrix, off.distortion, spread)
    stiff, found = (solve(targets(seen_by), (960, 540), lens) for lens in (off, unsure))
    truth = lens_parameters(seen_by.lens)[0]
    assert abs(lens_parameters(found.camera.lens)[0] - truth) < 0.3 * abs(lens_parameters(off)[0] - truth)
    assert np.abs(errors_in(found, seen_by)).max() < 0.5 * np.abs(errors_in(stiff, seen_by)).max()


def test_a_marker_seen_from_exactly_above_is_solved():
    """The two poses coincide there, and OpenCV's IPPE returns NaN."""
    square, lens = marker_square(3.0), Lens((1000, 800), [[800, 0, 500], [0, 800, 400], [0, 0, 1]], [0] * 5)
    seen = square * (16, -16) + (500, 400)
    assert solve([Target(square, seen, {0: square})], (1000, 800), lens).camera.position_in[2] == pytest.approx(50)


def test_a_layout_defines_the_frame():
    seen_by = camera()
    calibration = solve(targets(seen_by, known=True), (960, 540), seen_by.lens)
    assert calibration.markers_in[1] == pytest.approx(marker_corners((35, 5), 3.0, 90), abs=1e-6)
    assert calibration.camera.position_in == pytest.approx(seen_by.position_in, abs=1e-2)


def test_without_a_layout_x_runs_along_the_lower_edge():
    seen_by = camera(roll_deg=170.0)
    calibration = solve(targets(seen_by), (960, 540), seen_by.lens)
    corners = np.concatenate(list(calibration.markers_in.values()))
    assert corners.min(0) == pytest.approx([0, 0], abs=1e-9)
    middle = [*corners.mean(0), 0]
    a, b = calibration.camera.table_to_pixel([middle, np.add(middle, (5, 0, 0))])
    assert b[0] - a[0] > 50
    assert b[1] == pytest.approx(a[1], abs=2)


def test_a_marker_not_in_the_layout_gets_its_place():
    seen_by = camera()
    some = targets(seen_by, known=True)[:2] + targets(seen_by)[2:]
    calibration = solve(some, (960, 540), seen_by.lens)
    assert calibration.markers_in[3] == pytest.approx(marker_corners((6, 23), 3.0, -45), abs=0.01)


def test_no_targets_are_refused():
    with pytest.raises(UserError, match="no marker found"):
        solve([], (960, 540))


def test_a_lens_of_another_size_is_refused():
    seen_by = camera()
    with pytest.raises(UserError, match=r"960x540 .* 1280x720"):
        solve(targets(seen_by), (1280, 720), seen_by.lens)


def test_a_wrong_side_is_refused():
    seen_by = camera()
    wrong = [
        Target(marker_square(2.0), t.seen_px, t.marks, t.place) for t in targets(seen_by, known=True)
    ]  # every square shrunk on its known place
    with pytest.raises(UserError, match="do not fit a flat table"):
        solve(wrong, (960, 540), seen_by.lens)


@settings(max_examples=10)
@given(st.floats(-60, 60), st.floats(-60, 60), st.floats(-3.1, 3.1))
def test_place_of_undoes_a_move(x, y, turn):
    square = marker_square(2.0)
    c, s = np.cos(turn), np.sin(turn)
    assert place_of(square, square @ np.array([[c, s], [-s, c]]) + (x, y)) == pytest.approx((x, y, turn), abs=1e-9)


def test_the_jacobian_matches_differences():
    problem = CalibrationProblem(tuple(targets(camera(roll_deg=20.0))), (960, 540), None)
    start = problem.starts()[0]
    numeric = approx_fprime(start, problem.residuals, 1e-7)
    scale = np.abs(numeric).max(0)
    assert np.abs(problem.jacobian(start) - numeric).max(0) / scale == pytest.approx(np.zeros(len(start)), abs=1e-4)


def test_a_step_to_an_absurd_scale_of_the_prints_has_finite_errors():
    """The solver tries such a step from oblique views; exp(800) overflows."""
    problem = CalibrationProblem(tuple(targets(camera())), (960, 540), camera().lens, print_sigma=0.01)
    step = problem.starts()[0]
    step[6] = 800.0  # after rotation and translation: the log of the scale
    assert np.isfinite(problem.residuals(step)).all()


def test_perturbed_cameras_agree_on_the_markers():
    """With free markers a change of frame is not an error: no perturbed camera moves the markers as a whole."""
    seen_by = camera()
    calibration = solve(targets(seen_by), (960, 540), seen_by.lens)
    assert all(isinstance(deviant, TableCamera) for deviant in calibration.deviants)
    corners = np.concatenate(list(calibration.markers_in.values()))
    pixels = calibration.camera.table_to_pixel(corners)
    for deviant in calibration.deviants:
        _, _, turn = place_of(corners, deviant.pixel_to_table(pixels))
        assert abs(turn) < 2e-3
        assert np.hypot(*(deviant.pixel_to_table(pixels) - corners).mean(0)) < 0.02
