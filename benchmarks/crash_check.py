"""Whether the window's tests survive their time limits: runs them under load and counts the runs that die by a signal.

`python -m benchmarks.crash_check --runs 100` starts pytest that often on a few tests of the window. Every test has a
random limit that is shorter than the test, and a busy process beside it. Tests are therefore expected to fail; the run
itself must not die. The exit status is 1 if any run died or hung. The output of those runs is kept in the folder
`build/crash-check`. `--tree FOLDER` checks another checkout: see docs/decisions/0012-crashes.md.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TESTS = ("tests/ui/desktop/test_troubles_window.py",)
LIMIT_S = (0.3, 2.0)
"""Shorter than most of these tests take beside a busy process, and long enough to reach every part of them."""

HUNG_S = 300.0
"""A run of these tests takes half a minute beside other work."""

PASSED, FAILED, DIED, HUNG, ODD = "passed", "failed", "died", "hung", "odd"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the check; 1 if a run died or hung."""
    parser = argparse.ArgumentParser(prog="crash_check", description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1, help="of the first run; each run adds one")
    parser.add_argument("--tree", type=Path, default=ROOT, metavar="FOLDER", help="the checkout to check")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("tests", nargs="*", default=TESTS, metavar="TEST", help="other tests than the usual ones")
    chosen = parser.parse_args(arguments)
    if chosen.one:
        return limited_run(chosen.tests, random.Random(chosen.seed))  # noqa: S311 - no secret
    counts: Counter[str] = Counter()
    with load():
        for seed in range(chosen.seed, chosen.seed + chosen.runs):
            begin_s = time.monotonic()
            outcome, words = run_once(chosen.tree, seed, chosen.tests)
            counts[outcome] += 1
            print(f"seed {seed:4}  {time.monotonic() - begin_s:5.1f} s  {outcome:7} {words}", flush=True)
    print(verdict(counts))
    return int(bool(counts[DIED] or counts[HUNG]))


def verdict(counts: Counter[str]) -> str:
    """The sentence at the end: how many runs died or hung, of how many."""
    runs = sum(counts.values())
    return f"{counts[DIED]} of {runs} runs died by a signal, {counts[HUNG]} hung, {counts[ODD]} ended in an odd way"


@contextmanager
def load() -> Iterator[None]:
    """A process that keeps one processor busy."""
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        busy.kill()
        busy.wait()


def run_once(tree: Path, seed: int, tests: Sequence[str]) -> tuple[str, str]:
    """Run the tests once, in a process of their own; how that ended, and pytest's last line or the signal's name."""
    command = [sys.executable, "-X", "faulthandler", __file__, "--one", "--seed", str(seed), *tests]
    own = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    try:
        done = subprocess.run(  # noqa: S603 - its own command
            command, cwd=tree, env=own, capture_output=True, text=True, errors="replace", timeout=HUNG_S, check=False
        )
    except subprocess.TimeoutExpired as late:
        keep_output(seed, f"{late.stdout!r}\n{late.stderr!r}")
        return HUNG, f"no end after {HUNG_S:.0f} s"
    outcome, words = outcome_of(done.returncode, done.stdout + done.stderr)
    if outcome not in (PASSED, FAILED):
        keep_output(seed, done.stdout + done.stderr)
    return outcome, words


def outcome_of(status: int, output: str) -> tuple[str, str]:
    """How a run ended, from its exit status and what it printed.

    A `SystemError` says that C code met an exception that it did not expect, so it counts as odd although nothing died.
    """
    if status < 0:
        return DIED, signal.Signals(-status).name
    lines = output.strip().splitlines() or [""]
    summary = next((line for line in reversed(lines) if " in " in line and line.strip("= ")[0].isdigit()), lines[-1])
    if "SystemError" in output or status > 1:
        return ODD, summary
    return (FAILED if status else PASSED), summary


def keep_output(seed: int, output: str) -> None:
    folder = ROOT / "build" / "crash-check"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"seed-{seed}.txt").write_text(output, encoding="utf-8")


class RandomLimits:
    """A pytest plugin: every test but the first of each file has a random time limit, with what sets it up.

    The first one is left alone since it draws the table that its file shares: no other test would start without it.
    """

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        seen: set[Path] = set()
        for item in items:
            if item.path in seen:
                item.add_marker(pytest.mark.timeout(round(self._rng.uniform(*LIMIT_S), 2)))
            seen.add(item.path)


def limited_run(tests: Sequence[str], rng: random.Random) -> int:
    """Run pytest in this process, which may die of it; pytest's exit status."""
    return int(pytest.main(["-p", "no:cacheprovider", "--tb=line", *tests], plugins=[RandomLimits(rng)]))


if __name__ == "__main__":
    sys.exit(main())
