"""Actions as text: names, odds, what must be rolled, and the reasons behind the numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from textwrap import shorten

from rules.engine.position import Position, View
from rules.engine.referee import ActionPreview, AvailableActions
from rules.engine.state import State, Unit
from rules.engine.text import display_name, display_names, outcome_words, place_words, readable, turn_words
from rules.engine.verdict import Verdict
from ui.formatting import edge_words, percent_words, range_words
from ui.translation import mark_for_translation, tr

_MAX_LINES, _MAX_OBLIGATIONS, _LONGEST_OBLIGATION = 3, 3, 48
_ROUNDS = (
    mark_for_translation("fire"),
    mark_for_translation("flight"),
    mark_for_translation("free attacks"),
    mark_for_translation("guts"),
    mark_for_translation("hand-to-hand"),
    mark_for_translation("mines"),
    mark_for_translation("mines and tracks"),
    mark_for_translation("morale"),
    mark_for_translation("opportunity fire"),
    mark_for_translation("return fire"),
    mark_for_translation("swimming"),
    mark_for_translation("wounds"),
)
"""The rounds of the five games; those of other games are shown as they are."""


def round_words(name: str) -> str:
    """A round in the player's language, as part of a sentence, such as "opportunity fire"."""
    words = name.lower()
    return tr(words) if words in _ROUNDS else words


def state_words(state: State) -> str:
    """The turn and its phase, such as "Turn 2 · Green attacks"."""
    return turn_words(state.turn, state.side, state.phase, tr) if state.turn else tr("Set-up")


def card_title(position: Position, unit: Unit) -> str:
    """The title of a unit's card, ready or its own."""
    return str(position.kind(unit).get("title", unit.card or tr("own card")))


def action_words(preview: ActionPreview) -> str:
    """An action with its target, such as "Rifle at Tan 4"; at a bare place only the weapon, such as "Grenade"."""
    action = preview.action
    if action.spot_in is not None:
        return action.title.removesuffix(f" at the spot {place_words(action.spot_in)}")
    return action.words.replace(display_names(action.at), numbered_names(action.at)) if action.at else action.words


def numbered_names(figures: Sequence[str]) -> str:
    """Several figures in a few words, each army named once and numbers in their order, as "Tan 5, 1, 2, Grey 3"."""
    numbers: dict[str, list[int]] = {}
    for name in map(display_name, dict.fromkeys(figures)):
        army, _, number = name.rpartition(" ")
        if army and number.isdigit():
            numbers.setdefault(army, []).append(int(number))
        else:
            numbers[name] = []
    return ", ".join(f"{name} {', '.join(map(str, of))}".rstrip() for name, of in numbers.items())


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
    """The probability, 0 to 1, that an attack harms its target, or the first of several; None without odds."""
    harm = preview.harm if preview.possible else None
    return None if harm is None else float(harm)


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
    alternatives: dict[str, list[str]] = {}  # one of them is enough, such as which side begins
    for one in obligations:
        words = shorten(action_words(one), _LONGEST_OBLIGATION, placeholder=" …")
        alternatives.setdefault(one.action.words if one.action.by else one.action.owed, []).append(words)
    or_word = tr("or")
    named = [f" {or_word} ".join(words) for words in alternatives.values()][:_MAX_OBLIGATIONS]
    more = len(alternatives) - _MAX_OBLIGATIONS
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
        rows.append(tr("at that place: {soldiers}", soldiers=numbered_names(action.at)))
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
        f"{'' if one.modifier is None else f'{one.modifier:+g}  '}{readable(one.text).removesuffix('.')} ({one.rule})"
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
        return refusal_words(preview).rpartition("; ")[2] or preview.action.title  # the last reason decides
    numbers = preview.before.numbers
    left, allowance = numbers.get("left_in"), numbers.get("allowance_in")
    if left is None or allowance is None:
        return tr("Move: {outcome}", outcome=preview.before.outcome)
    return tr("{left_in:g} in of {allowance_in:g} left to move", left_in=left, allowance_in=allowance)
