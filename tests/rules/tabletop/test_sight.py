"""Examples derived by hand. The target stands 10 in to the east of the shooter unless stated otherwise.

A ray from an eye at height e that passes height h at the part t of its way arrives at e + (h - e) / t.
"""

import pytest
from shapely.geometry import Point, Polygon

from rules.tabletop.errors import UserError
from rules.tabletop.opacity import TRUNK_PART, CoverKind, Opacity, standing_outlines
from rules.tabletop.scene import SightRules
from rules.tabletop.sight import exposures, sight
from rules.tabletop.table import Posture, TerrainKind, TerrainPiece, ellipse_outline
from tests.rules.sighting import BOARDS, box, seen, soldier


def test_open_ground_hides_nothing():
    found = seen()
    assert found.exposure == found.shooter_exposure == found.exposure_to_fire == 1.0
    assert found.visible
    assert (found.hidden_by, found.figures_in_the_way) == ((), ())


def test_wall_below_the_eye_hides_up_to_the_ray_over_its_far_edge():
    # Top 1.0 at x = 5, t = 0.5: 1.6 - 0.6 / 0.5 = 0.4 of 2.1. Back from b the far edge is at x = 4, t = 0.6:
    # 1.6 - 0.6 / 0.6 = 0.6.
    found = seen(box(TerrainKind.WALL, 4, 5, 1.0))
    assert found.exposure == pytest.approx(1 - 0.4 / 2.1)
    assert found.shooter_exposure == pytest.approx(1 - 0.6 / 2.1)
    assert [one.name for one in found.hidden_by] == ["it"]
    assert found.hidden_by[0].fraction == pytest.approx(0.4 / 2.1)


def test_wall_above_the_eye_hides_up_to_the_ray_over_its_near_edge():
    # Top 1.7 at x = 5, t = 0.5, from an eye at 1.6: 1.6 + 0.1 / 0.5 = 1.8.
    assert seen(box(TerrainKind.WALL, 5, 9, 1.7)).exposure == pytest.approx(0.3 / 2.1)
    # Top 1.9: 1.6 + 0.3 / 0.5 = 2.2, above the whole board.
    found = seen(box(TerrainKind.WALL, 5, 9, 1.9))
    assert found.exposure == 0.0
    assert not found.visible


def test_exposure_below_the_threshold_is_not_seen():
    # Tops of 1.84 and 1.83 at x = 5, t = 0.5, hide 2.08 and 2.06: 0.0095 and 0.019 are left.
    for top, visible in ((1.84, False), (1.83, True)):
        wall = box(TerrainKind.WALL, 5, 9, top)
        found, both = seen(wall), exposures([soldier("a", 0), soldier("b", 10)], [wall], BOARDS)
        assert 0 < found.exposure < 0.02
        assert found.visible == both.visible[0, 1] == visible


def test_floating_deck_hides_a_band():
    # From 1.0 to 1.2 over x = 4 to 5: low 1.6 - 0.6 / 0.4 = 0.1, high 1.6 - 0.4 / 0.5 = 0.8.
    assert seen(box(TerrainKind.BRIDGE, 4, 5, 0.2, base=1.0)).exposure == pytest.approx(1 - 0.7 / 2.1)


def test_crown_above_the_eye_hides_from_the_ray_under_its_far_edge():
    # From 2.0 up over x = 4 to 8: 1.6 + 0.4 / 0.8 = 2.1. On a hill of 1 in the board reaches from there to 3.1.
    assert seen(box(TerrainKind.TREE, 4, 8, 9, base=2.0), b=soldier("b", 10, z=1.0)).exposure == pytest.approx(
        1.1 / 2.1
    )


def test_tall_wall_on_one_side_hides_that_half():
    found = seen(box(TerrainKind.WALL, 4, 5, 9.0, y0=0.0))
    assert found.exposure == pytest.approx(0.5)


def test_overlapping_shadows_count_once():
    # 0.4 by the near wall (as above); the far one, top 1.0 at x = 8, hides 1.6 - 0.6 / 0.8 = 0.85 with it.
    found = seen(box(TerrainKind.WALL, 4, 5, 1.0, name="near"), box(TerrainKind.WALL, 7, 8, 1.0, name="far"))
    assert found.exposure == pytest.approx(1 - 0.85 / 2.1)
    assert [(h.name, round(h.fraction * 2.1, 6)) for h in found.hidden_by] == [("far", 0.85), ("near", 0.4)]


