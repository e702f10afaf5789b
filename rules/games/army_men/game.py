"""Army Men: the list of its rules."""

from __future__ import annotations

import dataclasses

from rules.engine.game import actions
from rules.games.army_men import attack, bursts, facts, hard, movement, shot, specialists, turn
from rules.games.army_men.tables import Rules
from rules.games.army_men.tables import Tables as Tables
from rules.tabletop.errors import UserError

ACTIONS = actions(
    # Set-up and the turn
    *(turn.set_up, turn.force_advice, turn.draw_armies, facts.prop, facts.unit_card, turn.move_order, turn.phases),
    *(turn.may_still_attack, turn.casualties, turn.victory),
    # Movement
    *(movement.move_allowance, movement.move, movement.march, movement.board, movement.hitch, movement.land),
    *(movement.turn_turret, movement.overrun, movement.climb, movement.swim, movement.paratrooper, movement.minefield),
    # Fire
    *(movement.blocks, facts.weapon, facts.range_check, facts.template, facts.cover, facts.adjacent, facts.face),
    *(turn.opportunity_fire, turn.return_fire, attack.aim, attack.attack, bursts.burst, bursts.burst_rolls),
    *(bursts.burst_aim, bursts.blast, bursts.blast_aim, specialists.extra_attack, specialists.clear_jam),
    # Hard targets
    *(specialists.flame_thrower_hit, hard.hard_target_die, hard.crew_survival, hard.vehicle_destroyed),
    *(hard.pillbox_zone, hard.fire_from_pillbox, attack.attack_pillbox_from_safe_zone, hard.stunned),
    # Special units
    *(specialists.leader_bonus, specialists.entrench, specialists.medic, specialists.destroy_obstacle),
    *(specialists.mine_detector, specialists.hero_status, specialists.hero_names),
)


def check(rules: Rules) -> None:
    """Check that rows that depend on a fact name one that the procedures know.

    A house-rules file may change any row and add units of its own (AM-10); the game then bears its label (AM-01).
    """
    known = {
        "attack_modifiers": {field.name for field in dataclasses.fields(shot.Shot)} | set(shot.DERIVED),
        "halvings": {field.name for field in dataclasses.fields(movement.Move)},
    }
    named = [("attack_modifiers", name, row.fact) for name, row in rules.tables.attack_modifiers.items()]
    named += [("halvings", name, row.fact) for name, row in rules.tables.halvings.items()]
    for table, name, fact in named:
        if fact is not None and fact not in known[table]:
            raise UserError(f"{table}.{name} hangs on the fact {fact!r}, which no shot or move has: name another")
