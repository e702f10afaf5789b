"""Measure whether the window keeps its pace while phones follow the battle and hostile clients attack the phone page.

Run with `python -m benchmarks.phone`. The real window shows a battle on the simulated table. A timer of 16 ms counts
how often the window's thread is free, in turns: without phones; with three phones that ask for the actions of soldiers
four times a second; with 200 hostile clients from 32 addresses; and, as the baseline of these, with 200 hostile clients
that take as much of the processors but attack a page of another process. The battle's position changes four times a
second, so that the rules are asked again. Phones and hostile clients are other processes.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from PyQt6.QtCore import QSettings, Qt, QTimer
from PyQt6.QtWidgets import QApplication

from tools.pictures import all_seen, setup_dialog, wait_for
from tools.screenshot import wait
from ui.desktop.window import Window
from ui.phone.addresses import LOOPBACK
from ui.phone.snapshot import PhoneSnapshot
from vision.simulation.practice_table import practice_table

_TICK_MS, _CHANGES_EVERY_MS = 16, 250
_ATTACKERS = [f"127.0.0.{number}" for number in range(2, 34)]

_PAGE = """
from ui.phone.server import PhoneServer
server = PhoneServer("127.0.0.1")
print(server.port, flush=True)
input()
server.stop()
"""
_PHONE = """
import sys, time, urllib.request
url, figures, until_s = sys.argv[1], sys.argv[2].split(","), time.monotonic() + float(sys.argv[3])
stream = urllib.request.urlopen(url + "events")
while time.monotonic() < until_s:
    for figure in figures:
        try:
            urllib.request.urlopen(url + "targets/" + figure).read()
        except OSError:
            pass  # busy
        time.sleep(0.25)
"""


def gaps_ms(seconds: float) -> list[float]:
    """The times between two ticks of a timer of 16 ms in the window's thread."""
    ticks_s: list[float] = []
    timer = QTimer()
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(lambda: ticks_s.append(time.monotonic()))
    timer.start(_TICK_MS)
    done = QTimer()
    done.setSingleShot(True)
    done.timeout.connect(QApplication.exit)
    done.start(round(1000 * seconds))
    QApplication.exec()
    timer.stop()
    return [1000 * (after - before) for before, after in pairwise(ticks_s)]


def row(name: str, gaps: list[float]) -> str:
    """Ticks a second, and how late the ticks come."""
    late = sorted(gaps)
    rate = 1000 * len(gaps) / sum(gaps)
    return (
        f"{name:32} {rate:5.1f} ticks/s   median {statistics.median(gaps):5.1f} ms"
        f"   99 % {late[int(0.99 * len(late))]:5.1f} ms   longest {late[-1]:5.1f} ms"
    )


def _changed(window: Window) -> PhoneSnapshot:
    """The battle at another position that looks the same."""
    view, position = window.store.view, window.battle.position
    assert view is not None
    assert position is not None
    return PhoneSnapshot(tuple(view.figures), position=replace(position), turn=window.battle.turn_bar.shown)


def measured(window: Window, elsewhere: int, seconds: float, rounds: int) -> None:
    """Measure the cases in turns, and print them; `elsewhere` is the port of the page of another process."""
    server = window.features.phone.server
    assert server is not None
    figures = ",".join(sorted(window.battle.figures))
    changing = QTimer(window)
    changing.timeout.connect(lambda: server.publish(_changed(window)))
    changing.start(_CHANGES_EVERY_MS)

    def phones() -> list[subprocess.Popen[bytes]]:
        arguments = [sys.executable, "-c", _PHONE, server.url, figures, str(seconds)]
        return [subprocess.Popen(arguments) for _ in range(3)]  # noqa: S603  # its own interpreter

    def attackers(port: int) -> list[subprocess.Popen[bytes]]:
        arguments = [LOOPBACK, str(port), "--seconds", str(seconds), "--sources", *_ATTACKERS]
        command = [sys.executable, "-m", "tools.hostile_clients", *arguments]
        return [subprocess.Popen(command, stdout=subprocess.DEVNULL)]  # noqa: S603

    cases: dict[str, Callable[[], list[subprocess.Popen[bytes]]]] = {
        "without phones": list,
        "three phones": phones,
        "200 hostile clients elsewhere": lambda: attackers(elsewhere),
        "200 hostile clients": lambda: attackers(server.port),
    }
    found: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(rounds):
        for name, start in cases.items():
            running = start()
            wait(1.0)  # until they have started
            found[name] += gaps_ms(seconds - 1.0)
            for process in running:
                process.wait()
    for name, gaps in found.items():
        print(row(name, gaps))


def main() -> None:
    """Print the pace of the window's thread in each case."""
    parser = argparse.ArgumentParser(prog="phone", description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0, help="how long each case lasts")
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QApplication(["phone"])  # must be referenced while the window lives
    with tempfile.TemporaryDirectory() as own:
        settings = QSettings(str(Path(own) / "settings.ini"), QSettings.Format.IniFormat)
        window = Window("demo", settings, opener=lambda _: practice_table(), battles=Path(own), tables=Path(own))
        window.show()
        all_seen(window)
        window.battle.begin(Path(own) / "phone.battle", setup_dialog(window, Path(own)).battle_setup)
        window.sides.setCurrentWidget(window.battle.panel)
        wait_for(lambda: window.battle.position, "the battle")
        for _ in range(2):
            window.battle.turn_bar.go_on.emit()
        window.features.phone.start(LOOPBACK)
        with subprocess.Popen([sys.executable, "-c", _PAGE], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:  # noqa: S603
            assert other.stdout is not None
            measured(window, int(other.stdout.readline()), chosen.seconds, chosen.rounds)
            other.communicate(b"\n")
        window.close()
        window.store.join()
    del application


if __name__ == "__main__":
    main()
