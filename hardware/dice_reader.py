"""Answer the rules' dice requests with electronic dice: decide which incoming rolls count for the open request.

`DiceCollector` decides without I/O; `ElectronicDice` waits for its decision. Unclear rolls become questions: a roll
before the request, a leaning die, a die that was rolled twice, more dice than requested, a damaged line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from hardware.dice_protocol import RollLine
from rules.engine.dice import DiceRequest, Die, Roll, as_fudge, rolled

KEEP_S = 5.0
"""A roll without a request answers the next request for this long."""

FORGET_S = 60.0
"""Up to this age the players are asked about it; older rolls are dropped."""

DOUBLE_S = 1.5
"""If there is only one die, it may be rolled again for the next die of a request, but not sooner than this."""

SETTLE_S = 0.4
"""Wait after the last die for an extra one, because the dice of one roll do not come to rest at the same time."""

POLL_S = 0.02


class Why(StrEnum):
    """Why a roll is doubtful."""

    STALE = "stale"
    COCKED = "cocked"
    DOUBLE = "double"
    EXTRA = "extra"
    TORN = "torn"


@dataclass(frozen=True, slots=True)
class TimedRoll:
    """A roll and the time at which the die came to rest, by the collector's clock."""

    line: RollLine
    at_s: float


@dataclass(frozen=True, slots=True)
class Question:
    """A yes-or-no question to the players."""

    why: Why
    text: str
    rolls: tuple[TimedRoll, ...]


class DiceCollector:
    """Collects rolls until they answer the request. Not thread-safe.

    Attributes:
        ignored: The last roll that could not answer the request, such as a Fudge die for a six-sided request.
    """

    def __init__(
        self, clock: Callable[[], float], read_d6: Callable[[Iterable[int]], tuple[int, ...]] = as_fudge
    ) -> None:
        """`read_d6` turns six-sided faces into Fudge faces; this differs between rulesets."""
        self._clock, self._read_d6 = clock, read_d6
        self._request: DiceRequest | None = None
        self._requested_s = self._received_s = 0.0
        self._kept: list[TimedRoll] = []
        self._taken: list[TimedRoll] = []
        self._pending: list[TimedRoll] = []  # rolls for this request that are not checked yet
        self._question: Question | None = None
        self._dice: set[str] = set()
        self.ignored: RollLine | None = None

    @property
    def request(self) -> DiceRequest | None:
        """The open request, or None."""
        return self._request

    @property
    def taken(self) -> tuple[TimedRoll, ...]:
        """The rolls that count so far."""
        return tuple(self._taken)

    @property
    def kept(self) -> tuple[TimedRoll, ...]:
        """Rolls without a request that will count for the next request without a question."""
        return tuple(roll for roll in self._kept if self._clock() - roll.at_s <= KEEP_S)

    @property
    def question(self) -> Question | None:
        """The question that the players must answer first, or None."""
        return self._question

    def add_roll(self, line: RollLine, received_s: float | None = None) -> None:
        """Add a die that came to rest; `received_s` is when its line was received, None for now."""
        self._received_s = self._clock() if received_s is None else received_s
        roll = TimedRoll(line, self._received_s - line.age_s)
        self._dice.add(line.id)
        if self._request is None:
            self._kept.append(roll)
            self._forget()
        else:
            self._pending.append(roll)
            self._process()

    def ask(self, request: DiceRequest) -> None:
        """Open a request; rolls of the last few seconds count."""
        self.withdraw()
        self._forget()
        self._request, self.ignored = request, None
        now = self._requested_s = self._clock()
        fitting = [roll for roll in self._kept if roll.line.fits(request.die)]
        fresh = [roll for roll in fitting if now - roll.at_s <= KEEP_S]
        self._kept = []
        self._pending = fresh
        if not fresh and fitting:
            old = tuple(fitting[-request.count :])
            ago = f"{now - old[-1].at_s:.0f} s before the program asked for it"
            text = f"{_described(old)}: rolled {ago}. Does it count for {request.why}?"
            self._question = Question(Why.STALE, text, old)
        self._process()

    def withdraw(self) -> None:
        """Close the request and drop its rolls."""
        self._request, self._question = None, None
        self._taken, self._pending = [], []

    def settle(self, yes: bool) -> None:
        """Apply the players' answer to the question."""
        question, self._question = self._question, None
        if question is None:
            return
        if yes and question.why is Why.EXTRA:
            rolled_again_s = question.rolls[0].at_s + DOUBLE_S  # a player may roll again before answering
            self._taken = []
            self._pending = [roll for roll in self._pending if roll.at_s >= rolled_again_s]
        elif yes and question.why is Why.DOUBLE:
            earlier = [roll for roll in self._taken if roll.line.id == question.rolls[0].line.id]
            self._taken.remove(earlier[-1])
            self._taken += question.rolls
        elif yes:
            self._taken += question.rolls
        self._process()

    def answer(self) -> Roll | None:
        """The requested roll once all dice are at rest, else None. Returning a roll closes the request."""
        request = self._request
        if request is None or self._question is not None or len(self._taken) < request.count:
            return None
        if self._clock() - self._received_s < SETTLE_S:  # counts from reception: delayed lines also arrive one by one
            return None
        roll = rolled(request, (self._face(taken.line, request.die) for taken in self._taken))
        self.withdraw()
        return roll

    def _face(self, line: RollLine, requested: Die) -> int:
        if requested is Die.FUDGE and line.die is Die.D6:
            return self._read_d6((line.face,))[0]
        return line.face

    def _forget(self) -> None:
        now = self._clock()
        self._kept = [roll for roll in self._kept if now - roll.at_s <= FORGET_S]

    def _process(self) -> None:
        request = self._request
        while request is not None and self._question is None and self._pending:
            roll = self._pending.pop(0)
            if not roll.line.fits(request.die):
                self.ignored = roll.line
                continue
            self._question = self._question_about(roll, request)
            if self._question is None:
                self._taken.append(roll)

    def _question_about(self, roll: TimedRoll, request: DiceRequest) -> Question | None:
        line, shown = roll.line, _described((roll,))
        same = [taken for taken in self._taken if line.id and taken.line.id == line.id]
        early_s = self._requested_s - roll.at_s
        if same and not (self._dice == {line.id} and roll.at_s - same[-1].at_s >= DOUBLE_S):
            text = f"{shown} now, after {same[-1].line.face}: does the later roll count instead?"
            return Question(Why.DOUBLE, text, (roll,))
        if len(self._taken) >= request.count:
            text = f"{shown}, but {request.count} dice are enough: roll them all again?"
            return Question(Why.EXTRA, text, (roll,))
        if line.cocked:
            return Question(Why.COCKED, f"{shown}, but it leans: does it count?", (roll,))
        if line.doubt:
            return Question(Why.TORN, f"{shown}, but {line.doubt}: is this the face of the die?", (roll,))
        if early_s > KEEP_S:
            return Question(
                Why.STALE,
                f"{shown}: rolled {early_s:.0f} s before the program asked for it. Does it count for {request.why}?",
                (roll,),
            )
        return None


