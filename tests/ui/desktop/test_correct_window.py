"""Corrections in two clicks in the real window."""

from dataclasses import replace
from typing import Any

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QAction, QContextMenuEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QInputDialog, QMenu, QPushButton

from rules.tabletop.table import Posture
from tests.ui.windows import BARE_IN, POSTS, Wait, at, click, point, texts
from ui.desktop.window import Window
from vision.figure_search import Sighting
from vision.figures import Finder

RIGHT = Qt.MouseButton.RightButton


def ask(window: Window, place_in: tuple[float, float]) -> QMenu:
    """The context menu at this place."""
    QTest.mouseClick(window.picture, RIGHT, pos=at(window, place_in))
    menu = window.features.corrections.menu
    assert menu.isVisible()
    return menu


def choose(menu: QMenu, *words: str) -> None:
    """Click an entry of a menu or its submenus."""
    action = next(action for action in menu.actions() if action.text().replace("&", "").startswith(words[0]))
    if len(words) > 1:
        menu.setActiveAction(action)
        inner = action.menu()
        inner.popup(menu.mapToGlobal(menu.rect().topRight()))
        choose(inner, *words[1:])
    else:
        QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())


def figures(window: Window) -> dict[str, tuple[str, Posture]]:
    return {figure.id: (figure.army, figure.posture) for figure in window.store.view.figures}


def look_again(window: Window, wait_until: Wait) -> None:
    """Wait until another picture has been processed."""
    before = window.store.source_controller.worker.view
    wait_until(lambda: window.store.source_controller.worker.view is not before)
    window.pull()


def test_the_army_is_corrected_in_two_clicks_and_undone(window: Window, wait_until: Wait) -> None:
    choose(ask(window, POSTS["green-1"]), "Army", "blue")
    assert figures(window)["blue-3"] == ("blue", Posture.STANDING)
    assert "green-1" not in figures(window)
    assert window.actions_.undo.text() == "Undo Green 1 is blue"
    look_again(window, wait_until)
    assert "blue-3" in figures(window), "the next picture does not bring it back"
    window.actions_.undo.trigger()
    assert "green-1" in figures(window)
    window.actions_.redo.trigger()
    assert "blue-3" in figures(window)


def test_a_false_figure_is_deleted_and_stays_away(window: Window, wait_until: Wait) -> None:
    choose(ask(window, POSTS["blue-1"]), "Delete")
    assert sorted(figures(window)) == ["blue-2", "green-1", "green-2"]
    look_again(window, wait_until)
    assert "blue-1" not in figures(window)
    assert window.bar.text == "Corrected: delete Blue 1."
    [undo] = [one for one in window.bar.findChildren(QPushButton) if one.text() == "Undo"]
    undo.click()
    assert "blue-1" in figures(window)


def test_a_missing_figure_is_added_at_the_click(window: Window, wait_until: Wait) -> None:
    choose(ask(window, BARE_IN), "Add", "green, down")
    assert figures(window)["green-3"] == ("green", Posture.DOWN)
    added = next(one for one in window.store.view.figures if one.id == "green-3")
    assert added.centre_in == pytest.approx(BARE_IN, abs=0.05)  # half a screen pixel; 23 make an inch
    window.store.use_tool("measure")
    click(window, BARE_IN)
    click(window, POSTS["blue-1"])
    assert window.store.session.state.rulers[0].name == "Green 3 to Blue 1", "it is a figure like any other"


def test_the_left_button_opens_the_menu_and_the_next_click_places(window: Window) -> None:
    window.store.use_tool("correct")
    click(window, POSTS["green-2"])
    menu = window.features.corrections.menu
    assert menu is not None
    choose(menu, "Place by click")
    assert any("Green 2's base" in words for words in texts(window))
    click(window, (13.0, 7.0))
    moved = next(one for one in window.store.view.figures if one.id == "green-2")
    assert moved.centre_in == pytest.approx((13.0, 7.0), abs=0.05)
    assert window.store.session.can_undo == "place Green 2"
    assert window.store.tool.name == "correct"


def test_the_next_click_merges_two_figures_and_restores_the_tool(window: Window) -> None:
    window.store.use_tool("blast")
    choose(ask(window, POSTS["blue-2"]), "Same as", "The soldier I click")
    click(window, BARE_IN)
    assert "press Esc" in window.bar.text
    assert window.store.session.state.corrections == ()
    click(window, POSTS["blue-1"])
    assert sorted(figures(window)) == ["blue-1", "green-1", "green-2"]
    assert window.store.tool.name == "blast"
    assert window.store.session.state.rulers == window.store.session.state.corrections[1:] == ()


