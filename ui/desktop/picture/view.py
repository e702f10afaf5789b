"""The picture widget: zooms about the mouse and is moved by dragging."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import QEvent, QPointF, QRectF, QSize, QSizeF, Qt, pyqtSignal
from PyQt6.QtGui import (
    QContextMenuEvent,
    QEnterEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QRegion,
    QResizeEvent,
    QTransform,
    QWheelEvent,
)
from PyQt6.QtWidgets import QSizePolicy, QWidget

from ui.desktop.picture.image import painting
from ui.desktop.picture.painter import Layers
from ui.picture.placement import Box, Taken
from ui.picture.shapes import PointPx, Shape
from ui.translation import tr

_MAX_SCALE = 16.0
"""Largest number of screen pixels per picture pixel."""
_STEP = 1.2
_CLICK_PX = 4  # a click moves the mouse by at most this much
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_DRAGGERS = (Qt.MouseButton.MiddleButton, Qt.MouseButton.RightButton)


class PictureView(QWidget):
    """Shows a picture with shapes over it.

    Signals:
        pressed, moved, released: The left button or the mouse, at (x, y) in picture pixels.
        left: The mouse left the widget.
        asked: A right click or the menu key asks for the menu at the mouse.
        ended: A right click or Enter while `in_progress` is set.
        zoomed: The scale changed.
        shifted: The picture moved in the widget or was zoomed.
        turned: The wheel turned by this many steps while `takes_wheel` is set.
        tapped: The space bar was pressed without dragging the picture.

    Attributes:
        takes_wheel: The wheel belongs to the selected tool; with Ctrl it still zooms.
        in_progress: The selected tool has begun something that a right click or Enter ends.
        scale: Screen pixels per picture pixel.
    """

    pressed = pyqtSignal(float, float)
    moved = pyqtSignal(float, float)
    released = pyqtSignal(float, float)
    asked = pyqtSignal()
    ended = pyqtSignal()
    left = pyqtSignal()
    zoomed = pyqtSignal()
    shifted = pyqtSignal()
    turned = pyqtSignal(int)
    tapped = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self.takes_wheel = self.in_progress = False
        self._picture: QImage | None = None
        self._layers = Layers()
        self.scale, self._offset = 1.0, QPointF()
        self._is_fitted = True
        self._table_px: Box | None = None
        self._shows_whole = False
        self._covered_px = 0
        self._dragged_from: QPointF | None = None
        self._dragged = False
        self._space_held = False
        self._wheel_angle = 0
        # Qt need not clear the area under the picture: that takes longer than drawing the picture.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(320, 180)
        self.setAccessibleName(tr("Picture of the table"))

    def sizeHint(self) -> QSize:
        return QSize(960, 540)

    def show_picture(self, picture: QImage) -> None:
        """Show a picture; if its size differs from the last one's, fit it into the window."""
        is_new = self._picture is None or self._picture.size() != picture.size()
        self._picture = picture
        if is_new:
            self.fit()
        self.update()

    def show_nothing(self) -> None:
        """Remove the picture and its shapes."""
        self._picture = self._table_px = None
        self._shows_whole = False
        self._layers.show()
        self.update()

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """All shapes over the picture, the lowest first."""
        return tuple(shape for layer in self._layers.shapes for shape in layer)

    def show_shapes(self, *layers: Sequence[Shape]) -> None:
        """Replace the shapes, given as layers from the lowest up; the lowest should change least."""
        if self._layers.show(*layers):
            self.update()

    @property
    def taken(self) -> Taken:
        """Where figures and their labels stood in the widget when they were last painted."""
        return self._layers.taken

    def cover(self, boxes: tuple[Box, ...]) -> None:
        """Keep the labels at the mouse off these parts of the widget, which other widgets cover."""
        if boxes != self._layers.covered:
            self._layers.covered = boxes
            self.update()

    def show_table_at(self, box_px: Box | None) -> None:
        """Say which part of the picture is the table; None if unknown. A fitted picture follows it."""
        if box_px != self._table_px:
            self._table_px = box_px
            if self._is_fitted:
                self.fit()

    def fit(self) -> None:
        """Show the table as large as possible; the whole picture if that is chosen or the table is unknown."""
        self._is_fitted = True
        if self._picture is not None and not self._picture.isNull():
            self.scale = self._fitting(self._fitted_part)
            self._offset = self._room.center() - self.scale * self._fitted_part.center()
        self.zoomed.emit()
        self.shifted.emit()
        self.update()

    def keep_clear(self, covered_px: int) -> None:
        """Fit the table into what a dialog leaves free, which covers this much at the right; 0 uses all again."""
        self._covered_px = min(max(covered_px, 0), self.width() // 2)
        if self._is_fitted:
            self.fit()

    def toggle_fit(self) -> None:
        """Fit the table; if it is fitted, the whole picture."""
        self._shows_whole = self._is_fitted and not self._shows_whole
        self.fit()

    def zoom(self, factor: float, about: QPointF | None = None) -> None:
        """Zoom by a factor and keep the point `about` of the widget, by default its centre, in place."""
        least = self._fitting(self._whole)
        scale = min(max(self.scale * factor, least), max(_MAX_SCALE, least))
        if scale == least:
            self._shows_whole = True
            self.fit()
            return
        about = QPointF(self.rect().center()) if about is None else about
        self._offset = about - (about - self._offset) * (scale / self.scale)
        self.scale, self._is_fitted = scale, False
        self._keep_in_sight()
        self.zoomed.emit()
        self.shifted.emit()
        self.update()

    def to_picture(self, point: QPointF) -> PointPx:
        """The picture pixel at a widget point; the centre of the top left pixel is (0, 0)."""
        place = (point - self._offset) / self.scale
        return (place.x() - 0.5, place.y() - 0.5)

    def to_widget(self, px: PointPx) -> QPointF:
        """The widget point at a picture pixel."""
        return self._transform().map(QPointF(*px))

    def _transform(self) -> QTransform:
        move = QTransform.fromTranslate(self._offset.x(), self._offset.y())
        return QTransform.fromTranslate(0.5, 0.5) * QTransform.fromScale(self.scale, self.scale) * move

    @property
    def _whole(self) -> QRectF:
        return QRectF() if self._picture is None else QRectF(self._picture.rect())

    @property
    def _table(self) -> QRectF:
        """The table's part of the picture, or all of it."""
        if self._table_px is None:
            return self._whole
        left, top, right, bottom = self._table_px
        return QRectF(left, top, right - left, bottom - top)

    @property
    def _fitted_part(self) -> QRectF:
        return self._whole if self._shows_whole else self._table

    def _fitting(self, part: QRectF) -> float:
        """The scale at which a part of the picture fills the widget."""
        room = self._room
        return min(room.width() / part.width(), room.height() / part.height()) if not part.isEmpty() else 1.0

    @property
    def _room(self) -> QRectF:
        """The part of the widget that no dialog covers."""
        return QRectF(self.rect()).adjusted(0, 0, -self._covered_px, 0)

    def _keep_in_sight(self) -> None:
        """Keep the table, or a quarter of the window of it, in sight."""
        table = self._table
        low, high = self.scale * table.topLeft(), self.scale * table.bottomRight()
        keep_x, keep_y = min(self.width() / 4, high.x() - low.x()), min(self.height() / 4, high.y() - low.y())
        self._offset.setX(min(max(self._offset.x(), keep_x - high.x()), self.width() - keep_x - low.x()))
        self._offset.setY(min(max(self._offset.y(), keep_y - high.y()), self.height() - keep_y - low.y()))

    def paintEvent(self, event: QPaintEvent | None) -> None:
        with painting(self) as painter:
            picture = self._picture
            target = QRectF() if picture is None else QRectF(self._offset, self.scale * QSizeF(picture.size()))
            bare = QRegion(self.rect()) - QRegion(target.toRect().adjusted(1, 1, -1, -1))
            if not bare.isEmpty():
                painter.setClipRegion(bare)
                painter.fillRect(self.rect(), self.palette().window())
                painter.setClipping(False)
            if picture is not None:
                painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
                painter.drawImage(target, picture)
                self._layers.paint(painter, self._transform(), self.size(), self.devicePixelRatioF())

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Keep the table or the whole picture fitted if it was."""
        if self._is_fitted:
            self.fit()
        else:
            self._keep_in_sight()
            self.shifted.emit()

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Use the tool, or start dragging the picture."""
        if event is None:
            return
        if event.button() in _DRAGGERS or (self._space_held and event.button() == Qt.MouseButton.LeftButton):
            self._dragged_from, self._dragged = event.position(), False
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif event.button() == Qt.MouseButton.LeftButton:
            self.pressed.emit(*self.to_picture(event.position()))

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        """Fit the table or the whole picture; a double click of the left button is an ordinary click."""
        if event is not None and event.button() in _DRAGGERS:
            self.toggle_fit()
        else:
            self.mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """Report the position, and move the picture while it is dragged."""
        if event is None:
            return
        drag = event.position() - self._dragged_from if self._dragged_from is not None else QPointF()
        if self._dragged_from is not None and (self._dragged or drag.manhattanLength() > _CLICK_PX):
            self._dragged = True
            self._offset += drag
            self._dragged_from, self._is_fitted = event.position(), False
            self._keep_in_sight()
            self.shifted.emit()
            self.update()
        self.moved.emit(*self.to_picture(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        """End the drag or the tool's press; a right click without a drag asks for the menu or ends the tool's work."""
        if event is None:
            return
        if self._dragged_from is not None:
            self._dragged_from = None
            self.setCursor(Qt.CursorShape.OpenHandCursor if self._space_held else Qt.CursorShape.CrossCursor)
            if event.button() == Qt.MouseButton.RightButton and not self._dragged:
                self.moved.emit(*self.to_picture(event.position()))
                (self.ended if self.in_progress else self.asked).emit()
        elif event.button() == Qt.MouseButton.LeftButton:
            self.released.emit(*self.to_picture(event.position()))

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Turn the tool's wheel, or zoom about the mouse."""
        if event is None:
            return
        self._wheel_angle += event.angleDelta().y()
        steps = int(self._wheel_angle / 120)  # rounded towards zero: half a step back counts as none
        self._wheel_angle -= 120 * steps
        if steps and self.takes_wheel and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.turned.emit(steps)
        elif steps:
            self.zoom(_STEP**steps, event.position())
        event.accept()

    def event(self, event: QEvent | None) -> bool:
        """Keep the space bar for dragging, although it may be the key of an action."""
        override = event if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride else None
        if override is not None and override.key() == Qt.Key.Key_Space:
            override.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """While space is held, the left button drags the picture; Enter ends what is in progress."""
        if event is not None and event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space_held, self._dragged = True, False
            self.setCursor(Qt.CursorShape.OpenHandCursor)
        elif event is not None and event.key() in _ENTER and self.in_progress:
            self.ended.emit()
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent | None) -> None:
        if event is not None and event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space_held = False
            self.setCursor(Qt.CursorShape.CrossCursor)
            if not self._dragged:
                self.tapped.emit()
        else:
            super().keyReleaseEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:
        """Handle the menu key; the right button also drags, so its release asks for the menu."""
        if event is not None and event.reason() == QContextMenuEvent.Reason.Keyboard:
            self.asked.emit()

    def enterEvent(self, event: QEnterEvent | None) -> None:
        self.setCursor(Qt.CursorShape.CrossCursor)

    def leaveEvent(self, event: QEvent | None) -> None:
        self.left.emit()
