"""Simple Plastic Figure: set-up, the turn, status checks, reserves and victory."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from rules.engine.dice import DiceRequest, Die, Procedure
from rules.engine.effects import goal_key
from rules.engine.facts import Source, status
from rules.engine.game import NoFacts
from rules.engine.ruleset import limit
from rules.engine.schema import Asked, Count, Inches, Row, Within
from rules.engine.state import ELIMINATED
from rules.engine.verdict import ACTORS, TARGETS, Effect, Reason, RuleRefusal, StatusEffect, Verdict, verdict
from rules.games.simple_plastic_figure import statuses
from rules.games.simple_plastic_figure.rows import called, display_name, illegal, legal, status_of, weapon_of
from rules.games.simple_plastic_figure.statuses import for_now
from rules.games.simple_plastic_figure.tables import Face, Rules, WeaponName
from rules.tabletop.tolerance import within

# Before the first turn.


def armies(
    rules: Rules,
    armies: Mapping[str, Mapping[str, Count]],
    scale: Annotated[str, Row("scales", "unknown_scale")] = "1/32",
) -> Verdict:
    """Whether there are two sides and every player has figures to command."""
    reason = rules.because("WW-01")
    if len(armies) != limit(rules, "sides"):
        return illegal("not_two_sides", reason)
    idle = [player for side in armies.values() for player, figures in side.items() if figures == 0]
    if idle or not all(armies.values()):
        return illegal("player_without_figures", reason, without_figures=idle)
    return legal("ready", reason, figures={side: sum(own.values()) for side, own in armies.items()})


def setup(rules: Rules, distance_to_own_edge_in: Inches) -> Verdict:
    """Whether a figure may start there."""
    deep_in = rules.option("setup_in")
    reason = rules.because("WW-06", f"{distance_to_own_edge_in:g} in from the own edge; {deep_in} in at most")
    near = within(distance_to_own_edge_in, deep_in)
    return legal("set up", reason) if near else illegal("too_far_in", reason)


def deployment(rules: Rules, figures: Mapping[str, Inches]) -> Verdict:
    """Whether all figures of a side may start where they stand, and which may not."""
    each = {name: setup(rules, distance_to_own_edge_in=gap_in) for name, gap_in in figures.items()}
    apart = [name for name, found in each.items() if not found.allowed]
    reasons = [rules.because("WW-06", f"{name}: {why.text}") for name in apart for why in each[name].reasons]
    return verdict("too far in" if apart else "set up", rules.because("WW-06"), *reasons, too_far_in=apart)


def may_use_weapon(rules: Rules, figure_shows: tuple[WeaponName, ...], weapon: WeaponName) -> Verdict:
    """Whether a figure has this weapon: the toy shows its weapons."""
    weapon_of(rules, weapon)
    if weapon not in figure_shows:
        text = f"the figure shows no {called(rules, weapon)}"
        return illegal("weapon_not_shown", rules.because("WW-02", text))
    return legal("shown", rules.because("WW-02"))


def weapons_in_one_fire_action(
    rules: Rules, figure_shows: tuple[WeaponName, ...], weapons: tuple[WeaponName, ...]
) -> Verdict:
    """Whether a figure may use these weapons at once: it uses one or the other."""
    for weapon in weapons:
        shown = may_use_weapon(rules, figure_shows=figure_shows, weapon=weapon)
        if not shown.allowed:
            return shown
    reason = rules.because("WW-02", "one weapon or the other")
    return legal("one weapon", reason) if len(set(weapons)) <= 1 else illegal("two_weapons", reason)


def later_segment(rules: Rules, unit: Annotated[str, Row("later_segments", "unknown_unit")]) -> Verdict:
    """Segment one has infantry only."""
    return illegal("later_segment", rules.because("WW-64", f"segment one has no rules for {display_name(unit)}"))


def unit_card(rules: Rules, card: Annotated[str, Row("cards", "unknown_card")]) -> Verdict:
    """The values of a ready unit."""
    row = rules.tables.cards[card]
    numbers = {name: value for name, value in dataclasses.asdict(row).items() if name not in ("rule", "weapons")}
    side = None if row.nation is None else rules.tables.nations[row.nation].side
    return verdict("card", rules.because(row.rule), **numbers, weapons=list(row.weapons), side=side)


# The turn.


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """The sides as they sit, how many players roll for each, and which side chose last."""

    sides: tuple[str, ...]
    players: Mapping[str, Annotated[int, Within(low=1, code="no_players")]] = field(default_factory=dict)
    last_chooser: str | None = None


def initiative(rules: Rules, table: Sides) -> Procedure[Verdict]:
    """Which side chooses the one that goes first; the highest die of a side counts."""
    if len(set(table.sides)) != limit(rules, "sides") or len(table.sides) != limit(rules, "sides"):
        raise RuleRefusal("not_two_sides", f"two sides play, not {', '.join(table.sides) or 'none'}", "WW-01")
    return _one_die(rules, table) if rules.chooses("initiative_dice", "one_die") else _contest(rules, table)


def _one_die(rules: Rules, table: Sides) -> Procedure[Verdict]:
    roll = yield DiceRequest(Die.D6, 1, "the table", "which side goes first")
    first = table.sides[0] if roll.total <= 3 else table.sides[1]
    text = f"1 to 3 is {table.sides[0]}, 4 to 6 is {table.sides[1]}"
    found = verdict(first, rules.because("WW-07", text), chooser=None, goes_first=first, rolls=[roll.total])
    return found.causing(for_now("", statuses.FIRST, first, "WW-07"))


def _contest(rules: Rules, table: Sides) -> Procedure[Verdict]:
    asked = [DiceRequest(Die.D6, table.players.get(side, 1), side, "going first") for side in table.sides]
    rolls: list[int] = []
    reasons = []
    while len(set(rolls)) < len(asked):
        requests = [request.once_more() for request in asked] if rolls else asked
        rolls = []
        for request in requests:
            roll = yield request
            rolls.append(max(roll.faces))
        tied = len(set(rolls)) == 1
        if tied and table.last_chooser in table.sides and rules.chooses("tied_initiative", "last_chooser"):
            return _chosen(rules, table.last_chooser, rolls, [])
        reasons += [rules.because("WW-A01", "a tie is rolled again")] if tied else []
    return _chosen(rules, table.sides[rolls.index(max(rolls))], rolls, reasons)


def _chosen(rules: Rules, side: str | None, rolls: list[int], reasons: list[Reason]) -> Verdict:
    chooses = rules.chooses("initiative_dice", "highest_chooses")
    first, status = (None, statuses.CHOOSER) if chooses else (side, statuses.FIRST)
    ties_count = rules.chooses("tied_initiative", "last_chooser")
    kept = [StatusEffect("", statuses.LAST_CHOOSER, side, "WW-A01")] if ties_count else []
    found = verdict(str(side), *reasons, rules.because("WW-07"), chooser=side, goes_first=first, rolls=rolls)
    return found.causing(*kept, for_now("", status, side, "WW-07"))


def turn(rules: Rules, first: str, second: str) -> Verdict:
    """The phases of a turn in order, each with its side."""
    phases = sorted(rules.tables.phases.items(), key=lambda item: item[1].number)
    whose = (None, first, second)
    steps = [{"phase": name, "side": whose[row.half], "text": row.text, "rule": row.rule} for name, row in phases]
    found = verdict(f"{first} goes first", rules.because("WW-08"), steps=steps)
    return found.causing(for_now("", statuses.FIRST, first, "WW-07"))


def status_check(rules: Rules, _: NoFacts) -> Procedure[Verdict]:
    """A figure's die before it acts; low is good."""
    roll = yield DiceRequest(Die.D6, 1, "the figure", "its status check")
    found = checked(rules, roll.total)
    return found.causing(*stores_check(ACTORS, found, "WW-09"))


