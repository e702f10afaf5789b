"""The range rod and electronic dice for the window. No Qt here.

The window calls `pull` many times a second; no method waits.
"""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from hardware import wled
from hardware.adalight import Colour
from hardware.bluetooth_dice import BluetoothDice, Make
from hardware.devices import RangeRod, SerialDice
from hardware.dice_protocol import Repeats
from hardware.dice_reader import DiceCollector
from hardware.emulator import MOST_DICE, EmulatedDice, EmulatedRod, FaultInjector, Wire
from hardware.link import LinkState, LinkStatus
from hardware.ports import Port, attached
from hardware.range_rod import DiceWait, Idle, Lamp, Measured, RodShape, Ruler, Sign, black, plain_colours
from hardware.wled_link import wled_rod
from rules.engine.dice import Die
from rules.tabletop.errors import UserError
from ui.devices.cli_links import RollSource, emulated_wled
from ui.devices.device_connection import ANY, EMULATED_WLED, RADIO, WLED, DeviceConnection, EmulatedPort, finding
from ui.devices.dice_source import fell_words
from ui.translation import tr, tr_count

if TYPE_CHECKING:
    from hardware.wled_emulator import EmulatedWled

TEST_S = 1.2
"""Duration of each light in the rod's test."""

HEAR_S = 20.0
"""Duration of a test of the dice."""

_MAX_ROLLS_SHOWN = 6
_STALE_S = 20.0

TEST_SIGNS: tuple[Sign, ...] = (
    Ruler(), Measured(6, Lamp.GREEN, 12), Measured(12, Lamp.AMBER, 12), Measured(15, Lamp.RED, 12), DiceWait(),
)  # fmt: skip


