"""A painter that ends in time, even if painting fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PyQt6.QtGui import QPaintDevice, QPainter


@contextmanager
def painting(device: QPaintDevice) -> Iterator[QPainter]:
    """Paint on a widget, a picture or a printed page until the block ends.

    The traceback of an exception keeps the painter alive. Qt crashes if its device is destroyed before it ends.
    """
    painter = QPainter(device)
    try:
        yield painter
    finally:
        painter.end()
