"""The look of the window: Qt's Fusion style with a dark or a light palette, and one stylesheet for both."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from string import Template

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PyQt6.QtWidgets import QApplication, QWidget

from ui.desktop.action import FOLDER

TEXT_PX = 14
"""Height of the usual text in pixels; no text is smaller."""
_FONTS = Path(__file__).parent / "fonts"
_FAMILY = "Inter"
_ALIGNED_DIGITS = QFont.Tag("tnum")
"""The font's feature that makes all digits equally wide, so that a changing distance does not jump."""
_PRIMARY = "primary"
_FILES = {"tick": "tick.svg", "down": "arrow-down.svg", "up": "arrow-up.svg", "right": "arrow-right.svg"}
"""Icons that only the stylesheet uses: their colours suit both themes."""


class Theme(StrEnum):
    """The looks to choose from."""

    DARK = "dark"
    LIGHT = "light"


_COLOURS = {
    "window": ("#202327", "#eef0f3"),  # the ground of panels
    "card": ("#292d32", "#fafbfc"),  # the ground of the groups on them
    "base": ("#17191c", "#ffffff"),  # the ground of lists and fields
    "button": ("#2f343a", "#ffffff"),
    "hover": ("#3b4149", "#e6e9ed"),
    "pressed": ("#262a2f", "#d8dce2"),
    "border": ("#4a5159", "#b9c0c9"),
    "text": ("#eceef1", "#1b1e22"),
    "dim": ("#a3abb5", "#59616b"),  # less important text
    "disabled": ("#747c86", "#949ba4"),
    "accent": ("#8ea6ff", "#3f57cc"),  # bright for lines; a violet blue, because no army is drawn in it (`ui.theme`)
    "strong": ("#4a63d8", "#3f57cc"),  # the accent under text
    "on_accent": ("#ffffff", "#ffffff"),  # that text
    "tint": ("#363e5e", "#d8dffa"),  # the ground of what is switched on
}
"""Each colour of the dark and of the light theme."""

_ROLE = QPalette.ColorRole
_ROLES = {
    "window": (_ROLE.Window, _ROLE.AlternateBase),
    "base": (_ROLE.Base, _ROLE.ToolTipBase, _ROLE.Shadow),
    "button": (_ROLE.Button,),
    "hover": (_ROLE.Light, _ROLE.Midlight),
    "border": (_ROLE.Mid, _ROLE.Dark),
    "text": (_ROLE.WindowText, _ROLE.Text, _ROLE.ButtonText, _ROLE.BrightText, _ROLE.ToolTipText),
    "dim": (_ROLE.PlaceholderText,),
    "accent": (_ROLE.Link, _ROLE.LinkVisited),
    "strong": (_ROLE.Highlight, _ROLE.Accent),
    "on_accent": (_ROLE.HighlightedText,),
}
_DISABLED_ROLES = {
    "window": (_ROLE.Base,),
    "border": (_ROLE.Highlight,),
    "disabled": (_ROLE.WindowText, _ROLE.Text, _ROLE.ButtonText),
}

