"""Actions and outcomes as text: names, odds, reasons, the order on the card, and what to announce. No Qt here."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from textwrap import shorten

from rules.engine.ambiguity import FARTHER, NEARER, Ambiguity
from rules.engine.events import ActionResolved, Change
from rules.engine.position import Position, View
from rules.engine.preview import ActionPreview, AvailableActions
from rules.engine.state import ELIMINATED, State, Unit
from rules.engine.text import action_with_actors, place_words, says_outcome
from rules.engine.text import display_name as english_name
from rules.engine.text import display_names as english_names
from rules.engine.text import outcome_words as english_outcome
from rules.engine.verdict import Verdict
from ui.formatting import capitalized, edge_words, percent_words, range_words, sentence
from ui.rules_text import COLOURS, display_name, event_outcome, outcome_words, readable, translated, turn_words
from ui.translation import mark_all_for_translation, mark_for_translation, tr

_MAX_LINES, _MAX_OBLIGATIONS, _LONGEST_OBLIGATION = 3, 3, 48
_ROUNDS = mark_all_for_translation(
    "fire",
    "flight",
    "free attacks",
    "guts",
    "hand-to-hand",
    "mines",
    "mines and tracks",
    "morale",
    "opportunity fire",
    "return fire",
    "swimming",
    "wounds",
)
"""The rounds of the five games; those of other games are shown as they are."""


def round_words(name: str) -> str:
    """A round in the player's language, as part of a sentence, such as "opportunity fire"."""
    words = name.lower()
    return tr(words) if words in _ROUNDS else words


def state_words(state: State) -> str:
    """The turn and its phase, such as "Turn 2 · Green attacks"."""
    return turn_words(state.turn, state.side, state.phase) if state.turn else tr("Set-up")


def card_title(position: Position, unit: Unit) -> str:
    """The title of a unit's card, ready or its own."""
    return translated(str(position.kind(unit).get("title", unit.card or tr("own card"))))


def action_words(preview: ActionPreview) -> str:
    """An action with its target, such as "Rifle at Tan 4"; at a bare place only the weapon, such as "Grenade"."""
    return translated(stored_words(preview))


def stored_words(preview: ActionPreview) -> str:
    """The same in English, as the journal stores it."""
    action = preview.action
    if action.spot_in is not None:
        return action.title.removesuffix(f" at the spot {place_words(action.spot_in)}")
    return action.words.replace(english_names(action.at), _numbered(action.at)) if action.at else action.words


def numbered_names(figures: Sequence[str]) -> str:
    """Several figures in a few words, each army named once and numbers in their order, as "Tan 5, 1, 2, Grey 3"."""
    return translated(_numbered(figures))


def _numbered(figures: Sequence[str]) -> str:
    numbers: dict[str, list[int]] = {}
    for name in map(english_name, dict.fromkeys(figures)):
        army, _, number = name.rpartition(" ")
        if army and number.isdigit():
            numbers.setdefault(army, []).append(int(number))
        else:
            numbers[name] = []
    return ", ".join(f"{name} {', '.join(map(str, of))}".rstrip() for name, of in numbers.items())


def chance_words(preview: ActionPreview) -> str:
    """The odds in a few words, or "yes", "no", "your call"."""
    if not preview.possible:
        return tr("no")
    if preview.ambiguities:
        return tr("your call")
    if not preview.odds:
        return tr("yes")
    if len(preview.odds) == 1:
        words = outcome_words(next(iter(preview.odds)))
        return words if preview.action.by else capitalized(words)  # a side's words begin with its name
    return odds_words(preview.odds)


def success_chance(preview: ActionPreview) -> float | None:
    """The probability, 0 to 1, that an attack harms its target, or the first of several; None without odds."""
    harm = preview.harm if preview.possible else None
    return None if harm is None else float(harm)


