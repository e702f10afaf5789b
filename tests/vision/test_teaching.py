"""The figure under a click on simulated tables: any soldier, any part of it, any size of picture; and bare table."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.camera import Lens, TableCamera
from calibration.opencv import cv2
from rules.tabletop.table import TerrainKind, TerrainPiece
from vision.frame import ImageBgr
from vision.simulation.scene import Model, Scene, Sculpt, corner_markers
from vision.simulation.simulator import overhead_camera, render, truth_of
from vision.simulation.surface import Surface
from vision.teaching import ClickedFigure, FigurePicker

SIZE_IN = (30.0, 20.0)
CAMERA = overhead_camera((1280, 720), SIZE_IN, 40.0)
BOOK = TerrainPiece("book", TerrainKind.HILL, ((17.0, 11.0), (24.0, 11.0), (24.0, 16.0), (17.0, 16.0)), 0.0, 1.0)
SOLDIERS = (
    Model("tan-1", "tan", Sculpt.RIFLEMAN, 7, 6, facing_deg=40),
    Model("tan-2", "tan", Sculpt.KNEELING, 7.9, 6.2, facing_deg=200),  # base to base with the one before
    Model("green-1", "green", Sculpt.RIFLEMAN, 15, 6, facing_deg=120),
    Model("green-2", "green", Sculpt.RIFLEMAN, 21, 13.5, z_in=1.0, facing_deg=300),  # on the book
    Model("grey-1", "grey", Sculpt.PRONE, 24, 5, facing_deg=10),
    Model("grey-2", "grey", Sculpt.RIFLEMAN, 10, 15, facing_deg=75, tilt_deg=90.0),  # knocked over
)
WOOD = Scene(SIZE_IN, Surface.WOOD, (BOOK,), corner_markers(SIZE_IN), SOLDIERS)
TRUTH = truth_of(WOOD, CAMERA).figures
BARE_IN = ((4.0, 10.0), (12.0, 9.0), (18.5, 8.0), (26.0, 8.5), (27.0, 17.0), (14.0, 17.5))
"""At least 2 in from every soldier, marker and the book."""


@pytest.fixture(scope="module")
def picker() -> FigurePicker:
    return FigurePicker()


@cache
def picture(lamp: float = 1.0) -> ImageBgr:
    return render(WOOD, CAMERA, np.random.default_rng(3), lamp)


@cache
def empty() -> ImageBgr:
    return render(WOOD.empty, CAMERA, np.random.default_rng(4))


def at(model: Model) -> tuple[float, float]:
    """The pixel of the middle of a soldier's base; for a casualty, of its body."""
    true = next(figure for figure in TRUTH if figure.id == model.id)
    u, v = CAMERA.table_to_pixel((*true.centre_in, true.z_in + 0.08))[0]
    return float(u), float(v)


def picked(picker: FigurePicker, image: ImageBgr, px: tuple[float, float], **known: object) -> ClickedFigure | None:
    papers = [tuple(map(tuple, marker.corners_in)) for marker in WOOD.markers]
    return picker.pick(image, CAMERA, px, terrain=WOOD.terrain, papers_in=papers, **known)  # type: ignore[arg-type]


@pytest.mark.parametrize("model", SOLDIERS, ids=lambda model: model.id)
@pytest.mark.parametrize("lamp", [0.45, 1.0])
@pytest.mark.parametrize("reference", [False, True], ids=["clicks only", "with the empty table"])
@pytest.mark.slow
def test_a_click_on_any_soldier_finds_it_and_its_plastic(
    picker: FigurePicker, model: Model, lamp: float, *, reference: bool
) -> None:
    found = picked(picker, picture(lamp), at(model), reference_bgr=empty() if reference else None)
    assert found.is_figure
    true = next(figure for figure in TRUTH if figure.id == model.id)
    assert math.dist(found.foot_in, true.centre_in) < 0.5
    inside = cv2.pointPolygonTest(found.outline_px.astype(np.float32), at(model), True)
    assert inside > -4, "the outline surrounds the click"


