"""The system's voice, with an emulated espeak-ng that writes to a file."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from itertools import pairwise, takewhile
from pathlib import Path

import pytest

from tests.ui.emulated_voice import EmulatedVoice
from tests.waiting import block, until
from ui.system_voice import SystemSpeaker, VoiceCommand, find_command, missing_voice_words
from ui.voice import Announcement, AnnouncementKind, SpeechQueue

posix = pytest.mark.skipif(sys.platform == "win32", reason="a shell script")


@pytest.fixture
def voice(tmp_path: Path) -> EmulatedVoice:
    return EmulatedVoice(tmp_path / "voice")


def command_in(folder: Path) -> VoiceCommand:
    found = find_command("en", "linux", lambda name: shutil.which(name, path=str(folder)))
    assert found is not None
    return found


@pytest.fixture
def speaker(voice: EmulatedVoice) -> Iterator[SystemSpeaker]:
    speaker = SystemSpeaker(command_in(voice.folder))
    yield speaker
    speaker.close()


def test_each_system_has_its_command() -> None:
    def found(platform: str, *installed: str, language: str = "de") -> VoiceCommand | None:
        return find_command(language, platform, lambda name: f"/bin/{name}" if name in installed else None)

    assert found("linux", "espeak-ng", "espeak") == VoiceCommand(("/bin/espeak-ng", "-v", "de", "--"))
    assert found("linux", "espeak-ng", "spd-say") == VoiceCommand(("/bin/spd-say", "--wait", "--language", "de", "--"))
    assert found("linux") is None
    assert found("darwin", "say") == VoiceCommand(("/bin/say", "-v", "Anna"), reads_input=True)
    assert found("darwin", "say", language="en") == VoiceCommand(("/bin/say",), reads_input=True)
    windows = found("win32", "powershell")
    assert windows.reads_input  # words among its arguments would be a script
    assert windows.arguments[-2] == "-Command"
    assert "[Globalization.CultureInfo]'de'" in windows.arguments[-1]


def test_a_missing_voice_names_the_way_out() -> None:
    assert "install the package espeak-ng" in missing_voice_words("linux")
    assert "install one in its settings" in missing_voice_words("darwin")


@posix
def test_words_are_one_argument_and_no_script(voice: EmulatedVoice, speaker: SystemSpeaker, tmp_path: Path) -> None:
    words = f"$(touch {tmp_path}/harm); 'Green \"1\"' -v xx"
    speaker.speak(words)
    until(lambda: voice.words)
    assert [(one.language, one.words) for one in voice.spoken] == [("en", words)]
    assert not (tmp_path / "harm").exists()


@posix
def test_sentences_never_overlap_and_none_is_late(voice: EmulatedVoice, speaker: SystemSpeaker) -> None:
    queue = SpeechQueue(time.monotonic)
    added_s: dict[str, float] = {}
    kinds = (AnnouncementKind.DISTANCE, AnnouncementKind.TURN, AnnouncementKind.OUTCOME)
    # One every 10 ms, while a sentence takes 50 ms; longer on a busy machine, where one may take a second.
    for count in takewhile(lambda count: count < 100 or len(voice.spoken) <= 5, range(1000)):
        words = f"Sentence {count}."
        queue.add(Announcement(kinds[count % 3], words))
        added_s[words] = time.time()
        if not speaker.busy and (one := queue.next()) is not None:
            speaker.speak(one.words)
        block(0.01)
    until(lambda: not speaker.busy)
    spoken = voice.spoken
    assert len(spoken) > 5
    assert all(after.began_s >= before.ended_s for before, after in pairwise(spoken))
    assert all(one.began_s - added_s[one.words] < 2.0 for one in spoken)
    assert speaker.problem == ""


@posix
def test_speaking_returns_at_once_and_closing_ends_a_long_sentence(tmp_path: Path) -> None:
    begun, command = tmp_path / "begun", tmp_path / "espeak-ng"
    command.write_text(f"#!/bin/sh\ntouch {begun}\nexec sleep 30\n")
    command.chmod(0o755)
    speaker = SystemSpeaker(command_in(tmp_path))
    began_s = time.monotonic()
    speaker.speak("A long story.")
    assert time.monotonic() - began_s < 0.1
    until(begun.exists)
    assert speaker.busy
    speaker.close()
    until(lambda: not speaker.busy, timeout_s=10)
    assert speaker.problem == ""


@posix
@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("#!/bin/sh\necho 'no sound card' >&2; exit 3\n", "does not work (no sound card): try it in a terminal"),
        ("#!/bin/sh\nexit 3\n", "does not work (3): try it"),
        ("#!/bin/sh\nexec sleep 30\n", "does not work (it does not finish a sentence)"),
        ("no program", "does not work ("),
    ],
)
def test_a_broken_voice_is_named(tmp_path: Path, script: str, words: str) -> None:
    (tmp_path / "espeak-ng").write_text(script)
    (tmp_path / "espeak-ng").chmod(0o755)
    speaker = SystemSpeaker(command_in(tmp_path), longest_s=0.3)
    speaker.speak("Hello.")
    until(lambda: speaker.problem)
    assert words in speaker.problem
    speaker.close()
