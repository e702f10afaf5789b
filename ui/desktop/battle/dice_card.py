"""The part of the battle card that asks for dice: rolled by the program, typed, clicked, or reported by devices.

Its controller leads an action through its dice, while the rest of the window works on.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial

from PyQt6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QIcon, QKeyEvent, QPainter, QPaintEvent, QPen, QPixmap
from PyQt6.QtWidgets import QCheckBox, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from rules.engine.dice import DiceRequest, Die, Roll, rolled
from rules.engine.text import action_with_actors
from rules.tabletop.errors import UserError
from ui.battle.dice import (
    PIPS,
    RollingAction,
    Throws,
    dice_words,
    face_words,
    hint_words,
    request_words,
    roll_words,
    typed_faces,
    virtual_dice,
)
from ui.desktop.picture.image import painting
from ui.desktop.theme import make_primary
from ui.desktop.widgets import (
    TextField,
    button_with_tip,
    described,
    in_column,
    in_row,
    set_font,
    show_words,
    wrapping_label,
)
from ui.formatting import sentence
from ui.rules_text import translated
from ui.translation import tr

_FACE_PX, _BUTTON_PX = 32, 40
_NEEDED_SCALE = 1.6


class _FacesField(TextField):
    """Where faces are typed. Ctrl+Z takes back what was typed or clicked."""

    def replace_faces(self, text: str) -> None:
        """Replace the text by another one, as if the player had typed it."""
        self.selectAll()
        self.insert(text)


class DiceCard(QWidget):
    """Asks for the dice of one request. A roll is final: the card takes one and then no more.

    Attributes:
        request: The request.
        roll: The roll, once there is one.
        roll_button: The button that lets the program roll.

    Signals:
        rolled: The roll (a `Roll`).
        roll_all: Roll these dice and everything that follows.
        cancelled: The players take the action back.
    """

    rolled = pyqtSignal(object)
    roll_all = pyqtSignal()
    cancelled = pyqtSignal()

    def __init__(self, request: DiceRequest, chance: random.Random, parent: QWidget | None = None) -> None:
        """Ask for the dice of `request`; `chance` rolls the program's own."""
        super().__init__(parent)
        self.request = request
        self.roll: Roll | None = None
        self._needed, self._action, self._before = wrapping_label(), wrapping_label(), QVBoxLayout()
        self._what, self._problem = wrapping_label(request_words(request)), wrapping_label()
        self._shown = DiceFaces(request.die, request.count)
        words = tr("Roll the die") if request.count == 1 else tr("Roll the dice")
        tip = tr("Let the program roll; the roll counts (Alt+R)")
        self.roll_button = button_with_tip(words, tip, lambda: self._finish(virtual_dice(chance)(request)), "Alt+R")
        self._all, self._line = button_with_tip("", "", self.roll_all.emit), _FacesField()
        self._use = button_with_tip(tr("Use"), tr("Use the typed faces; then they are final (Return)"), self._use_typed)
        tip = tr("Take the action back before a die is rolled (Esc)")
        self._cancel = button_with_tip(tr("Cancel"), tip, self.cancelled.emit)
        self._six_sided = QCheckBox(tr("Six-sided dice"))
        self._faces = {die: self._face_buttons(die) for die in (request.die, Die.D6)}
        self._devices = QVBoxLayout()
        make_primary(self.roll_button)
        self._set_up()
        self._lay_out()
        self._show_die()

    @property
    def may_cancel(self) -> bool:
        """Whether the players may still take the action back."""
        return self.roll is None and not self._cancel.isHidden()

    def show_action(self, words: str, needed: str, throws: Throws = ()) -> None:
        """Show the action, the number needed, and the dice that were rolled for it before."""
        show_words(self._action, words)
        show_words(self._needed, needed)
        for request, roll in throws:
            self._before.addWidget(wrapping_label(roll_words(request, roll.faces)))
            self._before.addWidget(DiceFaces(request.die, request.count, roll.faces))
        if throws:
            self.lock()

    def offer_all(self, words: str, tip: str) -> None:
        """Offer to roll everything that follows too; `words` is the button's text."""
        self._all.setText(words)
        self._all.setToolTip(tr("{what} (Alt+A)", what=tip))
        self._all.setShortcut("Alt+A")
        self._all.show()

    def lock(self) -> None:
        """A die was rolled: the action cannot be cancelled any more."""
        self._cancel.hide()

    def take(self, faces: Sequence[int]) -> None:
        """Use faces that dice reported."""
        if self.roll is None:
            self._finish(rolled(self.request, faces))

    def add(self, widget: QWidget) -> None:
        """Add a widget of a device that helps to answer."""
        self._devices.addWidget(widget)

    def event(self, event: QEvent | None) -> bool:
        """Handle Escape; the window's shortcut would put the tool away."""
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                if self.may_cancel:
                    self.cancelled.emit()
                return True
        return super().event(event)

    @property
    def _die(self) -> Die:
        """The dice on the table."""
        return Die.D6 if self._six_sided.isChecked() else self.request.die

    def _show_die(self) -> None:
        """Ask for the faces of the dice on the table."""
        self._line.clear()
        self._line.setPlaceholderText(hint_words(self._die, self.request.count))
        for die, row in self._faces.items():
            row.setVisible(die is self._die)
        self._check()

    def _check(self) -> Roll | None:
        """Show the typed faces; return them as a roll if they are complete."""
        faces = typed_faces(self._die, self._line.text())
        roll, problem = None, ""
        try:
            read = self.request.read_d6(faces) if self._six_sided.isChecked() and faces else tuple(faces)
            self._shown.show_faces(read)
            roll = rolled(self.request, read)
        except UserError as refusal:
            problem = sentence(str(refusal)) if len(faces) >= self.request.count else ""
        show_words(self._problem, problem)
        self._use.setEnabled(roll is not None)
        return roll

    def _use_typed(self) -> None:
        roll = self._check()
        if roll is not None:
            self._finish(roll)
        elif not self._problem.text():
            show_words(self._problem, sentence(hint_words(self._die, self.request.count)))

    def _finish(self, roll: Roll) -> None:
        if self.roll is None:
            self.roll = roll
            self._shown.show_faces(roll.faces)
            self.rolled.emit(roll)

    def _click(self, face: int) -> None:
        before = typed_faces(self._die, self._line.text())
        self._line.replace_faces(" ".join(map(str, [*before, face][: self.request.count])))
        self._line.setFocus()

    def _face_buttons(self, die: Die) -> QWidget:
        """A button for each face of a die."""
        row, buttons = QWidget(), []
        for face in die.faces:
            button, words = QPushButton(), tr("A die shows {die}", die=face_words(die, face))
            button.setIcon(die_icon(die, face, _FACE_PX))
            button.setIconSize(QSize(_FACE_PX, _FACE_PX))
            button.setFixedSize(_FACE_PX + 8, _FACE_PX + 8)
            button.setFlat(True)
            described(button, words, words)
            button.clicked.connect(partial(self._click, face))
            buttons.append(button)
        in_row(*buttons, None, on=row, margin=0).setSpacing(4)
        return row

    def _set_up(self) -> None:
        set_font(self._needed, bold=True, scale=_NEEDED_SCALE)
        set_font(self._action, bold=True)
        self._six_sided.setToolTip(tr("Roll six-sided dice instead of Fudge dice; the program converts them"))
        self._needed.setAccessibleName(tr("Number needed"))
        self._action.setAccessibleName(tr("Action"))
        self._what.setAccessibleName(tr("Dice request"))
        self._line.setAccessibleName(tr("Faces"))
        self.setFocusProxy(self._line)
        for widget in (self._needed, self._action, self._problem, self._all):
            widget.setVisible(False)
        self._six_sided.setVisible(bool(self.request.stands_for))
        for button in (self.roll_button, self._all):
            button.setMinimumHeight(_BUTTON_PX)
        self._six_sided.toggled.connect(lambda _: self._show_die())
        self._line.textChanged.connect(lambda _: self._check())
        self._line.returnPressed.connect(self._use_typed)

    def _lay_out(self) -> None:
        rolls, typing = in_row((self.roll_button, 1), (self._all, 1)), in_row((self._line, 1), self._use)
        in_column(
            *(self._action, self._needed, self._before, self._what, self._shown),
            *(rolls, self._six_sided, typing),
            *self._faces.values(),
            *(self._problem, self._devices, None, self._cancel),
            on=self,
            margin=(0, 4, 0, 0),
        ).setSpacing(8)


