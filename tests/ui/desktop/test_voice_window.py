"""The spoken referee in the real window, with a voice that writes to a list or to a file."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QAction
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from rules.engine.dice import Scripted
from rules.engine.events import PhaseBegun
from tests.ui.desktop.test_battle_window import press, started_battle
from tests.ui.emulated_voice import EmulatedVoice
from tests.ui.windows import POSTS, Open, Wait, click, next_phase, settings_in, show_change
from ui.desktop.voice import QtSpeaker, load_qt_speech, qt_speaker
from ui.desktop.window import Window
from ui.voice import AnnouncementKind

posix = pytest.mark.skipif(sys.platform == "win32", reason="a shell script")


class ListSpeaker:
    """Writes sentences to a list, and speaks while the test wants it to."""

    def __init__(self) -> None:
        self.spoken: list[str] = []
        self.busy, self.problem, self.closed = False, "", False

    def speak(self, words: str) -> None:
        assert not self.busy
        self.spoken.append(words)

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def speaker(window: Window) -> ListSpeaker:
    """The window speaks with this voice, and has said so."""
    speaker = ListSpeaker()
    window.features.voice.speak_with(speaker)
    window.pull()
    assert speaker.spoken == ["Speech is on."]
    speaker.spoken.clear()
    return speaker


@pytest.fixture
def without_qt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Qt has no voice, as without libpulse."""
    monkeypatch.setattr("ui.desktop.voice.load_qt_speech", lambda: None)


@pytest.fixture
def voice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_qt: None) -> EmulatedVoice:
    """The only voice of this computer."""
    voice = EmulatedVoice(tmp_path / "voice")
    monkeypatch.setenv("PATH", f"{voice.folder}:/bin")
    monkeypatch.setattr("sys.platform", "linux")
    return voice


def measure(window: Window, one: str = "green-1", other: str = "blue-1") -> None:
    window.store.use_tool("measure")
    click(window, POSTS[one])
    click(window, POSTS[other])


def hear(window: Window, speaker: ListSpeaker) -> list[str]:
    """What is spoken now, one sentence after the other."""
    before = -1
    while len(speaker.spoken) > before:
        before = len(speaker.spoken)
        window.features.voice.pull()
    spoken, speaker.spoken = speaker.spoken, []
    return spoken


def test_a_measured_distance_is_spoken_once(window: Window, speaker: ListSpeaker) -> None:
    measure(window)
    # 12 in from (8, 10) to (20, 10); the measurement may differ by a tenth.
    assert hear(window, speaker) in [["Twelve inches."], ["11.9 inches."], ["12.1 inches."]]
    window.store.session.turn_basis()
    assert hear(window, speaker) == []
    QTest.keyClick(window, Qt.Key.Key_Y)  # say it again
    assert len(hear(window, speaker)) == 1
    window.commands.undo()
    assert hear(window, speaker) == []


