"""Conversion of plain values from TOML or JSON into typed dataclasses, with error messages for the user.

One reader serves the rows of a ruleset and the facts of a question. A field's type may be str, int, float, bool, a
StrEnum, a dataclass, `tuple[X, ...]`, `Mapping[K, X]` or `X | None`; `Annotated` adds further constraints.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Collection, Mapping
from dataclasses import MISSING, dataclass, field
from difflib import get_close_matches
from enum import Enum
from functools import cache, cached_property
from keyword import iskeyword
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, dataclass_transform, get_args, get_origin, get_type_hints

from rules.engine.verdict import RuleRefusal

T = TypeVar("T")


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Record:
    """An immutable value, such as a row of a table or the facts of a rule.

    Every subclass is a frozen dataclass that takes its values by name.
    """

    def __init_subclass__(cls) -> None:
        if "__dataclass_fields__" in cls.__dict__:  # a class with slots is created twice; its decorator made the fields
            return
        for name in inspect.get_annotations(cls):
            if name not in cls.__dict__:
                setattr(cls, name, field())  # required, even if it has a default in the class above
        dataclass(frozen=True, kw_only=True)(cls)


@dataclass(frozen=True, slots=True)
class Within:
    """Constraint: a number must be between `low` and `high`, inclusive; `code` is the code of the error."""

    low: float = -math.inf
    high: float = math.inf
    code: str = "bad_number"


@dataclass(frozen=True, slots=True)
class Row:
    """Constraint: a string must be the name of a row of this table; `code` is the code of the error."""

    table: str
    code: str = "unknown_row"


@dataclass(frozen=True, slots=True)
class Asked:
    """The question to the players if the camera cannot supply the fact; its default holds until they answer.

    Attributes:
        question: The question.
        choices: The answers with their names, where names say more than the fact's values.
    """

    question: str
    choices: tuple[tuple[str, Any], ...] = ()


class Sourced:
    """An annotation that says where the table or the battle answers a fact: a `rules.engine.facts.Source`."""


_EXACT = (str, int, bool)
"""Types whose values need no conversion and no check."""
_NUMBERS: Mapping[Any, tuple[type, ...]] = {float: (float, int), int: (int,)}

Inches = Annotated[float, Within(low=0, code="negative_range")]
Part = Annotated[float, Within(low=0, high=1, code="bad_fraction")]
Count = Annotated[int, Within(low=0, code="negative_count")]


@cache
def hints(cls: Any) -> Mapping[str, Any]:
    """Types of a dataclass's fields, with their annotations."""
    return get_type_hints(cls, include_extras=True)


def notes_of(cls: Any, field: str) -> tuple[Any, ...]:
    """The annotations of a dataclass's field."""
    hint = hints(cls)[field]
    return get_args(hint)[1:] if get_origin(hint) is Annotated else ()


@dataclass(frozen=True)
class _Type:
    """A parsed type, cached because a ruleset or a journal has thousands of values.

    Attributes:
        whole: The type.
        origin: Its `typing.get_origin`.
        parts: Its type arguments, without None and the ellipsis of a tuple.
        notes: The constraints of an `Annotated` type; one without constraints is parsed as the type that it annotates.
    """

    whole: Any
    origin: Any
    parts: tuple[_Type, ...]
    notes: tuple[Within | Row, ...]

    @cached_property
    def as_is(self) -> frozenset[Any]:
        """The types of values that need no conversion and no check."""
        return self._inner.as_is | {NoneType} if self._inner is not self else frozenset({self.whole} & {*_EXACT})

    @cached_property
    def numbers(self) -> tuple[type, ...]:
        """The types of numbers that need no conversion, only a comparison with `low` and `high`."""
        of = self._inner.parts[0] if self._inner.origin is Annotated else self._inner
        return _NUMBERS.get(of.whole, ()) if isinstance(of.whole, type) else ()

    @cached_property
    def low(self) -> float:
        """The least number."""
        return max((note.low for note in self._inner.notes if isinstance(note, Within)), default=-math.inf)

    @cached_property
    def high(self) -> float:
        """The greatest number."""
        return min((note.high for note in self._inner.notes if isinstance(note, Within)), default=math.inf)

    @property
    def _inner(self) -> _Type:
        return self.parts[0] if self.origin in (UnionType, Union) else self


def _parsed(kind: Any) -> _Type:
    origin, args = get_origin(kind), get_args(kind)
    notes: tuple[Within | Row, ...] = ()
    if origin is Annotated:
        args, notes = args[:1], tuple(note for note in args[1:] if isinstance(note, (Within, Row)))
        if not notes:
            return _parsed(args[0])
    return _Type(kind, origin, tuple(_parsed(one) for one in args if one not in (NoneType, ...)), notes)


@cache
def _fields(cls: Any) -> Mapping[str, _Type]:
    """The parsed types of a dataclass's fields, by name."""
    return {field.name: _parsed(hints(cls)[field.name]) for field in dataclasses.fields(cls)}


@cache
def _required(cls: Any) -> tuple[str, ...]:
    """The names of a dataclass's fields that have no default."""
    return tuple(one.name for one in dataclasses.fields(cls) if one.default is one.default_factory is MISSING)


@cache
def field_name(key: str) -> str:
    """The name of the field for a key; a Python keyword such as `class` or `from` gets a trailing underscore."""
    return f"{key}_" if iskeyword(key) else key


