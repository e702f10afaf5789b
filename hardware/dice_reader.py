"""Electronic dice that answer the rules' requests: which of the incoming rolls count for the open request.

`DiceCollector` decides and does no I/O; `ElectronicDice` waits for it. Unclear rolls become questions: a roll before
the request, a die that leans, a die that fell twice, more dice than requested, a damaged line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from hardware.dice_protocol import RollLine
from rules.engine.dice import DiceRequest, Die, Roll, as_fudge, rolled

KEEP_S = 5.0
"""A roll that nobody asked for answers the next request for this long."""

FORGET_S = 60.0
"""Up to this age it is asked about; older, it is forgotten."""

DOUBLE_S = 1.5
"""The only die of a table may be thrown again for the next die of a request, but not sooner than this."""

SETTLE_S = 0.4
"""The tray waits this long after the last die for an extra one: the dice of one throw do not come to rest together."""

POLL_S = 0.02


class Why(StrEnum):
    """What makes a roll doubtful."""

    STALE = "stale"
    COCKED = "cocked"
    DOUBLE = "double"
    EXTRA = "extra"
    TORN = "torn"


@dataclass(frozen=True, slots=True)
class Fallen:
    """A roll and when it fell, by the tray's clock."""

    line: RollLine
    at_s: float


@dataclass(frozen=True, slots=True)
class Question:
    """Asked of the players, to be answered with yes or no.

    Attributes:
        why: The doubt.
        text: The question.
        rolls: What it is about.
    """

    why: Why
    text: str
    rolls: tuple[Fallen, ...]


