"""Opens the projector's window, aligns the projector with the table, and paints on the table from then on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from PyQt6.QtCore import QObject, Qt, pyqtSignal
from PyQt6.QtGui import (
    QCloseEvent,
    QFont,
    QGuiApplication,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainterPath,
    QPaintEvent,
    QResizeEvent,
    QTransform,
)
from PyQt6.QtWidgets import QWidget

from calibration.markers import ImageGray
from rules.tabletop.table import PointIn
from ui.battle.action_text import state_words
from ui.desktop.action import ActionMenu
from ui.desktop.messages import MessageActions
from ui.desktop.picture.image import painting, to_bgr, to_qimage
from ui.desktop.picture.painter import Layers, paint
from ui.desktop.store import Store
from ui.picture.drawing import Drawing
from ui.picture.preview import Preview
from ui.picture.shapes import Shape
from ui.picture.table_map import MapMaker, TableMap
from ui.projector import CHECK_EVERY_S, Alignment, AlignmentWatch, Light, Turn
from ui.session import TableState
from ui.theme import army_colour
from ui.translation import tr
from vision.frame import Frame
from vision.simulation.projector import SimulatedProjector, hung_projector
from vision.table_view import TableView

_REST_S = 0.3
"""Lines that follow the mouse are painted only when it rests: moving light would look like moving soldiers."""

_BRIGHTNESS = 4.0
"""The simulated projector's light, in lamps: 2000 lm on 1.6 square metres against 300 lx."""

_FADE_S = 0.7
"""Time after an alignment without result in which the camera may still see its last pattern."""


def _discard(frame: Frame) -> None:
    """Discard a picture."""


