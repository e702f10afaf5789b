"""A battle on the table: detected moves, shots, and the players' decisions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rules.battle.battle import Battle
from rules.battle.referees import position_of
from rules.battle.replay import replay
from rules.engine.dice import Scripted
from rules.engine.events import PhaseBegun, UnitJoined
from rules.engine.position import Position
from rules.engine.preview import ActionPreview
from rules.engine.roster import Army, Recruit
from rules.tabletop.errors import UserError
from rules.tabletop.table import PointIn, Posture
from tests.rules.battle_driver import begun, give_status
from tests.rules.board import figure
from tests.rules.test_battle_simple_plastic import GREEN, HEDGE, PLACES, TAN
from ui.battle.battle_session import LEAST_MOVE_IN, BattleSession


@pytest.fixture
def play(tmp_path: Path) -> Iterator[BattleSession]:
    with begun(tmp_path / "b", "simple_plastic", {"green": GREEN, "tan": TAN}, PLACES) as battle:
        one = BattleSession(battle)
        one.go_on(seen(battle))
        yield one


def seen(battle: Battle, **moved: PointIn) -> Position:
    """The position with some figures at other places."""
    places = {**PLACES, **{name.replace("_", "-"): at for name, at in moved.items()}}
    return position_of(battle, [figure(name, *at, sigma=0.01) for name, at in places.items()], [HEDGE])


def test_a_moved_squad_is_proposed_as_one_move(play: BattleSession) -> None:
    moved = {f"green_{n}": (PLACES[f"green-{n}"][0], 7.0) for n in (1, 2, 3, 4)}
    [proposal] = play.proposals(seen(play.battle, **moved))
    assert proposal.words == "Green 1, Green 2, Green 3, Green 4 moved 3.0 in"
    assert proposal.preview.possible
    position = seen(play.battle, **moved)
    assert play.accept(position, proposal).numbers["left_in"] == 1  # SP-02: 4 in a turn
    assert play.battle.state.unit("green-2").at_in == (5.3, 7.0)
    assert play.proposals(seen(play.battle, **moved)) == ()


def test_all_legal_moves_are_accepted_at_once(play: BattleSession) -> None:
    moved = {"tan_1": (9.0, 14.5), **{f"green_{n}": (PLACES[f"green-{n}"][0], 7.0) for n in (1, 2, 3, 4)}}
    position = seen(play.battle, **moved)
    assert len(play.proposals(position)) == 2
    assert play.accept_all(position) == 1  # it is Green's turn to move
    [left] = play.proposals(seen(play.battle, **moved))
    assert list(left.paths) == ["tan-1"]
    assert not left.is_legal
    assert play.battle.state.unit("green-1").at_in == (4, 7)


def test_on_a_table_that_was_set_up_again_nobody_has_moved(play: BattleSession) -> None:
    moved = {"tan_1": (9.0, 4.5), **{f"green_{n}": (PLACES[f"green-{n}"][0], 12.0) for n in (1, 2, 3, 4)}}
    play.all_only_shifted(seen(play.battle, **moved))
    assert play.proposals(seen(play.battle, **moved)) == ()
    assert play.battle.state.unit("green-1").at_in == (4, 12)
    assert play.battle.state.unit("green-1").allowance_used_in == 0


def test_that_nobody_has_moved_is_undone_and_redone_in_one_step(play: BattleSession) -> None:
    moved = {"tan_1": (9.0, 4.5), **{f"green_{n}": (PLACES[f"green-{n}"][0], 12.0) for n in (1, 2, 3, 4)}}
    before, label = play.battle.state, play.undo_label
    play.all_only_shifted(seen(play.battle, **moved))
    after = play.battle.state
    assert play.undo_label == play.undo() == play.redo_label == "new places without moves"
    assert (play.battle.state, play.undo_label) == (before, label)
    assert play.redo() == "new places without moves"
    assert (play.battle.state, play.redo_label) == (after, None)
    play.undo()
    give_status(play.battle, "tan-1", "out", True)  # the places can no longer be restored
    play.undo()
    assert play.redo_label == play.redo() == "Tan 1 out"
    assert play.battle.state.unit("green-1").at_in == before.unit("green-1").at_in


def test_what_one_click_answered_is_one_step_when_the_battle_is_opened_again(tmp_path: Path) -> None:
    """Two nudges and two moves by one click each; a second passes between clicks, and no time within one."""
    now_s = [0.0]
    places = {"green-1": (4.0, 4.0), "green-2": (9.0, 4.0), "tan-1": (4.0, 20.0)}

    def at(battle: Battle, y: float) -> Position:
        where = {**places, "green-1": (4.0, y), "green-2": (9.0, y)}
        return position_of(battle, [figure(name, *spot, sigma=0.01) for name, spot in where.items()], [])

    with Battle.begin(tmp_path / "b", lambda: now_s[0], "simple_plastic", ["green", "tan"]) as battle:
        for name in places:
            battle.record(UnitJoined(figure=name, side=name.partition("-")[0], card="soldier"))
        play = BattleSession(battle)
        play.place_all(at(battle, 4.0))
        play.go_on(at(battle, 4.0))
        now_s[0] += 1
        play.all_only_shifted(at(battle, 5.0))
        now_s[0] += 1
        assert play.accept_all(at(battle, 7.0)) == 2
        assert play.undo_label == play.undo() == play.redo_label == "2 moves"
        assert battle.state.unit("green-2").at_in == (9.0, 5.0)
        assert play.redo() == "2 moves"
        assert battle.state.unit("green-2").at_in == (9.0, 7.0)
    with Battle.open(tmp_path / "b", lambda: 9.0) as battle:
        play = BattleSession(battle)
        assert play.undo() == "2 moves"
        assert play.undo() == "new places without moves"
        assert {battle.state.unit(f"green-{n}").at_in for n in (1, 2)} == {(4.0, 4.0), (9.0, 4.0)}
        assert play.redo() == "new places without moves"
        assert battle.state.unit("green-2").at_in == (9.0, 5.0)


def test_the_nudge_of_a_squad_is_undone_in_one_step(play: BattleSession) -> None:
    before = play.battle.state
    [proposal] = play.proposals(
        seen(play.battle, **{f"green_{n}": (PLACES[f"green-{n}"][0], 7.0) for n in (1, 2, 3, 4)})
    )
    play.only_shifted(proposal)
    assert play.battle.state.unit("green-4").at_in == (PLACES["green-4"][0], 7.0)
    play.undo()
    assert play.battle.state == before


def test_a_squad_with_a_hidden_man_waits(play: BattleSession) -> None:
    moved = seen(play.battle, green_1=(4, 7))
    figures = {name: one for name, one in moved.figures.items() if name != "green-2"}
    assert play.proposals(replace(moved, figures=figures)) == ()


def test_players_can_let_a_move_pass_that_is_too_far(play: BattleSession) -> None:
    moved = {f"green_{n}": (PLACES[f"green-{n}"][0], 9.0) for n in (1, 2, 3, 4)}
    position = seen(play.battle, **moved)
    [proposal] = play.proposals(position)
    assert "moved 5 in of 4 (SP-02)" in proposal.preview.why_not
    assert not play.accept(position, proposal).allowed
    assert play.battle.state.unit("green-1").at_in == (4, 4)
    play.let_pass(position, proposal, "he ran")
    assert play.battle.state.unit("green-1").at_in == (4, 9)
    assert (
        "  Green 1, Green 2, Green 3, Green 4: Move the squad rifles: the players decide: it stands. He ran."
        in play.story
    )


def test_a_nudge_is_journalled_without_a_move(play: BattleSession) -> None:
    assert play.proposals(seen(play.battle, tan_1=(4, 14.5 + LEAST_MOVE_IN - 0.01))) == ()
    position = seen(play.battle, tan_1=(5, 14.5))
    [proposal] = play.proposals(position)
    play.only_shifted(proposal)
    unit = play.battle.state.unit("tan-1")
    assert (unit.at_in, unit.allowance_used_in) == ((5, 14.5), 0)


def test_a_fall_is_no_move_even_if_the_soldier_does_not_look_fallen(play: BattleSession) -> None:
    x, y = PLACES["green-1"]
    aside = seen(play.battle, green_1=(x, y + 0.6))
    assert play.proposals(aside)
    play.pose("green-1", Posture.DOWN)
    assert play.proposals(replace(aside, state=play.battle.state)) == ()
    far = seen(play.battle, green_1=(x, y + 2.0))
    assert play.proposals(far), "it was carried"


def test_settling_an_ambiguity_is_journalled(play: BattleSession) -> None:
    moved = {f"green_{n}": (PLACES[f"green-{n}"][0], 8.0) for n in (1, 2, 3, 4)}
    position = seen(play.battle, **moved)
    [proposal] = play.proposals(position)
    [doubt] = proposal.preview.ambiguities
    play.settle(doubt, "less")
    settled = seen(play.battle, **moved)
    [proposal] = play.proposals(settled)
    assert proposal.preview.ambiguities == ()
    assert play.accept(settled, proposal).allowed
    assert play.battle.undo() == "Green 1, Green 2, Green 3, Green 4 moved 4.0 in"
    assert play.battle.undo() == "settled: Move the squad rifles: how far its leading man went: less"


def test_a_shot_is_rolled_and_journalled(play: BattleSession, tmp_path: Path) -> None:
    play.go_on(seen(play.battle))
    position = seen(play.battle)
    shot = next(
        one for one in play.available_actions(position, "green-1").attacks if one.action.at == ("tan-1", "tan-2")
    )
    assert play.do(position, shot.action, Scripted([6])).numbers["kills"] == 1
    assert play.battle.state.unit("tan-1").out
    play.battle.close()
    assert replay(tmp_path / "b") == ()


def test_a_fact_about_one_target_does_not_apply_to_another(play: BattleSession) -> None:
    play.go_on(seen(play.battle))
    shots = {one.action.at[0]: one for one in play.available_actions(seen(play.battle), "green-1").attacks}
    assert "target_in_cover" in [question.fact for question in shots["tan-3"].asks]
    play.answer(shots["tan-3"].action, "target_in_cover", True)
    after = {one.action.at[0]: one for one in play.available_actions(seen(play.battle), "green-1").attacks}
    needed = [{name: one.before.numbers["to_kill"] for name, one in shot.items()} for shot in (shots, after)]
    assert needed[0] == {"tan-1": 4, "tan-3": 4}
    assert needed[1] == {"tan-1": 4, "tan-3": 5}  # SP-12: behind cover +1
    assert "target_in_cover" not in [question.fact for question in after["tan-3"].asks]


def test_squads_that_move_singly_are_proposed_singly(tmp_path: Path) -> None:
    """Plastic Fudge moves single units, even those of a squad."""
    men = tuple(Recruit(figure=f"green-{n}", card="basic", squad="pals") for n in (1, 2))
    army, foe = (
        Army(name="Pals", game="plastic_fudge", recruits=men),
        Army(name="Foes", game="plastic_fudge", recruits=(Recruit(figure="tan-1", card="basic"),)),
    )
    places: dict[str, PointIn] = {"green-1": (2, 2), "green-2": (4, 2), "tan-1": (20, 20)}
    with begun(tmp_path / "b", "plastic_fudge", {"green": army, "tan": foe}, places) as battle:
        battle.record(PhaseBegun(turn=1, side="green", phase="a_moves"))
        moved = {**places, "green-1": (2.0, 3.0), "green-2": (4.0, 3.0)}
        proposals = BattleSession(battle).proposals(
            position_of(battle, [figure(n, *at) for n, at in moved.items()], ())
        )
        assert [one.words for one in proposals] == ["Green 1 moved 1.0 in", "Green 2 moved 1.0 in"]


def test_a_soldier_whose_facing_is_unknown_faces_along_his_first_move(tmp_path: Path) -> None:
    """PF-27: each turn of up to 45 degrees costs an inch, and the camera does not see how a soldier faces."""
    armies = {
        side: Army(name=side, game="plastic_fudge", recruits=(Recruit(figure=f"{side}-1", card="basic"),))
        for side in ("green", "tan")
    }
    with begun(tmp_path / "b", "plastic_fudge", armies, {"green-1": (2, 2), "tan-1": (20, 20)}) as battle:
        play = BattleSession(battle)
        battle.record(PhaseBegun(turn=1, side="green", phase="a_moves"))
        costs_in = []
        for at_in in ((2.0, 4.0), (3.0, 4.0)):  # 2 in up; then a quarter turn to the right, which costs 2 in, and 1 in
            position = position_of(battle, [figure("green-1", *at_in), figure("tan-1", 20, 20)], ())
            [move] = play.proposals(position)
            costs_in.append(play.accept(position, move).numbers["cost_in"])
        assert costs_in == [2.0, 3.0]


def test_facts_of_a_whole_side_can_be_answered(play: BattleSession) -> None:
    """Simple Plastic: the players say who reached the objective, because the camera cannot know it."""

    def who_won() -> ActionPreview:
        return next(one for one in play.obligations(seen(play.battle)) if one.action.name == "victory")

    asked = who_won()
    [question] = asked.asks
    assert question.fact == "objective_reached_by"
    play.answer(asked.action, question.fact, question.read(" green "))
    assert who_won().asks == ()
    assert play.do(seen(play.battle), who_won().action, Scripted([])).numbers["winner"] == "green"
    play.battle.undo()
    play.battle.undo()
    assert who_won() == asked


def test_an_undone_place_is_journalled_again_only_before_an_action(tmp_path: Path) -> None:
    """Otherwise undo would never get past it, because the camera still sees all figures."""
    with begun(tmp_path / "b", "simple_plastic", {"green": GREEN, "tan": TAN}, {}) as battle:
        one = BattleSession(battle)
        one.place_new(seen(battle))
        assert battle.undo() == "Tan 3 placed at (16.0, 15.0)"
        one.place_new(seen(battle))
        assert battle.state.unit("tan-3").at_in is None
        assert battle.can_redo == "Tan 3 placed at (16.0, 15.0)"
        one.place_all(seen(battle))
        assert battle.state.unit("tan-3").at_in == (16, 15)


def test_a_phase_ends_only_when_nothing_is_owed_or_it_is_waived_by_name(play: BattleSession) -> None:
    give_status(play.battle, "green-3", "eliminated", True)
    apart = seen(play.battle)  # SP-06: green-4 stands 1.6 in from green-2, base to base
    [gap] = play.owed(apart)
    with pytest.raises(UserError, match="Still to do: Close the gaps of rifles"):
        play.go_on(apart)
    assert play.go_on(apart, [gap]) == "Turn 1 · Green attacks"
    assert any("Skipped: Close the gaps of rifles" in line for line in play.story)


def test_moves_before_the_first_turn_are_free(tmp_path: Path) -> None:
    with begun(tmp_path / "b", "simple_plastic", {"green": GREEN, "tan": TAN}, PLACES) as battle:
        play, far = BattleSession(battle), seen(battle, green_1=(4, 20))
        assert play.proposals(far) == ()
        play.go_on(far)
        assert battle.state.unit("green-1").at_in == (4, 20)
        assert play.proposals(seen(battle, green_1=(4, 20))) == ()
