"""What a printer makes of 100 mm on each axis, by the player's own ruler."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rules.tabletop.errors import UserError
from rules.tabletop.table import FloatArray

SCALE_MM = 100.0
"""Length of the scales on the sheets."""

FARTHEST_OFF = 0.05
"""Printers miss by up to 2 %, a page fitted to the paper by up to 5; more is a slip of the ruler or another page."""


@dataclass(frozen=True, slots=True)
class PrintScale:
    """How long the 100 mm scales came out on paper, on a page that was printed without a correction.

    A printed marker is then no square: `true_in` gives its real shape, in the print's own frame, x along its top.

    Attributes:
        measured_x_mm: The level scale, along the bottom of the page.
        measured_y_mm: The upright scale, at its right.

    Raises:
        UserError: if a length is not a number or more than 5 % off.
    """

    measured_x_mm: float = SCALE_MM
    measured_y_mm: float = SCALE_MM

    def __post_init__(self) -> None:
        for name, measured_mm in (("level", self.measured_x_mm), ("upright", self.measured_y_mm)):
            off = abs(measured_mm - SCALE_MM) / SCALE_MM
            if not (math.isfinite(measured_mm) and off <= FARTHEST_OFF + 1e-9):
                raise UserError(
                    f"the {name} scale cannot have come out {measured_mm:g} mm long: measure from its 0 to its 100 in"
                    f" millimetres; if it is right, the page was fitted to the paper: print it at 100 % (actual size)"
                )

    @property
    def factors(self) -> tuple[float, float]:
        """What the printer makes of 1 across and down."""
        return self.measured_x_mm / SCALE_MM, self.measured_y_mm / SCALE_MM

    @property
    def correction(self) -> tuple[float, float]:
        """How much wider and higher to draw, so that the next print is true."""
        x, y = self.factors
        return 1 / x, 1 / y

    def true_in(self, drawn_in: npt.ArrayLike) -> FloatArray:
        """(N, 2) places of a print on paper, from those (N, 2) it was drawn with, x along its top."""
        return np.asarray(drawn_in, np.float64) * self.factors


TRUE_PRINT = PrintScale()
"""A printer that needs no correction."""
