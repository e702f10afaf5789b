"""The command line. Exit status 0: done, 1: failed with a message, 2: wrong usage. Bad input gives no traceback."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Container, Sequence
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from rules.tabletop.errors import UserError
from rules.tabletop.table import STANDING_HEIGHT_IN
from ui.commands import sanitized
from ui.commands.arguments import (
    above_zero,
    baud,
    blast,
    board,
    chessboard,
    count,
    from_zero,
    length_in,
    measured_mm,
    rectangle,
    seed,
    teaching_click,
)

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
    parser.set_defaults(run=_command("rod", "run_rod"))


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


def _command(module: str, function: str) -> Callable[[argparse.Namespace], int]:
    """A command of `ui.commands`, imported only when it runs: usage errors need no OpenCV, which takes 1/3 s."""

    def run(options: argparse.Namespace) -> int:
        status: int = getattr(import_module(f"ui.commands.{module}"), function)(options)
        return status

    return run


def _dice(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    if options.ask is None and (options.typed or options.virtual):
        parser.error("--typed and --virtual need --ask DICE, for example --ask 2d6")
    return _command("dice", "run_dice")(options)


SIDE_HELP = "side of the printed markers, the black square, in inches (default: the program's own sheet, 3)"
TEACH_HELP = "a pixel on a soldier of that army; may be repeated. Without it, figures are grouped by colour"
GAMES_HELP = "add the games of this folder, which are programs: name only a folder that you trust; may be repeated"
RECTANGLE_HELP = "without markers: size of a rectangle and its corners (near left, near right, far right, far left)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that cannot show "±" shows the rest
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")  # the command rejects input that is not text
    options = _parse(sys.argv[1:] if arguments is None else list(arguments))
    try:
        _add_games(options.games)
        status: int = options.run(options)
        if sys.stdout is not None:
            sys.stdout.flush()
    except UserError as error:
        print(sanitized(f"sandtable: {error}").replace("\n", " "), file=sys.stderr)
        return 1
    except BrokenPipeError:
        _discard_output()  # the reader has closed the pipe (`sandtable ... | head`)
        return 0
    except OSError as error:
        # Named files raise UserError, so this is standard output, or the system has run out of something.
        print(f"sandtable: the output cannot be written ({error}): send it to another place", file=sys.stderr)
        _discard_output()
        return 1
    except KeyboardInterrupt:
        return 130
    return status


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser, commands = _parser()
    if arguments and arguments[0] not in commands and os.path.exists(arguments[0]):
        arguments = ["open", *arguments]
    return parser.parse_args(_join_negative_values(arguments))


def _add_games(folders: Sequence[Path]) -> None:
    if folders:
        from rules.games import add_games  # not for every command: the rules take 1/10 s

        for folder in folders:
            add_games(folder)


def _discard_output() -> None:
    """Discard all further output; otherwise Python reports the same error again at exit."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _join_negative_values(arguments: Sequence[str]) -> list[str]:
    """Turn `--blast -5,3,2` into `--blast=-5,3,2`, since argparse reads a leading minus as an option."""
    joined: list[str] = []
    for argument in arguments:
        if joined and joined[-1] == "--blast" and argument[:1] == "-" != argument[1:2]:
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined


