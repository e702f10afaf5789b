"""Rules of this project that neither import-linter nor ruff can check."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES: list[str] = PROJECT["tool"]["setuptools"]["packages"]
IGNORED = [line.rstrip("/") for line in (ROOT / ".gitignore").read_text().split()] + [".git"]


def _files(folder: Path = ROOT) -> Iterator[Path]:
    """The files of the checkout that git would keep."""
    for path in sorted(folder.iterdir()):
        if any(fnmatch(path.name, pattern) for pattern in IGNORED):
            continue
        if path.is_dir():
            yield from _files(path)
        else:
            yield path


def _imports(file: Path) -> set[str]:
    """Names of the top packages that a source file imports, wherever in the file."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    named = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    named |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    return {name.split(".")[0] for name in named}


def test_the_packages_are_those_on_disk() -> None:
    folders = {file.parent.relative_to(ROOT) for file in _files() if file.suffix == ".py"}
    packages = {
        ".".join(folder.parts)
        for folder in folders
        if folder.parts and folder.parts[0] not in ("tests", "benchmarks", "tools", "training", "docs", "samples")
    }
    assert packages == set(PACKAGES)


def test_only_one_package_imports_qt() -> None:
    named = [file for file in _sources() if b"PyQt6" in file.read_bytes()]  # parsing takes far longer than reading
    outside = [file for file in named if not file.is_relative_to(ROOT / "ui" / "desktop")]
    assert [str(file.relative_to(ROOT)) for file in outside if "PyQt6" in _imports(file)] == []
    assert len(outside) < len(named)
    assert any("PyQt6" in _imports(file) for file in named)


def _sources() -> list[Path]:
    tops = {package.split(".")[0] for package in PACKAGES}
    return [file for file in _files() if file.suffix == ".py" and file.relative_to(ROOT).parts[0] in tops]


def test_the_tests_mirror_the_packages() -> None:
    folders = {file.relative_to(ROOT / "tests").parent for file in _files(ROOT / "tests") if file.suffix == ".py"}
    # Attacks from outside, developer tools, training and the sample game belong to no package of the program.
    assert {".".join(folder.parts) for folder in folders if folder.parts} <= {
        *PACKAGES,
        "hostile",
        "tools",
        "training",
        "samples",
    }


_IMPORTED = re.compile(r"^from \S+ import (\([^)]*\)|[^\n]*)", re.MULTILINE)
_REPLACED = re.compile(r"setattr\([^)]*?[\"'](?:[\w.]*\.)?(_[A-Za-z]\w*)[\"']")


def test_tests_neither_import_nor_replace_private_names() -> None:
    private = {
        file.name: names
        for file in _files(ROOT / "tests")
        if file.suffix == ".py" and (names := _private_names(file.read_text(encoding="utf-8")))
    }
    assert private == {}


def _private_names(source: str) -> list[str]:
    imported = [name for names in _IMPORTED.findall(source) for name in re.findall(r"\b_[A-Za-z]\w*", names)]
    return imported + _REPLACED.findall(source)


@pytest.mark.parametrize(("document", "tests"), [("README.md", "test"), (".ci/run", "test-all")])
def test_documents_name_only_targets_that_the_makefile_has(document: str, tests: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    text = (ROOT / document).read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^\s*|`|exec )make ([a-z-]+)", text, re.MULTILINE))
    assert tests in named
    assert named <= targets


def test_no_file_names_a_machine_or_an_index() -> None:
    # Split in two, so that this file passes the search itself.
    words = [
        "/wo" + "rk/",
        "/ro" + "ot/",
        "/ho" + "me/",
        "file:" + "///",
        "/sim" + "ple/",
        "index" + "-url",
        "find" + "-links",
    ]
    found = [str(file.relative_to(ROOT)) for file in _files() if _has_any(words, file.read_bytes())]
    assert found == []


def _has_any(words: list[str], content: bytes) -> bool:
    # The lock is made with a flag that keeps addresses out; only flags that put one in are a fault.
    content = content.replace(b"--no-emit-index" + b"-url", b"")
    return any(word.encode() in content for word in words)


def test_the_lock_holds_a_hash_for_every_package() -> None:
    entries = re.split(r"\n(?=\S)", (ROOT / "requirements.lock").read_text(encoding="utf-8"))
    packages = [entry for entry in entries if "==" in entry.split("\n")[0]]
    assert len(packages) > len(PROJECT["project"]["dependencies"])
    assert [entry.split()[0] for entry in packages if "--hash=sha256:" not in entry] == []
