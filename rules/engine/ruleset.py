"""A game's data: one TOML file with every table of its rulebook, with the rule's id beside each row.

House rules are a file that inherits another one and overrides parts of it. Loading checks every key, type and reference
and returns frozen, typed values.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar

from rules.engine.schema import Reader, Record, hints
from rules.engine.verdict import Reason, RuleRefusal, Verdict, forbidden
from rules.tabletop.errors import UserError, refuse_unusable_values, user_error
from rules.tabletop.regular_file import open_regular
from rules.tabletop.translation import tr

HOME = Path(__file__).parents[1] / "games"
"""The folder of the included games."""

_folders = [HOME]
"""The folders of all games, the included ones first."""

_MOST_INHERITED = 20
"""Limit of inherited files in a row; more must be a circle through links."""

_MOST_BYTES = 2_000_000
"""Limit for one file; the longest game has a twentieth of it."""

Value = str | float | bool
T = TypeVar("T")


class Option(Record):
    """A question that the rulebook leaves open, answered before a battle.

    Attributes:
        rule: Id of the open question, such as "AM-A30".
        title: The question, for the player.
        values: The allowed answers, all of one type.
        default: The answer that this program uses as its own house rule.
        changes: Changes to the tables for each value's text ("true", "3", "worst"); the game's code handles values
            without an entry.
    """

    rule: str
    title: str
    values: tuple[Any, ...]
    default: Any
    changes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def change(self, value: Value) -> Mapping[str, Any]:
        """The changes to the game's tables if this value is chosen."""
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return self.changes.get(text, {})


class Cited(Record):
    """A row that cites the rule it follows."""

    rule: str


class Named(Cited):
    """The rule of an action, and further names that players give the action."""

    also: tuple[str, ...] = ()


class Header(Record):
    """The beginning of a game's file.

    Attributes:
        name, title, credit: Short name, name for the players, and author and source.
        prefix: Prefix of its rule ids, such as "AM".
        rules: Every rule of the rulebook by its id, in a sentence of our own.
        beyond: Rules that a program cannot enforce, and why.
        options: Every option by its short name.
        most_sides: How many sides can play; None for any number.
        unavailable: By action, the rule to cite if a figure has no such action at the moment, and its further names.
    """

    name: str
    title: str
    credit: str
    prefix: str
    rules: Mapping[str, str]
    beyond: Mapping[str, str]
    options: Mapping[str, Option]
    most_sides: int | None = None
    unavailable: Mapping[str, Named] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ruleset(Generic[T]):
    """A game's data with the players' choices.

    Attributes:
        header: Name, credit, the text of the rules, the options.
        tables: The game's own tables, in a dataclass that the game declares.
        written: The file merged with the files that it inherits, as plain values.
        plain: `written` with the changes of the options in force.
        chosen: Options that differ from their defaults.
        labels: Names of the house rules in force, outermost first.
    """

    header: Header
    tables: T
    written: Mapping[str, Any]
    plain: Mapping[str, Any]
    chosen: Mapping[str, Value]
    labels: tuple[str, ...] = ()

    def because(self, rule: str, text: str | None = None, modifier: float | None = None) -> Reason:
        """A reason that cites a rule; its text is the rule's unless another one is given."""
        return Reason(rule, text if text is not None else self.header.rules[rule], modifier)

    def option(self, name: str) -> Any:
        """The current value of an option."""
        return self.chosen.get(name, self.header.options[name].default)

    def chooses(self, name: str, value: Value) -> bool:
        """Whether an option has this value; a value that the option lacks is a programming error (KeyError)."""
        if value not in self.header.options[name].values:
            raise KeyError(f"option {name!r} has no value {value!r}")
        return bool(self.option(name) == value)

    def choosing(self, /, **chosen: Value) -> Ruleset[T]:
        """The same game with other options.

        Raises:
            RuleRefusal: "unknown_option" or "bad_option".
        """
        if not chosen:
            return self
        return _build(self.written, type(self.tables), self.labels, {**self.chosen, **chosen})


class Limit(Cited):
    """A single number of a rulebook: a row of a game's table `limits`."""

    value: float


class _Limited(Protocol):
    @property
    def limits(self) -> Mapping[str, Limit]: ...


L = TypeVar("L", bound=_Limited)


def limit(rules: Ruleset[L], name: str) -> float:
    """The number in a row of the game's table `limits`.

    Raises:
        RuleRefusal: "missing_row".
    """
    if name not in rules.tables.limits:
        raise RuleRefusal("missing_row", f"the table limits of {rules.header.title} lacks the row {name!r}: add it")
    return rules.tables.limits[name].value


