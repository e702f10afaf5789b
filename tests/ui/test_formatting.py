"""Formatting numbers for the player."""

import pytest

from rules.tabletop.measure import Range
from rules.tabletop.table import Figure, Posture, ellipse_outline
from ui.formatting import edge_words, in_order, percent_words, place_words, range_words, spread_in
from ui.table.play_area import PlayArea
from ui.vocabulary import Unit


def distance(centre_in: float, edge_in: float, sigma_in: float) -> Range:
    ends = ((0.0, 0.0), (centre_in, 0.0))
    return Range(centre_in, edge_in, sigma_in, ends, ends)


@pytest.mark.parametrize(
    ("sigma_in", "spread"),
    [(0.0, 0.1), (0.02, 0.1), (0.05, 0.1), (0.051, 0.2), (0.1, 0.2), (0.31, 0.7)],  # two sigma, in tenths rounded up
)
def test_the_spread_is_rounded_up(sigma_in: float, spread: float) -> None:
    assert spread_in(sigma_in) == pytest.approx(spread)


def test_a_range_is_shown_to_the_tenth() -> None:
    assert range_words(distance(12.44, 11.46, 0.04)) == "12.4 in ± 0.1"
    assert edge_words(distance(12.44, 11.46, 0.04)) == "edge 11.5 in"
    assert edge_words(distance(0.9, 0.0, 0.04)) == "bases touch"


@pytest.mark.parametrize(
    ("fraction", "words"), [(0.001, "1 %"), (0.73, "73 %"), (0.999, "99 %"), (1.0, "100 %"), (1 - 1e-12, "100 %")]
)
def test_a_small_part_is_not_0_and_a_large_one_not_100_percent(fraction: float, words: str) -> None:
    assert percent_words(fraction) == words


def test_figures_are_sorted_by_number() -> None:
    base = ellipse_outline((0.0, 0.0), 0.5, 0.5)
    names = ["tan-1", "green-10", "green-2", "green-1"]
    figures = [Figure(name, name.split("-")[0], 0.0, 0.0, 0.0, 0.1, Posture.STANDING, base) for name in names]
    assert [figure.id for figure in in_order(figures)] == ["green-1", "green-2", "green-10", "tan-1"]


def test_centimetres_are_inches_times_2_54() -> None:
    assert range_words(distance(12.44, 11.46, 0.04), unit=Unit.CENTIMETRE) == "31.6 cm ± 0.3"  # 20 * 0.04 * 2.54 = 2.03
    assert edge_words(distance(12.44, 11.46, 0.04), Unit.CENTIMETRE) == "edge 29.1 cm"
    assert place_words((10.0, -1.0), Unit.CENTIMETRE) == "x 25.4 cm, y -2.5 cm"


def test_a_place_is_measured_from_the_areas_corner() -> None:
    area = PlayArea((2.0, 3.0), 30.0, 20.0)
    assert place_words((12.0, 9.0), area=area) == "x 10.0 in, y 6.0 in"
    assert place_words((1.0, 9.0), area=area) == "x -1.0 in, y 6.0 in, off the table"
