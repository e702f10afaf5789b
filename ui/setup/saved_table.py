"""A table as it was left, and how it lies under the camera now: carried over by the markers that still lie there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from calibration.camera import TableCamera
from calibration.solve import laid_at, place_of
from rules.table import STANDING_HEIGHT_IN, Figure, FloatArray, PointIn, TerrainPiece, UserError
from rules.template import Blast, Flame, Strip, Template, Wedge, Zone
from ui.formatting import Basis
from ui.session import End, Ruler, Session, TableState
from ui.table.corrections import Added, Bound, Correction, Deleted, PlacedAt
from ui.table.play_area import PlayArea
from vision.examples import Examples
from vision.frame import ImageBgr
from vision.pipeline import TableView
from vision.tracking import Tracking

_SAME_IN = 0.5
"""Markers measured by one picture and no lens profile are off by as much at the table's far edge."""
_STILL_IN = 0.02
"""Less is the calibration's own unrest: then nothing is carried anywhere."""

NO_MARKER = (
    "none of the markers of that evening is seen, so nobody can say where its things lay:"
    " lay one of them where it was, or begin afresh"
)
OTHERWISE = (
    "the markers lie otherwise than that evening, so nobody can say where its things lay:"
    " lay them as they were, or begin afresh"
)


@dataclass(frozen=True, slots=True, eq=False)
class EmptyTable:
    """The picture of the table without figures, and what took it, in the inches of that evening."""

    picture_bgr: ImageBgr
    camera: TableCamera


@dataclass(frozen=True, slots=True, eq=False)
class KeptTable:
    """What is kept of a table from one evening to the next; armies, markers and the lens are kept elsewhere.

    Attributes:
        image_size: Of the camera's pictures.
        markers_in: Marker id -> (4, 2) corners: by them the table is found again.
        terrain, rulers, templates, basis, area, corrections: As of `TableState`.
        figure_height_in: Of a standing figure.
        seen: The figures as the camera had them, before the corrections.
        known, bound: As of `Session`.
        empty: The empty table, where it was learnt.
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
        """What there is of it, as "3 pieces of terrain, 12 figures by name"; empty for a bare table."""
        counted = (
            (len(self.terrain), "piece of terrain", "pieces of terrain"),
            (len(self.rulers) + len(self.templates), "ruler or template", "rulers and templates"),
            (len(self.corrections), "correction", "corrections"),
            (len(self.seen.figures) + len(self.seen.lost), "figure by name", "figures by name"),
            (len(self.examples.all), "learned figure", "learned figures"),
        )
        parts = [f"{count} {one if count == 1 else many}" for count, one, many in counted if count]
        parts += ["the table's edges"] if self.area is not None else []
        parts += ["the empty table"] if self.empty is not None else []
        return ", ".join(parts)


def kept_of(session: Session, seen: TableView) -> KeptTable | None:
    """What is to be kept of a table now; None where nobody knows its inches, or no marker would tell them again.

    Args:
        session: Of the table.
        seen: What the camera has, without corrections.
    """
    state, calibration = session.state, seen.calibration
    if calibration is None or seen.problem is not None or not calibration.markers_in:
        return None
    picture_bgr = state.setup.reference_bgr
    # Learnt a moment ago, no view may know it yet: then the camera hangs where it hung.
    camera = seen.reference_camera or state.setup.reference_camera or calibration.camera
    return KeptTable(
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
    """A kept table in the inches of today.

    Attributes:
        table: It.
        remarks: What of it makes no sense any more, or less, each a sentence.
    """

    table: KeptTable
    remarks: tuple[str, ...]

    def take_up(self, session: Session) -> None:
        """Let it be the session's table, as a step that can be undone."""
        kept, before = self.table, session.state
        setup = replace(
            before.setup, terrain=kept.terrain, figure_height_in=kept.figure_height_in, examples=kept.examples
        )
        if kept.empty is not None:
            setup = replace(setup, reference_bgr=kept.empty.picture_bgr, reference_camera=kept.empty.camera)
        state = TableState(setup, kept.rulers, kept.templates, kept.basis, kept.corrections, kept.area, before.unit)
        session.take_up("the table as it was left", state, kept.seen, kept.known, kept.bound)


