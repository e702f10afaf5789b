"""A glowing frame around a part of the window."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt
from PyQt6.QtGui import QColor, QPaintEvent, QPen
from PyQt6.QtWidgets import QWidget

from ui.desktop.picture.image import painting
from ui.theme import WHITE, faded

_MARGIN_PX = 6
_ROUND_PX = 9.0
_GLOW = ((11.0, 70), (6.0, 255))
"""Widths and opacities of the strokes around the inner one, the widest first."""
_WIDTH_PX = 3.0
_MOVES = (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.LayoutRequest)


class Spotlight(QWidget):
    """Follows a widget of the window, or a part of it, and hides with it."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.target: QWidget | None = None
        self._part: QRect | None = None
        self._beside: Sequence[QRect] = ()
        self._watched: list[QWidget] = []
        self.hide()

    @property
    def centre(self) -> QPoint:
        """The centre of what is lit, in the coordinates of the target."""
        if self.target is None:
            return QPoint()
        return (self._part if self._part is not None else self.target.rect()).center()

    def light(self, target: QWidget | None, part: QRect | None = None, beside: Sequence[QRect] = ()) -> None:
        """Light up a widget of the window, or the part of it in this rectangle; None puts the light out.

        The frame goes around whatever it would cover of what stands `beside`.
        """
        if target is not self.target:
            self._watch(target)
        self.target, self._part, self._beside = target, part, beside
        self._follow()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Follow when the target or a widget around it is moved, shown or hidden."""
        if event is not None and event.type() in _MOVES:
            self._follow()
        return False

    def paintEvent(self, event: QPaintEvent | None) -> None:
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
        for one in self._beside:
            if part.adjusted(-_MARGIN_PX, -_MARGIN_PX, _MARGIN_PX, _MARGIN_PX).intersects(one):
                part = part.united(one)
        place = QRect(target.mapTo(self.window(), part.topLeft()), part.size())
        self.setGeometry(place.adjusted(-_MARGIN_PX, -_MARGIN_PX, _MARGIN_PX, _MARGIN_PX))
        self.setVisible(target.rect().intersects(part))
        self.raise_()
