"""Serial ports: list and identify them, open one without resetting the board, and explain errors."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import serial
from serial.tools import list_ports

from rules.tabletop.translation import tr

if sys.platform != "win32":
    import grp
    import termios

    PORT_ERRORS: tuple[type[Exception], ...] = (OSError, termios.error)
else:
    PORT_ERRORS = (OSError,)
"""Errors of a lost port: pyserial's own errors are OSErrors, those of the terminal settings are not."""

READ_S = 0.04
"""Read timeout; a reader that misses a wake-up returns after this time, still under 50 ms from click to light."""

WRITE_S = 0.5

_LIKELY = {(0x303A, None), (0x10C4, 0xEA60), (0x1A86, 0x7523), (0x1A86, 0x55D4)}
"""USB vendor and product ids of common ESP32 boards and their adapters; None stands for any product."""

_USB = "usb:"


@dataclass(frozen=True, slots=True)
class Port:
    """A serial port of this computer.

    Attributes:
        device: The name to open, such as "/dev/ttyUSB0" or "COM3"; may change when it is plugged in again.
        description: The manufacturer's description.
        vid, pid: USB vendor and product id; None for a port that is not on USB.
        serial_number: The adapter's serial number; cheap adapters have none, or all the same.
        location: The USB socket, such as "1-2.1".
    """

    device: str
    description: str = ""
    vid: int | None = None
    pid: int | None = None
    serial_number: str = ""
    location: str = ""

    @property
    def name(self) -> str:
        """A persistent name: unique among equal adapters, and the same after replugging into the same socket."""
        if self.vid is None or self.pid is None:
            return self.device
        return f"{_USB}{self.vid:04x}:{self.pid:04x}:{self.serial_number}@{self.location}"

    @property
    def likely(self) -> bool:
        """Whether the port has the USB ids of boards that usually drive LEDs or receive dice."""
        return (self.vid, self.pid) in _LIKELY or (self.vid, None) in _LIKELY


def attached(listed: Callable[[], Iterable[Any]] = list_ports.comports) -> tuple[Port, ...]:
    """The ports with a connected device, likely ones first. `listed` is pyserial's list."""
    ports = [
        Port(info.device, info.description or "", info.vid, info.pid, info.serial_number or "", info.location or "")
        for info in listed()
        if info.hwid != "n/a"
    ]
    return tuple(sorted(ports, key=lambda port: (not port.likely, port.vid is None, port.device)))


def devices_for(wanted: str | None, ports: Iterable[Port]) -> tuple[str, ...]:
    """The devices to try, best first: a device, a port's persistent name or, for None, any likely port.

    Empty if the wanted port is not plugged in. An adapter that was moved to another socket is found by its serial
    number, if the number is unique.
    """
    ports = tuple(ports)
    if wanted is None:
        return tuple(port.device for port in ports if port.likely)
    if not wanted.startswith(_USB):
        return (wanted,)
    same = [port for port in ports if port.name == wanted]
    adapter, _, _ = wanted.rpartition("@")
    moved = [port for port in ports if port.name.rpartition("@")[0] == adapter and not adapter.endswith(":")]
    found = same or (moved if len(moved) == 1 else [])
    return tuple(port.device for port in found)


def open_port(device: str, baud: int) -> serial.Serial:
    """Open a port exclusively, with DTR and RTS low, because raising them resets most boards.

    Raises:
        OSError or a terminal error, see `PORT_ERRORS` and `explain`.
    """
    port = serial.Serial()
    port.port, port.baudrate = device, baud
    port.timeout, port.write_timeout = READ_S, WRITE_S
    port.dtr = port.rts = False
    if sys.platform != "win32":
        port.exclusive = True  # Windows always opens ports exclusively
    port.open()
    return port


def holder(device: str, processes: Path = Path("/proc")) -> str:
    """The program of this user that has the port open, such as "screen (4711)"; empty if there is none.

    This is needed because many programs ignore the lock that `open_port` takes. Works only on Linux.
    """
    target = os.path.realpath(device)
    for process in processes.glob("[0-9]*"):
        if process.name != str(os.getpid()) and target in _open_files(process):
            return f"{_text(process / 'comm')} ({process.name})"
    return ""


def _open_files(process: Path) -> set[str]:
    try:
        return {os.readlink(file) for file in (process / "fd").iterdir()}
    except OSError:  # a process of another user, or one that has just ended
        return set()


def _text(file: Path) -> str:
    try:
        return file.read_text(errors="replace").strip()
    except OSError:
        return "a program"


class Fault(StrEnum):
    """Why a port cannot be used."""

    MISSING = "missing"
    DENIED = "denied"
    BUSY = "busy"
    BROKEN = "broken"


def explain(device: str, error: Exception) -> tuple[Fault, str]:
    """The kind of an error, and a sentence for the player with a remedy."""
    number = getattr(error, "errno", None)
    if number in (errno.EACCES, errno.EPERM):
        return Fault.DENIED, tr("you may not open {device}: {remedy}", device=device, remedy=_permission_remedy(device))
    if number in (errno.EBUSY, errno.EAGAIN):
        return Fault.BUSY, tr(
            "another program holds {device}: close it, and Sandtable reconnects by itself", device=device
        )
    if number in (errno.ENOENT, errno.ENXIO, errno.ENODEV) or "FileNotFoundError" in str(error):
        return Fault.MISSING, tr("{device} is not plugged in: plug it in, or choose another port", device=device)
    if "PermissionError" in str(error):  # Windows reports both cases alike
        return Fault.BUSY, tr(
            "another program holds {device}, or you have no permission: close other programs that use it",
            device=device,
        )
    if "returned no data" in str(error) or number == errno.EIO:  # pyserial's errors for an unplugged device
        return Fault.MISSING, tr(
            "{device} was unplugged: plug it in again, and Sandtable reconnects by itself", device=device
        )
    return Fault.BROKEN, tr(
        "{device} was lost ({reason}): check its plug and cable; Sandtable tries again by itself",
        device=device,
        reason=error,
    )


def _permission_remedy(device: str) -> str:
    if sys.platform == "win32":
        return tr("ask the administrator of this computer")
    try:
        group = grp.getgrgid(os.stat(device).st_gid).gr_name
    except (OSError, KeyError):
        group = "dialout"
    return tr(
        "run sudo usermod -aG {group} $USER, then log out and in again", group="dialout" if group == "root" else group
    )
