"""Two Sandtables: one camera belongs to one of them, and to nobody once that one is gone, however it went."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PyQt6.QtWidgets import QPushButton

from rules.table import UserError
from tests.ui.windows import Open, Wait
from ui.desktop.camera_lock import Claims
from vision.source import Source, Webcam

HOLDER = """
import sys
from pathlib import Path
from tests.ui.desktop.test_camera_lock import StandIn
from ui.desktop.camera_lock import Claims
held = Claims(Path(sys.argv[1]), StandIn).capture(3, 0)
print("held", flush=True)
sys.stdin.read()
"""


class StandIn:
    """A camera that is always there."""

    def __init__(self, what: Any, _backend: int) -> None:
        self.what = what

    def isOpened(self) -> bool:  # noqa: N802
        return True

    def read(self) -> tuple[bool, Any]:
        return True, np.full((270, 480, 3), 90, np.uint8)

    def get(self, propId: int) -> float:  # noqa: N803
        return 0.0

    def set(self, propId: int, value: float) -> bool:  # noqa: N803
        return True

    def release(self) -> None: ...


@pytest.fixture
def another(tmp_path: Path) -> Any:
    """Another Sandtable that has camera 3."""
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_the_camera_of_another_sandtable_is_refused_others_are_not(another: Any, tmp_path: Path) -> None:
    mine = Claims(tmp_path, StandIn)
    with pytest.raises(UserError, match="camera 3 is in use by another window of Sandtable: close that one"):
        mine.capture(3, 0)
    assert mine.capture(4, 0).isOpened()
    assert mine.capture("table.mp4", 0).isOpened()


def test_one_that_was_killed_leaves_the_camera_free(another: Any, tmp_path: Path) -> None:
    os.kill(another.pid, signal.SIGKILL)
    another.wait()
    assert (tmp_path / "camera-3.lock").exists(), "nobody has tidied up"
    assert Claims(tmp_path, StandIn).capture(3, 0).isOpened()


def test_what_is_released_is_free_and_one_program_may_ask_twice(tmp_path: Path) -> None:
    mine = Claims(tmp_path, StandIn)
    first = mine.capture(3, 0)
    mine.capture(3, 0).release()  # the same program opens it anew before it has let go: no stranger has it
    first.release()
    assert list(tmp_path.glob("*.lock")) == []


def test_a_camera_that_does_not_open_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StandIn, "isOpened", lambda _: False)
    with pytest.raises(UserError, match="camera 5"):
        Claims(tmp_path, StandIn).open("5")
    assert list(tmp_path.glob("*.lock")) == []


def test_without_a_place_for_locks_the_camera_opens(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    source = Claims(tmp_path / "file" / "locks", StandIn).open("3")
    assert isinstance(source, Webcam)
    source.close()


def test_in_the_window_it_is_calm_and_goes_on_once_the_other_is_closed(
    another: Any, tmp_path: Path, open_window: Open, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.desktop.source_controller._CAMERA_RETRY_S", 0.2)
    mine = Claims(tmp_path, StandIn)
    opened: list[Source] = []

    def opener(spec: str) -> Source:
        opened.append(mine.open(spec))
        return opened[-1]

    window = open_window("3", opener)
    wait_until(lambda: "Camera 3 is in use by another window of Sandtable" in window.bar.text)
    ways = [button.text() for button in window.bar.findChildren(QPushButton)]
    assert ways == ["Try again", "Open another source…"]
    another.stdin.close()
    wait_until(lambda: opened and window.bench.frame is not None)
    wait_until(lambda: "in use" not in window.bar.text)
