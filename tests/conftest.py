"""Settings for all tests: no test may fail because the machine is busy."""

import os

# The tests run in one process per core: more threads would only wait for one another. Before numpy is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OPENCV_FOR_THREADS_NUM", "1")

import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# Deadlines in wall-clock time, and limits on the time to generate examples, depend on the load of the machine.
settings.register_profile("sandtable", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("sandtable")


@pytest.fixture(autouse=True, scope="session")
def _no_waiting_for_the_disk() -> Iterator[None]:
    """Battles are stored without waiting for the disk, which only matters when the power fails."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rules.battle.journal.SYNCHRONOUS", "OFF")
        yield


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[sqlite3.Connection]:
    """The databases opened during the test, in order."""
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def noted(*where: object, **how: object) -> sqlite3.Connection:
        opened.append(connect(*where, **how))  # type: ignore[arg-type]
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", noted)
    return opened
