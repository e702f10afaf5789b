"""Fudge Miniatures Battles: the list of its rules."""

from __future__ import annotations

import dataclasses

from rules.engine.game import actions
from rules.games.fudge_miniatures import attack, characters, equipment, guts, movement, rolls, turn, wounds
from rules.games.fudge_miniatures.tables import Rules
from rules.games.fudge_miniatures.tables import Tables as Tables
from rules.tabletop.errors import UserError

ACTIONS = actions(
    # Characters and forces
    characters.trait_values,
    characters.trait_names,
    rolls.roll_4df,
    characters.build_human,
    characters.modf,
    characters.rodf,
    characters.defence,
    characters.datacard,
    characters.sample_card,
    equipment.weapon_of_card,
    characters.force_size,
    rolls.gift_modifier,
    turn.victory,
    # The turn
    turn.turn_order,
    turn.next_player,
    turn.turn_steps,
    turn.actions_in_step_2,
    turn.may_do,
    turn.take_up,
    # Movement
    movement.move,
    movement.march,
    movement.second_move,
    movement.disengage,
    movement.leave_several,
    movement.flee,
    movement.free_attack_bonus,
    movement.free_attack,
    movement.free_aim,
    # Combat
    equipment.wield,
    equipment.wielded_set,
    equipment.attacks_in_melee_action,
    equipment.attacks_in_shoot_action,
    characters.modf_from_behind,
    attack.may_attack,
    attack.melee_attack,
    attack.melee_aim,
    attack.two_weapon_attack,
    attack.may_shoot,
    attack.ranged_attack,
    attack.ranged_aim,
    attack.behind,
    attack.cast_spell,
    # Wounds
    wounds.apply_wounds,
    wounds.damage_applies,
    wounds.model_pose,
    characters.wounded_stats,
    wounds.near_death_roll,
    wounds.crash,
    # Guts
    guts.charge,
    guts.friend_shoots,
    guts.guts_check,
    guts.guts_recovery,
    guts.wounded_again,
    guts.under_guts_margin_1,
    guts.after_failed_guts_check,
    guts.after_wound,
    guts.minimum_run,
)


def check(rules: Rules) -> None:
    """Traits must hang on a fact that the procedures know, and each Guts effect on a state of its name."""
    known = {field.name for field in dataclasses.fields(rolls.RollFacts)}
    for name, trait in rules.tables.traits.items():
        if trait.fact is not None and trait.fact not in known:
            raise UserError(f"traits.{name} hangs on the fact {trait.fact!r}, which no situation has: name another")
    words = {word for name, row in rules.tables.states.items() for word in (name, *row.also)}
    for name in (*rules.tables.guts_effects, *rules.tables.wounds):
        if name not in words:
            raise UserError(f"states has no row for {name!r}: add one, or name it in the key 'also' of another")
