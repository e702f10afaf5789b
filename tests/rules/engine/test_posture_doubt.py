"""Which uncertain postures matter to an action: in Army Men, past a wall that only hides soldiers who kneel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rules.battle.battle import Battle
from rules.battle.referees import position_of, referee_of
from rules.engine.events import PhaseBegun
from rules.engine.posture_doubt import PostureDoubt, posture_doubts
from rules.engine.preview import available_actions, preview_of
from rules.engine.roster import Army
from rules.tabletop.table import Figure, Posture, TerrainKind, TerrainPiece
from tests.rules.battle_driver import begun, recruits
from tests.rules.board import box, figure, piece

# The eye of a standing soldier is 1.6 in up. The line over the far edge of the wall falls by 0.02 in on 8.5 in, so at
# the target it is 1.579 in up: above a kneeling soldier (1.5 in), and below the head of a standing one (2.1 in).
WALL = piece("wall", TerrainKind.WALL, box(8.3, -3.0, 8.5, 3.0), height=1.58)
KNEELS_OR_STANDS = PostureDoubt("tan-1", Posture.KNEELING, Posture.STANDING)


@pytest.fixture
def battle(tmp_path: Path) -> Iterator[Battle]:
    armies = {side: Army(name=side, game="army_men", recruits=recruits(side, "rifleman")) for side in ("green", "tan")}
    started = begun(tmp_path / "b", "army_men", armies, {"green-1": (0.0, 0.0), "tan-1": (9.0, 0.0)})
    started.record(PhaseBegun(turn=1, phase="small_arms"))
    yield started
    started.close()


def target(sure: float, posture: Posture = Posture.KNEELING) -> Figure:
    other = Posture.STANDING if posture is Posture.KNEELING else Posture.KNEELING
    return replace(figure("tan-1", 9.0, 0.0), posture=posture, posture_confidence=sure, second_posture=other)


def doubts(battle: Battle, seen: Figure, *terrain: TerrainPiece) -> list[PostureDoubt]:
    """The doubts about the first shot at a target."""
    referee = referee_of(battle.game.name)
    position = position_of(battle, [figure("green-1", 0.0, 0.0), seen], terrain)
    shot = available_actions(referee, position, "green-1").attacks[0]
    return list(posture_doubts(referee, position, shot))


def test_a_posture_matters_where_it_decides_whether_a_soldier_is_seen(battle: Battle) -> None:
    assert doubts(battle, target(0.6), WALL) == [KNEELS_OR_STANDS]
    standing = target(0.6, Posture.STANDING)
    assert doubts(battle, standing, WALL) == [PostureDoubt("tan-1", Posture.STANDING, Posture.KNEELING)]


def test_a_posture_does_not_matter_in_the_open(battle: Battle) -> None:
    assert doubts(battle, target(0.6)) == []


def test_a_certain_posture_is_not_asked_for(battle: Battle) -> None:
    # From 0.9 on, a posture counts as certain.
    assert doubts(battle, target(0.9), WALL) == []
    assert doubts(battle, target(0.89), WALL) == [KNEELS_OR_STANDS]
    assert doubts(battle, replace(target(0.6), second_posture=None), WALL) == []


def test_the_posture_of_the_shooter_matters_too(battle: Battle) -> None:
    # A kneeling shooter's eye is 1 in up. A wall of 1.3 in beside him hides all up to 1.3 + 0.3 * 8.5 / 0.5 = 6.4 in.
    referee = referee_of(battle.game.name)
    near = piece("near", TerrainKind.WALL, box(0.4, -3.0, 0.5, 3.0), height=1.3)
    unsure = replace(figure("green-1", 0.0, 0.0), posture_confidence=0.7, second_posture=Posture.KNEELING)
    position = position_of(battle, [unsure, figure("tan-1", 9.0, 0.0)], [near])
    shot = available_actions(referee, position, "green-1").attacks[0]
    found = list(posture_doubts(referee, position, shot))
    assert found == [PostureDoubt("green-1", Posture.STANDING, Posture.KNEELING)]


def test_actions_that_are_no_attacks_ask_for_no_posture(battle: Battle) -> None:
    referee = referee_of(battle.game.name)
    unsure = replace(figure("green-1", 0.0, 0.0), posture_confidence=0.6, second_posture=Posture.KNEELING)
    position = position_of(battle, [unsure, target(0.6)], [WALL])
    available = available_actions(referee, position, "green-1")
    others = [
        available.movement,
        *available.others,
        *(preview_of(position, one) for one in referee.obligations(position)),
    ]
    assert len(others) > 1
    assert [doubt for one in others for doubt in posture_doubts(referee, position, one)] == []
