"""Text drawing of the range rod: a letter or a coloured block for each LED, above a scale."""

from __future__ import annotations

from collections.abc import Sequence

from hardware.adalight import Colour
from hardware.range_rod import BAND_IN, RodShape

LETTERS = ". dark, r red, g green, b blue, y amber, c cyan, p purple, w white; capitals: bright"
_COMPONENT = 0.5  # of the brightest component; a component above this is part of the colour's name
_BRIGHT = 0.55  # of the brightest LED of the rod
_NAMES = {
    (1, 0, 0): "r", (0, 1, 0): "g", (0, 0, 1): "b", (1, 1, 0): "y", (0, 1, 1): "c", (1, 0, 1): "p", (1, 1, 1): "w",
}  # fmt: skip


def letters(colours: Sequence[Colour]) -> str:
    """A letter for each LED, see `LETTERS`; capitals are relative to the brightest LED."""
    most = max((max(colour) for colour in colours), default=0)
    return "".join(_letter(colour, most) for colour in colours)


def _letter(colour: Colour, most: int) -> str:
    top = max(colour)
    if top == 0:
        return "."
    red, green, blue = (int(part >= _COMPONENT * top) for part in colour)
    # After gamma, amber keeps a quarter of its green; the red of a verdict has none.
    green = green or int(blue == 0 and colour[1] >= 0.12 * top)
    name = _NAMES[red, green, blue]
    return name.upper() if top >= _BRIGHT * most else name


def blocks(colours: Sequence[Colour]) -> str:
    """The LEDs as coloured blocks (24 bit ANSI), scaled so that the brightest LED has full brightness."""
    most = max((max(colour) for colour in colours), default=0) or 1
    lit = (tuple(round(255 * (part / most) ** 0.45) for part in colour) for colour in colours)
    return "".join(f"\x1b[48;2;{red};{green};{blue}m " for red, green, blue in lit) + "\x1b[0m"


def scale(shape: RodShape) -> str:
    """The scale in inches below the LEDs, with a number at each band, in the order of the strip."""
    line = [" "] * (shape.leds + 3)
    for mark in range(0, int(shape.length_in) + 1, int(BAND_IN)):
        at = shape.led_at(mark)
        at = shape.leds - 1 - at if shape.reversed else at
        for k, digit in enumerate(str(mark)):
            if 0 <= at + k < len(line):
                line[at + k] = digit
    return "".join(line).rstrip()
