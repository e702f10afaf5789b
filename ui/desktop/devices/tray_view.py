"""The camera's picture of the dice tray with the dice read in it, and the dialog that marks the tray."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from PyQt6.QtCore import QRectF, QSize
from PyQt6.QtGui import QImage, QPainter, QPaintEvent, QTransform
from PyQt6.QtWidgets import QSizePolicy, QWidget

from rules.tabletop.errors import UserError
from ui.desktop.picture.image import painting, to_qimage
from ui.desktop.picture.painter import paint
from ui.desktop.picture.picture_dialog import PictureDialog
from ui.devices.tray_camera import WHOLE, Region, Seen
from ui.picture.shapes import Label, Line, PointPx, Shape
from ui.theme import GREEN, ORANGE
from ui.translation import tr
from vision.dice.tray import TrayReading
from vision.dice.view import DieKind
from vision.frame import ImageBgr

_HEIGHT_PX = 130
_CLOSE = 0.5  # margin around an enlarged die, in sides
_MOST_ENLARGED = 4


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

    def __init__(self) -> None:
        super().__init__()
        self._shown: TrayPicture | None = None
        self._pictures: list[tuple[TrayPicture, QImage]] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("The dice tray"))
        self.setToolTip(tr("The dice tray as the camera sees it"))

    def sizeHint(self) -> QSize:
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
                scale, box = _fit_image(image, QRectF(left, 0.0, width, room.height()))
                painter.drawImage(box, image)
                if picture.seen is not None:
                    to_screen = QTransform.fromTranslate(box.left(), box.top()).scale(scale, scale).translate(0.5, 0.5)
                    paint(painter, dice_shapes(picture.seen), to_screen)


def _fit_image(image: QImage, room: QRectF) -> tuple[float, QRectF]:
    """Fit an image into a rectangle: its scale in screen pixels per image pixel, and its rectangle, centred."""
    scale = min(room.width() / image.width(), room.height() / image.height())
    box = QRectF(0, 0, scale * image.width(), scale * image.height())
    box.moveCenter(room.center())
    return scale, box


def dice_shapes(seen: Seen) -> Iterator[Shape]:
    """An outline around each die, and its face beside it."""
    left, top = seen.corner_px
    for k, die in enumerate(seen.reading.dice):
        doubtful = k in seen.reading.doubtful
        colour = ORANGE if doubtful else GREEN
        outline = tuple((x - left, y - top) for x, y in die.outline_px)
        face = {1: "+", 0: "0", -1: "-"}[die.face] if die.kind is DieKind.FUDGE else str(die.face)
        yield Line(outline, colour, 2.0, closed=True, dashed=doubtful)
        yield Label(outline[0], ((face + "?" * doubtful, 14.0),), colour, around=outline)


class TrayDialog(PictureDialog):
    """Asks where the tray is in the picture: the player draws a box around it.

    Attributes:
        region: The box, as fractions of the picture.
    """

    def __init__(self, image_bgr: ImageBgr, region: Region | None, parent: QWidget | None = None) -> None:
        super().__init__(tr("Mark the dice tray"), parent, asks=True)
        self.region = region or WHOLE
        self._size_px = (image_bgr.shape[1], image_bgr.shape[0])
        self._from_px: PointPx | None = None
        self.column.addStretch()
        self.picture.show_picture(to_qimage(image_bgr))
        self.picture.pressed.connect(self._press)
        self.picture.moved.connect(self._drag)
        self.picture.released.connect(self._release)
        self.say(tr("Draw a box around the tray: press at one corner, release at the other."))
        self._show_region()

    def _press(self, x: float, y: float) -> None:
        self._from_px = (x, y)

    def _drag(self, x: float, y: float) -> None:
        if self._from_px is not None:
            self._show_box(self._box_to((x, y)))

    def _release(self, x: float, y: float) -> None:
        if self._from_px is None:
            return
        try:
            self.region = Region(*self._box_to((x, y)))
            self.say(tr("Draw it again, or press OK to use it."))
        except UserError as refusal:
            self.say(str(refusal))
        self._from_px = None
        self._show_region()

    def _box_to(self, to_px: PointPx) -> tuple[float, float, float, float]:
        """The sides of the box from the pressed corner to this one, inside the picture, as fractions of it."""
        pairs = zip(self._from_px or to_px, to_px, self._size_px, strict=True)
        xs, ys = (sorted(min(1.0, max(0.0, (at + 0.5) / size)) for at in (a, b)) for a, b, size in pairs)
        return (xs[0], ys[0], xs[1], ys[1])

    def _show_region(self) -> None:
        self._show_box((self.region.left, self.region.top, self.region.right, self.region.bottom))

    def _show_box(self, sides: tuple[float, float, float, float]) -> None:
        (width, height), (left, top, right, bottom) = self._size_px, sides
        corners = ((left, top), (right, top), (right, bottom), (left, bottom))
        outline = tuple((x * width - 0.5, y * height - 0.5) for x, y in corners)
        self.picture.show_shapes((Line(outline, GREEN, 2.0, closed=True),))