class Rod:
    """The range rod."""

    def __init__(
        self, shape: RodShape, taken: Callable[[], str] = str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`taken` returns the port that our other device uses."""
        self.shape, self._taken, self._clock = shape, taken, clock
        emulators = {EMULATED_WLED: lambda: emulated_wled(self.shape.leds)}
        self.connection: DeviceConnection[RangeRod] = DeviceConnection("rod", self._make, emulators)
        self._emulated: EmulatedRod | EmulatedWled | None = None
        self._sign: Sign = Idle()
        self._tested_s: float | None = None

    def show(self, sign: Sign) -> None:
        """Show this sign, after a running test."""
        self._sign = sign
        self._update()

    def test(self) -> None:
        """Show all lights, one after the other."""
        self._tested_s = self._clock()
        self._update()

    def reshape(self, shape: RodShape) -> None:
        """Use another strip; reconnects, so that no LED stays lit."""
        spec = self.connection.spec
        if shape != self.shape:
            self.shape = shape
            if spec is not None:
                self.connection.connect(spec)

    @property
    def sign(self) -> Sign:
        """The sign that it shows now."""
        step = -1 if self._tested_s is None else int((self._clock() - self._tested_s) / TEST_S)
        return TEST_SIGNS[step] if 0 <= step < len(TEST_SIGNS) else self._sign

    @property
    def counters(self) -> str:
        """What was sent, as text; empty if nothing was."""
        status = self.connection.device.status if self.connection.device is not None else LinkStatus()
        return joined(
            status.frames and tr_count("{count} frame sent", "{count} frames sent", status.frames),
            reconnected_words(status),
        )

    @property
    def lights(self) -> tuple[Colour, ...]:
        """The LEDs' colours from the near end, at full brightness: received by an emulated rod, else those sent."""
        device = self.connection.device
        if self._emulated is not None and self.connection.wire is not None and self.connection.wire.plugged:
            leds = tuple(_at_full_light(colour, self.shape) for colour in self._emulated.leds)
            return (leds[::-1] if self.shape.reversed else leds) or black(self.shape)
        up = device is not None and device.status.state is LinkState.UP and self.connection.wire is None
        return plain_colours(self.shape, self.sign, self._clock()) if up else black(self.shape)

    def pull(self) -> None:
        """Connect and send what is due."""
        if self.connection.pull() and (wire := self.connection.wire) is not None:
            self._emulated = EmulatedRod(wire, self._clock) if isinstance(wire, Wire) else wire
        if self._emulated is not None and self.connection.wire is not None:
            self._emulated.step()
        self._update()

    def _make(self, spec: str, wire: EmulatedPort | None) -> RangeRod:
        if wire is not None and not isinstance(wire, Wire):
            return wled_rod(self.shape, wled.address(wire.path), wire.segments[0].name)
        if spec.startswith(WLED):
            host, _, segment = spec.removeprefix(WLED).partition("/")
            try:
                return wled_rod(self.shape, wled.address(host), segment)
            except ValueError as error:
                raise UserError(str(error)) from None
        return RangeRod(self.shape, finding(spec, wire, self._taken))

    def _update(self) -> None:
        device = self.connection.device
        if device is not None and device.sign != self.sign:
            device.show(self.sign)


class ElectronicDiceController:
    """Electronic dice.

    Attributes:
        connection: Their port, link and status.
        tray: Collects their rolls into answers.
        recent: The last rolls as text, newest first.
        heard: Number of rolls so far.
    """

    def __init__(
        self,
        chance: random.Random,
        taken: Callable[[], str] = str,
        clock: Callable[[], float] = time.monotonic,
        ports: Callable[[], tuple[Port, ...]] = attached,
    ) -> None:
        """`chance` throws emulated dice; `taken` as for `Rod`; `ports` lists the computer's ports."""
        self.connection: DeviceConnection[RollSource] = DeviceConnection("dice", self._make)
        self.tray = DiceCollector(clock)
        self.recent: deque[str] = deque(maxlen=_MAX_ROLLS_SHOWN)
        self.heard = 0
        self._chance, self._taken, self._clock, self._ports = chance, taken, clock, ports
        self._emulated: EmulatedDice | None = None
        self._repeats = Repeats()  # for all connections: dice repeat old rolls after reconnecting
        self._tested_s: float | None = None
        self._hears = False

    def pull(self) -> None:
        """Connect and receive rolls."""
        if self.connection.pull() and isinstance(self.connection.wire, Wire):
            self._emulated = EmulatedDice(self.connection.wire, self._clock, self._chance, count=MOST_DICE)
        if self._emulated is not None and self.connection.wire is not None:
            self._emulated.step()
        device = self.connection.device
        for line, received_s in device.arrivals() if device is not None else ():
            self.tray.add_roll(line, received_s)
            self.recent.appendleft(fell_words(line))
            self.heard += 1
            self._hears = True

    def test(self) -> None:
        """Listen for a throw."""
        self._tested_s, self._hears = self._clock(), False

    @property
    def test_words(self) -> str:
        """The state of the test; empty without one."""
        if self._tested_s is None:
            return ""
        if self._hears:
            return tr("Received: {roll}. The dice work.", roll=self.recent[0])
        if self._clock() - self._tested_s < HEAR_S:
            return tr("Roll a die now. Its number appears here…")
        return tr("No roll arrived. Shake the dice to wake them, and check that you chose their port.")

    @property
    def counters(self) -> str:
        """What was received and dropped, as text; empty if nothing was."""
        device = self.connection.device
        if device is None:
            return ""
        return joined(
            self.heard and tr_count("{count} roll received", "{count} rolls received", self.heard),
            device.repeated and tr_count("{count} repeat dropped", "{count} repeats dropped", device.repeated),
            device.damaged
            and tr_count("{count} damaged line dropped", "{count} damaged lines dropped", device.damaged),
            reconnected_words(device.status),
        )

    def throw(self, die: Die, count: int, how: FaultInjector | None = None) -> None:
        """Throw emulated dice, or inject a fault; does nothing with real dice."""
        if self._emulated is None or self.connection.wire is None:
            return
        self._emulated.die = die
        count = min(count, MOST_DICE)
        faces = [self._chance.choice(die.faces) for _ in range(count)]
        if how in (FaultInjector.GARBAGE, FaultInjector.TORN, FaultInjector.REPEAT):
            self._emulated.misbehave(how)
            return
        self._emulated.roll(
            faces, cocked=how is FaultInjector.COCKED, age_s=_STALE_S if how is FaultInjector.STALE else 0.0
        )
        if how is FaultInjector.DOUBLE:
            self._emulated.roll([self._chance.choice(die.faces)])

    def _make(self, spec: str, wire: EmulatedPort | None) -> RollSource:
        if spec.startswith(RADIO):
            return BluetoothDice(Make(spec.removeprefix(RADIO)), self._clock)
        several = spec == ANY and sum(port.likely for port in self._ports()) > 1
        return SerialDice(finding(spec, wire, self._taken), must_greet=several, repeats=self._repeats)


def joined(*counts: str | int) -> str:
    """The counts in words, such as "12 frames sent, 1 time reconnected", without those that are 0."""
    return ", ".join(count for count in counts if isinstance(count, str) and count)


def reconnected_words(status: LinkStatus) -> str:
    """How often the device connected again; empty if never."""
    times = max(0, status.connections - 1)
    return tr_count("{count} time reconnected", "{count} times reconnected", times) if times else ""


def _at_full_light(colour: Colour, shape: RodShape) -> Colour:
    """The colour before brightness and gamma were applied."""
    red, green, blue = (round(255 * min(1.0, part / (255 * shape.brightness)) ** (1 / shape.gamma)) for part in colour)
    return (red, green, blue)
