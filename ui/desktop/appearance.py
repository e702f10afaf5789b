"""What the View menu changes in the whole window: theme, language, text size, side panel and full screen."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

from PyQt6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, QProcess, QSettings, QSize, QTranslator
from PyQt6.QtGui import QAction, QActionGroup, QGuiApplication
from PyQt6.QtWidgets import QApplication, QMenu, QWidget

from ui.desktop.action import create_switch
from ui.desktop.actions import Actions
from ui.desktop.messages import Say
from ui.desktop.parts import Parts
from ui.desktop.settings import TEXT_SIZES, Settings
from ui.desktop.theme import Theme, apply_theme
from ui.translation import FOLDER, languages, mark_for_translation, tr, use_language

_THEMES = {
    Theme.DARK: (mark_for_translation("Dark"), mark_for_translation("Light text on charcoal")),
    Theme.LIGHT: (mark_for_translation("Light"), mark_for_translation("Dark text on light grey")),
}

_SIZE_PX = (1280, 720)


class Appearance(QObject):
    """Changes how the window looks, and remembers it.

    Attributes:
        themes: The switches of the themes.
        languages, text_sizes: The menus of what changes at the next start.
    """

    def __init__(self, parts: Parts, actions: Actions, say: Say) -> None:
        """Fill the View menu, and show the numbers and the tabs as last time; `say` shows a message to the player."""
        super().__init__(parts.window)
        window = self._window = parts.window
        display, sides = parts.display, parts.sides
        settings = self._settings = parts.settings
        display.numbers = settings.numbers
        actions.numbers.setChecked(settings.numbers)
        actions.numbers.toggled.connect(display.show_numbers)
        actions.numbers.toggled.connect(partial(setattr, settings, "numbers"))
        sides.setVisible(settings.side_panel)
        actions.side_panel.setChecked(settings.side_panel)
        actions.side_panel.toggled.connect(sides.setVisible)
        actions.side_panel.toggled.connect(partial(setattr, settings, "side_panel"))
        themes = QMenu(tr("Theme"), actions.view_menu)  # not made by Qt: see decision 12
        actions.view_menu.addMenu(themes)
        group = QActionGroup(self)
        self.themes: dict[Theme, QAction] = {}
        for theme, (text, tip) in _THEMES.items():
            switch = self.themes[theme] = create_switch(window, tr(text), "", tr(tip))
            switch.setChecked(theme is settings.theme)
            switch.triggered.connect(partial(self._choose, theme))
            group.addAction(switch)
            themes.addAction(switch)

        def offer(words: str) -> None:
            say(words, ((tr("Restart now"), partial(restart, window)),))

        self.languages = language_menu(actions.view_menu, settings, offer)
        self.text_sizes = text_size_menu(actions.view_menu, settings, offer)

        geometry = settings.geometry
        if geometry is None or not window.restoreGeometry(geometry):
            window.resize(*_SIZE_PX)

    def keep_geometry(self) -> None:
        """Open the window at the same place the next time."""
        self._settings.keep_geometry(self._window.saveGeometry())

    def choose(self, theme: Theme) -> None:
        """Show all windows in a theme, and use it at the next start."""
        self.themes[theme].setChecked(True)
        self._settings.theme = theme
        application = QApplication.instance()
        if isinstance(application, QApplication):
            apply_theme(application, theme)

    def _choose(self, theme: Theme, _checked: bool) -> None:
        self.choose(theme)


_RESTART = "sandtable_restart"


def restart(window: QWidget) -> None:
    """Close the window; `start_again` then opens the program again."""
    if (application := QApplication.instance()) is not None:
        application.setProperty(_RESTART, True)
    window.close()


def start_again(start: Callable[[str, list[str]], object] = QProcess.startDetached) -> None:
    """Start the program again with the same arguments if `restart` closed it; call it when all files are closed."""
    application = QApplication.instance()
    if application is not None and application.property(_RESTART):
        application.setProperty(_RESTART, None)
        start(sys.executable, sys.orig_argv[1:])


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


_SCALE = "QT_SCALE_FACTOR"
_OWN = (_SCALE, "QT_SCREEN_SCALE_FACTORS", "QT_FONT_DPI")
"""Variables with which the user has chosen a size for all Qt programs."""

_USUAL_HEIGHT_PX = 1080
"""Screens up to this height show the usual size."""

_LEAST_WINDOW = QSize(1024, 600)
"""What the window needs at the usual size."""

_USUAL_DOTS_PER_IN = 100.0  # above it the desktop has enlarged the text already


def usual_size(screen_px: QSize, ratio: float, dots_per_in: float) -> float:
    """The factor for a screen: above 1 only if it is large and the desktop does not enlarge anything itself.

    `ratio` is in screen pixels per pixel of a program, and `dots_per_in` the desktop's resolution for text, usually 96.
    """
    if ratio > 1 or dots_per_in > _USUAL_DOTS_PER_IN:
        return 1.0
    return max((size for size in TEXT_SIZES if screen_px.height() >= size * _USUAL_HEIGHT_PX), default=1.0)


def limited_size(size: float, screen_px: QSize) -> float:
    """The factor, made smaller if the window would not fit on the screen."""
    least = _LEAST_WINDOW
    fits = min(screen_px.width() / least.width(), screen_px.height() / least.height())
    return max((one for one in TEXT_SIZES if one <= min(size, fits)), default=1.0)


def create_application(opened: Callable[[], QSettings]) -> QApplication:
    """The application at the chosen size; Qt takes the size from the environment when it starts.

    Call it before any other object of Qt exists: the screen's size is known only to an application, and PyQt deletes
    all objects together with that first one.
    """
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    if any(name in os.environ for name in _OWN):
        return QApplication(["sandtable"])
    os.environ[_SCALE] = f"{_wanted_size(opened):g}"
    try:
        return QApplication(["sandtable"])
    finally:
        del os.environ[_SCALE]  # it is not meant for programs that this one starts


def _wanted_size(opened: Callable[[], QSettings]) -> float:
    if not sys.platform.startswith("linux"):  # other systems enlarge every program on such a screen
        return Settings(opened()).text_size or 1.0
    first = QGuiApplication(["sandtable"])
    screen = first.primaryScreen()
    if screen is None:
        return 1.0
    usual = usual_size(screen.size(), screen.devicePixelRatio(), screen.logicalDotsPerInchY())
    return limited_size(Settings(opened()).text_size or usual, screen.size())


def text_size_menu(parent: QMenu, settings: Settings, say: Callable[[str], object]) -> ChoiceMenu[float | None]:
    """The menu of sizes: automatic, then each size; `say` shows a message to the player."""

    def choose(size: float | None) -> None:
        settings.text_size = size
        say(tr("The text size changes when Sandtable starts again."))

    sizes: list[tuple[str, float | None]] = [(f"{100 * size:.0f} %", size) for size in TEXT_SIZES]
    choices = [(tr("As the screen needs"), None), *sizes]
    return ChoiceMenu(parent, tr("Text size"), choices, lambda: settings.text_size, choose)


_Value = TypeVar("_Value")


class ChoiceMenu(Generic[_Value]):
    """A menu of checkable entries."""

    def __init__(
        self,
        parent: QMenu,
        title: str,
        choices: Iterable[tuple[str, _Value]],
        chosen: Callable[[], _Value],
        choose: Callable[[_Value], object],
    ) -> None:
        """Add the menu to its parent; `choose` gets a value that differs from the one that `chosen` returns."""
        self._chosen, self._choose = chosen, choose
        self.menu = QMenu(title, parent)
        self._group = QActionGroup(self.menu)
        for text, value in choices:
            self._add(text, value)
        parent.addMenu(self.menu)

    def _add(self, text: str, value: _Value) -> None:
        action = QAction(text, self.menu)
        action.setCheckable(True)
        action.setChecked(self._chosen() == value)
        action.triggered.connect(lambda: self._choose_new(value))
        self._group.addAction(action)
        self.menu.addAction(action)

    def _choose_new(self, value: _Value) -> None:
        if value != self._chosen():
            self._choose(value)
