"""Watches a dice tray in a thread and reads dice that come to rest in it. No Qt here.

The camera is the table's, whose pictures are passed in, or a second one, which the thread opens.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from calibration.camera import TableCamera
from calibration.opencv import cv2
from hardware.link import LinkState, LinkStatus
from rules.tabletop.body import BODIES
from rules.tabletop.errors import UserError, user_error
from rules.tabletop.table import Figure
from ui.translation import mark_for_translation, tr
from vision.dice.find import read_dice
from vision.dice.tray import TrayReading, TrayWatch
from vision.dice.view import DieSeen
from vision.frame import Frame, ImageBgr
from vision.source import Source, open_source

TABLE = "table"
"""Stands for the table's own camera."""

_MIN_PART = 0.03
_EVERY_S = 0.1
"""Time between two compared pictures."""

RETRY_S = 2.0
"""Time between two attempts to open the camera."""

_NO_PICTURE = mark_for_translation("the table's camera gives no picture yet")
_MAX_ARRIVALS = 4

Outline = tuple[tuple[float, float], ...]
"""Points of a closed outline, in pixels."""
Outlines = Callable[[], Sequence[Outline]]
"""Computes outlines in a picture when they are needed."""

Read = Callable[[ImageBgr, Outline | None, TableCamera | None], tuple[DieSeen, ...]]
"""Reads the dice inside an outline of a picture, with the camera if it is calibrated."""


@dataclass(frozen=True, slots=True)
class Region:
    """A box in the picture, in fractions of its width and height.

    Raises:
        UserError: if the box is not inside the picture, or too small for dice.
    """

    left: float = 0.0
    top: float = 0.0
    right: float = 1.0
    bottom: float = 1.0

    def __post_init__(self) -> None:
        across = 0 <= self.left <= self.right - _MIN_PART and self.right <= 1
        if not (across and 0 <= self.top <= self.bottom - _MIN_PART and self.bottom <= 1):
            raise user_error("this box is too small: draw a box around the whole dice tray")

    def box_px(self, size_px: tuple[int, int]) -> tuple[int, int, int, int]:
        """Left, top, right and bottom in a picture of this (width, height)."""
        width, height = size_px
        return (
            round(self.left * width), round(self.top * height), round(self.right * width), round(self.bottom * height),
        )  # fmt: skip

    def outline_px(self, size_px: tuple[int, int]) -> tuple[tuple[float, float], ...]:
        """The corner pixels of the box."""
        left, top, right, bottom = self.box_px(size_px)
        return ((left, top), (right - 1, top), (right - 1, bottom - 1), (left, bottom - 1))


WHOLE = Region()


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Dice that came to rest.

    Attributes:
        reading: The dice; outlines in pixels of the whole picture.
        tray_bgr: The tray's part of the picture.
        corner_px: The upper left corner of that part.
        at_s: The time on the program's clock.
    """

    reading: TrayReading
    tray_bgr: ImageBgr
    corner_px: tuple[int, int]
    at_s: float


def read_tray(image_bgr: ImageBgr, tray_px: Outline | None, camera: TableCamera | None) -> tuple[DieSeen, ...]:
    """The default `Read`: all dice."""
    return read_dice(image_bgr, tray_px, camera=camera)


def figure_outlines_px(figures: Sequence[Figure], camera: TableCamera) -> tuple[Outline, ...]:
    """Outlines in the table's picture of figures as tall as 54 mm soldiers."""
    outlines = []
    for figure in figures:
        base = np.array([[x, y, figure.z_in] for x, y in figure.base_in])
        points = camera.table_to_pixel(np.vstack([base, base + [0.0, 0.0, BODIES[figure.posture].height_in]]))
        if np.isfinite(points).all():
            hull = cv2.convexHull(points.astype(np.float32))[:, 0]
            outlines.append(tuple((float(x), float(y)) for x, y in hull))
    return tuple(outlines)


def _covers(figure_px: Outline, die: DieSeen) -> bool:
    return cv2.pointPolygonTest(np.array(figure_px, np.float32), die.centre_px, False) >= 0


