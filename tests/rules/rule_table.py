"""Where each rule of a game lives and what shows that it is kept: the tables in docs/rules, made from data and code.

`python -m tests.rules.rule_table army_men` writes the table of a game anew.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from rules.games import open_game
from rules.ruleset import rule_ids

ROOT = Path(__file__).parents[2]
Places = Mapping[str, list[str]]


def written(game: str) -> str:
    """The table of a game as Markdown."""
    header = open_game(game).rules.header
    homes, shown = lives(game), tests(game)
    lines = [
        f"# {header.title}: every rule, where it lives and what shows it",
        "",
        f"{header.credit}",
        "",
        f"Made by `python -m tests.rules.rule_table {game}` from the game's data, its code and its tests.",
        "",
        "| rule | in a sentence | lives in | shown by |",
        "|---|---|---|---|",
    ]
    for rule, text in header.rules.items():
        home = "; ".join(homes.get(rule, []))
        proof = "; ".join(shown.get(rule, []))
        if rule in header.beyond:
            home = home or "not the program's to enforce: " + header.beyond[rule]
        lines.append(f"| {rule} | {text} | {home} | {proof} |")
    lines += [
        "",
        "## What the rulebook leaves open",
        "",
        "| rule | option | values, the default first |",
        "|---|---|---|",
    ]
    for name, option in sorted(header.options.items(), key=lambda named: named[1].rule):
        values = [option.default, *(value for value in option.values if value != option.default)]
        proof = "; ".join(shown.get(option.rule, []))
        lines.append(f"| {option.rule} | {option.title} (`{name}`) | {', '.join(map(_told, values))} | {proof} |")
    return "\n".join(lines) + "\n"


def _told(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def lives(game: str) -> Places:
    """Rows of the data and functions of the code that name each rule."""
    rules = open_game(game).rules
    found: dict[str, list[str]] = defaultdict(list)
    for place, rule in rule_ids(rules.written):
        found[rule].append(f"`[{place}]`")
    for path in sorted((ROOT / "rules" / "games" / game).glob("*.py")):
        for name, source in _parts(path):
            for rule in _named(rules.header.prefix, source):
                found[rule].append(f"`{path.stem}.{name}`")
    return found


def tests(game: str) -> Places:
    """Worked examples (tests/data) and test functions that name each rule."""
    prefix = open_game(game).rules.header.prefix
    found: dict[str, list[str]] = defaultdict(list)
    examples: dict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "tests" / "data").glob(f"{game}*.json")):
        for example in json.loads(path.read_text(encoding="utf-8")):
            examples[example["rule"]].append(example["id"])
    for rule, names in examples.items():
        found[rule].append(", ".join(names))
    for path in sorted((ROOT / "tests" / "rules" / "games").glob(f"test_{game}*.py")):
        for name, source in _parts(path):
            for rule in _named(prefix, source):
                found[rule].append(f"`{name}`")
    return found


def _parts(path: Path) -> Iterator[tuple[str, str]]:
    """Functions, classes and named values of a source file with their text."""
    text, name = path.read_text(encoding="utf-8"), ""
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            name = node.name
        elif isinstance(node, ast.Assign):
            name = ast.unparse(node.targets[0])
        elif isinstance(node, ast.AnnAssign):
            name = ast.unparse(node.target)
        elif not (isinstance(node, ast.Expr) and name):
            continue  # imports and the module's docstring
        yield name, "\n".join(lines[node.lineno - 1 : node.end_lineno])


def _named(prefix: str, source: str) -> list[str]:
    """Rules named in a text, as "AM-39" or in the name of a test, as am_39."""
    small = prefix.lower()
    found = re.findall(rf"\b{prefix}-(\d+)\b|(?<![a-z0-9]){small}_(\d+)(?![a-z0-9])", source)
    return list(dict.fromkeys(f"{prefix}-{upper or lower}" for upper, lower in found))


def file_of(game: str) -> Path:
    """Where the table of a game is kept."""
    return ROOT / "docs" / "rules" / f"{game}.md"


if __name__ == "__main__":
    for wanted in sys.argv[1:]:
        file_of(wanted).write_text(written(wanted), encoding="utf-8")
