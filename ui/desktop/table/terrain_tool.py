"""The terrain tool: a click proposes a piece's outline; corners, edges and pieces can be dragged."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum, auto

from shapely.geometry import Polygon

from calibration.camera import TableCamera
from rules.tabletop.errors import UserError, user_error
from rules.tabletop.table import Outline, PointIn, TerrainKind, TerrainPiece
from ui.background_task import BackgroundTask
from ui.desktop.store import Store
from ui.desktop.tools.tool import PickResult, Tool
from ui.picture.preview import GroundPreview, Preview
from ui.picture.shapes import PointPx
from ui.session import Session
from ui.table.terrain import (
    as_seen,
    nearest_corner,
    nearest_edge,
    outline_height_in,
    piece_named,
    piece_seen_at,
    reprojected,
    resettled,
    usual_name,
    with_changed,
    with_corner_at,
    with_corner_on,
    with_landed,
    with_moved,
    with_piece,
    without_corner,
    without_piece,
)
from ui.translation import tr
from vision.terrain import OutlineProposal, propose_outline

TERRAIN = "terrain"
"""Name of the tool."""

_REACH_PX = 9.0  # screen pixels from a corner or an edge
_DRAG_PX = 5.0
_SAME_IOU = 0.7  # intersection over union from which two outlines are the same thing


class _Held(Enum):
    CORNER = auto()
    EDGE = auto()
    PIECE = auto()


@dataclass(frozen=True, slots=True)
class _Grip:
    """What is being dragged: a corner, an edge (both by number) or the whole selected piece."""

    held: _Held
    number: int
    from_px: PointPx


@dataclass(frozen=True, slots=True)
class _Fresh:
    """A piece just added, whose outline the wheel can still change."""

    label: str
    proposal: OutlineProposal
    chosen: int
    camera: TableCamera


@dataclass(frozen=True, slots=True)
class _Looking:
    """What is searched for the outline of a clicked piece.

    Attributes:
        session, camera: Those of the clicked table.
        below: The piece that it stands on; None for the table.
    """

    session: Session
    camera: TableCamera
    below: TerrainPiece | None


class TerrainTool(Tool):
    """Adds and changes terrain.

    Attributes:
        selected: Name of the selected piece; None for none.
        kind, height_in: Those of the next piece.
    """

    name = TERRAIN

    def __init__(self, store: Store) -> None:
        self._store = store
        self._search: BackgroundTask[OutlineProposal] = BackgroundTask("sandtable terrain")  # longer than a frame
        self._looking: _Looking | None = None
        self.selected: str | None = None
        self.kind, self.height_in = TerrainKind.OTHER, 1.0
        self._corner: int | None = None
        self._grip: _Grip | None = None
        self._fresh: _Fresh | None = None

    @property
    def hint(self) -> str:
        piece = self.piece
        if self._looking is not None:
            return tr("Looking for its outline…")
        if piece is None:
            return tr("Click a house, a book or a tree to add it. Click a piece that is drawn to change it.")
        if self.choosing:
            return tr(
                "Wheel, + and -: larger or smaller outline. Drag corners and edges; set kind and height on the right."
            )
        if self._corner is not None:
            return tr("Delete removes this corner of {name}. Esc cancels.", name=piece.name)
        return tr(
            "Drag corners, edges or {name} itself. Delete removes it; click it again to add what stands on it.",
            name=piece.name,
        )

    @property
    def choosing(self) -> bool:
        """Whether the wheel still changes the outline of the piece just added; otherwise it zooms."""
        return self._fresh is not None and self._fresh.label == self._store.session.can_undo

    @property
    def piece(self) -> TerrainPiece | None:
        return piece_named(self._store.terrain, self.selected)

    def select(self, name: str | None) -> None:
        self.selected, self._corner, self._grip, self._fresh = name, None, None, None

    def press(self, at: PickResult) -> None:
        """Start dragging what is there, select it, or search for a new piece's outline.

        Raises:
            UserError: if there is no calibration.
        """
        camera, piece = self._store.camera, self.piece
        if camera is None:
            raise user_error("Put a printed marker on the table first: terrain is measured in inches.")
        self._grip = self._taken(camera, piece, at) if piece is not None else None
        self._corner = self._grip.number if self._grip is not None and self._grip.held is _Held.CORNER else None
        if self._grip is not None:
            return
        self._looking = None
        under = piece_seen_at(camera, at.px, self._store.terrain)
        if under is None:
            self._propose(camera, at, None)
        elif under == piece:
            self._grip = _Grip(_Held.PIECE, 0, at.px)
        else:
            self.select(under.name)

    def _taken(self, camera: TableCamera, piece: TerrainPiece, at: PickResult) -> _Grip | None:
        corners, reach = seen_outline(camera, piece), _REACH_PX / at.screen_scale
        corner = nearest_corner(corners, at.px, reach)
        if corner is not None:
            return _Grip(_Held.CORNER, corner, at.px)
        edge = nearest_edge(corners, at.px, reach)
        return None if edge is None else _Grip(_Held.EDGE, edge, at.px)

    def release(self, at: PickResult) -> None:
        """Apply the drag. Raises `UserError` if the outline would cross itself."""
        grip, piece, camera, self._grip = self._grip, self.piece, self._store.camera, None
        if grip is None or piece is None or camera is None:
            return
        if math.dist(grip.from_px, at.px) * at.screen_scale > _DRAG_PX:
            if grip.held is _Held.PIECE:
                self._move(camera, piece, _displacement_in(camera, piece, grip, at.px))
            else:
                self.change(tr("move a corner of {piece}", piece=piece.name), _dragged(camera, piece, grip, at.px))
            self._corner = {_Held.CORNER: grip.number, _Held.EDGE: grip.number + 1}.get(grip.held)
        elif grip.held is _Held.PIECE:
            self._propose(camera, at, piece)

    def _move(self, camera: TableCamera, piece: TerrainPiece, by_in: PointIn) -> None:
        before = self._store.terrain
        moved = with_moved(before, piece.name, by_in)
        landed = as_seen(moved, with_landed(before, moved, piece.name), camera)
        self._store.session.set_terrain(tr("move {piece}", piece=piece.name), landed)
        self._fresh = None

    def _propose(self, camera: TableCamera, at: PickResult, below: TerrainPiece | None) -> None:
        base_in = below.top_in if below is not None else 0.0
        height_in = outline_height_in(_unit(self.kind, base_in, self.height_in))
        session, image_bgr, px = self._store.session, at.frame.image_bgr, at.px
        empty_bgr = session.state.setup.reference_bgr
        self._looking = _Looking(session, camera, below)
        self._search.drop()
        self._search.start(lambda: propose_outline(image_bgr, camera, px, height_in, empty_bgr))

    def pull(self) -> None:
        """Add the piece whose outline was found; called often."""
        if self._looking is not None and not self._search.busy:
            self._store.change(self._take)

    def _take(self) -> None:
        looking, self._looking = self._looking, None
        if looking is None or looking.session is not self._store.session:
            return  # another table was opened meanwhile
        found = self._search.take()
        if found is None:
            raise UserError(self._search.refusal)
        if looking.below is not None:
            found = _inside_outline(looking.below, found, looking.camera)
        piece = self._as_piece(looking.camera, found.outlines_in[found.best], found.height_in)
        terrain = with_piece(self._store.terrain, piece)
        label = tr("add {name}", name=terrain[-1].name)
        self._store.session.set_terrain(label, terrain)
        self.select(terrain[-1].name)
        self._fresh = _Fresh(label, found, found.best, looking.camera)

    def _as_piece(self, camera: TableCamera, outline_in: Outline, seen_at_in: float) -> TerrainPiece:
        """The next piece, from an outline seen at a height."""
        piece = resettled(_unit(self.kind, 0.0, self.height_in, outline_in), self._store.terrain)
        if abs(outline_height_in(piece) - seen_at_in) < 1e-9:
            return piece
        return replace(piece, outline_in=reprojected(camera, outline_in, seen_at_in, outline_height_in(piece)))

    def turn(self, steps: int) -> None:
        """Change the outline of the piece just added: larger or smaller."""
        fresh, session, piece = self._fresh, self._store.session, self.piece
        if fresh is None or piece is None or not self.choosing:
            return
        chosen = min(max(fresh.chosen + steps, 0), len(fresh.proposal.outlines_in) - 1)
        session.undo()
        outline_in = fresh.proposal.outlines_in[chosen]
        terrain = with_piece(self._store.terrain, self._as_piece(fresh.camera, outline_in, fresh.proposal.height_in))
        session.set_terrain(fresh.label, terrain)
        self._fresh = replace(fresh, chosen=chosen)

    def change(self, label: str, piece: TerrainPiece, *, as_seen_now: bool = False) -> None:
        """Replace the selected piece; `as_seen_now` keeps every outline where it is seen when heights change.

        Raises:
            UserError: see `ui.table.terrain.with_changed`.
        """
        if self.selected is None or piece == self.piece:
            return
        before = self._store.terrain
        after = with_changed(before, self.selected, piece)
        if as_seen_now and self._store.camera is not None:
            after = as_seen(before, after, self._store.camera)
        self._store.session.set_terrain(label, after)
        self.selected, self._fresh = piece.name, None

    def delete(self, *, whole: bool = False) -> None:
        """Remove the selected corner, otherwise or as a `whole` the piece.

        Raises:
            UserError: if only three corners are left.
        """
        piece = self.piece
        if piece is None:
            return
        if self._corner is not None and not whole:
            self.change(tr("remove a corner of {piece}", piece=piece.name), without_corner(piece, self._corner))
            self._corner = None
        else:
            label = tr("remove {piece}", piece=piece.name)
            self._store.session.set_terrain(label, without_piece(self._store.terrain, piece.name))
            self.select(None)

    def cancel(self) -> bool:
        """Cancel the search or drag, else deselect the corner, else the piece."""
        if self._looking is not None:
            self._looking = None
            return True
        if self._grip is not None or self._corner is not None:
            self._grip = self._corner = None
            return True
        had = self.selected is not None
        self.select(None)
        return had

    def preview(self, at: PickResult | None) -> Preview:
        """The pieces with their names, and the corners of the selected one."""
        camera, piece = self._store.camera, self.piece
        under = piece_seen_at(camera, at.px, self._store.terrain) if camera is not None and at is not None else None
        corner = self._corner
        if piece is not None and camera is not None and at is not None:
            if self._grip is not None and math.dist(self._grip.from_px, at.px) * at.screen_scale > _DRAG_PX:
                with suppress(UserError):  # an impossible outline is not shown
                    piece = _dragged(camera, piece, self._grip, at.px)
            elif self._grip is None:
                taken = self._taken(camera, piece, at)
                corner = taken.number if taken is not None and taken.held is _Held.CORNER else corner
        return Preview(ground=GroundPreview(under.name if under is not None else None, self.selected, piece, corner))


def seen_outline(camera: TableCamera, piece: TerrainPiece) -> tuple[PointPx, ...]:
    """The piece's corners in the picture; far away if they are not visible."""
    height_in = outline_height_in(piece)
    px = camera.table_to_pixel([(*point, height_in) for point in piece.outline_in])
    return tuple((float(x), float(y)) if math.isfinite(x) else (-1e6, -1e6) for x, y in px)


