"""What the players know better than the camera: corrections of its figures, which outlast every later picture.

Each correction is a value; a view is corrected by folding all of them, oldest first, over what was seen. A correction
names a figure as it was called when it was made, so that taking the newest one back leaves the others as they were.
Names are only ever exchanged or moved up: no fold gives two figures one name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rules.tabletop.path import placed
from rules.tabletop.table import Figure, Outline, PointIn, Posture, ellipse_outline
from vision.patch_memory import Spot
from vision.tracks import Event, EventKind, Tracking

HOLDS_IN = 0.5
"""A place given by hand counts while the camera has the figure this near to where it had it then."""
_GONE_WITHIN_IN = 1.5  # a deleted thing that strays further has become another: the tracker takes it for carried
_SAME_WITHIN_IN = 0.75  # a newcomer this near to a figure that was added is that figure

_LYING = {Posture.PRONE, Posture.DOWN}
_UPRIGHT_BASE_IN, _LYING_BASE_IN, _HALF_HULL_IN = (0.5, 0.39), (1.0, 0.42), (1.6, 0.95)


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The figure is one, and stays on the table when it is not seen."""

    id: str


@dataclass(frozen=True, slots=True)
class Deleted:
    """No figure stands there, under this name or a later one, as long as the picture there is the same.

    Attributes:
        id: What was taken for a figure.
        at_in: Where.
        spot: What it looked like; None where that is not known, and it counts again once it strays from there.
        known: Names the tracker had given by then: these others may come here.
    """

    id: str
    at_in: PointIn
    spot: Spot | None = None
    known: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Added:
    """A figure that the camera missed. Once it sees a newcomer there, that is the one, and goes on from there.

    Attributes:
        figure: As it was put there by hand.
        known: Names the tracker had given by then: none of these is the newcomer.
    """

    figure: Figure
    known: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Merged:
    """Two that were taken for two are one: it keeps the first name."""

    kept: str
    gone: str


@dataclass(frozen=True, slots=True)
class ArmyChanged:
    """The figure is of another army, and called `to` from now on."""

    id: str
    army: str
    to: str


@dataclass(frozen=True, slots=True)
class PostureSet:
    """The figure stands, kneels or lies as told, until the camera sees it fall or rise.

    Attributes:
        id: The figure.
        posture: As told.
        seen: As it was shown then.
    """

    id: str
    posture: Posture
    seen: Posture


@dataclass(frozen=True, slots=True)
class PlacedAt:
    """The figure stands elsewhere than where it is seen, until it is seen to have moved.

    Attributes:
        id: The figure.
        seen_in: Where it was shown then.
        at_in, z_in: Where it stands, and how high.
        sigma_in: How sure the hand is.
    """

    id: str
    seen_in: PointIn
    at_in: PointIn
    z_in: float
    sigma_in: float


@dataclass(frozen=True, slots=True)
class Renamed:
    """The figure has another name; who had that name takes this one's."""

    id: str
    to: str


Correction = Confirmed | Deleted | Added | Merged | ArmyChanged | PostureSet | PlacedAt | Renamed


def names_in(corrections: Iterable[Correction]) -> frozenset[str]:
    """Every name of a figure that the corrections use."""
    names: set[str] = set()
    for one in corrections:
        match one:
            case Added(figure):
                names.add(figure.id)
            case Merged(kept, gone):
                names |= {kept, gone}
            case ArmyChanged(name, _, to) | Renamed(name, to):
                names |= {name, to}
            case _:
                names.add(one.id)
    return frozenset(names)


Bound = Mapping[Added, str]
"""Figures that were added, and the tracker's names of the newcomers they turned out to be."""


@dataclass(frozen=True, slots=True)
class _One:
    """A figure on its way through the corrections.

    Attributes:
        track: The tracker's name; empty for one that only the players see.
        figure: As it is shown so far.
        here: Whether it is on the table now.
    """

    track: str
    figure: Figure
    here: bool

    @property
    def id(self) -> str:
        return self.figure.id


