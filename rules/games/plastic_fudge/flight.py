"""Plastic Fudge: the flight of a unit that failed its morale check, off the table too, and the checks it causes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from rules.engine.ruleset import limit
from rules.engine.schema import Asked, Inches
from rules.engine.state import ELIMINATED
from rules.engine.verdict import ACTORS, StatusEffect, Verdict, forbidden, verdict
from rules.games.plastic_fudge.movement import WHICH_WAY, Mover, movement_level, slowed, turn_tolls
from rules.games.plastic_fudge.statuses import ROUTED_OFF, STAYS
from rules.games.plastic_fudge.tables import Rules, TerrainName, UnitName
from rules.tabletop.bearing import turn_deg
from rules.tabletop.tolerance import within


@dataclass(frozen=True, slots=True, kw_only=True)
class Rout(Mover):
    """A unit that flees, and in which direction it faced; one that fails `again` flees already and runs on.

    Where it was seen to run, `heading_deg` is its direction, `run_in` what that took of its move, and `least_in` what
    the ground lets it take straight on.
    """

    facing_deg: Annotated[float, Asked(WHICH_WAY)]
    terrain: TerrainName = "open"
    again: bool = False
    reaches_edge: bool = False
    heading_deg: float | None = None
    run_in: Inches | None = None
    least_in: Inches = 0


def rout_move(rules: Rules, unit: Rout) -> Verdict:
    """Where a unit flees to and how far."""
    turn_by = 0 if unit.again else limit(rules, "about_turn_deg")
    facing_deg = (unit.facing_deg + turn_by) % 360
    why_so = rules.because("PF-66", "he fails again and runs on") if unit.again else rules.because("PF-65")
    slowing = slowed(rules, unit, unit.terrain) if rules.option("rout_terrain") else (0.0, [])
    if slowing is None:
        reasons = (why_so, rules.because(rules.tables.terrain[unit.terrain].rule))
        return verdict("stopped", *reasons, facing_deg=facing_deg, distance_in=0, routed=True)
    part, why = slowing
    base = movement_level(rules, unit)
    tolls = () if rules.chooses("rout_turn", "free") else turn_tolls(rules, (turn_by,), part)
    left_in = max(0.0, (base.modifier or 0) + sum(toll.modifier or 0 for toll in tolls))
    wrong = _strays(rules, unit, facing_deg, left_in)
    if wrong:
        return forbidden("not_the_way", rules.because(why_so.rule, wrong))
    off = rout_reaches_edge(rules, reaches_edge=True) if unit.reaches_edge else None
    ends, numbers, effects = (off.reasons, off.numbers, off.effects) if off else ((), {}, ())
    numbers = {"facing_deg": facing_deg, "distance_in": left_in * (1 - part), "routed": True, **numbers}
    return verdict("flees", why_so, base, *tolls, *why, *ends, **numbers).causing(*effects)


def _strays(rules: Rules, unit: Rout, facing_deg: float, full_in: float) -> str:
    """What is wrong with the way that a fleeing unit was seen to run; empty if nothing is."""
    if unit.run_in is None:
        return ""
    if unit.heading_deg is not None and abs(turn_deg(facing_deg, unit.heading_deg)) > limit(rules, "turn_deg"):
        return f"he runs straight away, towards {facing_deg:.0f} degrees"
    if not within(unit.run_in, full_in):
        return f"he runs {full_in:g} in, not {unit.run_in:.3g}"
    short = not unit.reaches_edge and unit.run_in < min(unit.least_in, full_in) - limit(rules, "rout_slack_in")
    return f"he runs his full {full_in:g} in, not {unit.run_in:.3g}" if short else ""


def rout_reaches_edge(
    rules: Rules, reaches_edge: Annotated[bool, Asked("Has the routed unit reached the table's edge?")]
) -> Verdict:
    """Whether a routed unit leaves play."""
    if reaches_edge:
        counts_as = rules.option("routed_off")
        found = verdict("removed", rules.because("PF-67"), removed=True, counts_as=counts_as)
        routed = [StatusEffect(ACTORS, ROUTED_OFF, True, "PF-67")] if counts_as == "routed" else []
        return found.causing(*routed, StatusEffect(ACTORS, ELIMINATED, True, "PF-67"))
    stays = verdict("stays", rules.because("PF-66"), removed=False)
    return stays.causing(StatusEffect(ACTORS, STAYS, True, "PF-66", this_turn=True))


def rout_contagion(
    rules: Rules, same_side: bool, closest_in: Inches, unit: UnitName | None = None, checked_for_this_unit: bool = False
) -> Verdict:
    """Whether a trooper must check at once."""
    concerned = same_side or rules.chooses("rout_spreads_to", "everyone")
    again = checked_for_this_unit and rules.option("rout_spreads_once")
    steady = unit is not None and not rules.tables.classes[rules.tables.cards[unit].kind].checks_morale
    near = within(closest_in, limit(rules, "rout_near_in"))
    must = near and concerned and not again and not steady
    text = f"a routed unit passed within {closest_in:g} in" if near else f"{closest_in:g} in away"
    return verdict("must check" if must else "steady", rules.because("PF-68", text), must_check=must)
