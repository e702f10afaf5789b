"""Rod and dice for the window, tested without one: emulated devices on pseudo-terminals, failing ports."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hardware.bluetooth_dice import Make
from hardware.emulator import EmulatedDice, FaultInjector, Wire
from hardware.link import LinkState, LinkStatus
from hardware.ports import Port
from hardware.range_rod import LAMP_COLOUR, Alarm, DiceWait, Lamp, Measured, RodShape, Ruler
from rules.engine.dice import Die
from tests.waiting import until
from ui.devices.device_connection import ANY, EMULATED, DeviceConnection, Ports, StatusLevel, choices, finding, joined
from ui.devices.dice import HEAR_S, ElectronicDiceController
from ui.devices.rod import TEST_S, TEST_SIGNS, Rod

posix = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")

INCH_EACH = RodShape(length_in=12, leds_per_in=1, brightness=0.25, gamma=2.2)
ESP32 = Port("/dev/ttyUSB0", "CP2102", 0x10C4, 0xEA60, "0001", "1-2")
GPS = Port("/dev/ttyACM3", "a GPS", 0x1546, 0x01A8, "", "1-3")


def chance() -> random.Random:
    return random.Random(5)


@pytest.fixture
def rod() -> Iterator[Rod]:
    one = Rod(INCH_EACH)
    yield one
    one.connection.close()


@pytest.fixture
def dice() -> Iterator[ElectronicDiceController]:
    one = ElectronicDiceController(chance(), ports=lambda: ())
    yield one
    one.connection.close()


def up(device: Rod | ElectronicDiceController) -> bool:
    return device.connection.standing.level is StatusLevel.UP


@posix
def test_an_emulated_rod_shows_the_sign(rod: Rod) -> None:
    assert rod.connection.standing.words == "Not connected."
    rod.connection.connect(EMULATED)
    rod.show(Measured(9.5, Lamp.GREEN, 11))
    until(lambda: any(map(any, rod.lights)), rod.pull)
    assert rod.connection.standing.words == "Connected: the emulated rod."
    # An LED an inch: green to the white tip over 9.5 in, less the mark at 6 in; bands beyond, and the reach.
    green = [led for led, colour in enumerate(rod.lights) if colour[1] > 200 and colour[0] < 50 and colour[2] < 100]
    assert green == [0, 1, 2, 3, 4, 5, 7, 8]
    assert min(rod.lights[9]) > 240  # brightness and gamma are reversed
    assert rod.lights[11][0] > 150 > rod.lights[11][1]  # purple
    assert rod.counters.endswith("sent")


@posix
def test_verdicts_have_colours_and_a_new_strip_reconnects(rod: Rod) -> None:
    rod.connection.connect(EMULATED)
    for lamp in Lamp:
        rod.show(Measured(3.5, lamp))
        red, green, _ = LAMP_COLOUR[lamp]
        until(lambda red=red, green=green: _near(rod.lights[0], red, green), rod.pull)
    rod.reshape(RodShape(length_in=24, leds_per_in=2, reversed=True))
    until(lambda: len(rod.lights) == 48 and _near(rod.lights[0], *LAMP_COLOUR[Lamp.AMBER][:2]), rod.pull)


def _near(colour: tuple[int, int, int], red: int, green: int) -> bool:
    return abs(colour[0] - red) < 16 and abs(colour[1] - green) < 16


@posix
def test_an_unplugged_device_is_reported_and_reconnected(rod: Rod) -> None:
    rod.connection.connect(EMULATED)
    rod.show(Ruler())
    until(lambda: up(rod) and any(map(any, rod.lights)), rod.pull)
    rod.connection.replug()
    until(lambda: "unplugged" in rod.connection.standing.words, rod.pull)
    assert not any(map(any, rod.lights))
    rod.connection.replug()
    until(lambda: up(rod) and any(map(any, rod.lights)), rod.pull)
    assert "the emulated rod was unplugged" in rod.connection.standing.trouble.lower()
    assert "1 time reconnected" in rod.counters


def test_connecting_does_not_wait() -> None:
    """Listing ports, which hangs on some systems, does not block."""
    gate = threading.Event()

    def slow(_: str, __: Wire | None) -> _Slow:
        return _Slow(gate)

    connection: DeviceConnection[_Slow] = DeviceConnection("rod", slow)
    connection.connect("a")
    connection.pull()
    connection.connect("b")  # the first is still closing
    assert not connection.pull()
    assert connection.standing.level is StatusLevel.LOOKING
    gate.set()
    until(connection.pull, int)
    connection.close()


class _Slow:
    status = LinkStatus()

    def __init__(self, gate: threading.Event) -> None:
        self.gate = gate

    def close(self) -> None:
        assert self.gate.wait(60), "it is waited for by the one who opens the gate"


@pytest.mark.parametrize(
    ("state", "level"),
    [
        (LinkState.SEEKING, StatusLevel.LOOKING),
        (LinkState.SETTLING, StatusLevel.LOOKING),
        (LinkState.UP, StatusLevel.UP),
        (LinkState.DENIED, StatusLevel.TROUBLE),
        (LinkState.BUSY, StatusLevel.TROUBLE),
    ],
)
def test_every_link_state_has_a_text(state: LinkState, level: StatusLevel) -> None:
    connection: DeviceConnection[_Slow] = DeviceConnection("rod", lambda *_: _Slow(threading.Event()))
    connection.connect("/dev/ttyUSB0")
    connection.pull()
    why = "you may not open /dev/ttyUSB0: sudo usermod -aG dialout $USER, then log out and in again"
    connection.device.status = LinkStatus(state, "/dev/ttyUSB0", why)
    assert connection.standing.level is level
    assert why[1:] in connection.standing.words + connection.standing.trouble
    connection.device.gate.set()
    connection.close()


def test_likely_ports_come_first_and_a_missing_choice_stays() -> None:
    found = choices((ESP32, GPS), "usb:1a86:7523:@1-9", radio=True)
    assert [one.spec for one in found] == [
        ESP32.name, ANY, GPS.name, *(f"bluetooth:{make}" for make in Make), "usb:1a86:7523:@1-9",
    ]  # fmt: skip
    assert found[0].words == "CP2102 on /dev/ttyUSB0 (likely)"
    assert found[-1].words.endswith("(not plugged in)")
    assert choices((), None)[0].spec == ANY


def test_ports_are_listed_in_a_thread() -> None:
    gate = threading.Event()

    def listed() -> tuple[Port, ...]:
        gate.wait(5)
        return (ESP32,)

    ports = Ports(listed)
    ports.refresh()
    ports.refresh()
    assert ports.found == ()
    gate.set()
    until(lambda: ports.found == (ESP32,), int)


def test_the_rod_test_shows_each_light_then_the_sign_again() -> None:
    now = [0.0]
    rod = Rod(INCH_EACH, clock=lambda: now[0])
    rod.show(Measured(4))
    rod.test()
    shown = []
    for _ in range(len(TEST_SIGNS) + 1):
        shown.append(rod.sign)
        now[0] += TEST_S
    assert shown == [*TEST_SIGNS, Measured(4)]
    rod.show(Alarm())
    assert rod.sign == Alarm()
    rod.show(DiceWait())
    assert rod.sign == DiceWait()


@posix
def test_emulated_dice_are_received_and_counted(dice: ElectronicDiceController) -> None:
    dice.connection.connect(EMULATED)
    until(lambda: up(dice), dice.pull)
    dice.test()
    assert dice.test_words.startswith("Roll a die now")
    until(lambda: dice.connection.device.status.received, dice.pull)  # the dice greet once they are connected
    dice.throw(Die.D6, 2)
    until(lambda: dice.heard == 2, dice.pull)
    assert dice.test_words.endswith("The dice work.")
    assert len(dice.tray.kept) == 2
    dice.throw(Die.FUDGE, 1, FaultInjector.COCKED)
    until(lambda: dice.heard == 3, dice.pull)
    assert dice.recent[0].startswith("d1 shows ")
    assert dice.recent[0].endswith(", leaning")
    dice.throw(Die.D6, 1, FaultInjector.REPEAT)
    dice.throw(Die.D6, 1, FaultInjector.TORN)
    until(lambda: "1 damaged line dropped" in dice.counters and "1 repeat dropped" in dice.counters, dice.pull)
    assert dice.counters.startswith("3 rolls received")


@posix
def test_a_dice_test_without_rolls_is_reported(tmp_path: Path) -> None:
    now = [0.0]
    wire = Wire(tmp_path / "dice")
    cup = EmulatedDice(wire, time.monotonic, chance())
    dice = ElectronicDiceController(chance(), clock=lambda: now[0], ports=lambda: ())
    dice.connection.connect(str(wire.path))
    until(lambda: up(dice), lambda: (dice.pull(), cup.step()))
    dice.test()
    now[0] = HEAR_S + 1
    assert dice.test_words.startswith("No roll arrived")
    cup.roll([6])
    until(lambda: dice.heard == 1, lambda: (dice.pull(), cup.step()))
    assert "d1 shows 6" in dice.recent[0]
    dice.connection.close()
    wire.unplug()


@posix
def test_repeated_rolls_are_dropped_after_reconnecting(tmp_path: Path, dice: ElectronicDiceController) -> None:
    wire = Wire(tmp_path / "dice")
    cup = EmulatedDice(wire, time.monotonic, chance())
    dice.connection.connect(str(wire.path))
    until(lambda: up(dice), lambda: (dice.pull(), cup.step()))
    cup.roll([6])
    until(lambda: dice.heard == 1, lambda: (dice.pull(), cup.step()))
    dice.connection.connect(str(wire.path))
    until(lambda: dice.heard > 1 or "repeat" in dice.counters, lambda: (dice.pull(), cup.step()))
    assert dice.heard == 1
    wire.unplug()


def test_two_devices_never_use_one_port() -> None:
    """Dice that search for any likely port skip the rod's."""
    find = finding("/dev/ttyUSB0", None, lambda: "/dev/ttyUSB0")
    assert find() == ()
    assert finding("/dev/ttyUSB0", None, lambda: "/dev/ttyUSB1")() == ("/dev/ttyUSB0",)


def test_counts_as_text() -> None:
    assert joined("1 roll heard", 0, "", "2 frames sent") == "1 roll heard, 2 frames sent"
