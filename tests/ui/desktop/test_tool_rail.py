"""The tool rail at the left of the picture."""

from __future__ import annotations

from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QAction, QContextMenuEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QToolBar, QToolButton

from tests.ui.windows import LEFT, POSTS, Open, Wait, click
from ui.desktop.actions import ToolGroupButton
from ui.desktop.window import Window


def group(window: Window, first: str) -> ToolGroupButton:
    return window.actions_.rail.groups[first]


def choice(button: ToolGroupButton, name: str) -> QAction:
    [found] = [action for action in button.choices.actions() if action.text() == name]
    return found


def test_a_click_takes_the_tool_that_was_used_last(window: Window) -> None:
    templates = group(window, "blast")
    QTest.mouseClick(templates, LEFT, pos=QPoint(10, 10))
    assert window.store.tool.name == "blast"
    assert templates.isChecked()
    QTest.keyClick(window, Qt.Key.Key_W)
    assert window.store.tool.name == "wedge"
    assert templates.accessibleName() == "Templates: Wedge"
    QTest.mouseClick(group(window, "measure"), LEFT, pos=QPoint(10, 10))
    assert window.store.tool.name == "measure"
    assert not templates.isChecked()
    QTest.mouseClick(templates, LEFT, pos=QPoint(10, 10))
    assert window.store.tool.name == "wedge"


def test_every_tool_is_in_one_group_with_its_key(window: Window) -> None:
    tools = [action for button in window.actions_.rail.groups.values() for action in button.choices.actions()]
    assert len(tools) == len(set(tools)) == 14
    assert {tool.shortcut().toString() for tool in tools} == {*"VMKSABWLIDTGC", "Shift+S"}
    assert window.findChildren(QToolBar) == []


def test_the_corner_a_right_click_and_the_right_arrow_open_the_other_tools(window: Window) -> None:
    see = group(window, "sight")
    QTest.mouseClick(see, LEFT, pos=see.rect().bottomRight() - QPoint(3, 3))
    assert see.choices.isVisible()
    assert window.store.tool.name == "measure", "the corner takes no tool"
    choice(see, "Targets").trigger()
    see.choices.close()
    assert (window.store.tool.name, see.isChecked()) == ("fan", True)
    QTest.keyClick(see, Qt.Key.Key_Right)
    assert see.choices.isVisible()
    see.choices.close()
    spot = QPoint(5, 5)
    asked = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, spot, see.mapToGlobal(spot))
    QApplication.sendEvent(see, asked)
    assert see.choices.isVisible()
    see.choices.close()


def test_a_long_press_opens_the_other_tools(window: Window, wait_until: Wait) -> None:
    see = group(window, "sight")
    QTest.mousePress(see, LEFT, pos=QPoint(10, 10))
    wait_until(see.choices.isVisible)
    assert not see.isDown()
    see.choices.close()
    assert window.store.tool.name == "measure"


def test_a_group_of_one_tool_has_no_menu(window: Window) -> None:
    inspect = group(window, "select")
    QTest.mouseClick(inspect, LEFT, pos=inspect.rect().bottomRight() - QPoint(3, 3))
    assert window.store.tool.name == "select"
    inspect.show_choices()
    assert not inspect.choices.isVisible()
    assert inspect.accessibleName() == "Inspect"


def test_undo_and_redo_are_at_the_lower_end(window: Window) -> None:
    buttons = {button.text(): button for button in window.actions_.rail.findChildren(QToolButton)}
    assert not buttons["Undo"].isEnabled()
    for army in ("green-1", "blue-1"):
        click(window, POSTS[army])
    assert buttons["Undo"].isEnabled()
    QTest.mouseClick(buttons["Undo"], LEFT)
    assert window.store.session.state.rulers == ()
    QTest.mouseClick(buttons["Redo"], LEFT)
    assert len(window.store.session.state.rulers) == 1
    assert buttons["Fit"].toolTip() == "Fit (F)\nFill the window with the table; again: show the whole picture"


def test_the_first_button_opens_sources(window: Window) -> None:
    rail = window.actions_.rail
    assert rail.open.menu() is window.actions_.source_menu
    assert all(button.accessibleName() or button.text() for button in rail.findChildren(QToolButton))


def test_the_side_panel_gives_its_room_to_the_picture_and_stays_hidden(
    window: Window, open_window: Open, wait_until: Wait
) -> None:
    before_px = window.picture.width()
    QTest.keyClick(window, Qt.Key.Key_F9)
    assert not window.sides.isVisible()
    wait_until(lambda: window.picture.width() > before_px + 300)  # the tabs are 372 pixels wide
    window.close()
    again = open_window()
    assert not again.sides.isVisible()
    again.actions_.side_panel.trigger()
    assert again.sides.isVisible()


def test_f11_fills_the_screen_and_goes_back(window: Window) -> None:
    QTest.keyClick(window, Qt.Key.Key_F11)
    assert window.isFullScreen()
    QTest.keyClick(window, Qt.Key.Key_F11)
    assert not window.isFullScreen()
