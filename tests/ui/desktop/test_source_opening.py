"""Opening another source, and closing the window meanwhile."""

from __future__ import annotations

import threading
import time

import pytest

from tests.ui.windows import Open, Wait
from vision.frame import Frame
from vision.simulation.simulator import SimulatedTable
from vision.source import Source

_PATIENCE_S = 5.0  # closing took twelve seconds before; now it does not wait


class _Camera(Source):
    """A camera that takes long to open.

    Attributes:
        asked, opens: Opening has begun, and may end.
        is_closed: Whether it was closed.
    """

    name, live, still = "camera 0", True, False

    def __init__(self) -> None:
        self.asked, self.opens, self.is_closed = threading.Event(), threading.Event(), False

    def open(self) -> Source:
        self.asked.set()
        self.opens.wait()
        return self

    def read(self) -> Frame | None:
        return None

    def close(self) -> None:
        self.is_closed = True


@pytest.mark.parametrize("is_first", [True, False], ids=["first source", "another source"])
def test_the_window_closes_while_a_camera_is_being_opened(
    open_window: Open, wait_until: Wait, table: SimulatedTable, is_first: bool
) -> None:
    camera = _Camera()
    window = open_window("0" if is_first else "demo", lambda spec: camera.open() if spec == "0" else table)
    if not is_first:
        window.store.open("0")
    wait_until(camera.asked.is_set)
    later = threading.Timer(2 * _PATIENCE_S, camera.opens.set)  # else a window that waits would wait forever
    later.start()
    start_s = time.monotonic()
    window.close()
    assert time.monotonic() - start_s < _PATIENCE_S
    later.cancel()
    camera.opens.set()
    wait_until(lambda: camera.is_closed)
    window.store.join()
