"""The simulated table is the reference of other tests, so here it is checked against plain geometry."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import Polygon, unary_union

from calibration.opencv import cv2
from rules.tabletop.errors import UserError
from rules.tabletop.table import Posture, TerrainKind, TerrainPiece
from vision.simulation.drawing import sprite
from vision.simulation.scene import (
    Model,
    Play,
    PrintedMarker,
    Scene,
    Topple,
    Walk,
    corner_markers,
    demo_play,
    demo_scene,
)
from vision.simulation.simulator import STEP_S, WEBCAM, Optics, Sensor, SimulatedTable, Stage, overhead_camera, render
from vision.simulation.surface import PixelMap, Surface, lay_marker
from vision.simulation.toy_models import Sculpt

SIZE_PX = (960, 540)
CAMERA = overhead_camera(SIZE_PX)
SMALL = overhead_camera((640, 360))
SHARP = Optics(blur_px=0.0, noise=0.0, vignette=0.0)


def red(image: np.ndarray) -> np.ndarray:
    """Mask of red plastic: nothing on grey felt is redder than blue, in shadow or not."""
    return image[..., 2].astype(int) - image[..., 0] > 8


def felt(**parts: object) -> Scene:
    return Scene(surface=Surface.FELT, **parts)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def stage() -> Stage:
    return Stage(felt(), CAMERA, SHARP)


def test_a_printed_markers_corners_are_in_opencvs_order() -> None:
    upright = PrintedMarker(3, (10, 20), 3.0)
    assert upright.corners_in.tolist() == [[8.5, 21.5], [11.5, 21.5], [11.5, 18.5], [8.5, 18.5]]
    quarter = PrintedMarker(3, (10, 20), 3.0, turn_deg=90)  # counter-clockwise: the top now points along -x
    np.testing.assert_allclose(quarter.corners_in, [[8.5, 18.5], [8.5, 21.5], [11.5, 21.5], [11.5, 18.5]])


@pytest.mark.parametrize("turn_deg", [0.0, 90.0, 200.0])
def test_detected_marker_corners_are_where_the_truth_says(turn_deg: float) -> None:
    markers = tuple(replace(m, turn_deg=m.turn_deg + turn_deg) for m in corner_markers((48, 36)))
    image = render(Scene(markers=markers), CAMERA, np.random.default_rng(1))
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    parameters.cornerRefinementWinSize = 3
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), parameters)
    corners, ids, _ = detector.detectMarkers(image)
    assert sorted(ids.ravel().tolist()) == [0, 1, 2, 3]
    for seen, marker_id in zip(corners, ids.ravel(), strict=True):
        off_px = seen.reshape(4, 2) - CAMERA.table_to_pixel(markers[marker_id].corners_in)
        # OpenCV's own refinement draws a blurred corner in by about a third of the 0.6 px blur along each axis.
        assert np.linalg.norm(off_px, axis=1).max() < 0.4
        # That is the same at all four corners: in their middle only the noise is left, up to 0.11 px with eight seeds.
        assert np.linalg.norm(off_px.mean(0)) < 0.14


def test_a_drawn_marker_has_its_true_size() -> None:
    """The ink in the picture equals the area of the marker's black cells and is centred on them."""
    marker = PrintedMarker(7, (9.0, 8.0), 3.0, turn_deg=13)
    picture = np.full((SIZE_PX[1], SIZE_PX[0], 3), 226.0, np.float32)  # on paper of the sheet's own white
    lay_marker(picture, 7, marker.corners_in, CAMERA, PixelMap(CAMERA))
    ink = (226.0 - picture[..., 0].astype(float)) / (226.0 - 30.0)
    cells = cv2.aruco.generateImageMarker(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), 7, 6) == 0
    a, b, _, d = marker.corners_in
    area_px, centre_px = 0.0, np.zeros(2)
    for row, column in np.argwhere(cells):
        square = [a + (column + i) / 6 * (b - a) + (row + j) / 6 * (d - a) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))]
        cell = Polygon(CAMERA.table_to_pixel(square))
        area_px += cell.area
        centre_px += cell.area * np.array(cell.centroid.coords[0])
    # 64 samples a pixel: an edge of 90 px is placed to 1/8 px / sqrt(90), a side of 42 px to 0.1 % of the area.
    assert ink.sum() == pytest.approx(area_px, rel=3e-3)
    v, u = np.mgrid[: SIZE_PX[1], : SIZE_PX[0]]
    assert [(ink * u).sum() / ink.sum(), (ink * v).sum() / ink.sum()] == pytest.approx(centre_px / area_px, abs=0.03)


