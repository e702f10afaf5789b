"""Texts of the rules, in the language of the window.

The rules speak English, and so do the files of battles. What players read in the window goes through this module, which
translates the phrases of `locales/rules_phrases.txt`, and the sides that are named after colours. In English, and on
the command line, every text stays as it is. In a phrase without a translation, only the names are translated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import ParamSpec

from rules.battle.overrides import STANDS
from rules.engine import events, text
from ui.translation import FOLDER, language, tr

COLOURS = ("green", "tan", "grey", "blue", "red", "yellow", "brown")
"""Armies named after these colours are shown in the language of the window, and stored in English."""

_FIELD = re.compile(r"\{(\w+)\}")
_VALUES = {"number": r"[-+]?\d+(?:\.\d+)?%?", "thing": r"(?:(?! at )[\w.()' -])+?"}
"""What a field holds, by the beginning of its name: a number, or a thing that is a phrase itself; others, any text."""
_COLOUR = re.compile(r"(?<![\w-])(?:" + "|".join(name.capitalize() for name in COLOURS) + r")(?![\w-])")
_RULE = re.compile(r"(.*\S) (\([A-Z]+-\w+\))")
_ACTOR = re.compile(r"((?:[A-Z]\w*(?: \w+)* \d+)(?:, [A-Z]\w*(?: \w+)* \d+)*): (.+)")


@lru_cache(maxsize=1)
def phrases() -> tuple[str, ...]:
    """The phrases that are translated."""
    lines = (FOLDER / "rules_phrases.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


def side_name(name: str) -> str:
    """The name of an army as players read it: "tan", or "Beige" in German."""
    return tr(name.lower()) if language() != "en" and name.lower() in COLOURS else name


def stored_name(name: str) -> str:
    """The name under which an army is stored that a player has typed: "tan" for "Beige" in German."""
    wanted = name.strip().casefold()
    return next((colour for colour in COLOURS if language() != "en" and wanted == tr(colour).casefold()), name)


def translated(words: str) -> str:
    """A text of the rules in the language of the window."""
    if language() == "en" or not words:
        return words
    return _translated(words, language())


@lru_cache(maxsize=4096)
def _translated(words: str, of: str) -> str:
    """The translation into language `of`, which is the one in use."""
    ruled = _RULE.fullmatch(words)
    if (whole := _phrase(words if ruled is None else ruled[1])) is not None:
        return whole if ruled is None else f"{whole} {ruled[2]}"
    if "; " in words:
        return "; ".join(_translated(part, of) for part in words.split("; "))
    if ruled is not None:
        return f"{_translated(ruled[1], of)} {ruled[2]}"
    if (acted := _ACTOR.fullmatch(words)) is not None:
        return f"{_names(acted[1])}: {_translated(acted[2], of)}"
    for joint in (" · ", ": ", ", "):
        before, found, last = words.rpartition(joint)
        if found and (result := _phrase(last)) is not None:
            return f"{_translated(before, of)}{joint}{result}"
        if found and (action := _phrase(before)) is not None:
            return f"{action}{joint}{_translated(last, of)}"
    return _names(words)


def _phrase(words: str) -> str | None:
    """The translation of a phrase as a whole; None if there is none."""
    plain = words.removesuffix(".")
    found = _table(language()).exact.get(plain.lower()) or _filled(plain)
    if found is None:
        return None
    return (found[:1].upper() + found[1:] if plain[:1].isupper() else found) + words[len(plain) :]


def _filled(words: str) -> str | None:
    """The translation of a phrase with fields, with their values; None if the text is not such a phrase."""
    for pattern, phrase in _table(language()).patterns:
        if (match := pattern.fullmatch(words)) is not None:
            values = {name: _value(name, value) for name, value in match.groupdict().items()}
            if None not in values.values():
                return tr(phrase, **values)
    return None


def _value(field: str, value: str) -> str | None:
    """A field's value in the language of the window; None for a thing without a translation."""
    if field.startswith("number"):
        return value
    if field.startswith("thing"):
        return _phrase(value)
    return _translated(value, language())


