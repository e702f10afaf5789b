"""What the View menu changes in the whole window: the theme, the side panel and full screen."""

from __future__ import annotations

from functools import partial

from PyQt6.QtCore import QObject, Qt
from PyQt6.QtGui import QAction, QActionGroup
from PyQt6.QtWidgets import QApplication, QMainWindow, QMenu, QWidget

from ui.desktop.action import create_switch
from ui.desktop.settings import Settings
from ui.desktop.theme import Theme, apply_theme
from ui.translation import mark_for_translation, tr

_THEMES = {
    Theme.DARK: (mark_for_translation("Dark"), mark_for_translation("Light text on charcoal")),
    Theme.LIGHT: (mark_for_translation("Light"), mark_for_translation("Dark text on light grey")),
}


class Appearance(QObject):
    """Changes how the window looks, and remembers it.

    Attributes:
        themes: The switches of the themes.
    """

    def __init__(self, window: QMainWindow, menu: QMenu, settings: Settings) -> None:
        """Add the themes to the View menu."""
        super().__init__(window)
        self._settings = settings
        themes = menu.addMenu(tr("Theme"))
        group = QActionGroup(self)
        self.themes: dict[Theme, QAction] = {}
        for theme, (text, tip) in _THEMES.items():
            switch = self.themes[theme] = create_switch(window, tr(text), "", tr(tip))
            switch.setChecked(theme is settings.theme)
            switch.triggered.connect(partial(self._choose, theme))
            group.addAction(switch)
            if themes is not None:
                themes.addAction(switch)

    def choose(self, theme: Theme) -> None:
        """Show all windows in a theme, and use it at the next start."""
        self.themes[theme].setChecked(True)
        self._settings.keep_theme(theme)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            apply_theme(application, theme)

    def _choose(self, theme: Theme, _checked: bool) -> None:
        self.choose(theme)


def toggle_full_screen(window: QWidget) -> None:
    """Fill the whole screen, or go back to the size before."""
    window.setWindowState(window.windowState() ^ Qt.WindowState.WindowFullScreen)
