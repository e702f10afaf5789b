"""Mutation testing: insert small faults into a package's source, and check whether a test detects each.

    python -m tools.mutation rules --count 300 --seed 1 --kept FOLDER
    python -m tools.mutation rules --under rules/games    only the games
    python -m tools.mutation rules --kept FOLDER --again    the survivors, with the current tests

The faults are inserted into a copy of the tree. For each, the package's tests that enter its function run until one
fails. The results stay in FOLDER; after an interruption the same command continues.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import shutil
import tempfile
from collections import Counter
from pathlib import Path

from tools.mutation.judging import Cover, judge_mutant
from tools.mutation.mutants import Mutant, mutants, sample

ROOT = Path(__file__).parents[2]
COPIED = ("rules", "calibration", "vision", "hardware", "ui", "tools", "tests", "docs", "samples", "pyproject.toml")
UNSEEN, FAR = "not judged", "survived its own module's tests"
SLOW_IMPORTS = ("numpy", "shapely", "scipy.optimize")
"""Imported once for all child processes; the project's own modules are imported again for each fault."""


def main() -> int:
    """Run the command line; returns 0 if at least 85 % of the faults were caught."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("room", metavar="PACKAGE", choices=("rules", "calibration"))
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--under", metavar="FOLDER", help="only the modules under this folder, such as rules/games")
    parser.add_argument("--first", type=int, help="judge only so many of them, which are as good a sample")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kept", type=Path, default=Path(tempfile.gettempdir()) / "sandtable-mutation")
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    os.nice(10)
    for name in SLOW_IMPORTS:
        importlib.import_module(name)
    tree, kept = options.kept.resolve() / "tree", options.kept.resolve() / f"{options.room}.json"
    cover_file = tree.parent / f"{options.room}-cover.json"
    if not tree.exists():
        _copied(COPIED, tree)
    results: dict[str, str] = json.loads(kept.read_text()) if kept.exists() else {}
    drawn = sample(_all(tree, options.under or options.room), options.count, options.seed)[: options.first]
    if options.again:
        _copied(("tests",), tree)
        cover_file.unlink(missing_ok=True)
        results = {name: verdict for name, verdict in results.items() if verdict.startswith("caught")}
    cover = Cover(tree, options.room, cover_file)
    for near in (True, False):  # most are caught by the tests of their own module; only the others need all tests
        for mutant in drawn:
            if results.get(mutant.name, UNSEEN) == (UNSEEN if near else FAR):
                verdict = _verdict(tree, mutant, cover, near)
                results[mutant.name] = FAR if near and not verdict.startswith("caught") else verdict
                kept.write_text(json.dumps(results, indent=0))
                print(f"{results[mutant.name]}: {mutant.name}", flush=True)
    return _report(tree, drawn, results)


def _copied(what: tuple[str, ...], tree: Path) -> None:
    for name in what:
        if (ROOT / name).is_dir():
            shutil.rmtree(tree / name, ignore_errors=True)
            shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, tree / name)


def _all(tree: Path, under: str) -> list[Mutant]:
    paths = sorted(str(path.relative_to(tree)) for path in (tree / under).rglob("*.py"))
    return [mutant for path in paths for mutant in mutants(tree, path)]


def _is_near(file: str, path: str) -> bool:
    """Whether a test file is of this module or its game, as test_sight_properties.py of rules/tabletop/sight.py."""
    module, name = Path(path), Path(file).name
    if module.parent.parent.name == "games":
        return (
            name == "test_worked_examples.py" or re.search(rf"_{module.parent.name}(_(?!figure)|\.)", name) is not None
        )
    return re.search(rf"_{module.stem}(_|\.)", name) is not None


def _verdict(tree: Path, mutant: Mutant, cover: Cover, near: bool) -> str:
    files = [file for file in cover.files if _is_near(file, mutant.path) == near]
    tests = cover.tests(files, mutant.path, mutant.function)  # measured on the module without the fault
    path = tree / mutant.path
    source, times_ns = path.read_bytes(), (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    try:
        path.write_bytes(mutant.applied(source))  # newer than its compiled file, which is valid again afterwards
        return judge_mutant(tree, tests)
    finally:
        path.write_bytes(source)
        os.utime(path, ns=times_ns)


def _report(tree: Path, drawn: list[Mutant], results: dict[str, str]) -> int:
    """Print the survivors, and the share of each kind that was caught."""
    kinds: Counter[str] = Counter(mutant.kind for mutant in drawn)
    caught = Counter(mutant.kind for mutant in drawn if results[mutant.name].startswith("caught"))
    for mutant in drawn:
        if not results[mutant.name].startswith("caught"):
            old = (tree / mutant.path).read_bytes()[mutant.start : mutant.end].decode()
            print(f"{results[mutant.name]}: {mutant.path}:{mutant.line}: {old!r} -> {mutant.text!r}")
    for kind, count in kinds.most_common():
        print(f"{kind}: {caught[kind]} of {count}")
    share = caught.total() / len(drawn)
    print(f"caught {caught.total()} of {len(drawn)}: {share:.1%}")
    return int(share < 0.85)


if __name__ == "__main__":
    raise SystemExit(main())
