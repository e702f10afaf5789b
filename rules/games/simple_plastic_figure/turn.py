"""Simple Plastic Figure: set-up, the turn, status checks, leaders and radios, reserves and victory."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import field, fields, replace
from enum import StrEnum
from typing import Annotated

from rules.engine.dice import DiceRequest, Die, Procedure
from rules.engine.effects import goal_key
from rules.engine.facts import Context, Source, status
from rules.engine.ruleset import limit
from rules.engine.schema import Asked, Count, Inches, Record, Row, Within
from rules.engine.state import ELIMINATED
from rules.engine.verdict import ACTORS, TARGETS, Effect, Reason, RuleRefusal, StatusEffect, Verdict, verdict
from rules.games.simple_plastic_figure import statuses
from rules.games.simple_plastic_figure.aims import directed_by, leader_distances
from rules.games.simple_plastic_figure.figures import friends, gap, weapons
from rules.games.simple_plastic_figure.rows import called, display_name, illegal, kind_of, legal, status_of, weapon_of
from rules.games.simple_plastic_figure.statuses import REROLLED, STATUS_DIE, done, for_now
from rules.games.simple_plastic_figure.tables import CommanderName, Face, Rules, WeaponName
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
        if not (shown := may_use_weapon(rules, figure_shows=figure_shows, weapon=weapon)).allowed:
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


class Sides(Record):
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


def status_check(rules: Rules) -> Procedure[Verdict]:
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


_in_one_turn = actions


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


def reserve_can_be_shot(rules: Rules) -> Verdict:
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
    needs = [StatusEffect("", statuses.NEEDED_BY.format(side), needed, "WW-05")] if needed else []
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


class Helped(Record):
    """The help that a figure has this turn, by its leaders and observers or only as such.

    `leader_distances_in` are the distances of all that lead this turn; only near ones help.
    """

    led: bool = False
    led_by_leader: bool = False
    led_by_radioman: bool = False
    leader_distances_in: Annotated[tuple[Inches, ...], Source(leader_distances)] = ()
    directed: bool = False
    directed_by_binoculars: Annotated[bool, directed_by("binoculars")] = False
    directed_by_radio: Annotated[bool, directed_by("radio")] = False

    @property
    def leaders(self) -> int:
        """How many lead it."""
        return max(self.led, self.led_by_leader + self.led_by_radioman)

    @property
    def is_directed(self) -> bool:
        """Whether its fire is directed."""
        return self.directed or self.directed_by_binoculars or self.directed_by_radio


def both(one: Helped, other: Helped) -> Helped:
    """The help that either has."""
    return Helped(**{field.name: getattr(one, field.name) or getattr(other, field.name) for field in fields(Helped)})


def led(rules: Rules, figure: Helped, bonus: str) -> list[Reason]:
    """The modifier for being led; `bonus` is the limit's name."""
    near = [one for one in figure.leader_distances_in if within(one, limit(rules, "lead_radius_in"))]
    leaders = max(figure.leaders, len(near))
    times = leaders if rules.chooses("leads_stack", True) else min(leaders, 1)
    return [rules.because("WW-56", "led", limit(rules, bonus) * times)] if times else []


def fire_help(rules: Rules, figure: Helped) -> list[Reason]:
    """The modifiers of leaders and observers on a combat roll."""
    leading = led(rules, figure, "led_fire")
    if figure.is_directed and not (leading and rules.chooses("lead_adds_to_direction", False)):
        rule = "WW-61" if figure.directed_by_radio and not figure.directed_by_binoculars else "WW-57"
        leading.append(rules.because(rule, "its fire is directed", limit(rules, "directed_fire")))
    return leading


def aimed_help(rules: Rules, figure: Helped) -> list[Reason]:
    """The modifier of directed fire on the dice before the combat roll, if the option is chosen."""
    if figure.is_directed and rules.chooses("direction_helps", "all_rolls"):
        return [rules.because("WW-A25", "its fire is directed", limit(rules, "directed_fire"))]
    return []


