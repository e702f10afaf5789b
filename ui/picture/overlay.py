"""All shapes over the picture, from the lowest up. No Qt here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from calibration.camera import TableCamera
from calibration.marker_issue import MarkerIssue
from rules.tabletop.table import TerrainPiece
from ui.measuring import Read, covered, read_off
from ui.picture.figure_shapes import casualties, figure_shapes, hit_labels, picked_rings, pointed_out
from ui.picture.laid_shapes import laid_template, pin, ruler_label, ruler_lines, template_label
from ui.picture.preview import GroundPreview, Preview
from ui.picture.shapes import NUMBER_SIZE, Label, Line, Shape, closed_line, finite, label_at, marked
from ui.session import TableState
from ui.table.play_area import area_marks
from ui.table.terrain import outline_height_in
from ui.theme import BLAST, BLAST_WORDS, DARK, MARKER, TERRAIN, faded
from ui.translation import tr
from vision.table_view import TableView


def table_overlay(
    view: TableView, state: TableState, preview: Preview | None = None, screen_scale: float = 1.0
) -> tuple[Shape, ...]:
    """All shapes over a picture, from the lowest up; none without a calibration.

    `screen_scale` is in screen pixels per pixel of the picture.
    """
    preview = preview or Preview()
    quiet = preview.finding is not None
    resting = resting_shapes(view, state, preview.ground, screen_scale, quiet=quiet)
    above = (*found_shapes(view, preview), *loose_shapes(view, state, preview, screen_scale))
    return (*area_shapes(view, preview), *resting, *above)


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
    shapes += [laid_template(camera, template, loose=False) for template in state.templates]
    shapes += figure_shapes(view, state, hits, screen_scale, quiet=quiet, numbers=numbers)
    for reading in readings:
        shapes += ruler_lines(camera, reading, loose=False)
    shapes += hit_labels(view, hits)
    for template in state.templates:
        shapes += template_label(camera, template)
    for reading in readings:
        shapes += ruler_label(camera, reading, False, state)
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
    shapes: list[Shape] = [laid_template(camera, preview.template, loose=True)] if preview.template else []
    shapes += marked(camera, (*preview.badges, *preview.marks))
    shapes += pointed_out(view, state, preview, hits, screen_scale)
    shapes += casualties(view, preview)
    if reading is not None:
        shapes += ruler_lines(camera, reading, loose=True)
    if preview.pin_in is not None:
        shapes += pin(camera, preview.pin_in)
    shapes += hit_labels(view, hits)
    if preview.template is not None:
        shapes += template_label(camera, preview.template)
    if reading is not None:
        shapes += ruler_label(camera, reading, True, state)
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
