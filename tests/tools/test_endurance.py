"""A few minutes of `python -m tools.endurance`, and its growth estimate."""

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
    """The growth of these MiB, with one sample every half hour."""
    monkeypatch.syspath_prepend(ROOT)
    health = importlib.import_module("tools.endurance.health")

    def line(*resident_mib: float) -> Any:
        samples = [health.Sample(1800.0 * n, value, 8, 1, 2, 0) for n, value in enumerate(resident_mib)]
        return health.growth(samples, "resident_mib")

    return line


def test_growth_is_measured_in_the_second_half(grown: Callable[..., Any]) -> None:
    line = grown(200, 220, 230, 231, 232, 233, 234)  # exactly 1 MiB per half hour
    assert line.slope == pytest.approx(2.0)
    assert (line.certain, line.most) == pytest.approx((2.0, 2.0))
    assert (line.low, line.high) == (231, 234)


def test_fluctuation_is_not_certain_growth(grown: Callable[..., Any]) -> None:
    line = grown(0, 0, 0, 0, 0, 2, 0, 2)
    # 0, 2, 0, 2 at -0.75, -0.25, 0.25, 0.75 h: the slope is 1 / 1.25, the residual 4 - 0.8, with two degrees of freedom
    assert line.slope == pytest.approx(0.8)
    assert line.sigma == pytest.approx((3.2 / 2 / 1.25) ** 0.5)
    assert line.certain == 0


@pytest.mark.skipif(sys.platform != "linux", reason="counts in /proc")
@pytest.mark.slow
@pytest.mark.timeout(400)
def test_one_minute_of_an_evening() -> None:
    """Takes about eight seconds of processor time."""
    evening = [sys.executable, "-m", "tools.endurance", "--hours", "0.02", "--pause", "20", "--live", "1"]
    environ = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(evening, cwd=ROOT, env=environ, capture_output=True, text=True, check=False, timeout=380)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no fault: names and journal as they were, and nothing grows" in done.stdout