class _ShowVersion(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from ui.diagnostics import program_version  # not for every command: it takes 1/10 s

        print(f"sandtable {program_version()}")
        parser.exit()


def _parser() -> tuple[argparse.ArgumentParser, Container[str]]:
    """The parser, and the names of the commands."""
    parser = argparse.ArgumentParser(
        prog="sandtable", description="Measures a table of plastic soldiers through a webcam, in inches."
    )
    parser.add_argument("--version", action=_ShowVersion, nargs=0, help="show the version and exit")
    parser.add_argument("--games", type=Path, action="append", default=[], metavar="FOLDER", help=GAMES_HELP)
    parser.set_defaults(run=_window, source=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    def command(name: str, text: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")

    _add_demo(
        command("demo", "show the simulated table; without a display, write a picture, JSON and a log of one turn")
    )
    _add_open(command("open", "show a picture, a video, a folder, a camera or a battle in the window"))
    _add_print(command("print", "write a PDF of markers, a lens board, the range rod or unit cards"))
    _add_lens(command("lens", "measure the lens from pictures of the printed board"))
    _add_analyse(command("analyse", "find, measure and report the figures in pictures or from a camera"))
    _add_resolve(command("resolve", "answer a rules question: JSON in, verdict with reasons out"))
    _add_battle(command("battle", "play a scripted situation (JSON) and print the verdicts"))
    _add_replay(command("replay", "print a battle from its journal"))
    command("doctor", "check libraries, cameras, ports and permissions").set_defaults(run=_doctor)
    add_rod(command("rod", "control the LED range rod, or emulate one"))
    add_dice(command("dice", "watch electronic dice, ask them for a roll, or emulate them"))
    return parser, commands.choices


def _add_demo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, default=Path("sandtable-demo"), metavar="DIR", help="folder for the files")
    parser.add_argument("--seed", type=seed, default=1, help="each number gives a different table")
    parser.set_defaults(run=_demo)


def _add_open(parser: argparse.ArgumentParser) -> None:
    text = 'picture, video, folder of pictures, battle, camera number or "demo"; "open" may be left out before a path'
    parser.add_argument("source", type=_existing, metavar="SOURCE", help=text)
    parser.set_defaults(run=_window)


def _existing(text: str) -> str:
    if text == "demo" or text.isdecimal() or os.path.exists(text):
        return text
    raise argparse.ArgumentTypeError(f"there is no {text!r}: name a picture, a video, a folder, a battle or a camera")


def _add_resolve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help='a question or a list of questions; "-" reads standard input')
    parser.add_argument("--house-rules", type=Path, metavar="RULES.toml", help="house rules that change the game")
    parser.set_defaults(run=_command("resolve", "run_resolve"))


def _add_battle(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help='the situation; "-" reads standard input')
    parser.add_argument("--json", type=Path, metavar="OUT", help="also write the answer to this file")
    parser.set_defaults(run=_command("resolve", "run_battle"))


def _add_replay(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("battle", type=Path, metavar="BATTLE", help="the file of the battle")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print every entry and the state as JSON")
    output.add_argument("--recover", type=Path, metavar="COPY", help="copy the readable part of a damaged battle")
    output.add_argument("--film", type=Path, metavar="FILE", help="write a film: .mp4, .webp or .gif")
    output.add_argument("--page", type=Path, metavar="FILE.html", help="write a web page with maps and pictures")
    parser.add_argument(
        "--speed", type=float, choices=(0.5, 1.0, 2.0), default=1.0, help="speed of the film (default 1)"
    )
    parser.set_defaults(run=_command("replay", "run_replay"))


def _add_print(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("pdf", type=Path, metavar="OUT.pdf", help="the PDF to write")
    kinds = ("markers", "edge", "board", "rod", "cards")
    add("--paper", type=str.lower, choices=("letter", "a4"), default="letter", help="paper size (default letter)")
    add("--kind", choices=kinds, help="edge: small markers; board: for measuring the lens (default markers)")
    add("--marker-side", type=length_in, metavar="IN", help="side of each marker, in inches (default 3; edge 1.5)")
    add("--dictionary", default="4X4_50", help="ArUco dictionary (default 4X4_50)")
    add("--board", type=board, metavar="COLSxROWS:SQUARE:MARKER", help="squares in inches (default 6x8:1:0.75)")
    add("--game", default="", metavar="NAME", help="cards of every ready unit of this game, for example army_men")
    add("--army", type=Path, metavar="FILE", help="cards of this army list: a file, or the name of a saved list")
    add("--measured", type=measured_mm, metavar="ACROSS,DOWN", help="printed length of the 100 mm scales, in mm")
    parser.set_defaults(run=_print)


def _add_lens(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "images",
        type=Path,
        nargs="+",
        metavar="IMAGES",
        help="pictures of the board, taken with one camera at one focus",
    )
    add("-o", "--out", type=Path, required=True, metavar="FILE", help="the lens profile to write")
    add("--board", type=board, metavar="COLSxROWS:SQUARE:MARKER", help="squares in inches (default 6x8:1:0.75)")
    add("--dictionary", default="4X4_50", help="ArUco dictionary of the board (default 4X4_50)")
    add(
        "--chessboard",
        type=chessboard,
        metavar="COLSxROWS:SQUARE",
        help="a chessboard: inner corners, then the square in inches",
    )
    add("--camera", metavar="NAME", help="also save the profile for this camera, to use whenever it is opened")
    parser.set_defaults(run=_command("lens", "run_lens"))


def _add_analyse(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("source", metavar="SOURCE", help='image, folder, video, camera number or "demo"')
    add("--marker-side", type=length_in, default=3.0, metavar="IN", help=SIDE_HELP)
    add(
        "--measured", type=measured_mm, metavar="ACROSS,DOWN", help="printed length of the sheet's 100 mm scales, in mm"
    )
    add("--dictionary", default="4X4_50", help="ArUco dictionary (default 4X4_50)")
    add("--board", type=board, metavar="COLSxROWS:SQUARE:MARKER", help="a ChArUco board instead of markers (inches)")
    add("--layout", type=Path, metavar="FILE", help="known positions of the markers; defines the table's coordinates")
    add("--lens", type=Path, metavar="FILE", help="the lens profile of the camera")
    add("--rectangle", type=rectangle, metavar="WxH:X,Y:X,Y:X,Y:X,Y", help=RECTANGLE_HELP)
    add("--teach", type=teaching_click, action="append", default=[], metavar="NAME@X,Y", help=TEACH_HELP)
    add("--reference", type=Path, metavar="IMAGE", help="a picture of the empty table")
    add(
        "--figure-height",
        type=length_in,
        default=STANDING_HEIGHT_IN,
        metavar="IN",
        help="height of a standing soldier (default 2.1)",
    )
    add("--terrain", type=Path, metavar="FILE", help="a file of terrain pieces")
    add(
        "--blast",
        type=blast,
        action="append",
        default=[],
        metavar="X,Y,RADIUS",
        help="a blast to report; may be repeated",
    )
    add("--pairs", action="store_true", help="report ranges and sight of every pair of figures")
    add("--json", type=Path, metavar="FILE", help="write the results as JSON")
    add("--picture", type=Path, metavar="FILE", help="write the annotated picture")
    add("--frames", type=count, metavar="N", help="stop after N pictures (default for a camera or the demo: 1)")
    parser.set_defaults(run=_command("analyse", "run_analysis"))


def _demo(options: argparse.Namespace) -> int:
    from ui.commands.doctor import display_problem

    problem = display_problem(os.environ, sys.platform)
    if problem is None:
        return _window(argparse.Namespace(source="demo"))
    from ui.commands.demo import play_demo

    print(f"{problem} The demo runs without a window instead.")
    return play_demo(options.out, options.seed)


def _print(options: argparse.Namespace) -> int:
    from calibration.markers import Board
    from calibration.print_scale import TRUE_PRINT, PrintScale
    from ui.battle.battle_setup import find_army
    from ui.desktop.paper import write_pdf
    from ui.paper.printing import PrintJob, SheetKind, sheet_of

    job = PrintJob(
        kind=SheetKind(options.kind or ("cards" if options.army or options.game else "markers")),
        paper=options.paper,
        side_in=options.marker_side,
        dictionary=options.dictionary,
        board=Board(*options.board) if options.board else None,
        game=options.game,
        army=find_army(options.army) if options.army else None,
        scale=PrintScale(*options.measured) if options.measured else TRUE_PRINT,
    )
    write_pdf(sheet_of(job), options.pdf)
    check = "" if job.kind is SheetKind.CARDS else ", then check the rulers on the page with a real one"
    print(f'{options.pdf}: print at 100 % ("actual size"){check}.')
    return 0


def _doctor(_: argparse.Namespace) -> int:
    from ui.commands.doctor import examine, format_findings

    findings = examine()
    print(format_findings(findings))
    return 1 if any(finding.state == "missing" for finding in findings) else 0


def _window(options: argparse.Namespace) -> int:
    from ui.commands.doctor import display_problem, examine, format_findings

    problem = display_problem(os.environ, sys.platform)
    if problem is not None:
        print(f"sandtable: {problem} `sandtable demo` also works without a window.", file=sys.stderr)
        return 2
    from ui.desktop.source_opening import EarlySource

    early = EarlySource(options.source)
    from ui.desktop.app import run

    return run(options.source, lambda: format_findings(examine()), early)


if __name__ == "__main__":
    sys.exit(main())
