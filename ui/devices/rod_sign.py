"""What the range rod shows of the present answer: a ruler's range, or a shot's with its reach and verdict."""

from __future__ import annotations

from dataclasses import replace

from hardware.range_rod import DiceWait, Idle, Lamp, Measured, Ruler, Sign
from rules.engine.position import Moment
from rules.engine.referee import ActionPreview, Deed, prospect
from ui.formatting import Basis
from ui.measuring import Reading

_DISTANCE = "distance_in"
"""The name that every game with ranges gives to the fact."""

_FARTHEST_IN = 96.0
_FINE_IN = 0.02
_NEARER, _TRIES = 0.75, 12
"""So much nearer each time, down to a thirtieth of the range."""


def ruler_sign(reading: Reading | None, basis: Basis = Basis.CENTRE) -> Sign:
    """A ruler's range between those parts of the bases; dark where nothing is measured, or its ends are not seen."""
    if reading is None:
        return Idle()
    return Measured(max(0.0, reading.range.edge_in if basis is Basis.EDGE else reading.range.centre_in))


def deed_sign(moment: Moment, one: ActionPreview) -> Measured | None:
    """A deed's range as the rules measure it: green if it may be done, red if not, amber while it is too close to call.

    None for what is done at no distance.
    """
    seen_in = one.deed.view.range.centre_in if one.deed.view is not None else None
    range_in = one.deed.given.get(_DISTANCE, seen_in)
    if range_in is None:
        return None
    lamp = Lamp.AMBER if one.doubts else Lamp.GREEN if one.possible else Lamp.RED
    return Measured(float(range_in), lamp, reach_in(moment, one.deed))


def reach_in(moment: Moment, deed: Deed) -> float | None:
    """The farthest from which the rules would let it be done, all else being the same: they are asked, nearer and
    nearer. None where the distance does not bar it, or something else does at any distance.
    """
    if deed.bar is not None or _DISTANCE not in deed.given:
        return None

    def may(distance_in: float) -> bool:
        there = replace(deed, given={**deed.given, _DISTANCE: distance_in}, measured=(), listed=False, each={})
        return prospect(moment, there).possible

    if may(_FARTHEST_IN):
        return None
    here_in = float(deed.given[_DISTANCE])
    tried_in = [here_in * _NEARER**k for k in range(_TRIES)]
    near_in = next((one for one in tried_in if may(one)), None)
    if near_in is None:
        return None
    far_in = near_in / _NEARER if near_in < here_in else _FARTHEST_IN
    while far_in - near_in > _FINE_IN:
        middle_in = (near_in + far_in) / 2
        near_in, far_in = (middle_in, far_in) if may(middle_in) else (near_in, middle_in)
    return round(near_in, 1)


def sign_words(sign: Sign) -> str:
    """What a sign says, for whom colours say little."""
    match sign:
        case Idle():
            return "dark: nothing is measured"
        case Ruler():
            return "the empty rod: bands of 3 in, marks at 6 and 12 in"
        case DiceWait():
            return "dice are awaited"
        case Measured(range_in, lamp, reach_in):
            reach = "" if reach_in is None else f" of {reach_in:g} in"
            verdict = {None: "", Lamp.GREEN: ": yes", Lamp.RED: ": no", Lamp.AMBER: ": too close to call"}[lamp]
            return f"{range_in:.1f} in{reach}{verdict}"
        case _:
            return "the players are needed"
