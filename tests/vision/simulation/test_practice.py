"""Operations on the practice table show in its pictures and in its truth."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import Polygon

from calibration.opencv import cv2
from rules.tabletop.errors import UserError
from rules.tabletop.table import Posture, TerrainKind, TerrainPiece
from vision.frame import Frame
from vision.simulation.practice import ENTER_S, LEAVE_S, Practice, practice_ground
from vision.simulation.practice_table import PracticeTable
from vision.simulation.scene import Model, Scene, corner_markers
from vision.simulation.simulator import WEBCAM, overhead_camera
from vision.simulation.surface import Surface
from vision.simulation.toy_models import Sculpt

SIZE_IN = (30.0, 20.0)
CAMERA = overhead_camera((640, 360), SIZE_IN, 40.0)
BOOK = TerrainPiece("book", TerrainKind.HILL, ((2, 12), (8, 12), (8, 18), (2, 18)), 0.0, 1.5)
SOLDIERS = (
    Model("red-1", "red", Sculpt.RIFLEMAN, 10, 8),
    Model("red-2", "red", Sculpt.KNEELING, 15, 14),
    Model("blue-1", "blue", Sculpt.RIFLEMAN, 22, 9, facing_deg=180),
    Model("blue-2", "blue", Sculpt.TANK, 24, 15, facing_deg=90),
)
SCENE = Scene(SIZE_IN, Surface.FELT, (BOOK,), corner_markers(SIZE_IN), SOLDIERS)
START = practice_ground(SCENE, CAMERA)

places = st.tuples(st.floats(-5, 35), st.floats(-5, 25))
names = st.sampled_from([model.id for model in SOLDIERS])


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def table(clock: Clock) -> PracticeTable:
    return PracticeTable(SCENE, CAMERA, clock=clock)


def look(table: PracticeTable) -> Frame:
    frame = table.read()
    assert frame is not None
    return frame


def middle_px(practice: Practice, name: str) -> tuple[float, float]:
    model = practice.model(name)
    u, v = practice.camera.table_to_pixel((model.x_in, model.y_in, model.z_in + model.lift_in))[0]
    return (float(u), float(v))


def changed(frame: Frame, other: Frame) -> np.ndarray:
    """Where two pictures differ by more than noise: 8 standard deviations of a difference."""
    away = np.abs(frame.image_bgr.astype(int) - other.image_bgr).max(2)
    return np.asarray(away > 8 * math.sqrt(2) * WEBCAM.noise)


# Soldiers


def test_nobody_moves_unless_the_player_moves_him(table: PracticeTable, clock: Clock) -> None:
    before, places_before = look(table), table.truth_at(clock.now_s).figures
    clock.now_s += 600.0
    assert table.truth_at(clock.now_s).figures == places_before
    assert not changed(before, look(table)).any()


@pytest.mark.parametrize("name", [model.id for model in SOLDIERS])
def test_a_soldier_is_found_at_its_pixel(name: str) -> None:
    assert START.soldier_at(middle_px(START, name)) == name


def test_a_click_on_a_leaning_head_finds_its_soldier() -> None:
    """From 40 in above and 9 in aside, a head 2 in high is seen 0.5 in, 8 pixels, beyond the base's middle."""
    model = START.model("blue-1")
    head_px = CAMERA.table_to_pixel((model.x_in, model.y_in, 1.9))[0]
    assert START.soldier_at((float(head_px[0]), float(head_px[1]))) == "blue-1"


def test_bare_felt_has_no_soldier_but_the_nearest_within_reach_is_found() -> None:
    u, v = CAMERA.table_to_pixel((18.0, 4.0))[0]
    assert START.soldier_at((float(u), float(v))) is None
    u, v = CAMERA.table_to_pixel((10.0, 7.3))[0]
    # Half a base is 0.375 in: 0.7 in nearer than its middle is 0.325 in, 5 pixels, beside it.
    assert START.soldier_at((float(u), float(v)), 3.0) is None
    assert START.soldier_at((float(u), float(v)), 7.0) == "red-1"


def test_an_unknown_soldier_is_refused_by_name() -> None:
    with pytest.raises(UserError, match="red-9"):
        START.pick_up("red-9", 0.0)


@given(name=names, to_in=places)
def test_a_carried_soldier_is_lifted_above_its_place(name: str, to_in: tuple[float, float]) -> None:
    held = START.pick_up(name, 0.0).carry(to_in)
    model = held.model(name)
    # A soldier carried beyond the edge of a table of 30 x 20 in stays above the edge.
    assert (model.x_in, model.y_in) == (min(max(to_in[0], 0), 30), min(max(to_in[1], 0), 20))
    assert model.lift_in > 0
    assert held.carried == name
    waiting = held.snapshot(0.5 * ENTER_S)
    assert waiting.scene == SCENE, "no soldier moves before the hand is there"
    [figure] = [one for one in held.snapshot(1.0).scene.figures if one.id == name]
    assert figure.z_in == model.z_in + model.lift_in
    assert [m for m in held.scene.models if m.id != name] == [m for m in SOLDIERS if m.id != name]


