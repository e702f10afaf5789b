"""Compare two time limits while PyQt uses an enum for the first time: raised immediately, and deferred.

`python -m tools.crash_alarm --runs 300` forks 300 processes for each method. In each, an alarm fires once, at a
random moment, while enums are used. PyQt creates their types in Python code on demand, and uses a type even if an
exception interrupted its creation. The exit status is 1 if a process died with a deferred limit, as the tests use it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import signal
import sys
from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from PyQt6.QtCore import QEvent, QLocale, QPointF, QSizeF, Qt
from PyQt6.QtGui import QBrush, QColor, QFont, QImage, QMouseEvent, QPalette, QPen
from PyQt6.QtWidgets import QApplication, QSizePolicy

from tests.ui.slot_errors import kept_errors

LATEST_S = 0.05
"""Duration of the first `use_enums`."""

FINISHED, RAISED = 0, 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Print how the processes ended; returns 1 if one with a deferred limit died."""
    parser = argparse.ArgumentParser(prog="crash_alarm", description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    chosen = parser.parse_args(arguments)
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    died = 0
    for name, act in (("raised at once", raised_at_once), ("kept for later", deferred)):
        ends = Counter(exit_status(act, seed) for seed in range(chosen.runs))
        died = sum(count for status, count in ends.items() if status < 0)
        names = ", ".join(f"{signal.Signals(-status).name} {count}" for status, count in ends.items() if status < 0)
        print(f"{name}: {died} of {chosen.runs} processes died{f' ({names})' if names else ''}", flush=True)
    return int(died > 0)


def exit_status(act: Callable[[], None], seed: int) -> int:
    """Exit status of a separate process in which the limit expires during `act`."""
    process = multiprocessing.get_context("fork").Process(target=run_with_limit, args=(act, seed))
    process.start()
    process.join()
    return process.exitcode or 0


def run_with_limit(act: Callable[[], None], seed: int) -> None:
    """Call `act` with a limit at a random moment, and exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    application = QApplication(["crash_alarm"])
    delay_s = random.Random(seed).uniform(0.0001, LATEST_S)

    def alarm(*_: object) -> None:
        raise pytest.fail.Exception("limit")

    signal.signal(signal.SIGALRM, alarm)
    signal.setitimer(signal.ITIMER_REAL, delay_s)
    try:
        act()
        status = FINISHED
    except pytest.fail.Exception:
        status = RAISED
    del application
    os._exit(status)


def raised_at_once() -> None:
    """Let the alarm raise the limit wherever Python is."""
    use_enums()


def deferred() -> None:
    """Defer the limit until the enums have been used."""
    with kept_errors():
        use_enums()


def use_enums() -> None:
    """Use the enums that every window uses, for the first time."""
    QPen(QColor(1, 2, 3)).setCapStyle(Qt.PenCapStyle.FlatCap)
    QBrush(Qt.BrushStyle.NoBrush).style()
    QImage(8, 8, QImage.Format.Format_RGB32).format()
    QSizeF(1, 2).scaled(QSizeF(2, 2), Qt.AspectRatioMode.KeepAspectRatio)
    QFont("x").setStyleHint(QFont.StyleHint.Serif)
    QPalette().color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text)
    QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed).horizontalPolicy()
    QLocale(QLocale.Language.German).language()
    at, left, none = QPointF(1, 1), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QMouseEvent(QEvent.Type.MouseMove, at, at, left, left, none).buttons()


if __name__ == "__main__":
    sys.exit(main())
