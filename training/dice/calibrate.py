"""Fit the confidence of the dice reader: `python -m training.dice.calibrate COUNT [FOLDER ...]`.

Reads COUNT drawn and degraded scenes that were used neither for training nor by the benchmark, and the traced scenes in
the folders. Prints the weights of the log odds for `vision.dice.networks`, which takes a margin off the constant. For
some thresholds it also prints how many dice are above them, and how many readings above them are wrong.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from benchmarks.dice import rendered
from training.dice.samples import Scene, load
from vision.dice.find import top_faces

_SEED = 8001
_CLEAR, _LEVEL_DEG = 0.6, 3.0  # of dice that must be read
_NEAR = 0.4  # of a side


def readings(scenes: Iterable[Scene]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(N, 3) log odds and 1, (N,) whether a die is there, and (N,) whether its face is right."""
    rows = []
    for scene in scenes:
        faces, kind = top_faces(scene.image)
        for face in faces:
            best, odds = face.likeliest(kind)
            away = np.linalg.norm(scene.centres - face.centre_px, axis=1) / scene.sides_px
            k = int(away.argmin())
            if away[k] > _NEAR:
                rows.append((*odds, 1.0, False, False))
            elif scene.visible[k] >= _CLEAR and scene.leans[k] < _LEVEL_DEG:
                rows.append((*odds, 1.0, True, bool(scene.faces[k] == best)))
    table = np.array(rows)
    return table[:, :3], table[:, 3] > 0, table[:, 4] > 0


def main() -> None:
    """Fit and print."""
    scenes = list(rendered(int(sys.argv[1]), _SEED))
    for folder in sys.argv[2:]:
        scenes += [scene for path in sorted(Path(folder).glob("*.json")) if (scene := load(path)) is not None]
    odds, dice, right = readings(scenes)

    def loss(weights: np.ndarray) -> float:
        said = odds @ weights
        return float(np.logaddexp(0, np.where(right, -said, said)).sum())

    weights = minimize(loss, [1.0, 0.5, 0.0]).x
    print(f"{len(right)} readings of {dice.sum()} dice, {right.sum()} right: weights {np.round(weights, 2).tolist()}")
    said = 1 / (1 + np.exp(-odds @ weights))
    for least in (0.5, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99):
        above = said >= least
        print(f"above {least:.2f}: {(above & dice).sum() / dice.sum():.3f} of the dice, {(above & ~right).sum()} wrong")


if __name__ == "__main__":
    main()
