"""All shapes over the picture, from the lowest up. No Qt here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from calibration.camera import TableCamera
from calibration.marker_issue import MarkerIssue
from rules.tabletop.table import Point3In, PointIn, TerrainPiece, ellipse_outline
from rules.tabletop.template import Blast, Strip, Template, Zone, drawn
from ui.formatting import other_words, range_words
from ui.measuring import Read, Reading, covered, read_off
from ui.picture.figure_shapes import casualties, figure_shapes, hit_labels, picked_rings, pointed_out
from ui.picture.preview import GroundPreview, Preview
from ui.picture.shapes import NUMBER_SIZE, Label, Line, PointPx, Shape, finite, marked
from ui.session import TableState
from ui.table.finding import Mark, Note, Trace, lifted, ring
from ui.table.play_area import area_marks
from ui.table.shapes import start_of, template_words
from ui.table.terrain import outline_height_in
from ui.theme import BLAST, BLAST_WORDS, DARK, MARKER, PREVIEW, RULER, TERRAIN, Colour, faded
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
    area = area_marks(state.area) if state.area is not None else ()
    hits = [hit for template in state.templates for hit in covered(view, template)]
    readings = [reading for ruler in state.rulers if (reading := read(view, ruler))]
    markers = [Trace(lifted(corners), MARKER, 1.0, closed=True) for corners in view.calibration.markers_in.values()]
    terrain, handles = _terrain(camera, state.setup.terrain, ground, screen_scale)
    templates = [_laid_template(template, loose=False) for template in state.templates]
    labels = [_template_label(template) for template in state.templates]
    return (
        *marked(camera, [*markers, *area, *terrain]),
        *handles,
        *marked(camera, templates),
        *figure_shapes(view, state, hits, screen_scale, quiet=quiet, numbers=numbers),
        *marked(camera, [line for reading in readings for line in _ruler_lines(reading, RULER)]),
        *hit_labels(view, hits),
        *marked(camera, [*labels, *(_ruler_label(camera, reading, RULER, state) for reading in readings)]),
    )


def area_shapes(view: TableView, preview: Preview) -> tuple[Shape, ...]:
    """The marked parts of the ground, and white rings, below the resting shapes: they must not cover numbers."""
    if view.calibration is None:
        return ()
    return tuple(marked(view.calibration.camera, (*preview.areas, *picked_rings(view, preview))))


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
    camera, template = view.calibration.camera, preview.template
    hits = covered(view, template) if template else ()
    reading = read(view, preview.ruler) if preview.ruler else None
    laid = (_laid_template(template, loose=True),) if template else ()
    above: list[Mark] = [*_ruler_lines(reading, PREVIEW)] if reading else []
    if preview.pin_in is not None:
        circle = lifted(ellipse_outline(preview.pin_in, _PIN_IN, _PIN_IN))
        above.append(Trace(circle, PREVIEW, 3.0, faded(PREVIEW, 90), closed=True))
    labels = [_template_label(template)] if template else []
    labels += [_ruler_label(camera, reading, PREVIEW, state)] if reading else []
    return (
        *marked(camera, (*laid, *preview.badges, *preview.marks)),
        *pointed_out(view, state, preview, hits, screen_scale),
        *casualties(view, preview),
        *marked(camera, above),
        *hit_labels(view, hits),
        *marked(camera, labels),
    )


def _terrain(
    camera: TableCamera, terrain: Sequence[TerrainPiece], ground: GroundPreview | None, screen_scale: float
) -> tuple[list[Mark], list[Shape]]:
    """Thin outlines; with the terrain tool also the names, and the corners of the selected piece."""
    marks, handles = list[Mark](), list[Shape]()
    for known in sorted(terrain, key=lambda piece: piece.top_in):
        chosen = ground is not None and known.name == ground.selected
        piece = ground.piece if chosen and ground is not None and ground.piece is not None else known
        height_in = outline_height_in(piece)
        outline = lifted(piece.outline_in, height_in)
        if ground is None:
            marks.append(Trace(outline, faded(TERRAIN, 150), 1.5, closed=True, halo=False))
            continue
        strong = chosen or known.name == ground.hovered
        fill = faded(TERRAIN, 60) if strong else None
        marks.append(Trace(outline, TERRAIN, 3.0 if strong else 2.0, fill, closed=True))
        farthest = max(outline, key=lambda point: point[1])  # above it on the screen the label hides no corner
        high = tr("{height_in:.3g} in", height_in=piece.top_in) if piece.top_in else tr("flat")
        rows = ((f"{piece.name}, {high}" if strong else piece.name, NUMBER_SIZE),)
        marks.append(Note(farthest, rows, TERRAIN, (0.0, -18.0)))
        if chosen:
            handles += _handles(camera, piece, height_in, ground.corner, 4.5 / screen_scale)
    return marks, handles


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
_RULER_PIECES = 32
_RULER_LABEL_HALF_SIZE = np.array([95.0, 27.0])
_TIP_IN = 1.0  # labels keep this square at a template's tip free


def _ruler_lines(reading: Reading, colour: Colour) -> Iterator[Mark]:
    """Thin lines between the centres, strong ones between the bases' edges."""
    heights = (reading.a.z_in, reading.b.z_in)
    for leg in reading.legs:
        line = _straight(leg.centre_segment_in, heights)
        yield Trace(line, colour, 2.0, dashed=True, clear_in=tuple(pairwise(line[::4])))
        if leg.edge_in > 0:
            yield Trace(_straight(leg.edge_segment_in, heights), colour, 5.0)


