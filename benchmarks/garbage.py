"""Measure how long garbage collection stops the window, and in which thread: by Python's default and as in the program.

`python -m benchmarks.garbage` shows the real window, without a display, twice for twenty seconds, and records the
duration of each collection; the last one of each run collects all generations.
"""

from __future__ import annotations

import gc
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PyQt6.QtCore import QSettings
from PyQt6.QtWidgets import QApplication

from benchmarks.window import pump
from tools.screenshot import figures_seen
from ui.desktop.garbage import collected_here
from ui.desktop.window import Window
from vision.simulation.scene import demo_scene
from vision.simulation.simulator import SimulatedTable

SHOWN_S = 20.0


def main() -> None:
    """Print a line for each method."""
    application = QApplication(["sandtable"])
    with tempfile.TemporaryDirectory() as own:
        settings = QSettings(str(Path(own) / "settings.ini"), QSettings.Format.IniFormat)
        window = Window("demo", settings, opener=lambda _: SimulatedTable(demo_scene()))
        window.show()
        figures_seen(window)
        ways: dict[str, Callable[[], AbstractContextManager[None]]] = {
            "by Python, in any thread": nullcontext,
            "once a second, in the window's thread": collected_here,
        }
        for name, way in ways.items():
            with way(), collections() as pauses:
                end_s = time.monotonic() + SHOWN_S
                pump(lambda end_s=end_s: time.monotonic() > end_s)  # type: ignore[misc]
                gc.collect()  # Python eventually collects all generations
            print_line(name, pauses)
        window.close()
        window.store.join()
    del application


@contextmanager
def collections() -> Iterator[list[tuple[float, bool]]]:
    """Milliseconds of each collection, and whether it ran in this thread."""
    pauses: list[tuple[float, bool]] = []
    started_s: dict[int, float] = {}
    here = threading.get_ident()

    def note(phase: str, _: dict[str, int]) -> None:
        thread = threading.get_ident()
        if phase == "start":
            started_s[thread] = time.perf_counter()
        elif thread in started_s:
            pauses.append((1000 * (time.perf_counter() - started_s.pop(thread)), thread == here))

    gc.callbacks.append(note)
    yield pauses
    gc.callbacks.remove(note)


def print_line(name: str, pauses: Sequence[tuple[float, bool]]) -> None:
    """Print one line."""
    elsewhere = sum(not here for _, here in pauses)
    longest = max((ms for ms, _ in pauses), default=0.0)
    total = sum(ms for ms, _ in pauses)
    print(
        f"{name}: {len(pauses)} collections, {elsewhere} in other threads, longest {longest:.1f} ms, all {total:.0f} ms"
    )


if __name__ == "__main__":
    main()
