"""Serial ports: which are there, which is which, how one is opened without disturbing the board, why one cannot be."""

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

if sys.platform != "win32":
    import grp
    import termios

    LOST: tuple[type[Exception], ...] = (OSError, termios.error)
else:
    LOST = (OSError,)
"""What a port raises once it is gone: pyserial's own errors are OSErrors, those of the terminal's settings are not."""

READ_S = 0.04
"""A reader that missed its call to wake looks up by itself after this long: still under 50 ms from click to light."""

WRITE_S = 0.5

_LIKELY = {(0x303A, None), (0x10C4, 0xEA60), (0x1A86, 0x7523), (0x1A86, 0x55D4)}
"""USB makers and products of the usual ESP32 boards and their adapters; None stands for any product."""

_USB = "usb:"


@dataclass(frozen=True, slots=True)
class Port:
    """A serial port of this machine.

    Attributes:
        device: What opens it, as "/dev/ttyUSB0" or "COM3"; may change when it is plugged in again.
        description: What its maker calls it.
        vid, pid: USB maker and product; None for a port that is not on USB.
        serial_number: Of the adapter; cheap ones have none, or all the same.
        location: The socket it is plugged into, as "1-2.1".
    """

    device: str
    description: str = ""
    vid: int | None = None
    pid: int | None = None
    serial_number: str = ""
    location: str = ""

    @property
    def name(self) -> str:
        """What tells this adapter from its twin and outlives replugging into the same socket."""
        if self.vid is None or self.pid is None:
            return self.device
        return f"{_USB}{self.vid:04x}:{self.pid:04x}:{self.serial_number}@{self.location}"

    @property
    def likely(self) -> bool:
        """Whether boards that drive LEDs or listen to dice are usually seen so."""
        return (self.vid, self.pid) in _LIKELY or (self.vid, None) in _LIKELY


def attached(listed: Callable[[], Iterable[Any]] = list_ports.comports) -> tuple[Port, ...]:
    """The ports that have something behind them, likely ones first. `listed` is pyserial's list."""
    ports = [
        Port(info.device, info.description or "", info.vid, info.pid, info.serial_number or "", info.location or "")
        for info in listed()
        if info.hwid != "n/a"
    ]
    return tuple(sorted(ports, key=lambda port: (not port.likely, port.vid is None, port.device)))


def devices_for(wanted: str | None, ports: Iterable[Port]) -> tuple[str, ...]:
    """What to open, best first.

    Args:
        wanted: A device, a port's lasting `name`, or None for any likely port.
        ports: What is attached.

    Returns:
        Nothing if it is not plugged in. A named adapter that hangs on another socket now is found by its serial
        number, so long as only one has it.
    """
    ports = tuple(ports)
    if wanted is None:
        return tuple(port.device for port in ports if port.likely)
    if not wanted.startswith(_USB):
        return (wanted,)
    same = [port for port in ports if port.name == wanted]
    maker, _, _ = wanted.rpartition("@")
    moved = [port for port in ports if port.name.rpartition("@")[0] == maker and not maker.endswith(":")]
    found = same or (moved if len(moved) == 1 else [])
    return tuple(port.device for port in found)


def open_port(device: str, baud: int) -> serial.Serial:
    """Open a port alone, with DTR and RTS down: raised together with the port they reset most boards.

    Raises:
        OSError or the terminal's own error, see `LOST` and `explain`.
    """
    port = serial.Serial()
    port.port, port.baudrate = device, baud
    port.timeout, port.write_timeout = READ_S, WRITE_S
    port.dtr = port.rts = False
    if sys.platform != "win32":
        port.exclusive = True  # Windows opens ports alone in any case
    port.open()
    return port


def holder(device: str, processes: Path = Path("/proc")) -> str:
    """The program of this user that has the port open, as "screen (4711)"; empty if none is seen.

    The lock that `open_port` takes binds only programs that ask for it; many do not. Looks only on Linux.
    """
    target = os.path.realpath(device)
    for process in processes.glob("[0-9]*"):
        if process.name != str(os.getpid()) and target in _open_files(process):
            return f"{_text(process / 'comm')} ({process.name})"
    return ""


def _open_files(process: Path) -> set[str]:
    try:
        return {os.readlink(file) for file in (process / "fd").iterdir()}
    except OSError:  # another user's process, or one that has just ended
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
    """What an error means for the player, and the way out."""
    number = getattr(error, "errno", None)
    if number in (errno.EACCES, errno.EPERM):
        return Fault.DENIED, f"you may not open {device}: {_way_in(device)}"
    if number in (errno.EBUSY, errno.EAGAIN):
        return Fault.BUSY, f"another program holds {device}: close it, this one then goes on by itself"
    if number in (errno.ENOENT, errno.ENXIO, errno.ENODEV) or "FileNotFoundError" in str(error):
        return Fault.MISSING, f"{device} is not plugged in: plug it in, or name another port"
    if "PermissionError" in str(error):  # Windows does not tell the two apart
        return Fault.BUSY, f"another program holds {device}, or you may not open it: close what else uses it"
    if "returned no data" in str(error) or number == errno.EIO:  # how pyserial sees a pulled plug
        return Fault.MISSING, f"{device} has gone: plug it in again, it is taken up by itself"
    return Fault.BROKEN, f"{device} was lost ({error}): check its plug and cable; it is tried again by itself"


def _way_in(device: str) -> str:
    if sys.platform == "win32":
        return "ask who looks after this machine"
    try:
        group = grp.getgrgid(os.stat(device).st_gid).gr_name
    except (OSError, KeyError):
        group = "dialout"
    return f"sudo usermod -aG {'dialout' if group == 'root' else group} $USER, then log out and in again"
