"""Options of `sandtable rod` and `sandtable dice`. Loads nothing of the hardware until one of them runs."""

from __future__ import annotations

import argparse

from ui.commands.option_types import above_zero, baud, from_zero

_PORT_HELP = "device or lasting name of the port, see --list (default: the likeliest)"


def add_rod(parser: argparse.ArgumentParser) -> None:
    """The options of `sandtable rod`."""
    _add_common(parser)
    sign = parser.add_mutually_exclusive_group()
    sign.add_argument("--show", type=float, metavar="IN", help="a measured range")
    sign.add_argument("--ruler", action="store_true", help="the empty rod: bands and marks")
    sign.add_argument("--dice-wait", action="store_true", help="what it shows while dice are awaited")
    sign.add_argument("--alarm", action="store_true", help="what it shows when the players are needed")
    sign.add_argument("--off", action="store_true", help="nothing")
    add = parser.add_argument
    add(
        "--reach",
        type=float,
        metavar="IN",
        help="with --show: how far the weapon reaches; colours it by the verdict",
    )
    add("--sigma", type=from_zero, default=0.0, metavar="IN", help="with --reach: standard deviation of the range")
    add("--length", type=float, default=36.0, metavar="IN", help="of the strip (default 36)")
    add("--leds-per-inch", type=float, default=60 / 39.3701, metavar="N", help="default 1.524: 60 LEDs a metre")
    add("--reversed", action="store_true", help="the strip's first LED lies at the rod's far end")
    add("--brightness", type=float, default=0.25, metavar="PART", help="of full light (default 0.25)")
    add("--gamma", type=float, default=2.2, help="default 2.2; 1 if the controller corrects by itself")
    parser.set_defaults(run=_rod)


def add_dice(parser: argparse.ArgumentParser) -> None:
    """The options of `sandtable dice`."""
    source = _add_common(parser)
    source.add_argument("--bluetooth", choices=("pixels", "godice"), help="no port: this machine's own Bluetooth")
    source.add_argument("--typed", action="store_true", help="with --ask: the faces are typed in")
    source.add_argument("--virtual", action="store_true", help="with --ask: the machine throws")
    add = parser.add_argument
    add("--ask", metavar="DICE", help="ask for one roll, as 2d6 or 4dF, and print it (default: print all that fall)")
    add("--every", type=above_zero, metavar="S", help="with --emulate: throw by themselves, every S seconds")
    add("--count", type=int, default=2, metavar="N", help="with --emulate: how many dice (default 2)")
    add("--fudge", action="store_true", help="with --emulate: Fudge dice")
    add("--seed", type=int, metavar="N", help="with --emulate and --virtual: the same number, the same throws")
    parser.set_defaults(run=lambda options: _dice(options, parser))


def _add_common(parser: argparse.ArgumentParser) -> argparse._MutuallyExclusiveGroup:
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--port", metavar="PORT", help=_PORT_HELP)
    source.add_argument("--emulate", action="store_true", help="no device: one that is played on a pseudo-terminal")
    source.add_argument("--list", action="store_true", help="the serial ports, likely ones first")
    parser.add_argument("--baud", type=baud, default=115200, help="speed of the port (default 115200)")
    parser.add_argument("--seconds", type=from_zero, metavar="S", help="end after so long (default: with Ctrl-C)")
    return source


def _rod(options: argparse.Namespace) -> int:
    from ui.commands.rod import run_rod

    return run_rod(options)


def _dice(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    if options.ask is None and (options.typed or options.virtual):
        parser.error("--typed and --virtual need --ask DICE, as --ask 2d6")
    from ui.commands.dice import run_dice

    return run_dice(options)
