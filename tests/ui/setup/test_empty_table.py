"""Soldiers on the picture of the empty table, drawn and simulated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.solve import Calibration
from tests.ui.views import view_of
from tests.ui.windows import Wait
from tests.vision.figure_pictures import GREEN, TAN, camera, empty, soldier
from ui.session import TableState
from ui.setup.armies import demo_palette
from ui.setup.empty_table import EmptyTableCheck, soldiers_on
from ui.table.play_area import PlayArea
from vision.frame import Frame, ImageBgr
from vision.palette import ArmyColour, teach
from vision.setup import Setup
from vision.simulation.practice_table import practice_table
from vision.table_outline import marker_papers
from vision.table_view import TableView

EYE = camera()
VIEW: TableView = replace(view_of(), calibration=Calibration(EYE, {}, 0.1, ()), reference_camera=EYE)
PLACES = ((10.0, 9.0), (13.0, 14.0), (19.0, 8.0))


def with_soldiers(colour: tuple[int, int, int] = GREEN) -> ImageBgr:
    image = empty()
    for x, y in PLACES:
        soldier(image, EYE, x, y, colour)
    return image


def army(name: str, colour: tuple[int, int, int]) -> ArmyColour:
    x, y = EYE.table_to_pixel(PLACES[0])[0]
    return teach(with_soldiers(colour), (float(x), float(y)), name)


def state(picture_bgr: ImageBgr | None, *armies: ArmyColour, area: PlayArea | None = None) -> TableState:
    return TableState(Setup(reference_bgr=picture_bgr, palette=armies), area=area)


@pytest.mark.slow
def test_soldiers_on_the_empty_table_are_counted() -> None:
    green, tan = army("green", GREEN), army("tan", TAN)
    full = with_soldiers()
    assert soldiers_on(state(full, green, tan), full, EYE) == len(PLACES)
    bare = empty(seed=2)
    assert soldiers_on(state(bare, green, tan), bare, EYE) == 0


def test_soldiers_outside_the_area_of_play_do_not_count() -> None:
    full, area = with_soldiers(), PlayArea((8.0, 7.0), 7.0, 9.0)  # from (8, 7) to (15, 16): the third stands at x = 19
    assert soldiers_on(state(full, army("green", GREEN), area=area), full, EYE) == 2


@pytest.mark.slow
def test_the_empty_simulated_table_has_no_soldiers() -> None:
    table = practice_table()
    frame, truth = table.read(), table.truth
    setup = Setup(palette=demo_palette(frame, truth), terrain=truth.terrain)
    papers_in = marker_papers(Calibration(truth.camera, truth.markers, 0.1, ()))
    known = TableState(setup)
    assert soldiers_on(known, table.empty_bgr, truth.camera, papers_in) == 0
    # There are 24; without an empty table, two or three may be less certain.
    assert soldiers_on(known, frame.image_bgr, truth.camera, papers_in) >= 20


def test_the_check_runs_once_for_each_change(wait_until: Wait, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []
    monkeypatch.setattr("ui.setup.empty_table.soldiers_on", lambda *table: looked.append(table) or 2)
    check, green, full = EmptyTableCheck(), army("green", GREEN), with_soldiers()

    def found(now: TableState, *, at_start: bool = False) -> int:
        check.follow(VIEW, now, at_start=at_start)
        return check.soldiers

    def follow_until(now: TableState, soldiers: int) -> None:
        wait_until(lambda: found(now) == soldiers)

    assert found(state(full, green), at_start=True) == 0
    assert found(state(None, green)) == 0
    assert found(state(full)) == 0
    assert looked == [], "no search at the start, without an empty table or without an army"
    taught = state(full, green)
    follow_until(taught, 2)
    found(replace(taught, rulers=()))
    assert len(looked) == 1, "a step that changes neither does not start a search"
    check.accept()
    assert found(taught) == 0
    follow_until(state(full, green, army("tan", TAN)), 2)
    assert len(looked) == 2
    assert found(state(None, green)) == 0, "without an empty table there are no soldiers on it"
    check.close()


def test_nothing_is_searched_without_a_calibration(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []
    monkeypatch.setattr("ui.setup.empty_table.soldiers_on", lambda *table: looked.append(table) or 2)
    check, full = EmptyTableCheck(), with_soldiers()
    blind = replace(VIEW, calibration=None, frame=Frame(np.zeros((4, 4, 3), np.uint8), 0, 0.0))
    check.follow(blind, state(full, army("green", GREEN)), at_start=False)
    check.follow(None, state(full, army("green", GREEN)), at_start=False)
    assert looked == []
    check.close()
