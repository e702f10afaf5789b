"""audit.sh with a fake pip-audit that writes a given answer, or nothing."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="audit.sh is a shell script")
SOUND = {"name": "numpy", "version": "2.4.0", "vulns": []}
FAULTY = {"name": "pip", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"], "aliases": []}]}
UNKNOWN = {"name": "shapely", "skip_reason": "Dependency not found on PyPI"}

Audit = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    """Runs a copy; the answer goes to the file after `--output`, as pip-audit writes it."""
    shutil.copy(ROOT / "audit.sh", tmp_path)
    tool = tmp_path / ".audit" / "bin" / "pip-audit"
    tool.parent.mkdir(parents=True)

    def run(*packages: dict[str, Any]) -> subprocess.CompletedProcess[str]:
        (tmp_path / "answer").write_text(json.dumps({"dependencies": packages}) if packages else "")
        tool.write_text('#!/bin/sh\nfor word; do last=$word; done\ncat answer >"$last"\nexit 1\n')
        tool.chmod(0o755)
        return subprocess.run([tmp_path / "audit.sh"], cwd="/", capture_output=True, text=True, check=False)

    return run


def test_packages_without_vulnerabilities_pass(audit: Audit) -> None:
    done = audit(SOUND, SOUND)
    assert (done.returncode, done.stderr) == (0, "sandtable audit: none of 2 packages has a known vulnerability\n")


def test_a_vulnerability_fails_and_names_the_fixed_version(audit: Audit) -> None:
    done = audit(SOUND, FAULTY, UNKNOWN)
    assert (done.returncode, done.stdout) == (1, "pip 1.0: PYSEC-1, fixed in 1.1\n")


@pytest.mark.parametrize("packages", [(), (SOUND, UNKNOWN)])
def test_an_incomplete_check_is_not_a_pass(audit: Audit, packages: tuple[dict[str, Any], ...]) -> None:
    done = audit(*packages)
    assert done.returncode == 3
    assert "not done: PyPI" in done.stderr
