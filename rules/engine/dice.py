"""Dice requests, rolls, and the exact odds of a procedure.

A procedure is a generator that yields a `DiceRequest`, is sent a `Roll`, and returns its result. Typed, virtual,
electronic and scripted dice are drivers of the same procedure. The dice of one request are thrown together and are
indistinguishable; dice of several figures are several requests.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from typing import Generic, TypeVar

from rules.engine.verdict import RuleRefusal, Verdict
from rules.tabletop.errors import UserError


class Die(Enum):
    """A kind of die; its value is the tuple of its faces, all equally likely."""

    D6 = (1, 2, 3, 4, 5, 6)
    FUDGE = (-1, 0, 1)

    @property
    def faces(self) -> tuple[int, ...]:
        """All faces."""
        faces: tuple[int, ...] = self.value
        return faces


MOST_DICE = 1000
"""Limit for one throw, against mistakes in house rules; the burst of a squad needs a tenth of it."""


@dataclass(frozen=True, slots=True)
class DiceRequest:
    """Dice to be rolled.

    Attributes:
        die: The kind of die.
        count: Number of dice, thrown together.
        for_whom: The figure or side that the roll is for.
        why: Purpose of the roll, in a few words.
        again: Whether it repeats a throw that decided nothing, such as a tie; see `odds`.
        summed: Whether only the sum of the faces counts, so that odds need one combination for each sum.
        stands_for: The face of `die` that each face of a six-sided die stands for, from 1 to 6; empty if no
            six-sided dice may be rolled in its place.
        known: What is known before the roll: the number needed and the modifiers.
    """

    die: Die
    count: int
    for_whom: str
    why: str
    again: bool = field(default=False, compare=False)
    summed: bool = field(default=False, compare=False)
    stands_for: tuple[int, ...] = field(default=(), compare=False)
    known: Verdict | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not 1 <= self.count <= MOST_DICE:
            raise UserError(f"a roll needs at least one die and at most {MOST_DICE}, not {self.count}")

    def read_d6(self, faces: Iterable[int]) -> tuple[int, ...]:
        """The faces that six-sided dice stand for.

        Raises:
            RuleRefusal: "impossible_die_face" if a six-sided die cannot show one, or none may be rolled for these.
        """
        if not self.stands_for:
            raise RuleRefusal("impossible_die_face", f"six-sided dice cannot be rolled for {self.why}: roll its own")
        return tuple(self.stands_for[face - 1] for face in rolled_d6(tuple(faces)))

    def once_more(self) -> DiceRequest:
        """The same request as a repeated throw."""
        return replace(self, again=True)


@dataclass(frozen=True, slots=True)
class Roll:
    """The faces that answer one request."""

    faces: tuple[int, ...]

    @property
    def total(self) -> int:
        """Sum of the faces."""
        return sum(self.faces)


T = TypeVar("T")
Procedure = Generator[DiceRequest, Roll, T]
"""A rule in progress: yields dice requests, receives rolls and returns its result."""

Dice = Callable[[DiceRequest], Roll]
"""A dice source: answers a request from the keyboard, electronic dice or a script."""


def rolled(request: DiceRequest, faces: Iterable[int]) -> Roll:
    """The roll with these faces as the checked answer to a request.

    Raises:
        RuleRefusal: "impossible_die_face" or "wrong_dice_count".
    """
    shown = tuple(faces)
    for face in shown:
        if type(face) is not int or face not in request.die.faces:
            known = ", ".join(map(str, request.die.faces))
            raise RuleRefusal("impossible_die_face", f"a die cannot show {face!r}: its faces are {known}")
    if len(shown) != request.count:
        dice = "1 die" if request.count == 1 else f"{request.count} dice"
        needed = f"{request.for_whom} needs {dice} for {request.why}, not {len(shown)}"
        raise RuleRefusal("wrong_dice_count", f"{needed}: roll exactly that many")
    return Roll(shown)


def as_fudge(faces: Iterable[int]) -> tuple[int, ...]:
    """Six-sided dice read as Fudge dice: 1 and 2 are minus, 3 and 4 blank, 5 and 6 plus."""
    return tuple((face + 1) // 2 - 2 for face in rolled_d6(tuple(faces)))


def rolled_d6(faces: Sequence[int]) -> tuple[int, ...]:
    """The faces, checked to be those of six-sided dice; raises as `rolled`."""
    return rolled(DiceRequest(Die.D6, max(1, len(faces)), "the player", "reading dice"), faces).faces


class Scripted:
    """A dice source that answers requests from a given list of faces, in order."""

    def __init__(self, faces: Sequence[int]) -> None:
        self._left = list(faces)

    def __call__(self, request: DiceRequest) -> Roll:
        """The next faces of the list."""
        faces, self._left = self._left[: request.count], self._left[request.count :]
        return rolled(request, faces)

    def finish(self) -> None:
        """Check that all faces were used.

        Raises:
            RuleRefusal: "wrong_dice_count" if faces are left over.
        """
        if self._left:
            raise RuleRefusal("wrong_dice_count", f"there are too many dice: leave out {len(self._left)} of them")


def no_dice(request: DiceRequest) -> Roll:
    """The dice source of a question that should need no dice.

    Raises:
        RuleRefusal: "wrong_dice_count" if the question requests dice anyway.
    """
    raise RuleRefusal("wrong_dice_count", f"{request.why} of {request.for_whom} needs dice: roll them")


def play(procedure: Procedure[T], dice: Dice) -> T:
    """Run a procedure to its result; `dice` answers every request."""
    try:
        request = next(procedure)
        while True:
            request = procedure.send(dice(request))
    except StopIteration as end:
        result: T = end.value
        return result


def asks_again(begin: Callable[[], Procedure[T]], rolls: Sequence[Roll], request: DiceRequest) -> bool:
    """Whether a procedure asks for more dice if the request after these rolls shows only its lowest or highest faces.

    Args:
        begin: Starts the procedure from its beginning.
        rolls: The rolls so far.
        request: What it asks for after them.
    """
    for face in (min(request.die.faces), max(request.die.faces)):
        procedure = begin()
        try:
            next(procedure)
            for roll in (*rolls, Roll((face,) * request.count)):
                procedure.send(roll)
        except StopIteration:
            continue
        procedure.close()
        return True
    return False


MOST_BRANCHES = 60_000
"""Limit of branches when computing odds; for bursts at many targets, ask for one target at a time."""

K = TypeVar("K", bound=Hashable)


def odds(begin: Callable[[], Procedure[T]], outcome: Callable[[T], K]) -> dict[K, Fraction]:
    """The exact probability of every outcome; they sum to 1.

    Args:
        begin: Starts the procedure from its beginning; every combination of faces is played.
        outcome: Reduces a result to what is counted, such as `lambda verdict: verdict.outcome`.

    A request with `again` returns to the equal request before it, such as a tie that is rolled again: its probability
    is distributed over the other outcomes in proportion, which is the limit of rolling forever.

    Raises:
        UserError: if there are more than `MOST_BRANCHES` branches, or every roll asks for another one.
    """
    return _Odds(begin, outcome).after((), ())[0]


_Chances = tuple[dict[K, Fraction], dict[int, Fraction]]


class _Odds(Generic[T, K]):
    """A depth-first search through all combinations of faces."""

    def __init__(self, begin: Callable[[], Procedure[T]], outcome: Callable[[T], K]) -> None:
        self._begin, self._outcome, self._left = begin, outcome, MOST_BRANCHES

    def after(self, path: tuple[Roll, ...], asked: tuple[DiceRequest, ...]) -> _Chances[K]:
        """Probabilities after these rolls: of each outcome, and of returning to the request at each depth."""
        self._left -= 1
        if self._left < 0:
            raise UserError(
                f"these dice have more than {MOST_BRANCHES:,} combinations: ask for the odds of fewer targets at once"
            )
        procedure = self._begin()
        try:
            request = next(procedure)
            for roll in path:
                request = procedure.send(roll)
        except StopIteration as end:
            return {self._outcome(end.value): Fraction(1)}, {}
        procedure.close()
        if request.again and request in asked:
            return {}, {len(asked) - 1 - asked[::-1].index(request): Fraction(1)}
        return self._thrown(request, path, asked)

    def _thrown(self, request: DiceRequest, path: tuple[Roll, ...], asked: tuple[DiceRequest, ...]) -> _Chances[K]:
        chances: dict[K, Fraction] = {}
        back: dict[int, Fraction] = {}
        for roll, weight in falls(request):
            found, returns = self.after((*path, roll), (*asked, request))
            for key, chance in found.items():
                chances[key] = chances.get(key, 0) + weight * chance
            for depth, chance in returns.items():
                back[depth] = back.get(depth, 0) + weight * chance
        here = back.pop(len(asked), Fraction(0))
        if not here:
            return chances, back
        if here == 1:
            raise UserError(f"the roll for {request.why} would never end: the rule asks for it again every time")
        ends = 1 - here
        return {k: c / ends for k, c in chances.items()}, {depth: c / ends for depth, c in back.items()}


def falls(request: DiceRequest) -> Iterable[tuple[Roll, Fraction]]:
    """Every combination of faces of a request with its probability; the dice are indistinguishable."""
    if request.summed:
        return _sums(request.die, request.count)
    few = request.count <= _FEW_DICE
    return _few_falls(request.die, request.count) if few else _all_falls(request.die, request.count)


_FEW_DICE = 4
"""Most throws have no more, and are asked about again and again; the combinations of many would fill the memory."""


@cache
def _few_falls(die: Die, count: int) -> tuple[tuple[Roll, Fraction], ...]:
    return tuple(_all_falls(die, count))


def _all_falls(die: Die, count: int) -> Iterator[tuple[Roll, Fraction]]:
    ways = len(die.faces) ** count
    for faces in combinations_with_replacement(die.faces, count):
        orders = math.factorial(count)
        for repeats in Counter(faces).values():
            orders //= math.factorial(repeats)
        yield Roll(faces), Fraction(orders, ways)


@cache
def _sums(die: Die, count: int) -> tuple[tuple[Roll, Fraction], ...]:
    """A combination of faces for each sum, with the probability of the sum."""
    ways: Counter[int] = Counter({0: 1})
    shown: dict[int, tuple[int, ...]] = {0: ()}
    for _ in range(count):
        thrown = [(sum_ + face, orders, (*shown[sum_], face)) for sum_, orders in ways.items() for face in die.faces]
        ways, shown = Counter(), {}
        for sum_, orders, faces in thrown:
            ways[sum_] += orders
            shown[sum_] = faces
    return tuple((Roll(shown[sum_]), Fraction(orders, len(die.faces) ** count)) for sum_, orders in ways.items())
