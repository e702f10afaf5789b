"""Simple Plastic Wargame: movement, squad cohesion, and the definition of having moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import combinations
from typing import Annotated, Any

from rules.engine.facts import PHASE, UNKNOWN, Context, Source, Uncertain
from rules.engine.ruleset import limit
from rules.engine.schema import Asked, Inches, Record
from rules.engine.verdict import ACTORS, Effect, MoveEffect, Reason, StatusEffect, Verdict, forbidden, verdict
from rules.games.simple_plastic.attack import MOVED
from rules.games.simple_plastic.tables import PhaseName, Rules
from rules.tabletop.bearing import bearing_deg
from rules.tabletop.measure import Range, ahead_of, chain, forwardness_in, range_between
from rules.tabletop.path import length_in, placed
from rules.tabletop.table import Figure
from rules.tabletop.tolerance import EXACT, within

MOVING = "moving"
"""The phase of moves."""
LED = "moved_in"
"""Status of this turn: how far the men who led its squad have moved."""


class Mode(StrEnum):
    """The figures by which a move is measured."""

    EXACT = "exact"
    SPAN = "span"


_ASKED_SPAN = Source(lambda context: UNKNOWN if context.rules.chooses("move_measure", "span") else None)


class Step(Record):
    """How a move is measured, and how far the measured man or squad went before in this turn."""

    mode: Mode | None = None
    span_in: Annotated[Inches | None, Asked("How long is the player's span (an adult's short one)?"), _ASKED_SPAN] = (
        None
    )
    moved_before_in: Annotated[Inches, Source(lambda context: max(man.allowance_used_in for man in context.men))] = 0
    phase: Annotated[PhaseName, PHASE] = MOVING


def _measured(rules: Rules, step: Step, moved_in: float) -> Verdict:
    """Whether one man's move is within his allowance; without a measured distance, by the strict rule."""
    exact = step.span_in is None or (step.mode or Mode(rules.option("move_measure"))) is Mode.EXACT
    allowance_in = limit(rules, "move_in") if exact or step.span_in is None else step.span_in
    whole_in = step.moved_before_in + moved_in
    numbers = {"allowance_in": allowance_in, "left_in": max(0.0, allowance_in - whole_in)}
    if step.phase != MOVING:
        return _illegal("wrong_phase", rules.because("SP-01", "units move in the moving phase"), **numbers)
    because = rules.because("SP-02", f"moved {round(whole_in, 2):g} in of {allowance_in:g}")
    if not within(whole_in, allowance_in):
        return _illegal("too_far", because, **numbers)
    return Verdict("legal", {"legal": True, **numbers}, (because,))


def _illegal(code: str, reason: Reason, **numbers: float) -> Verdict:
    return forbidden(code, reason, legal=False, **numbers)


def _gone(has_moved: bool) -> tuple[Effect, ...]:
    return (MoveEffect(), StatusEffect(ACTORS, MOVED, rule="SP-07", this_turn=True)) if has_moved else (MoveEffect(),)


def _own_way(context: Context) -> Uncertain:
    path, figure = context.paths.get(context.actor.id, ()), context.position.figure(context.actor.id)
    return Uncertain(length_in(path), figure.sigma_in if path else 0, "how far it went")


class LoneMove(Step):
    """The move of a unit that is in no squad."""

    moved_in: Annotated[Inches, Source(_own_way)]


def lone_unit_move(rules: Rules, step: LoneMove) -> Verdict:
    """Whether a lone unit may move so."""
    found = _measured(rules, step, step.moved_in)
    return replace(found, reasons=(rules.because("SP-04"), *found.reasons)).causing(*_gone(step.moved_in > EXACT))


# A squad.


def _way_deg(context: Context) -> float:
    """Where the squad goes: the way of its first man that does not stay or return to his place."""
    ways = (bearing_deg(path[0], path[-1]) for path in context.paths.values() if path[0] != path[-1])
    return next(ways, 0.0)


def _after(context: Context) -> dict[str, Figure]:
    """The men of the squad at the ends of their paths; those without one stay."""
    before = {man.id: context.position.figure(man.id) for man in context.men}
    return {n: placed(one, context.paths[n][-1]) if n in context.paths else one for n, one in before.items()}


def leader(context: Context) -> str:
    """The frontmost man before the move; of several abreast the one that ends farthest ahead."""
    toward_deg, after = _way_deg(context), _after(context)
    front = {man.id: forwardness_in(context.position.figure(man.id), toward_deg) for man in context.men}
    abreast_in = limit(context.rules, "abreast_in")
    abreast = [name for name, ahead_in in front.items() if within(max(front.values()) - ahead_in, abreast_in)]
    return max(abreast, key=lambda name: (forwardness_in(after[name], toward_deg), name))


def _led(context: Context) -> Uncertain:
    if not context.paths:
        return Uncertain(0.0, 0.0, "")
    name = leader(context)
    sigma_in = context.position.figure(name).sigma_in
    return Uncertain(length_in(context.paths.get(name, ())), sigma_in, "how far its leading man went")


_LED_BEFORE = Source(lambda context: max(float(man.this_turn.get(LED, 0.0)) for man in context.men))


def _gaps_after(context: Context) -> Any:
    if not context.paths:
        return UNKNOWN
    return [round(link.edge_in, 2) for link in distances(context.rules, tuple(_after(context).values()))]


