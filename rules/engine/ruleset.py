"""A game's data: one TOML file with every table of its rulebook, the rule's id beside each row.

A file may inherit another and override any part of it: house rules. Loading checks every key, type and reference;
what comes out are frozen, typed values.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar

from rules.engine.schema import Reader, hints
from rules.engine.verdict import Reason, RuleRefusal
from rules.tabletop.errors import UserError, refuse_strange
from rules.tabletop.regular_file import open_regular

HOME = Path(__file__).parents[1] / "games"
"""Where the games' own files lie."""

_MOST_HEIRS = 20
"""Nobody's house rules go back further, unless round in a circle by ways of many names."""

_MOST_BYTES = 2_000_000
"""Of one file; the longest game has a twentieth of it."""

Value = str | float | bool
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Option:
    """A question that the rulebook leaves open, answered before a battle.

    Attributes:
        rule: Id of the ambiguity, as "AM-A30".
        title: The question, for the player.
        values: The answers allowed, all of one type.
        default: Our answer, which is a house rule of this program.
        changes: What a value changes in the tables, by the value's text ("true", "3", "worst"); a value that is not
            here is asked for by name in the game's code.
    """

    rule: str
    title: str
    values: tuple[Any, ...]
    default: Any
    changes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def change(self, value: Value) -> Mapping[str, Any]:
        """What lies over the game's tables when this value is chosen."""
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return self.changes.get(text, {})


@dataclass(frozen=True, slots=True)
class Header:
    """What a game's file begins with.

    Attributes:
        name, title, credit: Short name, name on the screen, and whom the game is owed to.
        prefix: What its rule ids begin with, as "AM".
        rules: Every rule of the checklist by its id, in a sentence of our own.
        beyond: Rules that no program can enforce, and why.
        options: Every open question by its short name.
    """

    name: str
    title: str
    credit: str
    prefix: str
    rules: Mapping[str, str]
    beyond: Mapping[str, str]
    options: Mapping[str, Option]


@dataclass(frozen=True, slots=True)
class Ruleset(Generic[T]):
    """A game's data with the players' choices.

    Attributes:
        header: Name, credit, the rules in words, the options.
        tables: The game's own tables, a dataclass that the game declares.
        written: The file, merged with what it inherits, as plain values.
        plain: The same with the changes of the options that are in force.
        chosen: What the players chose instead of a default.
        labels: Names of the house rules that are in force, outermost first.
    """

    header: Header
    tables: T
    written: Mapping[str, Any]
    plain: Mapping[str, Any]
    chosen: Mapping[str, Value]
    labels: tuple[str, ...] = ()

    def because(self, rule: str, text: str | None = None, modifier: float | None = None) -> Reason:
        """A reason by its rule, in the rulebook's words unless better ones are at hand."""
        return Reason(rule, text if text is not None else self.header.rules[rule], modifier)

    def option(self, name: str) -> Any:
        """The value in force of an option."""
        return self.chosen.get(name, self.header.options[name].default)

    def chooses(self, name: str, value: Value) -> bool:
        """Whether an option stands at this value; a value that it cannot have is a slip in the program."""
        if value not in self.header.options[name].values:
            raise KeyError(f"option {name!r} has no value {value!r}")
        return bool(self.option(name) == value)

    def choosing(self, /, **chosen: Value) -> Ruleset[T]:
        """The same game under other options.

        Raises:
            RuleRefusal: "unknown_option" or "bad_option".
        """
        return _made(self.written, type(self.tables), self.labels, {**self.chosen, **chosen})


@dataclass(frozen=True, slots=True)
class Limit:
    """A single number of a rulebook, as a row of a game's table `limits`."""

    rule: str
    value: float


class _Limited(Protocol):
    @property
    def limits(self) -> Mapping[str, Limit]: ...


L = TypeVar("L", bound=_Limited)


def limit(rules: Ruleset[L], name: str) -> float:
    """A single number of the rulebook."""
    return rules.tables.limits[name].value


def load(name: str | Path, tables: type[T]) -> Ruleset[T]:
    """Read a game by its name, or a house-rules file by its path.

    Args:
        name: Name of a game that ships, or path of a TOML file, which may say `inherits = "a game or a path"`.
        tables: Dataclass of the game's tables; its fields are the tables' names.

    Raises:
        UserError: in one sentence the file, the table, the key and the way out.
    """
    path = name if isinstance(name, Path) else HOME / f"{name}.toml"
    document, labels = _inherited(path, ())
    try:
        return _made(document, tables, labels, document.pop("chosen", {}))
    except RuleRefusal as refusal:
        raise UserError(f"{path.name}: {refusal}") from refusal


def rules_text(path: Path) -> str:
    """The text of a ruleset file.

    Raises:
        UserError: if it cannot be read, is a pipe or a device, is no text or far too long.
    """
    try:
        with open_regular(path, f"the ruleset {path}") as file:
            data = file.read(_MOST_BYTES + 1)
        text = data.decode() if len(data) <= _MOST_BYTES else None
    except UserError:
        raise
    except (OSError, ValueError) as fault:  # the latter: no UTF-8, or a name that no file can have
        raise UserError(f"the ruleset {path} cannot be read: {fault}") from fault
    if text is None:
        raise UserError(f"{path.name} has more than {_MOST_BYTES // 1_000_000} MB: choose a file of house rules")
    return text


