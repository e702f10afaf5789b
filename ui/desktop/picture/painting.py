"""A painter that ends in time, also when what it paints fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PyQt6.QtGui import QPaintDevice, QPainter


@contextmanager
def painting(device: QPaintDevice) -> Iterator[QPainter]:
    """A painter on a widget, a picture or a printed page, for as long as the block lasts.

    The traceback of an exception keeps the painter alive. Qt crashes if its device is destroyed before it ends.
    """
    painter = QPainter(device)
    try:
        yield painter
    finally:
        painter.end()
