"""Run tests in forked child processes: once traced, to learn which test enters which function; then against mutants."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import hypothesis
import pytest

MEMORY_BYTES = 6 << 30
SPARE_S = 15.0  # extra processor time beyond the tests' own time and the start of the child
WATCH_S = 1200.0
"""Limit on the processor time of a traced test file."""
MORE_TESTS = {"rules": ("samples", "hostile")}
"""Further folders of tests of a package: the sample game, and files that are damaged or written by others."""
STALE = "table_of_rules_is_up_to_date"
"""Tests that read the source text, which would detect any change."""


Places = Mapping[str, Sequence[str]]
"""A function's file and first line -> the tests that enter it."""


class Cover:
    """Which tests enter which function; a test file is traced on first use, then cached."""

    def __init__(self, root: Path, room: str, kept: Path) -> None:
        """`kept` is the cache file."""
        self._root, self._room, self._kept = root, room, kept
        self._known: dict[str, tuple[Places, dict[str, float]]] = json.loads(kept.read_text()) if kept.exists() else {}

    @property
    def files(self) -> list[str]:
        """All test files of the package, with those of its sample and of damaged files for `rules`."""
        folders = [self._root / "tests" / name for name in (self._room, *MORE_TESTS.get(self._room, ()))]
        return sorted(str(path.relative_to(self._root)) for folder in folders for path in folder.rglob("test_*.py"))

    def tests(self, files: Iterable[str], path: str, function: int) -> dict[str, float]:
        """The tests that enter a function (its first line, 0 for the module's own code), with their seconds."""
        found: dict[str, float] = {}
        for file in files:
            places, seconds = self._of(file)
            entering = [places[f"{path}:{function}"]] if f"{path}:{function}" in places else []
            if not function:
                entering = [tests for place, tests in places.items() if place.startswith(f"{path}:")]
            found |= {test: seconds[test] for tests in entering for test in tests if STALE not in test}
        return found

    def _of(self, file: str) -> tuple[Places, dict[str, float]]:
        if file not in self._known:
            self._known[file] = trace(self._root, self._room, file)
            self._kept.write_text(json.dumps(self._known))
        return self._known[file]


class _Tracer:
    """A pytest plugin that records which test enters which function under `root`; imports count for all tests."""

    def __init__(self, root: Path, room: str) -> None:
        self._codes: dict[int, CodeType] = {}
        self._under = f"{root / room}{os.sep}"
        self._root = root
        self._shared: set[str] = set()
        self._own: dict[str, set[str]] = {}
        self.seconds: dict[str, float] = {}
        self.failed: list[str] = []

    def watch(self) -> None:
        codes = self._codes

        def entered(frame: FrameType, event: str, argument: object) -> None:
            code = frame.f_code
            codes[id(code)] = code

        sys.settrace(entered)

    def _taken(self) -> set[str]:
        noted = list(self._codes.values())  # copied, because this function itself may be recorded meanwhile
        self._codes.clear()
        codes = [code for code in noted if code.co_filename.startswith(self._under)]
        return {f"{os.path.relpath(code.co_filename, self._root)}:{code.co_firstlineno}" for code in codes}

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Any:
        before = dict(self._codes)
        result = yield
        if fixturedef.scope != "function":
            self._shared |= self._taken()
            self._codes.update(before)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        self._shared |= self._taken()  # entered before the first test, while the file was imported
        began = time.process_time()
        self.watch()
        result = yield
        self.seconds[item.nodeid] = time.process_time() - began
        self._own[item.nodeid] = self._taken()
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def entered(self) -> dict[str, list[str]]:
        """The passing tests by function; failing tests cannot detect a fault."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for test in self._own.keys() - set(self.failed):
            own = self._own[test]
            for place in own | self._shared:
                found[place].append(test)
        return found


class _Chosen:
    """A pytest plugin that selects the chosen tests, the fastest file first and in it the fastest test."""

    def __init__(self, seconds: Mapping[str, float]) -> None:
        self._seconds = seconds

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        files: defaultdict[Path, float] = defaultdict(float)
        items[:] = [item for item in items if item.nodeid in self._seconds]
        for item in items:
            files[item.path] += self._seconds[item.nodeid]
        items.sort(key=lambda item: (files[item.path], str(item.path), self._seconds[item.nodeid]))


def trace(root: Path, room: str, file: str) -> tuple[dict[str, list[str]], dict[str, float]]:
    """Trace one test file: the functions that each test enters, and the duration of each test in seconds."""
    kept = root.parent / "watched.json"
    kept.unlink(missing_ok=True)

    def look() -> int:
        watcher = _Tracer(root, room)
        watcher.watch()
        status = _pytest([file], watcher)
        kept.write_text(json.dumps([watcher.entered(), watcher.seconds]))
        return status

    status = _forked(root, look, WATCH_S)
    if status not in (0, 1, 5):
        raise SystemExit(f"{file} cannot be run ({status})")
    if status == 1:
        print(f"{file}: some tests fail without any mutant, and are left out", flush=True)
    entered, seconds = json.loads(kept.read_text())
    return entered, seconds


def judge_mutant(root: Path, tests: Mapping[str, float]) -> str:
    """Run tests against a mutant: `caught`, `survived`, or `caught: ...` if it needed no failing test."""
    files = sorted({test.partition("::")[0] for test in tests})
    if not files:
        return "survived: no other test enters it"
    status = _forked(root, lambda: _pytest(["-x", *files], _Chosen(tests)), SPARE_S + 3 * sum(tests.values()))
    match status:
        case 0:
            return "survived"
        case 1:
            return "caught"
        case 2 | 3 | 4:
            return "caught: cannot be imported"
        case 5:
            raise SystemExit(f"none of the tests was found: {sorted(tests)[:3]}")
        case _:
            return "caught: without end"


def _pytest(arguments: list[str], plugin: object) -> int:
    options = ["-q", "-p", "no:cacheprovider", "-o", "timeout=0", "-W", "ignore:Module already imported"]
    return int(pytest.main([*options, *arguments], plugins=[plugin]))


def _forked(root: Path, work: Callable[[], int], limit_s: float) -> int:
    """Exit status of the work in a child process in the tree; negative for the signal that ended it."""
    child = os.fork()
    if child == 0:
        status = 3
        try:
            _set_up_child(root, limit_s)
            status = work()
        except BaseException:  # noqa: BLE001 - nothing of the child's may go on as if it were the parent
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    end = time.monotonic() + 20 * limit_s  # for a sleeping child; the limit on processor time ends all others
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.02)
    shutil.rmtree(root / ".hypothesis", ignore_errors=True)
    return os.waitstatus_to_exitcode(status)


def _set_up_child(root: Path, limit_s: float) -> None:
    """Set up the child: only the tree's modules, no output, and a limit on processor time."""
    here = os.getcwd()
    os.chdir(root)
    sys.path[:] = [str(root), *(place for place in sys.path if place not in ("", here))]
    os.environ["PYTHONPATH"] = str(root)
    sys.dont_write_bytecode = limit_s < WATCH_S  # bytecode is written only while there are no mutants
    quiet = os.open(root.parent / "last.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (int(limit_s), int(limit_s) + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    generate = (hypothesis.Phase.explicit, hypothesis.Phase.generate)  # no shrinking: a failure is enough
    # A busy machine must not fail a test, and mutants must not share examples.
    hypothesis.settings.register_profile("mutants", phases=generate, derandomize=True, database=None, deadline=None)
    hypothesis.settings.load_profile("mutants")
