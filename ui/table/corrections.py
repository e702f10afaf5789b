"""The players' corrections of the camera's figures, which hold for all later pictures.

Each correction is a value; a view is corrected by applying all of them, oldest first, to the tracks. A correction uses
the figure's name at the time it was made, so that undoing the newest one leaves the others unchanged. Names are only
swapped or moved up, so no two figures get the same name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rules.tabletop.errors import user_error
from rules.tabletop.path import placed
from rules.tabletop.table import Figure, Outline, PointIn, Posture, ellipse_outline
from vision.patch_memory import Spot
from vision.tracks import Event, EventKind, Tracking

HOLDS_IN = 0.5
"""A corrected place holds while the track is this near to its place at the time of the correction."""
LEAST_HULL_IN, MOST_HULL_IN = 0.5, 24.0
_DELETED_WITHIN_IN = 1.5  # a deleted track that moves further has become another figure
_SAME_WITHIN_IN = 0.75  # a new track this near to an added figure is that figure

_LYING = {Posture.PRONE, Posture.DOWN}
_UPRIGHT_BASE_IN, _LYING_BASE_IN, _HALF_HULL_IN = (0.5, 0.39), (1.0, 0.42), (1.6, 0.95)


@dataclass(frozen=True, slots=True)
class Confirmed:
    """This is a figure, which stays on the table when the camera does not see it."""

    id: str


@dataclass(frozen=True, slots=True)
class Deleted:
    """No figure is here, under this id or a later one, while the picture here stays the same.

    Attributes:
        spot: Its appearance; if None, the deletion ends when the track moves away.
        known: Track ids at that time, which may move here later.
    """

    id: str
    at_in: PointIn
    spot: Spot | None = None
    known: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Added:
    """A figure that the camera missed; the next new track at its place becomes this figure.

    Attributes:
        known: Track ids at that time, which are not new.
    """

    figure: Figure
    known: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Merged:
    """Two tracks are one figure, which keeps the name `kept`."""

    kept: str
    gone: str


@dataclass(frozen=True, slots=True)
class ArmyChanged:
    """The figure belongs to another army and gets the name `to`."""

    id: str
    army: str
    to: str


@dataclass(frozen=True, slots=True)
class PostureSet:
    """The figure has another posture, until the camera sees it fall or rise.

    Attributes:
        seen: The posture shown at that time.
    """

    id: str
    posture: Posture
    seen: Posture


@dataclass(frozen=True, slots=True)
class PlacedAt:
    """The figure stands at another place, until the camera sees it move.

    Attributes:
        seen_in: The place shown at that time.
        at_in, z_in: The correct place and its height.
        sigma_in: Standard deviation of the click.
    """

    id: str
    seen_in: PointIn
    at_in: PointIn
    z_in: float
    sigma_in: float


@dataclass(frozen=True, slots=True)
class FacingSet:
    """The figure faces another way, until the camera sees it move.

    Attributes:
        at_in: The place shown at that time.
        facing_deg: Counter-clockwise from +x.
    """

    id: str
    at_in: PointIn
    facing_deg: float


@dataclass(frozen=True, slots=True)
class SizeSet:
    """The vehicle's hull has this length, along the way it faces, and this width."""

    id: str
    length_in: float
    width_in: float

    def __post_init__(self) -> None:
        if not all(LEAST_HULL_IN <= side <= MOST_HULL_IN for side in (self.length_in, self.width_in)):
            raise user_error(
                "A vehicle is {least:g} to {most:g} inches long and wide. Choose another size.",
                least=LEAST_HULL_IN,
                most=MOST_HULL_IN,
            )


@dataclass(frozen=True, slots=True)
class Renamed:
    """The figure has another name; a figure with that name gets this one's."""

    id: str
    to: str


Correction = Confirmed | Deleted | Added | Merged | ArmyChanged | PostureSet | PlacedAt | FacingSet | SizeSet | Renamed


def names_in(corrections: Iterable[Correction]) -> frozenset[str]:
    """All figure names in the corrections."""
    names: set[str] = set()
    for correction in corrections:
        match correction:
            case Added(figure):
                names.add(figure.id)
            case Merged(kept, gone):
                names |= {kept, gone}
            case ArmyChanged(name, _, to) | Renamed(name, to):
                names |= {name, to}
            case _:
                names.add(correction.id)
    return frozenset(names)


Bound = Mapping[Added, str]
"""Added figures with the ids of the tracks that they became."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A figure while the corrections are applied.

    Attributes:
        track: Its track id; empty for an added figure without a track.
        figure: The figure as corrected so far.
        here: Whether it is on the table now.
    """

    track: str
    figure: Figure
    here: bool

    @property
    def id(self) -> str:
        return self.figure.id


