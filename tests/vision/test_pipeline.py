"""The pipeline on a small simulated table: calibration kept, camera bumped, markers hidden."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from calibration.calibration_targets import CalibrationTargets
from calibration.print_scale import TRUE_PRINT
from calibration.solve import laid_at, place_of
from rules.tabletop.errors import UserError
from rules.tabletop.table import Posture, TerrainKind, TerrainPiece
from tests.solved import SolvedBefore
from vision.frame import Frame
from vision.palette import teach
from vision.pipeline import Pipeline
from vision.setup import Setup
from vision.simulation.scene import Model, Scene, Sculpt, corner_markers
from vision.simulation.simulator import WEBCAM, Sensor, Stage, overhead_camera, render
from vision.simulation.surface import Surface
from vision.table_outline import marker_papers

SIZE_IN, SIZE_PX = (36.0, 24.0), (960, 540)
SCENE = Scene(
    SIZE_IN,
    Surface.CARDBOARD,
    markers=corner_markers(SIZE_IN),
    models=(
        Model("a", "green", Sculpt.RIFLEMAN, 10, 8, facing_deg=40),
        Model("b", "green", Sculpt.GRENADIER, 20, 15, facing_deg=200),
        Model("c", "green", Sculpt.RIFLEMAN, 27, 9, facing_deg=120),
    ),
)
CAMERA = overhead_camera(SIZE_PX, SIZE_IN, 45.0)
BUMPED = overhead_camera(SIZE_PX, SIZE_IN, 45.4, tilt_deg=5.0)
SOLVED = SolvedBefore()


@pytest.fixture(autouse=True)
def solved_before(monkeypatch):
    monkeypatch.setattr("calibration.calibration_targets.solve", SOLVED)


@cache
def stage(camera, ground):
    """The table without figures; drawing it takes far longer than what stands on it."""
    return Stage(ground, camera)


@cache
def frame(camera=CAMERA, scene=SCENE, index=0, hide=()):
    clean = stage(camera, scene.empty).picture(scene.models)
    image = Sensor(SIZE_PX, WEBCAM.noise, np.random.default_rng(index)).exposure(clean, 1.0)
    for marker in scene.markers:
        if marker.id in hide:
            corners = camera.table_to_pixel(marker.corners_in)
            low, high = np.clip(corners.min(0) - 12, 0, None).astype(int), (corners.max(0) + 12).astype(int)
            image[low[1] : high[1], low[0] : high[0]] = (90, 110, 150)
    return Frame(image, index, index / 3)


@pytest.fixture(scope="module")
def setup():
    first = frame()
    palette = ()
    x, y = CAMERA.table_to_pixel((20, 15, 0))[0]
    palette = (teach(first.image_bgr, (float(x), float(y)), "green"),)
    layout = {marker.id: np.asarray(marker.corners_in) for marker in SCENE.markers}
    empty = render(SCENE.empty, CAMERA, np.random.default_rng(99))
    return Setup(prints=CalibrationTargets(layout=layout), palette=palette, reference_bgr=empty)


def away_in(view, x, y):
    return min(np.hypot(f.x_in - x, f.y_in - y) for f in view.figures)


@pytest.mark.slow
def test_figures_are_found_with_a_sigma_that_includes_the_calibrations(setup):
    view = Pipeline().process(frame(), setup)
    assert view.problem is None
    assert len(view.figures) == 3
    for model in SCENE.models:
        assert away_in(view, model.x_in, model.y_in) < 0.25
    for figure in view.figures:
        place = (figure.x_in, figure.y_in, figure.z_in)
        assert figure.sigma_in > view.calibration.sigma_in([place])[0] > 0
        assert figure.posture is not Posture.VEHICLE


@pytest.mark.slow
def test_a_still_camera_keeps_its_calibration(setup, monkeypatch):
    monkeypatch.undo()  # solved again, it would be another calibration
    pipeline = Pipeline()
    first, second = pipeline.process(frame(), setup), pipeline.process(frame(index=1), setup)
    assert second.calibration is first.calibration
    assert not second.camera_moved


@pytest.mark.slow
def test_a_bump_is_detected_and_table_coordinates_stay_the_same(setup):
    plain = Setup(palette=setup.palette)  # no layout, no lens: what a player has
    pipeline = Pipeline()
    before = pipeline.process(frame(), plain)
    after = pipeline.process(frame(BUMPED, index=1), plain)
    assert after.camera_moved
    assert after.problem is None
    for number, corners in before.calibration.markers_in.items():
        assert after.calibration.markers_in[number] == pytest.approx(corners, abs=1e-6)
    place = after.calibration.camera.pixel_to_table(BUMPED.table_to_pixel([[20, 15, 0]]))
    where = before.calibration.camera.pixel_to_table(CAMERA.table_to_pixel([[20, 15, 0]]))
    # Two solves of markers seen to 0.1 px at 20 px an inch, without a lens profile.
    assert place == pytest.approx(where, abs=0.06)


@pytest.mark.slow
def test_within_a_second_after_a_bump_errors_are_within_bounds_and_no_figure_is_lost(setup):
    """Thirty frames a second: four at rest, five while the camera swings, then it rests in another place."""
    swing = [
        overhead_camera(SIZE_PX, SIZE_IN, 45.0 + lift, tilt_deg=3.5 + tilt) for lift, tilt in ((0.3, 2.4), (0.5, 0.8))
    ]
    shots = [CAMERA] * 4 + [swing[0], swing[0], swing[1], swing[0], swing[1]] + [BUMPED] * 12
    plain = Setup(CalibrationTargets(scale=TRUE_PRINT), palette=setup.palette, lens=CAMERA.lens)
    pipeline = Pipeline()
    pictures = {id(camera): frame(camera).image_bgr for camera in (CAMERA, *swing, BUMPED)}
    views = [pipeline.process(Frame(pictures[id(camera)].copy(), n, n / 30), plain) for n, camera in enumerate(shots)]
    assert [n for n, view in enumerate(views) if view.camera_moved] == [4], "reported once, in its frame"
    names = {figure.id for figure in views[0].figures}
    assert len(names) == 3
    places = np.array([(m.x_in, m.y_in) for m in SCENE.models])
    true = np.concatenate([marker.corners_in for marker in SCENE.markers])
    for view, camera in zip(views, shots, strict=True):
        assert {figure.id for figure in view.figures} == names
        assert not [event for event in view.tracking.events if event.kind in ("lost", "found", "moved")]
        # Against the truth, in the frame that the markers gave the table before the bump: within two of the stated
        # deviations (their radius that holds 95 %), and that within what is asked for with a lens profile.
        known = view.calibration.markers_in
        want = laid_at(places, place_of(true, np.concatenate([known[marker.id] for marker in SCENE.markers])))
        away = np.linalg.norm(view.calibration.camera.pixel_to_table(camera.table_to_pixel(places)) - want, axis=1)
        bound = 2.45 * view.calibration.sigma_in(np.c_[want, np.zeros(len(want))])
        assert (away < bound).all()
        assert bound.max() < 0.08


@pytest.mark.slow
def test_after_a_bump_only_figures_that_stood_beyond_the_markers_are_found_there(setup):
    """The floor beyond the table looks unlike the empty table's picture then, as if something had come there."""
    beyond_in = max(x for paper in papers(setup) for x, _ in paper) + 0.3
    outside = replace(SCENE, models=(*SCENE.models, Model("d", "green", Sculpt.RIFLEMAN, beyond_in, 12)))

    def last_after_bump(scene_before):
        pipeline = Pipeline()
        pipeline.process(frame(scene=scene_before), setup)
        return [pipeline.process(frame(BUMPED, outside, index), setup) for index in range(1, 12)][-1]

    assert away_in(last_after_bump(outside), beyond_in, 12) < 0.3
    assert away_in(last_after_bump(SCENE), beyond_in, 12) > 3


