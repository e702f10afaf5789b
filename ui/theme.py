"""Colours of the overlays: Okabe and Ito's palette, told apart by the colour-blind, over any picture."""

from __future__ import annotations

from collections.abc import Sequence

Colour = tuple[int, int, int, int]
"""Red, green, blue, opacity, 0 to 255 each."""

WHITE: Colour = (255, 255, 255, 255)
DARK: Colour = (16, 18, 22, 255)
ORANGE: Colour = (230, 159, 0, 255)
SKY: Colour = (86, 180, 233, 255)
GREEN: Colour = (0, 190, 138, 255)  # Okabe and Ito's (0, 158, 115), lifted: thin lines over wood need the light
YELLOW: Colour = (240, 228, 66, 255)
BLUE: Colour = (0, 114, 178, 255)
VERMILION: Colour = (213, 94, 0, 255)
PURPLE: Colour = (204, 121, 167, 255)
SILVER: Colour = (214, 218, 224, 255)

HALO: Colour = (*DARK[:3], 170)
PLATE: Colour = (*DARK[:3], 205)
RULER, PREVIEW, BLAST, MARKER = YELLOW, WHITE, VERMILION, (255, 255, 255, 150)
TERRAIN: Colour = (200, 182, 255, 255)
"""Lilac: no army's, and light over grass and wood."""

BLAST_WORDS: Colour = (255, 178, 128, 255)
"""Vermilion is too dark to read on a dark plate."""

_USUAL = {"green": GREEN, "tan": ORANGE, "grey": SILVER, "gray": SILVER, "blue": SKY, "red": PURPLE, "yellow": YELLOW}
_OTHERS = (SKY, PURPLE, ORANGE, SILVER, GREEN, YELLOW)


def faded(colour: Colour, opacity: int) -> Colour:
    """The same colour, more or less see-through."""
    return (*colour[:3], opacity)


def army_colour(army: str, armies: Sequence[str]) -> Colour:
    """The colour an army's figures are marked with: its plastic's where that has a name, else one not yet taken."""
    usual = _USUAL.get(army.lower())
    if usual is not None:
        return usual
    taken = {_USUAL[name.lower()] for name in armies if name.lower() in _USUAL}
    free = [colour for colour in _OTHERS if colour not in taken] or list(_OTHERS)
    unnamed = sorted({*armies, army} - {name for name in armies if name.lower() in _USUAL})
    return free[unnamed.index(army) % len(free)]
