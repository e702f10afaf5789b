"""What players set right by hand: which way soldiers and vehicles face, and how large a vehicle is."""

from __future__ import annotations

import math

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QMenu

from rules.tabletop.bearing import onward
from rules.tabletop.table import Figure, PointIn
from tests.ui.desktop.test_battle_files import menu_entry
from tests.ui.desktop.test_correct_window import ask, choose
from tests.ui.desktop.test_saved_tables_window import at_the_table
from tests.ui.desktop.test_story_by_hand import takes
from tests.ui.stories import Board, Player, answering, press, typed
from tests.ui.tables import box, piece
from tests.ui.windows import BARE_IN, POSTS, Open, Wait, click, point, texts

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture(scope="module")
def table() -> Board:
    return Board()


@pytest.fixture(autouse=True)
def as_set_up(table: Board) -> None:
    table.tidy()


def sees(player: Player, name: str) -> Figure:
    """A figure as the program shows it."""
    [found] = [one for one in player.window.store.view.figures if one.id == name]
    return found


def spans_in(figure: Figure) -> tuple[float, float]:
    """How far its base reaches along x and y."""
    x, y = zip(*figure.base_in, strict=True)
    return max(x) - min(x), max(y) - min(y)


def turns(player: Player, at_in: PointIn, toward_in: PointIn) -> None:
    """Turn the figure at a place towards another."""
    choose(ask(player.window, at_in), "Turn")
    click(player.window, toward_in)


def adds_vehicle(player: Player, army: str) -> None:
    choose(ask(player.window, BARE_IN), "Add", f"{army}, vehicle")


def entries(menu: QMenu) -> list[str]:
    return [one.text().replace("&", "") for one in menu.actions()]


def test_a_vehicle_added_by_hand_is_turned_and_sized(player: Player) -> None:
    window, (x, y) = player.window, BARE_IN
    adds_vehicle(player, "green")
    assert spans_in(sees(player, "green-3")) == pytest.approx((3.2, 1.9))
    turns(player, BARE_IN, (x, y + 4.0))
    assert sees(player, "green-3").facing_deg == pytest.approx(90.0, abs=1.0)
    assert spans_in(sees(player, "green-3")) == pytest.approx((1.9, 3.2), abs=0.1)
    choose(ask(window, BARE_IN), "Size")
    assert any("Now click a corner of Green 3." in words for words in texts(window))
    click(window, (x + 1.5, y + 2.5))
    assert spans_in(sees(player, "green-3")) == pytest.approx((3.0, 5.0), abs=0.2)
    assert player.bar == "Corrected: resize Green 3."
    press(window.bar, "Undo")
    assert spans_in(sees(player, "green-3")) == pytest.approx((1.9, 3.2), abs=0.1)
    player.key(Qt.Key.Key_Z, CTRL)
    assert sees(player, "green-3").facing_deg is None
    player.key(Qt.Key.Key_Z, CTRL | SHIFT)
    player.looks()
    assert sees(player, "green-3").facing_deg == pytest.approx(90.0, abs=1.0), "the next picture does not turn it back"


def test_no_vehicle_is_a_point_and_a_click_in_its_middle_shows_no_direction(player: Player) -> None:
    adds_vehicle(player, "green")
    choose(ask(player.window, BARE_IN), "Size")
    click(player.window, (BARE_IN[0] + 1.0, BARE_IN[1]))
    assert player.bar.startswith("A vehicle is 0.5 to 24 inches long and wide.")
    player.key(Qt.Key.Key_Escape)
    choose(ask(player.window, BARE_IN), "Turn")
    click(player.window, BARE_IN)
    assert player.bar == "Click beside Green 3, or press Esc."
    player.key(Qt.Key.Key_Escape)
    assert sees(player, "green-3").facing_deg is None
    assert spans_in(sees(player, "green-3")) == pytest.approx((3.2, 1.9))


def test_only_vehicles_are_sized_and_the_fallen_are_not_turned(player: Player) -> None:
    menu = ask(player.window, POSTS["green-1"])
    assert "Turn…" in entries(menu)
    assert "Size…" not in entries(menu)
    choose(menu, "Posture", "down")
    menu = ask(player.window, POSTS["green-1"])
    assert "Turn…" not in entries(menu)
    menu.close()


def test_an_arrow_shows_which_way_a_soldier_faces_and_would_face(player: Player) -> None:
    window = player.window
    choose(ask(window, POSTS["green-1"]), "Turn")
    x, y = POSTS["green-1"]
    point(window, (x, y + 3.0))
    drawn = window.store.tools.preview(window.store.pointed, window.battle.pointing).marks
    tips = [max(mark.points_in, key=lambda one: math.dist(one[:2], (x, y)))[:2] for mark in drawn if mark.width == 3.0]
    ways = {round(math.degrees(math.atan2(tip[1] - y, tip[0] - x))) % 360 for tip in tips}
    assert ways == {0, 90}
    player.key(Qt.Key.Key_Escape)