def chance_lines(preview: ActionPreview) -> str:
    """The odds for a narrow column: the likeliest outcomes, a line each."""
    if len(preview.odds) < 2 or not preview.possible or preview.ambiguities:
        return chance_words(preview)
    is_long = len(preview.odds) > _MAX_LINES
    lines = _ranked(preview.odds, first=_PASSED if is_long else "")
    if is_long:
        lines[_MAX_LINES - 1 :] = [tr("and {count} more", count=len(lines) - _MAX_LINES + 1)]
    return "\n".join(lines)


def odds_words(odds: Mapping[str, Fraction]) -> str:
    """Such as "kills 50 %, misses 50 %", the likeliest first."""
    return ", ".join(_ranked(odds))


_PASSED = "none"
"""The outcome of a check without an effect."""


def _ranked(odds: Mapping[str, Fraction], first: str = "") -> list[str]:
    """Each outcome with its probability, the likeliest first; the outcome `first` before all others."""
    ranked = sorted(odds.items(), key=lambda item: (item[0] != first, -item[1], item[0]))
    return [f"{_result_words(outcome)} {percent_words(float(chance))}" for outcome, chance in ranked]


def _result_words(outcome: str) -> str:
    """An outcome as text; a side has its name."""
    return translated(capitalized(outcome)) if outcome.partition(" ")[0] in COLOURS else outcome_words(outcome)


def obligation_words(obligations: Sequence[ActionPreview]) -> str:
    """What this phase still needs, such as "Still to do: Status checks of Green"."""
    alternatives: dict[str, list[str]] = {}  # one of them is enough, such as which side begins
    for one in obligations:
        words = shorten(_words_with_actor(one), _LONGEST_OBLIGATION, placeholder=" …")
        alternatives.setdefault(obligation_key(one), []).append(words)
    or_word = tr("or")
    named = [f" {or_word} ".join(words) for words in alternatives.values()][:_MAX_OBLIGATIONS]
    more = len(alternatives) - _MAX_OBLIGATIONS
    if more > 0:
        return tr("Still to do: {actions}, {count} more", actions=", ".join(named), count=more)
    return tr("Still to do: {actions}", actions=", ".join(named))


def obligation_key(preview: ActionPreview) -> str:
    """What distinguishes an obligation: alternatives of one rule, such as which side begins, have the same key.

    Those of a figure are alternatives if they belong to no round, such as to run or to stay.
    """
    action = preview.action
    return f"{', '.join(action.by)}: {action.words if action.round else action.owed}" if action.by else action.owed


def _words_with_actor(preview: ActionPreview) -> str:
    """An action with the one that does it, such as "Green 6: Flee"."""
    words, by = action_words(preview), preview.action.by
    name = display_name(by[0]) if len(by) == 1 else ""
    return words if name in words else f"{name}: {words}"


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
    if preview.odds and not _says_outcome(preview):
        rows.append(odds_words(preview.odds))
    rows += [_odds_of_one(name, odds) for name, odds in preview.odds_of.items()]
    rows += [tr("Too close to call: {question}", question=doubt_words(doubt)) for doubt in preview.ambiguities]
    return tuple(rows)


def doubt_words(doubt: Ambiguity) -> str:
    """What is too close to call, such as "the range to Tan 4"."""
    return translated(doubt.question.rpartition(": ")[2])


def doubt_answers(doubt: Ambiguity) -> dict[str, str]:
    """The answers to what is too close to call, with their texts, such as "12 in or less" and "More than 12 in"."""
    limit = limit_words(doubt, tr("in"))
    if not limit:
        return {answer: capitalized(translated(answer)) for answer in doubt.answers}
    either = {NEARER: tr("{limit} or less", limit=limit), FARTHER: tr("More than {limit}", limit=limit)}
    return {answer: either[answer] for answer in doubt.answers}


def limit_words(doubt: Ambiguity, inches: str = "in") -> str:
    """The limit of what is too close to call, such as "12 in", "25 %" or "45°"; empty if its unit is unknown."""
    fact = next(str(step) for step in reversed(doubt.fact) if isinstance(step, str))
    if doubt.limit is None or not math.isfinite(doubt.limit):
        return ""
    if fact.endswith("_in"):
        return f"{doubt.limit:g} {inches}"
    if fact.endswith("fraction"):
        return percent_words(doubt.limit)
    return f"{doubt.limit:g}°" if fact.endswith("_deg") else ""


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
    return (
        readable(preview.why_not) if first is None else tr("answer first: {question}", question=translated(first.text))
    )