def lead(
    rules: Rules,
    leader_action: Action,
    figure_distance_in: Inches,
    who: CommanderName = "leader",
    status_die: Face = 1,
    led_already: bool = False,
) -> Verdict:
    """Whether a figure has a leader's bonus, +1 inch or +1 on its fire."""
    near = within(figure_distance_in, limit(rules, "lead_radius_in"))
    able = rules.tables.commanders[who].leads and permits(rules, Action.LEAD, status_die)
    fresh = not led_already or rules.chooses("leads_stack", True)
    led_now = leader_action is Action.LEAD and near and able and fresh
    does = f"a {display_name(who)} who does this: {leader_action}"
    reason = rules.because("WW-56", f"{figure_distance_in:g} in from {does}")
    bonuses = {"move_bonus_in": limit(rules, "led_move_in"), "fire_bonus": limit(rules, "led_fire")}
    numbers = {name: bonus if led_now else 0 for name, bonus in bonuses.items()}
    outcome = "led" if led_now else "not led"
    return verdict(outcome, reason, bonus_available=led_now, **numbers, status_reroll=led_now)


def _friend_acted(context: Context) -> bool:
    return any(set(done(one)) - {"lead"} for one in friends(context.position, context.actor))


def status_reroll(
    rules: Rules,
    status_die: Annotated[Face, status(STATUS_DIE, 1)],
    figure_distance_in: Annotated[Inches, Source(lambda one: gap(one.position, one.target, one.actor))] = 0,
    has_acted: Annotated[bool, Source(lambda one: bool(done(one.actor)))] = False,
    anybody_acted: Annotated[bool, Source(_friend_acted)] = False,
    rerolled_already: Annotated[bool, status(REROLLED)] = False,
) -> Procedure[Verdict]:
    """A led figure's second status check, once a turn."""
    reason = rules.because("WW-56")
    late = has_acted or (anybody_acted and rules.chooses("status_reroll_when", "before_any_action"))
    if status_die < rules.option("failed_status"):
        return illegal("not_failed", reason)
    if not within(figure_distance_in, limit(rules, "lead_radius_in")):
        return illegal("too_far_from_leader", reason)
    if late:
        return illegal("too_late", rules.because("WW-A04", "the figure has acted, or the time for it is over"))
    if rerolled_already:
        return illegal("rerolled_already", rules.because("WW-A04", "once a turn"))
    roll = yield DiceRequest(Die.D6, 1, "the figure", "its second status check")
    shift = {"minus_one": -1, "plus_one": 1, "plain": 0}[rules.option("status_reroll")]
    face = min(max(roll.total + shift, 1), 6)
    answer = checked(rules, face)
    reasons = (rules.because("WW-56", f"led: {roll.total} reads as {face}", shift), *answer.reasons)
    effects = (*stores_check(ACTORS, answer, "WW-56"), for_now(ACTORS, REROLLED, True, "WW-56"))
    return Verdict(answer.outcome, {"legal": True, "roll": roll.total, **answer.numbers}, reasons, effects)


def command_actions(
    rules: Rules,
    *,
    actions: tuple[Action, ...],
    status_die: Face = 1,
    who: CommanderName,
    binoculars: bool = False,
    radioman_armed: bool = False,
) -> Verdict:
    """Whether a commander may do this in one turn: leading and directing are instead of moving and firing."""
    row = rules.tables.commanders[who]
    by_radio = row.radio and (not radioman_armed or rules.chooses("armed_radioman_directs", True))
    able = {
        Action.LEAD: (row.leads, "WW-56"),
        Action.DIRECT_FIRE: (row.binoculars or binoculars or by_radio, "WW-60" if row.radio else "WW-57"),
        Action.CALL_FIRE: (row.radio, "WW-62"),
    }
    for action in actions:
        can, rule = able.get(action, (True, row.rule))
        if not can:
            return illegal("cannot", rules.because(rule, f"a {display_name(who)} cannot {display_name(action)}"))
    found = _in_one_turn(rules, actions, status_die)
    why = [rules.because(able[action][1]) for action in actions if found.allowed and action in able]
    return replace(found, reasons=(*why, *found.reasons))


