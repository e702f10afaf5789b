"""Filming a battle in the real window."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtTest import QTest

from calibration.opencv import cv2
from tests.ui.battle.filmed import fought
from tests.ui.desktop.test_battle_window import started_battle
from tests.ui.windows import LEFT, Owned, Wait
from ui.desktop.battle.film import FilmDialog
from ui.desktop.window import Window


def opened(window: Window) -> FilmDialog:
    window.features.history.save_film()
    dialog = window.features.history.film
    assert dialog is not None
    return dialog


def test_without_a_battle_there_is_nothing_to_film(window: Window) -> None:
    window.features.history.save_film()
    assert window.features.history.film is None
    assert "no battle" in window.bar.text


def test_a_battle_is_filmed(window: Window, tmp_path: Path, wait_until: Wait, monkeypatch: pytest.MonkeyPatch) -> None:
    started_battle(window, tmp_path / "b")
    path = tmp_path / "b.webp"
    asked: list[str] = []

    def where(_: object, __: str, name: str, kinds: str) -> Path:
        asked.append(f"{name} {kinds}")
        return path

    monkeypatch.setattr("ui.desktop.battle.film.ask_where", where)
    dialog = opened(window)
    dialog.format.setCurrentIndex(1)
    dialog.speed.setCurrentIndex(2)
    QTest.mouseClick(dialog.save, LEFT)
    assert asked == ["b.webp Films (*.webp)"]
    assert dialog.bar.isVisible()
    assert not dialog.save.isEnabled()
    wait_until(lambda: window.features.history.film is None)
    assert window.bar.text == f"Saved {path}."
    done, film = cv2.imreadanimation(str(path))
    assert done
    assert int(film.durations[0]) == 1750, "3.5 s at double speed"


def test_a_film_is_cancelled(window: Window, tmp_path: Path, wait_until: Wait, owned: Owned[FilmDialog]) -> None:
    said: list[str] = []
    with fought(tmp_path / "b", actions=12) as battle:
        dialog = owned(FilmDialog(battle, None, said.append, window))
        dialog.show()
        dialog.film(tmp_path / "b.mp4")
        wait_until(lambda: dialog.bar.value() > 0)
        QTest.mouseClick(dialog.cancel, LEFT)
        wait_until(lambda: said)
    assert said == ["Cancelled. Nothing was saved."]
    assert not dialog.isVisible()
    assert not list(tmp_path.glob("*.mp4"))


def test_closing_the_window_ends_a_film(window: Window, tmp_path: Path) -> None:
    started_battle(window, tmp_path / "b")
    opened(window).film(tmp_path / "b.mp4")
    window.close()
    assert not list(tmp_path.glob("*.mp4"))


def test_a_file_that_cannot_be_written_is_refused(window: Window, tmp_path: Path) -> None:
    started_battle(window, tmp_path / "b")
    dialog = opened(window)
    dialog.film(tmp_path / "nowhere" / "b.mp4")
    assert "nowhere" in dialog.note.text()
    assert dialog.save.isEnabled()
    QTest.mouseClick(dialog.cancel, LEFT)
    assert window.features.history.film is None
