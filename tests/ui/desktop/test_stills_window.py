"""Freezing, comparing and saving in the real window."""

import threading
from pathlib import Path

import pytest
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QLabel, QPushButton

from rules.tabletop.errors import UserError
from tests.ui.windows import LEFT, Wait
from ui.desktop.window import Window
from ui.picture.shapes import Label
from ui.table.correction_options import place


def drawn_words(window: Window) -> list[str]:
    return [row for shape in window.picture.shapes if isinstance(shape, Label) for row, _ in shape.rows]


def test_comparing_without_a_frozen_picture_shows_a_hint(window: Window) -> None:
    window.actions_.compare.trigger()
    assert "Freeze the picture (P)" in window.bar.text
    assert not window.actions_.compare.isChecked()
    assert not window.features.frozen_frame.comparing


def test_before_and_now_alternate_and_moves_are_shown_in_inches(window: Window, wait_until: Wait) -> None:
    window.store.use_tool("select")
    window.actions_.freeze.setChecked(True)
    wait_until(lambda: window.store.view.frame is window.store.source_controller.worker.frame is window.store.frame)
    still = window.store.frame
    window.actions_.compare.trigger()
    assert not window.actions_.freeze.isChecked(), "now goes on"
    view = window.store.view
    remedy = place(view, next(f for f in view.figures if f.id == "green-1"), (8.0, 15.0), 0.0)
    window.store.change(lambda: window.store.session.correct(remedy.label, *remedy.corrections))
    wait_until(lambda: window.panel.headline.text() == "1 change")
    assert any(words.startswith("moved 5.0 in") for words in drawn_words(window))
    wait_until(lambda: window.store.frame is not still)
    shown = set()

    def both() -> bool:
        frame, _ = window.features.frozen_frame.shown(window.store.frame, window.store.view)
        shown.add((window.features.frozen_frame.shows_then, frame is still))
        return len(shown) == 2

    wait_until(both)
    assert shown == {(True, True), (False, False)}
    hint = next(label for label in window.findChildren(QLabel) if label.text().startswith(("BEFORE", "NOW:")))
    window.actions_.compare.trigger()
    assert not hint.text().startswith(("BEFORE", "NOW"))
    assert not any(words.startswith("moved") for words in drawn_words(window))
    # The frozen picture is kept and can be compared again.
    window.actions_.compare.trigger()
    assert window.features.frozen_frame.comparing


def test_another_table_ends_the_comparison(window: Window, wait_until: Wait) -> None:
    window.actions_.freeze.setChecked(True)
    window.actions_.compare.trigger()
    assert window.features.frozen_frame.comparing
    window.store.open("demo")
    assert not window.features.frozen_frame.comparing
    window.actions_.compare.trigger()
    assert "Freeze the picture (P)" in window.bar.text


def test_a_slow_save_shows_progress_and_can_be_cancelled(window: Window, wait_until: Wait, tmp_path: Path) -> None:
    gate = threading.Event()
    path = tmp_path / "sheet.pdf"
    window.features.frozen_frame.background_save.send(
        path, lambda: b"x" if gate.wait(20) else b"", "Drawing sheet.pdf", "done"
    )
    wait_until(lambda: window.bar.text == "Drawing sheet.pdf…")
    window.commands.save_snapshot(tmp_path / "table.png")
    assert "Drawing sheet.pdf is still running" in window.bar.text
    cancel = [button for button in window.bar.findChildren(QPushButton) if button.text() == "Cancel"][-1]
    QTest.mouseClick(cancel, LEFT)
    gate.set()
    wait_until(lambda: window.bar.text == "Cancelled. Nothing was saved.")
    assert list(tmp_path.glob("*.p*")) == []
    window.commands.save_snapshot(tmp_path / "table.png")
    wait_until(lambda: "Saved" in window.bar.text)


def test_a_running_save_is_finished_before_the_program_ends(window: Window, tmp_path: Path) -> None:
    window.commands.save_snapshot(tmp_path / "table.png")
    window.close()
    assert (tmp_path / "table.png").stat().st_size > 1000


def test_a_failed_save_shows_its_error(window: Window, wait_until: Wait, tmp_path: Path) -> None:
    def refuse() -> bytes:
        raise UserError("no font is installed")

    window.features.frozen_frame.background_save.send(tmp_path / "sheet.pdf", refuse, "Drawing sheet.pdf", "done")
    wait_until(lambda: window.bar.text == "No font is installed")


@pytest.mark.parametrize("name", ["table.xyz", "table"])
def test_an_unknown_picture_format_is_refused_at_once(window: Window, tmp_path: Path, name: str) -> None:
    window.commands.save_snapshot(tmp_path / name)
    assert "needs a name ending in" in window.bar.text
