"""The range rod for the window: its connection, and what it shows. No Qt here.

The window calls `pull` many times a second; no method waits.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from hardware import wled
from hardware.adalight import Colour
from hardware.devices import RangeRod
from hardware.emulator import EmulatedRod, Wire
from hardware.link import LinkState, LinkStatus
from hardware.range_rod import DiceWait, Idle, Lamp, Measured, RodShape, Ruler, Sign, black, plain_colours
from hardware.wled_link import wled_rod
from rules.engine.action import Action
from rules.engine.position import Position
from rules.engine.preview import ActionPreview, preview_of
from rules.tabletop.errors import UserError
from ui.devices.device_connection import (
    EMULATED_WLED,
    WLED,
    DeviceConnection,
    EmulatedPort,
    emulated_wled,
    finding,
    joined,
    reconnected_words,
)
from ui.formatting import Basis
from ui.measuring import Reading
from ui.translation import mark_for_translation, tr, tr_count

if TYPE_CHECKING:
    from hardware.wled_emulator import EmulatedWled

TEST_S = 1.2
"""Duration of each light in the rod's test."""


TEST_SIGNS: tuple[Sign, ...] = (
    Ruler(), Measured(6, Lamp.GREEN, 12), Measured(12, Lamp.AMBER, 12), Measured(15, Lamp.RED, 12), DiceWait(),
)  # fmt: skip


class Rod:
    """The range rod."""

    def __init__(
        self, shape: RodShape, taken: Callable[[], str] = str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`taken` returns the port that our other device uses."""
        self.shape, self._taken, self._clock = shape, taken, clock
        name, emulators = mark_for_translation("rod"), {EMULATED_WLED: lambda: emulated_wled(self.shape.leds)}
        self.connection: DeviceConnection[RangeRod] = DeviceConnection(name, self._make, emulators)
        self._emulated: EmulatedRod | EmulatedWled | None = None
        self._sign: Sign = Idle()
        self._tested_s: float | None = None

    def show(self, sign: Sign) -> None:
        """Show this sign, after a running test."""
        self._sign = sign
        self._update()

    def test(self) -> None:
        """Show all lights, one after the other."""
        self._tested_s = self._clock()
        self._update()

    def reshape(self, shape: RodShape) -> None:
        """Use another strip; reconnects, so that no LED stays lit."""
        spec = self.connection.spec
        if shape != self.shape:
            self.shape = shape
            if spec is not None:
                self.connection.connect(spec)

    @property
    def sign(self) -> Sign:
        """The sign that it shows now."""
        step = -1 if self._tested_s is None else int((self._clock() - self._tested_s) / TEST_S)
        return TEST_SIGNS[step] if 0 <= step < len(TEST_SIGNS) else self._sign

    @property
    def counters(self) -> str:
        """What was sent, as text; empty if nothing was."""
        status = self.connection.device.status if self.connection.device is not None else LinkStatus()
        return joined(
            status.frames and tr_count("{count} frame sent", "{count} frames sent", status.frames),
            reconnected_words(status),
        )

    @property
    def lights(self) -> tuple[Colour, ...]:
        """The LEDs' colours from the near end, at full brightness: received by an emulated rod, else those sent."""
        device = self.connection.device
        if self._emulated is not None and self.connection.wire is not None and self.connection.wire.plugged:
            leds = tuple(_at_full_light(colour, self.shape) for colour in self._emulated.leds)
            return (leds[::-1] if self.shape.reversed else leds) or black(self.shape)
        up = device is not None and device.status.state is LinkState.UP and self.connection.wire is None
        return plain_colours(self.shape, self.sign, self._clock()) if up else black(self.shape)

    def pull(self) -> None:
        """Connect and send what is due."""
        if self.connection.pull() and (wire := self.connection.wire) is not None:
            self._emulated = EmulatedRod(wire, self._clock) if isinstance(wire, Wire) else wire
        if self._emulated is not None and self.connection.wire is not None:
            self._emulated.step()
        self._update()

    def _make(self, spec: str, wire: EmulatedPort | None) -> RangeRod:
        if wire is not None and not isinstance(wire, Wire):
            return wled_rod(self.shape, wled.address(wire.path), wire.segments[0].name)
        if spec.startswith(WLED):
            host, _, segment = spec.removeprefix(WLED).partition("/")
            try:
                return wled_rod(self.shape, wled.address(host), segment)
            except ValueError as error:
                raise UserError(str(error)) from None
        return RangeRod(self.shape, finding(spec, wire, self._taken))

    def _update(self) -> None:
        device = self.connection.device
        if device is not None and device.sign != self.sign:
            device.show(self.sign)


def _at_full_light(colour: Colour, shape: RodShape) -> Colour:
    """The colour before brightness and gamma were applied."""
    red, green, blue = (round(255 * min(1.0, part / (255 * shape.brightness)) ** (1 / shape.gamma)) for part in colour)
    return (red, green, blue)


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