def test_escape_cancels_a_waiting_correction(window: Window) -> None:
    choose(ask(window, POSTS["blue-2"]), "Same as", "The soldier I click")
    window.commands.cancel()
    click(window, POSTS["blue-1"])
    assert window.store.session.state.corrections == ()


def test_a_figure_is_renamed(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: ("Sgt. G", True))
    choose(ask(window, POSTS["green-1"]), "Rename")
    assert "Sgt. G" in figures(window)
    choose(ask(window, POSTS["green-1"]), "Posture", "prone")
    assert figures(window)["Sgt. G"] == ("green", Posture.PRONE)


def test_the_menu_key_opens_the_menu_at_the_mouse(window: Window) -> None:
    point(window, POSTS["green-1"])
    spot = at(window, POSTS["green-1"])
    QApplication.sendEvent(window.picture, QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, spot))
    menu = window.features.corrections.menu
    assert menu is not None
    choose(menu, "Split")
    assert sorted(figures(window)) == ["blue-1", "blue-2", "green-1", "green-2", "green-3"]


def test_a_right_drag_opens_no_menu(window: Window) -> None:
    start = at(window, POSTS["green-1"])
    QTest.mousePress(window.picture, RIGHT, pos=start)
    QTest.mouseMove(window.picture, start + start * 0.1)
    QTest.mouseRelease(window.picture, RIGHT, pos=start + start * 0.1)
    assert window.features.corrections.menu is None


def test_a_click_beside_the_table_is_refused(window: Window) -> None:
    window.picture.moved.emit(-50.0, -50.0)
    window.picture.asked.emit()
    assert window.features.corrections.menu is None
    assert "Nothing can be corrected here" in window.bar.text


@pytest.mark.usefixtures("german")
def test_every_entry_of_the_menus_is_german(window: Window) -> None:
    english = {"Add", "Army", "Posture", "Same as", "Is really", "Stands here", "Turn…", "Rename…"}
    for place_in in (BARE_IN, POSTS["green-1"]):
        menu = ask(window, place_in)
        entries = {one.text().replace("&", "") for one in menu.actions() if one.text()}
        assert len(entries) > 2
        assert not entries & english
        menu.close()


@pytest.fixture
def uncertain(found: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The postures of the soldiers on the right are uncertain."""
    find = Finder.find

    def unsure(*args: Any, **options: Any) -> tuple[Sighting, ...]:
        doubt = {"postures": (0.6, 0.4, 0.0, 0.0)}
        return tuple(replace(one, **doubt) if one.x_in > 15 else one for one in find(*args, **options))

    monkeypatch.setattr("vision.pipeline.Finder.find", unsure)


def chosen_from_menu(window: Window, words: str) -> None:
    [entry] = [one for one in window.findChildren(QAction) if one.text() == words]
    entry.trigger()


def answer(window: Window, words: str) -> None:
    """Press this button of the question; those of the question before are deleted a moment later."""
    *_, newest = [one for one in window.bar.findChildren(QPushButton) if one.text() == words]
    QTest.mouseClick(newest, Qt.MouseButton.LeftButton)


def test_doubtful_postures_are_checked_one_after_the_other(uncertain: None, window: Window) -> None:
    unsure = [name for name, at_in in POSTS.items() if at_in[0] > 15]
    assert unsure == ["blue-1", "blue-2"]
    chosen_from_menu(window, "Check postures")
    assert window.bar.text == "Is Blue 1 standing or kneeling? 2 to check"
    assert window.store.tool.preview(None).picked == "blue-1"
    answer(window, "Kneeling")
    assert figures(window)["blue-1"] == ("blue", Posture.KNEELING)
    assert window.bar.text == "Is Blue 2 standing or kneeling? 1 to check"
    window.actions_.undo.trigger()
    assert window.bar.text == "Is Blue 1 standing or kneeling? 2 to check"
    answer(window, "Skip")
    answer(window, "Standing")
    assert figures(window)["blue-2"] == ("blue", Posture.STANDING)
    assert "Is Blue" not in window.bar.text
    chosen_from_menu(window, "Check postures")
    assert window.bar.text == "Is Blue 1 standing or kneeling? 1 to check", "it is asked for again"
    answer(window, "Stop")
    assert "Is Blue" not in window.bar.text


def test_without_doubtful_postures_there_is_nothing_to_check(window: Window) -> None:
    chosen_from_menu(window, "Check postures")
    assert window.bar.text == "No posture is in doubt."
