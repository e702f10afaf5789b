"""The connection of a device: the available ports, the chosen one, and its status as text. No Qt.

The links have their own threads; nothing here waits for them except `close` at the program's end.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, Protocol, TypeAlias, TypeVar

from hardware.bluetooth_dice import BluetoothDice, BluetoothUnavailable, Make
from hardware.devices import SerialDice, finder
from hardware.emulator import HAS_VIRTUAL_PORTS, Wire
from hardware.link import LinkState, LinkStatus
from hardware.ports import Port, attached
from hardware.wled import Segment
from rules.tabletop.errors import UserError, user_error
from ui.formatting import sentence
from ui.translation import mark_for_translation, tr, tr_count

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
        raise user_error("Emulated devices do not work on Windows. Try them on Linux or a Mac.")
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


ANY = ""
"""Stands for any likely port."""

EMULATED, EMULATED_WLED = "emulated", "emulated wled"
RADIO = "bluetooth:"
WLED = "wled:"
"""Begins the spec of a WLED controller on the network, such as "wled:192.168.1.40/Rod"; alone, none is chosen yet."""


class StatusLevel(StrEnum):
    """The kind of a device's status."""

    OFF = "off"
    LOOKING = "looking"
    UP = "up"
    TROUBLE = "trouble"


@dataclass(frozen=True, slots=True)
class DeviceStatus:
    """A device's status.

    Attributes:
        level: Its kind.
        words: The text for the player.
        trouble: The last error, if the device works again; else empty.
    """

    level: StatusLevel
    words: str
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class PortChoice:
    """A choice of port: its value in the settings, and its text."""

    spec: str
    words: str


class Ports:
    """The computer's ports, listed in a thread because that is slow on some systems.

    Attributes:
        found: As `hardware.ports.attached`; empty until the first list is ready.
    """

    def __init__(self, listed: Callable[[], tuple[Port, ...]] = attached) -> None:
        self.found: tuple[Port, ...] = ()
        self._listed, self._thread = listed, threading.Thread()

    def refresh(self) -> None:
        """List the ports again; returns at once."""
        if not self._thread.is_alive():
            self._thread = threading.Thread(target=self._look, name="ports", daemon=True)
            self._thread.start()

    def close(self, wait_s: float = 1.0) -> None:
        """Wait for a running listing."""
        if self._thread.is_alive():
            self._thread.join(wait_s)

    def _look(self) -> None:
        self.found = self._listed()


def choices(
    ports: Iterable[Port], chosen: str | None, radio: bool = False, network: bool = False
) -> tuple[PortChoice, ...]:
    """The choices of ports: likely ones first, and always the chosen one, even if it is not plugged in.

    `radio` and `network` add Bluetooth and WLED controllers.
    """
    ports = tuple(ports)
    likely = [port for port in ports if port.likely]
    found = [PortChoice(port.name, _port_words(port)) for port in likely]
    found.append(PortChoice(ANY, tr("Any likely port") if likely else tr("Any likely port (none now)")))
    found += [PortChoice(port.name, _port_words(port)) for port in ports if not port.likely]
    found += [PortChoice(f"{RADIO}{make}", tr("Bluetooth: {dice}", dice=tr(_MAKES[make]))) for make in Make if radio]
    found += [PortChoice(WLED, tr("WLED on the network…"))] if network else []
    if chosen not in (None, EMULATED, EMULATED_WLED, *(choice.spec for choice in found)):
        found.append(PortChoice(str(chosen), _absent_words(str(chosen))))
    return tuple(found)


def _absent_words(spec: str) -> str:
    """The text of a chosen port that is not in the list of the computer's ports."""
    host, _, segment = spec.removeprefix(WLED).partition("/")
    if spec.startswith(WLED):
        return tr("{segment} of WLED at {host}", segment=segment, host=host)
    return tr("{port} (not plugged in)", port=spec)


_MAKES = {Make.PIXELS: mark_for_translation("Pixels dice"), Make.GODICE: mark_for_translation("GoDice")}


_EMULATED_WORDS = {"rod": mark_for_translation("the emulated rod"), "dice": mark_for_translation("the emulated dice")}


def _port_words(port: Port) -> str:
    device = port.description or tr("serial port")
    if port.likely:
        return tr("{device} on {port} (likely)", device=device, port=port.device)
    return tr("{device} on {port}", device=device, port=port.device)


EmulatedPort: TypeAlias = "Wire | EmulatedWled"
"""Where an emulated device is plugged in; it can be unplugged."""


class _Device(Protocol):
    @property
    def status(self) -> LinkStatus: ...

    def close(self) -> None: ...


D = TypeVar("D", bound=_Device)


