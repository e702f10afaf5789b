"""A full turn of each game in the real window: setup, moves by hand, shots with typed dice, undo and redo."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import Qt

from tests.ui.stories import Board, Player, typed, words_of


@pytest.fixture(scope="module")
def table() -> Board:
    return Board()


@pytest.fixture(autouse=True)
def as_set_up(table: Board) -> None:
    """Reset the table, which all tests share."""
    table.tidy()


def undone_and_done_again(player: Player) -> list[str]:
    """Undo everything and redo it; return the menu's names of the steps after the set-up, which stays, in order."""
    before = (player.phase, player.story, player.actions)
    undone = player.undoes_all()
    player.looks()  # the undone state survives new pictures
    assert player.phase == "Set-up"
    assert not [line for line in player.story if line.startswith("Turn")]
    assert sum("is placed at" in line for line in player.story) == 4, "the armies stay in the battle"
    assert player.redoes_all() == undone[::-1]
    assert (player.phase, player.story, player.actions) == before
    return undone[::-1]


@pytest.mark.slow
def test_in_simple_plastic_the_players_agree_who_begins(player: Player) -> None:
    player.begins("Simple Plastic Wargame")
    assert player.does("", "Green begins").startswith("Green")
    player.goes_on("Turn 1 · Green moves", "Turn 1 · Green attacks", "Turn 1 · Blue moves")


@pytest.mark.slow
def test_simple_plastic(player: Player) -> None:
    player.begins("Simple Plastic Wargame")
    player.goes_on("Turn 1 · Blue moves")
    assert "units attack in the attacking phase (SP-01)" in player.may_not("blue-1", "Attack on Green 1")
    player.carries("blue-1", (17.0, 10.0))
    player.settles("Blue 1 moved 3.0 in", "Accept")
    assert player.plot == ["Blue 1: Move: legal.", "Blue 1 moves 3.0 in to (17.0, 10.0)."]
    player.goes_on("Turn 1 · Blue attacks")
    player.chooses("blue-1")
    assert player.actions["Attack on Green 1"] == "kills 50 %, misses 50 %"  # SP-11: 4 or more after moving
    assert player.does("blue-1", "Attack on Green 1", typed("4", "1 six-sided die")).startswith("Kills")
    assert player.plot == ["Blue 1: Attack on Green 1: kills.", "Green 1 eliminated."]
    assert "Each unit rolls one die" in player.may_not("blue-1", "Attack on Green 2")
    assert player.does("blue-2", "Attack on Green 2", typed("1")).startswith("Misses")
    player.goes_on("Turn 1 · Green moves")
    player.carries("green-2", (11.0, 11.0))
    player.settles("Green 2 moved 5.0 in", "Allow")  # of 4: SP-02
    player.goes_on("Turn 1 · Green attacks")
    assert "it is the turn of Green (SP-01)" in player.may_not("blue-2", "Attack on Green 2")
    assert player.does("green-2", "Attack on Blue 1", typed("1")).startswith("Misses")
    player.goes_on("Turn 2 · Blue moves")
    assert undone_and_done_again(player) == [
        "Turn 1 · Blue moves",
        "Blue 1 moved 3.0 in",
        "Turn 1 · Blue attacks",
        "Blue 1: Attack on Green 1, kills",
        "Blue 2: Attack on Green 2, misses",
        "Turn 1 · Green moves",
        "Green 2 moved 5.0 in, allowed by you",
        "Turn 1 · Green attacks",
        "Green 2: Attack on Blue 1, misses",
        "Turn 2 · Blue moves",
    ]


