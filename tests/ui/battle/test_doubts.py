""" "Too close to call" in each game with ranges: shown, settled either way, journalled, undone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from rules.battle.battle import Battle
from rules.battle.journal import event_of
from rules.battle.referees import position_of
from rules.engine.action import FactPath
from rules.engine.ambiguity import Ambiguity
from rules.engine.events import Change, Changed, PhaseBegun, QuestionAnswered, QuestionAsked
from rules.engine.needed import needed_words
from rules.engine.position import Position
from rules.engine.preview import ActionPreview
from rules.engine.roster import Army
from rules.tabletop.table import TerrainKind, TerrainPiece
from tests.rules.battle_driver import begun, recruits
from tests.rules.board import box, figure, piece
from ui.battle.action_text import chance_words, doubt_answers, limit_words, reason_rows
from ui.battle.battle_session import BattleSession

SIGMA_IN = 0.05
"""Of each place; so the error of a range is 0.07 in, and within two of those a limit is too close to call."""

SHOOTERS = {
    "simple_plastic": ("soldier", PhaseBegun(turn=1, side="green", phase="attacking")),
    "fudge_miniatures": ("Yanni the Yeoman", PhaseBegun(turn=1, side="green", phase="action")),
    "simple_plastic_figure": ("german_rifleman", PhaseBegun(turn=1, side="green", phase="first_actions")),
}
"""Games whose rules use the visible part: any hidden part gives cover, half is hidden, a quarter must be visible."""

GAMES = {
    "army_men": ("rifleman", PhaseBegun(turn=1, phase="small_arms")),
    "plastic_fudge": ("basic", PhaseBegun(turn=1, phase="attacks")),
    "fudge_miniatures": ("Yanni the Yeoman", PhaseBegun(turn=1, side="green", phase="action")),
    "simple_plastic_figure": ("german_rifleman", PhaseBegun(turn=1, side="green", phase="first_actions")),
}
"""Simple Plastic Wargame is missing, because range does not matter in it (SP-10)."""


def battle_at(path: Path, game: str) -> Battle:
    card, phase = {**SHOOTERS, **GAMES}[game]
    armies = {side: Army(name=side, game=game, recruits=recruits(side, card)) for side in ("green", "tan")}
    battle = begun(path / "b", game, armies, {"green-1": (0.0, 0.0), "tan-1": (9.0, 0.0)})
    battle.record(phase)
    if game == "simple_plastic_figure":  # WW-09: the figure may do anything
        battle.record(Changed(changes=(Change(figure="green-1", key="status_die", value=1, this_turn=True),)))
    return battle


def seen(battle: Battle, far_in: float, wall: Sequence[TerrainPiece] = ()) -> Position:
    places = {"green-1": (0.0, 0.0), "tan-1": (far_in, 0.0)}
    return position_of(battle, [figure(name, *at, sigma=SIGMA_IN) for name, at in places.items()], wall)


def shots(play: BattleSession, far_in: float, wall: Sequence[TerrainPiece] = ()) -> list[ActionPreview]:
    found = play.available_actions(seen(play.battle, far_in, wall), "green-1").attacks
    return [one for one in found if one.action.view is not None]


def half_hidden(play: BattleSession) -> tuple[Sequence[TerrainPiece], ActionPreview]:
    """A high wall, moved in from the side, and the first shot past it whose sight is too close to call."""
    for hundredths in range(60, -61, -3):
        wall = [piece("wall", TerrainKind.WALL, box(5.0, hundredths / 100, 5.2, 6.0), height=4.0)]
        for one in shots(play, 6.0, wall):
            if any("is seen" in doubt.question for doubt in one.ambiguities):
                return wall, one
    raise AssertionError("no sight is too close to call")


def barely_seen(play: BattleSession) -> tuple[Sequence[TerrainPiece], ActionPreview]:
    """A high wall, moved in from the side, and the first shot past it whose target may be completely hidden."""
    for hundredths in range(60, -61, -2):
        wall = [piece("wall", TerrainKind.WALL, box(5.0, hundredths / 100 - 0.5, 5.2, 6.0), height=4.0)]
        for one in shots(play, 6.0, wall):
            if any("sees" in doubt.question for doubt in one.ambiguities):
                return wall, one
    raise AssertionError("nobody is barely seen")


def doubtful(play: BattleSession) -> tuple[float, ActionPreview]:
    """The first range, in steps of a tenth of an inch, at which a shot is too close to call."""
    for tenths in range(11, 600):
        for one in shots(play, tenths / 10):
            if any("range" in doubt.question for doubt in one.ambiguities):
                return tenths / 10, one
    raise AssertionError("no range is too close to call")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.slow
def test_an_ambiguous_range_is_settled_and_undone(game: str, tmp_path: Path) -> None:
    with battle_at(tmp_path, game) as battle:
        play = BattleSession(battle)
        far_in, shot = doubtful(play)
        assert chance_words(shot) == "your call"
        [doubt] = [one for one in shot.ambiguities if "range" in one.question]
        told = {}
        for answer in ("less", "more"):
            play.settle(doubt, answer)
            assert [type(event_of(entry)) for entry in battle.entries[-2:]] == [QuestionAsked, QuestionAnswered]
            after = next(one for one in shots(play, far_in) if one.action.title == shot.action.title)
            assert doubt.question not in [one.question for one in after.ambiguities]
            told[answer] = (after.possible, needed_words(after), after.before.reasons if after.before else ())
            what = doubt.question.split(", ", 2)[2]  # after the turn and the side
            assert battle.undo() == f"settled: {what}: {answer}"
            assert battle.undo() == f"asked: {what}"
        assert told["less"] != told["more"]  # otherwise it would not be ambiguous


def test_the_limit_of_an_ambiguous_range_is_named(tmp_path: Path) -> None:
    """AM-38: a rifle reaches 24 in; the bases are an inch wide, so that their edges are an inch nearer than centres."""
    with battle_at(tmp_path, "army_men") as battle:
        play = BattleSession(battle)
        [shot] = shots(play, 25.0)
        [doubt] = [one for one in shot.ambiguities if "range" in one.question]
        assert doubt.limit == pytest.approx(24.0, abs=0.01)
        assert doubt_answers(doubt) == {"less": "24 in or less", "more": "More than 24 in"}
        assert "Too close to call: the range from Green 1 to Tan 1" in reason_rows(shot)
        play.settle(doubt, "less", limit_words(doubt))
        assert battle.can_undo == "settled: Rifle at Tan 1: the range from Green 1 to Tan 1: less than 24 in"
        [after] = shots(play, 25.0)
        assert after.possible


@pytest.mark.parametrize(
    ("fact", "limit", "words"),
    [
        (("visible_fraction",), 0.5, "50 %"),
        (("targets", 2, "fraction"), 0.25, "25 %"),
        (("bearings_deg", 1), 45.0, "45°"),
        (("path", 1, "inches"), 4.0, ""),  # a part of the way is not what the rules limit
        (("distance_in",), None, ""),
    ],
)
def test_a_limit_has_the_unit_of_its_fact(fact: FactPath, limit: float | None, words: str) -> None:
    assert limit_words(Ambiguity("what", fact, {"less": 0, "more": 1}, limit)) == words


@pytest.mark.parametrize("game", SHOOTERS)
def test_ambiguous_sight_past_an_edge_is_settled(game: str, tmp_path: Path) -> None:
    with battle_at(tmp_path, game) as battle:
        play = BattleSession(battle)
        wall, shot = half_hidden(play)
        [doubt] = [one for one in shot.ambiguities if "is seen" in one.question]
        told = {}
        for answer in ("less", "more"):
            play.settle(doubt, answer)
            after = next(one for one in shots(play, 6.0, wall) if one.action.title == shot.action.title)
            assert doubt.question not in [one.question for one in after.ambiguities]
            told[answer] = (after.possible, after.before.reasons if after.before else ())
            battle.undo()
            battle.undo()
        assert told["less"] != told["more"]


SEERS = ("army_men", "plastic_fudge")
"""Games whose rules use only whether the target is visible."""


@pytest.mark.parametrize("game", SEERS)
def test_ambiguous_visibility_is_settled_and_undone(game: str, tmp_path: Path) -> None:
    with battle_at(tmp_path, game) as battle:
        play = BattleSession(battle)
        wall, shot = barely_seen(play)
        assert chance_words(shot) == "your call"
        [doubt] = [one for one in shot.ambiguities if "sees" in one.question]
        told = {}
        for answer in ("seen", "hidden"):
            play.settle(doubt, answer)
            assert [type(event_of(entry)) for entry in battle.entries[-2:]] == [QuestionAsked, QuestionAnswered]
            [after] = [one for one in shots(play, 6.0, wall) if one.action.title == shot.action.title]
            assert doubt.question not in [one.question for one in after.ambiguities]
            told[answer] = after.possible
            assert battle.undo() == f"settled: {shot.action.title}: whether Green 1 sees Tan 1: {answer}"
            battle.undo()
        assert told == {"seen": True, "hidden": False}


@pytest.mark.parametrize("game", SEERS)
@pytest.mark.parametrize("wall", [(), (box(5.0, -6.0, 5.2, 6.0),), (box(5.0, -0.05, 5.2, 6.0),)])
def test_clear_visibility_is_not_ambiguous(game: str, wall: Sequence[Any], tmp_path: Path) -> None:
    with battle_at(tmp_path, game) as battle:
        pieces = [piece("wall", TerrainKind.WALL, outline, height=4.0) for outline in wall]
        found = shots(BattleSession(battle), 6.0, pieces)
        assert not [doubt for one in found for doubt in one.ambiguities if "sees" in doubt.question]


def test_standing_in_woods_can_be_ambiguous(tmp_path: Path) -> None:
    """Plastic Fudge, PF-28: the larger part of the base counts; its centre is at 6 in ± twice 0.05 in."""
    told = {}
    with battle_at(tmp_path, "plastic_fudge") as battle:
        play = BattleSession(battle)
        for edge_in in (5.85, 5.95, 6.05, 6.15):
            woods = [piece("copse", TerrainKind.WOODS, box(edge_in, -3.0, 9.0, 3.0), height=0.1)]
            [shot] = shots(play, 6.0, woods)
            told[edge_in] = [one for one in shot.ambiguities if one.question.endswith("what Tan 1 stands in")]
        assert [bool(found) for found in told.values()] == [False, True, True, False]
        woods = [piece("copse", TerrainKind.WOODS, box(5.95, -3.0, 9.0, 3.0), height=0.1)]
        [doubt] = told[5.95]
        assert set(doubt.answers) == {"forest", "open"}
        for answer, level in (("forest", 0), ("open", -1)):  # standing gives -1; a forest adds 1
            play.settle(doubt, answer)
            [after] = shots(play, 6.0, woods)
            assert after.before.numbers["defense_level"] == level
            battle.undo()
            battle.undo()


def test_full_sight_is_not_ambiguous(tmp_path: Path) -> None:
    with battle_at(tmp_path, "simple_plastic") as battle:
        assert [one.ambiguities for one in shots(BattleSession(battle), 6.0)] == [()]
