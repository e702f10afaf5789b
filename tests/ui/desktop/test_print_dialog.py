"""The print dialog, operated by keys and clicks, and printing from the window."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QToolButton

from calibration.print_scale import PrintScale
from rules.engine.roster import Army, Recruit
from tests.ui.windows import Owned, Wait
from ui.battle.battle_setup import ArmyLists, save_army
from ui.desktop.printing import PrintDialog
from ui.desktop.window import Window
from ui.paper.printing import PrintJob, SheetKind

LEFT = Qt.MouseButton.LeftButton
ARMY = Army(name="Guards", game="plastic_fudge", recruits=(Recruit(figure="green-1", card="commander"),))


@pytest.fixture
def store(tmp_path: Path) -> ArmyLists:
    return ArmyLists(tmp_path / "armies")


@pytest.fixture
def dialog(owned: Owned[PrintDialog], store: ArmyLists) -> PrintDialog:
    store.keep(ARMY)
    opened = owned(PrintDialog(PrintJob(paper="a4", dictionary="5X5_50"), store))
    opened.show()
    return opened


def choose(dialog: PrintDialog, words: str) -> None:
    """Select a kind with the arrow keys."""
    dialog.kind.setFocus()
    QTest.keyClick(dialog.kind, Qt.Key.Key_Home)
    for _ in range(dialog.kind.count()):
        if dialog.kind.currentText().startswith(words):
            return
        QTest.keyClick(dialog.kind, Qt.Key.Key_Down)
    raise AssertionError(f"no kind {words}")


def shown(dialog: PrintDialog) -> bytes:
    image = dialog.picture.pixmap().toImage()
    bits = image.constBits()
    return b"" if bits is None else bits.asstring(image.sizeInBytes())


def test_every_kind_has_its_own_preview(dialog: PrintDialog) -> None:
    jobs, pictures = [], set()
    for kind in ("Markers, two", "Markers, one", "Small markers", "Board", "Range rod", "Unit cards"):
        choose(dialog, kind)
        jobs.append((dialog.job.kind, dialog.job.side_in))
        pictures.add(shown(dialog))
        assert dialog.problem.text() == ""
        assert dialog.save.isEnabled()
    assert jobs == [
        (SheetKind.MARKERS, 3.0),
        (SheetKind.MARKERS, 4.5),
        (SheetKind.EDGE, 1.5),
        (SheetKind.BOARD, None),
        (SheetKind.ROD, None),
        (SheetKind.CARDS, None),
    ]
    assert len(pictures) == 6
    assert {(dialog.job.paper, dialog.job.dictionary)} == {("a4", "5X5_50")}


def test_only_the_inputs_of_a_kind_are_shown(dialog: PrintDialog) -> None:
    choose(dialog, "Markers, two")
    assert dialog.side.isVisible()
    assert not dialog.cards.isVisible()
    choose(dialog, "Unit cards")
    assert dialog.cards.isVisible()
    assert not dialog.side.isVisible()


def test_the_pages_are_turned(dialog: PrintDialog) -> None:
    back, on = dialog.findChildren(QToolButton)
    assert dialog.page.text() == "Page 1 of 2"
    assert not back.isEnabled()
    first = shown(dialog)
    QTest.mouseClick(on, LEFT)
    assert dialog.page.text() == "Page 2 of 2"
    assert not on.isEnabled()
    assert shown(dialog) != first
    QTest.mouseClick(back, LEFT)
    assert shown(dialog) == first


def test_measured_scales_correct_the_print_and_impossible_ones_are_refused(dialog: PrintDialog) -> None:
    before = shown(dialog)
    dialog.across.selectAll()
    QTest.keyClicks(dialog.across, "98,5")
    QTest.keyClick(dialog.across, Qt.Key.Key_Return)
    dialog.down.selectAll()
    QTest.keyClicks(dialog.down, "101")
    assert dialog.job.scale == PrintScale(98.5, 101.0)
    assert shown(dialog) != before
    dialog.down.selectAll()
    QTest.keyClicks(dialog.down, "140")
    assert dialog.problem.text().startswith("The upright scale cannot be 140 mm long")
    assert not dialog.save.isEnabled()
    assert dialog.picture.pixmap().isNull()
    dialog.down.selectAll()
    QTest.keyClicks(dialog.down, "100")
    assert dialog.problem.text() == ""
    assert dialog.save.isEnabled()


def test_a_too_large_side_is_refused(dialog: PrintDialog) -> None:
    dialog.side.selectAll()
    QTest.keyClicks(dialog.side, "9")
    assert dialog.problem.text().startswith("A marker of 9 in cannot be used on a4 paper")


def test_cards_come_from_a_game_or_a_saved_army_list(dialog: PrintDialog) -> None:
    choose(dialog, "Unit cards")
    assert dialog.job.game == "army_men"
    dialog.cards.setFocus()
    QTest.keyClick(dialog.cards, Qt.Key.Key_End)
    assert dialog.cards.currentText() == "Guards (Plastic Fudge)"
    assert (dialog.job.army, dialog.job.game) == (ARMY, "")
    assert "168 points" in dialog.about.text()
    choose(dialog, "Board")
    assert dialog.job.army is None
    assert "lens" in dialog.about.text()


def test_an_army_list_file_is_offered_and_other_files_are_refused(dialog: PrintDialog, tmp_path: Path) -> None:
    choose(dialog, "Unit cards")
    save_army(tmp_path / "x.json", Army(name="Tans", game="army_men", recruits=(Recruit(figure="a", card="tank"),)))
    dialog.open_army(tmp_path / "x.json")
    assert dialog.cards.currentText() == "Tans (Army Men)"
    (tmp_path / "diary.json").write_text("Dear diary")
    dialog.open_army(tmp_path / "diary.json")
    assert "is not JSON" in dialog.problem.text()
    assert dialog.cards.currentText() == "Tans (Army Men)"


def test_saving_accepts_and_escape_does_not(dialog: PrintDialog) -> None:
    QTest.mouseClick(dialog.save, LEFT)
    assert dialog.result() == PrintDialog.DialogCode.Accepted
    dialog.show()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.result() == PrintDialog.DialogCode.Rejected


def test_the_dialog_opens_with_the_given_job(owned: Owned[PrintDialog], store: ArmyLists) -> None:
    job = PrintJob(kind=SheetKind.MARKERS, side_in=2.5, scale=PrintScale(99, 102))
    assert owned(PrintDialog(job, store)).job == job


def test_a_sheet_is_printed_from_the_menu_and_the_printers_scale_is_stored(
    window: Window, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, wait_until: Wait
) -> None:
    pdf, offered = tmp_path / "out.pdf", []

    def answer(job: PrintJob, _: object) -> tuple[PrintJob, Path]:
        offered.append(job)
        return replace(job, kind=SheetKind.BOARD, scale=PrintScale(98.5, 101.0)), pdf

    monkeypatch.setattr("ui.desktop.printing.ask_sheet", answer)
    QTest.keyClick(window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    wait_until(lambda: window.bar.text.endswith("Print it at 100 % (actual size)."))
    assert pdf.read_bytes().startswith(b"%PDF")
    window.commands.print_sheets()
    assert [job.scale for job in offered] == [PrintScale(), PrintScale(98.5, 101.0)]
