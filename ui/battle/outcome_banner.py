"""The outcome of an action in a few words, to be read across the table: "HIT! Take Grey 3 off", "Missed"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rules.engine.events import ActionResolved, Change
from rules.engine.state import ELIMINATED
from rules.engine.text import action_with_actors, display_name, outcome_words, says_outcome
from ui.formatting import capitalized
from ui.translation import mark_for_translation, tr

_STRUCK = {
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
    changes, outcome = event.effects.changes, outcome_words(event.verdict.outcome)
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
    outcome = outcome_words(event.verdict.outcome)
    outcome = tr("passed") if outcome == "none" else outcome  # a Guts check
    if not event.title or says_outcome(event):
        return capitalized(event.title or outcome)
    title = event.title.partition(" at the spot ")[0]
    if len(event.by) == 1:
        title = action_with_actors(event.by, title)
    return f"{title}: {outcome if event.by else capitalized(outcome)}"


def _struck(changes: Iterable[Change]) -> dict[str, list[str]]:
    """The figures by the words for their gravest new status."""
    gravest: dict[str, str] = {}
    for change in changes:
        if change.key in _STRUCK and change.value not in (None, False):
            known = gravest.get(change.figure, change.key)
            gravest[change.figure] = min(known, change.key, key=list(_STRUCK).index)
    found: dict[str, list[str]] = {}
    for figure, status in gravest.items():
        found.setdefault(_STRUCK[status], []).append(figure)
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
