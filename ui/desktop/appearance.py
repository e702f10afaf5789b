"""What the View menu changes in the whole window: theme, language, text size, side panel and full screen."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from PyQt6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, QProcess, QSettings, QSize, QTranslator
from PyQt6.QtGui import QAction, QGuiApplication
from PyQt6.QtWidgets import QApplication, QWidget

from ui.desktop.action import ActionMenu, V
from ui.desktop.actions import Actions
from ui.desktop.messages import Say
from ui.desktop.parts import Parts
from ui.desktop.settings import TEXT_SIZES, Settings
from ui.desktop.theme import Theme, apply_theme
from ui.translation import FOLDER, languages, tr, use_language

_SIZE_PX = QSize(1280, 720)


class Appearance(QObject):
    """Changes how the window looks, and remembers it.

    Attributes:
        themes, languages, text_sizes: The choices in the View menu; the last two apply at the next start.
    """

    def __init__(self, parts: Parts, actions: Actions, say: Say) -> None:
        """Fill the View menu, and show the numbers and the tabs as last time; `say` shows a message to the player."""
        super().__init__(parts.window)
        window = self._window = parts.window
        settings = self._settings = parts.settings
        self._say, self._menu = say, actions.view_menu
        parts.display.numbers = settings.numbers
        actions.numbers.setChecked(settings.numbers)
        actions.numbers.toggled.connect(parts.display.show_numbers)
        actions.numbers.toggled.connect(partial(setattr, settings, "numbers"))
        parts.sides.setVisible(settings.side_panel)
        actions.side_panel.setChecked(settings.side_panel)
        actions.side_panel.toggled.connect(parts.sides.setVisible)
        actions.side_panel.toggled.connect(partial(setattr, settings, "side_panel"))
        themes = (
            (Theme.DARK, tr("Dark"), tr("Light text on charcoal")),
            (Theme.LIGHT, tr("Light"), tr("Dark text on light grey")),
        )
        self.themes = self._submenu(tr("Theme")).add_choices(themes, settings.theme, self._show_theme)
        # Qt calls English after its country.
        names = [(name, "English" if name == "en" else QLocale(name).nativeLanguageName()) for name in languages()]
        self.languages = self._at_next_start(
            tr("Language"),
            "language",
            [("", tr("System language")), *names],
            tr("The language changes when Sandtable starts again."),
        )
        sizes = [(size, f"{100 * size:.0f} %") for size in TEXT_SIZES]
        self.text_sizes = self._at_next_start(
            tr("Text size"),
            "text_size",
            [(None, tr("As the screen needs")), *sizes],
            tr("The text size changes when Sandtable starts again."),
        )
        geometry = settings.geometry
        if geometry is None or not window.restoreGeometry(geometry):
            screen = window.screen()
            window.resize(first_size(screen.availableGeometry().size()) if screen is not None else _SIZE_PX)

    def keep_geometry(self) -> None:
        """Open the window at the same place the next time."""
        self._settings.keep_geometry(self._window.saveGeometry())

    def _submenu(self, title: str) -> ActionMenu:
        menu = ActionMenu(title, self._window)
        self._menu.addMenu(menu)
        return menu

    def _show_theme(self, theme: Theme) -> None:
        """Show all windows in a theme, and use it at the next start."""
        self._settings.theme = theme
        application = QApplication.instance()
        if isinstance(application, QApplication):
            apply_theme(application, theme)

    def _at_next_start(self, title: str, name: str, choices: Iterable[tuple[V, str]], words: str) -> dict[V, QAction]:
        """A menu of values and texts for the setting of this name; `words` tell the player when it changes."""

        def choose(value: V) -> None:
            setattr(self._settings, name, value)
            self._say(words, ((tr("Restart now"), partial(restart, self._window)),))

        rows = [(value, text, "") for value, text in choices]
        return self._submenu(title).add_choices(rows, getattr(self._settings, name), choose)


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


def first_size(screen_px: QSize) -> QSize:
    """The window's size at the first start; at a large text size, a small screen has less room than usual."""
    return _SIZE_PX.boundedTo(screen_px)


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