class DiceCollector:
    """Collects rolls until they answer the request. Not for several threads.

    Attributes:
        ignored: The last roll that could not answer the request, as a Fudge die where six-sided ones are asked for.
    """

    def __init__(
        self, clock: Callable[[], float], read_d6: Callable[[Iterable[int]], tuple[int, ...]] = as_fudge
    ) -> None:
        """`read_d6` turns six-sided faces into Fudge faces; rulesets differ in it."""
        self._clock, self._read_d6 = clock, read_d6
        self._request: DiceRequest | None = None
        self._asked_s = self._heard_s = 0.0
        self._kept: list[Fallen] = []
        self._taken: list[Fallen] = []
        self._coming: list[Fallen] = []  # fell for this request and still to be looked at
        self._question: Question | None = None
        self._dice: set[str] = set()
        self.ignored: RollLine | None = None

    @property
    def request(self) -> DiceRequest | None:
        """What is being waited for."""
        return self._request

    @property
    def taken(self) -> tuple[Fallen, ...]:
        """The rolls that count so far."""
        return tuple(self._taken)

    @property
    def kept(self) -> tuple[Fallen, ...]:
        """Rolls that nobody asked for and that the next request will take unasked."""
        return tuple(one for one in self._kept if self._clock() - one.at_s <= KEEP_S)

    @property
    def question(self) -> Question | None:
        """What the players must settle first."""
        return self._question

    def fell(self, line: RollLine, heard_s: float | None = None) -> None:
        """A die came to rest; `heard_s` is when its line arrived, now if None."""
        self._heard_s = self._clock() if heard_s is None else heard_s
        one = Fallen(line, self._heard_s - line.age_s)
        self._dice.add(line.id)
        if self._request is None:
            self._kept.append(one)
            self._forget()
        else:
            self._coming.append(one)
            self._sort_out()

    def ask(self, request: DiceRequest) -> None:
        """Wait for this roll from now on; what fell a moment ago counts."""
        self.withdraw()
        self._forget()
        self._request, self.ignored = request, None
        now = self._asked_s = self._clock()
        fitting = [one for one in self._kept if one.line.fits(request.die)]
        fresh = [one for one in fitting if now - one.at_s <= KEEP_S]
        self._kept = []
        self._coming = fresh
        if not fresh and fitting:
            old = tuple(fitting[-request.count :])
            ago = f"{now - old[-1].at_s:.0f} s before it was asked for"
            text = f"{_named(old)}: thrown {ago}. Does it count for {request.why}?"
            self._question = Question(Why.STALE, text, old)
        self._sort_out()

    def withdraw(self) -> None:
        """Ask for nothing any more; what has fallen for it is void."""
        self._request, self._question = None, None
        self._taken, self._coming = [], []

    def settle(self, yes: bool) -> None:
        """The players' answer to the question."""
        asked, self._question = self._question, None
        if asked is None:
            return
        if yes and asked.why is Why.EXTRA:
            thrown_again_s = asked.rolls[0].at_s + DOUBLE_S  # a player may throw first and answer then
            self._taken = []
            self._coming = [one for one in self._coming if one.at_s >= thrown_again_s]
        elif yes and asked.why is Why.DOUBLE:
            earlier = [one for one in self._taken if one.line.id == asked.rolls[0].line.id]
            self._taken.remove(earlier[-1])
            self._taken += asked.rolls
        elif yes:
            self._taken += asked.rolls
        self._sort_out()

    def answer(self) -> Roll | None:
        """The roll that was asked for, once it lies; the request is then done."""
        request = self._request
        if request is None or self._question is not None or len(self._taken) < request.count:
            return None
        if self._clock() - self._heard_s < SETTLE_S:  # when they fell does not matter: late lines come one by one too
            return None
        roll = rolled(request, (self._face(one.line, request.die) for one in self._taken))
        self.withdraw()
        return roll

    def _face(self, line: RollLine, asked: Die) -> int:
        if asked is Die.FUDGE and line.die is Die.D6:
            return self._read_d6((line.face,))[0]
        return line.face

    def _forget(self) -> None:
        now = self._clock()
        self._kept = [one for one in self._kept if now - one.at_s <= FORGET_S]

    def _sort_out(self) -> None:
        request = self._request
        while request is not None and self._question is None and self._coming:
            one = self._coming.pop(0)
            if not one.line.fits(request.die):
                self.ignored = one.line
                continue
            self._question = self._doubt(one, request)
            if self._question is None:
                self._taken.append(one)

    def _doubt(self, one: Fallen, request: DiceRequest) -> Question | None:
        line, who = one.line, _named((one,))
        same = [taken for taken in self._taken if line.id and taken.line.id == line.id]
        early = self._asked_s - one.at_s
        if same and not (self._dice == {line.id} and one.at_s - same[-1].at_s >= DOUBLE_S):
            text = f"{who} now, after {same[-1].line.face}: does the later throw count instead?"
            return Question(Why.DOUBLE, text, (one,))
        if len(self._taken) >= request.count:
            text = f"{who}, but {request.count} dice are enough: throw them all again?"
            return Question(Why.EXTRA, text, (one,))
        if line.cocked:
            return Question(Why.COCKED, f"{who}, but it leans: does it count?", (one,))
        if line.doubt:
            return Question(Why.TORN, f"{who}, but {line.doubt}: is that what lies there?", (one,))
        if early > KEEP_S:
            return Question(
                Why.STALE,
                f"{who}: thrown {early:.0f} s before it was asked for. Does it count for {request.why}?",
                (one,),
            )
        return None


def _named(rolls: Iterable[Fallen]) -> str:
    return ", ".join(f"{one.line.id or 'a die'} shows {one.line.face}" for one in rolls)


class ElectronicDice:
    """Answers the rules' requests from a tray: one of the drivers that `rules.engine.dice.Dice` stands for."""

    def __init__(
        self,
        tray: DiceCollector,
        arrivals: Callable[[], Iterable[tuple[RollLine, float]]],
        confirm: Callable[[Question], bool],
        wait: Callable[[float], object],
    ) -> None:
        """A driver that waits.

        Args:
            tray: Where the rolls are sorted out.
            arrivals: What has come in since the last call, each with the time it was heard.
            confirm: Asks the players.
            wait: Lets so many seconds pass; whatever it raises ends the wait and voids the request.
        """
        self._tray, self._arrivals, self._confirm, self._wait = tray, arrivals, confirm, wait

    def __call__(self, request: DiceRequest) -> Roll:
        """The roll; returns once enough dice lie still."""
        self._drain()  # these fell before the question
        self._tray.ask(request)
        try:
            while (roll := self._tray.answer()) is None:
                if self._tray.question is not None:
                    self._tray.settle(self._confirm(self._tray.question))
                    continue
                self._wait(POLL_S)
                self._drain()
        finally:
            self._tray.withdraw()
        return roll

    def _drain(self) -> None:
        for line, heard_s in self._arrivals():
            self._tray.fell(line, heard_s)
