"""Setting up a battle beside the table: soldiers light up, and are selected where they stand."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from tests.ui.stories import press
from tests.ui.windows import LEFT, POSTS, at, click
from ui.desktop.battle.battle_setup_dialog import BattleSetupDialog
from ui.desktop.window import Window
from ui.picture.overlay import Label, Line
from ui.theme import PREVIEW


@pytest.fixture
def dialog(window: Window) -> BattleSetupDialog:
    window.files.new_battle()
    found = window.findChild(BattleSetupDialog)
    assert found is not None
    return found


def lit(window: Window) -> int:
    """The number of bright rings on the table."""
    return sum(isinstance(one, Line) and one.closed and one.colour == PREVIEW for one in window.picture.shapes)


def labels(window: Window) -> list[str]:
    return [one.rows[0][0] for one in window.picture.shapes if isinstance(one, Label) and one.colour == PREVIEW]


def test_each_soldier_has_his_picture(dialog: BattleSetupDialog) -> None:
    items = [dialog.soldiers.item(row, 0) for row in range(dialog.soldiers.rowCount())]
    assert [item.text() for item in items] == ["Blue 1", "Blue 2", "Green 1", "Green 2"]
    assert not any(item.icon().isNull() for item in items)


def test_a_selected_row_lights_its_soldier_up(window: Window, dialog: BattleSetupDialog) -> None:
    assert not dialog.isModal()
    assert lit(window) == 0
    dialog.soldiers.selectRow(2)
    assert lit(window) == 1
    assert labels(window) == ["Green 1"]
    dialog.soldiers.selectAll()
    assert lit(window) == len(POSTS)
    press(dialog, "Cancel")
    assert lit(window) == 0


def test_a_click_on_a_soldier_selects_its_row(window: Window, dialog: BattleSetupDialog) -> None:
    click(window, POSTS["green-2"])
    assert dialog.soldiers.selected == ("green-2",)
    QTest.mouseClick(window.picture, LEFT, Qt.KeyboardModifier.ShiftModifier, at(window, POSTS["blue-1"]))
    assert dialog.soldiers.selected == ("blue-1", "green-2")
    assert window.session.state.rulers == (), "nothing was measured"
    dialog.reject()
    for name in ("green-1", "blue-1"):
        click(window, POSTS[name])
    assert len(window.session.state.rulers) == 1


def test_the_menu_does_not_open_a_second_dialog(window: Window, dialog: BattleSetupDialog) -> None:
    window.files.new_battle()
    assert window.findChildren(BattleSetupDialog) == [dialog]


def test_another_table_ends_the_setup(window: Window, dialog: BattleSetupDialog) -> None:
    window.open("demo")
    assert not dialog.isVisible()
    assert window.battle.play is None
