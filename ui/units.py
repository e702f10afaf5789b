"""Inches or centimetres: how lengths are shown to the player and typed by him. Everything else is in inches."""

from __future__ import annotations

from enum import StrEnum

CM_PER_IN = 2.54


class Unit(StrEnum):
    """What lengths are shown in."""

    INCH = "in"
    CENTIMETRE = "cm"

    @property
    def per_in(self) -> float:
        """So many of it are an inch."""
        return CM_PER_IN if self is Unit.CENTIMETRE else 1.0

    def words(self, length_in: float) -> str:
        """A length as "12.4 in" or "31.5 cm"."""
        return f"{length_in * self.per_in:.1f} {self}"

    def fine_words(self, length_in: float) -> str:
        """A small one as "0.04 in" or "0.10 cm"."""
        return f"{length_in * self.per_in:.2f} {self}"
