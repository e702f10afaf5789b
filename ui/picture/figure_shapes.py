"""The shapes of figures: rings, numbers, details, casualties and what a template hits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from calibration.camera import TableCamera
from rules.tabletop.table import POSTURE_HEIGHT_IN, Figure, PointIn
from rules.tabletop.template import Hit
from ui.formatting import percent_words, spread_in
from ui.picture.placement import ring_width
from ui.picture.preview import Preview
from ui.picture.shapes import NUMBER_SIZE, Label, Line, PointPx, Ring, Shape, finite
from ui.rules_text import display_name, side_name
from ui.session import TableState
from ui.table.finding import Mark, Rows, Trace, lifted
from ui.theme import BLAST, CASUALTY, PREVIEW, WHITE, Colour, army_colour, army_dash, faded
from ui.translation import tr
from ui.vocabulary import Unit, seen_posture_words
from vision.palette import army_names
from vision.table_view import TableView

_SURE = 0.995
_UNDER_TEMPLATE = (BLAST, 110)
_NAMES_FROM_PX_PER_IN = 45.0  # at a smaller scale figures wear only their numbers
_NUMBERS_FROM_PX_PER_IN = 12.0  # at a smaller scale a number is larger than its figure
_STANDS_OUT = 1.6  # a ring under the mouse is wider by this factor
_PICKED_SCALE = 1.6  # the size of the white ring around a picked figure, in sizes of its base


def figure_shapes(
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
            yield from _beside_figure(outline, ((words, NUMBER_SIZE),), outline.colour, small=True)


def enlarged(outline_in: Sequence[PointIn], centre_in: PointIn, scale: float) -> list[PointIn]:
    """An outline enlarged about a figure's centre, so that it shows beside the figure's own ring."""
    x, y = centre_in
    return [(x + scale * (at[0] - x), y + scale * (at[1] - y)) for at in outline_in]


def figure_number(figure: str) -> str:
    """The number in a figure's id, such as "4" for "green-4"; the whole name of one without a number."""
    number = figure.replace("_", "-").rpartition("-")[2]
    return number if number.isdigit() else display_name(figure)


def picked_rings(view: TableView, preview: Preview) -> Iterator[Mark]:
    """A white ring around the picked figure, and around the figures between which the ruler lies."""
    ends = (preview.ruler.a, preview.ruler.b) if preview.ruler is not None else ()
    for figure in view.figures:
        if figure.id == preview.picked or figure.id in ends:
            around = enlarged(figure.base_in, figure.centre_in, _PICKED_SCALE)
            yield Trace(lifted(around, figure.z_in), PREVIEW, 3.0, closed=True)


def pointed_out(
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


def casualties(view: TableView, preview: Preview) -> Iterator[Shape]:
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
            yield Line(finite(stroke), WHITE, 7.0)
            yield Line(finite(stroke), CASUALTY, 4.0, halo=False)
        if figure.id in (preview.hovered, preview.picked):
            words = tr("Take off {name}", name=display_name(figure.id))
            yield Label(finite(ends[:1])[0], ((words, 16.0),), WHITE, around=_body(camera, [figure])[0])


def hit_labels(view: TableView, hits: Sequence[Hit]) -> Iterator[Shape]:
    """Beside each figure under a template, the part of its base, the largest if it is under several."""
    assert view.calibration is not None
    largest = {hit.id: hit for hit in sorted(hits, key=lambda hit: hit.fraction)}
    figures = [figure for figure in view.figures if figure.id in largest]
    for figure, body in zip(figures, _body(view.calibration.camera, figures), strict=True):
        if body:
            yield Label(body[0], ((_part_words(largest[figure.id]), 16.0),), WHITE, around=body)


def _rows_of(figure: Figure, preview: Preview) -> Rows:
    """The details of a figure under the mouse; only id and posture of one that was picked before."""
    if figure.id != preview.hovered or preview.finding is not None:
        return ((display_name(figure.id), 15.0), (seen_posture_words(figure), NUMBER_SIZE))
    confidence = "" if figure.confidence > _SURE else tr(", {part} sure", part=percent_words(figure.confidence))
    army = "" if display_name(figure.id).startswith(display_name(figure.army)) else f"{side_name(figure.army)}, "
    seen = f"{army}{seen_posture_words(figure)}{confidence}"
    known = preview.battle_lines or (f"± {Unit.INCH.words(spread_in(figure.sigma_in))}",)
    details = (seen, *known)
    return ((display_name(figure.id), 15.0), *((words, NUMBER_SIZE) for words in details))


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
    return [finite(body) if np.isfinite(body).all() else () for body in np.split(pixels, ends[:-1])]


def _beside_figure(ring: Ring, rows: Rows, colour: Colour, *, small: bool = False) -> Iterator[Label]:
    for body in ring.keep_clear:
        if body:
            yield Label(body[0], rows, colour, around=body, small=small)


def _px_per_inch(camera: TableCamera, figures: Sequence[Figure]) -> float:
    return camera.px_per_inch(*np.median([f.centre_in for f in figures], axis=0)) if figures else 0.0
