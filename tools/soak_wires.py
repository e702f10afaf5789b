"""Soak test of the serial links on pseudo-terminals: rolls and frames through cuts, garbage and unplugging.

Run with `python -m tools.soak_wires` (100 000 rolls and 100 000 frames, a few minutes). It ends with status 1 if a
valid roll was missed, counted twice or invented, if a rod did not show its latest frame, if a link took 6 s or longer
to reconnect, or if a thread or file descriptor was left over. The baseline of the latency is a bare write to the same
pseudo-terminal, in the same run.
"""

import argparse
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from hardware.adalight import Decoder, encode
from hardware.devices import RangeRod, SerialDice
from hardware.dice_protocol import Hello, RollLine
from hardware.dice_protocol import encode as encode_dice
from hardware.emulator import EmulatedRod, Wire
from hardware.link import LinkState
from hardware.range_rod import Lamp, Measured, RodShape, colours
from rules.engine.dice import Die

RECONNECT_LIMIT_S = 6.0
FAST_BAUD = 4_000_000  # the soak's frames are not held back by the 14.7 ms that 60 LEDs take at 115200
SHAPE = RodShape(length_in=39.4, leds_per_in=60 / 39.37)


@dataclass
class Findings:
    faults: list[str] = field(default_factory=list)
    reconnect_s: list[float] = field(default_factory=list)

    def check(self, sound: bool, fault: str) -> None:
        if not sound:
            self.faults.append(fault)


def until(true: Callable[[], bool], limit_s: float = 20.0, step: Callable[[], object] = int) -> bool:
    end = time.monotonic() + limit_s
    while not true():
        if time.monotonic() > end:
            return False
        step()
        time.sleep(0.0002)
    return True


def send(wire: Wire, data: bytes, rng: random.Random) -> None:
    """Send all bytes in random pieces."""
    while data:
        size = rng.choice((1, 7, 60, 700, 4000))
        data = data[wire.write(data[:size]) :]


def damaged(line: bytes, rng: random.Random) -> bytes:
    """One line with its end, damaged like by a bad cable, a lost byte or a full buffer."""
    at, to = sorted(rng.sample(range(len(line) + 1), 2))
    return rng.choice(
        (
            lambda: line[:at] + bytes((line[at] ^ rng.randrange(1, 256),)) + line[at + 1 :],
            lambda: line[:at] + line[to:],
            lambda: line[:at] + b"\n",
            lambda: line[:at],
            lambda: line[:at] + rng.randbytes(5) + line[at:],
            lambda: line + line,
        )
    )()


def garbage(rng: random.Random) -> bytes:
    return rng.choice(
        (
            lambda: rng.randbytes(rng.randrange(1, 400)) + b"\n",
            lambda: b"4\n",  # a bare number from a device that sends JSON is an incomplete line
            lambda: b'{"t":"roll","id":"d1","sides":6,"face":4,"seq":-7}\n',  # no checksum where all others have one
            lambda: b'{"t":"roll","id":"d1","sides":6,"face":7}\n[4]\n{}\n\n\r\n',
            lambda: b"x" * 5000 + b"\n",
        )
    )()


