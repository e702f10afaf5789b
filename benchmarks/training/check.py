"""`python -m benchmarks.training.check judge|closer FOLDER`: how well it does on crops that it did not learn from.

`FOLDER` is what `benchmarks.training.tiles` made. Prints by how much it is too timid, which `vision.recogniser` holds
as a constant.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from benchmarks.training.tiles import BYTE, STORED_PX
from calibration.opencv import cv2
from vision.recogniser import POSTURES
from vision.tiles import CLOSER_PX_PER_IN, CROP_PX, CROP_PX_PER_IN

_WHOLE = 0.8  # part of a figure that is seen


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """Of N crops: what is said (N, 10), the truth (N, 6), lean (N,) and how fine they are."""

    said: np.ndarray
    true: np.ndarray
    lean: np.ndarray
    px_per_in: float


def main() -> None:
    """Print the check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=["judge", "closer"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=2, help="one crop in so many")
    options = parser.parse_args()
    told = ask(options.which, options.folder, options.every)
    somebody = np.isfinite(told.true[:, 0])
    chance = 1 / (1 + np.exp(-told.said[:, 0]))
    print(f"{len(chance)} crops, {somebody.sum()} of somebody")
    for low, high in ((0, 0.1), (0.1, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 1.01)):
        here = (chance >= low) & (chance < high)
        print(f"  said to be somebody {low} to {high}: {here.sum()}, somebody {somebody[here].mean():.2f}")
    shift = minimize(lambda p: _surprise(told.said[:, 0] + p[0], somebody), [0.0]).x[0]
    print(f"  too timid by {shift:.2f}")
    _postures(Told(*(part[somebody] for part in (told.said, told.true, told.lean)), told.px_per_in))


def _postures(told: Told) -> None:
    posture = told.true[:, 2].astype(int)
    right = told.said[:, 1:5].argmax(axis=1) == posture
    whole = told.true[:, 5] > _WHOLE
    print(f"posture right {right.mean():.3f}, of those wholly seen {right[whole].mean():.3f}")
    for low, high in ((0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 2)):
        here = (told.lean >= low) & (told.lean < high) & whole
        print(f"  leaning {low} to {high}: {right[here].mean():.3f} of {here.sum()}")
    upright = (posture < 2) & whole
    stands = posture[upright] == 0
    odds = told.said[upright, 1] - told.said[upright, 2]
    print(f"standing or kneeling: right {((odds > 0) == stands).mean():.3f}")
    error = np.hypot(*(told.said[:, 7:9] + (STORED_PX - 1) / 2 - told.true[:, :2]).T)
    sigma = np.exp(told.said[:, 9])
    print(
        f"place {np.median(error) / told.px_per_in:.3f} / {np.percentile(error, 95) / told.px_per_in:.3f} in,", end=" "
    )
    claimed = np.sqrt(np.mean((error / sigma) ** 2 / 2))
    print(f"error / sigma {claimed:.2f}, within two {(error < 2.448 * sigma).mean():.3f}")
    sure = np.hypot(told.said[:, 5], told.said[:, 6])
    turned = np.arctan2(told.said[:, 6], told.said[:, 5]) - np.arctan2(told.true[:, 4], told.true[:, 3])
    away = np.abs((np.degrees(turned) + 180) % 360 - 180)
    for least in (0.3, 0.4, 0.5, 0.6):
        told_so = (sure > least) & (posture < POSTURES.index(POSTURES[-1]))
        spread = np.percentile(away[told_so], (50, 90)).round()
        print(f"  facing surer than {least}: of {told_so.mean():.2f}, off by {spread[0]:.0f} / {spread[1]:.0f} degrees")


def ask(which: str, folder: Path, every: int) -> Told:
    """The answers to the first file of each seed, which was not learned from."""
    weights = resources.files("vision").joinpath(f"{which}.onnx").read_bytes()
    network = cv2.dnn.readNetFromONNX(np.frombuffer(weights, np.uint8))
    kind, px_per_in = {"judge": ("crops", CROP_PX_PER_IN), "closer": ("closer", CLOSER_PX_PER_IN)}[which]
    room = slice((STORED_PX - CROP_PX) // 2, (STORED_PX + CROP_PX) // 2)
    rows: list[tuple[np.ndarray, np.ndarray, float]] = []
    firsts = {file.stem.rsplit("-", 1)[0]: file for file in sorted(folder.glob(f"{kind}-*[0-9].npy"), reverse=True)}
    for file in firsts.values():
        shown = np.load(file, mmap_mode="r")[::every]
        truths = np.load(file.with_suffix(".truths.npy"))[::every, 0]
        for start in range(0, len(shown), 32):
            crops = np.ascontiguousarray(shown[start : start + 32, :, room, room], np.float32) / np.float32(BYTE)
            network.setInput(crops)
            for said, crop, true in zip(network.forward(), crops, truths[start : start + 32], strict=True):
                rows.append((said, true, float(crop[8, 0, 0])))
    return Told(*(np.array(column) for column in zip(*rows, strict=True)), px_per_in)


def _surprise(odds: np.ndarray, true: np.ndarray) -> float:
    return float(np.mean(np.log1p(np.exp(-np.where(true, odds, -odds)))))


if __name__ == "__main__":
    main()
