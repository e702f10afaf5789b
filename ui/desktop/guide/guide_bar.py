"""The bar of the guide: its steps, the current instruction, and a button for it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QComboBox, QFrame, QToolButton, QWidget

from ui.desktop.widgets import (
    FittedLabel,
    button_with_tip,
    escape_markup,
    in_column,
    in_row,
    keep_place,
    markup_label,
    set_font,
)
from ui.guide import Guide, GuideStep, StepMark
from ui.translation import tr

_SIGN = {StepMark.DONE: "✓", StepMark.NOW: "▸", StepMark.SKIPPED: "»", StepMark.AHEAD: "·"}
_TICKS = {True: "✓", False: "✗", None: "·"}
_WORDS_PX = 58
"""Two lines of 18 pixels and their margins; longer ticks take some of it, and the words become smaller."""


class GuideBar(QFrame):
    """Shows a `Guide`; independent of the table.

    Signals:
        wanted: The step's button was pressed.
        skipped: Skip the step.
        left: Close the guide.
        asked_for: Go to this `GuideStep`.
        named: The next click teaches this army.
    """

    wanted = pyqtSignal()
    skipped = pyqtSignal()
    left = pyqtSignal()
    asked_for = pyqtSignal(object)
    named = pyqtSignal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.shown: Guide | None = None
        self.steps = {step: QToolButton() for step in GuideStep}
        self.words, self.ticks = FittedLabel(), markup_label()
        self.army = QComboBox()
        self.button = button_with_tip("", "", self.wanted.emit)
        tip = tr("Skip this step; click its name above to come back")
        self.skip = button_with_tip(tr("Skip"), tip, self.skipped.emit)
        tip = tr("Close the guide; you can open it again in the menu Help")
        self.leave = button_with_tip(tr("Leave guide"), tip, self.left.emit)
        self._lay_out()

    def show_guide(self, guide: Guide) -> None:
        """Show the guide's state."""
        if guide == self.shown:
            return
        self.shown = guide
        for step, button in self.steps.items():
            mark = guide.marks[step]
            button.setText(f"{_SIGN[mark]} {step.words}")
            button.setAccessibleName(f"{step.words}, {mark.words}")
            set_font(button, bold=mark is StepMark.NOW)
        self.words.show_text(guide.words)
        self.ticks.setText("&nbsp;&nbsp; ".join(f"{_TICKS[t.good]} {escape_markup(t.words)}" for t in guide.ticks))
        self.button.setText(guide.button)
        self.button.setEnabled(guide.ready)
        self.button.setVisible(bool(guide.button))
        self.army.setVisible(guide.step is GuideStep.ARMIES)
        self.skip.setText(tr("Continue") if guide.is_done else tr("Skip"))
        self.skip.setVisible(guide.step is not None)
        self.leave.setVisible(guide.step is not None)

    def offer(self, armies: Sequence[str]) -> None:
        """Suggest army names, the first for the next click."""
        self.army.blockSignals(True)
        self.army.clear()
        self.army.addItems(list(armies))
        self.army.setCurrentIndex(0)
        self.army.blockSignals(False)
        self.named.emit(self.army.currentText())

    def _lay_out(self) -> None:
        self.words.setAccessibleName(tr("What to do now"))
        line_px = self.ticks.fontMetrics().lineSpacing()
        self.ticks.setMinimumHeight(line_px)
        keep_place(self.leave)
        self.army.setEditable(True)
        self.army.setMinimumContentsLength(10)
        self.army.setAccessibleName(tr("Army that the next click teaches"))
        self.army.setToolTip(tr("Type a name or choose one, then click the base of one of its soldiers"))
        self.button.setDefault(True)
        for step, button in self.steps.items():
            button.setAutoRaise(True)
            button.setToolTip(tr("Go to {step}", step=step))
            button.clicked.connect(partial(self.asked_for.emit, step))
        top = in_row(*self.steps.values(), None, self.skip, self.leave)
        low = QWidget()  # always of one height: otherwise the soldiers would move away from the mouse
        low.setFixedHeight(_WORDS_PX + line_px)
        row = QWidget()  # a layout alone would be no higher than its buttons
        in_row((self.words, 1), self.army, self.button, on=row, margin=0)
        in_column((row, 1), self.ticks, on=low, margin=0).setSpacing(0)
        in_column(top, low, on=self, margin=(8, 4, 8, 4)).setSpacing(2)
        self.army.editTextChanged.connect(self.named)
