"""`python -m tools.screenshot OUT.jpg`: the window on the simulated table, with a range and a blast."""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path

from PyQt6.QtCore import QSettings
from PyQt6.QtWidgets import QApplication

from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure, PointIn
from rules.tabletop.template import Blast, under_blast
from ui.desktop.theme import Theme, apply_theme
from ui.desktop.window import Window
from vision.simulation.scene import demo_scene
from vision.simulation.simulator import SimulatedTable
from vision.source import Source
from vision.table_view import TableView

_SIZE = (1366, 768)
QUALITY = 82
"""JPEG quality: the wood grain stays sharp, at a tenth of the size of a PNG."""
_PATIENCE_S = 60.0
_RADIUS_IN = 3.0
_RANGE_IN = (10.0, 16.0)
"""Long enough for the label to stay clear of both soldiers."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the picture; return the exit status."""
    parser = argparse.ArgumentParser(prog="screenshot", description=__doc__)
    parser.add_argument("picture", type=Path, metavar="OUT.jpg")
    path: Path = parser.parse_args(arguments).picture

    def shoot(window: Window, _: Path) -> None:
        _play(window)
        if not window.grab().save(str(path), quality=QUALITY):
            raise UserError(f"cannot write {path}: choose another folder, and a name ending in .jpg or .png")

    return run_scene("screenshot", lambda: SimulatedTable(demo_scene(), frames=1), shoot)


def run_scene(
    name: str, opened: Callable[[], Source], act: Callable[[Window, Path], None], theme: Theme = Theme.DARK
) -> int:
    """Run a scene in a window with temporary settings, offscreen on Linux unless a platform is set; return the status.

    `opened` opens the window's source, also again; the folder passed to `act` is temporary.
    """
    if sys.platform == "linux":
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QApplication.instance() or QApplication(["sandtable"])  # must be referenced while the window lives
    assert isinstance(application, QApplication)  # the program creates no other
    with tempfile.TemporaryDirectory() as own:
        settings = QSettings(str(Path(own) / "settings.ini"), QSettings.Format.IniFormat)
        apply_theme(application, theme)
        window = Window("demo", settings, opener=lambda _: opened())
        try:
            window.resize(*_SIZE)
            window.show()
            act(window, Path(own))
        except UserError as refusal:
            print(f"{name}: {refusal}", file=sys.stderr)
            return 1
        finally:
            window.close()
            window.store.join()
    return 0


def _play(window: Window) -> None:
    """Place a blast and measure a range with the mouse."""
    view = figures_seen(window)
    level = [f for f in view.figures if f.z_in == 0]  # the disc lies on the table, not on the hills
    blast_in = max((f.centre_in for f in level), key=lambda at: _weight(view.figures, at))
    hit = {h.id for h in under_blast(Blast(blast_in, _RADIUS_IN), view.figures)}
    window.store.use_tool("blast")
    click(window, view, blast_in)
    window.store.use_tool("measure")
    for figure in enemies(view.figures, hit):
        click(window, view, figure.centre_in, figure.z_in)
    window.picture.left.emit()
    wait(0.5)


def figures_seen(window: Window) -> TableView:
    """The view once figures are seen. Raises `UserError` if none is found in time."""
    until_s = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until_s:
        wait(0.05)
        view = window.store.source_controller.view
        if view is not None and view.figures:
            return view
    raise UserError("no figure was found on the simulated table: run `sandtable doctor` to see what is missing")


def wait(seconds: float) -> None:
    """Process Qt's events while the threads work."""
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s:
        QApplication.processEvents()
        time.sleep(0.005)


def click(window: Window, view: TableView, at_in: PointIn, height_in: float = 0.0) -> None:
    """Click a position on the table."""
    assert view.calibration is not None  # figures were found
    px = view.calibration.camera.table_to_pixel((*at_in, height_in))[0]
    window.picture.pressed.emit(*px)
    window.picture.released.emit(*px)


def _weight(figures: Sequence[Figure], at_in: PointIn) -> float:
    """How many figures a blast there hits; partly covered ones count twice, because they show more."""
    hits = under_blast(Blast(at_in, _RADIUS_IN), figures)
    return sum(1.0 if hit.fraction == 1 else 2.0 for hit in hits)


def enemies(figures: Sequence[Figure], but: set[str]) -> tuple[Figure, Figure]:
    """Two figures of different armies, well apart, with few other figures near their midpoint."""
    pairs = [
        (a, b)
        for a, b in combinations([f for f in figures if f.id not in but], 2)
        if a.army != b.army and _RANGE_IN[0] < math.dist(a.centre_in, b.centre_in) < _RANGE_IN[1]
    ]
    if not pairs:
        raise UserError("no two enemies are at a suitable distance: change the demo's seed")
    return max(pairs, key=lambda pair: _clearance(figures, pair))


def _clearance(figures: Sequence[Figure], pair: tuple[Figure, Figure]) -> float:
    a, b = pair
    middle = ((a.x_in + b.x_in) / 2, (a.y_in + b.y_in) / 2)
    return min(math.dist(middle, f.centre_in) for f in figures if f not in pair)


if __name__ == "__main__":
    sys.exit(main())
