"""Setting up a battle beside the table: soldiers light up, and are selected where they stand."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtGui import QEnterEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QLineEdit, QTabWidget

from rules.tabletop.table import PointIn
from tests.ui.stories import pick, press
from tests.ui.windows import BARE_IN, LEFT, POSTS, Wait, at, button, click, move, refresh, texts
from tools.layout_check import access_problems
from ui.battle.battle_setup import about_game, title_of
from ui.desktop.battle.battle_setup_dialog import BattleSetupDialog
from ui.desktop.window import Window
from ui.picture.shapes import Label, Line
from ui.theme import PREVIEW


@pytest.fixture
def dialog(window: Window) -> BattleSetupDialog:
    window.resize(1366, 749)
    window.features.files.new_battle()
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


def test_squads_are_asked_for_only_in_games_with_squads(dialog: BattleSetupDialog) -> None:
    headers = {"simple_plastic": ["Soldier", "Unit", "Squad"], "plastic_fudge": ["Soldier", "Unit"]}
    for game, expected in headers.items():
        dialog.choose_game(game)
        columns = [column for column in range(3) if not dialog.soldiers.isColumnHidden(column)]
        assert [dialog.soldiers.horizontalHeaderItem(column).text() for column in columns] == expected


def test_the_check_of_armies_says_how_many_points_are_too_many(dialog: BattleSetupDialog) -> None:
    dialog.choose_game("plastic_fudge")
    for name in ("green-1", "green-2"):
        dialog.soldiers.choose(name, "tank", "green")
    QTest.mouseClick(button(dialog, "Check armies"), LEFT)
    [words] = [text for text in texts(dialog) if "too many points" in text]
    # PF-120: a tank and its men cost 300 and 100; PF-85: at most 500.
    assert "Green: too many points, 300 over the limit. " in words


def test_its_parts_have_names(dialog: BattleSetupDialog) -> None:
    tabs = dialog.findChild(QTabWidget)
    assert tabs is not None
    for page in range(tabs.count()):
        tabs.setCurrentIndex(page)
        assert access_problems(dialog) == ()


def test_the_hint_says_what_a_click_does_beside_the_dialog(window: Window, dialog: BattleSetupDialog) -> None:
    hint = "Click a soldier to select its row, or drag the mouse around several."
    refresh(window)
    assert hint in texts(window)
    press(dialog, "Cancel")
    refresh(window)
    assert hint not in texts(window)


def test_the_dialog_leaves_all_soldiers_visible(window: Window, dialog: BattleSetupDialog) -> None:
    rightmost = max(window.picture.mapToGlobal(at(window, POSTS[name])).x() for name in POSTS)
    assert rightmost < dialog.x()
    dialog.reject()
    assert max(at(window, POSTS[name]).x() for name in POSTS) > window.picture.width() // 2, "all of it is used again"


def test_tab_passes_the_soldiers_in_one_step(window: Window, dialog: BattleSetupDialog) -> None:
    dialog.soldiers.setFocus()
    QTest.keyClick(dialog.soldiers, Qt.Key.Key_Tab)
    focus = dialog.focusWidget()
    assert isinstance(focus, QAbstractButton)
    assert focus is not dialog.soldiers
    QTest.keyClick(focus, Qt.Key.Key_Backtab)
    assert dialog.focusWidget() is dialog.soldiers


def test_the_space_bar_opens_the_units_of_a_row(dialog: BattleSetupDialog) -> None:
    dialog.soldiers.setCurrentCell(0, 0)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Space):
        QTest.keyClick(dialog.soldiers, key)
    assert dialog.soldiers.selected == ("blue-2",)
    box = dialog.soldiers.cellWidget(1, 1)
    assert isinstance(box, QComboBox)
    shown = box.view()
    assert shown is not None
    assert shown.isVisible()
    box.hidePopup()


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
    assert window.store.session.state.rulers == (), "nothing was measured"
    dialog.reject()
    for name in ("green-1", "blue-1"):
        click(window, POSTS[name])
    assert len(window.store.session.state.rulers) == 1


def lines(window: Window) -> int:
    """The number of lines drawn with the mouse around a part of the table."""
    shapes = window.picture.shapes
    return sum(isinstance(one, Line) and one.fill is not None and one.colour == PREVIEW for one in shapes)


def drag_around(
    window: Window, *corners_in: PointIn, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    """Draw a line through these places with the left button."""
    first, *others = (at(window, corner) for corner in corners_in)
    QTest.mousePress(window.picture, LEFT, held, first)
    for corner in others:
        move(window.picture, corner, LEFT)
    assert lines(window) == 1
    QTest.mouseRelease(window.picture, LEFT, held, others[-1])
    assert lines(window) == 0


def test_a_line_around_soldiers_selects_them(window: Window, dialog: BattleSetupDialog) -> None:
    drag_around(window, (1.0, 1.0), (2.0, 1.0), (2.0, 2.0), (1.0, 2.0))
    assert dialog.soldiers.selected == ()
    green = ((6.0, 4.0), (13.0, 4.0), (13.0, 12.0), (6.0, 12.0))  # around (8, 10) and (11, 6)
    drag_around(window, *green)
    assert dialog.soldiers.selected == ("green-1", "green-2")
    assert lit(window) == 2
    dialog.choose_game("army_men")
    drag_around(window, *green)
    box = dialog.soldiers.cellWidget(2, 1)
    assert isinstance(box, QComboBox)
    pick(box, "Grenade thrower")
    cards = {one.figure: one.card for one in dialog.battle_setup.armies["green"].recruits}
    assert cards == {"green-1": "grenadier", "green-2": "grenadier"}
    around_blue_1 = ((19.0, 9.0), (20.7, 9.0), (20.7, 11.0), (19.0, 11.0))  # Blue 2 is at x = 21.5
    drag_around(window, *around_blue_1, held=Qt.KeyboardModifier.ShiftModifier)
    assert dialog.soldiers.selected == ("blue-1", "green-1", "green-2")
    click(window, POSTS["blue-2"])
    assert dialog.soldiers.selected == ("blue-2",)
    click(window, BARE_IN)
    assert dialog.soldiers.selected == ()


def test_a_straight_line_selects_the_rectangle_between_its_ends(window: Window, dialog: BattleSetupDialog) -> None:
    drag_around(window, (6.0, 4.0), (9.0, 8.0), (13.0, 12.0))  # Green 1 at (8, 10) and Green 2 at (11, 6) are beside it
    assert dialog.soldiers.selected == ("green-1", "green-2")


def test_the_mouse_over_a_unit_lights_its_soldier_up(window: Window, dialog: BattleSetupDialog) -> None:
    for row, name in ((1, "Blue 2"), (3, "Green 2")):
        box = dialog.soldiers.cellWidget(row, 1)
        assert isinstance(box, QComboBox)
        QApplication.sendEvent(box, QEnterEvent(*[QPointF(9.0, 9.0)] * 3))
        assert labels(window) == [name]


def test_one_squad_for_all_selected_soldiers(dialog: BattleSetupDialog, wait_until: Wait) -> None:
    """A click opens the squad; the rows that were selected on the table stay selected."""
    dialog.choose_game("simple_plastic")
    for name in ("green-1", "green-2"):
        dialog.soldiers.pick(name, extend=True)
    place = dialog.soldiers.visualItemRect(dialog.soldiers.item(3, 2)).center()
    QTest.mouseClick(dialog.soldiers.viewport(), LEFT, pos=place)
    assert dialog.soldiers.selected == ("green-1", "green-2")
    editor = dialog.soldiers.findChild(QLineEdit)
    assert editor is not None
    QTest.keyClicks(editor, "first")
    QTest.keyClick(editor, Qt.Key.Key_Return)  # Qt ends the editing later

    def squads() -> list[str]:
        return [one.squad for side in ("blue", "green") for one in dialog.battle_setup.armies[side].recruits]

    wait_until(lambda: squads() == ["", "", "first", "first"])


def test_the_dialog_is_as_high_as_the_window(window: Window, dialog: BattleSetupDialog) -> None:
    assert window.height() - 40 <= dialog.frameGeometry().height() <= window.height()  # a title bar has up to 40 px


def test_a_click_on_a_game_opens_its_setup(window: Window) -> None:
    window.sides.setCurrentWidget(window.battle.panel)
    for words, game in (("Plastic Fudge", "plastic_fudge"), ("Army Men", "army_men")):
        QTest.mouseClick(button(window.battle.panel.games, words), LEFT)
        [dialog] = window.findChildren(BattleSetupDialog)
        assert dialog.battle_setup.game == game
    dialog.reject()


def test_every_game_says_what_it_is_like(window: Window, dialog: BattleSetupDialog) -> None:
    dialog.reject()
    window.sides.setCurrentWidget(window.battle.panel)
    window.battle.panel.grab()  # arranges the list
    # Another test may have registered a game of the players' own, which needs no line.
    for name in ("army_men", "fudge_miniatures", "plastic_fudge", "simple_plastic", "simple_plastic_figure"):
        choice = button(window.battle.panel.games, title_of(name))
        labels = choice.findChildren(QLabel)
        assert [label.text() for label in labels] == [title_of(name), about_game(name)]
        assert about_game(name)
        assert [label.font().bold() for label in labels] == [True, False]
        assert min(label.fontInfo().pixelSize() for label in labels) >= 14
        assert all(label.height() >= label.heightForWidth(label.width()) for label in labels)


def test_the_menu_does_not_open_a_second_dialog(window: Window, dialog: BattleSetupDialog) -> None:
    window.features.files.new_battle()
    assert window.findChildren(BattleSetupDialog) == [dialog]


def test_another_table_ends_the_setup(window: Window, dialog: BattleSetupDialog) -> None:
    window.store.open("demo")
    assert not dialog.isVisible()
    assert window.battle.play is None
