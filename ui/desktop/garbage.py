"""Collects Python's garbage in the window's thread."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

from PyQt6.QtCore import QTimer

EVERY_MS = 1000
_YOUNG, _ALL = 1, 2
_ALL_EVERY = 60
"""Nearly all garbage is young. Old garbage is collected once a minute: that takes longer the longer a battle lasts."""


@contextmanager
def collected_here() -> Iterator[None]:
    """Collect garbage only in the calling thread, once a second while its event loop runs, until the block ends.

    Python collects in whichever thread reaches the limit, and the thread that processes pictures reaches it often. Qt
    objects that are destroyed there can crash the program, since PyQt walks its table of connections without a lock.
    Existing objects are frozen first: the program is loaded by then, and a collection examines only later ones.
    """
    was_on, was_frozen = gc.isenabled(), gc.get_freeze_count() > 0
    gc.collect()
    gc.freeze()
    gc.disable()
    timer, turns = QTimer(), count(1)
    timer.timeout.connect(lambda: gc.collect(_YOUNG if next(turns) % _ALL_EVERY else _ALL))
    timer.start(EVERY_MS)
    try:
        yield
    finally:
        timer.stop()
        if not was_frozen:  # objects frozen by the caller stay frozen
            gc.unfreeze()
        if was_on:
            gc.enable()
