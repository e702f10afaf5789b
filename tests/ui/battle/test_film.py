"""The scenes of a battle's film."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rules.battle.battle import Battle
from rules.engine.events import ActionResolved, Effects, Move
from tests.ui.battle.filmed import NOTE, fought
from ui.battle.film import Pace, Scene, film_scenes
from ui.battle.history import BattleReport, report_of, scores
from ui.table.finding import Trace


@pytest.fixture
def report(tmp_path: Path) -> BattleReport:
    with fought(tmp_path / "b") as battle:
        return report_of(battle)


def scenes(report: BattleReport, pace: Pace = Pace()) -> list[Scene]:  # noqa: B008 - a frozen value
    return list(film_scenes(report, {7, 11}, pace))


def test_every_moment_has_its_scenes_in_order(report: BattleReport) -> None:
    shown = scenes(report)
    titles = list(dict.fromkeys(scene.title for scene in shown))
    assert titles == [
        "Green against Tan",
        "3 soldiers are placed",
        "Turn 1",
        "Green 1 moved 6.0 in",
        "Green 1: Rifle at Tan 1, kills",
        f"Note: {NOTE}",
    ]
    # At 20 Hz a move of 0.6 s has 12 scenes, a shot of 0.3 s 6 and a burst of 0.4 s 8, each with one for the outcome.
    # The title, three that are placed, the turn, the note and the score have one each.
    assert len(shown) == 5 + (12 + 1) + (6 + 8 + 1)
    assert shown[0].is_card
    assert shown[-1].is_card
    assert shown[-1].heading == "Score so far"
    assert replace(report, result="VICTORY for Green!").score_title == "Final score"
    assert shown[-1].lines == ("Lost: Tan 1",)
    assert shown[4].heading == "Turn 1 · Green attacks"


def test_a_figure_walks_its_way(report: BattleReport) -> None:
    walk = [scene for scene in scenes(report) if "moved" in scene.title]
    places = [scene.state.units["green-1"].at_in for scene in walk]
    assert places[0] == pytest.approx((4 + 6 * (1 / 12) ** 2 * (3 - 2 / 12), 4.0)), "it sets out slowly"
    assert places[5] == pytest.approx((7.0, 4.0))  # half of the time is half of the way: 4 + 6 / 2
    assert places[11] == places[12] == pytest.approx((10.0, 4.0))
    assert [place[0] for place in places if place] == sorted(place[0] for place in places if place)
    trail = walk[5].marks[0]
    assert isinstance(trail, Trace)
    assert (trail.points_in[0][:2], trail.points_in[-1][:2]) == ((4.0, 4.0), pytest.approx((7.0, 4.0)))


def test_the_target_falls_while_the_burst_fades(report: BattleReport) -> None:
    shot = [scene for scene in scenes(report) if "Rifle" in scene.title]
    line = shot[5].marks[0]
    assert isinstance(line, Trace)
    assert (line.points_in[0][:2], line.points_in[-1][:2]) == ((10.0, 4.0), pytest.approx((16.0, 4.0)))
    out = [scene.state.units["tan-1"].out for scene in shot]
    assert out == [False] * (6 + 3) + [True] * (5 + 1)  # from the middle of the burst on
    assert [score.left for score in scores(shot[-1].state)] == [1, 1]
    bursts = [scene.marks[-1] for scene in shot[6:14]]
    opacities = [mark.fill[3] for mark in bursts if isinstance(mark, Trace) and mark.fill]
    assert opacities == sorted(opacities, reverse=True)
    assert opacities[-1] == 0


def test_dice_and_reasons_are_shown_with_the_outcome(report: BattleReport) -> None:
    last = [scene for scene in scenes(report) if "Rifle" in scene.title][-1]
    assert [throw.faces for throw in last.throws] == [(6,)]
    assert last.lines[0] == "Tan 1 eliminated."
    assert any(line.startswith("SP-11  ") for line in last.lines)
    assert scenes(report)[-2].lines == (), "the note is the title"


def test_pictures_stay_until_the_next_one(report: BattleReport) -> None:
    """Entry 7 is the last placed soldier, 11 the move."""
    pictures = {scene.title: scene.picture for scene in scenes(report)}
    assert list(pictures.values()) == [None, 7, 7, 11, 11, 11]


def test_an_outcome_can_be_read(report: BattleReport) -> None:
    held = [scene for scene in scenes(report, Pace(motion_hz=0)) if not scene.is_card]
    assert len(held) == 5
    lasts = {scene.title: scene.lasts_s for scene in held}
    assert lasts["Green 1 moved 6.0 in"] == pytest.approx(0.03 * (20 + 36))  # the letters of title and detail
    assert lasts["Green 1: Rifle at Tan 1, kills"] == 3.0
    fast = [scene.lasts_s for scene in scenes(report, Pace(speed=2, motion_hz=0)) if not scene.is_card]
    assert fast == pytest.approx([lasts_s / 2 for lasts_s in lasts.values()])


def test_a_fast_film_has_half_of_the_motion(report: BattleReport) -> None:
    assert len(scenes(report, Pace(speed=2))) == 5 + (6 + 1) + (3 + 4 + 1)
    assert sum(scene.lasts_s for scene in scenes(report, Pace(speed=2))) == pytest.approx(
        sum(scene.lasts_s for scene in scenes(report)) / 2
    )


def test_a_battle_without_actions_has_a_title_and_a_score(tmp_path: Path) -> None:
    with Battle.begin(tmp_path / "b", lambda: 7.0, "simple_plastic", ["green", "tan"]) as battle:
        assert [scene.heading for scene in scenes(report_of(battle))] == ["Simple Plastic Wargame", "Score so far"]


def test_undone_moments_are_left_out(tmp_path: Path) -> None:
    with fought(tmp_path / "b") as battle:
        battle.undo()
        battle.undo()
        titles = {scene.title for scene in scenes(report_of(battle))}
    assert "Green 1 moved 6.0 in" in titles
    assert not any("Rifle" in title or "Note" in title for title in titles)


def lines_of(scene: Scene) -> list[tuple[tuple[float, ...], tuple[float, ...]]]:
    return [(mark.points_in[0][:2], mark.points_in[-1][:2]) for mark in scene.marks if isinstance(mark, Trace)]


def test_an_attack_that_names_all_enemies_shows_only_whom_it_harmed(report: BattleReport) -> None:
    [shot, note] = report.moments[-2:]
    [event] = shot.events
    assert isinstance(event, ActionResolved)
    at_all = replace(event, at=("tan-2", "tan-1"))
    missed = replace(shot, events=(replace(at_all, effects=Effects()),), after=report.moments[-3].after)
    harmed = replace(shot, events=(at_all,))
    for attack, place in ((harmed, (16.0, 4.0)), (missed, (16.0, 12.0))):  # tan-1 fell; tan-2 is the first target
        moments = (*report.moments[:-2], attack, note)
        found = list(film_scenes(replace(report, moments=moments), (), Pace(motion_hz=0)))
        scene = next(one for one in found if "Rifle" in one.title)
        assert lines_of(scene) == [((10.0, 4.0), place)]


def test_a_figure_that_moves_and_fires_fires_from_where_it_goes(report: BattleReport) -> None:
    [shot] = report.moments[-2].events
    assert isinstance(shot, ActionResolved)
    move = Move(figure="green-1", from_in=(10.0, 4.0), to_in=(12.0, 8.0), moved_in=4.5, cost_in=4.5)
    after = report.moments[-2].after
    there = replace(after.units["green-1"], at_in=(12.0, 8.0))
    moment = replace(
        report.moments[-2],
        events=(replace(shot, effects=Effects(moves=(move,), changes=shot.effects.changes)),),
        after=replace(after, units={**after.units, "green-1": there}),
    )
    found = scenes(replace(report, moments=(*report.moments[:-2], moment)))
    shown = [scene for scene in found if "Rifle" in scene.title]
    assert len(shown) == 12 + 6 + 8 + 1
    assert all(scene.state.units["green-1"].at_in == pytest.approx((12.0, 8.0)) for scene in shown[11:])
    assert lines_of(shown[17])[-1] == ((12.0, 8.0), pytest.approx((16.0, 4.0)))
