"""Colours of the range rod: a strip of LEDs along the rod that lights up as far as the measured distance.

Everything here is a pure function of the rod's shape, the sign to show, and the time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from hardware.adalight import BLACK, MAX_LEDS, Colour

BAND_IN = 3.0
FIRST_MARK_IN, SECOND_MARK_IN = 6.0, 12.0
"""The rod of Plastic Fudge: a mark every 3 in; those at 6 in and 12 in have their own colours."""

WAIT_PERIOD_S = 1.6
ALARM_PERIOD_S = 0.5
"""Two flashes per second, well below the safety limit of three for flickering light."""

STEP_S = 0.04
"""Period of animated patterns, 25 frames per second: as fast as 115200 baud can send 144 LEDs."""


class Lamp(StrEnum):
    """The verdict on a distance; the values are those of the measurement."""

    GREEN = "in"
    RED = "out"
    AMBER = "too close to call"


LAMP_COLOUR: dict[Lamp, Colour] = {Lamp.GREEN: (0, 255, 40), Lamp.RED: (255, 0, 0), Lamp.AMBER: (255, 130, 0)}
PLAIN: Colour = (150, 150, 150)
"""A measured distance without a limit and a verdict."""

TIP: Colour = (255, 255, 255)
REACH: Colour = (200, 0, 255)
WAITING: Colour = (120, 0, 255)
ALARM: Colour = (255, 0, 0)
FIRST_MARK: Colour = (0, 200, 200)
SECOND_MARK: Colour = (0, 0, 255)

_ZONES: tuple[Colour, ...] = ((110, 64, 0), (0, 64, 110), (70, 70, 70))  # up to 6 in, up to 12 in, beyond
_FAINT = 0.6  # brightness of every second band: distinct from its neighbours, and still visible after gamma


@dataclass(frozen=True, slots=True)
class RodShape:
    """The strip and its mounting.

    Attributes:
        length_in: From the near end to the last LED's far edge.
        leds_per_in: 1.524 for the common strip of 60 LEDs per metre.
        reversed: Whether the strip's first LED is at the rod's far end.
        brightness: Fraction of full brightness, 0.01 to 1. At 0.25, 54 LEDs draw at most 0.4 A, at 1 they draw 1.4 A.
        gamma: 1 sends colours unchanged (WLED corrects them itself); 2.2 suits bare strips.

    Raises:
        ValueError: with a sentence for the player, if a value is out of range.
    """

    length_in: float = 36.0
    leds_per_in: float = 60 / 39.3701
    reversed: bool = False
    brightness: float = 0.25
    gamma: float = 2.2

    def __post_init__(self) -> None:
        for name, value, low, high in (
            ("length in inches", self.length_in, 1, 400),
            ("number of LEDs per inch", self.leds_per_in, 0.1, 20),
            ("brightness", self.brightness, 0.01, 1),
            ("gamma", self.gamma, 0.5, 4),
        ):
            if not low <= value <= high:
                raise ValueError(f"the rod's {name} must be between {low} and {high}, not {value:g}")
        if not 1 <= self.leds <= MAX_LEDS:
            raise ValueError(f"a rod of {self.length_in:g} in with {self.leds_per_in:g} LEDs per inch has no LED")

    @property
    def leds(self) -> int:
        """Number of LEDs."""
        return int(self.length_in * self.leds_per_in + 1e-6)

    def led_at(self, place_in: float) -> int:
        """Index of the LED at a place, from the near end; out of the rod's range beyond its ends."""
        return math.floor(place_in * self.leds_per_in)


@dataclass(frozen=True, slots=True)
class Idle:
    """All off."""


@dataclass(frozen=True, slots=True)
class Ruler:
    """The rod's bands and marks, without a measurement."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A measured distance.

    Attributes:
        range_in: The distance.
        lamp: The verdict on it, or None.
        reach_in: The weapon's longest range, or None.
    """

    range_in: float
    lamp: Lamp | None = None
    reach_in: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("range", self.range_in), ("reach", self.reach_in)):
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise ValueError(f"the {name} shown by the rod must be 0 in or more, not {value:g}")


@dataclass(frozen=True, slots=True)
class DiceWait:
    """The program waits for dice: a light runs back and forth."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """The players' attention is needed: the whole rod flashes red."""


