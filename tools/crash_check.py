"""Check that the window's tests survive their time limits: run them under load and count the runs killed by a signal.

`python -m tools.crash_check --runs 100` starts 100 runs of pytest on a few tests of the window, each in its own
process. Every test has a random limit that is shorter than the test, and a busy process competes with it. So tests are
expected to fail; the run itself must not die. The exit status is 1 if any run died or hung. The output of those runs
stays in the folder `build/crash-check`. `--tree FOLDER` checks another checkout: see
docs/decisions/0012-crashes.md.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
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
"""Shorter than most of these tests under load, and long enough to reach every part of them."""

HUNG_S = 300.0
"""A run of these tests takes half a minute under load."""

PASSED, FAILED, DIED, HUNG, ODD = "passed", "failed", "died", "hung", "odd"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the check; returns 1 if a run died or hung."""
    parser = argparse.ArgumentParser(prog="crash_check", description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1, help="of the first run; each run adds one")
    parser.add_argument("--busy", type=int, default=1, metavar="N", help="processes that only keep a processor busy")
    parser.add_argument("--tree", type=Path, default=ROOT, metavar="FOLDER", help="the checkout to check")
    parser.add_argument("tests", nargs="*", default=TESTS, metavar="TEST", help="other tests than the usual ones")
    chosen = parser.parse_args(arguments)
    load_program(chosen.tree.resolve())
    counts: Counter[str] = Counter()
    with busy_processes(chosen.busy):
        for seed in range(chosen.seed, chosen.seed + chosen.runs):
            begin_s = time.monotonic()
            outcome, words = run_once(seed, chosen.tests)
            counts[outcome] += 1
            print(f"seed {seed:4}  {time.monotonic() - begin_s:5.1f} s  {outcome:7} {words}", flush=True)
    print(summary(counts))
    return int(bool(counts[DIED] or counts[HUNG]))


def load_program(tree: Path) -> None:
    """Import the program from this checkout once for all runs, because importing takes as long as the tests."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.chdir(tree)
    sys.path.insert(0, str(tree))
    importlib.import_module("ui.desktop.window")


def summary(counts: Counter[str]) -> str:
    """The summary: how many runs died, hung, or ended with an unknown status."""
    runs = sum(counts.values())
    return f"{counts[DIED]} of {runs} runs died by a signal, {counts[HUNG]} hung, {counts[ODD]} ended in an odd way"


@contextmanager
def busy_processes(number: int) -> Iterator[None]:
    """Keep this many processors busy."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def run_once(seed: int, tests: Sequence[str]) -> tuple[str, str]:
    """Run the tests once in a separate process; returns the outcome, and pytest's last line or the signal's name."""
    folder = ROOT / "build" / "crash-check"
    folder.mkdir(parents=True, exist_ok=True)
    output = folder / f"seed-{seed}.txt"
    run = multiprocessing.get_context("fork").Process(target=limited_run, args=(tests, seed, output))
    run.start()
    run.join(HUNG_S)
    if run.exitcode is None:
        run.kill()
        run.join()
        return HUNG, f"no end after {HUNG_S:.0f} s"
    outcome, words = outcome_of(run.exitcode, output.read_text("utf-8", errors="replace"))
    if outcome in (PASSED, FAILED):
        output.unlink()
    return outcome, words


def limited_run(tests: Sequence[str], seed: int, output: Path) -> None:
    """Run pytest in this process, which may die, and exit with its status."""
    with output.open("w", encoding="utf-8") as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
    limits = RandomLimits(random.Random(seed))
    sys.exit(int(pytest.main(["-p", "no:cacheprovider", "--tb=line", *tests], plugins=[limits])))


def outcome_of(status: int, output: str) -> tuple[str, str]:
    """The outcome of a run and a description, from its exit status and output.

    A `SystemError` means that C code met an unexpected exception, so the run counts as odd although nothing died.
    """
    if status < 0:
        return DIED, signal.Signals(-status).name
    last = (output.strip().splitlines() or [""])[-1].strip("= ")
    if "SystemError" in output or status > 1:
        return ODD, last
    return (FAILED if status else PASSED), last


class RandomLimits:
    """A pytest plugin that gives every test a random time limit.

    The limit includes the test's setup, except for the first test, whose setup renders the table for all tests.
    """

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            first = item is items[0]
            item.add_marker(pytest.mark.timeout(round(self._rng.uniform(*LIMIT_S), 2), func_only=first))


if __name__ == "__main__":
    sys.exit(main())