_STYLE = Template("""
QPushButton { background: $button; border: 1px solid $border; border-radius: 6px; padding: 5px 12px; }
QPushButton:hover { background: $hover; }
QPushButton:pressed, QPushButton:checked { background: $pressed; }
QPushButton:checked { border-color: $accent; }
QPushButton:disabled { background: transparent; color: $disabled; }
QPushButton:focus { border: 2px solid $accent; padding: 4px 11px; }
QPushButton[$primary="true"] { background: $strong; border-color: $strong; color: $on_accent; }
QPushButton[$primary="true"]:hover { border-color: $on_accent; }
QPushButton[$primary="true"]:focus { border-color: $text; }
QPushButton[$primary="true"]:disabled { background: transparent; border-color: $border; color: $disabled; }
QToolButton { background: transparent; border: 1px solid transparent; border-radius: 6px; padding: 4px; }
QToolButton:hover { background: $hover; }
QToolButton:pressed { background: $pressed; }
QToolButton:checked { background: $tint; }
QToolButton:focus { border: 2px solid $accent; padding: 3px; }
QToolButton:disabled { color: $disabled; }
QLineEdit, QAbstractItemView, QTextEdit, QPlainTextEdit {
    background: $base; border: 1px solid $border; border-radius: 6px;
}
QLineEdit { padding: 4px 6px; }
QLineEdit:focus, QAbstractItemView:focus, QTextEdit:focus, QPlainTextEdit:focus { border-color: $accent; }
QComboBox { combobox-popup: 0; }
QComboBox QAbstractItemView::item { min-height: 26px; padding: 0 6px; }
QComboBox, QAbstractSpinBox { background: $base; border: 1px solid $border; border-radius: 6px; padding: 3px 6px; }
QComboBox:!editable { background: $button; }
QComboBox:hover:!editable { background: $hover; }
QComboBox:focus, QAbstractSpinBox:focus { border-color: $accent; }
QComboBox:disabled, QAbstractSpinBox:disabled { background: transparent; color: $disabled; }
QComboBox QLineEdit, QAbstractSpinBox QLineEdit { background: transparent; border: none; padding: 0; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow, QAbstractSpinBox::down-arrow { image: url("$down"); width: 16px; height: 12px; }
QAbstractSpinBox::up-arrow { image: url("$up"); width: 16px; height: 12px; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { background: transparent; border: none; width: 18px; }
QTableCornerButton::section { background: $window; border: none; }
QHeaderView::section {
    background: $window; color: $dim; border: none; border-bottom: 1px solid $border; padding: 4px 8px;
}
QGroupBox { background: $card; border: none; border-radius: 8px; padding-top: 32px; }
QGroupBox::title { subcontrol-origin: border; subcontrol-position: top left; left: 12px; top: 8px; color: $dim; }
QGroupBox QAbstractItemView, QGroupBox QAbstractItemView:focus { background: transparent; border: none; }
QTreeView QLineEdit { padding: 0 2px; border: none; border-radius: 0; }
QAbstractItemView QComboBox { border-color: transparent; background: transparent; }
QAbstractItemView QComboBox:hover, QAbstractItemView QComboBox:focus { border-color: $accent; background: $button; }
QComboBox QAbstractItemView { background: $base; border: 1px solid $border; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QDialogButtonBox QPushButton:default { background: $strong; border-color: $strong; color: $on_accent; }
QDialogButtonBox QPushButton:default:disabled { background: transparent; border-color: $border; color: $disabled; }
QMenuBar { background: $window; padding: 2px 4px; }
QMenuBar::item { background: transparent; border-radius: 4px; padding: 4px 8px; }
QMenuBar::item:selected { background: $hover; }
QMenu { background: $card; border: 1px solid $border; padding: 4px; }
QMenu::item { background: transparent; border-radius: 4px; padding: 4px 24px 4px 12px; }
QMenu::item:selected { background: $strong; color: $on_accent; }
QMenu::item:disabled { background: transparent; color: $disabled; }
QMenu::separator { height: 1px; background: $border; margin: 4px 8px; }
QMenu::icon { padding-left: 4px; }
QMenu::icon:checked { background: $tint; border-radius: 4px; }
QMenu::indicator { width: 16px; height: 16px; border: 1px solid transparent; border-radius: 4px; margin-left: 4px; }
QMenu::indicator:unchecked { border-color: $dim; }
QMenu::indicator:checked { background: $strong; border-color: $strong; image: url("$tick"); }
QMenu::right-arrow { image: url("$right"); width: 12px; height: 12px; margin-right: 4px; }
QMainWindow::separator { background: $border; height: 1px; width: 1px; }
QCheckBox::indicator, QRadioButton::indicator, QGroupBox::indicator, QAbstractItemView::indicator {
    width: 16px; height: 16px; border: 1px solid $dim; border-radius: 4px; background: $base;
}
QRadioButton::indicator { border-radius: 8px; }
QCheckBox::indicator:checked, QGroupBox::indicator:checked, QAbstractItemView::indicator:checked {
    background: $strong; border-color: $strong; image: url("$tick");
}
QRadioButton::indicator:checked { width: 8px; height: 8px; border: 5px solid $strong; background: $on_accent; }
QCheckBox::indicator:focus, QRadioButton::indicator:focus { border-color: $accent; }
QCheckBox::indicator:disabled, QRadioButton::indicator:disabled { border-color: $border; background: $window; }
QTabWidget::pane { border: none; }
QTabBar::tab { background: transparent; border: none; padding: 8px 12px; color: $dim; }
QTabBar::tab { border-bottom: 2px solid transparent; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
QTabBar::tab:focus { background: $hover; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle { background: $border; border-radius: 4px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 24px; }
QScrollBar::handle:horizontal { min-width: 24px; }
QScrollBar::handle:hover { background: $dim; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
ActionList::branch { image: none; }
ActionList, ActionList:focus { background: transparent; border: none; }
MessageBar { background: $tint; border: none; border-left: 4px solid $accent; }
GuideBar QPushButton { padding: 3px 12px; }
GuideBar QPushButton:focus { padding: 2px 11px; }
GuideBar QToolButton { padding: 1px 4px; }
GuideBar QToolButton:focus { padding: 0 3px; }
QProgressBar { background: $base; border: 1px solid $border; border-radius: 6px; text-align: center; }
QProgressBar::chunk { background: $tint; border-radius: 5px; }
GuideBar QProgressBar { border: none; }
GuideBar QProgressBar::chunk { background: $accent; border-radius: 6px; }
QStatusBar QToolButton, QStatusBar QToolButton:focus { padding: 0 4px; }
ToolRail { border: none; border-right: 1px solid $border; }
CommandPalette { background: $window; border: 1px solid $border; }
CommandPalette QTreeView::item { min-height: 24px; padding: 0 8px; }
ToolRail QToolButton, ToolRail QToolButton:focus { padding: 0; }
ToolRail QToolButton::menu-indicator { image: none; }
QStatusBar::item { border: none; }
QToolTip { background: $base; color: $text; border: 1px solid $border; padding: 4px; }
""")


