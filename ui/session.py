"""One evening at one table: joins the rooms, without Qt. The window and the command line are its two faces."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from calibration.camera import Lens
from calibration.drift import Drift
from calibration.prints import Prints
from calibration.solve import Calibration
from rules.measure import Range, range_between
from rules.scene import SightRules
from rules.sight import Exposures, exposures
from rules.table import (
    POSTURE_HEIGHT_IN,
    Figure,
    FloatArray,
    PointIn,
    Posture,
    Refused,
    TerrainPiece,
    ellipse_outline,
)
from rules.template import Blast, Hit, Template, under, under_blast
from ui.corrections import Added, Bound, Correction, Deleted, bind, corrected
from ui.play_area import PlayArea
from ui.readout import Basis, place_words
from ui.shapes import reach_of, start_of, template_words
from ui.units import Unit
from vision.frame import Frame
from vision.palette import teach
from vision.pipeline import Pipeline, Setup, TableView

End = str | PointIn
"""Of a ruler: a figure's id, or a bare place on the table."""


@dataclass(frozen=True, slots=True)
class Ruler:
    """A measurement that stays on the table; where an end is a figure, it goes where the figure goes.

    Attributes:
        a, b: Its ends.
        via: The corners between, in order; none for a straight ruler.
    """

    a: End
    b: End
    via: tuple[PointIn, ...] = ()

    @property
    def name(self) -> str:
        """For people, as "green-1 to tan-2"."""
        corners = f" round {len(self.via)} corner{'s' if len(self.via) > 1 else ''}" if self.via else ""
        return f"{end_name(self.a)} to {end_name(self.b)}{corners}"


_PIN_IN = 1e-4
_HALF_BASE_IN = 0.5
_LONGEST_BASE_IN = 5.0  # from its middle, of anything that is driven over a table, with its error


def end_name(end: End) -> str:
    """For people, as "green-1" or "(12.3, 4.5)"."""
    return end if isinstance(end, str) else f"({end[0]:.1f}, {end[1]:.1f})"


