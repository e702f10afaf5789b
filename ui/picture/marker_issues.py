"""Shapes over markers that cannot be used for calibration."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.marker_issue import MarkerIssue
from ui.picture.overlay import Label, Line, Shape
from ui.theme import BLAST, BLAST_WORDS, faded
from ui.translation import tr


def marker_issue_shapes(issues: Sequence[MarkerIssue], image_size: tuple[int, int]) -> tuple[Shape, ...]:
    """Outlines markers that cannot be used, each with its reason beside it, inside the picture."""
    shapes: list[Shape] = []
    width, height = image_size
    for issue in issues:
        x, y = np.array(issue.outline_px).T
        shapes.append(Line(issue.outline_px, BLAST, 3.0, faded(BLAST, 60), closed=True))
        name = "" if issue.id is None else tr("marker {number}", number=issue.id) + ": "
        middle = float(np.clip(x.mean(), 0.07 * width, 0.93 * width))
        low = float(y.max()) < 0.95 * height
        at_px, offset = ((middle, float(y.max())), 18.0) if low else ((middle, float(y.min())), -18.0)
        shapes.append(Label(at_px, ((f"{name}{issue.reason}", 15.0),), BLAST_WORDS, (0.0, offset)))
    return tuple(shapes)
