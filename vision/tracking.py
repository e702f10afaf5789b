"""Who is who from picture to picture: sightings become figures whose ids persist.

A pure fold: `update(tracks, sightings)` returns the next tracks and what happened. No image, no clock.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from scipy.optimize import linear_sum_assignment

from rules.tabletop.table import Figure, PointIn, Posture
from vision.examples import Appearance
from vision.figures import Sighting

_FORBIDDEN = 1e6
_SURELY_LONGER = 2.0  # times as far: so much longer the ways would be if two figures were taken for each other

PlaceIn = tuple[float, float, float]
"""x, y and the height of the ground there."""


class EventKind(StrEnum):
    """What can happen to a figure."""

    FOUND = "found"
    LOST = "lost"
    MOVED = "moved"
    DOWN = "down"
    UP = "up"


@dataclass(frozen=True, slots=True)
class Pace:
    """How patient the tracker is; frames count analysed pictures.

    Attributes:
        gate_in: A figure found within this of where it was is the same one.
        carried_in: A newcomer within this of a missing figure is that figure, carried by a hand.
        still_in: Shimmer; a figure that strays further has moved.
        least_move_in: Shorter moves are not told.
        confirm: Frames before a newcomer (unless no figure is known yet), a fall or a rise is believed.
        settle: Frames a figure must rest before its move is reported.
        patience: Frames a figure may go unseen before it counts as lost.
        apart_in: Two figures never stand nearer together.
        unvisited: Times as many frames as `confirm` and `patience` where nothing has moved.
        sure: Confidence from which a newcomer that explains the only missing figure is believed at once.
        topple_in: A figure that fell lies no further than this from its base.
        posture_in: Inches of way that another posture weighs as much as, when it is decided who moved where.
        army_in: The same for another army of nearly the same colour.
        memory: Frames over which a still figure's place is averaged; so many at most speak for his posture.
    """

    gate_in: float = 1.0
    carried_in: float = 36.0
    still_in: float = 0.3
    least_move_in: float = 0.35
    confirm: int = 2
    settle: int = 3
    patience: int = 3
    memory: int = 8
    apart_in: float = 0.5
    unvisited: int = 4
    sure: float = 0.8
    topple_in: float = 2.5
    posture_in: float = 4.0
    army_in: float = 8.0


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to one figure.

    Attributes:
        kind: What.
        id: The figure.
        from_in, to_in: Where it was and where it is, of a move.
        or_else: Another figure that looks the same and moved during the same visit: the two may be the other way round.
    """

    kind: EventKind
    id: str
    from_in: PointIn | None = None
    to_in: PointIn | None = None
    or_else: str | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """What the picture itself says about one search.

    Attributes:
        searched: Whether a place lies in the part of the picture that was searched.
        visited: Whether something has moved at a place since it was last at rest: only there can a figure have come,
            gone or fallen.
        touched: Whether it left the place another than it was: only from and to such places is a figure carried.
        unchanged: Whether the place of the figure with this id looks as it did when its posture was last seen.
        hidden: Whether a hand may be over a place now.
        hand: Whether a hand is over the table, or something still moves: what is gone may be in it.
        alike: Whether two armies are so nearly of one colour that a figure may be taken for one of the other.
        armies: The armies that are known; figures of others are forgotten. None where that is not to be decided.
        reopened: The armies have just changed: every figure's army is decided again.
        pinned: Ids whose army a player has settled.
    """

    searched: Callable[[PlaceIn], bool] = lambda _: True
    visited: Callable[[PlaceIn], bool] = lambda _: True
    touched: Callable[[PlaceIn], bool] = lambda _: True
    unchanged: Callable[[str], bool] = lambda _: False
    hidden: Callable[[PlaceIn], bool] = lambda _: False
    hand: bool = False
    alike: Callable[[str, str], bool] = operator.eq
    armies: frozenset[str] | None = None
    reopened: bool = False
    pinned: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Track:
    """One figure through time.

    Attributes:
        id: "green-1".
        army: Of the id; only decided again when the known armies change.
        armies_seen: What the sightings since then said.
        last: Its latest sighting.
        place_in: Its smoothed place.
        weight: Frames averaged into the place.
        rest_in: Where it last rested; moves are measured from there.
        rest_confidence: Of the sighting there; what was only guessed to be there has not moved.
        posture: What it was last told to be.
        believed: False for a newcomer until he has been seen again.
        doubts: Frames in a row that showed the other side of standing and lying.
        votes: By how many frames his side of the two is ahead, where nothing has changed in the picture.
        seen: Frames it was seen in; fewer again where it was not seen although nothing had changed.
        missing: Frames in a row it was not.
        overlooked: Frames in a row it was not, and is taken to be there because its place has not changed.
        touched: Of a newcomer or of one that is missing: whether the place was left changed.
    """

    id: str
    army: str
    last: Sighting
    place_in: PointIn
    weight: int
    rest_in: PointIn
    posture: Posture
    believed: bool = False
    doubts: int = 0
    votes: int = 1
    seen: int = 1
    missing: int = 0
    armies_seen: tuple[str, ...] = ()
    rest_confidence: float = 1.0
    overlooked: int = 0
    touched: bool = False

    @property
    def at_in(self) -> PlaceIn:
        """Its place, and the height of what it stands on."""
        return (*self.place_in, self.last.z_in)