class TrayCamera:
    """Watches the tray in its own thread. No method waits except `close`.

    Attributes:
        status: The state of the camera, as of a link; its name stands for the port.
        picture: The newest picture that was processed.
    """

    def __init__(
        self,
        spec: str,
        region: Region = WHOLE,
        opener: Callable[[str], Source] = open_source,
        read: Read = read_tray,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start watching a part of the picture of `TABLE`, or of a second camera.

        `opener` opens that camera, and `read` reads the dice, in the thread; `clock` is monotonic, in seconds.
        """
        self._spec, self._region, self._opener, self._read, self._clock = spec, region, opener, read, clock
        self.status = LinkStatus(LinkState.SEEKING, error=tr(_NO_PICTURE) if spec == TABLE else "")
        self._offered: tuple[Frame | None, TableCamera | None, Outlines] = (None, None, tuple)
        self._watch: tuple[TrayWatch, tuple[int, int]] | None = None
        self._camera: TableCamera | None = None
        self._figures_px: Outlines = tuple
        self._again = False
        self.picture: Frame | None = None
        self._arrived: deque[Seen] = deque(maxlen=_MAX_ARRIVALS)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sandtable dice tray", daemon=True)
        self._thread.start()

    def offer(self, frame: Frame | None, camera: TableCamera | None, figures_px: Outlines = tuple) -> None:
        """Pass in the newest picture of the table's camera, and the camera if it is calibrated. Returns at once.

        Figures that overlap the tray are not read as dice; their outlines are asked for only when dice are read.
        """
        self._offered = (frame, camera, figures_px)

    def again(self) -> None:
        """Read the tray once, even if nothing moved."""
        self._again = True

    def arrivals(self) -> tuple[Seen, ...]:
        """The readings since the last call. Returns at once."""
        found = []
        while self._arrived:
            found.append(self._arrived.popleft())
        return tuple(found)

    def close(self, wait_s: float = 12.0) -> None:
        """End the thread and release the camera; an unplugged camera may block a read for ten seconds."""
        self._stopping.set()
        self._thread.join(wait_s)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._follow_table() if self._spec == TABLE else self._follow_source()
            except UserError as error:
                self._note(state=LinkState.SEEKING, error=str(error))
                self._stopping.wait(RETRY_S)

    def _follow_table(self) -> None:
        while not self._stopping.wait(_EVERY_S):
            frame, camera, self._figures_px = self._offered
            if frame is None:
                self._note(state=LinkState.SEEKING, error=tr(_NO_PICTURE))
            elif frame is not self.picture:
                self._look(frame, camera)

    def _follow_source(self) -> None:
        source = self._opener(self._spec)
        try:
            while not self._stopping.is_set():
                frame = source.read()
                if frame is None:
                    raise user_error(
                        "{camera} gives no more pictures: choose another camera for the dice", camera=source.name
                    )
                self._look(frame, None)
                self._stopping.wait(_EVERY_S)
        finally:
            source.close()

    def _look(self, frame: Frame, camera: TableCamera | None) -> None:
        self.picture, self._camera = frame, camera
        before, ours = self.status, self._spec == TABLE
        words = tr("the table's camera") if ours else tr("camera {number}", number=self._spec)
        self._note(state=LinkState.UP, port=words, frames=before.frames + 1, error="" if ours else before.error)
        if self._watch is None or self._watch[1] != frame.size_px:
            outline_px = self._region.outline_px(frame.size_px)
            self._watch = (TrayWatch(partial(self._read_now, outline_px), outline_px), frame.size_px)
        if self._again:
            self._again = False
            self._watch[0].again()
        reading = self._watch[0].feed(frame.time_s, frame.image_bgr)
        if reading is not None:
            left, top, right, bottom = self._region.box_px(frame.size_px)
            tray_bgr = frame.image_bgr[top:bottom, left:right]
            self._arrived.append(Seen(reading, tray_bgr, (left, top), self._clock()))

    def _read_now(self, outline_px: tuple[tuple[float, float], ...], image_bgr: ImageBgr) -> tuple[DieSeen, ...]:
        dice = self._read(image_bgr, outline_px, self._camera)
        figures_px = self._figures_px() if dice else ()
        return tuple(die for die in dice if not any(_covers(figure, die) for figure in figures_px))

    def _note(self, **changed: object) -> None:
        self.status = replace(self.status, **changed)  # type: ignore[arg-type]
