"""Time ratios: work and baseline alternate, so that other load on the machine slows down both."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

Clock = Callable[[], float]
Work = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Timing:
    """Timing of work relative to a baseline.

    Attributes:
        ms: Median over the rounds, in milliseconds.
        ratio: Median over the rounds of the work's time divided by the baseline's in the same round.
        baseline_ms: Median of the baseline's rounds.
    """

    ms: float
    ratio: float
    baseline_ms: float


def time_with_baseline(
    work: Work, baseline: Work, *, rounds: int = 9, clock: Clock = time.process_time, repeats: int = 1, times: int = 1
) -> Timing:
    """Time work and baseline alternately, after one warm-up round.

    Args:
        work, baseline: the functions to time; they alternate.
        rounds: number of rounds.
        clock: processor time, or `time.perf_counter` for work that waits for a disk or another process.
        repeats: runs of the baseline per round, if one is too short for the clock.
        times: runs of the work per round.
    """
    taken: list[tuple[float, float]] = []
    gc.collect()
    for _ in range(rounds + 1):
        began_s = clock()
        for _ in range(times):
            work()
        between_s = clock()
        for _ in range(repeats):
            baseline()
        taken.append(((between_s - began_s) / times, (clock() - between_s) / repeats))
    counted = taken[1:]
    return Timing(
        1000 * statistics.median(one for one, _ in counted),
        statistics.median(one / other for one, other in counted),
        1000 * statistics.median(other for _, other in counted),
    )
