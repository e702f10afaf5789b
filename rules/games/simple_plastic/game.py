"""Simple Plastic Wargame: the list of its rules."""

from __future__ import annotations

from rules.engine.game import actions
from rules.games.simple_plastic import attack, movement, sight, turn
from rules.games.simple_plastic.tables import Rules
from rules.games.simple_plastic.tables import Tables as Tables
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


def check(rules: Rules) -> None:
    """Check that modifiers name known facts, and that every kind of terrain and every posture has a row."""
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
