"""Emulated devices: a rod and dice behind a pseudo-terminal, for tests and for players without the devices.

Each is connected to a `Wire`, which any program can open as a serial port. There are no threads here: `step` does what
is due and returns at once.
"""

from __future__ import annotations

import os
import random
import select
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from hardware.adalight import GREETING, Colour
from hardware.adalight import Decoder as AdalightDecoder
from hardware.dice_protocol import Hello, RollLine, encode
from rules.engine.dice import Die

if sys.platform != "win32":
    import tty

HAS_VIRTUAL_PORTS = sys.platform != "win32"
"""Windows has no pseudo-terminals that open as serial ports."""

FALLBACK_S = 2.5
"""A rod that receives nothing for this long goes dark, as WLED returns to its own effects."""

REPEAT_S = 8.0
MAX_REPEATED_ROLLS = 64
"""Rolls up to this age are sent again when a program connects, so that none is lost while it starts."""

GREET_AGAIN_S = (0.0, 0.3, 1.5)
"""Times of the greeting after a connection; a program that is still opening the port discards the first ones."""

GREET_EVERY_S = 0.25

MOST_DICE = 20


class Wire:
    """A pseudo-terminal that can be unplugged and plugged in again under the same name, a symbolic link."""

    def __init__(self, path: Path) -> None:
        """Plug the wire in at `path`."""
        self.path = path
        self._master: int | None = None
        self.plug()

    @property
    def plugged(self) -> bool:
        """Whether the wire is plugged in."""
        return self._master is not None

    @property
    def connected(self) -> bool:
        """Whether a program holds the port open."""
        if self._master is None:
            return False
        poll = select.poll()
        poll.register(self._master, select.POLLIN)
        return not any(event & select.POLLHUP for _, event in poll.poll(0))

    def plug(self) -> None:
        """Plug the wire in, unless it already is."""
        if self._master is not None:
            return
        self._master, slave = os.openpty()
        tty.setraw(slave)
        link = self.path.with_name(self.path.name + ".new")
        link.symlink_to(os.ttyname(slave))
        link.replace(self.path)
        os.close(slave)
        os.set_blocking(self._master, False)

    def unplug(self) -> None:
        """Unplug the wire, even during a transmission; does nothing if it is unplugged."""
        if self._master is not None:
            self.path.unlink(missing_ok=True)
            os.close(self._master)
            self._master = None

    def read(self) -> bytes:
        """The bytes received; empty if there are none or no program is connected."""
        if self._master is None:
            return b""
        try:
            return os.read(self._master, 65536)
        except OSError:  # no data, or no program holds the port open
            return b""

    def write(self, data: bytes) -> int:
        """Send bytes; returns how many were sent: 0 if no program is connected or the buffer is full."""
        if self._master is None or not self.connected:
            return 0
        try:
            return os.write(self._master, data)
        except OSError:
            return 0


class EmulatedRod:
    """An emulated LED controller."""

    def __init__(self, wire: Wire, clock: Callable[[], float], greets: bool = True) -> None:
        """`greets`: whether to send `Ada` when a program connects, as a sketch does and WLED does not."""
        self.wire, self._clock, self._greets = wire, clock, greets
        self._decoder = AdalightDecoder()
        self.leds: tuple[Colour, ...] = ()
        self.frames = 0
        self._received_s = self._greeted_s = clock()
        self._was_connected = self._has_received = False

    @property
    def noise(self) -> int:
        """Number of bytes that belonged to no frame."""
        return self._decoder.dropped

    def step(self) -> bool:
        """Process the bytes received; returns whether the LEDs changed."""
        before = self.leds
        connected = self.wire.connected
        if connected != self._was_connected:
            self._was_connected, self._has_received = connected, False
            self._decoder.reset()
        self._greet()
        for frame in self._decoder.feed(self.wire.read()):
            self.leds, self._received_s, self._has_received = frame, self._clock(), True
            self.frames += 1
        if self._clock() - self._received_s > FALLBACK_S:
            self.leds = ((0, 0, 0),) * len(self.leds)
        return self.leds != before

    def _greet(self) -> None:
        """Send the greeting repeatedly until the first frame arrives."""
        due = self._clock() - self._greeted_s >= GREET_EVERY_S
        if self._greets and self._was_connected and not self._has_received and due:
            self._greeted_s = self._clock()
            self.wire.write(GREETING)


