"""The examples that corrections give."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rules.tabletop.table import Figure, Posture, ellipse_outline
from tests.ui.setup.test_saved_table import PICTURE, man, view
from ui.table.corrections import ArmyChanged, Confirmed, Correction, Deleted, PlacedAt, PostureSet, Renamed
from ui.table.teaching import learned
from vision.examples import CROP_PX, Appearance, Example
from vision.likeness import DIRECTIONS, unit
from vision.setup import Setup
from vision.table_view import TableView

MAN = man("tan-1", 10.0, 8.0)  # in the middle of the picture
TANK = Figure("tan-2", "tan", 12.0, 8.0, 0.0, 0.1, Posture.VEHICLE, ellipse_outline((12.0, 8.0), 1.5, 0.9), None, 0.9)
LOOK = Appearance(unit(np.ones(DIRECTIONS, np.float32)), (0.7, 0.2, 0.05, 0.05), (("tan", 1.0),), (0.4, 0.2, -0.6))


def seen(*figures: Figure) -> TableView:
    return replace(view(None, *figures), appearances={"tan-1": LOOK})


def taught(*corrections: Correction, shown_as: str = "tan-1") -> tuple[Example, ...]:
    camera_has, names = seen(MAN, TANK), {"tan-1": shown_as, "tan-2": "tan-2"}
    shown = replace(camera_has, tracking=replace(camera_has.tracking, figures=(replace(MAN, id=shown_as), TANK)))
    return learned(Setup(), corrections, shown, camera_has, names).examples.all


@pytest.mark.parametrize(
    ("correction", "army", "posture"),
    [
        (Confirmed("tan-1"), "tan", Posture.STANDING),
        (PostureSet("tan-1", Posture.KNEELING, Posture.STANDING), "tan", Posture.KNEELING),
        (ArmyChanged("tan-1", "green", "green-4"), "green", Posture.STANDING),
    ],
)
def test_an_example_has_the_players_correction(correction: Correction, army: str, posture: Posture) -> None:
    (example,) = taught(correction)
    assert (example.army, example.posture) == (army, posture)
    assert (example.signature is LOOK.signature, example.colour) == (True, LOOK.colour)
    assert example.crop_bgr.shape == (CROP_PX, CROP_PX, 3)


def test_corrections_use_the_shown_name() -> None:
    (example,) = taught(Confirmed("sergeant"), shown_as="sergeant")
    assert example.name == "sergeant"
    assert taught(Confirmed("tan-1"), shown_as="sergeant") == ()


@pytest.mark.parametrize(
    "correction",
    [
        Deleted("tan-1", (10.0, 8.0)),
        PlacedAt("tan-1", (10.0, 8.0), (11.0, 8.0), 0.0, 0.1),
        Renamed("tan-1", "sergeant"),
        Confirmed("tan-2"),
        Confirmed("tan-9"),
    ],
)
def test_other_corrections_give_no_example(correction: Correction) -> None:
    setup = Setup()
    assert learned(setup, [correction], seen(MAN, TANK), seen(MAN, TANK), {}) is setup


def test_an_examples_picture_is_centred_on_the_figure() -> None:
    (example,) = taught(Confirmed("tan-1"))
    # The camera looks straight down from 40 in at (10, 8), its axis at pixel (20, 15) of 40 x 30; the waist is 0.84 in
    # up: 30 / 39.16 px to the inch, so 40 crop pixels are 2.4 in or 1.84 px, and the middle is pixel (20, 15).
    middle = example.crop_bgr[19:21, 19:21].mean((0, 1))
    np.testing.assert_allclose(middle, PICTURE[15, 20], atol=12)
