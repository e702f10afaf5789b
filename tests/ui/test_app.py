"""Starting and ending the program."""

import os
import subprocess
import sys
from pathlib import Path


def test_ctrl_c_in_the_terminal_closes_the_window(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys\n"
        "from PyQt6.QtCore import QTimer\n"
        "from PyQt6.QtWidgets import QApplication\n"
        "application = QApplication(['test'])\n"
        "QTimer.singleShot(300, lambda: os.kill(os.getpid(), signal.SIGINT))\n"
        "from ui.desktop.app import run\n"
        "sys.exit(run('nowhere.png'))\n"
    )
    # HOME keeps the test away from the player's own settings.
    own = {"QT_QPA_PLATFORM": "offscreen", "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | own, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert any(tmp_path.rglob("sandtable.conf")), "the window's place is remembered"
