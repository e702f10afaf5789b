"""Records a thumbnail of the table at every event of a battle, in a thread, so that the players never wait."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
from PyQt6.QtGui import QTransform

from calibration.opencv import cv2
from rules.battle.battle import Battle
from rules.battle.event_codec import is_event
from rules.tabletop.errors import UserError
from ui.battle.thumbnail_store import ThumbnailStore, small_jpeg
from ui.desktop.picture.image import to_bgr, to_qimage
from ui.desktop.picture.painter import paint
from ui.desktop.picture.painting import painting
from ui.picture.overlay import Label, table_overlay
from ui.session import TableState
from vision.frame import ImageBgr
from vision.table_view import TableView

_MAX_WIDTH_PX = 640
_MAX_WAITING = 20
"""Every waiting picture holds a frame; further ones are dropped."""


class ThumbnailRecorder:
    """Records the thumbnails of the open battle."""

    def __init__(self, say: Callable[[str], None]) -> None:
        """`say` shows the player a message."""
        self.thumbnails: ThumbnailStore | None = None
        self._say, self._reported = say, ""
        self._battle: Battle | None = None
        self._last = 0
        self._writer: ThreadPoolExecutor | None = None
        self._writing: list[Future[None]] = []
        self._refusal = ""

    def record(self, battle: Battle | None, view: TableView | None, state: TableState) -> None:
        """Record a thumbnail if there are new events; may be called at any rate."""
        if battle is not self._battle:
            self._attach(battle)
        self._report_error()
        if battle is None or view is None or self.thumbnails is None or battle.entries[-1].seq == self._last:
            return
        new = [entry for entry in battle.entries[self._last :] if is_event(entry)]
        self._last = battle.entries[-1].seq
        self._writing = [one for one in self._writing if not one.done()]
        if new and self._writer is not None and len(self._writing) <= _MAX_WAITING:
            self._writing.append(self._writer.submit(self._write, self.thumbnails, new[-1].seq, view, state))

    def close(self) -> None:
        """Write the pending thumbnails, and stop."""
        if self._writer is not None:
            self._writer.shutdown()
        self._writer = None
        if self.thumbnails is not None:
            self.thumbnails.close()
        self.thumbnails = self._battle = None

    def _attach(self, battle: Battle | None) -> None:
        self.close()
        self._battle, self.thumbnails, self._last = battle, None, 0
        if battle is None:
            return
        self.thumbnails = ThumbnailStore(battle)
        self._last = battle.opened_seq  # earlier events have no picture
        self._writer = ThreadPoolExecutor(1, "sandtable thumbnails")

    def _write(self, thumbnails: ThumbnailStore, seq: int, view: TableView, state: TableState) -> None:
        try:
            thumbnails.put(seq, small_jpeg(small_picture(view, state)))
            self._refusal = thumbnails.remark
        except UserError as refusal:
            self._refusal = str(refusal)

    def _report_error(self) -> None:
        if self._refusal not in ("", self._reported):
            self._reported = self._refusal
            self._say(self._reported)


def small_picture(view: TableView, state: TableState) -> ImageBgr:
    """The picture with everything drawn over it except labels, at most `_MAX_WIDTH_PX` wide."""
    width, height = view.frame.size_px
    scale = min(1.0, _MAX_WIDTH_PX / width)
    size = (round(width * scale), round(height * scale))
    small = to_qimage(np.asarray(cv2.resize(view.frame.image_bgr, size, interpolation=cv2.INTER_AREA), np.uint8))
    with painting(small) as painter:
        shapes = [shape for shape in table_overlay(view, state) if not isinstance(shape, Label)]
        paint(painter, shapes, QTransform.fromTranslate(0.5, 0.5) * QTransform.fromScale(scale, scale), 0.8)
    return to_bgr(small)
