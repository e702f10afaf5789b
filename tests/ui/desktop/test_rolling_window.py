"""Dice in the battle card of the real window: nothing else happens while they are rolled."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QLabel, QLineEdit

from rules.engine.dice import Roll
from rules.engine.events import ActionResolved, PhaseBegun
from rules.engine.text import display_name
from tests.ui.desktop.test_battle_window import press, started_battle
from tests.ui.windows import POSTS, Wait, button, click, next_phase, show_change, texts
from tools.layout_check import layout_problems
from ui.desktop.battle.dice_card import DiceCard
from ui.desktop.battle.panel import PHOTO_PX, BattlePanel
from ui.desktop.window import Window


def attack(window: Window, path: Path) -> tuple[BattlePanel, DiceCard]:
    """Simple Plastic: Green 1 attacks, and the die is asked for."""
    panel = started_battle(window, path)
    next_phase(window)
    next_phase(window)
    window.battle.choose("green-1")
    panel.action_list.choose(0)
    press(panel, "Own dice")
    assert window.battle.rolling.card is not None
    return panel, window.battle.rolling.card


def entries(window: Window) -> int:
    return len(window.battle.play.battle.entries)


def test_the_card_names_the_action_and_goes_afterwards(window: Window, wait_until: Wait, tmp_path: Path) -> None:
    panel, card = attack(window, tmp_path / "b")
    assert f"Green 1: {panel.chosen.action.words}" in texts(card)
    assert display_name(panel.chosen.action.at[0]) in panel.chosen.action.words
    before = entries(window)
    card.take([1])
    assert window.battle.rolling.card is None
    assert entries(window) == before + 1
    assert panel.result.text().startswith("Misses")
    [rolled] = [label for label in panel.findChildren(QLabel) if label.text().endswith(": 1")]
    wait_until(lambda: rolled.isVisibleTo(panel))
    window.commands.undo()
    assert panel.why.text() == ""
    assert not rolled.isVisibleTo(panel)


def test_the_card_shows_the_soldiers_picture(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b")
    [photo] = [label for label in panel.findChildren(QLabel) if label.accessibleName() == "Picture of the soldier"]
    assert not photo.isVisible()
    window.battle.choose("green-1")
    assert photo.isVisible()
    assert photo.pixmap().width() == PHOTO_PX
    window.battle.choose("")
    assert not photo.isVisible()


def test_nothing_else_is_done_while_dice_are_rolled(window: Window, tmp_path: Path) -> None:
    _, card = attack(window, tmp_path / "b")
    before, phase = entries(window), window.battle.turn_bar.shown.heading
    next_phase(window)
    assert "Roll the dice first" in window.bar.text
    window.commands.undo()
    assert "Roll the dice first" in window.bar.text
    window.store.use_tool("select")
    click(window, POSTS["blue-1"])
    assert (entries(window), window.battle.turn_bar.shown.heading, window.battle.chosen) == (before, phase, "green-1")
    assert window.battle.rolling.card is card
    window.pull()  # pictures and measuring go on
    assert window.battle.rolling.card is card
    assert any("faces of your own dice" in text for text in texts(window))


def test_escape_takes_the_action_back(window: Window, tmp_path: Path) -> None:
    panel, card = attack(window, tmp_path / "b")
    before = entries(window)
    field = card.findChild(QLineEdit)
    assert field is not None
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert window.battle.rolling.card is None
    assert entries(window) == before
    assert panel.chosen is not None
    assert window.battle.chosen == "green-1"


@pytest.mark.slow
def test_closing_the_battle_ends_the_roll(window: Window, tmp_path: Path) -> None:
    _, card = attack(window, tmp_path / "b")
    before = entries(window)
    window.battle.close()
    assert window.battle.rolling.card is None
    window.battle.open(tmp_path / "b")
    assert entries(window) == before
    card.take([6])  # too late
    assert entries(window) == before


def test_a_second_request_cannot_be_cancelled(window: Window, tmp_path: Path) -> None:
    """Army Men: both sides roll for the first move, one after the other."""
    panel = started_battle(window, tmp_path / "b", "army_men", "rifleman")
    next_phase(window)
    panel.action_list.choose(0)
    press(panel, "Own dice")
    first = window.battle.rolling.card
    assert first.may_cancel
    assert button(first, "Roll all").isVisible()
    first.take([3])
    second = window.battle.rolling.card
    assert second is not first
    assert not second.may_cancel
    window.store.use_tool("select")
    window.commands.cancel()
    assert window.battle.rolling.card is second
    second.take([5])
    assert window.battle.rolling.card is None


def test_one_click_rolls_the_selected_action(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b")
    next_phase(window)
    next_phase(window)
    assert panel.do_button.text() == "Do it", "nothing is selected"
    window.battle.choose("green-1")
    panel.action_list.choose(0)
    before = entries(window)
    press(panel, "Roll")
    assert window.battle.rolling.card is None
    assert entries(window) == before + 1
    play = window.battle.play
    *_, shot = play.battle.in_force.values()
    assert isinstance(shot, ActionResolved)
    assert len(shot.throws) == 1
    window.battle.choose("")
    panel.action_list.choose(0)
    assert panel.chosen.action.name == "victory"
    assert panel.do_button.text() == "Do it", "no dice decide who has won"


def test_all_morale_checks_are_rolled_from_the_panel(window: Window, tmp_path: Path, wait_until: Wait) -> None:
    panel = started_battle(window, tmp_path / "b", "plastic_fudge", "basic")
    play = window.battle.play
    play.battle.record(PhaseBegun(turn=1, phase="morale"))
    show_change(window)
    next_phase(window)  # selects the first check that is owed
    window.resize(1366, 749)
    panel.grab()  # arranges the buttons
    assert [one for one in layout_problems(panel) if "Roll" in one or "dice" in one or "Overrule" in one] == []
    assert button(panel, "Roll all 4").text() == "Roll all 4"
    QTest.keyClick(window, Qt.Key.Key_A, Qt.KeyboardModifier.AltModifier)

    def checks() -> int:
        return sum(isinstance(one, ActionResolved) for one in play.battle.in_force.values())

    wait_until(lambda: checks() == 4)  # Qt shows the button pressed for a moment
    assert window.battle.rolling.card is None


def test_roll_all_rolls_every_morale_check(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b", "plastic_fudge", "basic")
    play = window.battle.play
    play.battle.record(PhaseBegun(turn=1, phase="morale"))
    show_change(window)
    panel.action_list.choose(0)
    press(panel, "Own dice")
    card = window.battle.rolling.card
    assert card is not None
    QTest.mouseClick(button(card, "Roll all 4"), Qt.MouseButton.LeftButton)
    assert window.battle.rolling.card is None
    done = [one for one in play.battle.in_force.values() if isinstance(one, ActionResolved)]
    assert len(done) == 4
    assert all(isinstance(throw.faces, tuple) and Roll(throw.faces) for one in done for throw in one.throws)
    assert len(panel.why.text().splitlines()) == 4
    window.commands.undo()
    assert len([one for one in play.battle.in_force.values() if isinstance(one, ActionResolved)]) == 3
