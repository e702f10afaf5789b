"""What a click teaches of an army's plastic, and why it may teach nothing. No Qt here."""

from __future__ import annotations

import math

from rules.table import Figure, UserError
from rules.text import spoken
from ui.table.picking import PointPx, apart, is_other_plastic, same_plastic
from vision.palette import ArmyColour, Palette, merged
from vision.pipeline import TableView
from vision.stock_colours import is_usual

_NEAREST_IN = 6.0
"""A click this far from a figure may have been meant for it."""


class NoFigureThere(UserError):
    """A click that was to teach an army's colour hit bare table.

    Attributes:
        nearest: The figure that may have been meant; None where none is near.
        nearest_px: A pixel of it.
    """

    def __init__(self, nearest: Figure | None = None, nearest_px: PointPx | None = None) -> None:
        meant = f"The nearest is {spoken(nearest.id)}." if nearest else "Click the middle of a base."
        super().__init__(f"No soldier here. {meant}")
        self.nearest, self.nearest_px = nearest, nearest_px


class OtherPlastic(UserError):
    """A click that was to teach one army hit a figure that looks like another's.

    Attributes:
        army: The army that was named.
        like: The known army that the figure looks like; empty where it looks like none.
    """

    def __init__(self, army: str, like: str) -> None:
        super().__init__(f"That soldier looks like {like}." if like else f"That soldier looks different from {army}.")
        self.army, self.like = army, like


def no_figure(view: TableView, px: PointPx) -> NoFigureThere:
    """The refusal of a click on bare table, with the figure that is nearest to it.

    Args:
        view: As it is shown; it must have a calibration.
        px: What was clicked.
    """
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
    """Refuse to mix two armies' plastics, or to begin one army under two names.

    Args:
        clicked: What was clicked, under the name that was chosen.
        palette: The armies; those that have their usual colour are of any plastic.

    Raises:
        OtherPlastic: if the click does not fit its army, or fits another better.
    """
    seen = [colour for colour in palette if not is_usual(colour)]
    own = own_plastic(clicked, tuple(seen))
    if own is not None and not is_other_plastic(clicked, own):
        return
    like = same_plastic(clicked, [colour for colour in seen if colour.name != clicked.name])
    if own is not None or like is not None:
        raise OtherPlastic(clicked.name, like.name if like is not None else "")


def taught(clicked: ArmyColour, palette: Palette) -> Palette:
    """The armies with what a click has shown of one: it refines the plastic of that army that is most like it."""
    known = own_plastic(clicked, palette)
    others = tuple(colour for colour in palette if colour is not known)
    colour = clicked if known is None else merged(known, clicked)
    return tuple(sorted((*others, colour), key=lambda one: one.name))


def own_plastic(clicked: ArmyColour, palette: Palette) -> ArmyColour | None:
    """The plastic of the same army that is most like what was clicked; None where the army is not known."""
    own = [colour for colour in palette if colour.name == clicked.name]
    return min(own, key=lambda colour: apart(colour, clicked), default=None)
