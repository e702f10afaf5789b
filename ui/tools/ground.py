"""Parts of the ground as cells of a grid: which cells, how far away they are, and their outlines. No Qt here."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from calibration.opencv import cv2
from rules.tabletop.measure import base_area
from rules.tabletop.occlusion import BoolArray
from rules.tabletop.sight_area import Cells, Ground
from rules.tabletop.table import Figure
from ui.formatting import Basis
from ui.picture.table_map import extent_of
from ui.table.finding import Patch, Style
from ui.tools.reach import Arm
from ui.tools.tool_context import ToolContext

_MOST_CELLS = 400_000
_LEAST_CELLS = 6.0  # smaller patches are left out
_LEAST_WIDTH = 0.6  # and narrower ones, such as the steps of a slanting sliver: their area in cells by their outline
_SMOOTHED_CELLS = 0.6


def cells_of(now: ToolContext, cell_in: float) -> Cells:
    """The area of play, or else what the camera sees of the table; on a very large one the cells are larger."""
    assert now.view.calibration is not None
    area = now.state.area
    left, near, right, far = extent_of(now.view.calibration)
    if area is not None:
        (left, near), (right, far) = (edge(area.corners_in, axis=0).tolist() for edge in (np.min, np.max))
    return Cells(left, near, right, far, max(cell_in, math.sqrt((right - left) * (far - near) / _MOST_CELLS)))


def in_range(cells: Cells, figure: Figure, arms: Sequence[Arm], basis: Basis) -> BoolArray:
    """(rows, columns) where a soldier with the same base would be within the range of one of the weapons."""
    x, y = cells.middles_in
    away_in = np.hypot(*np.meshgrid(x - figure.x_in, y - figure.y_in))
    if basis is Basis.EDGE:
        away_in = np.maximum(away_in - 2 * math.sqrt(base_area(figure).area / math.pi), 0.0)
    found = np.zeros(cells.shape, bool)
    for arm in arms:
        found |= (away_in >= arm.least_in) & (away_in <= (math.inf if arm.most_in is None else arm.most_in))
    return found


def patches(chosen: BoolArray, ground: Ground, style: Style) -> tuple[Patch, ...]:
    """The chosen cells as one patch on the surface; none if no cells are chosen."""
    outlines, _ = cv2.findContours(chosen.astype(np.uint8), cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    x, y = ground.cells.middles_in
    rings = []
    for outline in outlines:
        column, row = cv2.approxPolyDP(outline, _SMOOTHED_CELLS, True)[:, 0].T
        least = max(_LEAST_CELLS, _LEAST_WIDTH * cv2.arcLength(outline, True))
        if len(column) > 2 and cv2.contourArea(outline) >= least:
            rings.append(tuple(map(tuple, np.c_[x[column], y[row], ground.height_in[row, column]].tolist())))
    return (Patch(tuple(rings), style),) if rings else ()
