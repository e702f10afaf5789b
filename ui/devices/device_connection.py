"""Where a device of the table hangs: the ports there are, the one it is connected to, how it stands in words. No Qt.

The links have threads of their own; nothing here waits for them, save `close` at the program's end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, Protocol, TypeVar

from hardware.bluetooth_dice import Make, NoBluetooth
from hardware.devices import finder
from hardware.emulator import Wire
from hardware.link import LinkState, LinkStatus
from hardware.ports import Port, attached
from rules.tabletop.errors import UserError
from ui.devices.cli_links import emulated_wire
from ui.formatting import sentence

ANY = ""
"""The port of whoever looks for any likely one."""

EMULATED = "emulated"
RADIO = "bluetooth:"


class Level(StrEnum):
    """How a device stands, at a glance."""

    OFF = "off"
    LOOKING = "looking"
    UP = "up"
    TROUBLE = "trouble"


@dataclass(frozen=True, slots=True)
class Standing:
    """How a device stands.

    Attributes:
        words: For the player.
        trouble: What went wrong last, where it works again; empty otherwise.
    """

    level: Level
    words: str
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """A port to choose: what stands for it in the settings, and its words."""

    spec: str
    words: str


class Ports:
    """The machine's ports, listed in a thread: some systems take their time.

    Attributes:
        found: As `hardware.ports.attached`; empty before the first look is done.
    """

    def __init__(self, listed: Callable[[], tuple[Port, ...]] = attached) -> None:
        self.found: tuple[Port, ...] = ()
        self._listed, self._thread = listed, threading.Thread()

    def look(self) -> None:
        """Look again; returns at once."""
        if not self._thread.is_alive():
            self._thread = threading.Thread(target=self._look, name="ports", daemon=True)
            self._thread.start()

    def close(self, wait_s: float = 1.0) -> None:
        """Wait for the look that is under way, if one is."""
        if self._thread.is_alive():
            self._thread.join(wait_s)

    def _look(self) -> None:
        self.found = self._listed()


def choices(ports: Iterable[Port], chosen: str | None, radio: bool = False) -> tuple[Choice, ...]:
    """What a device may hang on: likely ports first, and the one that was chosen even while it is not there.

    Args:
        ports: As listed, likely ones first.
        chosen: The port now, None for none.
        radio: Whether it may be in the air.
    """
    ports = tuple(ports)
    likely = [port for port in ports if port.likely]
    found = [Choice(port.name, _port_words(port)) for port in likely]
    found.append(Choice(ANY, "Any likely port" if likely else "Any likely port (none now)"))
    found += [Choice(port.name, _port_words(port)) for port in ports if not port.likely]
    found += [Choice(f"{RADIO}{make}", f"Bluetooth: {_MAKES[make]}") for make in Make if radio]
    if chosen not in (None, EMULATED, *(one.spec for one in found)):
        found.append(Choice(str(chosen), f"{chosen} (not plugged in)"))
    return tuple(found)


_MAKES = {Make.PIXELS: "Pixels dice", Make.GODICE: "GoDice"}


def _port_words(port: Port) -> str:
    return f"{port.description or 'serial port'} on {port.device}" + (" (likely)" if port.likely else "")


class _Device(Protocol):
    @property
    def status(self) -> LinkStatus: ...

    def close(self) -> None: ...


D = TypeVar("D", bound=_Device)


class Berth(Generic[D]):
    """Where a device hangs, or would.

    Attributes:
        spec: What it is to hang on, None for nothing.
        device: It, once it is made; the port of the one before is let go of first, in a thread.
        wire: Of an emulated device.
    """

    def __init__(self, name: str, make: Callable[[str, Wire | None], D]) -> None:
        """`name` it to the player; `make` gets the spec, and the wire of an emulated device."""
        self.name, self._make = name, make
        self.spec: str | None = None
        self.device: D | None = None
        self.wire: Wire | None = None
        self._problem = ""
        self._leaving = threading.Thread()
        self._held = ExitStack()

    @property
    def port(self) -> str:
        """The device of the port that is in use; empty if none is."""
        status = self.device.status if self.device is not None else LinkStatus()
        return status.port if status.state in (LinkState.SETTLING, LinkState.UP) else ""

    def connect(self, spec: str) -> None:
        """Hang it there, from the next `pull` on. Returns at once."""
        self.leave()
        self.spec = spec

    def leave(self) -> None:
        """Let go of it. Returns at once."""
        if self.device is not None:
            held, self._held = self._held, ExitStack()
            self._leaving = threading.Thread(target=_let_go, args=(self.device, held), name="letting go")
            self._leaving.start()
        self.spec, self.device, self.wire, self._problem = None, None, None, ""

    def replug(self) -> None:
        """Pull an emulated device's plug, or plug it in again."""
        if self.wire is not None:
            (self.wire.unplug if self.wire.plugged else self.wire.plug)()

    def pull(self) -> bool:
        """Connect what is to be connected; whether a new device was made."""
        if self.spec is None or self.device is not None or self._problem or self._leaving.is_alive():
            return False
        try:
            self.wire = self._held.enter_context(emulated_wire(self.name)) if self.spec == EMULATED else None
            self.device = self._make(self.spec, self.wire)
        except (NoBluetooth, UserError) as error:
            self._problem = str(error)
        return self.device is not None

    def close(self) -> None:
        """Let go of it and wait until that is done."""
        self.leave()
        if self._leaving.ident is not None:
            self._leaving.join()

    @property
    def standing(self) -> Standing:
        """How it stands now."""
        if self.spec is None:
            return Standing(Level.OFF, "Not connected.")
        if self.device is None:
            return Standing(
                Level.TROUBLE if self._problem else Level.LOOKING, sentence(self._problem or "one moment …")
            )
        status = self.device.status
        path = str(self.wire.path) if self.wire is not None else ""
        emulated = f"the emulated {self.name}"
        trouble = sentence(status.error.replace(path, emulated) if path else status.error)
        where = emulated if path else status.port
        if status.state is LinkState.UP:
            return Standing(Level.UP, f"Connected: {where}.", trouble)
        if status.state is LinkState.SETTLING:
            return Standing(Level.LOOKING, f"Found {where}: waiting until it listens …", trouble)
        if status.state in (LinkState.DENIED, LinkState.BUSY):
            return Standing(Level.TROUBLE, trouble)
        if path and self.wire is not None and not self.wire.plugged:
            return Standing(Level.LOOKING, "It is unplugged: plug it in again, it is taken up by itself.")
        return Standing(Level.LOOKING, trouble or "Looking for it: plug it in, it is taken up by itself.")


def _let_go(device: _Device, held: ExitStack) -> None:
    with held:
        device.close()


def finding(spec: str, wire: Wire | None, taken: Callable[[], str]) -> Callable[[], tuple[str, ...]]:
    """Looks for a device's port, never the one that another device of ours is on; for `hardware.link.Link`."""
    if wire is not None:
        path = str(wire.path)
        return lambda: (path,)
    find = finder(spec or None)
    return lambda: tuple(port for port in find() if port != taken())
