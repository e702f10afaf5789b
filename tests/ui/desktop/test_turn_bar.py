"""The turn bar in the real window: shown during a battle, goes on by mouse and key, and leads to what is owed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QWidget

from rules.engine.events import Change, Changed, PhaseBegun
from tests.ui.desktop.test_battle_window import started_battle
from tests.ui.windows import LEFT, Owned, Wait, next_phase, show_change, texts
from ui.battle.turn_bar import TurnBar
from ui.desktop.battle.turn_bar import TurnBarView
from ui.desktop.window import Window
from ui.theme import DARK, GREEN


def test_it_is_shown_only_while_a_battle_is_open(window: Window, tmp_path: Path) -> None:
    bar = window.battle.turn_bar
    assert not bar.isVisible()
    assert bar.shown is None
    started_battle(window, tmp_path / "b")
    assert bar.isVisible()
    assert bar.height() == 40
    assert bar.mapTo(window, bar.rect().bottomLeft()).y() < window.picture.mapTo(window, bar.rect().topLeft()).y()
    window.battle.close()
    assert not bar.isVisible()


def test_the_key_goes_on_from_any_tab(window: Window, wait_until: Wait, tmp_path: Path) -> None:
    started_battle(window, tmp_path / "b")
    window.sides.setCurrentWidget(window.panel)
    window.activateWindow()
    wait_until(window.isActiveWindow)
    window.picture.setFocus()
    QTest.keyClick(window.picture, Qt.Key.Key_N)
    wait_until(lambda: window.battle.turn_bar.shown.heading == "Turn 1 · Green moves")
    assert window.sides.currentWidget() is window.battle.panel


def test_it_leads_to_what_is_owed_and_then_skips_it(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b", "plastic_fudge", "basic")
    window.battle.play.battle.record(PhaseBegun(turn=1, phase="morale"))
    show_change(window)
    window.sides.setCurrentWidget(window.panel)
    bar = window.battle.turn_bar
    assert bar.button.text() == "Morale: 4 to do…"
    next_phase(window)
    assert panel.isVisible()
    assert panel.why.text() == (
        "Still to do: Morale of Green 1, Morale of Green 2, Morale of Blue 1, 1 more. Press N again to skip it."
    )
    assert bar.button.text() == "Skip 4: turn 2"
    next_phase(window)
    assert bar.shown.heading == "Turn 2 · Initiative"


def test_the_only_thing_owed_is_selected_and_return_does_it(window: Window, wait_until: Wait, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b", "army_men", "rifleman")
    battle = window.battle.play.battle
    battle.record(PhaseBegun(turn=1, phase="automatic_weapons"))
    hit = (("down", True), ("down_in_phase", 2))
    battle.record(Changed(changes=tuple(Change(figure="blue-1", key=key, value=value) for key, value in hit)))
    show_change(window)
    window.activateWindow()
    wait_until(window.isActiveWindow)
    next_phase(window)
    assert panel.chosen.action.words == "Take off Blue 1"
    focused = window.focusWidget()
    assert focused is not None
    QTest.keyClick(focused, Qt.Key.Key_Return)
    assert battle.state.unit("blue-1").out


def test_of_several_things_owed_the_first_is_selected(window: Window, wait_until: Wait, tmp_path: Path) -> None:
    """Each side's casualties take one press of the bar and one of the button; nothing is skipped by then."""
    panel = started_battle(window, tmp_path / "b", "army_men", "rifleman")
    battle = window.battle.play.battle
    battle.record(PhaseBegun(turn=1, phase="automatic_weapons"))
    hit = (("down", True), ("down_in_phase", 2))
    down = ("green-1", "blue-1")
    battle.record(
        Changed(changes=tuple(Change(figure=one, key=key, value=value) for one in down for key, value in hit))
    )
    show_change(window)
    bar = window.battle.turn_bar
    for left, words in ((2, "Take off Green 1"), (1, "Take off Blue 1")):
        assert bar.shown.left == f"{left} to do"
        assert bar.shown.is_next
        next_phase(window)
        assert panel.chosen.action.words == words
        assert not bar.shown.is_next
        QTest.mouseClick(panel.do_button, LEFT)
    assert all(battle.state.unit(one).out for one in down)


