"""An input box for a length in the player's unit."""

from __future__ import annotations

from ui.desktop.dialogs import NumberBox
from ui.units import Unit


class LengthBox(NumberBox):
    """Accepts a length.

    Attributes:
        min_in: The smallest accepted length.
    """

    def __init__(self, unit: Unit, min_in: float, max_in: float) -> None:
        super().__init__()
        self._unit, self.min_in = unit, min_in
        self.setDecimals(2 if unit is Unit.INCH else 1)
        self.setRange(min_in * unit.per_in, max_in * unit.per_in)
        self.setSingleStep(0.25 if unit is Unit.INCH else 0.5)
        self.setSuffix(f" {unit.sign}")

    @property
    def inches(self) -> float:
        """The length entered."""
        return self.value() / self._unit.per_in

    def set_inches(self, length_in: float) -> None:
        """Set the length."""
        self.setValue(length_in * self._unit.per_in)