def _names(words: str) -> str:
    """A text with the sides that are named after colours in the language of the window."""
    return words if language() == "en" else _COLOUR.sub(lambda found: tr(found[0].lower()), words)


@dataclass(frozen=True, slots=True)
class _Table:
    """The phrases of one language: those without fields by their lower-case text, and the others, most exact first."""

    exact: Mapping[str, str]
    patterns: tuple[tuple[re.Pattern[str], str], ...]


@lru_cache(maxsize=4)
def _table(of: str) -> _Table:
    """The phrases that language `of`, the one in use, translates."""
    with_fields = sorted((one for one in phrases() if "{" in one), key=lambda one: -len(_FIELD.sub("", one)))
    exact = {one.lower(): tr(one) for one in (*COLOURS, *phrases()) if "{" not in one}
    return _Table(exact, tuple((_pattern(one), one) for one in with_fields))


def _pattern(phrase: str) -> re.Pattern[str]:
    parts = _FIELD.split(phrase)  # text and names of fields alternate
    fields = [f"(?P<{name}>{_kind(name)})" for name in parts[1::2]]
    texts = [re.escape(part) for part in parts[::2]]
    return re.compile("".join(text + field for text, field in zip(texts, [*fields, ""], strict=True)), re.IGNORECASE)


def _kind(field: str) -> str:
    return next((pattern for kind, pattern in _VALUES.items() if field.startswith(kind)), ".+?")


_LINE = re.compile(r"(\s*(?:[A-Z]+-\w+  )?)(.*?)( \([+-][\d.]+\))?")


def story_line(line: str) -> str:
    """A line of a battle's story: its indentation, the rule and the modifier stay."""
    if language() == "en":
        return line
    found = _LINE.fullmatch(line)
    return f"{found[1]}{translated(found[2])}{found[3] or ''}" if found is not None else line


_PLACED = re.compile(r"(.+) placed at \([-\d., ]+\)")


def step_words(label: str) -> str:
    """The name of a step that can be undone, in plain words; of an answer, only its question and the answer."""
    first, *rest = label.split(": ")
    if first == "settled" and rest[1:]:
        return f"{translated(rest[-2])}: {translated(rest[-1])}"
    if (placed := _PLACED.fullmatch(label)) is not None:
        return tr("new place of {soldier}", soldier=_names(placed[1]))
    action, ruled, outcome = label.rpartition(", ruled: ")
    if ruled and outcome == STANDS:
        return tr("{action}, allowed by you", action=translated(action))
    if ruled:
        return tr("{action}, decided by you: {outcome}", action=translated(action), outcome=translated(outcome))
    return translated(label)


# The functions of `rules.engine.text`, in the language of the window.

_P = ParamSpec("_P")


def _shown(words: Callable[_P, str]) -> Callable[_P, str]:
    @wraps(words)
    def shown(*args: _P.args, **values: _P.kwargs) -> str:
        return translated(words(*args, **values))

    return shown


display_name = _shown(text.display_name)
readable = _shown(text.readable)
event_outcome = _shown(text.event_outcome)
roller_words = _shown(text.roller_words)
status_words = _shown(text.status_words)


def display_names(names: tuple[str, ...]) -> str:
    """The display names of several figures, without repetitions."""
    return _names(text.display_names(names))


def outcome_words(outcome: str) -> str:
    """The text of a verdict's outcome, such as "kills Tan 4, misses Tan 5"."""
    return ", ".join(translated(text.outcome_words(one)) for one in outcome.split(", "))


def label(event: events.Event) -> str:
    """A short text for an event, such as "Green 2: Rifle at Tan 4, misses"."""
    if isinstance(event, events.PhaseBegun):
        return turn_words(event.turn, event.side, event.phase)
    return translated(text.label(event))


def phase_words(side: str, phase: str) -> str:
    """The text of a phase, such as "Green moves"."""
    return _names(text.phase_words(side, phase, tr))


def turn_words(turn: int, side: str, phase: str) -> str:
    """The text of a turn and its phase, such as "Turn 1 · Green moves"."""
    return _names(text.turn_words(turn, side, phase, tr))
