"""Throws from the dice to the request, on a simulated wire and clock: none is lost, none counts twice."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.dice_protocol import Decoder, Hello, Repeats
from hardware.dice_reader import DOUBLE_S, SETTLE_S, DiceCollector, Why
from hardware.emulator import GREET_AGAIN_S, REPEAT_S, EmulatedDice, Wire
from rules.engine.dice import DiceRequest, Die, Roll

TWO = DiceRequest(Die.D6, 2, "the firer", "the attack")
STEP_S = 0.05
SAID_S = GREET_AGAIN_S[-1] + STEP_S
"""After this time with a connected program, the dice have sent everything."""


class ScriptedWire(Wire):
    """A wire that keeps its bytes in this object."""

    def __init__(self) -> None:
        self.path = Path("dice")
        self.connects, self.sent = False, b""

    @property
    def connected(self) -> bool:
        return self.connects

    def read(self) -> bytes:
        return b""

    def write(self, data: bytes) -> int:
        if not self.connects:
            return 0
        self.sent += data
        return len(data)


class Cup:
    """Emulated dice, the program's end of their wire, and the collector, with one clock."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.wire = ScriptedWire()
        self.dice = EmulatedDice(self.wire, lambda: self.now_s, random.Random(1))
        self.decoder, self.repeats = Decoder(), Repeats()
        self.tray = DiceCollector(lambda: self.now_s)
        self.heard: list[int | None] = []

    def connect(self, *, greeting_lost: bool = False) -> None:
        """Open the port; this discards old bytes and those that the dice send at that moment."""
        self.wire.connects = True
        self.decoder.reset()
        self.dice.step()
        if greeting_lost:
            self.wire.sent = b""

    def drop(self) -> None:
        """Lose the port and the bytes on the wire."""
        self.wire.connects, self.wire.sent = False, b""
        self.dice.step()

    def hear(self, limit: int | None = None) -> None:
        """Read at most `limit` bytes from the wire."""
        data, self.wire.sent = self.wire.sent[:limit], self.wire.sent[len(self.wire.sent[:limit]) :]
        for event in self.decoder.feed(data):
            if isinstance(event, Hello):
                self.repeats.hello(event)
            elif self.repeats.is_new(event, self.now_s):
                self.heard.append(event.seq)
                self.tray.add_roll(event)

    def later(self, seconds: float) -> None:
        """Advance the clock; send and receive everything that is due."""
        until_s = self.now_s + seconds
        while self.now_s < until_s:
            self.now_s = min(until_s, self.now_s + STEP_S)
            self.dice.step()
            self.hear()

    def throw(self, *faces: int) -> None:
        self.dice.roll(faces)
        self.hear()

    def settled_roll(self) -> Roll | None:
        """The answer after the settling time."""
        self.later(SETTLE_S + STEP_S)
        return self.tray.answer()


@pytest.fixture
def cup() -> Cup:
    return Cup()


@pytest.mark.parametrize("greeting_lost", [False, True])
@pytest.mark.parametrize("pause_s", [0.0, 0.1, GREET_AGAIN_S[1], 1.0, GREET_AGAIN_S[2], 3.0])
def test_the_dice_are_thrown_again(cup: Cup, greeting_lost: bool, pause_s: float) -> None:
    """The first received hello comes before, between or after the throws; each hello repeats the throws so far."""
    cup.connect(greeting_lost=greeting_lost)
    cup.now_s += pause_s
    cup.tray.ask(TWO)
    cup.throw(5, 2)
    cup.now_s += SETTLE_S
    assert cup.tray.answer() == Roll((5, 2))
    cup.tray.ask(TWO)
    cup.throw(1, 1)
    assert cup.settled_roll() == Roll((1, 1))
    cup.later(SAID_S)
    assert cup.heard == [1, 2, 3, 4]
    assert cup.tray.kept == ()


def test_a_throw_between_the_answer_and_the_next_request_counts(cup: Cup) -> None:
    cup.connect(greeting_lost=True)
    cup.tray.ask(TWO)
    cup.throw(5, 2)
    assert cup.settled_roll() == Roll((5, 2))
    cup.throw(1, 1)
    cup.tray.ask(TWO)
    assert cup.settled_roll() == Roll((1, 1))


