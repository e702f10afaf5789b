"""Take a first measured shot like a new player: the real program on an X display, real mouse clicks, all counted.

    python -m tools.first_shot [--display :88] [--pictures FOLDER]

Needs xdotool, and Xvfb unless the display already exists. The settings are temporary. The exit status is 1 if it takes
more than seven clicks, or if the displayed distance differs from the simulated table's.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from PyQt6.QtCore import QObject, QPoint, pyqtSignal
from PyQt6.QtWidgets import QApplication, QWidget

from rules.tabletop.table import Figure, Posture
from ui.desktop.app import run
from ui.desktop.window import Window
from ui.setup.first_run import GuideStep

T = TypeVar("T")

MOST_CLICKS = 7
NEAR_IN = 0.3
SCREEN = "1366x768x24"
_RESTS_S = 0.6  # pause before a click, long enough for the outline of the proposed soldier


class Insider(QObject):
    """Queries the program's window from another thread."""

    _asked = pyqtSignal(object)

    def __init__(self) -> None:
        super().__init__()
        self._asked.connect(lambda question: question())

    def ask(self, question: Callable[[Window], T]) -> T:
        answer: Future[T] = Future()

        def asked() -> None:
            try:
                windows = [one for one in QApplication.topLevelWidgets() if isinstance(one, Window)]
                answer.set_result(question(windows[0]))
            except Exception as fault:  # noqa: BLE001 - raised again in the thread that asks
                answer.set_exception(fault)

        self._asked.emit(asked)
        return answer.result(timeout=60)

    def wait(self, condition: Callable[[Window], Any], timeout_s: float = 90.0) -> None:
        until_s = time.monotonic() + timeout_s
        while not self.ask(condition):
            if time.monotonic() > until_s:
                raise TimeoutError(f"waited in vain; the guide says: {self.ask(_guide_words)}")
            time.sleep(0.05)


class Stranger:
    """Follows the guide with a mouse.

    Attributes:
        clicks: Number of clicks so far.
        report: The result in words; empty until there is one.
        good: Whether the distance was right and the clicks few enough.
    """

    def __init__(self, insider: Insider, pictures: Path | None) -> None:
        self._in, self._pictures = insider, pictures
        self.clicks, self.report, self.good = 0, "", False

    def play(self) -> None:
        start_s = time.monotonic()
        try:
            shown_in, true_in = self._shoot()
            took_s = time.monotonic() - start_s
            self.good = self.clicks <= MOST_CLICKS and abs(shown_in - true_in) <= NEAR_IN
            self.report = f"{self.clicks} clicks, {took_s:.0f} s: {shown_in:.1f} in shown, {true_in:.2f} in true"
        except Exception as fault:  # noqa: BLE001 - the window must close whatever happens
            self._picture("fault")
            self.report = f"after {self.clicks} clicks: {fault!r}"
        finally:
            self._in.ask(lambda window: window.close())

    def _shoot(self) -> tuple[float, float]:
        """The distance that the program shows after its first shot, and the true one."""
        self._in.wait(lambda window: _step(window) is GuideStep.CAMERA)
        self._click(lambda window: _middle(window.help.guide.bar.button))
        self._in.wait(lambda window: window.help.guide.choices.isVisible() or _step(window) is not GuideStep.CAMERA)
        if self._in.ask(lambda window: window.help.guide.choices.isVisible()):  # a camera is plugged in
            self._click(_simulated_entry)
        self._in.wait(lambda window: _step(window) is GuideStep.EMPTY and window.help.guide.bar.button.isEnabled())
        self._picture("empty")
        self._click(lambda window: _middle(window.help.guide.bar.button))
        self._in.wait(
            lambda window: _step(window) is GuideStep.ARMIES and window.help.guide.bar.words.text().startswith("Found")
        )
        self._click(lambda window: _middle(window.help.guide.bar.button), look="armies")
        self._in.wait(lambda window: _step(window) is GuideStep.GAME)
        self._picture("game")
        self._click(lambda window: _middle(window.help.guide.bar.skip))
        self._in.wait(lambda window: _step(window) is GuideStep.SHOT)
        ends = [self._in.ask(lambda window, army=army: _soldier(window, army)) for army in ("green", "tan")]
        for end in ends:
            self._click(lambda window, end=end: _base(window, end))
        self._in.wait(lambda window: window.store.session.state.rulers and _step(window) is None)
        self._picture("shot")
        shown_in = float(self._in.ask(lambda window: window.panel.headline).split()[0])
        return shown_in, math.dist(ends[0].centre_in, ends[1].centre_in)

    def _click(self, where: Callable[[Window], QPoint], look: str = "") -> None:
        at = self._in.ask(where)
        _xdotool("mousemove", str(at.x()), str(at.y()))
        time.sleep(_RESTS_S)
        if look:
            self._picture(look)
        _xdotool("click", "1")
        self.clicks += 1

    def _picture(self, name: str) -> None:
        if self._pictures is not None:
            path = str(self._pictures / f"{self.clicks}-{name}.png")
            self._in.ask(lambda window: window.grab().save(path))


