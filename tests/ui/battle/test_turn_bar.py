"""The bar above the picture: the turn, what is left, what the button does, and colours that can be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.battle.referees import position_of
from rules.battle.scripted import SituationPlay, begin_battle
from rules.battle.situation import situation_of
from rules.engine.dice import Scripted
from rules.engine.events import PhaseBegun
from rules.engine.position import Position
from rules.engine.text import phase_words, turn_words
from tests.rules.battle_driver import BattleDriver
from tests.ui.battle.test_words import SET_UPS
from ui.battle.battle_session import BattleSession
from ui.battle.turn_bar import TurnBar, turn_bar
from ui.theme import DARK, GREEN, ORANGE, WHITE, army_colour, contrast, readable_ink
from ui.translation import tr, use_language

ARMIES = ("green", "tan")


def bars(game: str, path: Path, phases: int) -> list[tuple[str, str]]:
    """The bar's text and button in the phases of a battle in which nothing is done."""
    driver, found = SET_UPS[game](path), []
    with driver.battle as battle:
        play = BattleSession(battle)
        for _ in range(phases):
            bar = turn_bar(play, driver.position, ())
            found.append((bar.words, bar.button))
            play.go_on(driver.position, play.owed(driver.position))
    return found


@pytest.mark.parametrize(
    ("game", "expected"),
    [
        (
            "simple_plastic",
            [
                ("Set-up", "Begin: Green moves"),
                ("Turn 1 · Green moves · 4 left to move", "Done: Green attacks"),
                ("Turn 1 · Green attacks · 4 left", "Done: Tan moves"),
                ("Turn 1 · Tan moves · 3 left to move", "Done: Tan attacks"),
                ("Turn 1 · Tan attacks · 3 left", "Done: turn 2"),
            ],
        ),
        (
            "army_men",
            [
                ("Set-up · 1 to do", "Who moves first…"),
                ("Turn 1 · Green moves · 10 left to move", "Done: Tan moves"),
                ("Turn 1 · Tan moves · 8 left to move", "Done: Automatic weapons"),
                ("Turn 1 · Automatic weapons · 5 left", "Done: Small arms"),  # 3 machine guns, a hero, a tank
            ],
        ),
        (
            "plastic_fudge",
            [
                ("Set-up", "Begin: Initiative"),
                ("Turn 1 · Initiative · 1 to do", "Initiative…"),
                ("Turn 1 · Green moves (A) · 5 left to move", "Done: Tan moves (B)"),
                ("Turn 1 · Tan moves (B) · 4 left to move", "Done: Attacks"),
                ("Turn 1 · Attacks · 9 left", "Done: Morale"),  # all of the 5 and 4
                ("Turn 1 · Morale · 9 to do", "Morale: 9 to do…"),
            ],
        ),
        (
            "simple_plastic_figure",
            [
                ("Set-up", "Begin: Initiative"),
                ("Turn 1 · Initiative · 1 to do", "Who goes first…"),
                ("Turn 1 · German checks status · 1 to do", "Status checks of German…"),
                ("Turn 1 · German acts · 6 left", "Done: American checks status"),
            ],
        ),
        (
            "fudge_miniatures",
            [
                ("Set-up · 1 to do", "Blue begins or Red begins…"),
                ("Turn 1 · Blue moves · 3 left to move", "Done: Blue acts"),
                ("Turn 1 · Blue acts · 3 left", "Done: Blue deals damage"),
                ("Turn 1 · Blue deals damage", "Done: Blue moves on"),
            ],
        ),
    ],
)
def test_each_game_says_who_does_what(game: str, expected: list[tuple[str, str]], tmp_path: Path) -> None:
    assert bars(game, tmp_path / "b", len(expected)) == expected


def test_who_has_acted_is_no_longer_left(tmp_path: Path) -> None:
    driver: BattleDriver = SET_UPS["simple_plastic"](tmp_path / "b")
    with driver.battle as battle:
        battle.record(PhaseBegun(turn=1, side="green", phase="attacking"))
        driver.do(driver.attack("green-1", "tan-3"), 1)
        assert turn_bar(BattleSession(battle), driver.position, ()).left == "3 left"


