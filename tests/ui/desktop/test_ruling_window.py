"""The players overrule the rules in the real window: after the dice, instead of them, and with a word of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QComboBox, QDialogButtonBox, QLineEdit, QListWidget

from rules.state import State
from tests.ui.desktop.modal import answered
from tests.ui.desktop.test_battle_window import mustered, press, rolls
from tests.ui.windows import Wait, button
from ui.desktop.battle.panel import BattlePanel
from ui.desktop.battle.ruling_dialog import RulingDialog
from ui.desktop.window import Window


@pytest.fixture
def panel(window: Window, tmp_path: Path) -> BattlePanel:
    """Green attacks; Green 1 is chosen."""
    panel = mustered(window, tmp_path / "b")
    press(panel, "Next")
    press(panel, "Next")
    window.battle.choose("green-1")
    return panel


def state_of(window: Window) -> State:
    assert window.battle.play is not None
    return window.battle.play.battle.state


def ok(dialog: RulingDialog) -> None:
    [box] = dialog.findChildren(QDialogButtonBox)
    button = box.button(QDialogButtonBox.StandardButton.Ok)
    assert button is not None
    assert button.isEnabled() == bool(dialog.reason)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def reason(dialog: RulingDialog) -> QLineEdit:
    """Where the reason is typed."""
    [line] = [one for one in dialog.findChildren(QLineEdit) if one.parent() is dialog]
    return line


def test_what_the_dice_said_is_overruled_by_keyboard_and_undone_by_name(
    window: Window, panel: BattlePanel, wait_until: Wait
) -> None:
    panel.choose(0)
    assert panel.chosen is not None
    target = panel.chosen.deed.at[0]
    rolls(window, 6)
    press(panel, "Do it")
    assert state_of(window).unit(target).out

    def answer(dialog: RulingDialog) -> None:
        assert dialog.case.words == "Green 1: Attack on Blue 1: kills"
        instead, _ = dialog.findChildren(QListWidget)
        words = [instead.item(row).text() for row in range(instead.count())]  # type: ignore[union-attr]
        # SP-11, SP-12: who stayed needs 3; what was said is no choice.
        assert words == [
            "Misses, 33 % by the dice",
            "Nothing comes of it; it counts as done",
            "As if it had not been tried",
        ]
        ok(dialog)  # nothing without a reason
        assert dialog.isVisible()
        why = reason(dialog)
        why.setFocus()
        QTest.keyClicks(why, "he stood behind the wagon")
        QTest.keyClick(why, Qt.Key.Key_Return)

    with answered(RulingDialog, answer):
        press(panel, "Rule otherwise")
    assert not state_of(window).unit(target).out
    assert panel.why == "Misses, 33 % by the dice\nhe stood behind the wagon"
    play = window.battle.play
    assert play is not None
    assert "  The players overrule Green 1: Attack on Blue 1: kills: misses. He stood behind the wagon." in play.story
    wait_until(lambda: window.actions_.undo.text() == "Undo overruled Green 1: Attack on Blue 1: kills: misses")
    window.undo()
    assert state_of(window).unit(target).out


def test_instead_of_rolling(window: Window, panel: BattlePanel) -> None:
    panel.choose(0)

    def answer(dialog: RulingDialog) -> None:
        assert dialog.case.words.startswith("Instead of rolling: Green 1: Attack on Blue")
        assert dialog.holding is not None
        assert dialog.holding.outcome == "kills"
        _, figure, condition = dialog.findChildren(QComboBox)
        figure.setCurrentIndex(figure.findData("blue-2"))
        condition.setEditText("pinned")
        for _ in range(2):  # twice is once
            button(dialog, "Add").click()
        reason(dialog).setText("agreed")
        ok(dialog)

    with answered(RulingDialog, answer):
        press(panel, "Rule otherwise")
    state = state_of(window)
    assert state.unit("blue-1").out
    assert dict(state.unit("blue-2").statuses) == {"pinned": True}
    assert state.unit("green-1").acts_this_turn == {"attack": 1}


def test_whom_the_rules_let_not_fire_the_players_may(window: Window, panel: BattlePanel) -> None:
    press(panel, "Next")  # blue moves
    window.battle.choose("green-1")
    panel.choose(0)
    assert "it is the turn of Blue" in panel.why

    def answer(dialog: RulingDialog) -> None:
        assert dialog.holding is not None
        assert dialog.holding.outcome == "nothing comes of it"
        _, figure, _ = dialog.findChildren(QComboBox)
        assert figure.currentData() == "blue-1"  # whom it is about comes first
        button(dialog, "Add").click()
        assert dialog.said == (("blue-1", "eliminated"),)
        _, said = dialog.findChildren(QListWidget)
        said.setCurrentRow(0)
        button(dialog, "Remove").click()
        assert dialog.said == ()
        button(dialog, "Add").click()
        reason(dialog).setText("the grenade lay there all the time")
        ok(dialog)

    with answered(RulingDialog, answer):
        press(panel, "Rule otherwise")
    assert state_of(window).unit("blue-1").out


def test_called_off_nothing_has_happened(window: Window, panel: BattlePanel) -> None:
    before = state_of(window)
    panel.choose(0)
    with answered(RulingDialog, lambda dialog: QTest.keyClick(dialog, Qt.Key.Key_Escape)):
        press(panel, "Rule otherwise")
    assert state_of(window) == before
