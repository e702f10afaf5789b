"""The shapes of rulers, templates and the place that was picked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from calibration.camera import TableCamera
from rules.tabletop.table import PointIn
from rules.tabletop.template import Blast, Strip, Template, Zone, drawn
from ui.formatting import other_words, range_words
from ui.measuring import Reading
from ui.picture.shapes import Line, PointPx, Shape, closed_line, finite, label_at, segment
from ui.session import TableState
from ui.table.finding import lifted, ring
from ui.table.shapes import template_words
from ui.theme import BLAST, BLAST_WORDS, PREVIEW, RULER, faded

_ARC_STEP_DEG = 3.75
_RULER_LABEL_HALF_SIZE = np.array([95.0, 27.0])
_TIP_IN = 1.0  # labels keep this square at a template's tip free


def ruler_lines(camera: TableCamera, reading: Reading, loose: bool) -> Iterator[Shape]:
    """Thin lines between the centres, strong ones between the bases' edges."""
    colour = PREVIEW if loose else RULER
    heights = (reading.a.z_in, reading.b.z_in)
    for leg in reading.legs:
        line = segment(camera, leg.centre_segment_in, heights, colour, 2.0, dashed=True)
        yield replace(line, keep_clear=tuple(pairwise(line.points_px[::4])))
        if leg.edge_in > 0:
            yield segment(camera, leg.edge_segment_in, heights, colour, 5.0)


def ruler_label(camera: TableCamera, reading: Reading, loose: bool, state: TableState) -> list[Shape]:
    """The range, beside the middle of a straight ruler or at the end of one around corners."""
    a, b = reading.a, reading.b
    rows = [(range_words(reading.range, state.basis, state.unit), 24.0)]
    if a.army and b.army:
        rows.append((other_words(reading.range, state.basis, state.unit), 15.0))
    colour = PREVIEW if loose else RULER
    if len(reading.legs) > 1:
        return label_at(camera, (*b.centre_in, b.z_in), tuple(rows), colour, -44.0)
    middle_in = ((a.x_in + b.x_in) / 2, (a.y_in + b.y_in) / 2, (a.z_in + b.z_in) / 2)
    return label_at(camera, middle_in, tuple(rows), colour, _beside(camera, reading))


def _beside(camera: TableCamera, reading: Reading) -> PointPx:
    """The offset from a ruler's middle at which its label does not cover it, upwards on the screen."""
    ends = camera.table_to_pixel([(*f.centre_in, f.z_in) for f in (reading.a, reading.b)])
    along = ends[1] - ends[0]
    normal = np.array([along[1], -along[0]]) / max(float(np.hypot(*along)), 1e-9)
    normal *= -1 if normal[1] > 0 else 1
    gap = abs(normal) @ _RULER_LABEL_HALF_SIZE + 8
    return (float(normal[0] * gap), float(normal[1] * gap)) if np.isfinite(gap) else (0.0, -40.0)


def laid_template(camera: TableCamera, template: Template, *, loose: bool) -> Line:
    """The outline of a template; `loose` while it follows the mouse."""
    outline = drawn(template, _ARC_STEP_DEG)
    places = lifted(outline) if isinstance(template, Blast) else ring(outline)
    line = closed_line(camera, [place[:2] for place in places], 0.0, BLAST, 3.0, faded(BLAST, 45), dashed=loose)
    return replace(line, keep_clear=_tips(camera, template))


def template_label(camera: TableCamera, template: Template) -> list[Shape]:
    """The name and size of a template, at its far end."""
    words = ((template_words(template), 15.0),)
    return label_at(camera, (*_far_end(template), 0.0), words, BLAST_WORDS, -14.0)


def _tips(camera: TableCamera, template: Template) -> tuple[tuple[PointPx, ...], ...]:
    """What players look at: a disc's middle, a strip's ends, the tip of others; each as a square on the table."""
    if isinstance(template, Zone):
        return ()
    if isinstance(template, Blast):
        places: tuple[PointIn, ...] = (template.centre_in,)
    else:
        places = (template.path_in[0], template.path_in[-1]) if isinstance(template, Strip) else (template.apex_in,)
    half = _TIP_IN / 2
    corners = [(x + dx, y + dy, 0.0) for x, y in places for dx, dy in ((-half, -half), (half, half))]
    return tuple(map(finite, np.split(camera.table_to_pixel(corners), len(places))))


def _far_end(template: Template) -> PointIn:
    """The point of its outline with the largest y, where its name stands."""
    return max(drawn(template, _ARC_STEP_DEG), key=lambda place: place[1])


def pin(camera: TableCamera, pin_in: PointIn) -> list[Shape]:
    """A small circle around a bare place that was picked."""
    turn = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    rim = np.array(pin_in) + 0.2 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    return [closed_line(camera, rim, 0.0, PREVIEW, 3.0, faded(PREVIEW, 90))]