def stores_check(figure: str, found: Verdict, rule: str) -> tuple[Effect, ...]:
    """The effects of a status check on a figure."""
    numbers, failed = found.numbers, found.numbers["failed"] or None
    die = for_now(figure, statuses.STATUS_DIE, numbers["status_die"], rule)
    return die, for_now(figure, statuses.FAILED, failed, rule)


def status_checks(rules: Rules, figures: tuple[str, ...]) -> Procedure[Verdict]:
    """A die for every figure of a side, before the first of them acts."""
    answers: dict[str, Verdict] = {}
    for figure in figures:
        roll = yield DiceRequest(Die.D6, 1, figure, "its status check")
        answers[figure] = checked(rules, roll.total)
    reasons = [
        rules.because(why.rule, f"{figure}: {why.text}") for figure, one in answers.items() for why in one.reasons
    ]
    each = {figure: dict(one.numbers) for figure, one in answers.items()}
    effects = (effect for figure, one in answers.items() for effect in stores_check(figure, one, "WW-09"))
    return verdict("checked", rules.because("WW-09"), *reasons, each=each).causing(*effects)


def checked(rules: Rules, face: int) -> Verdict:
    """The result of a status die."""
    row = status_of(rules, face)
    may = "move or fire" if row.may_move else "only fire" if row.may_fire else "do nothing"
    failed = face >= rules.option("failed_status")
    reason = rules.because(row.rule, f"rolled {face}: it may {may}")
    return verdict(may, reason, may_move=row.may_move, may_fire=row.may_fire, status_die=face, failed=failed)


