"""A camera's table in the real window: saved, and restored when the camera is opened again."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QPushButton

from tests.ui.tables import box, piece
from tests.ui.windows import LEFT, POSTS, Open, Wait
from ui.desktop.window import Window
from ui.session import Ruler
from ui.setup.saved_table_store import Found, SavedTables
from ui.table.corrections import Renamed
from vision.frame import Frame
from vision.palette import ArmyColour
from vision.simulation.simulator import SimulatedTable

ARMIES = tuple(ArmyColour(name, np.zeros(3), np.eye(3) * 0.01, 90) for name in ("blue", "green"))
HOUSE = piece("house", "building", box(14.0, 13.0, 17.0, 16.0), 5.0)


class Camera:
    """The simulated table as a camera, so that the window saves it."""

    name, live, still = "camera 0", True, False

    def __init__(self, table: SimulatedTable) -> None:
        self._table = table

    def read(self) -> Frame | None:
        return self._table.read()

    def close(self) -> None:
        pass


def at_the_table(open_window: Open, wait_until: Wait, table: SimulatedTable, *, taught: bool) -> Window:
    window = open_window("0", lambda _: Camera(table))
    if not taught:
        session = window.store.session
        setup = replace(session.state.setup, palette=ARMIES)
        window.store.change(lambda: session.do("teach both", replace(session.state, setup=setup)))
    wait_until(lambda: window.store.view and len(window.store.view.figures) == len(POSTS))
    return window


def names_at(window: Window) -> dict[tuple[float, ...], str]:
    view = window.store.view
    return {tuple(round(v) for v in one.centre_in): one.id for one in view.figures}


def test_a_reopened_camera_table_is_restored(
    found: None, open_window: Open, wait_until: Wait, table: SimulatedTable, tmp_path: Path
) -> None:
    first = at_the_table(open_window, wait_until, table, taught=False)
    session = first.store.session
    session.set_terrain("a house", (HOUSE,))
    session.lay_ruler("green-1", "blue-1")
    frame = first.store.frame
    assert frame is not None
    session.learn_empty_table(frame)
    session.correct("another name", Renamed("green-1", "sergeant"))
    wait_until(lambda: "sergeant" in names_at(first).values())
    before = names_at(first)
    first.close()

    second = at_the_table(open_window, wait_until, table, taught=True)
    wait_until(lambda: second.features.tables.offer[0])
    offered = "1 piece of terrain, 1 ruler or template, 1 correction, 4 named soldiers"
    wait_until(lambda: offered in second.bar.text)
    assert second.store.session.state.setup.terrain == ()
    [button] = [one for one in second.bar.findChildren(QPushButton) if one.text() == "Restore table"]
    QTest.mouseClick(button, LEFT)
    state = second.store.session.state
    assert state.setup.terrain[0].name == "house"
    assert state.rulers == (Ruler("green-1", "blue-1"),)
    assert state.setup.reference_bgr is not None
    wait_until(lambda: names_at(second) == before)
    assert "Press Undo to take this back" in second.bar.text
    second.commands.undo()
    assert second.store.session.state.setup.terrain == ()


def test_a_new_table_is_saved_even_if_the_search_for_an_old_one_has_just_ended(
    found: None,
    open_window: Open,
    wait_until: Wait,
    table: SimulatedTable,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched = threading.Event()

    def late(self: SavedTables, camera: str) -> Found:
        searched.wait()
        return Found()

    monkeypatch.setattr(SavedTables, "load", late)
    window = at_the_table(open_window, wait_until, table, taught=False)
    window.store.session.set_terrain("a house", (HOUSE,))
    searched.set()
    window.close()
    assert len([*(tmp_path / "tables").glob("*.json")]) == 1


def test_starting_fresh_archives_the_old_table(
    found: None, open_window: Open, wait_until: Wait, table: SimulatedTable, tmp_path: Path
) -> None:
    first = at_the_table(open_window, wait_until, table, taught=False)
    first.store.session.set_terrain("a house", (HOUSE,))
    first.close()
    second = at_the_table(open_window, wait_until, table, taught=True)
    wait_until(lambda: second.features.tables.offer[0])
    second.features.tables.start_fresh()
    assert second.features.tables.offer == ("", ())
    assert len([*(tmp_path / "tables").glob("*.before.json")]) == 1


def test_playing_on_without_an_answer_loses_nothing(
    found: None, open_window: Open, wait_until: Wait, table: SimulatedTable, tmp_path: Path
) -> None:
    first = at_the_table(open_window, wait_until, table, taught=False)
    first.store.session.set_terrain("a house", (HOUSE,))
    first.close()
    second = at_the_table(open_window, wait_until, table, taught=True)
    wait_until(lambda: second.features.tables.offer[0])
    second.store.change(lambda: second.store.session.lay_ruler("green-1", "green-2"))
    wait_until(lambda: not second.features.tables.offer[0])
    second.features.tables.restore()
    assert second.store.session.state.setup.terrain[0].name == "house"


def test_the_saved_table_has_the_format_of_analyse(window: Window, tmp_path: Path, wait_until: Wait) -> None:
    window.store.session.lay_ruler("green-1", "blue-1")
    window.store.session.lay_ruler("green-1", "nobody")
    window.features.tables.save(tmp_path / "table.json")
    wait_until(lambda: (tmp_path / "table.json").exists())
    said = json.loads((tmp_path / "table.json").read_text("utf-8"))
    assert said["schema"] == 1
    assert [one["id"] for one in said["figures"]] == ["blue-1", "blue-2", "green-1", "green-2"]
    assert len(said["pairs"]) == 12  # every ordered pair of four
    pair = next(one for one in said["pairs"] if (one["a"], one["b"]) == ("green-1", "blue-1"))
    assert said["rulers"][0] == {"a": "green-1", "b": "blue-1", "via": []} | {
        name: pair[name] for name in ("centre_in", "edge_in", "sigma_in")
    }
    assert abs(pair["centre_in"] - 12.0) < 0.1  # from (8, 10) to (20, 10)
    assert said["rulers"][1]["centre_in"] is None
    window.features.tables.save(tmp_path / "nowhere" / "table.json")
    assert "no such folder" in window.bar.text


def test_the_simulated_table_is_not_restored(window: Window, tmp_path: Path) -> None:
    window.store.session.lay_ruler("green-1", "blue-1")
    window.pull()
    window.close()
    assert not (tmp_path / "tables").exists()
