"""Colours of the overlays, from Okabe and Ito's palette, which colour-blind people can distinguish."""

from __future__ import annotations

from collections.abc import Sequence

Colour = tuple[int, int, int, int]
"""Red, green, blue and opacity, each from 0 to 255."""

Dash = tuple[float, ...]
"""Lengths of strokes and gaps in turn, in widths of the line; empty for a solid line."""

WHITE: Colour = (255, 255, 255, 255)
DARK: Colour = (16, 18, 22, 255)
ORANGE: Colour = (230, 159, 0, 255)
SKY: Colour = (86, 180, 233, 255)
GREEN: Colour = (0, 190, 138, 255)  # Okabe and Ito's (0, 158, 115), made lighter for thin lines over wood
YELLOW: Colour = (240, 228, 66, 255)
BLUE: Colour = (0, 114, 178, 255)
VERMILION: Colour = (213, 94, 0, 255)
PURPLE: Colour = (204, 121, 167, 255)
SILVER: Colour = (214, 218, 224, 255)

HALO: Colour = (*DARK[:3], 170)
PLATE: Colour = (*DARK[:3], 205)
RULER, PREVIEW, BLAST, MARKER = YELLOW, WHITE, VERMILION, (255, 255, 255, 150)
CASUALTY: Colour = (222, 32, 32, 255)
TERRAIN: Colour = (200, 182, 255, 255)
"""Lilac: not the colour of any army, and light enough over grass and wood."""

BLAST_WORDS: Colour = (255, 178, 128, 255)
"""Vermilion is too dark to read on a dark plate."""

_ARMY_COLOURS = {
    "green": GREEN,
    "tan": ORANGE,
    "grey": SILVER,
    "gray": SILVER,
    "blue": SKY,
    "red": PURPLE,
    "yellow": YELLOW,
}
_SPARE_COLOURS = (SKY, PURPLE, ORANGE, SILVER, GREEN, YELLOW)


def faded(colour: Colour, opacity: int) -> Colour:
    """The same colour with another opacity, from 0 to 255."""
    return (*colour[:3], opacity)


def hex_colour(colour: Colour) -> str:
    """A colour as HTML and SVG write it, such as "#ff8800", with two more digits if it is not opaque."""
    return "#" + bytes(colour if colour[3] < 255 else colour[:3]).hex()


def army_colour(army: str, armies: Sequence[str]) -> Colour:
    """The colour that marks an army's figures: that of its name if it has one, else one that no other army has."""
    named = _ARMY_COLOURS.get(army.lower())
    if named is not None:
        return named
    taken = {_ARMY_COLOURS[name.lower()] for name in armies if name.lower() in _ARMY_COLOURS}
    free = [colour for colour in _SPARE_COLOURS if colour not in taken] or list(_SPARE_COLOURS)
    others = sorted({*armies, army} - {name for name in armies if name.lower() in _ARMY_COLOURS})
    return free[others.index(army) % len(free)]


_ARMY_DASHES: tuple[Dash, ...] = ((), (3.5, 1.8), (1.2, 1.2), (4.5, 1.5, 1.2, 1.5))


def army_dash(army: str, armies: Sequence[str]) -> Dash:
    """The pattern of an army's rings, which distinguishes armies without colour."""
    return _ARMY_DASHES[sorted({*armies, army}).index(army) % len(_ARMY_DASHES)]


def readable_ink(colour: Colour) -> Colour:
    """The text colour that is easier to read on this colour: dark or white."""
    return max(DARK, WHITE, key=lambda ink: contrast(ink, colour))


def contrast(a: Colour, b: Colour) -> float:
    """The contrast ratio of two colours by WCAG 2, from 1 to 21; text needs at least 4.5."""
    darker, lighter = sorted((_luminance(a), _luminance(b)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Colour) -> float:
    """The relative luminance of a colour by WCAG 2, from 0 to 1."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (value / 255 for value in colour[:3])
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