class Action(StrEnum):
    """The actions of a figure in its half of the turn."""

    MOVE = "move"
    MOVE_INTO_HAND_TO_HAND = "move_into_hand_to_hand"
    FIRE = "fire"
    LEAD = "lead"
    DIRECT_FIRE = "direct_fire"
    CALL_FIRE = "call_fire"


MOVES = (Action.MOVE, Action.MOVE_INTO_HAND_TO_HAND)


def actions(rules: Rules, actions: tuple[Action, ...], status_die: Face = 1) -> Verdict:
    """Whether a figure may do this in one turn."""
    why = checked(rules, status_die).reasons
    if len(actions) > 1:
        led, directs = Action.LEAD in actions, Action.DIRECT_FIRE in actions
        return illegal("one_action_a_turn", rules.because("WW-56" if led else "WW-57" if directs else "WW-10"))
    for action in actions:
        if not permits(rules, action, status_die):
            rule = "WW-21" if action is Action.MOVE_INTO_HAND_TO_HAND else "WW-09"
            return illegal("status", rules.because(rule), *why)
    may = " and ".join(display_name(action) for action in actions) or "act"
    return legal(f"may {may}", rules.because("WW-10"), *why)


def permits(rules: Rules, action: Action, status_die: int) -> bool:
    """Whether a status die leaves a figure free to act."""
    status = status_of(rules, status_die)
    if action in MOVES:
        return status.may_move
    needs = "firing" if action is Action.FIRE else rules.option("commander_needs")
    return {"firing": status.may_fire, "nothing": True, "everything": status.may_move and status.may_fire}[needs]


def change_action_after_hand_removed(
    rules: Rules, hand_removed: Annotated[bool, Asked("Has the player taken his hand off the figure?")] = True
) -> Verdict:
    """An action stands once the hand is off the figure."""
    reason = rules.because("WW-11")
    return illegal("action_stands", reason) if hand_removed else legal("may change", reason)


# Reserves and victory.


