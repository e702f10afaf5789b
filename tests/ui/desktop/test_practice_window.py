"""The practice table in the real window: soldiers moved by mouse and keys, and what vision reports afterwards."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QAction, QKeySequence, QWheelEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from rules.tabletop.table import PointIn, Posture
from tests.ui.desktop.test_battle_window import started_battle
from tests.ui.stories import practice_table
from tests.ui.windows import (
    BARE_IN,
    LEFT,
    POSTS,
    TABLE_IN,
    Open,
    Wait,
    at,
    button,
    click,
    move,
    next_phase,
    point,
    refresh,
    show_battle,
    texts,
)
from ui.desktop.help_controller import keys_of
from ui.desktop.window import Window
from vision.search_plan import SEARCHES
from vision.simulation.practice_table import PracticeTable
from vision.simulation.scene import Model, Scene, corner_markers
from vision.simulation.simulator import SimulatedTable, overhead_camera
from vision.simulation.toy_models import Sculpt
from vision.table_view import TableView
from vision.tracks import EventKind

NEAR_IN = 0.3
"""Allowed difference between the program and the simulated table."""


@pytest.fixture(scope="module")
def table() -> PracticeTable:
    return practice_table()


@pytest.fixture(autouse=True)
def as_in_the_beginning(table: PracticeTable) -> None:
    table.change(lambda now, _: now.start_over())
    table.bare = False


def seen(window: Window) -> dict[str, PointIn]:
    """Position of each soldier according to vision."""
    view = window.store.view
    return {figure.id: figure.centre_in for figure in view.figures} if view is not None else {}


def name_at(window: Window, place_in: PointIn) -> str:
    """Id of the figure that vision sees there."""
    [name] = [name for name, centre_in in seen(window).items() if math.dist(centre_in, place_in) < NEAR_IN]
    return name


def grab(window: Window, from_in: PointIn, to_in: PointIn) -> None:
    """Press at a place and move to another with the button held."""
    start, end = at(window, from_in), at(window, to_in)
    QTest.mousePress(window.picture, LEFT, pos=start)
    for step in range(1, 6):
        move(window.picture, start + (end - start) * step / 5, LEFT)


def release(window: Window, place_in: PointIn) -> None:
    QTest.mouseRelease(window.picture, LEFT, pos=at(window, place_in))


def turn_wheel(window: Window, place_in: PointIn, steps: int) -> None:
    spot = QPointF(at(window, place_in))
    where, keys = window.picture.mapToGlobal(spot), Qt.KeyboardModifier.NoModifier
    turn = QPoint(0, 120 * steps)
    event = QWheelEvent(spot, where, QPoint(), turn, Qt.MouseButton.NoButton, keys, Qt.ScrollPhase.NoScrollPhase, False)
    QApplication.sendEvent(window.picture, event)


def key(window: Window, which: Qt.Key) -> None:
    window.picture.setFocus()
    QTest.keyClick(window.picture, which)


def entry(window: Window, words: str) -> QAction:
    [action] = [action for action in window.features.practice.menu.actions() if action.text() == words]
    return action


def is_offered(window: Window) -> bool:
    """Whether the Practice menu is visible."""
    bar = window.menuBar()
    [action] = [action for action in bar.actions() if action.text().replace("&", "") == "Practice"]
    return action.isVisible()


def watched(window: Window) -> list[TableView]:
    """Collect all views from now on, one per processed picture."""
    views: list[TableView] = []
    look = window.store.session.process

    def noted(frame: object) -> TableView:
        views.append(look(frame))  # type: ignore[arg-type]
        return views[-1]

    window.store.session.process = noted  # type: ignore[method-assign]
    return views


@pytest.mark.slow
def test_a_drag_moves_a_soldier_and_vision_reports_it_once(
    window: Window, table: PracticeTable, wait_until: Wait
) -> None:
    name, others = name_at(window, POSTS["green-1"]), set(seen(window))
    views = watched(window)
    grab(window, POSTS["green-1"], BARE_IN)
    assert table.now.carried == "green-1"
    wait_until(lambda: window.store.view and window.store.view.frozen)
    assert seen(window)[name] == pytest.approx(POSTS["green-1"], abs=NEAR_IN), "nothing is concluded under a hand"
    release(window, BARE_IN)
    assert table.now.carried is None

    def moves() -> list[str]:
        events = [event for view in tuple(views) for event in view.tracking.events]
        return [event.id for event in events if event.kind is EventKind.MOVED]

    wait_until(moves)
    told = len(views)
    wait_until(lambda: len(views) > told + SEARCHES)  # after this many views nothing more changes
    assert moves() == [name]
    assert set(seen(window)) == others
    assert seen(window)[name] == pytest.approx(BARE_IN, abs=NEAR_IN)


def test_a_click_still_belongs_to_the_tool(window: Window, table: PracticeTable) -> None:
    window.store.use_tool("measure")
    for name in ("green-1", "blue-1"):
        click(window, POSTS[name])
    assert len(window.store.session.state.rulers) == 1
    assert table.now.scene == table.now.start


def test_a_drag_on_the_bare_table_belongs_to_the_tool(window: Window, table: PracticeTable) -> None:
    window.store.use_tool("measure")
    grab(window, BARE_IN, POSTS["green-1"])
    release(window, POSTS["green-1"])
    assert len(window.store.session.state.rulers) == 1
    assert table.now.scene == table.now.start


def test_a_drag_with_the_move_tool_plans_a_move(window: Window, table: PracticeTable) -> None:
    window.store.use_tool("plan")
    grab(window, POSTS["green-1"], BARE_IN)
    release(window, BARE_IN)
    assert table.now.scene == table.now.start
    assert not window.store.tool.in_progress, "the drag has planned the whole move"


def test_the_wheel_turns_a_carried_soldier_and_zooms_otherwise(window: Window, table: PracticeTable) -> None:
    scale = window.picture.scale
    grab(window, POSTS["green-1"], BARE_IN)
    turn_wheel(window, BARE_IN, 3)
    # Three steps of 15 degrees from 0.
    assert table.now.model("green-1").facing_deg == pytest.approx(45.0)
    assert window.picture.scale == scale
    release(window, BARE_IN)
    turn_wheel(window, BARE_IN, 1)
    assert window.picture.scale > scale
    assert table.now.model("green-1").facing_deg == pytest.approx(45.0)


def test_escape_puts_the_soldier_back(window: Window, table: PracticeTable) -> None:
    grab(window, POSTS["green-1"], BARE_IN)
    key(window, Qt.Key.Key_Escape)
    assert table.now.carried is None
    assert table.now.scene == table.now.start
    release(window, BARE_IN)
    assert table.now.scene == table.now.start
    assert window.store.session.state.rulers == ()


@pytest.mark.slow
def test_keys_lay_down_and_remove_the_soldier_under_the_mouse(
    window: Window, table: PracticeTable, wait_until: Wait
) -> None:
    window.activateWindow()
    point(window, POSTS["green-2"])
    key(window, Qt.Key.Key_Z)
    assert {f.id: f.posture for f in table.now.scene.figures}["green-2"] is Posture.DOWN
    wait_until(lambda: Posture.DOWN in [f.posture for f in window.store.view.figures])
    point(window, POSTS["blue-1"])
    key(window, Qt.Key.Key_Q)
    assert "blue-1" not in {f.id for f in table.now.scene.figures}
    wait_until(lambda: all(math.dist(place, POSTS["blue-1"]) > NEAR_IN for place in seen(window).values()))
    entry(window, "Bring back").trigger()
    assert len(table.now.scene.models) == len(POSTS)
    entry(window, "Bring back").trigger()
    assert window.bar.text == "No soldier was removed."


def test_a_key_over_the_bare_table_shows_a_hint(window: Window, table: PracticeTable) -> None:
    window.activateWindow()
    point(window, BARE_IN)
    key(window, Qt.Key.Key_Q)
    assert window.bar.text == "Point at a soldier first."
    assert table.now.scene == table.now.start


def test_the_menu_changes_the_light_and_the_camera(window: Window, table: PracticeTable, wait_until: Wait) -> None:
    assert is_offered(window)
    camera = table.now.camera
    entry(window, "Bump camera").trigger()
    assert table.now.camera is not camera
    # The window continues: markers and soldiers are found where the camera now sees them.
    wait_until(lambda: window.store.view.calibration and table.camera is table.now.camera)
    entry(window, "Brighten lamp").trigger()
    entry(window, "Dim lamp").trigger()
    assert table.now.light.level == pytest.approx(1.0)
    entry(window, "Blink lamp").trigger()
    assert table.now.light.lamp_at(table.time_s) < 0.1
    for words in ("Flicker", "Sun patches", "Automatic exposure"):
        entry(window, words).trigger()
        assert entry(window, words).isChecked()
    light = table.now.light
    assert (light.flickers, light.has_sun, light.is_automatic) == (True, True, True)
    entry(window, "Start over").trigger()
    assert table.now.camera is camera
    assert not entry(window, "Flicker").isChecked()


def test_a_frozen_picture_allows_no_practice(window: Window, table: PracticeTable) -> None:
    window.actions_.freeze.setChecked(True)
    grab(window, POSTS["green-1"], BARE_IN)
    release(window, BARE_IN)
    entry(window, "Bump camera").trigger()
    assert table.now == table.now.start_over()
    assert "Press P" in window.bar.text
    window.actions_.freeze.setChecked(False)


def test_the_hint_and_the_list_of_keys_explain_practice(window: Window, wait_until: Wait) -> None:
    hint = window.features.practice
    point(window, BARE_IN)
    assert hint.hint == "Drag a soldier to move it."
    point(window, POSTS["green-1"])
    assert hint.hint == "Drag it to move it.   Z: lay down or stand up   Q: remove"
    grab(window, POSTS["green-1"], BARE_IN)
    assert "The wheel turns it" in hint.hint
    release(window, BARE_IN)
    [rows] = [rows for title, rows in keys_of(window) if title == "Practice"]
    assert [(keys, name) for keys, name, _ in rows] == [("Z", "Lay down or stand up"), ("Q", "Remove soldier")]


def test_the_hint_speaks_of_dragging_only_while_soldiers_may_move(window: Window, tmp_path: Path) -> None:
    """SP-01: a side moves, then it attacks."""
    started_battle(window, tmp_path / "b")
    said = []
    for _ in range(3):
        point(window, BARE_IN)
        refresh(window)
        said.append(any("Drag a soldier" in words for words in texts(window)))
        next_phase(window)
    assert said == [True, True, False]  # set-up, moves, attacks


def test_the_hint_promises_no_dragging_of_soldiers_with_a_tool_that_drags_other_things(window: Window) -> None:
    point(window, BARE_IN)
    for tool, hint in (("terrain", ""), ("plan", ""), ("measure", "Drag a soldier to move it.")):
        window.store.use_tool(tool)
        assert window.features.practice.hint == hint


def test_no_menu_takes_the_keys_of_the_dice(window: Window) -> None:
    bar = window.menuBar()
    menus = {QKeySequence.mnemonic(menu.text()).toString(): menu.text() for menu in bar.actions()}
    dice = {"Alt+R", "Alt+D", "Alt+A"}
    assert len(menus) == len(bar.actions()), "no two menus share a key"
    assert not {key: menu for key, menu in menus.items() if key in dice}
    assert window.battle.panel.do_button.shortcut().toString() in dice


def test_no_other_source_offers_practice(found: None, open_window: Open, wait_until: Wait) -> None:
    models = tuple(Model(name, name.split("-")[0], Sculpt.RIFLEMAN, *place) for name, place in POSTS.items())
    scene = Scene(TABLE_IN, markers=corner_markers(TABLE_IN), models=models)
    camera = SimulatedTable(scene, overhead_camera((960, 540), TABLE_IN, 40.0))
    window = open_window("demo", lambda _: camera)
    wait_until(lambda: window.store.view)
    assert not is_offered(window)
    assert not any(action.isEnabled() for action in window.features.practice.menu.actions() if not action.isSeparator())
    assert window.features.practice.hint == ""


ASIDE_IN = (10.5, 12.0)


def toy_at(table: PracticeTable, place_in: PointIn) -> bool:
    """Whether Green 1's toy stands there, out of the hand."""
    toy = table.now.model("green-1")
    return table.now.carried is None and math.dist((toy.x_in, toy.y_in), place_in) < NEAR_IN


