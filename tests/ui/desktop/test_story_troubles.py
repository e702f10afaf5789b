"""A hand over the table during a session in the real window: nothing is lost, and its move is proposed afterwards."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import Qt

from tests.ui.stories import NEAR_IN, Arm, Board, Player
from tests.ui.windows import POSTS, Open, Wait, click


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
