"""Two Sandtables: only one of them can open a camera, and the camera is free once that process is gone."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PyQt6.QtWidgets import QPushButton

from rules.tabletop.errors import UserError
from tests.ui.windows import Open, Wait
from ui.desktop.source_opening import CameraLocks
from vision.source import Source
from vision.webcam import Webcam

HOLDER = """
import sys
from pathlib import Path
from unittest.mock import Mock
from ui.desktop.source_opening import CameraLocks
held = CameraLocks(Path(sys.argv[1]), Mock()).capture(3, 0)
print("held", flush=True)
sys.stdin.read()
"""


class StandIn:
    """A camera that is always present."""

    def __init__(self, what: Any, _backend: int) -> None:
        self.what = what

    def isOpened(self) -> bool:
        return True

    def read(self) -> tuple[bool, Any]:
        return True, np.full((270, 480, 3), 90, np.uint8)

    def get(self, propId: int) -> float:
        return 0.0

    def set(self, propId: int, value: float) -> bool:
        return True

    def release(self) -> None: ...


@pytest.fixture
def another(tmp_path: Path) -> Any:
    """Another process that has camera 3."""
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


@pytest.mark.slow
def test_only_the_camera_of_another_sandtable_is_refused(another: Any, tmp_path: Path) -> None:
    mine = CameraLocks(tmp_path, StandIn)
    with pytest.raises(UserError, match="camera 3 is in use by another Sandtable window: close that window"):
        mine.capture(3, 0)
    assert mine.capture(4, 0).isOpened()
    assert mine.capture("table.mp4", 0).isOpened()


@pytest.mark.slow
def test_a_killed_process_leaves_the_camera_free(another: Any, tmp_path: Path) -> None:
    os.kill(another.pid, signal.SIGKILL)
    another.wait()
    assert (tmp_path / "camera-3.lock").exists(), "the lock file is still there"
    assert CameraLocks(tmp_path, StandIn).capture(3, 0).isOpened()


def test_a_released_camera_is_free_and_a_process_may_open_one_twice(tmp_path: Path) -> None:
    mine = CameraLocks(tmp_path, StandIn)
    first = mine.capture(3, 0)
    mine.capture(3, 0).release()  # the same process may open it again before releasing it
    first.release()
    assert list(tmp_path.glob("*.lock")) == []


def test_a_camera_that_does_not_open_is_not_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StandIn, "isOpened", lambda _: False)
    with pytest.raises(UserError, match="camera 5"):
        CameraLocks(tmp_path, StandIn).open("5")
    assert list(tmp_path.glob("*.lock")) == []


def test_without_a_lock_folder_the_camera_opens(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    source = CameraLocks(tmp_path / "file" / "locks", StandIn).open("3")
    assert isinstance(source, Webcam)
    source.close()


@pytest.mark.slow
def test_the_window_waits_for_the_camera_and_continues_by_itself(
    another: Any, tmp_path: Path, open_window: Open, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.desktop.source_controller.CAMERA_RETRY_S", 0.2)
    mine = CameraLocks(tmp_path, StandIn)
    opened: list[Source] = []

    def opener(spec: str) -> Source:
        opened.append(mine.open(spec))
        return opened[-1]

    window = open_window("3", opener)
    wait_until(lambda: "Camera 3 is in use by another Sandtable window" in window.bar.text)
    ways = [button.text() for button in window.bar.findChildren(QPushButton)]
    assert ways == ["Try again", "Open…"]
    another.stdin.close()
    wait_until(lambda: opened and window.store.frame is not None)
    wait_until(lambda: "in use" not in window.bar.text)
