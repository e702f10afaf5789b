"""Facts with sources: each field of a question names where its value comes from.

A source is an annotation of a field: the unit's card, a status, the phase, or a function that measures the table.
`bind` reads all of them. A field without a source keeps its default, and a source that returns `UNKNOWN` leaves the
fact to the players.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import cache
from types import MappingProxyType
from typing import Any, TypeVar

from rules.engine.action import Action, UncertainFact
from rules.engine.position import Position, View
from rules.engine.ruleset import Ruleset
from rules.engine.schema import Sourced, notes_of
from rules.engine.state import Unit
from rules.tabletop.path import Path
from rules.tabletop.table import TerrainPiece

NOTHING: Mapping[str, Any] = MappingProxyType({})

T = TypeVar("T")


class Unknown(Enum):
    """The type of `UNKNOWN`."""

    UNKNOWN = auto()


UNKNOWN = Unknown.UNKNOWN
"""The value of a source that cannot supply the fact; the players are asked."""


@dataclass(frozen=True, slots=True)
class Context:
    """The subject of a question.

    Attributes:
        position: The battle and the table now.
        men: The units that act; if one stands for all, it is the first.
        targets: The target units, in the order in which they are hit.
        paths: The paths of moving units.
        weapon: The weapon that is used.
        piece: The target terrain piece.
    """

    position: Position
    men: tuple[Unit, ...] = ()
    targets: tuple[Unit, ...] = ()
    paths: Mapping[str, Path] = field(default_factory=dict)
    weapon: str = ""
    piece: TerrainPiece | None = None

    @property
    def actor(self) -> Unit:
        """The acting unit, or the first of several."""
        return self.men[0]

    @property
    def target(self) -> Unit:
        """The first target."""
        return self.targets[0]

    @property
    def target_view(self) -> View:
        """The first target as the acting unit sees it."""
        return self.position.view(self.actor.id, self.target.id)

    @property
    def rules(self) -> Ruleset[Any]:
        """The rules of the battle."""
        return self.position.game.rules

    def between(self, man: Unit, target: Unit) -> Context:
        """The context with only this acting unit and this target."""
        return replace(self, men=(man,), targets=(target,))


@dataclass(frozen=True, slots=True)
class Source(Sourced):
    """An annotation of a field with the function that reads its value.

    The value may be `Bound` or `Uncertain`, or a list or mapping of them.
    """

    read: Callable[[Context], Any]


def on_card(key: str) -> Source:
    """A value of the acting unit's card."""
    return of_actor(lambda position, unit: position.kind(unit)[key])


def status(key: str, absent: Any = False) -> Source:
    """A status of the acting unit, of this turn or permanent."""
    return of_actor(lambda _, unit: {**unit.statuses, **unit.this_turn}.get(key, absent))


def done(*actions: str) -> Source:
    """How often the acting unit did any of these actions in this turn."""
    return of_actor(lambda _, unit: times_done(unit, *actions))


def of_actor(read: Callable[[Position, Unit], Any]) -> Source:
    """What a function says of the acting unit."""
    return Source(lambda context: read(context.position, context.actor))


def times_done(unit: Unit, *actions: str) -> int:
    """How often a unit did any of these actions in this turn."""
    return sum(unit.acts_this_turn.get(action, 0) for action in actions)


PHASE = Source(lambda context: context.position.state.phase)
"""The phase of the battle."""


@dataclass(frozen=True, slots=True)
class Uncertain:
    """A measured value with its standard deviation.

    Attributes:
        what: What was measured, for the player: "the range to Tan 4".
        low, high: The limits that it cannot exceed.
        either: For a value that is not a number: the value for each answer of the players.
    """

    value: float
    sigma: float
    what: str
    low: float = 0.0
    high: float = float("inf")
    either: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Bound:
    """Facts with their values, and the uncertain ones among them."""

    given: Mapping[str, Any]
    measured: tuple[UncertainFact, ...] = ()


def bind(facts: type, context: Context) -> Bound:
    """Read every field of `facts` that has a source."""
    found = {name: source.read(context) for name, source in _sources(facts)}
    known = {name: value for name, value in found.items() if value is not UNKNOWN}
    parts = [(name, *_taken_apart(value, (name,))) for name, value in known.items()]
    return Bound({name: value for name, value, _ in parts}, tuple(one for *_, errors in parts for one in errors))


@cache
def _sources(facts: Any) -> tuple[tuple[str, Source], ...]:
    annotated = ((one.name, note) for one in dataclasses.fields(facts) for note in notes_of(facts, one.name))
    return tuple((name, note) for name, note in annotated if isinstance(note, Source))


def _taken_apart(value: Any, where: tuple[str | int, ...]) -> tuple[Any, tuple[UncertainFact, ...]]:
    """A plain value, and its uncertain facts."""
    if isinstance(value, Uncertain):
        error = UncertainFact(where, value.sigma, value.what, value.low, value.high, value.either)
        return value.value, (error,) if value.sigma else ()
    if isinstance(value, Bound):
        return value.given, tuple(replace(one, fact=(*where, *one.fact)) for one in value.measured)
    if isinstance(value, Mapping):
        named = {key: _taken_apart(one, (*where, key)) for key, one in value.items() if one is not UNKNOWN}
        errors = tuple(one for _, found in named.values() for one in found)
        return {key: plain for key, (plain, _) in named.items()}, errors
    if isinstance(value, (list, tuple)):
        parts = [_taken_apart(one, (*where, number)) for number, one in enumerate(value)]
        return [plain for plain, _ in parts], tuple(one for _, errors in parts for one in errors)
    return value, ()


def action_for(title: str, action: str, context: Context, given: Mapping[str, Any] = NOTHING, **more: Any) -> Action:
    """An action in this context, with its facts bound.

    Args:
        title: Its name for the player.
        action: Its name in the game.
        context: What it is asked about.
        given: Values, such as a source may answer, that take precedence over the sources.
        more: Other fields of the action.
    """
    bound = bind(context.position.game.actions[action].facts, context)
    known, measured = _taken_apart(given, ())
    by, at = (tuple(one.id for one in units) for units in (context.men, context.targets))
    fields = {"weapon": context.weapon, "piece": context.piece.name if context.piece else "", "paths": context.paths}
    errors = (*measured, *bound.measured)
    return Action(title, action, {**bound.given, **known}, by, at, **{**fields, "measured": errors, **more})


def facts_from(facts: type[T], given: Any, **more: Any) -> T:
    """The facts of one rule taken from those of another, as far as both have them under one name; `more` are added."""
    names = {one.name for one in dataclasses.fields(facts)} - more.keys()  # type: ignore[arg-type]
    return facts(**{name: getattr(given, name) for name in names if hasattr(given, name)}, **more)