def check_needs_no_file(text: str, name: str) -> None:
    """Refuse house rules that inherit a file: a battle carries its rules with it, and a stranger's must lead nowhere.

    Args:
        text: Of the file of house rules.
        name: Of that file, for messages.

    Raises:
        UserError: if they inherit anything but a game that ships, or are not TOML.
    """
    parent = _parsed(text, name).get("inherits")
    if parent is not None and parent not in _shipped():
        raise UserError(
            f"{name} inherits {parent!r}, and the house rules of a battle inherit one of {', '.join(_shipped())}:"
            " copy what they need from that file into them"
        )


def _shipped() -> list[str]:
    return sorted(path.stem for path in HOME.glob("*.toml"))


def _inherited(path: Path, heirs: tuple[Path, ...]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The file laid over what it inherits, and the titles of the house rules on the way."""
    if len(heirs) > _MOST_HEIRS or path in heirs:
        raise UserError(f"{path.name} inherits itself: let one of {', '.join(p.name for p in heirs)} inherit a game")
    document = _parsed(rules_text(path), path.name)
    parent = document.pop("inherits", None)
    if parent is None:
        return document, ()
    if not isinstance(parent, str):
        raise UserError(f"{path.name}: inherits must be the name of a game or of a file, not {parent!r}")
    under, labels = _inherited(_parent_path(path, parent), (*heirs, path))
    label = document.pop("house_rules", path.stem)
    return _overlaid(under, document), (str(label), *labels)


def _parent_path(path: Path, parent: str) -> Path:
    if parent.endswith(".toml"):
        return path.parent / parent
    if parent not in _shipped():
        raise UserError(f"{path.name} inherits {parent!r}, which is no game: choose one of {', '.join(_shipped())}")
    return HOME / f"{parent}.toml"


def _parsed(text: str, name: str) -> dict[str, Any]:
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as fault:
        raise UserError(f"{name} is not TOML: {fault}") from fault
    except ValueError as fault:  # a number of too many digits
        raise UserError(f"the ruleset {name} cannot be read: {fault}") from fault
    refuse_strange(document, name)
    return document


def _overlaid(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Tables are merged key by key; any other value replaces the one beneath it."""
    merged = dict(under)
    for key, value in over.items():
        beneath = merged.get(key)
        merged[key] = _overlaid(beneath, value) if isinstance(beneath, dict) and isinstance(value, dict) else value
    return merged


def _made(written: Mapping[str, Any], tables: type[T], labels: tuple[str, ...], chosen: Any) -> Ruleset[T]:
    """The checked ruleset with the tables as the chosen options leave them."""
    header = _reader(written).read(Header, {k: v for k, v in written.items() if k in hints(Header)}, "")
    for name, option in header.options.items():
        _check_option(name, option)
    chosen = _chosen(header, chosen)
    plain = dict(written)
    for name, option in header.options.items():
        plain = _overlaid(plain, option.change(chosen.get(name, option.default)))
    for place, rule in rule_ids(plain):
        _check_rule(header, place, rule)
    values = _reader(plain).read(tables, {k: v for k, v in plain.items() if k not in hints(Header)}, "")
    return Ruleset(header, values, MappingProxyType(dict(written)), MappingProxyType(plain), chosen, labels)


def _reader(document: Mapping[str, Any]) -> Reader:
    return Reader({key: list(value) for key, value in document.items() if isinstance(value, dict)})


def row_words(name: str) -> str:
    """A row's name as a player says it: "bazooka_team" is the bazooka team."""
    return "the " + name.replace("_", " ")


def rule_ids(document: Mapping[str, Any], place: str = "") -> Iterator[tuple[str, str]]:
    """Every row that names a rule: (place of the row, id), in the order of the file."""
    for key, value in document.items():
        here = f"{place}.{key}" if place else key
        if isinstance(value, dict):
            yield from rule_ids(value, here)
        elif key == "rule" and isinstance(value, str):
            yield place, value


def _check_rule(header: Header, place: str, rule: str) -> None:
    ambiguity = re.fullmatch(rf"{re.escape(header.prefix)}-A\d\d", rule)
    if rule not in header.rules and not ambiguity:
        raise RuleRefusal("unknown_rule", f"{place} names the rule {rule!r}, which [rules] does not have: add it there")


def _check_option(name: str, option: Option) -> None:
    stray = set(option.changes) - {
        str(value).lower() if isinstance(value, bool) else str(value) for value in option.values
    }
    if stray:
        raise RuleRefusal("bad_option", f"options.{name}.changes.{min(stray)} is for a value that the option lacks")
    kinds = {type(value) for value in option.values}
    if option.default not in option.values or not (kinds <= {int, float} or len(kinds) == 1):
        fix = f"values of one type with the default {option.default!r} among them"
        raise RuleRefusal("bad_option", f"options.{name} needs {fix}, not {list(option.values)}")


def _chosen(header: Header, chosen: Any) -> Mapping[str, Value]:
    if not isinstance(chosen, Mapping):
        raise RuleRefusal("wrong_type", f"chosen must be a table of options and their values, not {chosen!r}")
    for name, value in chosen.items():
        if name not in header.options:
            raise RuleRefusal("unknown_option", f"{header.title} has no option {name!r}: {', '.join(header.options)}")
        allowed = header.options[name].values
        if not any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in allowed):
            raise RuleRefusal("bad_option", f"the option {name} must be one of {list(allowed)}, not {value!r}")
    return MappingProxyType(dict(chosen))
