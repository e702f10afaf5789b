"""One evening at one table: joins the rooms, without Qt. The window and the command line are its two faces."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from calibration.calibration_targets import Prints
from calibration.camera import Lens
from calibration.drift import Drift
from rules.engine.text import spoken
from rules.tabletop.errors import UserError
from rules.tabletop.table import PointIn, TerrainPiece
from rules.tabletop.template import Template
from ui.formatting import Basis, place_words
from ui.table.corrections import (
    Added,
    Bound,
    Correction,
    Deleted,
    Renamed,
    bind,
    corrected,
    names_in,
    names_shown,
)
from ui.table.learning import learned
from ui.table.picking import Pick, PickRequest, PointPx
from ui.table.play_area import PlayArea
from ui.table.shapes import template_words
from ui.table.teaching import no_figure, refuse_other_plastic, taught
from ui.units import Unit
from vision.frame import Frame
from vision.motion import Box
from vision.palette import Palette, teach
from vision.pipeline import Pipeline
from vision.setup import Setup
from vision.stock_colours import usual_colour
from vision.table_view import TableView
from vision.teaching import ClickedFigure, FigurePicker
from vision.tracking import tracks_of
from vision.tracks import Event, Tracking

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
        self._in_play: frozenset[str] = frozenset()
        self._pinned: frozenset[str] = frozenset()
        self._doubted: deque[Event] = deque()
        self._renames: deque[tuple[str, str]] = deque()
        self._newest: TableView | None = None
        self._picker: FigurePicker | None = None
        self._played: tuple[Setup, PlayArea | None, Setup] | None = None  # belongs to the thread that sees

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
            UserError: see `Pipeline.look`.
        """
        state = self.state
        self._pipeline.pin(self._pinned | names_in(state.corrections))
        view = self._newest = self._pipeline.look(frame, self._setup_played(state))
        self._drifts.extend(view.drifts)
        self._renames.extend(view.tracking.renamed)
        self._doubted.extend(event for event in view.tracking.events if event.or_else is not None)
        return view

    def search_now(self) -> None:
        """Search the whole table, whatever moves on it."""
        self._pipeline.search_now()

    def keep_names(self, ids: frozenset[str]) -> None:
        """These figures are in play: teaching colours changes neither their names nor their armies.

        Args:
            ids: As they are shown; none where nothing is played.
        """
        self._in_play = ids
        self._pinned = ids | {track for track, shown in self._names.items() if shown in ids}

    @property
    def in_play(self) -> frozenset[str]:
        """The figures whose names and armies are kept, as they are shown."""
        return self._in_play

    @property
    def _names(self) -> Mapping[str, str]:
        """The camera's name of each figure, and the one that it is shown by."""
        if self._newest is None:
            return {}
        return names_shown(self._newest.tracking, self.state.corrections, self._bound, self._over)

    def take_doubtful_moves(self) -> tuple[tuple[str, str], ...]:
        """Pairs of figures that look alike and moved in one visit since the last call, as they are shown.

        The two may be the other way round; `swap` exchanges them. Views that the window has skipped count too.
        """
        events, names = [self._doubted.popleft() for _ in range(len(self._doubted))], self._names
        shown = ((names.get(event.id, ""), names.get(event.or_else or "", "")) for event in events)
        return tuple(sorted({(min(pair), max(pair)) for pair in shown if all(pair)}))

    def swap(self, one: str, other: str) -> None:
        """Exchange the names of two figures: each is where the other was taken to be."""
        self.correct(f"swap {spoken(one)} and {spoken(other)}", Renamed(one, other))

    def _setup_played(self, state: TableState) -> Setup:
        """The set-up with the part that is played on; the same one for as long as neither changes."""
        if self._played is None or self._played[:2] != (state.setup, state.area):
            area_in = state.area.corners_in if state.area is not None else None
            self._played = (state.setup, state.area, replace(state.setup, area_in=area_in))
        return self._played[2]

    def take_drifts(self) -> tuple[Drift, ...]:
        """What was found to have been moved since the last call, also in views that nobody saw."""
        return tuple(self._drifts.popleft() for _ in range(len(self._drifts)))

    @property
    def known(self) -> frozenset[str]:
        """Every name that the camera's figures have had."""
        return self._known

    @property
    def bound(self) -> Bound:
        """Which newcomers the figures are that were added by hand."""
        return self._bound

    def take_up(self, label: str, state: TableState, seen: Tracking, known: frozenset[str], bound: Bound) -> None:
        """Go on with a table as it was known at another time; `label` names the step.

        Args:
            label: As in "Undo: the table as it was left".
            state: As it was.
            seen: The figures as the camera had them: whoever still stands there has his name again.
            known, bound: As they were.
        """
        self._pipeline.know(tracks_of(seen, known))
        self._known, self._bound, self._over = known, bound, frozenset()
        self.do(label, state)

    def new_source(self) -> None:
        """Forget calibration and figures: the next frame comes from somewhere else. The set-up stays.

        The figures will be named anew, so corrections would fall on the wrong ones: they are taken back, as a step.
        What was clicked for inches is forgotten: the camera may hang elsewhere, and no marker would tell.
        """
        if self.state.corrections:
            self.do("see all anew", replace(self.state, corrections=()))
        self._in_all_steps(_unclicked)
        self._pipeline, self._newest = Pipeline(), None
        self._renames.clear()
        self._doubted.clear()
        self._bound, self._known, self._over = {}, frozenset(), frozenset()

    def shown(self, view: TableView) -> TableView:
        """The view with the players' corrections; views come in order."""
        while self._renames:
            old, new = self._renames.popleft()
            self._in_all_steps(partial(_renamed, old=old, new=new))
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
        setup, view = self.state.setup, self._newest
        if view is not None:
            setup = learned(setup, new, self.shown(view), view, self._names)
        self.do(label, replace(self.state, corrections=(*self.state.corrections, *new), setup=setup))

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

    def _in_all_steps(self, change: Callable[[TableState], TableState]) -> None:
        """Change what is no step of its own, now and in all that can be undone or done again."""
        self._steps[:] = [Step(step.label, change(step.state)) for step in self._steps]

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

    def pick_request(self, frame: Frame, px: PointPx) -> PickRequest | None:
        """The question which figure is at a pixel, to be answered in any thread; None while inches are unknown."""
        view = self._newest
        width, height = frame.size_px
        if view is None or view.calibration is None or not (0 <= px[0] < width and 0 <= px[1] < height):
            return None
        return PickRequest(frame, px, view, self.state.setup)

    def pick(self, frame: Frame, px: PointPx) -> ClickedFigure | None:
        """The figure under a click, whatever its army; None on bare table and while inches are unknown."""
        request = self.pick_request(frame, px)
        return self._answer(request).figure if request is not None else None

    def _answer(self, request: PickRequest) -> Pick:
        self._picker = self._picker or FigurePicker()
        return request.answer(self._picker)

    def teach(self, frame: Frame, army: str, px: PointPx, *, picked: Pick | None = None, surely: bool = False) -> None:
        """Learn an army's colour from a click on one of its soldiers; more clicks refine it.

        Args:
            frame: The picture that was clicked.
            army: Its name.
            px: Where it was clicked.
            picked: The figure there, if it was picked ahead of the click.
            surely: The player has said that the soldier is of this army, whatever it looks like.

        Raises:
            NoFigureThere: if bare table was clicked.
            OtherPlastic: if the soldier looks like one of another army.
            UserError: if the name is empty or the click is outside the picture.
        """
        army = army.strip()
        if not army:
            raise UserError("an army needs a name: type one before clicking its soldier")
        request = self.pick_request(frame, px)
        if request is None:
            clicked = teach(frame.image_bgr, px, army)
        else:
            figure = (picked or self._answer(request)).figure
            if figure is None:
                raise no_figure(self.shown(request.view), px)
            clicked = figure.learn(army)
        palette = self.state.setup.palette
        if not surely:
            refuse_other_plastic(clicked, palette)
        self.use_armies(f"teach {army}", taught(clicked, palette))

    def begin_army(self, army: str) -> None:
        """Look for an army by the usual colour of the plastic it is named after; clicks make it its own.

        Raises:
            UserError: if no usual plastic has that name.
        """
        colour = usual_colour(army)
        others = (one for one in self.state.setup.palette if one.name != colour.name)
        self.use_armies(f"begin {colour.name}", (*others, colour))

    def use_armies(self, label: str, palette: Palette) -> None:
        """Look for these armies; `label` names the step."""
        by_name = tuple(sorted(palette, key=lambda colour: colour.name))
        self.do(label, replace(self.state, setup=replace(self.state.setup, palette=by_name)))

    def propose(self, wanted: bool) -> None:
        """Group figures into armies by colour while none is taught, or stop doing so, whatever is undone."""
        if wanted != self.state.setup.propose:
            self._in_all_steps(lambda state: replace(state, setup=replace(state.setup, propose=wanted)))

    def forget_army(self, army: str) -> None:
        """Forget an army's colour; of armies found by colour, keep the others."""
        palette = self.state.setup.palette or (self._newest.proposed if self._newest is not None else ())
        self.use_armies(f"forget {army}", tuple(one for one in palette if one.name != army))

    def learn_empty_table(self, frame: Frame) -> None:
        """Take this picture as the empty table."""
        setup = replace(self.state.setup, reference_bgr=frame.image_bgr, reference_camera=None)
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
        self._in_all_steps(lambda state: replace(state, unit=unit))

    def put_aside(self, boxes_px: tuple[Box, ...]) -> None:
        """Look for nobody in these parts of the picture, whatever is undone: a dice tray is no part of the table."""
        if boxes_px != self.state.setup.aside_px:
            self._in_all_steps(lambda state: replace(state, setup=replace(state.setup, aside_px=boxes_px)))

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


def _renamed(state: TableState, old: str, new: str) -> TableState:
    """The same with another name for a figure, where rulers lie between figures."""
    if not any(old in (ruler.a, ruler.b) for ruler in state.rulers):
        return state
    name = {old: new}
    rulers = (replace(ruler, a=_name(ruler.a, name), b=_name(ruler.b, name)) for ruler in state.rulers)
    return replace(state, rulers=tuple(rulers))


def _name(end: End, names: Mapping[str, str]) -> End:
    return names.get(end, end) if isinstance(end, str) else end


def _unclicked(state: TableState) -> TableState:
    prints = state.setup.prints
    if prints.rectangle is None and not prints.taped:
        return state
    return replace(state, setup=replace(state.setup, prints=prints.unclicked))
