"""Measures on a view: ranges with their errors, rulers, sight, and the figures under templates."""

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
_LONGEST_BASE_IN = 5.0  # from the middle to the end of the longest vehicle, with its error
_MOST_READINGS = 200  # of one table; while the mouse moves, each of its places is the end of another ruler


class Tape:
    """Ranges between the figures of one view, each measured on first use.

    Their errors come from the calibration and the silhouettes. Each figure's sigma already includes the calibration's
    error at its place; but errors that both places share cancel in a distance. So the calibration's part is removed
    from both figures and added once for the pair.
    """

    def __init__(self, calibration: Calibration, figures: Sequence[Figure]) -> None:
        self._row = {figure.id: row for row, figure in enumerate(figures)}
        self._places = np.array([(f.x_in, f.y_in, f.z_in) for f in figures]).reshape(-1, 3)
        self._shared = calibration.covariance_in2(self._places)
        own = np.array([f.sigma_in**2 for f in figures]) - np.diag(self._shared).reshape(-1, 2).mean(1)
        self._own2 = np.maximum(0, own)
        self._ranges: dict[tuple[str, PointIn, str, PointIn], Range] = {}

    def __call__(self, a: Figure, b: Figure) -> Range:
        """The range from one figure to another; a rule may have moved either of them since the view."""
        forward, reverse = ((a.id, a.centre_in, b.id, b.centre_in), (b.id, b.centre_in, a.id, a.centre_in))
        if forward not in self._ranges:
            found = self._measured(a, b)
            self._ranges |= {forward: found, reverse: found.turned()}
        return self._ranges[forward]

    def _measured(self, a: Figure, b: Figure) -> Range:
        i, j = self._row[a.id], self._row[b.id]
        rows = [2 * i, 2 * i + 1, 2 * j, 2 * j + 1]
        shared = _distance_variance(self._shared[np.ix_(rows, rows)], self._places[i, :2] - self._places[j, :2])
        return range_between(a, b, float(np.sqrt(self._own2[i] + self._own2[j] + shared)))


def measured(view: TableView, figures: Sequence[Figure]) -> dict[tuple[str, str], Range]:
    """Ranges between all these figures of a view, by pairs of ids in both orders; empty without a calibration."""
    if view.calibration is None or len(figures) < 2:
        return {}
    tape = Tape(view.calibration, figures)
    return {(a.id, b.id): tape(a, b) for a in figures for b in figures if a.id != b.id}


def _distance_variance(covariance_in2: FloatArray, offset_in: FloatArray) -> float:
    """Variance of the distance between two places with this offset, (2,), and this joint covariance, (4, 4)."""
    length = float(np.hypot(*offset_in))
    direction = offset_in / length if length > 0 else np.array([1.0, 0.0])
    gradient = np.concatenate([direction, -direction])
    return float(gradient @ covariance_in2 @ gradient)


@dataclass(frozen=True, slots=True)
class Reading:
    """The measurement of a ruler in one view.

    Attributes:
        a, b: The figures at its ends; a pin stands for a bare place.
        range: The whole length.
        legs: The parts between corners; one for a straight ruler.
    """

    a: Figure
    b: Figure
    range: Range
    legs: tuple[Range, ...]


def read_off(view: TableView, ruler: Ruler) -> Reading | None:
    """Measure a ruler in this view; None if one of its ends is not visible."""
    seen = [figure_at_end(view, end) for end in (ruler.a, *ruler.via, ruler.b)]
    stops = [stop for stop in seen if stop is not None]
    if len(stops) < len(seen):
        return None
    legs = tuple(measured(view, pair)[pair[0].id, pair[1].id] for pair in pairwise(stops) if pair[0].id != pair[1].id)
    if not legs:
        return None
    return Reading(stops[0], stops[-1], legs[0] if len(legs) == 1 else _joined(legs), legs)


Read = Callable[[TableView, Ruler], Reading | None]
"""`read_off`, or `Readings`, which caches its results."""