def bind(corrections: Iterable[Correction], seen: Tracking, bound: Bound) -> Bound:
    """Which newcomers the figures are that were added, after this picture; a figure once found stays the same one."""
    found = dict(bound)
    for added in corrections:
        if not isinstance(added, Added) or added in found:
            continue
        new = [f for f in seen.figures if f.id not in added.known and f.id not in found.values()]
        tank = added.figure.posture is Posture.VEHICLE
        near = [f for f in new if _apart_in(f, added.figure.centre_in) <= _SAME_WITHIN_IN]
        same = [f for f in near if (f.posture is Posture.VEHICLE) == tank]
        if same:
            found[added] = min(same, key=lambda f: _apart_in(f, added.figure.centre_in)).id
    return found


def corrected(
    seen: Tracking,
    corrections: Sequence[Correction],
    bound: Bound | None = None,
    over: Container[Deleted] = (),
) -> Tracking:
    """What is known after one picture, as the players have it.

    Args:
        seen: What the camera has.
        corrections: Oldest first.
        bound: From `bind`.
        over: Deletions that no longer count: something else is to be seen there now.
    """
    if not corrections:
        return seen
    bound = bound or {}
    ones = _corrected(seen, corrections, bound, over)
    names = {one.track: one.id for one in ones if one.track}
    events = [
        replace(event, id=names[event.id], or_else=names.get(event.or_else or ""))
        for event in seen.events
        if event.id in names
    ]
    told = tuple(event for event in events if not _no_news(event, ones, bound))
    here = tuple(one.figure for one in ones if one.here)
    return Tracking(here, told, tuple(one.figure for one in ones if not one.here))


def names_shown(
    seen: Tracking, corrections: Sequence[Correction], bound: Bound, over: Container[Deleted] = ()
) -> Mapping[str, str]:
    """The camera's name of each figure, and the one that the players know it by; arguments as of `corrected`."""
    return {one.track: one.id for one in _corrected(seen, corrections, bound, over) if one.track}


def _corrected(seen: Tracking, corrections: Sequence[Correction], bound: Bound, over: Container[Deleted]) -> list[_One]:
    ones = [_One(f.id, f, True) for f in seen.figures] + [_One(f.id, f, False) for f in seen.lost]
    for correction in corrections:
        if not (isinstance(correction, Deleted) and correction in over):
            ones = _fold(ones, correction, bound)
    return ones


def _no_news(event: Event, ones: Sequence[_One], bound: Bound) -> bool:
    """Whoever was added is not found anew, and whoever stays on the table is not lost."""
    one = next(one for one in ones if one.id == event.id)
    return (event.kind is EventKind.FOUND and one.track in bound.values()) or (
        event.kind is EventKind.LOST and one.here
    )


def _fold(ones: list[_One], correction: Correction, bound: Bound) -> list[_One]:
    match correction:
        case Added():
            return _with(ones, correction, bound)
        case Merged(kept, gone):
            return _as_one(ones, kept, gone)
        case Deleted():
            return [one for one in ones if not _is_no_figure(one, correction)]
        case Renamed(name, to):
            return [_called(one, {name: to, to: name}.get(one.id, one.id)) for one in ones]
        case ArmyChanged(name, army, to):
            if all(one.id != name for one in ones):
                return _room_for(ones, to)
            return [_enlisted(one, army, to) if old.id == name else one for old, one in _making_room(ones, to)]
        case _:
            return [_touched(one, correction) if one.id == correction.id else one for one in ones]


def _is_no_figure(one: _One, deleted: Deleted) -> bool:
    """The deleted thing, or what the tracker made of it anew."""
    away_in = _apart_in(one.figure, deleted.at_in)
    again = deleted.spot is not None and bool(one.track) and one.track not in deleted.known
    return (one.id == deleted.id and away_in <= _GONE_WITHIN_IN) or (again and away_in <= _SAME_WITHIN_IN)