def bind(corrections: Iterable[Correction], seen: Tracking, bound: Bound) -> Bound:
    """Assign added figures to new tracks of this picture; earlier assignments stay."""
    found = dict(bound)
    for added in corrections:
        if not isinstance(added, Added) or added in found:
            continue
        new = [f for f in seen.figures if f.id not in added.known and f.id not in found.values()]
        is_vehicle = added.figure.posture is Posture.VEHICLE
        near = [f for f in new if _apart_in(f, added.figure.centre_in) <= _SAME_WITHIN_IN]
        same = [f for f in near if (f.posture is Posture.VEHICLE) == is_vehicle]
        if same:
            found[added] = min(same, key=lambda f: _apart_in(f, added.figure.centre_in)).id
    return found


def corrected(
    seen: Tracking, corrections: Sequence[Correction], bound: Bound | None = None, over: Container[Deleted] = ()
) -> Tracking:
    """The figures and track events of one picture with the corrections applied, oldest first.

    `bound` comes from `bind`; `over` are deletions that have ended, because the picture at their place has changed.
    """
    if not corrections:
        return seen
    bound = bound or {}
    entries = _corrected(seen, corrections, bound, over)
    names = {entry.track: entry.id for entry in entries if entry.track}
    events = [
        replace(event, id=names[event.id], or_else=names.get(event.or_else or ""))
        for event in seen.events
        if event.id in names
    ]
    reported = tuple(event for event in events if not _is_redundant(event, entries, bound))
    here = tuple(entry.figure for entry in entries if entry.here)
    return Tracking(here, reported, tuple(entry.figure for entry in entries if not entry.here))


def names_shown(
    seen: Tracking, corrections: Sequence[Correction], bound: Bound, over: Container[Deleted] = ()
) -> Mapping[str, str]:
    """The shown id for each track id; arguments as for `corrected`."""
    return {entry.track: entry.id for entry in _corrected(seen, corrections, bound, over) if entry.track}


def _corrected(
    seen: Tracking, corrections: Sequence[Correction], bound: Bound, over: Container[Deleted]
) -> list[_Entry]:
    entries = [_Entry(f.id, f, True) for f in seen.figures] + [_Entry(f.id, f, False) for f in seen.lost]
    for correction in corrections:
        if not (isinstance(correction, Deleted) and correction in over):
            entries = _fold(entries, correction, bound)
    return entries


def _is_redundant(event: Event, entries: Sequence[_Entry], bound: Bound) -> bool:
    """Whether the event contradicts a correction: an added figure is not "found", a confirmed one not "lost"."""
    entry = next(entry for entry in entries if entry.id == event.id)
    return (event.kind is EventKind.FOUND and entry.track in bound.values()) or (
        event.kind is EventKind.LOST and entry.here
    )


def _fold(entries: list[_Entry], correction: Correction, bound: Bound) -> list[_Entry]:
    match correction:
        case Added():
            return _with(entries, correction, bound)
        case Merged(kept, gone):
            return _as_one(entries, kept, gone)
        case Deleted():
            return [entry for entry in entries if not _is_no_figure(entry, correction)]
        case Renamed(name, to):
            return [_renamed(entry, {name: to, to: name}.get(entry.id, entry.id)) for entry in entries]
        case ArmyChanged(name, army, to):
            if all(entry.id != name for entry in entries):
                return _with_name_free(entries, to)
            return [_in_army(entry, army, to) if old.id == name else entry for old, entry in _moved_up(entries, to)]
        case _:
            return [_updated(entry, correction) if entry.id == correction.id else entry for entry in entries]


def _is_no_figure(entry: _Entry, deleted: Deleted) -> bool:
    """Whether this is the deleted figure, or a new track in its place."""
    away_in = _apart_in(entry.figure, deleted.at_in)
    again = deleted.spot is not None and bool(entry.track) and entry.track not in deleted.known
    return (entry.id == deleted.id and away_in <= _DELETED_WITHIN_IN) or (again and away_in <= _SAME_WITHIN_IN)


def _updated(entry: _Entry, correction: Confirmed | PostureSet | PlacedAt | FacingSet | SizeSet) -> _Entry:
    figure = entry.figure
    match correction:
        case Confirmed():
            return replace(entry, figure=replace(figure, confidence=1.0), here=True)
        case PostureSet(_, posture, seen):
            fell = (figure.posture is Posture.DOWN) != (seen is Posture.DOWN)
            known = replace(_postured(figure, posture), posture_confidence=1.0, second_posture=None)
            return entry if fell else replace(entry, figure=known)
        case PlacedAt(_, seen_in, at_in, z_in, sigma_in):
            if _apart_in(figure, seen_in) > HOLDS_IN:
                return entry
            return replace(entry, figure=replace(placed(figure, at_in), z_in=z_in, sigma_in=sigma_in))
        case FacingSet(_, at_in, facing_deg):
            return entry if _apart_in(figure, at_in) > HOLDS_IN else replace(entry, figure=turned(figure, facing_deg))
        case SizeSet(_, length_in, width_in):
            return replace(entry, figure=sized(figure, length_in, width_in))