def _view_rows(view: View, band: str) -> list[str]:
    range_row = f"{range_words(view.range)}, {edge_words(view.range)}"
    hidden = ", ".join(f"{piece.name} {percent_words(part)}" for piece, part in view.hidden_by)
    part = percent_words(view.exposure)
    seen = (
        tr("{part} in sight, hidden by {cover}", part=part, cover=hidden)
        if hidden
        else tr("{part} in sight", part=part)
    )
    return [f"{range_row}, {translated(band)}" if band else range_row, seen]


def movement_words(available: AvailableActions) -> str:
    """What is left of the figure's move, such as "2.5 in of 4 left to move", or why it may not move."""
    preview = available.movement
    if not preview.possible or preview.before is None:
        return refusal_words(preview).rpartition("; ")[2] or translated(preview.action.title)  # the last decides
    numbers = preview.before.numbers
    left, allowance = numbers.get("left_in"), numbers.get("allowance_in")
    if left is None or allowance is None:
        return tr("Move: {outcome}", outcome=outcome_words(preview.before.outcome))
    left = math.floor(10 * left + 1e-6) / 10  # never more than there is
    return tr("{left_in:g} in of {allowance_in:g} left to move", left_in=left, allowance_in=allowance)


def lines_above(
    available: AvailableActions, actions: Sequence[ActionPreview], others: Sequence[ActionPreview], *, moves: bool
) -> list[str]:
    """The lines above a figure's actions: what is left to it if it `moves` now, how to aim, and what `others` owe."""
    lines = [capitalized(movement_words(available))] if moves else []
    clicks_aim = any(one.action.template for one in actions)
    if clicks_aim:
        lines.append(tr("Click a place to aim there, or press H to aim with keys."))
    if others:
        key = (tr("Press Esc to see it."), tr("Press Esc to see them."))
        click = (tr("Click bare table to see it."), tr("Click bare table to see them."))
        lines.append(f"{obligation_words(others)}. {(key if clicks_aim else click)[len(others) > 1]}")
    return lines


_LENGTH = re.compile(r"\d+(?:\.\d+)?(?= in\b)")

BEST = 3
"""Actions that are offered at once; the others are one step away."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """A figure's actions in the order of the card, as their numbers in the given sequence."""

    best: tuple[int, ...]
    more: tuple[int, ...]
    impossible: tuple[int, ...]


def ranked(previews: Sequence[ActionPreview]) -> Ranking:
    """Possible actions first: what is owed, then attacks by their chance of success, then the rest as given.

    What the players must decide first comes after what needs no decision.
    """
    possible = [number for number, one in enumerate(previews) if one.possible]
    early = [number for number in possible if _is_early(previews[number])]
    possible = [number for number in possible if number not in early]
    possible.sort(key=lambda number: _rank(previews[number]))
    impossible = tuple(number for number, one in enumerate(previews) if not one.possible)
    # A fold for a single action would take the same room as the action.
    best = BEST + 1 if len(possible) == BEST + 1 else BEST
    return Ranking(tuple(possible[:best]), (*possible[best:], *early), impossible)


def _is_early(preview: ActionPreview) -> bool:
    """Whether it is too early for an optional action, such as declaring a victory that nobody has won."""
    return list(preview.odds) == ["not yet"] and not preview.action.owed


def _rank(preview: ActionPreview) -> tuple[bool, bool, float]:
    return (not preview.action.owed, bool(preview.ambiguities), -(_attack_chance(preview) or 0.0))


def odds_column(preview: ActionPreview) -> str:
    """An attack's chance of success, such as "83 %"; the outcomes of other rolls; empty if nothing is rolled."""
    chance = _attack_chance(preview)
    if chance is not None and not preview.ambiguities:
        return percent_words(chance)
    is_certain = _says_outcome(preview) or not (preview.odds or preview.ambiguities)
    return "" if is_certain or not preview.possible else chance_lines(preview)