class ProjectorController(QObject):
    """The projector. Unaligned, its window shows a map of the table.

    Attributes:
        switch: Opens and closes the window, in the menu.
        action: Aligns, in the menu.
        screen: The window.
        alignment: What shows the patterns; None while none are shown.
        light: What is painted; None while the projector is not aligned.
    """

    def __init__(self, window: QWidget, store: Store, menu: ActionMenu) -> None:
        """Add the entries to a menu of the window."""
        super().__init__(window)
        self._window, self._store = window, store
        self.screen = ProjectorWindow(window)
        self.light: Light | None = None
        self.alignment: Alignment | None = None
        self._watch: AlignmentWatch | None = None
        self._problem, self._checked_s = "", 0.0
        self._pattern: ImageGray | None = None
        self._lines: tuple[Shape, ...] | None = None
        self._painted: tuple[Shape, ...] | None = None
        self._mouse_px, self._rest_since_s, self._fades_until_s = store.mouse_px, 0.0, 0.0
        self.switch = menu.add_switch(tr("Projector"), "J", tr("Show the drawings alone on a second screen"))
        tip = tr("Find out where the projector's light falls, to paint true inches on the table")
        self.action = menu.add(tr("Align projector…"), "Shift+J", tip, self.align)
        self.switch.toggled.connect(self._open)
        self.screen.left.connect(lambda: self.switch.setChecked(False))
        self.screen.resized.connect(self._follow_size)
        store.closing.connect(self._forget)
        store.restarted.connect(self._forget)

    @property
    def offer(self) -> tuple[str, MessageActions]:
        """What the players should know or do about the alignment; empty if it is well."""
        if self.alignment is not None:
            words = tr("Aligning the projector. Keep hands out of its light.")
            return words, ((tr("Cancel"), self.alignment.cancel),)
        return self._problem, ((tr("Align again"), self.align), (tr("Not now"), self._accept)) if self._problem else ()

    def align(self) -> None:
        """Start to align; vision pauses until it is over."""
        self._forget()
        self._store.attempt(self._begin)

    def _begin(self) -> None:
        store, source_controller = self._store, self._store.source_controller
        worker, view = source_controller.worker, store.view
        if worker.playback is not None or worker.ended:
            store.say(tr("A film cannot see the projector's light. Open a camera or the simulated table."))
            return
        if view is None:
            store.say(tr("The table has not been searched yet. Wait a moment, then align the projector."))
            return
        store.message.forget()
        self.switch.setChecked(True)
        size_px, table = self.screen.size_px, source_controller.simulated
        self.alignment = Alignment(size_px, view, store.session.state.setup)
        if table is not None:
            size_in = table.table_size_in
            model = hung_projector(size_px, size_in)
            table.projector = SimulatedProjector(model, size_in, brightness=_BRIGHTNESS)
            self._window.raise_()  # with one screen, the projector's window would hide the table that it lights
        worker.diverted_to = self.alignment.take

    def pull(self) -> None:
        """Show the next pattern, take the result, or check whether it still holds; called often."""
        alignment, now_s = self.alignment, self._store.clock()
        worker = self._store.source_controller.worker
        if worker.diverted_to is _discard and now_s >= self._fades_until_s:
            worker.diverted_to = None
        if alignment is not None:
            if alignment.over:
                self._end(alignment)
            elif alignment.picture is not self._pattern:
                self._pattern = alignment.picture
                self._show(to_qimage(np.repeat(alignment.picture[..., None], 3, axis=2)))
        elif self.light is not None:
            self._paint(now_s)
            view = self._store.source_controller.seen
            if self._watch is not None and view is not None and now_s - self._checked_s >= CHECK_EVERY_S:
                self._checked_s = now_s
                if problem := self._watch.problem(view):
                    self._watch = None
                    self._report(problem)

    def _end(self, alignment: Alignment) -> None:
        if alignment.aligned is None:
            self._forget()
            self._report(alignment.problem)
            return
        self._store.source_controller.worker.diverted_to = None
        self.alignment = self._pattern = None
        self.light, self._watch = Light(alignment.aligned), AlignmentWatch(alignment.aligned)
        self._lines, self._painted, self._checked_s = None, None, self._store.clock()
        self._store.say(tr("The projector is aligned. Rulers and templates now appear on the table."))
        self._store.show()

    def show_table(self, view: TableView, state: TableState, preview: Preview) -> None:
        """Paint what lies on the table or, unaligned, show its map."""
        if self.alignment is not None:
            return
        if self.light is None:
            self.screen.show_table(view, state, preview)
        elif view.calibration is not None:
            self._lines = self.light.painted(view, state, preview, self._turn())

    def _paint(self, now_s: float) -> None:
        """Paint the newest lines once the mouse rests, and not too often."""
        if self._store.mouse_px != self._mouse_px:
            self._mouse_px, self._rest_since_s = self._store.mouse_px, now_s
        if self._lines is None or self._lines == self._painted or now_s - self._rest_since_s < _REST_S:
            return
        self._painted, self._rest_since_s = self._lines, now_s
        self._show(self.screen.drawn(self._lines))

    def _turn(self) -> Turn | None:
        """Whose turn it is in the battle."""
        position = self._store.battle.position
        if position is None or not position.state.side:
            return None
        state = position.state
        return Turn(army_colour(state.side, state.sides), letter_outlines(state_words(state)))

    def _show(self, light: QImage | None) -> None:
        """Show a picture; the simulated table's projector throws it on the table."""
        self.screen.show_light(light)
        table = self._store.source_controller.simulated
        if table is not None and table.projector is not None:
            table.projector.picture = to_bgr(light) if light is not None else None

    def _open(self, on: bool) -> None:
        if on:
            self.screen.open()
        else:
            self._forget()
            self.screen.hide()
        self._store.show()

    def _follow_size(self) -> None:
        """Begin again at another size: each pixel now lights another place."""
        if self.alignment is not None:
            self.align()
        elif self.light is not None:
            self._forget()
            self._report(tr("The projector's window has another size, so its light is in the wrong place."))

    def _report(self, problem: str) -> None:
        """Offer to align again, instead of the message shown now."""
        self._problem = problem
        self._store.message.forget()
        self._store.show()

    def _accept(self) -> None:
        """Leave the light as it is."""
        self._problem = ""
        self._store.show()

    def _forget(self) -> None:
        """Forget the alignment: the window shows the map again."""
        if self.alignment is None and self.light is None:
            self._problem = ""
            return
        if self.alignment is not None:
            self._store.source_controller.worker.diverted_to = _discard
            self._fades_until_s = self._store.clock() + _FADE_S
        self.alignment = self._pattern = None
        self._problem, self.light, self._watch = "", None, None
        self._show(None)
        if (table := self._store.source_controller.simulated) is not None:
            table.projector = None

    def close(self) -> None:
        """Close the projector's window and give the camera's pictures back."""
        self._forget()
        self.screen.close()


_FONT_PX = 100


@lru_cache(maxsize=1)
def letter_outlines(words: str) -> tuple[tuple[PointIn, ...], ...]:
    """Closed outlines of the letters, 1 high and y up; their line begins at (0, 0)."""
    font, path = QFont(), QPainterPath()
    font.setPixelSize(_FONT_PX)
    path.addText(0.0, 0.0, font, words)
    return tuple(
        tuple((polygon.at(k).x() / _FONT_PX, -polygon.at(k).y() / _FONT_PX) for k in range(polygon.count()))
        for polygon in path.toSubpathPolygons()
    )


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
            self._map = self._maker.made(view.calibration, state.area_in, (self.width(), self.height()))
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
