"""Translates the window's strings with Qt's functions; English is the default.

To add a language, run `make words LOCALE=de` and fill in `ui/desktop/translations/sandtable_de.ts` with Qt Linguist or
an editor; the program reads that file directly. Strings created before the language is known, such as module constants,
are marked with `mark` and translated with `tr`.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from pathlib import Path

from PyQt6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from rules.tabletop.errors import UserError

CONTEXT = "Sandtable"
"""Qt groups strings by context; this program has only one."""

FOLDER = Path(__file__).parent / "translations"


def tr(words: str, /, **values: object) -> str:
    """Translate a string of the window.

    Args:
        words: English, a literal so that `tools.extract_strings` finds it. Braces work as in `str.format`.
        values: The values for the braces.

    Returns:
        The translation with its values; English if there is none or its braces differ.
    """
    translated = QCoreApplication.translate(CONTEXT, words)
    if not values:
        return translated
    try:
        return translated.format(**values)
    except (KeyError, IndexError, ValueError):
        return words.format(**values)


def mark(words: str) -> str:
    """Return the string unchanged; marks it for extraction where `tr` is called later with a variable."""
    return words


class Translator(QTranslator):
    """Translates by table and leaves other strings alone."""

    def __init__(self, table: Mapping[str, str]) -> None:
        """`table` maps English strings to translations."""
        super().__init__()
        self._table = dict(table)

    def isEmpty(self) -> bool:
        """Whether the table is empty; Qt ignores empty translators."""
        return not self._table

    def translate(  # type: ignore[override]  # Qt asks the next translator only after None
        self, context: str | None, words: str | None, disambiguation: str | None = None, n: int = -1
    ) -> str | None:
        """The translation; None if there is none."""
        return self._table.get(words or "") if context == CONTEXT else None


def read(path: Path) -> dict[str, str]:
    """Read the finished translations in a .ts file.

    Raises:
        UserError: if the file is not valid.
    """
    try:
        messages = ET.parse(path).iter("message")  # noqa: S314 - a file of this program
    except ET.ParseError as error:
        raise UserError(f"{path} is not a translation file ({error}): repair or delete it") from error
    table: dict[str, str] = {}
    for message in messages:
        english, other = message.findtext("source"), message.find("translation")
        if english and other is not None and other.text and "type" not in other.attrib:
            table[english] = other.text
    return table


def load_translators(names: Sequence[str], folder: Path) -> tuple[QTranslator, ...]:
    """Load translators for the first of these languages that has a file: the program's strings, then Qt's.

    Args:
        names: In Qt's order, "de-AT" before "de" before "en"; English ends the search.
        folder: Folder of the translation files.

    Returns:
        For `QCoreApplication.installTranslator`; empty for English. They work only while they are referenced.
    """
    for name in names:
        if name.split("-")[0] == "en":
            break
        path = folder / f"sandtable_{name.replace('-', '_')}.ts"
        if path.is_file():
            own, qt = QTranslator(), path.stem.removeprefix("sandtable_")
            of_qt = own.load(f"qtbase_{qt}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
            return (Translator(read(path)), *((own,) if of_qt else ()))
    return ()


def install_translators(
    application: QCoreApplication, locale: QLocale | None = None, folder: Path = FOLDER
) -> tuple[QTranslator, ...]:
    """Install the translators for the player's language, before any widget exists; the caller keeps them.

    Raises:
        UserError: if the translation file cannot be read.
    """
    translators = load_translators((locale or QLocale.system()).uiLanguages(), folder)
    for one in translators:
        application.installTranslator(one)
    return translators