Bar = tuple[bool, str, str] | tuple[bool, str, str, str]
"""Whether it forbids an action, its code, its rule and, where the rule has several cases, the words for this one."""


def refused(rules: Ruleset[Any], *bars: Bar, **numbers: Any) -> Verdict | None:
    """The refusal by the first bar that holds; None if none does."""
    return first_refusal(rules, bars, **numbers)


def first_refusal(rules: Ruleset[Any], bars: Iterable[Bar], **numbers: Any) -> Verdict | None:
    """As `refused`; a generator of bars is read only to the first that holds."""
    found = next((bar for bar in bars if bar[0]), None)
    return None if found is None else forbidden(found[1], rules.because(*found[2:]), **numbers)


def add_folder(folder: Path) -> None:
    """Also look for games in this folder; see `rules.games.add_games`."""
    _folders.append(folder)


def load(name: str | Path, tables: type[T]) -> Ruleset[T]:
    """Load a game by its name, or a file of house rules by its path.

    Args:
        name: Name of a game, or path of a TOML file, which may have `inherits = "a game or a path"`.
        tables: Dataclass of the game's tables; its fields are the tables' names.

    Raises:
        UserError: if the file is invalid; the message names the file, the table and the key.
    """
    path = name if isinstance(name, Path) else _game_file(name)
    document, labels = _inherited(path, ())
    if not labels and "name" not in document:
        raise user_error(
            '{name} names no game: begin it with inherits = "{game}" or another game', name=path.name, game=_games()[0]
        )
    try:
        return _build(document, tables, labels, document.pop("chosen", {}))
    except RuleRefusal as refusal:
        raise user_error("{name}: {reason}", name=path.name, reason=refusal) from refusal


def rules_text(path: Path) -> str:
    """The text of a ruleset file.

    Raises:
        UserError: if it cannot be read, is a pipe or a device, is not UTF-8 text or is too long.
    """
    try:
        with open_regular(path, tr("the ruleset {path}", path=path)) as file:
            data = file.read(_MOST_BYTES + 1)
        text = data.decode() if len(data) <= _MOST_BYTES else None
    except UserError:
        raise
    except (OSError, ValueError) as fault:  # ValueError: not UTF-8, or an impossible file name
        raise user_error("the ruleset {path} cannot be read: {reason}", path=path, reason=fault) from fault
    if text is None:
        raise user_error(
            "{name} is larger than {megabytes} MB: choose a file of house rules",
            name=path.name,
            megabytes=_MOST_BYTES // 1_000_000,
        )
    return text


def check_needs_no_file(text: str, name: str) -> None:
    """Refuse house rules that inherit a file, because a battle carries its rules and must not read other files.

    Args:
        text: Text of the house rules.
        name: Name of their file, for messages.

    Raises:
        UserError: if they inherit anything but a game by its name, or are not TOML.
    """
    parent = _parsed(text, name).get("inherits")
    if parent is not None and parent not in _games():
        raise user_error(
            "{name} inherits {parent!r}, but the house rules of a battle must inherit one of"
            " {games}: copy the rules from that file into them",
            name=name,
            parent=parent,
            games=", ".join(_games()),
        )


def _games() -> list[str]:
    return sorted(path.stem for folder in _folders for path in folder.glob("*.toml"))


def _game_file(name: str) -> Path:
    """The file of a game: in the first folder that has one."""
    files = [folder / f"{name}.toml" for folder in _folders]
    return next((file for file in files if file.exists()), files[0])


def title_in_file(name: str) -> str | None:
    """The title of a game, from the lines above the first table of its file; None if it is not there.

    The rest of the file, which takes a hundred times as long to read, is not checked.
    """
    head = re.split(r"^\[", rules_text(_game_file(name)), maxsplit=1, flags=re.MULTILINE)[0]
    title = _parsed(head, name).get("title")
    return title if isinstance(title, str) else None


