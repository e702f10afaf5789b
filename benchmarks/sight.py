"""Time of the exposure of all ordered pairs: 60 figures among 30 pieces, and how it grows.

Run with `python -m benchmarks.sight`. The baseline, in the same run, is a plain scan of polygons.
"""

import math
from collections.abc import Sequence

import numpy as np
import shapely
from shapely.geometry import Point, Polygon

from benchmarks.page import Budget, Table, number
from benchmarks.scan import scan_exposures
from benchmarks.stopwatch import time_with_baseline
from rules.tabletop.sight import SLIVER, exposures
from rules.tabletop.table import Figure, Posture, TerrainKind, TerrainPiece, ellipse_outline

POSTURES = (Posture.STANDING, Posture.STANDING, Posture.KNEELING, Posture.PRONE)
LENGTH_IN, WIDTH_IN = 72.0, 48.0
SIZES = (
    (5, 30, 1.0), (20, 30, 1.0), (60, 30, 1.0), (120, 30, 1.0), (200, 30, 1.0),
    (60, 0, 1.0), (60, 60, 1.0), (60, 120, 1.0), (60, 120, 2.0),
)  # fmt: skip
"""Figures, pieces, and the scale of the pieces' table."""


def piece(n: int, rng: np.random.Generator, length_in: float, width_in: float) -> TerrainPiece:
    """A wall, hedge, house, hill or tree, in turn."""
    at = (rng.uniform(2, length_in - 2), rng.uniform(2, width_in - 2))
    turn = rng.uniform(0, 180)
    kind, half, height = (
        (TerrainKind.WALL, (2.5, 0.3), 1.1),
        (TerrainKind.HEDGE, (3.0, 0.5), 1.4),
        (TerrainKind.BUILDING, (2.8, 2.4), 5.0),
        (TerrainKind.HILL, (4.5, 3.5), 1.0),
        (TerrainKind.TREE, (1.6, 1.6), 5.5),
    )[n % 5]
    if kind in (TerrainKind.TREE, TerrainKind.HILL):
        outline = ellipse_outline(at, *half, turn)
    else:
        c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        corners = [(u * half[0], v * half[1]) for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        outline = tuple((at[0] + c * u - s * v, at[1] + s * u + c * v) for u, v in corners)
    return TerrainPiece(f"{kind}-{n}", kind, outline, 0.0, height)


def battle(figures: int, pieces: int, spread: float = 1.0) -> tuple[list[Figure], list[TerrainPiece]]:
    """A table with random figures and pieces; `spread` scales the pieces' area, so that many do not matter."""
    rng = np.random.default_rng([figures, pieces])
    soldiers = []
    for n in range(figures):
        x, y, posture = (
            rng.uniform(1, LENGTH_IN - 1),
            rng.uniform(1, WIDTH_IN - 1),
            POSTURES[rng.integers(len(POSTURES))],
        )
        base = ellipse_outline((x, y), 0.54, 0.41, rng.uniform(0, 180))
        soldiers.append(Figure(f"f{n}", "green", x, y, 0.0, 0.1, posture, base))
    return soldiers, [piece(n, rng, LENGTH_IN * spread, WIDTH_IN * spread) for n in range(pieces)]


def open_battle(figures: int, pieces: int) -> tuple[list[Figure], list[TerrainPiece]]:
    """A battle without figures in or on a piece, which a plain scan of polygons can handle."""
    soldiers, terrain = battle(3 * figures, pieces)
    areas = shapely.union_all([Polygon(one.outline_in) for one in terrain])
    return [one for one in soldiers if not areas.contains(Point(one.centre_in))][:figures], terrain


def table(sizes: Sequence[tuple[int, int, float]], rounds: int) -> Table:
    """The page's table: growth compared with a plain scan of the polygons, and the design's budget."""
    rows, budgets = [], []
    for figures, pieces, spread in sizes:
        soldiers, terrain = battle(figures, pieces, spread)
        pairs, some = figures * (figures - 1), min(figures, 8)
        timing = time_with_baseline(
            lambda s=soldiers, t=terrain: exposures(s, t),  # type: ignore[misc]
            lambda s=soldiers[:some], t=terrain: scan_exposures(s, t),  # type: ignore[misc]
            rounds=rounds,
        )
        scan = pairs / (some * (some - 1))
        met = len(exposures(soldiers, terrain).hidden)
        where = f"{pieces}" if spread == 1 else f"{pieces}, on {spread:g} x the length and width"
        rows.append((str(figures), where, str(pairs), str(met), number(timing.ms), f"1 / {scan / timing.ratio:.0f}"))
        if (figures, pieces) == (60, 30):
            budgets.append(Budget("exposure of all pairs, 60 figures among 30 pieces", timing.ms, 100, "ms"))
    head = ("figures", "pieces", "pairs", "obstacles met", "processor ms", "of a plain scan")
    return Table("sight", head, rows, _agreement(), tuple(budgets))


def _agreement() -> str:
    """A sentence on the agreement of both methods."""
    soldiers, terrain = open_battle(20, 30)
    ours, theirs = exposures(soldiers, terrain).exposure, scan_exposures(soldiers, terrain)
    off, agree = np.abs(ours - theirs), (ours >= SLIVER) == (theirs >= SLIVER)
    pairs = len(soldiers) * (len(soldiers) - 1)
    return (
        f"{pairs} pairs in the open among 30 pieces, by both methods: exposures differ by "
        f"{off.sum() / pairs:.4f} on average and {off.max():.3f} at most, "
        f"visibility for {pairs - int(agree.sum() - len(soldiers))} pairs."
    )


def main() -> None:
    print(table(SIZES, 5).markdown())


if __name__ == "__main__":
    main()
