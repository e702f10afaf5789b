"""Dialogs in which players point at the picture: a rectangle's corners, a measured distance, the table's edges."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PyQt6.QtCore import QSignalBlocker, QTimer
from PyQt6.QtWidgets import QComboBox, QFormLayout, QWidget

from calibration.by_hand import Rectangle, TapeMeasurement
from calibration.camera import Lens
from calibration.solve import Calibration
from rules.tabletop.errors import UserError, user_error
from rules.tabletop.table import PointIn
from ui.background_task import NewestAnswer
from ui.desktop.picture.image import to_qimage
from ui.desktop.picture.picture_dialog import Magnifier, PictureDialog
from ui.desktop.widgets import NumberBox, button_with_tip, in_column
from ui.picture.shapes import Label, Line, PointPx, Shape, marked
from ui.table.play_area import PlayArea, area_marks
from ui.theme import YELLOW, faded
from ui.translation import mark_for_translation, tr
from ui.vocabulary import Unit
from vision.frame import Frame

_GRIP_PX = 12.0
"""Screen pixels; a press this close to a place drags it."""


class ClickDialog(PictureDialog):
    """Asks for several named places in a picture; they can be dragged afterwards."""

    def __init__(self, title: str, names: Sequence[str], frame: Frame, parent: QWidget | None) -> None:
        super().__init__(title, parent, asks=True)
        self.places_px: list[PointPx] = []
        self._names, self._held = tuple(names), -1
        self.frame = frame
        self.magnifier = Magnifier(frame.image_bgr)
        self.form = QFormLayout()
        again = button_with_tip(tr("Start over"), "", self.clear)
        self.column.addLayout(in_column(self.magnifier, again, self.form, None))
        self.picture.show_picture(to_qimage(frame.image_bgr))
        self.picture.pressed.connect(self._press)
        self.picture.moved.connect(self._move)
        self.picture.released.connect(self._release)

    def clear(self) -> None:
        self.places_px.clear()
        self.judge()

    @property
    def is_complete(self) -> bool:
        return len(self.places_px) == len(self._names)

    def judge(self) -> None:
        """Show the next step, and enable OK if the places can be used."""
        self._draw()
        if self.is_complete:
            self.weigh()
        else:
            self.say(tr("Click {names}. The mouse wheel enlarges the picture.", names=self._names[len(self.places_px)]))
            self.allow(False)

    def weigh(self) -> None:
        """Say what all the places result in, and enable OK if they can be used."""
        try:
            self.say(self.verdict())
            self.allow(True)
        except UserError as refusal:
            self.say(str(refusal))
            self.allow(False)

    def verdict(self) -> str:
        """Describe the result of the places. Raises `UserError` if they cannot be used."""
        raise NotImplementedError

    def _press(self, x: float, y: float) -> None:
        reach = _GRIP_PX / self.picture.scale
        apart = [math.dist((x, y), place) for place in self.places_px]
        if apart and min(apart) < reach:
            self._held = apart.index(min(apart))
        elif not self.is_complete:
            self._held = len(self.places_px)
            self.places_px.append((x, y))
        self._move(x, y)

    def _move(self, x: float, y: float) -> None:
        self.magnifier.show_place((x, y))
        if self._held >= 0:
            self.places_px[self._held] = (x, y)
            self._draw()

    def _release(self, x: float, y: float) -> None:
        self._move(x, y)
        self._held = -1
        self.judge()

    def _draw(self) -> None:
        shapes: list[Shape] = []
        places = tuple(self.places_px)
        if len(places) > 1:
            fill = faded(YELLOW, 40) if self.is_complete and len(places) > 2 else None
            shapes.append(Line(places, YELLOW, 2.0, fill, closed=fill is not None))
        for number, (x, y) in enumerate(places, 1):
            arm = 7.0 / self.picture.scale
            shapes += [Line(((x - arm, y), (x + arm, y)), YELLOW, 1.5), Line(((x, y - arm), (x, y + arm)), YELLOW, 1.5)]
            shapes.append(Label((x, y), ((str(number), 14.0),), YELLOW, (0.0, -18.0)))
        self.picture.show_shapes(tuple(shapes))


_SHEETS = (
    (mark_for_translation("A sheet of A4 paper"), 297.0, 210.0),
    (mark_for_translation("A sheet of Letter paper"), 279.4, 215.9),
    (mark_for_translation("Something else"), 0.0, 0.0),
)
_MM_PER_IN = 25.4
_SAME_IN = 0.02  # the boxes round to 0.01 in or 0.1 cm
_COARSE_IN = 1.0  # an error that comes from a wrong size rather than from inaccurate clicks
_POLL_MS = 30
_VERDICT_LINES = 7


class CornersDialog(ClickDialog):
    """Asks for the corners of a rectangle of known size."""

    def __init__(self, frame: Frame, lens: Lens | None, unit: Unit, parent: QWidget | None = None) -> None:
        names = (
            tr("the rectangle's near left corner"),
            tr("the rectangle's near right corner"),
            tr("the rectangle's far right corner"),
            tr("the rectangle's far left corner"),
        )
        super().__init__(tr("Inches without markers"), names, frame, parent)
        self._lens, self._unit = lens, unit
        self._solving: NewestAnswer[float] = NewestAnswer("sandtable corners")
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._pull)
        self.words.setMinimumHeight(_VERDICT_LINES * self.words.fontMetrics().lineSpacing())
        self.what = QComboBox()
        self.what.addItems([tr(name) for name, _, _ in _SHEETS])
        self.what.setToolTip(tr("A flat rectangle on the table; the larger, the better"))
        self.width_box = LengthBox(unit, 1.0, 240.0, tr("Along its near edge, at the bottom of the picture"))
        self.depth_box = LengthBox(unit, 1.0, 240.0, tr("From its near edge to its far edge"))
        self.form.addRow(tr("It is:"), self.what)
        self.form.addRow(tr("Its width:"), self.width_box)
        self.form.addRow(tr("Its depth:"), self.depth_box)
        self.what.currentIndexChanged.connect(self._choose)
        for box in (self.width_box, self.depth_box):
            box.valueChanged.connect(self._resize)
        self._choose(0)
        self.judge()

    @property
    def rectangle(self) -> Rectangle:
        return Rectangle(tuple(self.places_px), (self.width_box.inches, self.depth_box.inches))

    def _choose(self, row: int) -> None:
        _, width_mm, depth_mm = _SHEETS[row]
        if width_mm:
            self.width_box.set_inches(width_mm / _MM_PER_IN)
            self.depth_box.set_inches(depth_mm / _MM_PER_IN)

    def _resize(self) -> None:
        """Name the sheet that has this size, if any, and judge again."""
        sides = (self.width_box.inches, self.depth_box.inches)
        sheets = ((width_mm / _MM_PER_IN, depth_mm / _MM_PER_IN) for _, width_mm, depth_mm in _SHEETS[:-1])
        fitting = (row for row, sheet in enumerate(sheets) if math.dist(sheet, sides) < _SAME_IN)
        with QSignalBlocker(self.what):
            self.what.setCurrentIndex(next(fitting, len(_SHEETS) - 1))
        self.judge()

    def weigh(self) -> None:
        """Say how accurate the calibration will be; it is computed in a thread, since it may take a second."""
        rectangle, size_px, lens = self.rectangle, self.frame.size_px, self._lens
        if not self._solving.ask(rectangle, lambda: rectangle.calibrate(size_px, lens).typical_sigma_in()):
            self.say(tr("Computing how accurate places will be…"))
            self.allow(False)
            self._timer.start(_POLL_MS)
            return
        sigma_in = self._solving.answer
        self.say(self._solving.refusal if sigma_in is None else self._verdict(2 * sigma_in))
        self.allow(sigma_in is not None)

    def _pull(self) -> None:
        if self._solving.pull():
            self._timer.stop()
            self.judge()

    def _verdict(self, error_in: float) -> str:
        words = tr("Places will be accurate to {fine_words}.", fine_words=self._unit.fine_words(max(error_in, 0.01)))
        if error_in > _COARSE_IN:
            return words + " " + tr("Check the width, the depth and the corners.")
        if self._lens is None:
            words += " " + tr("A lens profile makes them more accurate.")
        left_alone = tr("Do not move the camera: without markers a bump can be detected but not corrected.")
        return f"{words} {left_alone}"


class DistanceDialog(ClickDialog):
    """Asks for one measured distance on the table."""

    def __init__(self, frame: Frame, calibration: Calibration, unit: Unit, parent: QWidget | None = None) -> None:
        names = (tr("one end of the distance, on the table itself"), tr("its other end"))
        super().__init__(tr("Measured distance"), names, frame, parent)
        self._calibration, self._unit = calibration, unit
        tip = tr("The distance on your tape measure; long distances help most")
        self.distance_box = LengthBox(unit, 1.0, 240.0, tip)
        self.distance_box.valueChanged.connect(self.judge)
        self.form.addRow(tr("Tape measure:"), self.distance_box)
        self.judge()

    def taped(self, now: Calibration) -> TapeMeasurement:
        """The answer in the pixels of the current picture, because the camera may have moved meanwhile."""
        ends_in = self._calibration.camera.pixel_to_table(self.places_px)
        (ax, ay), (bx, by) = now.camera.table_to_pixel(ends_in).tolist()
        return TapeMeasurement(((ax, ay), (bx, by)), self.distance_box.inches)

    def clear(self) -> None:
        super().clear()
        self.distance_box.set_inches(self.distance_box.min_in)

    def verdict(self) -> str:
        """The improvement of the calibration."""
        a, b = self._calibration.camera.pixel_to_table(self.places_px)
        seen_in = float(math.dist(a, b))
        if self.distance_box.inches <= self.distance_box.min_in:
            raise user_error(
                "the camera measures {seen_in}: type the distance on your tape measure",
                seen_in=self._unit.words(seen_in),
            )
        after = self.taped(self._calibration).sharpen(self._calibration)
        before_in, after_in = (2 * one.typical_sigma_in() for one in (self._calibration, after))
        if after_in > 0.98 * before_in:
            return tr(
                "The camera measures {seen_in}. The markers are as accurate as your tape measure.",
                seen_in=self._unit.words(seen_in),
            )
        return tr(
            "The camera measured {seen_in}. Places are now accurate to {after_in} instead of {before_in}.",
            seen_in=self._unit.words(seen_in),
            after_in=self._unit.fine_words(after_in),
            before_in=self._unit.fine_words(before_in),
        )


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
        tip = tr("Measured from the markers' origin")
        self.left, self.near = LengthBox(unit, -240.0, 240.0, tip), LengthBox(unit, -240.0, 240.0, tip)
        self.width_box = LengthBox(unit, 0.0, 240.0, tr("Along the near edge"))
        self.depth_box = LengthBox(unit, 0.0, 240.0, tr("Away from the near edge"))
        tip = tr("Counter-clockwise, if the markers are not parallel to the table's edges")
        self.turn = NumberBox(-180.0, 180.0, 0.25, unit="°", tip=tip)
        form = QFormLayout()
        for words, box in (
            (tr("Near-left corner, x:"), self.left),
            (tr("Near-left corner, y:"), self.near),
            (tr("Width:"), self.width_box),
            (tr("Depth:"), self.depth_box),
            (tr("Turned by:"), self.turn),
        ):
            box.valueChanged.connect(self._judge)
            form.addRow(words, box)
        whole = button_with_tip(tr("Remove edges"), tr("Measure places from the markers instead"), self._remove)
        self.column.addLayout(in_column(form, whole, None))
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


class LengthBox(NumberBox):
    """Accepts a length."""

    def __init__(self, unit: Unit, min_in: float, max_in: float, tip: str = "") -> None:
        step, decimals = (0.25, 2) if unit is Unit.INCH else (0.5, 1)
        super().__init__(min_in * unit.per_in, max_in * unit.per_in, step, decimals, f" {unit.sign}", tip)
        self._unit, self.min_in = unit, min_in

    @property
    def inches(self) -> float:
        return self.value() / self._unit.per_in

    def set_inches(self, length_in: float) -> None:
        self.setValue(length_in * self._unit.per_in)
