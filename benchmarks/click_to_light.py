"""Measure the time from a mouse click to the bytes at the range rod.

Run with `python -m benchmarks.click_to_light`. In the real window, on the simulated table with its picture frozen, a
range is measured by two clicks; the other end of a pseudo-terminal records when the new colours arrive. The baseline,
in the same run, is the window's own work at that click, until it is ready to paint. The transmission time at 115200
baud (16 ms for 60 LEDs) is not included.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import threading
import time
from pathlib import Path

from PyQt6.QtCore import QSettings, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from hardware.emulator import EmulatedRod, Wire
from rules.tabletop.table import Figure
from ui.desktop.window import Window

LEFT = Qt.MouseButton.LeftButton


class FarEnd:
    """An emulated rod in its own thread; records when its LEDs change."""

    def __init__(self, path: Path) -> None:
        self.wire = Wire(path)
        self.changed_s: list[float] = []
        self._rod = EmulatedRod(self.wire, time.monotonic)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.wait(0.0005):
            if self._rod.step():
                self.changed_s.append(time.monotonic())

    def close(self) -> None:
        """Stop the thread and unplug the wire."""
        self._stop.set()
        self._thread.join()
        self.wire.unplug()


def wait(seconds: float) -> None:
    """Process the window's events for a while."""
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s:
        QApplication.processEvents()
        time.sleep(0.002)


def click(window: Window, figure: Figure) -> tuple[float, float]:
    """Click a figure; returns the times before the click and after the window has handled it."""
    view = window.store.source_controller.view
    assert view is not None
    assert view.calibration is not None
    px = view.calibration.camera.table_to_pixel((*figure.centre_in, figure.z_in))[0]
    began_s = time.monotonic()
    QTest.mouseClick(window.picture, LEFT, pos=window.picture.to_widget((px[0], px[1])).toPoint())
    return began_s, time.monotonic()


def measured(window: Window, far: FarEnd, clicks: int) -> None:
    """Measure ranges, and print the time until the LEDs change."""
    lit_ms, done_ms = [], []
    for k in range(clicks):
        figures = window.store.source_controller.view.figures if window.store.source_controller.view else ()
        a, b = figures[k % len(figures)], figures[(7 * k + 3) % len(figures)]
        if a.id == b.id:
            continue
        window.commands.clear()
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
    clicks: int = parser.parse_args().clicks
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    _application = QApplication.instance() or QApplication(["sandtable"])
    with tempfile.TemporaryDirectory() as folder:
        far = FarEnd(Path(folder) / "rod")
        window = Window("demo", QSettings(f"{folder}/settings.ini", QSettings.Format.IniFormat))
        window.resize(1366, 768)
        window.show()
        window.devices.panel.rod.connected.emit(str(far.wire.path))
        while not (window.store.source_controller.view and window.store.source_controller.view.figures):
            wait(0.1)
        window.actions_.freeze.setChecked(True)
        window.store.use_tool("measure")
        wait(3)  # the link waits this long for a rod that sends no greeting
        measured(window, far, clicks)
        window.close()
        far.close()


if __name__ == "__main__":
    main()
