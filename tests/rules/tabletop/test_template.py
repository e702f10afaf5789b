import dataclasses
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from shapely.geometry import Point, Polygon

from rules.tabletop.errors import UserError
from rules.tabletop.table import ellipse_outline
from rules.tabletop.template import (
    Blast,
    Flame,
    Hit,
    Strip,
    Wedge,
    Zone,
    drawn,
    fraction_inside,
    under,
    under_blast,
)
from tests.rules.board import Turned, box, figure, square

SQUARE = ((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0))
places = st.floats(-3, 3)
radii = st.floats(0.05, 5)


@pytest.mark.parametrize(
    ("centre", "radius", "fraction"),
    [
        ((1, 1), 2.0, 1.0),  # the corners are sqrt 2 away: all inside
        ((0, 1), 1.0, math.pi / 8),  # a half disc of area pi/2 in an area of 4
        ((0, 0), 1.0, math.pi / 16),  # a quarter disc of area pi/4 in an area of 4
        ((1, 1), 1.0, math.pi / 4),  # the inscribed disc
        ((9, 1), 2.0, 0.0),
        # Chord at distance 1 from the centre of a disc of radius 2, half way up the side: the cap's area is
        # r^2 acos(d/r) - d sqrt(r^2 - d^2) = 4 pi/3 - sqrt 3; its height of 2 sqrt 3 is cut to the side's 2, so
        # instead integrate sqrt(4 - y^2) - 1 for y in -1..1: 2 (sqrt 3 / 2 + 2 asin(1/2)) - 2 = sqrt 3 + 2 pi/3 - 2.
        ((-1, 1), 2.0, (math.sqrt(3) + 2 * math.pi / 3 - 2) / 4),
    ],
)
def test_fraction_of_a_square_in_a_disc(centre, radius, fraction):
    assert fraction_inside(Blast(centre, radius), SQUARE) == pytest.approx(fraction, abs=1e-12)


def test_the_direction_of_the_outline_does_not_matter():
    assert fraction_inside(Blast((0, 0), 1), SQUARE[::-1]) == pytest.approx(math.pi / 16)


@given(places, places, radii, places, places)
def test_fraction_agrees_with_shapely(x, y, radius, bx, by):
    base = ellipse_outline((bx, by), 0.5, 0.37, 30)
    disc = Point(x, y).buffer(radius, quad_segs=256)
    # A 1024-gon lacks pi^2 / 6 / 1024^2 * 4 of the disc's area: less than 2e-5 of it.
    tolerance = 2e-5 * math.pi * radius**2 / Polygon(base).area + 1e-9
    expected = disc.intersection(Polygon(base)).area / Polygon(base).area
    assert fraction_inside(Blast((x, y), radius), base) == pytest.approx(expected, abs=tolerance)


@given(places, places, radii)
@example(1.2e-38, 1.2e-38, 2.0)  # a corner so close to the centre that rounding loses its direction
def test_fractions_of_a_divided_base_add_up(x, y, radius):
    blast = Blast((x, y), radius)
    left = ((0.0, 0.0), (0.7, 0.0), (0.7, 2.0), (0.0, 2.0))
    right = ((0.7, 0.0), (2.0, 0.0), (2.0, 2.0), (0.7, 2.0))
    whole = 0.35 * fraction_inside(blast, left) + 0.65 * fraction_inside(blast, right)
    assert fraction_inside(blast, SQUARE) == pytest.approx(whole, abs=1e-9)
    assert -1e-12 <= whole <= 1 + 1e-12


TEMPLATES = {
    "disc": Blast((0, 0), 1.75),
    "wedge": Wedge((-1, 0), 10, 3, 45),
    "flame": Flame((-2, 0.5), -20, 12, 6),
    "strip": Strip(((-3, 0), (1, 1), (2, 4)), 3),
    "zone": Zone(((-2, -1), (3, -1), (0, 3))),
}
anywhere = st.builds(Turned, st.floats(0, 360), st.floats(-30, 30), st.floats(-30, 30))


def moved(template, table):
    """The template on the transformed table."""
    ways = {
        "centre_in": table.point,
        "apex_in": table.point,
        "toward_deg": lambda deg: deg + table.turn_deg,
        "path_in": table.outline,
        "outline_in": table.outline,
    }
    names = [field.name for field in dataclasses.fields(template) if field.name in ways]
    return dataclasses.replace(template, **{name: ways[name](getattr(template, name)) for name in names})


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES)
@given(x=places, y=places, table=anywhere)
def test_fraction_does_not_depend_on_the_tables_pose(template, x, y, table):
    base = ellipse_outline((x, y), 0.5, 0.4)
    here = fraction_inside(template, base)
    assert 0 <= here <= 1
    assert fraction_inside(moved(template, table), table.outline(base)) == pytest.approx(here, abs=1e-7)


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES)
@given(cut=st.floats(0.01, 0.99))
def test_fractions_of_two_halves_add_up(template, cut):
    edge = -1 + 2 * cut
    parts = [fraction_inside(template, box(-1, -1, edge, 1)), fraction_inside(template, box(edge, -1, 1, 1))]
    whole = fraction_inside(template, box(-1, -1, 1, 1))
    assert cut * parts[0] + (1 - cut) * parts[1] == pytest.approx(whole, abs=1e-9)


