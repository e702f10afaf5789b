"""The armies of the simulated table, taught by simulated clicks, so that the demo measures at once."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from calibration.calibration_targets import CalibrationTargets
from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure, Posture
from vision.frame import Frame, ImageBgr
from vision.palette import ArmyColour, Palette, teach
from vision.setup import Setup
from vision.simulation.simulator import Truth

_CLICKS = 3
"""Soldiers clicked in each army; more than one make its colour more reliable."""


def demo_setup(frame: Frame, truth: Truth, empty_bgr: ImageBgr) -> Setup:
    """The complete setup of the simulated table, with the coordinates of the markers in `truth`."""
    return replace(demo_ground(truth), palette=demo_palette(frame, truth), reference_bgr=empty_bgr)


def demo_ground(truth: Truth) -> Setup:
    """The setup of the simulated table before its armies are taught: markers, lens and terrain."""
    return Setup(CalibrationTargets(layout=truth.markers), truth.camera.lens, propose=True, terrain=truth.terrain)


def demo_palette(frame: Frame, truth: Truth) -> Palette:
    """Every army's colour, from clicks on standing soldiers' bases."""
    soldiers: dict[str, list[Figure]] = {}
    for figure in truth.figures:
        if figure.posture is Posture.STANDING:
            soldiers.setdefault(figure.army, []).append(figure)
    learned = (_learn(frame, truth, army, soldiers[army][:_CLICKS]) for army in sorted(soldiers))
    return tuple(colour for colour in learned if colour is not None)


def _learn(frame: Frame, truth: Truth, army: str, soldiers: list[Figure]) -> ArmyColour | None:
    colour = None
    for soldier in soldiers:
        x, y = truth.camera.table_to_pixel((*soldier.centre_in, soldier.z_in))[0]
        with suppress(UserError):  # a soldier in the shadow of a tree
            colour = teach(frame.image_bgr, (float(x), float(y)), army, colour)
    return colour
