"""The outline of a clicked piece of terrain, with alternatives.

Candidates are regions of similar colour around the click, GrabCut segmentations of several sizes and, with an earlier
picture without the piece, the region that differs from it. The one with the strongest edge all around and the simplest
shape is proposed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from shapely.geometry import Polygon

from calibration.camera import TableCamera
from calibration.opencv import cv2
from rules.tabletop.errors import user_error
from rules.tabletop.table import FloatArray, Outline
from vision.frame import ImageBgr
from vision.palette import FloatImage, log_colour


@dataclass(frozen=True, slots=True)
class _SearchScale:
    """Resolution, extent around the click, and radii of the pieces for one search."""

    px_per_in: float
    reach_in: float
    radii_in: tuple[float, ...]


_SCALES = (_SearchScale(9.0, 9.0, (1.2, 2.2, 3.6)), _SearchScale(18.0, 4.0, (0.5, 1.0)))
"""For a house or a book; for a wall or a bush. No piece is larger than the first extent."""

_LIGHT = 0.5  # weight of brightness relative to colour: light falls off, and shadow lies on half the table
_TOLERANCES = (0.09, 0.18, 0.35, 0.6)
_CERTAIN_RADIUS_IN = 0.25  # around the click, certainly part of the piece
_GRABCUT_ROUNDS = 2
_DIFFERS = 0.2  # from the earlier picture, in log colour; a shadow of half the light makes 0.17
_REFERENCE_WEIGHT = 4.0  # factor of the score of the region that differs from the earlier picture
_MAX_STEP = 0.5  # log colour; a higher step makes an edge no more certain
_LEAST_PX = 25
_MAX_BORDER_SHARE = 0.02
_DETAIL_PX = 1.0  # corners nearer to the line are left out
_SAME_OUTLINE = 0.9
_RECTANGLE = 0.9
_MIN_FILL = 0.93

_Mask = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class OutlineProposal:
    """Possible outlines in inches at one height.

    Attributes:
        outlines_in: From the smallest to the largest.
        best: Index of the likeliest.
        height_in: Height above the table.
    """

    outlines_in: tuple[Outline, ...]
    best: int
    height_in: float


@dataclass(frozen=True, slots=True, eq=False)
class _Window:
    """The picture around a click at a given resolution.

    Attributes:
        image_bgr: (R, C, 3).
        colours: (R, C, 3) log colours, smoothed.
        seed: Column and row of the click.
        corner_px: Pixel of the picture in its top left corner.
        scale: Its pixels per pixel of the picture.
        search_scale: Its resolution and extent.
    """

    image_bgr: ImageBgr
    colours: FloatImage
    seed: tuple[int, int]
    corner_px: tuple[int, int]
    scale: float
    search_scale: _SearchScale

    def to_picture(self, points: FloatArray) -> FloatArray:
        """Convert (N, 2) columns and rows to pixels of the picture."""
        return np.asarray((points + 0.5) / self.scale - 0.5 + self.corner_px)


def propose_outline(
    image_bgr: ImageBgr,
    camera: TableCamera,
    px: tuple[float, float],
    height_in: float = 0.0,
    empty_bgr: ImageBgr | None = None,
) -> OutlineProposal:
    """The outline of the clicked piece of terrain.

    Args:
        image_bgr: (height, width, 3) uint8.
        camera: Its pose and lens.
        px: (x, y) of the click.
        height_in: Height above the table of the visible outline.
        empty_bgr: An earlier picture from the same place, in which the piece may be absent.

    Raises:
        UserError: If the click is outside the table, or nothing there has an edge all around.
    """
    regions: list[tuple[float, _Window, _Mask]] = []
    for search_scale in _SCALES:
        window = _window(image_bgr, camera, px, height_in, search_scale)
        regions += [(_score(window, region), window, region) for region in _regions(window)]
        if empty_bgr is not None and empty_bgr.shape == image_bgr.shape:
            before = _window(empty_bgr, camera, px, height_in, search_scale)
            new = np.linalg.norm(window.colours - before.colours, axis=2) > _DIFFERS
            region = _seed_component(new.astype(np.uint8), window.seed)
            regions += [] if region is None else [(_REFERENCE_WEIGHT * _score(window, region), window, region)]
    found: list[Polygon] = []
    for score, window, region in sorted(regions, key=lambda one: -one[0]):
        outline = _outline(window, region, camera, height_in) if score > 0 else None
        if outline is not None and all(_overlap(outline, other) < _SAME_OUTLINE for other in found):
            found.append(outline)
    if not found:
        raise user_error("There is no closed edge here. Click the middle of a piece, or bring the camera closer.")
    by_size = sorted(found, key=lambda outline: float(outline.area))
    outlines = tuple(tuple((float(x), float(y)) for x, y in area.exterior.coords[:-1]) for area in by_size)
    return OutlineProposal(outlines, by_size.index(found[0]), height_in)


def _window(
    image_bgr: ImageBgr, camera: TableCamera, px: tuple[float, float], height_in: float, search_scale: _SearchScale
) -> _Window:
    height, width = image_bgr.shape[:2]
    x_in, y_in = camera.pixel_to_table(px, height_in)[0]
    px_per_in = camera.px_per_inch(float(x_in), float(y_in), height_in) if math.isfinite(x_in) else math.nan
    if not (0 <= px[0] < width and 0 <= px[1] < height and math.isfinite(px_per_in) and px_per_in > 1):
        raise user_error("This is not on the table. Click a piece of terrain in the picture.")
    scale, reach = search_scale.px_per_in / px_per_in, int(search_scale.reach_in * px_per_in)
    x, y = round(px[0]), round(px[1])
    left, top = max(0, x - reach), max(0, y - reach)
    part = image_bgr[top : y + reach + 1, left : x + reach + 1]
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    small = np.asarray(cv2.resize(part, None, fx=scale, fy=scale, interpolation=method), np.uint8)
    smooth = np.asarray(cv2.bilateralFilter(cv2.medianBlur(small, 5), 5, 30, 4), np.uint8)
    colours = log_colour(smooth) * np.array([1, 1, _LIGHT], np.float32)
    seed = (
        min(small.shape[1] - 1, int((x - left + 0.5) * scale)),
        min(small.shape[0] - 1, int((y - top + 0.5) * scale)),
    )
    return _Window(small, np.asarray(colours, np.float32), seed, (left, top), scale, search_scale)


def _regions(window: _Window) -> Iterator[_Mask]:
    """Candidate masks, each of one piece without holes."""
    column, row = window.seed
    colours = window.colours
    patch = colours[max(0, row - 1) : row + 2, max(0, column - 1) : column + 2].reshape(-1, 3)
    away = np.linalg.norm(colours - np.median(patch, axis=0), axis=2)
    masks = [(away < tolerance).astype(np.uint8) for tolerance in _TOLERANCES]
    masks += [_grabcut(window, radius_in) for radius_in in window.search_scale.radii_in]
    for mask in masks:
        mask[row, column] = 1
        region = _seed_component(mask, window.seed)
        if region is not None:
            yield region
            whole = _completed_rectangle(region)
            if whole is not None:
                yield whole


def _completed_rectangle(region: _Mask) -> _Mask | None:
    """The convex hull of a region if it is a rectangle with a corner covered by something else; else None."""
    contour = _contour(region)
    hull = cv2.convexHull(contour)
    (_, (length, width), _), area = cv2.minAreaRect(contour), cv2.contourArea(hull)
    if area < _RECTANGLE * length * width or cv2.contourArea(contour) > _MIN_FILL * area:
        return None
    whole = np.zeros_like(region)
    cv2.fillPoly(whole, [hull], 1)
    return whole


def _grabcut(window: _Window, radius_in: float) -> _Mask:
    """GrabCut mask of the pixels that are more like those near the click than like those far from it."""
    rows, columns = window.image_bgr.shape[:2]
    y, x = np.ogrid[:rows, :columns]
    away_in = np.hypot(x - window.seed[0], y - window.seed[1]) / window.search_scale.px_per_in
    mask = np.full((rows, columns), cv2.GC_PR_BGD, np.uint8)
    mask[away_in < radius_in] = cv2.GC_PR_FGD
    mask[away_in < _CERTAIN_RADIUS_IN] = cv2.GC_FGD
    mask[away_in > 2.5 * radius_in + 1.0] = cv2.GC_BGD
    reach = int((2.5 * radius_in + 3.0) * window.search_scale.px_per_in)
    low = np.maximum(np.subtract(window.seed, reach), 0)
    part = (slice(low[1], window.seed[1] + reach + 1), slice(low[0], window.seed[0] + reach + 1))
    picture, cut = np.ascontiguousarray(window.image_bgr[part]), np.ascontiguousarray(mask[part])
    cut[[0, -1]] = cv2.GC_BGD  # the edge of the picture is ground too
    cut[:, [0, -1]] = cv2.GC_BGD
    cv2.setRNGSeed(1)  # GrabCut starts with k-means; the same click must give the same outline
    ground, piece = np.zeros((1, 65)), np.zeros((1, 65))
    cv2.grabCut(picture, cut, (0, 0, 1, 1), ground, piece, _GRABCUT_ROUNDS, cv2.GC_INIT_WITH_MASK)
    grabbed = np.zeros((rows, columns), np.uint8)
    grabbed[part] = (cut == cv2.GC_FGD) | (cut == cv2.GC_PR_FGD)
    return grabbed


def _seed_component(mask: _Mask, seed: tuple[int, int]) -> _Mask | None:
    """The connected part of the mask that contains the seed, without holes, bays and thin lines."""
    full = _filled(np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, _disc(5)), np.uint8))
    for width in (5, 3, 1):
        opened = full if width == 1 else np.asarray(cv2.morphologyEx(full, cv2.MORPH_OPEN, _disc(width)), np.uint8)
        if opened[seed[1], seed[0]]:
            labels = cv2.connectedComponents(opened, connectivity=4)[1]
            return _filled((labels == labels[seed[1], seed[0]]).astype(np.uint8))
    return None


def _filled(mask: _Mask) -> _Mask:
    contours = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]
    full = np.zeros_like(mask)
    cv2.drawContours(full, contours, -1, 1, -1)
    return full


def _disc(width: int) -> _Mask:
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width)), np.uint8)


def _score(window: _Window, region: _Mask) -> float:
    """Score of a region: a strong edge all around, a simple shape, and rather the whole piece than a part."""
    rim = np.r_[region[0], region[-1], region[:, 0], region[:, -1]].mean()
    if rim > _MAX_BORDER_SHARE or region.sum() < _LEAST_PX:
        return 0.0
    steps = _edge_steps(window.colours, region)
    if len(steps) < 8:
        return 0.0
    edge = 0.6 * np.minimum(steps / _MAX_STEP, 1).mean() + min(float(np.percentile(steps, 20)), 0.4)
    return float(edge * _simplicity(region) ** 1.5 * (region.sum() / window.search_scale.px_per_in**2) ** 0.25)


def _edge_steps(colours: FloatImage, region: _Mask) -> FloatArray:
    """(N,) steps in colour across the edge of a region, along its outline."""
    edge = (region - cv2.erode(region, _disc(3))) > 0
    inside = region - cv2.erode(region, _disc(5))
    outside = cv2.dilate(region, _disc(7)) - cv2.dilate(region, _disc(3))
    means, counts = [], []
    for band in (inside.astype(np.float32), outside.astype(np.float32)):
        count = cv2.boxFilter(band, -1, (7, 7), normalize=False)
        means.append(
            cv2.boxFilter(colours * band[..., None], -1, (7, 7), normalize=False) / np.maximum(count, 1)[..., None]
        )
        counts.append(count)
    measurable = edge & (counts[0] > 2) & (counts[1] > 2)
    return np.asarray(np.linalg.norm((means[0] - means[1])[measurable], axis=1), np.float64)


def _simplicity(region: _Mask) -> float:
    """1 for a rectangle or an ellipse, less for other or dented shapes."""
    contour = _contour(region)
    area = cv2.contourArea(contour)
    if area < _LEAST_PX / 2:
        return 0.0
    (_, (length, width), _) = cv2.minAreaRect(contour)
    hull = cv2.contourArea(cv2.convexHull(contour))
    return float(max(area / max(length * width, 1.0), _ellipse_fit(region, contour)) * area / hull)


def _ellipse_fit(region: _Mask, contour: npt.NDArray[np.int32]) -> float:
    if len(contour) < 5:
        return 0.0
    ellipse = cv2.fitEllipse(contour)
    if not 0 < min(ellipse[1]) <= max(ellipse[1]) < 2 * max(region.shape):
        return 0.0
    drawn = np.zeros_like(region)
    cv2.ellipse(drawn, ellipse, 1, -1)
    return float((drawn & region).sum() / max(int((drawn | region).sum()), 1))


def _contour(region: _Mask) -> npt.NDArray[np.int32]:
    contours = cv2.findContours(region, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]
    return np.asarray(max(contours, key=cv2.contourArea), np.int32)


def _outline(window: _Window, region: _Mask, camera: TableCamera, height_in: float) -> Polygon | None:
    """The simplified outline of a region in inches; None if it is not on the table or crosses itself."""
    contour = _contour(region)
    box = cv2.minAreaRect(contour)
    if cv2.contourArea(contour) > _RECTANGLE * box[1][0] * box[1][1]:
        corners = np.asarray(cv2.boxPoints(box), np.float64)
    else:
        corners = np.asarray(cv2.approxPolyDP(contour, _DETAIL_PX, True), np.float64).reshape(-1, 2)
    if len(corners) < 3:
        return None
    places = camera.pixel_to_table(window.to_picture(corners), height_in)
    area = Polygon(places) if np.isfinite(places).all() else None
    return area if area is not None and area.is_valid and area.area > 0 else None


def _overlap(one: Polygon, other: Polygon) -> float:
    """Intersection over union of two areas."""
    common = one.intersection(other).area
    return float(common / (one.area + other.area - common))
