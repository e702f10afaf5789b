"""The program is killed during a battle: everything in its history is there when the battle is reopened."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PyQt6.QtCore import QSettings, Qt
from PyQt6.QtWidgets import QApplication, QDialog, QFileDialog, QLineEdit

from tests.ui.stories import Answer, Board, Player, answering, press, typed
from tests.ui.windows import POSTS, Wait, let_qt_work
from ui.desktop.window import Window

ENOUGH = 4
"""Looks at the history before the program is killed."""


def play(folder: Path) -> None:
    """Play in the program without end, and print what its history shows."""
    application = QApplication(["sandtable"])
    board = Board()
    settings = QSettings(str(folder / "killed.ini"), QSettings.Format.IniFormat)
    window = Window("demo", settings, lambda _: board, battles=folder / "battles")
    window.show()
    let_qt_work(lambda: window.store.view and len(window.store.view.figures) == len(POSTS))
    player = Player(window, board, let_qt_work)
    player.begins("Simple Plastic Wargame")
    player.goes_on("Turn 1 · Blue moves", "Turn 1 · Blue attacks")
    while True:
        player.does("blue-1", "Attack on Green 1", typed("1"))
        print(json.dumps(player.story), flush=True)
        player.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        print(json.dumps(player.story), flush=True)
        application.processEvents()


def killed(folder: Path) -> list[list[str]]:
    """Let it play in a separate process, and kill that process; return all histories that it printed."""
    code = f"from pathlib import Path; from {__name__} import play; play(Path({str(folder)!r}))"
    own = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    player = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=own
    )
    try:
        first = [player.stdout.readline() for _ in range(ENOUGH)]
    finally:
        player.kill()  # SIGKILL, where there is one
        rest, complaints = player.communicate()
    assert first[-1], complaints
    return [json.loads(line) for line in (*first, *rest.splitlines(keepends=True)) if line.endswith("\n")]


def found_in(path: Path) -> Answer:
    """Open this file."""

    def open_it(dialog: QDialog) -> None:
        assert isinstance(dialog, QFileDialog)
        dialog.findChild(QLineEdit).setText(str(path))
        press(dialog, "Open")

    return open_it


@pytest.fixture(scope="module")
def table() -> Board:
    return Board()


@pytest.fixture
def shown(tmp_path: Path) -> list[list[str]]:
    """All histories that the program printed before it was killed; requested before another window opens."""
    return killed(tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_program_loses_nothing_of_the_battle(
    shown: list[list[str]], table: Board, window: Window, wait_until: Wait, tmp_path: Path
) -> None:
    player = Player(window, table, wait_until)
    [path] = (tmp_path / "battles").glob("*.battle")
    with answering(found_in(path)):
        player.key(Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    wait_until(lambda: player.phase == "Turn 1 · Blue attacks")
    # It fired and undid that repeatedly: if killed between two prints, it may be one step ahead of the last one.
    assert player.story in (shown[-1], shown[-2])
    steps = player.undoes_all()
    assert steps[-1] == "Blue 1 joins Blue"
    assert player.redoes_all()[: len(steps)] == steps[::-1]
    assert player.phase == "Turn 1 · Blue attacks"
    player.goes_on("Turn 1 · Green moves")
