"""One evening at one table: joins the rooms, without Qt. The window and the command line are its two faces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from calibration.prints import Prints
from calibration.solve import Calibration
from rules.measure import Range, range_between
from rules.scene import SightRules
from rules.sight import Exposures, exposures
from rules.table import POSTURE_HEIGHT_IN, Figure, FloatArray, PointIn, Posture, Refused, ellipse_outline
from rules.template import Blast, Hit, under_blast
from vision.frame import Frame
from vision.palette import teach
from vision.pipeline import Pipeline, Setup, TableView

End = str | PointIn
"""Of a ruler: a figure's id, or a bare place on the table."""


@dataclass(frozen=True, slots=True)
class Ruler:
    """A measurement that stays on the table; where an end is a figure, it goes where the figure goes."""

    a: End
    b: End

    @property
    def name(self) -> str:
        """For people, as "green-1 to tan-2"."""
        return f"{end_name(self.a)} to {end_name(self.b)}"


_PIN_IN = 1e-4
_HALF_BASE_IN = 0.5


def end_name(end: End) -> str:
    """For people, as "green-1" or "(12.3, 4.5)"."""
    return end if isinstance(end, str) else f"({end[0]:.1f}, {end[1]:.1f})"


@dataclass(frozen=True, slots=True, eq=False)
class TableState:
    """All that the player can do and undo."""

    setup: Setup = field(default_factory=Setup)
    rulers: tuple[Ruler, ...] = ()
    blasts: tuple[Blast, ...] = ()


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
        return self._pipeline.look(frame, self.state.setup)

    def new_source(self) -> None:
        """Forget calibration and figures: the next frame comes from somewhere else. The set-up stays."""
        self._pipeline = Pipeline()

    def assume(self, setup: Setup) -> None:
        """Begin with another set-up, as if it had always been so: there is nothing to undo."""
        self._at, start = 0, Step("start", TableState(setup))
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

    def use_prints(self, prints: Prints) -> None:
        """Expect other markers on the table."""
        setup = replace(self.state.setup, prints=prints)
        self.do(f"markers of {prints.side_in:g} in", replace(self.state, setup=setup))

    def lay_ruler(self, a: End, b: End) -> None:
        """Keep the measurement between two figures or places."""
        ruler = Ruler(a, b)
        if a != b and ruler not in self.state.rulers:
            self.do(f"ruler {ruler.name}", replace(self.state, rulers=(*self.state.rulers, ruler)))

    def lay_blast(self, centre_in: PointIn, radius_in: float) -> None:
        """Lay a blast disc on the table."""
        blast = Blast(centre_in, radius_in)
        self.do(f"blast of {radius_in:g} in", replace(self.state, blasts=(*self.state.blasts, blast)))

    def clear(self) -> None:
        """Take all rulers and blasts off the table."""
        if self.state.rulers or self.state.blasts:
            self.do("clear the table", replace(self.state, rulers=(), blasts=()))


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
    """A ruler read off in one view: what stands at its ends, and the range between."""

    a: Figure
    b: Figure
    range: Range


def read_off(view: TableView, ruler: Ruler) -> Reading | None:
    """What a ruler says in this view, or None where one of its ends is not seen."""
    a, b = standing_at(view, ruler.a), standing_at(view, ruler.b)
    if a is None or b is None:
        return None
    return Reading(a, b, measured(view, (a, b))[a.id, b.id])


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
