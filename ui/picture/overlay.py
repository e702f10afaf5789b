"""Shapes over the picture, in its pixels: rings, rulers, templates, labels. No Qt here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from calibration.camera import TableCamera
from rules.engine.text import display_name
from rules.tabletop.table import Figure, PointIn, TerrainPiece
from rules.tabletop.template import Blast, Hit, Template, drawn
from ui.formatting import other_words, percent_words, range_words, spread_in
from ui.measuring import Read, Reading, covered, read_off
from ui.session import Ruler, TableState
from ui.table.finding import Finding, Mark, Rows, Trace, lifted, ring
from ui.table.play_area import area_marks
from ui.table.shapes import template_words
from ui.table.terrain import outline_height_in
from ui.theme import BLAST, BLAST_WORDS, DARK, MARKER, PREVIEW, RULER, TERRAIN, WHITE, Colour, army_colour, faded
from ui.translation import tr
from ui.units import Unit
from ui.vocabulary import posture_words
from vision.palette import army_names
from vision.table_view import TableView

PointPx = tuple[float, float]

_RULER_PIECES = 32  # segments of a line, because the lens bends it
_ARC_STEP_DEG = 3.75
_RULER_LABEL_HALF_SIZE = np.array([95.0, 27.0])
_SURE = 0.995
_UNDER_TEMPLATE = (BLAST, 110)
_LABELS_FROM_PX_PER_IN = 30.0  # at a smaller scale the figures' names would cover one another


@dataclass(frozen=True, slots=True)
class Line:
    """A line through `points_px`, closed and filled or not; its width is in pixels of the screen at any zoom."""

    points_px: tuple[PointPx, ...]
    colour: Colour
    width: float = 2.0
    fill: Colour | None = None
    closed: bool = False
    halo: bool = True
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    """Text on a dark plate, with its centre at `offset` (right, down, on the screen) from a place in the picture.

    Attributes:
        rows: Texts with their sizes on the screen.
    """

    at_px: PointPx
    rows: Rows
    colour: Colour = WHITE
    offset: PointPx = (0.0, 0.0)


Shape = Line | Label


@dataclass(frozen=True, slots=True)
class GroundPreview:
    """What the terrain tool shows.

    Attributes:
        hovered: Name of the piece under the mouse.
        selected: Name of the selected piece.
        piece: The selected piece as the edit would leave it, or None.
        corner: Number of its selected corner.
    """

    hovered: str | None = None
    selected: str | None = None
    piece: TerrainPiece | None = None
    corner: int | None = None


@dataclass(frozen=True, slots=True)
class Preview:
    """What the current tool shows before anything is laid on the table.

    Attributes:
        hovered: Id of the figure under the mouse.
        picked: Id of the figure that was picked.
        asked: Id of the figure whose details are shown.
        pin_in: A bare place that was picked.
        ruler, template: What a click would lay down.
        finding: The answer to the tool's question.
        told: What the battle knows about the figure under the mouse, in lines.
        ground: The terrain tool's preview; None for other tools.
        marks: Other marks of a battle, such as where a shell landed.
    """

    hovered: str | None = None
    picked: str | None = None
    asked: str | None = None
    pin_in: PointIn | None = None
    ruler: Ruler | None = None
    template: Template | None = None
    finding: Finding | None = None
    told: tuple[str, ...] = ()
    ground: GroundPreview | None = None
    marks: tuple[Mark, ...] = ()


def table_overlay(
    view: TableView, state: TableState, preview: Preview | None = None, screen_scale: float = 1.0
) -> tuple[Shape, ...]:
    """All shapes over a picture, from the lowest up; none without a calibration.

    Args:
        view: The view of the picture.
        state: The table's state.
        preview: What the current tool adds.
        screen_scale: Screen pixels per pixel of the picture.
    """
    preview = preview or Preview()
    quiet = preview.finding is not None
    resting = resting_shapes(view, state, preview.ground, screen_scale, quiet=quiet)
    return (*resting, *found_shapes(view, preview), *loose_shapes(view, state, preview))


def resting_shapes(
    view: TableView,
    state: TableState,
    ground: GroundPreview | None,
    screen_scale: float,
    read: Read = read_off,
    *,
    quiet: bool,
) -> tuple[Shape, ...]:
    """The shapes that do not depend on the mouse; `quiet` leaves out the figures' names."""
    if view.calibration is None:
        return ()
    camera = view.calibration.camera
    hits = [hit for template in state.templates for hit in covered(view, template)]
    readings = [reading for ruler in state.rulers if (reading := read(view, ruler))]
    shapes: list[Shape] = [_closed(camera, c, 0.0, MARKER, 1.0) for c in view.calibration.markers_in.values()]
    if state.area is not None:
        shapes += marked(camera, area_marks(state.area))
    shapes += _terrain(camera, state.setup.terrain, ground, screen_scale)
    shapes += [_laid(camera, template, loose=False) for template in state.templates]
    shapes += _figures(view, state, hits, screen_scale, quiet=quiet)
    for reading in readings:
        shapes += _ruler_lines(camera, reading, loose=False)
    shapes += _hit_labels(view, hits)
    for template in state.templates:
        shapes += _template_label(camera, template)
    for reading in readings:
        shapes += _ruler_label(camera, reading, False, state)
    return tuple(shapes)


