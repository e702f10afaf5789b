"""Measure the program's start: to an answer, to the analysis of a picture, to the window's first picture.

Run with `python -m benchmarks.starting`. The baseline, in the same run and in turn, is `python -c "import numpy, cv2"`.
Times are wall-clock times; the player's settings are neither used nor changed.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks import window
from benchmarks.page import Budget, Table, budget_table, number
from benchmarks.stopwatch import time_with_baseline

SAMPLE = Path(__file__).parents[1] / "samples" / "cardboard"
QUESTION = {"ruleset": "army_men", "given": {"action": "weapon", "weapon": "rifle"}, "dice": []}
BASELINE = ("-c", "import numpy, cv2")
MOUSE = """
import json
from PyQt6.QtCore import QSettings
from PyQt6.QtWidgets import QApplication
from benchmarks import window
from vision.simulation.simulator import SimulatedTable
from vision.simulation.scene import demo_scene
application = QApplication(["sandtable"])
live = window.Window("demo", QSettings(), opener=lambda _: SimulatedTable(demo_scene()))
print(json.dumps(window.mouse_to_picture_ms(live)[0]))
"""
"""Runs in the live window; prints the milliseconds from a mouse event to its painted picture."""


def main() -> None:
    one = table(5)
    print(one.markdown())
    print(budget_table(one.budgets).markdown())


def table(rounds: int) -> Table:
    """The page's table: ratios to the baseline, and two of the design's budgets."""
    clicks = [f"--teach={click}" for click in json.loads((SAMPLE / "truth.json").read_text())["clicks"]]
    analyse = ("analyse", str(SAMPLE / "table.jpg"), *clicks, f"--lens={SAMPLE / 'lens.json'}")
    with tempfile.TemporaryDirectory() as folder:
        question = Path(folder) / "question.json"
        question.write_text(json.dumps(QUESTION))
        home = os.environ | dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"), folder)
        program = "from ui.cli import main; import sys; sys.exit(main())"

        def run(*arguments: str) -> Callable[[], object]:
            return lambda: subprocess.run([sys.executable, *arguments], env=home, check=True, capture_output=True)  # noqa: S603

        baseline, clock = run(*BASELINE), time.perf_counter
        picture_s: list[float] = []
        works = {
            "`sandtable --help`": run("-c", program, "--help"),
            "`sandtable resolve`, one question": run("-c", program, "resolve", str(question)),
            "`sandtable analyse`, one picture of eight soldiers": run("-c", program, *analyse),
            "the window, to its first picture": lambda: picture_s.append(window.start_to_picture_s()),
        }
        timings = {what: time_with_baseline(work, baseline, rounds=rounds, clock=clock) for what, work in works.items()}
        mouse_ms = _mouse_ms(home)
    rows = [(what, number(one.ratio), f"{one.ms / 1000:.2f}") for what, one in timings.items()]
    first_s, shown_ms = statistics.median(picture_s[1:]), statistics.median(mouse_ms)
    words = f'The baseline, `python -c "{BASELINE[1]}"`, takes {timings["`sandtable --help`"].baseline_ms:.0f} ms here.'
    budgets = (
        Budget("start to first picture (the window on the simulated table)", first_s, window.START_S, "s"),
        Budget("mouse to measurement on the screen, during analysis", shown_ms, window.FRAME_MS, "ms"),
    )
    return Table("start", ("what", "x baseline", "s"), rows, words, budgets)


def _mouse_ms(home: dict[str, str]) -> list[float]:
    """Milliseconds from the mouse event to the measurement on the screen."""
    command = [sys.executable, "-c", MOUSE]
    done = subprocess.run(command, env=home, check=True, capture_output=True, text=True)  # noqa: S603
    return [float(one) for one in json.loads(done.stdout.splitlines()[-1])]


if __name__ == "__main__":
    main()