def papers(setup):
    return marker_papers(Pipeline().process(frame(), setup).calibration)


@pytest.mark.slow
def test_a_moved_marker_is_reported_with_both_places(setup):
    carried = replace(SCENE, markers=(replace(SCENE.markers[0], centre_in=(8.0, 7.0)), *SCENE.markers[1:]))
    pipeline = Pipeline()
    pipeline.process(frame(), setup)
    moved = frame(scene=carried)
    views = [pipeline.process(Frame(moved.image_bgr, n, n / 30), setup) for n in range(1, 14)]
    (drift,) = [drift for view in views for drift in view.drifts]
    assert drift.ids == (SCENE.markers[0].id,)
    assert drift.from_in == pytest.approx(SCENE.markers[0].centre_in, abs=0.03)
    assert drift.to_in == pytest.approx((8.0, 7.0), abs=0.03)
    assert not any(view.camera_moved for view in views)


def test_a_hand_over_some_markers_changes_nothing(setup):
    pipeline = Pipeline()
    first = pipeline.process(frame(), setup)
    second = pipeline.process(frame(index=1, hide=(0, 2)), setup)
    assert second.calibration is first.calibration
    assert second.problem is None


def test_with_all_markers_hidden_the_last_calibration_is_kept_and_reported(setup):
    pipeline = Pipeline()
    first = pipeline.process(frame(), setup)
    hidden = pipeline.process(frame(index=1, hide=(0, 1, 2, 3)), setup)
    assert hidden.calibration is first.calibration
    assert "no marker" in hidden.problem
    assert pipeline.process(frame(index=2), setup).problem is None


def test_without_any_marker_there_are_no_inches(setup):
    view = Pipeline().process(frame(hide=(0, 1, 2, 3)), setup)
    assert view.calibration is None
    assert view.figures == ()
    assert "lay a printed marker" in view.problem


@pytest.mark.slow
def test_other_markers_are_a_new_table(setup):
    pipeline = Pipeline()
    pipeline.process(frame(), setup)
    view = pipeline.process(frame(index=1), Setup(prints=CalibrationTargets(side_in=1.5), palette=setup.palette))
    # The same prints said to be half as large: everything is half as far.
    a, b = (view.calibration.markers_in[n].mean(0) for n in (0, 2))
    (true_a,), (true_b,) = ([m.centre_in for m in SCENE.markers if m.id == n] for n in (0, 2))
    assert np.hypot(*(a - b)) == pytest.approx(np.hypot(*np.subtract(true_a, true_b)) / 2, rel=0.005)


