"""Parts of the benchmarks: the page they write, the count of id changes, the plain scan as a baseline for sight."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks import questions, sequence
from benchmarks.ids import Contender
from benchmarks.page import Budget, Table, budget_table, number, write
from benchmarks.scan import scan_exposures
from benchmarks.scenes import samples
from benchmarks.sight import open_battle
from benchmarks.stopwatch import time_with_baseline
from rules.games import GAMES
from rules.tabletop.sight import exposures
from tools.crash_check import DIED, FAILED, ODD, PASSED, outcome_of, summary

PAGE = """# Fast

<!-- bench one -->
old
<!-- /bench -->
kept
<!-- bench budgets -->
<!-- /bench -->
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_text(PAGE, encoding="utf-8")
    return path


def test_a_table_replaces_only_its_own_place(page: Path) -> None:
    write(page, [Table("one", ("a", "b"), [("1", "2")], "Said.")])
    place = "<!-- bench one -->\nSaid.\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n<!-- /bench -->"
    assert page.read_text(encoding="utf-8") == PAGE.replace("<!-- bench one -->\nold\n<!-- /bench -->", place)


def test_a_page_without_the_place_is_unchanged(page: Path) -> None:
    with pytest.raises(ValueError, match="no place for another"):
        write(page, [Table("one", ("a",), [("1",)]), Table("another", ("a",), [("1",)])])
    assert page.read_text(encoding="utf-8") == PAGE


@pytest.mark.parametrize(("name", "owner", "method"), [*sequence.STAGES, *sequence.SEARCH])
def test_every_timed_stage_is_a_function_of_the_program(name: str, owner: Any, method: str) -> None:
    assert callable(getattr(owner, method)), f"the stage {name!r} has moved: benchmarks/sequence.py names its place"


def test_budgets_that_were_not_measured_keep_their_values(page: Path) -> None:
    write(page, [budget_table([Budget("sight", 40.0, 100, "ms"), Budget("start", 3.01, 3, "s")], page)])
    write(page, [budget_table([Budget("start", 3.0, 3, "s")], page)])
    rows = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("|")][2:]
    assert rows == ["| sight | 100 ms | 40 ms | KEPT |", "| start | 3 s | 3 s | KEPT |"]
    assert Budget("start", 3.01, 3, "s").row()[-1] == "**NOT KEPT**"


@pytest.mark.parametrize(("value", "words"), [(0.01234, "0.0123"), (2.5, "2.5"), (99.4, "99.4"), (12345.6, "12 346")])
def test_numbers_have_three_digits(value: float, words: str) -> None:
    assert number(value) == words


def test_work_and_baseline_alternate_by_the_given_clock() -> None:
    now = 0.0

    def takes(seconds: float) -> None:
        nonlocal now
        now += seconds

    timing = time_with_baseline(lambda: takes(6.0), lambda: takes(2.0), rounds=3, repeats=2, clock=lambda: now)
    assert (timing.ms, timing.ratio, timing.baseline_ms) == (6000, 3, 2000)


def test_the_empty_table_reaches_the_program() -> None:
    known = next(samples())
    setup = known.setup(known.lens, known.empty_bgr)
    assert setup.reference_bgr is known.empty_bgr
    assert not setup.propose


def test_a_plain_scan_agrees_with_sight() -> None:
    figures, terrain = open_battle(8, 30)
    off = np.abs(exposures(figures, terrain).exposure - scan_exposures(figures, terrain))
    # Each strip has 24 rays: an edge between two of them causes an error of at most half a ray in each of the eight
    # strips; two pieces that hide one strip cause as much again.
    assert off.max() < 1 / 24
    assert (exposures(figures, terrain).exposure < 0.5).any()


def test_id_changes_are_counted_by_true_place() -> None:
    reported: list[list[tuple[str, tuple[float, float]]]] = [
        [("a", (0, 0)), ("b", (5, 0))],
        [("a", (0, 0))],  # an unreported figure is a miss, not a change
        [("b", (0, 0)), ("a", (5, 0))],  # both ids exchanged
        [("b", (0, 0.9)), ("a", (5, 1.1))],  # the second is too far away to match
    ]
    look: Any = SimpleNamespace(truth={"x": (0, 0), "y": (5, 0)})
    one = Contender(lambda _: reported.pop(0))
    for _ in range(4):
        one.count(look)
    assert (one.changes, one.hit, one.in_sight) == (2, 6, 8)


def test_a_run_that_dies_differs_from_one_that_fails() -> None:
    assert outcome_of(-6, "F.Fatal Python error: Aborted") == (DIED, "SIGABRT")
    assert outcome_of(1, "F\n=== 1 failed, 2 passed in 3.00s ===\n") == (FAILED, "1 failed, 2 passed in 3.00s")
    assert outcome_of(0, "3 passed in 3.00s\n") == (PASSED, "3 passed in 3.00s")
    assert outcome_of(1, "SystemError: returned a result with an exception set\n1 failed")[0] == ODD
    assert outcome_of(4, "ERROR: file or directory not found")[0] == ODD
    assert summary(Counter({DIED: 2, FAILED: 8})).startswith("2 of 10 runs died by a signal, 0 hung")


@pytest.mark.slow
def test_the_examples_of_every_game_are_timed() -> None:
    assert [row[0] for row in questions.table(1).rows] == sorted(GAMES)
