"""Types of command line options, and the options of `sandtable rod` and `sandtable dice`.

Imports no other part of the program, because every command reads them.
"""

from __future__ import annotations

import argparse
import math

_SLOWEST_BAUD, _FASTEST_BAUD = 300, 4_000_000  # as in `hardware.link`, which is slow to load


def seed(text: str) -> int:
    """A seed for random numbers: a whole number from 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0")
    return int(text)


def from_zero(text: str) -> float:
    """A number from 0."""
    value = _number(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is below 0")
    return value


def above_zero(text: str) -> float:
    """A number above 0."""
    value = _number(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not above 0")
    return value


def count(text: str) -> int:
    """A whole number from 1."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def baud(text: str) -> int:
    """The speed of a serial port."""
    if not text.isdecimal() or not _SLOWEST_BAUD <= int(text) <= _FASTEST_BAUD:
        raise argparse.ArgumentTypeError(f"{text!r} is not a speed from {_SLOWEST_BAUD} to {_FASTEST_BAUD} baud")
    return int(text)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    return value


_PORT_HELP = "device or permanent name of the port, see --list (default: the most likely)"


def add_rod(parser: argparse.ArgumentParser) -> None:
    """The options of `sandtable rod`."""
    _add_common(parser)
    parser.add_argument(
        "--wled",
        nargs="?",
        const="",
        metavar="HOST",
        help="use a WLED controller on the network instead of a port; with --list: list its segments; "
        "with --emulate: emulate one on this computer",
    )
    parser.add_argument("--segment", default="", metavar="NAME", help="with --wled: the segment, if there are several")
    sign = parser.add_mutually_exclusive_group()
    sign.add_argument("--show", type=float, metavar="IN", help="show a measured range")
    sign.add_argument("--ruler", action="store_true", help="show only the bands and marks of the rod")
    sign.add_argument("--dice-wait", action="store_true", help="show the light that means waiting for dice")
    sign.add_argument("--alarm", action="store_true", help="show the flashing light that calls the players")
    sign.add_argument("--off", action="store_true", help="switch all lights off")
    add = parser.add_argument
    add("--reach", type=float, metavar="IN", help="with --show: reach of the weapon, which sets the colour")
    add("--sigma", type=from_zero, default=0.0, metavar="IN", help="with --reach: standard deviation of the range")
    add("--length", type=float, default=36.0, metavar="IN", help="length of the strip (default 36)")
    add(
        "--leds-per-inch",
        type=float,
        default=60 / 39.3701,
        metavar="N",
        help="LEDs per inch (default 1.524, for 60 LEDs per metre)",
    )
    add("--reversed", action="store_true", help="the first LED is at the far end of the rod")
    add("--brightness", type=float, default=0.25, metavar="PART", help="brightness from 0 to 1 (default 0.25)")
    add("--gamma", type=float, default=2.2, help="gamma (default 2.2; 1 if the controller corrects it itself)")
    parser.set_defaults(run=_rod)


def add_dice(parser: argparse.ArgumentParser) -> None:
    """The options of `sandtable dice`."""
    source = _add_common(parser)
    source.add_argument("--bluetooth", choices=("pixels", "godice"), help="use Bluetooth instead of a port")
    source.add_argument("--typed", action="store_true", help="with --ask: type the faces")
    source.add_argument("--virtual", action="store_true", help="with --ask: the program rolls")
    add = parser.add_argument
    add("--ask", metavar="DICE", help="ask for one roll, for example 2d6 or 4dF (default: print all rolls)")
    add("--every", type=above_zero, metavar="S", help="with --emulate: roll automatically every S seconds")
    add("--count", type=int, default=2, metavar="N", help="with --emulate: number of dice (default 2)")
    add("--fudge", action="store_true", help="with --emulate: Fudge dice")
    add("--seed", type=int, metavar="N", help="with --emulate or --virtual: the same number gives the same rolls")
    parser.set_defaults(run=lambda options: _dice(options, parser))


def _add_common(parser: argparse.ArgumentParser) -> argparse._MutuallyExclusiveGroup:
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--port", metavar="PORT", help=_PORT_HELP)
    source.add_argument("--emulate", action="store_true", help="use an emulated device")
    source.add_argument("--list", action="store_true", help="list the serial ports, likely ones first")
    parser.add_argument("--baud", type=baud, default=115200, help="speed of the port (default 115200)")
    parser.add_argument(
        "--seconds", type=from_zero, metavar="S", help="stop after S seconds (default: run until Ctrl-C)"
    )
    return source


def _rod(options: argparse.Namespace) -> int:
    from ui.commands.rod import run_rod

    return run_rod(options)


def _dice(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    if options.ask is None and (options.typed or options.virtual):
        parser.error("--typed and --virtual need --ask DICE, for example --ask 2d6")
    from ui.commands.dice import run_dice

    return run_dice(options)
