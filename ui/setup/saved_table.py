"""Saved tables: what is saved, and how to transform it to today's coordinates by the markers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from calibration.camera import TableCamera
from calibration.solve import laid_at, place_of
from rules.tabletop.errors import user_error
from rules.tabletop.table import Figure, FloatArray, PointIn
from rules.tabletop.template import Blast, Flame, Strip, Template, Wedge, Zone
from ui.session import End, Ruler, Session, TableState
from ui.table.corrections import Added, Bound, Correction, Deleted, FacingSet, PlacedAt
from ui.translation import mark_for_translation, tr, tr_count
from vision.table_view import TableView
from vision.tracks import Tracking

_SAME_IN = 0.5
"""Tolerance for one marker: the error at the far edge from one picture without a lens profile."""
_STILL_IN = 0.02
"""Smaller shifts are noise of the calibration and are ignored."""

NO_MARKER = mark_for_translation(
    "the camera sees none of the saved table's markers, so the saved places are unknown:"
    " lay a marker where it was, or start a new table"
)
MARKERS_MOVED = mark_for_translation(
    "the markers are not where they were on the saved table, so the saved places are unknown:"
    " put them back, or start a new table"
)


@dataclass(frozen=True, slots=True, eq=False)
class SavedTable:
    """The saved data of a table.

    Attributes:
        image_size: Size of the camera's pictures.
        markers_in: Marker id -> (4, 2) corners, which relate the saved places to a later view.
        state: The table; its armies, calibration targets and lens are saved elsewhere.
        seen: The tracks, before corrections.
        known, bound: See `Session`.
    """

    image_size: tuple[int, int]
    markers_in: Mapping[int, FloatArray]
    state: TableState
    seen: Tracking = field(default_factory=Tracking)
    known: frozenset[str] = frozenset()
    bound: Bound = field(default_factory=dict)

    @property
    def words(self) -> str:
        """Its contents, such as "3 pieces of terrain, 12 named soldiers"; empty for a bare table."""
        state, terrain, examples = self.state, self.state.setup.terrain, self.state.setup.examples.all
        laid, figures = (*state.rulers, *state.templates), (*self.seen.figures, *self.seen.lost)
        parts = (
            terrain and tr_count("{count} piece of terrain", "{count} pieces of terrain", len(terrain)),
            laid and tr_count("{count} ruler or template", "{count} rulers and templates", len(laid)),
            state.corrections and tr_count("{count} correction", "{count} corrections", len(state.corrections)),
            figures and tr_count("{count} named soldier", "{count} named soldiers", len(figures)),
            examples and tr_count("{count} example", "{count} examples", len(examples)),
            state.area and tr("the table's edges"),
            state.setup.reference_bgr is not None and tr("the empty table"),
        )
        return ", ".join(part for part in parts if isinstance(part, str))


def table_to_save(session: Session, seen: TableView) -> SavedTable | None:
    """The table to save now; None unless it is calibrated by at least one marker. `seen` is without corrections."""
    state, calibration = session.state, seen.calibration
    if calibration is None or seen.problem is not None or not calibration.markers_in:
        return None
    if state.setup.reference_bgr is not None:
        # If the empty table was learned a moment ago, no view has its camera yet; then the camera has not moved.
        camera = seen.reference_camera or state.setup.reference_camera or calibration.camera
        state = replace(state, setup=replace(state.setup, reference_camera=camera))
    tracking = replace(seen.tracking, events=())
    return SavedTable(seen.frame.size_px, calibration.markers_in, state, tracking, session.known, session.bound)


@dataclass(frozen=True, slots=True, eq=False)
class RestoredTable:
    """A saved table in today's coordinates.

    Attributes:
        remarks: Sentences about what is lost or less certain.
    """

    table: SavedTable
    remarks: tuple[str, ...]

    def restore(self, session: Session) -> None:
        """Make it the session's table, as a step that can be undone."""
        saved, before = self.table.state, session.state
        left = saved.setup
        setup = replace(
            before.setup, terrain=left.terrain, figure_height_in=left.figure_height_in, examples=left.examples
        )
        if left.reference_bgr is not None:
            setup = replace(setup, reference_bgr=left.reference_bgr, reference_camera=left.reference_camera)
        state = replace(saved, setup=setup, unit=before.unit)
        session.restore(tr("restore the saved table"), state, self.table.seen, self.table.known, self.table.bound)


def as_left(saved: SavedTable, view: TableView) -> RestoredTable:
    """Transform a saved table to the coordinates of this view.

    Raises:
        UserError: if the view has no calibration, or its markers do not fit the saved ones.
    """
    if view.calibration is None:
        raise user_error("the camera sees no marker yet: uncover one first")
    shift, used = _between(saved.markers_in, view.calibration.markers_in)
    remarks = []
    if len(used) == 1:
        remarks.append(
            tr(
                "All saved places rely on marker {number} alone. If it was moved, undo this and start a new table.",
                number=used[0],
            )
        )
    moved = [number for number in saved.markers_in if number in view.calibration.markers_in and number not in used]
    if moved:
        remarks.append(
            tr_count(
                "Marker {numbers} was moved; the other markers show where everything is.",
                "Markers {numbers} were moved; the other markers show where everything is.",
                len(moved), numbers=", ".join(map(str, moved)),
            )
        )  # fmt: skip
    table = saved if shift is None else _carried(saved, shift)
    setup = table.state.setup
    if setup.reference_bgr is not None and saved.image_size != view.frame.size_px:
        setup = replace(setup, reference_bgr=None, reference_camera=None)
        table = replace(table, state=replace(table.state, setup=setup))
        width, height = view.frame.size_px
        remarks.append(
            tr(
                "The camera's pictures are {width}x{height} now: learn the empty table again.",
                width=width,
                height=height,
            )
        )
    return RestoredTable(table, tuple(remarks))


