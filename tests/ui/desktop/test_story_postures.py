"""Soldiers of the simulated table that were laid down in a battle: when it is continued, undone, or still begins."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import Qt

from rules.tabletop.table import PointIn, Posture
from tests.ui.stories import Player, practice_table, press
from tests.ui.windows import POSTS, Open, Wait, point
from ui.desktop.window import Window
from vision.simulation.practice_table import PracticeTable

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
LIES_DOWN = "  Green 1 lies down."


@pytest.fixture(scope="module")
def table() -> PracticeTable:
    return practice_table()


@pytest.fixture(autouse=True)
def as_in_the_beginning(table: PracticeTable) -> None:
    table.change(lambda now, _: now.start_over())


@pytest.fixture
def player(table: PracticeTable, window: Window, wait_until: Wait) -> Player:
    return Player(window, table, wait_until)


def lie_or_stand(player: Player, table: PracticeTable, *lying: str) -> None:
    """Wait until just these toys lie, the program has seen it, and nothing moves."""

    def is_seen() -> bool:
        view = player.window.store.view
        seen = {one.id for one in view.figures if one.posture is Posture.DOWN}
        toys = {toy.id for toy in table.now.scene.models if toy.tilt_deg}
        return seen == toys == set(lying) and not view.waiting

    player.wait_until(is_seen)
    player.looks()


def lays_down(player: Player, table: PracticeTable, at_in: PointIn, *lying: str) -> None:
    """Press the key that lays down or stands up, over a soldier."""
    point(player.window, at_in)
    player.key(Qt.Key.Key_Z)
    lie_or_stand(player, table, *lying)


@pytest.mark.slow
def test_a_soldier_that_was_laid_down_lies_again_when_the_battle_is_continued(
    player: Player, table: PracticeTable, open_window: Open, wait_until: Wait
) -> None:
    player.begins("Simple Plastic Wargame")
    player.does("", "Green begins")
    player.goes_on("Turn 1 · Green moves")
    lays_down(player, table, POSTS["green-1"], "green-1")
    assert player.story[-1] == LIES_DOWN
    assert not player.window.battle.pending, "a fall is no move"
    player.window.close()
    table.change(lambda now, _: now.start_over())  # as when the program has been closed
    later = Player(open_window(), table, wait_until)
    wait_until(lambda: later.bar.startswith("Continue Simple Plastic Wargame of "))
    press(later.window.bar, "Continue")
    wait_until(lambda: later.window.battle.position is not None)
    lie_or_stand(later, table, "green-1")
    assert later.story[-1] == LIES_DOWN
    assert not later.window.battle.pending


@pytest.mark.slow
def test_undo_stands_a_soldier_up_and_redo_lays_it_down(player: Player, table: PracticeTable) -> None:
    player.begins("Simple Plastic Wargame")
    player.does("", "Green begins")
    player.goes_on("Turn 1 · Green moves")
    lays_down(player, table, POSTS["green-1"], "green-1")
    assert player.undo_words()[0] == "Undo Green 1 lies down"
    player.key(Qt.Key.Key_Z, CTRL)
    lie_or_stand(player, table)
    assert player.undo_words()[1] == "Redo Green 1 lies down"
    player.key(Qt.Key.Key_Z, CTRL | SHIFT)
    lie_or_stand(player, table, "green-1")
    lays_down(player, table, player.sees("green-1"))
    assert player.story[-1] == "  Green 1 stands up."


@pytest.mark.slow
def test_a_soldier_that_lay_before_the_battle_began_lies_again_too(player: Player, table: PracticeTable) -> None:
    lays_down(player, table, POSTS["blue-1"], "blue-1")
    player.begins("Simple Plastic Wargame")
    player.looks()
    assert player.story[-1] == "  Blue 1 lies down."
    player.window.battle.close()
    table.change(lambda now, _: now.start_over())
    lie_or_stand(player, table)
    player.window.features.files.continue_last()
    lie_or_stand(player, table, "blue-1")