def _xdotool(*words: str) -> None:
    subprocess.run(["xdotool", *words], check=True)


def _step(window: Window) -> GuideStep | None:
    shown = window.help.guide.bar.shown
    return shown.step if shown is not None else GuideStep.CAMERA


def _guide_words(window: Window) -> str:
    return window.help.guide.bar.words.text()


def _middle(widget: QWidget) -> QPoint:
    return widget.mapToGlobal(widget.rect().center())


def _simulated_entry(window: Window) -> QPoint:
    menu = window.help.guide.choices
    [entry] = [action for action in menu.actions() if action.text() == "Simulated table"]
    return menu.mapToGlobal(menu.actionGeometry(entry).center())


def _soldier(window: Window, army: str) -> Figure:
    """The standing soldier of an army that is nearest to the centre of the table."""
    table = window.store.source_controller.simulated
    assert table is not None
    men = [one for one in table.truth.figures if one.army == army and one.posture is Posture.STANDING]
    middle_in = np.mean([one.centre_in for one in table.truth.figures], axis=0)
    return min(men, key=lambda one: math.dist(one.centre_in, middle_in))


def _base(window: Window, soldier: Figure) -> QPoint:
    table = window.store.source_controller.simulated
    assert table is not None
    x, y = table.truth.camera.table_to_pixel((*soldier.centre_in, soldier.z_in))[0]
    return window.picture.mapToGlobal(window.picture.to_widget((float(x), float(y))).toPoint())


def _use_fresh_settings(folder: str, display: str) -> None:
    os.environ.update(DISPLAY=display, QT_QPA_PLATFORM="xcb")
    for what in ("CONFIG", "DATA", "STATE", "CACHE"):
        os.environ[f"XDG_{what}_HOME"] = os.path.join(folder, what.lower())


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--display", default=":88")
    options.add_argument("--pictures", type=Path, help="save the window as it was at each step")
    given = options.parse_args()
    if given.pictures is not None:
        given.pictures.mkdir(parents=True, exist_ok=True)
    # If the display already exists, this Xvfb ends at once, which is fine.
    server = subprocess.Popen(["Xvfb", given.display, "-screen", "0", SCREEN], stderr=subprocess.DEVNULL)
    try:
        time.sleep(1.0)
        with tempfile.TemporaryDirectory() as folder:
            _use_fresh_settings(folder, given.display)
            application = QApplication(["sandtable"])  # before other objects of Qt
            stranger = Stranger(Insider(), given.pictures)
            thread = threading.Thread(target=stranger.play, name="stranger")
            thread.start()
            run(None)
            thread.join()
            del application
    finally:
        server.terminate()
    print(stranger.report)
    return 0 if stranger.good else 1


if __name__ == "__main__":
    sys.exit(main())
