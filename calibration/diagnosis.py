"""Why a picture cannot be calibrated, or poorly: everything in it that looks like a marker and does not help.

For when somebody asks: it reads the picture with every dictionary that OpenCV has, and takes up to a second.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from calibration.calibration_targets import Prints, fix, see
from calibration.camera import Lens
from calibration.marker_issue import Reason, Trouble, outline_of
from calibration.markers import SMALLEST_SIDE_PX, ImageGray, dictionary_of, side_px, sort_markers
from calibration.opencv import cv2
from rules.tabletop.errors import UserError
from rules.tabletop.table import FloatArray

# Each family's dictionaries from the smallest: a larger one holds the markers of those before it.
_FAMILIES = (
    *(tuple(f"{cells}X{cells}_{count}" for count in (50, 100, 250, 1000)) for cells in (4, 5, 6, 7)),
    ("ARUCO_ORIGINAL",),
    ("ARUCO_MIP_36h12",),
    ("APRILTAG_16h5",),
    ("APRILTAG_25h9",),
    ("APRILTAG_36h11",),
)

_MOST_TOLD = 12
_ALIKE_IN_AREA = 4.0  # beside markers that are read, others of their print are of about their size
_SMALL_WINDOW_PX = 15
_LEAST_AREA_PX, _INK_OF_AREA = 70.0, 0.45
_INK_OF_PAPER = 0.6  # a marker's rim is darker than this part of the paper round it
_LIGHT_INSIDE, _LIT = (0.08, 0.95), 0.3  # part of a marker's code that is not ink: so far from ink to paper at least
_GLARE = 250
_GLARE_OF_AREA = 0.08
_SOFT_OF_CELL = 0.5  # an edge as wide as half a cell of six makes the code hard to read
_RIM_PX = 2


def why_not(gray: ImageGray, prints: Prints, lens: Lens | None = None) -> tuple[Trouble, ...]:
    """What looks like a marker in the picture (height, width) and is not measured by, each thing once."""
    if prints.board is not None:
        return _elsewhere(gray, prints.dictionary)
    sight = see(gray, prints)
    try:
        known = fix(sight, prints, lens).set_aside
    except UserError:
        known = sight.set_aside
    good = [corners.mean(0) for corners in sight.corners_px.values()]
    troubles = list(known)
    if not sight.corners_px:
        troubles += _elsewhere(gray, prints.dictionary)
    told = good + [np.mean(trouble.outline_px, axis=0) for trouble in troubles]
    for outline in _like(_squares(gray), [*sight.corners_px.values()])[:_MOST_TOLD]:
        if not any(cv2.pointPolygonTest(outline.astype(np.float32), (float(x), float(y)), False) >= 0 for x, y in told):
            troubles.append(_unread(gray, outline))
            told.append(outline.mean(0))
    return tuple(troubles)


def _like(outlines: list[FloatArray], markers: list[FloatArray]) -> list[FloatArray]:
    """Those about as large as the markers that were read, where there are any."""
    if not markers:
        return outlines
    usual = float(np.median([_area(corners) for corners in markers]))
    return [o for o in outlines if 1 / _ALIKE_IN_AREA < _area(o) / usual < _ALIKE_IN_AREA]


def _elsewhere(gray: ImageGray, dictionary: str) -> tuple[Trouble, ...]:
    """Markers of another dictionary, or seen in a mirror; those of the dictionary that shows most."""
    flipped = np.ascontiguousarray(gray[:, ::-1])
    mirrored = [
        Trouble(
            outline_of(np.asarray(seen.corners_px) * (-1, 1) + (gray.shape[1] - 1, 0)),
            Reason.MIRRORED,
            f"marker {seen.id} is seen mirrored: switch the mirroring of the picture off in the camera's settings",
            seen.id,
        )
        for seen in sort_markers(flipped, dictionary).found
    ]
    others = [tuple(_of_family(gray, family, dictionary)) for family in _FAMILIES]
    return max([tuple(mirrored), *others], key=len)


def _of_family(gray: ImageGray, family: Sequence[str], dictionary: str) -> Iterator[Trouble]:
    for seen in sort_markers(gray, family[-1]).found:
        name = next(n for n in family if seen.id < len(dictionary_of(n).bytesList))
        if name != dictionary.upper().removeprefix("DICT_"):
            words = (
                f"this is marker {seen.id} of {name}, not of {dictionary}: choose dictionary {name}, or print others"
            )
            yield Trouble(outline_of(seen.corners_px), Reason.WRONG_DICTIONARY, words, seen.id)


def _squares(gray: ImageGray) -> list[FloatArray]:
    """Outlines (N, 2) of dark things with light things in them and paper round them, the largest first."""
    found = _outlines(gray, max(31, gray.shape[1] // 16 | 1))
    found += [o for o in _outlines(gray, _SMALL_WINDOW_PX) if _area(o) < SMALLEST_SIDE_PX**2 and len(o) == 4]
    return sorted(found, key=lambda outline: -_area(outline))


def _outlines(gray: ImageGray, window_px: int) -> list[FloatArray]:
    dark = cv2.adaptiveThreshold(gray, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, window_px, 12)
    contours, tree = cv2.findContours(dark, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    outer = [np.asarray(contour, np.int32) for k, contour in enumerate(contours) if tree[0][k][3] < 0]
    outlines = [outline for contour in outer if (outline := _outline(contour)) is not None]
    return [o for o in outlines if _squarish(o, _touches_edge(o, gray)) and _on_paper(gray, o)]


def _outline(contour: npt.NDArray[np.int32]) -> FloatArray | None:
    """The polygon (3 to 6, 2) round a contour that fills it as a marker's ink does."""
    hull = cv2.convexHull(contour)
    area = cv2.contourArea(hull)
    if area < _LEAST_AREA_PX or cv2.contourArea(contour) < _INK_OF_AREA * area:
        return None
    outline = cv2.approxPolyDP(hull, 0.04 * cv2.arcLength(hull, True), True).reshape(-1, 2).astype(np.float64)
    return outline if 3 <= len(outline) <= 6 else None


