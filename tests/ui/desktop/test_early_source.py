"""The first source, opened while the program is imported."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtCore import QSettings

from ui.desktop import source_opening
from ui.desktop.settings import Settings
from ui.desktop.source_opening import EarlySource
from vision.source import Source


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """What was opened; the user's settings name a film."""
    settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    Settings(settings).settings.setValue("source", "battle.mp4")
    monkeypatch.setattr(source_opening, "stored_settings", lambda: settings)
    specs: list[str] = []

    def open_it(spec: str) -> Source:
        specs.append(spec)
        return _Opened()

    monkeypatch.setattr(source_opening, "open_source", open_it)
    return specs


class _Opened(Source):
    def read(self) -> None:
        return None

    def close(self) -> None:
        pass


def test_the_simulated_table_is_handed_over_once(opened: list[str]) -> None:
    early = EarlySource("demo")
    assert isinstance(early.take("demo"), _Opened)
    assert early.take("demo") is None
    assert opened == ["demo"]


def test_another_source_is_not_opened_early(opened: list[str]) -> None:
    assert EarlySource("0").take("0") is None
    assert EarlySource(None).take("battle.mp4") is None
    assert opened == []


def test_a_source_chosen_since_is_opened_as_usual(opened: list[str]) -> None:
    assert EarlySource("demo").take("table.jpg") is None
