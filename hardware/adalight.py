"""The Adalight format without I/O: colours in, bytes out, and back.

A frame is `Ada`, the number of LEDs less one in two bytes (high, low), their checksum `high ^ low ^ 0x55`, then three
bytes for each LED. WLED and the sketch in `firmware/` read it at 115200 baud.
"""

from __future__ import annotations

from collections.abc import Sequence

Colour = tuple[int, int, int]
"""Red, green, blue, 0 to 255 each, as the LED gets it."""

BLACK: Colour = (0, 0, 0)
MOST_LEDS = 0x10000
"""What the two bytes of the header can count."""

GREETING = b"Ada\n"
"""What an Adalight sketch says when it starts, and now and then while it hears nothing. WLED says nothing."""

_MAGIC = b"Ada"
_HEADER_BYTES = 6


def encode(colours: Sequence[Colour]) -> bytes:
    """One frame.

    Raises:
        ValueError: if there is no LED, more than `MOST_LEDS`, or a colour outside 0 to 255.
    """
    if not 1 <= len(colours) <= MOST_LEDS:
        raise ValueError(f"an Adalight frame lights 1 to {MOST_LEDS} LEDs, not {len(colours)}")
    high, low = divmod(len(colours) - 1, 256)
    return _MAGIC + bytes((high, low, high ^ low ^ 0x55)) + bytes(part for colour in colours for part in colour)


class Decoder:
    """Finds the frames in a stream of bytes, as the far end does.

    Attributes:
        dropped: How many bytes belonged to no frame.
    """

    def __init__(self, most_leds: int = 2000) -> None:
        """`most_leds`: a header that announces more is taken for noise; the stream would starve behind it."""
        self._most_leds, self._held = most_leds, bytearray()
        self.dropped = 0

    def feed(self, data: bytes) -> tuple[tuple[Colour, ...], ...]:
        """The frames that these bytes complete, oldest first."""
        self._held += data
        frames = []
        while self._at_header():
            end = _HEADER_BYTES + 3 * self._leds()
            if len(self._held) < end:
                break
            body = self._held[_HEADER_BYTES:end]
            frames.append(tuple((body[k], body[k + 1], body[k + 2]) for k in range(0, len(body), 3)))
            del self._held[:end]
        return tuple(frames)

    def reset(self) -> None:
        """Forget a frame begun: the line was cut."""
        self.dropped += len(self._held)
        self._held.clear()

    def _leds(self) -> int:
        return self._held[3] * 256 + self._held[4] + 1

    def _at_header(self) -> bool:
        """Drop what stands before the next sound header; whether a whole one is held."""
        while True:
            start = self._held.find(_MAGIC)
            if start < 0:  # its first letters may be the last ones held
                start = len(self._held) - next(n for n in (2, 1, 0) if self._held.endswith(_MAGIC[:n]))
            self._drop(start)
            if len(self._held) < _HEADER_BYTES:
                return False
            high, low, check = self._held[3:_HEADER_BYTES]
            if check == high ^ low ^ 0x55 and self._leds() <= self._most_leds:
                return True
            self._drop(1)

    def _drop(self, count: int) -> None:
        self.dropped += count
        del self._held[:count]
