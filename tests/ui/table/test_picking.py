"""Finding the figure under the mouse ahead of a click, and comparing plastics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.solve import Calibration
from tests.ui.views import view_of
from tests.ui.windows import Wait
from tests.vision.figure_pictures import GREEN, TAN, camera, empty, soldier
from ui.table.teaching import RESTS_S, HoverPicker, PickRequest, is_other_plastic, same_plastic
from vision.frame import Frame, ImageBgr
from vision.palette import ArmyColour
from vision.setup import Setup
from vision.simulation.practice_table import practice_table
from vision.simulation.scene import Model, Scene, Sculpt, corner_markers
from vision.simulation.simulator import SimulatedTable, overhead_camera
from vision.table_view import TableView
from vision.teaching import FigurePicker

EYE = camera()
SETUP = Setup()
GREENS, TANS, BARE = ((8.0, 8.0), (12.0, 15.0), (20.0, 6.0)), ((18.0, 14.0), (22.0, 18.0)), (15.0, 11.0)


def drawn() -> ImageBgr:
    image = empty()
    for places, colour in ((GREENS, GREEN), (TANS, TAN)):
        for turn, (x, y) in enumerate(places):
            soldier(image, EYE, x, y, colour, turn=60.0 * turn)
    return image


def seen(image: ImageBgr) -> TableView:
    calibration = Calibration(EYE, {}, 0.1, ())
    return replace(view_of(), frame=Frame(image, 0, 0.0), calibration=calibration)


def request(image: ImageBgr, place_in: tuple[float, float], *, aside_px: float = 0.0) -> PickRequest:
    x, y = EYE.table_to_pixel(place_in)[0]
    view = seen(image)
    return PickRequest(view.frame, (float(x) + aside_px, float(y)), view, SETUP)


def noisy(image: ImageBgr, seed: int) -> ImageBgr:
    noise = np.random.default_rng(seed).normal(0, 3.0, image.shape)
    return np.clip(image + noise, 0, 255).astype(np.uint8)


def test_an_answer_holds_near_its_pixel_while_the_picture_is_unchanged() -> None:
    image = drawn()
    asked = request(image, GREENS[0])
    assert asked.covers(request(noisy(image, 1), GREENS[0])), "noise is not a change"
    assert asked.covers(request(image, GREENS[0], aside_px=3.0))
    assert not asked.covers(request(image, GREENS[0], aside_px=6.0))
    assert not asked.covers(request(empty(), GREENS[0])), "the soldier has gone"
    other = PickRequest(asked.frame, asked.px, asked.view, Setup(figure_height_in=3.0))
    assert not asked.covers(other), "the setup is another one"


def test_the_figure_under_a_resting_mouse_is_found_in_the_background(wait_until: Wait) -> None:
    hover, image = HoverPicker(), drawn()
    on_soldier, beside = request(image, TANS[0]), request(image, BARE)
    assert not hover.follow(on_soldier, 10.0)
    assert not hover.follow(on_soldier, 10.0 + RESTS_S / 2)
    assert hover.pick_for(on_soldier) is None, "the mouse has only just arrived"
    wait_until(lambda: hover.follow(on_soldier, 10.0 + 2 * RESTS_S))
    picked = hover.pick_for(on_soldier)
    # Drawn about (18, 14), 0.4 in across, viewed from above the centre of the table.
    assert picked.figure.foot_in == pytest.approx(TANS[0], abs=0.25)
    assert hover.pick_for(beside) is None
    assert not hover.follow(beside, 20.0)
    wait_until(lambda: hover.follow(beside, 21.0))
    bare = hover.pick_for(beside)
    assert bare.figure is None, "bare table is an answer too"
    hover.close()


def test_a_moving_mouse_starts_no_search() -> None:
    hover, image = HoverPicker(), drawn()
    for step in range(10):
        assert not hover.follow(request(image, GREENS[0], aside_px=10.0 * step), 10.0 + step)
    assert not hover.follow(None, 30.0)
    assert not hover.follow(None, 40.0)
    hover.close()


def clicked(picker: FigurePicker, image: ImageBgr, eye, place_in, **known) -> ArmyColour | None:
    x, y = eye.table_to_pixel(place_in)[0]
    figure = picker.pick(image, eye, (float(x), float(y)), **known)
    return figure.learn("clicked") if figure is not None and figure.is_figure else None


@pytest.mark.slow
def test_plastics_of_a_drawn_table_are_separated_even_in_shade() -> None:
    picker, lit = FigurePicker(), drawn()
    shaded = (0.5 * lit).astype(np.uint8)  # half the light, of the same colour
    green, *greens = (clicked(picker, image, EYE, place) for image in (lit, shaded) for place in GREENS)
    tans = [clicked(picker, image, EYE, place) for image in (lit, shaded) for place in TANS]
    assert None not in (green, *greens, *tans)
    assert not any(is_other_plastic(one, green) for one in greens)
    assert all(is_other_plastic(one, green) for one in tans)
    assert same_plastic(greens[-1], [green]) is green
    assert same_plastic(tans[-1], [green]) is None
    assert same_plastic(green, ()) is None


@pytest.mark.slow
def test_plastics_of_the_simulated_table_are_separated() -> None:
    table = practice_table()
    frame, truth, picker = table.read(), table.truth, FigurePicker()
    found: dict[str, list[ArmyColour]] = {}
    for figure in truth.figures[::2]:
        place = (*figure.centre_in, figure.z_in)
        colour = clicked(picker, frame.image_bgr, truth.camera, place, terrain=truth.terrain)
        if colour is not None:
            found.setdefault(figure.army, []).append(colour)
    green, tan = found["green"], found["tan"]
    assert min(len(green), len(tan)) >= 5  # of six each; some stand in shade, some on books
    for own, other in ((green, tan), (tan, green)):
        assert not any(is_other_plastic(one, own[0]) for one in own[1:])
        assert all(is_other_plastic(one, own[0]) for one in other)
        assert same_plastic(other[0], [own[0]]) is None


@pytest.mark.slow
def test_olive_and_blue_on_a_small_picture_are_different() -> None:
    """The table of the window tests, with a picture of half the usual size."""
    posts = {"green-1": (8.0, 10.0), "green-2": (11.0, 6.0), "blue-1": (20.0, 10.0)}
    models = tuple(Model(name, name.split("-")[0], Sculpt.RIFLEMAN, *at) for name, at in posts.items())
    scene = Scene((30.0, 20.0), markers=corner_markers((30.0, 20.0)), models=models)
    table = SimulatedTable(scene, overhead_camera((960, 540), (30.0, 20.0), 40.0))
    frame, picker = table.read(), FigurePicker()
    one, two, blue = (clicked(picker, frame.image_bgr, table.camera, at) for at in posts.values())
    assert one is not None
    assert two is not None
    assert blue is not None
    assert not is_other_plastic(two, one)
    assert is_other_plastic(blue, one)
