"""Codecs for the Bluetooth messages of Pixels and GoDice: messages to rolls, without I/O.

Pixels: GameWithPixels' "Communications Protocol" and the messages of their SDK. GoDice: Particula's GoDice API.
"""

from __future__ import annotations

from typing import Protocol

from hardware.dice_protocol import RollLine
from rules.engine.dice import Die, as_fudge

UART = "6e400001-b5a3-f393-e0a9-e50e24dcca9e"
"""Nordic's UART service, which both brands advertise."""

PIXELS_NOTIFY = UART
PIXELS_WRITE = "6e400002-b5a3-f393-e0a9-e50e24dcca9e"
GODICE_NOTIFY = "6e400003-b5a3-f393-e0a9-e50e24dcca9e"

WHO_ARE_YOU = b"\x01"
"""Asks a Pixels die to identify itself."""

_I_AM_A_DIE, _ROLL_STATE = 2, 3
_I_AM_A_DIE_BYTES = 22
_ROLLED, _HANDLING, _ROLLING, _CROOKED = 1, 2, 3, 4
_SIX_SIDED, _PIPPED, _FUDGE = 2, 8, 9  # kinds of Pixels dice
_UNKNOWN_KIND = 0
_SIX_SIDED_LEDS = (6, 21)

_UNSURE_KIND = "the die did not report its number of sides"
_UNSURE_FUDGE = "the face order of these Fudge dice was never verified on a real die"


class DieReader(Protocol):
    """Reads the messages of one die."""

    def read(self, message: bytes) -> RollLine | None:
        """The roll that this message completes, or None."""


class PixelsReader:
    """One Pixels die. Only a rest after rolling is a roll, not a die that was set down or lay there before."""

    def __init__(self, name: str) -> None:
        self._name, self._seq = name, 0
        self._state, self._kind = 0, _UNKNOWN_KIND

    def read(self, message: bytes) -> RollLine | None:
        """See `DieReader`."""
        if len(message) == _I_AM_A_DIE_BYTES and message[0] == _I_AM_A_DIE:
            self._kind = message[3]
        if len(message) < 3 or message[0] != _ROLL_STATE:
            return None
        before, self._state = self._state, message[1]
        if before not in (_HANDLING, _ROLLING) or self._state not in (_ROLLED, _CROOKED):
            return None
        return self._rolled(message[2] + 1, self._state == _CROOKED)

    def _rolled(self, number: int, cocked: bool) -> RollLine | None:
        if number not in Die.D6.faces or self._kind not in (_UNKNOWN_KIND, _SIX_SIDED, _PIPPED, _FUDGE):
            return None
        self._seq += 1
        if self._kind == _FUDGE:
            (face,) = as_fudge((number,))
            return RollLine(Die.FUDGE, face, self._name, self._seq, cocked=cocked, doubt=_UNSURE_FUDGE)
        doubt = _UNSURE_KIND if self._kind == _UNKNOWN_KIND else ""
        return RollLine(Die.D6, number, self._name, self._seq, cocked=cocked, doubt=doubt)


def is_six_sided(advert: bytes) -> bool:
    """Whether an advertised Pixels die has six sides, so that the games can use it.

    Args:
        advert: Manufacturer data after the company id: LEDs, colourway, state, face, battery.
    """
    return len(advert) == 5 and advert[0] in _SIX_SIDED_LEDS


_GODICE_UP = {(-64, 0, 0): 1, (0, 0, 64): 2, (0, 64, 0): 3, (0, -64, 0): 4, (0, 0, -64): 5, (64, 0, 0): 6}
"""Acceleration along the axes in 1/64 g -> the face that is up, for the shell of a six-sided die."""


class GoDiceReader:
    """One GoDice with the shell of a six-sided die."""

    def __init__(self, name: str) -> None:
        self._name, self._seq, self._rolling = name, 0, False

    def read(self, message: bytes) -> RollLine | None:
        """See `DieReader`. A die that was moved or shaken but not thrown (`MS`, `FS`) is not a roll."""
        if message == b"R":
            self._rolling = True
        for kind, cocked in ((b"S", False), (b"TS", True)):
            if message.startswith(kind) and len(message) == len(kind) + 3 and self._rolling:
                self._rolling = False
                self._seq += 1
                acceleration = tuple(byte - 256 if byte > 127 else byte for byte in message[len(kind) :])
                return RollLine(Die.D6, godice_face(acceleration), self._name, self._seq, cocked=cocked)
        return None


def godice_face(acceleration: tuple[int, ...]) -> int:
    """The face that is up, from the acceleration along the die's three axes."""
    nearest = min(_GODICE_UP, key=lambda up: sum((a - b) ** 2 for a, b in zip(up, acceleration, strict=True)))
    return _GODICE_UP[nearest]
