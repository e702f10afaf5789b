"""Plans a move: its length, its cost by terrain and game, and how far the figure may go. No Qt here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from shapely.geometry import Polygon

from rules.engine.preview import ActionPreview, preview_of
from rules.tabletop.errors import UserError
from rules.tabletop.measure import surface_in
from rules.tabletop.path import Path, cut, length_in, place_at, placed, spans_in
from rules.tabletop.table import Figure, Point3In
from rules.tabletop.tolerance import Comparison, at_most
from ui.battle.action_text import refusal_words, verdict_rows
from ui.battle.battle_session import BattleSession
from ui.formatting import spread_in
from ui.rules_text import display_name
from ui.table.finding import Answer, Finding, Mark, Note, Trace, along, cross, lifted
from ui.theme import BLAST, BLAST_WORDS, SKY, WHITE, YELLOW, faded
from ui.tools.tool_context import ToolContext
from ui.translation import tr
from ui.vocabulary import Unit, terrain_kind_words

_FINE_IN = 0.1
_TICK_IN = 0.25
_AHEAD_PX = (75.0, 46.0)  # half a label, and the outline of a base


@dataclass(frozen=True, slots=True)
class Plan:
    """A planned path and whether the figure may go it.

    Attributes:
        path_in: The path, from the figure's place.
        call: Whether it may go the whole path.
        reach_in: How far along the path it may go.
        allowance_in, left_in: The allowance of its move, and what is left of it before this path.
        cost_in: What the path takes from the allowance; None if the game gives no cost, as for a forbidden path.
    """

    path_in: Path
    call: Comparison
    reach_in: float
    allowance_in: float | None
    left_in: float | None
    cost_in: float | None
    reasons: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The text of `call`."""
        if self.call is Comparison.OUT:
            return tr("too far") if self.reach_in else tr("may not go")
        return tr("may go there") if self.call is Comparison.IN else tr("too close to call")


def planned(now: ToolContext, figure: Figure, path_in: Path, typed_in: float) -> Plan:
    """Plan a path by the battle's rules if the figure is in it, else by its length and a typed allowance."""
    if now.play is not None and now.position is not None and figure.id in now.position.state.units:
        return _by_the_game(now.play, now, figure, path_in)
    path_length_in = length_in(path_in)
    call = at_most(path_length_in, typed_in, figure.sigma_in)
    return Plan(path_in, call, min(path_length_in, typed_in), typed_in, typed_in, path_length_in)


def _by_the_game(play: BattleSession, now: ToolContext, figure: Figure, path_in: Path) -> Plan:
    position = now.position
    assert position is not None

    def preview(path: Path) -> ActionPreview:
        try:
            return preview_of(position, play.referee.march(position, {figure.id: path}))
        except UserError as error:
            return ActionPreview(play.referee.movement(position, figure.id), None, refusal=str(error))

    before = preview_of(position, play.referee.movement(position, figure.id))
    allowance_in, left_in = _number(before, "allowance_in"), _number(before, "left_in")
    whole = preview(path_in)
    after_in = _number(whole, "left_in")
    call = Comparison.TOO_CLOSE if whole.ambiguities else Comparison.IN if whole.possible else Comparison.OUT
    cost_in = left_in - after_in if left_in is not None and after_in is not None and whole.possible else None
    reach_in = length_in(path_in) if whole.possible else _reach(preview, path_in)
    reasons = verdict_rows(whole.before) if whole.before is not None else ()
    if not reasons and whole.why_not:
        reasons = (refusal_words(whole),)
    return Plan(path_in, call, reach_in, allowance_in, left_in, cost_in, reasons)


def _number(found: ActionPreview, name: str) -> float | None:
    value = found.before.numbers.get(name) if found.before is not None else None
    return float(value) if value is not None else None


def _reach(preview: Callable[[Path], ActionPreview], path_in: Path) -> float:
    """How far along the path the game allows, found by bisection; 0 if not at all."""
    low, high = 0.0, length_in(path_in)
    while high - low > _FINE_IN:
        middle = (low + high) / 2
        low, high = (middle, high) if preview(cut(path_in, middle)).possible else (low, middle)
    return low if low > _FINE_IN else 0.0


def plan_finding(now: ToolContext, figure: Figure, path_in: Path, typed_in: float) -> Finding:
    """The plan of a path, as text and marks."""
    plan = planned(now, figure, path_in, typed_in)
    rows = [f"{display_name(figure.id)}: {plan.words}", _allowance_words(plan)]
    if plan.call is Comparison.OUT and plan.reach_in:
        rows.append(tr("may go {reach_in:.1f} in along this path", reach_in=plan.reach_in))
    rows += _ground_rows(now, path_in)
    rows += plan.reasons
    headline = f"{Unit.INCH.words(length_in(path_in))} ± {spread_in(figure.sigma_in):.1f}"
    return Finding(Answer(headline, tuple(filter(None, rows))), tuple(_marks(now, figure, plan)))


