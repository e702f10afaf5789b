"""Drawn dice: pips on six-sided dice, signs on Fudge dice, and empty places for dice not rolled yet."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QIcon, QPainter, QPaintEvent, QPen, QPixmap
from PyQt6.QtWidgets import QSizePolicy, QWidget

from rules.engine.dice import Die
from ui.battle.typed_dice import PIPS, dice_words, face_words
from ui.desktop.picture.image import painting
from ui.translation import tr

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
        """Size of all dice."""
        shown, step_px = min(self._count, _MOST_SHOWN), self._px + _GAP_PX
        lines = -(-shown // self._in_line)
        return QSize(min(shown, self._in_line) * step_px - _GAP_PX, lines * step_px - _GAP_PX)

    def minimumSizeHint(self) -> QSize:
        """Size of all dice."""
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
