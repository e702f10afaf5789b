"""A game: its ruleset, its options, and the rules that can be applied to the facts of an action."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Generator, Hashable, Mapping
from dataclasses import MISSING, dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, Concatenate, Generic, TypeVar, cast, get_type_hints

from rules.engine.dice import Dice, DiceRequest, Procedure, odds, play
from rules.engine.ruleset import Option, Ruleset, Value
from rules.engine.schema import Asked, Reader, Sourced, answers_to, field_name, hints, notes_of, typed_as
from rules.engine.verdict import RuleRefusal, Verdict
from rules.tabletop.errors import user_error
from rules.tabletop.translation import tr

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

Answer = Verdict | Procedure[Verdict] | Callable[[], Procedure[Verdict]]
"""What a rule returns: a verdict if it needs no dice, otherwise a procedure that requests them.

A rule may also return a function that starts the procedure. Odds call it for every combination of faces, so that what
comes before the dice is computed only once.
"""


@dataclass(frozen=True, slots=True)
class Rule(Generic[T]):
    """A rule that can be applied.

    Attributes:
        resolve: The function: takes the game's ruleset and the facts, returns the answer.
        facts: Dataclass of the facts. Fields with defaults may be left out; an `Asked` annotation holds the question
            for the players if the camera cannot supply the fact.
    """

    resolve: Callable[[Ruleset[T], Any], Answer]
    facts: type


def actions(*rules: Callable[Concatenate[Ruleset[T], ...], Answer]) -> dict[str, Rule[T]]:
    """The rules of a game by function name.

    The facts of a rule are the dataclass that is its only parameter after the ruleset, or else those parameters.
    """
    return {rule.__name__: _rule(rule) for rule in rules}


def _rule(rule: Callable[Concatenate[Ruleset[T], ...], Answer]) -> Rule[T]:
    _, *parameters = inspect.signature(rule).parameters.values()
    types = get_type_hints(rule, include_extras=True)
    if len(parameters) == 1 and dataclasses.is_dataclass(only := types[parameters[0].name]):
        return Rule(rule, cast(type, only))
    names = [one.name for one in parameters]
    fields = [
        (name, types[name], dataclasses.field(default=MISSING if one.default is one.empty else one.default))
        for name, one in zip(names, parameters, strict=True)
    ]
    facts = dataclasses.make_dataclass(rule.__name__, fields, frozen=True, kw_only=True)
    return Rule(lambda rules, given: rule(rules, **{name: getattr(given, name) for name in names}), facts)


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the players about a fact.

    Attributes:
        fact: Name of the fact.
        text: The question.
        default: The value until they answer; None if the rules can derive it or require an answer.
        answers: The possible answers; empty if the answer is typed.
        holds: Type of a typed answer: `int`, `float`, `str`, or `list` for several names.
        names: The names of the answers, where they differ from the values.
        measured: Whether the table or the battle may answer it.
    """

    fact: str
    text: str
    default: Any
    answers: tuple[Any, ...] = ()
    holds: type = str
    names: tuple[str, ...] = ()
    measured: bool = False

    def read(self, typed: str) -> Any:
        """Convert a typed answer to the fact's value.

        Raises:
            UserError: if the answer must be a number and is not.
        """
        text = typed.strip()
        if self.holds is list:
            return [name for part in text.split(",") if (name := part.strip())]
        try:
            return self.holds(text)
        except ValueError as error:
            expected = tr("a whole number") if self.holds is int else tr("a number")
            raise user_error(
                "{question} Type {expected}, not {text!r}", question=self.text, expected=expected, text=text
            ) from error


