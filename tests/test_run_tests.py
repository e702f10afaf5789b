"""run_tests.sh with a pytest that passes, fails or dies."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="run_tests.sh is a shell script")


@pytest.mark.parametrize(("ends", "status"), [("exit 0", 0), ("exit 1", 1), ("ulimit -c 0; kill -ABRT $$", 134)])
def test_the_status_is_pytests_and_a_death_is_explained(tmp_path: Path, ends: str, status: int) -> None:
    stand_in = tmp_path / "pytest"
    stand_in.write_text(f'#!/bin/sh\necho "$@"\n{ends}\n')
    stand_in.chmod(0o755)
    environ = os.environ | {"PYTEST": str(stand_in)}
    command = [ROOT / "run_tests.sh", "-k", "one test"]
    done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert done.stdout == "-k one test\n"
    assert ("gdb -batch" in done.stderr) == (status > 128)
