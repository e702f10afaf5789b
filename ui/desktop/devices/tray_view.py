"""The camera's picture of the dice tray with the dice read in it, and the dialog that marks the tray."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PyQt6.QtWidgets import QDialog, QDialogButtonBox, QSizePolicy, QVBoxLayout, QWidget

from rules.tabletop.errors import UserError
from ui.desktop.labels import wrapping_label
from ui.desktop.picture.image import to_qimage
from ui.desktop.picture.painting import painting
from ui.devices.tray_camera import WHOLE, Region, Seen
from ui.theme import DARK, GREEN, ORANGE
from ui.translation import tr
from vision.dice.tray import TrayReading
from vision.dice.view import DieKind
from vision.frame import ImageBgr

_HEIGHT_PX = 130
_DIALOG = QSize(880, 580)
_CLOSE = 0.5  # margin around an enlarged die, in sides
_MOST_ENLARGED = 4
_SURE, _DOUBTFUL = QColor(*GREEN), QColor(*ORANGE)


@dataclass(frozen=True, slots=True, eq=False)
class TrayPicture:
    """A picture of the tray to draw.

    Attributes:
        image_bgr: (height, width, 3) uint8, only the tray.
        seen: The dice in that picture; None if none were read.
    """

    image_bgr: ImageBgr
    seen: Seen | None = None


def close_up(seen: Seen) -> TrayPicture:
    """Crop to the dice with a margin of 1.5 times the largest die; the whole tray if there are no dice."""
    return _around(seen, 1.5) if seen.reading.dice else TrayPicture(seen.tray_bgr, seen)


def _around(seen: Seen, margin: float) -> TrayPicture:
    """The part of the tray around its dice, with a margin in sides of the largest."""
    dice = seen.reading.dice
    points = np.array([point for die in dice for point in die.outline_px]) - seen.corner_px
    around_px = margin * max(die.side_px for die in dice)
    height, width = seen.tray_bgr.shape[:2]
    left, top = np.clip(points.min(axis=0) - around_px, 0, (width - 1, height - 1)).astype(int)
    right, bottom = np.clip(points.max(axis=0) + around_px, (left + 1, top + 1), (width, height)).astype(int)
    corner_px = (seen.corner_px[0] + int(left), seen.corner_px[1] + int(top))
    near_bgr = seen.tray_bgr[top:bottom, left:right]
    return TrayPicture(near_bgr, replace(seen, tray_bgr=near_bgr, corner_px=corner_px))


def doubtful_close_ups(seen: Seen) -> list[TrayPicture]:
    """Each doubtful die by itself, to be shown enlarged."""
    dice = seen.reading.dice
    alone = [TrayReading((dice[k],), seen.reading.time_s) for k in seen.reading.doubtful]
    return [_around(replace(seen, reading=reading), _CLOSE) for reading in alone]


class TrayView(QWidget):
    """The tray with an outline around each die that was read; doubtful dice are dashed, and enlarged beside it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: TrayPicture | None = None
        self._pictures: list[tuple[TrayPicture, QImage]] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("The dice tray"))
        self.setToolTip(tr("The dice tray as the camera sees it"))

    def sizeHint(self) -> QSize:
        """As wide as the layout allows, of a fixed height."""
        return QSize(200, _HEIGHT_PX)

    def show_tray(self, tray: TrayPicture | None) -> None:
        """Draw this tray; None clears it."""
        before, self._shown = self._shown, tray
        if tray is None or before is None or tray.image_bgr is not before.image_bgr or tray.seen is not before.seen:
            pictures = [] if tray is None else [tray]
            if tray is not None and tray.seen is not None:
                pictures += doubtful_close_ups(tray.seen)[:_MOST_ENLARGED]
            self._pictures = [(picture, to_qimage(picture.image_bgr)) for picture in pictures]
            self.update()

    @property
    def enlarged(self) -> int:
        """Number of doubtful dice that are shown enlarged."""
        return max(0, len(self._pictures) - 1)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Draw the picture as large as it fits, with the dice over it, and the doubtful dice beside it."""
        with painting(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            room = self.rect().toRectF()
            close = min(room.height(), room.width() / (1.5 + self.enlarged)) if self.enlarged else 0.0
            for k, (picture, image) in enumerate(self._pictures):
                left = 0.0 if k == 0 else room.width() - (self.enlarged - k + 1) * close
                width = room.width() - self.enlarged * close if k == 0 else close
                scale, box = fit_image(image, QRectF(left, 0.0, width, room.height()))
                painter.drawImage(box, image)
                if picture.seen is not None:
                    _draw_dice(painter, picture.seen, box.topLeft(), scale)


def fit_image(image: QImage, room: QRectF) -> tuple[float, QRectF]:
    """Fit an image into a rectangle: its scale in screen pixels per image pixel, and its rectangle, centred."""
    scale = min(room.width() / image.width(), room.height() / image.height())
    box = QRectF(0, 0, scale * image.width(), scale * image.height())
    box.moveCenter(room.center())
    return scale, box


def _draw_dice(painter: QPainter, seen: Seen, corner: QPointF, scale: float) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    left, top = seen.corner_px
    for k, die in enumerate(seen.reading.dice):
        doubtful = k in seen.reading.doubtful
        outline = QPolygonF([corner + QPointF(x - left + 0.5, y - top + 0.5) * scale for x, y in die.outline_px])
        for colour, width in ((QColor(*DARK), 4.0), (_DOUBTFUL if doubtful else _SURE, 2.0)):
            painter.setPen(
                QPen(colour, width, Qt.PenStyle.DashLine if doubtful and width == 2 else Qt.PenStyle.SolidLine)
            )
            painter.drawPolygon(outline)
        face = {1: "+", 0: "0", -1: "-"}[die.face] if die.kind is DieKind.FUDGE else str(die.face)
        words = face + ("?" if doubtful else "")
        spot = outline.boundingRect()
        plate = QRectF(spot.right() + 2, spot.top(), painter.fontMetrics().horizontalAdvance(words) + 6, 16)
        painter.fillRect(plate, QColor(*DARK[:3], 205))
        painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, words)


class TrayDialog(QDialog):
    """Asks where the tray is in the picture: the player draws a box.

    Attributes:
        region: The box, as fractions of the picture.
    """

    def __init__(self, image_bgr: ImageBgr, region: Region | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Mark the dice tray"))
        self.region = region or WHOLE
        self._box = BoxPicker(to_qimage(image_bgr), self.region)
        self._words = wrapping_label(tr("Draw a box around the tray: press at one corner, release at the other."))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self._box.drawn.connect(self._take)
        layout = QVBoxLayout(self)
        layout.addWidget(self._words)
        layout.addWidget(self._box, 1)
        layout.addWidget(buttons)
        self.resize(_DIALOG)

    @property
    def words(self) -> str:
        """The instruction shown."""
        return self._words.text()

    def _take(self, sides: Sequence[float]) -> None:
        try:
            self.region = Region(*sides)
            self._words.setText(tr("Draw it again, or press OK to use it."))
        except UserError as refusal:
            self._words.setText(str(refusal))
        self._box.show_region(self.region)


class BoxPicker(QWidget):
    """A picture on which a box is drawn with the mouse.

    Signals:
        drawn: Left, top, right and bottom as fractions of the picture.
    """

    drawn = pyqtSignal(object)

    def __init__(self, image: QImage, region: Region) -> None:
        super().__init__()
        self._image, self._region = image, region
        self._from: QPointF | None = None
        self._to = QPointF()
        self.setMinimumSize(480, 270)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setAccessibleName(tr("The camera's picture"))

    def show_region(self, region: Region) -> None:
        """Show this box."""
        self._region, self._from = region, None
        self.update()

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and event.button() is Qt.MouseButton.LeftButton:
            self._from = self._to = self._to_fraction(event.position())

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and self._from is not None:
            self._to = self._to_fraction(event.position())
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and self._from is not None:
            a, b = self._from, self._to_fraction(event.position())
            self._from = None
            self.drawn.emit((min(a.x(), b.x()), min(a.y(), b.y()), max(a.x(), b.x()), max(a.y(), b.y())))

    def paintEvent(self, event: QPaintEvent | None) -> None:
        with painting(self) as painter:
            _, whole = fit_image(self._image, self.rect().toRectF())
            painter.drawImage(whole, self._image)
            if self._from is not None:
                parts = QRectF(self._from, self._to).normalized()
            else:
                one = self._region
                parts = QRectF(QPointF(one.left, one.top), QPointF(one.right, one.bottom))
            box = QRectF(
                whole.left() + parts.left() * whole.width(),
                whole.top() + parts.top() * whole.height(),
                parts.width() * whole.width(),
                parts.height() * whole.height(),
            )
            for colour, width in ((QColor(*DARK), 5.0), (QColor(*GREEN), 2.0)):
                painter.setPen(QPen(colour, width))
                painter.drawRect(box.adjusted(2, 2, -2, -2))

    def _to_fraction(self, at: QPointF) -> QPointF:
        _, whole = fit_image(self._image, self.rect().toRectF())
        x, y = (at.x() - whole.left()) / whole.width(), (at.y() - whole.top()) / whole.height()
        return QPointF(min(1.0, max(0.0, x)), min(1.0, max(0.0, y)))
