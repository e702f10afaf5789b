"""Speaks with Qt's own voice, where QtTextToSpeech works."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from PyQt6.QtCore import QLocale

from ui.translation import tr

if TYPE_CHECKING:
    from PyQt6.QtTextToSpeech import QTextToSpeech


def load_qt_speech() -> type[QTextToSpeech] | None:
    """Qt's class for speech; None if its module, or a library that this needs, is not installed."""
    try:
        found: type[QTextToSpeech] = import_module("PyQt6.QtTextToSpeech").QTextToSpeech
    except ImportError:  # such as libpulse on Linux
        return None
    return found


def qt_speaker(engines: type[QTextToSpeech], language: str) -> QtSpeaker | None:
    """A speaker with Qt's first real engine; None if there is none or it does not start."""
    for name in engines.availableEngines():
        if name != "mock":
            speaker = QtSpeaker(engines(name), language)
            return None if speaker.problem else speaker
    return None


class QtSpeaker:
    """Speaks with an engine of Qt, which works in its own thread."""

    def __init__(self, engine: QTextToSpeech, language: str) -> None:
        self._engine = engine
        engine.setLocale(QLocale(language))

    @property
    def busy(self) -> bool:
        """Whether it speaks."""
        return self._engine.state() in (self._engine.State.Speaking, self._engine.State.Synthesizing)

    @property
    def problem(self) -> str:
        """Why it cannot speak, for the player; empty if it can."""
        if self._engine.state() != self._engine.State.Error:
            return ""
        return tr(
            "The voice of this computer does not work ({why}): check its settings, then switch speech on again.",
            why=self._engine.errorString(),
        )

    def speak(self, words: str) -> None:
        """Speak a sentence. Returns at once."""
        self._engine.say(words)

    def close(self) -> None:
        """Stop speaking."""
        self._engine.stop()
