"""Colours of the plastic of known figures."""

from __future__ import annotations

import numpy as np
import pytest

from rules.tabletop.table import Figure, Posture
from tests.vision.figure_pictures import GREEN, TAN, camera, empty, soldier
from vision.figure_colours import plastic_colours
from vision.palette import log_colour
from vision.silhouette import base_outline
from vision.stock_colours import stock_colour

EITHER = (stock_colour("green"), stock_colour("tan"))


def figure(x: float, y: float, posture: Posture = Posture.STANDING, z: float = 0.0) -> Figure:
    return Figure("a-1", "a", x, y, z, 0.1, posture, base_outline(posture, x, y, 0.0, 1.0))


def chroma(bgr: tuple[int, int, int]) -> np.ndarray:
    return np.asarray(log_colour(np.array([[bgr]], np.uint8))[0, 0, :2])


@pytest.mark.parametrize("posture", [Posture.STANDING, Posture.KNEELING, Posture.PRONE])
@pytest.mark.parametrize("z", [0.0, 3.0])
def test_plastic_colours_come_from_the_figures_plastic(posture: Posture, z: float) -> None:
    image, eye = empty(), camera()
    soldier(image, eye, 5, 6, GREEN, posture=posture, z=z)
    soldier(image, eye, 24, 17, TAN, posture=posture, z=z)
    for place, plastic in (((5, 6), GREEN), ((24, 17), TAN)):
        colours = plastic_colours(image, eye, figure(*place, posture, z), EITHER)
        assert len(colours) > 200
        away = np.linalg.norm(colours[:, :2] - chroma(plastic), axis=1)
        assert (away < 0.06).mean() > 0.8, "on a hill, too"


def test_colours_that_no_plastic_of_the_army_has_are_left_out() -> None:
    image, eye = empty(), camera()
    soldier(image, eye, 12, 12, (150, 40, 20))  # blue, as paint would be
    assert len(plastic_colours(image, eye, figure(12, 12), EITHER)) == 0


def test_a_figure_outside_the_picture_has_no_colours() -> None:
    assert len(plastic_colours(empty(), camera(), figure(60, 12), EITHER)) == 0
