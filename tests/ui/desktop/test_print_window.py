"""Printing from the window's menu."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from calibration.print_scale import PrintScale
from tests.ui.windows import Wait
from ui.desktop.window import Window
from ui.paper.printing import Kind, PrintJob


def test_a_sheet_is_printed_from_the_menu_and_the_printers_scale_is_stored(
    window: Window, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, wait_until: Wait
) -> None:
    pdf, offered = tmp_path / "out.pdf", []

    def answer(job: PrintJob, _: object) -> tuple[PrintJob, Path]:
        offered.append(job)
        return replace(job, kind=Kind.BOARD, scale=PrintScale(98.5, 101.0)), pdf

    monkeypatch.setattr("ui.desktop.print_controller.ask_sheet", answer)
    QTest.keyClick(window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    wait_until(lambda: window.bar.text.endswith("Print it at 100 % (actual size)."))
    assert pdf.read_bytes().startswith(b"%PDF")
    window.print_sheets()
    assert [job.scale for job in offered] == [PrintScale(), PrintScale(98.5, 101.0)]
