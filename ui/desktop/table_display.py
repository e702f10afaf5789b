"""Shows the table: the picture or the map, and the answer in large type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PyQt6.QtCore import QObject, QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QFont, QPaintEvent
from PyQt6.QtWidgets import QMainWindow, QSizePolicy, QWidget

from ui.desktop.action import ActionMenu
from ui.desktop.picture.image import painting, to_qimage
from ui.desktop.picture.view import PictureView
from ui.desktop.table.panel import SidePanel
from ui.desktop.tools.tool import PickResult, point_at
from ui.desktop.widgets import fit_font
from ui.measuring import Read
from ui.picture.drawing import Drawing, TableCrop
from ui.picture.preview import Preview
from ui.picture.shapes import PointPx
from ui.picture.table_map import MapMaker, TableMap
from ui.session import TableState
from ui.table.finding import Answer
from ui.theme import DARK, SILVER, WHITE
from ui.translation import tr
from vision.frame import Frame
from vision.table_view import TableView

_MAP_PX = (1920, 1080)


class TableDisplay(QObject):
    """Shows frames and what is drawn over them."""

    def __init__(
        self, window: QMainWindow, picture: PictureView, panel: SidePanel, read: Read, refresh: Callable[[], None]
    ) -> None:
        """Prepare the menu; `refresh` redraws after a change."""
        super().__init__(window)
        self._picture, self._panel = picture, panel
        self.big = BigAnswer()
        self.numbers, self._refresh, self.read = True, refresh, read
        self._crop, self._map_crop = TableCrop(), TableCrop()
        self._shown: tuple[Frame, TableMap | None] | None = None
        self._map: TableMap | None = None
        self._maker, self._drawing = MapMaker(), Drawing(read)
        self.menu = menu = ActionMenu(tr("&Screen"), window)
        self.map = menu.add_switch(tr("Map"), "O", tr("Show the table from above, with every soldier in its place"))
        tip = tr("Show the answer large enough to read across the table")
        self.referee = menu.add_switch(tr("Large answer"), "R", tip)
        self.map.toggled.connect(lambda _: refresh())
        self.referee.toggled.connect(self.big.setVisible)

    def show_numbers(self, on: bool) -> None:
        self.numbers = on
        self._refresh()

    def clear(self) -> None:
        self._shown = self._map = None
        self._crop, self._map_crop = TableCrop(), TableCrop()
        self._picture.show_nothing()
        self._panel.show_table((), (), ())
        self.show_answer(Answer())

    def show_frame(self, frame: Frame | None, view: TableView | None, state: TableState) -> None:
        """Show a picture or, if selected, its map."""
        table = self._map_for(view, state)
        if frame is None or (self._shown is not None and self._shown[0] is frame and self._shown[1] is table):
            return
        self._shown = (frame, table)
        self._picture.show_picture(to_qimage(frame.image_bgr if table is None else table.picture(frame.image_bgr)))

    def show_table(self, view: TableView, state: TableState, preview: Preview, answer: Answer) -> None:
        """Show what is drawn over the table, and the answer."""
        crop = self._crop if self._map is None else self._map_crop
        self._picture.show_table_at(crop.of(self.seen(view).calibration, state.area_in, view.figures))
        if self._shown is not None and self._shown[0].scene != view.frame.scene:
            self._picture.show_shapes((), ())  # a recording has jumped: nothing is known about this picture yet
            return
        self._picture.show_shapes(
            *self._drawing.of(self.seen(view), state, preview, self._picture.scale, numbers=self.numbers)
        )
        self.show_answer(answer)

    def seen(self, view: TableView) -> TableView:
        """The view as shown: in map mode through the map's camera."""
        return self._map.view(view) if self._map is not None and view.calibration is not None else view

    def show_answer(self, answer: Answer) -> None:
        self._panel.show_answer(answer)
        self.big.show_answer(answer)

    def point_at(self, frame: Frame, view: TableView | None, px: PointPx) -> PickResult:
        """What is at a pixel of the picture or map shown; the result's `px` is a camera pixel."""
        scale = self._picture.scale
        if self._map is None or view is None or view.calibration is None:
            return point_at(frame, view, px, scale)
        at = point_at(frame, self.seen(view), px, scale)
        if at.place_in is None:
            return at
        u, v = view.calibration.camera.table_to_pixel((*at.place_in, 0.0))[0]
        return replace(at, px=(float(u), float(v)))

    def _map_for(self, view: TableView | None, state: TableState) -> TableMap | None:
        """The table map, if selected and available."""
        self._map = None
        if self.map.isChecked() and view is not None and view.calibration is not None:
            self._map = self._maker.made(view.calibration, state.area_in, _MAP_PX)
        return self._map


_HEADLINE_PX, _ROW_PX = 110, 30
_ROWS = 2
_MARGIN_PX = 18.0


class BigAnswer(QWidget):
    """A headline across the full width, and two rows."""

    def __init__(self) -> None:
        super().__init__()
        self.answer = Answer()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Answer in large type"))
        self.hide()

    def sizeHint(self) -> QSize:
        return QSize(320, round(1.15 * _HEADLINE_PX + 1.3 * _ROWS * _ROW_PX))

    def show_answer(self, answer: Answer) -> None:
        if answer != self.answer:
            self.answer = answer
            self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        with painting(self) as painter:
            painter.fillRect(self.rect(), QColor(*DARK))
            room = QRectF(self.rect()).adjusted(_MARGIN_PX, 0, -_MARGIN_PX, 0)
            headline = self.answer.headline or tr("-- in")
            painter.setFont(fit_font(_bold(painter.font(), _HEADLINE_PX), headline, room.width()))
            painter.setPen(QColor(*WHITE))
            top, centred = 1.12 * _HEADLINE_PX, Qt.AlignmentFlag.AlignCenter
            painter.drawText(QRectF(room.left(), 0, room.width(), top), centred, headline)
            painter.setPen(QColor(*SILVER))
            for row in self.answer.rows[:_ROWS]:
                painter.setFont(fit_font(_bold(painter.font(), _ROW_PX), row, room.width()))
                painter.drawText(QRectF(room.left(), top, room.width(), 1.25 * _ROW_PX), centred, row)
                top += 1.25 * _ROW_PX


def _bold(font: QFont, px: int) -> QFont:
    bold = QFont(font)
    bold.setBold(True)
    bold.setPixelSize(px)
    return bold
