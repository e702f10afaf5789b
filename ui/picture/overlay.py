"""Shapes over the picture, in its pixels: rings, rulers, templates, labels. No Qt here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from calibration.camera import TableCamera
from calibration.marker_issue import MarkerIssue
from rules.tabletop.table import POSTURE_HEIGHT_IN, Figure, Point3In, PointIn, TerrainPiece
from rules.tabletop.template import Blast, Hit, Strip, Template, Zone, drawn
from ui.formatting import other_words, percent_words, range_words, spread_in
from ui.measuring import Read, Reading, covered, read_off
from ui.picture.placement import ring_width
from ui.rules_text import display_name, side_name
from ui.session import Ruler, TableState
from ui.table.finding import Finding, Mark, Patch, Rows, Style, Trace, lifted, ring
from ui.table.play_area import area_marks
from ui.table.shapes import template_words
from ui.table.terrain import outline_height_in
from ui.theme import (
    BLAST,
    BLAST_WORDS,
    CASUALTY,
    DARK,
    MARKER,
    PREVIEW,
    RULER,
    TERRAIN,
    WHITE,
    Colour,
    Dash,
    army_colour,
    army_dash,
    faded,
)
from ui.translation import tr
from ui.vocabulary import Unit, posture_words
from vision.palette import army_names
from vision.table_view import TableView

PointPx = tuple[float, float]

_RULER_PIECES = 32  # segments of a line, because the lens bends it
_ARC_STEP_DEG = 3.75
_RULER_LABEL_HALF_SIZE = np.array([95.0, 27.0])
_SURE = 0.995
_UNDER_TEMPLATE = (BLAST, 110)
_TIP_IN = 1.0  # labels keep this square at a template's tip free
_NAMES_FROM_PX_PER_IN = 45.0  # at a smaller scale figures wear only their numbers
_NUMBERS_FROM_PX_PER_IN = 12.0  # at a smaller scale a number is larger than its figure
_NUMBER_SIZE = 14.0
_STANDS_OUT = 1.6  # a ring under the mouse is wider by this factor
_PICKED_SCALE = 1.6  # the size of the white ring around a picked figure, in sizes of its base


@dataclass(frozen=True, slots=True)
class Line:
    """A line through `points_px`, closed and filled or not; its width is in pixels of the screen at any zoom.

    Attributes:
        keep_clear: Groups of points; labels keep off the box round each.
    """

    points_px: tuple[PointPx, ...]
    colour: Colour
    width: float = 2.0
    fill: Colour | None = None
    closed: bool = False
    halo: bool = True
    dashed: bool = False
    keep_clear: tuple[tuple[PointPx, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Ring(Line):
    """A closed line round a figure, light outside and dark inside, so that it stands out on any ground.

    Attributes:
        dash: The army's pattern; empty for a solid line.
    """

    dash: Dash = ()


@dataclass(frozen=True, slots=True)
class Region:
    """An area of the picture within rings, outlines and holes."""

    rings_px: tuple[tuple[PointPx, ...], ...]
    style: Style


@dataclass(frozen=True, slots=True)
class Label:
    """Text on a dark plate, with its centre at `offset` (right, down, on the screen) from a place in the picture.

    Attributes:
        rows: Texts with their sizes on the screen.
        around: Points of what it names; it then stands beside their box, and `offset` is not used.
        small: On a narrow plate, and left out where there is no room.
    """

    at_px: PointPx
    rows: Rows
    colour: Colour = WHITE
    offset: PointPx = (0.0, 0.0)
    around: tuple[PointPx, ...] = ()
    small: bool = False


Shape = Line | Region | Label


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
        battle_lines: What the players must know about the figure under the mouse in the battle, in lines.
        turn_lines: What only the rules of this turn ask for, in lines.
        ground: The terrain tool's preview; None for other tools.
        marks: Other marks of a battle, such as where a shell landed.
        badges: Signs beside the soldiers, for the screen only.
        casualties: Ids of the battle's casualties that are still on the table.
        areas: Parts of the ground that are marked out and circles of reach, drawn below everything.
    """

    hovered: str | None = None
    picked: str | None = None
    asked: str | None = None
    pin_in: PointIn | None = None
    ruler: Ruler | None = None
    template: Template | None = None
    finding: Finding | None = None
    battle_lines: tuple[str, ...] = ()
    turn_lines: tuple[str, ...] = ()
    ground: GroundPreview | None = None
    marks: tuple[Mark, ...] = ()
    badges: tuple[Mark, ...] = ()
    casualties: tuple[str, ...] = ()
    areas: tuple[Mark, ...] = ()


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
    shapes: list[Shape] = [_closed(camera, c, 0.0, MARKER, 1.0) for c in view.calibration.markers_in.values()]
    if state.area is not None:
        shapes += marked(camera, area_marks(state.area))
    shapes += _terrain(camera, state.setup.terrain, ground, screen_scale)
    shapes += [_laid(camera, template, loose=False) for template in state.templates]
    shapes += _figures(view, state, hits, screen_scale, quiet=quiet, numbers=numbers)
    for reading in readings:
        shapes += _ruler_lines(camera, reading, loose=False)
    shapes += _hit_labels(view, hits)
    for template in state.templates:
        shapes += _template_label(camera, template)
    for reading in readings:
        shapes += _ruler_label(camera, reading, False, state)
    return tuple(shapes)


