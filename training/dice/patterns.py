"""Random tiles for the ground under drawn dice: felt, wood, cloth, spots, cells, print and plain colours."""

from __future__ import annotations

import math

import numpy as np

from calibration.opencv import cv2

Array = np.ndarray
TILE_PX = 512


def pattern(rng: np.random.Generator) -> Array:
    """(512, 512, 3) float32 reflectance, RGB."""
    base, other = _colour(rng), _colour(rng)
    kind = rng.integers(8)
    near = base + (other - base) * rng.uniform(0.05, 0.3)
    makers = (_noise, _felt, _wood, _cloth, _spots, _cells, _print, _photo)
    share = makers[kind](rng)[..., None]
    ends = (base, other) if makers[kind] in (_spots, _cells, _print) and rng.random() < 0.7 else (base, near)
    tile = ends[0] + (ends[1] - ends[0]) * share
    return np.asarray(np.clip(tile * (1 + rng.uniform(0, 0.06) * rng.normal(size=share.shape)), 0.01, 0.95), np.float32)


def _colour(rng: np.random.Generator) -> Array:
    light = rng.uniform(0.02, 0.8)
    colour = light * np.exp(rng.normal(0, rng.choice([0.05, 0.5]), 3))
    if rng.random() < 0.3:  # wood and leather
        colour = light * np.array([1.0, 0.6, 0.35]) * np.exp(rng.normal(0, 0.1, 3))
    return np.clip(colour, 0.01, 0.9)


def _octaves(rng: np.random.Generator, first: float, count: int, stretch: float = 1.0) -> Array:
    made = np.zeros((TILE_PX, TILE_PX), np.float32)
    for k in range(count):
        cells = first * 2**k
        size = (max(2, int(cells)), max(2, int(cells * stretch)))
        noise = rng.uniform(0, 1, (min(size[1], TILE_PX), min(size[0], TILE_PX))).astype(np.float32)
        made += cv2.resize(noise, (TILE_PX, TILE_PX), interpolation=cv2.INTER_CUBIC) / 1.7**k
    made -= made.min()
    return made / made.max()


def _noise(rng: np.random.Generator) -> Array:
    return _octaves(rng, rng.uniform(2, 20), 5)


def _felt(rng: np.random.Generator) -> Array:
    return _octaves(rng, rng.uniform(40, 200), 3)


def _wood(rng: np.random.Generator) -> Array:
    grain = _octaves(rng, rng.uniform(1, 3), 5, rng.uniform(8, 40))
    rings = 0.5 + 0.5 * np.sin(grain * rng.uniform(5, 40))
    boards = (np.arange(TILE_PX) % int(rng.integers(60, 400)) < 3).astype(np.float32)[:, None]
    return np.clip(rng.uniform(0.2, 0.8) * rings + 0.4 * grain - boards, 0, 1)


def _cloth(rng: np.random.Generator) -> Array:
    y, x = np.mgrid[0:TILE_PX, 0:TILE_PX] * 2 * math.pi / rng.uniform(3, 60)
    return np.asarray(0.5 + 0.25 * np.sin(x) + 0.25 * np.sin(y * rng.choice([0, 1])) + 0.2 * (_felt(rng) - 0.5))


def _spots(rng: np.random.Generator) -> Array:
    canvas = np.zeros((TILE_PX, TILE_PX), np.float32)
    size = rng.uniform(2, 30)
    for _ in range(int(rng.integers(10, 400))):
        at = rng.integers(0, TILE_PX, 2).tolist()
        cv2.circle(canvas, at, max(1, int(size * rng.uniform(0.6, 1.4))), float(rng.uniform(0.4, 1)), -1, cv2.LINE_AA)
    return canvas


def _cells(rng: np.random.Generator) -> Array:
    step = int(rng.integers(12, 120))
    y, x = np.mgrid[0:TILE_PX, 0:TILE_PX]
    if rng.random() < 0.5:
        return ((x // step + y // step) % 2).astype(np.float32)
    thin = int(rng.integers(1, 6))
    return ((x % step < thin) | (y % step < thin)).astype(np.float32)


def _print(rng: np.random.Generator) -> Array:
    """Text, lines and figures, as on paper, boards and boxes."""
    canvas = np.zeros((TILE_PX, TILE_PX), np.float32)
    for _ in range(int(rng.integers(5, 60))):
        a, b = rng.integers(0, TILE_PX, 2).tolist(), rng.integers(0, TILE_PX, 2).tolist()
        kind, tone = rng.integers(4), float(rng.uniform(0.3, 1))
        if kind == 0:
            cv2.line(canvas, a, b, tone, int(rng.integers(1, 8)), cv2.LINE_AA)
        elif kind == 1:
            cv2.rectangle(canvas, a, [a[0] + int(rng.integers(5, 90)), a[1] + int(rng.integers(5, 90))], tone, -1)
        elif kind == 2:
            words = "".join(chr(c) for c in rng.integers(48, 123, int(rng.integers(1, 14))))
            cv2.putText(
                canvas,
                words,
                a,
                int(rng.integers(0, 5)),
                float(rng.uniform(0.4, 3)),
                tone,
                int(rng.integers(1, 5)),
                cv2.LINE_AA,
            )
        else:
            cv2.ellipse(
                canvas,
                a,
                rng.integers(4, 60, 2).tolist(),
                float(rng.uniform(0, 180)),
                0,
                360,
                tone,
                int(rng.choice([-1, 2, 4])),
            )
    return canvas


def _photo(rng: np.random.Generator) -> Array:
    """Soft blobs over noise, such as crumpled things out of focus."""
    soft = _octaves(rng, rng.uniform(3, 8), 3)
    return np.clip(np.round(soft * rng.uniform(2, 6)) / 5 + 0.3 * _octaves(rng, 60, 2), 0, 1)
