"""The hand that puts soldiers of the simulated table where the battle says."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from rules.tabletop.table import PointIn, Posture
from ui.battle.practice_places import PracticePlaces
from vision.simulation.practice_table import PracticeTable
from vision.simulation.scene import Model, Scene, corner_markers
from vision.simulation.simulator import overhead_camera
from vision.simulation.toy_models import Sculpt

SIZE_IN = (30.0, 20.0)
HOME_IN, GOAL_IN = (8.0, 10.0), (14.0, 12.0)


class Setting:
    """A table with one soldier, watched by a camera whose views lag behind the clock."""

    def __init__(self) -> None:
        scene = Scene(
            SIZE_IN, markers=corner_markers(SIZE_IN), models=(Model("toy", "green", Sculpt.RIFLEMAN, *HOME_IN),)
        )
        self.now_s = 0.0
        self.table = PracticeTable(scene, overhead_camera((960, 540), SIZE_IN, 40.0), clock=lambda: self.now_s)
        self.table.read()
        self.play: Any = SimpleNamespace(awaited={"green-1": GOAL_IN}, awaited_postures={})
        self.facing_deg: float | None = None
        self._places = PracticePlaces()

    def follow(self, now_s: float, seen_s: float, *, hand: bool, at_in: PointIn = HOME_IN) -> None:
        self.now_s = now_s
        view: Any = SimpleNamespace(frozen=hand, frame=SimpleNamespace(time_s=seen_s))
        unit = SimpleNamespace(facing_deg=self.facing_deg)
        position: Any = SimpleNamespace(
            figures={"green-1": SimpleNamespace(centre_in=at_in, posture=Posture.STANDING)}, unit=lambda _: unit
        )
        self._places.follow(self.table, view, self.play, position)

    @property
    def toy_in(self) -> PointIn:
        toy = self.table.now.model("toy")
        return toy.x_in, toy.y_in


def test_a_soldier_is_put_down_once_the_camera_has_seen_it_in_the_hand() -> None:
    on = Setting()
    on.follow(1.0, 0.9, hand=False)
    assert on.table.now.carried == "toy"
    on.follow(5.0, 1.1, hand=False)  # the hand has long been there, but the last picture shows the table before
    assert on.table.now.carried == "toy", "the camera would see the soldier jump"
    on.follow(5.1, 5.0, hand=True)
    assert on.table.now.carried is None
    assert on.toy_in == GOAL_IN
    on.follow(5.2, 5.1, hand=True)
    assert on.play.awaited, "its move is not proposed before the camera has seen where it stands now"
    on.follow(7.0, 6.9, hand=False, at_in=GOAL_IN)
    assert on.play.awaited == {}


def test_a_soldier_is_turned_as_the_battle_knows_it_to_face() -> None:
    on = Setting()
    before_deg = on.table.now.model("toy").facing_deg
    on.follow(1.0, 0.9, hand=False)
    assert on.table.now.model("toy").facing_deg == before_deg, "the battle does not know how it faces"
    on = Setting()
    on.facing_deg = 250.0
    on.follow(1.0, 0.9, hand=False)
    assert on.table.now.model("toy").facing_deg == 250.0
    on.follow(5.1, 5.0, hand=True)
    assert on.toy_in == GOAL_IN


def test_a_soldier_that_is_not_found_at_its_place_is_not_carried_again() -> None:
    on = Setting()
    on.follow(1.0, 0.9, hand=False)
    on.follow(3.0, 2.9, hand=True)
    on.follow(5.0, 4.9, hand=False, at_in=HOME_IN)  # the program still believes that it stands there
    assert on.table.now.carried is None
    assert on.play.awaited == {}


def test_a_soldier_that_is_there_already_is_left_alone() -> None:
    on = Setting()
    on.follow(1.0, 0.9, hand=False, at_in=GOAL_IN)
    assert on.table.now.carried is None
    assert on.play.awaited == {}
