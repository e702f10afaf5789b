"""Proposes tiles on a rectified image so that each spot of an army's plastic lies well inside one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from calibration.opencv import cv2
from rules.tabletop.table import FloatArray, PointIn
from vision.ground import Ground
from vision.palette import FloatImage
from vision.segment import EVIDENCE_LIMIT, disc
from vision.tiles import TILE_PX_PER_IN, Place, tile_at

_STEP = 2  # rectified pixels per pixel of the coarse evidence that is searched
_CORE_IN = 0.3  # radius over which evidence is averaged: a base or a trunk
_SURROUND_IN = 1.3  # radius of its surroundings
_MIN_RISE = 0.17  # of the evidence limit: excess of the core over its surroundings
_MIN_CORE = 0.05  # of the evidence limit: evidence of the core itself
_COVERED_IN = 0.9  # a spot this near to the middle of a tile needs no tile of its own
_WAIST_IN = 0.6  # mean height of what is seen of a figure
_MAX_TILES = 120  # per rectified image; more mean that the whole table has the colour of an army


def propose_tiles(
    ground: Ground, evidence: FloatImage, scale: float, expected_in: Sequence[PointIn] = ()
) -> Iterator[Place]:
    """Tiles to search, the most promising first.

    Args:
        ground: The ground, R rows and C columns.
        evidence: (R, C) of the likeliest army at each pixel.
        scale: The figures' standing height / 2.1 in.
        expected_in: Where figures stood a moment ago.
    """
    px_per_in = ground.image.px_per_in * scale / _STEP
    rise = _rise(evidence, px_per_in)
    room = cv2.dilate(ground.inside.astype(np.uint8), disc(2 * _COVERED_IN * px_per_in))
    rise[cv2.resize(room, rise.shape[::-1], interpolation=cv2.INTER_NEAREST) == 0] = 0
    covered = math.ceil(_COVERED_IN * px_per_in)
    for x, y in expected_in:
        place = tile_around(ground, np.array([x, y]), scale)
        at = np.round(np.array([place.column, place.row]) / _STEP).astype(int)
        if 0 <= at[0] < rise.shape[1] and 0 <= at[1] < rise.shape[0]:
            cv2.circle(rise, at.tolist(), covered, 0, -1)
            yield place
    for _ in range(_MAX_TILES):
        _, height, _, (column, row) = cv2.minMaxLoc(rise)
        if height < _MIN_RISE * EVIDENCE_LIMIT:
            return
        cv2.circle(rise, (column, row), covered, 0, -1)
        seen_in = ground.image.to_table(column * _STEP + _STEP / 2, row * _STEP + _STEP / 2)
        eye = ground.image.eye_in
        foot_in = seen_in - (seen_in - eye[:2]) * (_WAIST_IN * scale / (eye[2] - ground.image.z_in))
        yield tile_around(ground, foot_in, scale)


def tile_around(ground: Ground, at_in: FloatArray, scale: float) -> Place:
    """The tile centred on a place, (2,) inches."""
    image = ground.image
    return tile_at(ground.eye_px, image.to_pixel(at_in[None])[0], image.px_per_in * scale / TILE_PX_PER_IN)


def _rise(evidence: FloatImage, px_per_in: float) -> FloatImage:
    """Excess of each spot's evidence over that of its surroundings."""
    rows, columns = evidence.shape
    small = cv2.resize(evidence, (columns // _STEP, rows // _STEP), interpolation=cv2.INTER_AREA)
    small = np.clip(small, -0.25 * EVIDENCE_LIMIT, EVIDENCE_LIMIT)
    core, wide = (
        cv2.blur(small, (2 * round(r * px_per_in) + 1,) * 2, borderType=cv2.BORDER_REPLICATE)
        for r in (_CORE_IN, _SURROUND_IN)
    )
    return np.where(core > _MIN_CORE * EVIDENCE_LIMIT, core - 0.85 * np.maximum(wide, -0.1), 0).astype(np.float32)
