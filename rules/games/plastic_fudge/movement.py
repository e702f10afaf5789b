"""Plastic Fudge: movement allowances and obstacles, rides, helicopters and jets, and the flight of routed units."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Annotated

from rules.engine.facts import of_actor, status
from rules.engine.ruleset import Bar, first_refusal, limit, refused, row_title
from rules.engine.schema import Asked, Count, Inches, Record
from rules.engine.state import ELIMINATED
from rules.engine.verdict import ACTORS, TARGETS, Reason, RuleRefusal, StatusEffect, Verdict, forbidden, verdict
from rules.games.plastic_fudge import units
from rules.games.plastic_fudge.statuses import CALLED_TURN, ROUTED, ROUTED_OFF, STAYS
from rules.games.plastic_fudge.tables import (
    ClassName,
    LevelName,
    Rules,
    TerrainName,
    UnitName,
    moves_in,
    rating,
    special_of,
)
from rules.tabletop.bearing import turn_deg
from rules.tabletop.tolerance import within

WHICH_WAY = "Which way does he face, in degrees to the left of the near edge?"


class Moving(units.Acting):
    """A unit that moves, boards or leaves in the `phase` of its player (`own_turn`)."""

    own_turn: Annotated[bool, units.OWN_TURN] = True


class Mover(Moving):
    """A card that moves, or a Movement Level; training counts for vehicles.

    A unit that is `aboard` a vehicle goes where that goes, until it gets out.
    """

    ML: Annotated[LevelName | None, units.own("ML")] = None
    TL: Annotated[LevelName | None, units.own("TL")] = None
    class_: ClassName | None = None
    attacked_hand_to_hand: units.AttackedByHand = False
    working_jeep: Annotated[bool, Asked("Does a working jeep tow it?"), units.JEEP] = False
    riding: Annotated[bool, Asked("Does he ride in a jeep?"), units.ABOARD] = False
    aboard: Annotated[bool, units.ABOARD] = False
    spotter_with_binoculars: Annotated[bool, units.SPOTTED_FOR] = True
    flies: bool = False
    unswept_mines: bool = False


class Move(Mover):
    """A whole move in one terrain, with its changes of facing and its steps up."""

    terrain: TerrainName = "open"
    turns_deg: tuple[float, ...] = ()
    enters_higher_bands: Count = 0


def move_allowance(rules: Rules, move: Move) -> Verdict:
    """How far a unit may go after its turns and climbs."""
    if stopped := first_refusal(rules, _bars(rules, move)):
        return stopped
    base = movement_level(rules, move)
    slowing = slowed(rules, move, move.terrain)
    if slowing is None:
        return forbidden("impassable", rules.because(rules.tables.terrain[move.terrain].rule))
    part, why = slowing
    tolls = [*turn_tolls(rules, move.turns_deg, part), *_climbs(rules, move, move.enters_higher_bands)]
    left_in = (base.modifier or 0) + sum(toll.modifier or 0 for toll in tolls)
    if not within(-left_in, 0):
        return forbidden("not_enough_movement", base, *tolls)
    left_in = max(0.0, left_in)
    return verdict("may move", base, *tolls, *why, allowed=True, distance_in=left_in * (1 - part))


def _bars(rules: Rules, mover: Mover) -> Iterator[Bar]:
    """What forbids a unit to move by itself."""
    yield from units.bars(rules, mover, _wrong_time(rules, mover), mover.aboard)
    special, how = special_of(rules, mover.unit), rules.option("fifty_cal_hand_to_hand")
    if special is not None:
        fixed = special.fixed and (not mover.attacked_hand_to_hand or how == "only_drops")
        yield fixed, "cannot_move", "PF-112"
        yield special.spotter and not mover.spotter_with_binoculars, "no_spotter", "PF-109"
    if mover.unit is not None:
        yield rules.tables.cards[mover.unit].towed and not mover.working_jeep, "no_jeep", "PF-129"


def _wrong_time(rules: Rules, mover: Moving) -> Reason | None:
    called = mover.unit is not None and rules.tables.cards[mover.unit].called
    if mover.phase is None or moves_in(rules, mover.phase, called, mover.own_turn):
        return None
    return rules.because("PF-126") if called else rules.because("PF-25", "it is not the time for his side to move")


def movement_level(rules: Rules, mover: Mover) -> Reason:
    """The level on which a unit moves, and the inches that it brings."""
    level, rule = _level(rules, mover)
    inches = rules.tables.levels[level].move_in * rules.option("move_scale")
    return rules.because(rule, f"Movement Level {level}: {inches:g} in", inches)


def _level(rules: Rules, mover: Mover) -> tuple[str, str]:
    card = rules.tables.cards[mover.unit] if mover.unit else None
    if card and card.towed and rules.chooses("howitzer_pace", "the_jeeps"):
        return rules.tables.cards["jeep"].ML, "PF-129"
    if card and card.ML_by_jeep and not mover.riding and rules.chooses("on_foot_ML", "mediocre"):
        return "Mediocre", "PF-A33"
    special = special_of(rules, mover.unit)
    if special and special.fixed and "mortar" in rules.option("fifty_cal_hand_to_hand"):
        return rules.tables.cards["mortar"].ML, "PF-112"
    level = mover.ML or (card.ML if card else None)
    if level is None:
        raise RuleRefusal("missing_key", "a move needs a unit or its Movement Level: name one")
    return level, "PF-09"


def in_the_air(rules: Rules, mover: Mover) -> bool:
    """Whether a mover flies, and so neither the ground nor its height slows it."""
    flies = mover.flies or (mover.unit is not None and rules.tables.cards[mover.unit].flies)
    return flies and rules.chooses("aircraft_and_ground", "ignored")


def slowed(rules: Rules, mover: Mover, terrain: str) -> tuple[float, list[Reason]] | None:
    """The part of a move that terrain takes, and why; None if there is no way through."""
    row = rules.tables.terrain[terrain]
    card = rules.tables.cards[mover.unit] if mover.unit else None
    if in_the_air(rules, mover):
        return 0.0, [rules.because("PF-122", "in the air")]
    if not row.passable:
        return None
    part, reasons = -row.move_pct / 100, [rules.because(row.rule)]
    if mover.unswept_mines and rules.chooses("unswept_mines_slow", True):
        part = max(part, 0.5)
        reasons.append(rules.because("PF-106", "the mines here are not found yet"))
    class_name = mover.class_ or (card.kind if card else "trooper")
    training = mover.TL or (card.TL if card else None)
    if part and training and rules.tables.classes[class_name].trained_for_terrain:
        part = _trained(rules, part, rating(rules, training))
        rule = "PF-72" if rating(rules, training) > 0 else "PF-73"
        reasons.append(rules.because("PF-13", f"Training {training}"))
        reasons.append(rules.because(rule, f"{part:.1%} of the move is lost"))
    return (part, reasons) if part < 1 else None


def _trained(rules: Rules, part: float, training: int) -> float:
    """The part of a move that slow ground takes from a vehicle of this training."""
    step = limit(rules, "better_training" if training > 0 else "worse_training") * training
    changed = part * (1 - step) if rules.chooses("vehicle_training", "quarter_of_penalty") else part - step
    return min(max(changed, 0.0), 1.0)


def turn_tolls(rules: Rules, turns_deg: tuple[float, ...], part: float) -> list[Reason]:
    """The cost of turning, on ground that allows this part of the move."""
    cost_in = limit(rules, "turn_cost_in") / ((1 - part) if rules.chooses("turns_in_terrain", True) else 1)
    tolls = []
    for turn in turns_deg:
        steps = abs(turn) / limit(rules, "turn_deg")
        if rules.chooses("part_turns", "round_up"):
            steps = math.ceil(steps - 1e-9)
        tolls.append(rules.because("PF-27", f"a turn of {abs(turn):.0f} degrees", -steps * cost_in))
    return tolls


def _climbs(rules: Rules, mover: Mover, bands: int) -> list[Reason]:
    if in_the_air(rules, mover):
        return []
    counted = min(bands, 1) if rules.chooses("height_counts", "flat") else bands
    toll = rules.because("PF-41", modifier=-counted * limit(rules, "climb_cost_in"))
    return [toll, rules.because("PF-40")] if counted else []


# A path over several terrains.


class Stretch(Record):
    """A part of a path in one terrain; `climbs` bands are stepped up as it begins."""

    inches: Inches
    terrain: TerrainName = "open"
    climbs: Count = 0


class Path(Mover):
    """A measured path and its changes of facing; each leg leads where the unit points.

    Attributes:
        turns_deg: Changes of facing that are known as such.
        headings_deg: The direction of each leg and the facing at the end; the unit turns from `facing_deg` through
            all of them.
        spent_in: What earlier paths took of the allowance in this turn.
    """

    path: tuple[Stretch, ...]
    turns_deg: tuple[float, ...] = ()
    headings_deg: tuple[float, ...] = ()
    facing_deg: Annotated[float | None, Asked(WHICH_WAY), of_actor(units.known_facing_deg)] = None
    spent_in: Annotated[Inches, units.SPENT_IN] = 0


def move(rules: Rules, path: Path) -> Verdict:
    """Whether a path is within the allowance, and the remaining allowance."""
    if stopped := first_refusal(rules, _bars(rules, path)):
        return stopped
    base = movement_level(rules, path)
    parts: list[float] = []
    reasons = [base, rules.because("PF-26"), rules.because("PF-28")]
    if path.headings_deg and path.facing_deg is None:
        reasons.append(rules.because("PF-26", "he is taken to face the way he sets off"))
    for stretch in path.path:
        slowing = slowed(rules, path, stretch.terrain)
        if slowing is None:
            return forbidden("impassable", rules.because(rules.tables.terrain[stretch.terrain].rule))
        parts.append(slowing[0])
        reasons += [*slowing[1], *_climbs(rules, path, stretch.climbs)]
    worst = max(parts, default=0.0)
    if rules.chooses("partly_in_terrain", "whole_move"):
        parts = [worst] * len(parts)
    tolls = turn_tolls(rules, (*path.turns_deg, *_turned(rules, path)), worst)
    climbs = [toll for stretch in path.path for toll in _climbs(rules, path, stretch.climbs)]
    cost_in = sum(stretch.inches / (1 - part) for stretch, part in zip(path.path, parts, strict=True))
    cost_in -= sum(toll.modifier or 0 for toll in (*tolls, *climbs))
    allowance_in = base.modifier or 0
    left_in = max(0.0, allowance_in - path.spent_in - cost_in)
    numbers = {"cost_in": cost_in, "allowance_in": allowance_in, "left_in": left_in}
    if path.spent_in:
        reasons.append(rules.because("PF-26", f"{path.spent_in:g} in of it are spent", -path.spent_in))
    if not within(path.spent_in + cost_in, allowance_in):
        return forbidden("too_far", *reasons, *tolls, **numbers)
    return verdict("may move", *reasons, *tolls, allowed=True, **numbers)


def _turned(rules: Rules, path: Path) -> tuple[float, ...]:
    """Every change of facing on the way.

    A unit of unknown facing is taken to face the way it sets off, until the players say how it faced.
    """
    if not path.headings_deg:
        return ()
    faced = path.headings_deg[0] if path.facing_deg is None else path.facing_deg
    return turns_between(rules, faced, path.headings_deg)


def turns_between(rules: Rules, faced: float, headings_deg: Iterable[float]) -> tuple[float, ...]:
    """Every change of facing from heading to heading; smaller ones than hands can avoid are none."""
    turns: list[float] = []
    for heading in headings_deg:
        turn = turn_deg(faced, heading)
        if abs(turn) > limit(rules, "turn_slack_deg"):
            turns.append(round(turn))  # to the degree: places are not known better
            faced = heading
    return tuple(turns)


# Aircraft.


class Carrying(StrEnum):
    """The actions of a helicopter with troops."""

    LOAD = "load"
    UNLOAD = "unload"


class Lift(Moving):
    """Troops that a helicopter takes up or sets down; `routed` is of the troops."""

    figures: Count
    does: Carrying = Carrying.LOAD
    aboard: Annotated[Count, of_actor(units.count_aboard)] = 0
    unit: Annotated[UnitName, units.CARD] = "helicopter"
    attacks_made_this_turn: Annotated[Count, of_actor(units.attacks_made)] = 0
    routed: Annotated[bool, units.TARGET_ROUTED] = False


def carry(rules: Rules, lift: Lift) -> Verdict:
    """Whether troops may board or leave; it takes the place of the attack."""
    because = rules.because("PF-123")
    if not rules.tables.cards[lift.unit].carries:
        return forbidden("cannot_carry", rules.because("PF-123", f"{row_title(lift.unit)} carries nobody"))
    if stopped := first_refusal(rules, units.bars(rules, lift, _wrong_time(rules, lift))):
        return stopped
    if lift.attacks_made_this_turn:
        return forbidden("already_attacked", because)
    if lift.does is Carrying.UNLOAD and lift.figures > lift.aboard:
        return forbidden("not_aboard", because)
    aboard = lift.aboard + (lift.figures if lift.does is Carrying.LOAD else -lift.figures)
    if aboard > rules.option("helicopter_capacity"):
        return forbidden("too_many_figures", because, capacity=rules.option("helicopter_capacity"))
    return verdict(f"may {lift.does}", because, allowed=True, aboard=aboard, may_attack=False)


class Ride(Moving):
    """A trooper that gets into a jeep, or out of it."""

    unit: Annotated[UnitName, units.CARD]
    vehicle: Annotated[UnitName, units.TARGET_CARD]
    does: Carrying = Carrying.LOAD


def ride(rules: Rules, rider: Ride) -> Verdict:
    """Whether the trooper may board or leave, which costs nothing."""
    reason = rules.because("PF-93", "a jeep is for the Commander and his Radioman")
    if not (rules.tables.cards[rider.vehicle].tows and rules.tables.cards[rider.unit].ML_by_jeep):
        return forbidden("not_for_him", reason)
    stopped = first_refusal(rules, units.bars(rules, rider, _wrong_time(rules, rider)))
    return stopped or verdict(f"may {rider.does}", reason, allowed=True)


def call_jet(
    rules: Rules,
    called_turn: Annotated[Count, units.TURN],
    radio_operator: Annotated[bool, units.ABLE] = False,
    routed: Annotated[bool, status(ROUTED)] = False,
) -> Verdict:
    """When a jet comes that is called now."""
    flees = routed and not rules.option("routed_act")
    if stopped := refused(rules, (not radio_operator, "no_radio_operator", "PF-125"), (flees, *units.FLEES)):
        return stopped
    arrives = called_turn + int(limit(rules, "jet_delay_turns"))
    reasons = (rules.because("PF-125"), rules.because("PF-126"))
    found = verdict("called", *reasons, allowed=True, arrives_turn=arrives, acts="after_morale")
    return found.causing(StatusEffect(TARGETS, CALLED_TURN, called_turn, "PF-125"))


def jet_acts(
    rules: Rules,
    *,
    called_turn: Annotated[Count | None, status(CALLED_TURN, None)] = None,
    turn: Annotated[Count, units.TURN],
    radio_since_call: Annotated[bool, Asked("Did a radio operator live until the jet came?"), units.RADIO] = True,
) -> Verdict:
    """Whether the jet acts in this turn, when morale is done; a radio operator may be needed all the time."""
    if called_turn is None:
        return forbidden("not_called", rules.because("PF-126", "nobody has called it"))
    arrives = called_turn + int(limit(rules, "jet_delay_turns"))
    silent = rules.chooses("jet_radio", "until_it_comes") and not radio_since_call
    gone = turn > arrives and rules.chooses("jet_stays", "one_turn")
    early = (turn < arrives, "not_arrived", "PF-126", f"it comes in turn {arrives}")
    stopped = refused(
        rules, (silent, "no_radio_operator", "PF-125"), early, (gone, "left", "PF-126", "it stayed one turn")
    )
    return stopped or verdict("acts", rules.because("PF-126"), allowed=True, acts="after_morale")


# Flight.


class Rout(Mover):
    """A unit that flees, and in which direction it faced; one that fails `again` flees already and runs on.

    Where it was seen to run, `heading_deg` is its direction, `run_in` what that took of its move, and `least_in` what
    the ground lets it take straight on.
    """

    facing_deg: Annotated[float | None, Asked(WHICH_WAY)] = None
    terrain: TerrainName = "open"
    again: bool = False
    reaches_edge: bool = False
    heading_deg: float | None = None
    run_in: Inches | None = None
    least_in: Inches = 0


def rout_move(rules: Rules, unit: Rout) -> Verdict:
    """Where a unit flees to and how far."""
    if unit.facing_deg is None:
        raise RuleRefusal("missing_key", "he runs straight away from the way he faces: give 'facing_deg'", "PF-65")
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
    if wrong := _strays(rules, unit, facing_deg, left_in):
        return forbidden("not_the_way", rules.because(why_so.rule, wrong))
    off = rout_reaches_edge(rules, reaches_edge=True) if unit.reaches_edge else None
    ends, numbers, effects = (off.reasons, off.numbers, off.effects) if off else ((), {}, ())
    distance_in = 0.0 if unit.run_in == 0 else left_in * (1 - part)
    numbers = {"facing_deg": facing_deg, "distance_in": distance_in, "routed": True, **numbers}
    outcome = "flees" if distance_in or off else "stopped"
    return verdict(outcome, why_so, base, *tolls, *why, *ends, **numbers).causing(*effects)


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
