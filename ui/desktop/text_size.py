"""The size of the whole window: its text, icons and margins grow together."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from PyQt6.QtCore import QSettings, QSize
from PyQt6.QtGui import QGuiApplication
from PyQt6.QtWidgets import QApplication, QMenu

from ui.desktop.choice_menu import ChoiceMenu
from ui.desktop.settings import TEXT_SIZES, Settings
from ui.translation import tr

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