@dataclass(frozen=True)
class Game(Generic[T]):
    """A ruleset together with its rule functions.

    Attributes:
        rules: The data, with house rules and chosen options.
        actions: The rules, by name.
    """

    rules: Ruleset[T]
    actions: Mapping[str, Rule[T]]

    @property
    def name(self) -> str:
        """Short name, such as "army_men"."""
        return self.rules.header.name

    @property
    def title(self) -> str:
        """Name for the players."""
        return self.rules.header.title

    @property
    def credit(self) -> str:
        """Author and source of the game."""
        return self.rules.header.credit

    @property
    def options(self) -> Mapping[str, Option]:
        """Every option, by its short name."""
        return self.rules.header.options

    def choosing(self, /, **chosen: Value) -> Game[T]:
        """The same game with other options; raises as `Ruleset.choosing`."""
        return replace(self, rules=self.rules.choosing(**chosen))

    def begin(self, action: str, given: Mapping[str, Any]) -> Procedure[Verdict]:
        """Start the procedure of a rule.

        Raises:
            RuleRefusal: "unknown_action", "unknown_key", "missing_key", "wrong_type" or the code of an impossible fact,
                such as "unknown_weapon" or "negative_range".
        """
        return self._starter(action, given)()

    def ask(self, action: str, given: Mapping[str, Any], dice: Dice) -> Verdict:
        """The verdict of a rule with these dice; raises as `begin` and `rules.engine.dice.rolled`."""
        return play(self.begin(action, given), dice)

    def odds(self, action: str, given: Mapping[str, Any], number: str | None = None) -> dict[Any, Fraction]:
        """Exact probability of every outcome, or of every value of one of the verdict's numbers."""

        def result_of(answer: Verdict) -> Any:
            return answer.outcome if number is None else answer.numbers.get(number)

        return self.odds_of(action, given, result_of)

    def odds_of(self, action: str, given: Mapping[str, Any], result_of: Callable[[Verdict], K]) -> dict[K, Fraction]:
        """Exact probability of every value that `result_of` returns for a verdict.

        Raises as `begin` and `rules.engine.dice.odds`.
        """
        return odds(self._starter(action, given), result_of)

    def questions(self, action: str) -> tuple[Question, ...]:
        """What the players must answer for a rule because the camera cannot see it."""
        return _questions(self.actions[action].facts)

    def _starter(self, action: str, given: Mapping[str, Any]) -> Callable[[], Procedure[Verdict]]:
        """A function that starts a rule's procedure each time it is called; the facts are checked only once."""
        rule = self._action(action)
        facts: Any = self._reader.read(rule.facts, given, f"the question {action!r}")
        answer = rule.resolve(self.rules, facts)
        if isinstance(answer, Verdict):
            return lambda: _without_dice(answer)
        if callable(answer):
            return answer
        return lambda: cast(Procedure[Verdict], rule.resolve(self.rules, facts))

    def taken_by(self, action: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Those of the given facts that a rule takes."""
        fields = hints(self._action(action).facts)
        return {fact: value for fact, value in given.items() if field_name(fact) in fields}

    def concerns(self, action: str, fact: str) -> bool | None:
        """Whether a rule takes a fact; None if no rule of this game does.

        One description of a position can serve many rules: facts that only other rules take are left out.
        """
        name = field_name(fact)
        if name in hints(self._action(action).facts):
            return True
        return False if any(name in hints(other.facts) for other in self.actions.values()) else None

    def _action(self, name: str) -> Rule[T]:
        if name not in self.actions:
            names = ", ".join(self.actions)
            raise RuleRefusal("unknown_action", f"{self.title} has no action {name!r}: choose one of {names}")
        return self.actions[name]

    @cached_property
    def _reader(self) -> Reader:
        return Reader({key: list(value) for key, value in self.rules.plain.items() if isinstance(value, dict)})


@cache
def _questions(facts: Any) -> tuple[Question, ...]:
    return tuple(
        Question(
            field.name,
            note.question,
            None if field.default is MISSING else field.default,
            tuple(value for _, value in note.choices) or answers_to(hints(facts)[field.name]),
            typed_as(hints(facts)[field.name]),
            tuple(name for name, _ in note.choices),
            any(isinstance(other, Sourced) for other in notes_of(facts, field.name)),
        )
        for field in dataclasses.fields(facts)
        for note in notes_of(facts, field.name)
        if isinstance(note, Asked)
    )


def _without_dice(answer: Verdict) -> Generator[DiceRequest, Any, Verdict]:
    """A procedure that returns the verdict without requesting dice."""
    yield from ()
    return answer
