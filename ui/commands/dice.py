"""`sandtable dice`: watches electronic dice, asks them for a roll, or emulates them."""

from __future__ import annotations

import argparse
import random
import re
import select
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import closing

from hardware.bluetooth_dice import BluetoothDice, BluetoothUnavailable, Make
from hardware.devices import SerialDice, finder
from hardware.dice_protocol import RollLine
from hardware.dice_reader import DiceCollector, ElectronicDice, Question
from hardware.emulator import EmulatedDice, FaultInjector, Wire
from hardware.ports import attached
from rules.engine.dice import Dice, DiceRequest, Die, Roll, as_fudge, rolled
from rules.tabletop.errors import UserError
from ui.battle.dice import request_words, virtual_dice
from ui.devices.device_connection import LinkReporter, RollSource, emulated_wire, list_ports, turns
from ui.devices.dice import request_of

_HELP = "Commands: roll [FACES ...], unplug, plug, quit; faults: " + ", ".join(FaultInjector)


def typed_dice(read: Callable[[str], str], say: Callable[[str], object] = print) -> Dice:
    """Dice whose faces are typed; `read` shows a prompt, which is repeated after the error that `say` shows."""

    def dice(request: DiceRequest) -> Roll:
        while True:
            words = re.split(r"[ ,]+", read(f"{request_words(request)}: ").strip())
            try:
                return rolled(request, [int(word) for word in words if word])
            except UserError as error:
                say(str(error))
            except ValueError:
                say("type the faces as numbers, for example 4 2; for a minus type -1, for a blank 0")

    return dice


def _typed(prompt: str) -> str:
    try:
        return input(prompt)
    except (EOFError, RuntimeError) as error:  # RuntimeError: there is no keyboard at all
        raise UserError("no roll was typed: type it after the question, or roll with --virtual") from error


