"""Army Men: hard targets, the men inside them, and the fate of wrecks and crews."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from rules.engine.dice import DiceRequest, Die, Procedure
from rules.engine.game import Answer
from rules.engine.ruleset import refused
from rules.engine.schema import Asked, Count, Inches, Row
from rules.engine.verdict import Reason, Verdict, forbidden, total, verdict
from rules.games.army_men import status
from rules.games.army_men.status import of_target
from rules.games.army_men.tables import Effect, Face, HardModifier, KindName, Rules, WeaponName
from rules.tabletop.tolerance import within


def hard_modifiers(rules: Rules, weapon: str, target: str, face: Face, heavy: bool) -> list[Reason]:
    """The modifiers of the die against a hard target, in reading order."""

    def fits(row: HardModifier) -> bool:
        return (
            (not row.targets or target in row.targets)
            and (not row.faces or face in row.faces)
            and (not row.heavy or heavy)
            and (not row.weapons or weapon in row.weapons)
            and weapon not in row.not_for
        )

    rows = rules.tables.hard_target_modifiers.values()
    return [rules.because(row.rule, row.text, row.modifier) for row in rows if fits(row)]


def hard_die(rules: Rules, target: str, modifiers: list[Reason]) -> Procedure[Verdict]:
    """The die against a hard target that was hit; modified faces below 1 read as 1, above 6 as 6."""
    row = rules.tables.hard_target_die[rules.tables.kinds[target].hard or ""]
    roll = yield DiceRequest(Die.D6, 1, "the firer", f"the effect on the {target.replace('_', ' ')}")
    modified = roll.total + int(total(modifiers))
    result = row.results[min(max(modified, 1), len(row.results)) - 1]
    fell = rules.because(row.rule, f"rolled {roll.total}, read as {modified}: {result.replace('_', ' ')}")
    return verdict(result, *modifiers, fell, modified=modified, result=result)


def hard_target_die(
    rules: Rules,
    weapon: WeaponName,
    target: KindName,
    face: Face = Face.FRONT,
    heavy: Annotated[bool, Asked("Is the target a heavy tank?")] = False,
) -> Answer:
    """The second die for a hit on a hard target, if the weapon has one."""
    kind, group = rules.tables.kinds[target], rules.tables.weapons[weapon].group
    soft = (kind.hard is None, "not_a_hard_target", "AM-93", f"{target} is not a hard target")
    flames = (kind.hard == "pillbox" and group == "flame_thrower", "cannot_destroy_pillbox", "AM-103")
    immune = (getattr(rules.tables.effects[group], kind.target) is not Effect.SECOND_DIE, "immune", "AM-93")
    modifiers = hard_modifiers(rules, weapon, target, face, heavy)
    return refused(rules, soft, flames, immune) or hard_die(rules, target, modifiers)


_CREW_INSIDE = of_target(lambda position, wreck: len(status.manning(position, wreck)) or 1)


def crew_survival(
    rules: Rules,
    destroyed: Annotated[str, Row("crew_survival", "unknown_vehicle"), of_target(status.kind_name)],
    crew: Annotated[Count, _CREW_INSIDE] = 1,
) -> Procedure[Verdict]:
    """Whether the crew gets out."""
    row = rules.tables.crew_survival[destroyed]
    if row.survives_to == 0:
        return verdict("dead", rules.because(row.rule), survives=False, roll_needed=False, survivors=0, saved=[])
    dice = crew if rules.chooses("crew_die", "one_each") and crew > 0 else 1
    saved = []
    for man in range(1, dice + 1):
        roll = yield DiceRequest(Die.D6, 1, "the crew" if dice == 1 else f"crewman {man}", "getting out alive")
        saved.append(roll.total <= row.survives_to)
    saved = saved if dice > 1 else saved * crew
    numbers = {"survives": any(saved), "roll_needed": True, "survivors": sum(saved), "saved": saved}
    reason = rules.because("AM-105", f"{row.survives_to} or less survives")
    return Verdict("survives" if any(saved) else "dead", numbers, (reason,))


def vehicle_destroyed(rules: Rules, vehicle: KindName) -> Verdict:
    """The status of a vehicle after it was wrecked."""
    reasons = (rules.because("AM-18"), rules.because("AM-104"))
    return verdict("wreck", *reasons, stays_on_table=True, upside_down=True, acts_as=["cover", "obstacle"])


# Pillboxes.


class ZoneOfPillbox(StrEnum):
    """The side of a pillbox on which a unit stands."""

    FRONT = "front"
    FRONT_BELOW = "front_below"
    SIDE = "side"
    BEHIND = "behind"


def pillbox_zone(rules: Rules, off_front_deg: float, edge_in: Inches) -> Verdict:
    """Whether a unit is in one of the two zones that a pillbox cannot fire at.

    Args:
        off_front_deg: By how much it is off the front's direction.
        edge_in: How far it is from the front face.
    """
    off_deg = abs((off_front_deg + 180) % 360 - 180)
    contact_in = rules.option("adjacent_within_in")
    below_in = contact_in if rules.chooses("safe_zones", "rear_half_and_front_contact") else 3
    zone = ZoneOfPillbox.FRONT
    if off_deg > 90:
        zone = ZoneOfPillbox.BEHIND
    elif within(edge_in, below_in):
        zone = ZoneOfPillbox.FRONT_BELOW
    return verdict(zone, rules.because("AM-109"), zone=str(zone), safe=zone is not ZoneOfPillbox.FRONT)


def blind(weapon: str, zone: ZoneOfPillbox | None) -> bool:
    """Whether the gun ports do not allow a shot there; None is no shot from a pillbox. A grenade may be tossed down."""
    tossed = weapon == "grenade" and zone is ZoneOfPillbox.FRONT_BELOW
    return zone in (ZoneOfPillbox.BEHIND, ZoneOfPillbox.FRONT_BELOW) and not tossed


def fire_from_pillbox(
    rules: Rules,
    weapon: WeaponName,
    target_zone: Annotated[ZoneOfPillbox, Asked("Where does the target stand, seen from the pillbox?")],
    stunned: bool = False,
) -> Verdict:
    """Whether the men inside can aim at the place."""
    unseen = (blind(weapon, target_zone), "pillbox_blind_zone", "AM-109")
    rule = "AM-110" if target_zone is ZoneOfPillbox.FRONT_BELOW else "AM-109"
    return refused(rules, (stunned, "stunned", "AM-96"), unseen) or verdict(
        "allowed", rules.because(rule), allowed=True
    )


def stunned(rules: Rules, turns_since: Count = 0) -> Verdict:
    """Whether a stunned pillbox may attack again."""
    lasts = 1 if rules.chooses("stun_lasts", "through_next_turn") else 0
    if turns_since <= lasts:
        return forbidden("stunned", rules.because("AM-96"), stunned=True)
    return verdict("recovered", rules.because("AM-96"), allowed=True, stunned=False)
