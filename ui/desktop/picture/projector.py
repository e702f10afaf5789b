"""A second window for a projector or another screen: only what is drawn over the table, on black."""

from __future__ import annotations

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QCloseEvent, QGuiApplication, QKeyEvent, QMouseEvent, QPaintEvent, QTransform
from PyQt6.QtWidgets import QWidget

from ui.desktop.picture.layers import Layers
from ui.desktop.picture.painting import painting
from ui.picture.drawing import Drawing
from ui.picture.overlay import Preview
from ui.picture.table_map import MapMaker, TableMap
from ui.session import TableState
from ui.translation import tr
from vision.table_view import TableView


class Projector(QWidget):
    """Shows the table from above, as large as the window; a double click or F11 switches to full screen.

    Signals:
        left: The window was closed.
    """

    left = pyqtSignal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self._main_window = parent
        self.setWindowTitle(tr("Sandtable: projector"))
        self.resize(960, 600)
        self._layers, self._drawing, self._maker = Layers(), Drawing(), MapMaker()
        self._map: TableMap | None = None

    def open(self) -> None:
        """Show the window, full screen on a second screen if there is one."""
        other = next((screen for screen in QGuiApplication.screens() if screen is not self._main_window.screen()), None)
        if other is None:
            self.show()
            return
        self.setGeometry(other.geometry())
        self.showFullScreen()

    def show_table(self, view: TableView, state: TableState, preview: Preview) -> None:
        """Show the table; computes nothing while the window is closed."""
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
        """Paint the map centred in the window."""
        with painting(self) as painter:
            painter.fillRect(self.rect(), Qt.GlobalColor.black)
            if self._map is not None:
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

    def closeEvent(self, event: QCloseEvent | None) -> None:
        self.left.emit()
        super().closeEvent(event)

    def _turn_full_screen(self) -> None:
        self.showNormal() if self.isFullScreen() else self.showFullScreen()
