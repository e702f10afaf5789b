"""All shapes over the picture, from the lowest up. No Qt here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from calibration.camera import TableCamera
from calibration.marker_issue import MarkerIssue
from rules.tabletop.table import PointIn, TerrainPiece, ellipse_outline
from rules.tabletop.template import Blast, Strip, Template, Zone, drawn
from ui.formatting import other_words, range_words
from ui.measuring import Read, Reading, covered, read_off
from ui.picture.figure_shapes import casualties, figure_shapes, hit_labels, picked_rings, pointed_out
from ui.picture.preview import GroundPreview, Preview
from ui.picture.shapes import (
    NUMBER_SIZE,
    Label,
    Line,
    PointPx,
    Shape,
    closed_line,
    finite,
    label_at,
    marked,
    segment,
)
from ui.session import TableState
from ui.table.finding import lifted, ring
from ui.table.play_area import area_marks
from ui.table.shapes import template_words
from ui.table.terrain import outline_height_in
from ui.theme import BLAST, BLAST_WORDS, DARK, MARKER, PREVIEW, RULER, TERRAIN, faded
from ui.translation import tr
from vision.table_view import TableView


def resting_shapes(
    view: TableView,
    state: TableState,
    ground: GroundPreview | None,
    screen_scale: float,
    read: Read = read_off,
    *,
    quiet: bool,
    numbers: bool = True,
) -> tuple[Shape, ...]:
    """The shapes that do not depend on the mouse.

    Args:
        view, state: What is on the table.
        ground: The terrain tool's preview.
        screen_scale: Screen pixels per pixel of the picture.
        read: Measures rulers.
        quiet: Show the figures' numbers instead of their names at any scale.
        numbers: Show numbers or names.
    """
    if view.calibration is None:
        return ()
    camera = view.calibration.camera
    hits = [hit for template in state.templates for hit in covered(view, template)]
    readings = [reading for ruler in state.rulers if (reading := read(view, ruler))]
    shapes: list[Shape] = [closed_line(camera, c, 0.0, MARKER, 1.0) for c in view.calibration.markers_in.values()]
    if state.area is not None:
        shapes += marked(camera, area_marks(state.area))
    shapes += _terrain(camera, state.setup.terrain, ground, screen_scale)
    shapes += [_laid_template(camera, template, loose=False) for template in state.templates]
    shapes += figure_shapes(view, state, hits, screen_scale, quiet=quiet, numbers=numbers)
    for reading in readings:
        shapes += _ruler_lines(camera, reading, loose=False)
    shapes += hit_labels(view, hits)
    for template in state.templates:
        shapes += _template_label(camera, template)
    for reading in readings:
        shapes += _ruler_label(camera, reading, False, state)
    return tuple(shapes)


def area_shapes(view: TableView, preview: Preview) -> tuple[Shape, ...]:
    """The marked parts of the ground, and white rings, below the resting shapes: they must not cover numbers."""
    if view.calibration is None:
        return ()
    return (*marked(view.calibration.camera, preview.areas), *picked_rings(view, preview))


def found_shapes(view: TableView, preview: Preview) -> tuple[Shape, ...]:
    """The marks of the tool's answer, drawn above the resting shapes."""
    if view.calibration is None or preview.finding is None:
        return ()
    return tuple(marked(view.calibration.camera, preview.finding.marks))


def loose_shapes(
    view: TableView, state: TableState, preview: Preview, screen_scale: float, read: Read = read_off
) -> tuple[Shape, ...]:
    """The other shapes of the current tool, drawn above everything; they follow the mouse."""
    if view.calibration is None:
        return ()
    camera = view.calibration.camera
    hits = covered(view, preview.template) if preview.template else ()
    reading = read(view, preview.ruler) if preview.ruler else None
    shapes: list[Shape] = [_laid_template(camera, preview.template, loose=True)] if preview.template else []
    shapes += marked(camera, (*preview.badges, *preview.marks))
    shapes += pointed_out(view, state, preview, hits, screen_scale)
    shapes += casualties(view, preview)
    if reading is not None:
        shapes += _ruler_lines(camera, reading, loose=True)
    if preview.pin_in is not None:
        circle = ellipse_outline(preview.pin_in, _PIN_IN, _PIN_IN)
        shapes.append(closed_line(camera, circle, 0.0, PREVIEW, 3.0, faded(PREVIEW, 90)))
    shapes += hit_labels(view, hits)
    if preview.template is not None:
        shapes += _template_label(camera, preview.template)
    if reading is not None:
        shapes += _ruler_label(camera, reading, True, state)
    return tuple(shapes)


