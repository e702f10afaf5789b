"""Units of length, postures and kinds of terrain as words for the players, in their language."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from rules.tabletop.table import Figure, Posture, TerrainKind
from ui.translation import tr


def posture_words(posture: Posture) -> str:
    """A posture, such as "kneeling"."""
    return tr(_english(posture))


def seen_posture_words(figure: Figure) -> str:
    """A figure's posture, such as "kneeling", with a question mark if it is not certain."""
    words = posture_words(figure.posture)
    return words if len(figure.possible_postures) == 1 else f"{words}?"


def terrain_kind_words(kind: TerrainKind) -> str:
    """A kind of terrain, such as "low wall"."""
    return tr(_english(kind))


def kind_texts() -> Iterator[str]:
    """The English words of all postures and kinds of terrain, for the translators."""
    yield from map(_english, (*Posture, *TerrainKind))


def _english(kind: StrEnum) -> str:
    return kind.replace("_", " ")


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
