"""Devices that are not there: a rod and dice behind a pseudo-terminal, for tests and for players before they buy.

Each hangs on a `Wire`, whose other end any program opens as a serial port. Nothing here runs by itself: `step` does
what is due and returns at once.
"""

from __future__ import annotations

import os
import random
import select
import sys
from collections import deque
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path

from hardware.adalight import GREETING, Colour
from hardware.adalight import Decoder as AdalightDecoder
from hardware.dice_protocol import Hello, RollLine, encode
from rules.engine.dice import Die

if sys.platform != "win32":
    import tty

HAS_WIRES = sys.platform != "win32"
"""Windows has no pseudo-terminals that open as ports."""

FALLBACK_S = 2.5
"""A rod that hears nothing for this long goes dark, as WLED goes back to its own effects."""

REPEAT_S = 8.0
MOST_REPEATED = 64
"""Rolls this young are said again when a program connects: none is missed while it starts."""

GREET_AGAIN_S = (0.0, 0.3, 1.5)
"""What is said while a program still opens the port is thrown away with the old bytes: it is said once more."""

GREET_EVERY_S = 0.25

MOST_DICE = 20


class Wire:
    """A pseudo-terminal that can be unplugged and comes back under the same name, which is a link to it."""

    def __init__(self, path: Path) -> None:
        """Plug it in as `path`."""
        self.path = path
        self._master: int | None = None
        self.plug()

    @property
    def plugged(self) -> bool:
        """Whether it is plugged in."""
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
        """Plug it in; nothing if it is."""
        if self._master is not None:
            return
        self._master, slave = os.openpty()
        tty.setraw(slave)
        fresh = self.path.with_name(self.path.name + ".new")
        fresh.symlink_to(os.ttyname(slave))
        fresh.replace(self.path)
        os.close(slave)
        os.set_blocking(self._master, False)

    def unplug(self) -> None:
        """Pull it out, in the middle of whatever is being said; nothing if it is out."""
        if self._master is not None:
            self.path.unlink(missing_ok=True)
            os.close(self._master)
            self._master = None

    def read(self) -> bytes:
        """What has come in; empty if nothing has, or nobody is there."""
        if self._master is None:
            return b""
        try:
            return os.read(self._master, 65536)
        except OSError:  # nothing yet, or nobody holds the other end
            return b""

    def write(self, data: bytes) -> int:
        """How many of these bytes went out: none while nobody is there or the line is full."""
        if self._master is None or not self.connected:
            return 0
        try:
            return os.write(self._master, data)
        except OSError:
            return 0


class EmulatedRod:
    """An LED controller that remembers what it was told.

    Attributes:
        wire: What it hangs on.
        leds: What is lit, in the strip's order; empty before the first frame.
        frames: How many frames it got.
    """

    def __init__(self, wire: Wire, clock: Callable[[], float], greets: bool = True) -> None:
        """`greets`: it says `Ada` when a program connects, as a sketch does and WLED does not."""
        self.wire, self._clock, self._greets = wire, clock, greets
        self._decoder = AdalightDecoder()
        self.leds: tuple[Colour, ...] = ()
        self.frames = 0
        self._heard_s = self._greeted_s = clock()
        self._was_connected = self._hears = False

    @property
    def noise(self) -> int:
        """How many bytes belonged to no frame."""
        return self._decoder.dropped

    def step(self) -> bool:
        """Take what has come in; whether the light has changed."""
        before = self.leds
        connected = self.wire.connected
        if connected != self._was_connected:
            self._was_connected, self._hears = connected, False
            self._decoder.reset()
        self._greet()
        for frame in self._decoder.feed(self.wire.read()):
            self.leds, self._heard_s, self._hears = frame, self._clock(), True
            self.frames += 1
        if self._clock() - self._heard_s > FALLBACK_S:
            self.leds = ((0, 0, 0),) * len(self.leds)
        return self.leds != before

    def _greet(self) -> None:
        """Say that it is there, until it is spoken to."""
        due = self._clock() - self._greeted_s >= GREET_EVERY_S
        if self._greets and self._was_connected and not self._hears and due:
            self._greeted_s = self._clock()
            self.wire.write(GREETING)


