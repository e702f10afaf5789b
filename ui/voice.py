"""The spoken referee: short sentences about what has changed in the window. No Qt here."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rules.engine.dice import Die
from rules.engine.preview import ActionPreview
from rules.engine.state import State
from ui.battle.action_text import refusal_words
from ui.formatting import sentence
from ui.rules_text import display_name, phase_words
from ui.tools.answer import Laid
from ui.translation import mark_all_for_translation, mark_for_translation, tr, tr_count

_MOST_MOVES = 2
"""More moves at once are only counted."""

_MEASURED = re.compile(r"\d+\.\d+")


class AnnouncementKind(StrEnum):
    """The kinds of announcements, the most urgent first."""

    OUTCOME = "outcome"
    QUESTION = "question"
    WARNING = "warning"
    NEEDED = "needed"
    DISTANCE = "distance"
    MOVE = "move"
    OWED = "owed"
    TURN = "turn"


TITLES: Mapping[AnnouncementKind, str] = {
    AnnouncementKind.OUTCOME: mark_for_translation("Outcomes"),
    AnnouncementKind.QUESTION: mark_for_translation("Questions"),
    AnnouncementKind.WARNING: mark_for_translation("Messages"),
    AnnouncementKind.NEEDED: mark_for_translation("Numbers needed"),
    AnnouncementKind.DISTANCE: mark_for_translation("Distances"),
    AnnouncementKind.MOVE: mark_for_translation("Moves"),
    AnnouncementKind.OWED: mark_for_translation("Still to do"),
    AnnouncementKind.TURN: mark_for_translation("Turns"),
}


@dataclass(frozen=True, slots=True)
class Announcement:
    """A sentence to speak; empty words withdraw the last one of its kind that was not spoken yet."""

    kind: AnnouncementKind
    words: str


@dataclass(frozen=True, slots=True)
class Shown:
    """What the window shows and the voice may announce.

    Attributes:
        laid: The rulers and templates on the table, the newest last.
        message: The text of the message bar.
        turn: Turn, side and phase of the battle; turn 0 before the first one and without a battle.
        needed: What distinguishes the selected action, and the sentence about it, see `needed_of`; empty without one.
        moves: Texts of the moves that wait for an answer.
    """

    laid: tuple[Laid, ...] = ()
    message: str = ""
    turn: tuple[int, str, str] = (0, "", "")
    needed: tuple[str, str] = ("", "")
    moves: tuple[str, ...] = ()


def changes(before: Shown, now: Shown, answer: Callable[[Laid], str]) -> tuple[Announcement, ...]:
    """What to say about everything that has changed; `answer` returns the text for a ruler or template."""
    found = []
    if now.laid != before.laid:
        laid = next((one for one in reversed(now.laid) if one not in before.laid), None)
        found.append(Announcement(AnnouncementKind.DISTANCE, for_ear(answer(laid)) if laid is not None else ""))
    if _steady(now.message) != _steady(before.message):
        asks = now.message.endswith("?")
        found.append(Announcement(AnnouncementKind.QUESTION, for_ear(now.message) if asks else ""))
        found.append(Announcement(AnnouncementKind.WARNING, "" if asks else for_ear(now.message)))
    if now.turn != before.turn:
        found.append(Announcement(AnnouncementKind.TURN, turn_sentence(before.turn, now.turn)))
        found.append(Announcement(AnnouncementKind.OWED, ""))  # of the last phase
    if now.needed[0] != before.needed[0]:
        found.append(Announcement(AnnouncementKind.NEEDED, now.needed[1]))
    known = {*map(_steady, before.moves)}
    if {*map(_steady, now.moves)} != known:
        new = [one for one in now.moves if _steady(one) not in known]
        found.append(Announcement(AnnouncementKind.MOVE, move_sentence(new)))
    return tuple(found)


def _steady(words: str) -> str:
    """A text without measured values, whose last digit changes while nothing happens."""
    return _MEASURED.sub("", words)


def turn_of(state: State) -> tuple[int, str, str]:
    """The turn as `Shown` has it."""
    return (state.turn, state.side, state.phase)


def turn_sentence(before: tuple[int, str, str], now: tuple[int, str, str]) -> str:
    """Such as "Turn two. Green's turn.", or "Green attacks." if the same side goes on; empty before the first turn."""
    turn, side, phase = now
    if not turn:
        return ""
    rows = [tr("Turn {number}.", number=number_words(turn))] if before[0] and turn != before[0] else []
    if side and (side != before[1] or turn != before[0]):
        rows.append(tr("{side}'s turn.", side=display_name(side)))
    else:
        rows.append(sentence(phase_words(side, phase)))
    return " ".join(filter(None, rows))


def needed_of(preview: ActionPreview) -> tuple[str, str]:
    """What distinguishes an action and its number needed from another, and the sentence about it."""
    words = needed_sentence(preview)
    return f"{preview.action.words}: {words if preview.possible else _steady(preview.why_not)}", words


def needed_sentence(preview: ActionPreview) -> str:
    """What the selected action needs, such as "Needs a four."; why it is not allowed; empty if neither is known."""
    if not preview.possible:
        return for_ear(tr("Not allowed: {reason}", reason=refusal_words(preview)))
    if preview.ambiguities:
        return tr("Too close to call. Decide together.")
    numbers = preview.before.numbers if preview.before is not None else {}
    if isinstance(least := numbers.get("needs_roll"), Mapping):
        return " ".join(f"{display_name(name)}: {_least_words(one)}" for name, one in least.items())
    if isinstance(least, int):
        return _least_words(least, int(numbers.get("dice", 1)))
    if isinstance(most := numbers.get("at_most"), int):
        none = tr("No roll hits.")
        return tr("Needs {number} or less on two dice.", number=number_words(most)) if most else none
    if isinstance(hits := numbers.get("to_hit"), int):
        return tr("Needs {number} or more on the Fudge dice.", number=number_words(hits))
    rows = [
        tr(words, number=number_words(sum_))
        for key, words in _CHART.items()
        if isinstance(sum_ := numbers.get(key), int)
    ]
    return " ".join(rows)


_CHART = {"to_injure": mark_for_translation("{number} injures."), "to_kill": mark_for_translation("{number} kills.")}


def _least_words(least: int | None, dice: int = 1) -> str:
    if least is None or least > max(Die.D6.faces):
        return tr("No roll hits.")
    if least <= 1:
        return tr("Any roll hits.")
    if dice > 1:
        return tr("Needs a {face} on each of {dice} dice.", face=number_words(least), dice=number_words(dice))
    return tr("Needs a {face}.", face=number_words(least))


def move_sentence(moves: Sequence[str]) -> str:
    """Such as "Green 3 moved 5.8 inches."; the number of many moves; empty without moves."""
    if len(moves) > _MOST_MOVES:
        return sentence(tr_count("{count} move to answer", "{count} moves to answer", len(moves)))
    return " ".join(map(for_ear, moves))


STALE_S = 2.0
"""An announcement that could not be spoken for this long is dropped: the game has gone on."""


class SpeechQueue:
    """Holds at most one announcement of each kind: the newest."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock` returns seconds."""
        self._clock = clock
        self._waiting: dict[AnnouncementKind, tuple[float, Announcement]] = {}

    def add(self, announcement: Announcement) -> None:
        """Add an announcement, which replaces the one of its kind; one without words only removes that."""
        self._waiting.pop(announcement.kind, None)
        if announcement.words:
            self._waiting[announcement.kind] = (self._clock(), announcement)

    def next(self) -> Announcement | None:
        """The most urgent announcement that is not stale, once; call it only while nothing is spoken."""
        now_s = self._clock()
        self._waiting = {kind: one for kind, one in self._waiting.items() if now_s - one[0] <= STALE_S}
        kind = next((kind for kind in AnnouncementKind if kind in self._waiting), None)
        return None if kind is None else self._waiting.pop(kind)[1]

    def clear(self) -> None:
        """Drop everything."""
        self._waiting.clear()