@pytest.mark.parametrize(
    ("template", "base", "fraction"),
    [
        (Blast.across((0, 0), 6), box(-3, -3, 3, 3), math.pi / 4),  # 6 in across: the inscribed disc
        # 45 degrees along +x: its upper side leaves the unit square at (1, tan 22.5), and 3 in of radius reach past
        # the square; the triangle below that side has half of tan 22.5.
        (Wedge((0, 0), 0, 3, 45), box(0, 0, 1, 1), math.tan(math.radians(22.5)) / 2),
        (Wedge((0, 0), 22.5, 3, 45), box(0, 0, 1, 1), 0.5),  # from the edge up to the diagonal
        (Wedge((0, 0), 45, 3, 90), box(-9, -9, 9, 9), math.pi * 9 / 4 / 324),  # a whole quarter disc in 18 x 18
        (Wedge((0, 0), 0, 30, 90), box(20, -1, 21, 1), 1.0),
        (Wedge((0, 0), 180, 3, 45), box(0.1, -1, 1, 1), 0.0),  # nothing behind the flame
        (Flame((0, 0), 0, 12, 6), box(0, 0, 12, 3), 0.5),  # its upper half is half of the box round it
        (Flame((0, 0), 0, 12, 6), box(0, -3, 12, 0), 0.5),
        (Flame((0, 0), 0, 12, 6), box(10, -0.5, 12, 0.5), 1.0),
        # Past x = 11, y = 2 the flame's side runs from (11, 2.75) to (12, 3): 1 in wide, 0.875 high, in a square of 4.
        (Flame((0, 0), 0, 12, 6), box(11, 2, 13, 4), 0.875 / 4),
        (Strip(((0, 0), (10, 0)), 3), box(2, 1, 3, 2), 0.5),  # 1.5 in to either side
        (Strip(((0, 0), (10, 0)), 3), box(-1, -1, 1, 1), 0.5),  # ends are cut square
        (Strip(((0, 0), (10, 0), (10, 10)), 3), box(10, -1.5, 11.5, 0), 1.0),  # corners are mitred
        (Zone(box(0, 0, 4, 4)), box(3, 3, 5, 5), 0.25),
    ],
)
def test_fractions_computed_by_hand(template, base, fraction):
    assert fraction_inside(template, base) == pytest.approx(fraction, abs=1e-9)


def test_hits_are_sorted_by_coverage():
    hits = under_blast(Blast((0, 0), 2), [figure("edge", 2, 0), figure("out", 3, 0), figure("in", 1, 0)])
    assert [hit.id for hit in hits] == ["in", "edge"]
    assert hits[0] == Hit("in", pytest.approx(1), pytest.approx(1), pytest.approx(1))
    # Two circles, r = 0.5 at distance 2 from R = 2; lens area by the standard formula, over pi/4; the base is a
    # 24-gon of the disc's area, which moves the cut by less than a hundredth.
    d1, d2 = (4 + 4 - 0.25) / 4, (4 + 0.25 - 4) / 4
    lens = 4 * math.acos(d1 / 2) - d1 * math.sqrt(4 - d1**2) + 0.25 * math.acos(d2 / 0.5) - d2 * math.sqrt(0.25 - d2**2)
    assert hits[1].fraction == pytest.approx(lens / (math.pi / 4), abs=0.01)


def test_a_round_base_that_only_touches_the_rim_is_outside():
    # Its corners lie outside the circle of its radius 0.5, so that some millionths of it are inside.
    rim = figure("rim", 2.5, 0, base=ellipse_outline((2.5, 0), 0.5, 0.5, points=72))
    assert under_blast(Blast((0, 0), 2), [rim]) == ()


HALF_TABLE = Zone(box(-20, -20, 0, 20))


def straddling(x, sigma=0.0):
    """A unit square across the straight edge at x = 0 of an area to its left."""
    return under(HALF_TABLE, [figure("a", x, 0, sigma, square(x, 0, 0.5))])