@dataclass(frozen=True, slots=True, eq=False)
class TableState:
    """All that the player can do and undo.

    Attributes:
        setup: What the program has been told about the table, its terrain too.
        rulers, templates: What lies on it.
        basis: Between which parts of the bases distances are told.
        corrections: What the players know better than the camera, oldest first.
        area: The part of the table that is played on; None where nobody has said.
        unit: What lengths are shown in.
    """

    setup: Setup = field(default_factory=Setup)
    rulers: tuple[Ruler, ...] = ()
    templates: tuple[Template, ...] = ()
    basis: Basis = Basis.CENTRE
    corrections: tuple[Correction, ...] = ()
    area: PlayArea | None = None
    unit: Unit = Unit.INCH

    def place_words(self, place_in: PointIn) -> str:
        """A place as it is told to the players."""
        return place_words(place_in, self.unit, self.area)


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A state, and the name of what led to it."""

    label: str
    state: TableState


class Session:
    """What the player has set up and laid on the table, and the view of the newest frame.

    `look` belongs to the thread that sees; everything else to the one that plays. They share only the state, which
    is replaced as a whole and never changed.

    Attributes:
        state: The table now.
        can_undo, can_redo: Names of the step that would be undone or done again, or None.
    """

    def __init__(self, setup: Setup | None = None) -> None:
        self._steps = [Step("start", TableState(setup or Setup()))]
        self._at = 0
        self._pipeline = Pipeline()
        self._drifts: deque[Drift] = deque()
        self._bound: Bound = {}
        self._known: frozenset[str] = frozenset()
        self._over: frozenset[Deleted] = frozenset()

    @property
    def state(self) -> TableState:
        """The table now."""
        return self._steps[self._at].state

    @property
    def can_undo(self) -> str | None:
        """Name of the step that `undo` takes back."""
        return self._steps[self._at].label if self._at else None

    @property
    def can_redo(self) -> str | None:
        """Name of the step that `redo` does again."""
        return self._steps[self._at + 1].label if self._at + 1 < len(self._steps) else None

    def look(self, frame: Frame) -> TableView:
        """Everything that this frame shows under the present set-up.

        Raises:
            Refused: see `Pipeline.look`.
        """
        view = self._pipeline.look(frame, self.state.setup)
        self._drifts.extend(view.drifts)
        return view

    def take_drifts(self) -> tuple[Drift, ...]:
        """What was found to have been moved since the last call, also in views that nobody saw."""
        return tuple(self._drifts.popleft() for _ in range(len(self._drifts)))

    def new_source(self) -> None:
        """Forget calibration and figures: the next frame comes from somewhere else. The set-up stays.

        The figures will be named anew, so corrections would fall on the wrong ones: they are taken back, as a step.
        What was clicked for inches is forgotten: the camera may hang elsewhere, and no marker would tell.
        """
        if self.state.corrections:
            self.do("see all anew", replace(self.state, corrections=()))
        self._steps[:] = [Step(step.label, _unclicked(step.state)) for step in self._steps]
        self._pipeline = Pipeline()
        self._bound, self._known, self._over = {}, frozenset(), frozenset()

    def shown(self, view: TableView) -> TableView:
        """The view with the players' corrections; views come in order."""
        seen, corrections = view.tracking, self.state.corrections
        self._known |= {figure.id for figure in (*seen.figures, *seen.lost)}
        if not corrections:
            return view
        self._bound = bind(corrections, seen, self._bound)
        self._over = frozenset(one for one in corrections if isinstance(one, Deleted) and self._is_over(one, view))
        return replace(view, tracking=corrected(seen, corrections, self._bound, self._over))

    def _is_over(self, deleted: Deleted, view: TableView) -> bool:
        """Whether something else is to be seen there now; what cannot be told is as it was."""
        same = None
        if deleted.spot is not None and view.calibration is not None and not view.frozen:
            same = deleted.spot.unchanged(view.frame, view.calibration.camera)
        return deleted in self._over if same is None else not same

    def correct(self, label: str, *corrections: Correction) -> None:
        """Correct what the camera has of the figures; `label` names the step."""
        new = tuple(replace(c, known=self._known) if isinstance(c, Added | Deleted) else c for c in corrections)
        self.do(label, replace(self.state, corrections=(*self.state.corrections, *new)))

    def set_terrain(self, label: str, terrain: tuple[TerrainPiece, ...]) -> None:
        """Let other terrain stand on the table; `label` names the step."""
        self.do(label, replace(self.state, setup=replace(self.state.setup, terrain=terrain)))

    def assume(self, setup: Setup) -> None:
        """Begin with another set-up, as if it had always been so: there is nothing to undo."""
        self._at, start = 0, Step("start", TableState(setup, unit=self.state.unit))
        self._steps[:] = [start]

    def do(self, label: str, state: TableState) -> None:
        """Make a new state the present one; what had been undone is gone."""
        self._steps[self._at + 1 :] = [Step(label, state)]
        self._at += 1

    def undo(self) -> str | None:
        """Take the last step back; its name, or None where there is none."""
        label = self.can_undo
        self._at = max(0, self._at - 1)
        return label

    def redo(self) -> str | None:
        """Do the last undone step again; its name, or None where there is none."""
        label = self.can_redo
        self._at = min(len(self._steps) - 1, self._at + 1)
        return label

    def teach(self, frame: Frame, army: str, px: tuple[float, float]) -> None:
        """Learn an army's colour from a click on one of its soldiers; more clicks refine it.

        Raises:
            Refused: if the name is empty or nothing of one colour lies under the click.
        """
        army = army.strip()
        if not army:
            raise Refused("an army needs a name: type one before clicking its soldier")
        setup = self.state.setup
        known = next((colour for colour in setup.palette if colour.name == army), None)
        colour = teach(frame.image_bgr, px, army, known)
        others = tuple(c for c in setup.palette if c.name != army)
        palette = tuple(sorted((*others, colour), key=lambda c: c.name))
        self.do(f"teach {army}", replace(self.state, setup=replace(setup, palette=palette)))

    def forget_army(self, army: str) -> None:
        """Forget an army's colour."""
        setup = self.state.setup
        palette = tuple(colour for colour in setup.palette if colour.name != army)
        self.do(f"forget {army}", replace(self.state, setup=replace(setup, palette=palette)))

    def learn_empty_table(self, frame: Frame) -> None:
        """Take this picture as the empty table."""
        setup = replace(self.state.setup, reference_bgr=frame.image_bgr)
        self.do("learn the empty table", replace(self.state, setup=setup))

    def use_prints(self, prints: Prints, label: str = "") -> None:
        """Expect other markers on the table, or what stands in for them or sharpens them; `label` names the step."""
        setup = replace(self.state.setup, prints=prints)
        self.do(label or f"markers of {prints.side_in:g} in", replace(self.state, setup=setup))

    def use_lens(self, lens: Lens, *, as_before: bool = False) -> None:
        """Look through this lens; what was clicked and measured by the one before is forgotten.

        Args:
            lens: The profile.
            as_before: It was known from the beginning: there is nothing to undo, where nothing was done.
        """
        prints = replace(self.state.setup.prints, taped=())
        setup = replace(self.state.setup, lens=lens, prints=prints)
        if as_before and self.can_undo is None:
            self.assume(setup)
        else:
            self.do("the lens profile", replace(self.state, setup=setup))

    def show_in(self, unit: Unit) -> None:
        """Show lengths in this unit, whatever is undone: it changes nothing on the table."""
        self._steps[:] = [Step(step.label, replace(step.state, unit=unit)) for step in self._steps]

    def use_area(self, area: PlayArea | None) -> None:
        """Play on this part of the table; None for all of it."""
        self.do("the table's edges", replace(self.state, area=area))

    def lay_ruler(self, a: End, b: End, via: tuple[PointIn, ...] = ()) -> None:
        """Keep the measurement between two figures or places, straight or round corners."""
        ruler = Ruler(a, b, via)
        if (a != b or via) and ruler not in self.state.rulers:
            self.do(f"ruler {ruler.name}", replace(self.state, rulers=(*self.state.rulers, ruler)))

    def lay(self, template: Template) -> None:
        """Lay a template on the table."""
        templates = (*self.state.templates, template)
        self.do(template_words(template), replace(self.state, templates=templates))

    def turn_basis(self) -> None:
        """Tell distances between the other parts of the bases."""
        self.measure_from(Basis.EDGE if self.state.basis is Basis.CENTRE else Basis.CENTRE)

    def measure_from(self, basis: Basis) -> None:
        """Tell distances between the bases' centres, or their edges."""
        if basis is not self.state.basis:
            self.do(f"measure from base {basis}s", replace(self.state, basis=basis))

    def clear(self) -> None:
        """Take all rulers and templates off the table."""
        if self.state.rulers or self.state.templates:
            self.do("clear the table", replace(self.state, rulers=(), templates=()))


def _unclicked(state: TableState) -> TableState:
    prints = state.setup.prints
    if prints.rectangle is None and not prints.taped:
        return state
    return replace(state, setup=replace(state.setup, prints=prints.unclicked))


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
