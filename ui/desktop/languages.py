"""Chooses the window's language: the program's own strings and those of Qt's buttons."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator
from PyQt6.QtWidgets import QMenu

from ui.desktop.choice_menu import ChoiceMenu
from ui.desktop.settings import Settings
from ui.translation import FOLDER, languages, tr, use_language


def install_language(
    application: QCoreApplication, locale: QLocale | None = None, folder: Path = FOLDER
) -> QTranslator | None:
    """Use the player's language, by default the system's, before any widget exists.

    Return the translator of Qt's own strings, which works only while it is referenced; None for English.
    """
    name = use_language((locale or QLocale.system()).uiLanguages(), folder)
    of_qt = QTranslator()
    if name == "en" or not of_qt.load(
        f"qtbase_{name.replace('-', '_')}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    ):
        return None
    application.installTranslator(of_qt)
    return of_qt


def chosen_locale(settings: Settings) -> QLocale | None:
    """The locale of the language that the player chose; None for the system's."""
    return QLocale(settings.language) if settings.language else None


def language_menu(parent: QMenu, settings: Settings, say: Callable[[str], object]) -> ChoiceMenu[str]:
    """The menu of languages: the system's, then each language; `say` shows a message to the player."""

    def choose(name: str) -> None:
        settings.language = name
        say(tr("The language changes when Sandtable starts again."))

    # Qt calls English after its country.
    titles = [("English" if name == "en" else QLocale(name).nativeLanguageName(), name) for name in languages()]
    choices = [(tr("System language"), ""), *titles]
    return ChoiceMenu(parent, tr("Language"), choices, lambda: settings.language, choose)