def _described(rolls: Iterable[TimedRoll]) -> str:
    return ", ".join(f"{roll.line.id or 'a die'} shows {roll.line.face}" for roll in rolls)


class ElectronicDice:
    """Answers the rules' requests from a `DiceCollector`; implements `rules.engine.dice.Dice`."""

    def __init__(
        self,
        collector: DiceCollector,
        arrivals: Callable[[], Iterable[tuple[RollLine, float]]],
        confirm: Callable[[Question], bool],
        wait: Callable[[float], object],
    ) -> None:
        """Connect the collector with a device and the players.

        Args:
            collector: Decides which rolls count.
            arrivals: Returns the rolls since the last call, each with the time it was received.
            confirm: Asks the players a question.
            wait: Waits for a number of seconds; an exception from it cancels the request.
        """
        self._collector, self._arrivals, self._confirm, self._wait = collector, arrivals, confirm, wait

    def __call__(self, request: DiceRequest) -> Roll:
        """The roll; returns once enough dice are at rest."""
        self._drain()  # these were rolled before the request
        self._collector.ask(request)
        try:
            while (roll := self._collector.answer()) is None:
                if self._collector.question is not None:
                    self._collector.settle(self._confirm(self._collector.question))
                    continue
                self._wait(POLL_S)
                self._drain()
        finally:
            self._collector.withdraw()
        return roll

    def _drain(self) -> None:
        for line, received_s in self._arrivals():
            self._collector.add_roll(line, received_s)