def _says_outcome(preview: ActionPreview) -> bool:
    """Whether an action's title says its outcome, such as "Green begins" or "Take off Tan 4"."""
    title = preview.action.title
    said = title.lower()
    says = (said, f"{said}s", "removed" if title.startswith("Take off ") else said.partition(" ")[0])
    return next(iter(preview.odds), "") in says


def forbidden_words(preview: ActionPreview) -> str:
    """An impossible action with the rule that forbids it, such as "Rifle at Tan 4: Out of range (AM-46)."."""
    return f"{action_words(preview)}: {sentence(refusal_words(preview))}"


def forbidden_groups(
    previews: Sequence[ActionPreview], numbers: Sequence[int]
) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Impossible actions that differ only in their targets, together: their words, and their numbers in `previews`.

    Such as "Rifle at 17 targets: The target is 28.1 to 34.5 in away; the rifle reaches 0 to 24 in (AM-38).".
    """
    groups: dict[tuple[str, str], list[int]] = {}
    for number in numbers:
        one = previews[number]
        groups.setdefault((_stem(one), _LENGTH.sub("#", _reason(one))), []).append(number)
    return tuple((_group_words([previews[number] for number in group]), tuple(group)) for group in groups.values())


def _group_words(group: Sequence[ActionPreview]) -> str:
    if len(group) == 1:
        return forbidden_words(group[0])
    lengths = zip(*(_LENGTH.findall(_reason(one)) for one in group), strict=True)
    ranges = iter([_range_words(values) for values in lengths])
    reason = sentence(_LENGTH.sub(lambda _: next(ranges), _reason(group[0])))
    return tr("{action} {count} targets: {reason}", action=_stem(group[0]), count=len(group), reason=reason)


def _range_words(values: Sequence[str]) -> str:
    if len(set(values)) == 1:
        return values[0]
    return tr("{least:.1f} to {most:.1f}", least=min(map(float, values)), most=max(map(float, values)))


def _target(preview: ActionPreview) -> str:
    """The name of an action's target, such as "Tan 4"; empty without one."""
    return display_name(preview.action.at[0]) if preview.action.at and preview.action.by else ""


def _stem(preview: ActionPreview) -> str:
    """An action without its target, such as "Rifle at"; actions without a target are never alike."""
    target = _target(preview)
    return action_words(preview).removesuffix(target).rstrip() if target else action_words(preview)


def _reason(preview: ActionPreview) -> str:
    target = _target(preview)
    return refusal_words(preview).replace(target, tr("the target")) if target else refusal_words(preview)


def _attack_chance(preview: ActionPreview) -> float | None:
    """The chance that an attack has an effect; None for other actions, whose outcomes are no success or failure.

    An action that cannot harm its target is no attack if it has several outcomes, such as a check of a figure that
    sees its target run, or if nothing is aimed at the target, such as when shots are only named.
    """
    chance = success_chance(preview) if preview.action.at and preview.action.by else None
    return None if chance == 0 and (len(preview.odds) > 1 or preview.action.view is None) else chance


STRUCK = {
    "wreck": mark_for_translation("{names} wrecked"),
    "explodes": mark_for_translation("{names} exploded"),
    "down": mark_for_translation("{names} down"),
    "falls": mark_for_translation("{names} down"),
    "wounded": mark_for_translation("{names} wounded"),
    "wounds_to_mark": mark_for_translation("{names}: {outcome}"),
    "wounds": mark_for_translation("{names}: {outcome}"),
    "under_fire": mark_for_translation("{names} injured"),
    "injured": mark_for_translation("{names} injured"),
    "immobilized": mark_for_translation("{names} immobilized"),
    "pinned": mark_for_translation("{names} pinned"),
    "stunned": mark_for_translation("{names} stunned"),
    "stunned_in_turn": mark_for_translation("{names} stunned"),
    "routed": mark_for_translation("{names} routed"),
    "flees": mark_for_translation("{names} fleeing"),
    "must_run": mark_for_translation("{names} must run"),
}
"""Statuses that the players must see on the table, the gravest first: only that one of a figure is named."""
_MOST_NAMED = 5


