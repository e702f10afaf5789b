"""Shared parts of the commands for rod and dice: listing ports, reporting links, emulated devices, timing."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hardware.bluetooth_dice import BluetoothDice
from hardware.devices import SerialDice
from hardware.emulator import HAS_VIRTUAL_PORTS, Wire
from hardware.link import LinkState, LinkStatus
from hardware.ports import Port, attached
from hardware.wled import Segment
from rules.tabletop.errors import UserError

if TYPE_CHECKING:
    from hardware.wled_emulator import EmulatedWled

STEP_S = 0.01

RollSource = SerialDice | BluetoothDice


def list_ports(ports: tuple[Port, ...] | None = None) -> str:
    """The ports as lines, likely ones first; by default those of this computer."""
    ports = attached() if ports is None else ports
    lines = [
        f"{'likely' if port.likely else '':<7} {port.device:<14} {port.description}  {port.name}" for port in ports
    ]
    return "\n".join(lines) or "No device on any serial port: plug it in, or try --emulate."


@contextmanager
def emulated_wire(name: str) -> Iterator[Wire]:
    """A pseudo-terminal for an emulated device, in a temporary folder.

    Raises:
        UserError: on Windows.
    """
    if not HAS_VIRTUAL_PORTS:
        raise UserError("emulated devices do not work on Windows: try them on Linux or a Mac")
    with tempfile.TemporaryDirectory(prefix="sandtable-") as folder:
        wire = Wire(Path(folder) / name)
        try:
            yield wire
        finally:
            wire.unplug()


@contextmanager
def emulated_wled(leds: int) -> Iterator[EmulatedWled]:
    """An emulated WLED controller whose first segment, "Rod", has so many LEDs."""
    from hardware.wled_emulator import EmulatedWled  # not before it is used: web servers are slow to import

    device = EmulatedWled((Segment(0, "Rod", leds), Segment(1, "Table edge", 60)))
    try:
        yield device
    finally:
        device.unplug()


def turns(seconds: float | None) -> Iterator[float]:
    """Yield the time every 0.01 s until `seconds` have passed, or for ever."""
    start_s = now_s = time.monotonic()
    while seconds is None or now_s - start_s < seconds:
        yield now_s
        time.sleep(STEP_S)
        now_s = time.monotonic()


class LinkReporter:
    """Prints a link's state and error when they change."""

    def __init__(self, say: Callable[[str], None] = print) -> None:
        self._say, self._last, self.was_up = say, "", False

    def report(self, status: LinkStatus) -> None:
        """Print the status if it has changed."""
        up = status.state is LinkState.UP
        self.was_up |= up
        words = f"{status.port}: connected" if up else status.error or f"{status.state} ..."
        if words != self._last and status.state is not LinkState.SETTLING:
            self._last = words
            self._say(words)

    def check_worked(self, status: LinkStatus, port: str | None = None) -> None:
        """Check at the end that the link worked; `port` is the port that the user named.

        Raises:
            UserError: if the link never came up.
        """
        if not self.was_up:
            none = "no likely port found: name one with --port (see --list), or try --emulate"
            unreached = f"no device answers on {port}: --list shows what is plugged in"
            raise UserError(status.error or (unreached if port else none))
