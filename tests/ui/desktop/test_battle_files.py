"""What the menu Battle does with files."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtWidgets import QPushButton

from benchmarks.damaged_saves import without_checksums
from rules.events import Noted
from tests.ui.desktop.test_battle_window import mustered
from tests.ui.windows import Wait
from ui.desktop.window import Window


def test_a_battle_is_told_as_a_text(window: Window, tmp_path: Path) -> None:
    window.files.save_story(tmp_path / "none.txt")
    assert "There is no battle to tell of" in window.bar.text
    assert not (tmp_path / "none.txt").exists()
    mustered(window, tmp_path / "b")
    window.files.save_story(tmp_path / "evening.txt")
    assert window.battle.play is not None
    assert (tmp_path / "evening.txt").read_text("utf-8").splitlines() == list(window.battle.play.story)
    assert "is saved" in window.bar.text
    window.files.save_story(tmp_path / "nowhere" / "evening.txt")
    assert "nowhere" in window.bar.text
    assert "is saved" not in window.bar.text


def damaged(window: Window, path: Path) -> Path:
    """A battle of this window, closed, with a letter of its last entry changed."""
    mustered(window, path)
    assert window.battle.play is not None
    window.battle.play.battle.record(Noted(text="Tea in the garden"))
    window.battle.close()
    path.write_bytes(path.read_bytes().replace(b"Tea in the garden", b"Tea in the kitchen"[:17]))
    return path


def test_a_damaged_battle_goes_on_in_a_copy(
    window: Window, tmp_path: Path, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, copy = damaged(window, tmp_path / "b"), tmp_path / "copy.battle"
    before = path.read_bytes()
    monkeypatch.setattr("ui.desktop.battle.files.ask_battle", lambda _: path)
    monkeypatch.setattr("ui.desktop.battle.opening.ask_where", lambda *_: copy)
    window.files.open_battle()
    wait_until(lambda: "is not as it was written" in window.bar.text)
    assert window.battle.play is None
    [button] = [one for one in window.bar.findChildren(QPushButton) if one.isVisibleTo(window.bar)]
    assert button.text() == "Open a copy"
    button.click()
    wait_until(lambda: window.battle.play is not None)
    assert window.battle.play is not None
    assert window.battle.play.battle.path == copy
    assert "Taken over from b" in window.battle.play.story[-1]
    assert path.read_bytes() == before


def test_a_battle_without_checksums_says_so(
    window: Window, tmp_path: Path, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    mustered(window, tmp_path / "b")
    window.battle.close()
    without_checksums(tmp_path / "b")
    monkeypatch.setattr("ui.desktop.battle.files.ask_battle", lambda _: tmp_path / "b")
    window.files.open_battle()
    wait_until(lambda: window.battle.play is not None)
    assert "without checksums" in window.bar.text


def test_a_long_battle_tells_how_far_it_is_and_can_be_cancelled(
    window: Window, tmp_path: Path, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    mustered(window, tmp_path / "b")
    window.battle.close()
    monkeypatch.setattr("ui.desktop.battle.files.ask_battle", lambda _: tmp_path / "b")
    may_go_on = threading.Event()

    def slow(_path: Path, _clock: object, step: Callable[[int, int], None]) -> None:
        step(30, 100)
        may_go_on.wait(20)
        step(31, 100)

    monkeypatch.setattr("ui.desktop.battle.opening.Battle.open", slow)
    window.files.open_battle()
    assert window.bar.text == "Opening b … 30 %"
    [button] = [one for one in window.bar.findChildren(QPushButton) if one.isVisibleTo(window.bar)]
    button.click()
    may_go_on.set()
    wait_until(lambda: window.bar.text == "Cancelled: no battle was opened.")
    assert window.battle.play is None
