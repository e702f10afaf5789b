"""Figures of unknown colour are grouped by plastic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from vision.palette import FloatImage, Palette, log_colour
from vision.proposals import FigurePlastic, halves, proposed_palette, refined_by_groups, with_new_armies
from vision.stock_colours import PLASTIC_BGR


def plastic(name: str, light: float = 1.0, pixels: int = 60, seed: int = 0) -> FloatImage:
    """Log colours of some pixels of a soldier of a stock colour, in more or less light, with a camera's noise."""
    bgr = np.array(PLASTIC_BGR[name]) * light + np.random.default_rng(seed).normal(0, 3, (pixels, 3))
    return log_colour(np.clip(bgr, 0, 255).astype(np.uint8)[None])[0]


def figures(name: str, count: int, chance: float = 0.99, **more: float) -> list[FigurePlastic]:
    return [FigurePlastic(chance, plastic(name, seed=k, **more)) for k in range(count)]  # type: ignore[arg-type]


def test_two_plastics_form_two_named_armies_the_larger_first() -> None:
    armies = proposed_palette([*figures("green", 3), *figures("tan", 5)])
    assert [army.name for army in armies] == ["tan", "green"]
    assert [army.samples for army in armies] == pytest.approx([300, 180], rel=0.05)  # 60 pixels each, less outliers


def test_figures_in_light_and_in_shade_form_one_army() -> None:
    # Half the light is 0.7 less in log brightness, of which a quarter counts: 0.17, and colour stays nearly as it is.
    (army,) = proposed_palette([*figures("tan", 4), *figures("tan", 3, light=0.6)])
    assert army.name == "tan"


def test_two_hues_in_a_lamp_that_draws_them_together_are_two_armies() -> None:
    # As measured on a drawn table: 0.17 apart in hue, with figures of each within 0.01.
    def seen(middle: tuple[float, float, float], seed: int) -> FigurePlastic:
        noise = np.random.default_rng(seed).normal(0, 0.02, (60, 3))
        return FigurePlastic(0.99, (np.array(middle) + noise).astype(np.float32))

    green = [seen((0.14, -0.28, -0.6), seed) for seed in range(3)]
    tan = [seen((-0.02, -0.36, -0.95), 10 + seed) for seed in range(3)]
    assert len(proposed_palette([*green, *tan])) == 2
    green, tan = ([seen(middle, 30 + k) for k in range(11)] for middle in ((0.14, -0.28, -0.6), (-0.02, -0.36, -0.95)))
    tinged = seen((0.01, -0.36, -0.95), 50)  # 0.03 from the others in hue, as one on the simulated table
    assert len(proposed_palette([*green, *tan, tinged])) == 2
    between = [seen((0.06 + 0.03 * k, -0.32, -0.8), 20 + k) for k in range(-2, 3)]  # one plastic with every hue between
    assert len(proposed_palette([*green, *tan, *between])) == 1


def test_doubtful_figures_form_no_army() -> None:
    shadows = [FigurePlastic(chance, plastic("grey", seed=k)) for k, chance in enumerate((0.96, 0.8, 0.78, 0.75, 0.75))]
    assert [army.name for army in proposed_palette([*shadows, *figures("red", 4)])] == ["red"]


def test_doubtful_figures_are_an_army_if_a_search_for_their_colour_finds_more_of_them_more_surely() -> None:
    red, doubtful = figures("red", 4), figures("grey", 3, chance=0.8)
    asked: list[list[str]] = []

    def finding(*grey: FigurePlastic) -> list[str]:
        def search_for(armies: Palette) -> list[Sequence[FigurePlastic]]:
            asked.append([army.name for army in armies])
            return [red, grey]

        return [army.name for army in proposed_palette([*doubtful, *red], search_for)]

    assert finding(*figures("grey", 5, chance=0.96)) == ["red", "grey"]
    assert finding(*figures("grey", 3, chance=0.96)) == ["red"]  # the same three again, as with a print
    assert finding(*figures("grey", 5, chance=0.8)) == ["red"]  # no surer than before, as with shadows
    assert finding() == ["red"]
    assert asked == 4 * [["red", "grey"]]  # they compete with the sure army


