"""The data of tracking: tracks with persistent ids, the events they produce, and the settings of the tracker."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from rules.tabletop.table import Figure, PointIn, Posture
from vision.figure_search import Sighting

PositionIn = tuple[float, float, float]
"""x, y and the height of the ground there."""


class EventKind(StrEnum):
    """What can happen to a figure."""

    FOUND = "found"
    LOST = "lost"
    MOVED = "moved"
    DOWN = "down"
    UP = "up"


@dataclass(frozen=True, slots=True)
class TrackingSettings:
    """Thresholds of the tracker; all frame counts are searched frames.

    Attributes:
        gate_in: A sighting within this distance of a track's last place may belong to that track.
        carry_gate_in: A newcomer within this distance of a missing figure may be that figure, carried by a hand.
        jitter_in: Measurement noise; a figure seen further from its place than this has moved.
        min_move_in: Shorter moves are not reported.
        confirm_frames: Frames before a newcomer (unless no figure is known yet), a fall or a rise is reported.
        settle_frames: Frames a figure must rest before its move is reported.
        lost_frames: Frames without a sighting after which a figure is lost.
        memory_frames: Frames over which a resting figure's place is averaged; also the most votes for its posture.
        min_separation_in: Two figures never stand nearer together.
        unvisited_factor: Multiplies `confirm_frames` and `lost_frames` where nothing has moved.
        sure_confidence: A newcomer of at least this confidence that explains the only missing figure is confirmed at
            once.
        topple_reach_in: A figure that fell over lies no further than this from its base.
        posture_cost_in: Inches added to the assignment cost of a newcomer with another posture.
        army_cost_in: Inches added to that of a newcomer of another army with nearly the same colour.
    """

    gate_in: float = 1.0
    carry_gate_in: float = 36.0
    jitter_in: float = 0.3
    min_move_in: float = 0.35
    confirm_frames: int = 2
    settle_frames: int = 3
    lost_frames: int = 3
    memory_frames: int = 8
    min_separation_in: float = 0.5
    unvisited_factor: int = 4
    sure_confidence: float = 0.8
    topple_reach_in: float = 2.5
    posture_cost_in: float = 4.0
    army_cost_in: float = 8.0


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to one figure.

    Attributes:
        kind: What happened.
        id: The figure's id.
        from_in, to_in: Start and end of a move; None for other events.
        or_else: Id of another figure that looks the same and moved during the same visit, if the two may be swapped.
    """

    kind: EventKind
    id: str
    from_in: PointIn | None = None
    to_in: PointIn | None = None
    or_else: str | None = None