def drag(window: Window, from_in: PointIn, to_in: PointIn) -> None:
    grab(window, from_in, to_in)
    release(window, to_in)


def moved(window: Window, tmp_path: Path, wait_until: Wait, to_in: PointIn) -> None:
    """A battle in which Green 1 was moved in the first phase of moves, and the move waits for its answer."""
    started_battle(window, tmp_path / "b")
    next_phase(window)
    drag(window, POSTS["green-1"], to_in)
    wait_until(lambda: window.battle.pending)


def moved_aside(window: Window, tmp_path: Path, wait_until: Wait) -> None:
    """A battle in which Green 1 was moved aside, and the move was allowed."""
    moved(window, tmp_path, wait_until, ASIDE_IN)
    QTest.mouseClick(button(window.battle.panel, "Allow anyway"), LEFT)  # SP-06: the squad stays together
    window.pull()


@pytest.mark.slow
def test_undo_and_redo_of_a_move_move_the_soldier(
    window: Window, table: PracticeTable, tmp_path: Path, wait_until: Wait
) -> None:
    moved_aside(window, tmp_path, wait_until)
    window.commands.undo()
    wait_until(lambda: toy_at(table, POSTS["green-1"]))
    assert not window.battle.pending, "the way back is no move"
    window.commands.redo()
    wait_until(lambda: toy_at(table, ASIDE_IN))


