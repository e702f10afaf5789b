"""What a figure can do, in words: each deed with its chance, and on asking how the number comes about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from rules.engine.events import PhaseBegun
from rules.engine.position import View
from rules.engine.referee import ActionPreview, AvailableActions
from rules.engine.state import State
from rules.engine.text import listed, outcome_words, place_words, spoken, told
from rules.engine.verdict import Verdict
from ui.formatting import edge_words, percent_words, range_words


def state_words(state: State) -> str:
    """Where in the turn the battle is, as "Turn 2, Green, attacking"."""
    if not state.turn:
        return "Set-up"
    return f"Turn {state.turn}, {step_words(state)}".removesuffix(", ")


def step_words(step: State | PhaseBegun) -> str:
    """A part of a turn, with the side where only one acts in it, as "Green, attacking"."""
    return ", ".join(filter(None, (spoken(step.side), step.phase.replace("_", " "))))


def deed_words(prospect: ActionPreview) -> str:
    """As "Rifle at Tan 4"; whom it is done to is always among the words. At a bare place, as "Grenade"."""
    deed = prospect.deed
    if deed.spot_in is not None:
        return deed.title.removesuffix(f" at the spot {place_words(deed.spot_in)}")
    return deed.words


def chance_words(prospect: ActionPreview) -> str:
    """In a few words: the likeliest way, what stands in the way, or what is to be settled first."""
    if not prospect.possible:
        return "no"
    if prospect.doubts:
        return "too close"
    if not prospect.odds:
        return "yes"
    if len(prospect.odds) == 1:
        return outcome_words(next(iter(prospect.odds)))
    return odds_words(prospect.odds)


_MOST_LINES, _MOST_OWED = 3, 3


def chance_lines(prospect: ActionPreview) -> str:
    """The same for a narrow column: the likeliest ways, a line each."""
    if len(prospect.odds) < 2 or not prospect.possible or prospect.doubts:
        return chance_words(prospect)
    lines = _ranked(prospect.odds)
    if len(lines) > _MOST_LINES:
        lines[_MOST_LINES - 1 :] = [f"and {len(lines) - _MOST_LINES + 1} more"]
    return "\n".join(lines)


def odds_words(odds: Mapping[str, Fraction]) -> str:
    """As "kills 50 %, misses 50 %", the likeliest first."""
    return ", ".join(_ranked(odds))


def _ranked(odds: Mapping[str, Fraction]) -> list[str]:
    ranked = sorted(odds.items(), key=lambda one: (-one[1], one[0]))
    return [f"{outcome_words(outcome)} {percent_words(float(chance))}" for outcome, chance in ranked]


def owed_words(duties: Sequence[ActionPreview]) -> str:
    """What is still owed in this phase besides, as "Still owed: Status checks of Green (Esc shows it)"."""
    named = [deed_words(one) for one in duties[:_MOST_OWED]]
    more = [f"{len(duties) - _MOST_OWED} more"] if len(duties) > _MOST_OWED else []
    return f"Still owed: {', '.join(named + more)} (Esc shows {'it' if len(duties) == 1 else 'them'})"


def _odds_of_one(name: str, odds: Mapping[str, Fraction]) -> str:
    """As "Tan 1: hit 50 %, missed 50 %"; outcomes that begin with whom they befall do not name him again."""
    own = {outcome.removeprefix(f"{name} "): chance for outcome, chance in odds.items()}
    return f"{spoken(name)}: {odds_words(own)}"


def reason_rows(prospect: ActionPreview) -> tuple[str, ...]:
    """How it comes about: range, sight, every modifier with its rule, the odds; or why it cannot be."""
    deed, rows = prospect.deed, []
    if deed.view is not None:
        rows += _view_rows(deed.view, deed.band)
    if deed.spot_in is not None and deed.at:
        rows.append(f"there: {listed(deed.at)}")
    if prospect.refusal:
        return (*rows, refusal_words(prospect))
    if prospect.before is not None:
        rows += verdict_rows(prospect.before)
    if prospect.odds:
        rows.append(odds_words(prospect.odds))
    rows += [_odds_of_one(name, odds) for name, odds in prospect.odds_of.items()]
    rows += [f"Too close to call: {doubt.question}" for doubt in prospect.doubts]
    return tuple(rows)


def verdict_rows(verdict: Verdict) -> tuple[str, ...]:
    """Every reason of a verdict with its modifier and its rule, in reading order."""
    return tuple(
        f"{'' if one.modifier is None else f'{one.modifier:+g}  '}{told(one.text)} ({one.rule})"
        for one in verdict.reasons
    )


def refusal_words(prospect: ActionPreview) -> str:
    """Why a deed may not be done: what the players are to say first, where the rules cannot do without it."""
    lacks = (one for one in prospect.asks if one.default is None and repr(one.fact) in prospect.refusal)
    first = next(lacks, None)
    return told(prospect.why_not) if first is None else f"say first: {first.text}"


def _view_rows(view: View, band: str) -> list[str]:
    range_row = f"{range_words(view.range)}, {edge_words(view.range)}"
    hidden = ", ".join(f"{piece.name} {percent_words(part)}" for piece, part in view.hidden_by)
    seen = f"{percent_words(view.exposure)} in sight" + (f", hidden by {hidden}" if hidden else "")
    return [f"{range_row}, {band}" if band else range_row, seen]


def movement_words(outlook: AvailableActions) -> str:
    """What is left of its move, as "2.5 in of 4 left", or why it may not move."""
    prospect = outlook.movement
    if not prospect.possible or prospect.before is None:
        return refusal_words(prospect) or prospect.deed.title
    numbers = prospect.before.numbers
    left, allowance = numbers.get("left_in"), numbers.get("allowance_in")
    if left is None or allowance is None:
        return f"Move: {prospect.before.outcome}"
    return f"{left:g} in of {allowance:g} left to move"