@settings(max_examples=50, deadline=None)
@given(moves=st.lists(st.tuples(names, places, st.integers(-6, 6)), max_size=5))
def test_bases_never_overlap_and_no_soldier_is_lost(moves: list[tuple[str, tuple[float, float], int]]) -> None:
    table = START
    for name, to_in, steps in moves:
        table = table.pick_up(name, 0.0).carry(to_in).turn(name, 15.0 * steps).put_down(1.0)
    assert [model.id for model in table.scene.models] == [model.id for model in SOLDIERS]
    assert all(model.lift_in == 0 for model in table.scene.models)
    bases = [Polygon(figure.base_in) for figure in table.scene.figures]
    assert not any(a.intersects(b) for n, a in enumerate(bases) for b in bases[n + 1 :])
    for model in table.scene.models:
        assert 0 <= model.x_in <= 30
        assert 0 <= model.y_in <= 20


def test_the_mouse_keeps_its_grip_on_the_soldier() -> None:
    px = middle_px(START, "red-1")
    beside = (px[0] + 5.0, px[1] - 3.0)
    held = START.pick_up("red-1", 0.0, beside)
    assert held.place_at(beside) == pytest.approx((10.0, 8.0))
    # Elsewhere the same 5 and 3 pixels are nearly the same part of an inch: 16 pixels to the inch.
    to_px = CAMERA.table_to_pixel((20.0, 5.0))[0]
    assert held.place_at((to_px[0] + 5.0, to_px[1] - 3.0)) == pytest.approx((20.0, 5.0), abs=0.05)


def test_a_soldier_put_on_a_book_stands_on_top_of_it() -> None:
    moved = START.pick_up("red-1", 0.0).carry((5.0, 15.0)).put_down(1.0)
    assert (moved.model("red-1").z_in, moved.model("red-1").lift_in) == (1.5, 0.0)
    back = moved.pick_up("red-1", 2.0).carry((18.0, 5.0)).put_down(3.0)
    assert back.model("red-1").z_in == 0.0


def test_put_back_restores_the_soldier() -> None:
    held = START.pick_up("red-1", 0.0).carry((18, 4)).turn("red-1", 45)
    assert held.put_back(1.0).scene == SCENE


@given(turns=st.lists(st.floats(-360, 360), max_size=6))
def test_turns_add_up(turns: list[float]) -> None:
    table = START
    for by_deg in turns:
        table = table.turn("blue-1", by_deg)
    # The soldier faced 180 degrees at first.
    away = (table.model("blue-1").facing_deg - 180 - sum(turns) + 180) % 360 - 180
    assert away == pytest.approx(0, abs=1e-6)


def test_lying_down_and_standing_up() -> None:
    down = START.lay_down_or_stand_up("red-1", 0.0)
    assert {f.id: f.posture for f in down.scene.figures}["red-1"] is Posture.DOWN
    assert down.lay_down_or_stand_up("red-1", 1.0).scene == SCENE
    with pytest.raises(UserError, match="vehicle"):
        START.lay_down_or_stand_up("blue-2", 0.0)


def test_removed_soldiers_come_back_to_the_nearest_free_place() -> None:
    gone = START.remove("red-1", 0.0).remove("blue-1", 0.5)
    assert [f.id for f in gone.scene.figures] == ["red-2", "blue-2"]
    back = gone.bring_back(1.0)
    assert sorted(back.scene.models, key=lambda m: m.id) == sorted(SOLDIERS, key=lambda m: m.id)
    assert back.removed == ()
    taken = gone.pick_up("red-2", 1.0).carry((10, 8)).put_down(2.0).bring_back(3.0)
    one, two = (Polygon(f.base_in) for f in taken.scene.figures if f.id in ("red-1", "red-2"))
    assert not one.intersects(two)
    # Two bases of 1 x 0.75 in cannot be more than 1.25 in apart, corner to corner, and just touch.
    assert one.centroid.distance(two.centroid) < 1.25


def test_start_over_restores_the_beginning() -> None:
    table = START.pick_up("red-1", 0.0).carry((18, 4)).bump().remove("red-2", 1.0)
    assert table.start_over() == START


OPERATIONS: dict[str, Callable[[Practice, str], Practice]] = {
    "pick up": lambda table, name: table.pick_up(name, 0.0),
    "carry": lambda table, name: table.pick_up(name, 0.0).carry((18, 4)),
    "put down": lambda table, name: table.pick_up(name, 0.0).carry((18, 4)).put_down(0.0),
    "turn": lambda table, name: table.turn(name, 30),
    "remove": lambda table, name: table.remove(name, 0.0),
    "bump": lambda table, _: table.bump(),
}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_does_not_change_its_input(operation: str) -> None:
    before = replace(START)
    after = OPERATIONS[operation](START, "red-1")
    assert after != before
    assert before == START


# The hand


