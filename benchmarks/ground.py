"""Time of the ground that a figure sees: 0.1 in cells on a 72 x 48 in table with 30 pieces and 60 figures.

Run with `python -m benchmarks.ground`. The baseline, in the same run, asks for the exposure of a standing figure on
300 of the cells; its time is scaled to all of them.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.page import Budget, Table, budget_table, number
from benchmarks.sight import LENGTH_IN, WIDTH_IN, battle
from benchmarks.stopwatch import time_with_baseline
from rules.tabletop.scene import SightRules
from rules.tabletop.sight import exposures
from rules.tabletop.sight_area import Cells, Ground, ground_in_sight, ground_of
from rules.tabletop.table import Figure, FloatArray, Posture, TerrainPiece, ellipse_outline

SHOOTERS, ENEMIES, REACH_IN = 4, 30, 36.0
_ASKED = 300


def table(rounds: int) -> Table:
    """The page's table: one figure's ground, and that of many enemies within their reach, with the budgets."""
    figures, terrain = battle(60, 30)
    fine, coarse = (Cells(0.0, 0.0, LENGTH_IN, WIDTH_IN, cell_in) for cell_in in (0.1, 0.2))
    rows, budgets = [], []
    for what, cells, rules in (
        ("one soldier", fine, SightRules()),
        ("one soldier, past the others", fine, SightRules(figures_hide=True)),
    ):
        timings = [
            time_with_baseline(
                partial(_seen_by, shooter, cells, terrain, figures, rules),
                partial(exposures, [*_on_cells(cells), shooter], terrain, rules, shooter.id),
                rounds=rounds,
            )
            for shooter in figures[:SHOOTERS]
        ]
        count = cells.shape[0] * cells.shape[1]
        ms, ratio = (float(np.mean(values)) for values in ([t.ms for t in timings], [t.ratio for t in timings]))
        rows.append((what, f"{cells.cell_in}", str(count), number(ms), f"1 / {count / _ASKED / ratio:.0f}"))
        budgets.append(Budget(f"ground in sight of {what}, 0.1 in cells", ms, 150, "ms"))
    ground = ground_of(coarse, terrain)
    timing = time_with_baseline(
        partial(_in_danger, ground, figures[:ENEMIES]),
        partial(exposures, [*_on_cells(coarse), figures[0]], terrain, None, figures[0].id),
        rounds=max(1, rounds // 3),
    )
    count = sum(int(_within(ground, enemy).sum()) for enemy in figures[:ENEMIES])
    what = f"{ENEMIES} enemies, {REACH_IN:g} in far"
    rows.append((what, f"{coarse.cell_in}", str(count), number(timing.ms), f"1 / {count / _ASKED / timing.ratio:.0f}"))
    budgets.append(Budget(f"danger area of {ENEMIES} enemies, 0.2 in cells", timing.ms, 1000, "ms"))
    return Table(
        "ground",
        ("ground of", "cell, in", "cells", "processor ms", "of asking for each cell"),
        rows,
        "",
        tuple(budgets),
    )


def _seen_by(
    shooter: Figure, cells: Cells, terrain: list[TerrainPiece], figures: list[Figure], rules: SightRules
) -> FloatArray:
    return np.asarray(ground_in_sight(shooter, ground_of(cells, terrain), figures, rules), np.float64)


def _in_danger(ground: Ground, enemies: list[Figure]) -> FloatArray:
    return np.sum([ground_in_sight(enemy, ground, where=_within(ground, enemy)) for enemy in enemies], axis=0)


def _within(ground: Ground, enemy: Figure) -> np.ndarray:
    x, y = ground.cells.middles_in
    return np.asarray(np.hypot(*np.meshgrid(x - enemy.x_in, y - enemy.y_in)) <= REACH_IN)


def _on_cells(cells: Cells) -> list[Figure]:
    """Standing figures in the middles of random cells."""
    x, y = cells.middles_in
    rng = np.random.default_rng(5)
    places = [(float(rng.choice(x)), float(rng.choice(y))) for _ in range(_ASKED)]
    return [
        Figure(f"c{n}", "tan", *place, 0.0, 0.0, Posture.STANDING, ellipse_outline(place, 0.5, 0.5))
        for n, place in enumerate(places)
    ]


def main() -> None:
    made = table(5)
    print(made.markdown())
    print(budget_table(made.budgets).markdown())


if __name__ == "__main__":
    main()
