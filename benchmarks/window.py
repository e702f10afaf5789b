"""Measure the window's speed: from mouse to screen, painting, and from the start to the first picture.

`python -m benchmarks.window` opens the real window, without a display, and prints each time with its budget. Processor
times are those of the window's thread; wall-clock times include the work of other processes.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PyQt6.QtCore import QEvent, QObject, QPointF, QSettings, Qt
from PyQt6.QtGui import QMouseEvent
from PyQt6.QtWidgets import QApplication

from benchmarks.paint import SIZE_PX, crowded
from rules.tabletop.table import PointIn
from tools.screenshot import figures_seen
from ui.desktop.picture.image import to_qimage
from ui.desktop.picture.view import PictureView
from ui.desktop.source_opening import EarlySource, stored_settings
from ui.desktop.window import Window
from ui.picture.drawing import Drawing
from ui.picture.preview import Preview
from ui.session import Ruler
from vision.simulation.scene import demo_scene
from vision.simulation.simulator import SimulatedTable
from vision.source import open_source

FRAME_MS, PAINT_MS, START_S = 16.7, 4.0, 2.0
MOVES, PAINTS = 300, 200
_FIRST = """
from ui.desktop.source_opening import EarlySource
early = EarlySource("demo")
from benchmarks.window import first_picture
first_picture(early)
"""
"""The program's start, in the order of `ui.cli`."""


def main() -> None:
    application = QApplication(["sandtable"])
    with tempfile.TemporaryDirectory() as own:
        settings = QSettings(str(Path(own) / "settings.ini"), QSettings.Format.IniFormat)
        print(f"{'':52}{'budget':>10}{'least':>10}{'median':>10}{'95 %':>10}")
        for name, state in (("60 figures, rulers, templates", False), ("and a ruler that follows the mouse", True)):
            print_line(f"paint 1080p, {name}", PAINT_MS, painting_ms(ruler=state))
        live = Window("demo", settings, opener=lambda _: SimulatedTable(demo_scene()))
        wall, own_ms = mouse_to_picture_ms(live)
        print_line("mouse to screen, with a started ruler, live", FRAME_MS, wall)
        print_line("the same, of the window's own thread", FRAME_MS, own_ms)
    del application


def print_line(name: str, budget: float, taken: Sequence[float]) -> None:
    """Print one line of the table."""
    late = float(np.percentile(taken, 95))
    print(f"{name:52}{budget:10.1f}{min(taken):10.2f}{statistics.median(taken):10.2f}{late:10.2f}", flush=True)


def painting_ms(*, ruler: bool) -> list[float]:
    """Processor milliseconds to compute and paint the shapes at screen size; the mouse moves each time."""
    now, drawing, view = crowded(), Drawing(), PictureView()
    view.resize(*SIZE_PX)
    view.show()
    QApplication.processEvents()
    view.show_picture(to_qimage(np.random.default_rng(1).integers(0, 255, (*SIZE_PX[::-1], 3), np.uint8)))
    taken = []
    for number in range(PAINTS + 3):
        end: PointIn = (5 + 60 * number / PAINTS, 35 - 30 * number / PAINTS)
        preview = Preview(hovered="green-2", ruler=Ruler("green-2", end)) if ruler else Preview()
        begin = time.thread_time()
        view.show_shapes(*drawing.of(now.view, now.state, preview))
        view.repaint()
        taken.append(1000 * (time.thread_time() - begin))
    view.close()
    return taken[3:]  # resting shapes are cached from the second time on


class Painted(QObject):
    """Counts the paint events of a widget."""

    def __init__(self, widget: PictureView) -> None:
        super().__init__(widget)
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        if event is not None and event.type() is QEvent.Type.Paint:
            self.count += 1
        return False


def mouse_to_picture_ms(window: Window) -> tuple[list[float], list[float]]:
    """Milliseconds from a mouse event to the end of its painting: wall-clock time and thread time."""
    window.resize(1366, 768)
    window.show()
    view = figures_seen(window)
    figure = view.figures[0]
    camera = view.calibration.camera if view.calibration is not None else None
    assert camera is not None
    window.store.use_tool("measure")
    window.picture.pressed.emit(*camera.table_to_pixel((*figure.centre_in, figure.z_in))[0])
    watch, wall, own = Painted(window.picture), [], []
    for number in range(MOVES):
        pump(partial(_is_over, time.monotonic() + FRAME_MS / 1000))
        place = window.picture.to_widget((300.0 + 4 * number, 900.0 - 2 * number))
        begin, begin_own, before = time.monotonic(), time.thread_time(), watch.count
        none, no_keys = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
        kind = QEvent.Type.MouseMove
        event = QMouseEvent(kind, QPointF(place), window.picture.mapToGlobal(QPointF(place)), none, none, no_keys)
        QApplication.sendEvent(window.picture, event)
        while watch.count == before:
            QApplication.processEvents()
        wall.append(1000 * (time.monotonic() - begin))
        own.append(1000 * (time.thread_time() - begin_own))
    window.close()
    window.store.join()
    return wall, own


def _is_over(due_s: float) -> bool:
    return time.monotonic() > due_s


def pump(condition: Callable[[], bool]) -> None:
    """Process the window's events until the condition holds."""
    while not condition():
        QApplication.processEvents()
        time.sleep(0.001)


def first_picture(early: EarlySource) -> None:
    """Open the simulated table like a player's first start, and end when its first picture is painted."""
    application = QApplication(["sandtable"])
    window = Window("demo", stored_settings(), lambda spec: early.take(spec) or open_source(spec))
    window.show()
    watch = Painted(window.picture)
    pump(lambda: window.store.source_controller.frame is not None)
    before = watch.count
    pump(lambda: watch.count > before)
    print(time.time(), flush=True)
    window.close()
    window.store.join()
    del application


def start_to_picture_s() -> float:
    """Seconds from the start of the program to its first picture."""
    with tempfile.TemporaryDirectory() as folder:
        home = os.environ | dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), folder)
        begin, command = time.time(), [sys.executable, "-c", _FIRST]
        done = subprocess.run(command, env=home, capture_output=True, text=True, check=True)  # noqa: S603 - itself
    return float(done.stdout.split()[-1]) - begin


if __name__ == "__main__":
    main()
