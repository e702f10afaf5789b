"""Fit the confidence of the dice reader: `python -m training.dice.calibrate COUNT [FOLDER]`.

Reads COUNT drawn and degraded scenes that were used neither for training nor by the benchmark, and the traced scenes in
FOLDER. Prints the gain and bias of the log odds for `vision.dice.networks`, which takes a margin off the bias. For some
thresholds it also prints how many readings are above them, and how many of these are wrong.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from benchmarks.dice import Read, rendered, scene_read
from training.dice.samples import load
from vision.dice.networks import CONFIDENCE_BIAS, CONFIDENCE_GAIN

_SEED = 8001


def main() -> None:
    """Fit and print."""
    scenes = list(rendered(int(sys.argv[1]), _SEED))
    for folder in sys.argv[2:]:
        scenes += [scene for path in sorted(Path(folder).glob("*.json")) if (scene := load(path)) is not None]
    read: Read = [one for scene in scenes for one in scene_read(scene)[0]]
    some = [(die.confidence, die.face == face) for face, die in read if die is not None]
    confidence, right = np.array([one[0] for one in some]), np.array([one[1] for one in some])
    odds = np.log(np.clip(confidence, 1e-6, 1 - 1e-6) / np.clip(1 - confidence, 1e-6, 1))

    def loss(x: np.ndarray) -> float:
        said = x[0] * odds + x[1]
        return float(np.logaddexp(0, np.where(right, -said, said)).sum())

    gain, bias = minimize(loss, [1.0, 0.0]).x
    print(f"{len(right)} readings, {right.mean():.3f} right")
    print(f"CONFIDENCE_GAIN = {gain * CONFIDENCE_GAIN:.2f}, CONFIDENCE_BIAS = {gain * CONFIDENCE_BIAS + bias:.2f}")
    said = 1 / (1 + np.exp(-gain * odds - bias))
    for least in (0.5, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99):
        above = said >= least
        print(f"above {least:.2f}: {above.sum()} ({above.mean():.3f}), {(above & ~right).sum()} wrong")


if __name__ == "__main__":
    main()