@pytest.mark.parametrize("lamp", [0.45, 1.0])
@pytest.mark.slow
def test_colours_of_one_army_are_more_similar_than_those_of_two(picker: FigurePicker, lamp: float) -> None:
    """One stands, the other kneels, lies or stands on a book: the plastic is the same."""
    learned = {}
    for model in SOLDIERS:
        found = picked(picker, picture(lamp), at(model))
        learned[model.id] = (model.army, found.learn(model.army).mean[:2])
    apart = {(a, b): float(np.hypot(*(learned[a][1] - learned[b][1]))) for a, b in combinations(learned, 2)}
    same = [away for (a, b), away in apart.items() if learned[a][0] == learned[b][0]]
    other = [away for (a, b), away in apart.items() if learned[a][0] != learned[b][0]]
    assert max(same) < min(other)


@pytest.mark.parametrize("reference", [False, True], ids=["clicks only", "with the empty table"])
def test_a_click_on_bare_table_finds_nothing(picker: FigurePicker, *, reference: bool) -> None:
    for x, y in BARE_IN:
        u, v = CAMERA.table_to_pixel((x, y, 0.0))[0]
        found = picked(picker, picture(), (float(u), float(v)), reference_bgr=empty() if reference else None)
        assert found is None or not found.is_figure, (x, y)


@settings(max_examples=8, deadline=None)
@given(st.sampled_from(SOLDIERS[2:4]), st.floats(0.05, 1.7), st.floats(0.6, 2.5))
@pytest.mark.slow
def test_any_part_of_a_soldier_can_be_clicked_in_pictures_of_any_size(
    picker: FigurePicker, model: Model, up_in: float, zoom: float
) -> None:
    """A soldier is 20 px high in the smallest picture and 80 px in the largest."""
    size = (round(1280 * zoom), round(720 * zoom))
    image = np.asarray(cv2.resize(picture(), size, interpolation=cv2.INTER_AREA if zoom < 1 else cv2.INTER_CUBIC))
    scale = np.diag([size[0] / 1280, size[1] / 720, 1.0])
    lens = Lens(size, scale @ CAMERA.lens.matrix, CAMERA.lens.distortion)
    camera = replace(CAMERA, lens=lens)
    assert isinstance(camera, TableCamera)
    u, v = camera.table_to_pixel((model.x_in, model.y_in, model.z_in + up_in))[0]
    found = picker.pick(image, camera, (float(u), float(v)), terrain=WOOD.terrain)
    assert found.is_figure
    assert np.hypot(found.foot_in[0] - model.x_in, found.foot_in[1] - model.y_in) < 0.5


def test_a_click_above_the_horizon_finds_nothing(picker: FigurePicker) -> None:
    # Looking along the table, the upper half of the picture shows what is above it.
    along = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    camera = TableCamera(CAMERA.lens, along, -along @ np.array([15.0, -20.0, 5.0]))
    assert picker.pick(picture(), camera, (640.0, 10.0)) is None


def test_a_second_click_refines_the_colour(picker: FigurePicker) -> None:
    first = picked(picker, picture(), at(SOLDIERS[0]))
    second = picked(picker, picture(0.45), at(SOLDIERS[1]))
    one = first.learn("tan")
    both = second.learn("tan", one)
    assert both.samples == one.samples + second.learn("tan").samples
    assert both.mean[2] < one.mean[2], "the second was seen in dimmer light"


def test_outlines_are_closed_lines_of_neighbouring_pixels(picker: FigurePicker) -> None:
    found = picked(picker, picture(), at(SOLDIERS[2]))
    steps = [np.hypot(*(b - a)) for a, b in pairwise([*found.outline_px, found.outline_px[0]])]
    # One pixel of the rectified image is 1/18 in, at most 1.6 px here; a diagonal is root 2 of that.
    assert max(steps) < 2 * 1.6 * np.sqrt(2)
