"""The range rod and electronic dice as the window has them: what they show and say. No Qt here.

`pull` is called many times a second and does what is due; nothing here waits.
"""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Callable

from hardware.adalight import Colour
from hardware.bluetooth_dice import BluetoothDice, Make
from hardware.devices import DiceLine, RangeRod
from hardware.dice_protocol import Repeats
from hardware.dice_reader import DiceCollector
from hardware.emulator import MOST_DICE, EmulatedDice, EmulatedRod, FaultInjector, Wire
from hardware.link import LinkState, LinkStatus
from hardware.ports import Port, attached
from hardware.range_rod import DiceWait, Idle, Lamp, Measured, RodShape, Ruler, Sign, black, plain_colours
from rules.engine.dice import Die
from ui.devices.cli_links import Source
from ui.devices.device_connection import ANY, RADIO, Berth, finding
from ui.devices.dice_source import fell_words

TEST_S = 1.2
"""How long each light of the rod's test stays."""

HEAR_S = 20.0
"""How long a test of the dice listens."""

MOST_TOLD = 6

STALE_S = 20.0

TESTED: tuple[Sign, ...] = (
    Ruler(), Measured(6, Lamp.GREEN, 12), Measured(12, Lamp.AMBER, 12), Measured(15, Lamp.RED, 12), DiceWait(),
)  # fmt: skip


