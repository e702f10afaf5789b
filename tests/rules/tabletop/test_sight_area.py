"""The ground in sight: shadows derived by hand, and the same verdicts as `sight`.

The standing silhouette has 1.025 square inches (the sum over the bands of `rules.tabletop.body`), and the head is
0.3 in wide: its topmost 0.015 * 1.025 / 0.3 = 0.051 in are the sliver that counts as visible. So a soldier on the table
is hidden from where the ray over an obstacle is higher than 2.1 - 0.051 = 2.049 in.
"""

import math

import numpy as np
import pytest

from rules.tabletop.errors import UserError
from rules.tabletop.measure import surface_in
from rules.tabletop.scene import SightRules
from rules.tabletop.sight import sight
from rules.tabletop.sight_area import Cells, ground_in_sight, ground_of
from rules.tabletop.table import Figure, Posture, TerrainKind, TerrainPiece, ellipse_outline
from tests.rules.tabletop.test_sight_properties import soldier, table

CELL_IN = 0.1
STRETCH = Cells(-1.0, -0.05, 30.0, 0.05, CELL_IN)  # one row of cells along the x axis


def box(kind, left, right, height, base=0.0, near=-20.0, far=20.0):
    return TerrainPiece("it", kind, ((left, near), (right, near), (right, far), (left, far)), base, height)


def seen_at(*terrain, cells=STRETCH, posture=Posture.STANDING, rules=None, figures=()):
    """A function that says whether a shooter at the origin sees a soldier at (x, y)."""
    found = ground_in_sight(soldier("a", 0.0, 0.0, posture), ground_of(cells, terrain), figures, rules)
    return lambda x, y=0.0: bool(found[int((y - cells.near_in) / CELL_IN), int((x - cells.left_in) / CELL_IN)])


def edge_at(seen, near, far):
    """Where along the x axis sight ends: the first hidden place."""
    return next(x for x in np.arange(near, far, CELL_IN) if not seen(x))


def test_all_open_ground_is_in_sight():
    assert ground_in_sight(soldier("a", 0, 0), ground_of(Cells(-5, -5, 5, 5), ())).all()


def test_a_wall_above_the_eye_casts_a_shadow_that_begins_where_the_ray_passes_the_head():
    # The ray over the near edge, 0.2 above the eye at 5 in, is at 1.6 + 0.2 d / 5: at 2.049 for d = 11.22.
    seen = seen_at(box(TerrainKind.WALL, 5, 5.5, 1.8))
    assert edge_at(seen, 6.05, 30) == pytest.approx(11.22, abs=0.15)
    assert not seen(29)


def test_a_prone_shooter_loses_the_ground_behind_a_low_wall():
    # From an eye at 0.3 the ray over a wall of 1.0 is at 0.3 + 0.7 d / 5: at 2.049 for d = 12.49.
    wall = box(TerrainKind.LOW_WALL, 5, 5.5, 1.0)
    assert edge_at(seen_at(wall, posture=Posture.PRONE), 6.05, 30) == pytest.approx(12.49, abs=0.15)
    assert all(seen_at(wall)(x) for x in (6, 12, 20)), "from 1.6 in the ray falls behind the wall"


def test_the_shadow_of_a_house_ends_beside_the_line_past_its_corner():
    # A soldier shows beside the corner (5, 2) if the middle of its outermost strip does, 3.5 * 0.9 / 8 = 0.394 in
    # beside its centre: the strip holds 0.022 of the silhouette.
    cells = Cells(14.95, 0, 15.05, 12, CELL_IN)
    seen = seen_at(box(TerrainKind.BUILDING, 5, 8, 9.0, near=-2, far=2), cells=cells)
    for y in cells.middles_in[1]:
        beside = math.atan2(y, 15) + math.atan(0.394 / math.hypot(15, y)) - math.atan2(2, 5)
        if abs(beside) * 15 > CELL_IN:
            assert seen(15, y) == (beside > 0), y


def test_a_soldier_on_a_hill_is_seen_over_the_wall_that_hides_the_ground():
    # At 15 in the ray is at 1.6 + 0.2 * 3 = 2.2: above 2.049, but below 3.049 on a hill of 1 in.
    wall = box(TerrainKind.WALL, 5, 5.5, 1.8)
    assert not seen_at(wall)(15)
    assert seen_at(wall, box(TerrainKind.HILL, 14, 18, 1.0))(15)


def test_a_lower_hill_hides_nothing_of_soldiers_on_it():
    # The eye, 2 in higher on a hill of its own, is at 3.6. The ray over the far edge of the lower hill (1 in, up to
    # x = 29) is at 3.6 - 2.6 * 2 / 29 = 3.4 at x = 2, above the head of a soldier there at 3.1; but the edge is behind.
    shooter = Figure("a", "tan", 0.0, 0.0, 2.0, 0.1, Posture.STANDING, ellipse_outline((0.0, 0.0), 0.5, 0.5))
    hills = (box(TerrainKind.HILL, -2, 0.5, 2.0), box(TerrainKind.HILL, 1, 29, 1.0))
    found = ground_in_sight(shooter, ground_of(STRETCH, hills))
    assert found[0, 30:].all()


