"""Check that calibration errors agree with the stated uncertainty.

    python -m benchmarks.sigma [--cameras N] [--seed S]

Generates N random cameras over a 48 x 36 in table (tilt up to 25 degrees, 40 to 65 in high, focal length and distortion
of any webcam, k1 from -0.3 to 0.1), lays markers of 3 in anywhere in view, and displaces their corners by 0.1 to
0.5 px, one level for each camera. The solver only gets the mean of that range. Prints are 2 % off: either unmeasured,
with 2 % as their stated uncertainty, or measured to 0.25 %. For every class it prints the standard deviation of
error / sigma over cameras, places and heights, which should be 1.
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.accuracy import TWO_SIGMA
from tests.calibration.random_views import Kind, Trial, kinds, trial


def main() -> None:
    """Print one line for each class."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cameras", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"{options.cameras} cameras a class: error / sigma, errors and claims in inches (medians)")
    for number, kind in enumerate(kinds()):
        rng = np.random.default_rng([options.seed, number])
        trials = [trial(rng, kind) for _ in range(options.cameras)]
        print(line(kind, trials), flush=True)


def line(kind: Kind, trials: list[Trial]) -> str:
    """One class as a printed line."""
    ratio = np.concatenate([t.ratio for t in trials])
    error = np.concatenate([np.linalg.norm(t.error_in, axis=1) for t in trials])
    sigma = np.concatenate([t.sigma_in for t in trials])
    within = np.linalg.norm(ratio, axis=1) < TWO_SIGMA
    words = f"{kind.markers} marker{'s'[: kind.markers - 1]}, lens {'profile' if kind.profile else 'unknown'}"
    words += f", print {'measured' if kind.measured else '2 % off'}"
    return (
        f"  {words:44s} deviation {np.sqrt((ratio**2).mean()):.2f}  error {np.median(error):.3f}"
        f"  95 % {np.percentile(error, 95):.3f}  sigma {np.median(sigma):.3f}  within two sigma {within.mean():.2f}"
    )


if __name__ == "__main__":
    main()
