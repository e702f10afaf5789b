"""The language of what the widgets say, by Qt's own translation functions; English where there is no other.

Whoever adds a language runs `make words TONGUE=de`, fills in `ui/desktop/translations/sandtable_de.ts` with Qt
Linguist or an editor, and is done: the file is read as it is. Words that are set up before the language is known, as
constants of a module, are marked with `mark` and said with `tr`.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from pathlib import Path

from PyQt6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from rules.tabletop.errors import UserError

CONTEXT = "Sandtable"
"""Qt sorts words by context; this program has one."""

FOLDER = Path(__file__).parent / "translations"


def tr(words: str, /, **values: object) -> str:
    """The words in the language of the window.

    Args:
        words: In English, a literal, which `tools.extract_strings` collects. Braces work as in `str.format`.
        values: The values for the braces.

    Returns:
        The translation with the values; in English where there is none, or where its braces are not the same.
    """
    said = QCoreApplication.translate(CONTEXT, words)
    if not values:
        return said
    try:
        return said.format(**values)
    except (KeyError, IndexError, ValueError):
        return words.format(**values)


def mark(words: str) -> str:
    """The same words, to be collected for translation here and said with `tr` elsewhere."""
    return words


class Translator(QTranslator):
    """Says what a table has, and leaves the rest as it is."""

    def __init__(self, table: Mapping[str, str]) -> None:
        """`table` gives for English words those of another language."""
        super().__init__()
        self._table = dict(table)

    def isEmpty(self) -> bool:  # noqa: N802 - Qt's name
        """Whether it says nothing; Qt asks no translator that does not."""
        return not self._table

    def translate(  # type: ignore[override]  # Qt goes on to the next translator only where it is None
        self, context: str | None, words: str | None, disambiguation: str | None = None, n: int = -1
    ) -> str | None:
        """The words in this language; None where it does not know them."""
        return self._table.get(words or "") if context == CONTEXT else None


def read(path: Path) -> dict[str, str]:
    """What a file of translations (Qt's .ts) has that is finished.

    Raises:
        UserError: if it is none.
    """
    try:
        messages = ET.parse(path).iter("message")  # noqa: S314 - a file of this program
    except ET.ParseError as error:
        raise UserError(f"{path} is no file of translations ({error}): mend it, or take it away") from error
    table: dict[str, str] = {}
    for message in messages:
        english, other = message.findtext("source"), message.find("translation")
        if english and other is not None and other.text and "type" not in other.attrib:
            table[english] = other.text
    return table


def tongues(names: Sequence[str], folder: Path) -> tuple[QTranslator, ...]:
    """What speaks the first of these languages that there is a file for: this program's words, and Qt's own.

    Args:
        names: As Qt gives them, "de-AT" before "de" before "en"; English ends the search.
        folder: Of the files.

    Returns:
        For `QCoreApplication.installTranslator`; empty for English. They must be kept as long as they are to speak.
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


def speak(
    application: QCoreApplication, locale: QLocale | None = None, folder: Path = FOLDER
) -> tuple[QTranslator, ...]:
    """Let the window speak the player's language, before any of it is built; the caller keeps what is given back.

    Raises:
        UserError: if its file cannot be read.
    """
    spoken = tongues((locale or QLocale.system()).uiLanguages(), folder)
    for one in spoken:
        application.installTranslator(one)
    return spoken