@pytest.mark.slow
def test_army_men(player: Player) -> None:
    player.begins("Army Men", green_1="Submachine gunner", blue_2="Bazooka")
    moves_first = player.does("", "Who moves first", typed("1", "1 six-sided die"), typed("6"))
    assert moves_first.startswith("Who moves first: Green")
    player.goes_on("Turn 1 · Green moves", "Turn 1 · Blue moves")
    player.carries("blue-1", (15.0, 10.0))
    player.settles("Blue 1 moved 5.0 in", "Accept")
    assert player.plot == ["Blue 1: Move: legal.", "Blue 1 moves 5.0 in to (15.0, 10.0)."]
    player.goes_on("Turn 1 · Automatic weapons")
    missed = player.does("green-1", "Submachine gun at Blue 1", typed("6 6"))
    assert missed.startswith("Miss")
    assert "An automatic weapon jams on a 12 (AM-75)" in missed
    assert "the rifle fires in the phase of small arms (AM-12)" in player.may_not("blue-1", "Rifle at Green 1")
    player.goes_on("Turn 1 · Small arms")
    player.chooses("blue-1")
    assert player.actions["Rifle at Green 1"] == "hit 58 %, miss 42 %"  # AM-46: 7 or less is 21 of 36
    assert player.does("blue-1", "Rifle at Green 1", typed("3 3")).startswith("Hit")
    assert player.plot == ["Blue 1: Rifle at Green 1: hit.", "Green 1 down."]
    player.does("", "Take off Green 1")
    player.goes_on("Turn 1 · Heavy weapons")
    assert player.does("blue-2", "Bazooka at Green 2", typed("6 6")).startswith("Misses")
    player.goes_on("Turn 2 · Green moves")
    assert undone_and_done_again(player) == [
        "Who moves first, Green",
        "Turn 1 · Green moves",
        "Turn 1 · Blue moves",
        "Blue 1 moved 5.0 in",
        "Turn 1 · Automatic weapons",
        "Green 1: Submachine gun at Blue 1, miss",
        "Turn 1 · Small arms",
        "Blue 1: Rifle at Green 1, hit",
        "Take off Green 1, removed",
        "Turn 1 · Heavy weapons",
        "Blue 2: Bazooka at Green 2, misses",
        "Turn 2 · Green moves",
    ]


@pytest.mark.slow
def test_fudge_miniatures(player: Player) -> None:
    player.begins("Fudge", blue_1="Yanni", green_2="Yanni")
    assert player.does("", "Green begins").startswith("Green")
    player.goes_on("Turn 1 · Green moves")
    player.carries("green-2", (11.0, 10.0))
    player.settles("Green 2 moved 4.0 in", "Accept")
    assert player.plot[-1] == "Green 2 moves 4.0 in to (11.0, 10.0)."
    player.goes_on("Turn 1 · Green acts")
    assert "Melee needs base contact" in player.may_not("green-1", "Sword of Smiting at Blue 1")
    hurt = player.does("green-2", "Shortbow at Blue 2", typed("1 0 0 1", "4 Fudge dice"))
    assert hurt.startswith("Hurt")
    assert "+5 against +1: a wound of 4, Hurt (FM-32)" in hurt  # two on the dice and RODF 3
    player.goes_on("Turn 1 · Green deals damage")
    player.does("", "The wounds of Blue 2")
    assert any("Blue 2" in line and "hurt" in line for line in player.plot)
    player.does("", "Blue 2 checks Guts", typed("1 1 1 0"))  # FM-46
    player.goes_on("Turn 1 · Green moves on", "Turn 1 · Blue moves", "Turn 1 · Blue acts")
    assert player.does("blue-1", "Shortbow at Green 2", typed("-1 -1 -1 -1")).startswith("Miss")
    player.goes_on("Turn 1 · Blue deals damage", "Turn 1 · Blue moves on", "Turn 2 · Green moves")
    steps = undone_and_done_again(player)
    assert steps == [
        "Green begins",
        "Turn 1 · Green moves",
        "Green 2 moved 4.0 in",
        "Turn 1 · Green acts",
        "Green 2: Shortbow at Blue 2, hurt",
        "Turn 1 · Green deals damage",
        "The wounds of Blue 2, hurt",
        "Blue 2 checks Guts: new wound level, passed",
        "Turn 1 · Green moves on",
        "Turn 1 · Blue moves",
        "Turn 1 · Blue acts",
        "Blue 1: Shortbow at Green 2, miss",
        "Turn 1 · Blue deals damage",
        "Turn 1 · Blue moves on",
        "Turn 2 · Green moves",
    ]


