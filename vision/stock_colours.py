"""Stock colours: the usual plastics of toy soldiers, used for an army before any of its soldiers was clicked."""

from __future__ import annotations

import numpy as np

from rules.tabletop.errors import user_error
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
"""sRGB colour of each plastic in full light. "Green" is olive: OpenCV hue 27."""

_SIGMAS = (0.1, 0.12, 0.5)  # in log colour: makers differ, lamps are yellower or bluer, light comes from one side
_SAMPLES = 12  # the fewest a click teaches, so the first click nearly replaces the stock colour


def stock_names() -> tuple[str, ...]:
    """Names of the stock colours."""
    return tuple(PLASTIC_BGR)


def stock_colour(army: str) -> ArmyColour:
    """The stock colour after which an army is named.

    Raises:
        UserError: If no stock colour has that name.
    """
    bgr = PLASTIC_BGR.get(army.strip().lower())
    if bgr is None:
        raise user_error(
            "No stock colour is called {army!r}. Choose one of {colours}, or click a soldier.",
            army=army.strip(),
            colours=", ".join(PLASTIC_BGR),
        )
    lit = log_colour(np.array([[bgr]], np.uint8))[0, 0].astype(np.float64)
    mean = lit - (0, 0, _SIGMAS[2] / 2)  # on the table most of a figure is in some shade
    covariance = np.diag(np.square(_SIGMAS))
    for array in (mean, covariance):
        array.setflags(write=False)
    return ArmyColour(army.strip(), mean, covariance, _SAMPLES)


def is_stock_colour(colour: ArmyColour) -> bool:
    """Whether a colour is still the stock colour: no soldier of the army was clicked."""
    return colour.samples <= _SAMPLES
