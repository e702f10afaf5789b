"""Labels, rows and columns, buttons and boxes that many panels and dialogs have.

Labels show text literally: players' names and file names must never be read as markup, as Qt does by default. Lists,
tables, combo boxes, buttons and menus always show plain text; labels and tooltips guess.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TypeVar

from PyQt6.QtCore import QEvent, QLocale, QObject, QSize, Qt
from PyQt6.QtGui import QFont, QFontInfo, QFontMetricsF, QKeyEvent, QKeySequence, QResizeEvent, QValidator
from PyQt6.QtWidgets import (
    QBoxLayout,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QTabWidget,
    QTreeView,
    QVBoxLayout,
    QWidget,
)


def plain_label(words: str = "") -> QLabel:
    """A label of one line that never interprets its text."""
    label = QLabel(words)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label


def wrapping_label(words: str = "") -> QLabel:
    """A plain label that wraps its text."""
    label = plain_label(words)
    label.setWordWrap(True)
    return label


def markup_label(mark_up: str = "") -> QLabel:
    """A wrapping label for the program's own markup; escape other text in it with `escape_markup`."""
    label = wrapping_label(mark_up)
    label.setTextFormat(Qt.TextFormat.RichText)
    return label


def escape_markup(words: str) -> str:
    """Escape text for the markup of a `markup_label`."""
    return escape(words, quote=False)


def show_words(label: QLabel, words: str) -> None:
    """Show a text; hide the label if it is empty."""
    label.setText(words)
    label.setVisible(bool(words))


def without_keys(words: str) -> str:
    """Text for menus, buttons and boxes, in which an ampersand alone would mark a key."""
    return words.replace("&", "&&")


def literal_text(words: str) -> str:
    """Text for places where Qt guesses the format: tooltips and the questions of its dialogs."""
    return "<qt>" + escape_markup(words).replace("\n", "<br>") + "</qt>" if "<" in words else words


_SIZES_PX, _EDGE_PX = (18, 16, 14), 8


class FittedLabel(QLabel):
    """A plain text that wraps; it is smaller if it would be higher than allowed, but always at least 14 pixels high."""

    def __init__(self, most_px: int | None = None) -> None:
        """`most_px` is the allowed height; by default, the layout decides it."""
        super().__init__()
        self._most_px = most_px
        if most_px is None:
            self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setContentsMargins(_EDGE_PX, 0, _EDGE_PX, 0)
        self._fit()

    def show_text(self, words: str) -> None:
        if words != self.text():
            self.setText(words)
            self._fit()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Use the largest size in which the text fits."""
        font = self.font()
        for size_px in _SIZES_PX:
            font.setPixelSize(size_px)
            self.setFont(font)
            if self.heightForWidth(self.width()) <= (self._most_px or self.height()):
                return


_MIN_PX = 8


def fit_font(font: QFont, words: str, width_px: float) -> QFont:
    """The font, made smaller if needed to fit the text on one line of this width."""
    wide_px = QFontMetricsF(font).horizontalAdvance(words)
    if wide_px <= width_px:
        return font
    smaller = QFont(font)
    smaller.setPixelSize(max(_MIN_PX, int(QFontInfo(font).pixelSize() * width_px / wide_px)))
    return smaller


Part = QWidget | QLayout | None
"""A widget, a layout, or None for empty space that takes what is left."""

Margin = int | tuple[int, int, int, int] | None
"""Pixels on all sides, or at the left, the top, the right and the bottom; None for the usual margin."""


def in_column(*parts: Part | tuple[Part, int], on: QWidget | None = None, margin: Margin = None) -> QVBoxLayout:
    """Parts below each other, on the widget whose layout they become.

    A number beside a part is its share of the space that is left.
    """
    layout = QVBoxLayout() if on is None else QVBoxLayout(on)
    _fill(layout, parts, margin)
    return layout


def in_row(*parts: Part | tuple[Part, int], on: QWidget | None = None, margin: Margin = None) -> QHBoxLayout:
    """Parts beside each other, from left to right; otherwise like `in_column`."""
    layout = QHBoxLayout() if on is None else QHBoxLayout(on)
    _fill(layout, parts, margin)
    return layout


def _fill(layout: QBoxLayout, parts: tuple[Part | tuple[Part, int], ...], margin: Margin) -> None:
    for entry in parts:
        part, share = entry if isinstance(entry, tuple) else (entry, 0)
        if part is None:
            layout.addStretch(share or 1)
        elif isinstance(part, QWidget):
            layout.addWidget(part, share)
        else:
            layout.addLayout(part, share)
    if margin is not None:
        layout.setContentsMargins(*(margin if isinstance(margin, tuple) else (margin,) * 4))


def name_tabs(tabs: QTabWidget, name: str) -> None:
    """Give a row of tabs a name for screen readers."""
    if (bar := tabs.tabBar()) is not None:
        bar.setAccessibleName(name)


def stretch_first_column(tree: QTreeView) -> None:
    """Give a tree's first column the width that the others do not need."""
    if (header := tree.header()) is not None:
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)


