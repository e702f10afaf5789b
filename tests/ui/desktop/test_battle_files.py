"""The file commands of the Battle menu."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QApplication, QComboBox, QDialog, QPushButton

from rules.engine.events import Noted
from tests.ui.desktop.test_battle_window import mustered
from tests.ui.stories import answering, words_of
from tests.ui.windows import Wait
from tools.damaged_saves import without_checksums
from ui.desktop.window import Window


def test_a_battle_is_saved_as_text(window: Window, tmp_path: Path) -> None:
    window.files.save_story(tmp_path / "none.txt")
    assert "There is no battle yet" in window.bar.text
    assert not (tmp_path / "none.txt").exists()
    mustered(window, tmp_path / "b")
    window.files.save_story(tmp_path / "evening.txt")
    assert window.battle.play is not None
    assert (tmp_path / "evening.txt").read_text("utf-8").splitlines() == list(window.battle.play.story)
    assert "Saved" in window.bar.text
    window.files.save_story(tmp_path / "nowhere" / "evening.txt")
    assert "nowhere" in window.bar.text
    assert "Saved" not in window.bar.text


def test_an_existing_file_name_keeps_the_dialogs_input(
    window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken, free = tmp_path / "taken.battle", tmp_path / "free.battle"
    mustered(window, taken)
    window.battle.close()
    paths, shown = iter((taken, free)), []
    monkeypatch.setattr("ui.desktop.battle.files.ask_where", lambda *_: next(paths))

    def again() -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, QDialog) and dialog.isVisible():
            games = dialog.findChildren(QComboBox)[0]
            shown.append((games.currentText(), words_of(dialog)))
            games.setCurrentIndex(1)
            dialog.accept() if len(shown) < 3 else dialog.reject()

    timer = QTimer()
    timer.timeout.connect(again)
    timer.start(50)
    window.files.new_battle()
    timer.stop()
    assert window.battle.play is not None, shown
    assert window.battle.play.battle.path == free
    (first, _), (second, words) = shown
    assert first != second, "the game that was chosen is still chosen"
    assert "already holds a battle" in words


def test_a_battle_of_one_army_is_refused_before_its_dialog(window: Window) -> None:
    window.panel.forget.emit("blue")
    with answering():
        window.files.new_battle()
    assert "needs two armies" in window.bar.text


def damaged(window: Window, path: Path) -> Path:
    """A closed battle whose last entry has a changed character."""
    mustered(window, path)
    assert window.battle.play is not None
    window.battle.play.battle.record(Noted(text="Tea in the garden"))
    window.battle.close()
    path.write_bytes(path.read_bytes().replace(b"Tea in the garden", b"Tea in the kitchen"[:17]))
    return path


def test_a_damaged_battle_continues_in_a_copy(
    window: Window, tmp_path: Path, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, copy = damaged(window, tmp_path / "b"), tmp_path / "copy.battle"
    before = path.read_bytes()
    monkeypatch.setattr("ui.desktop.battle.files.ask_battle", lambda _: path)
    monkeypatch.setattr("ui.desktop.battle.opening.ask_where", lambda *_: copy)
    window.files.open_battle()
    wait_until(lambda: "does not match its checksum" in window.bar.text)
    assert window.battle.play is None
    [button] = [one for one in window.bar.findChildren(QPushButton) if one.isVisibleTo(window.bar)]
    assert button.text() == "Open copy"
    button.click()
    wait_until(lambda: window.battle.play is not None)
    assert window.battle.play is not None
    assert window.battle.play.battle.path == copy
    assert "Copied from b" in window.battle.play.story[-1]
    assert path.read_bytes() == before


def test_a_battle_without_checksums_shows_a_message(
    window: Window, tmp_path: Path, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    mustered(window, tmp_path / "b")
    window.battle.close()
    without_checksums(tmp_path / "b")
    monkeypatch.setattr("ui.desktop.battle.files.ask_battle", lambda _: tmp_path / "b")
    window.files.open_battle()
    wait_until(lambda: window.battle.play is not None)
    assert "without checksums" in window.bar.text


def test_opening_a_long_battle_shows_progress_and_can_be_cancelled(
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
    wait_until(lambda: window.bar.text == "Cancelled. No battle was opened.")
    assert window.battle.play is None
