"""Tracking: sightings become figures whose ids persist from picture to picture.

`update(tracks, sightings)` is a pure function that returns the next tracks and their events; it uses no image and no
clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rules.tabletop.table import Figure
from vision.examples import Appearance
from vision.figure_search import Sighting
from vision.newcomers import confirm
from vision.recogniser import POSTURES
from vision.track_assignment import assign, match
from vision.track_update import with_sighting, without_sighting
from vision.tracks import Event, EventKind, PositionIn, SearchScope, Track, Tracking, TrackingSettings, Tracks


class Tracker:
    """Keeps the tracks between the pictures of one source."""

    def __init__(self, settings: TrackingSettings | None = None, tracks: Tracks | None = None) -> None:
        """Start with these tracks, if figures are known already."""
        self._settings = settings or TrackingSettings()
        self._tracks = tracks or Tracks()

    @property
    def tracks(self) -> Tracks:
        """The tracks now."""
        return self._tracks

    @property
    def positions_in(self) -> tuple[PositionIn, ...]:
        """Positions of the confirmed figures that are seen now."""
        return tuple(track.position_in for track in self._tracks.all if track.confirmed and not track.missing_frames)

    @property
    def unambiguous(self) -> tuple[tuple[str, PositionIn], ...]:
        """Ids and positions of the figures whose posture the last sighting confirmed."""
        return tuple(
            (track.id, track.position_in)
            for track in self._tracks.all
            if track.confirmed and not (track.missing_frames or track.contrary_frames or track.overlooked_frames)
        )

    @property
    def appearances(self) -> dict[str, Appearance]:
        """What the figures looked like when last seen, by id."""
        return {one.id: one.last.appearance for one in self._tracks.all if one.confirmed and one.last.appearance}

    @property
    def undecided_in(self) -> tuple[PositionIn, ...]:
        """Positions of newcomers and of figures that have just gone missing: a few more pictures will decide them."""
        lost_frames = self._settings.lost_frames
        return tuple(
            one.position_in for one in self._tracks.all if not one.confirmed or 0 < one.missing_frames < lost_frames
        )

    def reopen_armies(self) -> None:
        """Forget which armies were seen, because the known armies have changed: only new sightings count."""
        self._tracks = replace(self._tracks, all=tuple(replace(track, armies_seen=()) for track in self._tracks.all))

    def update(self, sightings: Sequence[Sighting], scope: SearchScope | None = None) -> Tracking:
        """Process the sightings of the next picture, as the function `update` does, and return the result."""
        self._tracks, events, renamed = update(self._tracks, sightings, self._settings, scope)
        confirmed = [track for track in self._tracks.all if track.confirmed]
        present = tuple(track.figure() for track in confirmed if not track.missing_frames)
        missing = tuple(track.figure() for track in confirmed if track.missing_frames)
        return Tracking(present, events, missing, renamed)


def tracks_of(tracking: Tracking, known: Iterable[str] = ()) -> Tracks:
    """Tracks from the result of an earlier session, so that a new tracker continues with the same ids.

    Args:
        tracking: The earlier result.
        known: All ids given until then; none of them is given again.
    """
    lost_frames = TrackingSettings().lost_frames
    count: dict[str, int] = {}
    for name in (*known, *(figure.id for figure in (*tracking.figures, *tracking.lost))):
        army, _, number = name.rpartition("-")
        if army and number.isdecimal():
            count[army] = max(count.get(army, 0), int(number))
    present = [_restored(figure, 0) for figure in tracking.figures]
    return Tracks((*present, *(_restored(figure, lost_frames) for figure in tracking.lost)), tuple(count.items()))


def _restored(figure: Figure, missing_frames: int) -> Track:
    f, place_in = figure, figure.centre_in
    chances = {f.second_posture: 1 - f.posture_confidence, f.posture: f.posture_confidence}
    postures = tuple(chances.get(posture, 0.0) for posture in POSTURES) if f.second_posture else ()
    last = Sighting(
        f.army, f.x_in, f.y_in, f.z_in, f.sigma_in, f.posture, f.base_in, f.facing_deg, f.confidence, postures=postures
    )
    return Track(
        f.id,
        f.army,
        last,
        place_in,
        averaged_frames=1,
        rest_in=place_in,
        posture=f.posture,
        confirmed=True,
        missing_frames=missing_frames,
        place_changed=missing_frames > 0,
    )


def update(
    tracks: Tracks,
    sightings: Sequence[Sighting],
    settings: TrackingSettings | None = None,
    scope: SearchScope | None = None,
) -> tuple[Tracks, tuple[Event, ...], tuple[tuple[str, str], ...]]:
    """Update the tracks with the sightings of one picture.

    Args:
        tracks: The tracks before; `Tracks()` at the start.
        sightings: The figures of this picture.
        settings: Thresholds.
        scope: What was searched, and where something can have happened; everything and everywhere by default.

    Returns:
        The tracks after this picture, its events, and the (old, new) ids of figures whose army has changed. Figures
        that are present from the start cause no event.
    """
    settings, scope = settings or TrackingSettings(), scope or SearchScope()
    sightings = sorted(sightings, key=lambda sighting: (sighting.army, sighting.x_in, sighting.y_in))
    searched = [track for track in tracks.all if scope.searched(track.position_in)]
    found = match(searched, sightings, settings, any_army=scope.armies_reopened)
    matched = {searched[k].id: sightings[j] for k, j in found.items()}
    after: list[Track] = []
    events: list[Event] = []
    for track in tracks.all:
        now, its_events = [track], list[Event]()
        if track.id in matched:
            now, its_events = with_sighting(track, matched[track.id], settings, scope)
        elif track in searched:
            now, its_events = without_sighting(track, matched.values(), settings, scope)
        after += now
        events += its_events
    count = dict(tracks.count)
    unmatched = [sighting for j, sighting in enumerate(sightings) if j not in found.values()]
    new, dropped = _newcomers(unmatched, tracks, count, settings, scope)
    after, arrivals = confirm([*after, *new], settings, scope)
    after, renamed, unknown = _with_decided_armies(after, count, scope)
    # A figure that is lost and found in the same picture was never lost to the players.
    both = {one.id for one in events if one.kind is EventKind.LOST} & {one.id for one in arrivals}
    cancelled = (EventKind.LOST, EventKind.FOUND)
    reported = (one for one in (*events, *arrivals) if one.id not in both or one.kind not in cancelled)
    return Tracks(tuple(after), tuple(count.items()), (*dropped, *unknown)), tuple(reported), renamed


def _newcomers(
    sightings: Sequence[Sighting], tracks: Tracks, count: dict[str, int], settings: TrackingSettings, scope: SearchScope
) -> tuple[list[Track], tuple[Track, ...]]:
    """New tracks of the sightings that match no track, and the dropped tracks that are not among them.

    They are confirmed at once in the first picture, and where they are sure and of an army that was just taught.
    """
    armies = {track.army for track in tracks.all}
    known_again = _known_again(sightings, tracks.dropped, settings) if scope.armies_reopened else {}
    newcomers = []
    for j, sighting in enumerate(sightings):
        former = _ids(known_again[j]) if j in known_again else {}
        place_in = (sighting.x_in, sighting.y_in)
        is_new_army = scope.armies_reopened and sighting.army not in armies
        newcomers.append(
            Track(
                former.get(sighting.army) or _next_id(sighting.army, count),
                sighting.army,
                sighting,
                place_in,
                averaged_frames=1,
                rest_in=place_in,
                posture=sighting.posture,
                confirmed=not tracks.all or (is_new_army and sighting.confidence >= settings.sure_confidence),
                rest_confidence=sighting.confidence,
                place_changed=scope.changed((*place_in, sighting.z_in)),
                former_ids=tuple(former.items()),
            )
        )
    again = {track.id for track in known_again.values()}
    return newcomers, tuple(track for track in tracks.dropped if track.id not in again)


def _known_again(
    sightings: Sequence[Sighting], dropped: Sequence[Track], settings: TrackingSettings
) -> dict[int, Track]:
    """The dropped track at the very place of a sighting, by the sighting's index."""
    found = assign(dropped, sightings, settings.jitter_in, armies_alike=lambda _, __: True)
    return {j: dropped[k] for k, j in found.items()}