Sign = Idle | Ruler | Measured | DiceWait | Alarm
"""A display of the rod."""


def colours(shape: RodShape, sign: Sign, time_s: float) -> tuple[Colour, ...]:
    """The strip's colours in the order of its LEDs, with brightness and gamma applied.

    `time_s` is on any monotonic clock; only animated patterns depend on it.
    """
    along = plain_colours(shape, sign, time_s)
    sent = tuple(_sent_colour(colour, shape) for colour in along)
    return sent[::-1] if shape.reversed else sent


def plain_colours(shape: RodShape, sign: Sign, time_s: float) -> tuple[Colour, ...]:
    """The colours from the rod's near end, at full brightness, for a drawing of the rod."""
    match sign:
        case Idle():
            return (BLACK,) * shape.leds
        case Ruler():
            return _ruler_colours(shape, math.inf)
        case Measured():
            return _measured_colours(shape, sign)
        case DiceWait():
            return _dice_wait_colours(shape, time_s)
        case Alarm():
            lit = time_s % ALARM_PERIOD_S < ALARM_PERIOD_S / 2
            return (ALARM if lit else BLACK,) * shape.leds


def black(shape: RodShape) -> tuple[Colour, ...]:
    """The colours of a dark rod."""
    return (BLACK,) * shape.leds


def moves(sign: Sign) -> bool:
    """Whether the sign is animated."""
    return isinstance(sign, DiceWait | Alarm)


def band_colour(place_in: float) -> Colour:
    """The colour of the 3 in band at a place: one colour up to 6 in, one up to 12 in, one beyond, in two shades."""
    zone = _ZONES[(place_in >= FIRST_MARK_IN) + (place_in >= SECOND_MARK_IN)]
    return zone if int(place_in // BAND_IN) % 2 == 0 else _dimmed(zone, _FAINT)


def _ruler_colours(shape: RodShape, up_to_in: float) -> tuple[Colour, ...]:
    places = ((led + 0.5) / shape.leds_per_in for led in range(shape.leds))
    along = [band_colour(place) if place < up_to_in else BLACK for place in places]
    for mark_in, colour in ((FIRST_MARK_IN, FIRST_MARK), (SECOND_MARK_IN, SECOND_MARK)):
        _set_led(along, shape.led_at(mark_in), colour)
    return tuple(along)


def _measured_colours(shape: RodShape, sign: Measured) -> tuple[Colour, ...]:
    """The verdict's colour up to the distance, with a white tip; then bands up to the weapon's range; and marks."""
    lit = LAMP_COLOUR[sign.lamp] if sign.lamp else PLAIN
    along = list(_ruler_colours(shape, math.inf if sign.reach_in is None else sign.reach_in))
    marks = {shape.led_at(FIRST_MARK_IN), shape.led_at(SECOND_MARK_IN)}
    tip = min(shape.led_at(sign.range_in), shape.leds - 1)
    for led in set(range(tip)) - marks:
        along[led] = lit
    if sign.reach_in is not None:
        _set_led(along, shape.led_at(sign.reach_in), REACH)
    # A distance beyond the rod's end lights the whole rod, without a tip.
    _set_led(along, tip, TIP if sign.range_in <= shape.length_in else lit)
    return tuple(along)


def _dice_wait_colours(shape: RodShape, time_s: float) -> tuple[Colour, ...]:
    phase = time_s % WAIT_PERIOD_S / WAIT_PERIOD_S
    at = (1 - abs(2 * phase - 1)) * (shape.leds - 1)
    tail = max(1.5, shape.leds / 10)
    return tuple(_dimmed(WAITING, max(0.0, 1 - abs(led - at) / tail)) for led in range(shape.leds))


def _set_led(along: list[Colour], led: int, colour: Colour) -> None:
    if 0 <= led < len(along):
        along[led] = colour


def _dimmed(colour: Colour, factor: float) -> Colour:
    return (round(colour[0] * factor), round(colour[1] * factor), round(colour[2] * factor))


def _sent_colour(colour: Colour, shape: RodShape) -> Colour:
    red, green, blue = (round(255 * shape.brightness * (part / 255) ** shape.gamma) for part in colour)
    return (red, green, blue)
