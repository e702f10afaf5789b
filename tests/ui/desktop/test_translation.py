"""The window's texts in another language, and a check that all widget texts are translatable."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import QLocale
from PyQt6.QtWidgets import QApplication, QDialogButtonBox, QMenu, QPushButton

import ui.desktop
from calibration.calibration_targets import CalibrationTargets
from tests.ui.catalogs import write_catalog
from tests.ui.windows import Open, Owned, Wait
from ui.battle.round_sequence import RoundState
from ui.desktop.appearance import install_language
from ui.desktop.battle.round_bar import RoundBar
from ui.desktop.setup.diagnosis_dialog import MarkerSizeDialog
from ui.translation import tr, use_language

DESKTOP = Path(ui.desktop.__file__).parent
GERMAN = {
    "&Table": "&Tisch",
    "{round}: one by one": "{round}: der Reihe nach",
    "opportunity fire": "Gelegenheitsfeuer",
    "Quit": "Beenden",
    "Close the program": "Das Programm beenden",
    "Measure": "Messen",
    "Battle": "Gefecht",
    "Nothing measured yet.": "Noch nichts gemessen.",
    "Marker size": "Größe der Marken",
    "Open file…": "Datei öffnen …",
    "Use camera {number}": "Kamera {number} verwenden",
}


@pytest.fixture
def german(tmp_path: Path) -> Iterator[None]:
    write_catalog(tmp_path / "locales", "de", GERMAN)
    assert use_language(["de"], tmp_path / "locales") == "de"
    yield
    use_language(["en"])


@pytest.mark.usefixtures("german")
def test_menus_tooltips_tabs_and_panels_are_translated(open_window: Open, wait_until: Wait) -> None:
    window = open_window()
    wait_until(lambda: window.store.view)
    bar = window.menuBar()
    titles = [action.text() for action in bar.actions()]
    assert titles[:2] == ["&Tisch", "&Edit"], "what is not translated stays English"
    table = bar.actions()[0].menu()
    assert isinstance(table, QMenu)
    (leave,) = (action for action in table.actions() if action.text() == "Beenden")
    assert leave.toolTip() == "Das Programm beenden (Ctrl+Q)"
    assert "Messen" in [action.text() for action in window.actions()]
    assert window.sides.tabText(1) == "Gefecht"
    assert window.panel.rows.text() == "Noch nichts gemessen."


@pytest.mark.usefixtures("german")
def test_rounds_are_translated(owned: Owned[RoundBar]) -> None:
    bar = owned(RoundBar())
    bar.offer(["Opportunity fire", "A round of another game"])
    shown = [button.text() for button in bar.findChildren(QPushButton)]
    assert {"Gelegenheitsfeuer: der Reihe nach", "A round of another game: der Reihe nach"} <= set(shown)
    assert RoundState("Opportunity fire", (), None).words == "Gelegenheitsfeuer: nobody can act", "not in this catalog"


@pytest.mark.usefixtures("german")
def test_a_dialog_is_translated() -> None:
    dialog = MarkerSizeDialog(CalibrationTargets())
    assert dialog.windowTitle() == "Größe der Marken"
    assert "Datei öffnen …" in [button.text() for button in dialog.findChildren(QPushButton)]
    dialog.deleteLater()


def test_qt_translates_its_buttons_into_the_same_language(qt: QApplication, tmp_path: Path) -> None:
    write_catalog(tmp_path, "de", GERMAN)
    of_qt = install_language(qt, QLocale(QLocale.Language.German), tmp_path)
    assert of_qt is not None
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    assert [tr("Quit"), buttons.buttons()[0].text()] == ["Beenden", "Abbrechen"]  # as PyQt6's qtbase_de.qm has it
    qt.removeTranslator(of_qt)
    buttons.deleteLater()
    assert install_language(qt, QLocale(QLocale.Language.English), tmp_path) is None
    assert tr("Quit") == "Quit"


# The strings to translate

SAYS = [
    "setText",
    "setToolTip",
    "setStatusTip",
    "setWindowTitle",
    "setPlaceholderText",
    "setAccessibleName",
    "setInformativeText",
    "setTitle",
    "QPushButton",
    "QLabel",
    "QAction",
    "QMenu",
    "QCheckBox",
    "QRadioButton",
    "QGroupBox",
    "QDockWidget",
    "QMessageBox",
    "addMenu",
    "addAction",
    "addSection",
    "addTab",
    "addRow",
    "addButton",
    "plain_label",
    "word_label",
    "marked_label",
    "tipped_button",
    "setHeaderLabels",
    "setHorizontalHeaderLabels",
    "say",
    "_say",
    "UserError",
]


def sources() -> list[Path]:
    return sorted(DESKTOP.rglob("*.py"))


def called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return getattr(node.func, "id", "") or getattr(node.func, "attr", "")


def literals(node: ast.expr) -> Iterator[ast.expr]:
    """The string literals in an argument, unless they are processed first."""
    if isinstance(node, ast.Constant | ast.JoinedStr):
        yield node
    elif isinstance(node, ast.IfExp):
        yield from (*literals(node.body), *literals(node.orelse))
    elif isinstance(node, ast.BinOp):
        yield from (*literals(node.left), *literals(node.right))
    elif isinstance(node, ast.BoolOp | ast.List | ast.Tuple):
        for one in node.values if isinstance(node, ast.BoolOp) else node.elts:
            yield from literals(one)


def has_words(node: ast.expr) -> bool:
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    said = "".join(one.value for one in parts if isinstance(one, ast.Constant) and isinstance(one.value, str))
    return bool(re.search(r"[A-Za-z]{2}", re.sub(r"<[^>]*>|&\w+;", "", said)))


def untranslated(source: str) -> list[int]:
    """Lines of a source file on which a widget gets an untranslatable text."""
    return [
        one.lineno
        for call in ast.walk(ast.parse(source))
        if called(call) in SAYS and isinstance(call, ast.Call)
        for argument in call.args
        for one in literals(argument)
        if has_words(one)
    ]


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(DESKTOP)))
def test_every_widget_text_is_translatable(path: Path) -> None:
    assert untranslated(path.read_text("utf-8")) == []


def test_untranslatable_text_is_found() -> None:
    assert untranslated('a.setText("Two words")') == [1]
    assert untranslated('a.setText(f"{n} words")') == [1]
    assert untranslated('a.setToolTip("yes" if b else tr("no"))') == [1]
    assert untranslated('a.setText(tr("{n} words", n=n)); b.setText(f"<b>{x}</b>: {y}"); c.setText("±")') == []
