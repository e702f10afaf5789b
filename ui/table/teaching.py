"""Teaching an army's plastic by a click, with errors that prevent wrong colours; learning from corrections."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from rules.engine.text import display_name
from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure, Posture
from ui.table.corrections import ArmyChanged, Confirmed, Correction, PostureSet
from ui.table.picking import PointPx, apart, is_other_plastic, same_plastic
from ui.table.portrait import figure_crop
from ui.translation import tr
from vision.examples import CROP_PX, Appearance, Example
from vision.palette import ArmyColour, Palette, merged
from vision.setup import Setup
from vision.stock_colours import is_stock_colour
from vision.table_view import TableView

_NEAREST_IN = 6.0
"""A click within this distance may have been meant for a figure."""


class NoFigureThere(UserError):
    """A click to teach an army's colour hit bare table."""

    def __init__(self, nearest: Figure | None = None, nearest_px: PointPx | None = None) -> None:
        super().__init__(
            tr("No soldier here. The nearest is {soldier}.", soldier=display_name(nearest.id))
            if nearest
            else tr("No soldier here. Click the middle of a base.")
        )
        self.nearest, self.nearest_px = nearest, nearest_px


class OtherPlastic(UserError):
    """A click to teach one army hit a figure that looks like another army's.

    Attributes:
        like: The known army that the figure looks like; empty if none.
    """

    def __init__(self, army: str, like: str) -> None:
        super().__init__(
            tr("That soldier looks like {army}.", army=like)
            if like
            else tr("That soldier looks different from {army}.", army=army)
        )
        self.army, self.like = army, like


def no_figure(view: TableView, px: PointPx) -> NoFigureThere:
    """The error for a click on bare table, with the figure nearest to it; `view` must have a calibration."""
    assert view.calibration is not None
    camera = view.calibration.camera
    x, y = camera.pixel_to_table(px)[0]
    near = [(math.dist((x, y), figure.centre_in), figure) for figure in view.figures]
    away_in, nearest = min(near, key=lambda pair: pair[0], default=(math.inf, None))
    if nearest is None or not away_in < _NEAREST_IN:
        return NoFigureThere()
    u, v = camera.table_to_pixel((*nearest.centre_in, nearest.z_in))[0]
    return NoFigureThere(nearest, (float(u), float(v)))


def refuse_other_plastic(clicked: ArmyColour, palette: Palette) -> None:
    """Prevent mixing two armies' plastics, or teaching one army under two names.

    Args:
        clicked: The clicked colour, with the name of the army to teach.
        palette: The armies; those that still have their usual colour accept any plastic.

    Raises:
        OtherPlastic: if the click does not fit its army, or fits another better.
    """
    seen = [colour for colour in palette if not is_stock_colour(colour)]
    own = own_plastic(clicked, tuple(seen))
    if own is not None and not is_other_plastic(clicked, own):
        return
    like = same_plastic(clicked, [colour for colour in seen if colour.name != clicked.name])
    if own is not None or like is not None:
        raise OtherPlastic(clicked.name, like.name if like is not None else "")


def taught(clicked: ArmyColour, palette: Palette) -> Palette:
    """The palette with the clicked colour, which refines the most similar plastic of its army."""
    known = own_plastic(clicked, palette)
    others = tuple(colour for colour in palette if colour is not known)
    colour = clicked if known is None else merged(known, clicked)
    return tuple(sorted((*others, colour), key=lambda army: army.name))


def own_plastic(clicked: ArmyColour, palette: Palette) -> ArmyColour | None:
    """The plastic of the same army that is most similar to the clicked colour; None if the army is new."""
    own = [colour for colour in palette if colour.name == clicked.name]
    return min(own, key=lambda colour: apart(colour, clicked), default=None)


_CROP_IN = 2.4  # side of an example's square picture


def learned(
    setup: Setup, corrections: Iterable[Correction], shown: TableView, seen: TableView, names: Mapping[str, str]
) -> Setup:
    """The setup with the examples from these corrections; the identical setup if there are none.

    `shown` is the view with the earlier corrections, `seen` without; `names` has the shown id for each track id.
    """
    looks = {names.get(track, track): look for track, look in seen.appearances.items()}
    figures = {figure.id: figure for figure in shown.figures}
    new = [
        example
        for change in corrections
        if isinstance(change, Confirmed | PostureSet | ArmyChanged) and change.id in looks and change.id in figures
        for example in _examples(change, figures[change.id], looks[change.id], seen)
    ]
    return replace(setup, examples=setup.examples.with_added(new)) if new else setup


def _examples(
    correction: Confirmed | PostureSet | ArmyChanged, figure: Figure, look: Appearance, view: TableView
) -> Iterable[Example]:
    match correction:
        case PostureSet(_, posture):
            figure = replace(figure, posture=posture)
        case ArmyChanged(_, army):
            figure = replace(figure, army=army)
    if figure.posture is not Posture.VEHICLE and (crop := figure_crop(view, figure, _CROP_IN, CROP_PX)) is not None:
        yield Example(figure.id, figure.army, figure.posture, look.signature, look.colour, crop)
