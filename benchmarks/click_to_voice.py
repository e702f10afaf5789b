"""Measure the time from a mouse click to the start of the voice.

Run with `python -m benchmarks.click_to_voice`. In the real window, on the simulated table with its picture frozen, a
range is measured by two clicks, faster than a voice can speak. The voice is a script named espeak-ng that takes 0.6 s
for each sentence and writes when it began and ended. Printed are the delay of the sentences spoken, their overlaps, and
how long the window's thread was busy with speech at each of its ticks.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from PyQt6.QtWidgets import QApplication

from benchmarks.click_to_light import click, measuring_window, pairs, wait
from tests.ui.emulated_voice import EmulatedVoice
from ui.desktop.window import Window

_SENTENCE_S, _BETWEEN_S = 0.6, 0.25


def measured(window: Window, clicks: int) -> list[float]:
    """Measure ranges; return when the second click of each was made, in seconds of the epoch."""
    clicked_s = []
    for a, b in pairs(window, clicks):
        click(window, a)
        clicked_s.append(time.time())
        click(window, b)
        wait(_BETWEEN_S)
    return clicked_s


def main() -> None:
    """Open the window, switch speech on, measure, and print the times."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--clicks", type=int, default=60)
    clicks: int = parser.parse_args().clicks
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    _application = QApplication.instance() or QApplication(["sandtable"])
    with tempfile.TemporaryDirectory() as folder:
        voice = EmulatedVoice(Path(folder) / "voice", _SENTENCE_S)
        os.environ["PATH"] = f"{voice.folder}{os.pathsep}/bin"
        window = measuring_window(folder)
        speech, ticks_ms = window.features.voice, []
        speech.switch.setChecked(True)
        while not voice.spoken:
            wait(0.1)
        pull = speech.pull

        def timed_pull() -> None:
            began_s = time.perf_counter()
            pull()
            ticks_ms.append(1e3 * (time.perf_counter() - began_s))

        speech.pull = timed_pull  # type: ignore[method-assign]
        clicked_s = measured(window, clicks)
        wait(2 * _SENTENCE_S)
        window.close()
        window.store.join()
        spoken = voice.spoken[1:]
    delays_ms = [1e3 * min(one.began_s - at_s for at_s in clicked_s if at_s <= one.began_s) for one in spoken]
    overlaps = sum(after.began_s < before.ended_s for before, after in pairwise(spoken))
    print(f"{len(clicked_s)} ranges measured, {len(spoken)} spoken, {overlaps} overlaps")
    print(
        f"from the newest click to the voice: median {statistics.median(delays_ms):.0f} ms, max {max(delays_ms):.0f} ms"
    )
    print(
        f"the window's work for speech: median {statistics.median(ticks_ms):.2f} ms, max {max(ticks_ms):.1f} ms a tick"
    )


if __name__ == "__main__":
    main()
