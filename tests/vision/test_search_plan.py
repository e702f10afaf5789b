"""Which parts of a picture are searched after a change."""

from __future__ import annotations

import math

import numpy as np
import pytest

from calibration.calibration_targets import CalibrationTargets
from calibration.camera import TableCamera
from calibration.solve import Calibration
from vision.motion import Motion
from vision.search_plan import PROPOSALS, SEARCHES, SearchPlan
from vision.setup import Setup
from vision.simulation.simulator import overhead_camera
from vision.tracks import PositionIn

SIZE_PX = (1280, 720)
CAMERA = overhead_camera(SIZE_PX, (36.0, 24.0), 45.0)


def test_soldiers_put_down_while_the_table_is_searched_are_proposed() -> None:
    # The empty table is learned, and its first search proposes nothing; the soldiers come before the last search.
    plan, calibration = SearchPlan(), Calibration(CAMERA, {}, 0.1, ())
    setup, at_rest = Setup(prints=CalibrationTargets(), propose=True), Motion()
    plan.update(at_rest, calibration, setup, (), SIZE_PX, 0.0)
    assert plan.is_proposing(setup, at_rest, 0.0)
    plan.searched()
    for _ in range(PROPOSALS):
        plan.proposed(0.0, new_armies=False)
    assert not plan.is_proposing(setup, at_rest, 0.0)
    plan.update(Motion(((600, 300, 640, 340),)), calibration, setup, (), SIZE_PX, 0.1)
    assert plan.is_proposing(setup, at_rest, 0.1)


def test_while_something_moves_proposals_wait_for_other_places_to_be_seen() -> None:
    plan, calibration = SearchPlan(), Calibration(CAMERA, {}, 0.1, ())
    setup, waving = Setup(prints=CalibrationTargets(), propose=True), Motion(blocked=np.ones((90, 160), np.bool_))
    plan.update(waving, calibration, setup, (), SIZE_PX, 0.0)
    times_s = []
    for n in range(30):
        if plan.is_proposing(setup, waving, n / 10):
            plan.proposed(n / 10, new_armies=False)
            times_s.append(n / 10)
    assert times_s == pytest.approx([0.0, 0.3, 0.6])


def test_new_armies_are_searched_for_in_the_whole_picture_until_they_are_decided() -> None:
    plan = SearchPlan()
    while plan.searches_left:
        plan.searched()
    plan.parts_px = ((0, 0, 8, 8),)
    plan.proposed(0.0, new_armies=True)
    assert (plan.searches_left, plan.parts_px, plan.armies_reopened) == (SEARCHES, None, True)


def searched_after(motion: Motion, camera: TableCamera, figure_height_in: float) -> tuple[tuple[int, ...], ...] | None:
    """The parts searched after this motion, on a table that was searched whole before."""
    plan, calibration = SearchPlan(), Calibration(camera, {}, 0.1, ())
    setup = Setup(prints=CalibrationTargets(), figure_height_in=figure_height_in)
    undecided: tuple[PositionIn, ...] = ()
    plan.update(Motion(), calibration, setup, undecided, SIZE_PX, 0.0)
    while plan.searches_left:
        plan.searched()
    plan.update(motion, calibration, setup, undecided, SIZE_PX, 0.0)
    return plan.parts_px


@pytest.mark.parametrize("figure_height_in", [2.1, 4.2], ids=["54 mm", "twice as large"])
@pytest.mark.parametrize("towards_deg", range(0, 360, 45))
def test_feet_beside_the_changed_shadow_are_searched_too(towards_deg: int, figure_height_in: float) -> None:
    x, y = CAMERA.table_to_pixel((18.0, 12.0, 0.0))[0]
    shadow_px = (round(x) - 4, round(y) - 4, round(x) + 4, round(y) + 4)
    [part] = searched_after(Motion((shadow_px,)), CAMERA, figure_height_in) or ()
    # The shadow begins 0.7 in from the feet of a 54 mm soldier, and twice as far from those of one twice as large.
    away_in = 0.7 * figure_height_in / 2.1
    angle = math.radians(towards_deg)
    feet = CAMERA.table_to_pixel((18.0 + away_in * math.cos(angle), 12.0 + away_in * math.sin(angle), 0.0))[0]
    assert part[0] <= feet[0] < part[2]
    assert part[1] <= feet[1] < part[3]
    assert (part[2] - part[0]) * (part[3] - part[1]) < 0.1 * SIZE_PX[0] * SIZE_PX[1]