def _with(entries: list[_Entry], added: Added, bound: Bound) -> list[_Entry]:
    """Add a figure: its new track if it has one, else the figure itself."""
    track = bound.get(added)
    name, army = added.figure.id, added.figure.army
    others = _with_name_free(entries, name)
    if any(entry.track == track for entry in others if track):
        return [_in_army(entry, army, name) if entry.track == track else entry for entry in others]
    return [*others, _Entry("", added.figure, True)]


def _as_one(entries: list[_Entry], kept: str, gone: str) -> list[_Entry]:
    """Merge two figures into one with the kept name, at the place of the one that is visible."""
    two = [entry for entry in entries if entry.id in (kept, gone)]
    two.sort(key=lambda entry: (not entry.here, entry.id != kept))
    if not two:
        return entries
    army = next((entry.figure.army for entry in two if entry.id == kept), two[0].figure.army)
    return [_in_army(entry, army, kept) if entry is two[0] else entry for entry in entries if entry not in two[1:]]


def _renamed(entry: _Entry, name: str) -> _Entry:
    return entry if entry.id == name else replace(entry, figure=replace(entry.figure, id=name))


def _in_army(entry: _Entry, army: str, name: str) -> _Entry:
    return replace(entry, figure=replace(entry.figure, id=name, army=army))


def _with_name_free(entries: Iterable[_Entry], name: str) -> list[_Entry]:
    return [entry for _, entry in _moved_up(entries, name)]


def _moved_up(entries: Iterable[_Entry], name: str) -> list[tuple[_Entry, _Entry]]:
    """Pairs of each figure before and after; those with this name or a higher number of its army move up by one."""
    army, number = _numbered(name)
    pairs = []
    for entry in entries:
        theirs, at = _numbered(entry.id)
        up = theirs == army and at >= number
        pairs.append((entry, _renamed(entry, f"{army}-{at + 1}") if up else entry))
    return pairs


def next_name(army: str, figures: Iterable[Figure]) -> str:
    """The army's next name, one above its highest number."""
    numbers = [number for other, number in (_numbered(figure.id) for figure in figures) if other == army]
    return f"{army}-{max(numbers, default=0) + 1}"


def _numbered(name: str) -> tuple[str, int]:
    """The army and number of a name such as "tan-4"; for other names the name and -1."""
    parts = re.fullmatch(r"(.+)-(0|[1-9]\d*)", name)
    return (parts[1], int(parts[2])) if parts else (name, -1)


def _apart_in(figure: Figure, at_in: PointIn) -> float:
    return math.dist(figure.centre_in, at_in)


def _postured(figure: Figure, posture: Posture) -> Figure:
    """The figure in another posture, with a usual base if only one of the two postures is lying."""
    same = (posture in _LYING) == (figure.posture in _LYING) or Posture.VEHICLE in (posture, figure.posture)
    base_in = figure.base_in if same else usual_base(posture, figure.centre_in, figure.facing_deg or 0.0)
    return replace(figure, posture=posture, base_in=base_in)


def usual_base(posture: Posture, at_in: PointIn, turn_deg: float = 0.0) -> Outline:
    """The outline of a standing or lying 54 mm soldier's base, or of a tank's hull."""
    if posture is Posture.VEHICLE:
        return _hull(at_in, _HALF_HULL_IN, turn_deg)
    half_in = _LYING_BASE_IN if posture in _LYING else _UPRIGHT_BASE_IN
    return ellipse_outline(at_in, *half_in, turn_deg)


def _hull(at_in: PointIn, half_in: tuple[float, float], turn_deg: float) -> Outline:
    """The outline of a hull with this half length and half width."""
    c, s = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    half = [(u * half_in[0], v * half_in[1]) for u, v in ((1, -1), (1, 1), (-1, 1), (-1, -1))]
    return tuple((at_in[0] + c * u - s * v, at_in[1] + s * u + c * v) for u, v in half)


def turned(figure: Figure, facing_deg: float) -> Figure:
    """The figure facing another way; a vehicle's hull turns with it."""
    if figure.posture is Posture.VEHICLE:
        turn_rad = math.radians(facing_deg - heading_deg(figure))
        c, s = math.cos(turn_rad), math.sin(turn_rad)
        arms = [(x - figure.x_in, y - figure.y_in) for x, y in figure.base_in]
        base_in = tuple((figure.x_in + c * u - s * v, figure.y_in + s * u + c * v) for u, v in arms)
        figure = replace(figure, base_in=base_in)
    return replace(figure, facing_deg=facing_deg % 360)


def sized(figure: Figure, length_in: float, width_in: float) -> Figure:
    """The vehicle with a hull of another size."""
    half_in = (length_in / 2, width_in / 2)
    return replace(figure, base_in=_hull(figure.centre_in, half_in, heading_deg(figure)))


def heading_deg(vehicle: Figure) -> float:
    """The way a vehicle faces; if that is unknown, that of its longest side."""
    if vehicle.facing_deg is not None:
        return vehicle.facing_deg
    corners = vehicle.base_in
    a, b = max(zip(corners, (*corners[1:], corners[0]), strict=True), key=lambda side: math.dist(*side))
    return math.degrees(math.atan2(b[1] - a[1], b[0] - a[0])) % 180
