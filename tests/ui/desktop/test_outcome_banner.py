"""The banner fades after two seconds, and the mouse goes through it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtWidgets import QApplication, QWidget

from tests.ui.desktop.test_battle_window import press, rolls, started_battle
from tests.ui.windows import POSTS, Owned, click, next_phase
from ui.desktop.messages import OutcomeBanner
from ui.desktop.window import Window


def test_it_fades_after_two_seconds(owned: Owned[QWidget]) -> None:
    now_s = [50.0]
    banner = OutcomeBanner(lambda: now_s[0])
    owned(banner)
    banner.announce("Missed")
    now_s[0] = 51.4
    banner.advance()
    assert (banner.isVisible(), banner.opacity) == (True, 1.0)
    now_s[0] = 51.75
    assert banner.opacity == pytest.approx(0.5)
    now_s[0] = 52.0
    banner.advance()
    assert (banner.isVisible(), banner.words) == (False, "")


@pytest.mark.parametrize("words", ["Missed", "HIT! Take Tan 1, 2, 3, 4 and 5 off, Green 1, 2 and 3 down, and more"])
def test_short_and_long_words_are_painted(owned: Owned[QWidget], words: str) -> None:
    banner = OutcomeBanner(lambda: 0.0)
    owned(banner)
    banner.resize(900, 176)
    banner.announce(words)
    image = banner.grab().toImage()
    white = sum(image.pixelColor(x, y).lightness() > 200 for x in range(0, 900, 3) for y in range(0, 176, 3))
    assert white > 200  # of 17 700 samples


def test_a_shot_is_announced_over_the_picture_and_clicks_go_through(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b")
    next_phase(window)
    next_phase(window)
    window.store.use_tool("select")
    click(window, POSTS["green-1"])
    panel.action_list.choose(0)
    rolls(window, 6)
    before = QApplication.focusWidget()
    press(panel, "Roll")
    assert window.banner.words == "HIT! Take Blue 1 off"
    assert window.banner.isVisible()
    assert window.banner.width() == window.picture.width()
    assert QApplication.focusWidget() is not window.banner
    assert before is not window.banner
    middle = window.banner.geometry().center()
    assert window.picture.parentWidget().childAt(middle) is window.picture
    window.commands.undo()
    assert window.banner.words == ""
    assert window.toast.words.text() == "Undone: Green 1: Attack on Blue 1, kills."
