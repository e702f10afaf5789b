"""Exposure of silhouettes by posture and size past terrain and other bodies, computed by hand and measured."""

import pytest

from rules.tabletop.body import BODIES, Body, mean_half_width, strips
from rules.tabletop.scene import SightRules
from rules.tabletop.sight import sight
from rules.tabletop.table import Figure, Posture, TerrainKind, ellipse_outline
from tests.rules.sighting import BOARD, box, seen, soldier

# Exposed part of real standing figures behind walls whose shadow ends at this height: the mean over poses (rifle,
# advancing, radio, bazooka, grenade, officer) of rays cast at their meshes, which scatter by about 0.04.
MEASURED = [
    (0.12, 0.945),
    (0.28, 0.86),
    (0.37, 0.80),
    (0.66, 0.70),
    (0.86, 0.57),
    (1.1, 0.52),
    (1.4, 0.33),
    (1.64, 0.12),
]


@pytest.mark.parametrize(("shadow_in", "exposure"), MEASURED)
def test_silhouettes_match_real_figures(shadow_in, exposure):
    # A thin wall close to the target: its shadow ends slightly below its own top.
    assert seen(box(TerrainKind.WALL, 9.98, 9.99, shadow_in), rules=None).exposure == pytest.approx(exposure, abs=0.05)


@pytest.mark.parametrize("posture", [one for one in Posture if one is not Posture.VEHICLE])
def test_nobody_sees_from_above_his_head(posture):
    body = BODIES[posture]
    assert 0 < body.eye_in < body.height_in


def test_smaller_figures_are_scaled_completely():
    # 1/72 figures are 0.95 in high: on a table scaled by 0.95 / 2.1 the exposure is the same.
    k = 0.95 / 2.1
    here = seen(box(TerrainKind.WALL, 4, 5, 1.0), rules=None)
    small = seen(
        box(TerrainKind.WALL, 4 * k, 5 * k, k), b=soldier("b", 10 * k), rules=SightRules(standing_height_in=0.95)
    )
    assert small.exposure == pytest.approx(here.exposure)
    # The same holds with a figure in the way, which is scaled too.
    size = SightRules(standing_height_in=0.95)
    big, little = (
        sight(soldier("a", 0), soldier("b", 10 * s), (), [soldier("c", 5 * s, 0.2 * s)], rules).figures_in_the_way[0]
        for s, rules in ((1, SightRules()), (k, size))
    )
    assert 0 < big.fraction < 1
    assert little.fraction == pytest.approx(big.fraction)


def test_lying_figure_in_the_way_has_the_width_of_its_body():
    # The body fills an eighth of a base that extends 0.8 in to either side: 0.1 in at x = 4.9, and thus 0.204 at the
    # board, whose strips' middles are at 0.0375, 0.1125, 0.1875 and 0.2625: six of eight. It is 0.5 in high: from a
    # prone eye at 0.3 in it hides up to 0.3 + 0.2 / 0.49.
    flat = Body(0.3, ((0.5, 0.125),), by_base=True)
    base = ((4.2, -0.8), (5.8, -0.8), (5.8, 0.8), (4.2, 0.8))
    between = Figure("c", "tan", 5, 0, 0, 0.1, Posture.PRONE, base)
    rules = SightRules(bodies={Posture.STANDING: BOARD, Posture.PRONE: flat})
    found = sight(soldier("a", 0, posture=Posture.PRONE), soldier("b", 10), (), [between], rules)
    assert found.figures_in_the_way[0].fraction == pytest.approx(6 / 8 * (0.3 + 0.2 / 0.49) / 2.1)


def test_body_of_another_height_uses_its_own_bands():
    # 1.0 in high: a wall of 1.1 in at x = 5 hides up to 1.6 - 0.5 / 0.5 = 0.6 of it.
    low = SightRules(bodies={Posture.STANDING: Body(1.6, ((1.0, 0.3),))})
    assert seen(box(TerrainKind.WALL, 4, 5, 1.1), rules=low).exposure == pytest.approx(0.4)


def test_lying_figures_have_the_width_of_their_base_across_the_line():
    # Seen end on, the prone figure's base extends 0.35 in to either side, seen from the side 0.76: a wall from y = 0.5
    # on hides nothing of the first, and the part beyond 0.5 in of the second.
    def lying(turn):
        return Figure("b", "tan", 10, 0, 0, 0.1, Posture.PRONE, ellipse_outline((10, 0), 0.76, 0.35, turn))

    wall = box(TerrainKind.WALL, 9, 9.5, 5.0, y0=0.5)
    assert seen(wall, b=lying(0)).exposure == 1.0
    assert 0.8 < seen(wall, b=lying(90)).exposure < 0.9
    small = SightRules(standing_height_in=0.95)  # its base was measured and is not scaled
    assert seen(wall, b=lying(90), rules=small).exposure == pytest.approx(seen(wall, b=lying(90)).exposure)


def test_off_centre_base_is_seen_where_it_is():
    # The base extends 0.2 in to the right of the line and 1.0 to the left: a wall on the right hides the first of
    # eight strips, whose middle is 0.125 in to the right; the next one's is 0.025 to the left.
    flat = Body(0.3, ((0.5, 1.0),), by_base=True)
    base = ((9.9, -0.2), (10.1, -0.2), (10.1, 1.0), (9.9, 1.0))
    askew = Figure("b", "tan", 10, 0, 0, 0.1, Posture.PRONE, base)
    rules = SightRules(bodies={Posture.PRONE: flat})
    assert seen(box(TerrainKind.WALL, 4, 5, 9.0, y1=0.0), b=askew, rules=rules).exposure == pytest.approx(7 / 8)


def test_strips_cover_the_silhouette():
    # Two bands of a half width of 0.4 and 0.2, both 1 in high: areas 0.8 and 0.4.
    middles, below = strips(Body(1.6, ((1.0, 0.4), (2.0, 0.2))))
    assert below[:, -1].sum() == pytest.approx(1)
    assert middles == pytest.approx(-middles[::-1])
    outer = abs(middles) > 0.5
    assert below[outer, -1].sum() == pytest.approx(0.4 / 1.2)
    assert mean_half_width(BODIES[Posture.DOWN]) == pytest.approx((0.3 * 1.0 + 0.2 * 0.5) / 0.5)