@pytest.mark.slow
def test_a_tank_that_is_turned_in_a_battle_is_hit_from_another_side(player: Player) -> None:
    player.begins("Army Men", green_1="Bazooka")
    player.does("", "Who moves first", typed("1"), typed("6"))
    player.goes_on("Turn 1 · Green moves")
    adds_vehicle(player, "blue")
    click(player.window, BARE_IN)
    with answering(takes("Tank", usual="Tank")):
        press(player.window.bar, "Add")
    player.goes_on("Turn 1 · Blue moves", "Turn 1 · Automatic weapons", "Turn 1 · Small arms", "Turn 1 · Heavy weapons")
    for way_deg, chance in ((225.0, "miss 58 %, hit 42 %"), (45.0, "hit 72 %, miss 28 %")):  # to Green 1, and away
        turns(player, BARE_IN, onward(BARE_IN, way_deg, 4.0))
        assert player.bar == "Corrected: turn Blue 3."
        assert player.story[-1] == "  Blue 3 is turned."
        player.chooses("green-1", "Bazooka at Blue 3")
        assert player.actions["Bazooka at Blue 3"] == chance
    assert "from behind (AM-90)" in player.why
    assert player.undo_words()[0] == "Undo Blue 3 is turned"
    player.key(Qt.Key.Key_Z, CTRL)
    player.chooses("green-1", "Bazooka at Blue 3")
    assert player.actions["Bazooka at Blue 3"] == "miss 58 %, hit 42 %"
    assert sees(player, "blue-3").facing_deg == pytest.approx(225.0, abs=1.0)
    player.key(Qt.Key.Key_Z, CTRL | SHIFT)
    player.looks()
    assert sees(player, "blue-3").facing_deg == pytest.approx(45.0, abs=1.0)


@pytest.mark.slow
def test_a_soldier_that_is_turned_in_a_battle_faces_so_until_it_moves(player: Player) -> None:
    """The camera sees Green 1 face to the right."""
    player.begins("Plastic Fudge")
    x, y = POSTS["green-1"]
    turns(player, (x, y), (x, y + 3.0))
    assert sees(player, "green-1").facing_deg == pytest.approx(90.0, abs=1.0)
    press(player.window.bar, "Undo")
    player.looks()
    assert sees(player, "green-1").facing_deg == pytest.approx(0.0, abs=1.0)
    turns(player, (x, y), (x, y + 3.0))
    menu_entry(player.window, "Close battle").trigger()
    player.looks()
    assert sees(player, "green-1").facing_deg == pytest.approx(0.0, abs=1.0), "this belongs to the battle"
    menu_entry(player.window, "Continue last battle").trigger()
    player.wait_until(lambda: player.window.battle.position is not None)
    player.looks()
    assert sees(player, "green-1").facing_deg == pytest.approx(90.0, abs=1.0)
    player.carries("green-1", (x + 3.0, y))
    assert sees(player, "green-1").facing_deg == pytest.approx(0.0, abs=1.0)


@pytest.mark.slow
def test_a_posture_that_is_corrected_in_a_battle_counts_at_once(player: Player) -> None:
    """Nothing of Green 1, which lies behind a bank, is in sight."""
    player.begins("Simple Plastic Wargame")
    bank = piece("bank", "sandbags", box(9.0, 7.0, 9.4, 12.0), 0.8)
    player.window.store.session.set_terrain("add bank", (bank,))
    player.does("", "Green begins")
    player.goes_on("Turn 1 · Green moves", "Turn 1 · Green attacks")
    player.chooses("green-1", "Attack on Blue 1")
    choose(ask(player.window, POSTS["green-1"]), "Posture", "prone")
    assert "The attacker must see the target" in player.may_not("green-1", "Attack on Blue 1")


def test_a_saved_table_keeps_the_way_and_the_size_of_a_vehicle(
    found: None, open_window: Open, wait_until: Wait, table: Board
) -> None:
    first = Player(at_the_table(open_window, wait_until, table, taught=False), table, wait_until)
    x, y = BARE_IN
    adds_vehicle(first, "green")
    turns(first, BARE_IN, (x, y + 4.0))
    choose(ask(first.window, BARE_IN), "Size")
    click(first.window, (x + 1.5, y + 2.5))
    before = sees(first, "green-3")
    first.looks()
    first.window.close()
    second = Player(at_the_table(open_window, wait_until, table, taught=True), table, wait_until)
    wait_until(lambda: second.bar and second.window.features.tables.offer[0])
    press(second.window.bar, "Restore table")
    wait_until(lambda: "green-3" in {one.id for one in second.window.store.view.figures})
    after = sees(second, "green-3")
    assert after.facing_deg == pytest.approx(before.facing_deg)
    assert spans_in(after) == pytest.approx(spans_in(before), abs=0.01)
