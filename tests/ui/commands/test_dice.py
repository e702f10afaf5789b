"""`sandtable dice`: watching, asking and emulating dice; typed and virtual dice."""

from __future__ import annotations

import io
import random
import sys
import threading
import time

import pytest

from hardware.devices import SerialDice
from hardware.dice_reader import Question, Why
from hardware.emulator import EmulatedDice, FaultInjector, Wire
from rules.engine.dice import DiceRequest, Die, Procedure, Roll, play
from rules.tabletop.errors import UserError
from tests.waiting import until
from ui.cli import main
from ui.commands.dice import confirmed, typed_dice, virtual_dice
from ui.devices.dice import request_of

posix = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")


@pytest.mark.parametrize(
    ("text", "die", "count"), [("2d6", Die.D6, 2), ("d6", Die.D6, 1), ("4dF", Die.FUDGE, 4), ("12D6", Die.D6, 12)]
)
def test_dice_requests_are_parsed(text: str, die: Die, count: int) -> None:
    request = request_of(text)
    assert (request.die, request.count) == (die, count)


@pytest.mark.parametrize("text", ["", "2", "2d20", "0d6", "d", "2d6+1", "-1d6"])
def test_invalid_dice_requests_are_rejected(text: str) -> None:
    with pytest.raises(UserError, match="write for example 2d6 or 4dF"):
        request_of(text)


def test_typed_dice_repeat_the_prompt_until_valid() -> None:
    typed, said = iter(["7 2", "4", "four two", " 4,2 "]), []
    assert typed_dice(lambda _: next(typed), said.append)(request_of("2d6")) == Roll((4, 2))
    assert ["cannot show 7" in said[0], "needs 2" in said[1], "as numbers" in said[2]] == [True] * 3


def test_four_dice_sources_answer_one_procedure() -> None:
    def attack() -> Procedure[int]:
        roll = yield DiceRequest(Die.FUDGE, 4, "the firer", "the attack")
        return roll.total

    assert play(attack(), typed_dice(lambda _: "1 1 0 -1")) == 1
    first, second = (play(attack(), virtual_dice(random.Random(5))) for _ in range(2))
    assert first == second
    assert -4 <= first <= 4


def test_virtual_dice_on_the_command_line(capsys) -> None:
    assert main(["dice", "--ask", "4dF", "--virtual", "--seed", "1"]) == 0
    *faces, _, total = capsys.readouterr().out.split()
    assert set(faces) <= {"-1", "0", "+1"}
    assert int(total) == sum(map(int, faces))


@pytest.mark.parametrize(("typed", "yes"), [("y\n", True), ("YES\n", True), ("n\n", False), ("\n", False)])
def test_a_question_is_answered_with_y(monkeypatch, typed: str, yes: bool) -> None:
    asked = []
    question = Question(Why.COCKED, "d1 leans: does it count?", ())
    assert confirmed(question, lambda prompt: (asked.append(prompt), typed.strip())[1]) is yes
    assert asked == ["d1 leans: does it count? [y/N] "]
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert not confirmed(question)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--virtual"], "need --ask DICE"),
        (["--typed"], "need --ask DICE"),
        (["--baud", "-1"], "not a speed from 300 to 4000000 baud"),
        (["--seconds", "nan"], "not a number"),
        (["--seconds", "-0.5"], "below 0"),
        (["--emulate", "--every", "0"], "not above 0"),
    ],
)
def test_wrong_usage_is_reported_at_once(arguments, words, capsys) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["dice", *arguments])
    assert stop.value.code == 2
    assert words in capsys.readouterr().err


@posix
def test_emulated_dice_answer_a_request(capsys) -> None:
    assert main(["dice", "--emulate", "--ask", "2d6", "--seed", "3", "--seconds", "8"]) == 0
    out = capsys.readouterr().out.splitlines()
    thrown = next(line for line in out if line.startswith("threw"))
    faces = [int(part.split()[1]) for part in thrown.removeprefix("threw ").split(", ")]
    assert out[-1] == f"{faces[0]} {faces[1]}  total {sum(faces)}"


@posix
def test_commands_to_the_emulated_dice(monkeypatch, capsys) -> None:
    reads = iter(["roll 4 2\n", "roll 9\n", "garbage\n", "unplug\n", "plug\n", "what\n", "quit\n"])
    monkeypatch.setattr("ui.commands.dice.select.select", lambda *_: ([sys.stdin], [], []))
    monkeypatch.setattr("sys.stdin", type("Typed", (), {"readline": staticmethod(lambda: next(reads))}))
    assert main(["dice", "--emulate", "--seconds", "5"]) == 0
    out = capsys.readouterr().out
    assert "threw d1 4, d2 2" in out
    assert "the faces of these dice are 1, 2, 3, 4, 5, 6" in out
    assert out.count("Commands:") == 2
    assert next(reads, None) is None


@posix
def test_dice_on_a_port_are_watched(tmp_path, capsys, monkeypatch) -> None:
    wire, opened = Wire(tmp_path / "dice"), []
    cup = EmulatedDice(wire, time.monotonic, random.Random(1))

    def line(*port: object, **how: object) -> SerialDice:
        opened.append(SerialDice(*port, **how))  # type: ignore[arg-type]
        return opened[-1]

    monkeypatch.setattr("ui.commands.dice.SerialDice", line)

    def throw() -> None:
        until(lambda: opened and opened[0].status.received, cup.step)
        cup.roll([4, 2])
        cup.roll([6], cocked=True)
        cup.misbehave(FaultInjector.TORN)
        cup.misbehave(FaultInjector.REPEAT)

    thread = threading.Thread(target=throw)
    thread.start()
    try:
        assert main(["dice", "--port", str(wire.path), "--seconds", "1"]) == 0
    finally:
        thread.join()
        wire.unplug()
    out = capsys.readouterr().out
    assert [line.split()[:3] for line in out.splitlines() if " d6 " in line] == [
        ["d1", "d6", "4"], ["d2", "d6", "2"], ["d1", "d6", "6"],
    ]  # fmt: skip
    assert "(leaning)" in out
    assert out.endswith("1 repeated, 1 damaged\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--ask", "3d20"], "write for example 2d6 or 4dF"),
        (["--bluetooth", "pixels"], "pip install bleak"),
        (["--emulate", "--count", "0"], "1 to 20 dice"),
        (["--port", "/dev/no-such-port", "--seconds", "0.2"], "not plugged in"),
        (["--port", "/dev/no-such-port", "--seconds", "0.2", "--ask", "2d6"], "not plugged in"),
    ],
)
def test_errors_are_one_sentence(arguments, words, capsys, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "bleak", None)
    assert main(["dice", *arguments]) == 1
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


@posix
@pytest.mark.slow
def test_dice_that_do_not_answer_in_time(tmp_path, capsys) -> None:
    wire = Wire(tmp_path / "dice")
    try:
        assert main(["dice", "--port", str(wire.path), "--ask", "d6", "--seconds", "1.5"]) == 1
    finally:
        wire.unplug()
    assert "did not answer in time" in capsys.readouterr().err