_NUMBERS = mark_all_for_translation(
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"
)
_FRACTIONS = {
    "1/2": mark_for_translation("one half"),
    "1/4": mark_for_translation("one quarter"),
    "3/4": mark_for_translation("three quarters"),
    "1/8": mark_for_translation("one eighth"),
    "3/8": mark_for_translation("three eighths"),
}
_ERROR = re.compile(r" ?± ?[\d.]+")
_RULE_IDS = re.compile(r" ?\((?:[A-Z]{1,3}-\w+(?:, )?)+\)")
_SHOUTED = re.compile(r"\b[^\W\d_]{2,}\b")
_FRACTION = re.compile(r"(?<![\d/])\d/\d(?![\d/])")
_MOST_SENTENCES = 2
"""A longer text would still be spoken when the game has gone on."""


def number_words(number: int) -> str:
    """A number as a word if it is small, such as "eleven" or "-2" as "minus two"; else its digits."""
    words = tr(_NUMBERS[abs(number)]) if abs(number) < len(_NUMBERS) else str(abs(number))
    return tr("minus {number}", number=words) if number < 0 else words


def for_ear(text: str) -> str:
    """Up to two sentences for a voice: whole numbers and units as words, without uncertainties and ids of rules."""
    words = _RULE_IDS.sub("", _ERROR.sub("", text))
    words = _FRACTION.sub(lambda found: tr(_FRACTIONS.get(found[0], found[0])), words)
    words = re.sub(rf"(\d+)(?:\.(\d))? ({tr('in')}|in|cm)\b(?! (?:sight|cover|the|a)\b)", _length_words, words)
    words = _SHOUTED.sub(lambda found: found[0].capitalize() if found[0].isupper() else found[0], words)
    words = words.replace(" · ", ", ").replace("\n", " ")
    return sentence(" ".join(re.split(r"(?<=[.!?]) +", words.strip())[:_MOST_SENTENCES]))


def _length_words(found: re.Match[str]) -> str:
    """A length such as "11.0 in" as "eleven inches", and "11.3 in" as "11.3 inches" with the language's point."""
    whole, tenths, unit = found.groups()
    if tenths in (None, "0"):
        if whole == "1":
            return tr("one centimetre") if unit == "cm" else tr("one inch")
        number = number_words(int(whole))
    else:
        number = tr("{whole}.{tenths}", whole=whole, tenths=tenths)
    return tr("{number} centimetres", number=number) if unit == "cm" else tr("{number} inches", number=number)
