"""Who is who from picture to picture: sightings become figures whose ids persist.

A pure fold: `update(tracks, sightings)` returns the next tracks and what happened. No image, no clock.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from scipy.optimize import linear_sum_assignment

from rules.table import Figure, PointIn, Posture
from vision.figures import Sighting

_FORBIDDEN = 1e6

PlaceIn = tuple[float, float, float]
"""x, y and the height of the ground there."""
Looked = Callable[[PlaceIn], bool]
"""Whether a place lies in the part of the picture that was searched."""
Unchanged = Callable[[str], bool]
"""Whether the place of who has this id looks as it did when he was last seen as he is told to stand or lie."""


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
        confirm: Frames before a newcomer (unless nobody is known yet), a fall or a rise is believed.
        settle: Frames a figure must rest before its move is told.
        patience: Frames a figure may go unseen before it counts as lost.
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


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to one figure.

    Attributes:
        kind: What.
        id: The figure.
        from_in, to_in: Where it was and where it is, of a move.
    """

    kind: EventKind
    id: str
    from_in: PointIn | None = None
    to_in: PointIn | None = None


@dataclass(frozen=True, slots=True)
class Track:
    """One figure through time.

    Attributes:
        id: "green-1".
        army: Of the id; a picture that shows another one does not change it.
        last: Its latest sighting.
        place_in: Its smoothed place.
        weight: Frames averaged into the place.
        rest_in: Where it last rested; moves are measured from there.
        posture: What it was last told to be.
        believed: False for a newcomer until he has been seen again.
        doubts: Frames in a row that showed the other side of standing and lying.
        votes: By how many frames his side of the two is ahead, where nothing has changed in the picture.
        seen: Frames it was seen in.
        missing: Frames in a row it was not.
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
    """

    figures: tuple[Figure, ...] = ()
    events: tuple[Event, ...] = ()
    lost: tuple[Figure, ...] = ()


class Tracker:
    """Keeps the tracks between the pictures of one source."""

    def __init__(self, pace: Pace | None = None, tracks: Tracks | None = None) -> None:
        """Begin with these tracks, if somebody is known already."""
        self._pace = pace or Pace()
        self._tracks = tracks or Tracks()

    @property
    def places_in(self) -> tuple[PlaceIn, ...]:
        """Where those stand who are seen now: x, y and the height of what they stand on."""
        here = [track for track in self._tracks.all if track.believed and not track.missing]
        return tuple((*track.place_in, track.last.z_in) for track in here)

    @property
    def undoubted(self) -> tuple[tuple[str, PlaceIn], ...]:
        """Who was last seen as he is told to stand or lie, and where, as `places_in`."""
        sure = [track for track in self._tracks.all if track.believed and not track.missing and not track.doubts]
        return tuple((track.id, (*track.place_in, track.last.z_in)) for track in sure)

    def update(
        self, sightings: Sequence[Sighting], looked: Looked | None = None, unchanged: Unchanged | None = None
    ) -> Tracking:
        """Fold the next picture in; as `update`."""
        self._tracks, events = update(self._tracks, sightings, self._pace, looked, unchanged)
        known = [track for track in self._tracks.all if track.believed]
        here = tuple(_figure(track) for track in known if not track.missing)
        return Tracking(here, events, tuple(_figure(track) for track in known if track.missing))


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
    last = Sighting(
        figure.army,
        figure.x_in,
        figure.y_in,
        figure.z_in,
        figure.sigma_in,
        figure.posture,
        figure.base_in,
        figure.facing_deg,
        figure.confidence,
    )
    place = figure.centre_in
    return Track(figure.id, figure.army, last, place, 1, place, figure.posture, believed=True, missing=missing)


