"""Tracks remembered by their place in a recording."""

from __future__ import annotations

from rules.tabletop.table import Figure, Posture, ellipse_outline
from vision.scene_memory import SceneMemory
from vision.tracking import tracks_of
from vision.tracks import Tracking, Tracks


def tracks(*ids: str) -> Tracks:
    base = ellipse_outline((1.0, 2.0), 0.5, 0.4)
    men = (Figure(one, "green", 1.0, 2.0, 0.0, 0.1, Posture.STANDING, base) for one in ids)
    return tracks_of(Tracking(tuple(men)))


def test_the_nearest_earlier_tracks_come_back() -> None:
    memory, early, late = SceneMemory(), tracks("green-1"), tracks("green-1", "green-2")
    memory.keep(10, early)
    memory.keep(40, late)
    assert [memory.at(index, set()) for index in (9, 10, 39, 40, 99)] == [None, early, early, late, late]


def test_tracks_without_a_needed_soldier_do_not() -> None:
    memory = SceneMemory()
    memory.keep(10, tracks("green-1"))
    assert memory.at(10, {"green-2"}) is None
    memory.clear()
    assert memory.at(10, set()) is None


def test_a_long_film_keeps_places_all_over_it() -> None:
    memory = SceneMemory()
    for index in range(1000):
        memory.keep(index, tracks(f"green-{index}"))
    found = [memory.at(index, set()) for index in (5, 250, 999)]
    # 1000 frames in 300 places: four frames each.
    for index, one in zip((5, 250, 999), found, strict=True):
        assert 0 <= index - int(one.all[0].id.rpartition("-")[2]) < 8
