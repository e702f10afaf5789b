"""The part of the dice card for one set of electronic dice or a camera."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtWidgets import QPushButton, QWidget

from ui.desktop.labels import escape_markup, markup_label
from ui.desktop.layouts import in_column, in_row
from ui.devices.dice_source import DiceSource
from ui.translation import tr


class DiceStrip(QWidget):
    """Shows the request's progress, asks about doubtful dice, and rolls emulated dice."""

    def __init__(self, name: str, asking: DiceSource, throw: Callable[[], object] | None = None) -> None:
        """`name` is the device; `throw` rolls emulated dice, None for real ones."""
        super().__init__()
        self._name, self._asking = name, asking
        self._words = markup_label()
        self._words.setAccessibleName(name)
        self._yes, self._no = QPushButton(), QPushButton(tr("No"))
        self._throw = QPushButton(tr("Throw them"))
        self._throw.setToolTip(tr("Throw the emulated dice"))
        self._throw.setVisible(throw is not None)
        self._yes.clicked.connect(lambda: self._settle(True))
        self._no.clicked.connect(lambda: self._settle(False))
        self._throw.clicked.connect(lambda: throw() if throw is not None else None)
        in_column(self._words, in_row(self._yes, self._no, self._throw, None), on=self, margin=0)
        self.refresh()

    @property
    def text(self) -> str:
        """The text shown."""
        return self._words.text()

    def refresh(self) -> None:
        """Show the current progress."""
        doubt = bool(self._asking.doubt)
        self._words.setText(f"<b>{escape_markup(self._name)}</b>: {escape_markup(self._asking.words)}")
        self._yes.setVisible(doubt)
        self._no.setVisible(doubt)
        self._yes.setText(self._asking.yes_words)

    def _settle(self, yes: bool) -> None:
        self._asking.settle(yes)
        self.refresh()
