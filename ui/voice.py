"""The spoken referee: short sentences about what has changed in the window, and the voice of the system. No Qt here."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from rules.engine.dice import Die
from rules.engine.referee import ActionPreview
from rules.engine.state import State
from rules.tabletop.errors import UserError
from ui.background_task import BackgroundTask
from ui.battle.action_text import refusal_words
from ui.formatting import sentence
from ui.rules_text import display_name, phase_words
from ui.tools.answer import Laid
from ui.translation import mark_for_translation, tr, tr_count

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


_NUMBERS = (
    mark_for_translation("zero"),
    mark_for_translation("one"),
    mark_for_translation("two"),
    mark_for_translation("three"),
    mark_for_translation("four"),
    mark_for_translation("five"),
    mark_for_translation("six"),
    mark_for_translation("seven"),
    mark_for_translation("eight"),
    mark_for_translation("nine"),
    mark_for_translation("ten"),
    mark_for_translation("eleven"),
    mark_for_translation("twelve"),
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


STALE_S = 2.0
"""An announcement that could not be spoken for this long is dropped: the game has gone on."""

_URGENCY = {kind: place for place, kind in enumerate(AnnouncementKind)}


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
        kind = min(self._waiting, key=_URGENCY.__getitem__, default=None)
        return None if kind is None else self._waiting.pop(kind)[1]

    def clear(self) -> None:
        """Drop everything."""
        self._waiting.clear()


_SENTENCE_S = 20.0
"""No sentence takes this long; a voice that does is stuck."""

_SAY_VOICES = {"de": "Anna"}
"""macOS names its voices; without a name it uses the system's language."""

_POWERSHELL = (
    "Add-Type -AssemblyName System.Speech; $voice = New-Object System.Speech.Synthesis.SpeechSynthesizer; "
    "$voice.SelectVoiceByHints('NotSet', 'NotSet', 0, [Globalization.CultureInfo]'{language}'); "
    "$voice.Speak([Console]::In.ReadToEnd())"
)


class Speaker(Protocol):
    """Speaks one sentence at a time."""

    @property
    def busy(self) -> bool:
        """Whether it speaks."""

    @property
    def problem(self) -> str:
        """Why it cannot speak, for the player; empty if it can."""

    def speak(self, words: str) -> None:
        """Speak a sentence while it is not busy. Returns at once."""

    def close(self) -> None:
        """Stop speaking."""


@dataclass(frozen=True, slots=True)
class VoiceCommand:
    """A command that speaks its last argument, or what it reads from its input."""

    arguments: tuple[str, ...]
    reads_input: bool = False


def find_command(
    language: str, platform: str = sys.platform, which: Callable[[str], str | None] = shutil.which
) -> VoiceCommand | None:
    """The system's command for a language such as "de"; None if it has none. `which` returns the path of a command."""
    if platform == "win32":
        script = _POWERSHELL.format(language=language)
        known = [VoiceCommand(("powershell", "-NoProfile", "-NonInteractive", "-Command", script), reads_input=True)]
    elif platform == "darwin":
        known = [
            VoiceCommand(("say", *(("-v", _SAY_VOICES[language]) if language in _SAY_VOICES else ())), reads_input=True)
        ]
    else:
        known = [
            VoiceCommand(("spd-say", "--wait", "--language", language, "--")),
            VoiceCommand(("espeak-ng", "-v", language, "--")),
            VoiceCommand(("espeak", "-v", language, "--")),
        ]
    for one in known:
        if path := which(one.arguments[0]):
            return VoiceCommand((path, *one.arguments[1:]), one.reads_input)
    return None


def missing_voice_words(platform: str = sys.platform) -> str:
    """What to do without any voice."""
    if platform.startswith("linux"):
        return tr("This computer has no voice: install the package espeak-ng, then switch speech on again.")
    return tr("This computer has no voice: install one in its settings, then switch speech on again.")


class SystemSpeaker:
    """Speaks with a command, in a thread."""

    def __init__(self, command: VoiceCommand, longest_s: float = _SENTENCE_S) -> None:
        """`longest_s`: a command that runs longer is ended and counts as broken."""
        self._command, self._longest_s = command, longest_s
        self._task: BackgroundTask[None] = BackgroundTask("sandtable voice")
        self._lock = threading.Lock()  # guards the two below
        self._process: subprocess.Popen[str] | None = None
        self._closed = False

    @property
    def busy(self) -> bool:
        """Whether it speaks."""
        return self._task.busy

    @property
    def problem(self) -> str:
        """Why the last sentence could not be spoken; empty if it could."""
        return "" if self.busy or self._closed else self._task.refusal

    def speak(self, words: str) -> None:
        """Speak a sentence; does nothing while another is spoken. Returns at once."""
        self._task.start(lambda: self._run(words))

    def close(self) -> None:
        """Stop speaking."""
        with self._lock:
            self._closed = True
            if self._process is not None:
                self._process.terminate()
        self._task.join(1.0)

    def _run(self, words: str) -> None:
        arguments = [*self._command.arguments, *(() if self._command.reads_input else (words,))]
        try:
            with tempfile.TemporaryFile("w+", errors="replace") as errors:  # a pipe could stay open after the command
                with self._lock:
                    if self._closed:
                        return
                    quiet = subprocess.DEVNULL
                    # The words are one argument or the input: no shell reads them.
                    self._process = subprocess.Popen(  # noqa: S603
                        arguments, stdin=subprocess.PIPE, stdout=quiet, stderr=errors, text=True
                    )
                self._wait(self._process, words if self._command.reads_input else "")
                if self._process.returncode and not self._closed:
                    errors.seek(0)
                    raise UserError(self._broken(errors.readline().strip() or f"{self._process.returncode}"))
        except OSError as error:
            raise UserError(self._broken(str(error))) from error
        finally:
            with self._lock:
                self._process = None

    def _wait(self, process: subprocess.Popen[str], words: str) -> None:
        try:
            process.communicate(words, timeout=self._longest_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise UserError(self._broken(tr("it does not finish a sentence"))) from None

    def _broken(self, why: str) -> str:
        name = self._command.arguments[0]
        return tr("The voice {name} does not work ({why}): try it in a terminal, then switch speech on again.",
                  name=name, why=why)  # fmt: skip
