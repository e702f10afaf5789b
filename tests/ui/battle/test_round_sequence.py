"""Rounds: the order of the figures, which are done or skipped, and undo."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rules.battle.battle import Battle
from rules.battle.referees import position_of
from rules.engine.dice import DiceRequest, Roll
from rules.engine.events import PhaseBegun
from rules.engine.position import Position
from rules.engine.roster import Army
from rules.tabletop.table import PointIn
from tests.rules.battle_driver import begun, recruits
from tests.rules.board import figure
from ui.battle.battle_session import BattleSession
from ui.battle.round_sequence import RoundMark, RoundSequence, RoundState, rounds

PLACES: dict[str, PointIn] = {
    "green-1": (4, 4), "green-2": (8, 4), "green-3": (12, 4), "tan-1": (4, 9), "tan-2": (8, 9),
}  # fmt: skip
Table = Callable[[], Position]


def best(request: DiceRequest) -> Roll:
    return Roll((max(request.die.faces),) * request.count)


def worst(request: DiceRequest) -> Roll:
    return Roll((min(request.die.faces),) * request.count)


def opened(path: Path, game: str, card: str, phase: PhaseBegun) -> Battle:
    armies = {
        side: Army(name=side, game=game, recruits=recruits(side, *[card] * count))
        for side, count in (("green", 3), ("tan", 2))
    }
    battle = begun(path / "b", game, armies, PLACES)
    battle.record(phase)
    return battle


def seen(battle: Battle) -> Position:
    return position_of(battle, [figure(name, *at) for name, at in PLACES.items()], ())


@pytest.fixture
def morale(tmp_path: Path) -> Iterator[BattleSession]:
    """Plastic Fudge, whose morale phase asks every figure (PF-61)."""
    with opened(tmp_path, "plastic_fudge", "basic", PhaseBegun(turn=1, phase="morale")) as battle:
        yield BattleSession(battle)


@pytest.fixture
def fire(tmp_path: Path) -> Iterator[BattleSession]:
    """Army Men, small arms: all fire at the same time."""
    with opened(tmp_path, "army_men", "rifleman", PhaseBegun(turn=1, phase="small_arms")) as battle:
        yield BattleSession(battle)


def ask(play: BattleSession, walker: RoundSequence) -> None:
    """Do the current figure's first action."""
    position = seen(play.battle)
    walker.advance(position)
    play.do(position, walker.actions(position)[0], best)


def settled(walker: RoundSequence, play: BattleSession) -> RoundState:
    """The round's state once the next figure is known."""
    position = seen(play.battle)
    return next(walk for walk in (walker.advance(position) for _ in itertools.count()) if not walk.looking)


def marks(walk: RoundState) -> dict[str, str]:
    return {step.figure: str(step.mark) for step in walk.steps}


def test_a_figure_that_still_owes_something_has_no_tick(morale: BattleSession) -> None:
    """PF-65: a unit that fails its morale check must still flee in the same phase."""
    first = RoundSequence(morale, "Morale")
    for _ in range(2):
        position = seen(morale.battle)
        first.advance(position)
        morale.do(position, first.actions(position)[0], worst)
    flight = settled(RoundSequence(morale, "Flight"), morale)
    assert set(marks(flight)) <= morale.acted
    assert len(marks(flight)) == 2
    assert "done" not in marks(flight).values()


def test_a_morale_round_asks_each_figure_and_ticks_it(morale: BattleSession) -> None:
    assert rounds(morale, seen(morale.battle)) == ("Morale",)
    walker = RoundSequence(morale, "Morale")
    assert settled(walker, morale).words == "Morale, 1 of 5: Green 1"
    ask(morale, walker)
    walk = settled(walker, morale)
    assert walk.words == "Morale, 2 of 5: Green 2"
    assert [step.words for step in walk.steps][:2] == ["✓ Green 1", "Green 2"]
    for _ in range(4):
        ask(morale, walker)
    assert settled(walker, morale).words == "Morale: all done"
    assert set(marks(settled(walker, morale)).values()) == {RoundMark.DONE}
    assert rounds(morale, seen(morale.battle)) == ()


def test_a_skipped_figure_can_be_returned_to(morale: BattleSession) -> None:
    walker = RoundSequence(morale, "Morale")
    settled(walker, morale)
    assert walker.skip(seen(morale.battle)).figure == "green-2"
    assert marks(settled(walker, morale))["green-1"] == RoundMark.SKIPPED
    for _ in range(4):
        ask(morale, walker)
    assert settled(walker, morale).words == "Morale: 1 skipped"
    assert walker.back(seen(morale.battle)).words == "Morale, 1 of 5: Green 1"
    ask(morale, walker)
    assert settled(walker, morale).words == "Morale: all done"