@pytest.mark.parametrize(
    ("game", "phase", "heading", "following"),
    [
        ("army_men", "movement", "Turn 1 · Green moves", "Turn 1 · Blue moves"),
        ("simple_plastic_figure", "first_actions", "Turn 1 · Green acts", "Turn 1 · Blue checks status"),
    ],
)
def test_unanswered_moves_are_named_before_the_next_phase_forbids_them(
    window: Window, tmp_path: Path, game: str, phase: str, heading: str, following: str
) -> None:
    panel = started_battle(window, tmp_path / "b", game)
    window.battle.play.battle.record(PhaseBegun(turn=1, side="green", phase=phase))
    show_change(window)
    assert window.battle.turn_bar.shown.heading == heading
    view = window.store.view
    moved = [replace(one, x_in=one.x_in + 2.0) if one.id == "green-1" else one for one in view.figures]
    view = replace(view, tracking=replace(view.tracking, figures=tuple(moved)))
    window.battle.update_position(view, window.store.session.state.setup)
    assert len(window.battle.pending) == 1
    bar = window.battle.turn_bar
    assert (bar.button.text(), bar.shown.is_next) == ("1 move to answer…", False)
    warnings: list[str] = []
    window.battle.warned.connect(lambda words: warnings.extend((words, panel.why.text())))
    next_phase(window)
    assert bar.shown.heading == heading
    assert warnings == 2 * ["1 move is not answered: answer it above. Press N again to skip it."]
    # The window's own view, which it has taken since, shows the soldier where it was.
    assert window.battle.pending == ()
    assert panel.why.text() == "", "the warning goes with its move"
    next_phase(window)
    assert window.battle.turn_bar.shown.heading == following


def test_a_warning_goes_with_its_battle(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b")
    panel.show_outcome("1 move is not answered: answer it above. Press N again to skip it.")
    window.battle.close()
    assert panel.why.text() == ""


def test_the_text_shrinks_to_fit_and_the_colours_are_the_sides(owned: Owned[QWidget]) -> None:
    bar = TurnBarView()
    owned(bar)
    bar.resize(900, 40)
    bar.show_turn(TurnBar("Turn 2 · Green moves", "6 left", "Done: Tan moves", "Begin", GREEN, DARK))
    assert "Turn 2 · Green moves · 6 left" in texts(bar)
    wide = bar.words.font().pixelSize()
    assert wide == 28
    bar.resize(480, 40)
    assert 14 <= bar.words.font().pixelSize() < wide
    bar.resize(400, 40)
    assert bar.words.font().pixelSize() == 14
    assert any(words.startswith("Turn 2") and words.endswith("…") for words in texts(bar))
    bar.resize(900, 40)
    image = bar.grab().toImage().copy(0, 0, 400, 40)  # the text alone
    shown = {image.pixelColor(x, y).getRgb() for x in range(image.width()) for y in range(image.height())}
    assert {GREEN, DARK} <= shown
    assert (255, 255, 255, 255) not in shown
    assert bar.button.shortcut().toString() == "N"
    bar.show_turn(TurnBar("Waiting for soldiers"))
    assert not bar.button.isVisible()


def test_only_the_next_thing_to_press_is_filled(owned: Owned[QWidget]) -> None:
    bar = owned(TurnBarView())
    bar.resize(900, 40)
    bar.show()
    for is_next, ground in ((True, DARK), (False, GREEN)):
        bar.show_turn(TurnBar("Turn 2 · Green moves", "", "Done", "", GREEN, DARK, is_next))
        assert bar.button.grab().toImage().pixelColor(8, 10).getRgb() == ground