class DeviceConnection(Generic[D]):
    """The connection of one device.

    Attributes:
        spec: The chosen port, or None.
        device: The device, once it is created; first a thread closes the previous one, to free its port.
        wire: Where an emulated device is plugged in.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[str, EmulatedPort | None], D],
        emulators: Mapping[str, Callable[[], AbstractContextManager[EmulatedPort]]] = MappingProxyType({}),
    ) -> None:
        """Prepare a connection; `make` creates the device from the port and an emulated device's wire.

        `name` is marked for translation; `emulators` start the emulated devices of specs other than `EMULATED`.
        """
        self.name, self._make = name, make
        self._emulators = {EMULATED: lambda: emulated_wire(name), **emulators}
        self.spec: str | None = None
        self.device: D | None = None
        self.wire: EmulatedPort | None = None
        self._problem = ""
        self._closing = threading.Thread()
        self._resources = ExitStack()

    @property
    def title(self) -> str:
        """The device's name for the player."""
        return tr(self.name)

    @property
    def port(self) -> str:
        """The system's name of the port in use; empty if there is none."""
        status = self.device.status if self.device is not None else LinkStatus()
        return status.port if status.state in (LinkState.SETTLING, LinkState.UP) else ""

    def connect(self, spec: str) -> None:
        """Connect to this port at the next `pull`. Returns at once."""
        self.leave()
        self.spec = spec

    def leave(self) -> None:
        """Disconnect. Returns at once."""
        if self.device is not None:
            resources, self._resources = self._resources, ExitStack()
            self._closing = threading.Thread(target=_close, args=(self.device, resources), name="closing device")
            self._closing.start()
        self.spec, self.device, self.wire, self._problem = None, None, None, ""

    def replug(self) -> None:
        """Unplug an emulated device, or plug it in again."""
        if self.wire is not None:
            (self.wire.unplug if self.wire.plugged else self.wire.plug)()

    def pull(self) -> bool:
        """Create the device if it is due, and return whether it was."""
        if self.spec is None or self.device is not None or self._problem or self._closing.is_alive():
            return False
        try:
            emulator = self._emulators.get(self.spec)
            self.wire = self._resources.enter_context(emulator()) if emulator is not None else None
            self.device = self._make(self.spec, self.wire)
        except (BluetoothUnavailable, UserError) as error:
            self._problem = str(error)
        return self.device is not None

    def close(self) -> None:
        """Disconnect and wait until that is done."""
        self.leave()
        if self._closing.ident is not None:
            self._closing.join()

    @property
    def standing(self) -> DeviceStatus:
        """The status now."""
        if self.spec is None:
            return DeviceStatus(StatusLevel.OFF, tr("Not connected."))
        if self.device is None:
            return DeviceStatus(
                StatusLevel.TROUBLE if self._problem else StatusLevel.LOOKING,
                sentence(self._problem or tr("connecting…")),
            )
        status = self.device.status
        path = str(self.wire.path) if self.wire is not None else ""
        emulated = tr(_EMULATED_WORDS.get(self.name, f"the emulated {self.name}"))
        trouble = sentence(status.error.replace(path, emulated) if path else status.error)
        where = emulated if path else status.port
        if status.state is LinkState.UP:
            return DeviceStatus(StatusLevel.UP, tr("Connected: {port}.", port=where), trouble)
        if status.state is LinkState.SETTLING:
            return DeviceStatus(StatusLevel.LOOKING, tr("Found {port}. Waiting for its answer…", port=where), trouble)
        if status.state in (LinkState.DENIED, LinkState.BUSY):
            return DeviceStatus(StatusLevel.TROUBLE, trouble)
        if path and self.wire is not None and not self.wire.plugged:
            return DeviceStatus(
                StatusLevel.LOOKING, tr("It is unplugged. Plug it in again; it then connects automatically.")
            )
        return DeviceStatus(
            StatusLevel.LOOKING, trouble or tr("Searching. Plug it in; it then connects automatically.")
        )


def _close(device: _Device, resources: ExitStack) -> None:
    with resources:
        device.close()


def finding(spec: str, wire: EmulatedPort | None, taken: Callable[[], str]) -> Callable[[], tuple[str, ...]]:
    """A function for `hardware.link.Link` that finds a device's port, but never one that our other device uses."""
    if wire is not None:
        path = str(wire.path)
        return lambda: (path,)
    find = finder(spec or None)
    return lambda: tuple(port for port in find() if port != taken())


def joined(*counts: str | int) -> str:
    """The counts in words, such as "12 frames sent, 1 time reconnected", without those that are 0."""
    return ", ".join(count for count in counts if isinstance(count, str) and count)


def reconnected_words(status: LinkStatus) -> str:
    """How often the device connected again; empty if never."""
    times = max(0, status.connections - 1)
    return tr_count("{count} time reconnected", "{count} times reconnected", times) if times else ""
