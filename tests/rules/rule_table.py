"""Generates the tables in docs/rules: where each rule is implemented, and what shows it in `resolve` and in play.

`python -m tests.rules.rule_table army_men` rewrites the table of a game.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from rules.engine.ruleset import rule_ids
from rules.games import open_game

ROOT = Path(__file__).parents[2]
Places = Mapping[str, list[str]]


def written(game: str) -> str:
    """The table of a game as Markdown."""
    header = open_game(game).rules.header
    homes, shown, played = lives(game), tests(game), situations(game)
    lines = [
        f"# {header.title}: every rule, where it lives, and what shows it in a question and in play",
        "",
        f"{header.credit}",
        "",
        f"Made by `python -m tests.rules.rule_table {game}` from the game's data, its code and its tests.",
        "",
        "| rule | in a sentence | lives in | shown by a question | shown in play |",
        "|---|---|---|---|---|",
    ]
    for rule, text in header.rules.items():
        home = "; ".join(homes.get(rule, []))
        proof = "; ".join(shown.get(rule, []))
        if rule in header.beyond:
            home = home or "by hand: " + header.beyond[rule]
        lines.append(f"| {rule} | {text} | {home} | {proof} | {'; '.join(played.get(rule, []))} |")
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
        lines.append(f"| {option.rule} | {option.title} (`{name}`) | {', '.join(map(_value_text, values))} | {proof} |")
    return "\n".join(lines) + "\n"


def _value_text(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def lives(game: str) -> Places:
    """For each rule, the rows of the data and the functions of the code that cite it."""
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
    """For each rule, the worked examples (tests/data) and the test functions that cite it."""
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


def situations(game: str) -> Places:
    """Scripted situations that show each rule in play."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "tests" / "data" / "situations" / game).glob("*.json")):
        for rule in json.loads(path.read_text(encoding="utf-8"))["rows"]:
            found[rule].append(f"`{path.stem}`")
    return found


def _parts(path: Path) -> Iterator[tuple[str, str]]:
    """Functions, classes and constants of a source file, with their source text."""
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
    """The rules cited in a text, as "AM-39" or, in the name of a test, as am_39."""
    small = prefix.lower()
    found = re.findall(rf"\b{prefix}-(\d+)\b|(?<![a-z0-9]){small}_(\d+)(?![a-z0-9])", source)
    return list(dict.fromkeys(f"{prefix}-{upper or lower}" for upper, lower in found))


def file_of(game: str) -> Path:
    """The file with the table of a game."""
    return ROOT / "docs" / "rules" / f"{game}.md"


if __name__ == "__main__":
    for wanted in sys.argv[1:]:
        file_of(wanted).write_text(written(wanted), encoding="utf-8")
