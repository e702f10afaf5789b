"""Links on pseudo-terminals: transmission, unplugging, and exclusive ports."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import serial

from hardware.adalight import encode
from hardware.devices import RangeRod, SerialDice
from hardware.dice_protocol import Hello, RollLine
from hardware.dice_protocol import encode as encode_dice
from hardware.emulator import FALLBACK_S, EmulatedDice, EmulatedRod, FaultInjector, Wire
from hardware.link import LinkState
from hardware.range_rod import DiceWait, Idle, Measured, RodShape, Sign, black, colours
from rules.engine.dice import Die
from tests.waiting import until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")

ROOT = Path(__file__).parents[2]
SHAPE = RodShape(length_in=12, leds_per_in=1)


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[Wire]:
    wire = Wire(tmp_path / "port")
    yield wire
    wire.unplug()


@pytest.fixture
def device(wire: Wire) -> EmulatedRod:
    return EmulatedRod(wire, time.monotonic)


@pytest.fixture
def rod(wire: Wire) -> Iterator[RangeRod]:
    rod = RangeRod(SHAPE, lambda: (str(wire.path),))
    yield rod
    rod.close()


@pytest.fixture
def dice(wire: Wire) -> Iterator[SerialDice]:
    line = SerialDice(lambda: (str(wire.path),))
    yield line
    line.close()


def fast_clock() -> float:
    """A clock that runs ten times as fast."""
    return 10 * time.monotonic()


def rng() -> random.Random:
    return random.Random(1)


def shows(device: EmulatedRod, sign: Sign) -> bool:
    """Wait until the rod shows it."""
    until(lambda: device.leds == colours(SHAPE, sign, 0.0), device.step)
    return True


def test_the_rod_shows_signs_and_goes_dark_on_close(device: EmulatedRod, rod: RangeRod) -> None:
    rod.show(Measured(7.5))
    assert shows(device, Measured(7.5))
    assert rod.status.state is LinkState.UP
    rod.show(Measured(2))
    assert shows(device, Measured(2))
    assert device.noise == 0
    rod.close()
    device.step()
    assert device.leds == black(SHAPE)
    assert rod.status.state is LinkState.CLOSED


def test_close_sends_three_dark_frames(wire: Wire, device: EmulatedRod, rod: RangeRod) -> None:
    rod.show(Measured(7.5))
    assert shows(device, Measured(7.5))
    frames = device.frames
    rod.close()
    assert wire.read() == encode(black(SHAPE)) * 3
    assert rod.status.frames == frames


def test_the_last_frame_is_sent_again_every_second(wire: Wire, device: EmulatedRod) -> None:
    rod = RangeRod(SHAPE, lambda: (str(wire.path),), clock=fast_clock)
    try:
        rod.show(Measured(7.5))
        assert shows(device, Measured(7.5))
        frames, start_s = device.frames, fast_clock()
        until(lambda: device.frames == frames + 5, device.step)
        # A second each, plus up to READ_S (0.4 s of the fast clock) until the read returns.
        assert 5.0 <= fast_clock() - start_s + 0.1 < 8.0
    finally:
        rod.close()


@pytest.mark.slow
def test_only_the_latest_frame_is_sent(device: EmulatedRod, wire: Wire) -> None:
    # At 1200 baud a frame of 42 bytes takes 0.35 s, so at most one per 0.35 s is sent.
    rod = RangeRod(SHAPE, lambda: (str(wire.path),), baud=1200)
    try:
        until(lambda: rod.status.state is LinkState.UP, device.step)
        start_s, frames, numbers = time.monotonic(), device.frames, itertools.count()
        until(
            lambda: device.frames >= frames + 2,
            lambda: (rod.show(Measured(12 * (next(numbers) % 200) / 200)), device.step()),
        )
        rod.show(Measured(11))
        assert shows(device, Measured(11))
        assert device.frames <= (time.monotonic() - start_s) / 0.35 + 3  # the dark frame, the first and the last
        assert next(numbers) > 5 * device.frames
    finally:
        rod.close()


def test_an_animated_pattern_is_sent_continuously(device: EmulatedRod, rod: RangeRod) -> None:
    rod.show(DiceWait())
    seen = set()
    until(lambda: len(seen) > 5, lambda: (device.step(), seen.add(device.leds)))


def test_a_rod_that_does_not_greet_is_given_three_seconds(wire: Wire) -> None:
    # An Arduino that is reset by opening the port needs this time.
    silent = EmulatedRod(wire, time.monotonic, greets=False)
    start_s = fast_clock()
    rod = RangeRod(SHAPE, lambda: (str(wire.path),), clock=fast_clock)
    try:
        rod.show(Measured(7.5))
        until(lambda: rod.status.state is LinkState.SETTLING)
        assert shows(silent, Measured(7.5))
        assert fast_clock() - start_s > 2.9
    finally:
        rod.close()


def test_a_link_reconnects_after_unplugging(wire: Wire, device: EmulatedRod, rod: RangeRod) -> None:
    rod.show(Measured(7.5))
    assert shows(device, Measured(7.5))
    wire.unplug()
    until(lambda: rod.status.state is LinkState.SEEKING)
    assert "was unplugged" in rod.status.error or "not plugged in" in rod.status.error
    rod.show(Measured(3))
    wire.plug()
    assert shows(device, Measured(3))
    assert rod.status.connections == 2
    assert rod.status.error  # the last error stays readable


class SleepyPort:
    """A port without input: a read waits until it is cancelled."""

    in_waiting = 0
    sleep_s = 5.0

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self._greeting, self._cancelled = b"Ada", threading.Event()

    def read(self, size: int) -> bytes:
        data, self._greeting = self._greeting, b""
        if not data and size:
            self._cancelled.wait(self.sleep_s)
            self._cancelled.clear()
        return data

    def cancel_read(self) -> None:
        self._cancelled.set()

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def close(self) -> None:
        pass


def test_wake_interrupts_the_read() -> None:
    port = SleepyPort()
    rod = RangeRod(SHAPE, lambda: ("port",), opener=lambda *_: port)
    try:
        until(lambda: rod.status.state is LinkState.UP)
        for k in range(5):
            start_s = time.monotonic()
            rod.show(Measured(k))
            wanted = encode(colours(SHAPE, Measured(k), 0.0))
            until(lambda: port.written[-1:] == [wanted])  # noqa: B023
            assert time.monotonic() - start_s < 4  # the read alone would have waited for 5 s
    finally:
        rod.close()


class FullPort(SleepyPort):
    """A port with a full buffer that nobody reads: a write blocks until `drained`."""

    sleep_s = 0.01

    def __init__(self) -> None:
        super().__init__()
        self.writing, self.drained = threading.Event(), threading.Event()

    def write(self, data: bytes) -> None:
        self.writing.set()
        self.drained.wait(60)
        super().write(data)


def test_calls_do_not_wait_for_the_port() -> None:
    port = FullPort()
    rod = RangeRod(SHAPE, lambda: ("port",), opener=lambda *_: port)
    try:
        rod.show(Measured(0))
        assert port.writing.wait(60)
        for k in range(300):
            rod.show(Measured(k % 12))
        assert port.written == [], "all calls returned during the first write"
    finally:
        port.drained.set()
        rod.close()


def test_a_port_of_another_link_is_not_opened(wire: Wire, device: EmulatedRod, rod: RangeRod) -> None:
    until(lambda: rod.status.state is LinkState.UP, device.step)
    second = RangeRod(SHAPE, lambda: (str(wire.path),))
    try:
        until(lambda: second.status.state is LinkState.BUSY)
        assert "another program holds" in second.status.error
        rod.close()
        second.show(Measured(5))
        assert shows(device, Measured(5))
    finally:
        second.close()


def test_a_port_of_another_program_is_not_opened(wire: Wire) -> None:
    opened = []
    rod = RangeRod(
        SHAPE, lambda: (str(wire.path),), held_by=lambda _: "screen (4711)",
        opener=lambda *port: opened.append(port),
    )  # fmt: skip
    try:
        until(lambda: rod.status.state is LinkState.BUSY)
        assert rod.status.error == f"screen (4711) holds {wire.path}: close that program"
        assert opened == []
    finally:
        rod.close()


def test_a_port_without_permission_is_reported() -> None:
    def denied(name: str, baud: int) -> serial.Serial:
        raise serial.SerialException(13, "Permission denied")

    rod = RangeRod(SHAPE, lambda: ("/dev/ttyUSB0",), opener=denied)
    try:
        until(lambda: rod.status.state is LinkState.DENIED)
        assert "sudo usermod -aG dialout $USER" in rod.status.error
    finally:
        rod.close()


def test_the_rod_rejects_a_port_with_dice(wire: Wire, rod: RangeRod) -> None:
    until(lambda: "these are dice" in rod.status.error, lambda: wire.write(encode_dice(Hello(1))))
    until(lambda: not wire.connected)
    assert rod.status.frames == 0


def test_two_likely_ports_are_identified_by_their_messages(tmp_path: Path) -> None:
    strip, cup = Wire(tmp_path / "a"), Wire(tmp_path / "b")
    both = (str(strip.path), str(cup.path))
    device = EmulatedRod(strip, time.monotonic)
    thrown = EmulatedDice(cup, time.monotonic, rng())
    line = SerialDice(lambda: both, must_greet=True)  # tries the rod's port first
    rod = RangeRod(SHAPE, lambda: both[::-1])  # tries the dice's port first
    try:
        rod.show(Measured(7.5))
        until(
            lambda: (
                (rod.status.state, line.status.state, rod.status.port, line.status.port)
                == (LinkState.UP, LinkState.UP, *both)
                and device.leds == colours(SHAPE, Measured(7.5), 0.0)
            ),
            lambda: (device.step(), thrown.step()),
        )
    finally:
        rod.close()
        line.close()
        strip.unplug()
        cup.unplug()


def test_each_roll_arrives_once(wire: Wire, dice: SerialDice) -> None:
    cup = EmulatedDice(wire, time.monotonic, rng(), count=3)
    until(lambda: dice.status.received, cup.step)
    thrown = cup.roll([4, 2, 6])
    for mischief in (FaultInjector.GARBAGE, FaultInjector.TORN, FaultInjector.REPEAT):
        cup.misbehave(mischief)
    heard = []
    until(lambda: dice.damaged >= 2 and dice.repeated, lambda: heard.extend(dice.arrivals()))
    heard += dice.arrivals()
    assert tuple(roll for roll, _ in heard) == thrown
    assert heard[0][1] == pytest.approx(time.monotonic(), abs=60)


def test_a_roll_while_unplugged_is_not_lost(wire: Wire, dice: SerialDice) -> None:
    cup = EmulatedDice(wire, time.monotonic, rng())
    until(lambda: dice.status.received, cup.step)
    wire.unplug()
    until(lambda: dice.status.state is LinkState.SEEKING, cup.step)
    (thrown,) = cup.roll([5])
    wire.plug()
    heard: list[tuple[RollLine, float]] = []
    until(lambda: heard, lambda: (cup.step(), heard.extend(dice.arrivals())))
    ((roll, _),) = heard
    assert (roll.id, roll.seq, roll.face) == (thrown.id, thrown.seq, 5)
    assert 0 < roll.age_s < 60


def test_the_emulated_dice_send_cocked_and_stale_rolls(wire: Wire, dice: SerialDice) -> None:
    cup = EmulatedDice(wire, time.monotonic, rng(), Die.FUDGE, count=1)
    until(lambda: dice.status.received, cup.step)
    for mischief in (FaultInjector.COCKED, FaultInjector.STALE, FaultInjector.DOUBLE):
        cup.misbehave(mischief)
    heard: list[tuple[RollLine, float]] = []
    until(lambda: len(heard) >= 4, lambda: heard.extend(dice.arrivals()))
    leaning, late, first, second = (roll for roll, _ in heard)
    assert (leaning.cocked, late.age_s, first.id == second.id) == (True, 20.0, True)
    assert all(roll.die is Die.FUDGE for roll, _ in heard)


def test_the_emulated_rod_goes_dark_without_frames(wire: Wire) -> None:
    now_s = 0.0
    device = EmulatedRod(wire, lambda: now_s)
    with open(wire.path, "wb", buffering=0) as port:
        until(lambda: wire.connected, device.step)
        port.write(encode([(1, 2, 3)]))
        until(lambda: device.leds == ((1, 2, 3),), device.step)
    now_s = FALLBACK_S + 0.1
    assert device.step()
    assert device.leds == ((0, 0, 0),)


def test_close_releases_threads_and_files(wire: Wire) -> None:
    threads, files = threading.active_count(), len(os.listdir("/dev/fd"))
    device = EmulatedRod(wire, time.monotonic)
    for _ in range(3):
        rod = RangeRod(SHAPE, lambda: (str(wire.path),))
        until(lambda: rod.status.state is LinkState.UP, device.step)  # noqa: B023
        rod.show(Idle())
        rod.close()
        device.step()
    assert threading.active_count() == threads
    assert len(os.listdir("/dev/fd")) == files


@pytest.mark.slow
def test_a_short_soak() -> None:
    soak = [sys.executable, "-m", "tools.soak_wires", "--rolls", "400", "--frames", "60", "--calls", "0"]
    done = subprocess.run([*soak, "--pulls", "2"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    assert "no fault" in done.stdout
