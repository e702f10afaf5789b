"""Time of the exposure of all ordered pairs: 60 figures among 30 pieces, and how it grows.

Run with `python -m benchmarks.sight`. The baseline, in the same run, is numpy sorting a million numbers.
"""

import math
import statistics
import time
from collections.abc import Callable

import numpy as np

from rules.sight import exposures
from rules.table import Figure, Posture, TerrainKind, TerrainPiece, ellipse_outline

POSTURES = (Posture.STANDING, Posture.STANDING, Posture.KNEELING, Posture.PRONE)
LENGTH_IN, WIDTH_IN = 72.0, 48.0


def piece(n: int, rng: np.random.Generator, length_in: float, width_in: float) -> TerrainPiece:
    """A wall, hedge, house, hill or tree, by turns."""
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
    """A table with figures and pieces anywhere; `spread` times longer and wider for the pieces that do not matter."""
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


def typical_ms(work: Callable[[], object], repeats: int = 7) -> float:
    """Median processor time of a few runs after a first one; what else the machine does is left out."""
    times = []
    for _ in range(repeats + 1):
        began = time.process_time()
        work()
        times.append((time.process_time() - began) * 1000)
    return statistics.median(times[1:])


def main() -> None:
    numbers = np.random.default_rng(0).random(1_000_000)
    print(f"baseline, a million numbers sorted: {typical_ms(lambda: np.sort(numbers)):.0f} ms")
    print("figures  pieces  table   pairs  pieces met  time ms  us a pair")
    for figures, pieces, spread in (
        (60, 30, 1.0),
        (15, 30, 1.0), (30, 30, 1.0), (120, 30, 1.0),
        (60, 0, 1.0), (60, 7, 1.0), (60, 15, 1.0), (60, 60, 1.0), (60, 120, 1.0),
        (60, 120, 2.0),
    ):  # fmt: skip
        soldiers, terrain = battle(figures, pieces, spread)
        met = len(exposures(soldiers, terrain).hidden)
        took = typical_ms(lambda s=soldiers, t=terrain: exposures(s, t))  # type: ignore[misc]
        pairs = figures * (figures - 1)
        print(f"{figures:7d}  {pieces:6d}  x{spread:g}  {pairs:8d}  {met:10d}  {took:7.1f}  {took / pairs * 1000:9.1f}")


if __name__ == "__main__":
    main()