class RollingController:
    """Shows the dice requests of one action after another, and reports its result.

    Attributes:
        dice: Rolls for the players if they let the program roll.
        card: The open dice request; None if there is none.
    """

    def __init__(
        self,
        show: Callable[[DiceCard | None], object],
        chance: random.Random,
        attempt: Callable[[Callable[[], object]], None],
        finish: Callable[[Sequence[RollingAction]], None],
    ) -> None:
        """Show each request by `show`; `chance` rolls the program's own dice, `attempt` shows the players a refusal.

        `finish` receives the actions that are done: one, or several that were rolled together.
        """
        self._show, self._chance, self._attempt, self._finish = show, chance, attempt, finish
        self.dice = virtual_dice(chance)
        self._rolling: RollingAction | None = None
        self._needed = ""
        self.card: DiceCard | None = None

    def __bool__(self) -> bool:
        """Whether dice must be rolled before anything else can be done."""
        return self._rolling is not None

    def check_none(self) -> None:
        """Raise a `UserError` if dice must be rolled first."""
        if self._rolling is not None:
            words = tr("Roll the dice first, or cancel the action.")
            raise UserError(words if self._rolling.may_cancel else tr("Roll the remaining dice first."))

    def begin(self, rolling: RollingAction, needed: str) -> None:
        """Lead this action through its dice; `needed` is the number needed by its first roll."""
        self._rolling, self._needed = rolling, needed
        self._advance(lambda: None)

    def roll(self, rolling: RollingAction) -> None:
        """Roll all dice of this action without asking for them."""
        rolling.answer_all(self.dice)
        self._finish((rolling,))

    def roll_series(self, rolling: RollingAction) -> None:
        """Roll this action and all others of its kind that the phase needs, such as the morale of an army."""
        self._rolling = rolling
        self._roll_all()

    def cancel(self) -> None:
        """End the action without a result; nothing has happened in the battle."""
        if self._rolling is not None:
            self._rolling.cancel()
            self._close()

    def cancel_unless_begun(self) -> None:
        """Take the action back as the players wish, unless a die was rolled for it."""
        if self.card is not None and self.card.may_cancel:
            self.cancel()

    def _advance(self, answer: Callable[[], object]) -> None:
        """Answer the current request, then ask for the next dice or report the result."""
        self._attempt(lambda: self._answered(answer))

    def _answered(self, answer: Callable[[], object]) -> None:
        rolling = self._rolling
        if rolling is None:
            return
        try:
            answer()
        finally:
            if rolling.request is None:
                self._close()
        if rolling.request is None:
            self._finish((rolling,))
        else:
            self._ask(rolling, rolling.request)

    def _ask(self, rolling: RollingAction, request: DiceRequest) -> None:
        """Show the card of a request."""
        card = DiceCard(request, self._chance)
        words = translated(action_with_actors(rolling.action.by, rolling.action.words))
        card.show_action(words, "" if rolling.throws else self._needed, rolling.throws)
        same = len(rolling.same)
        if same > 1:
            tip = tr("Let the program make this roll and all others of this kind")
            card.offer_all(tr("Roll all {count}", count=same), tip)
        elif rolling.more_follows:
            card.offer_all(tr("Roll all"), tr("Let the program roll these dice and all that follow"))
        card.rolled.connect(lambda roll: self._advance(lambda: rolling.answer(roll)))
        card.roll_all.connect(lambda: self._attempt(self._roll_all))
        card.cancelled.connect(self.cancel_unless_begun)
        self.card = card
        self._show(card)

    def _roll_all(self) -> None:
        """Roll the rest of the action and, in a series such as the morale of an army, all the others."""
        rolling = self._rolling
        if rolling is None:
            return
        done = [rolling]
        try:
            rolling.answer_all(self.dice)
            while (following := done[-1].following({one.action.words for one in done})) is not None:
                following.answer_all(self.dice)
                done.append(following)
        finally:
            self._close()
            self._finish([one for one in done if one.verdict is not None])

    def _close(self) -> None:
        self._rolling = self.card = None
        self._show(None)