class FaultInjector(StrEnum):
    """Faults of electronic dice that the emulator can produce."""

    GARBAGE = "garbage"
    TORN = "torn"
    REPEAT = "repeat"
    COCKED = "cocked"
    DOUBLE = "double"
    STALE = "stale"


class EmulatedDice:
    """An emulated set of dice with their serial bridge."""

    def __init__(
        self, wire: Wire, clock: Callable[[], float], dice: random.Random, die: Die = Die.D6, count: int = 2
    ) -> None:
        """`dice` generates the rolls. Raises `ValueError` for no dice, or more than `MOST_DICE`."""
        if not 1 <= count <= MOST_DICE:
            raise ValueError(f"a set has 1 to {MOST_DICE} dice, not {count}")
        self.wire, self.die, self._clock, self._random = wire, die, clock, dice
        self.names = tuple(f"d{k + 1}" for k in range(count))
        self._boot, self._seq = dice.randrange(1, 2**16), 0
        self._recent: deque[tuple[float, RollLine]] = deque(maxlen=MAX_REPEATED_ROLLS)
        self._outgoing = bytearray()
        self._was_connected = False
        self._greet_at_s: list[float] = []

    def step(self) -> None:
        """Send what is due."""
        self.wire.read()  # dice ignore all input
        connected = self.wire.connected
        if connected != self._was_connected:
            self._was_connected = connected
            self._outgoing.clear()
            self._greet_at_s = [self._clock() + after_s for after_s in GREET_AGAIN_S] if connected else []
        while self._greet_at_s and self._clock() >= self._greet_at_s[0]:
            self._greet_at_s.pop(0)
            self._greet()
        del self._outgoing[: self.wire.write(bytes(self._outgoing))]

    def _greet(self) -> None:
        self._outgoing += b"\n" + encode(Hello(1, self._boot))
        for at_s, line in self._recent:
            age_s = self._clock() - at_s
            if age_s <= REPEAT_S:
                self._outgoing += encode(replace(line, age_s=age_s))

    def roll(self, faces: Sequence[int] = (), *, cocked: bool = False, age_s: float = 0.0) -> tuple[RollLine, ...]:
        """Throw one die for each face, or all dice if no faces are given, and send the result."""
        shown = faces or [self._random.choice(self.die.faces) for _ in self.names]
        thrown = []
        for k, face in enumerate(shown):
            self._seq += 1
            line = RollLine(self.die, face, self.names[k % len(self.names)], self._seq, age_s, cocked)
            self._recent.append((self._clock() - age_s, line))
            if self._was_connected:
                self._outgoing += encode(line)
            thrown.append(line)
        self.step()
        return tuple(thrown)

    def misbehave(self, how: FaultInjector) -> None:
        """Produce a fault."""
        if how is FaultInjector.GARBAGE:
            self._outgoing += self._random.randbytes(40).replace(b"\n", b"?") + b"\n"
        elif how is FaultInjector.TORN:
            whole = encode(RollLine(self.die, self.die.faces[0], self.names[0], self._seq + 1000))
            self._outgoing += whole[: len(whole) // 2] + b"\n"
        elif how is FaultInjector.COCKED:
            self.roll([self._random.choice(self.die.faces)], cocked=True)
        elif how is FaultInjector.STALE:
            self.roll(age_s=20.0)
        elif how is FaultInjector.DOUBLE:
            self.roll()
            self.roll([self._random.choice(self.die.faces)])
        elif self._recent:
            self._outgoing += encode(self._recent[-1][1])
        self.step()
