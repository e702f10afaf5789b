"""Identifying ports, and explaining errors of ports that cannot be opened."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import serial

from hardware import ports
from hardware.ports import Fault, Port, attached, devices_for, explain, holder, open_port

LEFT = Port("/dev/ttyUSB0", "CP2102", 0x10C4, 0xEA60, "0001", "1-1")
RIGHT = Port("/dev/ttyUSB1", "CP2102", 0x10C4, 0xEA60, "0001", "1-2")
ESP = Port("/dev/ttyACM0", "ESP32-S3", 0x303A, 0x1001, "AB12", "1-3")
GPS = Port("/dev/ttyACM1", "u-blox GPS", 0x1546, 0x01A7, "", "1-4")
UART = Port("/dev/ttyS4", "16550A")


def _info(port: Port, hwid: str = "USB") -> SimpleNamespace:
    return SimpleNamespace(
        device=port.device, description=port.description, vid=port.vid, pid=port.pid,
        serial_number=port.serial_number or None, location=port.location or None, hwid=hwid,
    )  # fmt: skip


def test_likely_ports_come_first_and_empty_ones_are_skipped() -> None:
    listed = [_info(UART, "PNP"), _info(GPS), _info(RIGHT), _info(Port("/dev/ttyS0"), "n/a"), _info(ESP), _info(LEFT)]
    assert attached(lambda: listed) == (ESP, LEFT, RIGHT, GPS, UART)


@pytest.mark.parametrize(
    ("vid", "pid", "likely"),
    [
        (0x303A, 0x80C4, True), (0x10C4, 0xEA60, True), (0x10C4, 0xEA61, False), (0x1A86, 0x7523, True),
        (0x1A86, 0x55D4, True), (0x1546, 0x01A7, False), (None, None, False),
    ],
)  # fmt: skip
def test_likely_adapters(vid: int | None, pid: int | None, likely: bool) -> None:
    assert Port("x", vid=vid, pid=pid).likely is likely


def test_equal_adapters_are_identified_by_their_sockets() -> None:
    assert LEFT.name == "usb:10c4:ea60:0001@1-1"
    assert devices_for(LEFT.name, [LEFT, RIGHT]) == ("/dev/ttyUSB0",)
    assert devices_for(RIGHT.name, [LEFT, RIGHT]) == ("/dev/ttyUSB1",)
    # Plugged in again in the other order; each keeps its socket.
    swapped = [Port("/dev/ttyUSB1", "CP2102", 0x10C4, 0xEA60, "0001", "1-1")]
    assert devices_for(LEFT.name, swapped) == ("/dev/ttyUSB1",)


def test_an_adapter_with_a_unique_number_is_found_in_any_socket() -> None:
    moved = Port("/dev/ttyACM3", "ESP32-S3", 0x303A, 0x1001, "AB12", "2-4")
    assert devices_for(ESP.name, [moved, LEFT]) == ("/dev/ttyACM3",)
    assert devices_for("usb:10c4:ea60:0001@9-9", [LEFT, RIGHT]) == ()  # ambiguous: both have this number
    assert devices_for("usb:1546:01a7:@9-9", [GPS]) == ()  # without a number, equal adapters are ambiguous


def test_a_named_device_is_used_or_else_any_likely_one() -> None:
    assert devices_for("/dev/ttyS4", []) == ("/dev/ttyS4",)
    assert devices_for(None, [ESP, LEFT, GPS, UART]) == ("/dev/ttyACM0", "/dev/ttyUSB0")
    assert devices_for(None, [GPS]) == ()


posix = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")


@pytest.fixture
def terminal():
    master, slave = os.openpty()
    yield os.ttyname(slave)
    os.close(slave)
    os.close(master)


@posix
def test_a_port_is_opened_exclusively_with_lines_low(terminal: str) -> None:
    with open_port(terminal, 115200) as port:
        assert not port.dtr
        assert not port.rts
        assert port.exclusive
        with pytest.raises(serial.SerialException) as refusal:
            open_port(terminal, 115200)
    assert explain(terminal, refusal.value) == (
        Fault.BUSY,
        f"another program holds {terminal}: close it, and Sandtable reconnects by itself",
    )


@posix
def test_the_lines_are_low_before_the_port_is_opened(monkeypatch: pytest.MonkeyPatch, terminal: str) -> None:
    seen = []

    def opened(port: serial.Serial) -> None:
        seen.append((port.dtr, port.rts))

    monkeypatch.setattr(ports.serial.Serial, "open", opened)
    open_port(terminal, 115200)
    assert seen == [(False, False)]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="reads /proc")
def test_a_program_that_uses_a_port_without_a_lock_is_found(terminal: str) -> None:
    assert holder(terminal) == ""  # this process itself is not reported
    with subprocess.Popen(
        [sys.executable, "-c", f"import sys; f = open({terminal!r}); print('open', flush=True); sys.stdin.read()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as other:  # fmt: skip
        assert other.stdin
        assert other.stdout
        other.stdout.readline()
        assert holder(terminal).endswith(f"({other.pid})")
        other.stdin.close()
    assert holder(terminal) == ""


@posix
@pytest.mark.parametrize(
    ("error", "fault", "words"),
    [
        (serial.SerialException(errno.EACCES, "no"), Fault.DENIED, "sudo usermod -aG"),
        (PermissionError(errno.EPERM, "no"), Fault.DENIED, "log out and in again"),
        (serial.SerialException(errno.EBUSY, "no"), Fault.BUSY, "close it"),
        (serial.SerialException(errno.ENOENT, "no"), Fault.MISSING, "not plugged in"),
        (
            serial.SerialException("device reports readiness to read but returned no data"),
            Fault.MISSING,
            "was unplugged",
        ),
        (OSError(errno.EIO, "Input/output error"), Fault.MISSING, "was unplugged"),
        (serial.SerialTimeoutException("Write timeout"), Fault.BROKEN, "Write timeout"),
        (serial.SerialException("could not open port 'COM3': PermissionError(13, 'x')"), Fault.BUSY, "holds"),
        (serial.SerialException("could not open port 'COM3': FileNotFoundError(2, 'x')"), Fault.MISSING, "plugged"),
    ],
)
def test_every_error_has_a_remedy(error: Exception, fault: Fault, words: str) -> None:
    kind, text = explain("/dev/ttyUSB9", error)
    assert kind is fault
    assert words in text
    assert "/dev/ttyUSB9" in text


@posix
def test_the_group_is_the_one_that_owns_the_port(monkeypatch: pytest.MonkeyPatch) -> None:
    denied = PermissionError(errno.EACCES, "no")
    assert "-aG dialout " in explain("/dev/ttyUSB9", denied)[1]  # the port does not exist
    monkeypatch.setattr(ports.os, "stat", lambda _: SimpleNamespace(st_gid=1))
    monkeypatch.setattr(ports.grp, "getgrgid", lambda _: SimpleNamespace(gr_name="uucp"))
    assert "-aG uucp " in explain("/dev/ttyUSB9", denied)[1]
