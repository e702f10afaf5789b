"""What a correction teaches about other figures: an example is taken from the picture and kept with the table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from calibration.opencv import cv2
from rules.tabletop.table import STANDING_HEIGHT_IN, Figure, Posture
from ui.table.corrections import ArmyChanged, Confirmed, Correction, PostureSet
from vision.examples import CROP_PX, Appearance, Example
from vision.frame import ImageBgr
from vision.setup import Setup
from vision.table_view import TableView

_CROP_IN = 2.4  # side of the square that an example's picture shows
_WAIST = 0.4  # its middle, as a part of the standing height


def learned(
    setup: Setup, corrections: Iterable[Correction], shown: TableView, seen: TableView, names: Mapping[str, str]
) -> Setup:
    """The set-up with the examples that these corrections give; the same one where they give none.

    Args:
        setup: As it is.
        corrections: The new ones.
        shown: The view with all corrections so far.
        seen: The same view as the camera has it.
        names: The camera's name of each figure, and the one that it is shown by.
    """
    looks = {names.get(track, track): look for track, look in seen.appearances.items()}
    figures = {figure.id: figure for figure in shown.figures}
    new = [
        example
        for one in corrections
        if isinstance(one, Confirmed | PostureSet | ArmyChanged) and one.id in looks and one.id in figures
        for example in _examples(one, figures[one.id], looks[one.id], seen)
    ]
    return replace(setup, examples=setup.examples.with_more(new)) if new else setup


def _examples(
    correction: Confirmed | PostureSet | ArmyChanged, figure: Figure, look: Appearance, view: TableView
) -> Iterable[Example]:
    match correction:
        case PostureSet(_, posture):
            figure = replace(figure, posture=posture)
        case ArmyChanged(_, army):
            figure = replace(figure, army=army)
    if figure.posture is not Posture.VEHICLE and (crop := _crop(view, figure)) is not None:
        yield Example(figure.id, figure.army, figure.posture, look.signature, look.colour, crop)


def _crop(view: TableView, figure: Figure) -> ImageBgr | None:
    """The figure in the middle of a small picture; None while inches are unknown."""
    if view.calibration is None:
        return None
    waist_in = figure.z_in + _WAIST * STANDING_HEIGHT_IN
    px_per_in = view.calibration.camera.px_per_inch(*figure.centre_in, waist_in)
    u, v = view.calibration.camera.table_to_pixel((*figure.centre_in, waist_in))[0]
    scale = _CROP_IN * px_per_in / CROP_PX
    way = np.array([[scale, 0.0, u], [0.0, scale, v]])
    way[:, 2] -= scale * (CROP_PX - 1) / 2
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(view.frame.image_bgr, way, (CROP_PX, CROP_PX), flags=flags), np.uint8)
