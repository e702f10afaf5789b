"""Draws a printed sheet into a PDF that is printed at true scale."""

from __future__ import annotations

import re
from pathlib import Path

from PyQt6.QtCore import QBuffer, QIODevice, QMarginsF, QPointF, QRectF, QSizeF, Qt
from PyQt6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QImage,
    QPageSize,
    QPainter,
    QPainterPath,
    QPdfWriter,
    QPen,
    QTransform,
)

from rules.tabletop.errors import user_error
from ui.desktop.picture.image import painting
from ui.desktop.picture.painter import text_application
from ui.files import write_bytes
from ui.paper.page import MM_PER_IN, Align, Line, Page, Pattern, Sheet, Text

_DOTS_PER_INCH = 1200
_TYPE_PX = 100
"""Text is laid out at this size and scaled, because Qt's pixel sizes are whole numbers."""


def write_pdf(sheet: Sheet, path: Path) -> None:
    """Write the sheet to `path`, completely or not at all. Raises `UserError` like `pdf_of` and `write_bytes`."""
    write_bytes(path, pdf_of(sheet))


def pdf_of(sheet: Sheet) -> bytes:
    """Render the sheet as a PDF; works in any thread of a running application.

    Raises:
        UserError: if no font is installed.
    """
    own = text_application()
    if not QFontDatabase.families():
        raise user_error(
            "No font is installed, so the sheet would have no text. Install one, such as fonts-dejavu-core."
        )
    drawn = unscaled(_drawn(sheet))
    del own
    return drawn


def _drawn(sheet: Sheet) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setPdfVersion(QPdfWriter.PdfVersion.PdfVersion_1_6)  # the first version with print scaling
    writer.setTitle(sheet.title)
    writer.setCreator("Sandtable")
    writer.setResolution(_DOTS_PER_INCH)
    size = QSizeF(*sheet.size_mm)
    exact = QPageSize.SizeMatchPolicy.ExactMatch
    writer.setPageSize(QPageSize(size, QPageSize.Unit.Millimeter, sheet.paper, exact))
    writer.setPageMargins(QMarginsF())
    with painting(writer) as painter:
        painter.scale(_DOTS_PER_INCH / MM_PER_IN, _DOTS_PER_INCH / MM_PER_IN)
        _stretch(painter, sheet)
        for number, page in enumerate(sheet.pages):
            if number:
                writer.newPage()
            _draw_page(painter, page)
    return buffer.data().data()


def preview(sheet: Sheet, number: int, width_px: int) -> QImage:
    """Draw one page of the sheet as a picture of this width; needs a running application."""
    width, height = sheet.size_mm
    image = QImage(width_px, round(width_px * height / width), QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    with painting(image) as painter:
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.scale(width_px / width, width_px / width)
        _stretch(painter, sheet)
        _draw_page(painter, sheet.pages[number])
    return image


def _stretch(painter: QPainter, sheet: Sheet) -> None:
    """Scale from the paper's centre, so that the margins stay equal."""
    middle = QPointF(*sheet.size_mm) / 2
    painter.translate(middle)
    painter.scale(*sheet.stretch)
    painter.translate(-middle)


def _draw_page(painter: QPainter, page: Page) -> None:
    for fill in page.fills:
        painter.fillRect(QRectF(*fill.corner_mm, *fill.size_mm), QColor(*fill.colour))
    for pattern in page.patterns:
        painter.fillPath(_outline(pattern), Qt.GlobalColor.black)
    for line in page.lines:
        painter.setPen(_pen(line))
        painter.drawLine(QPointF(*line.start_mm), QPointF(*line.end_mm))
    for text in page.texts:
        _draw_text(painter, text)


def _outline(pattern: Pattern) -> QPainterPath:
    cells = QPainterPath()
    for row, line in enumerate(pattern.black):
        for column, black in enumerate(line):
            if black:
                cells.addRect(column, row, 1, 1)
    place = QTransform.fromTranslate(*pattern.corner_mm).scale(pattern.cell_mm, pattern.cell_mm)
    # One path, because separate cells leave seams; joined as whole numbers, as Qt drops cells with nearly equal edges.
    return place.map(cells.simplified())


def _pen(line: Line) -> QPen:
    pen = QPen(QColor.fromRgbF(line.grey, line.grey, line.grey), line.width_mm)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


def _draw_text(painter: QPainter, text: Text) -> None:
    font = QFont("sans-serif")
    font.setPixelSize(_TYPE_PX)
    font.setBold(text.bold)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    width = QFontMetricsF(font).horizontalAdvance(text.words)
    scale = text.size_mm / _TYPE_PX
    if text.room_mm is not None:
        scale = min(scale, text.room_mm / width)
    before = {Align.LEFT: 0.0, Align.CENTRE: width / 2, Align.RIGHT: width}[text.align]
    painter.save()
    painter.translate(*text.at_mm)
    painter.scale(scale, scale)
    painter.setFont(font)
    painter.setPen(Qt.GlobalColor.black)
    painter.drawText(QPointF(-before, 0), text.words)
    painter.restore()


_CATALOG = re.compile(rb"(\d+) 0 obj\s*<<\s*/Type /Catalog\b(.*?)>>\s*endobj", re.DOTALL)
_TRAILER = re.compile(rb"trailer\s*<<(.*?)>>\s*startxref\s+(\d+)\s+%%EOF\s*\Z", re.DOTALL)


def unscaled(pdf: bytes) -> bytes:
    """The same PDF, asking the print dialog for "actual size" (ISO 32000-1, 12.2: /PrintScaling /None).

    A second catalog is appended, as in an edited file (7.5.6, incremental updates); Qt's output is unchanged.

    Raises:
        ValueError: if the PDF does not have the layout that Qt writes.
    """
    catalog, trailer = _CATALOG.search(pdf), _TRAILER.search(pdf)
    if catalog is None or trailer is None:
        raise ValueError("not a PDF with a plain catalog and cross-reference table, as Qt writes it")
    number, entries = catalog.groups()
    trailer_entries, first_table = trailer.groups()
    added = b"%s 0 obj\n<<\n/Type /Catalog%s/ViewerPreferences << /PrintScaling /None >>\n>>\nendobj\n"
    before = pdf if pdf.endswith(b"\n") else pdf + b"\n"
    body = before + added % (number, entries)
    table = b"xref\n%s 1\n%010d 00000 n \ntrailer\n<<%s/Prev %s\n>>\nstartxref\n%d\n%%%%EOF\n"
    return body + table % (number, len(before), trailer_entries, first_table, len(body))
