"""Saved tables: what is saved, and how to transform it to today's coordinates by the markers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from calibration.camera import TableCamera
from calibration.solve import laid_at, place_of
from rules.tabletop.errors import UserError
from rules.tabletop.table import STANDING_HEIGHT_IN, Figure, FloatArray, PointIn, TerrainPiece
from rules.tabletop.template import Blast, Flame, Strip, Template, Wedge, Zone
from ui.formatting import Basis
from ui.session import End, Ruler, Session, TableState
from ui.table.corrections import Added, Bound, Correction, Deleted, PlacedAt
from ui.table.play_area import PlayArea
from ui.translation import mark_for_translation, tr, tr_count
from vision.examples import Examples
from vision.frame import ImageBgr
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
    "the markers lie at other places than on the saved table, so the saved places are unknown:"
    " lay them where they were, or start a new table"
)


@dataclass(frozen=True, slots=True, eq=False)
class EmptyTable:
    """The picture of the table without figures, and its camera in the saved table's coordinates."""

    picture_bgr: ImageBgr
    camera: TableCamera


@dataclass(frozen=True, slots=True, eq=False)
class SavedTable:
    """The saved data of a table; armies, calibration targets and the lens are saved elsewhere.

    Attributes:
        image_size: Size of the camera's pictures.
        markers_in: Marker id -> (4, 2) corners, which relate the saved places to a later view.
        terrain, rulers, templates, basis, area, corrections: See `TableState`.
        figure_height_in: Height of a standing figure.
        seen: The tracks, before corrections.
        known, bound: See `Session`.
        empty: The empty table, if it was learned.
        examples: Figures that were confirmed or corrected.
    """

    image_size: tuple[int, int]
    markers_in: Mapping[int, FloatArray]
    terrain: tuple[TerrainPiece, ...] = ()
    rulers: tuple[Ruler, ...] = ()
    templates: tuple[Template, ...] = ()
    basis: Basis = Basis.CENTRE
    area: PlayArea | None = None
    corrections: tuple[Correction, ...] = ()
    figure_height_in: float = STANDING_HEIGHT_IN
    seen: Tracking = field(default_factory=Tracking)
    known: frozenset[str] = frozenset()
    bound: Bound = field(default_factory=dict)
    empty: EmptyTable | None = None
    examples: Examples = field(default_factory=Examples)

    @property
    def words(self) -> str:
        """Its contents, such as "3 pieces of terrain, 12 named soldiers"; empty for a bare table."""
        laid, figures = (*self.rulers, *self.templates), (*self.seen.figures, *self.seen.lost)
        parts = (
            self.terrain and tr_count("{count} piece of terrain", "{count} pieces of terrain", len(self.terrain)),
            laid and tr_count("{count} ruler or template", "{count} rulers and templates", len(laid)),
            self.corrections and tr_count("{count} correction", "{count} corrections", len(self.corrections)),
            figures and tr_count("{count} named soldier", "{count} named soldiers", len(figures)),
            self.examples.all and tr_count("{count} example", "{count} examples", len(self.examples.all)),
            self.area and tr("the table's edges"),
            self.empty and tr("the empty table"),
        )
        return ", ".join(part for part in parts if isinstance(part, str))


def table_to_save(session: Session, seen: TableView) -> SavedTable | None:
    """The table to save now; None unless it is calibrated by at least one marker.

    Args:
        session: The table's session.
        seen: The view without corrections.
    """
    state, calibration = session.state, seen.calibration
    if calibration is None or seen.problem is not None or not calibration.markers_in:
        return None
    picture_bgr = state.setup.reference_bgr
    # If the empty table was learned a moment ago, no view has its camera yet; then the camera has not moved.
    camera = seen.reference_camera or state.setup.reference_camera or calibration.camera
    return SavedTable(
        seen.frame.size_px,
        calibration.markers_in,
        state.setup.terrain,
        state.rulers,
        state.templates,
        state.basis,
        state.area,
        state.corrections,
        state.setup.figure_height_in,
        replace(seen.tracking, events=()),
        session.known,
        session.bound,
        EmptyTable(picture_bgr, camera) if picture_bgr is not None else None,
        state.setup.examples,
    )


@dataclass(frozen=True, slots=True, eq=False)
class RestoredTable:
    """A saved table in today's coordinates.

    Attributes:
        table: The table.
        remarks: Sentences about what is lost or less certain.
    """

    table: SavedTable
    remarks: tuple[str, ...]

    def take_up(self, session: Session) -> None:
        """Make it the session's table, as a step that can be undone."""
        saved, before = self.table, session.state
        setup = replace(
            before.setup, terrain=saved.terrain, figure_height_in=saved.figure_height_in, examples=saved.examples
        )
        if saved.empty is not None:
            setup = replace(setup, reference_bgr=saved.empty.picture_bgr, reference_camera=saved.empty.camera)
        laid = (saved.rulers, saved.templates)
        state = TableState(setup, *laid, saved.basis, saved.corrections, saved.area, before.unit)
        session.take_up(tr("restore the saved table"), state, saved.seen, saved.known, saved.bound)


def as_left(saved: SavedTable, view: TableView) -> RestoredTable:
    """Transform a saved table to the coordinates of this view.

    Raises:
        UserError: if the view has no calibration, or its markers do not fit the saved ones.
    """
    if view.calibration is None:
        raise UserError(tr("the camera sees no marker yet: uncover one first"))
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
                "Marker {numbers} was moved; the other markers show where everything lies.",
                "Markers {numbers} were moved; the other markers show where everything lies.",
                len(moved), numbers=", ".join(map(str, moved)),
            )
        )  # fmt: skip
    table = saved if shift is None else _carried(saved, shift)
    if table.empty is not None and saved.image_size != view.frame.size_px:
        table = replace(table, empty=None)
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
        raise UserError(tr(NO_MARKER))
    while (fit := _fit(then, now, common))[0] > _SAME_IN:
        if len(common) < 3:  # if two markers disagree, either may have moved
            raise UserError(tr(MARKERS_MOVED))
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
    corrections = {old: _correction(old, shift) for old in saved.corrections}
    seen = saved.seen
    empty, area = saved.empty, saved.area
    return replace(
        saved,
        markers_in={
            number: laid_at(corners, (shift.x_in, shift.y_in, shift.turn))
            for number, corners in saved.markers_in.items()
        },
        terrain=tuple(replace(piece, outline_in=shift.places(piece.outline_in)) for piece in saved.terrain),
        rulers=tuple(Ruler(_end(old.a, shift), _end(old.b, shift), shift.places(old.via)) for old in saved.rulers),
        templates=tuple(_template(template, shift) for template in saved.templates),
        area=area and replace(area, origin_in=shift.place(area.origin_in), turn_deg=shift.bearing(area.turn_deg)),
        corrections=tuple(corrections.values()),
        seen=Tracking(_figures(seen.figures, shift), (), _figures(seen.lost, shift)),
        bound={_added(corrections[old]): name for old, name in saved.bound.items() if old in corrections},
        empty=empty and EmptyTable(empty.picture_bgr, _camera(empty.camera, shift)),
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
