"""What players set right by hand: soldiers that a battle lacks, armies with odd names, markers, another table."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QComboBox, QDialog, QLineEdit, QPushButton

from rules.tabletop.table import Posture
from tests.ui.desktop.test_correct_window import ask, choose, figures
from tests.ui.stories import Answer, Board, Player, answering, press, typed
from tests.ui.tables import box, piece
from tests.ui.windows import BARE_IN, LEFT, POSTS, click
from ui.desktop.setup.diagnosis_dialog import MarkerSizeDialog
from ui.desktop.widgets import NumberBox

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture(scope="module")
def table() -> Board:
    return Board()


@pytest.fixture(autouse=True)
def as_set_up(table: Board) -> None:
    table.tidy()


def takes(unit: str, usual: str) -> Answer:
    """Answer the question for a unit, which proposes the usual one."""

    def answer(dialog: QDialog) -> None:
        box = dialog.findChild(QComboBox)
        assert box.currentText() == usual
        box.setCurrentText(unit)
        QTest.keyClick(box, Qt.Key.Key_Return)

    return answer


def chooses_army(player: Player, army: str) -> None:
    """Select an army in the list."""
    player.window.sides.setCurrentWidget(player.window.panel)
    player.wait_until(lambda: army in player.window.panel.armies.armies)
    player.window.panel.armies.choose(army)


@pytest.mark.slow
def test_a_vehicle_added_by_hand_joins_the_battle_and_leaves_it_with_undo(player: Player) -> None:
    player.begins("Army Men")
    player.does("", "Who moves first", typed("1"), typed("6"))
    player.goes_on("Turn 1 · Green moves")
    choose(ask(player.window, BARE_IN), "Add", "green, vehicle")
    assert figures(player.window)["green-3"] == ("green", Posture.VEHICLE)
    click(player.window, BARE_IN)
    assert player.bar == "Green 3 is not in this battle."
    assert player.about.startswith("Click a soldier")
    with answering(takes("Heavy mortar team", usual="Tank")):
        press(player.window.bar, "Add")
    assert player.undo_words()[0] == "Undo Green 3 joins Green"
    player.chooses("green-3")
    assert "Heavy mortar team" in player.about
    for name, keys in (("", CTRL), ("green-3", CTRL | SHIFT)):
        player.key(Qt.Key.Key_Z, keys)
        player.looks()
        assert ("green-3" in player.window.battle.figures) == bool(name)
    player.chooses("green-3")


def test_a_soldier_of_an_army_that_does_not_play_is_named(player: Player) -> None:
    player.begins("Simple Plastic Wargame")
    choose(ask(player.window, POSTS["green-2"]), "Army", "New army")
    player.wait_until(lambda: "green B-1" in figures(player.window))
    click(player.window, POSTS["green-2"])
    assert player.bar == "Green B 1 is of an army that is not in this battle."
    assert not [one for one in player.window.bar.findChildren(QPushButton) if one.isVisible()]


def test_a_forgotten_army_is_taught_again_with_one_click(player: Player) -> None:
    window = player.window
    chooses_army(player, "green")
    QTest.mouseClick(window.panel.armies.forget, LEFT)
    assert player.bar == "Green is forgotten. Its soldiers on the table now count as another army."
    assert window.panel.armies.armies == ("blue",)
    press(window.bar, "Undo")
    assert window.panel.armies.armies == ("blue", "green")


def test_an_ampersand_in_the_name_of_an_army_is_shown(player: Player) -> None:
    chooses_army(player, "green")
    press(player.window.panel, "Rename")
    [line] = player.window.panel.armies.tree.findChildren(QLineEdit)
    QTest.keyClicks(line, "Wolves & Bears")
    QTest.keyClick(line, Qt.Key.Key_Return)
    QApplication.processEvents()
    menu = ask(player.window, POSTS["blue-1"])
    assert menu.actions()[0].text().startswith("Blue 1")
    [army] = [one.menu() for one in menu.actions() if one.text() == "&Army"]
    assert [one.text() for one in army.actions()] == ["Wolves && Bears", "New army"]
    menu.close()


def test_a_marker_size_that_was_not_changed_moves_nothing(player: Player) -> None:
    """The known places of the markers stay, whatever was typed meanwhile."""
    window, seen = player.window, {name: player.sees(name) for name in POSTS}
    before = window.store.session.state
    done: list[QDialog] = []
    with answering(lambda dialog: (_empties_and_accepts(dialog), done.append(dialog))):
        player.key(Qt.Key.Key_M, CTRL)
        player.wait_until(lambda: done)
    assert window.store.session.state is before
    player.looks()
    assert {name: player.sees(name) for name in POSTS} == seen


def _empties_and_accepts(dialog: QDialog) -> None:
    assert isinstance(dialog, MarkerSizeDialog)
    side = dialog.findChild(NumberBox)
    side.selectAll()
    QTest.keyClick(side, Qt.Key.Key_Delete)
    QTest.keyClicks(side, "abc")
    QTest.keyClick(side, Qt.Key.Key_Return)


def test_the_turn_bar_counts_nobody_without_a_target(player: Player) -> None:
    """A building hides both enemies from Green 1."""
    player.begins("Simple Plastic Wargame")
    house = piece("house", "building", box(9.0, 0.0, 9.5, 20.0), 6.0)
    player.window.store.session.set_terrain("add house", (house,))
    player.does("", "Green begins")
    player.goes_on("Turn 1 · Green moves", "Turn 1 · Green attacks")
    bar, panel = player.window.battle.turn_bar, player.window.battle.panel
    assert bar.shown.left == "2 left"
    player.key(Qt.Key.Key_X)
    player.wait_until(lambda: panel.round_bar.words == "Fire, 1 of 1: Green 2")
    assert bar.shown.left == "1 left"
    press(panel, "Roll")
    player.wait_until(lambda: panel.round_bar.words == "Fire: all done")
    assert bar.shown.left == ""