class Rod:
    """The range rod.

    Attributes:
        shape: The strip.
        berth: Where it hangs.
    """

    def __init__(
        self, shape: RodShape, taken: Callable[[], str] = str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`taken` tells the port that another device of ours is on."""
        self.shape, self._taken, self._clock = shape, taken, clock
        self.berth: Berth[RangeRod] = Berth("rod", self._make)
        self._emulated: EmulatedRod | None = None
        self._sign: Sign = Idle()
        self._tested_s: float | None = None

    def show(self, sign: Sign) -> None:
        """Show this from now on, once a test is over."""
        self._sign = sign
        self._pass_on()

    def test(self) -> None:
        """Show one light after the other."""
        self._tested_s = self._clock()
        self._pass_on()

    def reshape(self, shape: RodShape) -> None:
        """It is this strip from now on; it is connected anew, so that no LED of the old one stays lit."""
        spec = self.berth.spec
        if shape != self.shape:
            self.shape = shape
            if spec is not None:
                self.berth.connect(spec)

    @property
    def sign(self) -> Sign:
        """What it shows now."""
        step = -1 if self._tested_s is None else int((self._clock() - self._tested_s) / TEST_S)
        return TESTED[step] if 0 <= step < len(TESTED) else self._sign

    @property
    def counters(self) -> str:
        """What went out; empty before anything did."""
        status = self.berth.device.status if self.berth.device is not None else LinkStatus()
        return counted((status.frames, "frame", "sent"), (max(0, status.connections - 1), "time", "reconnected"))

    @property
    def lights(self) -> tuple[Colour, ...]:
        """Its LEDs from the near end on, at full light: those an emulated rod was told, else those that were sent."""
        device = self.berth.device
        if self._emulated is not None and self.berth.wire is not None and self.berth.wire.plugged:
            leds = tuple(_at_full_light(colour, self.shape) for colour in self._emulated.leds)
            return (leds[::-1] if self.shape.reversed else leds) or black(self.shape)
        up = device is not None and device.status.state is LinkState.UP and self.berth.wire is None
        return plain_colours(self.shape, self.sign, self._clock()) if up else black(self.shape)

    def pull(self) -> None:
        """Do what is due."""
        if self.berth.pull() and self.berth.wire is not None:
            self._emulated = EmulatedRod(self.berth.wire, self._clock)
        if self._emulated is not None and self.berth.wire is not None:
            self._emulated.step()
        self._pass_on()

    def close(self) -> None:
        """Darken it and let go."""
        self.berth.close()

    def _make(self, spec: str, wire: Wire | None) -> RangeRod:
        return RangeRod(self.shape, finding(spec, wire, self._taken))

    def _pass_on(self) -> None:
        device = self.berth.device
        if device is not None and device.sign != self.sign:
            device.show(self.sign)


class DiceHand:
    """Electronic dice, and which of their rolls answers what is asked.

    Attributes:
        berth: Where they hang.
        tray: Sorts out what falls.
        told: The last things that fell, in words, the newest first.
        heard: How many there were.
    """

    def __init__(
        self,
        chance: random.Random,
        taken: Callable[[], str] = str,
        clock: Callable[[], float] = time.monotonic,
        ports: Callable[[], tuple[Port, ...]] = attached,
    ) -> None:
        """`chance` throws emulated dice; for `taken` see `Rod`; `ports` lists the machine's."""
        self.berth: Berth[Source] = Berth("dice", self._make)
        self.tray = DiceCollector(clock)
        self.told: deque[str] = deque(maxlen=MOST_TOLD)
        self.heard = 0
        self._chance, self._taken, self._clock, self._ports = chance, taken, clock, ports
        self._emulated: EmulatedDice | None = None
        self._repeats = Repeats()  # outlives a connection: a roll that was heard on the last one is not heard again
        self._tested_s: float | None = None
        self._hears = False

    def pull(self) -> None:
        """Do what is due."""
        if self.berth.pull() and self.berth.wire is not None:
            self._emulated = EmulatedDice(self.berth.wire, self._clock, self._chance, count=MOST_DICE)
        if self._emulated is not None and self.berth.wire is not None:
            self._emulated.step()
        device = self.berth.device
        for line, heard_s in device.arrivals() if device is not None else ():
            self.tray.fell(line, heard_s)
            self.told.appendleft(fell_words(line))
            self.heard += 1
            self._hears = True

    def test(self) -> None:
        """Listen for a throw."""
        self._tested_s, self._hears = self._clock(), False

    @property
    def test_words(self) -> str:
        """How the test goes; empty without one."""
        if self._tested_s is None:
            return ""
        if self._hears:
            return f"Heard: {self.told[0]}. The dice work."
        if self._clock() - self._tested_s < HEAR_S:
            return "Throw a die now: what it shows appears here …"
        return "Nothing was heard: wake the dice by shaking them, and see that the port is theirs."

    @property
    def counters(self) -> str:
        """What came in, and what was dropped of it; empty before anything came."""
        device = self.berth.device
        if device is None:
            return ""
        return counted(
            (self.heard, "roll", "heard"),
            (device.repeated, "repeat", "dropped"),
            (device.damaged, "damaged line", "dropped"),
            (max(0, device.status.connections - 1), "time", "reconnected"),
        )

    def throw(self, die: Die, count: int, how: FaultInjector | None = None) -> None:
        """Throw so many emulated dice; nothing where there are none."""
        if self._emulated is None or self.berth.wire is None:
            return
        self._emulated.die = die
        count = min(count, MOST_DICE)
        faces = [self._chance.choice(die.faces) for _ in range(count)]
        if how in (FaultInjector.GARBAGE, FaultInjector.TORN, FaultInjector.REPEAT):
            self._emulated.misbehave(how)
            return
        self._emulated.roll(
            faces, cocked=how is FaultInjector.COCKED, age_s=STALE_S if how is FaultInjector.STALE else 0.0
        )
        if how is FaultInjector.DOUBLE:
            self._emulated.roll([self._chance.choice(die.faces)])

    def close(self) -> None:
        """Let go of them."""
        self.berth.close()

    def _make(self, spec: str, wire: Wire | None) -> Source:
        if spec.startswith(RADIO):
            return BluetoothDice(Make(spec.removeprefix(RADIO)), self._clock)
        several = spec == ANY and sum(port.likely for port in self._ports()) > 1
        return DiceLine(finding(spec, wire, self._taken), must_greet=several, repeats=self._repeats)


def counted(*counts: tuple[int, str, str]) -> str:
    """Counts that are not 0, as "12 frames sent, 1 time reconnected"."""
    return ", ".join(f"{count} {what}{'s' * (count != 1)} {done}" for count, what, done in counts if count)


def _at_full_light(colour: Colour, shape: RodShape) -> Colour:
    """What brightness and gamma were taken off."""
    red, green, blue = (round(255 * min(1.0, part / (255 * shape.brightness)) ** (1 / shape.gamma)) for part in colour)
    return (red, green, blue)