def _inherited(path: Path, heirs: tuple[Path, ...]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The file merged with the files that it inherits, and the titles of all house rules among them."""
    if len(heirs) > _MOST_INHERITED or path in heirs:
        raise user_error(
            "{name} inherits itself: let one of {files} inherit a game",
            name=path.name,
            files=", ".join(p.name for p in heirs),
        )
    document = _parsed(rules_text(path), path.name)
    parent = document.pop("inherits", None)
    if parent is None:
        return document, ()
    if not isinstance(parent, str):
        raise user_error(
            "{name}: inherits must be the name of a game or of a file, not {parent!r}", name=path.name, parent=parent
        )
    inherited, labels = _inherited(_parent_path(path, parent), (*heirs, path))
    label = document.pop("house_rules", path.stem)
    return _merged(inherited, document), (str(label), *labels)


def _parent_path(path: Path, parent: str) -> Path:
    if parent.endswith(".toml"):
        return path.parent / parent
    if parent not in _games():
        raise user_error(
            "{name} inherits {parent!r}, which is not a game: choose one of {games}",
            name=path.name,
            parent=parent,
            games=", ".join(_games()),
        )
    return _game_file(parent)


def _parsed(text: str, name: str) -> dict[str, Any]:
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as fault:
        raise user_error("{name} is not TOML: {reason}", name=name, reason=fault) from fault
    except ValueError as fault:  # a number with too many digits
        raise user_error("the ruleset {name} cannot be read: {reason}", name=name, reason=fault) from fault
    refuse_unusable_values(document, name)
    return document


def _merged(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Two documents merged: tables key by key; any other value replaces the one in `base`."""
    merged = dict(base)
    for key, value in changes.items():
        old = merged.get(key)
        merged[key] = _merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def _build(written: Mapping[str, Any], tables: type[T], labels: tuple[str, ...], chosen: Any) -> Ruleset[T]:
    """The checked ruleset with the chosen options applied to its tables."""
    header = _reader(written).read(Header, {k: v for k, v in written.items() if k in hints(Header)}, "")
    any_tables: Any = tables
    for name, option in header.options.items():
        _check_option(name, option, hints(any_tables))
    chosen = _chosen(header, chosen)
    plain = dict(written)
    for name, option in header.options.items():
        plain = _merged(plain, option.change(chosen.get(name, option.default)))
    for place, rule in rule_ids(plain):
        _check_rule(header, place, rule)
    values = _reader(plain).read(tables, {k: v for k, v in plain.items() if k not in hints(Header)}, "")
    return Ruleset(header, values, MappingProxyType(dict(written)), MappingProxyType(plain), chosen, labels)


def _reader(document: Mapping[str, Any]) -> Reader:
    return Reader({key: list(value) for key, value in document.items() if isinstance(value, dict)})


def row_title(name: str) -> str:
    """A row's name for the player: "bazooka_team" becomes "the bazooka team"."""
    return "the " + name.replace("_", " ")


def rule_ids(document: Mapping[str, Any], place: str = "") -> Iterator[tuple[str, str]]:
    """Every row that cites a rule: (place of the row, rule id), in the order of the file."""
    for key, value in document.items():
        here = f"{place}.{key}" if place else key
        if isinstance(value, dict):
            yield from rule_ids(value, here)
        elif key == "rule" and isinstance(value, str):
            yield place, value


def _check_rule(header: Header, place: str, rule: str) -> None:
    ambiguity = re.fullmatch(rf"{re.escape(header.prefix)}-A\d\d", rule)
    if rule not in header.rules and not ambiguity:
        raise RuleRefusal("unknown_rule", f"{place} cites the rule {rule!r}, which [rules] does not have: add it there")


def _check_option(name: str, option: Option, tables: Mapping[str, Any]) -> None:
    unknown = set(option.changes) - {
        str(value).lower() if isinstance(value, bool) else str(value) for value in option.values
    }
    if unknown:
        where = f"options.{name}.changes.{min(unknown)}"
        raise RuleRefusal("bad_option", f"{where} is for a value that the option does not have: correct or remove it")
    for value, changes in option.changes.items():
        if missing := set(changes) - set(tables):
            where = f"options.{name}.changes.{value}.{min(missing)}"
            raise RuleRefusal("bad_option", f"{where} changes a table that the game does not have: correct its name")
    types = {type(value) for value in option.values}
    if option.default not in option.values or not (types <= {int, float} or len(types) == 1):
        needed = f"values of one type, among them the default {option.default!r}"
        raise RuleRefusal("bad_option", f"options.{name} needs {needed}, not {list(option.values)}")


def _chosen(header: Header, chosen: Any) -> Mapping[str, Value]:
    if not isinstance(chosen, Mapping):
        raise RuleRefusal("wrong_type", f"chosen must be a table of options and their values, not {chosen!r}")
    for name, value in chosen.items():
        if name not in header.options:
            names = ", ".join(header.options)
            raise RuleRefusal("unknown_option", f"{header.title} has no option {name!r}: choose one of {names}")
        allowed = header.options[name].values
        if not any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in allowed):
            raise RuleRefusal("bad_option", f"the option {name} must be one of {list(allowed)}, not {value!r}")
    return MappingProxyType(dict(chosen))
