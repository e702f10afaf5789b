"""One track after one more searched picture: seen again, or not seen.

Each function returns the track as a list, empty if the track ends, and its events.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from rules.tabletop.table import PointIn, Posture
from vision.figure_search import Sighting
from vision.tracks import Event, EventKind, SearchScope, Track, TrackingSettings


def patience_factor(track: Track, settings: TrackingSettings, scope: SearchScope) -> int:
    """Multiplier of the frames to wait: more where nothing has moved."""
    return 1 if scope.visited(track.position_in) else settings.unvisited_factor


def with_sighting(
    track: Track, sighting: Sighting, settings: TrackingSettings, scope: SearchScope
) -> tuple[list[Track], list[Event]]:
    """The track after a sighting that was matched with it; newcomers have no events."""
    visited = scope.visited(track.position_in)
    strayed = track.has_strayed(sighting, settings)
    patch_unchanged = (strayed or track.contradicts(sighting)) and scope.patch_unchanged(track.id)
    now = _with_place(track, sighting, settings, strayed=strayed)
    events = [Event(EventKind.FOUND, now.id)] if track.is_lost(settings) else []
    at_rest = now.averaged_frames >= settings.settle_frames and not track.contradicts(sighting)
    sure = sighting.confidence >= settings.sure_confidence
    if (strayed and patch_unchanged) or (at_rest and not visited):
        now = replace(now, rest_in=now.place_in)  # measured better than before: nothing has moved there
    elif at_rest and sure and track.rest_confidence < settings.sure_confidence:
        now = replace(now, rest_in=now.place_in, rest_confidence=sighting.confidence)
    elif at_rest and sure and math.dist(now.rest_in, now.place_in) >= settings.min_move_in:
        events.append(Event(EventKind.MOVED, now.id, now.rest_in, now.place_in))
        now = replace(now, rest_in=now.place_in)
    now = _with_posture(now, settings, patch_unchanged=patch_unchanged and not strayed)
    if now.contrary_frames >= settings.confirm_frames:
        events.append(Event(EventKind.DOWN if sighting.posture is Posture.DOWN else EventKind.UP, now.id))
        # The place of a casualty is the middle of its outline, else that of the base: falling over is not a move.
        rest_in = (sighting.x_in, sighting.y_in)
        now = replace(now, posture=sighting.posture, contrary_frames=0, posture_votes=1, rest_in=rest_in)
    if not track.confirmed:
        changed = now.place_changed or scope.changed(now.position_in)
        return [replace(now, place_changed=changed)], []
    return [now], events


def _with_place(track: Track, sighting: Sighting, settings: TrackingSettings, *, strayed: bool) -> Track:
    seen_in = (sighting.x_in, sighting.y_in)
    frames = 1 if strayed else min(track.averaged_frames + 1, settings.memory_frames)
    return replace(
        track,
        last=sighting,
        place_in=seen_in if strayed else _between(track.place_in, seen_in, 1 / frames),
        averaged_frames=frames,
        seen_frames=track.seen_frames + 1,
        missing_frames=0,
        overlooked_frames=0,
        armies_seen=(*track.armies_seen, sighting.army)[-settings.memory_frames :],
    )


def _with_posture(track: Track, settings: TrackingSettings, *, patch_unchanged: bool) -> Track:
    """The posture after one more sighting.

    A figure that falls or rises changes the picture. Where the picture has not changed, a contrary sighting is only a
    second opinion: the majority counts, and nothing has happened.
    """
    posture = track.last.posture
    if not track.contradicts(track.last):
        votes = min(track.posture_votes + 1, settings.memory_frames)
        return replace(track, posture=posture, contrary_frames=0, posture_votes=votes)
    if not patch_unchanged:
        return replace(track, contrary_frames=track.contrary_frames + 1)
    if track.posture_votes > 0:
        return replace(track, contrary_frames=0, posture_votes=track.posture_votes - 1)
    return replace(track, posture=posture, contrary_frames=0, posture_votes=1)


def without_sighting(
    track: Track, matched: Iterable[Sighting], settings: TrackingSettings, scope: SearchScope
) -> tuple[list[Track], list[Event]]:
    """The track after a search of its place that has no sighting for it; `matched` are those of the other tracks."""
    if not track.confirmed:
        return [], []  # a false detection
    unchanged = scope.patch_unchanged(track.id)
    crowded = any(math.dist(track.place_in, (one.x_in, one.y_in)) < settings.min_separation_in for one in matched)
    if crowded and (unchanged or not scope.visited(track.position_in)):
        return [], []  # two figures cannot stand there: one was detected twice
    if unchanged:
        return _overlooked(track, settings)
    lost_after = settings.lost_frames * patience_factor(track, settings, scope)
    if scope.hand_present and track.missing_frames == lost_after - 1:
        return [track], []  # a hand may hold it
    changed = scope.changed(track.position_in) or (track.place_changed and track.missing_frames > 0)
    now = replace(track, missing_frames=track.missing_frames + 1, contrary_frames=0, place_changed=changed)
    return [now], [Event(EventKind.LOST, now.id)] if now.missing_frames == lost_after else []


def _overlooked(track: Track, settings: TrackingSettings) -> tuple[list[Track], list[Event]]:
    """A figure that the search missed although its place looks the same: it cannot have left.

    If its sightings were never sure and more searches miss it than find it, it was a print or a shadow, and ends.
    """
    events = [Event(EventKind.FOUND, track.id)] if track.is_lost(settings) else []
    now = replace(track, missing_frames=0, overlooked_frames=track.overlooked_frames + 1)
    if track.seen_frames >= settings.memory_frames and track.rest_confidence >= settings.sure_confidence:
        return [now], events
    seen_frames = min(track.seen_frames, settings.memory_frames) - 1
    return ([replace(now, seen_frames=seen_frames)], events) if seen_frames else ([], [])


def _between(start: PointIn, end: PointIn, share: float) -> PointIn:
    return (start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1]))