_FEW, _BIG_PX, _SMALL_PX, _GAP_PX = 12, 40, 22, 6
_WIDE_PX = 280
_MOST_SHOWN = 100
_IVORY, _INK, _EMPTY = QColor(246, 243, 232), QColor(24, 26, 30), QColor(128, 128, 128)


class DiceFaces(QWidget):
    """Shows the dice of one request, six to a line, or smaller ones where there are many."""

    def __init__(self, die: Die, count: int, faces: Sequence[int] = ()) -> None:
        """Show `count` dice, of which the first show `faces`."""
        super().__init__()
        self._die, self._count = die, count
        self.faces: tuple[int, ...] = ()
        self._px = _BIG_PX if count <= _FEW else _SMALL_PX
        self._in_line = (_WIDE_PX + _GAP_PX) // (self._px + _GAP_PX)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.show_faces(faces)

    def show_faces(self, faces: Sequence[int]) -> None:
        """Show these faces; dice without one stay empty."""
        self.faces = tuple(faces[: self._count])
        words = ", ".join(face_words(self._die, face) for face in self.faces if face in self._die.faces)
        dice = dice_words(self._die, self._count)
        self.setAccessibleName(tr("{dice}: {faces}", dice=dice, faces=words) if words else dice)
        self.update()

    def sizeHint(self) -> QSize:
        shown, step_px = min(self._count, _MOST_SHOWN), self._px + _GAP_PX
        lines = -(-shown // self._in_line)
        return QSize(min(shown, self._in_line) * step_px - _GAP_PX, lines * step_px - _GAP_PX)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _: QPaintEvent | None) -> None:
        with painting(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for number in range(min(self._count, _MOST_SHOWN)):
                line, place = divmod(number, self._in_line)
                step_px = self._px + _GAP_PX
                box = QRectF(place * step_px, line * step_px, self._px, self._px).adjusted(1, 1, -1, -1)
                face = self.faces[number] if number < len(self.faces) else None
                paint_die(painter, box, self._die, face if face in self._die.faces else None)


def paint_die(painter: QPainter, box: QRectF, die: Die, face: int | None) -> None:
    """Paint a die with this face; None paints an empty place."""
    round_px = 0.18 * box.width()
    if face is None:
        painter.setPen(QPen(_EMPTY, 1.5, Qt.PenStyle.DashLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, round_px, round_px)
        return
    painter.setPen(QPen(_INK, 1.0))
    painter.setBrush(_IVORY)
    painter.drawRoundedRect(box, round_px, round_px)
    middle, unit_px = box.center(), box.width()
    if die is Die.FUDGE:
        painter.setPen(QPen(_INK, 0.12 * unit_px, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        arm_px = 0.26 * unit_px
        if face:
            painter.drawLine(middle - QPointF(arm_px, 0), middle + QPointF(arm_px, 0))
        if face > 0:
            painter.drawLine(middle - QPointF(0, arm_px), middle + QPointF(0, arm_px))
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(_INK)
    for right, down in PIPS[face]:
        painter.drawEllipse(middle + 0.26 * unit_px * QPointF(right, down), 0.09 * unit_px, 0.09 * unit_px)


def die_icon(die: Die, face: int, px: int) -> QIcon:
    """A die with this face as the icon of a button."""
    picture = QPixmap(2 * px, 2 * px)  # twice as fine, for screens with small pixels
    picture.fill(Qt.GlobalColor.transparent)
    with painting(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_die(painter, QRectF(2, 2, 2 * px - 4, 2 * px - 4), die, face)
    return QIcon(picture)
