"""Measure the time from a mouse click to the bytes at the range rod.

Run with `python -m benchmarks.click_to_light`. In the real window, on the simulated table with its picture frozen, a
range is measured by two clicks; the other end of a pseudo-terminal records when the new colours arrive. The baseline,
in the same run, is the window's own work at that click, until it is ready to paint. The transmission time at 115200
baud (16 ms for 60 LEDs) is not included. With `--wled` the other end is an emulated WLED controller on this computer;
then the frames that it gets per second are counted too.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack

from PyQt6.QtCore import QSettings, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from hardware import wled
from hardware.emulator import EmulatedRod
from hardware.range_rod import Measured, RodShape
from hardware.wled_emulator import EmulatedWled
from hardware.wled_link import wled_rod
from rules.tabletop.table import Figure
from ui.desktop.window import Window
from ui.devices.device_connection import WLED, emulated_wire, emulated_wled

LEFT = Qt.MouseButton.LeftButton


class FarEnd:
    """Watches an emulated rod in a thread of its own; records when its LEDs change."""

    def __init__(self, device: EmulatedRod | EmulatedWled) -> None:
        self.changed_s: list[float] = []
        self._device = device
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.wait(0.0005):
            if self._device.step():
                self.changed_s.append(time.monotonic())

    def close(self) -> None:
        """Stop the thread."""
        self._stop.set()
        self._thread.join()


_MEASURED_S = 3.0


def frames_per_second(device: EmulatedWled) -> float:
    """How many frames a controller gets if every one of them is new."""
    rod = wled_rod(RodShape(), wled.address(device.path), device.segments[0].name)
    try:
        while not device.frames:
            time.sleep(0.01)
        frames, began_s = device.frames, time.monotonic()
        for inches in itertools.cycle(range(30)):
            if time.monotonic() - began_s >= _MEASURED_S:
                break
            rod.show(Measured(inches))
            time.sleep(0.0005)
        return (device.frames - frames) / _MEASURED_S
    finally:
        rod.close()


def wait(seconds: float) -> None:
    """Process the window's events for a while."""
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s:
        QApplication.processEvents()
        time.sleep(0.002)


def click(window: Window, figure: Figure) -> tuple[float, float]:
    """Click a figure; returns the times before the click and after the window has handled it."""
    camera = window.store.camera
    assert camera is not None
    px = camera.table_to_pixel((*figure.centre_in, figure.z_in))[0]
    began_s = time.monotonic()
    QTest.mouseClick(window.picture, LEFT, pos=window.picture.to_widget((px[0], px[1])).toPoint())
    return began_s, time.monotonic()


def measuring_window(folder: str) -> Window:
    """The window on the simulated table with its picture frozen, ready to measure."""
    window = Window("demo", QSettings(f"{folder}/settings.ini", QSettings.Format.IniFormat))
    window.resize(1366, 768)
    window.show()
    while not (window.store.view and window.store.view.figures):
        wait(0.1)
    window.actions_.freeze.setChecked(True)
    window.store.use_tool("measure")
    return window


def pairs(window: Window, clicks: int) -> Iterator[tuple[Figure, Figure]]:
    """Pairs of figures to click; nothing lies on the table before each."""
    figures = window.store.view.figures if window.store.view else ()
    for k in range(clicks):
        a, b = figures[k % len(figures)], figures[(7 * k + 3) % len(figures)]
        if a.id != b.id:
            window.commands.clear()
            yield a, b


def measured(window: Window, far: FarEnd, clicks: int) -> None:
    """Measure ranges, and print the time until the LEDs change."""
    lit_ms, done_ms = [], []
    for a, b in pairs(window, clicks):
        wait(0.15)
        click(window, a)
        wait(0.1)
        far.changed_s.clear()
        began_s, done_s = click(window, b)
        wait(0.25)
        done_ms.append(1e3 * (done_s - began_s))
        lit_ms += [1e3 * (at_s - began_s) for at_s in far.changed_s[:1]]
    for what, times_ms in (("to the rod's bytes", lit_ms), ("the window's own work (baseline)", done_ms)):
        median, most = statistics.median(times_ms), max(times_ms)
        print(f"{what:33s} {len(times_ms):3d} clicks: median {median:5.1f} ms, max {most:5.1f} ms")


def main() -> None:
    """Open the window, measure, and close it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--clicks", type=int, default=60)
    parser.add_argument("--wled", action="store_true", help="a WLED controller in the network instead of a port")
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    _application = QApplication.instance() or QApplication(["sandtable"])
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        if options.wled:
            device: EmulatedRod | EmulatedWled = stack.enter_context(emulated_wled(RodShape().leds))
            spec = f"{WLED}{device.path}/{device.segments[0].name}"
        else:
            wire = stack.enter_context(emulated_wire("rod"))
            device, spec = EmulatedRod(wire, time.monotonic), str(wire.path)
        far = FarEnd(device)
        window = measuring_window(folder)
        window.devices.panel.rod.connected.emit(spec)
        wait(3)  # the link waits this long for a rod that sends no greeting
        measured(window, far, options.clicks)
        window.close()
        window.store.join()
        far.close()
        if isinstance(device, EmulatedWled):
            print(f"{frames_per_second(device):.0f} frames per second, each of them new")


if __name__ == "__main__":
    main()
