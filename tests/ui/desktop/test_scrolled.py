"""A part that is too high scrolls, and gets its full height where there is room."""

from __future__ import annotations

import pytest
from PyQt6.QtWidgets import QApplication, QVBoxLayout, QWidget

from ui.desktop.widgets import Scrolled, wrapping_label

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
