"""The palette of a dark desktop, for screenshots: the program itself uses the desktop's own palette."""

from __future__ import annotations

from PyQt6.QtGui import QColor, QPalette

_DARK = {
    QPalette.ColorRole.WindowText: "#f0f0f0",
    QPalette.ColorRole.Button: "#323232",
    QPalette.ColorRole.Light: "#4b4b4b",
    QPalette.ColorRole.Midlight: "#2a2a2a",
    QPalette.ColorRole.Dark: "#212121",
    QPalette.ColorRole.Mid: "#262626",
    QPalette.ColorRole.Text: "#f0f0f0",
    QPalette.ColorRole.BrightText: "#4b4b4b",
    QPalette.ColorRole.ButtonText: "#f0f0f0",
    QPalette.ColorRole.Base: "#242424",
    QPalette.ColorRole.Window: "#323232",
    QPalette.ColorRole.Shadow: "#191919",
    QPalette.ColorRole.Highlight: "#308cc6",
    QPalette.ColorRole.HighlightedText: "#f0f0f0",
    QPalette.ColorRole.Link: "#308cc6",
    QPalette.ColorRole.AlternateBase: "#2b2b2b",
    QPalette.ColorRole.PlaceholderText: "#80f0f0f0",
    QPalette.ColorRole.Accent: "#308cc6",
}
"""The dark palette of Qt 6.11's own style (Fusion), read from it; without a desktop Qt is always light."""
_DIMMED = {
    QPalette.ColorRole.WindowText: "#828282",
    QPalette.ColorRole.Text: "#828282",
    QPalette.ColorRole.ButtonText: "#828282",
    QPalette.ColorRole.Base: "#323232",
    QPalette.ColorRole.Dark: "#bebebe",
    QPalette.ColorRole.Highlight: "#919191",
    QPalette.ColorRole.Accent: "#919191",
}
"""The same for disabled widgets."""


def dark_palette() -> QPalette:
    """Build the palette of a dark desktop."""
    palette = QPalette()
    for role, colour in _DARK.items():
        palette.setColor(role, QColor(colour))
    for role, colour in _DIMMED.items():
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(colour))
    return palette
