"""Scenario of Fudge Miniatures Battles: King Kingsley's men on one side of a bridge, Red's on the other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rules.engine.action import Action
from rules.engine.events import Change, Changed, Placed
from rules.engine.roster import Army
from rules.engine.state import Unit
from rules.tabletop.table import Figure, PointIn, TerrainKind
from tests.rules.battle_driver import BattleDriver, begun, inch_base, recruits
from tests.rules.board import box, piece

PEASANT = {
    "title": "Angry peasant",
    "strength": 0, "dexterity": 0, "guts": 0, "movement_in": 5, "modf": 1, "rodf": 2, "ddf": 0, "hddf": 0,
    "equipment": [
        {"name": "Sling", "kind": "ranged", "hands": 1, "damage": 2, "range_in": 6},
        {"name": "Pitchfork", "kind": "melee", "hands": 1, "damage": 1},
    ],
}  # fmt: skip
CLAW = {"name": "Claw", "kind": "melee", "hands": 1, "damage": 1}
HARPY = {
    "title": "Harpy", "flies": True,
    "strength": 1, "dexterity": 1, "guts": 1, "movement_in": 6, "modf": 2, "ddf": 1, "hddf": 0,
    "equipment": [CLAW, CLAW],
}  # fmt: skip
"""Computed by FM-09 to FM-15: MODF is damage plus Strength, DDF is Dexterity."""
KING, KNIGHT, YANNI, KNAVE, BRUTAS = (
    *("King Kingsley", "Sir Knightly", "Yanni the Yeoman"),
    *("Knavely Knave", "Brutas the Brute"),
)


def army(side: str, *cards: str | dict[str, object]) -> Army:
    return Army(name=f"The {side} camp", game="fudge_miniatures", recruits=recruits(side, *cards))


BLUE = army("blue", KING, KNIGHT, YANNI)
RED = army("red", KNAVE, BRUTAS, PEASANT, HARPY)
PLACES: dict[str, PointIn] = {
    "blue-1": (10.5, 10), "blue-2": (11.6, 10), "blue-3": (6, 11),
    "red-1": (10.2, 16.7), "red-2": (12, 17), "red-3": (16, 18.5), "red-4": (5, 19),
}  # fmt: skip
"""Centres of bases 1 in wide: bases touch if their centres are 1 in apart."""
TERRAIN = [
    piece("stream", TerrainKind.WATER, box(0, 12, 30, 14)),
    piece("bridge", TerrainKind.BRIDGE, box(9, 12, 13, 14), height=0.5),
    piece("low wall", TerrainKind.LOW_WALL, box(14, 17.5, 18, 17.9), height=0.7),
    piece("relic", TerrainKind.OTHER, box(5.9, 9.9, 6.1, 10.1)),
]


def look(unit: Unit) -> Figure:
    """The figure of a unit; Blue faces up the table, Red down."""
    return replace(inch_base(unit), facing_deg=90 if unit.side == "blue" else 270)


def say(driver: BattleDriver, figure: str, key: str, value: object) -> None:
    """Record an answer of the players as a status."""
    driver.battle.record(Changed(changes=(Change(figure=figure, key=key, value=value),)))


def set_up(path: Path) -> BattleDriver:
    battle = begun(path, "fudge_miniatures", {"blue": BLUE, "red": RED}, PLACES)
    driver = BattleDriver(battle, TERRAIN, look)
    say(driver, "", "goal_of_blue", "hold_bridge")
    say(driver, "", "turns_agreed_for_blue", 3)
    return driver


def owed_by(driver: BattleDriver, name: str, action: str) -> Action:
    """The obligation of one model."""
    return next(one for one in driver.referee.obligations(driver.position) if one.name == action and name in one.by)


def go(driver: BattleDriver, name: str, to: PointIn) -> None:
    """Move a model straight to a place."""
    here = driver.position.figure(name).centre_in
    driver.do(driver.referee.march(driver.position, {name: (here, to)}))


def go_to(driver: BattleDriver, phase: str) -> None:
    """Go on to the next phase with this name, such as "red action"."""
    while True:
        begins = driver.referee.next_phase(driver.position)
        driver.battle.record(begins)
        if f"{begins.side} {begins.phase}" == phase:
            return


def put(driver: BattleDriver, **places: PointIn) -> None:
    """Place figures given by their ids, with underscores for dashes."""
    for name, place in places.items():
        driver.battle.record(Placed(figure=name.replace("_", "-"), at_in=place))


def reason(driver: BattleDriver, action: Action) -> str:
    """The short name of the reason why an action is not allowed."""
    found = driver.preview_of(action)
    assert found.before is not None
    return str(found.before.numbers.get("reason", ""))
