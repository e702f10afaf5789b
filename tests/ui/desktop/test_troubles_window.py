"""Faults during a session: each shows a message, and the game continues."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtWidgets import QPushButton

from rules.engine.roster import Army, Recruit
from rules.tabletop.errors import UserError
from tests.full_disk import fill, make_room
from tests.ui.windows import Open, Wait, click, show_battle, texts
from ui.battle.battle_setup import BattleSetup
from ui.desktop.window import Window
from vision.frame import Frame, ImageBgr
from vision.simulation.simulator import SimulatedTable
from vision.source import Source


class Camera:
    """A camera over the small table; it can be unplugged and its markers covered."""

    name, live, still = "camera 3", True, False

    def __init__(self, image_bgr: ImageBgr) -> None:
        self.image_bgr, self.plugged = image_bgr, True
        self._index = -1

    def open(self, _: str) -> Source:
        if not self.plugged:
            raise UserError("there is no camera 3, and no other: plug one in, or open another source")
        return self

    def read(self) -> Frame | None:
        if not self.plugged:
            raise UserError("camera 3 no longer answers: plug it in again, or choose another source")
        self._index += 1
        return Frame(self.image_bgr.copy(), self._index, self._index / 30)

    def close(self) -> None: ...


@pytest.fixture
def camera(table: SimulatedTable) -> Camera:
    return Camera(table.empty_bgr)


def ways(window: Window) -> list[str]:
    return [button.text() for button in window.bar.findChildren(QPushButton) if button.isVisible()]


def test_an_unplugged_camera_keeps_the_table_and_reconnects(
    camera: Camera, open_window: Open, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.desktop.source_controller.CAMERA_RETRY_S", 0.2)
    window = open_window("3", camera.open)
    wait_until(lambda: window.store.view and window.store.view.calibration)
    window.store.use_tool("measure")
    for place in ((8.0, 10.0), (20.0, 10.0)):
        click(window, place)
    camera.plugged = False
    wait_until(lambda: "plug" in window.bar.text)
    assert ways(window) == ["Try again", "Open…"]
    last = window.store.frame
    assert last is not None, "the last picture stays"
    click(window, (8.0, 5.0))
    click(window, (20.0, 5.0))
    assert len(window.store.session.state.rulers) == 2, "and can be measured"
    camera.plugged = True
    wait_until(lambda: not window.bar.isVisible() and window.store.frame is not last)
    assert len(window.store.session.state.rulers) == 2


def test_covered_markers_are_reported_and_measuring_continues(
    camera: Camera, open_window: Open, wait_until: Wait
) -> None:
    window = open_window("3", camera.open)
    wait_until(lambda: window.store.view and window.store.view.calibration)
    whole, calibration = camera.image_bgr, window.store.view.calibration
    covered = whole.copy()
    for corners in calibration.markers_in.values():
        px = calibration.camera.table_to_pixel(np.c_[corners, np.zeros(len(corners))])
        (left, top), (right, low) = np.maximum(px.min(0).astype(int) - 25, 0), px.max(0).astype(int) + 25
        covered[top:low, left:right] = (60, 90, 60)
    camera.image_bgr = covered
    wait_until(lambda: "distances use the last known camera position: uncover a marker" in window.bar.text)
    assert ways(window) == ["Print markers…", "Check markers", "Marker size…"]
    assert "Accuracy unknown" in texts(window.statusBar())
    window.store.use_tool("measure")
    for place in ((8.0, 10.0), (20.0, 10.0)):
        click(window, place)
    assert float(window.panel.headline.text().split()[0]) == pytest.approx(12.0, abs=0.1)
    camera.image_bgr = whole
    wait_until(lambda: not window.bar.isVisible())
    wait_until(lambda: any("markers: places accurate to ±" in words for words in texts(window.statusBar())))


@pytest.fixture
def played(connections: list[sqlite3.Connection], window: Window, tmp_path: Path, wait_until: Wait) -> Window:
    """The window with a battle before its first phase."""
    figures = window.store.view.figures
    men = {
        side: [Recruit(figure=f.id, card="soldier") for f in figures if f.army == side] for side in ("green", "blue")
    }
    armies = {side: Army(name=side, game="simple_plastic", recruits=tuple(some)) for side, some in men.items()}
    window.battle.begin(tmp_path / "evening.battle", BattleSetup("simple_plastic", armies))
    show_battle(window)
    wait_until(lambda: window.battle.position)
    return window


def test_a_full_disk_stops_the_battle_and_it_continues_once_there_is_space(
    played: Window, connections: list[sqlite3.Connection]
) -> None:
    battle = played.battle.play.battle
    before = len(battle.entries)
    fill(connections[0])
    for _ in range(200):
        played.battle.turn_bar.go_on.emit()
        if "disk is full" in played.bar.text:
            break
    assert "was not saved: make room and try again" in played.bar.text
    kept, phase = len(battle.entries), played.battle.turn_bar.shown.heading
    assert kept > before
    make_room(connections[0])
    played.battle.turn_bar.go_on.emit()
    assert len(battle.entries) == kept + 1
    assert played.battle.turn_bar.shown.heading != phase


def test_a_battle_open_in_another_window_is_refused(
    played: Window, tmp_path: Path, open_window: Open, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "evening.battle"
    monkeypatch.setattr("ui.desktop.battle.files.ask_file", lambda *_: path)
    second = open_window()
    second.features.files.open_battle()
    wait_until(lambda: bool(second.bar.text) and "Opening" not in second.bar.text)
    assert second.bar.text == f"The battle {path} is open in another window: close it there first"
    assert second.battle.play is None
    played.features.files.open_battle()
    assert played.bar.text == "This battle is already open."
    assert played.battle.play is not None
    played.close()
    second.features.files.open_battle()
    wait_until(lambda: second.battle.play is not None)


def test_a_battle_in_a_missing_folder_is_refused_with_a_remedy(window: Window, tmp_path: Path) -> None:
    armies = {
        side: Army(name=side, game="simple_plastic", recruits=(Recruit(figure=f"{side}-1", card="soldier"),))
        for side in ("green", "blue")
    }
    path = tmp_path / "nowhere" / "evening.battle"
    window.store.change(lambda: window.battle.begin(path, BattleSetup("simple_plastic", armies)))
    assert window.bar.text.startswith(f"The battle {path} cannot be opened")
    assert "choose another folder" in window.bar.text
