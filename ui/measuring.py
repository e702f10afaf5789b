"""What is measured on a view of the table: ranges and how sure they are, rulers, sight, what templates cover. No Qt."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from calibration.solve import Calibration
from rules.tabletop.measure import Range, range_between
from rules.tabletop.scene import SightRules
from rules.tabletop.sight import Exposures, exposures
from rules.tabletop.table import POSTURE_HEIGHT_IN, Figure, FloatArray, PointIn, Posture, ellipse_outline
from rules.tabletop.template import Blast, Hit, Template, under, under_blast
from ui.session import End, Ruler
from ui.table.shapes import reach_of, start_of
from vision.setup import Setup
from vision.table_view import TableView

_PIN_IN = 1e-4
_HALF_BASE_IN = 0.5
_LONGEST_BASE_IN = 5.0  # from its middle, of anything that is driven over a table, with its error


class Tape:
    """Ranges between figures of one view, each measured when it is first asked for.

    Their errors are what calibration and silhouettes leave. The figures' own deviations already hold the
    calibration's at each place; but errors that both places share cancel in a distance, so the calibration's part is
    taken out of both and put in once, for the pair.
    """

    def __init__(self, calibration: Calibration, figures: Sequence[Figure]) -> None:
        self._row = {figure.id: row for row, figure in enumerate(figures)}
        self._places = np.array([(f.x_in, f.y_in, f.z_in) for f in figures]).reshape(-1, 3)
        self._shared = calibration.covariance_in2(self._places)
        own = np.array([f.sigma_in**2 for f in figures]) - np.diag(self._shared).reshape(-1, 2).mean(1)
        self._own2 = np.maximum(0, own)
        self._known: dict[tuple[str, PointIn, str, PointIn], Range] = {}

    def __call__(self, a: Figure, b: Figure) -> Range:
        """The range from one of the figures to another; either may have been shifted since it was seen."""
        there, back = ((a.id, a.centre_in, b.id, b.centre_in), (b.id, b.centre_in, a.id, a.centre_in))
        if there not in self._known:
            found = self._measured(a, b)
            self._known |= {there: found, back: found.turned()}
        return self._known[there]

    def _measured(self, a: Figure, b: Figure) -> Range:
        i, j = self._row[a.id], self._row[b.id]
        two = np.ix_([2 * i, 2 * i + 1, 2 * j, 2 * j + 1], [2 * i, 2 * i + 1, 2 * j, 2 * j + 1])
        variance = self._own2[i] + self._own2[j] + _along(self._shared[two], self._places[i, :2] - self._places[j, :2])
        return range_between(a, b, float(np.sqrt(variance)))


def measured(view: TableView, figures: Sequence[Figure]) -> dict[tuple[str, str], Range]:
    """Ranges between all of some figures of a view, by their ids, each pair in both orders."""
    if view.calibration is None or len(figures) < 2:
        return {}
    tape = Tape(view.calibration, figures)
    return {(a.id, b.id): tape(a, b) for a in figures for b in figures if a.id != b.id}


def _along(covariance_in2: FloatArray, way_in: FloatArray) -> float:
    """Variance of the distance between two places with this (4, 4) covariance, along the way between them."""
    length = float(np.hypot(*way_in))
    direction = way_in / length if length > 0 else np.array([1.0, 0.0])
    slope = np.concatenate([direction, -direction])
    return float(slope @ covariance_in2 @ slope)


@dataclass(frozen=True, slots=True)
class Reading:
    """A ruler read off in one view.

    Attributes:
        a, b: What stands at its ends.
        range: Along all of it.
        legs: From corner to corner; one for a straight ruler.
    """

    a: Figure
    b: Figure
    range: Range
    legs: tuple[Range, ...]


def read_off(view: TableView, ruler: Ruler) -> Reading | None:
    """What a ruler says in this view, or None where one of its ends is not seen."""
    seen = [standing_at(view, end) for end in (ruler.a, *ruler.via, ruler.b)]
    stops = [stop for stop in seen if stop is not None]
    if len(stops) < len(seen):
        return None
    legs = tuple(measured(view, pair)[pair[0].id, pair[1].id] for pair in pairwise(stops) if pair[0].id != pair[1].id)
    if not legs:
        return None
    return Reading(stops[0], stops[-1], legs[0] if len(legs) == 1 else _joined(legs), legs)


Read = Callable[[TableView, Ruler], Reading | None]
"""`read_off`, or what remembers its answer."""


class Readings:
    """Reads rulers off for several who ask the same: answer, rod and picture, at every move of the mouse."""

    def __init__(self) -> None:
        self._asked: tuple[object, ...] = ()
        self._told: Reading | None = None

    def __call__(self, view: TableView, ruler: Ruler) -> Reading | None:
        """As `read_off`; worked out once for the same ruler on the same table."""
        asked = (view.calibration, view.figures, ruler)
        if asked != self._asked:
            self._asked, self._told = asked, read_off(view, ruler)
        return self._told


def _joined(legs: Sequence[Range]) -> Range:
    """One range along all legs; what errs in the scale errs in all of them alike, so their errors add up."""
    first, last = legs[0], legs[-1]
    return Range(
        centre_in=sum(leg.centre_in for leg in legs),
        edge_in=sum(leg.edge_in for leg in legs),
        sigma_in=sum(leg.sigma_in for leg in legs),
        centre_segment_in=(first.centre_segment_in[0], last.centre_segment_in[1]),
        edge_segment_in=(first.edge_segment_in[0], last.edge_segment_in[1]),
        rise_in=sum(leg.rise_in for leg in legs),
    )


def standing_at(view: TableView, end: End) -> Figure | None:
    """The figure of that id; for a bare place a pin, a figure too small to matter. None where it is not seen."""
    if view.calibration is None or isinstance(end, str):
        return next((figure for figure in view.figures if figure.id == end), None)
    sigma_in = float(view.calibration.sigma_in([(*end, 0.0)])[0])
    if not np.isfinite(sigma_in):
        return None
    pin = ellipse_outline(end, _PIN_IN, _PIN_IN)
    return Figure(f"pin {end[0]:.3f} {end[1]:.3f}", "", *end, 0.0, sigma_in, Posture.STANDING, pin)


def sights(view: TableView, setup: Setup) -> Exposures:
    """What each figure of a view sees of each other one past the terrain."""
    return exposures(view.figures, setup.terrain, SightRules(standing_height_in=setup.figure_height_in))


def blasted(view: TableView, blast: Blast) -> tuple[Hit, ...]:
    """Figures of a view under the blast, most covered first."""
    return under_blast(blast, view.figures)


def covered(view: TableView, template: Template) -> tuple[Hit, ...]:
    """Figures of a view that are under a template, or may be, most covered first; not he from whom it starts."""
    start, reach_in = start_of(template), reach_of(template) + _LONGEST_BASE_IN
    spared_in = 0.0 if isinstance(template, Blast) else _HALF_BASE_IN
    return under(template, [f for f in view.figures if spared_in <= math.dist(f.centre_in, start) < reach_in])


def figure_at(view: TableView, px: tuple[float, float], reach_px: float = 12.0) -> Figure | None:
    """The figure that a click means: the one whose body, from base to top, is nearest to the pixel.

    Args:
        view: The picture that was clicked.
        px: The click.
        reach_px: How far beside a body a click still means it.
    """
    if view.calibration is None or not view.figures:
        return None
    figures = view.figures
    feet_in = np.array([(*f.centre_in, f.z_in) for f in figures])
    tops_in = feet_in + [(0, 0, 0.8 * POSTURE_HEIGHT_IN[f.posture]) for f in figures]
    sides_in = feet_in + (_HALF_BASE_IN, 0, 0)
    feet, tops, sides = view.calibration.camera.table_to_pixel([*feet_in, *tops_in, *sides_in]).reshape(3, -1, 2)
    away = _distance_to_segments(np.array(px, np.float64), feet, tops) - np.linalg.norm(sides - feet, axis=1)
    nearest = int(np.nanargmin(away)) if np.isfinite(away).any() else 0
    return figures[nearest] if away[nearest] < reach_px else None


def _distance_to_segments(point: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """(N,) from a point (2,) to the segments between a (N, 2) and b (N, 2)."""
    way = b - a
    part = np.clip(((point - a) * way).sum(1) / np.maximum((way**2).sum(1), 1e-9), 0, 1)
    return np.asarray(np.linalg.norm(point - a - part[:, None] * way, axis=1))