def test_back_goes_to_the_previous_open_figure(morale: BattleSession) -> None:
    walker = RoundSequence(morale, "Morale")
    settled(walker, morale)
    assert walker.go("tan-1", seen(morale.battle)).figure == "tan-1"
    assert walker.back(seen(morale.battle)).figure == "green-3"
    assert walker.go("nobody", seen(morale.battle)).figure == "green-3"
    walker.go("green-1", seen(morale.battle))
    assert walker.back(seen(morale.battle)).figure == "tan-2"  # cyclically


def test_an_undone_check_is_repeated(morale: BattleSession) -> None:
    walker = RoundSequence(morale, "Morale")
    ask(morale, walker)
    ask(morale, walker)
    assert settled(walker, morale).figure == "green-3"
    morale.battle.undo()
    walk = settled(walker, morale)
    assert walk.words == "Morale, 2 of 5: Green 2"
    assert marks(walk)["green-1"] == RoundMark.DONE


def test_simultaneous_fire_asks_both_sides(fire: BattleSession) -> None:
    assert rounds(fire, seen(fire.battle)) == ("Fire",)
    walker = RoundSequence(fire, "Fire")
    asked = []
    while (walk := settled(walker, fire)).figure:
        asked.append(walk.figure)
        ask(fire, walker)
    # AM-37: one attack in a turn. A 12 misses and empties the weapon (AM-77), so no figure falls.
    assert asked == list(PLACES)
    assert set(marks(walk).values()) == {RoundMark.DONE}


def test_no_fire_is_offered_beside_the_card_of_an_enemy(tmp_path: Path) -> None:
    phase = PhaseBegun(turn=1, side="green", phase="attacking")
    with opened(tmp_path, "simple_plastic", "soldier", phase) as battle:
        play, position = BattleSession(battle), seen(battle)
        offered = [rounds(play, position, chosen) for chosen in ("", "green-1", "tan-1")]
        assert offered == [("Fire",), ("Fire",), ()]  # SP-01: only Green attacks now


def test_figures_without_targets_are_not_asked(tmp_path: Path) -> None:
    """Only figures that might be next are examined, and only a few per call."""
    with opened(tmp_path, "army_men", "knife_fighter", PhaseBegun(turn=1, phase="heavy_weapons")) as battle:
        position = seen(battle)
        walker = RoundSequence(BattleSession(battle), "Fire")
        assert walker.advance(position, patience=2).looking
        assert walker.advance(position, patience=2).looking
        walk = walker.advance(position, patience=2)
        assert (walk.looking, walk.words, walk.listed) == (False, "Fire: nobody can act", ())
        assert set(marks(walk).values()) == {RoundMark.IDLE}  # all enemies are 5 in away


def test_no_fire_is_offered_if_nobody_has_a_weapon_of_the_phase(tmp_path: Path) -> None:
    """AM-12: rifles are small arms. AM-37: a soldier attacks once in a turn."""
    with opened(tmp_path, "army_men", "rifleman", PhaseBegun(turn=1, side="tan", phase="movement")) as battle:
        play = BattleSession(battle)
        seen_march = play.referee.march(seen(battle), {"tan-1": ((4.0, 9.0), (4.0, 12.0))})
        play.do(seen(battle), seen_march, best)
        battle.record(PhaseBegun(turn=1, phase="automatic_weapons"))
        assert rounds(play, seen(battle)) == ()
        battle.record(PhaseBegun(turn=1, phase="small_arms"))
        for name in PLACES:
            assert "Fire" in rounds(play, seen(battle)), name
            play.do(seen(battle), next(iter(play.referee.attacks(seen(battle), name))), best)
        assert rounds(play, seen(battle)) == ()


def test_opportunity_fire_is_a_separate_round(tmp_path: Path) -> None:
    """AM-34: a figure that moved through a gun's sight can be shot at where it was visible."""
    with opened(tmp_path, "army_men", "rifleman", PhaseBegun(turn=1, side="tan", phase="movement")) as battle:
        play = BattleSession(battle)
        position = seen(battle)
        path = ((4.0, 9.0), (4.0, 12.0))
        play.do(position, play.referee.march(position, {"tan-1": path}), best)
        assert rounds(play, seen(battle)) == ()
        battle.record(PhaseBegun(turn=1, phase="small_arms"))
        assert rounds(play, seen(battle)) == ("Opportunity fire", "Fire")
        walker = RoundSequence(play, "Opportunity fire")
        walk = settled(walker, play)
        assert walk.words == "Opportunity fire, 1 of 5: Green 1"
        assert [action.title for action in walker.actions(seen(battle))] == ["Rifle at Tan 1 on its way"]


def test_there_is_no_round_before_the_first_turn(tmp_path: Path) -> None:
    armies = {side: Army(name=side, game="army_men", recruits=recruits(side, "rifleman")) for side in ("green", "tan")}
    with begun(tmp_path / "b", "army_men", armies, {"green-1": (4, 4), "tan-1": (4, 9)}) as battle:
        position = position_of(battle, [figure("green-1", 4, 4), figure("tan-1", 4, 9)], ())
        assert rounds(BattleSession(battle), position) == ()