def button_with_tip(words: str, tip: str, slot: Callable[[], object] | None = None, key: str = "") -> QPushButton:
    """A button with a tooltip and a key, which calls `slot`."""
    button = QPushButton(words)
    button.setToolTip(tip)
    button.setShortcut(key)
    if slot is not None:
        button.clicked.connect(slot)  # not in a lambda, which would keep the widget of a bound method alive
    return button


def ok_and_cancel(dialog: QDialog) -> QDialogButtonBox:
    """The buttons OK and Cancel of a dialog."""
    return _connected(dialog, QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)


def close_button(dialog: QDialog) -> QDialogButtonBox:
    """The button Close of a dialog."""
    return _connected(dialog, QDialogButtonBox.StandardButton.Close)


def _connected(dialog: QDialog, kinds: QDialogButtonBox.StandardButton) -> QDialogButtonBox:
    buttons = QDialogButtonBox(kinds)
    buttons.accepted.connect(dialog.accept)
    buttons.rejected.connect(dialog.reject)
    return buttons


class Scrolled(QScrollArea):
    """Asks for the height that its part needs at its width and accepts less; never scrolls sideways."""

    def __init__(self, part: QWidget, min_px: int) -> None:
        """Show `part`, at least `min_px` high."""
        super().__init__()
        self._min_px = min_px
        self.setWidget(part)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its fields have the focus
        part.setAutoFillBackground(False)  # tabs and windows differ in colour
        viewport = self.viewport()
        if viewport is not None:
            viewport.setAutoFillBackground(False)

    def sizeHint(self) -> QSize:
        part = self.widget()
        if part is None:
            return super().sizeHint()
        viewport = self.viewport()  # narrower beside a bar, which Qt keeps until the part fits there
        wide_px = self.width() if viewport is None else viewport.width()
        high_px = part.heightForWidth(wide_px) if part.hasHeightForWidth() else part.sizeHint().height()
        return QSize(part.sizeHint().width(), max(high_px, self._min_px))

    def minimumSizeHint(self) -> QSize:
        part = self.widget()
        return QSize(part.minimumSizeHint().width() if part is not None else 0, self._min_px)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Update the geometry when the part gets another width, and so needs another height."""
        super().resizeEvent(event)
        if event is not None and event.oldSize().width() != event.size().width():
            self.updateGeometry()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Update the geometry when the part wants another height."""
        if event is not None and watched is self.widget() and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)


class TextField(QLineEdit):
    """Takes back what was typed with Ctrl+Z; without that, Ctrl+Z is the window's."""

    def event(self, event: QEvent | None) -> bool:
        """Leave Ctrl+Z to the window if there is nothing to take back."""
        override = event if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride else None
        if override is not None and override.matches(QKeySequence.StandardKey.Undo) and not self.isUndoAvailable():
            return False
        return super().event(event)


class NumberBox(QDoubleSpinBox):
    """Accepts a comma as the decimal point: a locale that groups thousands with it would read 3,5 as 35."""

    def __init__(
        self, low: float = 0.0, high: float = 99.99, step: float = 1.0, decimals: int = 2, unit: str = "", tip: str = ""
    ) -> None:
        super().__init__()
        self.setLocale(QLocale.c())  # the format of all numbers in the window
        self.setDecimals(decimals)
        self.setRange(low, high)
        self.setSingleStep(step)
        self.setSuffix(unit)
        self.setToolTip(tip)

    def validate(self, input: str | None, pos: int) -> tuple[QValidator.State, str, int]:
        return super().validate((input or "").replace(",", "."), pos)


def clear_layout(layout: QLayout) -> None:
    """Delete all widgets of a layout."""
    while (old := layout.takeAt(0)) is not None:
        if (widget := old.widget()) is not None:
            widget.hide()  # at once; Qt deletes it later
            widget.deleteLater()


W = TypeVar("W", bound=QWidget)


def described(widget: W, name: str = "", tip: str = "") -> W:
    """The widget with a name for screen readers and a tooltip; an empty one changes nothing."""
    if name:
        widget.setAccessibleName(name)
    if tip:
        widget.setToolTip(tip)
    return widget


def set_font(widget: QWidget, *, bold: bool, scale: float = 1.0) -> None:
    """Make a widget's text bold or not, and larger by a factor."""
    font = widget.font()
    font.setBold(bold)
    if scale != 1.0:
        font.setPointSizeF(scale * font.pointSizeF())
    widget.setFont(font)


def keep_place(widget: QWidget) -> None:
    """Leave a widget's place empty while it is hidden: what is beside it does not move."""
    policy = widget.sizePolicy()
    policy.setRetainSizeWhenHidden(True)
    widget.setSizePolicy(policy)