@dataclass(frozen=True, slots=True)
class _Shift:
    """From the saved coordinates to today's: a rotation by `turn` radians, then a shift."""

    x_in: float
    y_in: float
    turn: float

    def place(self, at_in: PointIn) -> PointIn:
        c, s = math.cos(self.turn), math.sin(self.turn)
        return (self.x_in + c * at_in[0] - s * at_in[1], self.y_in + s * at_in[0] + c * at_in[1])

    def places(self, at_in: tuple[PointIn, ...]) -> tuple[PointIn, ...]:
        return tuple(map(self.place, at_in))

    def bearing(self, toward_deg: float) -> float:
        return toward_deg + math.degrees(self.turn)


def _between(then: Mapping[int, FloatArray], now: Mapping[int, FloatArray]) -> tuple[_Shift | None, tuple[int, ...]]:
    """The shift of the table's coordinates, None if there is none, and the ids of the markers that agree on it."""
    common = [number for number in then if number in now]
    if not common:
        raise user_error(NO_MARKER)
    while (fit := _fit(then, now, common))[0] > _SAME_IN:
        if len(common) < 3:  # if two markers disagree, either may have moved
            raise user_error(MARKERS_MOVED)
        rests = ([number for number in common if number != left_out] for left_out in common)
        common = min(rests, key=lambda rest: _fit(then, now, rest)[0])
    place = fit[1]
    offset_in = max(float(np.abs(then[number] - now[number]).max()) for number in common)
    return None if offset_in <= _STILL_IN else _Shift(*place), tuple(common)


def _fit(
    then: Mapping[int, FloatArray], now: Mapping[int, FloatArray], numbers: Sequence[int]
) -> tuple[float, tuple[float, float, float]]:
    """The best shift for these markers: the error of its worst corner in inches, and the shift (x, y, turn)."""
    place = place_of(*(np.concatenate([table[number] for number in numbers]) for table in (then, now)))
    return max(float(np.abs(laid_at(then[number], place) - now[number]).max()) for number in numbers), place


def _carried(saved: SavedTable, shift: _Shift) -> SavedTable:
    state, setup, seen = saved.state, saved.state.setup, saved.seen
    area, camera = state.area, setup.reference_camera
    corrections = {old: _correction(old, shift) for old in state.corrections}
    setup = replace(
        setup,
        terrain=tuple(replace(piece, outline_in=shift.places(piece.outline_in)) for piece in setup.terrain),
        reference_camera=camera and _camera(camera, shift),
    )
    state = replace(
        state,
        setup=setup,
        rulers=tuple(Ruler(_end(old.a, shift), _end(old.b, shift), shift.places(old.via)) for old in state.rulers),
        templates=tuple(_template(template, shift) for template in state.templates),
        area=area and replace(area, origin_in=shift.place(area.origin_in), turn_deg=shift.bearing(area.turn_deg)),
        corrections=tuple(corrections.values()),
    )
    place = (shift.x_in, shift.y_in, shift.turn)
    return replace(
        saved,
        state=state,
        markers_in={number: laid_at(corners, place) for number, corners in saved.markers_in.items()},
        seen=Tracking(_figures(seen.figures, shift), (), _figures(seen.lost, shift)),
        bound={_added(corrections[old]): name for old, name in saved.bound.items() if old in corrections},
    )


def _added(correction: Correction) -> Added:
    assert isinstance(correction, Added)  # a shift keeps the type
    return correction


def _end(end: End, shift: _Shift) -> End:
    return end if isinstance(end, str) else shift.place(end)


def _template(template: Template, shift: _Shift) -> Template:
    match template:
        case Blast():
            return replace(template, centre_in=shift.place(template.centre_in))
        case Wedge() | Flame():
            apex, toward = shift.place(template.apex_in), shift.bearing(template.toward_deg)
            return replace(template, apex_in=apex, toward_deg=toward)
        case Strip():
            return replace(template, path_in=shift.places(template.path_in))
        case Zone():
            return Zone(shift.places(template.outline_in))


def _figures(figures: tuple[Figure, ...], shift: _Shift) -> tuple[Figure, ...]:
    return tuple(_figure(figure, shift) for figure in figures)


def _figure(figure: Figure, shift: _Shift) -> Figure:
    x, y = shift.place(figure.centre_in)
    facing = None if figure.facing_deg is None else shift.bearing(figure.facing_deg)
    return replace(figure, x_in=x, y_in=y, base_in=shift.places(figure.base_in), facing_deg=facing)


def _correction(correction: Correction, shift: _Shift) -> Correction:
    match correction:
        case Added():
            return replace(correction, figure=_figure(correction.figure, shift))
        case PlacedAt():
            seen_in, at_in = shift.places((correction.seen_in, correction.at_in))
            return replace(correction, seen_in=seen_in, at_in=at_in)
        case FacingSet(_, at_in, facing_deg):
            return replace(correction, at_in=shift.place(at_in), facing_deg=shift.bearing(facing_deg))
        case Deleted():
            # The patch is sampled along the saved axes, so it would not match after a larger rotation.
            spot = correction.spot if abs(shift.turn) < math.radians(2) else None
            if spot is not None:
                spot = replace(spot, place_in=(*shift.place(spot.place_in[:2]), spot.place_in[2]))
            return replace(correction, at_in=shift.place(correction.at_in), spot=spot)
        case _:
            return correction


def _camera(camera: TableCamera, shift: _Shift) -> TableCamera:
    c, s = math.cos(shift.turn), math.sin(shift.turn)
    back = camera.rotation @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    return TableCamera(camera.lens, back, camera.translation - back @ (shift.x_in, shift.y_in, 0.0))
