"""Explain why a picture cannot be calibrated, or only poorly: list everything that looks like a marker but is unusable.

This tries every dictionary of OpenCV and takes up to a second, so it runs only on request.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from calibration.calibration_targets import CalibrationTargets, fix, see
from calibration.camera import Lens
from calibration.marker_issue import MarkerIssue, Reason, outline_of
from calibration.markers import SMALLEST_SIDE_PX, ImageGray, dictionary_of, scan_markers, side_px
from calibration.opencv import cv2
from rules.tabletop.errors import UserError
from rules.tabletop.table import FloatArray
from rules.tabletop.translation import tr

# Each family's dictionaries from the smallest: a larger one contains the markers of the smaller ones.
_FAMILIES = (
    *(tuple(f"{cells}X{cells}_{count}" for count in (50, 100, 250, 1000)) for cells in (4, 5, 6, 7)),
    ("ARUCO_ORIGINAL",),
    ("ARUCO_MIP_36h12",),
    ("APRILTAG_16h5",),
    ("APRILTAG_25h9",),
    ("APRILTAG_36h11",),
)

_MAX_ISSUES = 12
_MAX_AREA_RATIO = 4.0  # unread markers have about the size of those that were read
_SMALL_WINDOW_PX = 15
_MIN_AREA_PX2, _MIN_INK_SHARE = 70.0, 0.45
_MAX_INK_TO_PAPER = 0.6  # a marker's border is darker than this fraction of the paper around it
_LIGHT_SHARE, _LIGHT_LEVEL = (0.08, 0.95), 0.3  # share of the code that is paper; level from ink (0) to paper (1)
_GLARE = 250
_MAX_GLARE_SHARE = 0.08
_MAX_EDGE_WIDTH_CELLS = 0.5  # an edge as wide as half a cell of six makes the code hard to read
_EDGE_MARGIN_PX = 2


def why_not(gray: ImageGray, prints: CalibrationTargets, lens: Lens | None = None) -> tuple[MarkerIssue, ...]:
    """Everything in the picture (height, width) that looks like a marker but is not used, each place once."""
    if prints.board is not None:
        return _mirrored_or_foreign(gray, prints.dictionary)
    detections = see(gray, prints)
    try:
        known = fix(detections, prints, lens).set_aside
    except UserError:
        known = detections.set_aside
    good = [corners.mean(0) for corners in detections.corners_px.values()]
    issues = list(known)
    if not detections.corners_px:
        issues += _mirrored_or_foreign(gray, prints.dictionary)
    handled = good + [np.mean(issue.outline_px, axis=0) for issue in issues]
    for outline in similar_in_size(marker_like_outlines(gray), [*detections.corners_px.values()])[:_MAX_ISSUES]:
        polygon = outline.astype(np.float32)
        if not any(cv2.pointPolygonTest(polygon, (float(x), float(y)), False) >= 0 for x, y in handled):
            issues.append(issue_of(gray, outline))
            handled.append(outline.mean(0))
    return tuple(issues)


def similar_in_size(outlines: list[FloatArray], markers: list[FloatArray]) -> list[FloatArray]:
    """The outlines of about the size of `markers`; all outlines if there are no markers."""
    if not markers:
        return outlines
    typical = float(np.median([_area(corners) for corners in markers]))
    return [o for o in outlines if 1 / _MAX_AREA_RATIO < _area(o) / typical < _MAX_AREA_RATIO]


def _mirrored_or_foreign(gray: ImageGray, dictionary: str) -> tuple[MarkerIssue, ...]:
    """Mirrored markers, or those of the other dictionary family of which the picture shows most."""
    flipped = np.ascontiguousarray(gray[:, ::-1])
    mirrored = [
        MarkerIssue(
            outline_of(np.asarray(seen.corners_px) * (-1, 1) + (gray.shape[1] - 1, 0)),
            Reason.MIRRORED,
            f"marker {seen.id} is mirrored: turn off mirroring in the camera's settings",
            seen.id,
        )
        for seen in scan_markers(flipped, dictionary).found
    ]
    others = [tuple(_foreign_markers(gray, family, dictionary)) for family in _FAMILIES]
    return max([tuple(mirrored), *others], key=len)


def _foreign_markers(gray: ImageGray, family: Sequence[str], dictionary: str) -> Iterator[MarkerIssue]:
    for seen in scan_markers(gray, family[-1]).found:
        name = next(n for n in family if seen.id < len(dictionary_of(n).bytesList))
        if name != dictionary.upper().removeprefix("DICT_"):
            sentence = tr(
                "this is marker {id} of dictionary {name}, not of {dictionary}: choose dictionary"
                " {name}, or print markers of {dictionary}",
                id=seen.id,
                name=name,
                dictionary=dictionary,
            )
            yield MarkerIssue(outline_of(seen.corners_px), Reason.WRONG_DICTIONARY, sentence, seen.id)


def marker_like_outlines(gray: ImageGray) -> list[FloatArray]:
    """Outlines (N, 2) of dark shapes with light parts inside and paper around them, the largest first."""
    found = _outlines(gray, max(31, gray.shape[1] // 16 | 1))
    found += [o for o in _outlines(gray, _SMALL_WINDOW_PX) if _area(o) < SMALLEST_SIDE_PX**2 and len(o) == 4]
    return sorted(found, key=lambda outline: -_area(outline))


def _outlines(gray: ImageGray, window_px: int) -> list[FloatArray]:
    dark = cv2.adaptiveThreshold(gray, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, window_px, 12)
    contours, tree = cv2.findContours(dark, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    outer = [np.asarray(contour, np.int32) for k, contour in enumerate(contours) if tree[0][k][3] < 0]
    outlines = [outline for contour in outer if (outline := marker_outline(contour)) is not None]
    return [o for o in outlines if is_squarish(o, touches_edge(o, gray)) and is_on_paper(gray, o)]


def marker_outline(contour: npt.NDArray[np.int32]) -> FloatArray | None:
    """The polygon (3 to 6, 2) around a contour, or None if the contour does not fill it as a marker's ink does."""
    hull = cv2.convexHull(contour)
    area = cv2.contourArea(hull)
    if area < _MIN_AREA_PX2 or cv2.contourArea(contour) < _MIN_INK_SHARE * area:
        return None
    outline = cv2.approxPolyDP(hull, 0.04 * cv2.arcLength(hull, True), True).reshape(-1, 2).astype(np.float64)
    return outline if 3 <= len(outline) <= 6 else None


