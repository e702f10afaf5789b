"""For all tests: no test fails because the machine is busy."""

import sqlite3

import pytest
from hypothesis import HealthCheck, settings

# A deadline in milliseconds of wall time, and a limit on how long examples take to make, depend on what else runs.
settings.register_profile("sandtable", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("sandtable")


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[sqlite3.Connection]:
    """The databases that are opened from now on, in order."""
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def noted(*where: object, **how: object) -> sqlite3.Connection:
        opened.append(connect(*where, **how))  # type: ignore[arg-type]
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", noted)
    return opened
