"""A dialog about a picture of the table: the picture large at the left, words and buttons at its right."""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QDialog, QDialogButtonBox, QHBoxLayout, QVBoxLayout, QWidget

from ui.desktop.labels import word_label
from ui.desktop.picture.image import to_qimage
from ui.desktop.picture.painting import painting
from ui.desktop.picture.view import PictureView
from ui.desktop.translation import tr
from ui.formatting import begun
from ui.picture.overlay import PointPx
from ui.theme import YELLOW
from vision.frame import ImageBgr

_COLUMN_PX = 330
_TEXT = 1.15


class PictureDialog(QDialog):
    """Shows a picture, and says what to do about it.

    Attributes:
        picture: The picture.
        words: What to do now.
        column: Where a dialog puts its own parts, below the words.
        buttons: At the bottom of the column.
    """

    def __init__(self, title: str, parent: QWidget | None, *, asks: bool) -> None:
        """`asks` gives it OK and Cancel, else it is only closed."""
        super().__init__(parent)
        self.setWindowTitle(title)
        self.picture, self.words, self.column = PictureView(), word_label(), QVBoxLayout()
        self.words.setObjectName("words")
        font = self.words.font()
        font.setPointSizeF(_TEXT * font.pointSizeF())
        self.words.setFont(font)
        # Three lines always: a picture that jumps with each sentence cannot be clicked.
        self.words.setMinimumHeight(3 * self.words.fontMetrics().lineSpacing())
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop)
        kinds = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel if asks else kinds.Close)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        side = QWidget()
        side.setFixedWidth(_COLUMN_PX)
        right = QVBoxLayout(side)
        right.setContentsMargins(0, 0, 0, 0)
        right.addWidget(self.words)
        right.addLayout(self.column, 1)
        right.addWidget(self.buttons)
        layout = QHBoxLayout(self)
        layout.addWidget(self.picture, 1)
        layout.addWidget(side)
        self.resize(1180, 620)

    def say(self, words: str) -> None:
        """Show what to do, beginning with a capital."""
        self.words.setText(begun(words))

    def allow(self, may: bool) -> None:
        """Let OK be pressed, or not."""
        button = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        if button is not None:
            button.setEnabled(may)


class Magnifier(QWidget):
    """A part of the picture, eight times as large, with a cross at the place the mouse points at."""

    TIMES = 8.0

    def __init__(self, image_bgr: ImageBgr, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._image = to_qimage(image_bgr)
        self._at_px: PointPx | None = None
        self.setFixedHeight(230)
        self.setAccessibleName(tr("The place under the mouse, enlarged"))

    @property
    def at_px(self) -> PointPx | None:
        """The pixel in its middle; None before the mouse was in the picture."""
        return self._at_px

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Room for some thirty pixels."""
        return QSize(_COLUMN_PX, 230)

    def show_place(self, px: PointPx) -> None:
        """Show the surroundings of a pixel."""
        self._at_px = px
        self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802
        """Paint them."""
        with painting(self) as painter:
            painter.fillRect(self.rect(), QColor(24, 26, 30))
            if self._at_px is None:
                return
            width, height = self.width() / self.TIMES, self.height() / self.TIMES
            x, y = self._at_px[0] + 0.5, self._at_px[1] + 0.5  # the top left pixel's centre is (0, 0)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(QRectF(self.rect()), self._image, QRectF(x - width / 2, y - height / 2, width, height))
            middle, gap, far = QRectF(self.rect()).center(), 6.0, 60.0
            painter.setPen(QPen(QColor(*YELLOW), 1.5))
            for way in (QPointF(1, 0), QPointF(-1, 0), QPointF(0, 1), QPointF(0, -1)):
                painter.drawLine(middle + way * gap, middle + way * far)
