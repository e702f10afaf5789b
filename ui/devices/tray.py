"""Dice in a tray that a camera reads, as the window has them: what was seen, and what of it is still to be used.

No Qt here; nothing here waits.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from calibration.camera import TableCamera
from hardware.dice_reader import KEEP_S
from hardware.emulator import Wire
from ui.devices.device_connection import Berth, Choice
from ui.devices.rod_and_dice import counted
from ui.devices.tray_camera import TABLE, WHOLE, Read, Region, Seen, TrayCamera, read_tray
from vision.dice.tray import TrayReading
from vision.dice.view import DieKind, DieSeen
from vision.frame import Frame
from vision.motion import Box
from vision.source import Source, camera_numbers, open_source

_MOST_TOLD = 4


class TrayHand:
    """Dice that a camera reads, as the window has them.

    Attributes:
        berth: Which camera.
        seen: The newest dice that came to rest; None before the first.
        told: The last readings in words, the newest first.
        heard: How many readings there were.
    """

    def __init__(
        self,
        region_of: Callable[[str], Region | None],
        opener: Callable[[str], Source] = open_source,
        clock: Callable[[], float] = time.monotonic,
        read: Read = read_tray,
    ) -> None:
        """`region_of` tells where in a camera's picture the tray lies, None for all of it; see `TrayCamera`."""
        self._region_of, self._opener, self._clock, self._read = region_of, opener, clock, read
        self.berth: Berth[TrayCamera] = Berth("dice tray", self._make)
        self.seen: Seen | None = None
        self.told: deque[str] = deque(maxlen=_MOST_TOLD)
        self.heard = 0
        self._spent: Seen | None = None
        self._resting = False
        self._tested = False

    @property
    def now_s(self) -> float:
        """The time, by the clock of `Seen`."""
        return self._clock()

    @property
    def unspent(self) -> Seen | None:
        """What came to rest last, unless it has answered a request already."""
        return None if self.seen is self._spent else self.seen

    @property
    def resting(self) -> bool:
        """Whether the newest dice still lie there."""
        return self._resting

    @property
    def kept_words(self) -> str:
        """What answers the next request unasked; empty if nothing."""
        seen = self.unspent
        kept = seen is not None and self._clock() - seen.at_s <= KEEP_S
        return f"Kept for the next roll: {reading_words(seen.reading)}." if seen is not None and kept else ""

    def spend(self) -> None:
        """What lies there has answered."""
        self._spent = self.seen

    def on_table_px(self, size_px: tuple[int, int]) -> tuple[Box, ...]:
        """What the tray takes of the table's picture of this width and height: nothing under a camera of its own."""
        region = self._region_of(TABLE) if self.berth.spec == TABLE else None
        return () if region is None else (region.box_px(size_px),)

    def pull(self, frame: Frame | None, camera: TableCamera | None) -> None:
        """Do what is due; the newest picture of the table's camera, and where that hangs."""
        self.berth.pull()
        device = self.berth.device
        if device is None:
            return
        device.offer(frame, camera)
        for seen in device.arrivals():
            self._tested = False
            self.told.appendleft(reading_words(seen.reading))
            self._resting = bool(seen.reading.dice)
            if seen.reading.dice:
                self.seen = seen
                self.heard += 1

    def test(self) -> None:
        """Read what lies there now."""
        if self.berth.device is not None:
            self._tested = True
            self.berth.device.again()

    @property
    def counters(self) -> str:
        """What came in; empty before anything did."""
        frames = self.berth.device.status.frames if self.berth.device is not None else 0
        return counted((frames, "picture", "seen"), (self.heard, "roll", "read"))

    @property
    def test_words(self) -> str:
        """How the test goes; empty without one."""
        return "Reading what lies in the tray …" if self._tested else ""

    def close(self) -> None:
        """Release the camera."""
        self.berth.close()

    def _make(self, spec: str, _: Wire | None) -> TrayCamera:
        return TrayCamera(spec, self._region_of(spec) or WHOLE, self._opener, self._read, self._clock)


def cameras(numbers: Iterable[int], table: str, chosen: str | None) -> tuple[Choice, ...]:
    """What may watch the tray: the table's camera, and every other; the one that was chosen even while it is gone.

    Args:
        numbers: Of the cameras there are.
        table: The source of the table's pictures, which is not opened twice.
        chosen: Now; None for none.
    """
    found = [Choice(TABLE, "The table's camera")]
    found += [Choice(str(number), f"Camera {number}") for number in numbers if str(number) != table]
    if chosen is not None and chosen not in {one.spec for one in found}:
        found.append(Choice(chosen, f"Camera {chosen} (not there)"))
    return tuple(found)


def numbers() -> Sequence[int]:
    """Of the machine's cameras; the first few, where only trying them tells."""
    return camera_numbers() if sys.platform == "linux" else range(3)


def reading_words(reading: TrayReading) -> str:
    """A reading, as "4, 2 (leaning?)"."""
    return ", ".join(map(_die_words, reading.dice)) or "no dice are seen"


def _die_words(die: DieSeen) -> str:
    face = {1: "+", 0: "blank", -1: "-"}[die.face] if die.kind is DieKind.FUDGE else str(die.face)
    return face + (" (leaning?)" if die.cocked else f" ({die.confidence:.0%})")