@pytest.mark.parametrize("x", [-3.0, 10.5])
def test_objects_behind_either_figure_hide_nothing(x):
    assert seen(box(TerrainKind.WALL, x, x + 2, 9.0)).exposure == 1.0


def test_sight_passes_between_the_arms_of_a_concave_outline():
    # A beam from 0.9 to 1.0 in over x = 3 to 4 and 7 to 8. The near arm hides up to 1.6 - 0.6 / 0.4 = 0.1, the far one
    # from 1.6 - 0.7 / 0.7 = 0.6 to 1.6 - 0.6 / 0.8 = 0.85.
    u = ((7, 5), (7, -4), (4, -4), (4, 5), (3, 5), (3, -5), (8, -5), (8, 5))
    found = seen(TerrainPiece("u", TerrainKind.FENCE, u, 0.9, 0.1))
    assert found.exposure == pytest.approx(1 - 0.35 / 2.1)
    assert found.hidden_by[0].fraction == pytest.approx(0.35 / 2.1)


def test_crests_hide_but_ground_under_the_feet_does_not():
    hill = box(TerrainKind.HILL, 8, 14, 1.0)
    on_top = soldier("b", 10, z=1.0)
    # An eye above the crest: nothing hidden; a prone figure's eye at 0.3: 0.3 + 0.7 / 0.8 = 1.175, 0.175 up the board.
    assert seen(hill, b=on_top).exposure == 1.0
    prone = soldier("a", 0, posture=Posture.PRONE)
    assert seen(hill, a=prone, b=on_top).exposure == pytest.approx(1 - 0.175 / 2.1)


def test_edge_of_the_shooters_hill_hides_figures_below():
    # Eye at 3 + 1.6; the hill ends at x = 1, half the way: 4.6 - 1.6 / 0.5 = 1.4 in of the board. From 10 in: nothing.
    hill, high = box(TerrainKind.HILL, -4, 1, 3.0), soldier("a", 0, z=3.0)
    assert seen(hill, a=high, b=soldier("b", 2)).exposure == pytest.approx(1 - 1.4 / 2.1)
    assert seen(hill, a=high).exposure == 1.0


def test_foxhole_hides_only_by_its_near_rim():
    # Rim 0.4 in at x = 9, t = 0.9: 1.6 - 1.2 / 0.9 = 0.2667. In the other direction t = 0.1: far below the feet.
    hole = box(TerrainKind.FOXHOLE, 9, 11, 0.4, y0=-1.0, y1=1.0)
    found = seen(hole)
    assert found.exposure == pytest.approx(1 - (1.6 - 1.2 / 0.9) / 2.1)
    assert found.shooter_exposure == 1.0
    assert (found.shooter_within, found.target_within) == ((), ("it",))
    # A prone figure's eye, at 0.3, is below the rim of its hole at x = 1: it sees heights above 0.3 + 0.1 / 0.1 = 1.3.
    own, prone = box(TerrainKind.FOXHOLE, -1, 1, 0.4, y0=-1.0, y1=1.0), soldier("a", 0, posture=Posture.PRONE)
    assert seen(own, a=prone).exposure == pytest.approx(1 - 1.3 / 2.1)
    # Nothing is between two figures in the same hole.
    assert seen(box(TerrainKind.FOXHOLE, -1, 11, 0.4)).exposure == 1.0


def test_house_hides_nothing_for_figures_inside():
    house = box(TerrainKind.BUILDING, 7, 13, 5.0)
    within = seen(house)
    assert (within.exposure, within.shooter_exposure, within.target_within) == (1.0, 1.0, ("it",))
    assert seen(house, b=soldier("b", 15)).exposure == 0.0


@pytest.mark.parametrize("kind", [TerrainKind.BUILDING, TerrainKind.WALL, TerrainKind.HILL])
def test_leaning_figure_is_seen_only_from_its_side(kind):
    # Its measured centre is 0.2 in inside the near or the far edge of a piece 5 in deep.
    assert seen(box(kind, 9.8, 14.8, 5.0)).exposure == 1.0
    assert seen(box(kind, 5.2, 10.2, 5.0)).exposure == 0.0
    # The same holds for what it sees.
    assert seen(box(kind, -4.8, 0.2, 5.0)).exposure == 1.0
    assert seen(box(kind, -0.2, 4.8, 5.0)).exposure == 0.0


