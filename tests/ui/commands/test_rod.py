"""`sandtable rod`, with the real command and emulated rods."""

from __future__ import annotations

import sys
import threading
import time

import pytest

from hardware.emulator import EmulatedRod, Wire
from hardware.link import LinkState, LinkStatus
from hardware.ports import Port
from hardware.range_rod import Lamp, Measured, RodShape, colours
from tests.waiting import until
from ui.cli import main
from ui.commands.rod import measured
from ui.devices.device_connection import LinkReporter, emulated_wled, list_ports

posix = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")


@posix
def test_an_emulated_rod_draws_what_it_receives(capsys) -> None:
    assert main(["rod", "--emulate", "--show", "7.5", "--reach", "12", "--length", "15", "--seconds", "0.5"]) == 0
    legend, scale, drawn = capsys.readouterr().out.splitlines()
    assert "g green" in legend
    # 22 LEDs of 0.656 in: 7.5 in lies over LED 11, the reach over 18, the mark at 6 in over LED 9 (12 in is the reach).
    assert drawn == "GGGGGGGGGCGWbbbbbbP..."
    assert scale == "0   3    6   9    12  15"


def test_an_emulated_wled_draws_what_it_receives(capsys) -> None:
    shown = ["--show", "7.5", "--reach", "12", "--length", "15", "--seconds", "0.5"]
    assert main(["rod", "--emulate", "--wled", *shown]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "GGGGGGGGGCGWbbbbbbP..."  # as on a serial port


def test_a_segment_is_named_listed_and_lit(capsys) -> None:
    with emulated_wled(RodShape().leds) as device:
        assert main(["rod", "--list", "--wled", device.path]) == 0
        assert capsys.readouterr().out == "Rod  54 LEDs\nTable edge  60 LEDs\n"
        arguments = ["rod", "--wled", device.path, "--show", "3", "--seconds", "0.5", "--segment"]
        assert main([*arguments, "table edge"]) == 0
        assert device.frames > 1
        assert main([*arguments, "Lamp"]) == 1
    assert "WLED has no segment 'Lamp': choose one of its segments (Rod, Table edge)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--wled", "a b", "--show", "3"], "'a b' is no network address"),
        (["--wled", "127.0.0.1:1", "--list"], "no answer from 127.0.0.1:1: switch WLED on"),
        (["--wled", "host", "--port", "x", "--show", "3"], "--port and --wled exclude each other"),
    ],
)
def test_a_wrong_wled_gives_one_sentence(capsys, arguments: list[str], words: str) -> None:
    assert main(["rod", *arguments]) == 1
    assert words in capsys.readouterr().err


@posix
def test_a_moving_pattern_is_redrawn(capsys) -> None:
    assert main(["rod", "--emulate", "--dice-wait", "--seconds", "0.9"]) == 0
    assert len(set(capsys.readouterr().out.splitlines()[2:])) >= 3


@posix
@pytest.mark.slow
def test_a_rod_on_a_port_is_lit_and_darkened(tmp_path, capsys) -> None:
    wire = Wire(tmp_path / "rod")
    device, seen, stop = EmulatedRod(wire, time.monotonic), [], threading.Event()

    def play() -> None:
        while not stop.wait(0.005):
            if device.step():
                seen.append(device.leds)

    thread = threading.Thread(target=play)
    thread.start()
    try:
        assert main(["rod", "--port", str(wire.path), "--show", "3", "--seconds", "2", "--reversed"]) == 0
        until(lambda: seen[-1:] == [((0, 0, 0),) * RodShape(reversed=True).leds])
    finally:
        stop.set()
        thread.join()
        wire.unplug()
    shape = RodShape(reversed=True)
    assert seen[0] == colours(shape, Measured(3), 0.0)
    assert f"{wire.path}: connected" in capsys.readouterr().out


@posix
def test_an_emulated_rod_prints_its_port(capsys) -> None:
    assert main(["rod", "--emulate", "--seconds", "0.1"]) == 0
    assert "sandtable rod --port " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("range_in", "reach_in", "sigma_in", "lamp"),
    [
        (7.5, 12, 0, Lamp.GREEN),
        (12, 12, 0, Lamp.GREEN),  # an exact range at the limit is in
        (12.5, 12, 0.1, Lamp.RED),
        (12.1, 12, 0.1, Lamp.AMBER),  # a tenth of an inch is less than two standard deviations
        (7.5, None, 0, None),
    ],
)
def test_the_lamp_shows_the_verdict(
    range_in: float, reach_in: float | None, sigma_in: float, lamp: Lamp | None
) -> None:
    assert measured(range_in, reach_in, sigma_in) == Measured(range_in, lamp, reach_in)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "nothing to show"),
        (["--show", "-1"], "0 in or more"),
        (["--show", "nan"], "0 in or more"),
        (["--show", "3", "--reach", "-2"], "0 in or more"),
        (["--show", "3", "--length", "0"], "length in inches"),
        (["--off", "--brightness", "2"], "brightness"),
        (["--off", "--port", "/dev/no-such-port", "--seconds", "0.2"], "not plugged in"),
        (["--off", "--port", "usb:1:2:3@4", "--seconds", "0.2"], "no device answers on usb:1:2:3@4"),
        (["--off", "--seconds", "0.2"], "no likely port"),
    ],
)
def test_errors_are_one_sentence(arguments, words, capsys, monkeypatch) -> None:
    monkeypatch.setattr("hardware.devices.attached", tuple)
    assert main(["rod", *arguments]) == 1
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["--show", "3", "--alarm"],
        ["--port", "x", "--emulate"],
        ["--show", "far"],
        ["--off", "--baud", "0"],
        ["--off", "--seconds", "-1"],
        ["--off", "--seconds", "nan"],
        ["--show", "3", "--reach", "4", "--sigma", "-1"],
        ["--show", "3", "--reach", "4", "--sigma", "nan"],
    ],
)
def test_wrong_usage(arguments, capsys) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["rod", *arguments])
    assert stop.value.code == 2


def test_the_ports_are_listed(monkeypatch, capsys) -> None:
    port = Port("/dev/ttyUSB0", "CP2102", 0x10C4, 0xEA60, "0001", "1-1")
    monkeypatch.setattr("ui.devices.device_connection.attached", lambda: (port,))
    assert list_ports(()) == "No device on any serial port: plug it in, or try --emulate."
    assert main(["rod", "--list"]) == 0
    assert capsys.readouterr().out == "likely  /dev/ttyUSB0   CP2102  usb:10c4:ea60:0001@1-1\n"


def test_link_states_are_printed_once() -> None:
    said: list[str] = []
    following = LinkReporter(said.append)
    up = LinkStatus(LinkState.UP, "/dev/x")
    for status in (LinkStatus(LinkState.SEEKING), up, up, LinkStatus(LinkState.SEEKING, "/dev/x", "gone")):
        following.report(status)
    assert said == ["seeking ...", "/dev/x: connected", "gone"]
    following.check_worked(up)
