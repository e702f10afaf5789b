"""The session joins the packages, without Qt: the window and the command line both work on it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from calibration.calibration_targets import CalibrationTargets
from calibration.camera import Lens
from calibration.drift import Drift
from rules.tabletop.errors import user_error
from rules.tabletop.table import Outline, PointIn, TerrainPiece
from rules.tabletop.template import Template
from ui.formatting import Basis, place_words
from ui.rules_text import display_name, side_name
from ui.table.corrections import Added, Bound, Correction, Deleted, Renamed, bind, corrected, names_in, names_shown
from ui.table.play_area import PlayArea
from ui.table.shapes import template_words
from ui.table.teaching import Pick, PickRequest, PointPx, learned, no_figure, refuse_other_plastic, taught
from ui.translation import tr, tr_count
from ui.vocabulary import Unit
from vision.frame import Frame
from vision.motion import Box
from vision.palette import Palette, teach
from vision.pipeline import Pipeline
from vision.setup import Setup
from vision.stock_colours import stock_colour
from vision.table_view import TableView
from vision.teaching import FigurePicker
from vision.tracking import tracks_of
from vision.tracks import Event, Tracking

End = str | PointIn
"""An end of a ruler: a figure's id, or a bare place on the table."""


@dataclass(frozen=True, slots=True)
class Ruler:
    """A measurement that stays on the table; an end at a figure follows that figure.

    Attributes:
        a, b: Its ends.
        via: The corners from a to b; none for a straight ruler.
    """

    a: End
    b: End
    via: tuple[PointIn, ...] = ()

    @property
    def name(self) -> str:
        """A name such as "Green 1 to Tan 2"."""
        ends = {"start": end_name(self.a), "end": end_name(self.b)}
        if not self.via:
            return tr("{start} to {end}", **ends)
        return tr_count(
            "{start} to {end} round {count} corner", "{start} to {end} round {count} corners", len(self.via), **ends
        )


def end_name(end: End) -> str:
    """A name such as "Green 1" or "(12.3, 4.5)"."""
    return display_name(end) if isinstance(end, str) else f"({end[0]:.1f}, {end[1]:.1f})"