@pytest.mark.parametrize(
    # The part inside is 0.5 - x, with a possible error of 2 standard deviations to either side.
    ("x", "sigma"),
    [(0.0, 0.0), (0.01, 0.0), (0.1, 0.04), (-0.1, 0.06)],
)
def test_half_inside_within_its_error(x, sigma):
    (hit,) = straddling(x, sigma)
    assert hit.fraction == pytest.approx(0.5 - x)
    assert (hit.least, hit.most) == pytest.approx((0.5 - x - 2 * sigma, 0.5 - x + 2 * sigma))


def test_certain_misses_are_left_out_and_possible_hits_kept():
    assert straddling(0.6, 0.0) == ()
    assert straddling(0.8, 0.1) == ()
    (hit,) = straddling(0.6, 0.1)
    assert (hit.fraction, hit.least) == (0, 0)
    assert hit.most == pytest.approx(0.1)
    close = [figure("a", 2.6, 0, 0.1, square(2.6, 0, 0.5))]  # 0.1 in outside the disc, with a possible error of 0.2
    assert len(under(Blast((0, 0), 2), close)) == 1
    assert under_blast(Blast((0, 0), 2), close) == ()


def test_error_of_the_template_is_added():
    soldier = [figure("a", 3, 0, 0.03, square(3, 0, 0.5))]
    (sure,), (unsure,) = under(Blast((0, 0), 3), soldier), under(Blast((0, 0), 3), soldier, sigma_in=0.04)
    # 0.03 and 0.04 in across make 0.05: at the edge, which is almost straight over 1 in, 0.06 and 0.1 of the base.
    assert sure.most - sure.fraction == pytest.approx(0.06, abs=0.005)
    assert unsure.most - unsure.fraction == pytest.approx(0.10, abs=0.005)


def test_friends_are_hit_too():
    blast = Blast((0, 0), 3)
    green = dataclasses.replace(figure("green-1", 1, 0), army="green")
    assert {hit.id for hit in under(blast, [green, figure("tan-1", -1, 0)])} == {"green-1", "tan-1"}


@given(places, places, st.floats(0, 0.3))
def test_fraction_is_within_its_bounds(x, y, sigma):
    for hit in under(Wedge((0, 0), 0, 3, 45), [figure("a", x, y, sigma)]):
        assert 0 <= hit.least <= hit.fraction <= hit.most <= 1


@pytest.mark.parametrize("radius", [0, -1, math.nan, math.inf])
def test_invalid_radius_is_refused(radius):
    with pytest.raises(UserError, match="radius"):
        Blast((0, 0), radius)


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (lambda: Blast((math.nan, 0), 1), "place"),
        (lambda: Wedge((0, 0), 0, 3, 180), "below 180"),
        (lambda: Wedge((0, 0), 0, 3, 0), "angle"),
        (lambda: Wedge((0, 0), math.nan, 3, 45), "place"),
        (lambda: Flame((0, 0), 0, 0, 6), "length"),
        (lambda: Flame((0, 0), 0, 12, -6), "width"),
        (lambda: Strip(((0, 0), (0, 0)), 3), "mark a second one"),
        (lambda: Strip(((0, 0), (1, 0)), 0), "width"),
        (lambda: Zone(()), "0 points"),
        (lambda: Zone(((0, 0), (2, 2), (2, 0), (0, 2))), "crosses itself"),
    ],
)
def test_invalid_templates_are_refused(make, fault):
    with pytest.raises(UserError, match=fault):
        make()


def test_base_without_area_has_fraction_zero():
    assert fraction_inside(Blast((0, 0), 1), ((0, 0), (1, 1), (2, 2))) == 0


def test_eight_wedges_add_up_to_the_disc():
    base = ellipse_outline((1.3, -2.2), 0.9, 0.5, 30)
    parts = [fraction_inside(Wedge((0, 0), 45 * k, 3, 45), base) for k in range(8)]
    assert sum(parts) == pytest.approx(fraction_inside(Blast((0, 0), 3), base))


@pytest.mark.parametrize(
    ("template", "area"),
    [
        (Blast((3, 1), 2), 4 * math.pi),
        (Wedge((3, 1), 70, 3, 45), 9 * math.pi / 8),
        (Flame((3, 1), 70, 12, 6), 36),
        (Strip(((0, 0), (5, 0)), 3), 15),
        (Zone(box(0, 0, 4, 2)), 8),
    ],
)
def test_drawn_outline_has_the_templates_area(template, area):
    outline = drawn(template)
    assert len(set(outline)) == len(outline)
    # Chords of 3 degrees cut 1 - sin(a)/a = 4.6e-4 off a disc.
    assert Polygon(outline).area == pytest.approx(area, rel=5e-4)
    assert fraction_inside(template, outline) == pytest.approx(1)
