"""Recording a crash, and reading it at the next start."""

import faulthandler
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ui.diagnostics.crashes import crash_file, crashes_kept, last_crash

DIES = """
import os, sys
from pathlib import Path
from ui.diagnostics.crashes import crashes_kept

def in_the_middle():
    if sys.argv[2] == "dies":
        os.abort()

with crashes_kept(Path(sys.argv[1])):
    in_the_middle()
"""


def run(file: Path, how: str, folder: Path) -> None:
    """Runs in its own folder, where a core file may be left."""
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    subprocess.run([sys.executable, "-c", DIES, str(file), how], cwd=folder, env=env, capture_output=True, check=False)


def test_a_crash_is_recorded_until_a_run_ends_well(tmp_path: Path) -> None:
    file = crash_file(tmp_path / "new" / "sandtable.log")
    assert file == tmp_path / "new" / "sandtable-crash.log"
    assert last_crash(file) == ""
    run(file, "dies", tmp_path)
    assert "in_the_middle" in last_crash(file)
    run(file, "ends", tmp_path)
    assert last_crash(file) == ""


def test_an_active_fault_handler_and_an_unwritable_folder_are_tolerated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faulthandler, "is_enabled", lambda: True)
    with crashes_kept(tmp_path / "crash.log"):
        assert not (tmp_path / "crash.log").exists()
    monkeypatch.setattr(faulthandler, "is_enabled", lambda: False)
    (tmp_path / "file").write_text("")
    with crashes_kept(tmp_path / "file" / "crash.log"):
        pass
    assert last_crash(tmp_path / "file" / "crash.log") == ""