def _straight(ends_in: tuple[PointIn, PointIn], heights_in: tuple[float, float]) -> tuple[Point3In, ...]:
    """Places along a line between two places at these heights, because the lens bends it."""
    start, end = ((*place, height) for place, height in zip(ends_in, heights_in, strict=True))
    return tuple((x, y, z) for x, y, z in np.linspace(start, end, _RULER_PIECES + 1).tolist())


def _ruler_label(camera: TableCamera, reading: Reading, colour: Colour, state: TableState) -> Note:
    """The range, beside the middle of a straight ruler or at the end of one around corners."""
    a, b = reading.a, reading.b
    rows = [(range_words(reading.range, state.basis, state.unit), 24.0)]
    if a.army and b.army:
        rows.append((other_words(reading.range, state.basis, state.unit), 15.0))
    if len(reading.legs) > 1:
        return Note((*b.centre_in, b.z_in), tuple(rows), colour, (0.0, -44.0))
    middle_in = ((a.x_in + b.x_in) / 2, (a.y_in + b.y_in) / 2, (a.z_in + b.z_in) / 2)
    return Note(middle_in, tuple(rows), colour, _beside(camera, reading))


def _beside(camera: TableCamera, reading: Reading) -> PointPx:
    """The offset from a ruler's middle at which its label does not cover it, upwards on the screen."""
    ends = camera.table_to_pixel([(*f.centre_in, f.z_in) for f in (reading.a, reading.b)])
    along = ends[1] - ends[0]
    normal = np.array([along[1], -along[0]]) / max(float(np.hypot(*along)), 1e-9)
    normal *= -1 if normal[1] > 0 else 1
    gap = abs(normal) @ _RULER_LABEL_HALF_SIZE + 8
    return (float(normal[0] * gap), float(normal[1] * gap)) if np.isfinite(gap) else (0.0, -40.0)


def _laid_template(template: Template, *, loose: bool) -> Trace:
    """The outline of a template; `loose` while it follows the mouse."""
    outline = drawn(template, _ARC_STEP_DEG)
    places = lifted(outline) if isinstance(template, Blast) else ring(outline)
    return Trace(places, BLAST, 3.0, faded(BLAST, 45), closed=True, dashed=loose, clear_in=tuple(_tips(template)))


def _template_label(template: Template) -> Note:
    """The name and size of a template, at the far end of its outline."""
    x, y = max(drawn(template, _ARC_STEP_DEG), key=lambda place: place[1])
    return Note((x, y, 0.0), ((template_words(template), 15.0),), BLAST_WORDS, (0.0, -14.0))


def _tips(template: Template) -> Iterator[tuple[Point3In, ...]]:
    """What players look at: a disc's middle, a strip's ends, the tip of others; each as a square on the table."""
    match template:
        case Zone():
            places: tuple[PointIn, ...] = ()
        case Strip():
            places = (template.path_in[0], template.path_in[-1])
        case _:
            places = (start_of(template),)
    half = _TIP_IN / 2
    for x, y in places:
        yield ((x - half, y - half, 0.0), (x + half, y + half, 0.0))


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