def _area(outline: FloatArray) -> float:
    return float(cv2.contourArea(outline.astype(np.float32)))


def is_squarish(outline: FloatArray, cut: bool) -> bool:
    """Whether the outline is at least half as wide as long, or a tenth where the picture's edge cuts it off."""
    (_, (width, height), _) = cv2.minAreaRect(outline.astype(np.float32))
    return bool(min(width, height) > (0.1 if cut else 0.5) * max(width, height))


def touches_edge(outline: FloatArray, gray: ImageGray) -> bool:
    """Whether the outline comes within two pixels of the picture's edge."""
    last = (gray.shape[1] - 1 - _EDGE_MARGIN_PX, gray.shape[0] - 1 - _EDGE_MARGIN_PX)
    return bool((outline <= _EDGE_MARGIN_PX).any() or (outline >= last).any())


def is_on_paper(gray: ImageGray, outline: FloatArray) -> bool:
    """Whether the outline's border is ink, the ring around it is even paper, and some of the inside is light."""
    code, inner, border, wide, outer = (
        scaled_mask(gray, outline, factor) > 0 for factor in (0.65, 0.7, 0.95, 1.15, 1.3)
    )
    ink, paper, inside = gray[border & ~inner], gray[outer & ~wide], gray[code]
    if not len(ink) or not len(paper) or not len(inside):
        return False
    black, white = float(np.percentile(ink, 30)), float(np.median(paper))
    light = float((inside > black + _LIGHT_LEVEL * (white - black)).mean())
    even = float(np.percentile(paper, 25)) > 0.7 * white
    return black < _MAX_INK_TO_PAPER * white and even and _LIGHT_SHARE[0] < light < _LIGHT_SHARE[1]


