"""Scenario of Simple Plastic Figure: Germans and Americans around a farmhouse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rules.battle.battle import Battle
from rules.engine.action import Action
from rules.engine.dice import Scripted
from rules.engine.events import PhaseBegun
from rules.engine.preview import ActionPreview
from rules.engine.roster import Army
from rules.engine.state import Unit
from rules.games import points_check
from rules.tabletop.table import Figure, PointIn, Posture, TerrainKind, TerrainPiece
from tests.rules.battle_driver import (
    BattleDriver,
    begun,
    recruits,
)
from tests.rules.board import box, figure, piece

GAME = "simple_plastic_figure"
HOUSE = piece("house", TerrainKind.BUILDING, box(3, 12, 9, 17), height=5.0)
FOXHOLE = piece("foxhole", TerrainKind.FOXHOLE, box(14, 18, 16.5, 20), height=0.4)
HEDGE = piece("hedge", TerrainKind.HEDGE, box(9.5, 9, 18, 9.4), height=1.0)


def army(side: str, *cards: str) -> Army:
    return Army(name=f"The {side} platoon", game=GAME, recruits=recruits(side, *cards))


GERMAN = army(
    "german",
    "german_officer_with_binoculars",
    "german_machine_gunner",
    "german_rifleman_with_bayonet",
    "german_grenadier",
    "german_50mm_mortar",
    "sentry",
)
AMERICAN = army(
    "american",
    "american_officer",
    "american_bar_gunner",
    "american_rifleman",
    "american_radioman",
    "american_bazooka",
    "wounded",
)
PLACES: dict[str, PointIn] = {
    "german-1": (12, 4), "german-2": (22, 6), "german-3": (6, 7),
    "german-4": (13, 7.5), "german-5": (16, 3), "german-6": (2, 1),
    "american-1": (18, 23), "american-2": (15.2, 19), "american-3": (6, 15),
    "american-4": (22, 25), "american-5": (11, 19), "american-6": (28, 29),
}  # fmt: skip
"""Centres of round bases 1 in wide on a table 30 in deep; edges are half an inch nearer on either side."""


def posed(battle: Battle, unit: Unit, sigma: float = 0.0) -> Figure:
    """The figure of a unit, with the pose on its card."""
    card = battle.game.rules.tables.cards[unit.card] if unit.card else None
    assert unit.at_in is not None
    posture = Posture(card.pose) if card else Posture.STANDING
    return replace(figure(unit.id, *unit.at_in, sigma), posture=posture)


def set_up(path: Path) -> BattleDriver:
    battle = begun(path, GAME, {"german": GERMAN, "american": AMERICAN}, PLACES)
    for side, edge_in in (("german", 0), ("american", 30)):
        found = points_check(battle.game, GERMAN if side == "german" else AMERICAN)
        assert found is not None
        assert (found.outcome, found.numbers["reserves"]) == ("legal", 1)
        for unit in battle.state.standing(side):
            assert unit.at_in is not None
            deep = {"distance_to_own_edge_in": abs(unit.at_in[1] - edge_in)}
            assert battle.game.ask("setup", deep, Scripted([])).allowed  # WW-06: two feet in at most
    return BattleDriver(battle, [HOUSE, FOXHOLE, HEDGE], lambda unit: posed(battle, unit))


def obligation(driver: BattleDriver, action: str, **facts: Any) -> Action:
    """The obligation with this rule and these facts."""
    actions = (one for one in driver.referee.obligations(driver.position) if one.name == action)
    return next(one for one in actions if all(one.given.get(fact) == value for fact, value in facts.items()))


def spread(driver: BattleDriver, name: str, *at: str) -> Action:
    """The action that spreads the shots of one weapon over these enemies."""
    return next(one for one in driver.referee.others(driver.position, name) if one.name == "volley" and one.at == at)


# Available actions.


def table(
    path: Path,
    german: Sequence[str],
    american: Sequence[str],
    places: Sequence[PointIn],
    terrain: Sequence[TerrainPiece] = (),
    dice: Sequence[int] = (),
    sigma: float = 0.0,
    **options: object,
) -> BattleDriver:
    """Two sides at these places, Germans first, in the Germans' half of the turn after their status checks."""
    armies = {"german": army("german", *german), "american": army("american", *american)}
    names = [one.figure for side in armies.values() for one in side.recruits]
    battle = begun(path / "b", GAME, armies, dict(zip(names, places, strict=True)), options)
    driver = BattleDriver(battle, terrain, lambda unit: posed(battle, unit, sigma))
    battle.record(PhaseBegun(turn=1, side="german", phase="first_status"))
    driver.do(driver.obligation("status_checks"), *(dice or [1] * len(german)))
    driver.next_phase(1, "german", "first_actions")
    return driver


def shots(driver: BattleDriver, name: str) -> dict[tuple[str, str], ActionPreview]:
    """The previews of each weapon at each enemy."""
    return {(one.action.weapon, one.action.at[0]): one for one in driver.available_actions(name).attacks}


def why(driver: BattleDriver, name: str) -> dict[str, str]:
    """For each enemy, why a figure may not fire its single weapon at it; empty if it may."""
    return {at: one.why_not for (_, at), one in shots(driver, name).items()}


def needs(one: ActionPreview) -> int | None:
    """The number needed on a die."""
    assert one.before is not None, one.refusal
    found = one.before.numbers["needs_roll"]
    return None if found is None else int(found)


RIFLE, GI = "german_rifleman", "american_rifleman"
