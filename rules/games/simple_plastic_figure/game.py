"""Simple Plastic Figure Rules WW2, segment one: the list of its rules."""

from __future__ import annotations

import math

from rules.engine.game import actions
from rules.games.simple_plastic_figure import blast, cover, fire, movement, shells, turn
from rules.games.simple_plastic_figure.tables import AimAt, Rules
from rules.games.simple_plastic_figure.tables import Tables as Tables
from rules.tabletop.errors import UserError

ACTIONS = actions(
    # Set-up
    turn.armies,
    turn.setup,
    turn.deployment,
    turn.may_use_weapon,
    turn.weapons_in_one_fire_action,
    turn.later_segment,
    turn.unit_card,
    cover.terrain_on_table,
    # The turn
    turn.initiative,
    turn.turn,
    turn.status_check,
    turn.status_checks,
    turn.actions,
    turn.change_action_after_hand_removed,
    turn.reserve,
    turn.reserve_can_be_shot,
    turn.objective,
    turn.leave_table,
    turn.victory,
    # Movement and hand-to-hand combat
    movement.move,
    movement.enter,
    movement.move_contact,
    movement.hand_to_hand,
    # Fire
    fire.weapon_profile,
    fire.weapon_alias,
    fire.weapon_of_rifle_figure,
    fire.aim,
    fire.declare_shots,
    fire.may_target,
    cover.cover,
    cover.terrain_class,
    cover.shelter,
    fire.combat,
    fire.volley_aim,
    fire.volley,
    fire.aimed,
    fire.attack,
    # Explosives
    blast.blast_targets,
    blast.explosion,
    blast.hole_in_wall,
    blast.grenade_at,
    shells.at_to_hit,
    shells.at_on_building,
    shells.deviation,
    shells.shell_on_shelter,
    shells.charge_aim,
    shells.charge,
    shells.shell,
    shells.burst_aim,
    shells.burst,
    # Leaders, observers, radiomen
    turn.lead,
    turn.status_reroll,
    turn.command_actions,
    turn.direct_fire_binoculars,
    turn.radio,
)


def check(rules: Rules) -> None:
    """Check what involves several rows or tables."""
    _check_dice(rules)
    _check_bands(rules)
    _check_shelters(rules)


def _check_dice(rules: Rules) -> None:
    """Every face of a die must be in exactly one row of the tables that are read by it."""
    for table, rows in (("status", rules.tables.status), ("scatter", rules.tables.scatter)):
        faces = sorted(face for row in rows.values() for face in row.faces)
        if faces != [1, 2, 3, 4, 5, 6]:
            raise UserError(f"{table} must have each face from 1 to 6 in one row, not {faces}")


def _check_bands(rules: Rules) -> None:
    """Range bands go outwards, and the last has no end."""
    for table, bands in (("range_bands", rules.tables.range_bands), ("launcher_bands", rules.tables.launcher_bands)):
        ends = [math.inf if row.up_to_in is None else row.up_to_in for row in bands.values()]
        if ends != sorted(set(ends)) or ends[-1:] != [math.inf]:
            raise UserError(f"{table} must go outwards to a last row without up_to_in, not {ends}")


def _check_shelters(rules: Rules) -> None:
    """Every kind of explosive must have a row for every shelter; two rows where the firer has a choice."""
    explosives = [name for name, row in rules.tables.weapon_kinds.items() if row.aim_at is AimAt.SPOT]
    for place, row in rules.tables.places.items():
        for kind in explosives if row.shelter else ():
            name = f"{kind}_{row.shelter}"
            choices = {f"{name}_{choice}" for choice in shells.Choice}
            known = set(rules.tables.shelter_attacks)
            if name not in known and not (choices <= known and kind == "gun"):
                raise UserError(f"places.{place} has the shelter {row.shelter!r}: add the row shelter_attacks.{name}")
