"""Simple Plastic Wargame: the list of its rules."""

from __future__ import annotations

from pathlib import Path

from rules.engine.game import Game, actions
from rules.engine.ruleset import load
from rules.games.simple_plastic import attack, movement, sight, turn
from rules.games.simple_plastic.tables import Tables
from rules.tabletop.errors import UserError
from rules.tabletop.table import Posture, TerrainKind

ACTIONS = actions(
    # Armies
    turn.squad_legal,
    turn.army_legal,
    turn.force_legal,
    turn.unit_card,
    turn.unit_of_posture,
    # The turn
    turn.phase_order,
    turn.turn_sequence,
    turn.victory,
    # Movement
    movement.squad_move,
    movement.lone_unit_move,
    movement.cohesion,
    movement.counts_as_moved,
    # Attacks
    attack.may_attack,
    sight.elevation,
    attack.to_kill,
    attack.attack,
    attack.sniper_attacks,
    attack.squad_attack,
)


def open_game(house_rules: Path | None = None) -> Game[Tables]:
    """The game, or its variant by a house-rules file.

    Raises:
        UserError: if the file does not fit; the message names the file, the table and the key.
    """
    rules = load(house_rules or "simple_plastic", Tables)
    for name, row in rules.tables.modifiers.items():
        if row.fact not in attack.FACTS:
            known = ", ".join(attack.FACTS)
            raise UserError(
                f"modifiers.{name} hangs on the fact {row.fact!r}, which no attack has: choose one of {known}"
            )
    for table, needed in (("terrain", TerrainKind), ("postures", Posture)):
        missing = {one.value for one in needed} - set(getattr(rules.tables, table))
        if missing:
            raise UserError(f"the table {table} lacks {', '.join(sorted(missing))}: give each a row")
    return Game(rules, ACTIONS)
