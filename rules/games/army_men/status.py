"""Army Men: what a battle remembers of its units, by the names under which it is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.engine.position import Position
from rules.engine.referee import verdict_without_dice
from rules.engine.state import State, Unit
from rules.games.army_men.ground import held_by, inside_pillbox
from rules.games.army_men.tables import Kind, Weapon
from rules.tabletop.area import counting
from rules.tabletop.table import TerrainPiece

DOWN, DOWN_IN_PHASE = "down", "down_in_phase"
"""Hit, and waiting for the end of the phase; the number of that phase, for this turn."""
WOUNDED = "wounded"
STUNNED_IN_PHASE = "stunned_in_phase"
"""The number of the phase of this turn in which a pillbox was stunned: that phase it still fires."""
SWAM = "swam"
TURRET = "turret_deg"
"""Which way a turret points, counter-clockwise from +x, where that is known."""
DROPPED, ATTACKED, STUNNED_NOW = "dropped", "attacked", "stunned"
"""What players may say of this turn in a word."""
LANDED = "landed"
"""Said of aircraft on the ground, and of a paratrooper who is down."""
MOVED, TURNED, LEFT_ROAD = "moved", "turned", "left_road"
FIRED, BUSY = "fired", "busy"
"""The weapons of this turn's attacks, and how many other things were done in the place of one."""
SEEN_AT, FIRED_ON_BY = "seen_at", "fired_on_by"
"""Where each enemy saw it on its way; who fired at it there."""
RAN_OVER, IN_MINES = "ran_over", "in_mines"
INSIDE = "inside"
TOWED_BY = "towed_by"
"""The truck or jeep that a gun is hitched to."""
IMMOBILIZED, GLUED, STUNNED = "immobilized", "glued", "stunned_in_turn"
ELIMINATIONS = "eliminations"
DIGGING, ENTRENCHED = "turns_of_digging", "entrenched"
CLIMBED = "inches_climbed"
RANGED_IN = "ranged_in_on"
CREW, TRAPPED = "its_crew", "trapped"
"""What has become of the men in a wreck; trapped until their die has fallen."""
TREATED = "treated"
ORDER, CLEARED = "order", "cleared"
"""Said of the battle: who moves first and after him, and the obstacles and mines that are gone."""


JAMMED, EMPTY = "jammed", "out_of_ammunition"
"""Said of all weapons of a figure; `jam` and `empty` of one of them."""


def jammed(unit: Unit, weapon: str) -> bool:
    """Whether a weapon of a unit is jammed."""
    return bool(unit.statuses.get(jam(weapon)) or unit.statuses.get(JAMMED))


def is_empty(unit: Unit, weapon: str) -> bool:
    """Whether a weapon of a unit has no ammunition left."""
    return bool(unit.statuses.get(empty(weapon)) or unit.statuses.get(EMPTY))


THIS_TURN = frozenset(
    {
        *(DOWN_IN_PHASE, STUNNED_IN_PHASE, STUNNED_NOW, MOVED, TURNED, "turns", LEFT_ROAD, FIRED, BUSY, ATTACKED),
        *(SEEN_AT, FIRED_ON_BY, RAN_OVER, IN_MINES, SWAM, TREATED, DROPPED, "wanted"),
    }
)
"""What the next turn forgets."""


def jam(weapon: str) -> str:
    """What is said of him whose weapon is jammed; of this turn if it has just happened."""
    return f"{weapon}_jammed"


def empty(weapon: str) -> str:
    """What is said of him whose weapon has no ammunition left."""
    return f"{weapon}_out_of_ammunition"


def swept(piece: str) -> str:
    """What is said of the battle of a minefield: how many inches of a path through it are swept."""
    return f"{piece}_swept_in"


def kept_by(side: str) -> str:
    """What is said of the battle of a side: how many of its casualties stayed as wounded men."""
    return f"wounded_of_{side}"


def plays(player: str) -> str:
    """What is said of the battle of a player: the army that he has drawn."""
    return f"{player}_plays"


def fit(unit: Unit) -> bool:
    """Whether it still takes part: neither out, nor hit, nor wounded."""
    return not (unit.out or unit.statuses.get(DOWN) or unit.statuses.get(WOUNDED))


def casualty(unit: Unit) -> bool:
    """Whether it is on the table and does nothing more."""
    return not fit(unit)


def phase_number(position: Position) -> int:
    """The number of the phase that is played; 0 where it has none."""
    row = position.game.rules.tables.phases.get(position.state.phase)
    return 0 if row is None else int(row.number)


def counts(position: Position, unit: Unit) -> bool:
    """Whether it took part as this phase began: whoever is hit in it counts to its end (AM-15)."""
    hit_now = unit.this_turn.get(DOWN_IN_PHASE) == phase_number(position)
    return fit(unit) or (hit_now and not unit.out and not unit.statuses.get(WOUNDED))


def in_the_air(position: Position, unit: Unit) -> bool:
    """Whether a paratrooper has not landed yet."""
    return bool(card(position, unit, "parachute")) and not unit.statuses.get(LANDED) and "paratrooper" not in unit.acts