def _area(outline: FloatArray) -> float:
    return float(cv2.contourArea(outline.astype(np.float32)))


def _squarish(outline: FloatArray, cut: bool) -> bool:
    (_, (width, height), _) = cv2.minAreaRect(outline.astype(np.float32))
    return bool(min(width, height) > (0.1 if cut else 0.5) * max(width, height))


def _touches_edge(outline: FloatArray, gray: ImageGray) -> bool:
    last = (gray.shape[1] - 1 - _RIM_PX, gray.shape[0] - 1 - _RIM_PX)
    return bool((outline <= _RIM_PX).any() or (outline >= last).any())


def _on_paper(gray: ImageGray, outline: FloatArray) -> bool:
    """Whether its rim is ink, the ring round it (in the picture) is paper, and something light is inside: a code."""
    code, inner, rim, wide, outer = (_mask(gray, outline, factor) > 0 for factor in (0.65, 0.7, 0.95, 1.15, 1.3))
    ink, paper, inside = gray[rim & ~inner], gray[outer & ~wide], gray[code]
    if not len(ink) or not len(paper) or not len(inside):
        return False
    black, white = float(np.percentile(ink, 30)), float(np.median(paper))
    light = float((inside > black + _LIT * (white - black)).mean())
    even = float(np.percentile(paper, 25)) > 0.7 * white
    return black < _INK_OF_PAPER * white and even and _LIGHT_INSIDE[0] < light < _LIGHT_INSIDE[1]


def _mask(gray: ImageGray, outline: FloatArray, factor: float) -> ImageGray:
    mask = np.zeros_like(gray)
    grown = outline.mean(0) + (outline - outline.mean(0)) * factor
    cv2.fillConvexPoly(mask, np.round(grown).astype(np.int32), 255)
    return mask


def _unread(gray: ImageGray, outline: FloatArray) -> Trouble:
    """Why a thing that looks like a marker was not read."""
    side = float(np.sqrt(_area(outline)))
    shape = outline_of(outline)
    if _touches_edge(outline, gray):
        words = "a marker is cut off by the picture's edge: move it, or the camera, until all of it is seen"
        return Trouble(shape, Reason.CUT_OFF, words)
    if side < SMALLEST_SIDE_PX:
        words = (
            f"something like a marker is too small to read ({side:.0f} px a side; it takes {SMALLEST_SIDE_PX:.0f}):"
            " bring the camera nearer, or print larger markers"
        )
        return Trouble(shape, Reason.TOO_SMALL, words)
    if _glare(gray, outline) > _GLARE_OF_AREA:
        words = "light glares on a marker and hides its code: turn the lamp, or move the marker out of its reflection"
        return Trouble(shape, Reason.GLARE, words)
    if _softness_px(gray, outline) > _SOFT_OF_CELL * side / 6:
        words = "a marker is too blurred to read: focus the camera, and let it hang still"
        return Trouble(shape, Reason.BLURRED, words)
    words = "this looks like a marker and is none of the dictionary: is it covered, crumpled, or of other prints?"
    return Trouble(shape, Reason.UNREADABLE, words)


def _glare(gray: ImageGray, outline: FloatArray) -> float:
    """Part of the marker that is as bright as can be in one piece larger than a cell; paper that clips is not."""
    inside = (_mask(gray, outline, 1.0) > 0) & (gray >= _GLARE)
    count, _, stats, _ = cv2.connectedComponentsWithStats(inside.astype(np.uint8))
    largest = max((int(stats[k, cv2.CC_STAT_AREA]) for k in range(1, count)), default=0)
    return largest / max(1.0, _area(outline))


def _softness_px(gray: ImageGray, outline: FloatArray) -> float:
    """Width of the outline's edges from ink to paper, at the sides' middles: contrast over the steepest slope."""
    middles = (outline + np.roll(outline, -1, 0)) / 2
    outward = middles - outline.mean(0)
    outward /= np.linalg.norm(outward, axis=1)[:, None]
    reach = 0.35 * side_px(outline) if len(outline) == 4 else 10.0
    steps = np.arange(-reach, reach, 0.5)
    line = (middles[:, None] + outward[:, None] * steps[:, None]).astype(np.float32)
    seen = np.asarray(cv2.remap(gray, line[..., 0], line[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))
    profile = seen.astype(np.float64)
    slope = np.diff(profile, axis=1).max(1) / 0.5
    return float(np.median(np.ptp(profile, axis=1) / np.maximum(slope, 1e-6)))