@pytest.mark.slow
def test_plastic_fudge(player: Player) -> None:
    player.begins("Plastic Fudge", blue_1="Basic", green_2="Basic")
    player.goes_on("Turn 1 · Initiative")
    first = player.does("", "Initiative", typed("1 0 0 0", "4 Fudge dice"), typed("0 0 0 0", "4 Fudge dice"))
    assert first.startswith("Initiative: Blue")
    player.does("", "Blue moves first")
    player.goes_on("Turn 1 · Blue moves (A)")
    player.carries("blue-1", (15.5, 8.0))
    # PF-09: 6 in, less one for a turn of 24 degrees: 5 in are left for 4.9, and the camera is accurate to 0.1.
    player.settles("Blue 1 moved 4.9 in", "Allow")
    assert player.plot[-1] == "Blue 1 moves 4.9 in to (15.5, 8.0), which costs 5.8 in."
    player.goes_on("Turn 1 · Green moves (B)", "Turn 1 · Attacks")
    assert "the pistol reaches 6 in (PF-10)" in player.may_not("blue-2", "Pistol at Green 1")
    shot = player.does("blue-1", "Rifle at Green 2", typed("1 0 0 0", "attack"), typed("0 0 0 0", "defence"))
    assert "attack +0 against defence -1: NE (PF-49)" in shot
    player.goes_on("Turn 1 · Morale")
    passed = player.does("", "Morale of Green 2", typed("0 0 0 0"))
    assert passed.startswith("Passed")
    for other in ("Green 1", "Blue 1", "Blue 2"):  # PF-55: every surviving trooper makes a check
        player.does("", f"Morale of {other}", typed("1 1 0 0"))
    player.goes_on("Turn 2 · Initiative")
    assert undone_and_done_again(player) == [
        "Turn 1 · Initiative",
        "Initiative, Blue",
        "Blue moves first",
        "Turn 1 · Blue moves (A)",
        "Blue 1 moved 4.9 in",
        "Turn 1 · Green moves (B)",
        "Turn 1 · Attacks",
        "Blue 1: Rifle at Green 2, no effect",
        "Turn 1 · Morale",
        "Morale of Green 2, passed",
        "Morale of Green 1, passed",
        "Morale of Blue 1, passed",
        "Morale of Blue 2, passed",
        "Turn 2 · Initiative",
    ]


@pytest.mark.slow
def test_simple_plastic_figure(player: Player) -> None:
    player.begins("Simple Plastic Figure")
    player.goes_on("Turn 1 · Initiative")
    assert player.does("", "Who goes first", typed("1", "Blue"), typed("6", "Green")).startswith(
        "Who goes first: Green"
    )
    player.key(Qt.Key.Key_N)
    player.wait_until(lambda: player.window.battle.turn_bar.shown.button.startswith("Skip 1"))
    owed = "Still to do: Green lets Blue go first or Green goes first. Press N again to skip it."
    assert owed in words_of(player.window.battle.panel), "it is not clear that one of two must be chosen"
    assert player.does("", "Green goes first").startswith("Green goes first")
    player.goes_on("Turn 1 · Green checks status")
    player.does("", "Status checks of Green", typed("3"), typed("5"))
    player.goes_on("Turn 1 · Green acts")
    player.carries("green-1", (11.0, 10.0))
    player.settles("Green 1 moved 3.0 in", "Accept")
    assert player.plot == ["Green 1: Move: may move.", "Green 1 moves 3.0 in to (11.0, 10.0)."]
    shot = player.does("green-2", "German rifle at Blue 1", typed("6"))
    assert shot.startswith("Eliminated")
    assert "rolled 6, with +1 that is 7 (WW-50)" in shot  # WW-53: one more at a standing man
    assert "it is the half of Green (WW-08)" in player.may_not("blue-2", "German rifle at Green 2")
    player.goes_on("Turn 1 · Blue checks status")
    player.does("", "Status checks of Blue", typed("6"))
    player.goes_on("Turn 1 · Blue acts")
    assert "rolled 6: it may do nothing (WW-09)" in player.may_not("blue-2", "German rifle at Green 2")
    player.goes_on("Turn 2 · Initiative")
    assert undone_and_done_again(player) == [
        "Turn 1 · Initiative",
        "Who goes first, Green",
        "Green goes first",
        "Turn 1 · Green checks status",
        "Green 1, Green 2: Status checks of Green, checked",
        "Turn 1 · Green acts",
        "Green 1 moved 3.0 in",
        "Green 2: German rifle at Blue 1, eliminated",
        "Turn 1 · Blue checks status",
        "Blue 2: Status checks of Blue, checked",
        "Turn 1 · Blue acts",
        "Turn 2 · Initiative",
    ]


@pytest.mark.slow
def test_a_battle_that_was_undone_to_its_beginning_is_played_again_with_other_moves(player: Player) -> None:
    player.begins("Simple Plastic Wargame")
    player.does("", "Green begins")
    player.goes_on("Turn 1 · Green moves")
    player.carries("green-2", (11.0, 8.0))
    player.settles("Green 2 moved 2.0 in", "Accept")
    player.carries("green-2", (11.0, 6.0))
    player.undoes_all()
    assert player.undo_words()[0] == "Undo"
    assert not player.window.battle.pending
    player.does("", "Blue begins")
    assert player.undo_words() == ("Undo Blue begins", "Redo")
    player.goes_on("Turn 1 · Blue moves")
    player.carries("blue-1", (18.0, 10.0))
    player.settles("Blue 1 moved 2.0 in", "Accept")
    assert "Green 2" not in "".join(player.plot)
