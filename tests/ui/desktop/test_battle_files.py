"""What the menu Battle does with files."""

from __future__ import annotations

from pathlib import Path

from tests.ui.desktop.test_battle_window import mustered
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
