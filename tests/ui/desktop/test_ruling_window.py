"""The players overrule the rules in the real window: after a roll, before it, and with their own status."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QComboBox, QDialogButtonBox, QLineEdit, QListWidget

from rules.engine.state import State
from tests.ui.desktop.modal import answered
from tests.ui.desktop.test_battle_window import press, rolls, started_battle
from tests.ui.windows import Wait, button, next_phase
from ui.desktop.battle.panel import BattlePanel
from ui.desktop.battle.ruling_dialog import RulingDialog
from ui.desktop.window import Window


@pytest.fixture
def panel(window: Window, tmp_path: Path) -> BattlePanel:
    """Green attacks; Green 1 is selected."""
    panel = started_battle(window, tmp_path / "b")
    next_phase(window)
    next_phase(window)
    window.battle.choose("green-1")
    return panel


def state_of(window: Window) -> State:
    return window.battle.play.battle.state


def ok(dialog: RulingDialog) -> None:
    [box] = dialog.findChildren(QDialogButtonBox)
    button = box.button(QDialogButtonBox.StandardButton.Ok)
    assert button.isEnabled() == bool(dialog.reason)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def reason(dialog: RulingDialog) -> QLineEdit:
    """The field of the reason."""
    [line] = [one for one in dialog.findChildren(QLineEdit) if one.parent() is dialog]
    return line


def test_a_roll_is_overruled_by_keyboard_and_undone(window: Window, panel: BattlePanel, wait_until: Wait) -> None:
    panel.action_list.choose(0)
    target = panel.chosen.action.at[0]
    rolls(window, 6)
    press(panel, "Roll")
    assert state_of(window).unit(target).out

    def answer(dialog: RulingDialog) -> None:
        assert dialog.case.words == "Green 1: Attack on Blue 1: kills"
        outcomes, _ = dialog.findChildren(QListWidget)
        words = [outcomes.item(row).text() for row in range(outcomes.count())]  # type: ignore[union-attr]
        # SP-11, SP-12: a figure that stayed needs 3; the verdict itself is not offered.
        assert words == [
            "Misses, 33 % by the dice",
            "No effect, but the action is used up",
            "As if it had not been tried",
        ]
        ok(dialog)  # a reason is required
        assert dialog.isVisible()
        why = reason(dialog)
        why.setFocus()
        QTest.keyClicks(why, "he stood behind the wagon")
        QTest.keyClick(why, Qt.Key.Key_Return)

    with answered(RulingDialog, answer):
        press(panel, "Overrule")
    assert not state_of(window).unit(target).out
    assert panel.result.text() == "Misses, 33 % by the dice"
    assert panel.why.text() == "he stood behind the wagon"
    play = window.battle.play
    assert "  The players overrule Green 1: Attack on Blue 1: kills: misses. He stood behind the wagon." in play.story
    wait_until(lambda: window.actions_.undo.text() == "Undo overruled Green 1: Attack on Blue 1: kills: misses")
    window.commands.undo()
    assert state_of(window).unit(target).out


def test_an_action_is_overruled_before_its_roll(window: Window, panel: BattlePanel) -> None:
    panel.action_list.choose(0)

    def answer(dialog: RulingDialog) -> None:
        assert dialog.case.shown.startswith("Instead of rolling: Green 1: Attack on Blue")
        assert dialog.override.outcome == "kills"
        _, figure, condition = dialog.findChildren(QComboBox)
        figure.setCurrentIndex(figure.findData("blue-2"))
        condition.setEditText("pinned")
        for _ in range(2):  # the same status is added only once
            button(dialog, "Add").click()
        reason(dialog).setText("agreed")
        ok(dialog)

    with answered(RulingDialog, answer):
        press(panel, "Overrule")
    state = state_of(window)
    assert state.unit("blue-1").out
    assert dict(state.unit("blue-2").statuses) == {"pinned": True}
    assert state.unit("green-1").acts_this_turn == {"attack": 1}


def test_a_forbidden_shot_is_allowed_by_the_players(window: Window, panel: BattlePanel) -> None:
    next_phase(window)  # blue moves
    window.battle.choose("green-1")
    panel.action_list.choose(0)
    assert "it is the turn of Blue" in panel.why.text()

    def answer(dialog: RulingDialog) -> None:
        assert dialog.override.outcome == "nothing happens"
        _, figure, _ = dialog.findChildren(QComboBox)
        assert figure.currentData() == "blue-1"  # the figure concerned comes first
        button(dialog, "Add").click()
        assert dialog.statuses == [("blue-1", "eliminated")]
        _, statuses = dialog.findChildren(QListWidget)
        statuses.setCurrentRow(0)
        button(dialog, "Remove").click()
        assert dialog.statuses == []
        button(dialog, "Add").click()
        reason(dialog).setText("the grenade lay there all the time")
        ok(dialog)

    with answered(RulingDialog, answer):
        press(panel, "Overrule")
    assert state_of(window).unit("blue-1").out


def test_a_cancelled_override_changes_nothing(window: Window, panel: BattlePanel) -> None:
    before = state_of(window)
    panel.action_list.choose(0)
    with answered(RulingDialog, lambda dialog: QTest.keyClick(dialog, Qt.Key.Key_Escape)):
        press(panel, "Overrule")
    assert state_of(window) == before