def run_dice(options: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    if options.list:
        print(list_ports())
        return 0
    request = None if options.ask is None else request_of(options.ask)
    if request is not None and (options.typed or options.virtual):
        dice = typed_dice(_typed) if options.typed else virtual_dice(random.Random(options.seed))
        print(_roll_words(request, dice(request)))
        return 0
    if options.emulate:
        with emulated_wire("dice") as wire:
            return _emulate(wire, request, options)
    with closing(_source(options)) as source:
        if request is None:
            return _watch(source, options.seconds, options.port)
        return _ask(source, request, options.seconds, port=options.port)


def _source(options: argparse.Namespace) -> RollSource:
    try:
        if options.bluetooth:
            return BluetoothDice(Make(options.bluetooth), time.monotonic)
        several = options.port is None and sum(port.likely for port in attached()) > 1
        return SerialDice(finder(options.port), must_greet=several, baud=options.baud)
    except (BluetoothUnavailable, ValueError) as error:
        raise UserError(str(error)) from None


def _watch(source: RollSource, seconds: float | None, port: str | None) -> int:
    following, damaged = LinkReporter(), 0
    for _ in turns(seconds):
        following.report(source.status)
        for line, _ in source.arrivals():
            print(_line_words(line), flush=True)
        if source.damaged != damaged:
            damaged = source.damaged
            print(f"({damaged} damaged, dropped)", flush=True)
    following.check_worked(source.status, port)
    print(f"{source.repeated} repeated, {source.damaged} damaged")
    return 0


def _ask(
    source: RollSource,
    request: DiceRequest,
    seconds: float | None,
    each_turn: Callable[[], object] = int,
    port: str | None = None,
) -> int:
    following, left = LinkReporter(), turns(seconds)

    def wait(_: float) -> None:
        each_turn()
        following.report(source.status)
        if next(left, None) is None:
            following.check_worked(source.status, port)
            raise UserError("the dice did not answer in time: roll them, or type the roll with --typed")

    tray = DiceCollector(time.monotonic, as_fudge)
    print(f"{request_words(request)} ...", flush=True)
    roll = ElectronicDice(tray, source.arrivals, confirmed, wait)(request)
    print(_roll_words(request, roll))
    return 0


def confirmed(question: Question, read: Callable[[str], str] = input) -> bool:
    """Ask at the keyboard; no answer means no."""
    try:
        return read(f"{question.text} [y/N] ").strip().lower() in ("y", "yes")
    except (EOFError, RuntimeError):  # RuntimeError: there is no keyboard at all
        return False


def _emulate(wire: Wire, request: DiceRequest | None, options: argparse.Namespace) -> int:
    die = Die.FUDGE if options.fudge or (request and request.die is Die.FUDGE) else Die.D6
    count = request.count if request else options.count
    try:
        dice = EmulatedDice(wire, time.monotonic, random.Random(options.seed), die, count)
    except ValueError as error:
        raise UserError(str(error)) from None
    keyboard = _Keyboard(dice)
    thrower = _Thrower(dice, options.every or (1.0 if request else None))
    if request is not None:
        with closing(SerialDice(lambda: (str(wire.path),))) as source:
            return _ask(source, request, options.seconds, thrower.step)
    print(f"Emulated dice ({', '.join(dice.names)}) are connected to {wire.path}. In another terminal:")
    print(f"  sandtable dice --port {wire.path}\n{_HELP}", flush=True)
    for _ in turns(options.seconds):
        thrower.step()
        if not keyboard.step():
            break
    return 0


class _Thrower:
    """Throws the emulated dice automatically, every `every_s` seconds while a program is connected."""

    def __init__(self, dice: EmulatedDice, every_s: float | None) -> None:
        self._dice, self._every_s, self._next_s = dice, every_s, 0.0

    def step(self) -> None:
        self._dice.step()
        now_s = time.monotonic()
        if self._every_s is not None and self._dice.wire.connected and now_s >= self._next_s:
            if self._next_s:
                _print_thrown(self._dice.roll())
            self._next_s = now_s + self._every_s


class _Keyboard:
    """Reads commands to the emulated dice, one per line."""

    def __init__(self, dice: EmulatedDice) -> None:
        self._dice, self._open = dice, sys.stdin is not None  # None without a terminal

    def step(self) -> bool:
        """Carry out a typed command; returns False for quit."""
        if not self._open or not select.select([sys.stdin], [], [], 0)[0]:
            return True
        line = sys.stdin.readline()
        self._open = bool(line)
        return self._execute(line.split()) if line.strip() else True

    def _execute(self, words: list[str]) -> bool:
        command, arguments = words[0], words[1:]
        if command == "roll":
            self._roll(arguments)
        elif command in tuple(FaultInjector):
            self._dice.misbehave(FaultInjector(command))
        elif command == "plug":
            self._dice.wire.plug()
        elif command == "unplug":
            self._dice.wire.unplug()
        elif command != "quit":
            print(_HELP, flush=True)
        return command != "quit"

    def _roll(self, words: list[str]) -> None:
        faces = {str(face): face for face in self._dice.die.faces}
        if not set(words) <= set(faces):
            print(f"the faces of these dice are {', '.join(faces)}", flush=True)
            return
        _print_thrown(self._dice.roll([faces[word] for word in words]))


def _print_thrown(lines: Iterable[RollLine]) -> None:
    print("threw", ", ".join(f"{line.id} {line.face:d}" for line in lines), flush=True)


def _roll_words(request: DiceRequest, roll: Roll) -> str:
    fudge = request.die is Die.FUDGE
    faces = (f"{face:+d}" if fudge and face else str(face) for face in (*roll.faces, roll.total))
    *each, total = faces
    return f"{' '.join(each)}  total {total}"


def _line_words(line: RollLine) -> str:
    notes = (
        [f"{line.age_s:.0f} s ago"] * (line.age_s >= 1) + ["leaning"] * line.cocked + [line.doubt] * bool(line.doubt)
    )
    kind = {Die.D6: "d6", Die.FUDGE: "dF", None: "die"}[line.die]
    return f"{line.id or 'a die':<6} {kind:<4} {line.face:>2}" + (f"  ({', '.join(notes)})" if notes else "")
