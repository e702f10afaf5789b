import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import Point, Polygon

from rules.table import Figure, Posture, Refused, ellipse_outline
from rules.template import Blast, Hit, fraction_inside, under_blast

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
def test_fraction_of_a_square(centre, radius, fraction):
    assert fraction_inside(Blast(centre, radius), SQUARE) == pytest.approx(fraction, abs=1e-12)


def test_direction_of_the_outline_does_not_matter():
    assert fraction_inside(Blast((0, 0), 1), SQUARE[::-1]) == pytest.approx(math.pi / 16)


@given(places, places, radii, places, places)
def test_agrees_with_shapely(x, y, radius, bx, by):
    base = ellipse_outline((bx, by), 0.5, 0.37, 30)
    disc = Point(x, y).buffer(radius, quad_segs=256)
    # A 1024-gon misses pi^2 / 6 / 1024^2 * 4 of the disc's area: under 2e-5 of it.
    tolerance = 2e-5 * math.pi * radius**2 / Polygon(base).area + 1e-9
    expected = disc.intersection(Polygon(base)).area / Polygon(base).area
    assert fraction_inside(Blast((x, y), radius), base) == pytest.approx(expected, abs=tolerance)


@given(places, places, radii)
def test_parts_of_a_base_add_up(x, y, radius):
    blast = Blast((x, y), radius)
    left = ((0.0, 0.0), (0.7, 0.0), (0.7, 2.0), (0.0, 2.0))
    right = ((0.7, 0.0), (2.0, 0.0), (2.0, 2.0), (0.7, 2.0))
    whole = 0.35 * fraction_inside(blast, left) + 0.65 * fraction_inside(blast, right)
    assert fraction_inside(blast, SQUARE) == pytest.approx(whole, abs=1e-9)
    assert 0 <= whole <= 1


def figure(name, x, y):
    return Figure(name, "tan", x, y, 0.0, 0.05, Posture.STANDING, ellipse_outline((x, y), 0.5, 0.5))


def test_who_is_under_it_most_covered_first():
    hits = under_blast(Blast((0, 0), 2), [figure("edge", 2, 0), figure("out", 3, 0), figure("in", 1, 0)])
    assert [hit.id for hit in hits] == ["in", "edge"]
    assert hits[0] == Hit("in", pytest.approx(1.0))
    # Two circles, r = 0.5 at distance 2 from R = 2; lens area by the standard formula, over pi/4; the base is a
    # 24-gon of the disc's area, which moves the cut by less than a hundredth.
    d1, d2 = (4 + 4 - 0.25) / 4, (4 + 0.25 - 4) / 4
    lens = 4 * math.acos(d1 / 2) - d1 * math.sqrt(4 - d1**2) + 0.25 * math.acos(d2 / 0.5) - d2 * math.sqrt(0.25 - d2**2)
    assert hits[1].fraction == pytest.approx(lens / (math.pi / 4), abs=0.01)


@pytest.mark.parametrize("radius", [0, -1, math.nan, math.inf])
def test_a_radius_that_cannot_be_is_refused(radius):
    with pytest.raises(Refused, match="radius"):
        Blast((0, 0), radius)
