"""Simple Plastic Wargame: how far a unit goes, how a squad keeps together, and what counts as having moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations
from typing import Annotated

from rules.engine.ruleset import limit
from rules.engine.schema import Asked, Inches
from rules.engine.verdict import Reason, Verdict, forbidden, verdict
from rules.games.simple_plastic.tables import PhaseName, Rules
from rules.tabletop.measure import Range, range_between
from rules.tabletop.opacity import OPACITY, CoverKind, Opacity
from rules.tabletop.scene import SightRules
from rules.tabletop.squad import chain
from rules.tabletop.table import Figure, TerrainKind, TerrainPiece
from rules.tabletop.terrain_cost import Going, MovementProfile
from rules.tabletop.tolerance import within


class Mode(StrEnum):
    """What a move is measured by."""

    EXACT = "exact"
    SPAN = "span"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """How a move is measured, and how far the same man went before in this turn."""

    mode: Mode | None = None
    span_in: Annotated[Inches | None, Asked("How long is the player's span (an adult's short one)?")] = None
    moved_before_in: Inches = 0
    phase: PhaseName = "moving"


def _allowance_in(rules: Rules, step: Step) -> float:
    """How far a unit may go in a turn; a span that nobody measured is roughly what the strict rule says."""
    mode = step.mode or Mode(rules.option("move_measure"))
    return limit(rules, "move_in") if mode is Mode.EXACT or step.span_in is None else step.span_in


def _illegal(code: str, reason: Reason, **numbers: float) -> Verdict:
    return forbidden(code, reason, legal=False, **numbers)


def _measured(rules: Rules, step: Step, moved_in: float) -> Verdict:
    """Whether one man's move is within what he is allowed."""
    allowance_in = _allowance_in(rules, step)
    whole_in = step.moved_before_in + moved_in
    numbers = {"allowance_in": allowance_in, "left_in": max(0.0, allowance_in - whole_in)}
    if step.phase != "moving":
        return _illegal("wrong_phase", rules.because("SP-01", "units move in the moving phase"), **numbers)
    text = f"moved {whole_in:g} in of {allowance_in:g}"
    if not within(whole_in, allowance_in):
        return _illegal("too_far", rules.because("SP-02", text), **numbers)
    return Verdict("legal", {"legal": True, **numbers}, (rules.because("SP-02", text),))


@dataclass(frozen=True, slots=True, kw_only=True)
class LoneMove(Step):
    """The move of a unit that is in no squad."""

    moved_in: Inches


def lone_unit_move(rules: Rules, step: LoneMove) -> Verdict:
    """Whether a lone unit may move so."""
    found = _measured(rules, step, step.moved_in)
    return replace(found, reasons=(rules.because("SP-04"), *found.reasons))


@dataclass(frozen=True, slots=True, kw_only=True)
class SquadMove(Step):
    """The move of a squad; only the man who leads is measured.

    Attributes:
        coherent_after: Whether the squad keeps together; None where `gaps_in` decides.
        gaps_in: The distances along the squad when it has moved, as `distances` finds them.
        follower_ahead: Whether somebody ends farther ahead than the man who leads.
        lead_is_frontmost: Whether the man who was measured is the frontmost.
    """

    lead_moved_in: Inches
    follower_moved_in: tuple[Inches, ...] = ()
    coherent_after: bool | None = None
    gaps_in: tuple[Inches, ...] = ()
    follower_ahead: bool = False
    lead_is_frontmost: Annotated[bool, Asked("Is the man who was measured the frontmost of his squad?")] = True


def squad_move(rules: Rules, step: SquadMove) -> Verdict:
    """Whether a squad may move so."""
    if not step.lead_is_frontmost and rules.chooses("lead_is", "frontmost"):
        return _illegal("wrong_lead", rules.because("SP-03", "the man who is measured must be the frontmost"))
    found = _measured(rules, step, step.lead_moved_in)
    if not found.allowed:
        return found
    if step.follower_ahead and rules.chooses("followers_behind", True):
        return _illegal("follower_ahead", rules.because("SP-03", "the rest are placed behind the man who leads"))
    coherent = _coherent(rules, step.gaps_in) if step.coherent_after is None else step.coherent_after
    if not coherent:
        text = "the men of the squad are not within half an inch of each other: close the gaps"
        return _illegal("not_coherent", rules.because("SP-06" if step.lead_moved_in == 0 else "SP-05", text))
    numbers = {**found.numbers, "moved": _moved(rules, step.lead_moved_in)}
    return Verdict("legal", numbers, (rules.because("SP-03"), *found.reasons, rules.because("SP-05")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Spacing:
    """The distances along a squad, base edge to base edge, as `distances` finds them."""

    gaps_in: tuple[Inches, ...]


def cohesion(rules: Rules, squad: Spacing) -> Verdict:
    """Whether a squad keeps together, and by when it must if it does not."""
    wide = [gap_in for gap_in in squad.gaps_in if not within(gap_in, _link_in(rules))]
    numbers = {"coherent": not wide, "wide_in": wide, "along": rules.option("cohesion")}
    if not wide:
        return Verdict("coherent", numbers, (rules.because("SP-05"),))
    close_by = rules.option("gaps_closed_by")
    return verdict("gaps to close", rules.because("SP-05"), rules.because("SP-06"), close_by=close_by, **numbers)


def _link_in(rules: Rules) -> float:
    return limit(rules, "cohesion_in") + float(rules.option("cohesion_slack_in"))


def _coherent(rules: Rules, gaps_in: Sequence[float]) -> bool:
    return all(within(gap_in, _link_in(rules)) for gap_in in gaps_in)


def distances(rules: Rules, squad: Sequence[Figure]) -> tuple[Range, ...]:
    """The measured distances that keep a squad together or not: along its chain, or between every two men."""
    if rules.chooses("cohesion", "every_pair"):
        return tuple(range_between(a, b) for a, b in combinations(squad, 2))
    return tuple(link.range for link in chain(squad, _link_in(rules)).links)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """How far the man who leads, or a lone unit, stands from where he stood."""

    lead_moved_in: Inches
    followers_closed_gaps: bool = False


def counts_as_moved(rules: Rules, shift: Shift) -> Verdict:
    """Whether a squad has moved; men who only close gaps do not matter."""
    has_moved = _moved(rules, shift.lead_moved_in)
    return verdict("moved" if has_moved else "stayed", rules.because("SP-07"), moved=has_moved)


def _moved(rules: Rules, lead_moved_in: float) -> bool:
    return not within(lead_moved_in, rules.option("same_place_in"))


# The measured table.


def gait(rules: Rules, unit: str) -> MovementProfile:
    """How a unit walks the measured table, for `rules.tabletop.movement.walk`: no ground is slower than another."""

    def going(piece: TerrainPiece) -> Going:
        return Going(on_top=piece.kind in (TerrainKind.HILL, TerrainKind.BRIDGE))

    return MovementProfile(going)


def sight_rules(rules: Rules) -> SightRules:
    """What hides what on the measured table; what is semi-solid hides, but stops no attack."""

    def opacity(kind: TerrainKind) -> Opacity:
        cover = rules.tables.terrain[kind.value].cover
        row = rules.tables.covers[cover] if cover else None
        veil = CoverKind.CLEAR if row is None or not row.counts else CoverKind.SOLID if row.blocks else CoverKind.SCREEN
        return replace(OPACITY[kind], veil=veil)

    figures = rules.tables.covers["figures"]
    return SightRules({kind: opacity(kind) for kind in TerrainKind}, figures_hide=figures.counts)
