"""A second window for a projector or another screen: what is painted on the table or, unaligned, a map on black."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import (
    QCloseEvent,
    QGuiApplication,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QResizeEvent,
    QTransform,
)
from PyQt6.QtWidgets import QWidget

from ui.desktop.picture.layers import Layers
from ui.desktop.picture.painter import paint
from ui.desktop.picture.painting import painting
from ui.picture.drawing import Drawing
from ui.picture.overlay import Preview, Shape
from ui.picture.table_map import MapMaker, TableMap
from ui.session import TableState
from ui.translation import tr
from vision.table_view import TableView


class ProjectorWindow(QWidget):
    """Shows a picture or the table from above, as large as the window; a double click or F11 toggles full screen.

    Attributes:
        light: The picture that is shown pixel by pixel; None for the map.

    Signals:
        left: The window was closed.
        resized: Its pixels are elsewhere on the table now.
    """

    left = pyqtSignal()
    resized = pyqtSignal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self._main_window = parent
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)  # the keys stay with the main window
        self.setWindowTitle(tr("Sandtable: projector"))
        self.resize(960, 600)
        self._layers, self._drawing, self._maker = Layers(), Drawing(), MapMaker()
        self._map: TableMap | None = None
        self.light: QImage | None = None

    @property
    def size_px(self) -> tuple[int, int]:
        """(width, height) in pixels of the screen."""
        ratio = self.devicePixelRatioF()
        return round(self.width() * ratio), round(self.height() * ratio)

    def open(self) -> None:
        """Show the window, full screen on a second screen if there is one."""
        other = next((screen for screen in QGuiApplication.screens() if screen is not self._main_window.screen()), None)
        if other is None:
            self.show()
            return
        self.setGeometry(other.geometry())
        self.showFullScreen()

    def show_light(self, light: QImage | None) -> None:
        """Show a picture of `size_px`; None for the map."""
        self.light = light
        self.update()

    def drawn(self, shapes: Sequence[Shape]) -> QImage:
        """A picture of shapes, in the window's pixels, on black."""
        light = QImage(*self.size_px, QImage.Format.Format_RGB32)
        light.fill(Qt.GlobalColor.black)
        with painting(light) as painter:
            paint(painter, shapes, QTransform.fromTranslate(0.5, 0.5))
        return light

    def show_table(self, view: TableView, state: TableState, preview: Preview) -> None:
        """Show the map of the table; computes nothing while the window is closed."""
        if not self.isVisible():
            return
        if view.calibration is None:
            self._map = None
        else:
            area_in = state.area.corners_in if state.area is not None else None
            self._map = self._maker.made(view.calibration, area_in, (self.width(), self.height()))
            self._layers.show(*self._drawing.of(self._map.view(view), state, preview))
        self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint the picture, or the map centred in the window."""
        with painting(self) as painter:
            painter.fillRect(self.rect(), Qt.GlobalColor.black)
            if self.light is not None:
                painter.drawImage(self.rect(), self.light)
            elif self._map is not None:
                width, height = self._map.camera.lens.image_size
                middle = QTransform.fromTranslate((self.width() - width) / 2, (self.height() - height) / 2)
                self._layers.paint(painter, middle, self.size(), self.devicePixelRatioF())

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        self._turn_full_screen()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """F11 switches full screen, Esc closes the window."""
        if event is not None and event.key() == Qt.Key.Key_F11:
            self._turn_full_screen()
        elif event is not None and event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def closeEvent(self, event: QCloseEvent | None) -> None:
        self.left.emit()
        super().closeEvent(event)

    def _turn_full_screen(self) -> None:
        self.showNormal() if self.isFullScreen() else self.showFullScreen()
