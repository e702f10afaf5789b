"""What a battle shows on the table: the acting figure, templates, moves and scatter."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np

from rules.battle.referees import position_of
from rules.engine.action import Action
from rules.engine.events import PhaseBegun, Placed
from rules.engine.preview import ActionPreview
from rules.tabletop.template import Blast
from tests.rules.battle_driver import give_status
from tests.ui.tables import in_battle, soldier
from ui.battle.battle_overlay import (
    aiming,
    casualties,
    chance_marks,
    down_marks,
    pointing,
    reach_marks,
    stray_marks,
    way_marks,
)
from ui.battle.battle_session import Proposal
from ui.picture.preview import Preview
from ui.table.finding import Note, Trace


def test_no_selection_shows_nothing() -> None:
    shown = pointing(Preview(), None, "")
    assert (shown.picked, shown.asked, shown.ruler, shown.marks) == (None, None, None, ())


def test_the_acting_figure_is_picked() -> None:
    assert pointing(Preview(), None, "tan-4").picked == "tan-4"


def test_scatter_is_drawn_from_aim_to_landing_place() -> None:
    stray = ((10.0, 10.0), (13.0, 14.0))
    marks = stray_marks(stray)
    way = next(mark for mark in marks if isinstance(mark, Trace) and mark.dashed)
    assert (way.points_in[0], way.points_in[-1]) == ((10.0, 10.0, 0.0), (13.0, 14.0, 0.0))
    notes = [words for mark in marks if isinstance(mark, Note) for words, _ in mark.rows]
    assert "landed 5.0 in away" in notes  # 3, 4, 5
    [head] = [mark for mark in marks if isinstance(mark, Trace) and not mark.closed and not mark.dashed]
    assert head.points_in[1] == (13.0, 14.0, 0.0)
    back = math.dist(head.points_in[0][:2], stray[0])
    assert back < 5.0  # the barbs of its head point backwards
    assert pointing(Preview(), None, "", stray).marks == marks


def test_the_preview_shows_the_template_at_the_mouse() -> None:
    blast = Blast((1.0, 1.0), 3.0)
    assert aiming(pointing(Preview(), None, "tan-4"), blast, (5.0, 6.0)).template == Blast((5.0, 6.0), 3.0)
    assert aiming(pointing(Preview(), None, "tan-4"), blast, None).template is None


def test_a_detected_move_is_drawn_as_an_arrow() -> None:
    paths = {"tan-4": ((10.0, 10.0), (13.0, 14.0))}
    action = Action("Move", "move", {}, ("tan-4",), paths=paths)
    way, head, pin = way_marks([Proposal(paths, ActionPreview(action, None))])
    assert isinstance(way, Trace)
    assert (way.points_in[0], way.points_in[-1]) == ((10.0, 10.0, 0.0), (13.0, 14.0, 0.0))
    assert isinstance(head, Trace)
    assert head.points_in[1] == (13.0, 14.0, 0.0)
    assert isinstance(pin, Trace)
    assert all(math.dist(place[:2], (10.0, 10.0)) < 0.3 for place in pin.points_in)


def test_the_reach_is_shorter_where_the_soldier_must_turn_first(tmp_path: Path) -> None:
    """PF-09: 6 in for a basic trooper; PF-27: an inch for each turn of up to 45 degrees, so 2 in back and 4 ahead."""
    figures = (soldier("green-1", 10, 10), soldier("tan-1", 30, 10))
    with in_battle(tmp_path / "b", "plastic_fudge", "basic", figures) as now:
        play, battle = now.play, now.play.battle
        battle.record(PhaseBegun(turn=1, side="green", phase="a_moves"))
        battle.record(Placed(figure="green-1", at_in=(10.0, 10.0), facing_deg=0.0))
        position = position_of(battle, figures, ())
        [reach] = reach_marks(position, "green-1", play.available_actions(position, "green-1").movement)
    assert isinstance(reach, Trace)
    far = {
        round(math.degrees(math.atan2(y - 10, x - 10))) % 360: round(math.dist((x, y), (10, 10)), 6)
        for x, y, _ in reach.points_in
    }
    assert [far[heading] for heading in (0, 45, 50, 90, 135, 180, 270, 330)] == [6.0, 5.0, 4.0, 4.0, 3.0, 2.0, 4.0, 5.0]


def test_the_selected_soldier_shows_his_reach_and_his_chances(tmp_path: Path) -> None:
    figures = (soldier("green-1", 10, 10), soldier("tan-1", 20, 10))
    with in_battle(tmp_path / "b", "simple_plastic", "soldier", figures) as now:
        play, position = now.play, now.position
        assert position is not None
        [reach] = reach_marks(position, "green-1", play.available_actions(position, "green-1").movement)
        assert isinstance(reach, Trace)
        # SP-02: 4 in a turn.
        assert {round(math.dist(place[:2], (10, 10)), 6) for place in reach.points_in} == {4.0}
        play.go_on(position)
        position = replace(position, state=play.battle.state)
        available = play.available_actions(position, "green-1")
        assert not [*reach_marks(position, "green-1", available.movement)]
        [note] = chance_marks(position, available.attacks)
        assert isinstance(note, Note)
        assert note.at_in[:2] == (20, 10)
        assert not [*down_marks(position)]
        give_status(play.battle, "tan-1", "down", True)
        stroke, _ = down_marks(replace(position, state=play.battle.state))
        assert isinstance(stroke, Trace)
        assert math.dist(np.mean(stroke.points_in, axis=0)[:2], (20, 10)) < 0.01  # across his base
        give_status(play.battle, "tan-1", "eliminated", True)
        after = replace(position, state=play.battle.state)
        assert (casualties(after), [*down_marks(after)]) == (("tan-1",), [])
