"""Chooses the window's language: the program's own strings and those of Qt's buttons."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator
from PyQt6.QtGui import QAction, QActionGroup
from PyQt6.QtWidgets import QMenu

from ui.desktop.settings import Settings
from ui.translation import FOLDER, languages, tr, use_language


def install_language(
    application: QCoreApplication, locale: QLocale | None = None, folder: Path = FOLDER
) -> QTranslator | None:
    """Use the player's language, before any widget exists.

    Args:
        application: Gets the translator of Qt's own strings.
        locale: The language; None for the system's.
        folder: Where the catalogs lie.

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


def chosen_locale(settings: Settings) -> QLocale | None:
    """The locale of the language that the player chose; None for the system's."""
    return QLocale(settings.language) if settings.language else None


class LanguageMenu:
    """The menu of languages; a choice is stored and used at the next start.

    Attributes:
        menu: One action for the system's language, then one for each language.
    """

    def __init__(self, parent: QMenu, settings: Settings, say: Callable[[str], object]) -> None:
        """Add the menu to its parent; `say` shows a message to the player."""
        self._settings, self._say = settings, say
        self.menu = QMenu(tr("Language"), parent)
        self._group = QActionGroup(self.menu)
        self._add(tr("System language"), "")
        for name in languages():
            # Qt calls English after its country.
            self._add("English" if name == "en" else QLocale(name).nativeLanguageName(), name)
        parent.addMenu(self.menu)

    def _add(self, text: str, name: str) -> None:
        action = QAction(text, self.menu)
        action.setCheckable(True)
        action.setChecked(self._settings.language == name)
        action.triggered.connect(lambda: self._choose(name))
        self._group.addAction(action)
        self.menu.addAction(action)

    def _choose(self, name: str) -> None:
        if name != self._settings.language:
            self._settings.keep_language(name)
            self._say(tr("The language changes when Sandtable starts again."))