def area_shapes(view: TableView, preview: Preview) -> tuple[Shape, ...]:
    """The marked parts of the ground, and white rings, below the resting shapes: they must not cover numbers."""
    if view.calibration is None:
        return ()
    return (*marked(view.calibration.camera, preview.areas), *_picked_rings(view, preview))


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
    shapes: list[Shape] = [_laid(camera, preview.template, loose=True)] if preview.template else []
    shapes += marked(camera, (*preview.badges, *preview.marks))
    shapes += _pointed_out(view, state, preview, hits, screen_scale)
    shapes += _casualties(view, preview)
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
    points = [_places(mark) for mark in marks]
    pixels = camera.table_to_pixel(np.reshape([place for some in points for place in some], (-1, 3)))
    ends = np.cumsum([len(some) for some in points])
    for mark, part in zip(marks, np.split(pixels, ends[:-1]), strict=True) if marks else ():
        places = _seen(part)
        if isinstance(mark, Patch):
            rings = np.split(part, np.cumsum([len(one) for one in mark.rings_in])[:-1])
            yield Region(tuple(_seen(one) for one in rings), mark.style)
        elif isinstance(mark, Trace):
            clear = (places,) if mark.keeps_clear and places else ()
            yield Line(places, mark.colour, mark.width, mark.fill, mark.closed, mark.halo, mark.dashed, clear)
        elif places:
            yield Label(places[0], mark.rows, mark.colour, mark.offset)


def _places(mark: Mark) -> tuple[Point3In, ...]:
    if isinstance(mark, Patch):
        return tuple(place for one in mark.rings_in for place in one)
    return mark.points_in if isinstance(mark, Trace) else (mark.at_in,)


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
        rows = ((f"{piece.name}, {high}" if strong else piece.name, _NUMBER_SIZE),)
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
    view: TableView, state: TableState, hits: Sequence[Hit], screen_scale: float, *, quiet: bool, numbers: bool
) -> Iterator[Shape]:
    """A ring round each figure, filled if it is under a template, with its number or name if there is room."""
    assert view.calibration is not None
    inside = {hit.id for hit in hits}
    px_per_in = screen_scale * _px_per_inch(view.calibration.camera, view.figures)
    named = px_per_in >= _NAMES_FROM_PX_PER_IN and not quiet
    for figure, outline in zip(view.figures, _rings(view, state, view.figures, px_per_in), strict=True):
        yield replace(outline, fill=faded(*_UNDER_TEMPLATE if figure.id in inside else (outline.colour, 40)))
        if numbers and px_per_in >= _NUMBERS_FROM_PX_PER_IN and figure.id not in inside:
            words = display_name(figure.id) if named else figure_number(figure.id)
            yield from _beside_figure(outline, ((words, _NUMBER_SIZE),), outline.colour, small=True)


