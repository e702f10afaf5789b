"""A hand comes, carries a soldier away and leaves: nothing is reported before it has left."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from calibration.calibration_targets import CalibrationTargets
from calibration.calibration_tracker import FRAMES
from calibration.camera import TableCamera
from vision import search_plan
from vision.figures import Finder
from vision.frame import Frame
from vision.palette import teach
from vision.pipeline import Pipeline
from vision.setup import Setup
from vision.simulation.scene import Model, Scene, Sculpt, corner_markers
from vision.simulation.simulator import overhead_camera, render
from vision.simulation.surface import Surface
from vision.table_view import HandEvent, TableView
from vision.tracks import EventKind

SIZE_IN = (36.0, 24.0)
CAMERA = overhead_camera((1280, 720), SIZE_IN, 45.0)
BUMPED = overhead_camera((1280, 720), SIZE_IN, 45.4, tilt_deg=5.0)
SOLDIERS = (
    Model("a", "green", Sculpt.RIFLEMAN, 10, 8, facing_deg=40),
    Model("b", "green", Sculpt.RIFLEMAN, 20, 15, facing_deg=200),
    Model("c", "green", Sculpt.RIFLEMAN, 27, 9, facing_deg=120),
)
BEFORE = Scene(SIZE_IN, Surface.CARDBOARD, markers=corner_markers(SIZE_IN), models=SOLDIERS)
AFTER = replace(BEFORE, models=(*SOLDIERS[:2], replace(SOLDIERS[2], x_in=24.0, y_in=5.0)))


def picture(scene: Scene, camera: TableCamera, index: int, *, arm: bool = False) -> Frame:
    """One picture of a folder, optionally with a bare arm that reaches in from the near side to the soldier."""
    image = render(scene, camera, np.random.default_rng(index)).copy()
    if arm:
        image[430:, 760:960] = (120, 150, 205)
    return Frame(image, index, float(index))


def looked(*frames: Frame) -> list[TableView]:
    first = frames[0].image_bgr
    x, y = CAMERA.table_to_pixel((20, 15, 0))[0]
    layout = {marker.id: np.asarray(marker.corners_in) for marker in BEFORE.markers}
    setup = Setup(
        prints=CalibrationTargets(layout=layout),
        palette=(teach(first, (float(x), float(y)), "green"),),
        reference_bgr=render(BEFORE.empty, CAMERA, np.random.default_rng(99)),
    )
    pipeline = Pipeline()
    return [pipeline.process(frame, setup) for frame in frames]


@pytest.mark.parametrize("then", [CAMERA, BUMPED], ids=["still", "bumped meanwhile"])
@pytest.mark.slow
def test_a_move_by_hand_is_reported_once_after_the_hand_has_left(then: TableCamera) -> None:
    rest = [picture(BEFORE, CAMERA, n) for n in range(3)]
    reach = [picture(BEFORE, CAMERA, 3, arm=True), *(picture(AFTER, then, n, arm=True) for n in (4, 5))]
    gone = [picture(AFTER, then, n) for n in range(6, 12)]
    views = looked(*rest, *reach, *gone)
    assert [(n, view.hand) for n, view in enumerate(views) if view.hand] == [(3, HandEvent.IN), (6, HandEvent.OUT)]
    assert [n for n, view in enumerate(views) if view.frozen] == [3, 4, 5]
    carried = [next(figure for figure in view.figures if figure.id == "green-3") for view in views[2:6]]
    assert all(one == carried[0] for one in carried), "places under the hand are not searched"
    reported = [event for view in views for event in view.tracking.events]
    (move,) = reported
    assert move.kind is EventKind.MOVED
    # 3 in to the left and 4 in nearer: 5 in.
    assert np.hypot(*np.subtract(move.to_in, move.from_in)) == pytest.approx(5.0, abs=0.25)
    assert {figure.id for figure in views[-1].figures} == {figure.id for figure in views[0].figures}


@pytest.mark.slow
def test_a_table_at_rest_is_not_searched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_plan, "SEARCHES", 2)
    views = looked(*(picture(BEFORE, CAMERA, n) for n in range(6)))
    assert all(view.tracking.figures is views[1].tracking.figures for view in views[1:])
    assert views[0].tracking.figures is not views[1].tracking.figures


@pytest.mark.slow
def test_after_a_hand_only_changed_places_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = []
    find = Finder.find

    def watched(self: Finder, *args: Any, **named: Any) -> Any:
        searched.append(named["within_px"])
        return find(self, *args, **named)

    monkeypatch.setattr(Finder, "find", watched)
    monkeypatch.setattr(search_plan, "SEARCHES", 3)
    # Three searches of the whole picture, and three more after eight frames have improved the camera's pose.
    rest = [picture(BEFORE, CAMERA, n) for n in range(FRAMES + 3)]
    gone = [picture(AFTER, CAMERA, n) for n in range(12, 17)]
    views = looked(*rest, picture(BEFORE, CAMERA, 11, arm=True), *gone)
    assert searched[:6] == [None] * 6
    assert len(searched) > 6
    old, new = (CAMERA.table_to_pixel((x, y, 0.0))[0] for x, y in ((27, 9), (24, 5)))
    for box in searched[6:]:
        left, top, right, bottom = box
        assert (right - left) * (bottom - top) < 0.1 * 1280 * 720
        assert any(left < x < right and top < y < bottom for x, y in (old, new))
    assert views[-1].tracking.figures[:2] == views[10].tracking.figures[:2]
    assert [event.kind for view in views[11:] for event in view.tracking.events] == [EventKind.MOVED]


@pytest.mark.slow
def test_after_a_bump_the_empty_table_keeps_its_original_pose(monkeypatch: pytest.MonkeyPatch) -> None:
    eyes: list[tuple[TableCamera, TableCamera]] = []
    find = Finder.find

    def watched(self: Finder, image: Any, camera: TableCamera, *args: Any, **named: Any) -> Any:
        eyes.append((camera, named["reference_camera"]))
        return find(self, image, camera, *args, **named)

    monkeypatch.setattr(Finder, "find", watched)
    views = looked(*(picture(BEFORE, CAMERA, n) for n in range(2)), *(picture(BEFORE, BUMPED, n) for n in (2, 3, 4)))
    (before, then), (after, still) = eyes[0], eyes[-1]
    assert before is then is still
    assert after is not then
    assert len(views[-1].figures) == len(SOLDIERS)
    for model in SOLDIERS:
        assert min(np.hypot(f.x_in - model.x_in, f.y_in - model.y_in) for f in views[-1].figures) < 0.25
