"""Simple Plastic Figure: leaders, binoculars and radios."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Annotated

from rules.engine.dice import DiceRequest, Die, Procedure
from rules.engine.facts import Context, Source, status
from rules.engine.ruleset import limit
from rules.engine.schema import Asked, Count, Inches
from rules.engine.verdict import ACTORS, Reason, Verdict, verdict
from rules.games.simple_plastic_figure import turn
from rules.games.simple_plastic_figure.aims import directed_by, leader_distances
from rules.games.simple_plastic_figure.figures import friends, gap, weapons
from rules.games.simple_plastic_figure.rows import called, display_name, illegal, kind_of, legal, weapon_of
from rules.games.simple_plastic_figure.statuses import REROLLED, STATUS_DIE, done, for_now
from rules.games.simple_plastic_figure.tables import CommanderName, Face, Rules, WeaponName
from rules.games.simple_plastic_figure.turn import Action, checked, permits, stores_check
from rules.tabletop.tolerance import within


@dataclass(frozen=True, kw_only=True)
class Helped:
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
    found = turn.actions(rules, actions, status_die)
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
