"""A battle in the real window: mustered, shot, moved by hand, undone, opened again."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QComboBox, QPushButton

from rules.dice import DiceRequest, Die, Roll, Scripted
from rules.table import Refused
from tests.ui.windows import POSTS, Open, Wait, click
from ui.armies import Shelf
from ui.desktop.battle_panel import BattlePanel
from ui.desktop.muster_dialog import MusterDialog
from ui.desktop.roll import RollDialog
from ui.desktop.window import Window

LEFT = Qt.MouseButton.LeftButton


def mustered(window: Window, path: Path, game: str = "simple_plastic") -> BattlePanel:
    """A battle of two riflemen a side, one squad each."""
    view = window.bench.view
    assert view is not None
    dialog = MusterDialog(["green", "blue"], view.figures, Shelf(path.parent / "armies"), window)
    dialog.choose_game(game)
    for figure in view.figures:
        dialog.choose_card(figure.id, next(iter(dialog.muster.armies.values())).recruits[0].card or "", figure.army)
    window.battle.begin(path, dialog.muster)
    dialog.deleteLater()
    window._show_battle()
    return window.battle.panel


def press(panel: BattlePanel, words: str) -> None:
    """Click the button that begins so."""
    [button] = [one for one in panel.findChildren(QPushButton) if one.text().startswith(words)]
    QTest.mouseClick(button, LEFT)


def rolls(window: Window, *faces: int) -> None:
    """Let the dice fall so, without a dialog."""
    window.battle._dice = Scripted(faces)


def test_from_muster_to_the_first_shot_and_back(window: Window, tmp_path: Path) -> None:
    panel = mustered(window, tmp_path / "b")
    assert panel.phase == "Set-up"
    press(panel, "Next")
    press(panel, "Next")
    assert panel.phase == "Turn 1, Green, attacking"
    window.use_tool("select")
    click(window, POSTS["green-1"])
    panel.choose(0)
    assert "the attacker did not move (SP-12)" in panel.why
    rolls(window, 6)
    target = panel.chosen.deed.at[0]  # type: ignore[union-attr]
    press(panel, "Do it")
    assert panel.why.startswith("Kills")
    play = window.battle.play
    assert play is not None
    assert play.battle.state.unit(target).out
    window.undo()
    assert not play.battle.state.unit(target).out
    window.redo()
    assert play.battle.state.unit(target).out


def test_a_shot_that_is_called_off_has_not_happened(window: Window, tmp_path: Path) -> None:
    panel = mustered(window, tmp_path / "b")
    press(panel, "Next")
    press(panel, "Next")
    window.battle.choose("green-1")
    panel.choose(0)
    play = window.battle.play
    assert play is not None
    before = len(play.battle.entries)

    def off(_: DiceRequest) -> Roll:
        raise Refused("the roll was called off: nothing has happened")

    window.battle._dice = off
    press(panel, "Do it")
    assert len(play.battle.entries) == before
    assert "called off" in window.bar.text


def test_what_the_rules_forbid_cannot_be_done_and_says_why(window: Window, tmp_path: Path) -> None:
    panel = mustered(window, tmp_path / "b")
    press(panel, "Next")
    window.battle.choose("green-1")
    panel.choose(0)
    assert "attacking phase" in panel.why
    [do] = [one for one in panel.findChildren(QPushButton) if one.text() == "Do it"]
    assert not do.isEnabled()


def test_killed_and_opened_again_it_is_the_same_battle(
    window: Window, open_window: Open, wait_until: Wait, tmp_path: Path
) -> None:
    panel = mustered(window, tmp_path / "b")
    press(panel, "Next")
    assert window.battle.play is not None
    before = window.battle.play.battle.state
    window.battle.play.battle.close()  # as if the process had ended: nothing else is saved
    other = open_window()
    other.battle.open(tmp_path / "b")
    wait_until(lambda: other.bench.view and len(other.bench.view.figures) == len(POSTS))
    assert other.battle.play is not None
    assert other.battle.play.battle.state == before


def test_an_answer_of_the_players_changes_the_number(window: Window, tmp_path: Path) -> None:
    panel = mustered(window, tmp_path / "b")
    press(panel, "Next")
    press(panel, "Next")
    window.battle.choose("green-1")
    panel.choose(0)
    assert "67 %" in panel.why  # SP-11, SP-12: 4 less 1 for staying is 3 or more
    box = next(one for one in panel.findChildren(QComboBox) if one.findData(True) >= 0)
    box.setCurrentIndex(box.findData(True))
    box.activated.emit(box.currentIndex())
    assert "50 %" in panel.why  # behind cover +1


@pytest.mark.parametrize(("keys", "faces"), [("6 3", (6, 3)), ("63", (6, 3)), ("6,3", (6, 3))])
def test_faces_are_typed_as_people_type_them(qt: QApplication, keys: str, faces: tuple[int, ...]) -> None:
    dialog = RollDialog(DiceRequest(Die.D6, 2, "green-1", "the attack"), random.SystemRandom())
    QTest.keyClicks(dialog._faces, keys)
    assert dialog.roll == Roll(faces)


def test_a_seventh_face_is_refused_and_dice_report_by_themselves(qt: QApplication) -> None:
    dialog = RollDialog(DiceRequest(Die.D6, 2, "green-1", "the attack"), random.SystemRandom())
    QTest.keyClicks(dialog._faces, "7 1")
    assert dialog.roll is None
    assert "7" in dialog._words.text()
    dialog._faces.clear()
    dialog.take([2])
    assert dialog.roll is None
    dialog.take([5])
    assert dialog.roll == Roll((2, 5))