def as_left(kept: KeptTable, view: TableView) -> RestoredTable:
    """The kept table as it lies in this view.

    Raises:
        UserError: where nothing tells where it lies: there are no inches, or its markers lie otherwise.
    """
    if view.calibration is None:
        raise UserError("there are no inches yet: uncover a marker first")
    shift, used = _between(kept.markers_in, view.calibration.markers_in)
    remarks = []
    if len(used) == 1:
        remarks.append(
            f"Only marker {used[0]} tells where all of it lies: if it was moved, undo this and begin afresh."
        )
    moved = [number for number in kept.markers_in if number in view.calibration.markers_in and number not in used]
    if moved:
        remarks.append(f"Marker {', '.join(map(str, moved))} was moved since; the others tell where all of it lies.")
    table = kept if shift is None else _carried(kept, shift)
    if table.empty is not None and kept.image_size != view.frame.size_px:
        table = replace(table, empty=None)
        width, height = view.frame.size_px
        remarks.append(f"The camera's pictures are {width}x{height} now: learn the empty table anew.")
    return RestoredTable(table, tuple(remarks))


@dataclass(frozen=True, slots=True)
class _Shift:
    """From the table's frame of one evening to that of another: turned by `turn` (radians), then shifted."""

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
    """How the table's frame was shifted, None where it was not, and the markers that say so."""
    common = [number for number in then if number in now]
    if not common:
        raise UserError(NO_MARKER)
    while (fit := _fit(then, now, common))[0] > _SAME_IN:
        if len(common) < 3:  # of two that disagree nobody knows which was moved
            raise UserError(OTHERWISE)
        common = min(([one for one in common if one != out] for out in common), key=lambda c: _fit(then, now, c)[0])
    place = fit[1]
    rest = max(float(np.abs(then[number] - now[number]).max()) for number in common)
    return None if rest <= _STILL_IN else _Shift(*place), tuple(common)


def _fit(
    then: Mapping[int, FloatArray], now: Mapping[int, FloatArray], numbers: Sequence[int]
) -> tuple[float, tuple[float, float, float]]:
    """How far the worst corner of these markers is off, in inches, when all are laid on their places; and how so."""
    place = place_of(*(np.concatenate([table[number] for number in numbers]) for table in (then, now)))
    return max(float(np.abs(laid_at(then[one], place) - now[one]).max()) for one in numbers), place


def _carried(kept: KeptTable, shift: _Shift) -> KeptTable:
    corrections = {one: _correction(one, shift) for one in kept.corrections}
    seen = kept.seen
    empty, area = kept.empty, kept.area
    return replace(
        kept,
        markers_in={
            number: laid_at(corners, (shift.x_in, shift.y_in, shift.turn))
            for number, corners in kept.markers_in.items()
        },
        terrain=tuple(replace(piece, outline_in=shift.places(piece.outline_in)) for piece in kept.terrain),
        rulers=tuple(Ruler(_end(one.a, shift), _end(one.b, shift), shift.places(one.via)) for one in kept.rulers),
        templates=tuple(_template(one, shift) for one in kept.templates),
        area=area and replace(area, origin_in=shift.place(area.origin_in), turn_deg=shift.bearing(area.turn_deg)),
        corrections=tuple(corrections.values()),
        seen=Tracking(_figures(seen.figures, shift), (), _figures(seen.lost, shift)),
        bound={_added(corrections[one]): name for one, name in kept.bound.items() if one in corrections},
        empty=empty and EmptyTable(empty.picture_bgr, _camera(empty.camera, shift)),
    )


def _added(correction: Correction) -> Added:
    assert isinstance(correction, Added)  # carried over, it is what it was
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
            # What a place looked like is remembered along the axes of that evening: turned, nothing would match.
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
