"""A part that is too high scrolls, and gets its full height where there is room."""

from __future__ import annotations

import pytest
from PyQt6.QtWidgets import QApplication, QPushButton, QVBoxLayout, QWidget

from ui.desktop.widgets import Scrolled, in_column, wrapping_label

LINES = "\n".join(f"line {number}" for number in range(12))


@pytest.mark.parametrize(("room_px", "scrolls"), [(600, False), (100, True)])
def test_it_scrolls_only_without_enough_room(qt: QApplication, room_px: int, scrolls: bool) -> None:
    part, around = QWidget(), QWidget()
    words = wrapping_label()
    QVBoxLayout(part).addWidget(words)
    scrolled = Scrolled(part, 40)
    column = QVBoxLayout(around)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(scrolled)
    column.addStretch(1)
    around.resize(200, room_px)
    around.show()
    words.setText(LINES)  # a later change updates the size
    for _ in range(5):
        qt.processEvents()
    bar = scrolled.verticalScrollBar()
    assert bar.isVisible() is scrolls
    assert (scrolled.height() >= part.heightForWidth(200)) is not scrolls
    sideways = scrolled.horizontalScrollBar()
    assert not sideways.isVisible()
    around.deleteLater()


def test_its_bar_leaves_once_there_is_room(qt: QApplication) -> None:
    """Beside the bar the text needs another line at some widths; the bar must not stay because of that line."""
    words, around, still_there = wrapping_label("a few words " * 12), QWidget(), list[int]()
    part = QWidget()
    in_column(words, QPushButton("Allow anyway"), on=part, margin=0)
    scrolled = Scrolled(part, 40)
    in_column(scrolled, (None, 1), on=around, margin=0)
    around.show()
    for width_px in range(180, 300, 4):
        around.resize(width_px, 600)
        for highest_px in (50, 600):
            scrolled.setMaximumHeight(highest_px)
            for _ in range(8):
                qt.processEvents()
        if scrolled.verticalScrollBar().isVisible():
            still_there.append(width_px)
    assert still_there == []
    around.deleteLater()
