"""Teaching in the real window: what a click would teach, and the questions that keep armies apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QPushButton

from tests.ui.desktop.test_battle_window import mustered
from tests.ui.stories import NEAR_IN, Arm, Board, Player, press
from tests.ui.windows import BARE_IN, LEFT, POSTS, Open, Wait, click, point
from ui.desktop.window import Window
from ui.table.finding import Mark, Note, Trace
from vision.pipeline import LOOKS

GREENS = ("green-1", "green-2")


@pytest.fixture(scope="module")
def table() -> Board:
    return Board()


@pytest.fixture(autouse=True)
def tidy(table: Board) -> None:
    table.tidy()


def teaching(window: Window, army: str) -> None:
    window.use_tool("teach")
    window.panel.choose(army)


def armies(window: Window) -> dict[str, int]:
    """The armies taught, and from how many pixels."""
    return {colour.name: colour.samples for colour in window.session.state.setup.palette}


def buttons(window: Window) -> list[str]:
    return [one.text() for one in window.bar.findChildren(QPushButton) if one.isVisible()]


def marks(window: Window, place_in: tuple[float, float]) -> tuple[Mark, ...]:
    """What the tool in hand draws while the mouse is there."""
    view, frame = window.bench.view, window.bench.frame
    x, y = view.calibration.camera.table_to_pixel(place_in)[0]
    return window.tool.preview(window.stage.point_at(frame, view, (float(x), float(y)))).marks


# What a click would teach


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
    # A soldier of 54 mm: his base is an inch long, and he leans outwards by perspective.
    assert min(xs) < POSTS["green-1"][0] < max(xs)
    assert min(ys) < POSTS["green-1"][1] < max(ys)
    assert max(max(xs) - min(xs), max(ys) - min(ys)) < 2.5
    monkeypatch.setattr("ui.session.FigurePicker", None)  # a click that picked again would fail
    click(window, POSTS["green-1"])
    assert armies(window)["green"] > before


def test_nothing_is_outlined_on_bare_table_or_with_another_tool(window: Window, wait_until: Wait) -> None:
    teaching(window, "green")
    point(window, POSTS["green-1"])
    wait_until(lambda: marks(window, POSTS["green-1"]))
    assert marks(window, BARE_IN) == ()
    window.use_tool("measure")
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


def test_a_click_far_from_everybody_offers_nothing(window: Window) -> None:
    teaching(window, "green")
    click(window, BARE_IN)  # 7.1 in from the nearest
    assert window.bar.text == "No soldier here. Click the middle of a base."
    assert buttons(window) == []


@pytest.mark.slow
def test_another_armys_soldier_is_not_mixed_in_without_a_question(window: Window, wait_until: Wait) -> None:
    window.panel.forget.emit("blue")
    teaching(window, "green")
    before = armies(window)
    click(window, POSTS["blue-1"])
    assert window.bar.text == "That soldier looks different from green."
    assert buttons(window) == ["Teach as tan", "It is green"]  # tan is the first suggested name that is free
    assert armies(window) == before
    press(window.bar, "Teach as tan")
    assert set(armies(window)) == {"green", "tan"}
    assert armies(window)["green"] == before["green"]
    assert window.panel.army == "tan"
    window.undo()
    window.panel.choose("green")
    click(window, POSTS["blue-1"])
    press(window.bar, "It is green")
    assert set(armies(window)) == {"green"}
    assert armies(window)["green"] > before["green"]


def test_a_soldier_of_a_known_army_is_recognised_under_a_wrong_name(window: Window) -> None:
    teaching(window, "green")
    before = armies(window)
    click(window, POSTS["blue-1"])
    assert (window.bar.text, buttons(window)) == ("That soldier looks like blue.", ["It is blue", "It is green"])
    press(window.bar, "It is blue")
    assert armies(window)["blue"] > before["blue"]
    assert armies(window)["green"] == before["green"]
    assert window.panel.army == "green", "the next click is for the name that was chosen"


def test_a_question_goes_with_escape_and_with_the_tool(window: Window) -> None:
    teaching(window, "green")
    click(window, POSTS["blue-1"])
    assert buttons(window)
    window.use_tool("measure")
    assert window.bar.text == ""
    teaching(window, "green")
    assert window.bar.text == ""


def test_t_shows_where_the_name_is_and_suggests_a_free_one(window: Window, wait_until: Wait) -> None:
    window.activateWindow()
    wait_until(window.isActiveWindow)
    window.panel.choose("green")
    window.sides.setCurrentWidget(window.devices.panel)
    window.picture.setFocus()
    QTest.keyClick(window.picture, Qt.Key.Key_T)
    assert window.tool.name == "teach"
    assert window.sides.currentWidget() is window.panel
    assert window.panel.army == "tan", "green and blue are taught"
    QTest.keyClick(window.picture, Qt.Key.Key_T)
    QTest.keyClicks(QApplication.focusWidget(), "olive")
    assert window.panel.army == "olive"
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    window.use_tool("teach")
    assert window.panel.army == "olive", "a name that nobody has is not changed"


# What waits, and what is in doubt


@pytest.fixture
def player(found: None, table: Board, open_window: Open, wait_until: Wait) -> Player:
    window = open_window("demo")
    wait_until(lambda: window.bench.view and len(window.bench.view.figures) == len(POSTS))
    first = window.bench.view.frame.index
    wait_until(lambda: window.bench.view.frame.index > first + LOOKS)  # so many pictures until all is at rest
    return Player(window, table, wait_until)


def test_the_status_line_says_what_it_waits_for_and_searches_when_asked(player: Player, table: Board) -> None:
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


def test_two_that_look_alike_and_moved_at_once_are_asked_about(player: Player, table: Board) -> None:
    # From (8, 10) and (11, 6) to two places that are as far, 5.6 in, from each: nothing says who went where.
    places = {"green-1": (13.5, 11.0), "green-2": (5.5, 5.0)}
    for name, place in places.items():
        table.put(name, place)
    player.wait_until(lambda: player.bar == "Green 1 and Green 2 both moved. Is each one right?")
    assert buttons(player.window) == ["Yes", "Swap them"]
    taken = {name: player.sees(name) for name in GREENS}
    press(player.window.bar, "Swap them")
    assert player.bar == ""
    player.wait_until(lambda: player.sees("green-1") == pytest.approx(taken["green-2"], abs=NEAR_IN))
    assert player.sees("green-2") == pytest.approx(taken["green-1"], abs=NEAR_IN)
    assert player.undo_words()[0] == "Undo swap Green 1 and Green 2"
    player.window.undo()
    player.wait_until(lambda: player.sees("green-1") == pytest.approx(taken["green-1"], abs=NEAR_IN))


def test_a_move_in_doubt_that_is_right_changes_nothing(player: Player, table: Board) -> None:
    for name, place in (("green-1", (13.5, 11.0)), ("green-2", (5.5, 5.0))):
        table.put(name, place)
    player.wait_until(lambda: "both moved" in player.bar)
    state = player.window.session.state
    press(player.window.bar, "Yes")
    assert player.bar == ""
    assert player.window.session.state is state


@pytest.mark.slow
def test_soldiers_on_the_empty_table_are_noticed_and_it_is_learned_again(player: Player) -> None:
    window = player.window
    window.learn_empty_table()
    words = f"The empty table shows {len(POSTS)} soldiers. Take them off and learn it again."
    player.wait_until(lambda: player.bar == words, timeout_s=90)  # after what is said of the picture itself
    assert buttons(window) == ["Learn again", "It is empty"]
    window.bench.practise(bare=True)
    player.wait_until(lambda: window.bench.is_bare)
    player.looks()
    press(window.bar, "Learn again")
    player.wait_until(lambda: player.bar == "")
    window.bench.practise(bare=False)
    player.wait_until(lambda: len(window.bench.view.figures) == len(POSTS))
    assert player.bar == ""


def test_a_table_that_the_player_calls_empty_is_asked_about_no_more(player: Player) -> None:
    player.window.learn_empty_table()
    player.wait_until(lambda: "The empty table shows" in player.bar, timeout_s=90)
    press(player.window.bar, "It is empty")
    player.looks()
    assert player.bar == ""


def test_names_and_armies_are_kept_while_a_battle_is_open(window: Window, wait_until: Wait, tmp_path: Path) -> None:
    assert window.session.in_play == frozenset()
    mustered(window, tmp_path / "b")
    wait_until(lambda: window.session.in_play == frozenset(POSTS))
    window.battle.close()
    wait_until(lambda: window.session.in_play == frozenset())
