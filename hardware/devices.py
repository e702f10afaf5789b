"""The range rod and the electronic dice, each on its own link."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hardware import adalight
from hardware.dice_protocol import Decoder, Hello, Repeats, RollLine
from hardware.link import Link, LinkStatus
from hardware.ports import attached, devices_for
from hardware.range_rod import STEP_S, Idle, RodShape, Sign, black, colours, moves

HELLO_S = 5.0
"""While several ports are candidates, a port that sends no dice messages for this long is rejected."""

MAX_UNREAD_ROLLS = 1000
"""Capacity of the queue of unread rolls; the oldest are dropped."""

_TAIL_BYTES = 64

Encode = Callable[[Sequence[adalight.Colour]], bytes]
"""Encodes the colours of a strip as one frame."""


def finder(wanted: str | None = None) -> Callable[[], tuple[str, ...]]:
    """A search for `Link` that finds a port by its device or persistent name, or any likely port."""
    return lambda: devices_for(wanted, attached())


class _RodProtocol:
    """The rod's part of a link."""

    def __init__(self, shape: RodShape, encode: Encode) -> None:
        self.sign: Sign = Idle()
        self._shape, self._encode = shape, encode
        self._tail = b""
        self._encoded: tuple[tuple[Sign, int] | None, bytes] = (None, b"")

    def opened(self) -> None:
        self._tail = b""

    def received(self, data: bytes, now_s: float) -> None:
        self._tail = (self._tail + data)[-_TAIL_BYTES:]

    def ready(self) -> bool:
        return adalight.GREETING.strip() in self._tail

    def foreign(self, open_s: float) -> str:
        return "these are dice: choose another port for the rod" if b'{"t":"' in self._tail else ""

    def frame(self, now_s: float) -> bytes:
        sign = self.sign  # another thread sets it
        step = int(now_s / STEP_S) if moves(sign) else 0
        if self._encoded[0] != (sign, step):
            self._encoded = ((sign, step), self._encode(colours(self._shape, sign, step * STEP_S)))
        return self._encoded[1]

    def farewell(self) -> tuple[bytes, ...]:
        return (self._encode(black(self._shape)),) * 3


class RangeRod:
    """The range rod: shows the last sign it was given whenever it is connected."""

    def __init__(
        self, shape: RodShape, find: Callable[[], Iterable[str]], encode: Encode = adalight.encode, **link: Any
    ) -> None:
        """`link`: further arguments of `Link`, such as `baud`."""
        self.shape = shape
        self._protocol = _RodProtocol(shape, encode)
        self._link = Link(find, self._protocol, **link)

    @property
    def sign(self) -> Sign:
        """The sign that the rod shows."""
        return self._protocol.sign

    @property
    def status(self) -> LinkStatus:
        """The state of the rod's link."""
        return self._link.status

    def show(self, sign: Sign) -> None:
        """Show a sign until the next call. Returns at once."""
        self._protocol.sign = sign
        self._link.wake()

    def close(self) -> None:
        """Switch off the LEDs and release the port."""
        self._link.close()


class _DiceProtocol:
    """The dice's part of a link."""

    def __init__(self, must_greet: bool, repeats: Repeats) -> None:
        self.decoder, self.repeats = Decoder(), repeats
        self.rolls: deque[tuple[RollLine, float]] = deque(maxlen=MAX_UNREAD_ROLLS)
        self._must_greet, self._recognised, self._tail = must_greet, False, b""

    def opened(self) -> None:
        self.decoder.reset()
        self._recognised, self._tail = False, b""

    def received(self, data: bytes, now_s: float) -> None:
        self._tail = (self._tail + data)[-_TAIL_BYTES:]
        for event in self.decoder.feed(data):
            self._recognised = True
            if isinstance(event, Hello):
                self.repeats.hello(event)
            elif self.repeats.is_new(event, now_s):
                self.rolls.append((event, now_s))

    def ready(self) -> bool:
        return True  # nothing is ever sent

    def foreign(self, open_s: float) -> str:
        if self._recognised:
            return ""
        if adalight.GREETING.strip() in self._tail:
            return "this is an LED controller: choose another port for the dice"
        silent = self._must_greet and open_s > HELLO_S
        return "no dice found on this port: choose the port yourself if they are connected to it" if silent else ""

    def frame(self, now_s: float) -> bytes:
        return b""

    def farewell(self) -> tuple[bytes, ...]:
        return ()


class SerialDice:
    """Electronic dice on a serial port."""

    def __init__(
        self, find: Callable[[], Iterable[str]], must_greet: bool = False, repeats: Repeats | None = None, **link: Any
    ) -> None:
        """Listen.

        Args:
            find: See `Link`.
            must_greet: Try the next port if this one sends no dice messages; for ports that were not chosen by name.
            repeats: The rolls received by an earlier connection; dice send them again to a new one.
            **link: Further arguments of `Link`, such as `baud`.
        """
        self._protocol = _DiceProtocol(must_greet, repeats or Repeats())
        self._link = Link(find, self._protocol, **link)

    @property
    def status(self) -> LinkStatus:
        """The state of the dice's link."""
        return self._link.status

    @property
    def damaged(self) -> int:
        """Number of unreadable lines."""
        return self._protocol.decoder.damaged

    @property
    def repeated(self) -> int:
        """Number of repeated rolls."""
        return self._protocol.repeats.dropped

    def arrivals(self) -> tuple[tuple[RollLine, float], ...]:
        """The rolls since the last call, each with the link's time at which it was received. Returns at once."""
        found = []
        while self._protocol.rolls:
            found.append(self._protocol.rolls.popleft())
        return tuple(found)

    def close(self) -> None:
        """Release the port."""
        self._link.close()
