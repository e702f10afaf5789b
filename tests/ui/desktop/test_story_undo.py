"""Undo a whole session at the table: every step under the name in the Edit menu."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from tests.ui.desktop.test_correct_window import ask, choose
from tests.ui.desktop.test_terrain_window import BOOK, spot
from tests.ui.stories import Board, Player
from tests.ui.windows import LEFT, POSTS, Wait, click
from ui.desktop.window import Window

BARE_IN = (26.0, 15.0)
"""Neither on the book nor near a soldier."""

STEPS = [
    "ruler Green 1 to Blue 1",
    "blast of 3 in",
    "measure from base edges",
    "teach blue",
    "Green 2 is blue",
    "add Green 2",
    "set the height of book to 2 in",
    "remove book",
    "clear the table",
]
"""In the player's order; the figure that became blue left the name Green 2 free."""


@pytest.fixture(scope="module")
def table() -> Board:
    return Board(BOOK)


@pytest.mark.slow
def test_undo_and_redo_a_whole_session(window: Window, table: Board, wait_until: Wait) -> None:
    player, start = Player(window, table, wait_until), window.store.session.state
    assert player.undo_words() == ("Undo", "Redo")
    for name in ("green-1", "blue-1"):
        click(window, POSTS[name])
    player.key(Qt.Key.Key_B)
    click(window, BARE_IN)
    player.key(Qt.Key.Key_E)
    player.key(Qt.Key.Key_T)
    window.panel.choose("blue")
    click(window, POSTS["blue-2"])
    choose(ask(window, POSTS["green-2"]), "Army", "blue")
    choose(ask(window, BARE_IN), "Add", "green, down")
    player.key(Qt.Key.Key_G)
    QTest.mouseClick(window.picture, LEFT, pos=spot(window, (14.5, 13.0), BOOK.height_in))
    height = window.features.terrain.panel.height_in
    height.setFocus()
    height.selectAll()
    QTest.keyClicks(height, "2\r")
    player.key(Qt.Key.Key_Delete)
    player.key(Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    before = (window.store.session.state, window.panel.headline.text())
    assert player.undoes_all() == STEPS[::-1]
    assert window.store.session.state is start
    player.looks()  # the undone state survives new pictures
    assert player.undo_words() == ("Undo", f"Redo {STEPS[0]}")
    assert sorted(one.id for one in window.store.view.figures) == sorted(POSTS)
    assert player.redoes_all() == STEPS
    assert (window.store.session.state, window.panel.headline.text()) == before
    assert player.undo_words() == (f"Undo {STEPS[-1]}", "Redo")


def test_the_edit_menu_is_updated_while_the_picture_is_frozen(window: Window, table: Board, wait_until: Wait) -> None:
    player = Player(window, table, wait_until)
    player.begins("Simple Plastic Wargame")
    player.key(Qt.Key.Key_P)
    wait_until(lambda: window.store.view.frame is window.store.source_controller.worker.frame)
    player.goes_on("Turn 1 · Blue moves")  # waits for the menu
    assert "Frozen" in player.status
