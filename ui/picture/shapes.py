"""Shapes over the picture, in its pixels: lines, rings, regions and labels. No Qt here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.camera import TableCamera
from rules.tabletop.table import Point3In, PointIn
from ui.table.finding import Mark, Patch, Rows, Style, Trace
from ui.theme import WHITE, Colour, Dash

PointPx = tuple[float, float]
NUMBER_SIZE = 14.0
_RULER_PIECES = 32  # segments of a line, because the lens bends it


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


def marked(camera: TableCamera, marks: Sequence[Mark]) -> Iterator[Shape]:
    """Marks projected into the picture, all in one call, which takes as long as projecting one."""
    points = [_places(mark) for mark in marks]
    pixels = camera.table_to_pixel(np.reshape([place for some in points for place in some], (-1, 3)))
    ends = np.cumsum([len(some) for some in points])
    for mark, part in zip(marks, np.split(pixels, ends[:-1]), strict=True) if marks else ():
        places = finite(part)
        if isinstance(mark, Patch):
            rings = np.split(part, np.cumsum([len(one) for one in mark.rings_in])[:-1])
            yield Region(tuple(finite(one) for one in rings), mark.style)
        elif isinstance(mark, Trace):
            clear = (places,) if mark.keeps_clear and places else ()
            yield Line(places, mark.colour, mark.width, mark.fill, mark.closed, mark.halo, mark.dashed, clear)
        elif places:
            yield Label(places[0], mark.rows, mark.colour, mark.offset)


def _places(mark: Mark) -> tuple[Point3In, ...]:
    if isinstance(mark, Patch):
        return tuple(place for one in mark.rings_in for place in one)
    return mark.points_in if isinstance(mark, Trace) else (mark.at_in,)


def label_at(
    camera: TableCamera, at_in: tuple[float, float, float], rows: Rows, colour: Colour, offset: PointPx | float
) -> list[Shape]:
    """A label beside a place on the table; none if the camera does not see the place."""
    offset = (0.0, offset) if isinstance(offset, float) else offset
    return [Label(at_px, rows, colour, offset) for at_px in finite(camera.table_to_pixel(at_in))]


def segment(
    camera: TableCamera,
    ends_in: tuple[PointIn, PointIn],
    heights_in: tuple[float, float],
    colour: Colour,
    width: float,
    dashed: bool = False,
) -> Line:
    """A straight line on the table, bent by the lens."""
    points = np.linspace((*ends_in[0], heights_in[0]), (*ends_in[1], heights_in[1]), _RULER_PIECES + 1)
    return Line(finite(camera.table_to_pixel(points)), colour, width, dashed=dashed)


def closed_line(
    camera: TableCamera,
    outline_in: npt.ArrayLike,
    height_in: float,
    colour: Colour,
    width: float,
    fill: Colour | None = None,
    dashed: bool = False,
) -> Line:
    """An outline at a height above the table."""
    outline = np.asarray(outline_in, np.float64)
    pixels = camera.table_to_pixel(np.c_[outline, np.full(len(outline), height_in)])
    return Line(finite(pixels), colour, width, fill, closed=True, dashed=dashed)


def finite(pixels: npt.NDArray[np.float64]) -> tuple[PointPx, ...]:
    """The finite pixels; points behind the camera or outside its lens have none."""
    return tuple((x, y) for x, y in pixels[np.isfinite(pixels).all(1)].tolist())
