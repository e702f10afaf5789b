"""A hand comes, carries a soldier away and goes: nothing is concluded before it has gone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.camera import TableCamera
from calibration.prints import Prints
from vision.frame import Frame
from vision.palette import teach
from vision.pipeline import Hand, Pipeline, Setup, TableView
from vision.simulator import overhead_camera, render
from vision.surface import Surface
from vision.table_scene import Model, Scene, Sculpt, corner_markers
from vision.tracking import EventKind

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
    """One of a folder's pictures; with a bare arm that reaches in from the near side as far as the soldier."""
    image = render(scene, camera, np.random.default_rng(index)).copy()
    if arm:
        image[430:, 760:960] = (120, 150, 205)
    return Frame(image, index, float(index))


def looked(*frames: Frame) -> list[TableView]:
    first = frames[0].image_bgr
    x, y = CAMERA.table_to_pixel((20, 15, 0))[0]
    layout = {marker.id: np.asarray(marker.corners_in) for marker in BEFORE.markers}
    setup = Setup(
        prints=Prints(layout=layout),
        palette=(teach(first, (float(x), float(y)), "green"),),
        reference_bgr=render(BEFORE.empty, CAMERA, np.random.default_rng(99)),
    )
    pipeline = Pipeline()
    return [pipeline.look(frame, setup) for frame in frames]


@pytest.mark.parametrize("then", [CAMERA, BUMPED], ids=["still", "bumped meanwhile"])
def test_what_a_hand_did_is_told_once_after_it_has_gone(then: TableCamera) -> None:
    rest = [picture(BEFORE, CAMERA, n) for n in range(3)]
    reach = [picture(BEFORE, CAMERA, 3, arm=True), *(picture(AFTER, then, n, arm=True) for n in (4, 5))]
    gone = [picture(AFTER, then, n) for n in range(6, 12)]
    views = looked(*rest, *reach, *gone)
    assert [(n, view.hand) for n, view in enumerate(views) if view.hand] == [(3, Hand.IN), (6, Hand.OUT)]
    assert [n for n, view in enumerate(views) if view.frozen] == [3, 4, 5]
    assert views[5].figures == views[2].figures
    told = [event for view in views for event in view.tracking.events]
    (move,) = told
    assert move.kind is EventKind.MOVED
    # 3 in to the left and 4 in nearer: 5 in.
    assert np.hypot(*np.subtract(move.to_in, move.from_in)) == pytest.approx(5.0, abs=0.25)
    assert {figure.id for figure in views[-1].figures} == {figure.id for figure in views[0].figures}


def test_while_all_rests_nobody_is_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    from vision import pipeline

    monkeypatch.setattr(pipeline, "LOOKS", 2)
    views = looked(*(picture(BEFORE, CAMERA, n) for n in range(6)))
    assert all(view.tracking.figures is views[1].tracking.figures for view in views[1:])
    assert views[0].tracking.figures is not views[1].tracking.figures