def _terrain(
    camera: TableCamera, terrain: Sequence[TerrainPiece], ground: GroundPreview | None, screen_scale: float
) -> Iterator[Shape]:
    """Thin outlines; with the terrain tool also the names, and the corners of the selected piece."""
    for known in sorted(terrain, key=lambda piece: piece.top_in):
        chosen = ground is not None and known.name == ground.selected
        piece = ground.piece if chosen and ground is not None and ground.piece is not None else known
        height_in = outline_height_in(piece)
        if ground is None:
            yield replace(closed_line(camera, piece.outline_in, height_in, faded(TERRAIN, 150), 1.5), halo=False)
            continue
        strong = chosen or known.name == ground.hovered
        fill = faded(TERRAIN, 60) if strong else None
        yield closed_line(camera, piece.outline_in, height_in, TERRAIN, 3.0 if strong else 2.0, fill)
        farthest = max(piece.outline_in, key=lambda point: point[1])  # above it on the screen the label hides no corner
        high = tr("{height_in:.3g} in", height_in=piece.top_in) if piece.top_in else tr("flat")
        rows = ((f"{piece.name}, {high}" if strong else piece.name, NUMBER_SIZE),)
        yield from label_at(camera, (*farthest, height_in), rows, TERRAIN, -18.0)
        if chosen:
            yield from _handles(camera, piece, height_in, ground.corner, 4.5 / screen_scale)


def _handles(
    camera: TableCamera, piece: TerrainPiece, height_in: float, corner: int | None, half_px: float
) -> Iterator[Shape]:
    """A small square on each corner; the selected one is filled."""
    corners = camera.table_to_pixel([(*point, height_in) for point in piece.outline_in])
    square = half_px * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    for number, px in enumerate(corners):
        fill = TERRAIN if number == corner else faded(DARK, 200)
        yield Line(finite(px + square), TERRAIN, 1.5, fill, closed=True, halo=False)


_ARC_STEP_DEG = 3.75
_PIN_IN = 0.2
_RULER_LABEL_HALF_SIZE = np.array([95.0, 27.0])
_TIP_IN = 1.0  # labels keep this square at a template's tip free


def _ruler_lines(camera: TableCamera, reading: Reading, loose: bool) -> Iterator[Shape]:
    """Thin lines between the centres, strong ones between the bases' edges."""
    colour = PREVIEW if loose else RULER
    heights = (reading.a.z_in, reading.b.z_in)
    for leg in reading.legs:
        line = segment(camera, leg.centre_segment_in, heights, colour, 2.0, dashed=True)
        yield replace(line, keep_clear=tuple(pairwise(line.points_px[::4])))
        if leg.edge_in > 0:
            yield segment(camera, leg.edge_segment_in, heights, colour, 5.0)


def _ruler_label(camera: TableCamera, reading: Reading, loose: bool, state: TableState) -> list[Shape]:
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


def _laid_template(camera: TableCamera, template: Template, *, loose: bool) -> Line:
    """The outline of a template; `loose` while it follows the mouse."""
    outline = drawn(template, _ARC_STEP_DEG)
    places = lifted(outline) if isinstance(template, Blast) else ring(outline)
    line = closed_line(camera, [place[:2] for place in places], 0.0, BLAST, 3.0, faded(BLAST, 45), dashed=loose)
    return replace(line, keep_clear=_tips(camera, template))


def _template_label(camera: TableCamera, template: Template) -> list[Shape]:
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
