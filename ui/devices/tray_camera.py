"""Watches a tray of dice in a thread: where it lies in the picture, and what came to rest in it. No Qt here.

The camera is the table's own, whose pictures are offered, or a second one, which the thread opens and reads.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from calibration.camera import TableCamera
from hardware.link import LinkState, LinkStatus
from rules.tabletop.errors import UserError
from vision.dice.find import read_dice
from vision.dice.tray import TrayReading, TrayWatch
from vision.dice.view import DieSeen
from vision.frame import Frame, ImageBgr
from vision.source import Source, open_source

TABLE = "table"
"""The tray lies under the table's own camera."""

_LEAST = 0.03
_EVERY_S = 0.1
"""Between two pictures that are compared."""

_RETRY_S = 2.0
_NO_PICTURE = "the table's camera gives no picture yet"
_MOST_TOLD = 4

Read = Callable[[ImageBgr, tuple[tuple[float, float], ...] | None, TableCamera | None], tuple[DieSeen, ...]]
"""Reads a picture's dice within an outline, with the camera where that is known."""


@dataclass(frozen=True, slots=True)
class Region:
    """A box of the picture, in parts of its width and height: the same whatever its size.

    Raises:
        UserError: if it is no box within the picture, or too small for dice.
    """

    left: float = 0.0
    top: float = 0.0
    right: float = 1.0
    bottom: float = 1.0

    def __post_init__(self) -> None:
        across = 0 <= self.left <= self.right - _LEAST and self.right <= 1
        if not (across and 0 <= self.top <= self.bottom - _LEAST and self.bottom <= 1):
            raise UserError("the dice tray is too small a part of the picture: draw a box round the whole tray")

    def box_px(self, size_px: tuple[int, int]) -> tuple[int, int, int, int]:
        """Left, top, right and bottom in a picture of this width and height."""
        width, height = size_px
        return (
            round(self.left * width), round(self.top * height), round(self.right * width), round(self.bottom * height),
        )  # fmt: skip

    def outline_px(self, size_px: tuple[int, int]) -> tuple[tuple[float, float], ...]:
        """Its corners, as far as they are pixels."""
        left, top, right, bottom = self.box_px(size_px)
        return ((left, top), (right - 1, top), (right - 1, bottom - 1), (left, bottom - 1))


WHOLE = Region()


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Dice that came to rest.

    Attributes:
        reading: What they show; outlines in pixels of the whole picture.
        tray_bgr: The tray's part of that picture.
        corner_px: Where that part begins.
        at_s: When, by the program's clock.
    """

    reading: TrayReading
    tray_bgr: ImageBgr
    corner_px: tuple[int, int]
    at_s: float


def read_tray(
    image_bgr: ImageBgr, tray_px: tuple[tuple[float, float], ...] | None, camera: TableCamera | None
) -> tuple[DieSeen, ...]:
    """As `Read`: whatever dice there are."""
    return read_dice(image_bgr, tray_px, camera=camera)


class TrayCamera:
    """Watches the tray in a thread of its own. No method waits, save `close`."""

    def __init__(
        self,
        spec: str,
        region: Region = WHOLE,
        opener: Callable[[str], Source] = open_source,
        read: Read = read_tray,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start to watch.

        Args:
            spec: `TABLE`, or a second camera, as for `vision.source.open_source`.
            region: Where the tray lies in the picture.
            opener: Opens the second camera; called in the thread.
            read: Reads the dice; called in the thread.
            clock: Seconds that run evenly.
        """
        self._spec, self._region, self._opener, self._read, self._clock = spec, region, opener, read, clock
        self._status = LinkStatus(LinkState.SEEKING, error=_NO_PICTURE if spec == TABLE else "")
        self._offered: tuple[Frame | None, TableCamera | None] = (None, None)
        self._watch: tuple[TrayWatch, tuple[int, int]] | None = None
        self._camera: TableCamera | None = None
        self._again = False
        self._picture: Frame | None = None
        self._arrived: deque[Seen] = deque(maxlen=_MOST_TOLD)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sandtable dice tray", daemon=True)
        self._thread.start()

    @property
    def status(self) -> LinkStatus:
        """How it stands; the camera takes the port's place."""
        return self._status

    @property
    def picture(self) -> Frame | None:
        """The newest picture that was looked at, whole."""
        return self._picture

    def offer(self, frame: Frame | None, camera: TableCamera | None) -> None:
        """The newest picture of the table's camera, and where that hangs if it is known. Returns at once."""
        self._offered = (frame, camera)

    def again(self) -> None:
        """Read what lies there, though nothing may have moved."""
        self._again = True

    def arrivals(self) -> tuple[Seen, ...]:
        """What was read since the last call. Returns at once."""
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
            except UserError as refusal:
                self._note(state=LinkState.SEEKING, error=str(refusal))
                self._stopping.wait(_RETRY_S)

    def _follow_table(self) -> None:
        while not self._stopping.wait(_EVERY_S):
            frame, camera = self._offered
            if frame is None:
                self._note(state=LinkState.SEEKING, error=_NO_PICTURE)
            elif frame is not self._picture:
                self._look(frame, camera)

    def _follow_source(self) -> None:
        source = self._opener(self._spec)
        try:
            while not self._stopping.is_set():
                frame = source.read()
                if frame is None:
                    raise UserError(f"{source.name} gives no more pictures: choose another camera for the dice")
                self._look(frame, None)
                self._stopping.wait(_EVERY_S)
        finally:
            source.close()

    def _look(self, frame: Frame, camera: TableCamera | None) -> None:
        self._picture, self._camera = frame, camera
        before, ours = self._status, self._spec == TABLE
        words = "the table's camera" if ours else f"camera {self._spec}"
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
        return self._read(image_bgr, outline_px, self._camera)

    def _note(self, **changed: object) -> None:
        self._status = replace(self._status, **changed)  # type: ignore[arg-type]