def apply_theme(application: QApplication, theme: Theme) -> None:
    """Show all windows in a theme, those that are open too."""
    # Another stylesheet makes Qt forget the fonts of some labels.
    own = Qt.WidgetAttribute.WA_SetFont
    fonts = [(widget, widget.font()) for widget in application.allWidgets() if widget.testAttribute(own)]
    if not application.styleSheet():
        application.setStyle("Fusion")
        application.setFont(_text_font(application))
    application.setPalette(theme_palette(theme))
    files = {name: (FOLDER / file).as_posix() for name, file in _FILES.items()}
    application.setStyleSheet(_STYLE.substitute(_colours(theme), primary=_PRIMARY, **files))
    for widget, font in fonts:
        widget.setFont(font)


def make_primary(button: QWidget) -> None:
    """Show a button, which is not shown yet, as the one to press next."""
    button.setProperty(_PRIMARY, True)


def theme_palette(theme: Theme) -> QPalette:
    """The palette of a theme."""
    colours, palette, group = _colours(theme), QPalette(), QPalette.ColorGroup
    for which, roles in ((group.All, _ROLES), (group.Disabled, _DISABLED_ROLES)):
        for name, painted in roles.items():
            for role in painted:
                palette.setColor(which, role, QColor(colours[name]))
    return palette


def _colours(theme: Theme) -> dict[str, str]:
    return {name: light if theme is Theme.LIGHT else dark for name, (dark, light) in _COLOURS.items()}


def _text_font(application: QApplication) -> QFont:
    """The font of the window, in points, because widgets scale it by its points."""
    for file in sorted(_FONTS.glob("*.otf")):
        QFontDatabase.addApplicationFont(str(file))
    font = QFont(application.font())
    font.setFamily(_FAMILY)
    font.setFeature(_ALIGNED_DIGITS, 1)
    screen = application.primaryScreen()
    dots_per_in = screen.logicalDotsPerInchY() if screen is not None else 96.0
    font.setPointSizeF(max(TEXT_PX * 72 / dots_per_in, font.pointSizeF()))
    return font