@pytest.mark.parametrize(
    ("near", "far", "exposure"),
    [
        (5, 6.5, 1.0),  # between the two, 1.5 in deep
        (5, 8, 0.0),  # between the two, 3 in deep
        (7, 10.1, 1.0),  # the target stands 3 in deep, at the far edge
        (-0.1, 9, 1.0),  # the shooter stands in them, and looks through 9 in of them
        (-1, 11, 1.0),  # both stand in them
        (1, 9.9, 0.0),  # the target stands just behind them
    ],
)
def test_only_woods_between_two_figures_hide_and_only_beyond_two_inches(near, far, exposure):
    assert seen(box(TerrainKind.WOODS, near, far, 6.0)).exposure == exposure


def test_woods_hide_beyond_their_depth():
    # Woods 1.0 in high from x = 4 to 8; sight ends 2 in past their edge at the earliest, and the ray that leaves at
    # x = 8 must have been inside for 2 in: it enters at the edge at x = 4 or over the top. The lowest ray that passes
    # reaches the top at x = 6: 1.6 - 0.6 / 0.6 = 0.6; to the board's edges the distance is 0.05 % longer.
    found = seen(box(TerrainKind.WOODS, 4, 8, 1.0))
    assert found.exposure == pytest.approx(1 - 0.6 / 2.1, abs=1e-4)


def test_woods_above_the_eye_hide_beyond_their_depth():
    # Top 1.7 over x = 4 to 9: the highest ray that is still inside after 2 in, at x = 6, arrives at 1.6 + 0.1 / 0.6.
    found = seen(box(TerrainKind.WOODS, 4, 9, 1.7))
    assert found.exposure == pytest.approx((0.5 - 0.1 / 0.6) / 2.1, abs=1e-4)


def test_screens_hide_without_stopping_a_shot():
    found = seen(box(TerrainKind.HEDGE, 4, 5, 9.0))
    assert (found.exposure, found.exposure_to_fire) == (0.0, 1.0)
    assert [one.name for one in found.hidden_by] == ["it"]


def test_ruleset_overrides_opacity():
    hedge = box(TerrainKind.HEDGE, 4, 5, 9.0)
    solid = SightRules({TerrainKind.HEDGE: Opacity()}, BOARDS.bodies)
    assert seen(hedge, rules=solid).exposure_to_fire == 0.0
    clear = SightRules({TerrainKind.HEDGE: Opacity(CoverKind.CLEAR)}, BOARDS.bodies)
    assert seen(hedge, rules=clear).exposure == 1.0


def test_flat_and_clear_terrain_hides_nothing():
    found = seen(box(TerrainKind.MARSH, 4, 5, 2.0, name="reeds"), box(TerrainKind.ROAD, 6, 7, 0.0, name="road"))
    assert (found.exposure, found.hidden_by) == (1.0, ())


def test_sight_over_the_edge_of_a_bridge():
    # The deck, from 1.0 to 1.2 in, ends at x = 1; the eye of the figure on it is at 2.8. At 4 in its edge hides up to
    # 2.8 - 1.6 / 0.25 < 0: nothing. At 2 in, t = 0.5: 2.8 - 1.6 / 0.5 < 0, nothing; at 1.25, t = 0.8: 0.8 in.
    deck, above = box(TerrainKind.BRIDGE, -3, 1, 0.2, base=1.0), soldier("a", 0, z=1.2)
    assert [seen(deck, a=above, b=soldier("b", x)).exposure for x in (4, 2)] == [1.0, 1.0]
    assert seen(deck, a=above, b=soldier("b", 1.25)).exposure == pytest.approx(1 - 0.8 / 2.1)


def test_other_figures_are_reported_separately_and_count_if_the_rules_say_so():
    # The figure at x = 5 is a post 2.1 in high and as wide as the board: it hides the whole middle of the board.
    a, b, between = soldier("a", 0), soldier("b", 10), soldier("c", 5)
    free = sight(a, b, (), (a, b, between), BOARDS)
    assert free.exposure == 1.0
    assert [h.name for h in free.figures_in_the_way] == ["c"]
    counting = SightRules(bodies=BOARDS.bodies, figures_hide=True)
    counted = sight(a, b, (), (a, b, between), counting)
    assert counted.exposure == pytest.approx(1 - free.figures_in_the_way[0].fraction)
    assert counted.exposure == exposures([a, b, between], (), counting).exposure[0, 1]
    assert counted.hidden_by == ()
    assert exposures([a, b, between], (), counting).hidden_by(0, 1) == ()
    assert "c" in {ray.stopped_by for ray in counted.rays}
    assert {ray.stopped_by for ray in free.rays} == {None}