def _unit(kind: TerrainKind, base_in: float, height_in: float, outline_in: Outline | None = None) -> TerrainPiece:
    outline_in = outline_in or ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))
    return TerrainPiece(usual_name(kind), kind, outline_in, base_in, height_in)


def _dragged(camera: TableCamera, piece: TerrainPiece, grip: _Grip, px: PointPx) -> TerrainPiece:
    """The piece after dragging its grip to a pixel."""
    if grip.held is _Held.PIECE:
        return with_moved((piece,), piece.name, _displacement_in(camera, piece, grip, px))[0]
    x, y = (float(v) for v in camera.pixel_to_table(px, outline_height_in(piece))[0])
    if not math.isfinite(x):
        raise user_error("{name} cannot reach there. Stay on the table.", name=piece.name)
    if grip.held is _Held.CORNER:
        return with_corner_at(piece, grip.number, (x, y))
    return with_corner_on(piece, grip.number, (x, y))


def _displacement_in(camera: TableCamera, piece: TerrainPiece, grip: _Grip, px: PointPx) -> PointIn:
    """The displacement of a dragged piece."""
    (x0, y0), (x1, y1) = camera.pixel_to_table([grip.from_px, px], outline_height_in(piece))
    if not math.isfinite(x1):
        raise user_error("{name} cannot go there. Stay on the table.", name=piece.name)
    return (float(x1 - x0), float(y1 - y0))


def _inside_outline(below: TerrainPiece, found: OutlineProposal, camera: TableCamera) -> OutlineProposal:
    """The proposed outlines inside a piece's outline, without its own. Raises `UserError` if there is none."""
    known = Polygon(reprojected(camera, below.outline_in, outline_height_in(below), found.height_in))
    kept = []
    for number, outline_in in enumerate(found.outlines_in):
        area = Polygon(outline_in)
        both = known.intersection(area).area
        if both / known.union(area).area < _SAME_IOU and both > 0.5 * area.area:
            kept.append(number)
    if not kept:
        raise user_error("Nothing is seen on {name} there. Click the middle of what stands on it.", name=below.name)
    best = min(kept, key=lambda number: abs(number - found.best))
    return OutlineProposal(tuple(found.outlines_in[number] for number in kept), kept.index(best), found.height_in)
