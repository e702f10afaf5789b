"""What the range rod shows: a ruler's range, or an action's range with its reach and verdict."""

from __future__ import annotations

from dataclasses import replace

from hardware.range_rod import DiceWait, Idle, Lamp, Measured, Ruler, Sign
from rules.engine.position import Position
from rules.engine.referee import Action, ActionPreview, preview_of
from ui.formatting import Basis
from ui.measuring import Reading
from ui.translation import mark_for_translation, tr

_DISTANCE = "distance_in"
"""Name of the fact in every game with ranges."""

_MAX_IN = 96.0
_TOLERANCE_IN = 0.02
_STEP, _TRIES = 0.75, 12
"""Factor between tried distances, down to a thirtieth of the range."""


def ruler_sign(reading: Reading | None, basis: Basis = Basis.CENTRE) -> Sign:
    """A ruler's range on this basis; dark without a reading."""
    if reading is None:
        return Idle()
    return Measured(max(0.0, reading.range.edge_in if basis is Basis.EDGE else reading.range.centre_in))


def action_sign(position: Position, preview: ActionPreview) -> Measured | None:
    """An action's range as the rules measure it: green if allowed, red if not, amber if too close to call.

    None for an action without a distance.
    """
    action = preview.action
    seen_in = action.view.range.centre_in if action.view is not None else None
    range_in = action.given.get(_DISTANCE, seen_in)
    if range_in is None:
        return None
    lamp = Lamp.AMBER if preview.ambiguities else Lamp.GREEN if preview.possible else Lamp.RED
    return Measured(float(range_in), lamp, reach_in(position, action))


def reach_in(position: Position, action: Action) -> float | None:
    """The longest distance at which the rules would allow the action, all else being equal, found by trying distances.

    None if no distance prevents it, or something else does at every distance.
    """
    if action.blocked_by is not None or _DISTANCE not in action.given:
        return None

    def is_possible(distance_in: float) -> bool:
        moved = replace(action, given={**action.given, _DISTANCE: distance_in}, measured=(), has_odds=False, each={})
        return preview_of(position, moved).possible

    if is_possible(_MAX_IN):
        return None
    range_in = float(action.given[_DISTANCE])
    tried_in = [range_in * _STEP**k for k in range(_TRIES)]
    near_in = next((distance_in for distance_in in tried_in if is_possible(distance_in)), None)
    if near_in is None:
        return None
    far_in = near_in / _STEP if near_in < range_in else _MAX_IN
    while far_in - near_in > _TOLERANCE_IN:
        middle_in = (near_in + far_in) / 2
        near_in, far_in = (middle_in, far_in) if is_possible(middle_in) else (near_in, middle_in)
    return round(near_in, 1)


_VERDICTS = {
    Lamp.GREEN: mark_for_translation("yes"),
    Lamp.RED: mark_for_translation("no"),
    Lamp.AMBER: mark_for_translation("too close to call"),
}


def sign_words(sign: Sign) -> str:
    """A sign as text, for players who cannot distinguish its colours."""
    match sign:
        case Idle():
            return tr("dark: no measurement")
        case Ruler():
            return tr("a plain rod: bands of 3 in, marks at 6 and 12 in")
        case DiceWait():
            return tr("waiting for dice")
        case Measured(range_in, lamp, reach_in):
            words = tr("{range_in:.1f} in", range_in=range_in)
            if reach_in is not None:
                words = tr("{range_in:.1f} in of {reach_in:g} in", range_in=range_in, reach_in=reach_in)
            return words if lamp is None else f"{words}: {tr(_VERDICTS[lamp])}"
        case _:
            return tr("waiting for the players")
