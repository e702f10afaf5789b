"""Everything that the documents name exists: files, headings, commands and options, modules and their names."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from rules.engine.game import Game
from rules.games import open_game
from rules.games.army_men.tables import Tables
from ui.cli import main

ROOT = Path(__file__).parents[1]
DOCS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "samples").rglob("*.md")])
FOLDERS = "benchmarks|calibration|docs|hardware|rules|samples|tests|ui|vision"
of_each = pytest.mark.parametrize("page", DOCS, ids=lambda page: str(page.relative_to(ROOT)))


def code(page: Path) -> Iterator[str]:
    """The commands and names of a page: lines of its blocks, and spans with the lines of the page joined."""
    blocks = r"^```\w*\n(.*?)^```"
    text = page.read_text("utf-8")
    for block in re.findall(blocks, text, re.M | re.S):
        yield from block.replace("\\\n", " ").splitlines()
    yield from (
        span.replace("\n", " ") for span in re.findall(r"`([^`]+)`", re.sub(blocks, "", text, flags=re.M | re.S))
    )


def headings(page: Path) -> set[str]:
    """As GitHub makes anchors of them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@of_each
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if not target.startswith(("https://", "mailto:")):
            path, _, anchor = target.partition("#")
            there = page.parent / path if path else page
            assert there.exists(), target
            assert not anchor or anchor in headings(there), target


def test_the_index_names_every_page() -> None:
    index = ROOT / "docs" / "README.md"
    linked = {(index.parent / target).resolve() for target in re.findall(r"\]\(([^)\s]+)\)", index.read_text("utf-8"))}
    assert {page for page in DOCS if page.is_relative_to(index.parent) and page != index} <= linked


@cache
def help_of(command: str) -> str:
    """The output of `sandtable COMMAND --help`; an unknown command fails."""
    said = StringIO()
    with redirect_stdout(said), pytest.raises(SystemExit) as end:
        main([command, "--help"])
    assert end.value.code == 0, command
    return said.getvalue()


@of_each
def test_commands_have_the_options_that_are_named(page: Path) -> None:
    for line in code(page):
        for command, rest in re.findall(r"(?:^|[/\s])sandtable (?:--games \S+ )?([a-z]+)([^|;]*)", line):
            for option in re.findall(r"(?<!\S)--?[a-z][a-z-]*", rest):
                assert re.search(rf"(?<![\w-]){option}(?![\w-])", help_of(command)), line
            help_of(command)


@of_each
def test_modules_that_are_run_are_there_and_read_their_options(page: Path) -> None:
    for line in code(page):
        for module, rest in re.findall(r"python -m ([a-z_.]+)([^|;#]*)", line):
            stem = ROOT / module.replace(".", "/")
            source = stem / "__main__.py" if stem.is_dir() else stem.with_suffix(".py")
            assert source.exists(), line
            for option in re.findall(r"--[a-z-]+", rest):
                assert f'"{option}"' in source.read_text("utf-8"), line
        for target in re.findall(r"^make ([a-z-]+)", line):
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.M), line


@of_each
def test_paths_and_dotted_names_are_there(page: Path) -> None:
    for span in code(page):
        for path in re.findall(rf"(?<![\w/.])(?:{FOLDERS})/[\w./-]*", span):
            placeholder = re.search(r"[A-Z]{3}", path)
            assert placeholder or path.startswith("docs/pictures") or (ROOT / path.rstrip(".")).exists(), span
        for name in re.findall(rf"(?<![\w/.])(?:{FOLDERS})(?:\.\w+)+\b(?!\()", span):
            assert named(name), span


@of_each
def test_tests_that_are_named_are_there(page: Path) -> None:
    for span in code(page):
        for file, name in re.findall(r"(test_\w+\.py)::(test_\w+)", span):
            sources = [path.read_text("utf-8") for path in (ROOT / "tests").rglob(file)]
            assert any(f"def {name}(" in source for source in sources), span


def named(name: str) -> bool:
    """Whether a dotted name is a package, a module, or a word in the source of one."""
    place, parts = ROOT, name.split(".")
    while parts and (place / parts[0]).is_dir():
        place /= parts.pop(0)
    if parts and (place / f"{parts[0]}.py").exists():
        place /= f"{parts.pop(0)}.py"
    elif parts:
        place /= "__init__.py"
    if not parts or parts == ["*"]:
        return True
    return place.exists() and all(re.search(rf"\b{part}\b", place.read_text("utf-8")) for part in parts)


def shown_to_contributors(number: int, path: Path) -> tuple[dict[str, Any], Game[Tables]]:
    """One of the blocks of TOML in CONTRIBUTING, and Army Men under it."""
    blocks = re.findall(r"```toml\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.S)
    inherits = "" if "inherits" in blocks[number] else 'inherits = "army_men"\n'
    path.write_text(inherits + blocks[number], "utf-8")
    return tomllib.loads(blocks[number]), open_game("army_men", path)


def test_the_house_rules_shown_to_contributors_load(tmp_path: Path) -> None:
    written, game = shown_to_contributors(0, tmp_path / "crossbows.toml")
    assert game.rules.labels
    [weapon], [card] = written["weapons"], written["cards"]
    assert weapon in game.rules.tables.weapons
    assert weapon in game.rules.tables.cards[card].weapons


def test_the_option_shown_to_contributors_changes_the_game(tmp_path: Path) -> None:
    written, game = shown_to_contributors(1, tmp_path / "pace.toml")
    [name] = written["options"]
    [other] = set(game.options[name].values) - {game.options[name].default}
    assert game.choosing(**{name: other}).rules.tables.kinds != game.rules.tables.kinds