def test_a_shot_and_the_turns_are_spoken(window: Window, speaker: ListSpeaker, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b")
    next_phase(window)
    next_phase(window)
    assert hear(window, speaker)[-1] == "Green's turn."
    window.store.use_tool("select")
    click(window, POSTS["green-1"])
    panel.action_list.choose(0)
    needed = hear(window, speaker)
    assert len(needed) == 1
    assert needed[0].startswith("Needs a ")
    window.battle.rolling.dice = Scripted((6,))
    target = panel.chosen.action.at[0].replace("-", " ").capitalize()  # type: ignore[union-attr]
    press(panel, "Roll")
    assert hear(window, speaker)[0] == f"Hit! Take {target} off."
    window.battle.rolling.dice = Scripted((1,))
    click(window, POSTS["green-2"])
    panel.action_list.choose(0)
    press(panel, "Roll")
    assert hear(window, speaker)[0] == "Missed."
    next_phase(window)
    assert hear(window, speaker)[-1] == "Blue's turn."


def test_messages_and_questions_are_spoken(window: Window, speaker: ListSpeaker) -> None:
    window.store.say("No soldier here. Click the middle of a base.")
    assert hear(window, speaker) == ["No soldier here. Click the middle of a base."]


def test_what_is_owed_is_spoken(window: Window, speaker: ListSpeaker, tmp_path: Path) -> None:
    started_battle(window, tmp_path / "b", "plastic_fudge", "basic")
    window.battle.play.battle.record(PhaseBegun(turn=1, phase="morale"))
    show_change(window)
    assert hear(window, speaker)[-1] == "Morale."
    next_phase(window)
    assert hear(window, speaker)[0] == (
        "Still to do: Morale of Green 1, Morale of Green 2, Morale of Blue 1, 1 more. Press N again to skip it."
    )
    next_phase(window)
    assert hear(window, speaker)[-1] == "Turn two. Initiative."


def test_moves_are_spoken_and_before_the_next_phase_those_without_an_answer(
    window: Window, speaker: ListSpeaker, tmp_path: Path
) -> None:
    started_battle(window, tmp_path / "b", "army_men", "rifleman")
    next_phase(window)
    next_phase(window)
    view = window.store.view
    hear(window, speaker)
    moved = [replace(one, x_in=one.x_in + 20.0) if one.id == "green-1" else one for one in view.figures]
    view = replace(view, tracking=replace(view.tracking, figures=tuple(moved)))
    window.battle.update_position(view, window.store.session.state.setup)
    # 20 in are more than the allowance of a rifleman, 1 ft.
    [words] = hear(window, speaker)
    assert words.startswith("Green 1 moved 20 inches. The rules forbid it: ")
    next_phase(window)
    assert hear(window, speaker) == ["1 move is not answered: answer it above. Press N again to skip it."]


def test_nothing_overlaps_and_the_newest_distance_is_spoken(window: Window, speaker: ListSpeaker) -> None:
    speaker.busy = True
    measure(window)
    measure(window, "green-1", "green-2")
    window.pull()
    assert speaker.spoken == []
    speaker.busy = False
    # From (8, 10) to (11, 6): 5 in.
    assert hear(window, speaker) in [["Five inches."], ["4.9 inches."], ["5.1 inches."]]


def test_each_kind_can_be_switched_off(window: Window, speaker: ListSpeaker, tmp_path: Path) -> None:
    window.features.voice.kinds[AnnouncementKind.DISTANCE].trigger()
    measure(window)
    assert hear(window, speaker) == []
    assert not settings_in(tmp_path).speaks_kind(AnnouncementKind.DISTANCE)
    assert settings_in(tmp_path).speaks_kind(AnnouncementKind.TURN)


def switch(window: Window) -> QAction:
    """The switch in the menu Screen, Speech."""
    [menu] = [one.menu() for one in window.display.menu.actions() if one.text() == "Speech"]
    [found] = [one for one in menu.actions() if one.text() == "Speak"]
    return found


@posix
def test_the_systems_voice_speaks_and_is_remembered(
    voice: EmulatedVoice, found: None, open_window: Open, wait_until: Wait
) -> None:
    window = open_window()
    assert not switch(window).isChecked()  # off by default
    switch(window).trigger()
    wait_until(lambda: voice.words == ["Speech is on."])
    wait_until(lambda: window.store.view and len(window.store.view.figures) == len(POSTS))
    measure(window)
    wait_until(lambda: voice.words[-1].endswith("inches."))
    assert voice.spoken[-1].language == "en"
    window.close()
    again = open_window()
    assert switch(again).isChecked()
    wait_until(lambda: voice.words.count("Speech is on.") == 2)
    assert all(after.began_s >= before.ended_s for before, after in pairwise(voice.spoken))


def test_a_missing_voice_is_reported_once(
    without_qt: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, window: Window, wait_until: Wait
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("ui.system_voice.sys.platform", "linux")
    switch(window).trigger()
    wait_until(lambda: not switch(window).isChecked())
    assert window.bar.text.startswith("This computer has no voice: install")
    window.store.message.forget()
    window.pull()
    measure(window)
    assert "voice" not in window.bar.text
    assert not settings_in(tmp_path).speaks


def test_a_voice_that_breaks_is_reported_once(voice: EmulatedVoice, window: Window, wait_until: Wait) -> None:
    switch(window).setChecked(True)
    wait_until(lambda: voice.words)
    speaker = ListSpeaker()
    window.features.voice.speak_with(speaker)
    speaker.problem = "The voice does not work: try it in a terminal."
    window.pull()
    assert window.bar.text == speaker.problem
    assert speaker.closed
    assert not switch(window).isChecked()
    window.store.message.forget()
    measure(window)
    window.pull()
    assert window.bar.text != speaker.problem
    assert speaker.spoken == []


@posix
def test_german_is_spoken_in_german(
    voice: EmulatedVoice, german: None, found: None, open_window: Open, wait_until: Wait
) -> None:
    window = open_window()
    window.features.voice.switch.trigger()
    wait_until(lambda: voice.spoken)
    assert voice.spoken[0].language == "de"


# Qt's voice


SPEECH = load_qt_speech()


@pytest.mark.skipif(SPEECH is None, reason="QtTextToSpeech needs libpulse")
def test_qts_voice_speaks_until_it_has_finished(qt: QApplication, wait_until: Wait) -> None:
    speaker = QtSpeaker(SPEECH("mock"), "en")  # Qt's engine for tests: silent, but takes its time
    assert not speaker.busy
    speaker.speak("Eleven inches.")
    assert speaker.busy
    wait_until(lambda: not speaker.busy)
    speaker.speak("Eleven inches.")
    speaker.close()
    wait_until(lambda: not speaker.busy)
    assert speaker.problem == ""


class Broken:
    """Behaves like `QTextToSpeech` with an engine that does not start."""

    State = SimpleNamespace(Speaking=1, Synthesizing=2, Error=3)
    engines: tuple[str, ...] = ("mock", "speechd")

    def __init__(self, name: str) -> None:
        assert name == "speechd"
        self.setLocale, self.state, self.errorString = str, lambda: Broken.State.Error, lambda: "no service"

    @classmethod
    def list_engines(cls) -> tuple[str, ...]:
        return cls.engines

    availableEngines = list_engines  # noqa: N815


def test_an_engine_of_qt_that_does_not_start_is_no_voice(monkeypatch: pytest.MonkeyPatch) -> None:
    assert qt_speaker(Broken, "en") is None
    assert "(no service)" in QtSpeaker(Broken("speechd"), "en").problem
    monkeypatch.setattr(Broken, "engines", ("mock",))
    assert qt_speaker(Broken, "en") is None


def test_a_library_that_qts_voice_needs_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PyQt6.QtTextToSpeech", None)  # importing it raises ImportError
    assert load_qt_speech() is None
