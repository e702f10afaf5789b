"""The lamp over the simulated table and the camera's response to it, as pure functions of time."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

LEVEL_STEP = 1.25
"""Factor of one step of the lamp's brightness."""

LEVELS = (0.3, 2.0)
"""Dimmest and brightest lamp; 1 is usual."""

OFF_LEVEL = 0.04
"""Light of the room that is left while the lamp is off."""

FLICKER_STRIPS = 48
"""Strips of the picture, from top to bottom, that a flickering lamp lights differently."""

_FLICKER = 0.08  # the camera reads its rows one after another, so a lamp on mains power makes bands
_BANDS_IN_PICTURE = 1.3
_BANDS_PER_S = 1.7
_ADAPTATION_S = 0.6
_ADAPTATION_POWER = 0.8  # automatic exposure does not fully compensate for the lamp
_GAINS = (0.4, 6.0)


@dataclass(frozen=True, slots=True)
class Light:
    """The lamp, the sun and the camera's exposure. Times are seconds on the clock of the simulated table.

    Attributes:
        level: Brightness of the lamp; 1 is usual.
        flickers: Whether the lamp makes bands that drift through the picture.
        has_sun: Whether sunlight falls on the table in patches.
        off_until_s: Time until which the lamp is off.
        is_automatic: Whether the camera's exposure follows the light; otherwise it is locked.
        gain: The camera's gain at `since_s`.
        since_s: Time of the last change of lamp or exposure.
    """

    level: float = 1.0
    flickers: bool = False
    has_sun: bool = False
    off_until_s: float = -math.inf
    is_automatic: bool = False
    gain: float = 1.0
    since_s: float = 0.0

    def stepped(self, steps: int, now_s: float) -> Light:
        """With the lamp brighter by some steps (dimmer if negative), within `LEVELS`."""
        level = min(max(self.level * LEVEL_STEP**steps, LEVELS[0]), LEVELS[1])
        return replace(self._since(now_s), level=level)

    def switched_off(self, for_s: float, now_s: float) -> Light:
        """With the lamp off for some seconds from now."""
        return replace(self._since(now_s), off_until_s=now_s + for_s)

    def exposed(self, automatic: bool, now_s: float) -> Light:
        """With automatic exposure, or the exposure locked at its current value."""
        return replace(self._since(now_s), is_automatic=automatic)

    def with_flicker(self, on: bool) -> Light:
        """With a flickering or a steady lamp."""
        return replace(self, flickers=on)

    def with_sun(self, on: bool) -> Light:
        """With or without sunlight on the table."""
        return replace(self, has_sun=on)

    def _since(self, now_s: float) -> Light:
        return replace(self, gain=self.gain_at(now_s), since_s=now_s)

    def lamp_at(self, time_s: float) -> float:
        """Brightness of the lamp."""
        return OFF_LEVEL if time_s < self.off_until_s else self.level

    def gain_at(self, time_s: float) -> float:
        """The camera's gain."""
        if not self.is_automatic:
            return self.gain
        dark_s = min(max(min(time_s, self.off_until_s) - self.since_s, 0.0), max(time_s - self.since_s, 0.0))
        lit_s = max(time_s - self.since_s - dark_s, 0.0)
        return _adapted(_adapted(self.gain, OFF_LEVEL, dark_s), self.level, lit_s)

    def strips_at(self, time_s: float) -> tuple[float, ...]:
        """Brightness of the picture's strips from top to bottom: one, or `FLICKER_STRIPS` while the lamp flickers."""
        brightness = self.lamp_at(time_s) * self.gain_at(time_s)
        if not self.flickers:
            return (brightness,)
        turns = (_BANDS_IN_PICTURE * strip / FLICKER_STRIPS + _BANDS_PER_S * time_s for strip in range(FLICKER_STRIPS))
        return tuple(brightness * (1 + _FLICKER * math.sin(2 * math.pi * turn)) for turn in turns)


USUAL_LIGHT = Light()
"""A steady lamp, no sun, and a locked exposure."""


def _adapted(gain: float, lamp: float, for_s: float) -> float:
    """The gain after automatic exposure has adapted to a lamp for some seconds."""
    wanted = min(max(math.pow(lamp, -_ADAPTATION_POWER), _GAINS[0]), _GAINS[1])
    return wanted + (gain - wanted) * math.exp(-for_s / _ADAPTATION_S)