def outcome_banner(event: ActionResolved) -> str:
    """The changed figures with their changes; empty for moves, without dice and effect, and if it was forbidden."""
    if event.effects.moves or event.verdict.numbers.get("allowed") is False:
        return ""
    changes = [change for change in event.effects.changes if change.figure]
    out = list(dict.fromkeys(one.figure for one in changes if one.key == ELIMINATED and one.value is True))
    struck = _struck(change for change in changes if change.figure not in out)
    rows = [tr("Take {names} off", names=_names(out))] if out else []
    outcome = outcome_words(event.verdict.outcome)
    rows += [tr(words, names=_names(figures), outcome=outcome) for words, figures in struck.items()]
    if not rows:
        return _outcome(event)
    others = {*out, *(one for figures in struck.values() for one in figures)} - {*event.by}
    what = ", ".join(rows)
    return tr("HIT! {what}", what=what) if event.by and others else what


def result_words(event: ActionResolved) -> str:
    """The outcome of an action, after its title if no figure acts: the name of a side alone would say nothing."""
    outcome = capitalized(event_outcome(event))
    if event.by or not event.title:
        return outcome
    return translated(event.title) if says_outcome(event) else f"{translated(event.title)}: {outcome}"


def _outcome(event: ActionResolved) -> str:
    """The outcome of an action that has changed no figure."""
    outcome, winner = event.verdict.outcome, event.verdict.numbers.get("winner")
    if outcome == "not yet":
        return tr("No victory yet")
    if outcome in ("victory", "won") and isinstance(winner, str):
        return tr("VICTORY for {side}!", side=display_name(winner))
    if not event.throws:
        return ""
    if event.at and not any(change.figure in event.at and not change.this_turn for change in event.effects.changes):
        return _unharmed(event)
    return _named(event)


def _unharmed(event: ActionResolved) -> str:
    """The outcome of an attack that harmed nobody."""
    changes, outcome = event.effects.changes, english_outcome(event.verdict.outcome)
    if any(not change.figure and change.value is not None for change in changes):
        return _named(event)  # such as where a shell has landed
    if outcome.startswith("hit"):
        return tr("HIT!")
    if "miss" not in outcome:
        return tr("No effect")
    jams = any(change.value is True and change.key.endswith("jammed") for change in changes)
    return tr("Missed, and the weapon jams") if jams else tr("Missed")


def _named(event: ActionResolved) -> str:
    """The outcome after the name of the action, such as "Morale of Tan 3: passed"."""
    outcome = _result_words(event.verdict.outcome)
    if not event.title or says_outcome(event):
        return capitalized(translated(event.title) or outcome)
    title = event.title.partition(" at the spot ")[0].partition(": ")[0]  # not why Guts are checked
    if len(event.by) == 1:
        title = action_with_actors(event.by, title)
    return f"{translated(title)}: {outcome if event.by else capitalized(outcome)}"


def _struck(changes: Iterable[Change]) -> dict[str, list[str]]:
    """The figures by the words for their gravest new status."""
    gravest: dict[str, str] = {}
    for change in changes:
        if change.key in STRUCK and change.value not in (None, False):
            known = gravest.get(change.figure, change.key)
            gravest[change.figure] = min(known, change.key, key=list(STRUCK).index)
    found: dict[str, list[str]] = {}
    for figure, status in gravest.items():
        found.setdefault(STRUCK[status], []).append(figure)
    return found


def _names(figures: Sequence[str]) -> str:
    """The names of a few figures, such as "Tan 2, 4 and 5", or the number of many."""
    if len(figures) > _MOST_NAMED:
        return tr("{count} soldiers", count=len(figures))
    armies = [display_name(name.rpartition("-")[0]) for name in figures]
    names = [
        display_name(name) if not army or army != before else name.rpartition("-")[2]
        for name, army, before in zip(figures, armies, ["", *armies], strict=False)
    ]
    return tr("{names} and {last}", names=", ".join(names[:-1]), last=names[-1]) if names[1:] else names[0]
