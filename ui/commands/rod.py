"""`sandtable rod`: controls the LED range rod, or emulates one."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from hardware import wled
from hardware.devices import RangeRod, finder
from hardware.emulator import EmulatedRod
from hardware.range_rod import Alarm, DiceWait, Idle, Lamp, Measured, RodShape, Ruler, Sign
from hardware.rod_text import LETTERS, blocks, letters, scale
from hardware.wled import Address
from hardware.wled_emulator import EmulatedWled
from hardware.wled_link import WledError, segments, wled_rod
from rules.tabletop.errors import UserError
from rules.tabletop.tolerance import at_most
from ui.devices.device_connection import LinkReporter, emulated_wire, emulated_wled, list_ports, turns

_PLAIN_REDRAW_S = 0.2
"""Shortest time between two printed lines if the terminal cannot overwrite a line."""


def run_rod(options: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    where = _wled_address(options)
    if options.list:
        print(list_ports() if where is None else _list_segments(where))
        return 0
    try:
        shape = RodShape(
            options.length, options.leds_per_inch, options.reversed, options.brightness, options.gamma
        )  # fmt: skip
        sign = wanted_sign(options)
    except ValueError as error:
        raise UserError(str(error)) from None
    if options.emulate:
        return _emulate(shape, sign, options)
    if sign is None:
        raise UserError("nothing to show: add --show INCHES, --ruler, --dice-wait, --alarm or --off")
    return _drive(shape, sign, where, options)


def wanted_sign(options: argparse.Namespace) -> Sign | None:
    """The sign that the options name, or None. Raises `ValueError` for a range or reach below 0."""
    if options.show is not None:
        return measured(options.show, options.reach, options.sigma)
    for wanted, sign in ((options.ruler, Ruler()), (options.dice_wait, DiceWait()), (options.alarm, Alarm())):
        if wanted:
            return sign
    return Idle() if options.off else None


def measured(range_in: float, reach_in: float | None, sigma_in: float = 0.0) -> Measured:
    """The sign for a range, with a lamp that shows whether it is within the reach."""
    if reach_in is None:
        return Measured(range_in)
    return Measured(range_in, Lamp(at_most(range_in, reach_in, sigma_in).value), reach_in)


def _wled_address(options: argparse.Namespace) -> Address | None:
    """The address of the WLED controller; None for a serial port or an emulated controller."""
    if options.wled is None or options.emulate:
        return None
    if options.port:
        raise UserError("--port and --wled exclude each other: name one of them")
    try:
        return wled.address(options.wled)
    except ValueError as error:
        raise UserError(str(error)) from None


def _list_segments(where: Address) -> str:
    try:
        return "\n".join(f"{one.name}  {one.leds} LEDs" for one in segments(where)) or "No segments: add one in WLED."
    except WledError as error:
        raise UserError(str(error)) from None


def _drive(shape: RodShape, sign: Sign, where: Address | None, options: argparse.Namespace) -> int:
    following = LinkReporter()
    try:
        if where is not None:
            rod = wled_rod(shape, where, options.segment)
        else:
            rod = RangeRod(shape, finder(options.port), baud=options.baud)
    except ValueError as error:
        raise UserError(str(error)) from None
    with closing(rod):
        rod.show(sign)
        for _ in turns(options.seconds):
            following.report(rod.status)
        following.check_worked(rod.status, options.port)
    return 0


@contextmanager
def _emulated(
    shape: RodShape, network: bool
) -> Iterator[tuple[EmulatedRod | EmulatedWled, Callable[[], RangeRod], str]]:
    """An emulated rod, a function that connects to it, and the options with which another program does so."""
    if network:
        with emulated_wled(shape.leds) as controller:
            where, name = wled.address(controller.path), controller.segments[0].name
            yield controller, lambda: wled_rod(shape, where, name), f"--wled {where} --segment {name}"
    else:
        with emulated_wire("rod") as wire:
            device = EmulatedRod(wire, time.monotonic)
            yield device, lambda: RangeRod(shape, lambda: (str(wire.path),)), f"--port {wire.path}"


def _emulate(shape: RodShape, sign: Sign | None, options: argparse.Namespace) -> int:
    """Emulate a rod, and control it if there is a sign to show."""
    with _emulated(shape, options.wled is not None) as (device, connect, arguments):
        picture = _Picture(shape)
        if sign is None:
            print(f"An emulated rod of {shape.leds} LEDs is connected to {arguments.split()[1]}. In another terminal:")
            print(f"  sandtable rod {arguments} --show 7.5 --reach 12")
        rod = connect() if sign is not None else None
        try:
            if rod is not None and sign is not None:
                rod.show(sign)
            for now_s in turns(options.seconds):
                device.step()
                picture.draw(device.leds, now_s)
        finally:
            picture.end()
            if rod is not None:
                rod.close()
    return 0


class _Picture:
    """Draws the rod on the terminal: in place if possible, else a new line for each change."""

    def __init__(self, shape: RodShape) -> None:
        self._in_place = sys.stdout.isatty()
        self._last, self._drawn_s = "", 0.0
        scale_line = scale(shape)
        print(scale_line if self._in_place else f"({LETTERS})\n{scale_line}")

    def draw(self, leds: tuple[tuple[int, int, int], ...], now_s: float) -> None:
        words = blocks(leds) if self._in_place else letters(leds)
        due = self._in_place or now_s - self._drawn_s >= _PLAIN_REDRAW_S
        if leds and due and words != self._last:
            self._last, self._drawn_s = words, now_s
            print(f"\r{words}" if self._in_place else words, end="" if self._in_place else "\n", flush=True)

    def end(self) -> None:
        """End the line that was overwritten."""
        if self._in_place:
            print()
