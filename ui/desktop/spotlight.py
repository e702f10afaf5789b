"""A glowing frame around a part of the window, and around what the guide's current step needs."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt
from PyQt6.QtGui import QColor, QPaintEvent, QPen
from PyQt6.QtWidgets import QWidget

from ui.battle.first_shot import FirstShot, Need, ShotStep
from ui.desktop.actions import ToolRail
from ui.desktop.commands import Commands
from ui.desktop.guide_bar import GuideBar
from ui.desktop.picture.image import painting
from ui.guide import GuideStep
from ui.hints import TEACH
from ui.setup.armies import found_all, proposed
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


_SOLDIER_PX = 60


class GuideLight:
    """The light of one guide."""

    def __init__(self, commands: Commands, rail: ToolRail, bar: GuideBar) -> None:
        """Light up controls of the window, or of the guide's own bar."""
        self._store, self._battle, self._panel = commands.store, commands.battle, commands.parts.panel
        self._files = commands.features.files
        self._picture, self._rail, self._sides, self._bar = commands.parts.picture, rail, commands.parts.sides, bar
        self.spotlight = Spotlight(commands.parts.window)
        self._first_shot, self._shot = FirstShot(), ShotStep(Need.PHASE)

    @property
    def need(self) -> Need | None:
        """What the battle needs before its first shot; None without a battle."""
        return self._shot.need if self._battle.play is not None else None

    def watch_shot(self) -> None:
        """Find out what the first shot needs next."""
        battle, panel = self._battle, self._battle.panel
        if battle.play is None or battle.position is None:
            self._shot = ShotStep(Need.SOLDIER, self._to_measure)
        else:
            rolling = bool(battle.rolling)
            self._shot = self._first_shot.next_step(
                battle.play,
                battle.position,
                panel.chosen,
                panel.action_list.previews,
                is_rolling=rolling,
                must_answer=battle.must_answer,
            )

    def enter(self, step: GuideStep | None) -> None:
        """Select the tool for the step's clicks, and show the panel of its control."""
        if step is GuideStep.ARMIES:
            self._store.use_tool(TEACH)
            self._sides.setCurrentWidget(self._panel)
        elif step is GuideStep.GAME:
            self._sides.setCurrentWidget(self._battle.panel)
        elif step is GuideStep.SHOT:
            self._store.use_tool(self._tool)

    def show(self, step: GuideStep | None) -> None:
        """Light up the control that a step needs now."""
        if self._files.is_setting_up:
            self.spotlight.light(None)
        elif step is GuideStep.ARMIES:
            self._show_armies()
        elif step is GuideStep.GAME:
            self._show_visible(self._battle.panel.games)
        elif step is GuideStep.SHOT:
            self._show_shot()
        else:
            self.spotlight.light(self._bar.button)

    @property
    def _tool(self) -> str:
        """The tool of the first shot."""
        return "measure" if self._battle.play is None else "select"

    def _show_visible(self, control: QWidget) -> None:
        """Light up a control of a panel; while it is hidden, the guide's own button, which does the same."""
        self.spotlight.light(control if control.isVisible() else self._bar.button)

    def _show_armies(self) -> None:
        store, view = self._store, self._store.view
        if view is not None and proposed(view, store.session.state):
            if found_all(view, store.source_controller.armies):
                self._show_visible(self._panel.groups_button)
            else:
                self.spotlight.light(None)
        elif self._bar.busy.isVisible():
            self.spotlight.light(None)
        else:
            self.spotlight.light(self._bar.army if store.tool.name == TEACH else self._rail.groups[TEACH])

    def _show_shot(self) -> None:
        card, need = self._battle.rolling.card, self._shot.need
        places: dict[Need, QWidget | None] = {
            Need.PHASE: self._battle.turn_bar.button,
            Need.MOVE: self._battle.turn_bar.button,
            Need.MOVES: self._battle.panel.pending_moves,
            Need.ROLL: self._battle.panel.do_button,
            Need.DUTY: self._battle.panel.do_button,
            Need.CHOICE: self._battle.panel.action_list,
            Need.DICE: card.roll_button if card is not None else None,
        }
        if need in places:
            self.spotlight.light(places[need])
        elif self._store.tool.name != self._tool:
            self.spotlight.light(self._rail.groups[self._tool])
        else:
            self._show_soldier(self._shot.figure)

    def _show_soldier(self, name: str) -> None:
        view, picture = self._store.view, self._picture
        figure = next((one for one in view.figures if one.id == name), None) if view is not None else None
        if figure is None or view is None or view.calibration is None:
            self.spotlight.light(None)
            return
        [(u, v)] = view.calibration.camera.table_to_pixel((*figure.centre_in, figure.z_in))
        place = QRect(0, 0, _SOLDIER_PX, _SOLDIER_PX)
        place.moveCenter(picture.to_widget((float(u), float(v))).toPoint())
        labels = [QRectF(left, top, right - left, bottom - top) for left, top, right, bottom in picture.taken.boxes]
        self.spotlight.light(picture, place, [label.toAlignedRect() for label in labels])

    @property
    def _to_measure(self) -> str:
        """A soldier to measure from or, once the ruler has begun, one of another army; empty if none is seen."""
        view = self._store.view
        figures = view.figures if view is not None else ()
        picked = self._store.tool.preview(None).picked
        own = {one.army for one in figures if one.id == picked}
        return next((one.id for one in figures if one.army not in own), "")
