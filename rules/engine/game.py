"""What every game answers: who made it, what is open to choice, and each thing that a player may ask of its rules."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator, Hashable, Mapping
from dataclasses import MISSING, dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, Generic, TypeVar, get_args, get_origin, get_type_hints

from rules.engine.dice import Dice, DiceRequest, Procedure, odds, play
from rules.engine.ruleset import Option, Ruleset, Value
from rules.engine.schema import Asked, Reader, answers_to, field_name, hints, typed_as
from rules.engine.verdict import RuleRefusal, Verdict
from rules.tabletop.errors import UserError

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

Answer = Verdict | Procedure[Verdict]
"""A rule that needs no dice answers at once; one that does returns the procedure that asks for them."""


@dataclass(frozen=True, slots=True)
class NoFacts:
    """A question that needs no facts."""


@dataclass(frozen=True, slots=True)
class Action(Generic[T]):
    """One thing that can be asked.

    Attributes:
        resolve: The rule itself: the game's data and the facts in, the answer out.
        facts: Dataclass of what must be known. A default stands for what is not said; an `Asked` note holds the
            question to put to the players where the camera cannot tell.
    """

    resolve: Callable[[Ruleset[T], Any], Answer]
    facts: type


def actions(*rules: Callable[[Ruleset[T], Any], Answer]) -> dict[str, Action[T]]:
    """The actions of a game by the names of the functions that answer them; what they take says what must be known."""
    table = {}
    for rule in rules:
        taken = list(get_type_hints(rule).values())
        table[rule.__name__] = Action(rule, taken[1])
    return table


@dataclass(frozen=True, slots=True)
class Question:
    """A fact for the players to tell.

    Attributes:
        fact: Its name.
        text: What to ask them.
        default: What holds until they answer; None where the rules find it out otherwise, or cannot do without it.
        answers: What they may answer; empty for what is typed.
        holds: Of what is typed: `int`, `float`, `str`, or `list` for several names.
    """

    fact: str
    text: str
    default: Any
    answers: tuple[Any, ...] = ()
    holds: type = str

    def read(self, typed: str) -> Any:
        """What was typed as a value of the fact.

        Raises:
            UserError: if a number is asked for and this is none.
        """
        words = typed.strip()
        if self.holds is list:
            return [name for word in words.split(",") if (name := word.strip())]
        try:
            return self.holds(words)
        except ValueError as error:
            wanted = "a whole number" if self.holds is int else "a number"
            raise UserError(f"{self.text} {words!r} is not {wanted}") from error


@dataclass(frozen=True)
class Game(Generic[T]):
    """A ruleset that can be asked.

    Attributes:
        rules: Its data, house rules and chosen options included.
        actions: Everything that can be asked, by name.
    """

    rules: Ruleset[T]
    actions: Mapping[str, Action[T]]

    @property
    def name(self) -> str:
        """Short name, as "army_men"."""
        return self.rules.header.name

    @property
    def title(self) -> str:
        """Name on the screen."""
        return self.rules.header.title

    @property
    def credit(self) -> str:
        """Whom the game is owed to."""
        return self.rules.header.credit

    @property
    def options(self) -> Mapping[str, Option]:
        """Every open question of the rulebook, by its short name."""
        return self.rules.header.options

    def choosing(self, /, **chosen: Value) -> Game[T]:
        """The same game under other options; raises as `Ruleset.choosing`."""
        return replace(self, rules=self.rules.choosing(**chosen))

    def begin(self, action: str, given: Mapping[str, Any]) -> Procedure[Verdict]:
        """Start the procedure of an action.

        Raises:
            RuleRefusal: "unknown_action", "unknown_key", "missing_key", "wrong_type" or the code of a fact that
                cannot be, as "unknown_weapon" or "negative_range".
        """
        return self._asked(action, given)()

    def ask(self, action: str, given: Mapping[str, Any], dice: Dice) -> Verdict:
        """The verdict, with these dice; raises as `begin` and as `rules.engine.dice.rolled`."""
        return play(self.begin(action, given), dice)

    def odds(self, action: str, given: Mapping[str, Any], number: str | None = None) -> dict[Any, Fraction]:
        """Exact chance of every outcome, or of every value of one of the verdict's numbers."""

        def told(answer: Verdict) -> Any:
            return answer.outcome if number is None else answer.numbers.get(number)

        return self.odds_of(action, given, told)

    def odds_of(self, action: str, given: Mapping[str, Any], told: Callable[[Verdict], K]) -> dict[K, Fraction]:
        """Exact chance of everything that `told` makes of a verdict; raises as `begin` and `rules.engine.dice.odds`."""
        return odds(self._asked(action, given), told)

    def questions(self, action: str) -> tuple[Question, ...]:
        """What the players must tell for an action because no camera sees it."""
        shape: Any = self.actions[action].facts
        return tuple(
            Question(field.name, note.question, _usual(field), answers_to(noted), typed_as(noted))
            for field in dataclasses.fields(shape)
            for noted in [hints(shape)[field.name]]
            for note in _notes(noted)
            if isinstance(note, Asked)
        )

    def _asked(self, action: str, given: Mapping[str, Any]) -> Callable[[], Procedure[Verdict]]:
        """What starts an action's procedure, as often as it is called; its facts are read once."""
        wanted = self._action(action)
        known: Any = self._reader.read(wanted.facts, given, f"the question {action!r}")

        def begin() -> Procedure[Verdict]:
            answer = wanted.resolve(self.rules, known)
            return _at_once(answer) if isinstance(answer, Verdict) else answer

        return begin

    def concerns(self, action: str, fact: str) -> bool | None:
        """Whether an action takes a fact; None where no action of this game does.

        One description of a moment may serve many questions: what only others ask about is left out of this one.
        """
        name = field_name(fact)
        if name in hints(self._action(action).facts):
            return True
        return False if any(name in hints(other.facts) for other in self.actions.values()) else None

    def _action(self, name: str) -> Action[T]:
        if name not in self.actions:
            raise RuleRefusal("unknown_action", f"{self.title} has no action {name!r}: {', '.join(self.actions)}")
        return self.actions[name]

    @cached_property
    def _reader(self) -> Reader:
        return Reader({key: list(value) for key, value in self.rules.plain.items() if isinstance(value, dict)})


def _usual(field: dataclasses.Field[Any]) -> Any:
    return None if field.default is MISSING else field.default


def _notes(hint: Any) -> tuple[Any, ...]:
    return get_args(hint)[1:] if get_origin(hint) is Annotated else ()


def _at_once(answer: Verdict) -> Generator[DiceRequest, Any, Verdict]:
    """A procedure that asks for no dice."""
    yield from ()
    return answer
