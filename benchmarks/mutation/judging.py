"""Tests run in a forked child: once watched, to learn which test enters which function; then against one mutant each."""

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
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import hypothesis
import pytest

MEMORY_BYTES = 6 << 30
SPARE_S = 15.0  # processor time over what the tests took of themselves, and the start of the child
STALE = "table_of_rules_is_up_to_date"
"""Reads the source, not what it does: it would notice any line that moved."""


@dataclass(frozen=True, slots=True)
class Cover:
    """Which tests enter a function, told by its file and first line; and the processor time each test takes."""

    entered: dict[str, list[str]]
    seconds: dict[str, float]

    def tests(self, path: str, function: int) -> list[str]:
        """Those that enter the function; of what is outside of functions, those that enter any of its file's."""
        if function:
            return self.entered.get(f"{path}:{function}", [])
        return sorted({test for place, tests in self.entered.items() if place.startswith(f"{path}:") for test in tests})


class _Watcher:
    """A plugin of pytest that notes which functions under `root` are entered, by which test or before all of a file."""

    def __init__(self, root: Path, room: str) -> None:
        self._codes: dict[int, CodeType] = {}
        self._under = f"{root / room}{os.sep}"
        self._root = root
        self._shared: set[str] = set()
        self._own: dict[str, set[str]] = {}
        self.seconds: dict[str, float] = {}

    def watch(self) -> None:
        codes = self._codes

        def entered(frame: FrameType, event: str, argument: object) -> None:
            code = frame.f_code
            codes[id(code)] = code

        sys.settrace(entered)

    def _taken(self) -> set[str]:
        noted = list(self._codes.values())  # from here on more may be noted: this very function's
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
        self._shared |= self._taken()  # what was entered before the first test: when the file was read
        began = time.process_time()
        self.watch()
        result = yield
        self.seconds[item.nodeid] = time.process_time() - began
        self._own[item.nodeid] = self._taken()
        return result

    def entered(self) -> dict[str, list[str]]:
        found: defaultdict[str, list[str]] = defaultdict(list)
        for test, own in self._own.items():
            for place in own | self._shared:
                found[place].append(test)
        return found


class _Chosen:
    """A plugin of pytest that keeps the chosen tests only, the quickest file first and in it the quickest test."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self._seconds = seconds

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        files: defaultdict[Path, float] = defaultdict(float)
        items[:] = [item for item in items if item.nodeid in self._seconds]
        for item in items:
            files[item.path] += self._seconds[item.nodeid]
        items.sort(key=lambda item: (files[item.path], str(item.path), self._seconds[item.nodeid]))


def watched(root: Path, room: str, file: str) -> tuple[dict[str, list[str]], dict[str, float]]:
    """Of one file of tests: which functions of the room each of its tests enters, and each one's seconds."""
    kept = root.parent / "watched.json"

    def look() -> int:
        watcher = _Watcher(root, room)
        watcher.watch()
        status = _pytest([file, "--deselect", STALE], watcher)
        kept.write_text(json.dumps([watcher.entered(), watcher.seconds]))
        return status

    status = _forked(root, look, 1200.0)
    if status not in (0, 5):
        raise SystemExit(f"{file} fails without any mutant ({status})")
    entered, seconds = json.loads(kept.read_text())
    return entered, seconds


def judged(root: Path, tests: Iterable[str], seconds: dict[str, float]) -> str:
    """`caught`, `survived`, or `caught: ...` where it was not a test that failed."""
    chosen = {test: seconds.get(test, 1.0) for test in tests if STALE not in test}
    files = sorted({test.partition("::")[0] for test in chosen})
    if not files:
        return "survived: no test enters it"
    status = _forked(root, lambda: _pytest(["-x", *files], _Chosen(chosen)), SPARE_S + 3 * sum(chosen.values()))
    match status:
        case 0:
            return "survived"
        case 1:
            return "caught"
        case 2 | 3 | 4:
            return "caught: cannot be imported"
        case 5:
            raise SystemExit(f"none of the tests was found: {sorted(chosen)[:3]}")
        case _:
            return "caught: without end"


def _pytest(arguments: list[str], plugin: object) -> int:
    options = ["-q", "-p", "no:cacheprovider", "-W", "ignore:Module already imported"]
    return int(pytest.main([*options, *arguments], plugins=[plugin]))


def _forked(root: Path, work: Callable[[], int], limit_s: float) -> int:
    """The exit status of the work done in a child, in the tree; negative, the signal that ended it."""
    child = os.fork()
    if child == 0:
        status = 3
        try:
            _settle(root, limit_s)
            status = work()
        except BaseException:  # noqa: BLE001 - nothing of the child's may go on as if it were the parent
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    end = time.monotonic() + 20 * limit_s  # the child that sleeps: the limit on its processor time ends all others
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.02)
    shutil.rmtree(root / ".hypothesis", ignore_errors=True)
    return os.waitstatus_to_exitcode(status)


def _settle(root: Path, limit_s: float) -> None:
    """The child sees the tree's modules and no others, is quiet, and cannot run away."""
    here = os.getcwd()
    os.chdir(root)
    sys.path[:] = [str(root), *(place for place in sys.path if place not in ("", here))]
    os.environ["PYTHONPATH"] = str(root)
    sys.dont_write_bytecode = True
    quiet = os.open(root.parent / "last.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (int(limit_s), int(limit_s) + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    generate = (hypothesis.Phase.explicit, hypothesis.Phase.generate)  # no shrinking: that it fails is enough
    hypothesis.settings.register_profile("mutants", phases=generate, derandomize=True, database=None)
    hypothesis.settings.load_profile("mutants")
