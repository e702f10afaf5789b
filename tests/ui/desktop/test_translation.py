"""Translations of the window, and a check that all widget texts are translatable."""

from __future__ import annotations

import ast
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import QLocale
from PyQt6.QtWidgets import QApplication, QDialogButtonBox, QMenu, QPushButton

from calibration.calibration_targets import CalibrationTargets
from rules.tabletop.errors import UserError
from tests.ui.windows import Open, Wait
from tools.extract_strings import collect, main
from ui.desktop import translation
from ui.desktop.dialogs import MarkerSizeDialog
from ui.desktop.translation import CONTEXT, Translator, install_translators, load_translators, read, tr

DESKTOP = Path(translation.__file__).parent
GERMAN = {
    "&Table": "&Tisch",
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
def german(qt: QApplication) -> Iterator[Translator]:
    translators = Translator(GERMAN)
    qt.installTranslator(translators)
    yield translators
    qt.removeTranslator(translators)


def test_menus_tooltips_tabs_and_panels_are_translated(german: Translator, open_window: Open, wait_until: Wait) -> None:
    window = open_window()
    wait_until(lambda: window.source_controller.view)
    bar = window.menuBar()
    assert bar is not None
    titles = [action.text() for action in bar.actions()]
    assert titles[:2] == ["&Tisch", "&Edit"], "what is not translated stays English"
    table = bar.actions()[0].menu()
    assert isinstance(table, QMenu)
    (leave,) = (action for action in table.actions() if action.text() == "Beenden")
    assert leave.toolTip() == "Das Programm beenden (Ctrl+Q)"
    assert "Messen" in [action.text() for action in window.actions()]
    assert window.sides.tabText(1) == "Gefecht"
    assert window.panel.rows == "Noch nichts gemessen."
    assert german.isEmpty() is False


@pytest.mark.usefixtures("german")
def test_a_dialog_is_translated() -> None:
    dialog = MarkerSizeDialog(CalibrationTargets())
    assert dialog.windowTitle() == "Größe der Marken"
    assert "Datei öffnen …" in [button.text() for button in dialog.findChildren(QPushButton)]
    dialog.deleteLater()


@pytest.mark.usefixtures("german")
def test_values_are_inserted_into_the_translation() -> None:
    assert tr("Use camera {number}", number=2) == "Kamera 2 verwenden"


@pytest.mark.parametrize("wrong", ["Kamera {nummer}", "Kamera {0}", "Kamera {number", "Kamera {number:d}"])
def test_a_translation_with_wrong_placeholders_is_not_used(qt: QApplication, wrong: str) -> None:
    translators = Translator({"Use camera {number}": wrong})
    qt.installTranslator(translators)
    assert tr("Use camera {number}", number="two") == "Use camera two"
    qt.removeTranslator(translators)


def test_without_a_translation_strings_are_english() -> None:
    assert tr("Saving {name}", name="{x}") == "Saving {x}"
    assert tr("50 % of {it}") == "50 % of {it}"


TS = """<?xml version="1.0" encoding="utf-8"?><!DOCTYPE TS><TS version="2.1"><context><name>Sandtable</name>
<message><source>Quit</source><translation>Beenden</translation></message>
<message><source>Print…</source><translation type="unfinished">Druck</translation></message>
<message><source>Fit</source><translation type="unfinished" /></message></context></TS>"""


def test_only_finished_translations_are_read(tmp_path: Path) -> None:
    path = tmp_path / "sandtable_de.ts"
    path.write_text(TS, encoding="utf-8")
    assert read(path) == {"Quit": "Beenden"}
    (tmp_path / "sandtable_pt_BR.ts").write_text(TS.replace("Beenden", "Sair"), encoding="utf-8")
    # Qt's languages of an Austrian, a Brazilian, an Englishman who knows German, and of no locale.
    assert _says(load_translators(["de-Latn-AT", "de-AT", "de"], tmp_path)) == "Beenden"
    assert _says(load_translators(["pt-Latn-BR", "pt-BR", "pt"], tmp_path)) == "Sair"
    assert load_translators(["en-GB", "en", "de"], tmp_path) == ()
    assert load_translators(["C"], tmp_path) == load_translators(["fr-FR", "fr"], tmp_path) == ()


def _says(translators: tuple[object, ...]) -> str | None:
    own = translators[0]
    assert isinstance(own, Translator)
    return own.translate("Sandtable", "Quit")


def test_a_broken_translation_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "sandtable_de.ts"
    path.write_text(TS[:200], encoding="utf-8")
    with pytest.raises(UserError, match=r"sandtable_de\.ts is not a translation file .*repair"):
        read(path)


def test_qts_buttons_are_translated(qt: QApplication, tmp_path: Path) -> None:
    (tmp_path / "sandtable_de.ts").write_text(TS, encoding="utf-8")
    translators = install_translators(qt, QLocale(QLocale.Language.German), tmp_path)
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    assert [tr("Quit"), buttons.buttons()[0].text()] == ["Beenden", "Abbrechen"]  # as PyQt6's qtbase_de.qm has it
    for one in translators:
        qt.removeTranslator(one)
    buttons.deleteLater()


# What is to be translated

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
    "QToolBar",
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
    "Refused",
]
ENGLISH = {"panel_screenshots.py", "pictures.py", "screenshot.py", "extract_strings.py", "translation.py"}
"""Developer tools, and code that runs before translation."""


def sources() -> list[Path]:
    return [path for path in sorted(DESKTOP.rglob("*.py")) if path.name not in ENGLISH]


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


def test_each_string_is_collected_once_and_translations_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "sandtable_de.ts"
    path.write_text(TS, encoding="utf-8")
    collect(path)
    found = [message.findtext("source") for message in ET.parse(path).iter("message")]  # noqa: S314 - written just now
    every = {
        call.args[0].value
        for source in DESKTOP.rglob("*.py")
        for call in ast.walk(ast.parse(source.read_text("utf-8")))
        if called(call) in ("tr", "mark") and isinstance(call, ast.Call) and isinstance(call.args[0], ast.Constant)
    }
    assert len(every) > 400
    contexts = [context.findtext("name") for context in ET.parse(path).iter("context")]  # noqa: S314 - written just now
    assert contexts == [CONTEXT], "write tr with double quotes, outside of f-strings"
    assert sorted(filter(None, found)) == sorted(every)
    assert read(path) == {"Quit": "Beenden"}


def test_an_invalid_translation_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sandtable_de.ts").write_text("no table", encoding="utf-8")
    monkeypatch.setattr("tools.extract_strings.FOLDER", tmp_path)
    assert main(["de"]) == 1
    assert "pylupdate6 rejects" in capsys.readouterr().err
