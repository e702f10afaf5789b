"""Garbage is collected in the window's thread."""

import gc
import threading

import pytest

from tests.ui.windows import Wait
from ui.desktop.app import collected_here


class Knot:
    """Garbage that only a collection frees: it refers to itself and records the thread that frees it."""

    def __init__(self, freed_in: list[int]) -> None:
        self.itself, self._freed_in = self, freed_in

    def __del__(self) -> None:
        self._freed_in.append(threading.get_ident())


@pytest.mark.usefixtures("qt")
def test_garbage_of_any_thread_is_collected_in_this_one(wait_until: Wait) -> None:
    gc.enable()
    freed_in: list[int] = []

    def litter() -> None:
        Knot(freed_in)
        kept = [[] for _ in range(100_000)]  # enough for Python to start a collection
        del kept

    with collected_here():
        thread = threading.Thread(target=litter)
        thread.start()
        thread.join()
        assert freed_in == []
        wait_until(lambda: freed_in)
        assert not gc.isenabled()
    assert freed_in == [threading.get_ident()]
    assert gc.isenabled()


@pytest.mark.usefixtures("qt")
def test_the_previous_collector_settings_are_restored() -> None:
    gc.disable()
    with collected_here():
        pass
    assert not gc.isenabled()