@settings(max_examples=10)
@given(
    x_in=st.floats(3, 45),
    y_in=st.floats(3, 33),
    z_in=st.sampled_from([0.0, 2.0]),
    facing_deg=st.floats(-180, 180),
    sculpt=st.sampled_from(Sculpt),
)
def test_a_figure_covers_the_pixels_of_its_projected_solid(
    x_in: float, y_in: float, z_in: float, facing_deg: float, sculpt: Sculpt
) -> None:
    model = Model("red-1", "red", sculpt, x_in, y_in, z_in, facing_deg)
    drawn = sprite(model.solid, z_in, CAMERA)
    polygons_in = model.solid.polygons_in
    corners_px = CAMERA.table_to_pixel(polygons_in.reshape(-1, 3)).reshape(*polygons_in.shape[:2], 2)
    silhouette = unary_union([Polygon(polygon).convex_hull for polygon in corners_px])
    # OpenCV fills every sample that an edge touches: at most one sample, a quarter of a pixel, outwards.
    too_much_px = (drawn.cover.sum() - silhouette.area) / silhouette.length
    assert -0.01 < too_much_px < 0.25
    v, u = np.mgrid[drawn.box.top : drawn.box.bottom, drawn.box.left : drawn.box.right]
    middle_px = np.array([(drawn.cover * u).sum(), (drawn.cover * v).sum()]) / drawn.cover.sum()
    assert middle_px == pytest.approx(np.array(silhouette.centroid.coords[0]), abs=0.25)


def test_a_head_leans_outwards_by_the_computed_distance(stage: Stage) -> None:
    """A head at height h over a foot d from the camera's nadir is seen over the table point d h / (H - h) beyond."""
    foot_in = np.array([42.0, 30.0])
    model = Model("red-1", "red", Sculpt.MARCHING, *foot_in.tolist())
    seen = red(stage.picture([model]))
    eye_in = CAMERA.position_in
    from_nadir = foot_in - eye_in[:2]
    lean_in = from_nadir * 1.94 / (eye_in[2] - 1.94)  # the middle of the helmet's ball
    assert np.linalg.norm(lean_in) > 0.6
    places_in = CAMERA.pixel_to_table(np.argwhere(seen)[:, ::-1])
    outwards = from_nadir / np.linalg.norm(from_nadir)
    reach_in = ((places_in - foot_in) @ outwards).max()
    # The far end of the silhouette is the helmet's: its centre 0.03 in beside the foot's, its radius 0.19 in.
    assert reach_in == pytest.approx(np.linalg.norm(lean_in) + 0.19, abs=1.0 / CAMERA.px_per_inch(42, 30) + 0.03)


@pytest.mark.slow
def test_an_updated_picture_equals_a_picture_drawn_from_scratch() -> None:
    scene = demo_scene(3)
    stage = Stage(scene, SMALL)
    stage.picture(scene.models)
    for time_s in (4.0, 10.0, 14.2, 26.0):
        moved = demo_play().at(scene, time_s).models
        patched = stage.picture(moved).copy()
    fewer = moved[:10]
    np.testing.assert_array_equal(patched, Stage(scene, SMALL).picture(moved))
    np.testing.assert_array_equal(stage.picture(fewer), Stage(scene, SMALL).picture(fewer))


@pytest.mark.slow
def test_empty_table_shows_no_figure_and_keeps_everything_else() -> None:
    table = SimulatedTable(demo_scene(), SMALL)
    frame = table.read()
    empty = table.empty_bgr
    bare = render(demo_scene().empty, SMALL, np.random.default_rng(5))
    # Two exposures differ by their noise alone; 6.5 deviations of a difference occur once in 10^10 values.
    assert np.abs(empty.astype(int) - bare).max() <= 6.5 * math.sqrt(2) * (WEBCAM.noise + 0.3)
    for figure in table.truth.figures:
        if figure.posture is Posture.VEHICLE:
            u, v = SMALL.table_to_pixel([figure.x_in, figure.y_in, 0.9])[0].round().astype(int)
            hull = np.s_[v - 2 : v + 3, u - 2 : u + 3]
            assert np.abs(frame.image_bgr[hull].astype(int) - empty[hull]).max() > 40


