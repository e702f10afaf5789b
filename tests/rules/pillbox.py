"""Scenario of Army Men: Green's tank and hero against Tan's pillbox and wall."""

from __future__ import annotations

from pathlib import Path

from rules.engine.action import Action
from rules.engine.events import Change, Changed
from rules.engine.roster import Army, Recruit
from rules.engine.state import Unit
from rules.engine.text import display_name
from rules.tabletop.table import Figure, PointIn, TerrainKind
from tests.rules.battle_driver import (
    BattleDriver,
    begun,
    inch_base,
    recruits,
)
from tests.rules.board import box, figure, piece

GREEN_CARDS = (
    *("officer", "heavy_machine_gun_team", "hero", "medic", "engineer"),
    *("bazooka_team", "light_mortar_man", "radio_man", "tank"),
)
TAN_CARDS = (
    *("rifleman", "rifleman", "flame_thrower_man", "light_machine_gunner"),
    *("pillbox", "half_track", "rifleman", "rifleman"),
)
COMMANDO = {"title": "Commando", "kind": "infantry", "weapons": ["submachine_gun", "grenade"], "parachute": True}


def army(side: str, cards: tuple[str, ...], *more: Recruit) -> Army:
    return Army(name=side, game="army_men", recruits=(*recruits(side, *cards), *more))


GREEN = army("green", GREEN_CARDS, Recruit(figure="green-10", own=COMMANDO))
TAN = army("tan", TAN_CARDS)
PLACES: dict[str, PointIn] = {
    "green-1": (10, 10), "green-2": (11.5, 10), "green-3": (13, 10), "green-4": (8.8, 10), "green-5": (4, 13.3),
    "green-6": (17, 12), "green-7": (20, 4), "green-8": (40, 24), "green-9": (26, 8), "green-10": (14, 38),
    "tan-1": (11, 28), "tan-2": (13, 28), "tan-3": (17, 24), "tan-4": (26, 32), "tan-5": (26, 32),
    "tan-6": (42, 32), "tan-7": (46, 12), "tan-8": (26.5, 25),
}  # fmt: skip
"""Centres; soldiers stand on bases 1 in wide."""
SIZES = {"tank": (1.5, 2.0), "half_track": (1.0, 1.5), "pillbox": (2.0, 1.5)}
"""Half width and half length of larger units."""
TERRAIN = [
    piece("low wall", TerrainKind.LOW_WALL, box(8, 27, 16, 27.4), height=1.2),
    piece("house", TerrainKind.BUILDING, box(34, 8, 38, 20), height=5.0),
    piece("wire", TerrainKind.WIRE, box(2, 14, 8, 14.4), height=0.5),
    piece("mines", TerrainKind.MINE, box(0, 20, 6, 22)),
]


def look(unit: Unit) -> Figure:
    """The figure of a unit: soldiers on round bases, the others on rectangles; the sides face each other."""
    if unit.card not in SIZES:
        return inch_base(unit)
    assert unit.at_in is not None
    (x, y), (across, along) = unit.at_in, SIZES[unit.card]
    base = box(x - across, y - along, x + across, y + along)
    return figure(unit.id, x, y, base=base, facing=90 if unit.side == "green" else 270)


def set_up(path: Path) -> BattleDriver:
    battle = begun(path, "army_men", {"green": GREEN, "tan": TAN}, PLACES, {"wounded_limit": 1})
    battle.record(Changed(changes=(Change(figure="tan-4", key="inside", value="tan-5"),)))
    return BattleDriver(battle, TERRAIN, look)


def attack(driver: BattleDriver, name: str, enemy: str, weapon: str, how: str = "") -> Action:
    """The attack at an enemy: in its current place, during its move (`how`), or as return fire."""
    actions = [
        one for one in driver.referee.attacks(driver.position, name) if one.at[0] == enemy and one.weapon == weapon
    ]
    return next(action for action in actions if action.title.endswith(how or display_name(enemy)))


def go_to(driver: BattleDriver, phase: str) -> None:
    """Go on to the next phase with this name."""
    while True:
        begins = driver.referee.next_phase(driver.position)
        driver.battle.record(begins)
        if phase in (begins.phase, f"{begins.side} {begins.phase}"):
            return
