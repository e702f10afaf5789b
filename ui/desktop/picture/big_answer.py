"""Shows the answer in type that is legible from the far side of the table."""

from __future__ import annotations

from PyQt6.QtCore import QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QFont, QPaintEvent
from PyQt6.QtWidgets import QSizePolicy, QWidget

from ui.desktop.labels import fit_font
from ui.desktop.picture.painting import painting
from ui.table.finding import Answer
from ui.theme import DARK, SILVER, WHITE
from ui.translation import tr

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
        """Room for a headline and two rows."""
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
