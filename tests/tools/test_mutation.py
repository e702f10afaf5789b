"""The mutants of `python -m tools.mutation`, and the code that it ignores."""

from __future__ import annotations

import ast
import importlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = '''"""A docstring with 3 in it."""

Table = dict[str, int]


@cached(7)
def reach(at: "int | None", far=2):
    """Not 9 either."""
    if not at:
        raise ValueError(f"not {4}")
    near = at < far and ready
    total = min(at, far) + 1
    return total if near else None
'''


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT)
    return importlib.import_module("tools.mutation.mutants")


def test_every_mutant_changes_one_place_and_compiles(tool: Any, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE)
    found = tool.mutants(tmp_path, "a.py")
    changed = [mutant.applied(SOURCE.encode()).decode() for mutant in found]
    assert len(set(changed)) == len(changed)
    for mutant, text in zip(found, changed, strict=True):
        ast.parse(text)
        old, new = SOURCE.splitlines(), text.splitlines()
        assert [n for n, line in enumerate(old, 1) if line not in new[n - 1 : n]][:1] == [mutant.line]
    # 2 and 1 (not 3, 7, 9 or 4); < to <= and >=; + to -; "and"; "not"; min; the raise; the return and its two branches,
    # and the negated condition `near`
    assert Counter(mutant.kind for mutant in found) == {
        "constant": 2,
        "comparison": 2,
        "arithmetic": 1,
        "and, or": 1,
        "not, minus": 1,
        "name": 1,
        "statement dropped": 1,
        "returned nothing": 1,
        "branches swapped": 1,
        "condition": 1,
    }
    assert {mutant.function for mutant in found} == {6}, "the line of the decorator, as the interpreter counts"


def test_a_sample_is_reproducible_and_covers_every_file(tool: Any, tmp_path: Path) -> None:
    (tmp_path / "large.py").write_text("a = (" + " + ".join(["1"] * 200) + ")\n")
    (tmp_path / "small.py").write_text("a = 1\n")
    found = [*tool.mutants(tmp_path, "large.py"), *tool.mutants(tmp_path, "small.py")]
    drawn = tool.sample(found, 20, 3)
    assert Counter(mutant.path for mutant in drawn)["small.py"] == 1
    assert 20 <= len(drawn) <= 22, "each file's share is rounded by lot, and one at the least"
    assert tool.sample(found, 20, 3) == drawn
