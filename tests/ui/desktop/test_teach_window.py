"""Teaching in the real window: the outline before a click, and the questions that keep armies apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QPushButton

from tests.ui.desktop.test_battle_window import started_battle
from tests.ui.stories import NEAR_IN, Arm, Board, Player, press
from tests.ui.windows import BARE_IN, LEFT, POSTS, Open, Wait, click, point
from ui.desktop.window import Window
from ui.table.finding import Mark, Note, Trace
from vision.search_plan import SEARCHES

GREENS = ("green-1", "green-2")


@pytest.fixture(scope="module")
def table() -> Board:
    return Board()


@pytest.fixture(autouse=True)
def tidy(table: Board) -> None:
    table.tidy()


def teaching(window: Window, army: str) -> None:
    window.store.use_tool("teach")
    window.panel.choose(army)


def armies(window: Window) -> dict[str, int]:
    """The armies taught, and from how many pixels."""
    return {colour.name: colour.samples for colour in window.store.session.state.setup.palette}


def buttons(window: Window) -> list[str]:
    return [one.text() for one in window.bar.findChildren(QPushButton) if one.isVisible()]


def marks(window: Window, place_in: tuple[float, float]) -> tuple[Mark, ...]:
    """What the selected tool draws with the mouse at this place."""
    view, frame = window.store.view, window.store.frame
    x, y = view.calibration.camera.table_to_pixel(place_in)[0]
    return window.store.tool.preview(window.display.point_at(frame, view, (float(x), float(y)))).marks


# What a click would teach


@pytest.mark.slow
def test_the_figure_that_a_click_would_teach_is_outlined(
    window: Window, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    teaching(window, "green")
    before = armies(window)["green"]
    assert marks(window, POSTS["green-1"]) == (), "the mouse is not there yet"
    point(window, POSTS["green-1"])
    wait_until(lambda: marks(window, POSTS["green-1"]))
    outline, words = marks(window, POSTS["green-1"])
    assert isinstance(outline, Trace)
    assert isinstance(words, Note)
    assert words.rows[0][0] == "teach as green"
    xs, ys = ([point_in[axis] for point_in in outline.points_in] for axis in (0, 1))
    # A soldier of 54 mm: its base is an inch long, and it leans outwards by perspective.
    assert min(xs) < POSTS["green-1"][0] < max(xs)
    assert min(ys) < POSTS["green-1"][1] < max(ys)
    assert max(max(xs) - min(xs), max(ys) - min(ys)) < 2.5
    monkeypatch.setattr("ui.session.FigurePicker", None)  # a second search at the click would fail
    click(window, POSTS["green-1"])
    assert armies(window)["green"] > before


def test_nothing_is_outlined_on_bare_table_or_with_another_tool(window: Window, wait_until: Wait) -> None:
    teaching(window, "green")
    point(window, POSTS["green-1"])
    wait_until(lambda: marks(window, POSTS["green-1"]))
    assert marks(window, BARE_IN) == ()
    window.store.use_tool("measure")
    assert marks(window, POSTS["green-1"]) == ()


# Questions about a click


def test_a_click_beside_a_soldier_offers_to_teach_that_one(window: Window) -> None:
    teaching(window, "green")
    before = armies(window)
    x, y = POSTS["green-1"]
    click(window, (x - 1.0, y + 3.0))  # 3.2 in from the first, 9.8 from the second
    assert window.bar.text == "No soldier here. The nearest is Green 1."
    assert buttons(window) == ["Teach Green 1"]
    assert armies(window) == before
    press(window.bar, "Teach Green 1")
    assert armies(window)["green"] > before["green"]
    assert window.bar.text.startswith("Green is taught.")


def test_a_click_far_from_all_soldiers_offers_nothing(window: Window) -> None:
    teaching(window, "green")
    click(window, BARE_IN)  # 7.1 in from the nearest
    assert window.bar.text == "No soldier here. Click the middle of a base."
    assert buttons(window) == []


@pytest.mark.slow
def test_another_armys_soldier_is_taught_only_after_a_question(window: Window, wait_until: Wait) -> None:
    window.panel.armies.forgotten.emit("blue")
    teaching(window, "green")
    before = armies(window)
    click(window, POSTS["blue-1"])
    assert window.bar.text == "That soldier looks different from green."
    assert buttons(window) == ["Teach tan", "Teach green"]  # tan is the first suggested name that is free
    assert armies(window) == before
    press(window.bar, "Teach tan")
    assert set(armies(window)) == {"green", "tan"}
    assert armies(window)["green"] == before["green"]
    assert window.panel.army == "tan"
    window.commands.undo()
    window.panel.choose("green")
    click(window, POSTS["blue-1"])
    press(window.bar, "Teach green")
    assert set(armies(window)) == {"green"}
    assert armies(window)["green"] > before["green"]


def test_a_soldier_of_a_known_army_is_recognised_under_a_wrong_name(window: Window) -> None:
    teaching(window, "green")
    before = armies(window)
    click(window, POSTS["blue-1"])
    assert (window.bar.text, buttons(window)) == ("That soldier looks like blue.", ["Teach blue", "Teach green"])
    press(window.bar, "Teach blue")
    assert armies(window)["blue"] > before["blue"]
    assert armies(window)["green"] == before["green"]
    assert window.panel.army == "green", "the next click is for the name that was chosen"


def test_escape_or_another_tool_drops_the_question(window: Window) -> None:
    teaching(window, "green")
    click(window, POSTS["blue-1"])
    assert buttons(window)
    window.store.use_tool("measure")
    assert window.bar.text == ""
    teaching(window, "green")
    assert window.bar.text == ""


def test_t_focuses_the_army_name_and_suggests_a_free_one(window: Window, wait_until: Wait) -> None:
    window.activateWindow()
    wait_until(window.isActiveWindow)
    window.panel.choose("green")
    window.sides.setCurrentWidget(window.devices.panel)
    window.picture.setFocus()
    QTest.keyClick(window.picture, Qt.Key.Key_T)
    assert window.store.tool.name == "teach"
    assert window.sides.currentWidget() is window.panel
    assert window.panel.army == "tan", "green and blue are taught"
    QTest.keyClick(window.picture, Qt.Key.Key_T)
    QTest.keyClicks(QApplication.focusWidget(), "olive")
    assert window.panel.army == "olive"
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    window.store.use_tool("teach")
    assert window.panel.army == "olive", "a name that nobody has is not changed"


# What waits, and what is in doubt


@pytest.fixture
def player(found: None, table: Board, open_window: Open, wait_until: Wait) -> Player:
    window = open_window("demo")
    wait_until(lambda: window.store.view and len(window.store.view.figures) == len(POSTS))
    first = window.store.view.frame.index
    wait_until(lambda: window.store.view.frame.index > first + SEARCHES)  # this many pictures until all is at rest
    return Player(window, table, wait_until)


@pytest.mark.slow
def test_the_status_bar_explains_the_wait_and_searches_on_request(player: Player, table: Board) -> None:
    search = next(one for one in player.window.statusBar().findChildren(type(player.window.status.search)))
    assert not search.isVisible()
    table.over = Arm()
    player.wait_until(lambda: "Waiting for the hand" in player.status)
    assert search.isVisible()
    x, y = table.camera.pixel_to_table((560.0, 420.0))[0]  # under the arm
    table.put("green-2", (float(x), float(y)))
    player.looks()
    QTest.mouseClick(search, LEFT)
    player.wait_until(lambda: player.sees("green-2") == pytest.approx((x, y), abs=NEAR_IN))
    assert "Waiting for the hand" in player.status, "the arm is still there"
    table.over = lambda image: image
    player.wait_until(lambda: not search.isVisible())
    assert "Waiting" not in player.status


def test_two_similar_figures_moved_at_once_need_confirmation(player: Player, table: Board) -> None:
    # From (8, 10) and (11, 6) to two places at the same distance, 5.6 in, from each: the moves are ambiguous.
    places = {"green-1": (13.5, 11.0), "green-2": (5.5, 5.0)}
    for name, place in places.items():
        table.put(name, place)
    player.wait_until(lambda: player.bar == "Green 1 and Green 2 both moved. Are their names right?")
    assert buttons(player.window) == ["Yes", "Swap"]
    taken = {name: player.sees(name) for name in GREENS}
    press(player.window.bar, "Swap")
    assert player.bar == ""
    player.wait_until(lambda: player.sees("green-1") == pytest.approx(taken["green-2"], abs=NEAR_IN))
    assert player.sees("green-2") == pytest.approx(taken["green-1"], abs=NEAR_IN)
    assert player.undo_words()[0] == "Undo swap Green 1 and Green 2"
    player.window.commands.undo()
    player.wait_until(lambda: player.sees("green-1") == pytest.approx(taken["green-1"], abs=NEAR_IN))


def test_confirming_an_uncertain_move_changes_nothing(player: Player, table: Board) -> None:
    for name, place in (("green-1", (13.5, 11.0)), ("green-2", (5.5, 5.0))):
        table.put(name, place)
    player.wait_until(lambda: "both moved" in player.bar)
    state = player.window.store.session.state
    press(player.window.bar, "Yes")
    assert player.bar == ""
    assert player.window.store.session.state is state


@pytest.mark.slow
def test_soldiers_on_the_empty_table_are_noticed_and_it_is_learned_again(player: Player) -> None:
    window = player.window
    window.store.learn_empty_table()
    words = f"The empty table shows {len(POSTS)} soldiers. Take them off and learn it again."
    player.wait_until(lambda: player.bar == words, timeout_s=90)  # after the message about the picture itself
    assert buttons(window) == ["Learn again", "Keep picture"]
    window.store.source_controller.practise(bare=True)
    player.wait_until(lambda: window.store.source_controller.is_bare)
    player.looks()
    press(window.bar, "Learn again")
    player.wait_until(lambda: player.bar == "")
    window.store.source_controller.practise(bare=False)
    player.wait_until(lambda: len(window.store.view.figures) == len(POSTS))
    assert player.bar == ""


@pytest.mark.slow
def test_an_accepted_empty_table_raises_no_more_questions(player: Player) -> None:
    player.window.store.learn_empty_table()
    player.wait_until(lambda: "The empty table shows" in player.bar, timeout_s=90)
    press(player.window.bar, "Keep picture")
    player.looks()
    assert player.bar == ""


@pytest.mark.slow
def test_names_and_armies_are_kept_while_a_battle_is_open(window: Window, wait_until: Wait, tmp_path: Path) -> None:
    assert window.store.session.in_play == frozenset()
    started_battle(window, tmp_path / "b")
    wait_until(lambda: window.store.session.in_play == frozenset(POSTS))
    window.battle.close()
    wait_until(lambda: window.store.session.in_play == frozenset())