def test_two_throws_at_once_raise_a_question_per_die(cup: Cup) -> None:
    cup.connect(greeting_lost=True)
    cup.tray.ask(TWO)
    cup.throw(5, 2)
    cup.throw(1, 6)
    for _ in range(2):
        assert cup.tray.question.why is Why.DOUBLE
        cup.tray.settle(yes=True)
    assert cup.settled_roll() == Roll((1, 6))


@pytest.mark.parametrize("out_s", [0.5, 3.0, REPEAT_S - 1])
@pytest.mark.parametrize("greeting_lost", [False, True])
def test_a_throw_while_the_port_is_lost_counts_once(cup: Cup, greeting_lost: bool, out_s: float) -> None:
    cup.connect(greeting_lost=True)
    cup.tray.ask(TWO)
    cup.throw(5, 2)
    assert cup.settled_roll() == Roll((5, 2))
    cup.tray.ask(TWO)
    cup.drop()
    cup.throw(1, 1)
    cup.later(out_s)
    cup.connect(greeting_lost=greeting_lost)
    cup.later(SAID_S)
    assert cup.tray.answer() == Roll((1, 1))
    assert cup.heard == [1, 2, 3, 4]


def test_a_throw_interrupted_by_a_lost_port_counts_once(cup: Cup) -> None:
    cup.connect()
    cup.hear()
    cup.tray.ask(TWO)
    cup.dice.roll([5, 2])
    cup.hear(limit=len(cup.wire.sent) // 2 + 5)  # the first die and a part of the second
    cup.drop()
    cup.later(1)
    cup.connect(greeting_lost=True)
    cup.later(SAID_S)
    assert cup.tray.answer() == Roll((5, 2))
    assert cup.heard == [1, 2]


def test_dice_thrown_during_the_greeting_count_once(cup: Cup) -> None:
    cup.tray.ask(TWO)
    cup.connect(greeting_lost=True)
    cup.dice.roll([5, 2])
    cup.wire.sent = b""  # the port is still being opened
    cup.later(SAID_S)
    assert cup.tray.answer() == Roll((5, 2))
    assert cup.heard == [1, 2]


def test_delayed_lines_are_awaited(cup: Cup) -> None:
    """Two throws are repeated together; the request stays open although the read ended after the first."""
    cup.tray.ask(TWO)
    for faces in ((5, 2), (1, 6)):
        cup.throw(*faces)
        cup.later(1)
    cup.connect()
    cup.hear(limit=cup.wire.sent.index(b'"seq":3'))
    assert cup.heard == [1, 2]
    assert cup.tray.answer() is None
    cup.hear()
    assert cup.tray.question.why is Why.DOUBLE


def test_dice_thrown_before_the_question_is_answered_are_not_lost(cup: Cup) -> None:
    """Three dice instead of two; all are thrown again, and only then *Yes, roll again*."""
    cup.dice = EmulatedDice(cup.wire, lambda: cup.now_s, random.Random(1), count=4)
    cup.connect()
    cup.hear()
    cup.tray.ask(TWO)
    cup.throw(5, 2, 3, 4)
    assert cup.tray.question.why is Why.EXTRA
    cup.later(DOUBLE_S)
    cup.throw(1, 6)
    cup.tray.settle(yes=True)
    assert cup.settled_roll() == Roll((1, 6))


actions = st.sampled_from(["throw", "drop", "connect", "connect and lose the greeting"])
pauses = st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.5])


@given(st.lists(st.tuples(actions, pauses), max_size=10))
def test_each_throw_arrives_once_in_any_story(story: list[tuple[str, float]]) -> None:
    cup, thrown = Cup(), list[tuple[int, float]]()
    for action, pause_s in [*story, ("connect", SAID_S)]:
        if action == "throw":
            cup.throw(1 + len(thrown) % 6)
            thrown.append((len(thrown) + 1, cup.now_s))
        elif action == "drop":
            cup.drop()
        elif not cup.wire.connects:
            connected_s = cup.now_s
            cup.connect(greeting_lost=action != "connect")
        cup.later(pause_s)
    assert len(cup.heard) == len(set(cup.heard))
    young = {number for number, at_s in thrown if connected_s - at_s < REPEAT_S - SAID_S}
    assert young <= set(cup.heard) <= {number for number, _ in thrown}