class FaultInjector(StrEnum):
    """What electronic dice do to a program."""

    GARBAGE = "garbage"
    TORN = "torn"
    REPEAT = "repeat"
    COCKED = "cocked"
    DOUBLE = "double"
    STALE = "stale"


class EmulatedDice:
    """A set of dice and their radio, which puts what they show on the wire.

    Attributes:
        wire: What they hang on.
        die: Their kind.
        names: The dice.
    """

    def __init__(
        self, wire: Wire, clock: Callable[[], float], dice: random.Random, die: Die = Die.D6, count: int = 2
    ) -> None:
        """`dice` decides what falls.

        Raises:
            ValueError: for no dice, or more than a hand holds.
        """
        if not 1 <= count <= MOST_DICE:
            raise ValueError(f"a hand holds 1 to {MOST_DICE} dice, not {count}")
        self.wire, self.die, self._clock, self._random = wire, die, clock, dice
        self.names = tuple(f"d{k + 1}" for k in range(count))
        self._boot, self._seq = dice.randrange(1, 2**16), 0
        self._recent: deque[tuple[float, RollLine]] = deque(maxlen=MOST_REPEATED)
        self._waiting = bytearray()
        self._was_connected = False
        self._greet_at_s: list[float] = []

    def step(self) -> None:
        """Say what is due."""
        self.wire.read()  # dice listen to nothing
        connected = self.wire.connected
        if connected != self._was_connected:
            self._was_connected = connected
            self._waiting.clear()
            self._greet_at_s = [self._clock() + after_s for after_s in GREET_AGAIN_S] if connected else []
        while self._greet_at_s and self._clock() >= self._greet_at_s[0]:
            self._greet_at_s.pop(0)
            self._greet()
        del self._waiting[: self.wire.write(bytes(self._waiting))]

    def _greet(self) -> None:
        self._waiting += b"\n" + encode(Hello(1, self._boot))
        for at_s, line in self._recent:
            age_s = self._clock() - at_s
            if age_s <= REPEAT_S:
                self._waiting += encode(_aged(line, age_s))

    def roll(self, faces: Sequence[int] = (), *, cocked: bool = False, age_s: float = 0.0) -> tuple[RollLine, ...]:
        """Throw one die for each face, or every die if none is given, and say what fell."""
        shown = faces or [self._random.choice(self.die.faces) for _ in self.names]
        thrown = []
        for k, face in enumerate(shown):
            self._seq += 1
            line = RollLine(self.die, face, self.names[k % len(self.names)], self._seq, age_s, cocked)
            self._recent.append((self._clock() - age_s, line))
            if self._was_connected:
                self._waiting += encode(line)
            thrown.append(line)
        self.step()
        return tuple(thrown)

    def misbehave(self, how: FaultInjector) -> None:
        """Do what electronic dice do."""
        if how is FaultInjector.GARBAGE:
            self._waiting += self._random.randbytes(40).replace(b"\n", b"?") + b"\n"
        elif how is FaultInjector.TORN:
            whole = encode(RollLine(self.die, self.die.faces[0], self.names[0], self._seq + 1000))
            self._waiting += whole[: len(whole) // 2] + b"\n"
        elif how is FaultInjector.COCKED:
            self.roll([self._random.choice(self.die.faces)], cocked=True)
        elif how is FaultInjector.STALE:
            self.roll(age_s=20.0)
        elif how is FaultInjector.DOUBLE:
            self.roll()
            self.roll([self._random.choice(self.die.faces)])
        elif self._recent:
            self._waiting += encode(self._recent[-1][1])
        self.step()


def _aged(line: RollLine, age_s: float) -> RollLine:
    return RollLine(line.die, line.face, line.id, line.seq, age_s, line.cocked)
