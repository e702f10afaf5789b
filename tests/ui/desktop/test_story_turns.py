"""A full turn of each game in the real window: mustered, moved by hand, shot with typed dice, undone and done again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.ui.stories import Board, Player, typed
from tests.ui.windows import Wait
from ui.desktop.window import Window


@pytest.fixture(scope="module")
def table() -> Board:
    return Board()


@pytest.fixture
def player(table: Board, window: Window, wait_until: Wait) -> Player:
    return Player(window, table, wait_until)


@pytest.fixture(autouse=True)
def as_set_up(table: Board) -> None:
    """The table is one for all tests, and each begins with everybody at his post."""
    table.tidy()


def undone_and_done_again(player: Player) -> list[str]:
    """Undo to the first event and do all of it again; the names of the steps in the order of play."""
    before = (player.phase, player.story, player.deeds)
    undone = player.undoes_all()
    player.looks()
    assert not [line for line in player.story if line.startswith(("Turn", "  "))]
    redone=player.redoes_all()
    print(undone[::-1]); print(redone)
    assert redone == undone[::-1]
    assert (player.phase, player.story, player.deeds) == before
    return undone[::-1]


def test_simple_plastic(player: Player, tmp_path: Path) -> None:
    player.begins("Simple Plastic Wargame", tmp_path / "b.battle")
    player.goes_on("Turn 1, Blue, moving")
    assert "units attack in the attacking phase (SP-01)" in player.may_not("blue-1", "Attack: Green 1")
    player.carries("blue-1", (17.0, 10.0))
    player.settles("Blue 1 moved 3.0 in: a move")
    assert player.plot == ["Blue 1: lone unit move: legal.", "Blue 1 moves 3.0 in to (17.0, 10.0)."]
    player.goes_on("Turn 1, Blue, attacking")
    print(player.does("blue-1", "Attack: Green 1", typed("4")))
    print(player.does("blue-2", "Attack: Green 2", typed("1")))
    print(player.may_not("blue-2", "Attack: Green 2"))
    player.goes_on("Turn 1, Green, moving")
    player.carries("green-2", (11.0, 11.0))
    print(player.waiting)
    player.carries("green-2", (11.0, 6.0))
    player.goes_on("Turn 1, Green, attacking")
    print(player.does("green-2", "Attack: Blue 1", typed("3")))
    player.goes_on("Turn 2, Blue, moving")
    print(undone_and_done_again(player))


def test_army_men(player: Player, tmp_path: Path) -> None:
    player.begins("Army Men", tmp_path / "b.battle", green_1="Submachine gunner", blue_2="Bazooka")
    print(player.deeds)
    player.goes_on("Turn 1, Blue, movement")
    player.carries("blue-1", (15.0, 10.0))
    print(player.waiting)
    player.settles("Blue 1 moved 5.0 in: a move")
    print(player.plot)
    player.goes_on("Turn 1, Green, movement", "Turn 1, automatic weapons")
    player.chooses("green-1"); print(player.deeds)
    player.goes_on("Turn 1, small arms")
    player.chooses("green-2"); print(player.deeds)
    player.chooses("blue-1"); print(player.deeds)
    print(player.does("blue-1", "Rifle at Green 1", typed("3 3")))
    player.goes_on("Turn 1, heavy weapons")
    player.chooses("blue-2"); print(player.deeds)
    player.goes_on("Turn 2, Blue, movement")
    print(player.story)
    print(undone_and_done_again(player))


def test_fudge_miniatures(player: Player, tmp_path: Path) -> None:
    player.begins("Fudge", tmp_path / "b.battle", blue_1="Yanni", green_2="Yanni")
    print(player.does("", "Green begins"))
    player.goes_on("Turn 1, Green, move")
    player.carries("green-2", (11.0, 10.0))
    print(player.waiting)
    player.settles("Green 2 moved 4.0 in: a move")
    print(player.plot)
    player.goes_on("Turn 1, Green, action")
    player.chooses("green-2"); print(player.deeds)
    print(player.does("green-2", "Shortbow at Blue 2", typed("1 0 0 1")))
    player.goes_on("Turn 1, Green, damage")
    player.chooses("blue-2"); print(player.deeds)
    player.goes_on("Turn 1, Green, move on")
    player.goes_on("Turn 1, Blue, move")
    print(player.story)
    print(undone_and_done_again(player))


def test_plastic_fudge(player: Player, tmp_path: Path) -> None:
    trooper = "Basic"
    player.begins("Plastic Fudge", tmp_path / "b.battle", blue_1=trooper, blue_2=trooper, green_1=trooper, green_2=trooper)
    player.goes_on("Turn 1, initiative")
    print(player.does("", "Initiative", typed("1 0 0 0"), typed("0 0 0 0")))
    player.goes_on("Turn 1, Blue, a moves")
    player.carries("blue-1", (15.5, 8.0))
    print(player.waiting)
    player.settles("Blue 1 moved 4.9 in: a move")
    player.goes_on("Turn 1, Green, b moves")
    player.goes_on("Turn 1, attacks")
    player.chooses("blue-1"); print(player.deeds)
    print(player.does("blue-1", "Rifle at Green 2", typed("1 0 0 0"), typed("0 0 0 0")))
    player.goes_on("Turn 1, morale")
    player.key(__import__("PyQt6.QtCore").QtCore.Qt.Key.Key_Escape)
    print(player.deeds)
    player.goes_on("Turn 2, initiative")
    print(player.story)
    print(undone_and_done_again(player))


def test_simple_plastic_figure(player: Player, tmp_path: Path) -> None:
    player.begins("Simple Plastic Figure", tmp_path / "b.battle")
    player.goes_on("Turn 1, initiative")
    print(player.does("", "Who goes first", typed("6"), typed("1")))
    player.goes_on("Turn 1, Blue, first status")
    print(player.does("", "Status checks of Blue", typed("3"), typed("5")))
    player.goes_on("Turn 1, Blue, first actions")
    player.carries("blue-1", (17.0, 10.0))
    print(player.waiting)
    player.settles("Blue 1 moved 3.0 in: a move")
    player.chooses("blue-2"); print(player.deeds)
    print(player.does("blue-2", "German rifle at Green 2", typed("6")))
    player.goes_on("Turn 1, Green, second status")
    print(player.does("", "Status checks of Green", typed("6"), typed("1")))
    player.goes_on("Turn 1, Green, second actions")
    player.goes_on("Turn 2, initiative")
    print(player.story)
    print(undone_and_done_again(player))
