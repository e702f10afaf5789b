"""A move before it is made: its inches, what the ground and the game make of them, and where it ends. No Qt here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from shapely.geometry import Polygon

from rules.area import surface_in
from rules.path import Path, cut, length_in, place_at, placed, spans_in
from rules.referee import ActionPreview, prospect
from rules.table import Figure, Point3In, UserError
from rules.text import spoken
from rules.tolerance import Call, at_most
from ui.battle.action_text import refusal_words, verdict_rows
from ui.battle.battle_session import Play
from ui.formatting import spread_in
from ui.questions.sighting import cross
from ui.questions.tool_context import Situation
from ui.table.finding import Answer, Finding, Mark, Note, Trace, along, lifted
from ui.theme import BLAST, BLAST_WORDS, SKY, WHITE, YELLOW, faded

_FINE_IN = 0.1
_TICK_IN = 0.25
_AHEAD_PX = (75.0, 46.0)  # half a label and the ghost of a base


@dataclass(frozen=True, slots=True)
class Plan:
    """What a path comes to.

    Attributes:
        path_in: From where the figure stands.
        call: Whether it may go all of it.
        reach_in: How much of it, along the way, it may go.
        allowance_in, left_in: Of its move, before it goes.
        cost_in: What the path takes from that; None where the game does not say, as of a path that may not be.
        reasons: The game's, with their rules; why not, where it may not.
    """

    path_in: Path
    call: Call
    reach_in: float
    allowance_in: float | None
    left_in: float | None
    cost_in: float | None
    reasons: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Whether it may go there."""
        if self.call is Call.OUT:
            return "too far" if self.reach_in else "may not go"
        return "may go there" if self.call is Call.IN else "too close to call"


def planned(now: Situation, figure: Figure, path_in: Path, typed_in: float) -> Plan:
    """What a path comes to: by the battle's game for a figure that is in it, else inch by inch of a typed allowance."""
    if now.play is not None and now.moment is not None and figure.id in now.moment.state.units:
        return _by_the_game(now.play, now, figure, path_in)
    far_in = length_in(path_in)
    call = at_most(far_in, typed_in, figure.sigma_in)
    return Plan(path_in, call, min(far_in, typed_in), typed_in, typed_in, far_in)


def _by_the_game(play: Play, now: Situation, figure: Figure, path_in: Path) -> Plan:
    moment = now.moment
    assert moment is not None

    def asked(path: Path) -> ActionPreview:
        try:
            return prospect(moment, play.referee.march(moment, {figure.id: path}))
        except UserError as refusal:
            return ActionPreview(play.referee.movement(moment, figure.id), None, {}, str(refusal))

    before = prospect(moment, play.referee.movement(moment, figure.id))
    allowance_in, left_in = _number(before, "allowance_in"), _number(before, "left_in")
    whole = asked(path_in)
    after_in = _number(whole, "left_in")
    call = Call.TOO_CLOSE if whole.doubts else Call.IN if whole.possible else Call.OUT
    cost_in = left_in - after_in if left_in is not None and after_in is not None and whole.possible else None
    far_in = length_in(path_in)
    reach_in = far_in if whole.possible else _reach(asked, path_in)
    reasons = verdict_rows(whole.before) if whole.before is not None else ()
    if not reasons and whole.why_not:
        reasons = (refusal_words(whole),)
    return Plan(path_in, call, reach_in, allowance_in, left_in, cost_in, reasons)


def _number(found: ActionPreview, name: str) -> float | None:
    value = found.before.numbers.get(name) if found.before is not None else None
    return float(value) if value is not None else None


def _reach(asked: Callable[[Path], ActionPreview], path_in: Path) -> float:
    """How far along the path the game lets it go, by halving; 0 where it lets it go nowhere."""
    low, high = 0.0, length_in(path_in)
    while high - low > _FINE_IN:
        middle = (low + high) / 2
        low, high = (middle, high) if asked(cut(path_in, middle)).possible else (low, middle)
    return low if low > _FINE_IN else 0.0


def plan_finding(now: Situation, figure: Figure, path_in: Path, typed_in: float) -> Finding:
    """A path for a figure, in words and on the table."""
    plan = planned(now, figure, path_in, typed_in)
    far_in = length_in(path_in)
    rows = [f"{spoken(figure.id)}: {plan.words}", _allowance_words(plan)]
    if plan.call is Call.OUT and plan.reach_in:
        rows.append(f"as far as {plan.reach_in:.1f} in along this way")
    rows += _ground_rows(now, path_in)
    rows += plan.reasons
    headline = f"{far_in:.1f} in ± {spread_in(figure.sigma_in):.1f}"
    return Finding(Answer(headline, tuple(filter(None, rows))), tuple(_marks(now, figure, plan)))


