"""A mage of the players' own in Fudge Miniatures Battles: made, changed and saved in the window, then played."""

from __future__ import annotations

from typing import TypeVar

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QLineEdit, QSpinBox, QWidget

from tests.ui.stories import Answer, Board, Player, answering, pick, press, typed, words_of
from ui.desktop.battle.battle_setup_dialog import BattleSetupDialog
from ui.desktop.battle.card_dialog import CardDialog

Part = TypeVar("Part", bound=QWidget)


@pytest.fixture(scope="module")
def table() -> Board:
    return Board()


def named(dialog: QWidget, kind: type[Part], name: str) -> Part:
    """The widget with this accessible name; the last one if there are several."""
    return [one for one in dialog.findChildren(kind) if one.accessibleName() == name][-1]


def opens(player: Player) -> BattleSetupDialog:
    """Open the setup of a battle."""
    player.key(Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    dialog = player.window.findChild(BattleSetupDialog)
    games, *_ = dialog.findChildren(QComboBox)
    pick(games, "Fudge Miniatures")
    return dialog


def asks(player: Player, setup: BattleSetupDialog, soldier: str, answer: Answer) -> None:
    """Choose "Own card…" for a soldier, and answer its dialog."""
    rows = [row for row in range(setup.soldiers.rowCount()) if setup.soldiers.item(row, 0).text() == soldier]
    box, answered = setup.soldiers.cellWidget(rows[0], 1), list[QDialog]()
    assert isinstance(box, QComboBox)
    box.setCurrentIndex(box.findText("Own card…"))
    with answering(lambda dialog: (answer(dialog), answered.append(dialog))):
        box.activated.emit(box.currentIndex())
        player.wait_until(lambda: answered)


def ok(dialog: QDialog) -> QWidget:
    return dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Ok)


def makes_a_mage(dialog: QDialog) -> None:
    """A standard human (FM-09 to FM-11) with a fire bolt: RODF is the damage of a weapon that adds no stat (FM-13)."""
    assert isinstance(dialog, CardDialog)
    assert not ok(dialog).isEnabled(), "without a name"
    assert "Type a name" in words_of(dialog)
    QTest.keyClicks(named(dialog, QLineEdit, "Name"), "Merla the Mage")
    pick_like = named(dialog, QComboBox, "Like")
    pick_like.setCurrentIndex(pick_like.findText("Yanni the Yeoman"))
    pick_like.activated.emit(pick_like.currentIndex())
    while dialog.equipment.rowCount():
        press(dialog, "Remove")
    press(dialog, "Add item")
    dialog.equipment.item(0, 0).setText("Fire bolt")
    damage = named(dialog, QSpinBox, "Value")
    damage.setValue(5)
    assert "Melee none, ranged +5, defence 3, helpless 0." in words_of(dialog)
    QTest.mouseClick(ok(dialog), Qt.MouseButton.LeftButton)


def raises_guts(dialog: QDialog) -> None:
    """Five levels over a standard human are one too many (FM-09); the players may play it all the same."""
    assert named(dialog, QLineEdit, "Name").text() == "Merla the Mage"
    named(dialog, QSpinBox, "Guts").setValue(2)
    assert "raised by 5 levels; 4 are allowed" in words_of(dialog)
    QTest.mouseClick(ok(dialog), Qt.MouseButton.LeftButton)


@pytest.mark.slow
def test_a_mage_is_made_changed_and_casts(player: Player) -> None:
    setup = opens(player)
    asks(player, setup, "Green 1", makes_a_mage)
    asks(player, setup, "Green 1", raises_guts)
    [mage] = [one for one in setup.soldiers.recruits("green") if one.figure == "green-1"]
    assert mage.own is not None
    assert (mage.own["guts"], mage.own["rodf"], mage.own["modf"]) == (2, 5, None)
    setup.keep_list("green", "Coven")
    press(setup, "Start")
    player.wait_until(lambda: player.phase == "Set-up")
    player.does("", "Green begins")
    player.goes_on("Turn 1 · Green moves", "Turn 1 · Green acts")
    player.chooses("green-1")
    assert "Merla the Mage" in player.about
    assert any(name.startswith("Fire bolt at Blue") for name in player.actions)
    said = player.does("green-1", "Fire bolt at Blue 1", typed("+ + 0 0"))
    assert said.startswith("Very hurt")
    assert "+5  the ranged weapon (RODF) (FM-38)" in said  # 2 on the dice and 5 against a DDF of 1 are a wound of 6


def test_a_cancelled_card_leaves_the_unit_as_it_was(player: Player) -> None:
    setup = opens(player)
    before = setup.soldiers.recruits("green")
    asks(player, setup, "Green 1", lambda dialog: QTest.keyClick(dialog, Qt.Key.Key_Escape))
    assert setup.soldiers.recruits("green") == before
    setup.reject()


def test_a_list_brings_the_card_back(player: Player) -> None:
    setup = opens(player)
    asks(player, setup, "Green 2", makes_a_mage)
    setup.keep_list("green", "Coven")
    setup.soldiers.choose("green-2", "Knavely Knave")
    setup.take_list("green", "Coven")
    assert [one.own["title"] for one in setup.soldiers.recruits("green") if one.own] == ["Merla the Mage"]
    setup.reject()
