"""Takes a small picture of the table at every moment of a battle, in a thread: the players wait for none of it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

import numpy as np
from PyQt6.QtGui import QTransform

from calibration.opencv import cv2
from rules.battle.battle import Battle
from rules.battle.event_codec import is_event
from rules.tabletop.errors import UserError
from ui.battle.thumbnail_store import Album, small_jpeg
from ui.desktop.picture.image import to_bgr, to_qimage
from ui.desktop.picture.painter import paint
from ui.desktop.picture.painting import painting
from ui.picture.overlay import Label, table_overlay
from ui.session import TableState
from vision.frame import ImageBgr
from vision.table_view import TableView

_WIDEST_PX = 640
_MOST_WAITING = 20
"""Pictures that wait for their turn hold a frame each; more than these come from no table."""


class Moments:
    """Keeps the pictures of the battle that is open.

    Attributes:
        album: Of that battle; None where none is open.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        """`say` tells the player a sentence."""
        self.album: Album | None = None
        self._say, self._said = say, ""
        self._battle: Battle | None = None
        self._last = 0
        self._waiting: queue.Queue[tuple[Album, int, TableView, TableState] | None] = queue.Queue(_MOST_WAITING)
        self._thread: threading.Thread | None = None
        self._refusal = ""

    def look(self, battle: Battle | None, view: TableView | None, state: TableState) -> None:
        """Take a picture if something happened since the last look; called as often as anybody likes."""
        if battle is not self._battle:
            self._meet(battle)
        self._tell()
        if battle is None or view is None or self.album is None or battle.entries[-1].seq == self._last:
            return
        new = [entry for entry in battle.entries[self._last :] if is_event(entry)]
        self._last = battle.entries[-1].seq
        if new and not self._waiting.full():
            self._waiting.put((self.album, new[-1].seq, view, state))

    def close(self) -> None:
        """Keep what waits, and end."""
        self._waiting.put(None)
        if self._thread is not None:
            self._thread.join()
        self._thread = None
        if self.album is not None:
            self.album.close()
        self.album = self._battle = None

    def _meet(self, battle: Battle | None) -> None:
        if self._thread is not None:
            self.close()
        self._battle, self.album, self._last = battle, None, 0
        if battle is None:
            return
        self.album = Album(battle)
        self._last = battle.taken_up_at  # what happened before it was opened, no picture can show
        self._waiting = queue.Queue(_MOST_WAITING)
        self._thread = threading.Thread(target=self._work, args=(self._waiting,), name="sandtable moments", daemon=True)
        self._thread.start()

    def _work(self, waiting: queue.Queue[tuple[Album, int, TableView, TableState] | None]) -> None:
        while (one := waiting.get()) is not None:
            album, seq, view, state = one
            try:
                album.put(seq, small_jpeg(small_picture(view, state)))
                self._refusal = album.remark
            except UserError as refusal:
                self._refusal = str(refusal)

    def _tell(self) -> None:
        if self._refusal not in ("", self._said):
            self._said = self._refusal
            self._say(self._said)


def small_picture(view: TableView, state: TableState) -> ImageBgr:
    """The picture with all that is drawn over it but words, `_WIDEST_PX` wide at most."""
    width, height = view.frame.size_px
    scale = min(1.0, _WIDEST_PX / width)
    size = (round(width * scale), round(height * scale))
    small = to_qimage(np.asarray(cv2.resize(view.frame.image_bgr, size, interpolation=cv2.INTER_AREA), np.uint8))
    with painting(small) as painter:
        shapes = [shape for shape in table_overlay(view, state) if not isinstance(shape, Label)]
        paint(painter, shapes, QTransform.fromTranslate(0.5, 0.5) * QTransform.fromScale(scale, scale), 0.8)
    return to_bgr(small)
