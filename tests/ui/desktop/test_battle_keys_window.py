"""A battle by keys alone in the real window: selecting figures and aiming with the cross-hair."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from rules.tabletop.template import Blast
from tests.ui.desktop.test_battle_window import rolls, started_battle
from tests.ui.windows import POSTS, next_phase
from ui.desktop.help_controller import keys_of
from ui.desktop.window import Window

KEY, SHIFT = Qt.Key, Qt.KeyboardModifier.ShiftModifier


def key(window: Window, which: Qt.Key, times: int = 1, *, shift: bool = False) -> None:
    for _ in range(times):
        where = window.focusWidget() or window
        QTest.keyClick(where, which, SHIFT if shift else Qt.KeyboardModifier.NoModifier)


def test_a_shot_without_a_mouse(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b")
    next_phase(window)
    next_phase(window)
    assert window.battle.turn_bar.shown.heading == "Turn 1 · Green attacks"
    key(window, KEY.Key_U)
    assert "Green 1" in panel.about.text()
    key(window, KEY.Key_U)
    assert "Green 2" in panel.about.text()
    key(window, KEY.Key_U, shift=True)
    assert "Green 1" in panel.about.text()
    key(window, KEY.Key_Down)  # the action list has the focus now
    chosen = panel.chosen
    assert chosen.possible
    rolls(window, 6)
    key(window, KEY.Key_Return)
    assert panel.result.text().startswith("Kills")
    key(window, KEY.Key_Escape)
    assert panel.about.text().startswith("Click a soldier")


def test_a_grenade_aimed_by_keys(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b", "army_men", "grenadier")
    while window.battle.turn_bar.shown.heading != "Turn 1 · Heavy weapons":
        next_phase(window)
    key(window, KEY.Key_H)
    assert "select a soldier first" in window.bar.text.lower()
    key(window, KEY.Key_U)
    key(window, KEY.Key_H)
    assert window.battle.cross_hair_in == pytest.approx(POSTS["blue-1"], abs=0.2)  # the nearest enemy, as seen
    start = window.battle.cross_hair_in
    key(window, KEY.Key_Left, 2)
    key(window, KEY.Key_Up, shift=True)
    there = (start[0] - 0.5, start[1] + 1.0)
    assert window.battle.cross_hair_in == pytest.approx(there)
    laid = window.battle.aiming(None).template
    assert isinstance(laid, Blast)
    assert laid.centre_in == pytest.approx(there)
    key(window, KEY.Key_Return)
    assert window.battle.cross_hair_in is None
    assert f"aims at ({there[0]:.1f}, {there[1]:.1f})" in panel.about.text()
    found = panel.chosen
    assert found.action.spot_in == pytest.approx(there)
    rolls(window, 3, 2)
    key(window, KEY.Key_Return)
    assert panel.result.text().startswith("Hits")


def test_escape_removes_the_cross_hair_first(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b", "army_men", "grenadier")
    while window.battle.turn_bar.shown.heading != "Turn 1 · Heavy weapons":
        next_phase(window)
    key(window, KEY.Key_U)
    key(window, KEY.Key_H)
    key(window, KEY.Key_Escape)
    assert window.battle.cross_hair_in is None
    assert "Green 1" in panel.about.text()
    key(window, KEY.Key_Down)  # the list's own key again
    assert panel.chosen is not None


def test_escape_puts_another_tool_away_before_it_deselects(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b")
    next_phase(window)
    next_phase(window)
    key(window, KEY.Key_U)
    key(window, KEY.Key_Down)  # the list of actions has the focus
    key(window, KEY.Key_S)
    assert window.store.tool.name == "sight"
    key(window, KEY.Key_Escape)
    assert window.store.tool.name == "select"
    assert panel.chosen is not None, "the shot is still selected"
    key(window, KEY.Key_Escape)
    assert window.battle.chosen == ""


def test_a_figure_without_area_actions_gets_a_message(window: Window, tmp_path: Path) -> None:
    started_battle(window, tmp_path / "b")
    next_phase(window)
    next_phase(window)
    key(window, KEY.Key_U)
    key(window, KEY.Key_H)
    assert window.bar.text == "Green 1 has no action that aims at a place"
    assert window.battle.cross_hair_in is None


def test_the_keys_do_nothing_outside_the_battle_tab(window: Window) -> None:
    key(window, KEY.Key_U)
    key(window, KEY.Key_H)
    assert window.store.tool.name == "measure"


def test_the_list_of_keys_contains_them(window: Window) -> None:
    told = {keys: (name, tip) for _, rows in keys_of(window) for keys, name, tip in rows}
    assert told["Left Right Up Down"][1] == "Move the cross-hair by a quarter of an inch"
    assert told["Shift+Left Shift+Right Shift+Up Shift+Down"][1] == "Move the cross-hair by one inch"
    assert told["U Shift+U"][0] == "Next soldier"
    assert told["H"][0] == "Aim"
    assert told["Return Enter"][0] == "Aim"