def scaled_mask(gray: ImageGray, outline: FloatArray, factor: float) -> ImageGray:
    """Mask (height, width), 0 or 255, of an outline scaled by `factor` about its centre."""
    mask = np.zeros_like(gray)
    enlarged = outline.mean(0) + (outline - outline.mean(0)) * factor
    cv2.fillConvexPoly(mask, np.round(enlarged).astype(np.int32), 255)
    return mask


def issue_of(gray: ImageGray, outline: FloatArray) -> MarkerIssue:
    """The most likely reason why something that looks like a marker was not read."""
    side = float(np.sqrt(_area(outline)))
    shape = outline_of(outline)
    if touches_edge(outline, gray):
        sentence = tr(
            "a marker is cut off at the edge of the picture: move the marker or the camera until it is fully in"
        )
        return MarkerIssue(shape, Reason.CUT_OFF, sentence)
    if side < SMALLEST_SIDE_PX:
        sentence = tr(
            "this may be a marker, but it is too small to read ({side} px wide; {needed:.0f}"
            " needed): move the camera closer, or print larger markers",
            side=math.floor(side),
            needed=SMALLEST_SIDE_PX,
        )
        return MarkerIssue(shape, Reason.TOO_SMALL, sentence)
    if glare_share(gray, outline) > _MAX_GLARE_SHARE:
        sentence = tr("glare hides the code of a marker: turn the lamp, or move the marker out of the reflection")
        return MarkerIssue(shape, Reason.GLARE, sentence)
    if edge_width_px(gray, outline) > _MAX_EDGE_WIDTH_CELLS * side / 6:
        sentence = tr("a marker is too blurred to read: focus the camera and keep it still")
        return MarkerIssue(shape, Reason.BLURRED, sentence)
    sentence = tr(
        "this looks like a marker, but no marker of the dictionary matches it: uncover or"
        " flatten it, or check the dictionary"
    )
    return MarkerIssue(shape, Reason.UNREADABLE, sentence)


def glare_share(gray: ImageGray, outline: FloatArray) -> float:
    """Share of the marker's area in its largest saturated region; single white cells stay below the limit."""
    inside = (scaled_mask(gray, outline, 1.0) > 0) & (gray >= _GLARE)
    count, _, stats, _ = cv2.connectedComponentsWithStats(inside.astype(np.uint8))
    largest = max((int(stats[k, cv2.CC_STAT_AREA]) for k in range(1, count)), default=0)
    return largest / max(1.0, _area(outline))


def edge_width_px(gray: ImageGray, outline: FloatArray) -> float:
    """Width of the transition from ink to paper at the sides' midpoints: contrast over the steepest slope."""
    midpoints = (outline + np.roll(outline, -1, 0)) / 2
    outward = midpoints - outline.mean(0)
    outward /= np.linalg.norm(outward, axis=1)[:, None]
    reach_px = 0.35 * side_px(outline) if len(outline) == 4 else 10.0
    steps = np.arange(-reach_px, reach_px, 0.5)
    line = (midpoints[:, None] + outward[:, None] * steps[:, None]).astype(np.float32)
    seen = np.asarray(cv2.remap(gray, line[..., 0], line[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))
    profile = seen.astype(np.float64)
    slope = np.diff(profile, axis=1).max(1) / 0.5
    return float(np.median(np.ptp(profile, axis=1) / np.maximum(slope, 1e-6)))
