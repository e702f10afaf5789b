"""Screenshots of the window, light and dark, and the clipped text in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QApplication, QComboBox, QDialog, QLabel, QLineEdit, QListWidget, QPushButton, QWidget

from rules.tabletop.errors import UserError
from tests.ui.windows import Wait
from tools.layout_check import SCREEN, layout_problems
from tools.panel_screenshots import PanelScreenshots, help_scene
from ui.desktop.table.panel import SidePanel
from ui.desktop.widgets import fit_font, wrapping_label
from ui.desktop.window import Window
from ui.table.finding import Answer

LONG = "Far more words than there is room for in so narrow a place"


def shown(part: QWidget, width: int, height: int) -> QWidget:
    """The widget in a window of at most this size."""
    around = QWidget()
    around.resize(600, 400)
    part.setParent(around)
    part.setGeometry(0, 0, width, height)
    around.show()
    return around


@pytest.mark.usefixtures("qt")
def test_only_clipped_widgets_are_reported() -> None:
    several = wrapping_label(LONG)
    chosen = QComboBox()
    chosen.addItem(LONG)
    line = QLineEdit()
    line.setPlaceholderText(LONG)
    rows = QListWidget()
    rows.addItem(LONG)
    rows.setAccessibleName("Rows")
    for part, narrow in (
        (QLabel(LONG), (80, 30)),
        (QPushButton(LONG), (80, 30)),
        (several, (80, 30)),
        (chosen, (80, 30)),
        (rows, (80, 60)),
        (line, (80, 30)),
    ):
        around = shown(part, *narrow)
        assert len(layout_problems(around)) == 1, type(part).__name__
        part.setGeometry(0, 0, 550, 60)
        assert layout_problems(around) == ()
        part.setGeometry(0, 0, *narrow)
        part.hide()
        assert layout_problems(around) == (), "what is hidden need not be read"
        around.deleteLater()


@pytest.mark.usefixtures("qt")
def test_a_dialog_must_leave_room_for_its_title() -> None:
    window = QWidget()
    window.resize(*SCREEN)
    assert layout_problems(window) == ()
    dialog = QDialog(window)
    dialog.setWindowTitle("Large")
    dialog.resize(600, 768 - 40)
    assert layout_problems(dialog) == ()
    dialog.resize(600, 768 - 39)
    assert layout_problems(dialog) == ("600 x 729 pixels exceed the limit of 1366 x 728",)
    window.deleteLater()


@pytest.mark.usefixtures("qt")
def test_only_a_long_answer_is_shrunk() -> None:
    panel = SidePanel()
    panel.show_answer(Answer("no more than 11.4 in ± 0.2", ()))
    panel.show()
    assert layout_problems(panel) == ()
    small = panel.headline.fontInfo().pixelSize()
    panel.show_answer(Answer("11.4 in ± 0.2", ()))
    assert layout_problems(panel) == ()
    assert panel.headline.fontInfo().pixelSize() > small
    font = panel.font()
    assert fit_font(font, "a", 500) is font
    panel.deleteLater()


@pytest.mark.slow
def test_screenshots_of_menus_and_help_are_saved_and_fit(window: Window, tmp_path: Path) -> None:
    screenshots = PanelScreenshots(tmp_path, "light")
    help_scene(screenshots, window, tmp_path)
    assert screenshots.problems == []
    kept = {path.stem.removesuffix("-light") for path in tmp_path.glob("*.png")}
    assert kept >= {"menu-table", "menu-battle", "menu-help", "keys", "about", "licences", "details", "last-resort"}
    assert not QImage(str(tmp_path / "keys-light.png")).isNull()


def test_a_missing_folder_is_refused(window: Window, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot write .*choose another folder"):
        PanelScreenshots(tmp_path / "none", "light").keep("window", window)


def test_a_modal_dialog_is_saved_and_closed(window: Window, tmp_path: Path, wait_until: Wait) -> None:
    screenshots = PanelScreenshots(tmp_path, "dark")

    def ask() -> None:
        dialog = QDialog(window)
        assert dialog.exec() == QDialog.DialogCode.Rejected

    screenshots.keep_asked("asked", ask)
    assert (tmp_path / "asked-dark.png").exists()
    wait_until(lambda: QApplication.activeModalWidget() is None)
