"""A move that the players let pass has the same effects as an allowed move, so that later rules count it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.battle.battle import Battle
from rules.battle.journal import event_of
from rules.battle.referees import position_of
from rules.engine.effects import at_journal_places
from rules.engine.events import ActionResolved, Change, Changed, OutcomeDecided, PhaseBegun, Placed
from rules.engine.position import Position
from rules.engine.preview import preview_of
from rules.engine.roster import Army
from rules.engine.state import Unit
from rules.tabletop.table import PointIn
from tests.rules.battle_driver import begun, recruits
from tests.rules.board import figure
from ui.battle.battle_session import BattleSession, Proposal

GAMES = {
    "simple_plastic": ("soldier", PhaseBegun(turn=1, side="green", phase="moving")),
    "army_men": ("rifleman", PhaseBegun(turn=1, side="green", phase="movement")),
    "simple_plastic_figure": ("german_rifleman", PhaseBegun(turn=1, side="green", phase="first_actions")),
    "fudge_miniatures": ("Yanni the Yeoman", PhaseBegun(turn=1, side="green", phase="move")),
    "plastic_fudge": ("basic", PhaseBegun(turn=1, side="green", phase="a_moves")),
}
TAN_AT_IN: PointIn = (60.0, 60.0)
"""The place from which Green 1 is best visible after each of its moves."""
FAR_IN = 40.0
"""Farther than any figure on foot moves in one turn of any game."""


def battle_at(path: Path, game: str) -> Battle:
    card, phase = GAMES[game]
    armies = {side: Army(name=side, game=game, recruits=recruits(side, card)) for side in ("green", "tan")}
    battle = begun(path, game, armies, {"green-1": (0.0, 0.0), "tan-1": TAN_AT_IN})
    battle.record(phase)
    battle.record(Placed(figure="green-1", at_in=(0.0, 0.0), facing_deg=0.0))  # PF-27: turns cost, so it must be known
    if game == "simple_plastic_figure":  # WW-09: the figure may do anything
        battle.record(Changed(changes=(Change(figure="green-1", key="status_die", value=1, this_turn=True),)))
    return battle


def seen(battle: Battle, green_in: PointIn) -> Position:
    places = {"green-1": green_in, "tan-1": TAN_AT_IN}
    return position_of(battle, [figure(name, *at, sigma=0.01) for name, at in places.items()], ())


def moved(path: Path, game: str, far_in: float) -> tuple[Battle, Unit]:
    """The battle and Green 1 after a move of `far_in` inches, allowed or overruled."""
    battle = battle_at(path, game)
    play, position = BattleSession(battle), seen(battle, (far_in, 0.0))
    [proposal] = play.proposals(position)
    if proposal.preview.possible:
        play.accept(position, proposal)
    else:
        play.let_pass(position, proposal, "he ran")
    return battle, battle.state.unit("green-1")


@pytest.mark.parametrize("game", GAMES)
def test_an_allowed_and_an_overruled_move_have_the_same_effects(game: str, tmp_path: Path) -> None:
    legal, allowed = moved(tmp_path / "legal", game, 1.0)
    passed, far = moved(tmp_path / "far", game, FAR_IN)
    told = [event_of(battle.entries[-1]) for battle in (legal, passed)]
    assert isinstance(told[0], ActionResolved)
    assert isinstance(told[1], OutcomeDecided)
    assert told[0].effects.changes == told[1].effects.changes
    assert (dict(far.this_turn), dict(far.acts)) == (dict(allowed.this_turn), dict(allowed.acts))
    assert far.at_in == (FAR_IN, 0.0)
    assert far.allowance_used_in > allowed.allowance_used_in > 0


def test_an_overruled_move_counts_as_moved(tmp_path: Path) -> None:
    """Simple Plastic Wargame, SP-07 and SP-12: only a figure that did not move gets the bonus."""
    battle, _ = moved(tmp_path / "b", "simple_plastic", 5.0)
    battle.record(PhaseBegun(turn=1, side="green", phase="attacking"))
    play, position = BattleSession(battle), seen(battle, (5.0, 0.0))
    [shot] = [one for one in play.available_actions(position, "green-1").attacks if one.action.at == ("tan-1",)]
    assert "the attacker did not move" not in "; ".join(one.text for one in shot.before.reasons)


@pytest.mark.parametrize("game", ["simple_plastic_figure", "plastic_fudge"])
def test_single_moves_are_overruled_one_by_one(game: str, tmp_path: Path) -> None:
    card, phase = GAMES[game]
    pals = recruits("green", card, card)
    armies = {"green": Army(name="g", game=game, recruits=pals), "tan": Army(name="t", game=game, recruits=())}
    places: dict[str, PointIn] = {"green-1": (0.0, 0.0), "green-2": (3.0, 0.0)}
    with begun(tmp_path / "b", game, armies, places) as battle:
        battle.record(phase)
        play = BattleSession(battle)
        stood = position_of(battle, [figure(name, x + FAR_IN, y) for name, (x, y) in places.items()], ())
        before = at_journal_places(stood)
        paths = {name: (place, stood.figure(name).centre_in) for name, place in places.items()}
        pair = Proposal(paths, preview_of(before, play.referee.march(before, paths)))
        assert not pair.preview.possible
        play.let_pass(stood, pair, "agreed")
        assert [battle.state.unit(name).at_in for name in places] == [(40.0, 0.0), (43.0, 0.0)]
        battle.undo()
        assert battle.state.unit("green-2").at_in == (3.0, 0.0)


def test_an_overruled_move_into_contact_leads_to_a_fight(tmp_path: Path) -> None:
    """Simple Plastic Figure, WW-22: a figure that ends its move in contact with an enemy fights."""
    battle = battle_at(tmp_path / "b", "simple_plastic_figure")
    play, position = BattleSession(battle), seen(battle, (TAN_AT_IN[0], TAN_AT_IN[1] - 1))
    [proposal] = play.proposals(position)
    play.let_pass(position, proposal, "he ran")
    assert battle.state.unit("green-1").this_turn["fights"]["with"] == ["tan-1"]
