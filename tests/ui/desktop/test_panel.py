"""The Table tab: warnings about similar armies, presets, the army list."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QAction
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton

from tests.ui.views import figure
from tests.ui.windows import Owned
from ui.desktop.table.panel import ArmyList, SidePanel


@pytest.fixture
def panel(owned: Owned[SidePanel]) -> SidePanel:
    panel = owned(SidePanel())
    panel.resize(360, 900)
    panel.show()
    return panel


def test_an_army_named_after_a_plastic_may_use_its_preset_until_taught(panel: SidePanel) -> None:
    wanted: list[str] = []
    panel.preset_button.clicked.connect(lambda: wanted.append(panel.army))
    panel.choose("brown")
    assert panel.preset_button.isVisible()
    QTest.mouseClick(panel.preset_button, Qt.MouseButton.LeftButton)
    assert wanted == ["brown"]
    panel.show_table(["brown"], (), ())
    assert not panel.preset_button.isVisible()
    panel.choose("Third Army")
    assert not panel.preset_button.isVisible()


def test_the_worst_three_warnings_are_shown_and_all_in_the_tooltip(panel: SidePanel) -> None:
    words = [f"army {n} and this table look alike" for n in range(4)]
    panel.show_table(["a"], (), (), apart=words)
    assert panel.warnings.text() == "\n".join(words[:3])
    (label,) = (one for one in panel.findChildren(QLabel) if one.text() == panel.warnings.text())
    assert label.toolTip() == "\n".join(words)
    panel.show_table(["a"], (), ())
    assert panel.warnings.text() == ""


def test_undo_is_left_to_the_window_unless_a_name_was_typed(panel: SidePanel) -> None:
    """Forgetting an army moves the focus to the name, where Ctrl+Z must still take the step back."""
    undone: list[bool] = []
    undo = QAction(panel)
    undo.setShortcut("Ctrl+Z")
    undo.triggered.connect(lambda: undone.append(True))
    panel.addAction(undo)
    QTest.qWaitForWindowActive(panel)
    panel.type_army()
    line = panel.army_box.lineEdit()
    QTest.keyClick(line, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert undone == [True]
    QTest.keyClicks(line, "Wolves")
    QTest.keyClick(line, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert undone == [True]
    assert panel.army != "Wolves"


def test_the_buttons_of_the_armies_stay_where_they_are(panel: SidePanel, qt: QApplication) -> None:
    """A renamed army frees its colour: its preset appears and must not push "Forget" under the mouse."""
    panel.show_table(["green", "tan"], (), (), apart=["Green and tan can be told apart, less reliably in shade."])
    panel.choose("green")
    qt.processEvents()
    before = panel.armies.forget.mapTo(panel, QPoint())
    panel.show_table(["Wolves", "tan"], (), (), apart=["Tan stands out well."])
    qt.processEvents()
    assert panel.preset_button.isVisible()
    assert panel.armies.forget.mapTo(panel, QPoint()) == before


def test_the_key_of_a_tool_is_not_typed_after_a_pressed_button_disappears(panel: SidePanel) -> None:
    """After "Use them", the next key is that of a tool, such as M, and must not become an army's name."""
    QTest.qWaitForWindowActive(panel)
    panel.show_table(["green", "tan"], (), ())
    panel.show_groups("8 green and 8 tan", may_search=False)
    panel.groups_button.setFocus()
    panel.show_groups("", may_search=False)
    assert panel.focusWidget() is panel.armies.tree
    panel.armies.choose("green")
    panel.armies.forget.setFocus()
    panel.show_table(["tan"], (), ())
    assert panel.focusWidget() is panel.armies.tree
    assert panel.armies.chosen == ()


# The list of armies


def listed(panel: SidePanel, *armies: str) -> tuple[ArmyList, list[tuple[str, object]]]:
    """The list of these armies, the second with a figure, and a record of its signals."""
    asked: list[tuple[str, object]] = []
    panel.armies.renamed.connect(lambda army, name: asked.append(("rename", (army, name))))
    panel.armies.merged.connect(lambda into, others: asked.append(("merge", (into, others))))
    panel.armies.split.connect(lambda army: asked.append(("split", army)))
    panel.armies.forgotten.connect(lambda army: asked.append(("forget", army)))
    panel.show_table(armies, [figure(f"{armies[1]}-1", 8, 8)], ())
    return panel.armies, asked


def test_army_commands_need_a_selected_army(panel: SidePanel) -> None:
    armies, asked = listed(panel, "green", "tan", "grey")
    buttons = (armies.rename, armies.merge, armies.divide, armies.forget)
    assert not any(button.isEnabled() for button in buttons)
    armies.choose("tan")
    assert all(button.isEnabled() for button in buttons)
    for button in (armies.divide, armies.forget):
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    armies.choose("green", "tan")
    assert [button.isEnabled() for button in buttons] == [False, True, False, False]
    QTest.mouseClick(armies.merge, Qt.MouseButton.LeftButton)
    assert asked == [("split", "tan"), ("forget", "tan"), ("merge", ("tan", ("green",)))], "into the larger"


def test_one_selected_army_is_merged_into_an_army_chosen_from_a_menu(panel: SidePanel) -> None:
    armies, asked = listed(panel, "green", "tan", "grey")
    armies.choose("green")
    QTest.mouseClick(armies.merge, Qt.MouseButton.LeftButton)
    assert [action.text() for action in armies.menu.actions()] == ["Into tan", "Into grey"]
    armies.menu.actions()[1].trigger()
    armies.menu.close()
    assert asked == [("merge", ("grey", ("green",)))]


def test_a_typed_name_is_shown_once_accepted(panel: SidePanel) -> None:
    armies, asked = listed(panel, "green", "tan")
    item = armies.tree.topLevelItem(1)
    item.setText(0, "Rangers")
    assert asked == [("rename", ("tan", "Rangers"))]
    assert item.text(0) == "tan"
    panel.show_table(["Rangers", "green"], (), ())
    assert armies.armies == ("Rangers", "green")
    assert len(asked) == 1, "what is shown was not typed"


def test_the_editor_of_a_name_leaves_the_number_free(panel: SidePanel) -> None:
    armies, _ = listed(panel, "green", "tan")
    armies.choose("tan")
    QTest.mouseClick(armies.rename, Qt.MouseButton.LeftButton)
    [line] = armies.tree.findChildren(QLineEdit)
    QTest.keyClicks(line, "soldiers of the second company of the seventh regiment")
    assert line.geometry().right() < armies.tree.header().sectionPosition(1)


def test_selection_and_expansion_survive_a_new_army(panel: SidePanel) -> None:
    armies, _ = listed(panel, "green", "tan")
    armies.choose("tan")
    [item] = armies.tree.selectedItems()
    item.setExpanded(True)
    panel.show_table(["blue", "green", "tan"], [figure("tan-1", 8, 8)], ())
    assert armies.chosen == ("tan",)
    [item] = armies.tree.selectedItems()
    assert item.isExpanded()


def test_groups_can_be_used_or_searched_for(panel: SidePanel) -> None:
    def offered() -> list[str]:
        shown = [one.text() for one in panel.findChildren(QPushButton) if one.isVisible()]
        return [words for words in shown if words.startswith(("Use them", "Find"))]

    panel.show_groups("2 tan figures", may_search=False)
    assert offered() == ["Use them"]
    [use] = [one for one in panel.findChildren(QPushButton) if one.text() == "Use them"]
    assert use.toolTip() == "Use 2 tan figures as armies"
    panel.show_groups("", may_search=True)
    assert offered() == ["Find armies"]
    panel.show_groups("", may_search=False)
    assert offered() == []