def found_shapes(view: TableView, preview: Preview) -> tuple[Shape, ...]:
    """The marks of the tool's answer, drawn above the resting shapes."""
    if view.calibration is None or preview.finding is None:
        return ()
    return tuple(marked(view.calibration.camera, preview.finding.marks))


def loose_shapes(view: TableView, state: TableState, preview: Preview, read: Read = read_off) -> tuple[Shape, ...]:
    """The other shapes of the current tool, drawn above everything; they follow the mouse."""
    if view.calibration is None:
        return ()
    camera = view.calibration.camera
    hits = covered(view, preview.template) if preview.template else ()
    reading = read(view, preview.ruler) if preview.ruler else None
    shapes: list[Shape] = [_laid(camera, preview.template, loose=True)] if preview.template else []
    shapes += marked(camera, preview.marks)
    shapes += _pointed_out(view, state, preview, hits)
    if reading is not None:
        shapes += _ruler_lines(camera, reading, loose=True)
    if preview.pin_in is not None:
        shapes += _pin(camera, preview.pin_in)
    shapes += _hit_labels(view, hits)
    if preview.template is not None:
        shapes += _template_label(camera, preview.template)
    if reading is not None:
        shapes += _ruler_label(camera, reading, True, state)
    return tuple(shapes)


def marked(camera: TableCamera, marks: Sequence[Mark]) -> Iterator[Shape]:
    """Marks projected into the picture, all in one call, which takes as long as projecting one."""
    points = [mark.points_in if isinstance(mark, Trace) else (mark.at_in,) for mark in marks]
    pixels = camera.table_to_pixel(np.reshape([place for some in points for place in some], (-1, 3)))
    ends = np.cumsum([len(some) for some in points])
    for mark, part in zip(marks, np.split(pixels, ends[:-1]), strict=True) if marks else ():
        places = _seen(part)
        if isinstance(mark, Trace):
            yield Line(places, mark.colour, mark.width, mark.fill, mark.closed, mark.halo, mark.dashed)
        elif places:
            yield Label(places[0], mark.rows, mark.colour, mark.offset)


def _terrain(
    camera: TableCamera, terrain: Sequence[TerrainPiece], ground: GroundPreview | None, screen_scale: float
) -> Iterator[Shape]:
    """Thin outlines; with the terrain tool also the names, and the corners of the selected piece."""
    for known in sorted(terrain, key=lambda piece: piece.top_in):
        chosen = ground is not None and known.name == ground.selected
        piece = ground.piece if chosen and ground is not None and ground.piece is not None else known
        height_in = outline_height_in(piece)
        if ground is None:
            yield replace(_closed(camera, piece.outline_in, height_in, faded(TERRAIN, 150), 1.5), halo=False)
            continue
        strong = chosen or known.name == ground.hovered
        fill = faded(TERRAIN, 60) if strong else None
        yield _closed(camera, piece.outline_in, height_in, TERRAIN, 3.0 if strong else 2.0, fill)
        farthest = max(piece.outline_in, key=lambda point: point[1])  # above it on the screen the label hides no corner
        high = tr("{height_in:.3g} in", height_in=piece.top_in) if piece.top_in else tr("flat")
        rows = ((f"{piece.name}, {high}", 13.0),) if strong else ((piece.name, 12.0),)
        yield from _label(camera, (*farthest, height_in), rows, TERRAIN, -18.0)
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
        yield Line(_seen(px + square), TERRAIN, 1.5, fill, closed=True, halo=False)


