"""The area of the table, from the colour around the markers or from the markers in its corners."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from shapely.geometry import Polygon

from calibration.camera import TableCamera
from calibration.opencv import cv2
from rules.tabletop.table import FloatArray, Outline
from vision.frame import ImageBgr
from vision.palette import log_colour
from vision.rectified import rectified_image

_PX_PER_IN = 2.0
_FAR_IN = 60.0  # from the point below the camera; no table extends further
_ROUND_IN = (0.5, 3.0)  # distances from a paper between which bare table is seen
_ALIKE = 4.0  # standard deviations by which the table's colour may differ from that near the papers
_SPREAD = np.array([0.04, 0.04, 0.12])  # least standard deviation of log colour: light falls off with distance
_GAP_IN = 1.5  # gaps between boards, and cables
_BEYOND_IN = 0.5  # by which a table extends beyond the papers in its corners
_APART_IN = 20.0  # papers nearer together do not mark a table's corners
_LEAST_IN2 = 150.0  # a smaller area is a cloth under the marker, not the table
_BESIDE_IN = 1.0  # around the area of play: a figure on its edge is in the game, although half of its base is outside


def seen_area(camera: TableCamera, image_bgr: ImageBgr) -> Outline:
    """Bounding rectangle of the visible part of the table's plane, within five feet of the point below the camera."""
    height, width = image_bgr.shape[:2]
    along = np.linspace(0, 1, 9)
    ends = np.array([0.0, 1.0])
    rim = [np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2) for axes in ((along, ends), (ends, along))]
    points = camera.pixel_to_table(np.vstack(rim) * [width, height])
    points = points[np.isfinite(points).all(axis=1)]
    foot = camera.position_in[:2]
    points = foot + np.clip(points - foot, -_FAR_IN, _FAR_IN)
    low, high = points.min(axis=0), points.max(axis=0)
    return ((low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1]))


def played_area(area_in: Outline, seen_in: Outline) -> Outline | None:
    """The visible part of the area of play with a margin of an inch; None if nothing of it is visible.

    Args:
        area_in: Area of play, convex; it may extend far outside the picture.
        seen_in: Result of `seen_area`.
    """
    both = Polygon(area_in).buffer(_BESIDE_IN, join_style="mitre").intersection(Polygon(seen_in))
    if both.is_empty or not isinstance(both, Polygon):
        return None
    return tuple((x, y) for x, y in both.exterior.coords[:-1])


def table_area(camera: TableCamera, image_bgr: ImageBgr, papers_in: Sequence[Outline]) -> Outline:
    """Outline of the table in inches; the visible area if the picture does not show where the table ends.

    Three or more papers far apart mark the table's corners: the table is their bounding rectangle and a little more.
    Otherwise it extends as far as the colour around the papers does.

    Args:
        camera: Pose and lens.
        image_bgr: (height, width, 3) uint8.
        papers_in: Outlines of the markers' paper.
    """
    if not papers_in:
        return seen_area(camera, image_bgr)
    between = area_between(papers_in, _BEYOND_IN)
    return between or _coloured_area(camera, image_bgr, papers_in) or seen_area(camera, image_bgr)


def area_between(papers_in: Sequence[Outline], beyond_in: float = 0.0) -> Outline | None:
    """Bounding rectangle of the papers that mark a table's corners, and this much more; None if they do not."""
    points = np.array([point for paper in papers_in for point in paper])
    low, high = points.min(axis=0) - beyond_in, points.max(axis=0) + beyond_in
    if len(papers_in) < 3 or (high - low).min() <= _APART_IN:
        return None
    return ((low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1]))


def _coloured_area(camera: TableCamera, image_bgr: ImageBgr, papers_in: Sequence[Outline]) -> Outline | None:
    everything = np.array(seen_area(camera, image_bgr))
    image = rectified_image(camera, everything.min(axis=0), everything.max(axis=0), 0.0, _PX_PER_IN)
    shrunk = np.asarray(cv2.blur(image_bgr, (9, 9)), np.uint8)
    colours = log_colour(image.rectify(shrunk)).astype(np.float64)
    height, width = image_bgr.shape[:2]
    seen = image.in_view((width, height))
    papers = np.zeros(seen.shape, np.uint8)
    for paper in papers_in:
        image.fill(papers, np.array(paper), 1)
    inner, outer = (np.ones((2 * round(reach * _PX_PER_IN) + 1,) * 2, np.uint8) for reach in _ROUND_IN)
    ring = (cv2.dilate(papers, outer) > cv2.dilate(papers, inner)) & seen
    if not ring.any():
        return None
    middle = np.median(colours[ring], axis=0)
    spread = np.maximum(1.4826 * np.median(np.abs(colours[ring] - middle), axis=0), _SPREAD)
    alike = (np.abs(colours - middle) < _ALIKE * spread).all(axis=-1) & seen
    return _hull_round(alike, papers, image.low_in)


def _hull_round(alike: npt.NDArray[np.bool_], papers: npt.NDArray[np.uint8], low_in: FloatArray) -> Outline | None:
    """Convex hull of the patches that touch a paper."""
    gap = np.ones((2 * round(_GAP_IN * _PX_PER_IN / 2) + 1,) * 2, np.uint8)
    near = cv2.dilate(papers, np.ones((2 * round(_ROUND_IN[0] * _PX_PER_IN) + 3,) * 2, np.uint8)) > 0
    joined = cv2.morphologyEx((alike | near).astype(np.uint8), cv2.MORPH_CLOSE, gap)
    joined = cv2.morphologyEx(joined, cv2.MORPH_OPEN, gap)
    _, labels = cv2.connectedComponents(joined)
    ours = np.isin(labels, np.unique(labels[(papers > 0) & (joined > 0)]))
    points = cv2.findNonZero((ours & (joined > 0)).astype(np.uint8))
    if points is None or len(points) < _LEAST_IN2 * _PX_PER_IN**2:
        return None
    hull = cv2.convexHull(points).reshape(-1, 2) / _PX_PER_IN + low_in
    return tuple((float(x), float(y)) for x, y in hull)
