"""Which way a figure faces, and how large a vehicle is, as marks on the table. No Qt here."""

from __future__ import annotations

import math

from rules.tabletop.bearing import onward
from rules.tabletop.table import Figure
from ui.table.corrections import LEAST_HULL_IN, sized
from ui.table.finding import Mark, Trace, along, lifted, ring
from ui.theme import PREVIEW

_BEYOND_IN, _BARB_IN, _BARB_DEG = 0.6, 0.4, 150.0


def facing_marks(figure: Figure, facing_deg: float | None, *, sure: bool = True) -> tuple[Mark, ...]:
    """An arrow from a figure's middle the way it faces, dashed if not `sure`; nothing if that is unknown."""
    if facing_deg is None:
        return ()
    reach_in = max(math.dist(figure.centre_in, corner) for corner in figure.base_in) + _BEYOND_IN
    tip_in = onward(figure.centre_in, facing_deg, reach_in)
    barbs = [onward(tip_in, facing_deg + side * _BARB_DEG, _BARB_IN) for side in (1, -1)]
    shaft = along(lifted([figure.centre_in, tip_in], figure.z_in))
    head = along(lifted([barbs[0], tip_in, barbs[1]], figure.z_in))
    return Trace(shaft, PREVIEW, 3.0, dashed=not sure), Trace(head, PREVIEW, 3.0)


def hull_marks(vehicle: Figure, size_in: tuple[float, float]) -> tuple[Mark, ...]:
    """The outline of a vehicle of another length and width; nothing if that is too small for one."""
    if min(size_in) < LEAST_HULL_IN:
        return ()
    return (Trace(ring(sized(vehicle, *size_in).base_in, vehicle.z_in), PREVIEW, 3.0, closed=True),)