def update(
    tracks: Tracks,
    sightings: Sequence[Sighting],
    pace: Pace | None = None,
    looked: Looked | None = None,
    unchanged: Unchanged | None = None,
) -> tuple[Tracks, tuple[Event, ...]]:
    """Fold one picture's sightings into the tracks.

    Args:
        tracks: what was known; `Tracks()` at the start.
        sightings: the figures of this picture.
        pace: how patient to be.
        looked: where they were looked for; of who stands elsewhere nothing new is known. None for everywhere.
        unchanged: who cannot have fallen or risen, whatever this sighting says. None for nobody.

    Returns:
        The tracks after this picture, and what it brought to light. Whoever is there from the start is no news.
    """
    pace = pace or Pace()
    sightings = sorted(sightings, key=lambda sighting: (sighting.army, sighting.x_in, sighting.y_in))
    here = [track for track in tracks.all if looked is None or looked((*track.place_in, track.last.z_in))]
    found = _match(here, sightings, pace)
    matched = {here[k].id: sightings[j] for k, j in found.items()}
    after: list[Track] = []
    events: list[Event] = []
    count = dict(tracks.count)
    for track in tracks.all:
        now: list[Track] = [track]
        news: list[Event] = []
        if track.id in matched:
            sighting = matched[track.id]
            still = unchanged is not None and _disagree(track, sighting) and unchanged(track.id)
            now, news = _seen(track, sighting, pace, still=still)
        elif track in here:
            now, news = _unseen(track, pace)
        after += now
        events += news
    for j, sighting in enumerate(sightings):
        if j not in found.values():
            count[sighting.army] = count.get(sighting.army, 0) + 1
            name = f"{sighting.army}-{count[sighting.army]}"
            place = (sighting.x_in, sighting.y_in)
            born = Track(name, sighting.army, sighting, place, 1, place, sighting.posture, believed=not tracks.all)
            after.append(born)
    after, back = _introduced(after, pace)
    # Who is given up in the very picture in which he is known again was never lost to the players.
    both = {one.id for one in events if one.kind is EventKind.LOST} & {one.id for one in back}
    told = (one for one in (*events, *back) if one.id not in both or one.kind is EventKind.MOVED)
    return Tracks(tuple(after), tuple(count.items())), tuple(told)


def _introduced(tracks: list[Track], pace: Pace) -> tuple[list[Track], list[Event]]:
    """Believe newcomers who were seen again: each is somebody missing, whom a hand has carried here, or new."""
    newcomers = [track for track in tracks if not track.believed and track.seen >= pace.confirm]
    missing = [track for track in tracks if track.missing]
    carried = {j: missing[k] for k, j in _assign(missing, [track.last for track in newcomers], pace.carried_in).items()}
    after = [track for track in tracks if track not in newcomers and track not in carried.values()]
    events = []
    for j, newcomer in enumerate(newcomers):
        who = carried.get(j, newcomer)
        after.append(replace(newcomer, id=who.id, army=who.army, rest_in=who.rest_in, believed=True))
        if not 0 < who.missing < pace.patience:
            events.append(Event(EventKind.FOUND, who.id))
    return after, events


def _match(tracks: Sequence[Track], sightings: Sequence[Sighting], pace: Pace) -> dict[int, int]:
    """Track index to sighting index: one's own army first, then one picture's mistake about the army."""
    found = _assign(tracks, sightings, pace.gate_in)
    rows = [k for k in range(len(tracks)) if k not in found and tracks[k].believed]
    columns = [j for j in range(len(sightings)) if j not in found.values()]
    others = _assign([tracks[k] for k in rows], [sightings[j] for j in columns], pace.still_in, any_army=True)
    return found | {rows[k]: columns[j] for k, j in others.items()}


def _assign(
    tracks: Sequence[Track], sightings: Sequence[Sighting], gate_in: float, any_army: bool = False
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
            if tank or not (any_army or track.army == sighting.army):
                cost[k, j] = _FORBIDDEN
    pairs = zip(*linear_sum_assignment(cost), strict=True)
    return {int(k): int(j) for k, j in pairs if cost[k, j] < _FORBIDDEN}


def _unseen(track: Track, pace: Pace) -> tuple[list[Track], list[Event]]:
    if not track.believed:
        return [], []  # gone again: nobody was there
    now = replace(track, missing=track.missing + 1, doubts=0)
    return [now], [Event(EventKind.LOST, now.id)] if now.missing == pace.patience else []


def _seen(track: Track, sighting: Sighting, pace: Pace, *, still: bool) -> tuple[list[Track], list[Event]]:
    at = (sighting.x_in, sighting.y_in)
    strayed = math.dist(at, track.place_in) > max(pace.still_in, 3 * sighting.sigma_in)
    weight = 1 if strayed else min(track.weight + 1, pace.memory)
    now = replace(
        track,
        last=sighting,
        place_in=at if strayed else _between(track.place_in, at, 1 / weight),
        weight=weight,
        seen=track.seen + 1,
        missing=0,
    )
    events = [Event(EventKind.FOUND, now.id)] if track.missing >= pace.patience else []
    if now.weight >= pace.settle and math.dist(now.rest_in, now.place_in) >= pace.least_move_in:
        events.append(Event(EventKind.MOVED, now.id, now.rest_in, now.place_in))
        now = replace(now, rest_in=now.place_in)
    now = _judged(now, pace, still=still and not strayed)
    if now.doubts >= pace.confirm:
        events.append(Event(EventKind.DOWN if sighting.posture is Posture.DOWN else EventKind.UP, now.id))
        # Where somebody is who lies is his own middle, else his base's: to topple over is no march.
        now = replace(now, posture=sighting.posture, doubts=0, votes=1, rest_in=at)
    return [now], events if now.believed else []


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
