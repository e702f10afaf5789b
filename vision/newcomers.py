"""Confirmation of newcomers: each is a missing figure that was carried there, or a new one.

All figures that moved during one visit of a hand are decided at once, by the least total of their ways and of their
differences in posture and army.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from rules.tabletop.table import Posture
from vision.track_assignment import assign
from vision.track_update import patience_factor
from vision.tracks import Event, EventKind, SearchScope, Track, TrackingSettings

_CLEARLY_LONGER = 2.0
"""Two figures cannot be swapped if swapping makes the sum of their ways this many times as long."""


def confirm(tracks: Sequence[Track], settings: TrackingSettings, scope: SearchScope) -> tuple[list[Track], list[Event]]:
    """The tracks after confirming the newcomers that were seen often enough, and their events."""
    missing = [track for track in tracks if track.missing_frames and track.place_changed]
    newcomers = _confirmable(tracks, missing, settings, scope)
    carried = _carried(missing, newcomers, settings, scope)
    # One that has not been seen often enough yet may be the better end of a way; then both wait until it has.
    soon = [track for track in tracks if not track.confirmed and track not in newcomers]
    better = _carried(missing, [*newcomers, *soon], settings, scope)
    undecided = [j for j, origin in carried.items() if better.get(j) is not origin]
    carried = {j: origin for j, origin in carried.items() if j not in undecided}
    waiting = [
        j
        for j, newcomer in enumerate(newcomers)
        if j in undecided
        or (newcomer.place_changed and j not in carried and _origin_may_be_hidden(newcomer, tracks, scope))
    ]
    after = [track for track in tracks if track not in newcomers and track not in carried.values()]
    events = []
    for j, newcomer in enumerate(newcomers):
        if j in waiting:
            after.append(newcomer)
        elif j not in carried:
            after.append(replace(newcomer, confirmed=True))
            if list(tracks) != newcomers:
                events.append(Event(EventKind.FOUND, newcomer.id))
        else:
            now, its_events = _arrived(carried[j], newcomer, settings, _swappable_with(j, newcomers, carried))
            after.append(now)
            events += its_events
    return after, events


def _carried(
    missing: Sequence[Track], newcomers: Sequence[Track], settings: TrackingSettings, scope: SearchScope
) -> dict[int, Track]:
    """The missing figure that each newcomer is, by the newcomer's index, where one was carried there."""
    put_down = [j for j, newcomer in enumerate(newcomers) if newcomer.place_changed]
    pairs = assign(
        missing,
        [newcomers[j].last for j in put_down],
        settings.carry_gate_in,
        armies_alike=scope.armies_alike,
        posture_cost_in=settings.posture_cost_in,
        army_cost_in=settings.army_cost_in,
    )
    return {put_down[j]: missing[k] for k, j in pairs.items()}


def _confirmable(
    tracks: Sequence[Track], missing: Sequence[Track], settings: TrackingSettings, scope: SearchScope
) -> list[Track]:
    unconfirmed = [track for track in tracks if not track.confirmed]
    often_seen = [
        one for one in unconfirmed if one.seen_frames >= settings.confirm_frames * patience_factor(one, settings, scope)
    ]
    return often_seen or [one for one in unconfirmed if _explains_missing(one, unconfirmed, missing, settings, scope)]


def _explains_missing(
    one: Track, unconfirmed: Sequence[Track], missing: Sequence[Track], settings: TrackingSettings, scope: SearchScope
) -> bool:
    """Whether a sure newcomer at a changed place is the only candidate for its army's only missing figure."""
    missing = [track for track in missing if scope.armies_alike(track.army, one.army) and not track.is_lost(settings)]
    only = len(missing) == 1 and sum(scope.armies_alike(other.army, one.army) for other in unconfirmed) == 1
    sure = one.last.confidence >= settings.sure_confidence
    return only and sure and one.place_changed and not scope.patch_unchanged(missing[0].id)


def _origin_may_be_hidden(newcomer: Track, tracks: Sequence[Track], scope: SearchScope) -> bool:
    """Whether a hand still covers a place from which this newcomer may have been carried."""
    return scope.hand_present and any(
        other.confirmed
        and not other.missing_frames
        and scope.armies_alike(other.army, newcomer.army)
        and scope.under_hand(other.position_in)
        for other in tracks
    )


def _swappable_with(j: int, newcomers: Sequence[Track], carried: dict[int, Track]) -> str | None:
    """Id of another figure that moved at the same time and may be the one that arrived here."""
    origin, arrival = carried[j], newcomers[j]
    for k, other_origin in carried.items():
        other_arrival = newcomers[k]
        if k == j or other_origin.army != origin.army or other_origin.posture is not origin.posture:
            continue
        if other_arrival.posture is not arrival.posture:
            continue
        assigned_in = math.dist(origin.place_in, arrival.place_in)
        assigned_in += math.dist(other_origin.place_in, other_arrival.place_in)
        swapped_in = math.dist(origin.place_in, other_arrival.place_in)
        swapped_in += math.dist(other_origin.place_in, arrival.place_in)
        if swapped_in < _CLEARLY_LONGER * assigned_in:
            return other_origin.id
    return None


def _arrived(
    missing: Track, newcomer: Track, settings: TrackingSettings, or_else: str | None
) -> tuple[Track, list[Event]]:
    """A missing figure at the place where it was found again, and its events."""
    now = replace(newcomer, id=missing.id, army=missing.army, confirmed=True)
    events = [Event(EventKind.FOUND, missing.id)] if missing.is_lost(settings) else []
    way_in = math.dist(missing.rest_in, now.place_in)
    toppled = now.posture is Posture.DOWN and missing.posture is not Posture.DOWN
    if way_in >= (settings.topple_reach_in if toppled else settings.min_move_in):
        events.append(Event(EventKind.MOVED, missing.id, missing.rest_in, now.place_in, or_else))
    if missing.contradicts(newcomer.last):
        events.append(Event(EventKind.DOWN if toppled else EventKind.UP, missing.id))
    return replace(now, rest_in=now.place_in), events
