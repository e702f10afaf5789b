"""The two devices of the table, each on a link of its own: the range rod and the electronic dice."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from hardware import adalight
from hardware.dice_protocol import Decoder, Hello, Repeats, RollLine
from hardware.link import Link, LinkStatus
from hardware.ports import attached, devices_for
from hardware.range_rod import STEP_S, Idle, RodShape, Sign, black, colours, moves

HELLO_S = 5.0
"""Where several ports might be the dice, one that has said nothing in their language for this long is not."""

MOST_WAITING = 1000
"""Rolls that nobody fetches; older ones fall off."""

_TAIL = 64


def finder(wanted: str | None = None) -> Callable[[], tuple[str, ...]]:
    """Looks for a port by its device or lasting name, or for any likely one; for `Link`."""
    return lambda: devices_for(wanted, attached())


class _RodEnd:
    """The rod's side of the link."""

    def __init__(self, shape: RodShape) -> None:
        self.sign: Sign = Idle()
        self._shape = shape
        self._heard = b""
        self._encoded: tuple[tuple[Sign, int] | None, bytes] = (None, b"")

    def opened(self) -> None:
        self._heard = b""

    def received(self, data: bytes, now_s: float) -> None:
        self._heard = (self._heard + data)[-_TAIL:]

    def ready(self) -> bool:
        return adalight.GREETING.strip() in self._heard

    def foreign(self, open_s: float) -> str:
        return "these are dice: name another port for the rod" if b'{"t":"' in self._heard else ""

    def frame(self, now_s: float) -> bytes:
        sign = self.sign  # another thread sets it
        step = int(now_s / STEP_S) if moves(sign) else 0
        if self._encoded[0] != (sign, step):
            self._encoded = ((sign, step), adalight.encode(colours(self._shape, sign, step * STEP_S)))
        return self._encoded[1]

    def farewell(self) -> tuple[bytes, ...]:
        return (adalight.encode(black(self._shape)),) * 3


class RangeRod:
    """The rod as the program sees it: it shows the last sign it was given, as soon and as long as it is there."""

    def __init__(self, shape: RodShape, find: Callable[[], Iterable[str]], **link: Any) -> None:
        """`link`: further arguments of `Link`, as `baud`."""
        self.shape = shape
        self._end = _RodEnd(shape)
        self._link = Link(find, self._end, **link)

    @property
    def sign(self) -> Sign:
        """What it shows."""
        return self._end.sign

    @property
    def status(self) -> LinkStatus:
        """How its link stands."""
        return self._link.status

    def show(self, sign: Sign) -> None:
        """Show this from now on. Returns at once."""
        self._end.sign = sign
        self._link.wake()

    def close(self) -> None:
        """Darken the rod and let go of the port."""
        self._link.close()


class _DiceEnd:
    """The dice's side of the link."""

    def __init__(self, must_greet: bool, repeats: Repeats) -> None:
        self.decoder, self.repeats = Decoder(), repeats
        self.rolls: deque[tuple[RollLine, float]] = deque(maxlen=MOST_WAITING)
        self._must_greet, self._spoke, self._heard = must_greet, False, b""

    def opened(self) -> None:
        self.decoder.reset()
        self._spoke, self._heard = False, b""

    def received(self, data: bytes, now_s: float) -> None:
        self._heard = (self._heard + data)[-_TAIL:]
        for event in self.decoder.feed(data):
            self._spoke = True
            if isinstance(event, Hello):
                self.repeats.hello(event)
            elif self.repeats.is_new(event, now_s):
                self.rolls.append((event, now_s))

    def ready(self) -> bool:
        return True  # nothing is ever sent

    def foreign(self, open_s: float) -> str:
        if self._spoke:
            return ""
        if adalight.GREETING.strip() in self._heard:
            return "this is an LED controller: name another port for the dice"
        silent = self._must_greet and open_s > HELLO_S
        return "no dice speak here: name the port, if they are on it" if silent else ""

    def frame(self, now_s: float) -> bytes:
        return b""

    def farewell(self) -> tuple[bytes, ...]:
        return ()


class DiceLine:
    """Electronic dice on a port."""

    def __init__(
        self,
        find: Callable[[], Iterable[str]],
        must_greet: bool = False,
        repeats: Repeats | None = None,
        **link: Any,
    ) -> None:
        """Listen.

        Args:
            find: See `Link`.
            must_greet: Go on to the next port where no dice are heard; for ports that nobody named.
            repeats: The rolls that an earlier connection has heard; dice say them again to a new one.
            **link: Further arguments of `Link`, as `baud`.
        """
        self._end = _DiceEnd(must_greet, repeats or Repeats())
        self._link = Link(find, self._end, **link)

    @property
    def status(self) -> LinkStatus:
        """How its link stands."""
        return self._link.status

    @property
    def damaged(self) -> int:
        """How many lines could not be read."""
        return self._end.decoder.damaged

    @property
    def repeated(self) -> int:
        """How many rolls were sent more than once."""
        return self._end.repeats.dropped

    def arrivals(self) -> tuple[tuple[RollLine, float], ...]:
        """The rolls since the last call, each with the link's time at which it was heard. Returns at once."""
        found = []
        while self._end.rolls:
            found.append(self._end.rolls.popleft())
        return tuple(found)

    def close(self) -> None:
        """Let go of the port."""
        self._link.close()
