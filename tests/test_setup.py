"""setup.sh on a fake machine: its python3, apt-get and id are small scripts that log their arguments."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="setup.sh is a shell script")

# `python3` that is new enough, finds what missing.txt lists to be missing, and makes an environment of itself.
PYTHON = """#!/bin/sh
case "$1" in
-V) echo "Python 3.12.0" ;;
-I) cat "{machine}/missing.txt" ;;
-c) ;;
-m) echo "$*" >>"{machine}/log"
    if [ "$2" = venv ]; then
        mkdir -p .venv/bin && cp "$0" .venv/bin/python
        printf '#!/bin/sh\\necho "pip 1.0 from %s/.venv/lib/pip"\\n' "$(pwd -P)" >.venv/bin/pip
        chmod +x .venv/bin/pip
    fi ;;
esac
"""
OLD_PYTHON = """#!/bin/sh
if [ "$1" = -V ]; then echo "Python 3.9.2"; else exit 1; fi
"""
APT_GET = """#!/bin/sh
echo "apt-get $* ($DEBIAN_FRONTEND)" >>"{machine}/log"
case "$*" in *install*) : >"{machine}/missing.txt" ;; esac
"""


@dataclass
class Pretence:
    machine: Path
    checkout: Path

    def script(self, name: str, text: str) -> None:
        file = self.machine / "bin" / name
        file.write_text(text.replace("{machine}", str(self.machine)))
        file.chmod(0o755)

    def missing(self, *lines: str) -> None:
        (self.machine / "missing.txt").write_text("".join(f"{line}\n" for line in lines))

    def setup(self) -> subprocess.CompletedProcess[str]:
        environ = {"PATH": f"{self.machine / 'bin'}:{os.defpath}"}
        return subprocess.run(
            [self.checkout / "setup.sh"], cwd="/", env=environ, capture_output=True, text=True, check=False
        )

    def log(self) -> list[str]:
        """The logged calls since the last time."""
        file = self.machine / "log"
        lines = file.read_text().splitlines() if file.exists() else []
        file.write_text("")
        return lines


@pytest.fixture
def pretence(tmp_path: Path) -> Pretence:
    made = Pretence(tmp_path / "machine", tmp_path / "a checkout")
    (made.machine / "bin").mkdir(parents=True)
    (made.checkout / "ui" / "commands").mkdir(parents=True)
    for name in ("setup.sh", "pyproject.toml", "requirements.lock", "ui/commands/libraries.py"):
        shutil.copy(ROOT / name, made.checkout / name)
    made.script("python3", PYTHON)
    made.script("apt-get", APT_GET)
    made.script("id", "#!/bin/sh\necho 1000\n")
    made.missing()
    return made


def test_makes_the_environment_once_and_again_when_the_lock_changes(pretence: Pretence) -> None:
    assert pretence.setup().returncode == 0
    venv, locked, checkout = pretence.log()
    assert venv == "-m venv --clear .venv"
    assert "--require-hashes -r requirements.lock" in locked
    assert checkout.endswith("--no-deps --no-build-isolation -e .")

    again = pretence.setup()
    assert (again.returncode, again.stderr, pretence.log()) == (0, "", [])

    with (pretence.checkout / "requirements.lock").open("a") as lock:
        lock.write("# changed\n")
    assert pretence.setup().returncode == 0
    assert [line.split()[1] for line in pretence.log()] == ["pip", "pip"]


def test_a_moved_checkout_gets_a_new_environment(pretence: Pretence) -> None:
    pretence.setup()
    pretence.log()
    pretence.checkout = pretence.checkout.rename(pretence.checkout.with_name("moved"))
    assert pretence.setup().returncode == 0
    assert pretence.log()[0] == "-m venv --clear .venv"


def test_a_user_sees_what_to_install(pretence: Pretence) -> None:
    pretence.missing("needed libgl1 libGL.so.1", "window libxcb-cursor0 libxcb-cursor.so.0")
    told = pretence.setup()
    assert told.returncode == 2
    assert "sudo apt-get install -y --no-install-recommends libgl1 libxcb-cursor0" in told.stderr
    assert pretence.log() == []


def test_for_the_superuser_libraries_are_installed(pretence: Pretence) -> None:
    pretence.script("id", "#!/bin/sh\necho 0\n")
    pretence.missing("needed libgl1 libGL.so.1", "needed libegl1 libEGL.so.1")
    assert pretence.setup().returncode == 0
    update, install, *rest = pretence.log()
    assert update.startswith("apt-get -qq update")
    assert install == "apt-get -qq install -y --no-install-recommends libegl1 libgl1 (noninteractive)"
    assert len(rest) == 3


def test_missing_window_libraries_are_named_each_time_but_do_not_stop_setup(pretence: Pretence) -> None:
    pretence.missing("window libxcb-cursor0 libxcb-cursor.so.0")
    for _ in range(2):
        told = pretence.setup()
        assert told.returncode == 0
        assert "libxcb-cursor.so.0" in told.stderr


def test_an_old_python_is_refused_in_one_sentence(pretence: Pretence) -> None:
    pretence.script("python3", OLD_PYTHON)
    told = pretence.setup()
    assert told.returncode == 2
    assert told.stderr.startswith("sandtable setup: python3 is too old (Python 3.9.2): install Python 3.11 or newer")
    assert told.stderr.count("\n") == 1
