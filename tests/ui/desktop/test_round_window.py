"""Rounds in the real window, by keyboard alone: the next is chosen and ringed by itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QListWidget

from rules.dice import DiceRequest, Roll
from rules.events import Change, Changed, PhaseBegun
from tests.ui.desktop.test_battle_window import mustered, press
from tests.ui.windows import POSTS, Wait, click, show_change, texts
from ui.battle.battle_overlay import Stray, stray_marks
from ui.desktop.battle.panel import BattlePanel
from ui.desktop.window import Window


def best(request: DiceRequest) -> Roll:
    return Roll((max(request.die.faces),) * request.count)


def morale(window: Window, path: Path) -> BattlePanel:
    panel = mustered(window, path, "plastic_fudge", "basic")
    assert window.battle.play is not None
    window.battle.play.battle.record(PhaseBegun(turn=1, phase="morale"))
    show_change(window)
    window.battle.dice = best
    return panel


def key(panel: BattlePanel, name: Qt.Key, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(QApplication.focusWidget() or panel, name, keys)


def test_morale_goes_on_by_itself_with_one_key(window: Window, tmp_path: Path, wait_until: Wait) -> None:
    panel = morale(window, tmp_path / "b")
    assert panel.walk.words == ""
    key(panel, Qt.Key.Key_X)
    wait_until(lambda: panel.walk.words == "Morale, 1 of 4: Green 1")
    assert window.battle.pointing.picked == "green-1"
    assert panel.chosen is not None
    assert panel.chosen.deed.action == "morale_check"
    key(panel, Qt.Key.Key_Return)
    assert panel.walk.words == "Morale, 2 of 4: Green 2"
    assert panel.walk.steps == ("✓ Green 1", "Green 2", "Blue 1", "Blue 2")
    assert any(words.startswith("Green 1: ") for words in texts(panel.walk))
    assert window.battle.pointing.picked == "green-2"
    key(panel, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    wait_until(lambda: panel.walk.words == "Morale, 3 of 4: Blue 1")
    key(panel, Qt.Key.Key_Return)
    key(panel, Qt.Key.Key_Return)
    assert panel.walk.words == "Morale: 1 skipped"
    key(panel, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    wait_until(lambda: panel.walk.words == "Morale, 2 of 4: Green 2")
    key(panel, Qt.Key.Key_Return)
    assert panel.walk.words == "Morale: all done"
    key(panel, Qt.Key.Key_Escape)
    assert panel.walk.words == ""
    window.undo()
    assert window.battle.play is not None
    assert "checked" not in window.battle.play.battle.state.unit("green-2").this_turn


def test_a_click_in_the_list_or_on_the_table_asks_that_one(window: Window, tmp_path: Path) -> None:
    panel = morale(window, tmp_path / "b")
    press(panel, "Morale, one by one")
    steps = panel.walk.findChild(QListWidget)
    assert steps is not None
    steps.itemClicked.emit(steps.item(3))
    assert panel.walk.words == "Morale, 4 of 4: Blue 2"
    window.use_tool("select")
    click(window, POSTS["green-2"])
    assert panel.walk.words == "Morale, 2 of 4: Green 2"
    press(panel, "Next")
    assert panel.walk.words == ""


def test_fire_asks_only_who_has_somebody_to_fire_at(window: Window, tmp_path: Path, wait_until: Wait) -> None:
    panel = mustered(window, tmp_path / "b")
    press(panel, "Next")
    press(panel, "Next")
    window.battle.dice = lambda request: Roll((1,) * request.count)  # misses
    press(panel, "Fire, one by one")
    wait_until(lambda: panel.walk.words == "Fire, 1 of 2: Green 1")
    chosen: Callable[[], str] = lambda: panel.chosen.deed.at[0] if panel.chosen else ""  # noqa: E731
    assert chosen() == "blue-1"
    window.use_tool("select")
    click(window, POSTS["blue-2"])  # whom he may attack is his target
    assert (panel.walk.words, chosen()) == ("Fire, 1 of 2: Green 1", "blue-2")
    key(panel, Qt.Key.Key_Up)
    assert chosen() == "blue-1"
    key(panel, Qt.Key.Key_Return)
    wait_until(lambda: panel.walk.words == "Fire, 2 of 2: Green 2")
    assert "Green 1: Misses" in texts(panel.walk)


def test_what_has_strayed_is_drawn_until_the_next_deed(window: Window, tmp_path: Path) -> None:
    panel = mustered(window, tmp_path / "b", "simple_plastic_figure", "german_50mm_mortar")
    play = window.battle.play
    assert play is not None
    play.battle.record(PhaseBegun(turn=1, side="green", phase="first_actions"))
    play.battle.record(Changed(changes=(Change(figure="green-1", key="status_die", value=1, this_turn=True),)))
    show_change(window)
    window.battle.choose("green-1")
    window.battle.point("", (18.0, 14.0))
    faces = iter([2, 3, 4, 4, 4, 4])
    window.battle.dice = lambda request: Roll(tuple(next(faces) for _ in range(request.count)))
    assert panel.chosen is not None
    assert panel.chosen.possible, panel.chosen.why_not
    press(panel, "Do it")
    # WW-43, WW-44: a 2 is no hit and goes to a side, the next die says how many inches.
    landed = play.battle.state.this_turn["landed"]
    assert (tuple(landed["aimed_in"]), tuple(landed["spot_in"])) != ((18.0, 14.0), (18.0, 14.0))
    assert window.battle.pointing.marks == stray_marks(Stray((18.0, 14.0), tuple(landed["spot_in"])))
    window.battle.choose("")
    assert window.battle.pointing.marks  # until the next deed
    press(panel, "Next")
    assert window.battle.pointing.marks == ()