def _touched(one: _One, correction: Confirmed | PostureSet | PlacedAt) -> _One:
    figure = one.figure
    match correction:
        case Confirmed():
            return replace(one, figure=replace(figure, confidence=1.0), here=True)
        case PostureSet(_, posture, seen):
            fell = (figure.posture is Posture.DOWN) != (seen is Posture.DOWN)
            return one if fell else replace(one, figure=_postured(figure, posture))
        case PlacedAt(_, seen_in, at_in, z_in, sigma_in):
            if _apart_in(figure, seen_in) > HOLDS_IN:
                return one
            return replace(one, figure=replace(placed(figure, at_in), z_in=z_in, sigma_in=sigma_in))


def _with(ones: list[_One], added: Added, bound: Bound) -> list[_One]:
    """A figure that was added: the newcomer it turned out to be, else itself."""
    track = bound.get(added)
    room = _room_for(ones, added.figure.id)
    if any(one.track == track for one in room if track):
        return [_enlisted(one, added.figure.army, added.figure.id) if one.track == track else one for one in room]
    return [*room, _One("", added.figure, True)]


def _as_one(ones: list[_One], kept: str, gone: str) -> list[_One]:
    """The better seen of the two, under the kept one's name."""
    two = sorted((one for one in ones if one.id in (kept, gone)), key=lambda one: (not one.here, one.id != kept))
    if not two:
        return ones
    army = next((one.figure.army for one in two if one.id == kept), two[0].figure.army)
    return [_enlisted(one, army, kept) if one is two[0] else one for one in ones if one not in two[1:]]


def _called(one: _One, name: str) -> _One:
    return one if one.id == name else replace(one, figure=replace(one.figure, id=name))


def _enlisted(one: _One, army: str, name: str) -> _One:
    return replace(one, figure=replace(one.figure, id=name, army=army))


def _room_for(ones: Iterable[_One], name: str) -> list[_One]:
    return [one for _, one in _making_room(ones, name)]


def _making_room(ones: Iterable[_One], name: str) -> list[tuple[_One, _One]]:
    """Each before and after those have moved up by one who got this name or a later number since it was given."""
    army, number = _numbered(name)
    pairs = []
    for one in ones:
        theirs, at = _numbered(one.id)
        up = theirs == army and at >= number
        pairs.append((one, _called(one, f"{army}-{at + 1}") if up else one))
    return pairs


def next_name(army: str, figures: Iterable[Figure]) -> str:
    """A name that nobody of the army has, nor anybody had before with a higher number."""
    numbers = [number for theirs, number in (_numbered(figure.id) for figure in figures) if theirs == army]
    return f"{army}-{max(numbers, default=0) + 1}"


def _numbered(name: str) -> tuple[str, int]:
    """Army and number of a name such as "tan-4"; of any other name itself and -1."""
    parts = re.fullmatch(r"(.+)-(0|[1-9]\d*)", name)
    return (parts[1], int(parts[2])) if parts else (name, -1)


def _apart_in(figure: Figure, at_in: PointIn) -> float:
    return math.dist(figure.centre_in, at_in)


def _postured(figure: Figure, posture: Posture) -> Figure:
    """In another posture; the base is another only where one of the two lies and the other does not."""
    same = (posture in _LYING) == (figure.posture in _LYING) or Posture.VEHICLE in (posture, figure.posture)
    base_in = figure.base_in if same else usual_base(posture, figure.centre_in, figure.facing_deg or 0.0)
    return replace(figure, posture=posture, base_in=base_in)


def usual_base(posture: Posture, at_in: PointIn, turn_deg: float = 0.0) -> Outline:
    """Outline of a 54 mm soldier's base, of one who lies, or of a tank's hull."""
    if posture is Posture.VEHICLE:
        c, s = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
        half = [(u * _HALF_HULL_IN[0], v * _HALF_HULL_IN[1]) for u, v in ((1, -1), (1, 1), (-1, 1), (-1, -1))]
        return tuple((at_in[0] + c * u - s * v, at_in[1] + s * u + c * v) for u, v in half)
    half_in = _LYING_BASE_IN if posture in _LYING else _UPRIGHT_BASE_IN
    return ellipse_outline(at_in, *half_in, turn_deg)
