"""Who is who from picture to picture: sightings become figures whose ids persist.

A pure fold: `update(tracks, sightings, frame)` returns the next tracks and what happened. No image, no clock.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.optimize import linear_sum_assignment

from rules.table import Figure, PointIn, Posture
from vision.figures import Sighting

EventKind = Literal["found", "lost", "moved", "down", "up"]
_FORBIDDEN = 1e6


@dataclass(frozen=True, slots=True)
class Pace:
    """How patient the tracker is; frames count analysed pictures.

    Attributes:
        gate_in: A figure found within this of where it was is the same one.
        carried_in: A missing figure may turn up again within this, carried by a hand.
        still_in: Shimmer; a figure that strays further has moved.
        least_move_in: Shorter moves are not told.
        confirm: Frames before a newcomer is believed (at once in the very first picture).
        settle: Frames a figure must rest, or keep its posture, before the change is told.
        patience: Frames a figure may go unseen before it counts as lost.
        memory: Frames over which a still figure's place is averaged.
    """

    gate_in: float = 1.0
    carried_in: float = 36.0
    still_in: float = 0.2
    least_move_in: float = 0.35
    confirm: int = 2
    settle: int = 3
    patience: int = 5
    memory: int = 8


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to one figure.

    Attributes:
        kind: found, lost, moved, down or up.
        frame: Index of the frame it was concluded in.
        id: The figure.
        from_in, to_in: Places before and after; None where they do not apply.
        inches: Length of a move.
    """

    kind: EventKind
    frame: int
    id: str
    from_in: PointIn | None = None
    to_in: PointIn | None = None
    inches: float | None = None


@dataclass(frozen=True, slots=True)
class Track:
    """One figure through time.

    Attributes:
        id: "green-1"; empty until a newcomer is believed.
        last: Its latest sighting.
        place_in: Its smoothed place.
        weight: Frames averaged into the place.
        rest_in: Where it last rested; moves are measured from there.
        posture: What it was last told to be.
        doubts: Frames in a row that showed the other side of standing and lying.
        seen: Frames it was seen in.
        missing: Frames in a row it was not.
    """

    id: str
    last: Sighting
    place_in: PointIn
    weight: int
    rest_in: PointIn
    posture: Posture
    doubts: int = 0
    seen: int = 1
    missing: int = 0


@dataclass(frozen=True, slots=True)
class Tracks:
    """Everybody known so far.

    Attributes:
        all: In order of appearance; lost ones stay.
        count: (army, how many ids were given) pairs; an id is never given twice.
        started: Whether any picture has been seen.
    """

    all: tuple[Track, ...] = ()
    count: tuple[tuple[str, int], ...] = ()
    started: bool = False

    def figures(self, pace: Pace | None = None) -> tuple[Figure, ...]:
        """The figures on the table: believed, and not lost."""
        patience = (pace or Pace()).patience
        return tuple(_figure(track) for track in self.all if track.id and track.missing < patience)

    def lost(self, pace: Pace | None = None) -> tuple[str, ...]:
        """Ids of the figures that were there and are not seen any more."""
        patience = (pace or Pace()).patience
        return tuple(track.id for track in self.all if track.id and track.missing >= patience)


def update(
    tracks: Tracks, sightings: Sequence[Sighting], frame: int, pace: Pace | None = None
) -> tuple[Tracks, tuple[Event, ...]]:
    """Fold one picture's sightings into the tracks.

    Args:
        tracks: what was known; `Tracks()` at the start.
        sightings: the figures of this picture.
        frame: its index, for the events.
        pace: how patient to be.

    Returns:
        The tracks after this picture, and what it brought to light.
    """
    pace = pace or Pace()
    sightings = sorted(sightings, key=lambda sighting: (sighting.army, sighting.x_in, sighting.y_in))
    found = _match(tracks.all, sightings, pace)
    after: list[Track] = []
    events: list[Event] = []
    count = dict(tracks.count)
    for k, track in enumerate(tracks.all):
        seen = found.get(k)
        now, news = _unseen(track, frame, pace) if seen is None else _seen(track, sightings[seen], frame, pace)
        if now is not None:
            after.append(now)
        events += news
    taken = set(found.values())
    after += [_born(sighting) for j, sighting in enumerate(sightings) if j not in taken]
    for k, track in enumerate(after):
        if not track.id and (track.seen >= pace.confirm or not tracks.started):
            army = track.last.army
            count[army] = count.get(army, 0) + 1
            after[k] = replace(track, id=f"{army}-{count[army]}")
            events.append(Event("found", frame, after[k].id, to_in=track.place_in))
    return Tracks(tuple(after), tuple(count.items()), started=True), tuple(events)


