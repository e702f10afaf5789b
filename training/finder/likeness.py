"""Learn a metric that distinguishes sculpts: `python -m training.finder.likeness [--boxes N] [--to FILE]`.

Generates boxes of random toys, three sculpts of each posture, places each box on two random tables, and stores the
features of the networks' last hidden layers for every figure. A linear discriminant analysis then scales up directions
that differ between sculpts, and down those that differ within a sculpt. `vision.likeness` reads the result.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rules.tabletop.table import Posture
from training.finder import worlds
from training.finder.soldiers import Rng, Toy, toy
from training.finder.tiles import PX_PER_IN, ZOOM, views
from vision.recogniser import POSTURES, Candidate, Hint, Recogniser

_SCULPTS = 3  # per posture in a box
_TABLES = 2
_SEEN = 0.35  # visible share of a figure
_ASIDE_IN = 0.08  # typical error of the finder's hints
_DIRECTIONS = 48
_SHRINK = 1.0  # shrinkage of the within-sculpt scatter towards an isotropic one, relative to its mean variance
Box = dict[Posture, list[Toy]]


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """The network features of one figure, with its sculpt's name, its posture, and the name of its picture."""

    sculpt: str
    posture: Posture
    picture: str
    seen: Candidate


def main() -> None:
    """Learn and write the metric."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boxes", type=int, default=60)
    parser.add_argument("--to", type=Path, default=Path("vision/likeness.npz"))
    options = parser.parse_args()
    recogniser = Recogniser()
    looks = [look for box in range(options.boxes) for look in of_box(box, recogniser)]
    names, features = [look.sculpt for look in looks], np.array([look.seen.features for look in looks])
    middle, stretch = discriminants(names, features)
    np.savez(options.to, middle=middle.astype(np.float16), stretch=stretch.astype(np.float16))
    print(f"{len(looks)} looks at {len(set(names))} sculpts")


def of_box(number: int, recogniser: Recogniser) -> Iterator[Look]:
    """The figures of one box on its tables, each with and without the picture of the empty table."""
    rng = np.random.default_rng([901, number])
    box: Box = {posture: [toy(posture, rng) for _ in range(_SCULPTS)] for posture in POSTURES}
    for table in range(_TABLES):
        drawn: list[str] = []
        for way, (scene, view, places) in enumerate(
            views(np.random.default_rng([902, number, table]), _drawn_from(box, drawn))
        ):
            aside = np.random.default_rng([903, number, table])
            hints = [Hint(place + aside.normal(0, _ASIDE_IN * PX_PER_IN, 2), 1.0, ZOOM) for place in places]
            looks = recogniser.looks(view, hints)
            for name, figure, look in zip(drawn, scene.figures, looks, strict=True):
                if look.second is not None and figure.part >= _SEEN:
                    yield Look(f"{number} {name}", figure.posture, f"{number} {table} {way}", look.candidate)


def _drawn_from(box: Box, drawn: list[str]) -> worlds.Toys:
    """Takes toys from this box, and records which ones in `drawn`."""

    def pick(posture: Posture, rng: Rng) -> Toy:
        k = int(rng.integers(_SCULPTS))
        drawn.append(f"{posture} {k}")
        return box[posture][k]

    return pick


def discriminants(names: list[str], features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(F,) the mean, and (F, `_DIRECTIONS`) the projection of differences from it."""
    middle = features.mean(axis=0)
    away = features - middle
    within = np.zeros((len(middle), len(middle)))
    owners = np.array(names)
    for name in dict.fromkeys(names):
        own = features[owners == name]
        within += (own - own.mean(axis=0)).T @ (own - own.mean(axis=0))
    within /= len(features)
    within += _SHRINK * np.trace(within) / len(within) * np.eye(len(within))
    values, vectors = np.linalg.eigh(within)
    whiten = vectors / np.sqrt(values)
    _, turn = np.linalg.eigh(whiten.T @ (away.T @ away / len(features)) @ whiten)
    return middle, (whiten @ turn)[:, ::-1][:, :_DIRECTIONS]


if __name__ == "__main__":
    main()