def test_a_hand_comes_stays_while_it_holds_and_leaves(table: PracticeTable, clock: Clock) -> None:
    bare = look(table)
    clock.now_s += 1.0
    table.change(lambda now, now_s: now.pick_up("red-1", now_s))
    assert not changed(look(table), bare)[:, :40].any(), "the other edge of the picture stays free"
    clock.now_s += ENTER_S
    held = changed(look(table), bare)
    clock.now_s += 5.0
    assert np.count_nonzero(changed(look(table), bare) ^ held) < 0.05 * held.sum(), "it rests as long as it holds"
    # A forearm of 3 in and a hand, from the lower edge up to 8 in: more than 8 x 2 in of 30 x 20, at 16 px to the inch.
    assert held.sum() > 16 * 16.0**2
    table.change(lambda now, now_s: now.put_down(now_s))
    clock.now_s += LEAVE_S
    # The soldier was put down where it had stood: when the hand has left, the picture is the same as before.
    assert not changed(look(table), bare).any()


def test_the_hand_comes_over_the_nearest_edge() -> None:
    for place, edge in (((15, 2), 3), ((15, 18), 1), ((1, 10), 0), ((29, 10), 2)):
        model = Model("red-1", "red", Sculpt.RIFLEMAN, *place)
        # So wide a table that each place is nearest to its own edge of the picture.
        table = practice_ground(Scene((30, 20), models=(model,)), overhead_camera((540, 360), (30, 20), 40.0))
        held = table.pick_up("red-1", 0.0)
        x, y = held.arm.elbow_px
        assert [x == 0, y == 0, x == 540, y == 360].index(True) == edge


def test_laying_down_and_removing_show_a_hand_for_a_moment() -> None:
    for table in (START.lay_down_or_stand_up("red-1", 10.0), START.remove("red-1", 10.0)):
        assert table.snapshot(10.0 + ENTER_S).hand is not None
        assert table.snapshot(12.0).hand is None


# Truth and pictures


def test_the_truth_follows_every_operation(table: PracticeTable, clock: Clock) -> None:
    look(table)
    first_s = table.time_s
    clock.now_s += 1.0
    table.change(lambda now, now_s: now.pick_up("red-1", now_s).carry((18.0, 4.0)).put_down(now_s))
    assert {f.id: f.centre_in for f in table.truth.figures}["red-1"] == pytest.approx((10, 8)), "the picture is old"
    look(table)
    assert {f.id: f.centre_in for f in table.truth.figures}["red-1"] == pytest.approx((18, 4))
    clock.now_s += 1.0
    table.change(lambda now, now_s: now.remove("red-1", now_s))
    look(table)
    assert "red-1" not in {f.id for f in table.truth.figures}
    assert {f.id: f.centre_in for f in table.truth_at(first_s).figures}["red-1"] == pytest.approx((10, 8))


def test_after_a_bump_pictures_come_from_the_new_pose(table: PracticeTable, clock: Clock) -> None:
    """The markers are where the truth's camera projects them, not where the first camera did."""
    look(table)
    clock.now_s += 1.0
    table.change(lambda now, _: now.bump())
    frame = look(table)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary).detectMarkers(frame.image_bgr)
    assert len(ids) >= 3
    for seen, number in zip(corners, ids.ravel().tolist(), strict=True):
        corners_in = table.truth.markers[number]
        # A detector without refinement is good to about a pixel; 0.7 degrees at 40 in are 0.5 in, 8 pixels.
        assert np.abs(seen[0] - table.truth.camera.table_to_pixel(corners_in)).max() < 1.5
        assert np.abs(seen[0] - CAMERA.table_to_pixel(corners_in)).max() > 2.0
    assert table.now.bump().camera.position_in != pytest.approx(table.truth.camera.position_in), "never the same again"


def test_lamp_and_flicker_change_the_picture_but_not_the_truth(table: PracticeTable, clock: Clock) -> None:
    bright = look(table).image_bgr.mean()
    truth = table.truth.figures
    table.change(lambda now, now_s: now.lit(now.light.stepped(-2, now_s)))
    # Two steps of 1.25 are 0.64 of the light, 0.64^(1/2.2) = 0.816 of the stored values.
    assert look(table).image_bgr.mean() == pytest.approx(0.816 * bright, rel=0.02)
    table.change(lambda now, now_s: now.lit(now.light.stepped(2, now_s).with_flicker(True)))
    flickering = look(table).image_bgr.mean((1, 2))
    clock.now_s += 0.2
    other = look(table).image_bgr.mean((1, 2))
    assert np.abs(flickering - other).max() > 0.03 * bright, "bands move"
    table.change(lambda now, _: now.lit(now.light.with_flicker(False).with_sun(True)))
    assert look(table).image_bgr.mean() > 1.02 * bright
    assert table.truth.figures == truth


def test_read_with_bare_shows_neither_soldiers_nor_hand(table: PracticeTable, clock: Clock) -> None:
    table.change(lambda now, now_s: now.pick_up("red-1", now_s))
    table.bare = True
    clock.now_s += 1.0
    away = np.abs(look(table).image_bgr.astype(int) - table.empty_bgr).max()
    assert away < 8 * math.sqrt(2) * WEBCAM.noise