def _match(tracks: Sequence[Track], sightings: Sequence[Sighting], pace: Pace) -> dict[int, int]:
    """Track index to sighting index: first those who stayed, then those a hand may have carried."""
    everyone, all_seen = range(len(tracks)), range(len(sightings))
    found = _assign(tracks, sightings, list(everyone), list(all_seen), pace.gate_in)
    missing = [k for k in everyone if k not in found and tracks[k].id]
    loose = [j for j in all_seen if j not in found.values()]
    return found | _assign(tracks, sightings, missing, loose, pace.carried_in)


def _assign(
    tracks: Sequence[Track], sightings: Sequence[Sighting], rows: list[int], columns: list[int], gate_in: float
) -> dict[int, int]:
    """Least total distance in inches among pairs of one army, none longer than the gate."""
    if not rows or not columns:
        return {}
    at = np.array([tracks[k].place_in for k in rows])
    to = np.array([(sightings[j].x_in, sightings[j].y_in) for j in columns])
    cost = np.linalg.norm(at[:, None] - to[None], axis=2)
    kinds = [[_kind(tracks[k].last) == _kind(sightings[j]) for j in columns] for k in rows]
    cost[~np.array(kinds) | (cost > gate_in)] = _FORBIDDEN
    pairs = zip(*linear_sum_assignment(cost), strict=True)
    return {rows[r]: columns[c] for r, c in pairs if cost[r, c] < _FORBIDDEN}


def _kind(sighting: Sighting) -> tuple[str, bool]:
    return sighting.army, sighting.posture is Posture.VEHICLE


def _born(sighting: Sighting) -> Track:
    place = (sighting.x_in, sighting.y_in)
    return Track("", sighting, place, 1, place, sighting.posture)


def _unseen(track: Track, frame: int, pace: Pace) -> tuple[Track | None, list[Event]]:
    if not track.id:
        return None, []  # never believed, gone again: nobody was there
    now = replace(track, missing=track.missing + 1, doubts=0)
    return now, [Event("lost", frame, track.id, from_in=track.place_in)] if now.missing == pace.patience else []


def _seen(track: Track, sighting: Sighting, frame: int, pace: Pace) -> tuple[Track, list[Event]]:
    at = (sighting.x_in, sighting.y_in)
    strayed = math.dist(at, track.place_in) > max(pace.still_in, 3 * sighting.sigma_in)
    weight = 1 if strayed else min(track.weight + 1, pace.memory)
    place = at if strayed else _between(track.place_in, at, 1 / weight)
    changed = (sighting.posture is Posture.DOWN) != (track.posture is Posture.DOWN)
    now = replace(
        track,
        last=sighting,
        place_in=place,
        weight=weight,
        posture=track.posture if changed else sighting.posture,
        doubts=track.doubts + 1 if changed else 0,
        seen=track.seen + 1,
        missing=0,
    )
    events = []
    if track.id and track.missing >= pace.patience:
        events.append(Event("found", frame, track.id, to_in=place))
    if now.weight >= pace.settle:
        now, moved = _settled(now, frame, pace)
        events += moved
    if now.doubts >= pace.settle:
        now = replace(now, posture=sighting.posture, doubts=0)
        events += [Event("down" if sighting.posture is Posture.DOWN else "up", frame, now.id, to_in=place)] * bool(now.id)
    return now, events


def _settled(track: Track, frame: int, pace: Pace) -> tuple[Track, list[Event]]:
    inches = math.dist(track.rest_in, track.place_in)
    if inches < pace.least_move_in:
        return track, []
    moved = Event("moved", frame, track.id, from_in=track.rest_in, to_in=track.place_in, inches=inches)
    return replace(track, rest_in=track.place_in), [moved] * bool(track.id)


def _between(start: PointIn, end: PointIn, share: float) -> PointIn:
    return (start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1]))


def _figure(track: Track) -> Figure:
    last = track.last
    x, y = track.place_in
    dx, dy = x - last.x_in, y - last.y_in
    return Figure(
        id=track.id,
        army=last.army,
        x_in=x,
        y_in=y,
        z_in=last.z_in,
        sigma_in=last.sigma_in,
        posture=track.posture,
        base_in=tuple((px + dx, py + dy) for px, py in last.base_in),
        facing_deg=last.facing_deg,
        confidence=last.confidence,
    )