@dataclass(frozen=True, slots=True)
class Reader:
    """Converts plain values into dataclasses.

    Attributes:
        rows: Names of the rows of each table, for fields that refer to a row.
    """

    rows: Mapping[str, Collection[str]]

    def read(self, cls: type[T], given: Mapping[str, Any], place: str) -> T:
        """The dataclass `cls` with the values of `given`; see `field_name` for keys that are Python keywords.

        Raises:
            RuleRefusal: "unknown_key", "missing_key", "wrong_type" or the code of a field's annotation; the message
                names the `place`, what was found and what was expected.
        """
        any_class: Any = cls
        fields = _fields(any_class)
        where = place or "the file"
        values = {}
        for key, found in given.items():
            name = key if key in fields else field_name(key)
            kind = fields.get(name)
            if kind is None:
                raise RuleRefusal("unknown_key", f"{where} has the unknown key {name!r}{_suggestion(name, fields)}")
            plain = type(found) in kind.as_is or (
                type(found) in kind.numbers and kind.low <= found <= kind.high and -math.inf < found < math.inf
            )
            values[name] = found if plain else self._value(kind, found, f"{place}: {name}" if place else name)
        for name in _required(any_class):
            if name not in values:
                wanted = _type_words(fields[name].whole)
                raise RuleRefusal("missing_key", f"{where} lacks the key {name!r}: give it {wanted}")
        return cls(**values)

    def value(self, kind: Any, found: Any, place: str) -> Any:
        """One value converted to the type `kind`; raises as `read`."""
        return self._value(_parsed(kind), found, place)

    def _value(self, kind: _Type, found: Any, place: str) -> Any:
        origin = kind.origin
        if origin is None:
            return self._plain(kind.whole, found, place)
        if origin is Annotated:
            value = self._value(kind.parts[0], found, place)
            for note in kind.notes:
                self._check(note, value, place)
            return value
        if origin in (UnionType, Union):
            return None if found is None else self._value(kind.parts[0], found, place)
        if origin is tuple and isinstance(found, (list, tuple)):
            return tuple(self._value(kind.parts[0], item, f"{place}[{i}]") for i, item in enumerate(found))
        if isinstance(found, Mapping) and issubclass(origin, Mapping):
            of_key, inner = kind.parts
            places = {key: f"{place}.{key}" for key in found}
            values = {self._value(of_key, key, at): self._value(inner, found[key], at) for key, at in places.items()}
            return MappingProxyType(values)
        return self._plain(kind.whole, found, place)

    def _plain(self, kind: Any, found: Any, place: str) -> Any:
        if kind is Any:
            return found
        if kind is float and type(found) in (int, float) and -math.inf < found < math.inf:
            return found
        if kind in _EXACT and type(found) is kind:
            return found
        if dataclasses.is_dataclass(kind) and isinstance(found, Mapping):
            return self.read(kind, found, place)  # type: ignore[arg-type]
        if isinstance(kind, type) and issubclass(kind, Enum) and isinstance(found, str):
            if found in {member.value for member in kind}:
                return kind(found)
            raise RuleRefusal("unknown_word", f"{place} must be {_type_words(kind)}, not {found!r}")
        raise RuleRefusal("wrong_type", f"{place} must be {_type_words(kind)}, not {found!r}")

    def _check(self, note: Within | Row, value: Any, place: str) -> None:
        if value is None:
            return
        if isinstance(note, Within) and not note.low <= value <= note.high:
            ends = [f"at least {note.low:g}"] * (note.low > -math.inf) + [f"at most {note.high:g}"] * (
                note.high < math.inf
            )
            raise RuleRefusal(note.code, f"{place} must be {' and '.join(ends)}, not {value:g}")
        if isinstance(note, Row) and value not in self.rows.get(note.table, ()):
            names = self.rows.get(note.table, ())
            hint = _suggestion(value, names) or f": choose one of {', '.join(names)}"
            raise RuleRefusal(note.code, f"{place} names {value!r}, which is not in the table {note.table}{hint}")


def answers_to(kind: Any) -> tuple[Any, ...]:
    """The possible values of a bool or enum type; empty for other types."""
    kind = _bare(kind)
    if kind is bool:
        return (True, False)
    return tuple(one.value for one in kind) if isinstance(kind, type) and issubclass(kind, Enum) else ()


def typed_as(kind: Any) -> type:
    """How a player's typed answer is converted for this type: `int`, `float`, `list` for several names, else `str`."""
    kind = _bare(kind)
    if get_origin(kind) is tuple:
        return list
    return kind if kind in (int, float) else str


def _suggestion(word: str, known: Collection[str]) -> str:
    close = get_close_matches(word, known, 1)
    return f": did you mean {close[0]!r}?" if close else ""


def _bare(kind: Any) -> Any:
    """The type without its annotations and without None."""
    while get_origin(kind) in (Annotated, UnionType, Union):
        kind = next(one for one in get_args(kind) if one is not NoneType)
    return kind


_TYPE_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def _type_words(kind: Any) -> str:
    """A type in words that a player understands."""
    kind = _bare(kind)
    if get_origin(kind) is tuple:
        return "a list"
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "one of " + ", ".join(str(member.value) for member in kind)
    return _TYPE_WORDS.get(kind, "a table of keys and values")
