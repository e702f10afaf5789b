"""Rules ask, players roll: what is to be thrown, what fell, and the exact odds of what may.

A procedure is a generator that yields a `DiceRequest`, is sent a `Roll`, and returns its result. Typed, virtual,
electronic and scripted dice are drivers of the same procedure. The dice of one request are thrown together and are
not told apart; dice for several people are several requests.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Generic, TypeVar

from rules.engine.verdict import RuleRefusal
from rules.tabletop.errors import UserError


class Die(Enum):
    """A kind of die; its value is the tuple of its faces, each as likely as the next."""

    D6 = (1, 2, 3, 4, 5, 6)
    FUDGE = (-1, 0, 1)

    @property
    def faces(self) -> tuple[int, ...]:
        """Every face once."""
        faces: tuple[int, ...] = self.value
        return faces


MOST_DICE = 1000
"""Of one throw: a squad's burst is a tenth of it, and a slip in house rules may be any number."""


@dataclass(frozen=True, slots=True)
class DiceRequest:
    """What is to be rolled.

    Attributes:
        die: The kind of die.
        count: How many, thrown together.
        for_whom: Who rolls, or whom the roll is for.
        why: What it is for, in a few words.
        again: The same throw once more because the last one decided nothing, as a tie; see `odds`.
        stands_for: The face of `die` that each face of a six-sided die stands for, from 1 to 6; empty where no
            six-sided dice may be rolled in its place.
    """

    die: Die
    count: int
    for_whom: str
    why: str
    again: bool = field(default=False, compare=False)
    stands_for: tuple[int, ...] = field(default=(), compare=False)

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
        """The same throw again."""
        return replace(self, again=True)


@dataclass(frozen=True, slots=True)
class Roll:
    """The faces that fell."""

    faces: tuple[int, ...]

    @property
    def total(self) -> int:
        """Their sum."""
        return sum(self.faces)


T = TypeVar("T")
Procedure = Generator[DiceRequest, Roll, T]
"""Asks for dice and returns its result."""

Dice = Callable[[DiceRequest], Roll]
"""Whatever answers a request: a hand at the keyboard, an electronic die, a script."""


def rolled(request: DiceRequest, faces: Iterable[int]) -> Roll:
    """The answer to a request.

    Raises:
        RuleRefusal: "impossible_die_face" or "wrong_dice_count".
    """
    fell = tuple(faces)
    for face in fell:
        if type(face) is not int or face not in request.die.faces:
            known = ", ".join(map(str, request.die.faces))
            raise RuleRefusal("impossible_die_face", f"a die cannot show {face!r}: its faces are {known}")
    if len(fell) != request.count:
        needed = f"{request.for_whom} needs {request.count} for {request.why}"
        raise RuleRefusal("wrong_dice_count", f"{needed}, not {len(fell)} dice: roll as many as asked")
    return Roll(fell)


def as_fudge(faces: Iterable[int]) -> tuple[int, ...]:
    """Six-sided dice read as Fudge dice: 1 and 2 are minus, 3 and 4 blank, 5 and 6 plus."""
    return tuple((face + 1) // 2 - 2 for face in rolled_d6(tuple(faces)))


def rolled_d6(faces: Sequence[int]) -> tuple[int, ...]:
    """The faces, once it is certain that a six-sided die can show each."""
    return rolled(DiceRequest(Die.D6, max(1, len(faces)), "the player", "reading dice"), faces).faces


class Scripted:
    """Dice that fall as written, in the order in which they are asked for."""

    def __init__(self, faces: Sequence[int]) -> None:
        self._left = list(faces)

    def __call__(self, request: DiceRequest) -> Roll:
        """The next faces of the script."""
        faces, self._left = self._left[: request.count], self._left[request.count :]
        return rolled(request, faces)

    def finish(self) -> None:
        """Say that nothing more is asked.

        Raises:
            RuleRefusal: "wrong_dice_count" if dice are left over.
        """
        if self._left:
            raise RuleRefusal("wrong_dice_count", f"{len(self._left)} of the dice were not asked for: leave them out")


def no_dice(request: DiceRequest) -> Roll:
    """Dice for a question that needs none.

    Raises:
        RuleRefusal: "wrong_dice_count" if it asks for some all the same.
    """
    raise RuleRefusal("wrong_dice_count", f"{request.why} of {request.for_whom} needs dice: roll them")


def play(procedure: Procedure[T], dice: Dice) -> T:
    """Run a procedure to its result; `dice` is asked for every roll."""
    try:
        request = next(procedure)
        while True:
            request = procedure.send(dice(request))
    except StopIteration as end:
        result: T = end.value
        return result


MOST_BRANCHES = 60_000
"""Odds with more ways to fall than this are refused; bursts at many targets are told target by target."""

K = TypeVar("K", bound=Hashable)


def odds(begin: Callable[[], Procedure[T]], outcome: Callable[[T], K]) -> dict[K, Fraction]:
    """The exact chance of every outcome; they sum to 1.

    Args:
        begin: Starts the procedure anew; every way the dice may fall is played.
        outcome: What of a result counts, as `lambda verdict: verdict.outcome`.

    A throw that is asked for `again` goes back to the equal request before it, as a tie that is rolled once more:
    its chance is shared among the outcomes in their own proportion, as endless rolling would.

    Raises:
        UserError: if there are more than `MOST_BRANCHES` ways to fall, or no throw ever ends it.
    """
    return _Odds(begin, outcome).after((), ())[0]


_Chances = tuple[dict[K, Fraction], dict[int, Fraction]]


class _Odds(Generic[T, K]):
    """A walk through every way the dice may fall."""

    def __init__(self, begin: Callable[[], Procedure[T]], outcome: Callable[[T], K]) -> None:
        self._begin, self._outcome, self._left = begin, outcome, MOST_BRANCHES

    def after(self, path: tuple[Roll, ...], asked: tuple[DiceRequest, ...]) -> _Chances[K]:
        """Chances once these rolls fell: of each outcome, and of going back to the throw of each depth."""
        self._left -= 1
        if self._left < 0:
            raise UserError(
                f"there are more than {MOST_BRANCHES} ways these dice may fall: ask for fewer targets at once"
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
                chances[key] = chances.get(key, Fraction(0)) + weight * chance
            for depth, chance in returns.items():
                back[depth] = back.get(depth, Fraction(0)) + weight * chance
        here = back.pop(len(asked), Fraction(0))
        if here == 1:
            raise UserError(f"no throw ever ends {request.why!r}: the rule asks for it again each time")
        ends = 1 - here
        return {k: c / ends for k, c in chances.items()}, {depth: c / ends for depth, c in back.items()}


def falls(request: DiceRequest) -> Iterator[tuple[Roll, Fraction]]:
    """Every way the dice of a request may fall, with its chance; dice are not told apart."""
    ways = len(request.die.faces) ** request.count
    for faces in combinations_with_replacement(request.die.faces, request.count):
        orders = math.factorial(request.count)
        for repeats in Counter(faces).values():
            orders //= math.factorial(repeats)
        yield Roll(faces), Fraction(orders, ways)
