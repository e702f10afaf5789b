"""Plastic Fudge: everything that can be asked of its rules."""

from __future__ import annotations

from rules.engine.game import actions
from rules.games.plastic_fudge import blasts, combat, command, fire, forces, movement
from rules.games.plastic_fudge.tables import Rules
from rules.games.plastic_fudge.tables import Tables as Tables
from rules.tabletop.errors import UserError

ACTIONS = actions(
    # Set-up
    forces.level,
    forces.unit_cost,
    forces.unit_card,
    forces.basic_defense_level,
    forces.army_check,
    forces.muster,
    forces.scenario,
    forces.place_terrain,
    forces.victory_check,
    blasts.mine_cost,
    fire.read_d6,
    # The round
    command.phases,
    command.initiative_level,
    command.initiative,
    command.choose_order,
    command.morale_modifier,
    command.morale_check,
    # Movement
    movement.move_allowance,
    movement.move,
    movement.rout_move,
    movement.rout_reaches_edge,
    movement.rout_contagion,
    movement.carry,
    movement.ride,
    movement.call_jet,
    movement.jet_acts,
    # Combat
    fire.can_act,
    fire.attack_request,
    fire.range_check,
    fire.hand_to_hand,
    combat.stands_in,
    combat.chart,
    combat.attack,
    combat.volley,
    combat.casualties,
    combat.injuries,
    combat.hand_to_hand_levels,
    fire.flamethrower_attacked,
    # Blasts and mines
    blasts.disk,
    blasts.explosion_result,
    blasts.explosion,
    blasts.grenade_throw,
    blasts.conflagration,
    blasts.bazooka_on_base,
    blasts.mine,
    blasts.sweep_result,
    blasts.sweep_roll,
    # All of an attack at once
    blasts.aim,
    blasts.shot,
    blasts.lay,
    blasts.blast,
    blasts.hole,
    blasts.sweep,
)


def check(rules: Rules) -> None:
    """Checks that involve several columns of a row."""
    counted = {f"{side}_{fate}" for side in ("enemy", "friendly") for fate in ("destroyed", "routed")}
    for name, row in rules.tables.morale_modifiers.items():
        if row.counted is not None and row.counted not in counted:
            raise UserError(f"morale_modifiers.{name} counts {row.counted!r}, which no check knows: name another")
    ends = range(int(rules.tables.limits["abysmal"].value), int(rules.tables.limits["legendary"].value) + 1)
    for total in ends:
        found = rules.tables.chart.get(str(total))
        if found is None or len(found.results) != len(ends):
            raise UserError(f"chart.{total} must hold {len(ends)} results, one for each total of the attack")
    for name, card in rules.tables.cards.items():
        if card.weapons and not len(card.weapons) == len(card.RL) == len(card.AL):
            raise UserError(f"cards.{name} must give each of its weapons an RL and an AL")
