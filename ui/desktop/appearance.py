"""What the View menu changes in the whole window: theme, language, text size, side panel and full screen."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PyQt6.QtCore import QObject
from PyQt6.QtGui import QAction, QActionGroup
from PyQt6.QtWidgets import QApplication

from ui.desktop.action import create_switch
from ui.desktop.actions import Actions
from ui.desktop.languages import language_menu
from ui.desktop.parts import Parts
from ui.desktop.text_size import text_size_menu
from ui.desktop.theme import Theme, apply_theme
from ui.translation import mark_for_translation, tr

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

    def __init__(self, parts: Parts, actions: Actions, say: Callable[[str], object]) -> None:
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
        themes = actions.view_menu.addMenu(tr("Theme"))
        group = QActionGroup(self)
        self.themes: dict[Theme, QAction] = {}
        for theme, (text, tip) in _THEMES.items():
            switch = self.themes[theme] = create_switch(window, tr(text), "", tr(tip))
            switch.setChecked(theme is settings.theme)
            switch.triggered.connect(partial(self._choose, theme))
            group.addAction(switch)
            if themes is not None:
                themes.addAction(switch)
        self.languages = language_menu(actions.view_menu, settings, say)
        self.text_sizes = text_size_menu(actions.view_menu, settings, say)

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