@pytest.mark.slow
def test_the_next_phase_waits_for_a_move_that_is_not_seen_yet(window: Window, tmp_path: Path, wait_until: Wait) -> None:
    started_battle(window, tmp_path / "b")
    next_phase(window)
    phase = window.battle.play.battle.state.phase
    grab(window, POSTS["green-1"], ASIDE_IN)
    wait_until(lambda: window.store.view.waiting)
    next_phase(window)
    assert window.battle.panel.why.text().startswith("Something is still moving on the table")
    assert window.battle.play.battle.state.phase == phase
    next_phase(window)
    assert window.battle.play.battle.state.phase != phase
    release(window, ASIDE_IN)


@pytest.mark.slow
def test_a_move_that_is_seen_at_last_is_answered_in_its_phase(window: Window, tmp_path: Path, wait_until: Wait) -> None:
    started_battle(window, tmp_path / "b")
    next_phase(window)
    grab(window, POSTS["green-1"], ASIDE_IN)
    wait_until(lambda: window.store.view.waiting)
    next_phase(window)
    release(window, ASIDE_IN)
    wait_until(lambda: window.battle.pending)
    assert window.battle.panel.why.text() == "", "nothing moves any more"


@pytest.mark.slow
def test_a_forbidden_move_is_put_back(window: Window, table: PracticeTable, tmp_path: Path, wait_until: Wait) -> None:
    moved(window, tmp_path, wait_until, BARE_IN)
    [move] = window.battle.pending
    assert [one.words for one in move.buttons] == ["Allow anyway", "Put back"]
    QTest.mouseClick(button(window.battle.panel, "Put back"), LEFT)
    assert not window.battle.pending
    wait_until(lambda: toy_at(table, POSTS["green-1"]))


@pytest.mark.slow
def test_a_continued_battle_puts_the_soldiers_where_it_was_left(
    window: Window, table: PracticeTable, tmp_path: Path, wait_until: Wait
) -> None:
    moved_aside(window, tmp_path, wait_until)
    window.battle.close()
    drag(window, ASIDE_IN, POSTS["green-1"])  # as at the next start of the program
    wait_until(lambda: math.dist(seen(window)["green-1"], POSTS["green-1"]) < NEAR_IN)
    window.battle.open(tmp_path / "b")
    show_battle(window)
    wait_until(lambda: toy_at(table, ASIDE_IN))
    assert not window.battle.pending, "nothing is proposed back"


@pytest.mark.slow
def test_while_another_battle_is_set_up_the_moves_of_the_open_one_are_not_asked(
    window: Window, table: PracticeTable, tmp_path: Path, wait_until: Wait
) -> None:
    moved(window, tmp_path, wait_until, BARE_IN)
    click(window, POSTS["green-2"])
    wait_until(lambda: window.pills.pills)
    window.features.files.new_battle()
    window.store.show()
    assert window.pills.pills == []
    assert window.battle.chosen == "", "what was selected would stay on the table"
    window.features.files.close()
    wait_until(lambda: window.pills.pills)
