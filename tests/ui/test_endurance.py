"""A few minutes of the evening that `python -m benchmarks.endurance` plays, and the lines that it judges by."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def grown(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """The line through so many MiB, one sample every half hour."""
    monkeypatch.syspath_prepend(ROOT)
    health = importlib.import_module("benchmarks.endurance.health")

    def line(*resident_mib: float) -> Any:
        samples = [health.Sample(1800.0 * n, value, 8, 1, 2, 0) for n, value in enumerate(resident_mib)]
        return health.growth(samples, "resident_mib")

    return line


def test_what_grows_is_told_from_the_second_half(grown: Callable[..., Any]) -> None:
    line = grown(200, 220, 230, 231, 232, 233, 234)  # 1 MiB each half hour, exactly
    assert line.slope == pytest.approx(2.0)
    assert (line.certain, line.most) == pytest.approx((2.0, 2.0))
    assert (line.low, line.high) == (231, 234)


def test_what_only_wavers_is_told_with_its_error(grown: Callable[..., Any]) -> None:
    line = grown(0, 0, 0, 0, 0, 2, 0, 2)
    # 0, 2, 0, 2 at -0.75, -0.25, 0.25, 0.75 h: the slope is 1 / 1.25, what is left 4 - 0.8, over two degrees of freedom
    assert line.slope == pytest.approx(0.8)
    assert line.sigma == pytest.approx((3.2 / 2 / 1.25) ** 0.5)
    assert line.certain == 0


@pytest.mark.skipif(sys.platform != "linux", reason="counts in /proc")
@pytest.mark.slow
@pytest.mark.timeout(400)
def test_two_minutes_of_the_evening() -> None:
    """Some ten seconds of a processor."""
    evening = [sys.executable, "-m", "benchmarks.endurance", "--hours", "0.03", "--pause", "30", "--live", "1"]
    environ = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(evening, cwd=ROOT, env=environ, capture_output=True, text=True, check=False, timeout=380)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no fault: names and journal as they were, and nothing grows" in done.stdout
