"""What Pixels and GoDice say over Bluetooth, without I/O: messages in, rolls out.

Pixels: GameWithPixels' "Communications Protocol" and the messages of their SDK. GoDice: Particula's GoDice API.
"""

from __future__ import annotations

from typing import Protocol

from hardware.dice_protocol import RollLine
from rules.engine.dice import Die, as_fudge

UART = "6e400001-b5a3-f393-e0a9-e50e24dcca9e"
"""The service that both makes advertise, after Nordic's."""

PIXELS_NOTIFY = UART
PIXELS_WRITE = "6e400002-b5a3-f393-e0a9-e50e24dcca9e"
GODICE_NOTIFY = "6e400003-b5a3-f393-e0a9-e50e24dcca9e"

WHO_ARE_YOU = b"\x01"
"""Asks a Pixels die to introduce itself."""

_I_AM_A_DIE, _ROLL_STATE = 2, 3
_I_AM_A_DIE_BYTES = 22
_ROLLED, _HANDLING, _ROLLING, _CROOKED = 1, 2, 3, 4
_SIX_SIDED, _PIPPED, _FUDGE = 2, 8, 9  # kinds of Pixels dice
_UNTOLD = 0
_SIX_SIDED_LEDS = (6, 21)

_UNSURE_KIND = "this die has not said how many sides it has"
_UNSURE_FUDGE = "the order of this die's Fudge faces was never checked against a real one"


class DieReader(Protocol):
    """Reads the messages of one die."""

    def read(self, message: bytes) -> RollLine | None:
        """The roll that this message ends; None if it ends none."""


class PixelsReader:
    """One Pixels die. A roll is a rest after rolling: a die that was set down, or lay there before, has not rolled."""

    def __init__(self, name: str) -> None:
        self._name, self._seq = name, 0
        self._state, self._kind = 0, _UNTOLD

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
        if number not in Die.D6.faces or self._kind not in (_UNTOLD, _SIX_SIDED, _PIPPED, _FUDGE):
            return None
        self._seq += 1
        if self._kind == _FUDGE:
            (face,) = as_fudge((number,))
            return RollLine(Die.FUDGE, face, self._name, self._seq, cocked=cocked, doubt=_UNSURE_FUDGE)
        doubt = _UNSURE_KIND if self._kind == _UNTOLD else ""
        return RollLine(Die.D6, number, self._name, self._seq, cocked=cocked, doubt=doubt)


def is_six_sided(advert: bytes) -> bool:
    """Whether a Pixels die that advertises itself is one the games can use.

    Args:
        advert: Manufacturer data after the company's number: LEDs, look, state, face, battery.
    """
    return len(advert) == 5 and advert[0] in _SIX_SIDED_LEDS


_GODICE_UP = {(-64, 0, 0): 1, (0, 0, 64): 2, (0, 64, 0): 3, (0, -64, 0): 4, (0, 0, -64): 5, (64, 0, 0): 6}
"""Which way gravity pulls, in sixty-fourths, -> the face that is up, with the shell of a six-sided die."""


class GoDiceReader:
    """One GoDice with the shell of a six-sided die."""

    def __init__(self, name: str) -> None:
        self._name, self._seq, self._rolling = name, 0, False

    def read(self, message: bytes) -> RollLine | None:
        """See `DieReader`. What was moved or shaken without being thrown (`MS`, `FS`) is no roll."""
        if message == b"R":
            self._rolling = True
        for kind, cocked in ((b"S", False), (b"TS", True)):
            if message.startswith(kind) and len(message) == len(kind) + 3 and self._rolling:
                self._rolling = False
                self._seq += 1
                pull = tuple(byte - 256 if byte > 127 else byte for byte in message[len(kind) :])
                return RollLine(Die.D6, godice_face(pull), self._name, self._seq, cocked=cocked)
        return None


def godice_face(pull: tuple[int, ...]) -> int:
    """The face that is up, by the acceleration along the die's three axes."""
    nearest = min(_GODICE_UP, key=lambda up: sum((a - b) ** 2 for a, b in zip(up, pull, strict=True)))
    return _GODICE_UP[nearest]