def test_rays_end_at_what_blocks_them():
    wall = box(TerrainKind.WALL, 4, 5, 1.4)
    found = seen(wall)
    stopped = [ray for ray in found.rays if ray.stop_in]
    assert 0 < len(stopped) < len(found.rays) == 12
    # The middle of each third of a strip's area, and thus of the board's height, has a ray.
    assert sorted({round(ray.end_in[2], 6) for ray in found.rays}) == [0.35, 1.05, 1.75]
    for ray in found.rays:
        assert ray.start_in == (0.0, 0.0, 1.6)
        assert ray.end_in[0] == pytest.approx(10)
        # The shadow's edge: 1.6 - 0.2 / 0.5 = 1.2.
        assert (ray.stop_in is not None) == (ray.end_in[2] < 1.2)
    for ray in stopped:
        assert ray.stopped_by == "it"
        assert ray.stop_in[0] == pytest.approx(4)
        x, y, z = ray.stop_in
        assert Polygon(wall.outline_in).distance(Point(x, y)) < 1e-9
        assert 0 <= z <= 1.4 + 1e-9


def test_rays_end_at_the_first_of_two_walls():
    # The eye is at the origin and the target at (8, 6): a ray meets the wall that begins at x = 3.2 after 0.4 of its
    # way, at y = 0.4 of its end, and never comes to the wall behind.
    near, far = (box(TerrainKind.WALL, x, x + 0.4, 5, y0=0, y1=6, name=name) for x, name in ((3.2, "near"), (5, "far")))
    found = seen(near, far, b=soldier("b", 8, 6))
    assert {ray.stopped_by for ray in found.rays} == {"near"}
    for ray in found.rays:
        part = 3.2 / ray.end_in[0]
        assert ray.stop_in == pytest.approx((3.2, part * ray.end_in[1], 1.6 + part * (ray.end_in[2] - 1.6)))


def test_descending_rays_end_on_the_top_of_an_object():
    # A ray to 1.05 in up the board is at 1.4, the top, after 0.2 / 0.55 of its length, past the near edge.
    (stop,) = {ray.stop_in[::2] for ray in seen(box(TerrainKind.WALL, 2, 9, 1.4)).rays if ray.end_in[2] == 1.05}
    assert stop == pytest.approx((2 / 0.55, 1.4))


def test_rays_aim_at_a_silhouette_facing_the_eye():
    ends = [ray.end_in for ray in seen(b=soldier("b", 6, 8)).rays]
    assert [(x - 6) * 0.6 + (y - 8) * 0.8 for x, y, _ in ends] == pytest.approx([0] * 12)
    # To the left, at (-0.8, 0.6), and to the right the middles of the second and fourth strips of 0.075 in.
    sideways = {round((y - 8) * 0.6 - (x - 6) * 0.8, 6) for x, y, _ in ends}
    assert sideways == {-0.1875, -0.0375, 0.0375, 0.1875}


def test_figure_directly_above_is_hidden_by_the_deck():
    deck = box(TerrainKind.BRIDGE, -3, 3, 0.1, base=1.2)
    above, below = soldier("a", 0, z=1.3), soldier("b", 0, posture=Posture.PRONE)
    assert seen(deck, a=above, b=below).exposure == 0.0
    assert seen(a=above, b=below).exposure == 1.0


def test_trunk_is_thinner_than_its_foot():
    def disc(x, radius, base, height):
        return TerrainPiece("t", TerrainKind.TREE, ellipse_outline((x, 4), radius, radius), base, height)

    pieces = [disc(3, 0.45, 0, 5.5), disc(3.2, 1.6, 2, 3.5), disc(9, 0.45, 0, 5.5)]
    trunk, crown, alone = standing_outlines(pieces)
    assert Polygon(trunk).bounds == pytest.approx(Point(3, 4).buffer(0.45 * TRUNK_PART).bounds, abs=0.01)
    assert (crown, alone) == (pieces[1].outline_in, pieces[2].outline_in)


def test_invalid_values_are_refused():
    with pytest.raises(UserError, match="a cannot be its own target"):
        sight(soldier("a", 0), soldier("a", 3), ())
    for height in (0, -1, float("nan"), float("inf")):
        with pytest.raises(UserError, match="measure one"):
            SightRules(standing_height_in=height)


def test_nearly_empty_tables():
    assert exposures([], []).exposure.shape == (0, 0)
    assert exposures([soldier("a", 0)], [box(TerrainKind.WALL, 1, 2, 1.0)]).exposure.tolist() == [[1.0]]
    two = exposures([soldier("a", 0), soldier("b", 10)], [])
    assert two.visible.all()
    assert two.hidden_by(0, 1) == ()
