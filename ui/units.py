"""The unit of length, inches or centimetres, in which players read and type. The program calculates in inches."""

from __future__ import annotations

from enum import StrEnum

from ui.translation import tr

CM_PER_IN = 2.54


class Unit(StrEnum):
    """A unit of length."""

    INCH = "in"
    CENTIMETRE = "cm"

    @property
    def per_in(self) -> float:
        """How many of this unit make one inch."""
        return CM_PER_IN if self is Unit.CENTIMETRE else 1.0

    @property
    def sign(self) -> str:
        """The unit as players read it."""
        return tr("cm") if self is Unit.CENTIMETRE else tr("in")

    def words(self, length_in: float) -> str:
        """A length in text, such as "12.4 in" or "31.5 cm"."""
        return self._with_unit(f"{length_in * self.per_in:.1f}")

    def fine_words(self, length_in: float) -> str:
        """A small length with two decimals, such as "0.04 in" or "0.10 cm"."""
        return self._with_unit(f"{length_in * self.per_in:.2f}")

    def _with_unit(self, number: str) -> str:
        return tr("{number} cm", number=number) if self is Unit.CENTIMETRE else tr("{number} in", number=number)
