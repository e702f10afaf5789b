"""What the rod shows: reach and verdict come from the rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hardware.range_rod import DiceWait, Idle, Lamp, Measured, Ruler
from rules.battle.referees import position_of
from rules.engine.position import Position
from rules.engine.preview import ActionPreview
from rules.engine.roster import Army, Recruit
from tests.rules.battle_driver import begun
from tests.rules.board import figure
from ui.battle.battle_session import BattleSession
from ui.devices.rod import action_sign, reach_in, sign_words

Shot = Callable[..., tuple[Position, ActionPreview]]


@pytest.fixture
def shot(tmp_path: Path) -> Shot:
    """An assault rifle (AM-49: 2 ft) of Army Men and one enemy; bases an inch across, distance from edge to edge."""

    def aim(
        edge_in: float, sigma_in: float = 0.001, phase: str = "automatic_weapons"
    ) -> tuple[Position, ActionPreview]:
        armies = {
            side: Army(name=side, game="army_men", recruits=(Recruit(figure=f"{side}-1", card="assault_rifleman"),))
            for side in ("green", "tan")
        }
        places = {"green-1": (5.0, 5.0), "tan-1": (6.0 + edge_in, 5.0)}
        with begun(tmp_path / f"{edge_in} {sigma_in}", "army_men", armies, places) as battle:
            play = BattleSession(battle)

            def seen() -> Position:
                return position_of(battle, [figure(name, *at, sigma=sigma_in) for name, at in places.items()], [])

            while seen().state.phase != phase:
                play.go_on(seen(), play.owed(seen()))
            return seen(), play.available_actions(seen(), "green-1").attacks[0]

    return aim


@pytest.mark.parametrize(
    ("edge_in", "sigma_in", "lamp"),
    [(10, 0.001, Lamp.GREEN), (23.5, 0.001, Lamp.GREEN), (24.0, 0.05, Lamp.AMBER), (30, 0.001, Lamp.RED)],
)
def test_the_sign_shows_verdict_and_reach(shot: Shot, edge_in: float, sigma_in: float, lamp: Lamp) -> None:
    position, one = shot(edge_in, sigma_in)
    sign = action_sign(position, one)
    assert sign.lamp is lamp
    assert sign.reach_in == pytest.approx(24, abs=0.05)  # AM-49: 2 ft
    assert sign.range_in == pytest.approx(float(one.action.given["distance_in"]))


def test_an_action_forbidden_at_any_range_is_red_without_reach(shot: Shot) -> None:
    sign = action_sign(*shot(10, phase="movement"))
    assert (sign.lamp, sign.reach_in) == (Lamp.RED, None)


def test_the_search_ends_for_a_range_of_zero(shot: Shot) -> None:
    position, one = shot(0.0, phase="movement")
    assert reach_in(position, one.action) is None


def test_signs_as_text() -> None:
    assert sign_words(Measured(7.46, Lamp.AMBER, 12)) == "7.5 in of 12 in: too close to call"
    assert sign_words(Measured(7.46)) == "7.5 in"
    assert sign_words(Idle()).startswith("dark")
    assert sign_words(DiceWait()) == "waiting for dice"
    assert sign_words(Ruler()).startswith("a plain rod")
