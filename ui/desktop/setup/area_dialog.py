"""The dialog for the area of play, dragged or typed; its near-left corner is the origin of places."""

from __future__ import annotations

import math

import numpy as np
from PyQt6.QtWidgets import QFormLayout, QPushButton, QWidget

from calibration.solve import Calibration
from rules.tabletop.errors import UserError
from rules.tabletop.table import PointIn
from ui.desktop.length_box import LengthBox
from ui.desktop.picture.image import to_qimage
from ui.desktop.picture.picture_dialog import PictureDialog
from ui.picture.overlay import PointPx, Shape, marked
from ui.table.play_area import PlayArea, area_marks
from ui.translation import tr
from ui.units import Unit
from vision.frame import Frame

_MIN_DRAG_IN = 2.0


class AreaDialog(PictureDialog):
    """Asks for a rectangle on the table."""

    def __init__(
        self, frame: Frame, calibration: Calibration, area: PlayArea | None, unit: Unit, parent: QWidget | None = None
    ) -> None:
        super().__init__(tr("Table edges"), parent, asks=True)
        self._calibration = calibration
        self._from_in: PointIn | None = None
        self.removed = False
        self.left, self.near = LengthBox(unit, -240.0, 240.0), LengthBox(unit, -240.0, 240.0)
        self.width_box, self.depth_box = LengthBox(unit, 0.0, 240.0), LengthBox(unit, 0.0, 240.0)
        self.turn = LengthBox(Unit.INCH, -180.0, 180.0)
        self.turn.setSuffix("°")
        form = QFormLayout()
        for words, box, tip in (
            (tr("Near-left corner, x:"), self.left, tr("Measured from the markers' origin")),
            (tr("Near-left corner, y:"), self.near, tr("Measured from the markers' origin")),
            (tr("Width:"), self.width_box, tr("Along the near edge")),
            (tr("Depth:"), self.depth_box, tr("Away from the near edge")),
            (
                tr("Turned by:"),
                self.turn,
                tr("Counter-clockwise, if the markers are not parallel to the table's edges"),
            ),
        ):
            box.setToolTip(tip)
            box.valueChanged.connect(self._judge)
            form.addRow(words, box)
        whole = QPushButton(tr("Remove edges"))
        whole.setToolTip(tr("Measure places from the markers instead"))
        whole.clicked.connect(self._remove)
        self.column.addLayout(form)
        self.column.addWidget(whole)
        self.column.addStretch()
        self.picture.show_picture(to_qimage(frame.image_bgr))
        self.picture.pressed.connect(self._press)
        self.picture.moved.connect(self._drag)
        self.picture.released.connect(self._release)
        if area is not None:
            self._fill(area)
        self._judge()

    @property
    def area(self) -> PlayArea | None:
        """The answer; None for no edges. Raises `UserError` like `PlayArea`."""
        if self.removed:
            return None
        origin = (self.left.inches, self.near.inches)
        return PlayArea(origin, self.width_box.inches, self.depth_box.inches, self.turn.value())

    def _fill(self, area: PlayArea) -> None:
        self._put(area.origin_in, area.width_in, area.depth_in)
        self.turn.setValue(area.turn_deg)

    def _put(self, origin_in: PointIn, width_in: float, depth_in: float) -> None:
        boxes = (self.left, self.near, self.width_box, self.depth_box)
        for box, value in zip(boxes, (*origin_in, width_in, depth_in), strict=True):
            box.set_inches(value)

    def _remove(self) -> None:
        self.removed = True
        self.accept()

    def _on_table(self, px: PointPx) -> PointIn | None:
        x, y = self._calibration.camera.pixel_to_table(px)[0]
        return (float(x), float(y)) if np.isfinite([x, y]).all() else None

    def _press(self, x: float, y: float) -> None:
        self._from_in = self._on_table((x, y))

    def _drag(self, x: float, y: float) -> None:
        to_in = self._on_table((x, y))
        if self._from_in is None or to_in is None or math.dist(self._from_in, to_in) < _MIN_DRAG_IN:
            return
        # Dragged parallel to the sides of the turned rectangle.
        turned = PlayArea((0.0, 0.0), 10.0, 10.0, self.turn.value())
        (ax, ay), (bx, by) = turned.from_table(self._from_in), turned.from_table(to_in)
        self._put(turned.to_table((min(ax, bx), min(ay, by))), abs(ax - bx), abs(ay - by))

    def _release(self, x: float, y: float) -> None:
        self._drag(x, y)
        self._from_in = None

    def _judge(self) -> None:
        try:
            area = self.area
        except UserError as refusal:
            drawn = self.width_box.inches > 0 or self.depth_box.inches > 0
            self.say(
                str(refusal)
                if drawn
                else tr("Drag from one corner of the table to the opposite corner, or type the sizes.")
            )
            self.picture.show_shapes(())
            self.allow(False)
            return
        shapes: tuple[Shape, ...] = tuple(marked(self._calibration.camera, area_marks(area))) if area else ()
        self.picture.show_shapes(shapes)
        self.say(tr("Drag again, or type what you measured. Places are measured from the near-left corner."))
        self.allow(True)
