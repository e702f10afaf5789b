"""The picture in the window: painted as it comes, zoomed about the cursor, moved by dragging."""

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

from ui.desktop.picture.layers import Layers
from ui.desktop.picture.painting import painting
from ui.desktop.translation import tr
from ui.picture.overlay import PointPx, Shape

_CLOSEST = 16.0
"""Pixels of the screen that one of the picture takes up at most."""
_STEP = 1.2
_A_CLICK_PX = 4  # a hand that clicks moves the mouse so much
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_DRAGGERS = (Qt.MouseButton.MiddleButton, Qt.MouseButton.RightButton)


class PictureView(QWidget):
    """Shows a picture with shapes over it.

    Signals:
        pressed, moved, released: The left button or the mouse, at a place (x, y) in pixels of the picture.
        left: The mouse is gone.
        asked: The right button was clicked where the mouse was last, or the menu key: what can be done there?
        ended: The right button, or Enter, while something is `in_progress`.
        zoomed: One pixel of the picture takes up another number of the screen's.
        turned: The wheel, in steps, while `takes_wheel` is set.

    Attributes:
        takes_wheel: The wheel belongs to the tool in hand; with Ctrl it zooms all the same.
        in_progress: The tool in hand has begun what the right button or Enter ends.
    """

    pressed = pyqtSignal(float, float)
    moved = pyqtSignal(float, float)
    released = pyqtSignal(float, float)
    asked = pyqtSignal()
    ended = pyqtSignal()
    left = pyqtSignal()
    zoomed = pyqtSignal()
    turned = pyqtSignal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.takes_wheel = self.in_progress = False
        self._picture: QImage | None = None
        self._layers = Layers()
        self._scale, self._offset = 1.0, QPointF()
        self._fits = True
        self._dragged_from: QPointF | None = None
        self._dragged = False
        self._space = False
        self._wheel_angle = 0
        # Qt need not clear what the picture covers: that takes longer than to lay the picture down.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(320, 180)
        self.setAccessibleName(tr("Picture of the table"))

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Room for a picture."""
        return QSize(960, 540)

    @property
    def scale(self) -> float:
        """Pixels of the screen that one pixel of the picture takes up."""
        return self._scale

    def show_picture(self, picture: QImage) -> None:
        """Show another picture; one of another size is fitted into the window."""
        anew = self._picture is None or self._picture.size() != picture.size()
        self._picture = picture
        if anew:
            self.fit()
        self.update()

    def show_nothing(self) -> None:
        """Take the picture away, and what lies over it."""
        self._picture = None
        self._layers.show()
        self.update()

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """What is drawn over the picture, from the lowest up."""
        return tuple(shape for layer in self._layers.shapes for shape in layer)

    def show_shapes(self, *layers: Sequence[Shape]) -> None:
        """Show other shapes over the picture, the lowest layer first; what changes least belongs there."""
        if self._layers.show(*layers):
            self.update()

    def fit(self) -> None:
        """Show the whole picture, as large as it goes."""
        self._fits = True
        if self._picture is not None and not self._picture.isNull():
            room, size = self.size(), self._picture.size()
            self._scale = self._fitting()
            self._offset = QPointF(
                (room.width() - self._scale * size.width()) / 2, (room.height() - self._scale * size.height()) / 2
            )
        self.zoomed.emit()
        self.update()

    def zoom(self, factor: float, about: QPointF | None = None) -> None:
        """Enlarge by a factor; the place `about` (of the widget; its middle by default) stays where it is."""
        least = self._fitting()
        scale = min(max(self._scale * factor, least), max(_CLOSEST, least))
        if scale == least:
            self.fit()
            return
        about = QPointF(self.rect().center()) if about is None else about
        self._offset = about - (about - self._offset) * (scale / self._scale)
        self._scale, self._fits = scale, False
        self._keep_in_sight()
        self.zoomed.emit()
        self.update()

    def to_picture(self, point: QPointF) -> PointPx:
        """Pixel of the picture at a point of the widget; the centre of the top left pixel is (0, 0)."""
        place = (point - self._offset) / self._scale
        return (place.x() - 0.5, place.y() - 0.5)

    def to_widget(self, px: PointPx) -> QPointF:
        """Point of the widget at a pixel of the picture."""
        return self._transform().map(QPointF(*px))

    def _transform(self) -> QTransform:
        move = QTransform.fromTranslate(self._offset.x(), self._offset.y())
        return QTransform.fromTranslate(0.5, 0.5) * QTransform.fromScale(self._scale, self._scale) * move

    def _fitting(self) -> float:
        if self._picture is None or self._picture.isNull():
            return 1.0
        return min(self.width() / self._picture.width(), self.height() / self._picture.height())

    def _keep_in_sight(self) -> None:
        """Leave at least a quarter of the window to the picture."""
        if self._picture is None:
            return
        width, height = self._scale * self._picture.width(), self._scale * self._picture.height()
        keep_x, keep_y = self.width() / 4, self.height() / 4
        self._offset.setX(min(max(self._offset.x(), keep_x - width), self.width() - keep_x))
        self._offset.setY(min(max(self._offset.y(), keep_y - height), self.height() - keep_y))

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802
        """Paint the picture and what lies over it."""
        with painting(self) as painter:
            picture = self._picture
            target = QRectF() if picture is None else QRectF(self._offset, self._scale * QSizeF(picture.size()))
            bare = QRegion(self.rect()) - QRegion(target.toRect().adjusted(1, 1, -1, -1))
            if not bare.isEmpty():
                painter.setClipRegion(bare)
                painter.fillRect(self.rect(), self.palette().window())
                painter.setClipping(False)
            if picture is not None:
                painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
                painter.drawImage(target, picture)
                self._layers.paint(painter, self._transform(), self.size(), self.devicePixelRatioF())

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802
        """Keep the whole picture in sight where it was."""
        if self._fits:
            self.fit()
        else:
            self._keep_in_sight()

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        """Use the tool, or take hold of the picture."""
        if event is None:
            return
        if event.button() in _DRAGGERS or (self._space and event.button() == Qt.MouseButton.LeftButton):
            self._dragged_from, self._dragged = event.position(), False
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif event.button() == Qt.MouseButton.LeftButton:
            self.pressed.emit(*self.to_picture(event.position()))

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        """Show the whole picture; of the left button it is a click like any other."""
        if event is not None and event.button() in _DRAGGERS:
            self.fit()
        else:
            self.mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        """Move the tool, or the picture."""
        if event is None:
            return
        way = event.position() - self._dragged_from if self._dragged_from is not None else QPointF()
        if self._dragged_from is not None and (self._dragged or way.manhattanLength() > _A_CLICK_PX):
            self._dragged = True
            self._offset += way
            self._dragged_from, self._fits = event.position(), False
            self._keep_in_sight()
            self.update()
        self.moved.emit(*self.to_picture(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        """Let go."""
        if event is None:
            return
        if self._dragged_from is not None:
            self._dragged_from = None
            self.setCursor(Qt.CursorShape.OpenHandCursor if self._space else Qt.CursorShape.CrossCursor)
            if event.button() == Qt.MouseButton.RightButton and not self._dragged:
                self.moved.emit(*self.to_picture(event.position()))
                (self.ended if self.in_progress else self.asked).emit()
        elif event.button() == Qt.MouseButton.LeftButton:
            self.released.emit(*self.to_picture(event.position()))

    def wheelEvent(self, event: QWheelEvent | None) -> None:  # noqa: N802
        """Turn the tool's wheel, or zoom about the cursor."""
        if event is None:
            return
        self._wheel_angle += event.angleDelta().y()
        steps = int(self._wheel_angle / 120)  # towards zero: half a step back is no step
        self._wheel_angle -= 120 * steps
        if steps and self.takes_wheel and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.turned.emit(steps)
        elif steps:
            self.zoom(_STEP**steps, event.position())
        event.accept()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802
        """Held space makes the left button take hold of the picture; Enter ends what is in progress."""
        if event is not None and event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space = True
            self.setCursor(Qt.CursorShape.OpenHandCursor)
        elif event is not None and event.key() in _ENTER and self.in_progress:
            self.ended.emit()
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802
        """The tool again."""
        if event is not None and event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space = False
            self.setCursor(Qt.CursorShape.CrossCursor)
        else:
            super().keyReleaseEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:  # noqa: N802
        """Of the menu key; the right button has also the picture to drag."""
        if event is not None and event.reason() == QContextMenuEvent.Reason.Keyboard:
            self.asked.emit()

    def enterEvent(self, event: QEnterEvent | None) -> None:  # noqa: N802
        """Point exactly."""
        self.setCursor(Qt.CursorShape.CrossCursor)

    def leaveEvent(self, event: QEvent | None) -> None:  # noqa: N802
        """Point at nothing."""
        self.left.emit()