def reserve(
    rules: Rules,
    fighting_figures_eliminated: Count,
    reserves_on_board: Count,
    eliminated_on_turn: Count = 0,
    turn: Count | None = None,
    returned_this_turn: Count = 0,
) -> Verdict:
    """How many figures come back in the place of reserves, and when: before the status checks of the owner's half.

    Args:
        rules: The game's data.
        fighting_figures_eliminated, eliminated_on_turn: The losses of the side, and their turn.
        reserves_on_board: Its reserves.
        turn, returned_this_turn: The present turn, and how many came back in it.
    """
    lost, on_board, why = fighting_figures_eliminated, reserves_on_board, rules.because("WW-59")
    most = max(0, 1 - returned_this_turn) if rules.chooses("reserves_a_turn", "one") else lost
    if turn is not None and turn <= eliminated_on_turn:
        return illegal("not_before_the_next_turn", why)
    if most == 0 and lost:
        return illegal("one_a_turn", rules.because("WW-A33", "one figure a turn comes back"))
    back = min(lost, most, on_board)
    numbers = {
        "returning": back,
        "may_return_on_turn": eliminated_on_turn + 1 if back else None,
        "placed_at": "spot of the reserve" if back else None,
        "reserve_eliminated": back > 0,
        "reserves_left": on_board - back,
    }
    if not back:
        return illegal("no_reserves" if lost else "nobody_lost", why, **numbers)
    back_in_play = [StatusEffect(TARGETS, key, None, "WW-59") for key in (ELIMINATED, statuses.LOST)]
    return legal("returns", why, **numbers).causing(*back_in_play, StatusEffect(ACTORS, ELIMINATED, rule="WW-59"))


def reserve_can_be_shot(rules: Rules, _: NoFacts) -> Verdict:
    """Reserves stand on the board, so they are targets."""
    return verdict("yes", rules.because("WW-58"), answer=True)


def objective(
    rules: Rules, side: str, goal: Annotated[str, Row("goals", "unknown_goal")], needed: Count = 0
) -> Verdict:
    """The facts that decide the battle for a side."""
    row = rules.tables.goals[goal]
    if row.numbered and not needed:
        return illegal("no_number", rules.because(row.rule, "agree on the number"))
    number = f": {needed}" if row.numbered else ""
    found = legal("agreed", rules.because(row.rule, f"{side} wins if {row.text}{number}"))
    needs = [StatusEffect("", statuses.needed_by(side), needed, "WW-05")] if needed else []
    return found.causing(StatusEffect("", goal_key(side), goal, "WW-05"), *needs)


def leave_table(
    rules: Rules,
    reaches_far_edge: Annotated[bool, Asked("Does its move reach the far edge?")] = False,
    actions: Annotated[tuple[Action, ...], Source(lambda one: statuses.done(one.actor))] = (),
    status_die: Annotated[Face, status(statuses.STATUS_DIE, 1)] = 1,
) -> Verdict:
    """Whether a figure leaves the table by the far edge."""
    if not permits(rules, Action.MOVE, status_die):
        return illegal("status", rules.because("WW-09", "its status check forbids moving"))
    if any(action is not Action.MOVE for action in actions):
        return illegal("one_action_a_turn", rules.because("WW-10"))
    if not reaches_far_edge:
        return illegal("not_at_the_edge", rules.because("WW-05", "its move does not reach the far edge"))
    exited = StatusEffect(ACTORS, statuses.EXITED, rule="WW-05")
    return legal("leaves", rules.because("WW-05")).causing(exited, *statuses.eliminated([ACTORS], "WW-05"))


def victory(
    rules: Rules,
    *,
    side: str = "",
    goal: Annotated[str, Row("goals", "unknown_goal")],
    needed: Count = 0,
    enemies_eliminated: Count = 0,
    own_lost: Count = 0,
    enemies_left: Count = 0,
    exited: Count = 0,
    reached: Annotated[bool, Asked("Is the place in our hands?")] = False,
) -> Verdict:
    """Whether a side has reached its objective."""
    row = rules.tables.goals[goal]
    won = {
        "take_or_hold": reached,
        "eliminate_number": enemies_eliminated >= needed,
        "eliminate_more_than_lost": enemies_eliminated > own_lost,
        "eliminate_all": enemies_left == 0,
        "exit_far_edge": exited >= needed,
    }.get(goal, reached)
    winner = {"winner": side} if won and side else {}
    found = verdict("won" if won else "not yet", rules.because(row.rule, row.text), won=won, **winner)
    return found.causing(*([StatusEffect("", "victory", side, "WW-05")] if won else []))
