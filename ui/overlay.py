"""What is drawn over the picture, as values in its pixels: rings, rulers, blasts, labels. No Qt here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.camera import TableCamera
from calibration.trouble import Trouble
from rules.table import Figure, PointIn
from rules.template import Blast, Hit
from ui.readout import edge_words, percent_words, range_words
from ui.session import Reading, Ruler, TableState, blasted, read_off
from ui.theme import BLAST, BLAST_WORDS, MARKER, PREVIEW, RULER, WHITE, Colour, army_colour, faded
from vision.pipeline import TableView

PointPx = tuple[float, float]

_RULER_PIECES = 32  # a straight line on the table is bent by the lens
_CIRCLE_POINTS = 96
_RULER_LABEL_HALF_SIZE = np.array([95.0, 27.0])
_LABELS_FROM_PX_PER_IN = 30.0  # closer together the figures' names would cover one another


@dataclass(frozen=True, slots=True)
class Line:
    """A line through `points_px`, closed and filled or not; widths are of the screen, whatever the zoom."""

    points_px: tuple[PointPx, ...]
    colour: Colour
    width: float = 2.0
    fill: Colour | None = None
    closed: bool = False
    halo: bool = True
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    """Words on a dark plate, centred `offset` (right, down, on the screen) from a place in the picture.

    Attributes:
        rows: Each a text and its size on the screen.
    """

    at_px: PointPx
    rows: tuple[tuple[str, float], ...]
    colour: Colour = WHITE
    offset: PointPx = (0.0, 0.0)


Shape = Line | Label


@dataclass(frozen=True, slots=True)
class Preview:
    """What the tool in hand shows and has not laid down.

    Attributes:
        hovered: Id of the figure under the mouse.
        picked: Id of the figure that was picked.
        asked: Id of the figure of which all is to be told.
        pin_in: A bare place that was picked.
        ruler, blast: What a click would lay down.
    """

    hovered: str | None = None
    picked: str | None = None
    asked: str | None = None
    pin_in: PointIn | None = None
    ruler: Ruler | None = None
    blast: Blast | None = None


def table_overlay(
    view: TableView, state: TableState, preview: Preview | None = None, screen_scale: float = 1.0
) -> tuple[Shape, ...]:
    """Everything to draw over a picture, from the lowest up; nothing where it has no calibration.

    Args:
        view: What the picture shows.
        state: What lies on the table.
        preview: What the tool in hand adds.
        screen_scale: Pixels of the screen that one pixel of the picture takes up.
    """
    if view.calibration is None:
        return ()
    preview = preview or Preview()
    camera = view.calibration.camera
    blasts = [*state.blasts, *([preview.blast] if preview.blast else [])]
    hits = [hit for blast in blasts for hit in blasted(view, blast)]
    shapes: list[Shape] = [_closed(camera, c, 0.0, MARKER, 1.0) for c in view.calibration.markers_in.values()]
    shapes += [_disc(camera, blast, blast is preview.blast) for blast in blasts]
    shapes += _figures(view, state, preview, hits, screen_scale)
    rulers = [*state.rulers, *([preview.ruler] if preview.ruler else [])]
    readings = [(reading, ruler is preview.ruler) for ruler in rulers if (reading := read_off(view, ruler))]
    for reading, loose in readings:
        shapes += _ruler_lines(camera, reading, loose)
    if preview.pin_in is not None:
        shapes += _pin(camera, preview.pin_in)
    places = {figure.id: (*figure.centre_in, figure.z_in) for figure in view.figures}
    for hit in _most(hits):
        shapes += _label(camera, places[hit.id], ((percent_words(hit.fraction), 16.0),), WHITE, 24.0)
    for blast in blasts:
        far_rim_in = (blast.centre_in[0], blast.centre_in[1] + blast.radius_in, 0.0)
        shapes += _label(camera, far_rim_in, ((f"blast {blast.radius_in:g} in", 15.0),), BLAST_WORDS, -14.0)
    for reading, loose in readings:
        shapes += _ruler_label(camera, reading, loose)
    return tuple(shapes)


def trouble_overlay(troubles: Sequence[Trouble], image_size: tuple[int, int]) -> tuple[Shape, ...]:
    """What looks like a marker and does not help, outlined, with the reason beside it and within the picture."""
    shapes: list[Shape] = []
    width, height = image_size
    for trouble in troubles:
        x, y = np.array(trouble.outline_px).T
        shapes.append(Line(trouble.outline_px, BLAST, 3.0, faded(BLAST, 60), closed=True))
        name = "" if trouble.id is None else f"marker {trouble.id}: "
        middle = float(np.clip(x.mean(), 0.07 * width, 0.93 * width))
        low = float(y.max()) < 0.95 * height
        at_px, offset = ((middle, float(y.max())), 18.0) if low else ((middle, float(y.min())), -18.0)
        shapes.append(Label(at_px, ((f"{name}{trouble.reason}", 15.0),), BLAST_WORDS, (0.0, offset)))
    return tuple(shapes)


def _figures(
    view: TableView, state: TableState, preview: Preview, hits: Sequence[Hit], screen_scale: float
) -> Iterator[Shape]:
    assert view.calibration is not None  # noqa: S101 - the caller asked
    camera = view.calibration.camera
    armies = [colour.name for colour in state.setup.palette]
    inside = {hit.id for hit in hits}
    rings = _rings(camera, view.figures)
    roomy = screen_scale * _px_per_inch(camera, view.figures) >= _LABELS_FROM_PX_PER_IN
    for figure, ring in zip(view.figures, rings, strict=True):
        colour = army_colour(figure.army, armies)
        marked = figure.id in (preview.hovered, preview.picked)
        fill = faded(BLAST, 110) if figure.id in inside else faded(colour, 90 if marked else 40)
        yield Line(ring, colour, 4.0 if marked else 2.0, fill, closed=True)
        if (marked or roomy) and figure.id not in inside:
            rows = ((figure.id, 15.0), (figure.posture.value, 12.0)) if marked else ((figure.id, 12.0),)
            yield from _label(camera, (*figure.centre_in, figure.z_in), rows, colour, 34.0 if marked else 26.0)


def _rings(camera: TableCamera, figures: Sequence[Figure]) -> list[tuple[PointPx, ...]]:
    """The bases' outlines; all are projected in one go, which takes as long as projecting one."""
    points = [(*point, figure.z_in) for figure in figures for point in figure.base_in]
    pixels = camera.table_to_pixel(np.reshape(points, (-1, 3)))
    ends = np.cumsum([len(figure.base_in) for figure in figures])
    return [_seen(ring) for ring in np.split(pixels, ends[:-1])] if figures else []


