"""Shapes as SVG, for pages that need no picture files. No Qt here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from ui.picture.overlay import Label, Line, Region, Shape
from ui.theme import DARK, hex_colour

_LINE_HEIGHT, _ENLARGED = 1.25, 1.3  # on a phone the picture is half as wide


def svg(size_px: tuple[int, int], shapes: Iterable[Shape], description: str) -> str:
    """The shapes, from the lowest up, on a dark ground as an `<svg>` element as wide as its place.

    `description` is read aloud in place of the picture.
    """
    width, height = size_px
    inside = "".join(part for shape in shapes for part in _elements(shape))
    return (
        f'<svg class="map" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(description)}">'
        f'<rect width="{width}" height="{height}" fill="{hex_colour(DARK)}"/>{inside}</svg>'
    )


def _elements(shape: Shape) -> Iterator[str]:
    match shape:
        case Label():
            return _label(shape)
        case Region():
            return _region(shape)
        case _:
            return _line(shape)


def _region(region: Region) -> Iterator[str]:
    outlines = "".join(f"M{' '.join(f'{x:.1f},{y:.1f}' for x, y in ring)}Z" for ring in region.rings_px)
    fill, edge = hex_colour(region.style.fill), hex_colour(region.style.edge)
    yield f'<path d="{outlines}" fill-rule="evenodd" fill="{fill}" stroke="{edge}"/>'


def _line(line: Line) -> Iterator[str]:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in line.points_px)
    element = "polygon" if line.closed else "polyline"
    fill = "none" if line.fill is None else hex_colour(line.fill)
    dash = ' stroke-dasharray="8 6"' if line.dashed else ""
    stroke = f'stroke="{hex_colour(line.colour)}" stroke-width="{line.width:g}"'
    yield f'<{element} points="{points}" fill="{fill}" {stroke}{dash}/>'


def _label(label: Label) -> Iterator[str]:
    """Text with a dark edge, because nobody knows how wide it becomes."""
    (x, y), (right, down) = label.at_px, label.offset
    size = _ENLARGED * max(size for _, size in label.rows)
    first = y + down - (len(label.rows) - 1) / 2 * _LINE_HEIGHT * size
    for number, (words, row_size) in enumerate(label.rows):
        place = f'x="{x + right:.1f}" y="{first + number * _LINE_HEIGHT * size:.1f}"'
        style = f'font-size="{_ENLARGED * row_size:.3g}" fill="{hex_colour(label.colour)}"'
        yield f"<text {place} {style}>{escape(words)}</text>"
