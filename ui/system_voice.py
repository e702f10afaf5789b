"""The voice of this computer: which command speaks, and a thread that runs it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from rules.tabletop.errors import UserError
from ui.background_task import BackgroundTask
from ui.translation import tr

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