def _figures(
    view: TableView, state: TableState, hits: Sequence[Hit], screen_scale: float, *, quiet: bool
) -> Iterator[Shape]:
    """A ring round each figure, filled if it is under a template, with its name if there is room for names."""
    assert view.calibration is not None
    camera = view.calibration.camera
    armies = army_names(state.setup.palette or view.proposed)
    inside = {hit.id for hit in hits}
    roomy = screen_scale * _px_per_inch(camera, view.figures) >= _LABELS_FROM_PX_PER_IN
    for figure, outline in zip(view.figures, _rings(camera, view.figures), strict=True):
        colour = army_colour(figure.army, armies)
        yield Line(outline, colour, 2.0, faded(*_UNDER_TEMPLATE if figure.id in inside else (colour, 40)), closed=True)
        if roomy and not quiet and figure.id not in inside:
            yield from _label(
                camera, (*figure.centre_in, figure.z_in), ((display_name(figure.id), 12.0),), colour, 27.0
            )


def _pointed_out(view: TableView, state: TableState, preview: Preview, hits: Sequence[Hit]) -> Iterator[Shape]:
    """Figures under the template, and figures hovered over or picked, these with their details."""
    assert view.calibration is not None
    camera = view.calibration.camera
    armies, inside = army_names(state.setup.palette or view.proposed), {hit.id for hit in hits}
    marked_out = [f for f in view.figures if f.id in inside or f.id in (preview.hovered, preview.picked)]
    for figure, outline in zip(marked_out, _rings(camera, marked_out), strict=True):
        colour = army_colour(figure.army, armies)
        stands_out = figure.id in (preview.hovered, preview.picked)
        fill = faded(*_UNDER_TEMPLATE) if figure.id in inside else faded(colour, 90)
        yield Line(outline, colour, 4.0 if stands_out else 2.0, fill, closed=True)
        if stands_out:
            rows = _rows_of(figure, preview)
            yield from _label(camera, (*figure.centre_in, figure.z_in), rows, colour, 20.0 + 7.0 * len(rows))


def _hit_labels(view: TableView, hits: Sequence[Hit]) -> Iterator[Shape]:
    assert view.calibration is not None
    places = {figure.id: (*figure.centre_in, figure.z_in) for figure in view.figures}
    for hit in _largest_hits(hits):
        yield from _label(view.calibration.camera, places[hit.id], ((_part_words(hit), 16.0),), WHITE, 24.0)


def _template_label(camera: TableCamera, template: Template) -> list[Shape]:
    words = ((template_words(template), 15.0),)
    return _label(camera, (*_far_end(template), 0.0), words, BLAST_WORDS, -14.0)


def _rows_of(figure: Figure, preview: Preview) -> Rows:
    """The details of a figure under the mouse; only id and posture of one that was picked before."""
    if figure.id != preview.hovered or preview.finding is not None:
        return ((display_name(figure.id), 15.0), (posture_words(figure.posture), 12.0))
    confidence = "" if figure.confidence > _SURE else tr(", {part} sure", part=percent_words(figure.confidence))
    seen = f"{figure.army}, {posture_words(figure.posture)}{confidence}"
    details = (seen, *preview.told, f"± {Unit.INCH.words(spread_in(figure.sigma_in))}")
    return ((display_name(figure.id), 15.0), *((words, 12.0) for words in details))


def _part_words(hit: Hit) -> str:
    """The part of a base that is under a template, with a question mark if it may be 0."""
    return percent_words(hit.fraction) if hit.least > 0 else tr("{part} at most?", part=percent_words(hit.most))


def _rings(camera: TableCamera, figures: Sequence[Figure]) -> list[tuple[PointPx, ...]]:
    """The bases' outlines in the picture, projected in one call, which takes as long as projecting one."""
    points = [(*point, figure.z_in) for figure in figures for point in figure.base_in]
    pixels = camera.table_to_pixel(np.reshape(points, (-1, 3)))
    ends = np.cumsum([len(figure.base_in) for figure in figures])
    return [_seen(outline) for outline in np.split(pixels, ends[:-1])] if figures else []


def _px_per_inch(camera: TableCamera, figures: Sequence[Figure]) -> float:
    return camera.px_per_inch(*np.median([f.centre_in for f in figures], axis=0)) if figures else 0.0