def test_the_far_rim_of_a_trench_hides_what_is_behind_it():
    # From the prone eye at 0.3 the ray over the rim, 1.0 at 2 in, is at 0.3 + 0.7 * 8 / 2 = 3.1 at 8 in, and that under
    # a rim from 0.2 up at 0.3 - 0.1 * 8 / 2 < 0.
    for base in (0.0, 0.2):
        trench = box(TerrainKind.TRENCH, -2, 2, 1.0 - base, base)
        assert not seen_at(trench, posture=Posture.PRONE)(8)
        assert seen_at(trench, posture=Posture.PRONE)(1)


def test_soldiers_in_woods_are_seen_and_those_behind_them_are_not():
    seen = seen_at(box(TerrainKind.WOODS, 5, 12, 6.0))
    assert all(seen(x) for x in (4.05, 5.05, 9.05, 11.95))
    assert not any(seen(x) for x in (12.05, 20.05, 29.05))


def test_a_soldier_in_woods_sees_out_of_them():
    """From the woods the other edge hides nothing; a second wood, 3 in deep, hides what is behind it."""
    seen = seen_at(box(TerrainKind.WOODS, -3, 9, 6.0), box(TerrainKind.WOODS, 15, 18, 6.0))
    assert [seen(x) for x in (5.05, 12.05, 16.05, 20.05)] == [True, True, True, False]


def test_a_soldier_in_a_house_is_seen_and_one_behind_it_is_not():
    seen = seen_at(box(TerrainKind.BUILDING, 5, 9, 6.0))
    assert [seen(x) for x in (4, 7, 10, 20)] == [True, True, False, False]


def test_soldiers_in_the_way_count_only_if_the_rules_say_so():
    # Posts 2.1 in high and 0.49 in wide, 0.3 in apart, at 3 in: the ray over them is at 1.6 + 0.5 * 8 / 3 = 2.9.
    row = [soldier(f"b{n}", 3.0, 0.3 * n) for n in range(-3, 4)]
    assert seen_at(figures=row)(8)
    assert not seen_at(figures=row, rules=SightRules(figures_hide=True))(8)


@pytest.mark.parametrize("seed", range(6))
def test_the_cells_agree_with_sight(seed):
    """Away from edges: a cell's verdict may belong to a place that is one cell away."""
    soldiers, terrain = table(seed)
    rules = SightRules(figures_hide=bool(seed % 2), standing_height_in=(2.1, 1.2)[seed // 3])
    x, y = soldiers[0].centre_in
    shooter = Figure(
        "a", "tan", x, y, surface_in((x, y), terrain), 0.1, Posture(list(Posture)[seed % 3]), soldiers[0].base_in
    )
    cells = Cells(0, 0, 20, 20, CELL_IN)
    found = ground_in_sight(shooter, ground_of(cells, terrain), soldiers[1:], rules)
    around = np.stack([np.roll(found, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)])
    rows, columns = np.nonzero(around.all(0) | ~around.any(0))
    rng, compared = np.random.default_rng(seed), []
    for n in rng.choice(len(rows), 60):
        if {rows[n], columns[n]} & {0, 199}:
            continue
        place = (float(cells.middles_in[0][columns[n]]), float(cells.middles_in[1][rows[n]]))
        base = ellipse_outline(place, 0.5, 0.5)
        target = Figure("b", "tan", *place, surface_in(place, terrain), 0.1, Posture.STANDING, base)
        by_sight = sight(shooter, target, terrain, soldiers[1:], rules).visible
        assert by_sight == found[rows[n], columns[n]], place
        compared.append(by_sight)
    assert len(compared) > 30


def test_only_the_wanted_cells_are_computed():
    soldiers, terrain = table(3)
    ground = ground_of(Cells(0, 0, 20, 20, CELL_IN), terrain)
    everything = ground_in_sight(soldiers[0], ground)
    where = np.zeros(ground.cells.shape, bool)
    where[50:120, 30:90] = True
    some = ground_in_sight(soldiers[0], ground, where=where)
    assert not some[~where].any()
    # The rays are as dense as the cells at the farthest cell, so fewer rays may differ at the edges of shadows.
    assert (some != everything)[where].mean() < 0.01
    assert not ground_in_sight(soldiers[0], ground, where=np.zeros_like(where)).any()


@pytest.mark.parametrize(("right", "cell", "words"), [(0, 0.1, "no area"), (1e4, 0.1, "too large")])
def test_impossible_grids_are_refused(right, cell, words):
    with pytest.raises(UserError, match=words):
        Cells(0, 0, right, 100, cell)
