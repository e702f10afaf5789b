"""Faults during a session in the real window: each shows a message and a remedy, and nothing is lost."""

from __future__ import annotations

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QPushButton

from tests.ui.stories import NEAR_IN, Arm, Board, Player
from tests.ui.windows import POSTS, Open, Wait, click
from vision.frame import ImageBgr

UNPLUGGED = "camera 0 no longer answers: plug it in again, or choose another source"


@pytest.fixture(scope="module")
def table() -> Board:
    return Board()


@pytest.fixture
def player(found: None, table: Board, open_window: Open, wait_until: Wait) -> Player:
    """In the first phase of a battle that a camera watches, with a ruler on the table."""
    table.tidy()
    window = open_window("0")
    wait_until(lambda: window.store.view and len(window.store.view.figures) == len(POSTS))
    player = Player(window, table, wait_until)
    player.key(Qt.Key.Key_M)
    for name in ("green-1", "blue-1"):
        click(window, POSTS[name])
    player.begins("Simple Plastic Wargame")
    player.goes_on("Turn 1 · Blue moves")
    return player


def goes_on_as_if_nothing_had_been(player: Player) -> None:
    """All figures, the ruler and the battle are unchanged, nothing is proposed, and a new move is detected."""
    for name, post in POSTS.items():
        assert player.sees(name) == pytest.approx(post, abs=NEAR_IN)
    assert float(player.ruler.split(": ")[1].split()[0]) == pytest.approx(11.0, abs=0.2)  # 20 - 8, from edge to edge
    assert player.phase == "Turn 1 · Blue moves"
    assert not {"Accept", "Allow", "Just a nudge"} & {*player.waiting}
    player.carries("blue-1", (17.0, 10.0))
    player.settles("Blue 1 moved 3.0 in", "Accept")


@pytest.mark.slow
def test_a_hand_pauses_vision_and_its_move_is_proposed_afterwards(player: Player, table: Board) -> None:
    table.over = Arm()
    player.wait_until(lambda: "Waiting for the hand" in player.status)
    table.put("blue-2", (21.5, 14.0))
    player.looks()
    assert player.bar == ""
    assert player.sees("blue-2") == pytest.approx(POSTS["blue-2"], abs=NEAR_IN)
    assert not {"Accept", "Allow", "Just a nudge"} & {*player.waiting}
    table.over = lambda image: image
    player.settles("Blue 2 moved 3.5 in", "Just a nudge")
    player.carries("blue-2", POSTS["blue-2"])
    player.settles("Blue 2 moved 3.5 in", "Just a nudge")
    goes_on_as_if_nothing_had_been(player)


@pytest.mark.slow
def test_covered_markers_keep_the_calibration(player: Player, table: Board) -> None:
    def cover(image: ImageBgr) -> ImageBgr:
        for corners_in in table.truth.markers.values():
            corners_px = table.camera.table_to_pixel(np.c_[corners_in, np.zeros(4)])
            (left, top), (right, bottom) = corners_px.min(0).astype(int) - 12, corners_px.max(0).astype(int) + 12
            image[max(0, top) : bottom, max(0, left) : right] = 200
        return image

    table.over = cover
    said = "No marker is visible, so distances use the last known camera position: uncover a marker"
    player.wait_until(lambda: player.bar == said)
    ways = [button.text() for button in player.window.bar.findChildren(QPushButton)]
    assert ways == ["Print markers…", "Check markers", "Marker size…"]
    table.over = lambda image: image
    player.wait_until(lambda: not player.bar)
    goes_on_as_if_nothing_had_been(player)


@pytest.mark.slow
def test_a_bumped_camera_is_recalibrated(player: Player, table: Board) -> None:
    player.looks()
    table.bump()
    player.wait_until(lambda: player.bar)
    # So small a picture shows little beyond the table: sometimes the two cannot be told apart.
    [what] = [one for one in ("camera", "camera or table") if player.bar.startswith(f"The {one} was moved; ")]
    assert player.bar.endswith("; the camera position was updated, and positions on the table stay valid.")
    assert player.plot == [f"(the {what} was bumped; positions on the table are unchanged)"]
    player.looks()
    goes_on_as_if_nothing_had_been(player)


@pytest.mark.slow
def test_an_unplugged_camera_reconnects(player: Player, table: Board) -> None:
    table.gone = UNPLUGGED
    player.wait_until(lambda: player.bar == UNPLUGGED[0].upper() + UNPLUGGED[1:])
    ways = [button.text() for button in player.window.bar.findChildren(QPushButton)]
    assert ways == ["Try again", "Open…"]
    assert player.phase == "Turn 1 · Blue moves"
    assert player.sees("green-1") == pytest.approx(POSTS["green-1"], abs=NEAR_IN), (
        "the last picture stays, to measure in"
    )
    table.gone = ""
    player.wait_until(lambda: not player.bar)
    goes_on_as_if_nothing_had_been(player)
