"""Marks on dice: pips, pluses, minuses and the dice's own bodies, found as compact blobs of one tone.

Light marks show best in the smallest of a pixel's channels and dark ones in the largest (black on blue, white on
yellow), inks of one hue the other way round (red on white): both are searched, for both polarities.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from calibration.opencv import cv2
from rules.table import FloatArray
from vision.frame import ImageBgr

Plane = npt.NDArray[np.uint8]

_STEP = math.sqrt(2)
_KEPT_PX = 8.0  # diameter that a mark has at most in the level of the pyramid where it is sought
_CONTRAST = 12.0  # grey levels between a mark and what is round it, averaged over squares
_GRAIN = 5.0  # times what is usual in the picture: felt and card have spots of their own
_RING = 12  # directions that must all be lighter (or darker) than the mark
_RING_SHARE = 0.55  # of the contrast, in the worst direction but one
_MOST_SEEDS = 300  # a size, a polarity; the strongest go on
_PATCH = 48  # pixels a side of the patch that a mark is measured in
_MARK = 14.0  # of the patch: the diameter sought
_SAME_SHAPE = 0.12  # difference of area over hull: a sign on a die is not the die
_TOUCH = 2  # pixels at the patch's rim that a mark may not reach


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """Marks in a picture, one a row.

    Attributes:
        centre_px: (N, 2).
        spread_px2: (N, 2, 2) covariance of the mark's area; of a disc of radius r it is r^2 / 4 times one.
        area_px2: (N,).
        ellipse: (N,) area over that of the ellipse of the same spread: 1 for an ellipse, 0.955 for a square or a bar.
        solid: (N,) area over that of its convex hull.
        tone: (N,) grey levels of the mark less those round it, in the channel that shows it best.
        ink_bgr, ground_bgr: (N, 3) colour of the mark and of what is round it.
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
        """(N,) radius of the disc with as large a spread."""
        return np.asarray(2 * np.linalg.det(self.spread_px2) ** 0.25)


def find_marks(image_bgr: ImageBgr, smallest_px: float, largest_px: float) -> Marks:
    """Every compact mark, lighter or darker than what is round it.

    Args:
        image_bgr: (height, width, 3) uint8.
        smallest_px, largest_px: diameters of the smallest and the largest mark sought.
    """
    low, high = image_bgr.min(axis=2), image_bgr.max(axis=2)
    rows: list[tuple[float, ...]] = []
    for plane in (low, high):
        for level, factor, diameter in _levels(plane, smallest_px, largest_px):
            seeds, signs = _seeds(level, diameter)
            rows += _measured(level, seeds, signs, diameter, factor)
    return _coloured(_distinct(_marks(rows)), image_bgr)


def _levels(plane: Plane, smallest_px: float, largest_px: float) -> Iterator[tuple[Plane, float, float]]:
    """(picture, pixels of the original to one of it, diameter sought in it) for every size."""
    factor, diameter = 1.0, smallest_px
    while diameter * factor <= largest_px and min(plane.shape) > 4 * diameter:
        yield plane, factor, diameter
        diameter *= _STEP
        if diameter > _KEPT_PX:
            plane = np.asarray(cv2.pyrDown(plane), np.uint8)
            factor, diameter = factor * 2, diameter / 2


def _seeds(plane: Plane, diameter: float) -> tuple[npt.NDArray[np.intp], FloatArray]:
    """(N, 2) columns and rows of middles that all their surroundings differ from, and (N,) +1 light or -1 dark."""
    inner, outer = (2 * round(size / 2 - 0.5) + 1 for size in (0.75 * diameter, 2.4 * diameter))
    smooth = cv2.blur(plane, (inner, inner), borderType=cv2.BORDER_REPLICATE)
    wide = cv2.blur(plane, (outer, outer), borderType=cv2.BORDER_REPLICATE)
    stands = cv2.subtract(smooth, wide, dtype=cv2.CV_16S)
    kernel = np.ones((max(inner, 3),) * 2, np.uint8)
    least = max(_CONTRAST * 0.6, _GRAIN * float(np.median(np.abs(stands[::4, ::4]))))
    places, signs = [], []
    for sign in (1, -1):
        response = np.asarray(stands * sign, np.int16)
        peak = (response == cv2.dilate(response, kernel)) & (response > least)
        at = np.argwhere(peak)[:, ::-1]
        at = at[_ringed(np.asarray(smooth, np.uint8), at, diameter, sign)]
        order = np.argsort(-response[at[:, 1], at[:, 0]], kind="stable")[:_MOST_SEEDS]
        places.append(at[order])
        signs.append(np.full(len(order), float(sign)))
    return np.concatenate(places), np.concatenate(signs)


def _ringed(smooth: Plane, at: npt.NDArray[np.intp], diameter: float, sign: int) -> npt.NDArray[np.bool_]:
    """Whether what is round each middle differs from it in all directions but one."""
    turn = np.arange(_RING) * 2 * np.pi / _RING
    ring = np.round(at[:, None] + 1.05 * diameter * np.c_[np.cos(turn), np.sin(turn)]).astype(np.intp)
    height, width = smooth.shape
    tones = smooth[ring[..., 1].clip(0, height - 1), ring[..., 0].clip(0, width - 1)].astype(float)
    differ = sign * (smooth[at[:, 1], at[:, 0], None].astype(float) - tones)
    return np.asarray(
        (np.sort(differ, axis=1)[:, 1] > _RING_SHARE * np.median(differ, axis=1))
        & (np.median(differ, axis=1) > _CONTRAST)
    )


def _measured(
    plane: Plane, at: npt.NDArray[np.intp], signs: FloatArray, diameter: float, factor: float
) -> list[tuple[float, ...]]:
    """One row for each seed that proves to be a mark of about this size."""
    zoom = _MARK / diameter
    middle = (_PATCH - 1) / 2
    disc = np.zeros((_PATCH, _PATCH), np.uint8)
    cv2.circle(disc, (_PATCH // 2, _PATCH // 2), int(0.35 * _MARK), 1, -1)
    inside = disc > 0
    away = np.hypot(*(np.indices((_PATCH, _PATCH)) - middle))
    ring = (away > 0.95 * _MARK) & (away < 1.25 * _MARK)
    inside_px, ring_px = int(inside.sum()), int(ring.sum())
    rows = []
    for (x, y), sign in zip(at, signs, strict=True):
        back = np.array([[1 / zoom, 0, x - middle / zoom], [0, 1 / zoom, y - middle / zoom]])
        patch = cv2.warpAffine(
            plane,
            back,
            (_PATCH, _PATCH),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
        ink = float(np.sort(patch[inside])[int(inside_px * (0.7 if sign > 0 else 0.3))])
        ground = float(np.sort(patch[ring])[ring_px // 2])
        if sign * (ink - ground) < _CONTRAST:
            continue
        half = (patch > (ink + ground) / 2) if sign > 0 else (patch < (ink + ground) / 2)
        shape = _component(half.astype(np.uint8), inside)
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


def _component(
    mask: npt.NDArray[np.uint8], inside: npt.NDArray[np.bool_]
) -> tuple[float, float, dict[str, float]] | None:
    """Area, area of the hull, and moments of the patch's middle component, filled; None if it leaves the patch."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
    counts = np.bincount(labels[inside])
    counts[0] = 0
    label = int(counts.argmax())
    if counts[label] < 0.3 * inside.sum():
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
    """The marks with their median colours in the middle and round it."""
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
    """Of marks found more than once, in other sizes or channels, the one that stands out most."""
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