def test_shadows_of_soldiers_form_no_army_but_soldiers_beside_others_do() -> None:
    red = [replace(one, at_in=(8.0 * k, 0.0)) for k, one in enumerate(figures("red", 4))]
    doubtful = (0.97, 0.94, 0.9, 0.85)  # the upper quartile alone is sure enough for an army

    def armies(
        chances: Sequence[float] = doubtful, light: float = 0.3, turn_rad: float = 0.1, away_in: float = 2.0
    ) -> int:
        """With brown figures beside the red ones, each in a direction that differs by this angle from the last."""
        sides = [away_in * np.array([math.cos(turn_rad * k), math.sin(turn_rad * k)]) for k in range(4)]
        brown = [
            FigurePlastic(chance, plastic("brown", light, seed=k), (8.0 * k + float(side[0]), float(side[1])))
            for k, (chance, side) in enumerate(zip(chances, sides, strict=True))
        ]
        return len(proposed_palette([*red, *brown]))

    assert armies() == 1
    assert armies((0.99, 0.99, 0.97, 0.96)) == 2  # soldiers in a rank before another one
    assert armies(light=1.5) == 2  # brighter than the red ones
    assert armies(turn_rad=math.pi / 2) == 2  # on all sides
    assert armies(away_in=3.5) == 2  # farther away than a shadow of 54 mm soldiers


def test_nothing_is_searched_again_if_all_groups_are_sure() -> None:
    def search_for(_: Palette) -> list[Sequence[FigurePlastic]]:
        raise AssertionError

    assert len(proposed_palette([*figures("red", 4), *figures("tan", 3)], search_for)) == 2


@pytest.mark.parametrize(
    "few", [[], figures("green", 1), [FigurePlastic(1.0, plastic("green", pixels=5)) for _ in range(4)]]
)
def test_one_figure_or_a_few_pixels_form_no_army(few: list[FigurePlastic]) -> None:
    assert proposed_palette(few) == ()


def test_a_second_army_of_the_same_name_gets_a_letter() -> None:
    light = [FigurePlastic(0.99, plastic("blue", seed=k) + np.float32([0.5, 0.3, 0])) for k in range(3)]
    names = [army.name for army in proposed_palette([*figures("blue", 4), *light])]
    assert names == ["blue", "blue B"]


@pytest.mark.parametrize("name", sorted(PLASTIC_BGR))
def test_a_paler_plastic_keeps_its_army_and_name(name: str) -> None:
    """Haze and highlights add white: here 20 % less of both log ratios, for half of the figures."""
    pale = [FigurePlastic(0.99, plastic(name, seed=k) * np.float32([0.8, 0.8, 1.0])) for k in range(3)]
    (army,) = proposed_palette([*figures(name, 3), *pale])
    assert army.name == name


def test_proposed_armies_stay_unchanged_and_new_plastics_are_added() -> None:
    before = proposed_palette(figures("green", 4))
    now = proposed_palette([*figures("green", 5, light=0.9), *figures("red", 3)])
    after = with_new_armies(before, now)
    assert after[0] is before[0]
    assert [army.name for army in after] == ["green", "red"]
    assert with_new_armies(after, now) == after


def test_a_click_in_unusual_light_is_refined_by_all_figures_of_similar_colour() -> None:
    (clicked,) = proposed_palette(figures("tan", 2, light=0.5))
    groups = proposed_palette([*figures("tan", 8), *figures("blue", 8)])
    (refined,) = refined_by_groups((clicked,), groups)
    assert refined.name == clicked.name
    tan = next(group for group in groups if group.name == "tan")
    # 8 of 10 soldiers stand in full light.
    assert refined.mean[2] == pytest.approx(0.8 * tan.mean[2] + 0.2 * clicked.mean[2], abs=0.03)


def test_a_click_of_another_colour_is_not_refined() -> None:
    clicked = proposed_palette(figures("red", 2))
    assert refined_by_groups(clicked, proposed_palette(figures("blue", 8))) == clicked
    assert refined_by_groups(clicked, ()) == clicked


def test_figures_of_two_colours_are_two_halves_the_larger_first() -> None:
    mixed = [plastic(name, seed=k) for k, name in enumerate(("brown", "tan", "tan", "brown", "tan"))]
    assert halves(mixed) == ((1, 2, 4), (0, 3))
    assert halves([*mixed, plastic("brown", pixels=5)]) == ((1, 2, 4), (0, 3)), "of the last too little is seen"


@pytest.mark.parametrize("count", [0, 1, 6])
def test_figures_of_one_colour_are_not_halved(count: int) -> None:
    assert halves([plastic("tan", seed=k, light=1.0 - 0.05 * k) for k in range(count)]) is None