def enlarged(outline_in: Sequence[PointIn], centre_in: PointIn, scale: float) -> list[PointIn]:
    """An outline enlarged about a figure's centre, so that it shows beside the figure's own ring."""
    x, y = centre_in
    return [(x + scale * (at[0] - x), y + scale * (at[1] - y)) for at in outline_in]


def figure_number(figure: str) -> str:
    """The number in a figure's id, such as "4" for "green-4"; the whole name of one without a number."""
    number = figure.replace("_", "-").rpartition("-")[2]
    return number if number.isdigit() else display_name(figure)


def _picked_rings(view: TableView, preview: Preview) -> Iterator[Shape]:
    """A white ring around the picked figure, and around the figures between which the ruler lies."""
    assert view.calibration is not None
    ends = (preview.ruler.a, preview.ruler.b) if preview.ruler is not None else ()
    for figure in view.figures:
        if figure.id == preview.picked or figure.id in ends:
            around = [(*place, figure.z_in) for place in enlarged(figure.base_in, figure.centre_in, _PICKED_SCALE)]
            yield Line(_seen(view.calibration.camera.table_to_pixel(around)), PREVIEW, 3.0, closed=True)


def _pointed_out(
    view: TableView, state: TableState, preview: Preview, hits: Sequence[Hit], screen_scale: float
) -> Iterator[Shape]:
    """Figures under the template, and figures hovered over or picked, these with their details."""
    assert view.calibration is not None
    inside = {hit.id for hit in hits}
    marked_out = [f for f in view.figures if f.id in inside or f.id in (preview.hovered, preview.picked)]
    if not marked_out:
        return
    px_per_in = screen_scale * _px_per_inch(view.calibration.camera, view.figures)
    for figure, outline in zip(marked_out, _rings(view, state, marked_out, px_per_in), strict=True):
        stands_out = figure.id in (preview.hovered, preview.picked)
        fill = faded(*_UNDER_TEMPLATE) if figure.id in inside else faded(outline.colour, 90)
        yield replace(outline, width=outline.width * (_STANDS_OUT if stands_out else 1.0), fill=fill)
        if stands_out and figure.id not in preview.casualties:
            yield from _beside_figure(outline, _rows_of(figure, preview), outline.colour)


def _casualties(view: TableView, preview: Preview) -> Iterator[Shape]:
    """A red cross on each casualty that is still on the table; near the mouse it says what to do."""
    assert view.calibration is not None
    camera = view.calibration.camera
    for figure in view.figures:
        if figure.id not in preview.casualties:
            continue
        x, y = np.array(figure.base_in).T
        corners = [(x.min(), y.min()), (x.max(), y.max()), (x.min(), y.max()), (x.max(), y.min())]
        ends = camera.table_to_pixel([(*corner, figure.z_in) for corner in corners])
        for stroke in (ends[:2], ends[2:]):
            yield Line(_seen(stroke), WHITE, 7.0)
            yield Line(_seen(stroke), CASUALTY, 4.0, halo=False)
        if figure.id in (preview.hovered, preview.picked):
            words = tr("Take off {name}", name=display_name(figure.id))
            yield Label(_seen(ends[:1])[0], ((words, 16.0),), WHITE, around=_body(camera, [figure])[0])


def _hit_labels(view: TableView, hits: Sequence[Hit]) -> Iterator[Shape]:
    assert view.calibration is not None
    largest = {hit.id: hit for hit in _largest_hits(hits)}
    figures = [figure for figure in view.figures if figure.id in largest]
    for figure, body in zip(figures, _body(view.calibration.camera, figures), strict=True):
        if body:
            yield Label(body[0], ((_part_words(largest[figure.id]), 16.0),), WHITE, around=body)


def _template_label(camera: TableCamera, template: Template) -> list[Shape]:
    words = ((template_words(template), 15.0),)
    return _label(camera, (*_far_end(template), 0.0), words, BLAST_WORDS, -14.0)