def test_terrain_hides_figures_behind_it_but_not_those_on_it() -> None:
    wall = TerrainPiece("box", TerrainKind.OTHER, ((40, 15), (43, 15), (43, 21), (40, 21)), 0.0, 5.0)
    hill = TerrainPiece("book", TerrainKind.HILL, ((10, 10), (18, 10), (18, 16), (10, 16)), 0.0, 2.0)
    stage = Stage(felt(terrain=(wall, hill)), CAMERA, SHARP)
    bare = stage.picture(()).copy()
    # From 55 in up and 19 in aside, the far edge of the box's top (5 in) hides what is up to 0.5 in high for
    # 19 * 4.5 / 50 = 1.7 in behind it: to x = 44.7. The figure there reaches from 43.1 to 44.1.
    behind = Model("red-1", "red", Sculpt.PRONE, 43.6, 18.0, facing_deg=90)
    np.testing.assert_array_equal(stage.picture([behind]), bare)
    u, v = CAMERA.table_to_pixel([14.2, 13.0, 2.1])[0].round().astype(int)
    on_hill = stage.picture([Model("red-1", "red", Sculpt.RIFLEMAN, 14.0, 13.0, 2.0)])
    assert (np.abs(on_hill.astype(int) - bare).max(2) > 40)[v - 6 : v + 7, u - 6 : u + 7].any()


def test_same_seed_gives_the_same_frames() -> None:
    def pictures(seed: int) -> list[np.ndarray]:
        table = SimulatedTable(felt(models=(Model("red-1", "red", Sculpt.TANK, 20, 20),)), SMALL, seed=seed, frames=3)
        return [frame.image_bgr for frame in iter(table.read, None)]

    first, again, other = pictures(1), pictures(1), pictures(2)
    assert len(first) == 3
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0], first[1])
    assert not np.array_equal(first[0], other[0])


def test_noise_has_the_requested_deviation() -> None:
    sensor = Sensor(SIZE_PX, 3.0, np.random.default_rng(4))
    grey = np.full((SIZE_PX[1], SIZE_PX[0], 3), 128, np.uint8)
    noise = sensor.exposure(grey).astype(float) - 128
    # Rounding to whole values adds about a twelfth to the variance. The noise has only 256 different quantiles, which
    # together deviate by 3.03; 1.5 million values put that to 0.1 %.
    assert noise.std() == pytest.approx(math.sqrt(9 + 1 / 12), rel=0.01)
    assert noise.mean() == pytest.approx(0, abs=0.02)


def test_lamp_multiplies_light_not_stored_values() -> None:
    sensor = Sensor(SIZE_PX, 0.0, np.random.default_rng(0))
    grey = np.full((SIZE_PX[1], SIZE_PX[0], 3), 100, np.uint8)
    assert (sensor.exposure(grey, lamp=0.5) == round(100 * 0.5 ** (1 / 2.2))).all()


def test_time_comes_from_the_clock_or_in_even_steps() -> None:
    ticks = iter([50.0, 50.5, 52.0])
    live = SimulatedTable(felt(), SMALL, clock=lambda: next(ticks))
    assert live.live
    assert [(f.index, f.time_s) for f in (live.read(), live.read(), live.read()) if f] == [(0, 0), (1, 0.5), (2, 2.0)]
    stepped = SimulatedTable(felt(), SMALL)
    assert not stepped.live
    assert [f.time_s for f in (stepped.read(), stepped.read()) if f] == [0.0, STEP_S]


def test_figures_move_without_jumps() -> None:
    play, scene = demo_play(), demo_scene()
    # The fastest walk, 7.4 in (and 0.25 in of the seed) in 2.5 s, peaks at 1.5 times its mean speed: the slope of
    # 3t^2 - 2t^3 at its middle. The fastest turn is 180 degrees in 0.3 s, the fastest fall 90 in 0.4 s.
    most = np.array([1.5 * 7.7 / 2.5, 1.5 * 180 / 0.3, 1.5 * 90 / 0.4]) * STEP_S
    before = scene.models
    for step in range(1, int(60 / STEP_S)):
        after = play.at(scene, step * STEP_S).models
        for old, new in zip(before, after, strict=True):
            turned = (new.facing_deg - old.facing_deg + 180) % 360 - 180
            moved = [math.hypot(new.x_in - old.x_in, new.y_in - old.y_in), turned, new.tilt_deg - old.tilt_deg]
            assert (np.abs(moved) <= most).all()
        before = after


