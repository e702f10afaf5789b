"""The spoken referee: says what happens in the window, one sentence at a time."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from PyQt6.QtCore import QLocale, QObject
from PyQt6.QtGui import QAction

from rules.engine.state import State
from ui.background_task import BackgroundTask
from ui.desktop.action import ActionMenu
from ui.desktop.battle.battle_controller import BattleController
from ui.desktop.parts import Parts
from ui.desktop.store import Store
from ui.system_voice import Speaker, SystemSpeaker, VoiceCommand, find_command, missing_voice_words
from ui.tools.answer import Laid, answer_to, on_table
from ui.translation import language, tr
from ui.voice import TITLES, Announcement, AnnouncementKind, Shown, SpeechQueue, changes, for_ear, needed_of, turn_of

if TYPE_CHECKING:
    from PyQt6.QtTextToSpeech import QTextToSpeech

_Voices: TypeAlias = "tuple[VoiceCommand | None, type[QTextToSpeech] | None]"


class VoiceController(QObject):
    """Announces what has changed, while speech is switched on."""

    def __init__(self, parts: Parts, store: Store, battle: BattleController) -> None:
        super().__init__(parts.window)
        self._parts, self._store, self._battle = parts, store, battle
        self._queue = SpeechQueue(store.clock)
        self._speaker: Speaker | None = None
        self._search: BackgroundTask[_Voices] = BackgroundTask("sandtable voice search")
        self._shown, self._last = Shown(), Announcement(AnnouncementKind.WARNING, "")
        self.menu = ActionMenu(tr("Speech"), parts.window)
        tip = tr("Say distances, rolls, outcomes and turns aloud, for those who cannot read")
        self.switch = self.menu.add_switch(tr("Speak"), "", tip)
        tip = tr("Say the last announcement again")
        self.menu.add(tr("Say again"), "Y", tip, lambda: self._queue.add(self._last))
        self.menu.add_separator()
        self.kinds = {kind: self._kind_switch(kind) for kind in AnnouncementKind}
        parts.display.menu.addMenu(self.menu)
        battle.resolved.connect(lambda words: self._add(Announcement(AnnouncementKind.OUTCOME, for_ear(words))))
        battle.warned.connect(lambda words: self._add(Announcement(AnnouncementKind.OWED, for_ear(words))))
        self.switch.toggled.connect(self._turn)
        self.switch.setChecked(parts.settings.speaks)

    def speak_with(self, speaker: Speaker) -> None:
        """Speak with this voice from now on; it confirms that speech is on."""
        self._stop()
        self._speaker, self._shown = speaker, self._now()
        self._queue.add(Announcement(AnnouncementKind.WARNING, tr("Speech is on.")))

    def pull(self) -> None:
        """Note what has changed, and start the next sentence if none is spoken; called often."""
        self._take_voice()
        speaker = self._speaker
        if speaker is None:
            return
        before, self._shown = self._shown, self._now()
        for announcement in changes(before, self._shown, self._answer):
            self._add(announcement)
        if speaker.busy:
            return
        if speaker.problem:
            self._give_up(speaker.problem)
        elif (following := self._queue.next()) is not None:
            self._last = following
            speaker.speak(following.words)

    def close(self) -> None:
        """Stop speaking."""
        self._stop()
        self._search.join()

    def _kind_switch(self, kind: AnnouncementKind) -> QAction:
        title, settings = tr(TITLES[kind]), self._parts.settings
        switch = self.menu.add_switch(title, "", tr("Say this kind aloud: {kind}", kind=title))
        switch.setChecked(settings.speaks_kind(kind))
        switch.toggled.connect(lambda on: settings.keep_speaks_kind(kind, on))
        return switch

    def _turn(self, on: bool) -> None:
        self._parts.settings.speaks = on
        if on:
            self._search.start(_find_voice)
        else:
            self._stop()

    def _take_voice(self) -> None:
        """Use the voice that was found."""
        found = self._search.take()
        if found is None or not self.switch.isChecked():
            return
        command, engines = found
        of_qt = qt_speaker(engines, language()) if engines is not None else None
        speaker = of_qt or (SystemSpeaker(command) if command is not None else None)
        if speaker is None:
            self._give_up(missing_voice_words())
        else:
            self.speak_with(speaker)

    def _give_up(self, why: str) -> None:
        """Report once that there is no voice, and stay silent."""
        self.switch.setChecked(False)
        self._store.say(why)

    def _stop(self) -> None:
        self._queue.clear()
        if self._speaker is not None:
            self._speaker.close()
        self._speaker = None

    def _add(self, announcement: Announcement) -> None:
        if self._speaker is not None and self.kinds[announcement.kind].isChecked():
            self._queue.add(announcement)

    def _now(self) -> Shown:
        play, chosen = self._battle.play, self._battle.panel.chosen
        return Shown(
            on_table(self._store.session.state),
            self._parts.bar.text,
            turn_of(play.battle.state if play is not None else State()),
            needed_of(chosen) if chosen is not None else ("", ""),
            tuple(move.words for move in self._battle.pending),
        )

    def _answer(self, laid: Laid) -> str:
        view, state = self._store.view, self._store.session.state
        if view is None:
            return ""
        return answer_to(view, laid, state.basis, state.unit, self._parts.display.read).headline


def _find_voice() -> _Voices:
    """The system's command for speech, and Qt's class, each None if there is none; takes a while.

    On Linux Qt is only the second choice: it would connect to the system's speech service in the window's thread.
    """
    command = find_command(language())
    return command, None if command is not None and sys.platform.startswith("linux") else load_qt_speech()


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
        self._engine.say(words)

    def close(self) -> None:
        self._engine.stop()