class Readings:
    """Caches measurements: answer, list, rod and picture need them at every move of the mouse."""

    def __init__(self) -> None:
        self._tables: list[tuple[tuple[object, object], dict[Ruler, Reading | None]]] = []

    def __call__(self, view: TableView, ruler: Ruler) -> Reading | None:
        """As `read_off`, calculated once for the same ruler on the same table."""
        known = self._known((view.calibration, view.figures))
        if ruler not in known:
            if len(known) >= _MOST_READINGS:
                known.pop(next(iter(known)))
            known[ruler] = read_off(view, ruler)
        return known[ruler]

    def _known(self, table: tuple[object, object]) -> dict[Ruler, Reading | None]:
        """The measurements of this table; those of the two last ones are kept, which are the picture and its map."""
        known = next((readings for one, readings in self._tables if one == table), None)
        if known is None:
            known = {}
            self._tables = [(table, known), *self._tables[:1]]
        return known


def _joined(legs: Sequence[Range]) -> Range:
    """One range along all legs; their errors add up, because an error of scale is the same in all of them."""
    first, last = legs[0], legs[-1]
    return Range(
        centre_in=sum(leg.centre_in for leg in legs),
        edge_in=sum(leg.edge_in for leg in legs),
        sigma_in=sum(leg.sigma_in for leg in legs),
        centre_segment_in=(first.centre_segment_in[0], last.centre_segment_in[1]),
        edge_segment_in=(first.edge_segment_in[0], last.edge_segment_in[1]),
        rise_in=sum(leg.rise_in for leg in legs),
    )


def figure_at_end(view: TableView, end: End) -> Figure | None:
    """The figure with this id; for a bare place a pin, which is a tiny figure. None if it is not visible."""
    if view.calibration is None or isinstance(end, str):
        return next((figure for figure in view.figures if figure.id == end), None)
    sigma_in = float(view.calibration.sigma_in([(*end, 0.0)])[0])
    if not np.isfinite(sigma_in):
        return None
    pin = ellipse_outline(end, _PIN_IN, _PIN_IN)
    return Figure(f"pin {end[0]:.3f} {end[1]:.3f}", "", *end, 0.0, sigma_in, Posture.STANDING, pin)


def sights(view: TableView, setup: Setup) -> Exposures:
    """How much each figure of a view sees of each other figure past the terrain."""
    return exposures(view.figures, setup.terrain, SightRules(standing_height_in=setup.figure_height_in))


def figures_under_blast(view: TableView, blast: Blast) -> tuple[Hit, ...]:
    """The figures of a view under the blast, most covered first."""
    return under_blast(blast, view.figures)


def covered(view: TableView, template: Template) -> tuple[Hit, ...]:
    """The figures that are or may be under a template, most covered first, without the figure it starts from."""
    start, reach_in = start_of(template), reach_of(template) + _LONGEST_BASE_IN
    nearest_in = 0.0 if isinstance(template, Blast) else _HALF_BASE_IN
    return under(template, [f for f in view.figures if nearest_in <= math.dist(f.centre_in, start) < reach_in])


def figure_at(view: TableView, px: tuple[float, float], reach_px: float = 12.0) -> Figure | None:
    """The figure at a click: the one whose body, from base to top, is nearest to the pixel; None if none is near.

    A click may be `reach_px` beside the body.
    """
    if view.calibration is None or not view.figures:
        return None
    figures = view.figures
    feet_in = np.array([(*f.centre_in, f.z_in) for f in figures])
    tops_in = feet_in + [(0, 0, 0.8 * POSTURE_HEIGHT_IN[f.posture]) for f in figures]
    sides_in = feet_in + (_HALF_BASE_IN, 0, 0)
    feet, tops, sides = view.calibration.camera.table_to_pixel([*feet_in, *tops_in, *sides_in]).reshape(3, -1, 2)
    gap_px = _distance_to_segments(np.array(px, np.float64), feet, tops) - np.linalg.norm(sides - feet, axis=1)
    nearest = int(np.nanargmin(gap_px)) if np.isfinite(gap_px).any() else 0
    return figures[nearest] if gap_px[nearest] < reach_px else None


def _distance_to_segments(point: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """(N,) distances from a point (2,) to the segments between a (N, 2) and b (N, 2)."""
    along = b - a
    part = np.clip(((point - a) * along).sum(1) / np.maximum((along**2).sum(1), 1e-9), 0, 1)
    return np.asarray(np.linalg.norm(point - a - part[:, None] * along, axis=1))
