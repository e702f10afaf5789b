"""A tracker that continues with the figures of an earlier session, and that session's empty table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.camera import Lens, TableCamera
from rules.tabletop.table import Figure, Posture, ellipse_outline
from vision.figure_search import Sighting
from vision.reference import ReferencePicture
from vision.setup import Setup
from vision.tracking import Tracker, tracks_of
from vision.tracks import EventKind, Tracking


def man(name: str, x: float, y: float) -> Figure:
    base = ellipse_outline((x, y), 0.5, 0.4)
    return Figure(name, name.split("-")[0], x, y, 0.0, 0.05, Posture.STANDING, base, None, 1.0)


def seen(*men: Figure) -> list[Sighting]:
    return [
        Sighting(m.army, m.x_in, m.y_in, m.z_in, m.sigma_in, m.posture, m.base_in, m.facing_deg, m.confidence)
        for m in men
    ]


THEN = Tracking((man("tan-1", 3.0, 4.0), man("tan-2", 9.0, 4.0)), (), (man("tan-3", 20.0, 20.0),))


def test_a_figure_at_its_old_place_keeps_its_id() -> None:
    tracker = Tracker(tracks=tracks_of(THEN, {"tan-7"}))
    # A fresh tracker would call the man at (9, 4) tan-1.
    now = tracker.update(seen(man("tan-?", 9.02, 4.0)))
    assert [one.id for one in now.figures] == ["tan-2"]
    assert now.events == ()
    assert {one.id for one in now.lost} == {"tan-1", "tan-3"}


def test_an_uncertain_posture_stays_uncertain() -> None:
    unsure = replace(man("tan-1", 3.0, 4.0), posture_confidence=0.7, second_posture=Posture.KNEELING)
    tracks = tracks_of(Tracking((unsure, man("tan-2", 9.0, 4.0))))
    assert [one.figure().posture_confidence for one in tracks.all] == pytest.approx([0.7, 1.0])
    assert [one.figure().second_posture for one in tracks.all] == [Posture.KNEELING, None]


def test_a_newcomer_gets_an_unused_id() -> None:
    tracker = Tracker(tracks=tracks_of(Tracking(THEN.figures), {"tan-7"}))
    men = (man("tan-?", 3.0, 4.0), man("tan-?", 9.0, 4.0), man("tan-?", 30.0, 30.0))
    for _ in range(3):
        now = tracker.update(seen(*men))
    assert {one.id for one in now.figures} == {"tan-1", "tan-2", "tan-8"}


def test_a_figure_moved_between_sessions_is_reported_as_moved() -> None:
    tracker = Tracker(tracks=tracks_of(Tracking(THEN.figures)))
    events = [
        event
        for _ in range(6)
        for event in tracker.update(seen(man("tan-?", 3.0, 4.0), man("tan-?", 12.0, 4.0))).events
    ]
    [moved] = [event for event in events if event.kind is EventKind.MOVED]
    assert (moved.id, moved.from_in) == ("tan-2", (9.0, 4.0))


def test_an_empty_table_of_an_earlier_session_keeps_its_pose() -> None:
    lens = Lens((40, 30), [[30, 0, 20], [0, 30, 15], [0, 0, 1]], [0] * 5)
    down = np.diag([1.0, -1.0, -1.0])
    then, now = (TableCamera(lens, down, -down @ np.array([x, 8.0, 40.0])) for x in (10.0, 11.0))
    picture = np.zeros((30, 40, 3), np.uint8)
    kept = ReferencePicture().after(Setup(reference_bgr=picture, reference_camera=then), now, moved=False)
    assert kept.camera is then
    assert kept.after(Setup(reference_bgr=picture, reference_camera=then), now, moved=False).camera is then
    learnt = kept.after(replace(Setup(), reference_bgr=picture.copy()), now, moved=False)
    assert learnt.camera is now
