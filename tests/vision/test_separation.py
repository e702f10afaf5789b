"""The separation of the armies' colours agrees with the finder's evidence."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tests.vision.figure_pictures import GREEN, TAN, camera, empty, soldier
from vision.figures import Finder
from vision.frame import Frame
from vision.palette import ArmyColour, log_colour, teach
from vision.pipeline import Pipeline
from vision.separation import SeparationLevel, separations
from vision.setup import Setup
from vision.simulation.scene import Model, Scene, Sculpt, corner_markers
from vision.simulation.simulator import WEBCAM, Sensor, Stage, overhead_camera, render
from vision.simulation.surface import Surface
from vision.stock_colours import PLASTIC_BGR, stock_colour


def of_colour(bgr, name, spread=0.04):
    """An army whose plastic has this colour."""
    mean = log_colour(np.array([[bgr]], np.uint8))[0, 0].astype(np.float64)
    return ArmyColour(name, mean, np.diag([spread**2, spread**2, 0.2**2]), 500)


def separation_of(palette, image, reference=None):
    finder = Finder()
    finder.find(image, camera(), palette, reference_bgr=reference)
    return {(one.army, one.other): one for one in finder.separations}


@pytest.fixture(scope="module")
def table():
    image, eye = empty(), camera()
    soldier(image, eye, 8, 8, GREEN)
    soldier(image, eye, 22, 16, TAN)
    return image


def test_plastic_of_another_colour_separates_well(table):
    seen = separation_of((of_colour(GREEN, "green"), of_colour((44, 44, 160), "red")), table)
    assert seen["red", None].level is SeparationLevel.WELL
    assert seen["green", "red"].level is SeparationLevel.WELL


def test_the_worst_plastic_of_an_army_counts(table):
    middle = np.median(empty().reshape(-1, 3), axis=0).astype(np.uint8)
    red, wood, green = of_colour((44, 44, 160), "red"), of_colour(middle, "red"), of_colour(GREEN, "green")
    seen = separation_of((red, wood, green), table)
    assert set(seen) == {("red", None), ("green", None), ("red", "green")}
    assert seen["red", None].level is SeparationLevel.ALIKE
    assert separation_of((red, green), table)["red", None].level is SeparationLevel.WELL


def test_plastic_of_the_tables_colour_looks_like_it(table):
    middle = np.median(empty().reshape(-1, 3), axis=0).astype(np.uint8)
    (same,) = separation_of((of_colour(middle, "wood"),), table).values()
    assert same.level is SeparationLevel.ALIKE


def test_an_empty_table_helps(table):
    greenish = (of_colour((70, 110, 150), "brown"),)
    (without,), (beside,) = separation_of(greenish, table).values(), separation_of(greenish, table, empty()).values()
    assert beside.score > without.score
    assert (without.empty_known, beside.empty_known) == (False, True)


def test_two_armies_of_one_plastic_look_alike(table):
    green = of_colour(GREEN, "green")
    # Equal densities: no pixel is rather the one's than the other's.
    alike = separation_of((green, replace(green, name="olive")), table)["green", "olive"]
    assert (alike.score, alike.level) == (0, SeparationLevel.ALIKE)


def test_without_armies_there_is_no_separation(table):
    assert separations((), None, table, None) == ()


@pytest.mark.slow
def test_a_views_sentences_depend_on_the_palette_and_the_empty_table():
    size_in = (24.0, 16.0)
    models = (Model("a", "tan", Sculpt.RIFLEMAN, 9, 8), Model("b", "tan", Sculpt.OFFICER, 16, 9))
    scene = Scene(size_in, Surface.WOOD, markers=corner_markers(size_in), models=models)
    eye = overhead_camera((960, 640), size_in, 32.0)
    image = render(scene, eye, np.random.default_rng(1))
    x, y = eye.table_to_pixel((9, 8, 0))[0]
    pipeline, setup = Pipeline(), Setup(lens=eye.lens)
    assert pipeline.process(Frame(image, 0, 0.0), setup).separations == ()
    setup = replace(setup, palette=(teach(image, (float(x), float(y)), "tan"),))
    (bare,) = pipeline.process(Frame(image, 1, 1.0), setup).separations
    assert (bare.army, bare.other, bare.empty_known) == ("tan", None, False)
    setup = replace(setup, reference_bgr=render(scene.empty, eye, np.random.default_rng(2)))
    (beside,) = pipeline.process(Frame(image, 2, 2.0), setup).separations
    assert beside.empty_known
    assert beside.score > bare.score
    assert pipeline.process(Frame(image, 3, 3.0), replace(setup, palette=())).separations == ()


EYE = overhead_camera((960, 640), (24.0, 16.0), 32.0)


@cache
def felt():
    return Stage(Scene((24.0, 16.0), Surface.FELT), EYE)


@pytest.mark.parametrize("army", PLASTIC_BGR)
def test_an_army_never_clicked_is_found_by_its_stock_colour(army):
    places = ((6, 8), (12, 9), (18, 8))
    models = tuple(Model(f"m{n}", army, Sculpt.RIFLEMAN, *at, facing_deg=70.0 * n) for n, at in enumerate(places))
    stage = felt()
    image, bare = (
        Sensor(EYE.lens.image_size, WEBCAM.noise, np.random.default_rng(n)).exposure(stage.picture(standing))
        for n, standing in enumerate((models, ()))
    )
    found = Finder().find(image, EYE, (stock_colour(army),), reference_bgr=bare)
    assert [sighting.army for sighting in found] == [army] * 3
