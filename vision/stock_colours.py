"""Plastics that toy soldiers are usually made of: where an army's colour can begin, before any of it was clicked."""

from __future__ import annotations

import numpy as np

from rules.table import UserError
from vision.palette import ArmyColour, log_colour

PLASTIC_BGR = {
    "green": (46, 102, 96),
    "tan": (120, 168, 196),
    "grey": (150, 142, 134),
    "blue": (150, 90, 40),
    "red": (44, 44, 160),
    "yellow": (60, 170, 205),
    "brown": (48, 76, 112),
}
"""Colour of each plastic in full light, as a picture file holds it. "Green" is olive: OpenCV hue 27."""

_SIGMAS = (0.1, 0.12, 0.5)  # in log colour: makers differ, lamps are yellower or bluer, and it is lit from one side
_SAMPLES = 12  # the least that a click teaches: the first click counts for nearly all


def stock_names() -> tuple[str, ...]:
    """The plastics that have a usual colour."""
    return tuple(PLASTIC_BGR)


def usual_colour(army: str) -> ArmyColour:
    """The colour of the plastic that an army is named after; clicks on its soldiers make it theirs.

    Raises:
        UserError: if no usual plastic has that name.
    """
    bgr = PLASTIC_BGR.get(army.strip().lower())
    if bgr is None:
        raise UserError(
            f"no usual plastic is called {army.strip()!r}; there is {', '.join(PLASTIC_BGR)}: choose one of them, or"
            " click a soldier"
        )
    lit = log_colour(np.array([[bgr]], np.uint8))[0, 0].astype(np.float64)
    mean = lit - (0, 0, _SIGMAS[2] / 2)  # on the table most of it lies in some shade
    covariance = np.diag(np.square(_SIGMAS))
    for array in (mean, covariance):
        array.setflags(write=False)
    return ArmyColour(army.strip(), mean, covariance, _SAMPLES)


def is_usual(colour: ArmyColour) -> bool:
    """Whether a colour is still the usual one of its plastic: none of the army's soldiers was clicked."""
    return colour.samples <= _SAMPLES
