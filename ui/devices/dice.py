"""Electronic dice for the window, and the dice source that asks them. No Qt here.

The window calls `pull` many times a second; no method waits.
"""

from __future__ import annotations

import random
import re
import time
from collections import deque
from collections.abc import Callable, Iterable

from hardware.bluetooth_dice import BluetoothDice, Make
from hardware.devices import SerialDice
from hardware.dice_protocol import Repeats, RollLine
from hardware.dice_reader import DiceCollector, TimedRoll, Why
from hardware.emulator import MOST_DICE, EmulatedDice, FaultInjector, Wire
from hardware.ports import Port, attached
from rules.engine.dice import DiceRequest, Die, Roll
from rules.tabletop.errors import user_error
from ui.devices.device_connection import (
    ANY,
    RADIO,
    DeviceConnection,
    EmulatedPort,
    RollSource,
    finding,
    joined,
    reconnected_words,
)
from ui.translation import mark_for_translation, tr, tr_count

HEAR_S = 20.0
"""Duration of a test of the dice."""

_MAX_ROLLS_SHOWN = 6
_STALE_S = 20.0


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
        self.connection: DeviceConnection[RollSource] = DeviceConnection(mark_for_translation("dice"), self._make)
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


_REQUEST = re.compile(r"(\d{0,2})d(6|f)", re.IGNORECASE)


def request_of(text: str) -> DiceRequest:
    """Parse a request such as `2d6` or `4dF`. Raises `UserError` if it is not one."""
    found = _REQUEST.fullmatch(text)
    if found is None or found[1] == "0":
        raise user_error("{text!r} is not a roll: write for example 2d6 or 4dF", text=text)
    die = Die.D6 if found[2] == "6" else Die.FUDGE
    return DiceRequest(die, int(found[1] or 1), "the player", "the roll")


class ElectronicDiceSource:
    """One request to electronic dice."""

    def __init__(self, request: DiceRequest, tray: DiceCollector) -> None:
        """Start the request; dice that fell a moment ago count."""
        self.request, self._tray = request, tray
        self.roll: Roll | None = None
        tray.ask(request)

    def pull(self) -> bool:
        """Update, and return whether the roll has just arrived."""
        roll = self._tray.answer() if self.roll is None else None
        self.roll = self.roll or roll
        return roll is not None

    @property
    def doubt(self) -> str:
        """A question that the players must answer first; empty if none."""
        return self._tray.question.text if self._tray.question is not None else ""

    @property
    def yes_words(self) -> str:
        """The text of the answer yes."""
        question = self._tray.question
        extra = question is not None and question.why is Why.EXTRA
        return tr("Yes, roll again") if extra else tr("Yes, it counts")

    def settle(self, yes: bool) -> None:
        """Answer the question."""
        self._tray.settle(yes)

    @property
    def begun(self) -> bool:
        """Whether dice of this request have been rolled."""
        return bool(self._tray.taken) or self.roll is not None

    def end(self) -> None:
        """End the request."""
        self._tray.withdraw()

    @property
    def words(self) -> str:
        """The state of the request."""
        if self.doubt:
            return self.doubt
        if self.roll is not None:
            return tr("This is your roll.")
        if self._tray.taken:
            dice = kept_words(self._tray.taken)
            return tr("{dice}: {taken} of {count}.", dice=dice, taken=len(self._tray.taken), count=self.request.count)
        if self._tray.ignored is not None:
            die = fell_words(self._tray.ignored)
            return tr("{die}, but this roll needs other dice. Roll those.", die=die)
        return tr("Roll the dice. Their numbers appear here.")


def fell_words(line: RollLine) -> str:
    """A die that fell, such as "d1 shows 4, leaning"."""
    fudge = line.die is Die.FUDGE
    face = {1: "+", 0: tr("blank"), -1: "-"}[line.face] if fudge else str(line.face)
    notes = (
        [tr("{ago_s:.0f} s ago", ago_s=line.age_s)] * (line.age_s >= 1)
        + [tr("leaning")] * line.cocked
        + [line.doubt] * bool(line.doubt)
    )
    shows = tr("{die} shows {face}", die=line.id, face=face) if line.id else tr("a die shows {face}", face=face)
    return ", ".join([shows, *notes])


def kept_words(rolls: Iterable[TimedRoll]) -> str:
    """Several dice that fell, separated by commas."""
    return ", ".join(fell_words(fallen.line) for fallen in rolls)
