"""The widgets of the guide: its bar, and a glowing frame around the control that it speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PyQt6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QPaintEvent, QPen
from PyQt6.QtWidgets import QComboBox, QFrame, QToolButton, QWidget

from ui.desktop.picture.image import painting
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
from ui.theme import WHITE, faded
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


_MARGIN_PX = 6
_ROUND_PX = 9.0
_GLOW = ((11.0, 70), (6.0, 255))
"""Widths and opacities of the strokes around the inner one, the widest first."""
_WIDTH_PX = 3.0
_MOVES = (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.LayoutRequest)


class Spotlight(QWidget):
    """Follows a widget of the window, or a part of it, and hides with it.

    Attributes:
        target: The widget that is lit; None if none is.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.target: QWidget | None = None
        self._part: QRect | None = None
        self._watched: list[QWidget] = []
        self.hide()

    @property
    def centre(self) -> QPoint:
        """The centre of what is lit, in the coordinates of the target."""
        return self.target.mapFrom(self.window(), self.geometry().center()) if self.target is not None else QPoint()

    def light(self, target: QWidget | None, part: QRect | None = None) -> None:
        """Light up a widget of the window, or the part of it in this rectangle; None puts the light out."""
        if target is not self.target:
            self._watch(target)
        self.target, self._part = target, part
        self._follow()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Follow when the target or a widget around it is moved, shown or hidden."""
        if event is not None and event.type() in _MOVES:
            self._follow()
        return False

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Draw the frame."""
        with painting(self) as painter:
            painter.setRenderHint(painter.RenderHint.Antialiasing)
            frame = QRectF(self.rect()).adjusted(_MARGIN_PX, _MARGIN_PX, -_MARGIN_PX, -_MARGIN_PX)
            pens = [QPen(QColor(*faded(WHITE, opacity)), width) for width, opacity in _GLOW]
            for pen in (*pens, QPen(self.palette().highlight(), _WIDTH_PX)):
                painter.setPen(pen)
                painter.drawRoundedRect(frame, _ROUND_PX, _ROUND_PX)

    def _watch(self, target: QWidget | None) -> None:
        """Notice changes of the target and of everything around it, because a widget moves with its parents."""
        for widget in self._watched:
            widget.removeEventFilter(self)
        self._watched = []
        while target is not None:
            self._watched.append(target)
            target.installEventFilter(self)
            target = None if target.isWindow() else target.parentWidget()

    def _follow(self) -> None:
        target = self.target
        if target is None or not target.isVisible():
            self.hide()
            return
        part = self._part if self._part is not None else target.rect()
        place = QRect(target.mapTo(self.window(), part.topLeft()), part.size())
        self.setGeometry(place.adjusted(-_MARGIN_PX, -_MARGIN_PX, _MARGIN_PX, _MARGIN_PX))
        self.setVisible(target.rect().intersects(part))
        self.raise_()
