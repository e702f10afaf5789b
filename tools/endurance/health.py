"""Resource usage of a process, and whether it grows."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.memory import resident_mib


@dataclass(frozen=True, slots=True)
class Sample:
    """Resource usage at one time.

    Attributes:
        time_s: Simulated time.
        resident_mib: Memory after garbage collection, without memory cached by the allocator.
        files: Number of open descriptors.
        threads: Number of Python threads.
        tasks: Number of all threads, including those of libraries.
        entries: Length of the battle's journal.
    """

    time_s: float
    resident_mib: float
    files: int
    threads: int
    tasks: int
    entries: int


def sample_now(time_s: float, entries: int) -> Sample:
    """Take a sample of this process."""
    files, tasks = (len(os.listdir(f"/proc/self/{what}")) for what in ("fd", "task"))
    return Sample(time_s, resident_mib(), files, threading.active_count(), tasks, entries)


@dataclass(frozen=True, slots=True)
class Growth:
    """A straight line fitted to values over time, in units per hour."""

    slope: float
    sigma: float
    low: float
    high: float

    @property
    def certain(self) -> float:
        """Lower bound of the growth at two standard deviations; 0 if there may be none."""
        return max(0.0, self.slope - 2 * self.sigma)

    @property
    def most(self) -> float:
        """Upper bound of the growth at two standard deviations."""
        return self.slope + 2 * self.sigma


def growth(samples: Sequence[Sample], what: str) -> Growth:
    """Growth in the second half; in the first half, everything is loaded for the first time."""
    half = [one for one in samples if one.time_s >= samples[-1].time_s / 2]
    hours = np.array([one.time_s / 3600 for one in half])
    values = np.array([float(getattr(one, what)) for one in half])
    away = hours - hours.mean()
    spread = float(away @ away)
    if len(half) < 3 or not spread:
        return Growth(0.0, float("inf"), float(values.min()), float(values.max()))
    slope = float(away @ values) / spread
    left = values - values.mean() - slope * away
    sigma = float(np.sqrt(left @ left / (len(half) - 2) / spread))
    return Growth(slope, sigma, float(values.min()), float(values.max()))
