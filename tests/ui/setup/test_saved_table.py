"""Saved tables: saving, restoring by the markers, and rejecting damaged files."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.camera import Lens, TableCamera
from calibration.solve import Calibration
from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure, Posture, TerrainKind, TerrainPiece, ellipse_outline
from rules.tabletop.template import Blast, Flame, Strip, Wedge, Zone
from ui.formatting import Basis
from ui.session import Ruler, Session, TableState
from ui.setup.saved_table import SavedTable, as_left, table_to_save
from ui.setup.saved_table_document import document_of, table_of
from ui.setup.saved_table_store import SavedTables, TableSaver
from ui.table.corrections import (
    Added,
    ArmyChanged,
    Confirmed,
    Deleted,
    FacingSet,
    Merged,
    PlacedAt,
    PostureSet,
    Renamed,
    SizeSet,
)
from ui.table.play_area import PlayArea
from vision.frame import Frame
from vision.patch_memory import Spot
from vision.setup import Setup
from vision.table_view import TableView
from vision.tracks import Tracking

LENS = Lens((40, 30), [[30, 0, 20], [0, 30, 15], [0, 0, 1]], [0.01, 0, 0, 0, 0])
DOWN = np.diag([1.0, -1.0, -1.0])
CAMERA = TableCamera(LENS, DOWN, -DOWN @ np.array([10.0, 8.0, 40.0]))
SQUARE = np.array([[0.0, 3.0], [3.0, 3.0], [3.0, 0.0], [0.0, 0.0]])
MARKERS = {0: SQUARE, 1: SQUARE + (30.0, 0.0), 2: SQUARE + (0.0, 20.0)}
PICTURE = np.random.default_rng(5).integers(0, 255, (30, 40, 3), np.uint8)
CAMERA_NAME = "usb-Cam/ä"


def man(name: str, x: float, y: float) -> Figure:
    base = ellipse_outline((x, y), 0.5, 0.4)
    return Figure(name, name.split("-")[0], x, y, 0.0, 0.05, Posture.STANDING, base, 30.0, 0.9)


ADDED = Added(man("tan-9", 4.0, 4.0), frozenset({"tan-1"}))
SPOT = Spot((5.0, 6.0, 0.0), np.linspace(-40, 40, 225, dtype=np.float32).reshape(15, 15))
STATE = TableState(
    Setup(
        reference_bgr=PICTURE,
        reference_camera=CAMERA,
        terrain=(TerrainPiece("house", TerrainKind.BUILDING, ((1.0, 1.0), (5.0, 1.0), (5.0, 4.0)), 0.0, 5.0),),
        figure_height_in=2.4,
    ),
    (Ruler("tan-1", (3.0, 4.0), ((1.0, 2.0),)),),
    (
        Blast((1.0, 2.0), 3.0),
        Wedge((1.0, 2.0), 30.0, 6.0, 45.0),
        Flame((1.0, 2.0), -10.0, 12.0, 6.0),
        Strip(((0.0, 0.0), (4.0, 0.0)), 1.0),
        Zone(((0.0, 0.0), (4.0, 0.0), (4.0, 4.0))),
    ),
    Basis.EDGE,
    (
        Confirmed("tan-1"),
        Deleted("tan-2", (5.0, 6.0), SPOT, frozenset({"tan-1", "tan-2"})),
        ADDED,
        Merged("tan-1", "tan-3"),
        ArmyChanged("tan-1", "green", "green-4"),
        PostureSet("tan-1", Posture.PRONE, Posture.STANDING),
        PlacedAt("tan-1", (1.0, 2.0), (1.5, 2.5), 0.0, 0.1),
        FacingSet("tan-1", (1.5, 2.5), 45.0),
        SizeSet("tan-1", 6.0, 3.0),
        Renamed("tan-1", "sergeant"),
    ),
    PlayArea((1.0, 1.0), 48.0, 36.0, 5.0),
)
FULL = SavedTable(
    (40, 30),
    MARKERS,
    STATE,
    Tracking((man("tan-1", 3.0, 4.0),), (), (man("tan-2", 9.0, 9.0),)),
    frozenset({"tan-1", "tan-2"}),
    {ADDED: "tan-5"},
)


def with_setup(**changed: Any) -> SavedTable:
    return replace(FULL, state=replace(STATE, setup=replace(STATE.setup, **changed)))


def view(markers: dict[int, np.ndarray] | None = None, *figures: Figure) -> TableView:
    calibration = Calibration(CAMERA, MARKERS if markers is None else markers, 0.1, ())
    return TableView(Frame(PICTURE.copy(), 0, 0.0), calibration, Tracking(figures), reference_camera=CAMERA)


def turned(turn: float, x: float, y: float, points: np.ndarray) -> np.ndarray:
    c, s = math.cos(turn), math.sin(turn)
    return points @ np.array([[c, s], [-s, c]]) + (x, y)


def test_a_table_is_saved_and_loaded_unchanged(tmp_path: Path) -> None:
    store = SavedTables(tmp_path / "new" / "tables")
    store.save(CAMERA_NAME, FULL)
    found = store.load(CAMERA_NAME)
    assert found.remark == ""
    back = found.table
    assert document_of(back, CAMERA_NAME, "x.png") == document_of(FULL, CAMERA_NAME, "x.png")
    assert (back.image_size, back.known) == (FULL.image_size, FULL.known)
    for name in ("rulers", "templates", "basis", "area"):
        assert getattr(back.state, name) == getattr(STATE, name), name
    for name in ("terrain", "figure_height_in"):
        assert getattr(back.state.setup, name) == getattr(STATE.setup, name), name
    assert back.seen.figures[0].id == "tan-1"
    assert back.bound == {back.state.corrections[2]: "tan-5"}
    np.testing.assert_array_equal(back.state.setup.reference_bgr, PICTURE)
    assert store.load("another").table is None
    assert back.words == (
        "1 piece of terrain, 6 rulers and templates, 10 corrections, 2 named soldiers, the table's edges,"
        " the empty table"
    )


def test_a_new_empty_table_replaces_the_picture_file(tmp_path: Path) -> None:
    store = SavedTables(tmp_path)
    store.save(CAMERA_NAME, FULL)
    store.save(CAMERA_NAME, with_setup(reference_bgr=255 - PICTURE))
    assert len([*tmp_path.glob("*.png")]) == 1
    found = store.load(CAMERA_NAME).table
    np.testing.assert_array_equal(found.state.setup.reference_bgr, 255 - PICTURE)


def test_a_table_that_was_laid_by_keeps_its_picture(tmp_path: Path) -> None:
    store = SavedTables(tmp_path)
    store.save(CAMERA_NAME, FULL)
    store.archive(CAMERA_NAME)
    assert store.load(CAMERA_NAME).table is None
    store.save(CAMERA_NAME, with_setup(reference_bgr=None))
    assert len([*tmp_path.glob("*.png")]) == 1
    assert len([*tmp_path.glob("*.before.json")]) == 1


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace('"schema": 1', '"schema": 2'),
        lambda text: text.replace('"kind": "renamed"', '"kind": "vanished"'),
        lambda text: text.replace('"at_in": [5.0, 6.0]', '"at_in": [5.0, 6.0, 7.0]'),
        lambda text: text.replace('"seen_in": [1.0, 2.0]', '"seen_in": [1.0]'),
        lambda text: text.replace("40.0", "1e999"),
        lambda text: text.replace(CAMERA_NAME.replace("ä", "\\u00e4"), "somebody else's"),
        lambda text: text.replace('"picture": "', '"picture": "../'),
        lambda text: "[]",
    ],
)
def test_a_damaged_table_is_renamed_and_reported(tmp_path: Path, damage) -> None:  # type: ignore[no-untyped-def]
    store = SavedTables(tmp_path)
    store.save(CAMERA_NAME, FULL)
    path = store.path_of(CAMERA_NAME)
    text = damage(path.read_text())
    assert text != path.read_text()
    path.write_text(text)
    found = store.load(CAMERA_NAME)
    assert found.table is None
    assert "cannot be read" in found.remark
    [aside] = tmp_path.glob("*.unread-1.json")
    assert aside.read_text() == text
    assert str(aside) in found.remark
    store.save(CAMERA_NAME, FULL)
    assert store.load(CAMERA_NAME).table is not None


def test_a_missing_picture_does_not_affect_the_rest(tmp_path: Path) -> None:
    store = SavedTables(tmp_path)
    store.save(CAMERA_NAME, FULL)
    [picture] = tmp_path.glob("*.png")
    picture.write_bytes(b"no picture")
    found = store.load(CAMERA_NAME)
    assert found.table.state.setup.reference_bgr is None
    assert found.table.state.setup.terrain == STATE.setup.terrain
    assert "learn the empty table again" in found.remark


@given(st.floats(-3.1, 3.1), st.floats(-20, 20), st.floats(-20, 20))
def test_a_restored_table_follows_its_markers(turn: float, x: float, y: float) -> None:
    """The tolerances allow for shifts below 0.02 in at every corner, which are ignored as noise."""
    left = as_left(FULL, view({number: turned(turn, x, y, at) for number, at in MARKERS.items()})).table
    there = turned(turn, x, y, np.array([(3.0, 4.0), (1.0, 2.0), (5.0, 1.0)]))
    assert left.state.rulers[0].b == pytest.approx(tuple(there[0]), abs=0.05)
    assert left.state.rulers[0].via[0] == pytest.approx(tuple(there[1]), abs=0.05)
    assert left.state.setup.terrain[0].outline_in[1] == pytest.approx(tuple(there[2]), abs=0.05)
    assert left.seen.figures[0].centre_in == pytest.approx(tuple(there[0]), abs=0.05)
    assert left.seen.figures[0].facing_deg == pytest.approx(30.0 + math.degrees(turn), abs=0.1)
    placed = left.state.corrections[6]
    assert isinstance(placed, PlacedAt)
    assert placed.seen_in == pytest.approx(tuple(there[1]), abs=0.05)
    faced = left.state.corrections[7]
    assert isinstance(faced, FacingSet)
    assert faced.at_in == pytest.approx(tuple(turned(turn, x, y, np.array([(1.5, 2.5)]))[0]), abs=0.05)
    assert faced.facing_deg == pytest.approx(45.0 + math.degrees(turn), abs=0.1)
    # The transformed camera sees the transformed place at the same pixel.
    camera = left.state.setup.reference_camera
    before, after = CAMERA.table_to_pixel((3, 4)), camera.table_to_pixel(there[0])
    np.testing.assert_allclose(after, before, atol=0.05)


def test_a_moved_marker_is_detected_by_the_others() -> None:
    left = as_left(FULL, view(MARKERS | {2: MARKERS[2] + 4.0}))
    assert left.table is FULL
    assert left.remarks == ("Marker 2 was moved; the other markers show where everything is.",)


def test_two_contradicting_markers_are_rejected() -> None:
    with pytest.raises(UserError, match="the markers are not where they were"):
        as_left(FULL, view({0: MARKERS[0], 1: MARKERS[1] + 4.0}))
    with pytest.raises(UserError, match="none of the saved table's markers"):
        as_left(FULL, view({7: MARKERS[0]}))


def test_one_marker_is_enough_with_a_warning() -> None:
    assert "rely on marker 0 alone" in as_left(FULL, view({0: MARKERS[0]})).remarks[0]


def test_an_empty_table_of_another_size_is_dropped_with_a_remark() -> None:
    left = as_left(replace(FULL, image_size=(1920, 1080)), view())
    assert left.table.state.setup.reference_bgr is None
    assert "learn the empty table again" in left.remarks[0]


def test_restoring_a_table_can_be_undone() -> None:
    session = Session(Setup())
    as_left(FULL, view()).restore(session)
    assert session.state.setup.terrain == STATE.setup.terrain
    assert session.state.setup.reference_camera is CAMERA
    assert session.state.corrections == STATE.corrections
    assert session.bound == {ADDED: "tan-5"}
    assert session.undo() == "restore the saved table"
    assert session.state.setup.terrain == ()


def test_the_table_is_saved_only_when_it_changes(tmp_path: Path) -> None:
    now_s = [0.0]
    store = SavedTables(tmp_path)
    saver, session = TableSaver(store, CAMERA_NAME, lambda: now_s[0]), Session(Setup())

    def later(seen: TableView) -> int | None:
        """The time of the last write, after one more view."""
        now_s[0] += 2.0
        saver.save_if_changed(session, seen)
        saver.finish()
        path = store.path_of(CAMERA_NAME)
        return path.stat().st_mtime_ns if path.exists() else None

    assert later(view()) is None, "a bare table is not saved"
    session.lay_ruler("tan-1", (3.0, 4.0))
    first = later(view(None, man("tan-1", 3.0, 4.0)))
    assert first is not None
    assert later(view(None, man("tan-1", 3.02, 4.0))) == first, "this is only jitter"
    second = later(view(None, man("tan-1", 6.0, 4.0)))
    assert second != first
    kept = store.load(CAMERA_NAME).table
    assert kept.seen.figures[0].x_in == 6.0
    assert kept.state.rulers == (Ruler("tan-1", (3.0, 4.0)),)


def test_a_failed_save_is_reported_and_repeated(tmp_path: Path) -> None:
    (tmp_path / "tables").write_text("a file where the folder should be")
    now_s = [0.0]
    store = SavedTables(tmp_path / "tables")
    saver, session = TableSaver(store, CAMERA_NAME, lambda: now_s[0]), Session(Setup())
    session.lay_ruler("tan-1", (3.0, 4.0))
    now_s[0] += 2.0
    saver.save_if_changed(session, view())
    saver.finish()
    assert "cannot be created" in saver.refusal
    (tmp_path / "tables").unlink()
    now_s[0] += 2.0
    saver.save_if_changed(session, view())
    saver.finish()
    assert saver.refusal == ""
    assert store.load(CAMERA_NAME).table is not None


def test_the_document_is_standard_json() -> None:
    text = json.dumps(document_of(FULL, CAMERA_NAME, "x.png"), allow_nan=False)
    assert table_of(json.loads(text), PICTURE).state.area == STATE.area


def test_without_a_calibration_nothing_is_saved() -> None:
    assert table_to_save(Session(), replace(view(), calibration=None)) is None
    assert table_to_save(Session(), replace(view(), problem="no marker is in sight")) is None
    assert table_to_save(Session(), view({})) is None, "calibrated by clicked corners"