def test_a_walk_ends_facing_forward_and_a_fallen_figure_lies_on_the_table() -> None:
    scene = Scene(models=(Model("red-1", "red", Sculpt.RIFLEMAN, 10, 10, facing_deg=170),))
    play = Play((Walk("red-1", 1, 2, (10, 14)), Topple("red-1", 3, 3.5)), period_s=10)
    (walked,) = play.at(scene, 2.5).figures
    assert (walked.x_in, walked.y_in, walked.facing_deg) == pytest.approx((10, 14, 90))
    assert walked.posture is Posture.STANDING
    fallen = play.at(scene, 4.0).models[0]
    z_in = fallen.solid.polygons_in[..., 2]
    assert (z_in.min(), fallen.figure.posture) == (pytest.approx(0), Posture.DOWN)
    assert z_in.max() < 1.2  # on its side: twice as far as an elbow reaches to the side
    # Looking along +y it falls to its right, +x, about the base's edge 0.375 in off; the helmet comes to lie 2.1 in on.
    assert max(x for x, _ in fallen.figure.base_in) == pytest.approx(10 + 0.375 + 2.1, abs=0.01)
    assert play.at(scene, 10.0) == scene


def test_demo_has_two_armies_of_twelve_that_never_overlap() -> None:
    scene, play = demo_scene(), demo_play()
    assert Counter(model.army for model in scene.models) == {"green": 12, "tan": 12}
    assert sum(figure.posture is Posture.VEHICLE for figure in scene.figures) == 2
    table = Polygon([(0, 0), (48, 0), (48, 36), (0, 36)])
    walls = [Polygon(p.outline_in) for p in scene.terrain if p.kind not in (TerrainKind.TREE, TerrainKind.HILL)]
    papers = [Polygon(m.corners_in).buffer(0.5, join_style="mitre") for m in scene.markers]
    for seed in range(3):
        for time_s in range(0, 60, 3):
            bases = [Polygon(f.base_in) for f in play.at(demo_scene(seed), time_s).figures]
            assert all(table.contains(base) for base in bases)
            solids = [*bases, *walls, *papers]
            overlaps = [(a, b) for n, a in enumerate(bases) for b in solids[n + 1 :] if a.intersects(b)]
            assert overlaps == []


@settings(max_examples=12)
@given(
    width=st.integers(320, 2000),
    height=st.integers(240, 1200),
    table_in=st.tuples(st.floats(24, 96), st.floats(20, 60)),
    height_in=st.floats(40, 80),
)
def test_the_overhead_camera_has_the_requested_pose_and_sees_the_whole_table(
    width: int, height: int, table_in: tuple[float, float], height_in: float
) -> None:
    camera = overhead_camera((width, height), table_in, height_in)
    assert camera.position_in[2] == pytest.approx(height_in)
    corners_px = camera.table_to_pixel([[0, 0], [table_in[0], 0], [table_in[0], table_in[1]], [0, table_in[1]]])
    assert np.isfinite(corners_px).all()
    assert (corners_px > -0.03 * height).all()
    assert (corners_px < np.array([width, height]) + 0.03 * height).all()
    near_left, near_right, far_right, _ = corners_px
    assert near_left[0] < near_right[0]
    assert far_right[1] < near_right[1]  # y runs away from the player: up in the picture


def test_the_pixel_map_equals_the_camera_to_a_hundredth_of_a_pixel() -> None:
    u, v = np.array([0.0, 3.3, 477.5, 959.0]), np.array([0.0, 5.9, 301.25, 539.0])
    x, y = PixelMap(CAMERA).places(u, v)
    exact = CAMERA.pixel_to_table(np.array([(a, b) for b in v for a in u]))
    assert np.abs(np.c_[x.ravel(), y.ravel()] - exact).max() * CAMERA.px_per_inch(24, 18) < 0.01


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (lambda: PrintedMarker(50, (0, 0)), "50"),
        (lambda: PrintedMarker(1, (0, 0), 0.0), "side"),
        (lambda: Model("m-1", "mauve", Sculpt.TANK, 0, 0), "mauve"),
        (lambda: Model("red-1", "red", Sculpt.RIFLEMAN, 0, 0, tilt_deg=120), "120"),
    ],
)
def test_invalid_values_are_refused(make: object, names: str) -> None:
    with pytest.raises(UserError, match=names):
        make()  # type: ignore[operator]
