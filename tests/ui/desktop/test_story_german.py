"""A player chooses German, starts again, and reads the whole window in German."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import QLocale, QSettings
from PyQt6.QtGui import QAction

from tests.ui.windows import POSTS, Open, Wait, click
from tools.layout_check import SCREEN, layout_problems
from ui.desktop.appearance import chosen_locale
from ui.desktop.settings import Settings
from ui.desktop.window import Window
from ui.translation import use_language


@pytest.fixture
def english_afterwards() -> Iterator[None]:
    yield
    use_language(["en"])


def choice(actions: dict[str, QAction], text: str) -> QAction:
    [found] = [action for action in actions.values() if action.text() == text]
    return found


def menu_titles(window: Window) -> list[str]:
    bar = window.menuBar()
    return [action.text().replace("&", "") for action in bar.actions()]


@pytest.mark.usefixtures("english_afterwards")
@pytest.mark.slow
def test_the_window_is_german_after_the_next_start(open_window: Open, wait_until: Wait) -> None:
    first = open_window()
    wait_until(lambda: first.store.view)
    assert choice(first.appearance.languages, "System language").isChecked()
    choice(first.appearance.languages, "Deutsch").trigger()
    assert "View" in menu_titles(first), "widgets keep their language until the next start"
    assert "The language changes when Sandtable starts again." in first.bar.text
    first.close()

    assert use_language(["de"]) == "de"
    window = open_window()
    window.resize(*SCREEN)
    window.show()
    wait_until(lambda: window.store.view)
    assert choice(window.appearance.languages, "Deutsch").isChecked()
    assert menu_titles(window)[:3] == ["Tisch", "Bearbeiten", "Werkzeuge"]
    assert menu_titles(window)[-1] == "Hilfe"
    click(window, POSTS["green-1"])
    click(window, POSTS["blue-1"])
    wait_until(lambda: "Zoll ±" in window.panel.headline.text())
    for number in range(window.sides.count()):
        window.sides.setCurrentIndex(number)
        # Qt gives a changed label its new width in the next pass of the event loop.
        wait_until(lambda: not layout_problems(window))


def test_the_chosen_language_is_stored(tmp_path: Path) -> None:
    settings = Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
    assert chosen_locale(settings) is None
    settings.language = "de"
    locale = chosen_locale(settings)
    assert locale.language() is QLocale.Language.German