def _ids(track: Track) -> dict[str, str]:
    """The track's ids by army, the present one included."""
    return dict(track.former_ids) | {track.army: track.id}


def _next_id(army: str, count: dict[str, int]) -> str:
    count[army] = count.get(army, 0) + 1
    return f"{army}-{count[army]}"


def _with_decided_armies(
    tracks: Sequence[Track], count: dict[str, int], scope: SearchScope
) -> tuple[list[Track], tuple[tuple[str, str], ...], list[Track]]:
    """The tracks with the armies that most sightings since the change of armies show, (old, new) ids, dropped tracks.

    Tracks of armies that are no longer known are dropped; armies that a player has settled stay.
    """
    if not scope.armies_reopened:
        return list(tracks), (), []
    after, renamed, dropped = [], [], []
    for track in tracks:
        seen = track.armies_seen
        army = max(dict.fromkeys((track.army, *seen)), key=lambda name: (seen.count(name), name == track.army))
        if track.id in scope.pinned or army == track.army:
            if scope.armies is None or track.army in scope.armies or track.id in scope.pinned:
                after.append(track)
            elif track.confirmed:
                dropped.append(track)
            continue
        ids = _ids(track)
        name = ids.get(army) or _next_id(army, count)
        after.append(replace(track, id=name, army=army, former_ids=tuple(ids.items())))
        renamed.append((track.id, name))
    return after, tuple(renamed), dropped
