"""What the commands for rod and dice share: ports told, links followed, a place for emulated devices, the time."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from hardware.dice_protocol import RollLine
from hardware.emulator import HAS_WIRES, Wire
from hardware.link import LinkState, LinkStatus
from hardware.ports import Port, attached
from rules.tabletop.errors import UserError

STEP_S = 0.01


class Source(Protocol):
    """Where rolls come in: a port or the radio."""

    @property
    def status(self) -> LinkStatus:
        """How its link stands."""

    @property
    def damaged(self) -> int:
        """How many messages could not be read."""

    @property
    def repeated(self) -> int:
        """How many rolls came more than once."""

    def arrivals(self) -> Iterable[tuple[RollLine, float]]:
        """The rolls since the last call, each with the time at which it was heard."""

    def close(self) -> None:
        """End it."""


def list_ports(ports: tuple[Port, ...] | None = None) -> str:
    """The machine's ports as lines, likely ones first; the real ones if None."""
    ports = attached() if ports is None else ports
    lines = [
        f"{'likely' if port.likely else '':<7} {port.device:<14} {port.description}  {port.name}" for port in ports
    ]
    return "\n".join(lines) or "No serial port has anything on it: plug the device in, or try --emulate."


@contextmanager
def emulated_wire(name: str) -> Iterator[Wire]:
    """A wire in a folder of its own, gone afterwards.

    Raises:
        UserError: on Windows.
    """
    if not HAS_WIRES:
        raise UserError("emulated devices need pseudo-terminals, which Windows lacks: try them on Linux or a Mac")
    with tempfile.TemporaryDirectory(prefix="sandtable-") as folder:
        wire = Wire(Path(folder) / name)
        try:
            yield wire
        finally:
            wire.unplug()


def turns(seconds: float | None, clock: Callable[[], float] = time.monotonic) -> Iterator[float]:
    """The time, every hundredth of a second, until so many seconds have passed; for ever if None."""
    start_s = now_s = clock()
    while seconds is None or now_s - start_s < seconds:
        yield now_s
        time.sleep(STEP_S)
        now_s = clock()


class Following:
    """Prints a link's state and error when they change.

    Attributes:
        was_up: Whether it ever worked.
    """

    def __init__(self, say: Callable[[str], None] = print) -> None:
        self._say, self._last, self.was_up = say, "", False

    def look(self, status: LinkStatus) -> None:
        """Say what is new."""
        up = status.state is LinkState.UP
        self.was_up |= up
        words = f"{status.port}: connected" if up else status.error or f"{status.state} ..."
        if words != self._last and status.state is not LinkState.SETTLING:
            self._last = words
            self._say(words)

    def must_have_worked(self, status: LinkStatus, port: str | None = None) -> None:
        """Say that this was all; `port` is the one that was asked for.

        Raises:
            UserError: if the link never came up.
        """
        if not self.was_up:
            none = "no likely port is there: name one with --port (see --list), or try --emulate"
            unreached = f"nothing was reached on {port}: see --list for what is plugged in"
            raise UserError(status.error or (unreached if port else none))