def _rows_of(figure: Figure, preview: Preview) -> Rows:
    """The details of a figure under the mouse; only id and posture of one that was picked before."""
    if figure.id != preview.hovered or preview.finding is not None:
        return ((display_name(figure.id), 15.0), (posture_words(figure.posture), _NUMBER_SIZE))
    confidence = "" if figure.confidence > _SURE else tr(", {part} sure", part=percent_words(figure.confidence))
    army = "" if display_name(figure.id).startswith(display_name(figure.army)) else f"{side_name(figure.army)}, "
    seen = f"{army}{posture_words(figure.posture)}{confidence}"
    known = preview.battle_lines or (f"± {Unit.INCH.words(spread_in(figure.sigma_in))}",)
    details = (seen, *known)
    return ((display_name(figure.id), 15.0), *((words, _NUMBER_SIZE) for words in details))


def _part_words(hit: Hit) -> str:
    """The part of a base that is under a template, with a question mark if it may be 0."""
    return percent_words(hit.fraction) if hit.least > 0 else tr("{part} at most?", part=percent_words(hit.most))


def _rings(view: TableView, state: TableState, figures: Sequence[Figure], px_per_in: float) -> list[Ring]:
    """The bases' outlines in the picture, in the colours and patterns of their armies."""
    assert view.calibration is not None
    camera, armies = view.calibration.camera, army_names(state.setup.palette or view.proposed)
    width, rings = ring_width(px_per_in), []
    for figure, body in zip(figures, _body(camera, figures), strict=True):
        ring = Ring(
            body[: len(body) // 2],
            army_colour(figure.army, armies),
            width,
            closed=True,
            keep_clear=(body,),
            dash=army_dash(figure.army, armies),
        )
        rings.append(ring)
    return rings


def _body(camera: TableCamera, figures: Sequence[Figure]) -> list[tuple[PointPx, ...]]:
    """Each figure's base and, after it, the same outline at the height of its head; empty if not in sight.

    All are projected in one call, which takes as long as projecting one.
    """
    if not figures:
        return []
    heights = [(f, height) for f in figures for height in (f.z_in, f.z_in + POSTURE_HEIGHT_IN[f.posture])]
    points = [(*point, height) for figure, height in heights for point in figure.base_in]
    pixels = camera.table_to_pixel(np.reshape(points, (-1, 3)))
    ends = np.cumsum([2 * len(figure.base_in) for figure in figures])
    return [_seen(body) if np.isfinite(body).all() else () for body in np.split(pixels, ends[:-1])]


def _beside_figure(ring: Ring, rows: Rows, colour: Colour, *, small: bool = False) -> Iterator[Label]:
    for body in ring.keep_clear:
        if body:
            yield Label(body[0], rows, colour, around=body, small=small)


def _px_per_inch(camera: TableCamera, figures: Sequence[Figure]) -> float:
    return camera.px_per_inch(*np.median([f.centre_in for f in figures], axis=0)) if figures else 0.0


def _ruler_lines(camera: TableCamera, reading: Reading, loose: bool) -> Iterator[Shape]:
    """Thin lines between the centres, strong ones between the bases' edges."""
    colour = PREVIEW if loose else RULER
    heights = (reading.a.z_in, reading.b.z_in)
    for leg in reading.legs:
        line = _segment(camera, leg.centre_segment_in, heights, colour, 2.0, dashed=True)
        yield replace(line, keep_clear=tuple(pairwise(line.points_px[::4])))
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
    line = _closed(camera, [place[:2] for place in places], 0.0, BLAST, 3.0, faded(BLAST, 45), dashed=loose)
    return replace(line, keep_clear=_tips(camera, template))


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
    return tuple(map(_seen, np.split(camera.table_to_pixel(corners), len(places))))


def _far_end(template: Template) -> PointIn:
    """The point of its outline with the largest y, where its name stands."""
    return max(drawn(template, _ARC_STEP_DEG), key=lambda place: place[1])


def _largest_hits(hits: Sequence[Hit]) -> list[Hit]:
    """Each figure once, with its largest part if it is under several templates."""
    return list({hit.id: hit for hit in sorted(hits, key=lambda hit: hit.fraction)}.values())


def _label(
    camera: TableCamera, at_in: tuple[float, float, float], rows: Rows, colour: Colour, offset: PointPx | float
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
