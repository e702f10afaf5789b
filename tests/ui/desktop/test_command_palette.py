"""The command palette: Ctrl+K, a few letters, Enter."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QPalette
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QTreeWidgetItem

from ui.desktop.help_controller import CommandPalette
from ui.desktop.window import Window


@pytest.fixture
def palette(window: Window) -> CommandPalette:
    QTest.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    shown = window.help.dialog
    assert isinstance(shown, CommandPalette)
    assert shown.isVisible()
    return shown


def rows(palette: CommandPalette) -> list[QTreeWidgetItem]:
    found = (palette.list.topLevelItem(row) for row in range(palette.list.topLevelItemCount()))
    return [item for item in found if item is not None]


def words(palette: CommandPalette) -> list[tuple[str, str, str]]:
    return [(item.text(0), item.text(1), item.text(2)) for item in rows(palette)]


def selected(palette: CommandPalette) -> str:
    item = palette.list.currentItem()
    return item.text(0) if item is not None else ""


def test_it_lists_every_command_with_menu_and_key(window: Window, palette: CommandPalette) -> None:
    listed = words(palette)
    assert ("Measure", "Tools", "M") in listed
    assert ("Save story…", "Battle", "") in listed
    assert [row for row in listed if row[0] == "Next soldier"] == [("Next soldier", "", "U")]
    assert not any(name == "Number" for name, _, _ in listed), "a digit is only a key"
    assert len(listed) > 50


def test_enter_runs_the_best_match(window: Window, palette: CommandPalette) -> None:
    assert palette.focusWidget() is palette.field, "what the player types goes there"
    QTest.keyClicks(palette.field, "blast")
    assert selected(palette) == "Blast"
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert window.store.tool.name == "blast"
    assert not palette.isVisible()


def test_the_arrow_keys_choose_another(window: Window, palette: CommandPalette) -> None:
    QTest.keyClicks(palette.field, "tools")
    first = [name for name, _, _ in words(palette)][:3]
    QTest.keyClick(palette.field, Qt.Key.Key_Down)
    QTest.keyClick(palette.field, Qt.Key.Key_Down)
    assert selected(palette) == first[2]
    for _ in range(3):
        QTest.keyClick(palette.field, Qt.Key.Key_Up)
    assert selected(palette) == first[0]


def test_escape_closes_it_and_nothing_happens(window: Window, palette: CommandPalette) -> None:
    before = window.store.tool.name
    QTest.keyClicks(palette.field, "sight")
    QTest.keyClick(palette.field, Qt.Key.Key_Escape)
    assert not palette.isVisible()
    assert window.store.tool.name == before


def test_what_cannot_be_done_now_is_grey_and_does_not_run(window: Window, palette: CommandPalette) -> None:
    assert not window.actions_.undo.isEnabled()
    QTest.keyClicks(palette.field, "undo")
    grey = palette.palette().color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text)
    assert rows(palette)[0].foreground(0).color() == grey
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()
    palette.close()


def test_nothing_found_runs_nothing(palette: CommandPalette) -> None:
    QTest.keyClicks(palette.field, "zzzz")
    assert rows(palette) == []
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Return):
        QTest.keyClick(palette.field, key)
    assert palette.isVisible()
    palette.close()


def test_the_row_of_undo_is_short_whatever_the_step_is(window: Window) -> None:
    window.actions_.show_undo_steps("Green 1, Green 2, Green 3 and Green 4 moved 4.0 in, which costs 5.5 in", None)
    QTest.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    shown = window.help.dialog
    assert isinstance(shown, CommandPalette)
    QTest.keyClicks(shown.field, "undo")
    assert words(shown)[0] == ("Undo", "Edit", "Ctrl+Z")
