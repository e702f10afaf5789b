"""The bar of the guide: its steps, what to do, and what the current step waits for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PyQt6.QtCore import QSignalBlocker, pyqtSignal
from PyQt6.QtWidgets import QComboBox, QFrame, QProgressBar, QToolButton, QWidget

from ui.desktop.theme import make_primary
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
from ui.rules_text import side_name, stored_name
from ui.translation import tr

_SIGN = {StepMark.DONE: "✓", StepMark.NOW: "▸", StepMark.SKIPPED: "»", StepMark.AHEAD: "·"}
_TICKS = {True: "✓", False: "✗", None: "·"}
_WORDS_PX = 40
"""Two lines of 14 pixels or one of 18, with margins; without ticks their place is added."""
_BUSY_PX = 160


class GuideBar(QFrame):
    """Shows a `Guide`; independent of the table.

    Signals:
        asked_for: Go to this `GuideStep`.
        named: The next click teaches this army.

    Attributes:
        button, skip, leave: Do the step, skip it, and close the guide.
    """

    asked_for = pyqtSignal(object)
    named = pyqtSignal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.shown: Guide | None = None
        self.steps = {step: QToolButton() for step in GuideStep}
        self.words, self.ticks = FittedLabel(), markup_label()
        self.army, self.busy = QComboBox(), QProgressBar()
        self.button = button_with_tip("", tr("Do this step (Alt+G)"))
        tip = tr("Skip this step; click its name above to come back")
        self.skip = button_with_tip(tr("Skip"), tip)
        tip = tr("Close the guide; you can open it again in the menu Help")
        self.leave = button_with_tip(tr("Leave guide"), tip)
        self._lay_out()

    def show_guide(self, guide: Guide) -> None:
        if guide == self.shown:
            return
        self.shown = guide
        for step, button in self.steps.items():
            mark = guide.marks[step]
            button.setText(f"{_SIGN[mark]} {step.words}")
            button.setAccessibleName(f"{step.words}, {mark.words}")
            set_font(button, bold=mark is StepMark.NOW)
        self.words.show_text(guide.words)
        # There is room for one line: what is wrong, first of all.
        ticks = [tick for tick in guide.ticks if tick.good is False][:1] or guide.ticks
        self.ticks.setVisible(bool(ticks))
        self.ticks.setText("&nbsp;&nbsp; ".join(f"{_TICKS[tick.good]} {escape_markup(tick.words)}" for tick in ticks))
        self.button.setText(guide.button)
        self.button.setShortcut("Alt+G")  # a new text takes the shortcut away
        self.button.setEnabled(guide.ready)
        self.button.setVisible(bool(guide.button))
        self.army.setVisible(guide.step is GuideStep.ARMIES and not guide.busy)
        self.busy.setVisible(guide.busy)
        self.skip.setText(tr("Continue") if guide.is_done else tr("Skip"))
        self.skip.setVisible(guide.step is not None)
        self.leave.setVisible(guide.step is not None)

    def offer(self, armies: Sequence[str]) -> None:
        """Suggest army names, the first for the next click."""
        with QSignalBlocker(self.army):
            self.army.clear()
            self.army.addItems(map(side_name, armies))
            self.army.setCurrentIndex(0)
        self.named.emit(stored_name(self.army.currentText()))

    def _lay_out(self) -> None:
        self.words.setAccessibleName(tr("What to do now"))
        line_px = self.ticks.fontMetrics().lineSpacing()
        keep_place(self.leave)
        self.army.setEditable(True)
        self.army.setMinimumContentsLength(10)
        self.army.setAccessibleName(tr("Army that the next click teaches"))
        self.army.setToolTip(tr("Type a name or choose one, then click the base of one of its soldiers"))
        self.busy.setRange(0, 0)  # how long it takes is not known
        self.busy.setFixedSize(_BUSY_PX, _BUSY_PX // 10)
        self.busy.setTextVisible(False)
        self.busy.setAccessibleName(tr("Searching…"))
        self.button.setDefault(True)
        make_primary(self.button)
        for step, button in self.steps.items():
            button.setAutoRaise(True)
            button.setToolTip(tr("Go to {step}", step=step))
            button.clicked.connect(partial(self.asked_for.emit, step))
        top = in_row(*self.steps.values(), None, self.skip, self.leave)
        low = QWidget()  # always of one height: otherwise the soldiers would move away from the mouse
        low.setFixedHeight(_WORDS_PX + line_px)
        row = QWidget()  # a layout alone would be no higher than its buttons
        in_row((self.words, 1), self.busy, self.army, self.button, on=row, margin=0)
        in_column((row, 1), self.ticks, on=low, margin=0).setSpacing(0)
        in_column(top, low, on=self, margin=(8, 2, 8, 2)).setSpacing(0)
        self.army.editTextChanged.connect(lambda words: self.named.emit(stored_name(words)))