def _px_per_inch(camera: TableCamera, figures: Sequence[Figure]) -> float:
    """Where the figures are."""
    return camera.px_per_inch(*np.median([f.centre_in for f in figures], axis=0)) if figures else 0.0


def _ruler_lines(camera: TableCamera, reading: Reading, loose: bool) -> Iterator[Shape]:
    """Thin from centre to centre, strong between the bases' edges."""
    colour = PREVIEW if loose else RULER
    heights = (reading.a.z_in, reading.b.z_in)
    yield _segment(camera, reading.range.centre_segment_in, heights, colour, 2.0, dashed=True)
    if reading.range.edge_in > 0:
        yield _segment(camera, reading.range.edge_segment_in, heights, colour, 5.0)


def _ruler_label(camera: TableCamera, reading: Reading, loose: bool) -> list[Shape]:
    a, b = reading.a, reading.b
    middle_in = ((a.x_in + b.x_in) / 2, (a.y_in + b.y_in) / 2, (a.z_in + b.z_in) / 2)
    rows = [(range_words(reading.range), 24.0)]
    if a.army and b.army:
        rows.append((edge_words(reading.range), 15.0))
    return _label(camera, middle_in, tuple(rows), PREVIEW if loose else RULER, _beside(camera, reading))


def _beside(camera: TableCamera, reading: Reading) -> PointPx:
    """From a ruler's middle to where its label lies clear of it, above it on the screen."""
    ends = camera.table_to_pixel([(*f.centre_in, f.z_in) for f in (reading.a, reading.b)])
    along = ends[1] - ends[0]
    normal = np.array([along[1], -along[0]]) / max(float(np.hypot(*along)), 1e-9)
    normal *= -1 if normal[1] > 0 else 1
    away = abs(normal) @ _RULER_LABEL_HALF_SIZE + 8
    return (float(normal[0] * away), float(normal[1] * away)) if np.isfinite(away) else (0.0, -40.0)


def _disc(camera: TableCamera, blast: Blast, loose: bool) -> Line:
    turn = np.linspace(0, 2 * np.pi, _CIRCLE_POINTS, endpoint=False)
    rim = np.array(blast.centre_in) + blast.radius_in * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    return _closed(camera, rim, 0.0, BLAST, 3.0, faded(BLAST, 45), dashed=loose)


def _most(hits: Sequence[Hit]) -> list[Hit]:
    """Each figure once: under several blasts, its largest part."""
    return list({hit.id: hit for hit in sorted(hits, key=lambda hit: hit.fraction)}.values())


def _label(
    camera: TableCamera,
    at_in: tuple[float, float, float],
    rows: tuple[tuple[str, float], ...],
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
    """The pixels that are there: what lies behind the camera or beyond its lens has none."""
    return tuple((float(x), float(y)) for x, y in pixels if np.isfinite(x) and np.isfinite(y))
