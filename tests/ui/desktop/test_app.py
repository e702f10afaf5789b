"""Starting and ending the program."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PyQt6.QtCore import QSettings, QTimer
from PyQt6.QtWidgets import QApplication

from ui.desktop.app import run
from ui.desktop.window import Window
from ui.diagnostics import EventLog
from vision.simulation.simulator import SimulatedTable


@pytest.mark.slow
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
    own["XDG_STATE_HOME"] = str(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | own, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert any(tmp_path.rglob("sandtable.conf")), "the window's place is remembered"


def test_the_first_start_begins_with_the_guide_unless_a_battle_is_named(
    qt: QApplication, table: SimulatedTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program as it starts, with a small table and separate settings."""
    found: list[bool] = []
    texts: list[str] = []

    def small(source: str | None, *_: object, event_log: EventLog) -> Window:
        own = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
        window = Window(source, own, lambda _: table, event_log=event_log)
        QTimer.singleShot(100, lambda: look(window))
        return window

    def look(window: Window) -> None:
        found.append(window.help.guide.bar.isVisible())
        texts.append(window.bar.text)
        if found[-1]:
            window.help.guide.leave()
        window.close()

    monkeypatch.setattr("ui.desktop.app.Window", small)
    monkeypatch.setattr("ui.desktop.app.log_file", lambda: tmp_path / "sandtable.log")
    before = signal.getsignal(signal.SIGINT)
    try:
        assert [run(str(tmp_path / "lost.battle")), run(), run(), run("demo")] == [0, 0, 0, 0]
    finally:
        table.bare = False
    assert signal.getsignal(signal.SIGINT) is before
    assert found == [False, True, False, False], "nor does the second start begin with it"
    assert "lost.battle" in texts[0]