def test_no_figures_are_searched_before_an_army_is_taught(setup):
    assert Pipeline().process(frame(), Setup()).figures == ()


@pytest.mark.slow
def test_no_figure_is_found_in_a_part_that_is_set_aside(setup):
    (u, v), (left, top) = CAMERA.table_to_pixel([(20, 15, 0), (18, 18, 0)]).round().astype(int).tolist()
    tray = replace(setup, aside_px=((left, top, 2 * u - left, 2 * v - top),))
    for here in (tray, replace(tray, reference_bgr=None)):
        view = Pipeline().process(frame(), here)
        assert len(view.figures) == 2
        assert away_in(view, 10, 8) < 0.25
        assert away_in(view, 27, 9) < 0.25


@pytest.mark.slow
def test_no_figure_is_found_more_than_an_inch_outside_the_area_of_play(setup):
    # The edge at 19.5 lets in the one at 20, that at 18 does not; the one at 27 is far beyond either.
    for edge, count in ((19.5, 2), (18.0, 1)):
        area = ((2.0, 2.0), (edge, 2.0), (edge, 22.0), (2.0, 22.0))
        for here in (replace(setup, area_in=area), replace(setup, area_in=area, reference_bgr=None)):
            view = Pipeline().process(frame(), here)
            assert len(view.figures) == count
            assert away_in(view, 10, 8) < 0.25
    assert len(Pipeline().process(frame(), setup).figures) == 3


def test_the_area_of_play_may_be_larger_than_the_picture_or_outside_it(setup):
    vast = ((-80.0, -80.0), (120.0, -80.0), (120.0, 100.0), (-80.0, 100.0))
    assert len(Pipeline().process(frame(), replace(setup, area_in=vast)).figures) == 3
    beside = ((200.0, 0.0), (230.0, 0.0), (230.0, 30.0), (200.0, 30.0))
    assert Pipeline().process(frame(), replace(setup, area_in=beside)).figures == ()


@pytest.mark.slow
def test_a_figure_on_a_hill_outside_the_area_of_play_is_not_found(setup):
    hill = TerrainPiece("hill", TerrainKind.HILL, ((17.0, 12.0), (24.0, 12.0), (24.0, 19.0), (17.0, 19.0)), 0.0, 0.3)
    area = ((2.0, 2.0), (18.0, 2.0), (18.0, 22.0), (2.0, 22.0))
    here = replace(setup, terrain=(hill,))
    assert len(Pipeline().process(frame(), here).figures) == 3
    assert len(Pipeline().process(frame(), replace(here, area_in=area)).figures) == 1


def test_a_hand_outside_the_area_of_play_still_pauses_the_search(setup):
    area = ((2.0, 2.0), (12.0, 2.0), (12.0, 22.0), (2.0, 22.0))
    pipeline, here = Pipeline(), replace(setup, area_in=area)
    for index in range(4):
        assert not pipeline.process(frame(index=index), here).frozen
    arm = frame(index=4).image_bgr.copy()
    arm[:375, 675:765] = (120, 150, 200)
    assert pipeline.process(Frame(arm, 4, 4 / 3), here).frozen


def test_an_empty_table_of_another_size_is_refused(setup):
    wrong = Setup(palette=setup.palette, reference_bgr=np.zeros((20, 30, 3), np.uint8))
    with pytest.raises(UserError, match="empty table"):
        Pipeline().process(frame(), wrong)


@pytest.mark.parametrize("height", [0.0, -1.0, 40.0, float("nan")])
def test_an_impossible_figure_height_is_refused(height):
    with pytest.raises(UserError, match="standing figure"):
        Setup(figure_height_in=height)


def test_papers_include_the_quiet_zone(setup):
    view = Pipeline().process(frame(), setup)
    for paper, marker in zip(marker_papers(view.calibration), SCENE.markers, strict=True):
        sides = np.linalg.norm(np.diff(np.array([*paper, paper[0]]), axis=0), axis=1)
        assert sides == pytest.approx([3.0 * 1.4] * 4, rel=0.01), marker.id


def test_a_search_on_request_groups_the_figures_anew(setup):
    untaught = replace(setup, palette=(), propose=True)
    grey = replace(SCENE, models=tuple(replace(model, army="grey") for model in SCENE.models))
    pipeline = Pipeline()
    for index in range(4):
        view = pipeline.process(frame(index=index), untaught)
    [green] = view.proposed
    for index in range(4, 12):
        view = pipeline.process(frame(scene=grey, index=index), untaught)
    assert green.name in {army.name for army in view.proposed}, "groups stay while their figures are away"
    pipeline.search_now()
    for index in range(12, 16):
        view = pipeline.process(frame(scene=grey, index=index), untaught)
    [army] = view.proposed
    assert army.name != green.name
    assert [figure.army for figure in view.figures] == [army.name] * 3
