"""run_tests.sh with a pytest that passes, fails or dies."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="run_tests.sh is a shell script")


def run_with(folder: Path, ends: str) -> subprocess.CompletedProcess[str]:
    """Run with a pytest that ends like this, and a gdb that prints a stack."""
    programs = {"pytest": f'echo "$@"\n{ends}', "gdb": "echo [New LWP 7]\necho '#0  abort ()'"}
    for name, lines in programs.items():
        program = folder / name
        program.write_text(f"#!/bin/sh\n{lines}\n")
        program.chmod(0o755)
    environ = os.environ | {name.upper(): str(folder / name) for name in programs}
    command = [ROOT / "run_tests.sh", "-k", "one test"]
    return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("ends", "status"), [("exit 0", 0), ("exit 1", 1), ("ulimit -c 0; kill -ABRT $$", 134)])
def test_the_status_is_pytests_and_a_death_is_explained(tmp_path: Path, ends: str, status: int) -> None:
    (tmp_path / "core").touch()
    os.utime(tmp_path / "core", (0, 0))  # left by an earlier run
    done = run_with(tmp_path, ends)
    assert done.returncode == status
    assert done.stdout == "-k one test\n"
    assert ("gdb -batch" in done.stderr) == (status > 128)


def test_the_native_stack_of_a_process_that_died_is_printed(tmp_path: Path) -> None:
    done = run_with(tmp_path, "sleep 0.05; touch core.12; exit 1")  # one worker of several has died
    assert done.returncode == 1
    assert done.stderr == "The native stack of the thread that died, from ./core.12:\n#0  abort ()\n"