def _ruler_lines(camera: TableCamera, reading: Reading, loose: bool) -> Iterator[Shape]:
    """Thin lines between the centres, strong ones between the bases' edges."""
    colour = PREVIEW if loose else RULER
    heights = (reading.a.z_in, reading.b.z_in)
    for leg in reading.legs:
        yield _segment(camera, leg.centre_segment_in, heights, colour, 2.0, dashed=True)
        if leg.edge_in > 0:
            yield _segment(camera, leg.edge_segment_in, heights, colour, 5.0)


def _ruler_label(camera: TableCamera, reading: Reading, loose: bool, state: TableState) -> list[Shape]:
    a, b = reading.a, reading.b
    rows = [(range_words(reading.range, state.basis, state.unit), 24.0)]
    if a.army and b.army:
        rows.append((other_words(reading.range, state.basis, state.unit), 15.0))
    colour = PREVIEW if loose else RULER
    if len(reading.legs) > 1:
        return _label(camera, (*b.centre_in, b.z_in), tuple(rows), colour, -44.0)
    middle_in = ((a.x_in + b.x_in) / 2, (a.y_in + b.y_in) / 2, (a.z_in + b.z_in) / 2)
    return _label(camera, middle_in, tuple(rows), colour, _beside(camera, reading))


def _beside(camera: TableCamera, reading: Reading) -> PointPx:
    """The offset from a ruler's middle at which its label does not cover it, upwards on the screen."""
    ends = camera.table_to_pixel([(*f.centre_in, f.z_in) for f in (reading.a, reading.b)])
    along = ends[1] - ends[0]
    normal = np.array([along[1], -along[0]]) / max(float(np.hypot(*along)), 1e-9)
    normal *= -1 if normal[1] > 0 else 1
    gap = abs(normal) @ _RULER_LABEL_HALF_SIZE + 8
    return (float(normal[0] * gap), float(normal[1] * gap)) if np.isfinite(gap) else (0.0, -40.0)


def _laid(camera: TableCamera, template: Template, *, loose: bool) -> Line:
    outline = drawn(template, _ARC_STEP_DEG)
    places = lifted(outline) if isinstance(template, Blast) else ring(outline)
    return _closed(camera, [place[:2] for place in places], 0.0, BLAST, 3.0, faded(BLAST, 45), dashed=loose)


def _far_end(template: Template) -> PointIn:
    """The point of its outline with the largest y, where its name stands."""
    return max(drawn(template, _ARC_STEP_DEG), key=lambda place: place[1])


def _largest_hits(hits: Sequence[Hit]) -> list[Hit]:
    """Each figure once, with its largest part if it is under several templates."""
    return list({hit.id: hit for hit in sorted(hits, key=lambda hit: hit.fraction)}.values())


def _label(
    camera: TableCamera,
    at_in: tuple[float, float, float],
    rows: Rows,
    colour: Colour,
    offset: PointPx | float,
) -> list[Shape]:
    offset = (0.0, offset) if isinstance(offset, float) else offset
    return [Label(at_px, rows, colour, offset) for at_px in _seen(camera.table_to_pixel(at_in))]


def _pin(camera: TableCamera, pin_in: PointIn) -> list[Shape]:
    turn = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    rim = np.array(pin_in) + 0.2 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    return [_closed(camera, rim, 0.0, PREVIEW, 3.0, faded(PREVIEW, 90))]


def _segment(
    camera: TableCamera,
    ends_in: tuple[PointIn, PointIn],
    heights_in: tuple[float, float],
    colour: Colour,
    width: float,
    dashed: bool = False,
) -> Line:
    points = np.linspace((*ends_in[0], heights_in[0]), (*ends_in[1], heights_in[1]), _RULER_PIECES + 1)
    return Line(_seen(camera.table_to_pixel(points)), colour, width, dashed=dashed)


def _closed(
    camera: TableCamera,
    outline_in: npt.ArrayLike,
    height_in: float,
    colour: Colour,
    width: float,
    fill: Colour | None = None,
    dashed: bool = False,
) -> Line:
    outline = np.asarray(outline_in, np.float64)
    pixels = camera.table_to_pixel(np.c_[outline, np.full(len(outline), height_in)])
    return Line(_seen(pixels), colour, width, fill, closed=True, dashed=dashed)


def _seen(pixels: npt.NDArray[np.float64]) -> tuple[PointPx, ...]:
    """The finite pixels; points behind the camera or outside its lens have none."""
    return tuple((x, y) for x, y in pixels[np.isfinite(pixels).all(1)].tolist())
