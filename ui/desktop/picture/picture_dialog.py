"""A dialog with a large picture of the table at the left, and text and buttons at the right."""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from ui.desktop.picture.image import painting, to_qimage
from ui.desktop.picture.view import PictureView
from ui.desktop.widgets import close_button, in_column, in_row, ok_and_cancel, set_font, wrapping_label
from ui.formatting import capitalized
from ui.picture.shapes import PointPx
from ui.theme import YELLOW
from ui.translation import tr
from vision.frame import ImageBgr

_COLUMN_PX = 330
_FONT_SCALE = 1.15


class PictureDialog(QDialog):
    """Shows a picture and what to do with it.

    Attributes:
        column: Layout below the instruction for the widgets of each dialog.
    """

    def __init__(self, title: str, parent: QWidget | None, *, asks: bool) -> None:
        """`asks` gives the dialog OK and Cancel; otherwise it has only Close."""
        super().__init__(parent)
        self.setWindowTitle(title)
        self.picture, self.words, self.column = PictureView(), wrapping_label(), QVBoxLayout()
        self.words.setObjectName("words")
        set_font(self.words, bold=False, scale=_FONT_SCALE)
        # Always three lines: a picture that moves with each instruction cannot be clicked.
        self.words.setMinimumHeight(3 * self.words.fontMetrics().lineSpacing())
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.buttons = ok_and_cancel(self) if asks else close_button(self)
        side = QWidget()
        side.setFixedWidth(_COLUMN_PX)
        in_column(self.words, (self.column, 1), self.buttons, on=side, margin=0)
        in_row((self.picture, 1), side, on=self)
        self.resize(1180, 620)

    def say(self, words: str) -> None:
        """Show an instruction, starting with a capital letter."""
        self.words.setText(capitalized(words))

    def allow(self, may: bool) -> None:
        """Enable or disable OK."""
        button = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        if button is not None:
            button.setEnabled(may)


class Magnifier(QWidget):
    """Part of the picture, enlarged eight times, with a cross at the mouse position.

    Attributes:
        at_px: The pixel in the centre; None until the mouse enters the picture.
    """

    TIMES = 8.0

    def __init__(self, image_bgr: ImageBgr) -> None:
        super().__init__()
        self._image = to_qimage(image_bgr)
        self.at_px: PointPx | None = None
        self.setFixedHeight(230)
        self.setAccessibleName(tr("Magnified view at the mouse"))

    def sizeHint(self) -> QSize:
        """Room for some thirty pixels of the picture."""
        return QSize(_COLUMN_PX, 230)

    def show_place(self, px: PointPx) -> None:
        """Show the surroundings of a pixel."""
        self.at_px = px
        self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        with painting(self) as painter:
            painter.fillRect(self.rect(), QColor(24, 26, 30))
            if self.at_px is None:
                return
            width, height = self.width() / self.TIMES, self.height() / self.TIMES
            x, y = self.at_px[0] + 0.5, self.at_px[1] + 0.5  # the top left pixel's centre is (0, 0)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(QRectF(self.rect()), self._image, QRectF(x - width / 2, y - height / 2, width, height))
            middle, gap, far = QRectF(self.rect()).center(), 6.0, 60.0
            painter.setPen(QPen(QColor(*YELLOW), 1.5))
            for direction in (QPointF(1, 0), QPointF(-1, 0), QPointF(0, 1), QPointF(0, -1)):
                painter.drawLine(middle + direction * gap, middle + direction * far)
