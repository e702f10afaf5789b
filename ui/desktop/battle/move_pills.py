"""Moves seen by the camera as small plates on the table, each with its answers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from PyQt6.QtCore import QObject, QPointF, Qt
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton

from calibration.solve import Calibration
from ui.desktop.battle.pending_moves import PendingMove, keys_of
from ui.desktop.labels import literal_text, plain_label
from ui.desktop.picture.view import PictureView
from ui.picture.overlay import PointPx, Ring
from ui.picture.placement import Box, Taken, placed

_GAPS_PX = (2.0, 12.0, 28.0, 56.0)
_WIDEST_PX = 240
"""The width at which the text of a plate wraps; then it is made as narrow as its lines allow."""
_STEP_PX = 8
_REACH_PX = 16.0  # half the size of a soldier on the screen
_STYLE = """
QFrame { background: rgb(24, 27, 33); border: 1px solid white; border-radius: 6px; }
QLabel { color: white; border: none; font-size: 14px; font-weight: bold; }
QToolButton { color: white; background: rgb(58, 64, 74); border: none; border-radius: 4px; padding: 1px 3px;
  min-width: 18px; font-size: 15px; font-weight: bold; }
QToolButton:hover { background: rgb(0, 114, 178); }
"""


class MovePills(QObject):
    """The plates over one picture; the panel lists the same answers for the keyboard."""

    def __init__(self, picture: PictureView) -> None:
        super().__init__(picture)
        self._picture = picture
        self._calibration: Calibration | None = None
        self._given: tuple[PendingMove, ...] = ()
        self.pills: list[QFrame] = []
        picture.shifted.connect(self._arrange)

    def show_moves(self, moves: Sequence[PendingMove], calibration: Calibration | None) -> None:
        """Show these moves, each at its end; `calibration` is that of the shown picture, None for no moves."""
        moves = tuple(moves) if calibration is not None else ()
        if moves is self._given and calibration is self._calibration:
            return
        is_new = keys_of(moves) != keys_of(self._given)
        self._given, self._calibration = moves, calibration
        if is_new:  # else the buttons stay untouched under the mouse
            for old in self.pills:
                old.hide()
                old.deleteLater()
            self.pills = [self._pill(row, move) for row, move in enumerate(moves)]
        self._arrange()

    def _arrange(self) -> None:
        """Put each plate beside the soldiers, off other plates; hide those whose soldier is out of sight."""
        if self._calibration is None or not self._given:
            return
        picture, camera = self._picture, self._calibration.camera
        within = (0.0, 0.0, float(picture.width()), float(picture.height()))
        taken = Taken(tuple(map(self._box, self._bodies())), within)
        ends = camera.table_to_pixel([(*move.at_in, 0.0) for move in self._given])
        for pill, end in zip(self.pills, ends, strict=True):
            at = picture.to_widget((float(end[0]), float(end[1]))) if np.isfinite(end).all() else QPointF(-1, -1)
            pill.setVisible(picture.rect().contains(at.toPoint()))
            size = pill.sizeHint()
            room = (float(size.width()), float(size.height()))
            around = (at.x() - _REACH_PX, at.y() - _REACH_PX, at.x() + _REACH_PX, at.y() + _REACH_PX)
            best = (at.x(), around[1] - room[1] / 2 - _GAPS_PX[0])
            box = placed(room, best, around, taken, _GAPS_PX)
            if box is not None and not pill.isHidden():
                taken = taken.and_boxes([box])
                pill.setGeometry(round(box[0]), round(box[1]), size.width(), size.height())

    def _bodies(self) -> list[tuple[PointPx, ...]]:
        return [body for shape in self._picture.shapes if isinstance(shape, Ring) for body in shape.keep_clear if body]

    def _box(self, points_px: Sequence[PointPx]) -> Box:
        xs, ys = zip(*points_px, strict=True)
        low, high = self._picture.to_widget((min(xs), min(ys))), self._picture.to_widget((max(xs), max(ys)))
        return (low.x(), low.y(), high.x(), high.y())

    def _pill(self, row: int, move: PendingMove) -> QFrame:
        pill = QFrame(self._picture)
        pill.setStyleSheet(_STYLE)
        pill.setCursor(Qt.CursorShape.ArrowCursor)
        pill.setToolTip(literal_text(move.words))
        pill.setAccessibleName(move.words)
        layout = QHBoxLayout(pill)
        layout.setContentsMargins(6, 2, 2, 2)
        layout.setSpacing(3)
        layout.addWidget(_words_of(move, pill))
        for number, decision in enumerate(move.buttons):
            button = QToolButton()
            button.setText(decision.sign or decision.words)
            button.setToolTip(literal_text(f"{decision.words}: {decision.tip}"))
            button.setAccessibleName(f"{decision.words}: {move.words}")
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # by keys the moves are answered in the panel
            button.clicked.connect(partial(self._answer, row, number))
            layout.addWidget(button)
        return pill

    def _answer(self, row: int, number: int, _: bool = False) -> None:
        self._given[row].buttons[number].does()


def _words_of(move: PendingMove, pill: QFrame) -> QLabel:
    """A move's text, in several lines of nearly the same length if it is long."""
    label = plain_label(move.short)
    label.setParent(pill)
    label.ensurePolished()  # its width depends on the font of the plates
    if label.sizeHint().width() > _WIDEST_PX:
        label.setWordWrap(True)
        height_px = label.heightForWidth(_WIDEST_PX)
        widths = range(_WIDEST_PX // 2, _WIDEST_PX + 1, _STEP_PX)
        label.setFixedSize(next(width for width in widths if label.heightForWidth(width) <= height_px), height_px)
    return label