def closes_gaps(context: Context) -> bool:
    """Whether the squad may move out of its turn, because casualties have left gaps that are closed at once."""
    state, unit = context.position.state, context.actor
    if context.rules.chooses("gaps_closed_by", "next_moving_phase") or (state.phase, state.side) == (MOVING, unit.side):
        return False
    lost = any(one.out and (one.side, one.squad) == (unit.side, unit.squad) for one in state.units.values())
    return lost and bool(_wide(context.rules, [gap.value for gap in _gaps(context)]))


def _anyone_ahead(context: Context) -> bool:
    if not context.paths:
        return False
    after, first = _after(context), leader(context)
    return bool(ahead_of(after[first], [one for name, one in after.items() if name != first], _way_deg(context)))


class SquadMove(Step):
    """The move of a squad; only its leader is measured.

    Attributes:
        coherent_after: Whether the squad keeps together; None if `gaps_in` decides.
        gaps_in: The distances along the squad when it has moved, as `distances` finds them.
        follower_ahead: Whether somebody ends farther ahead than the man who leads.
        lead_is_frontmost: Whether the man who was measured is the frontmost.
        closes_gaps: Whether it only closes gaps, out of its turn.
    """

    lead_moved_in: Annotated[Inches, Source(_led)]
    moved_before_in: Annotated[Inches, _LED_BEFORE] = 0
    follower_moved_in: tuple[Inches, ...] = ()
    coherent_after: bool | None = None
    gaps_in: Annotated[tuple[Inches, ...], Source(_gaps_after)] = ()
    follower_ahead: Annotated[bool, Source(_anyone_ahead)] = False
    lead_is_frontmost: Annotated[
        bool, Asked("Is the man who was measured the frontmost of his squad?"), Source(lambda _: True)
    ] = True
    closes_gaps: Annotated[bool, Source(closes_gaps)] = False


def squad_move(rules: Rules, step: SquadMove) -> Verdict:
    """Whether a squad may move so."""
    led_in = step.moved_before_in + step.lead_moved_in
    has_moved = _has_moved(rules, led_in)
    effects = (*_gone(has_moved), StatusEffect(ACTORS, LED, led_in, "SP-03", this_turn=True))
    found = _squad_move(rules, step)
    if not found.allowed:
        return found.causing(*effects)
    numbers = {**found.numbers, "moved": has_moved}
    reasons = (rules.because("SP-03"), *found.reasons, rules.because("SP-05"))
    return Verdict("legal", numbers, reasons, effects)


def _squad_move(rules: Rules, step: SquadMove) -> Verdict:
    if not step.lead_is_frontmost and rules.chooses("lead_is", "frontmost"):
        return _illegal("wrong_lead", rules.because("SP-03", "the man who is measured must be the frontmost"))
    closing = step.closes_gaps and not _has_moved(rules, step.lead_moved_in)
    timed = replace(step, phase=MOVING, moved_before_in=0.0) if closing else step
    if not (found := _measured(rules, timed, step.lead_moved_in)).allowed:
        return found
    if step.follower_ahead and rules.chooses("followers_behind", True):
        return _illegal("follower_ahead", rules.because("SP-03", "the rest are placed behind the man who leads"))
    coherent = not _wide(rules, step.gaps_in) if step.coherent_after is None else step.coherent_after
    if not coherent:
        text = "the men of the squad are not within half an inch of each other: close the gaps"
        return _illegal("not_coherent", rules.because("SP-06" if step.lead_moved_in == 0 else "SP-05", text))
    return found


def _gaps(context: Context) -> list[Uncertain]:
    men = [context.position.figure(man.id) for man in context.men]
    links = distances(context.rules, men)
    return [Uncertain(round(link.edge_in, 2), link.sigma_in, "a gap in the squad") for link in links]


def cohesion(rules: Rules, gaps_in: Annotated[tuple[Inches, ...], Source(_gaps)]) -> Verdict:
    """Whether a squad with these `distances` keeps together, and by when it must if it does not."""
    wide = _wide(rules, gaps_in)
    numbers = {"coherent": not wide, "wide_in": wide, "along": rules.option("cohesion")}
    if not wide:
        return Verdict("coherent", numbers, (rules.because("SP-05"),))
    close_by = rules.option("gaps_closed_by")
    return verdict("gaps to close", rules.because("SP-05"), rules.because("SP-06"), close_by=close_by, **numbers)


def _link_in(rules: Rules) -> float:
    return limit(rules, "cohesion_in") + float(rules.option("cohesion_slack_in"))


def _wide(rules: Rules, gaps_in: Sequence[float]) -> list[float]:
    return [gap_in for gap_in in gaps_in if not within(gap_in, _link_in(rules))]


def distances(rules: Rules, squad: Sequence[Figure]) -> tuple[Range, ...]:
    """The measured distances that keep a squad together or not: along its chain, or between every two men."""
    if rules.chooses("cohesion", "every_pair"):
        return tuple(range_between(a, b) for a, b in combinations(squad, 2))
    return chain(squad)


def counts_as_moved(rules: Rules, lead_moved_in: Inches, followers_closed_gaps: bool = False) -> Verdict:
    """Whether a squad has moved; men who only close gaps do not matter."""
    has_moved = _has_moved(rules, lead_moved_in)
    return verdict("moved" if has_moved else "stayed", rules.because("SP-07"), moved=has_moved)


def _has_moved(rules: Rules, lead_moved_in: float) -> bool:
    return not within(lead_moved_in, rules.option("same_place_in"))
