"""Chooses the window's language: the program's own strings and those of Qt's buttons."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from ui.translation import FOLDER, use_language


def install_language(
    application: QCoreApplication, locale: QLocale | None = None, folder: Path = FOLDER
) -> QTranslator | None:
    """Use the player's language, before any widget exists.

    Returns:
        The translator of Qt's own strings, which works only while it is referenced; None for English.
    """
    name = use_language((locale or QLocale.system()).uiLanguages(), folder)
    of_qt = QTranslator()
    if name == "en" or not of_qt.load(
        f"qtbase_{name.replace('-', '_')}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    ):
        return None
    application.installTranslator(of_qt)
    return of_qt