def dropped(unit: Unit) -> bool:
    """Whether he landed by parachute in this turn."""
    return "paratrooper" in unit.acts_this_turn or bool(unit.this_turn.get(DROPPED))


def flies(position: Position, unit: Unit) -> bool:
    """Whether it is an aircraft in the air."""
    return kind(position, unit).flies and not {**unit.statuses, **unit.this_turn}.get(LANDED)


def glued(unit: Unit) -> bool:
    """Whether glue holds it."""
    return bool({**unit.statuses, **unit.this_turn}.get(GLUED))


def card(position: Position, unit: Unit, key: str) -> Any:
    """What its card says; None where it says nothing."""
    return position.kind(unit).get(key)


def kind_name(position: Position, unit: Unit) -> str:
    """Its kind; a card of the player's own without one is a man's."""
    return str(card(position, unit, "kind") or "infantry")


def kind(position: Position, unit: Unit) -> Kind:
    """The row of its kind."""
    found: Kind = position.game.rules.tables.kinds[kind_name(position, unit)]
    return found


def is_man(position: Position, unit: Unit) -> bool:
    """Whether it is a soldier."""
    return kind(position, unit).target == "infantry"


def weapons(position: Position, unit: Unit) -> Mapping[str, Weapon]:
    """The weapons that it shows."""
    rows = position.game.rules.tables.weapons
    return {name: rows[name] for name in card(position, unit, "weapons") or ()}


def targets(position: Position, unit: Unit) -> tuple[Unit, ...]:
    """The enemies that still take part."""
    return tuple(one for one in position.enemies(unit) if fit(one))


def friends(position: Position, unit: Unit) -> tuple[Unit, ...]:
    """The others of its side that took part as the phase began and stand on the table."""
    own = position.state.standing(unit.side)
    return tuple(one for one in own if one.id != unit.id and counts(position, one) and one.id in position.figures)


def ground(position: Position, unit: Unit) -> tuple[TerrainPiece, ...]:
    """The pieces under it that count: no water under a bridge."""
    return counting(held_by(position.figure(unit.id), position.terrain))


def carrier(position: Position, unit: Unit) -> Unit | None:
    """The vehicle or pillbox that it is inside of; a wreck holds only those whose die has not fallen."""
    around = position.state.units.get(str(unit.statuses.get(INSIDE) or ""))
    if around is None or (around.out and around.statuses.get(CREW) != TRAPPED):
        return None
    return around


def tractor(position: Position, gun: Unit) -> Unit | None:
    """The vehicle that a gun is hitched to, where it still can tow it."""
    towing = position.state.units.get(str(gun.statuses.get(TOWED_BY, "")))
    return towing if towing is not None and fit(towing) else None


def towed(position: Position, vehicle: Unit) -> tuple[Unit, ...]:
    """The guns that are hitched to a vehicle."""
    return tuple(one for one in position.state.units.values() if tractor(position, one) == vehicle and not one.out)


def carried(position: Position, unit: Unit) -> tuple[Unit, ...]:
    """Those inside a vehicle or pillbox that are not out."""
    return tuple(one for one in position.state.units.values() if one.statuses.get(INSIDE) == unit.id and not one.out)


def in_pillbox(position: Position, unit: Unit) -> bool:
    """Whether it is in a pillbox, which may be a unit or a piece of terrain."""
    around = carrier(position, unit)
    if around is not None:
        return kind(position, around).hard == "pillbox"
    here = position.figure(unit.id)
    return is_man(position, unit) and inside_pillbox(position.game.rules, here, position.terrain)


def stunned(position: Position, unit: Unit) -> bool:
    """Whether it, or the pillbox around it, is stunned."""
    around = carrier(position, unit) or unit
    told, phase = around.statuses.get(STUNNED), around.this_turn.get(STUNNED_IN_PHASE)
    if told is None or phase == phase_number(position):
        return bool(around.this_turn.get(STUNNED_NOW))
    answer = verdict_without_dice(position.game, "stunned", {"turns_since": max(0, position.state.turn - int(told))})
    return answer is not None and bool(answer.numbers["stunned"])


def attacks_made(unit: Unit) -> int:
    """How often it has attacked in this turn, or done something in the place of that."""
    told = (len(unit.this_turn.get(FIRED, ())), unit.this_turn.get(BUSY, 0), unit.this_turn.get(ATTACKED, 0))
    return sum(map(int, told))


def waits(state: State, unit: Unit) -> bool:
    """Whether another player moves now."""
    return state.side not in ("", unit.side)


def step(position: Position, unit: Unit) -> dict[str, Any]:
    """Whose part of the turn it is, for the questions that are asked as one moves."""
    return {"phase": position.state.phase, "waits": waits(position.state, unit)}


def cleared(position: Position) -> frozenset[str]:
    """The names of obstacles and minefields that are gone."""
    return frozenset(position.state.statuses.get(CLEARED, ()))
