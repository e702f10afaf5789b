"""Measure the painting time of the window: 60 figures, every kind of shape at once, a full-HD picture and window.

`python -m benchmarks.paint` prints the time to compute the shapes after the mouse has moved, to paint them (with the
resting shapes cached), and to paint all of them without that cache, as after a figure moved or the picture was dragged.
While the picture is zoomed, no small shape comes from its image: painting takes three times as long.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from PyQt6.QtGui import QGuiApplication, QImage, QPainter, QTransform

from benchmarks.page import Table, number
from benchmarks.stopwatch import time_with_baseline
from calibration.camera import Lens, TableCamera
from calibration.opencv import cv2
from calibration.solve import Calibration
from rules.tabletop.table import Figure, Posture, TerrainKind, TerrainPiece, ellipse_outline
from rules.tabletop.template import Blast, Flame, Strip, Wedge
from ui.desktop.picture.painter import Layers
from ui.picture.drawing import Drawing
from ui.picture.preview import Preview
from ui.picture.shapes import Line, Shape
from ui.session import Ruler, TableState
from ui.theme import WHITE
from ui.tools.reach import Arm, fan_finding
from ui.tools.tool_context import ToolContext
from vision.frame import Frame
from vision.setup import Setup
from vision.table_view import TableView
from vision.tracks import Tracking

Shapes = tuple[Shape, ...]

SIZE_PX = (1920, 1080)
FIGURES = (5, 20, 60, 120, 200)


def main() -> None:
    """Print the table."""
    print(table(FIGURES, 7).markdown())


def table(counts: Sequence[int], rounds: int) -> Table:
    """The page's table: everything on the picture at once, by the number of figures; baseline is one BGR to Lab."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QGuiApplication.instance() or QGuiApplication(["paint"])
    frame = np.random.default_rng(0).integers(0, 255, (SIZE_PX[1], SIZE_PX[0], 3), np.uint8)
    rows = []
    for count in counts:
        now = crowded(count)
        shooter, hovered = now.figure("green-1"), now.view.figures[2].id
        assert shooter is not None
        preview = Preview(hovered=hovered, finding=fan_finding(now, shooter, Arm("rifle", 24.0)))
        drawing = Drawing()
        layers = drawing.of(now.view, now.state, preview)
        works = (
            partial(drawing.of, now.view, now.state, preview),
            painter_of(layers),
            painter_of(layers, repaint=True),
        )
        timings = [
            time_with_baseline(work, partial(cv2.cvtColor, frame, cv2.COLOR_BGR2LAB), rounds=rounds) for work in works
        ]
        parts = [number(one.ratio) for one in timings]
        rows.append((str(count), str(sum(map(len, layers))), *parts, number(timings[1].ms)))
    del application
    head = ("figures", "shapes", "computed again, x Lab", "painted", "repainted", "painted, ms")
    return Table("paint", head, rows)


def painter_of(shapes: tuple[Shapes, ...], *, repaint: bool = False) -> Callable[[], None]:
    """A function that paints the shapes at screen size; `repaint` repaints the cached ones as well."""
    screen, layers = QImage(*SIZE_PX, QImage.Format.Format_RGB32), Layers()
    count = itertools.count(1.0)  # the shapes at the mouse change every time

    def work() -> None:
        painter = QPainter(screen)
        layers.show(*shapes[:-1], (*shapes[-1], Line((), WHITE, next(count))))
        layers.paint(painter, QTransform.fromTranslate(next(count) if repaint else 0.5, 0.5), screen.size(), 1.0)
        painter.end()

    return work


def crowded(count: int = 60) -> ToolContext:
    """A 72 x 40 in table with figures of two armies, 30 pieces, rulers and templates."""
    rng = np.random.default_rng(8)
    lens = Lens(SIZE_PX, np.array([[1500.0, 0, 960], [0, 1500, 540], [0, 0, 1]]), np.array([-0.1, 0.02, 0, 0, 0]))
    down = np.diag([1.0, -1.0, -1.0])
    camera = TableCamera(lens, down, -down @ (36.0, 20.0, 58.0))
    nudged = TableCamera(lens, down, -down @ (36.0, 20.0, 58.0005))
    rows = max(6, -(-count // 10))
    places = [
        (4 + 7 * (k % 10) + rng.uniform(-2, 2), 4 + 36 / rows * (k // 10) + rng.uniform(-2, 2)) for k in range(count)
    ]
    figures = tuple(_soldier(k, *place) for k, place in enumerate(places))
    terrain = tuple(
        TerrainPiece(f"wall {k}", TerrainKind.LOW_WALL, ellipse_outline(tuple(rng.uniform((4, 4), (68, 36))), 2, 1))
        for k in range(30)
    )
    rulers = tuple(Ruler(figures[2 * k % count].id, figures[(2 * k + 31) % count].id) for k in range(6))
    templates = (
        Blast((20, 20), 3),
        Blast((50, 10), 6),
        Wedge((30, 30), 20, 6, 45),
        Wedge((10, 30), 200, 6, 45),
        Flame((60, 30), 180, 12, 6),
        Strip(((40, 5), (40, 17)), 1),
    )
    frame = Frame(np.zeros((SIZE_PX[1], SIZE_PX[0], 3), np.uint8), 0, 0.0)
    marker = np.array([[1.0, 4], [4, 4], [4, 1], [1, 1]])
    view = TableView(frame, Calibration(camera, {0: marker}, 0.1, (nudged,)), Tracking(figures))
    return ToolContext(view, TableState(Setup(terrain=terrain), rulers, templates))


def _soldier(number: int, x: float, y: float) -> Figure:
    army = ("green", "tan")[number % 2]
    base = ellipse_outline((x, y), 0.5, 0.4)
    return Figure(f"{army}-{number // 2 + 1}", army, x, y, 0.0, 0.05, Posture.STANDING, base)


if __name__ == "__main__":
    main()