def _allowance_words(plan: Plan) -> str:
    if plan.left_in is None:
        return ""
    allowed = tr("{left_in:g} in allowed", left_in=plan.left_in)
    if plan.allowance_in not in (None, plan.left_in):
        allowed = tr("{left_in:g} in allowed (of {all_in:g})", left_in=plan.left_in, all_in=plan.allowance_in)
    if plan.cost_in is None:
        return allowed
    if plan.call is not Comparison.IN:
        return tr("costs {cost_in:.1f} in of {allowed}", cost_in=plan.cost_in, allowed=allowed)
    rest_in = plan.left_in - plan.cost_in
    return tr(
        "costs {cost_in:.1f} in of {allowed}, {rest_in:.1f} in left",
        cost_in=plan.cost_in, allowed=allowed, rest_in=rest_in,
    )  # fmt: skip


def _ground_rows(now: ToolContext, path_in: Path) -> list[str]:
    """The terrain that the path crosses, such as "2.1 in through Wood (woods)"."""
    found = []
    for piece in now.terrain:
        inside_in = sum(end - start for start, end in spans_in(path_in, Polygon(piece.outline_in)))
        if inside_in > 0.05:
            kind = terrain_kind_words(piece.kind)
            words = tr("{inside_in:.1f} in through {piece} ({kind})", inside_in=inside_in, piece=piece.name, kind=kind)
            found.append(words)
    return found


def _marks(now: ToolContext, figure: Figure, plan: Plan) -> Iterator[Mark]:
    """A solid line with a tick per inch as far as the figure may go; from there a dashed line, after a cross."""
    path_in, colour = plan.path_in, YELLOW if plan.call is Comparison.TOO_CLOSE else SKY
    allowed = cut(path_in, plan.reach_in)
    beyond = cut(path_in[::-1], length_in(path_in) - plan.reach_in)[::-1]
    if len(beyond) > 1:
        yield Trace(_over(now, beyond), BLAST, 3.0, dashed=True)
    if plan.reach_in > 0:
        yield Trace(_over(now, allowed), colour, 4.0)
        yield from _ticks(now, allowed)
    stops = [(path_in[-1], plan.call is not Comparison.OUT)]
    if plan.call is Comparison.OUT and plan.reach_in:
        stops.append((allowed[-1], True))
    for place, strong in stops:
        stands = placed(figure, place)
        height_in = surface_in(place, now.terrain)
        line = colour if strong else BLAST
        yield Trace(lifted(stands.base_in, height_in), line, 2.0, faded(line, 70), closed=True, dashed=not strong)
    if plan.call is Comparison.OUT and plan.reach_in:
        stop = (*allowed[-1], surface_in(allowed[-1], now.terrain))
        yield from cross(stop, BLAST, 0.3)
        yield Note(stop, ((Unit.INCH.words(plan.reach_in), 15.0),), WHITE, (0.0, -24.0))
    end = (*path_in[-1], surface_in(path_in[-1], now.terrain))
    words = WHITE if plan.call is not Comparison.OUT else BLAST_WORDS
    yield Note(end, _end_rows(plan), words, _onward_px(path_in))


def _onward_px(path_in: Path) -> tuple[float, float]:
    """The offset of a label from the path's end, onwards in its direction, so that it does not cover the path."""
    (a, b), (c, d) = next(((p, q) for p, q in pairwise(reversed(path_in)) if p != q), ((0.0, 0.0), (0.0, 1.0)))
    length = max(((a - c) ** 2 + (b - d) ** 2) ** 0.5, 1e-9)
    return (_AHEAD_PX[0] * (a - c) / length, -_AHEAD_PX[1] * (b - d) / length)


def _end_rows(plan: Plan) -> tuple[tuple[str, float], ...]:
    path_length_in = length_in(plan.path_in)
    rows = [(Unit.INCH.words(path_length_in), 20.0)]
    if plan.cost_in is not None and abs(plan.cost_in - path_length_in) > 0.05:
        rows.append((tr("costs {cost_in:.1f}", cost_in=plan.cost_in), 13.0))
    if plan.call is not Comparison.IN:
        rows.append((plan.words, 13.0))
    elif plan.left_in is not None and plan.cost_in is not None:
        rows.append((tr("{rest_in:.1f} left", rest_in=plan.left_in - plan.cost_in), 13.0))
    return tuple(rows)


def _ticks(now: ToolContext, path_in: Path) -> Iterator[Mark]:
    """A stroke across the path at each whole inch, as on a tape measure."""
    for inch in range(1, int(length_in(path_in)) + 1):
        x, y = place_at(path_in, inch)
        u, v = place_at(path_in, max(0.0, inch - 0.01))
        step = max(((x - u) ** 2 + (y - v) ** 2) ** 0.5, 1e-9)
        dx, dy = _TICK_IN * (v - y) / step, _TICK_IN * (x - u) / step
        z = surface_in((x, y), now.terrain)
        yield Trace(((x - dx, y - dy, z), (x + dx, y + dy, z)), WHITE, 1.5, halo=False)


def _over(now: ToolContext, path_in: Path) -> tuple[Point3In, ...]:
    """The path at the height of the ground under it."""
    flat = along(lifted(path_in))
    return tuple((x, y, surface_in((x, y), now.terrain)) for x, y, _ in flat)
