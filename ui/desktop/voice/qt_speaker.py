"""Speaks with Qt's own voice, where QtTextToSpeech works."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from PyQt6.QtCore import QLocale

from ui.translation import tr


def load_qt_speech() -> Any:
    """Qt's module of speech; None if it, or a library of the system that it needs, is not installed."""
    try:
        return import_module("PyQt6.QtTextToSpeech")
    except ImportError:  # such as libpulse on Linux
        return None


def qt_speaker(module: Any, language: str) -> QtSpeaker | None:
    """A speaker with Qt's first real engine; None if there is none or it does not start."""
    for name in module.QTextToSpeech.availableEngines():
        if name != "mock":
            speaker = QtSpeaker(module.QTextToSpeech(name), module.QTextToSpeech.State, language)
            return None if speaker.problem else speaker
    return None


class QtSpeaker:
    """Speaks with an engine of Qt, which works in its own thread."""

    def __init__(self, engine: Any, states: Any, language: str) -> None:
        """`engine` is a `QTextToSpeech`, `states` its `State`."""
        self._engine, self._states = engine, states
        engine.setLocale(QLocale(language))

    @property
    def busy(self) -> bool:
        """Whether it speaks."""
        return self._engine.state() in (self._states.Speaking, self._states.Synthesizing)

    @property
    def problem(self) -> str:
        """Why it cannot speak, for the player; empty if it can."""
        if self._engine.state() != self._states.Error:
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
