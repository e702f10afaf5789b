"""Marks on dice: pips, pluses, minuses and the dice's own bodies, found as compact blobs of one tone.

Light marks show best in the smallest of a pixel's channels and dark ones in the largest (black on blue, white on
yellow), inks of one hue the other way round (red on white). So both are searched for light and for dark marks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from calibration.opencv import cv2
from rules.tabletop.table import FloatArray
from vision.frame import ImageBgr

Plane = npt.NDArray[np.uint8]

_STEP = math.sqrt(2)
_KEPT_PX = 8.0  # largest diameter of a mark in the pyramid level in which it is searched
_CONTRAST = 12.0  # least grey levels between a mark and its surroundings, averaged over squares
_GRAIN = 5.0  # least response / the picture's median: felt and card have spots of their own
_SAME_SEED = 0.35  # diameters between seeds of one mark
_OUTDONE = 0.75  # of a neighbour's response: a weaker seed of another size belongs to the same mark
_RING = 12  # directions in which the surroundings must differ from the mark
_RING_SHARE = 0.55  # of the median contrast, in the third worst direction
_MOST_SEEDS = 300  # per size and polarity; the strongest are kept
_PATCH = 48  # side in pixels of the patch in which a mark is measured
_SMOOTHED = 2.5  # enlargement above which cubic interpolation is needed
_MARK = 14.0  # diameter of the mark in the patch
_SAME_SHAPE = 0.12  # difference of area / hull between two views of one mark: a sign on a die is not the die
_TOUCH = 2  # pixels from the edge of the patch that a mark must keep


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """Marks in a picture, one per row.

    Attributes:
        centre_px: (N, 2).
        spread_px2: (N, 2, 2) covariance of the mark's area; for a disc of radius r, r^2 / 4 times the identity.
        area_px2: (N,).
        ellipse: (N,) area / that of the ellipse of the same spread: 1 for an ellipse, 0.955 for a square or a bar.
        solid: (N,) area / that of its convex hull.
        tone: (N,) grey levels of the mark minus its surroundings, in the channel with the most contrast.
        ink_bgr, ground_bgr: (N, 3) colours of the mark and of its surroundings.
    """

    centre_px: FloatArray
    spread_px2: FloatArray
    area_px2: FloatArray
    ellipse: FloatArray
    solid: FloatArray
    tone: FloatArray
    ink_bgr: FloatArray
    ground_bgr: FloatArray

    def __len__(self) -> int:
        return len(self.area_px2)

    def __getitem__(self, rows: npt.NDArray[np.intp] | npt.NDArray[np.bool_]) -> Marks:
        return Marks(*(getattr(self, name)[rows] for name in self.__slots__))

    @property
    def radius_px(self) -> FloatArray:
        """(N,) radius of the disc with the same spread."""
        return np.asarray(2 * np.linalg.det(self.spread_px2) ** 0.25)


def find_marks(image_bgr: ImageBgr, smallest_px: float, largest_px: float) -> Marks:
    """All compact marks that are lighter or darker than their surroundings.

    Args:
        image_bgr: (height, width, 3) uint8.
        smallest_px, largest_px: Smallest and largest diameter.
    """
    blue, green, red = cv2.split(image_bgr)
    planes = (cv2.min(cv2.min(blue, green), red), cv2.max(cv2.max(blue, green), red))
    levels = [level for plane in planes for level in _levels(np.asarray(plane, np.uint8), smallest_px, largest_px)]
    seeds = _best([_seeds(k, *level) for k, level in enumerate(levels)])
    rows: list[tuple[float, ...]] = []
    for k, (plane, factor, diameter) in enumerate(levels):
        own = seeds[seeds[:, _Seed.LEVEL] == k]
        rows += _measured(plane, own[:, : _Seed.X_PX], own[:, _Seed.SIGN], diameter, factor)
    return _coloured(_distinct(_marks(rows)), image_bgr)


class _Seed(IntEnum):
    """Columns of seeds: place in the pyramid level, place and diameter in the picture, response, light 1 or dark -1."""

    COLUMN = 0
    ROW = 1
    X_PX = 2
    Y_PX = 3
    DIAMETER_PX = 4
    RESPONSE = 5
    SIGN = 6
    LEVEL = 7


def _best(found: Sequence[FloatArray]) -> FloatArray:
    """Seeds without a stronger neighbour of about the same size in either channel."""
    seeds = np.concatenate(found)
    seeds = seeds[np.argsort(-seeds[:, _Seed.RESPONSE], kind="stable")]
    if not len(seeds):
        return seeds
    at, sizes = seeds[:, _Seed.X_PX : _Seed.DIAMETER_PX], seeds[:, _Seed.DIAMETER_PX]
    kept = np.ones(len(seeds), np.bool_)
    for k, near in enumerate(cKDTree(at).query_ball_point(at, _SAME_SEED * sizes)):
        if kept[k]:
            later = np.array([i for i in near if i > k], np.intp)
            ratio = sizes[later] / sizes[k]
            alike = seeds[later, _Seed.SIGN] == seeds[k, _Seed.SIGN]
            weak = seeds[later, _Seed.RESPONSE] < _OUTDONE * seeds[k, _Seed.RESPONSE]
            kept[later[alike & (ratio > 0.6) & (ratio < 1.67) & weak]] = False
    return np.asarray(seeds[kept])


def _levels(plane: Plane, smallest_px: float, largest_px: float) -> Iterator[tuple[Plane, float, float]]:
    """(picture, original pixels per pixel of it, diameter searched in it) for every size."""
    factor, diameter = 1.0, smallest_px
    while diameter * factor <= largest_px and min(plane.shape) > 4 * diameter:
        yield plane, factor, diameter
        diameter *= _STEP
        if diameter > _KEPT_PX:
            plane = np.asarray(cv2.pyrDown(plane), np.uint8)
            factor, diameter = factor * 2, diameter / 2


def _seeds(level: int, plane: Plane, factor: float, diameter: float) -> FloatArray:
    """(N, 8) centres that differ from all their surroundings; columns as in `_Seed`."""
    inner, outer = (2 * round(size / 2 - 0.5) + 1 for size in (0.75 * diameter, 2.4 * diameter))
    smooth = cv2.blur(plane, (inner, inner), borderType=cv2.BORDER_REPLICATE)
    wide = cv2.blur(plane, (outer, outer), borderType=cv2.BORDER_REPLICATE)
    stands = cv2.subtract(smooth, wide, dtype=cv2.CV_16S)
    kernel = np.ones((max(inner, 3),) * 2, np.uint8)
    least = max(_CONTRAST * 0.6, _GRAIN * float(np.median(np.abs(stands[::4, ::4]))))
    found = []
    for sign, most in ((1, cv2.dilate(stands, kernel)), (-1, cv2.erode(stands, kernel))):
        peak = cv2.compare(stands, most, cv2.CMP_EQ)
        strong = cv2.compare(stands, np.array([sign * least]), cv2.CMP_GT if sign > 0 else cv2.CMP_LT)
        places = cv2.findNonZero(cv2.bitwise_and(peak, strong))
        if places is None:
            continue
        at = places.reshape(-1, 2).astype(np.intp)
        at = at[_has_contrast_around(np.asarray(smooth, np.uint8), at, diameter, sign)]
        response = sign * stands[at[:, 1], at[:, 0]].astype(float)
        order = np.argsort(-response, kind="stable")[:_MOST_SEEDS]
        at, rest = at[order], np.ones(len(order))
        place = (at + 0.5) * factor - 0.5
        found.append(np.c_[at, place, rest * diameter * factor, response[order], rest * sign, rest * level])
    return np.concatenate([np.empty((0, len(_Seed))), *found])


def _has_contrast_around(smooth: Plane, at: npt.NDArray[np.intp], diameter: float, sign: int) -> npt.NDArray[np.bool_]:
    """Whether the surroundings of each centre differ from it in all directions but two: a six has pips in a row."""
    turn = np.arange(_RING) * 2 * np.pi / _RING
    ring = np.round(at[:, None] + 1.05 * diameter * np.c_[np.cos(turn), np.sin(turn)]).astype(np.intp)
    height, width = smooth.shape
    tones = smooth[ring[..., 1].clip(0, height - 1), ring[..., 0].clip(0, width - 1)].astype(float)
    differ = sign * (smooth[at[:, 1], at[:, 0], None].astype(float) - tones)
    return np.asarray(
        (np.sort(differ, axis=1)[:, 2] > _RING_SHARE * np.median(differ, axis=1))
        & (np.median(differ, axis=1) > _CONTRAST)
    )


def _measured(
    plane: Plane, at: FloatArray, signs: FloatArray, diameter: float, factor: float
) -> list[tuple[float, ...]]:
    """One row for each seed that is a mark of about this size."""
    zoom = _MARK / diameter
    smooth = cv2.INTER_CUBIC if zoom > _SMOOTHED else cv2.INTER_LINEAR
    middle = (_PATCH - 1) / 2
    away = np.hypot(*(np.indices((_PATCH, _PATCH)) - _PATCH // 2)).ravel()
    inside, ring = np.flatnonzero(away < 0.3 * _MARK), np.flatnonzero((away > 0.95 * _MARK) & (away < 1.25 * _MARK))
    rows = []
    for (x, y), sign in zip(at, signs, strict=True):
        back = np.array([[1 / zoom, 0, x - middle / zoom], [0, 1 / zoom, y - middle / zoom]])
        patch = cv2.warpAffine(
            plane,
            back,
            (_PATCH, _PATCH),
            flags=smooth | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
        flat = patch.ravel()
        ink = float(np.sort(flat[inside])[int(len(inside) * (0.7 if sign > 0 else 0.3))])
        ground = float(np.sort(flat[ring])[len(ring) // 2])
        if sign * (ink - ground) < _CONTRAST:
            continue
        shape = _component(_threshold(np.asarray(patch, np.uint8), (ink + ground) / 2, sign), inside)
        if shape is None:
            continue
        area, hull, moments = shape
        centre = np.array([moments["m10"], moments["m01"]]) / moments["m00"]
        spread = np.array([moments["mu20"], moments["mu11"], moments["mu11"], moments["mu02"]]) / moments["m00"]
        place = ((centre - middle) / zoom + [x, y] + 0.5) * factor - 0.5
        scale = (factor / zoom) ** 2
        determinant = spread[0] * spread[3] - spread[1] ** 2
        if determinant <= 0:
            continue
        rows.append(
            (
                *place, *(spread * scale), area * scale, area / (4 * math.pi * math.sqrt(determinant)), area / hull,
                ink - ground,
            )
        )  # fmt: skip
    return rows


def _threshold(patch: Plane, tone: float, sign: float) -> Plane:
    return np.asarray((patch > tone) if sign > 0 else (patch < tone), np.uint8)


def _component(
    mask: npt.NDArray[np.uint8], inside: npt.NDArray[np.intp]
) -> tuple[float, float, dict[str, float]] | None:
    """Area, area of the hull, and moments of the filled component in the middle; None if it leaves the patch."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
    counts = np.bincount(labels.ravel()[inside])
    counts[0] = 0
    label = int(counts.argmax())
    if counts[label] < 0.3 * len(inside):
        return None
    left, top, width, height = stats[label, :4]
    if min(left, top) < _TOUCH or max(left + width, top + height) > _PATCH - _TOUCH:
        return None
    contours, _ = cv2.findContours((labels == label).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    contour = max(contours, key=cv2.contourArea)
    filled = np.zeros_like(mask)
    cv2.drawContours(filled, [contour], -1, 1, -1)
    moments = cv2.moments(filled, binaryImage=True)
    hull = np.zeros_like(mask)
    cv2.fillConvexPoly(hull, cv2.convexHull(contour), 1)
    return moments["m00"], float(cv2.countNonZero(hull)), moments


def _coloured(marks: Marks, image_bgr: ImageBgr) -> Marks:
    """The marks with their median colours and those of their surroundings."""
    turn = np.arange(16) * np.pi / 8
    rays = np.c_[np.cos(turn), np.sin(turn)]
    height, width = image_bgr.shape[:2]
    found = []
    for reaches in ((0.0, 0.3, 0.55), (1.45, 1.65)):
        away = np.concatenate([reach * rays for reach in reaches])
        points = np.round(marks.centre_px[:, None] + marks.radius_px[:, None, None] * away).astype(np.intp)
        pixels = image_bgr[points[..., 1].clip(0, height - 1), points[..., 0].clip(0, width - 1)]
        found.append(np.median(pixels, axis=1))
    return replace(marks, ink_bgr=found[0], ground_bgr=found[1])


def _marks(rows: list[tuple[float, ...]]) -> Marks:
    table = np.array(rows, np.float64).reshape(len(rows), 10)
    none = np.zeros((len(rows), 3))
    area, ellipse, solid, tone = table[:, 6:].T
    return Marks(table[:, :2], table[:, 2:6].reshape(-1, 2, 2), area, ellipse, solid, tone, none, none)


def _distinct(marks: Marks) -> Marks:
    """Without duplicates of other sizes or channels; the one with the most contrast is kept."""
    if not len(marks):
        return marks
    order = np.argsort(-np.abs(marks.tone) * marks.ellipse, kind="stable")
    marks = marks[order]
    radius = marks.radius_px
    kept = np.ones(len(marks), np.bool_)
    for k, others in enumerate(cKDTree(marks.centre_px).query_ball_point(marks.centre_px, 0.6 * radius)):
        later = np.array([i for i in others if i > k], np.intp)
        if kept[k]:
            ratio = radius[later] / radius[k]
            same = (ratio > 0.6) & (ratio < 1.67) & (np.abs(marks.solid[later] - marks.solid[k]) < _SAME_SHAPE)
            kept[later[same]] = False
    return marks[kept]
