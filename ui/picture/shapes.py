"""Shapes over the picture, in its pixels: lines, rings, regions and labels. No Qt here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.camera import TableCamera
from rules.tabletop.table import Point3In
from ui.table.finding import Mark, Note, Patch, Rows, Style, Trace
from ui.theme import WHITE, Colour, Dash

PointPx = tuple[float, float]
NUMBER_SIZE = 14.0


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
    groups = [_groups(mark) for mark in marks]
    every = [group for some in groups for group in some]
    pixels = camera.table_to_pixel(np.reshape([place for group in every for place in group], (-1, 3)))
    parts = iter(np.split(pixels, np.cumsum([len(group) for group in every])[:-1]))
    for mark, some in zip(marks, groups, strict=True):
        first, *others = (finite(next(parts)) for _ in some)
        match mark:
            case Patch():
                yield Region((first, *others), mark.style)
            case Trace():
                clear = tuple(filter(None, others))
                yield Line(first, mark.colour, mark.width, mark.fill, mark.closed, mark.halo, mark.dashed, clear)
            case Note() if first:
                yield Label(first[0], mark.rows, mark.colour, mark.offset)


def _groups(mark: Mark) -> tuple[tuple[Point3In, ...], ...]:
    match mark:
        case Patch():
            return mark.rings_in
        case Trace():
            return (mark.points_in, *mark.clear_in)
        case Note():
            return ((mark.at_in,),)


def finite(pixels: npt.NDArray[np.float64]) -> tuple[PointPx, ...]:
    """The finite pixels; points behind the camera or outside its lens have none."""
    return tuple((x, y) for x, y in pixels[np.isfinite(pixels).all(1)].tolist())