def direct_fire_binoculars(
    rules: Rules,
    distance_to_directed_figure_in: Annotated[Inches, Source(lambda one: gap(one.position, one.actor, one.target))],
    weapon: WeaponName,
    weapon_to_target_in: Inches,
    observer_sees_target: Annotated[bool, Asked("Does the observer see the target?")] = True,
    status_die: Annotated[Face, status(STATUS_DIE, 1)] = 1,
    figures_directed_already: Count = 0,
) -> Verdict:
    """Whether binoculars help this figure's fire."""
    reason = rules.because("WW-57")
    row = weapon_of(rules, weapon)
    if not permits(rules, Action.DIRECT_FIRE, status_die):
        return illegal("status", rules.because("WW-A05", "the observer's status check forbids it"))
    if figures_directed_already:
        return illegal("directs_another", reason)
    if not within(distance_to_directed_figure_in, limit(rules, "direct_radius_in")):
        return illegal("too_far_from_figure", reason)
    if not within(weapon_to_target_in, row.range_in):
        text = f"the {called(rules, weapon)} reaches {row.range_in:g} in"
        return illegal("out_of_range", rules.because("WW-57", text))
    if not observer_sees_target and rules.chooses("observer_must_see", True):
        return illegal("observer_sees_nothing", rules.because("WW-A32", "the observer must see the target"))
    return legal("directs", reason, fire_bonus=limit(rules, "directed_fire"))


class RadioMode(StrEnum):
    """The actions of a radioman with his radio."""

    DIRECT_ONBOARD = "direct_onboard"
    OFFBOARD = "offboard"


OFFBOARD_WEAPON = "mortar_81"


def radio(
    rules: Rules,
    mode: RadioMode,
    onboard_mortar_or_gun: bool,
    distance_to_target_in: Inches,
    distance_to_weapon_in: Inches | None = None,
    radioman_armed: Annotated[bool, Source(lambda one: bool(weapons(one.position, one.actor)))] = False,
    weapon: WeaponName | None = None,
    observer_sees_target: Annotated[bool, Asked("Does the radioman see the target?")] = True,
    status_die: Annotated[Face, status(STATUS_DIE, 1)] = 1,
    calls_by_this_radioman: Count = 0,
    calls_by_side: Count = 0,
) -> Verdict:
    """Whether a radioman may direct a mortar or gun on the board, or call a shot from off it."""
    if not permits(rules, Action.DIRECT_FIRE, status_die):
        return illegal("status", rules.because("WW-A05", "the radioman's status check forbids it"))
    directing = mode is RadioMode.DIRECT_ONBOARD
    if not within(distance_to_target_in, limit(rules, "radio_target_in")):
        return illegal("target_too_far", rules.because("WW-61" if directing else "WW-62"))
    if not observer_sees_target and rules.chooses("observer_must_see", True):
        return illegal("observer_sees_nothing", rules.because("WW-A32", "the radioman must see the target"))
    if directing:
        return _direct(rules, weapon, onboard_mortar_or_gun, radioman_armed)
    if onboard_mortar_or_gun:
        return illegal("mortar_or_gun_on_board", rules.because("WW-62"))
    return _call(
        rules, calls_by_this_radioman if rules.chooses("offboard_calls", "one_each_radioman") else calls_by_side
    )


def _direct(rules: Rules, weapon: str | None, onboard_mortar_or_gun: bool, radioman_armed: bool) -> Verdict:
    if radioman_armed and rules.chooses("armed_radioman_directs", False):
        return illegal("armed", rules.because("WW-60", "a radioman with a weapon uses that"))
    if not onboard_mortar_or_gun:
        return illegal("no_mortar_or_gun", rules.because("WW-61"))
    if weapon is not None and kind_of(rules, weapon).direct:
        text = f"a radio does not direct a {called(rules, weapon)}"
        return illegal("not_a_mortar_or_gun", rules.because("WW-61", text))
    bonus = limit(rules, "directed_fire")
    return legal("directs", rules.because("WW-61"), fire_bonus=bonus, directed_bonus=bonus)


def _call(rules: Rules, calls: int) -> Verdict:
    if calls:
        return illegal("called_already", rules.because("WW-A30", "one shot a turn"))
    return legal(
        "calls a shot",
        rules.because("WW-62"),
        weapon=OFFBOARD_WEAPON,
        directed_bonus=0,
        fire_bonus=0,
        deviation_roll=True,
        blast_radius_in=weapon_of(rules, OFFBOARD_WEAPON).blast_radius_in,
    )