@dataclass(frozen=True, slots=True)
class SearchScope:
    """What the picture says about one search: where it searched, and where something can have happened.

    Attributes:
        searched: Whether a position lies in the part of the picture that was searched.
        visited: Whether something has moved at a position since it was last at rest. Only there can a figure have
            come, gone or fallen.
        changed: Whether that visit left the position changed. Figures are only carried from and to such positions.
        patch_unchanged: Whether the place of the figure with this id looks as it did when its posture was last seen.
        under_hand: Whether a hand may be over a position now.
        hand_present: Whether a hand is over the table or something still moves: a missing figure may be in the hand.
        armies_alike: Whether the colours of two armies are so similar that their figures may be confused.
        armies: The known armies; figures of others are dropped. None to keep all figures.
        armies_reopened: Whether the armies have just changed, so that the army of every figure is decided again.
        pinned: Ids of the figures whose army a player has settled.
    """

    searched: Callable[[PositionIn], bool] = lambda _: True
    visited: Callable[[PositionIn], bool] = lambda _: True
    changed: Callable[[PositionIn], bool] = lambda _: True
    patch_unchanged: Callable[[str], bool] = lambda _: False
    under_hand: Callable[[PositionIn], bool] = lambda _: False
    hand_present: bool = False
    armies_alike: Callable[[str, str], bool] = operator.eq
    armies: frozenset[str] | None = None
    armies_reopened: bool = False
    pinned: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Track:
    """One figure through time.

    Attributes:
        id: Army and number, such as "green-1".
        army: The army in the id; it is only decided again when the known armies change.
        last: The latest sighting.
        place_in: Smoothed place.
        averaged_frames: Frames averaged into the place.
        rest_in: Place where the figure last rested; moves are measured from there.
        posture: The posture that was last reported.
        confirmed: False for a newcomer that has not been seen often enough yet.
        contrary_frames: Frames in a row that contradict whether the figure stands or lies.
        posture_votes: Lead, in frames, of its standing or lying over the opposite, while its place looks the same.
        seen_frames: Frames with a sighting; counts down where a sighting is missing although nothing has changed.
        missing_frames: Frames in a row without a sighting.
        armies_seen: Armies of the sightings since the known armies last changed.
        rest_confidence: Confidence of the sighting at rest. A figure that was only guessed there has not moved.
        overlooked_frames: Frames in a row without a sighting in which the figure counts as present because its place
            looks the same.
        place_changed: For a newcomer or a missing figure, whether its place was left changed.
        former_ids: (army, id) pairs of the armies that it belonged to; back in one of them, it gets that id again.
    """

    id: str
    army: str
    last: Sighting
    place_in: PointIn
    averaged_frames: int
    rest_in: PointIn
    posture: Posture
    confirmed: bool = False
    contrary_frames: int = 0
    posture_votes: int = 1
    seen_frames: int = 1
    missing_frames: int = 0
    armies_seen: tuple[str, ...] = ()
    rest_confidence: float = 1.0
    overlooked_frames: int = 0
    place_changed: bool = False
    former_ids: tuple[tuple[str, str], ...] = ()

    @property
    def position_in(self) -> PositionIn:
        """Smoothed place and the height of the ground there."""
        return (*self.place_in, self.last.z_in)

    def is_lost(self, settings: TrackingSettings) -> bool:
        """Whether the figure has been missing long enough to be reported as lost."""
        return self.missing_frames >= settings.lost_frames

    def has_strayed(self, sighting: Sighting, settings: TrackingSettings) -> bool:
        """Whether a sighting is further from the figure's place than measurement noise explains."""
        distance_in = math.dist((sighting.x_in, sighting.y_in), self.place_in)
        return distance_in > max(settings.jitter_in, 3 * sighting.sigma_in)

    def contradicts(self, sighting: Sighting) -> bool:
        """Whether either the track or the sighting lies as a casualty and the other does not."""
        return (sighting.posture is Posture.DOWN) != (self.posture is Posture.DOWN)

    def figure(self) -> Figure:
        """The figure at its smoothed place, with the base moved along."""
        last = self.last
        x, y = self.place_in
        dx, dy = x - last.x_in, y - last.y_in
        return Figure(
            id=self.id,
            army=self.army,
            x_in=x,
            y_in=y,
            z_in=last.z_in,
            sigma_in=last.sigma_in,
            posture=self.posture,
            base_in=tuple((px + dx, py + dy) for px, py in last.base_in),
            facing_deg=last.facing_deg,
            confidence=last.confidence,
            posture_confidence=last.chance_of(self.posture),
            second_posture=last.likeliest_besides(self.posture),
        )


@dataclass(frozen=True, slots=True)
class Tracks:
    """All figures known so far.

    Attributes:
        all: In order of appearance, lost ones included.
        count: (army, number of ids given) pairs; no two figures get the same id.
        dropped: Figures of armies that are no longer known; one gets its id back if its army is known again.
    """

    all: tuple[Track, ...] = ()
    count: tuple[tuple[str, int], ...] = ()
    dropped: tuple[Track, ...] = ()


@dataclass(frozen=True, slots=True)
class Tracking:
    """The tracker's result after one picture.

    Attributes:
        figures: Confirmed figures that are seen.
        events: What happened since the picture before.
        lost: Confirmed figures that are not seen now, where they last were.
        renamed: (old, new) ids of figures that turned out to belong to another army.
    """

    figures: tuple[Figure, ...] = ()
    events: tuple[Event, ...] = ()
    lost: tuple[Figure, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
