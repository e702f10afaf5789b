"""Similarity of two figures' looks, from the networks' last hidden layers.

Those layers mostly encode where a figure looks and how far it leans. `training.finder.likeness` learned, from
random toys seen several times each, which directions stay the same for one sculpt and differ between two.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources

import numpy as np

from vision.palette import FloatImage

DIRECTIONS = 48
"""Length of a signature."""
_FILES = ("judge.onnx", "closer.onnx", "likeness.npz")
_LEAST = 1e-6


def signature(features: FloatImage) -> FloatImage:
    """(48,) unit vector of a `Candidate`'s features, (224,); its dot product with another is 1 for the same look."""
    middle, stretch = _metric()
    return unit(np.asarray((features - middle) @ stretch, np.float32))


def unit(direction: FloatImage) -> FloatImage:
    """The vector scaled to length 1."""
    return np.asarray(direction / max(float(np.linalg.norm(direction)), _LEAST), np.float32)


@cache
def version() -> str:
    """Version of the networks; signatures of different versions cannot be compared."""
    digest = hashlib.sha256()
    for name in _FILES:
        digest.update(resources.files("vision").joinpath(name).read_bytes())
    return digest.hexdigest()[:12]


@cache
def _metric() -> tuple[FloatImage, FloatImage]:
    with resources.files("vision").joinpath("likeness.npz").open("rb") as file, np.load(file) as stored:
        return np.asarray(stored["middle"], np.float32), np.asarray(stored["stretch"], np.float32)