def _allowance_words(plan: Plan) -> str:
    if plan.left_in is None:
        return ""
    cost = f"costs {plan.cost_in:.1f} in of " if plan.cost_in is not None else ""
    of = f" (of {plan.allowance_in:g})" if plan.allowance_in not in (None, plan.left_in) else ""
    left = f", {plan.left_in - plan.cost_in:.1f} in left" if plan.cost_in is not None and plan.call is Call.IN else ""
    return f"{cost}{plan.left_in:g} in allowed{of}{left}"


def _ground_rows(now: Situation, path_in: Path) -> list[str]:
    """What it leads through, as "2.1 in through the wood"."""
    found = []
    for piece in now.terrain:
        inside_in = sum(end - start for start, end in spans_in(path_in, Polygon(piece.outline_in)))
        if inside_in > 0.05:
            found.append(f"{inside_in:.1f} in through {piece.name} ({str(piece.kind).replace('_', ' ')})")
    return found


def _marks(now: Situation, figure: Figure, plan: Plan) -> Iterator[Mark]:
    """The way it may go whole, with a tick at each inch; what is beyond dashed, a cross where it ends."""
    path_in, colour = plan.path_in, YELLOW if plan.call is Call.TOO_CLOSE else SKY
    allowed = cut(path_in, plan.reach_in)
    beyond = _rest(path_in, plan.reach_in)
    if len(beyond) > 1:
        yield Trace(_over(now, beyond), BLAST, 3.0, dashed=True)
    if plan.reach_in > 0:
        yield Trace(_over(now, allowed), colour, 4.0)
        yield from _ticks(now, allowed)
    stops = [(path_in[-1], plan.call is not Call.OUT)]
    if plan.call is Call.OUT and plan.reach_in:
        stops.append((allowed[-1], True))
    for place, strong in stops:
        stands = placed(figure, place)
        height_in = surface_in(place, now.terrain)
        line = colour if strong else BLAST
        yield Trace(lifted(stands.base_in, height_in), line, 2.0, faded(line, 70), closed=True, dashed=not strong)
    if plan.call is Call.OUT and plan.reach_in:
        stop = (*allowed[-1], surface_in(allowed[-1], now.terrain))
        yield from cross(stop, BLAST, 0.3)
        yield Note(stop, ((f"{plan.reach_in:.1f} in", 15.0),), WHITE, (0.0, -24.0))
    end = (*path_in[-1], surface_in(path_in[-1], now.terrain))
    words = WHITE if plan.call is not Call.OUT else BLAST_WORDS
    yield Note(end, _end_rows(plan), words, _onward_px(path_in))


def _onward_px(path_in: Path) -> tuple[float, float]:
    """From the end of the way to where words stand clear of it: on in its direction, as the picture has it."""
    (a, b), (c, d) = next(((p, q) for p, q in pairwise(reversed(path_in)) if p != q), ((0.0, 0.0), (0.0, 1.0)))
    far = max(((a - c) ** 2 + (b - d) ** 2) ** 0.5, 1e-9)
    return (_AHEAD_PX[0] * (a - c) / far, -_AHEAD_PX[1] * (b - d) / far)


def _end_rows(plan: Plan) -> tuple[tuple[str, float], ...]:
    far_in = length_in(plan.path_in)
    rows = [(f"{far_in:.1f} in", 20.0)]
    if plan.cost_in is not None and abs(plan.cost_in - far_in) > 0.05:
        rows.append((f"costs {plan.cost_in:.1f}", 13.0))
    if plan.call is not Call.IN:
        rows.append((plan.words, 13.0))
    elif plan.left_in is not None and plan.cost_in is not None:
        rows.append((f"{plan.left_in - plan.cost_in:.1f} left", 13.0))
    return tuple(rows)


def _ticks(now: Situation, path_in: Path) -> Iterator[Mark]:
    """A stroke across the way at each whole inch, so that it can be read like a tape."""
    far_in = length_in(path_in)
    for inch in range(1, int(far_in) + 1):
        x, y = place_at(path_in, inch)
        u, v = place_at(path_in, max(0.0, inch - 0.01))
        step = max(((x - u) ** 2 + (y - v) ** 2) ** 0.5, 1e-9)
        dx, dy = _TICK_IN * (v - y) / step, _TICK_IN * (x - u) / step
        z = surface_in((x, y), now.terrain)
        yield Trace(((x - dx, y - dy, z), (x + dx, y + dy, z)), WHITE, 1.5, halo=False)


def _rest(path_in: Path, from_in: float) -> Path:
    """The path from a length along it on."""
    beyond, gone = [place_at(path_in, from_in)], 0.0
    for a, b in pairwise(path_in):
        gone += length_in((a, b))
        if gone > from_in + 1e-9:
            beyond.append(b)
    return tuple(beyond)


def _over(now: Situation, path_in: Path) -> tuple[Point3In, ...]:
    """The path on the ground that it leads over."""
    flat = along(lifted(path_in))
    return tuple((x, y, surface_in((x, y), now.terrain)) for x, y, _ in flat)