class DiceSoak:
    """Sends rolls through a damaged and interrupted line, and counts what arrives.

    Attributes:
        wanted, got: How often each roll was sent whole, and how often it arrived.
    """

    def __init__(self, rng: random.Random, findings: Findings, folder: Path) -> None:
        self._rng, self._findings = rng, findings
        self._wire = Wire(folder / "dice")
        self._line = SerialDice(lambda: (str(self._wire.path),))
        self._hello = encode_dice(Hello(1, 77))
        self._written = 0
        self.wanted: Counter[tuple[str, int | None, int]] = Counter()
        self.got: Counter[tuple[str, int | None, int]] = Counter()
        self.sent, self.pulled, self.lost = 0, 0, 0

    def run(self, count: int, pulls: int) -> str:
        """Send `count` rolls, pulling the plug about `pulls` times, and return the counts in words."""
        until(lambda: self._wire.connected and self._line.status.state is LinkState.UP)
        self._send(self._hello)
        pull_every = max(20, count // pulls)
        while self.sent < count:
            clean = self._batch(count - self.sent)
            stream = self._damaged_stream(clean)
            if self.sent // pull_every != (self.sent + len(clean)) // pull_every:
                self._send_interrupted(clean, stream)
            else:
                self._send_damaged(clean, stream)
            self._findings.check(until(self._heard), "what was written was not read")
            self.sent += len(clean)
        until(lambda: False, 0.2, self._collect)
        self._check()
        self._line.close()
        self._wire.unplug()
        return (
            f"{self.sent} rolls, {self.lost} of them never sent whole, {sum(self.wanted.values())} expected,"
            f" {sum(self.got.values())} heard, {self._line.damaged} damaged lines dropped,"
            f" {self._line.repeated} repeats dropped, {self.pulled} plugs pulled"
        )

    def _batch(self, most: int) -> dict[bytes, RollLine]:
        """Up to 40 rolls by their lines."""
        rng = self._rng
        rolls = [
            RollLine(Die.D6, rng.randrange(1, 7), f"d{rng.randrange(1, 5)}", self.sent + k)
            for k in range(min(rng.randrange(1, 41), most))
        ]
        return {encode_dice(roll): roll for roll in rolls}

    def _damaged_stream(self, clean: dict[bytes, RollLine]) -> bytes:
        """The lines, some of them damaged, with garbage between them."""
        rng, stream = self._rng, b""
        for text in clean:
            stream += (garbage(rng) if rng.random() < 0.03 else b"") + (
                damaged(text, rng) if rng.random() < 0.1 else text
            )
        return stream + b"\n"

    def _send_interrupted(self, clean: dict[bytes, RollLine], stream: bytes) -> None:
        """Unplug during a line; like the real bridge, the dice send everything again after reconnecting."""
        rng, line, wire = self._rng, self._line, self._wire
        self.pulled += 1
        send(wire, stream[: rng.randrange(len(stream))], rng)
        before = line.status.connections
        wire.unplug()
        until(lambda: False, rng.random() * 0.3, self._collect)
        wire.plug()
        start = time.monotonic()
        came = until(lambda: line.status.connections > before and wire.connected)
        self._findings.check(came, "the dice's link did not come back")
        self._findings.reconnect_s.append(time.monotonic() - start)
        self._collect()
        self._written = line.status.received
        self._send(self._hello + b"".join(clean))
        self._want(clean.values())

    def _send_damaged(self, clean: dict[bytes, RollLine], stream: bytes) -> None:
        """Send the stream, then half of the damaged lines once more."""
        self._send(stream)
        self._findings.check(until(self._heard), "what was written was not read")
        whole = {part.strip() + b"\n" for part in stream.split(b"\n")}
        again = {text for text in clean if text not in whole and self._rng.random() < 0.5}
        self._send(b"".join(again))
        arrived = [roll for text, roll in clean.items() if text in whole or text in again]
        self.lost += len(clean) - len(arrived)
        self._want(arrived)

    def _want(self, rolls: Iterable[RollLine]) -> None:
        self.wanted.update((roll.id, roll.seq, roll.face) for roll in rolls)

    def _collect(self) -> None:
        for roll, _ in self._line.arrivals():
            self.got[(roll.id, roll.seq, roll.face)] += 1

    def _send(self, data: bytes) -> None:
        self._written += len(data)
        send(self._wire, data, self._rng)

    def _heard(self) -> bool:
        self._collect()
        return self._line.status.received >= self._written

    def _check(self) -> None:
        missed, invented = self.wanted - self.got, self.got - self.wanted
        self._findings.check(not missed, f"{len(missed)} rolls missed: {list(missed)[:3]}")
        self._findings.check(not invented, f"{len(invented)} rolls invented or counted twice: {list(invented)[:3]}")


def soak_rod(count: int, pulls: int, rng: random.Random, findings: Findings, folder: Path) -> str:
    wire = Wire(folder / "rod")
    device = EmulatedRod(wire, time.monotonic)
    rod = RangeRod(SHAPE, lambda: (str(wire.path),), baud=FAST_BAUD, rest_s=0.0)
    pull_every, pulled, skipped = max(20, count // pulls), 0, 0
    until(lambda: rod.status.state is LinkState.UP, step=device.step)
    shown = 0
    while device.frames < count:
        burst = rng.choice((1, 1, 1, 4))
        skipped += burst - 1
        for _ in range(burst):
            sign = Measured(rng.uniform(0, 40), rng.choice(tuple(Lamp)), rng.uniform(0, 40))
            rod.show(sign)
        wanted = colours(SHAPE, sign, 0.0)
        if shown // pull_every != (shown + 1) // pull_every:
            pulled += 1
            if rng.random() < 0.5:
                device.step()
            wire.unplug()
            time.sleep(rng.random() * 0.3)
            wire.plug()
            start = time.monotonic()
            # WLED never greets: then the link waits the whole 3 s before it sends.
            device = _replaced(device, greets=pulled % 20 != 10)
            findings.check(until(lambda: device.leds == wanted, step=device.step), "the rod did not come back")  # noqa: B023
            findings.reconnect_s.append(time.monotonic() - start)
        if rng.random() < 0.02:
            wire.write(rng.randbytes(50).replace(b"{", b"?"))
        arrived = until(lambda: device.leds == wanted, step=device.step)  # noqa: B023
        findings.check(arrived, "the rod does not show its latest frame")
        shown += 1
        if len(findings.faults) > 5:
            break
    rod.close()
    device.step()
    findings.check(not any(map(any, device.leds)), "the rod was left alight")
    wire.unplug()
    return (
        f"{device.frames} frames, {skipped} overtaken by a later one, {device.noise} stray bytes, {pulled} plugs pulled"
    )


def _replaced(device: EmulatedRod, greets: bool) -> EmulatedRod:
    fresh = EmulatedRod(device.wire, time.monotonic, greets)
    fresh.frames = device.frames
    return fresh


def latency(count: int, rng: random.Random, folder: Path) -> str:
    """Time from the call to the frame's last byte at the device, at 115200 baud, at random moments."""
    wire = Wire(folder / "rod-latency")
    rod = RangeRod(SHAPE, lambda: (str(wire.path),))
    decoder, times, bare, shown = Decoder(), [], [], 0.0
    until(lambda: rod.status.state is LinkState.UP, step=lambda: wire.write(b"Ada\n"))
    with open(wire.path, "wb", buffering=0) as other:  # the baseline: no thread, no codec
        for _ in range(count):
            time.sleep(rng.uniform(0.02, 0.12))
            wire.read()
            frame = encode(colours(SHAPE, Measured(rng.uniform(0, 40)), 0.0))
            start = time.perf_counter()
            other.write(frame)
            _read_one(wire, Decoder())
            bare.append(time.perf_counter() - start)
            time.sleep(0.02)
            decoder.feed(wire.read())
            start = time.perf_counter()
            shown = (shown + rng.uniform(2, 30)) % SHAPE.length_in  # another LED: an equal frame is not sent again
            rod.show(Measured(shown))
            _read_one(wire, decoder)
            times.append(time.perf_counter() - start)
    rod.close()
    wire.unplug()
    ms, base = ([1000 * one for one in some] for some in (times, bare))
    return (
        f"call to bytes, {SHAPE.leds} LEDs, {count} calls: median {statistics.median(ms):.2f} ms, max {max(ms):.2f} ms "
        f"(a bare write: median {statistics.median(base):.2f} ms, max {max(base):.2f} ms)"
    )


def _read_one(wire: Wire, decoder: Decoder) -> None:
    end = time.perf_counter() + 5
    while not decoder.feed(wire.read()):
        if time.perf_counter() > end:
            raise SystemExit("no frame came")
        time.sleep(0.0001)  # releases the interpreter lock for the link's thread


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rolls", type=int, default=100_000)
    parser.add_argument("--frames", type=int, default=100_000)
    parser.add_argument("--calls", type=int, default=300)
    parser.add_argument("--pulls", type=int, default=60, help="of each plug")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng, findings = random.Random(options.seed), Findings()
    threads, files = threading.active_count(), open_files()
    with tempfile.TemporaryDirectory() as name:
        print(DiceSoak(rng, findings, Path(name)).run(options.rolls, options.pulls), flush=True)
        print(soak_rod(options.frames, options.pulls, rng, findings, Path(name)), flush=True)
        if options.calls:
            print(latency(options.calls, rng, Path(name)))
    findings.check(threading.active_count() == threads, f"{threading.active_count() - threads} threads left over")
    findings.check(open_files() == files, f"{open_files() - files} descriptors left over")
    slowest = max(findings.reconnect_s, default=0.0)
    findings.check(slowest < RECONNECT_LIMIT_S, f"a link took {slowest:.1f} s to come back")
    middle = statistics.median(findings.reconnect_s or [0.0])
    print(f"back after pulled plugs: {len(findings.reconnect_s)}, median {middle:.2f} s, slowest {slowest:.2f} s")
    print("\n".join(findings.faults) or "no fault: every sound roll once, every last frame shown, nothing left over")
    return 1 if findings.faults else 0


if __name__ == "__main__":
    sys.exit(main())