@dataclass(frozen=True, slots=True, eq=False)
class TableState:
    """Everything that the player can change and undo.

    Attributes:
        setup: What the players told the program about the table: markers, lens, armies, terrain.
        rulers, templates: Those on the table.
        basis: The parts of the bases between which distances are shown.
        corrections: What the players corrected about figures, oldest first.
        area: The area of play; None until the players set it.
        unit: The unit in which lengths are shown.
    """

    setup: Setup = field(default_factory=Setup)
    rulers: tuple[Ruler, ...] = ()
    templates: tuple[Template, ...] = ()
    basis: Basis = Basis.CENTRE
    corrections: tuple[Correction, ...] = ()
    area: PlayArea | None = None
    unit: Unit = Unit.INCH

    @property
    def area_in(self) -> Outline | None:
        """The corners of the area of play; None for the whole table."""
        return self.area.corners_in if self.area is not None else None

    def place_words(self, place_in: PointIn) -> str:
        """A place as text in the players' unit, measured from their area's corner."""
        return place_words(place_in, self.unit, self.area)


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A state, and the label of the change that led to it."""

    label: str
    state: TableState


class Session:
    """The table's state with undo and redo, and the view of the newest frame.

    Only the vision thread calls `look`; all other methods belong to the window's thread. They share only the state,
    which is replaced as a whole and never changed.

    Attributes:
        state: The table now.
        can_undo, can_redo: Labels of the step that would be undone or redone, or None.
        in_play: Ids, as shown, of the figures whose names and armies are kept.
        known: All track ids so far.
        bound: The track that each figure added by hand belongs to.
        in_battle: What the players corrected in the open battle, which undoes it by itself.
    """

    def __init__(self, setup: Setup | None = None) -> None:
        self._steps = [Step("start", TableState(setup or Setup()))]
        self._at = 0
        self._pipeline = Pipeline()
        self._drifts: deque[Drift] = deque()
        self.bound: Bound = {}
        self.known: frozenset[str] = frozenset()
        self._outdated: frozenset[Deleted] = frozenset()
        self.in_play: frozenset[str] = frozenset()
        self.in_battle: tuple[Correction, ...] = ()
        self._pinned: frozenset[str] = frozenset()
        self._unclear_moves: deque[Event] = deque()
        self._renames: deque[tuple[str, str]] = deque()
        self._newest: TableView | None = None
        self._picker: FigurePicker | None = None
        self._played: tuple[Setup, PlayArea | None, Setup] | None = None  # used by the vision thread only

    @property
    def state(self) -> TableState:
        """The table now."""
        return self._steps[self._at].state

    @property
    def can_undo(self) -> str | None:
        """Label of the step that `undo` takes back, or None."""
        return self._steps[self._at].label if self._at else None

    @property
    def can_redo(self) -> str | None:
        """Label of the step that `redo` repeats, or None."""
        return self._steps[self._at + 1].label if self._at + 1 < len(self._steps) else None

    def process(self, frame: Frame) -> TableView:
        """Run vision on a frame under the present setup. Raises `UserError` like `Pipeline.process`."""
        state = self.state
        self._pipeline.pin(self._pinned | names_in(state.corrections))
        view = self._newest = self._pipeline.process(frame, self._setup_played(state))
        self._drifts.extend(view.drifts)
        self._renames.extend(view.tracking.renamed)
        self._unclear_moves.extend(event for event in view.tracking.events if event.or_else is not None)
        return view

    def search_now(self) -> None:
        """Search the whole table in the next frame, even if something moves over it."""
        self._pipeline.search_now()

    def keep_names(self, ids: frozenset[str]) -> None:
        """Keep the names and armies of figures in a battle, by their ids as shown, even if colours are taught again."""
        self.in_play = ids
        self._pinned = ids | {track for track, shown in self._names.items() if shown in ids}

    @property
    def _names(self) -> Mapping[str, str]:
        """The id that is shown for each track id."""
        if self._newest is None:
            return {}
        return names_shown(self._newest.tracking, self.state.corrections, self.bound, self._outdated)

    def take_doubtful_moves(self) -> tuple[tuple[str, str], ...]:
        """Pairs of similar figures that moved in the same visit since the last call, by their ids as shown.

        The tracker may have confused the two; `swap` exchanges them. This includes views that the window skipped.
        """
        events, names = [self._unclear_moves.popleft() for _ in range(len(self._unclear_moves))], self._names
        shown = ((names.get(event.id, ""), names.get(event.or_else or "", "")) for event in events)
        return tuple(sorted({(min(pair), max(pair)) for pair in shown if all(pair)}))

    def swap(self, one: str, other: str) -> None:
        """Exchange the names of two figures that the tracker confused."""
        label = tr("swap {soldier} and {other}", soldier=display_name(one), other=display_name(other))
        self.correct(label, Renamed(one, other))

    def _setup_played(self, state: TableState) -> Setup:
        """The setup with the area of play; the same object until one of them changes."""
        if self._played is None or self._played[:2] != (state.setup, state.area):
            self._played = (state.setup, state.area, replace(state.setup, area_in=state.area_in))
        return self._played[2]

    def take_drifts(self) -> tuple[Drift, ...]:
        """Drifts found since the last call, including those in views that the window skipped."""
        return tuple(self._drifts.popleft() for _ in range(len(self._drifts)))

    def restore(self, label: str, state: TableState, seen: Tracking, known: frozenset[str], bound: Bound) -> None:
        """Restore an earlier table as one step; a figure that still stands where it was `seen` gets its id back."""
        self._pipeline.know(tracks_of(seen, known))
        self.known, self.bound, self._outdated = known, bound, frozenset()
        self.do(label, state)

    def new_source(self) -> None:
        """Forget calibration and figures, because the next frame comes from another source. The setup stays.

        The figures get new ids, so corrections would change the wrong ones: one undoable step removes them. A clicked
        rectangle and measured distances are forgotten, because no marker would show that the camera hangs elsewhere.
        """
        if self.state.corrections:
            self.do(tr("forget corrections"), replace(self.state, corrections=()))
        self._in_all_steps(_unclicked)
        self._pipeline, self._newest = Pipeline(), None
        self._renames.clear()
        self._unclear_moves.clear()
        self.bound, self.known, self._outdated = {}, frozenset(), frozenset()

    @property
    def corrections(self) -> tuple[Correction, ...]:
        """What the players corrected about figures, oldest first, in the open battle last."""
        return (*self.state.corrections, *self.in_battle)

    def shown(self, view: TableView) -> TableView:
        """The view with the players' corrections. Pass views in the order of their frames."""
        while self._renames:
            old, new = self._renames.popleft()
            self._in_all_steps(partial(_renamed, old=old, new=new))
        seen, corrections = view.tracking, self.corrections
        self.known |= {figure.id for figure in (*seen.figures, *seen.lost)}
        if not corrections:
            return view
        self.bound = bind(corrections, seen, self.bound)
        self._outdated = frozenset(one for one in corrections if isinstance(one, Deleted) and self._is_over(one, view))
        return replace(view, tracking=corrected(seen, corrections, self.bound, self._outdated))

    def _is_over(self, deleted: Deleted, view: TableView) -> bool:
        """Whether the picture at a deleted figure's place has changed since; as before if that cannot be checked."""
        same = None
        if deleted.spot is not None and view.calibration is not None and not view.frozen:
            same = deleted.spot.unchanged(view.frame, view.calibration.camera)
        return deleted in self._outdated if same is None else not same

    def correct(self, label: str, *corrections: Correction) -> None:
        """Apply corrections to the figures and learn from them, as one step with this label."""
        new = tuple(replace(c, known=self.known) if isinstance(c, Added | Deleted) else c for c in corrections)
        setup, view = self.state.setup, self._newest
        if view is not None:
            setup = learned(setup, new, self.shown(view), view, self._names)
        self.do(label, replace(self.state, corrections=(*self.state.corrections, *new), setup=setup))

    def set_terrain(self, label: str, terrain: tuple[TerrainPiece, ...]) -> None:
        """Replace the terrain, as one step with this label."""
        self.do(label, replace(self.state, setup=replace(self.state.setup, terrain=terrain)))

    def reset(self, setup: Setup) -> None:
        """Start again with another setup; there is nothing to undo afterwards."""
        self._at, start = 0, Step("start", TableState(setup, unit=self.state.unit, basis=self.state.basis))
        self._steps[:] = [start]

    def do(self, label: str, state: TableState) -> None:
        """Make this the present state, as one step with this label; undone steps are lost."""
        self._steps[self._at + 1 :] = [Step(label, state)]
        self._at += 1

    def _in_all_steps(self, change: Callable[[TableState], TableState]) -> None:
        """Apply a change that is not a step of its own to every state, past, present and undone."""
        self._steps[:] = [Step(step.label, change(step.state)) for step in self._steps]

    def undo(self) -> str | None:
        """Undo the last step and return its label, or None if there is none."""
        label = self.can_undo
        self._at = max(0, self._at - 1)
        return label

    def redo(self) -> str | None:
        """Repeat the last undone step and return its label, or None if there is none."""
        label = self.can_redo
        self._at = min(len(self._steps) - 1, self._at + 1)
        return label

    def pick_request(self, frame: Frame, px: PointPx) -> PickRequest | None:
        """A request to find the figure at a pixel, which any thread can answer; None without a calibration."""
        view = self._newest
        width, height = frame.size_px
        if view is None or view.calibration is None or not (0 <= px[0] < width and 0 <= px[1] < height):
            return None
        return PickRequest(frame, px, view, self.state.setup)

    def _answer(self, request: PickRequest) -> Pick:
        self._picker = self._picker or FigurePicker()
        return request.answer(self._picker)

    def teach(self, frame: Frame, army: str, px: PointPx, *, picked: Pick | None = None, surely: bool = False) -> None:
        """Learn an army's colour from a click on one of its soldiers; more clicks refine it.

        Args:
            frame: The picture that was clicked.
            army: The army's name.
            px: The click.
            picked: The figure there, if it was found ahead of the click.
            surely: The player confirmed the army although the soldier looks like another one's.

        Raises:
            NoFigureThere: if bare table was clicked.
            OtherPlastic: if the soldier looks like one of another army, unless `surely`.
            UserError: if the name is empty or the click is outside the picture.
        """
        army = army.strip()
        if not army:
            raise user_error("the army has no name: type one, then click its soldier")
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
        self.use_armies(tr("teach {army}", army=side_name(army)), taught(clicked, palette))

    def begin_army(self, army: str) -> None:
        """Search for an army by the usual colour of the plastic it is named after; clicks replace that colour.

        Raises:
            UserError: if no usual plastic has that name.
        """
        colour = stock_colour(army)
        others = (other for other in self.state.setup.palette if other.name != colour.name)
        self.use_armies(tr("begin {army}", army=side_name(colour.name)), (*others, colour))

    def use_armies(self, label: str, palette: Palette) -> None:
        """Search for these armies from now on, as one step with this label."""
        by_name = tuple(sorted(palette, key=lambda colour: colour.name))
        self.do(label, replace(self.state, setup=replace(self.state.setup, palette=by_name)))

    def propose(self, wanted: bool) -> None:
        """Choose whether figures are grouped into armies by colour while none is taught; undo does not change this."""
        if wanted != self.state.setup.propose:
            self._in_all_steps(lambda state: replace(state, setup=replace(state.setup, propose=wanted)))

    def forget_army(self, army: str) -> None:
        """Forget an army's colour; if the armies were only proposed, the others are then kept as taught."""
        palette = self.state.setup.palette or (self._newest.proposed if self._newest is not None else ())
        self.use_armies(
            tr("forget {army}", army=side_name(army)), tuple(other for other in palette if other.name != army)
        )

    def learn_empty_table(self, frame: Frame) -> None:
        """Use this picture as the empty table."""
        setup = replace(self.state.setup, reference_bgr=frame.image_bgr, reference_camera=None)
        self.do(tr("learn the empty table"), replace(self.state, setup=setup))

    def use_prints(self, prints: CalibrationTargets, label: str = "") -> None:
        """Use other calibration targets, as one step with this label, by default "markers of 3 in"."""
        setup = replace(self.state.setup, prints=prints)
        self.do(label or tr("markers of {side_in:g} in", side_in=prints.side_in), replace(self.state, setup=setup))

    def use_lens(self, lens: Lens, *, as_before: bool = False) -> None:
        """Use this lens profile, and forget the distances that were measured with the previous one.

        `as_before`: it belongs to the source that was just opened, so it is no undo step, if there is none yet.
        """
        prints = replace(self.state.setup.prints, taped=())
        setup = replace(self.state.setup, lens=lens, prints=prints)
        if as_before and self.can_undo is None:
            self.reset(setup)
        else:
            self.do(tr("the lens profile"), replace(self.state, setup=setup))

    def show_in(self, unit: Unit) -> None:
        """Show lengths in this unit; undo does not change it."""
        self._in_all_steps(lambda state: replace(state, unit=unit))

    def put_aside(self, boxes_px: tuple[Box, ...]) -> None:
        """Ignore figures in these parts of the picture, such as a dice tray; undo does not change this."""
        if boxes_px != self.state.setup.aside_px:
            self._in_all_steps(lambda state: replace(state, setup=replace(state.setup, aside_px=boxes_px)))

    def use_area(self, area: PlayArea | None) -> None:
        """Set the area of play; None for the whole table."""
        self.do(tr("the table's edges"), replace(self.state, area=area))

    def lay_ruler(self, a: End, b: End, via: tuple[PointIn, ...] = ()) -> None:
        """Lay a ruler between two figures or places, straight or round corners, unless it lies there already."""
        ruler = Ruler(a, b, via)
        if (a != b or via) and ruler not in self.state.rulers:
            self.do(tr("ruler {name}", name=ruler.name), replace(self.state, rulers=(*self.state.rulers, ruler)))

    def lay(self, template: Template) -> None:
        """Lay a template on the table."""
        templates = (*self.state.templates, template)
        self.do(template_words(template), replace(self.state, templates=templates))

    def turn_basis(self) -> None:
        """Switch distances between base centres and base edges."""
        edges = self.state.basis is Basis.CENTRE
        label = tr("measure from base edges") if edges else tr("measure from base centres")
        self.do(label, replace(self.state, basis=Basis.EDGE if edges else Basis.CENTRE))

    def measure_from(self, basis: Basis) -> None:
        """Show distances as an opened or closed battle needs them; this is no step to undo."""
        self._in_all_steps(lambda state: replace(state, basis=basis))

    def clear(self) -> None:
        """Remove all rulers and templates from the table."""
        if self.state.rulers or self.state.templates:
            self.do(tr("clear the table"), replace(self.state, rulers=(), templates=()))


def _renamed(state: TableState, old: str, new: str) -> TableState:
    """The state with a figure's new name in its rulers."""
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
