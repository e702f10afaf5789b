"""Opens the real window on the simulated table, says when it shows its first picture, and times clicks.

`benchmarks.starting` runs it as a program of its own, since a start is measured from nothing. Lines of JSON come out:
`{"first": ...}` at the first picture with its figures' table known to the camera, then `{"click_ms": [...]}`, each from
the second click of a measurement to its picture painted.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time

from PyQt6.QtCore import QEvent, QObject, QSettings, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from ui.desktop.window import Window


class Painted(QObject):
    """Counts the paintings of a widget."""

    def __init__(self) -> None:
        super().__init__()
        self.times = 0

    def eventFilter(self, _watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802 - Qt's name
        self.times += event is not None and event.type() == QEvent.Type.Paint
        return False


def main() -> None:
    """Open, tell, measure, close."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    _application = QApplication(["sandtable"])
    with tempfile.TemporaryDirectory() as folder:
        window = Window("demo", QSettings(f"{folder}/settings.ini", QSettings.Format.IniFormat))
        window.resize(1366, 768)
        window.show()
        painted = Painted()
        window.picture.installEventFilter(painted)
        _until(lambda: window.bench.view is not None)
        before = painted.times
        _until(lambda: painted.times > before)
        print(json.dumps({"first": time.time()}), flush=True)
        if len(sys.argv) > 1:
            _until(lambda: len(window.bench.view.figures) > 20)
            window.actions_.freeze.setChecked(True)
            window.use_tool("measure")
            print(json.dumps({"click_ms": [_measured(window, painted, k) for k in range(int(sys.argv[1]))]}))
        window.close()


def _measured(window: Window, painted: Painted, number: int) -> float:
    """Milliseconds from the second click of a measurement to the picture."""
    figures = window.bench.view.figures
    window.clear()
    _click(window, figures[number % 5])
    _rest(0.1)
    before, began_s = painted.times, time.perf_counter()
    _click(window, figures[5 + number % 15])
    _until(lambda: painted.times > before)
    taken_ms = 1000 * (time.perf_counter() - began_s)
    _rest(0.1)
    return taken_ms


def _click(window: Window, figure) -> None:  # type: ignore[no-untyped-def]
    px = window.bench.view.calibration.camera.table_to_pixel((*figure.centre_in, figure.z_in))[0]
    QTest.mouseClick(window.picture, Qt.MouseButton.LeftButton, pos=window.picture.to_widget((px[0], px[1])).toPoint())


def _until(holds) -> None:  # type: ignore[no-untyped-def]
    end_s = time.monotonic() + 60
    while not holds():
        if time.monotonic() > end_s:
            raise SystemExit("waited in vain")
        QApplication.processEvents()


def _rest(seconds: float) -> None:
    end_s = time.monotonic() + seconds
    _until(lambda: time.monotonic() > end_s)


if __name__ == "__main__":
    main()