@dataclass(frozen=True, slots=True)
class Tracks:
    """Everybody known so far.

    Attributes:
        all: In order of appearance; lost ones stay.
        count: (army, how many ids were given) pairs; an id is never given twice.
    """

    all: tuple[Track, ...] = ()
    count: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Tracking:
    """What is known after one picture.

    Attributes:
        figures: Seen in it, strangers apart.
        events: What it brought to light.
        lost: Those who are not seen now, where they last were.
        renamed: Old and new ids of figures that turned out to be of another army.
    """

    figures: tuple[Figure, ...] = ()
    events: tuple[Event, ...] = ()
    lost: tuple[Figure, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()


class Tracker:
    """Keeps the tracks between the pictures of one source."""

    def __init__(self, pace: Pace | None = None, tracks: Tracks | None = None) -> None:
        """Begin with these tracks, if somebody is known already."""
        self._pace = pace or Pace()
        self._tracks = tracks or Tracks()

    @property
    def places_in(self) -> tuple[PlaceIn, ...]:
        """Where those stand who are seen now: x, y and the height of what they stand on."""
        return tuple(track.at_in for track in self._tracks.all if track.believed and not track.missing)

    @property
    def undoubted(self) -> tuple[tuple[str, PlaceIn], ...]:
        """Ids and places of the figures whose posture the last sighting confirmed."""
        known = (track for track in self._tracks.all if track.believed)
        sure = [track for track in known if not (track.missing or track.doubts or track.overlooked)]
        return tuple((track.id, track.at_in) for track in sure)

    @property
    def appearances(self) -> dict[str, Appearance]:
        """What the figures looked like when last seen, by their ids."""
        return {one.id: one.last.appearance for one in self._tracks.all if one.believed and one.last.appearance}

    @property
    def undecided_in(self) -> tuple[PlaceIn, ...]:
        """Where somebody has gone or come, and a few more pictures will tell who."""
        patience = self._pace.patience
        return tuple(one.at_in for one in self._tracks.all if not one.believed or 0 < one.missing < patience)

    def reopen_armies(self) -> None:
        """The known armies have changed: from now on only new sightings say which army a figure is of."""
        self._tracks = replace(self._tracks, all=tuple(replace(track, armies_seen=()) for track in self._tracks.all))

    def update(self, sightings: Sequence[Sighting], scope: Scope | None = None) -> Tracking:
        """Fold the next picture in; as `update`."""
        before = self._tracks
        self._tracks, events, renamed = update(before, sightings, self._pace, scope)
        known = [track for track in self._tracks.all if track.believed]
        here = tuple(_figure(track) for track in known if not track.missing)
        return Tracking(here, events, tuple(_figure(track) for track in known if track.missing), renamed)


def tracks_of(tracking: Tracking, known: Iterable[str] = ()) -> Tracks:
    """The tracks of who was known at another time, for a tracker that begins there: ids go on where they ended.

    Args:
        tracking: What was known then.
        known: Every id that was given until then; none of them is given again.
    """
    here, given_up = [_track(figure, 0) for figure in tracking.figures], Pace().patience
    count: dict[str, int] = {}
    for name in (*known, *(figure.id for figure in (*tracking.figures, *tracking.lost))):
        army, _, number = name.rpartition("-")
        if army and number.isdecimal():
            count[army] = max(count.get(army, 0), int(number))
    return Tracks((*here, *(_track(figure, given_up) for figure in tracking.lost)), tuple(count.items()))


def _track(figure: Figure, missing: int) -> Track:
    f, place = figure, figure.centre_in
    last = Sighting(f.army, f.x_in, f.y_in, f.z_in, f.sigma_in, f.posture, f.base_in, f.facing_deg, f.confidence)
    gone = missing > 0
    return Track(f.id, f.army, last, place, 1, place, f.posture, believed=True, missing=missing, touched=gone)


def update(
    tracks: Tracks, sightings: Sequence[Sighting], pace: Pace | None = None, scope: Scope | None = None
) -> tuple[Tracks, tuple[Event, ...], tuple[tuple[str, str], ...]]:
    """Fold one picture's sightings into the tracks.

    Args:
        tracks: what was known; `Tracks()` at the start.
        sightings: the figures of this picture.
        pace: how patient to be.
        scope: what was searched, and where something can have happened; everything and everywhere by default.

    Returns:
        The tracks after this picture, the events it brought to light, and the ids that changed with their armies.
        Figures that are there from the start are no event.
    """
    pace, scope = pace or Pace(), scope or Scope()
    sightings = sorted(sightings, key=lambda sighting: (sighting.army, sighting.x_in, sighting.y_in))
    here = [track for track in tracks.all if scope.searched(track.at_in)]
    found = _match(here, sightings, pace, any_army=scope.reopened)
    matched = {here[k].id: sightings[j] for k, j in found.items()}
    after: list[Track] = []
    events: list[Event] = []
    for track in tracks.all:
        if track.id in matched:
            sighting = matched[track.id]
            differs = _disagree(track, sighting) or _strayed(track, sighting, pace)
            still = differs and scope.unchanged(track.id)
            now, news = _seen(track, sighting, pace, still=still, visited=scope.visited(track.at_in))
            if not track.believed:
                now = [replace(one, touched=one.touched or scope.touched(one.at_in)) for one in now]
        elif track in here:
            now, news = _unseen(track, pace, scope, matched.values())
        else:
            now, news = [track], []
        after += now
        events += news
    count, armies = dict(tracks.count), {track.army for track in tracks.all}
    for j, sighting in enumerate(sightings):
        if j not in found.values():
            place = (sighting.x_in, sighting.y_in)
            is_new_army = scope.reopened and sighting.army not in armies
            believed = not tracks.all or (is_new_army and sighting.confidence >= pace.sure)
            name = _next_id(sighting.army, count)
            born = Track(name, sighting.army, sighting, place, 1, place, sighting.posture, believed)
            touched = scope.touched(born.at_in)
            after.append(replace(born, rest_confidence=sighting.confidence, touched=touched))
    after, back = _introduced(after, pace, scope)
    after, renamed = _armies_decided(after, count, scope)
    # A figure that is given up in the very picture in which it is known again was never lost to the players.
    both = {one.id for one in events if one.kind is EventKind.LOST} & {one.id for one in back}
    told = (one for one in (*events, *back) if one.id not in both or one.kind not in (EventKind.LOST, EventKind.FOUND))
    return Tracks(tuple(after), tuple(count.items())), tuple(told), renamed


def _next_id(army: str, count: dict[str, int]) -> str:
    count[army] = count.get(army, 0) + 1
    return f"{army}-{count[army]}"


def _armies_decided(
    tracks: Sequence[Track], count: dict[str, int], scope: Scope
) -> tuple[list[Track], tuple[tuple[str, str], ...]]:
    """Tracks whose army the sightings since the armies changed contradict get another; those of no army go."""
    if not scope.reopened:
        return list(tracks), ()
    after, renamed = [], []
    for track in tracks:
        seen = track.armies_seen
        army = max(dict.fromkeys((track.army, *seen)), key=lambda name: (seen.count(name), name == track.army))
        if track.id in scope.pinned or army == track.army:
            if scope.armies is None or track.army in scope.armies or track.id in scope.pinned:
                after.append(track)
            continue
        name = _next_id(army, count)
        after.append(replace(track, id=name, army=army))
        renamed.append((track.id, name))
    return after, tuple(renamed)


def _introduced(tracks: list[Track], pace: Pace, scope: Scope) -> tuple[list[Track], list[Event]]:
    """Believe newcomers that were seen often enough: each is a missing figure that was carried there, or new.

    All that moved during one visit of a hand is decided at once, so that the ways are short together and postures and
    armies fit.
    """
    strangers = [track for track in tracks if not track.believed]
    gone = [track for track in tracks if track.missing and track.touched]
    newcomers = [one for one in strangers if one.seen >= pace.confirm * _slowness(one, pace, scope)]
    if not newcomers:
        newcomers = [one for one in strangers if _explains(one, strangers, gone, pace, scope)]
    put_down = [j for j, one in enumerate(newcomers) if one.touched]
    pairs = _assign(
        gone,
        [newcomers[j].last for j in put_down],
        pace.carried_in,
        alike=scope.alike,
        posture_in=pace.posture_in,
        army_in=pace.army_in,
    )
    carried = {put_down[j]: gone[k] for k, j in pairs.items()}
    waiting = [j for j in put_down if j not in carried and _may_be_hidden(newcomers[j], tracks, scope)]
    after = [track for track in tracks if track not in newcomers and track not in carried.values()]
    events = []
    for j, newcomer in enumerate(newcomers):
        if j in waiting:
            after.append(newcomer)
        elif j not in carried:
            after.append(replace(newcomer, believed=True))
            if tracks != newcomers:
                events.append(Event(EventKind.FOUND, newcomer.id))
        else:
            now, news = _arrived(carried[j], newcomer, pace, _lookalike(j, newcomers, carried))
            after.append(now)
            events += news
    return after, events


def _may_be_hidden(one: Track, tracks: Sequence[Track], scope: Scope) -> bool:
    """Whether a hand may still be over the place that a newcomer was carried away from."""
    return scope.hand and any(
        other.believed and not other.missing and scope.alike(other.army, one.army) and scope.hidden(other.at_in)
        for other in tracks
    )


def _slowness(track: Track, pace: Pace, scope: Scope) -> int:
    """How many times the usual patience it takes where nothing has moved."""
    return 1 if scope.visited(track.at_in) else pace.unvisited


def _is_lost(track: Track, pace: Pace) -> bool:
    return track.missing >= pace.patience


def _explains(one: Track, strangers: Sequence[Track], gone: Sequence[Track], pace: Pace, scope: Scope) -> bool:
    """Whether a newcomer, surely seen where a hand was, is the only one for its army's only figure that is gone."""
    gone = [track for track in gone if scope.alike(track.army, one.army) and not _is_lost(track, pace)]
    alone = len(gone) == 1 and sum(scope.alike(other.army, one.army) for other in strangers) == 1
    return alone and one.last.confidence >= pace.sure and one.touched and not scope.unchanged(gone[0].id)


def _lookalike(j: int, newcomers: Sequence[Track], carried: dict[int, Track]) -> str | None:
    """Another figure that moved at the same time and might as well be the one that arrived here."""
    own, new = carried[j], newcomers[j]
    for k, other in carried.items():
        if k == j or other.army != own.army or other.posture is not own.posture:
            continue
        if newcomers[k].posture is not new.posture:
            continue
        as_told = math.dist(own.place_in, new.place_in) + math.dist(other.place_in, newcomers[k].place_in)
        swapped = math.dist(own.place_in, newcomers[k].place_in) + math.dist(other.place_in, new.place_in)
        if swapped < _SURELY_LONGER * as_told:
            return other.id
    return None


def _arrived(gone: Track, newcomer: Track, pace: Pace, or_else: str | None) -> tuple[Track, list[Event]]:
    """A missing figure where it was found again, and what happened to it."""
    now = replace(newcomer, id=gone.id, army=gone.army, believed=True)
    events = [Event(EventKind.FOUND, gone.id)] if _is_lost(gone, pace) else []
    way_in = math.dist(gone.rest_in, now.place_in)
    toppled = now.posture is Posture.DOWN and gone.posture is not Posture.DOWN
    if way_in >= (pace.topple_in if toppled else pace.least_move_in):
        events.append(Event(EventKind.MOVED, gone.id, gone.rest_in, now.place_in, or_else))
    if _disagree(gone, newcomer.last):
        events.append(Event(EventKind.DOWN if toppled else EventKind.UP, gone.id))
    return replace(now, rest_in=now.place_in), events


def _match(tracks: Sequence[Track], sightings: Sequence[Sighting], pace: Pace, *, any_army: bool) -> dict[int, int]:
    """Track index to sighting index: one's own army first, then one picture's mistake about the army."""
    found = _assign(tracks, sightings, pace.gate_in, alike=_any_army if any_army else operator.eq)
    rows = [k for k in range(len(tracks)) if k not in found and tracks[k].believed]
    columns = [j for j in range(len(sightings)) if j not in found.values()]
    others = _assign([tracks[k] for k in rows], [sightings[j] for j in columns], pace.still_in, alike=_any_army)
    return found | {rows[k]: columns[j] for k, j in others.items()}


def _any_army(_: str, __: str) -> bool:
    return True


def _assign(
    tracks: Sequence[Track],
    sightings: Sequence[Sighting],
    gate_in: float,
    *,
    alike: Callable[[str, str], bool],
    posture_in: float = 0.0,
    army_in: float = 0.0,
) -> dict[int, int]:
    """Track index to sighting index: least total distance in inches, none beyond the gate, no tank for a soldier."""
    if not tracks or not sightings:
        return {}
    at = np.array([track.place_in for track in tracks])
    to = np.array([(sighting.x_in, sighting.y_in) for sighting in sightings])
    cost = np.linalg.norm(at[:, None] - to[None], axis=2)
    cost[cost > gate_in] = _FORBIDDEN
    for k, track in enumerate(tracks):
        for j, sighting in enumerate(sightings):
            tank = (track.posture is Posture.VEHICLE) != (sighting.posture is Posture.VEHICLE)
            if tank or not alike(track.army, sighting.army):
                cost[k, j] = _FORBIDDEN
            cost[k, j] += posture_in * (track.posture is not sighting.posture)
            cost[k, j] += army_in * (track.army != sighting.army)
    pairs = zip(*linear_sum_assignment(cost), strict=True)
    return {int(k): int(j) for k, j in pairs if cost[k, j] < _FORBIDDEN}


def _unseen(track: Track, pace: Pace, scope: Scope, others: Iterable[Sighting]) -> tuple[list[Track], list[Event]]:
    if not track.believed:
        return [], []  # gone again: nothing was there
    crowded = any(math.dist(track.place_in, (one.x_in, one.y_in)) < pace.apart_in for one in others)
    if crowded and (scope.unchanged(track.id) or not scope.visited(track.at_in)):
        return [], []  # two cannot stand there: one figure was taken for two
    if scope.unchanged(track.id):
        return _still_there(track, pace)
    patience = pace.patience * _slowness(track, pace, scope)
    if scope.hand and track.missing == patience - 1:
        return [track], []  # a hand may hold it
    touched = scope.touched(track.at_in) or (track.touched and track.missing > 0)
    now = replace(track, missing=track.missing + 1, doubts=0, touched=touched)
    return [now], [Event(EventKind.LOST, now.id)] if now.missing == patience else []


def _still_there(track: Track, pace: Pace) -> tuple[list[Track], list[Event]]:
    """A figure that a look missed although its place looks as it did: an object that nobody touched cannot leave.

    Unless it was never surely seen, and more looks miss it than see it: then it was print, or a shadow.
    """
    events = [Event(EventKind.FOUND, track.id)] if _is_lost(track, pace) else []
    now = replace(track, missing=0, overlooked=track.overlooked + 1)
    if track.seen >= pace.memory and track.rest_confidence >= pace.sure:
        return [now], events
    seen = min(track.seen, pace.memory) - 1
    return ([replace(now, seen=seen)], events) if seen else ([], [])


def _seen(
    track: Track, sighting: Sighting, pace: Pace, *, still: bool, visited: bool
) -> tuple[list[Track], list[Event]]:
    at = (sighting.x_in, sighting.y_in)
    strayed = _strayed(track, sighting, pace)
    weight = 1 if strayed else min(track.weight + 1, pace.memory)
    now = replace(
        track,
        last=sighting,
        place_in=at if strayed else _between(track.place_in, at, 1 / weight),
        weight=weight,
        seen=track.seen + 1,
        missing=0,
        overlooked=0,
        armies_seen=(*track.armies_seen, sighting.army)[-pace.memory :],
    )
    events = [Event(EventKind.FOUND, now.id)] if _is_lost(track, pace) else []
    at_rest = now.weight >= pace.settle and not _disagree(track, sighting)
    if (strayed and still) or (at_rest and not visited):
        now = replace(now, rest_in=now.place_in)  # better seen than before: nothing has moved there
    elif at_rest and sighting.confidence >= pace.sure and track.rest_confidence < pace.sure:
        now = replace(now, rest_in=now.place_in, rest_confidence=sighting.confidence)
    elif at_rest and sighting.confidence >= pace.sure and math.dist(now.rest_in, now.place_in) >= pace.least_move_in:
        events.append(Event(EventKind.MOVED, now.id, now.rest_in, now.place_in))
        now = replace(now, rest_in=now.place_in)
    now = _judged(now, pace, still=still and not strayed)
    if now.doubts >= pace.confirm:
        events.append(Event(EventKind.DOWN if sighting.posture is Posture.DOWN else EventKind.UP, now.id))
        # Where somebody is who lies is his own middle, else his base's: to topple over is no march.
        now = replace(now, posture=sighting.posture, doubts=0, votes=1, rest_in=at)
    return [now], events if now.believed else []


def _strayed(track: Track, sighting: Sighting, pace: Pace) -> bool:
    """Whether a figure is seen further from its place than it shimmers."""
    away_in = math.dist((sighting.x_in, sighting.y_in), track.place_in)
    return away_in > max(pace.still_in, 3 * sighting.sigma_in)


def _disagree(track: Track, sighting: Sighting) -> bool:
    """Whether one of the two lies as a casualty and the other does not."""
    return (sighting.posture is Posture.DOWN) != (track.posture is Posture.DOWN)


def _judged(track: Track, pace: Pace, *, still: bool) -> Track:
    """Posture after one more sighting.

    Who falls or rises changes the picture. Where it has not changed, another verdict is another opinion of the same
    thing: the majority counts, and nothing has happened.
    """
    posture = track.last.posture
    if not _disagree(track, track.last):
        return replace(track, posture=posture, doubts=0, votes=min(track.votes + 1, pace.memory))
    if not still:
        return replace(track, doubts=track.doubts + 1)
    if track.votes > 0:
        return replace(track, doubts=0, votes=track.votes - 1)
    return replace(track, posture=posture, doubts=0, votes=1)


def _between(start: PointIn, end: PointIn, share: float) -> PointIn:
    return (start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1]))


def _figure(track: Track) -> Figure:
    last = track.last
    x, y = track.place_in
    dx, dy = x - last.x_in, y - last.y_in
    return Figure(
        id=track.id,
        army=track.army,
        x_in=x,
        y_in=y,
        z_in=last.z_in,
        sigma_in=last.sigma_in,
        posture=track.posture,
        base_in=tuple((px + dx, py + dy) for px, py in last.base_in),
        facing_deg=last.facing_deg,
        confidence=last.confidence,
    )
