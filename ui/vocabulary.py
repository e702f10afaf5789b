"""Units of length, postures and kinds of terrain as words for the players, in their language."""

from __future__ import annotations

from enum import StrEnum

from rules.tabletop.table import Figure, Posture, TerrainKind
from ui.translation import mark_for_translation, tr

_POSTURES = {
    Posture.STANDING: mark_for_translation("standing"),
    Posture.KNEELING: mark_for_translation("kneeling"),
    Posture.PRONE: mark_for_translation("prone"),
    Posture.DOWN: mark_for_translation("down"),
    Posture.VEHICLE: mark_for_translation("vehicle"),
}

_KINDS = {
    TerrainKind.HILL: mark_for_translation("hill"),
    TerrainKind.BUILDING: mark_for_translation("building"),
    TerrainKind.BUNKER: mark_for_translation("bunker"),
    TerrainKind.WALL: mark_for_translation("wall"),
    TerrainKind.LOW_WALL: mark_for_translation("low wall"),
    TerrainKind.FENCE: mark_for_translation("fence"),
    TerrainKind.HEDGE: mark_for_translation("hedge"),
    TerrainKind.TREE: mark_for_translation("tree"),
    TerrainKind.WOODS: mark_for_translation("woods"),
    TerrainKind.BUSH: mark_for_translation("bush"),
    TerrainKind.ROCKS: mark_for_translation("rocks"),
    TerrainKind.SANDBAGS: mark_for_translation("sandbags"),
    TerrainKind.FOXHOLE: mark_for_translation("foxhole"),
    TerrainKind.TRENCH: mark_for_translation("trench"),
    TerrainKind.WATER: mark_for_translation("water"),
    TerrainKind.SHALLOW_WATER: mark_for_translation("shallow water"),
    TerrainKind.MARSH: mark_for_translation("marsh"),
    TerrainKind.DESERT: mark_for_translation("desert"),
    TerrainKind.MOUNTAIN: mark_for_translation("mountain"),
    TerrainKind.ROAD: mark_for_translation("road"),
    TerrainKind.BRIDGE: mark_for_translation("bridge"),
    TerrainKind.WIRE: mark_for_translation("wire"),
    TerrainKind.TANK_OBSTACLE: mark_for_translation("tank obstacle"),
    TerrainKind.MINE: mark_for_translation("mine"),
    TerrainKind.SMOKE: mark_for_translation("smoke"),
    TerrainKind.ROUGH: mark_for_translation("rough"),
    TerrainKind.OTHER: mark_for_translation("other"),
}


def posture_words(posture: Posture) -> str:
    """A posture, such as "kneeling"."""
    return tr(_POSTURES[posture])


def seen_posture_words(figure: Figure) -> str:
    """A figure's posture, such as "kneeling", with a question mark if it is not certain."""
    words = posture_words(figure.posture)
    return words if len(figure.possible_postures) == 1 else f"{words}?"


def terrain_kind_words(kind: TerrainKind) -> str:
    """A kind of terrain, such as "low wall"."""
    return tr(_KINDS[kind])


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
