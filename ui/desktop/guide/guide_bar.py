"""The bar of the guide: its steps, the current instruction, and a button for it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QComboBox, QFrame, QPushButton, QToolButton, QWidget

from ui.desktop.labels import FittedLabel, escape_markup, markup_label
from ui.desktop.layouts import in_column, in_row
from ui.desktop.theme import make_primary
from ui.setup.first_run import Guide, GuideStep, StepMark
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
        self.button, self.skip, self.leave = QPushButton(), QPushButton(tr("Skip")), QPushButton(tr("Leave guide"))
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
            font = button.font()
            font.setBold(mark is StepMark.NOW)
            button.setFont(font)
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
        policy = self.leave.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.leave.setSizePolicy(policy)
        self.army.setEditable(True)
        self.army.setMinimumContentsLength(10)
        self.army.setAccessibleName(tr("Army that the next click teaches"))
        self.army.setToolTip(tr("Type a name or choose one, then click the base of one of its soldiers"))
        self.button.setDefault(True)
        make_primary(self.button)
        self.skip.setToolTip(tr("Skip this step; click its name above to come back"))
        self.leave.setToolTip(tr("Close the guide; you can open it again in the menu Help"))
        for step, button in self.steps.items():
            button.setAutoRaise(True)
            button.setToolTip(tr("Go to {step}", step=step))
            button.clicked.connect(partial(self._ask_for, step))
        top = in_row(*self.steps.values(), None, self.skip, self.leave)
        low = QWidget()  # always of one height: otherwise the soldiers would move away from the mouse
        low.setFixedHeight(_WORDS_PX + line_px)
        row = QWidget()  # a layout alone would be no higher than its buttons
        in_row((self.words, 1), self.army, self.button, on=row, margin=0)
        in_column((row, 1), self.ticks, on=low, margin=0).setSpacing(0)
        in_column(top, low, on=self, margin=(8, 4, 8, 4)).setSpacing(2)
        self.button.clicked.connect(lambda: self.wanted.emit())
        self.skip.clicked.connect(lambda: self.skipped.emit())
        self.leave.clicked.connect(lambda: self.left.emit())
        self.army.editTextChanged.connect(self.named)

    def _ask_for(self, step: GuideStep, _checked: bool = False) -> None:
        self.asked_for.emit(step)
