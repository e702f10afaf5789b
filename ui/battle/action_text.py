"""Actions as text: names, odds, what must be rolled, and the reasons behind the numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from rules.engine.position import View
from rules.engine.referee import ActionPreview, AvailableActions
from rules.engine.state import State
from rules.engine.text import display_name, display_names, outcome_words, place_words, readable, turn_words
from rules.engine.verdict import Verdict
from ui.formatting import edge_words, percent_words, range_words
from ui.translation import tr

_MAX_LINES, _MAX_OBLIGATIONS = 3, 3
_FAILURES = (
    *("miss", "misses", "missed", "off target", "unharmed", "none", "NE", "--"),
    *("survives", "nothing", "no_effect", "no_attack", "catches nobody", "nobody is in it"),
)
"""How outcomes of the games end that do nothing to a target."""


def state_words(state: State) -> str:
    """The turn and its phase, such as "Turn 2 · Green attacks"."""
    return turn_words(state.turn, state.side, state.phase) if state.turn else tr("Set-up")


def action_words(preview: ActionPreview) -> str:
    """An action with its target, such as "Rifle at Tan 4"; at a bare place only the weapon, such as "Grenade"."""
    action = preview.action
    if action.spot_in is not None:
        return action.title.removesuffix(f" at the spot {place_words(action.spot_in)}")
    return action.words


def chance_words(preview: ActionPreview) -> str:
    """The odds in a few words, or "yes", "no", "too close"."""
    if not preview.possible:
        return tr("no")
    if preview.ambiguities:
        return tr("too close")
    if not preview.odds:
        return tr("yes")
    if len(preview.odds) == 1:
        return outcome_words(next(iter(preview.odds)))
    return odds_words(preview.odds)


def success_chance(preview: ActionPreview) -> float | None:
    """The probability, 0 to 1, that an attack has an effect, with several rolls on the first target; None without odds.

    The odds of further targets are not read: a machine gun has bursts at hundreds, and computing them takes seconds.
    """
    if not preview.possible:
        return None
    odds = preview.odds or next(iter(preview.odds_of.values()), {})
    return float(sum(chance for outcome, chance in odds.items() if _succeeds(outcome))) if odds else None


def _succeeds(outcome: str) -> bool:
    """Whether a part of an outcome, such as "tan-4 KIL, tan-5 --", is more than a miss."""
    parts = outcome.rpartition(": ")[2].split(", ")
    return not all(
        part.endswith(_FAILURES) or part.startswith(("miss", "hits 0 of")) or "miss" in part.split() for part in parts
    )


def chance_lines(preview: ActionPreview) -> str:
    """The odds for a narrow column: the likeliest outcomes, a line each."""
    if len(preview.odds) < 2 or not preview.possible or preview.ambiguities:
        return chance_words(preview)
    lines = _ranked(preview.odds)
    if len(lines) > _MAX_LINES:
        lines[_MAX_LINES - 1 :] = [tr("and {count} more", count=len(lines) - _MAX_LINES + 1)]
    return "\n".join(lines)


def odds_words(odds: Mapping[str, Fraction]) -> str:
    """Such as "kills 50 %, misses 50 %", the likeliest first."""
    return ", ".join(_ranked(odds))


def _ranked(odds: Mapping[str, Fraction]) -> list[str]:
    ranked = sorted(odds.items(), key=lambda item: (-item[1], item[0]))
    return [f"{outcome_words(outcome)} {percent_words(float(chance))}" for outcome, chance in ranked]


def obligation_words(obligations: Sequence[ActionPreview]) -> str:
    """What this phase still needs, such as "Still to do: Status checks of Green"."""
    named = [action_words(obligation) for obligation in obligations[:_MAX_OBLIGATIONS]]
    more = len(obligations) - _MAX_OBLIGATIONS
    if more > 0:
        return tr("Still to do: {actions}, {count} more", actions=", ".join(named), count=more)
    return tr("Still to do: {actions}", actions=", ".join(named))


def _odds_of_one(name: str, odds: Mapping[str, Fraction]) -> str:
    """Such as "Tan 1: hit 50 %, missed 50 %"; the figure's name is removed from the outcomes."""
    own = {outcome.removeprefix(f"{name} "): chance for outcome, chance in odds.items()}
    return f"{display_name(name)}: {odds_words(own)}"


def reason_rows(preview: ActionPreview) -> tuple[str, ...]:
    """The reasons: range, sight, every modifier with its rule, and the odds; or why the action is not allowed."""
    action, rows = preview.action, []
    if action.view is not None:
        rows += _view_rows(action.view, action.band)
    if action.spot_in is not None and action.at:
        rows.append(tr("at that place: {soldiers}", soldiers=display_names(action.at)))
    if preview.refusal:
        return (*rows, refusal_words(preview))
    if preview.before is not None:
        rows += verdict_rows(preview.before)
    if preview.odds:
        rows.append(odds_words(preview.odds))
    rows += [_odds_of_one(name, odds) for name, odds in preview.odds_of.items()]
    rows += [tr("Too close to call: {question}", question=doubt.question) for doubt in preview.ambiguities]
    return tuple(rows)


def verdict_rows(verdict: Verdict) -> tuple[str, ...]:
    """Every reason of a verdict with its modifier and its rule, in reading order."""
    return tuple(
        f"{'' if one.modifier is None else f'{one.modifier:+g}  '}{readable(one.text)} ({one.rule})"
        for one in verdict.reasons
    )


def refusal_words(preview: ActionPreview) -> str:
    """Why an action is not allowed; if the rules lack a fact, the question that the players must answer."""
    missing = (ask for ask in preview.asks if ask.default is None and repr(ask.fact) in preview.refusal)
    first = next(missing, None)
    return readable(preview.why_not) if first is None else tr("answer first: {question}", question=first.text)


def _view_rows(view: View, band: str) -> list[str]:
    range_row = f"{range_words(view.range)}, {edge_words(view.range)}"
    hidden = ", ".join(f"{piece.name} {percent_words(part)}" for piece, part in view.hidden_by)
    part = percent_words(view.exposure)
    seen = (
        tr("{part} in sight, hidden by {cover}", part=part, cover=hidden)
        if hidden
        else tr("{part} in sight", part=part)
    )
    return [f"{range_row}, {band}" if band else range_row, seen]


def movement_words(available: AvailableActions) -> str:
    """What is left of the figure's move, such as "2.5 in of 4 left to move", or why it may not move."""
    preview = available.movement
    if not preview.possible or preview.before is None:
        return refusal_words(preview) or preview.action.title
    numbers = preview.before.numbers
    left, allowance = numbers.get("left_in"), numbers.get("allowance_in")
    if left is None or allowance is None:
        return tr("Move: {outcome}", outcome=preview.before.outcome)
    return tr("{left_in:g} in of {allowance_in:g} left to move", left_in=left, allowance_in=allowance)