def test_gaps_that_are_closed_in_the_enemys_phase_are_no_moves_of_the_side_that_attacks(tmp_path: Path) -> None:
    # SP-A04, at once: Green 2 of three men 1.2 in apart is out; Tan, whose phase it is, has one man who may attack.
    squad = [{"id": f"green-{n}", "card": "soldier", "squad": "a", "at_in": [8 + 1.2 * n, 10]} for n in (1, 2, 3)]
    sides = {"green": squad, "tan": [{"id": "tan-1", "card": "soldier", "at_in": [10, 30]}]}
    table = {"schema": 1, "game": "simple_plastic", "table_in": [48, 48], "sides": sides}
    situation = situation_of({**table, "options": {"gaps_closed_by": "at_once"}})
    with begin_battle(situation, tmp_path) as battle:
        driver, play = SituationPlay(situation, battle), BattleSession(battle)
        driver.step({"phase": "attacking", "side": "tan", "turn": 1})
        driver.step({"status": {"green-2": {"eliminated": True}}})
        bar = turn_bar(play, driver.position, ())
        assert (bar.words, bar.button) == ("Turn 1 · Tan attacks · 1 to do", "Close the gaps of a…")
        assert turn_bar(play, driver.position, (), owed=()).left == "1 left"


def test_known_obligations_can_be_skipped(tmp_path: Path) -> None:
    driver = SET_UPS["plastic_fudge"](tmp_path / "b")
    with driver.battle as battle:
        battle.record(PhaseBegun(turn=1, phase="morale"))
        play = BattleSession(battle)
        bar = turn_bar(play, driver.position, (), play.owed(driver.position))
        assert bar.button == "Skip 9: turn 2"
        assert bar.tip.startswith("Still to do: Morale of Green 1, Morale of Green 2, Morale of Green 3, 6 more. Then")
        play.do(driver.position, driver.obligation("morale_check"), Scripted((0, 0, 0, 0)))
        assert turn_bar(play, driver.position, ()).left == "8 to do"


def test_moves_are_answered_before_the_phase_ends_or_skipped(tmp_path: Path) -> None:
    driver = SET_UPS["army_men"](tmp_path / "b")
    with driver.battle as battle:
        battle.record(PhaseBegun(turn=1, side="green", phase="movement"))
        play = BattleSession(battle)
        found = [turn_bar(play, driver.position, (), moves=2, skips_moves=skips) for skips in (False, True)]
        assert [bar.button for bar in found] == ["2 moves to answer…", "Skip 2: Tan moves"]
        assert not any(bar.is_next for bar in found)
        assert turn_bar(play, driver.position, ()).is_next


def test_before_the_soldiers_are_seen_the_bar_only_waits(tmp_path: Path) -> None:
    with SET_UPS["simple_plastic"](tmp_path / "b").battle as battle:
        assert turn_bar(BattleSession(battle), None, ()) == TurnBar("Waiting for soldiers")


def test_the_bar_has_the_colour_of_the_side(tmp_path: Path) -> None:
    with SET_UPS["simple_plastic"](tmp_path / "b").battle as battle:
        play = BattleSession(battle)

        def here() -> Position:
            return position_of(battle, (), ())

        assert turn_bar(play, here(), ARMIES).colour == DARK
        battle.record(PhaseBegun(turn=1, side="green", phase="moving"))
        assert turn_bar(play, here(), ARMIES).colour == GREEN
        battle.record(PhaseBegun(turn=1, side="tan", phase="moving"))
        assert turn_bar(play, here(), ARMIES).colour == ORANGE


@pytest.mark.parametrize("army", ["green", "tan", "grey", "blue", "red", "yellow", "allies", "axis", "", "third"])
def test_the_text_can_be_read_on_every_sides_colour(army: str) -> None:
    colour = army_colour(army, ["allies", "axis", "third"]) if army else DARK
    assert contrast(readable_ink(colour), colour) > 4.5  # WCAG 2, level AA


def test_the_contrast_of_black_and_white_is_21() -> None:
    assert contrast((0, 0, 0, 255), WHITE) == pytest.approx(21)
    assert contrast(WHITE, WHITE) == 1


def test_phases_of_other_games_are_named_as_they_are() -> None:
    assert phase_words("tan", "hand_to_hand") == "Tan · Hand to hand"
    assert phase_words("", "small_arms") == "Small arms"
    assert turn_words(3, "", "") == "Turn 3"


def test_the_turn_and_its_phase_are_shown_in_the_language_of_the_window() -> None:
    assert use_language(["de"]) == "de"
    try:
        assert turn_words(2, "tan", "moving", tr) == "Spielzug 2 · Tan zieht"
        assert phase_words("", "small_arms", tr) == "Handwaffen"
        assert phase_words("", "parley", tr) == "Parley", "a phase of the players' own"
        assert turn_words(2, "tan", "moving") == "Turn 2 · Tan moves", "exports stay English"
    finally:
        use_language(["en"])
