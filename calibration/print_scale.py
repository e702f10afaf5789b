"""A printer's scale: how long 100 mm come out on each axis, measured with the player's ruler."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rules.tabletop.errors import user_error
from rules.tabletop.table import FloatArray
from rules.tabletop.translation import tr

SCALE_MM = 100.0
"""Length of the scales on the sheets."""

MAX_SCALE_ERROR = 0.05
"""Printers are off by up to 2 %, a page fitted to the paper by up to 5 %; more is a misreading or another page."""


@dataclass(frozen=True, slots=True)
class PrintScale:
    """Measured lengths of the 100 mm scales on a page that was printed without correction.

    If they differ, a printed marker is not square; `true_in` returns its real shape, in the print's own frame, x along
    its top.

    Attributes:
        measured_x_mm: The level scale, along the bottom of the page.
        measured_y_mm: The upright scale, on the right of the page.

    Raises:
        UserError: if a length is not a number or more than 5 % off.
    """

    measured_x_mm: float = SCALE_MM
    measured_y_mm: float = SCALE_MM

    def __post_init__(self) -> None:
        for name, measured_mm in ((tr("level"), self.measured_x_mm), (tr("upright"), self.measured_y_mm)):
            off = abs(measured_mm - SCALE_MM) / SCALE_MM
            if not (math.isfinite(measured_mm) and off <= MAX_SCALE_ERROR + 1e-9):
                raise user_error(
                    "the {name} scale cannot be {measured_mm:g} mm long: measure from 0 to 100 in"
                    " millimetres; if the length is correct, the page was fitted to the paper: print it at"
                    " 100 % (actual size)",
                    name=name,
                    measured_mm=measured_mm,
                )

    @property
    def factors(self) -> tuple[float, float]:
        """The printer's scale factors across and down."""
        return self.measured_x_mm / SCALE_MM, self.measured_y_mm / SCALE_MM

    @property
    def correction(self) -> tuple[float, float]:
        """Factors by which to scale a drawing so that it prints at the right size."""
        x, y = self.factors
        return 1 / x, 1 / y

    def true_in(self, drawn_in: npt.ArrayLike) -> FloatArray:
        """(N, 2) positions on the printed paper, from the drawn ones (N, 2), x along the print's top."""
        return np.asarray(drawn_in, np.float64) * self.factors


TRUE_PRINT = PrintScale()
"""A printer that needs no correction."""
