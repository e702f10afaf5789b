"""Which figures a recording showed where: after a jump, they get the ids back that they had there."""

from __future__ import annotations

from collections.abc import Set

from vision.tracks import Tracks

_MOST = 300
"""Places that are remembered; in a longer film they lie further apart."""


class SceneMemory:
    """The tracks after searched frames of one recording, by the frames' numbers."""

    def __init__(self) -> None:
        self._frames_per_place = 1
        self._places: dict[int, tuple[int, Tracks]] = {}

    def clear(self) -> None:
        """Forget everything, because the armies have changed."""
        self._places.clear()

    def keep(self, index: int, tracks: Tracks) -> None:
        """Remember the tracks after this frame."""
        self._places[index // self._frames_per_place] = (index, tracks)
        if len(self._places) > _MOST:
            self._frames_per_place *= 2
            self._places = {place[0] // self._frames_per_place: place for place in self._places.values()}

    def at(self, index: int, needed: Set[str]) -> Tracks | None:
        """The tracks at a frame or the nearest one before it, if they have all ids that are needed."""
        before = [place for place in self._places.values() if place[0] <= index]
        if not before:
            return None
        _, tracks = max(before, key=lambda place: place[0])
        return tracks if needed <= {track.id for track in tracks.all} else None
