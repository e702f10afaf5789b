"""Codec of the Adalight format: colours to bytes and back, without I/O.

A frame is `Ada`, the number of LEDs minus one in two bytes (high, low), their checksum `high ^ low ^ 0x55`, then three
bytes for each LED. WLED and the sketch in `firmware/` read it at 115200 baud.
"""

from __future__ import annotations

from collections.abc import Sequence

Colour = tuple[int, int, int]
"""Red, green, blue, 0 to 255 each, as sent to the LED."""

BLACK: Colour = (0, 0, 0)
MAX_LEDS = 0x10000
"""Largest number of LEDs that fits in the header."""

GREETING = b"Ada\n"
"""Sent by an Adalight sketch at its start, and repeatedly while it receives nothing. WLED sends nothing."""

_MAGIC = b"Ada"
_HEADER_BYTES = 6


def encode(colours: Sequence[Colour]) -> bytes:
    """Encode one frame. Raises `ValueError` for no LEDs, more than `MAX_LEDS`, or a colour outside 0 to 255."""
    if not 1 <= len(colours) <= MAX_LEDS:
        raise ValueError(f"an Adalight frame has 1 to {MAX_LEDS} LEDs, not {len(colours)}")
    high, low = divmod(len(colours) - 1, 256)
    return _MAGIC + bytes((high, low, high ^ low ^ 0x55)) + bytes(part for colour in colours for part in colour)


class Decoder:
    """Finds the frames in a stream of bytes, as the device does.

    Attributes:
        dropped: Number of bytes that belonged to no frame.
    """

    def __init__(self, most_leds: int = 2000) -> None:
        """`most_leds`: a header with more LEDs counts as noise, so that the decoder does not wait for them."""
        self._most_leds, self._buffer = most_leds, bytearray()
        self.dropped = 0

    def feed(self, data: bytes) -> tuple[tuple[Colour, ...], ...]:
        """The frames that these bytes complete, oldest first."""
        self._buffer += data
        frames = []
        while self._at_header():
            end = _HEADER_BYTES + 3 * self._leds()
            if len(self._buffer) < end:
                break
            body = self._buffer[_HEADER_BYTES:end]
            frames.append(tuple((body[k], body[k + 1], body[k + 2]) for k in range(0, len(body), 3)))
            del self._buffer[:end]
        return tuple(frames)

    def reset(self) -> None:
        """Discard an incomplete frame after a disconnection."""
        self.dropped += len(self._buffer)
        self._buffer.clear()

    def _leds(self) -> int:
        return self._buffer[3] * 256 + self._buffer[4] + 1

    def _at_header(self) -> bool:
        """Drop all bytes before the next valid header; return whether the buffer holds a complete header."""
        while True:
            start = self._buffer.find(_MAGIC)
            if start < 0:  # the buffer may end with the first letters of the header
                start = len(self._buffer) - next(n for n in (2, 1, 0) if self._buffer.endswith(_MAGIC[:n]))
            self._drop(start)
            if len(self._buffer) < _HEADER_BYTES:
                return False
            high, low, check = self._buffer[3:_HEADER_BYTES]
            if check == high ^ low ^ 0x55 and self._leds() <= self._most_leds:
                return True
            self._drop(1)

    def _drop(self, count: int) -> None:
        self.dropped += count
        del self._buffer[:count]
