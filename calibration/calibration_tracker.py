"""Keep a calibration valid from frame to frame: check the markers in every frame, and search again after a movement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from calibration.calibration_targets import Fix, Prints, Sight, fix, see, see_again, together
from calibration.camera import Lens, times_full_hd
from calibration.drift import Drift, Verdict, judge, laid_anew, posed, seen_on_table, still_px
from calibration.marker_issue import Trouble
from calibration.marker_tracker import Glance, MarkerTracker, lookout
from calibration.markers import ImageGray
from calibration.scene_texture import Grain
from calibration.solve import Calibration
from rules.table import FloatArray, UserError

FRAMES = 8
"""Frames at rest that are averaged, after the start and after a bump."""

_LONG_INTERVAL, _SHORT_INTERVAL = 300, 10
"""Frames between searches of the whole picture: while all is well, and at first while a marker is hidden."""

_BUMP_FRAMES = 3
"""Frames at rest after which a bump is over; a swinging camera boom stands still for a moment as it turns back."""

_NONE_SEEN = "no marker is visible, so distances use the last known camera position: uncover a marker"
_SHIFTED = (
    "the camera or the table was moved after the rectangle's corners were clicked, so distances are wrong:"
    " click the corners again, or lay a printed marker on the table"
)
_UNCLEAR = (
    "the markers contradict one another, so the camera position is unknown:"
    " put moved markers back, or uncover the hidden ones"
)


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """The calibration to use for one frame.

    Attributes:
        calibration: None until a marker has been measured.
        drifts: Movements detected in this frame.
        set_aside: Markers that were seen but not used.
        problem: Why distances are missing or unreliable, as a sentence; None if all is well.
    """

    calibration: Calibration | None
    drifts: tuple[Drift, ...] = ()
    set_aside: tuple[Trouble, ...] = ()
    problem: str | None = None


class Keeper:
    """Follows the calibration through the frames of one source."""

    def __init__(self) -> None:
        self._inputs: _Inputs | None = None
        self._tracked: _TrackedMarkers | _ClickedRectangle | None = None

    def look(self, gray: ImageGray, prints: Prints, lens: Lens | None) -> Kept:
        """The calibration for this frame (height, width); other prints, another lens or size start a new one."""
        inputs = (prints, lens, gray.shape)
        if inputs != self._inputs:
            before, self._inputs = self._inputs, inputs
            if self._tracked is None or before is None or not _only_adds_distances(inputs, before):
                self._tracked = None
            else:
                self._tracked.add_distances(prints)
        if self._tracked is None:
            return self._start(gray, prints, lens)
        drifts, problem = self._tracked.follow(gray)
        return Kept(self._tracked.calibration, drifts, self._tracked.set_aside, problem)

    def _start(self, gray: ImageGray, prints: Prints, lens: Lens | None) -> Kept:
        sight = Sight((gray.shape[1], gray.shape[0]), {})
        try:
            if prints.rectangle is not None:
                self._tracked = _ClickedRectangle(gray, prints, lens)
            else:
                sight = see(gray, prints)
                self._tracked = _TrackedMarkers(gray, fix(sight, prints, lens), prints, lens)
        except UserError as error:
            return Kept(None, (), sight.set_aside, str(error))
        return Kept(self._tracked.calibration, (), self._tracked.set_aside)


_Inputs = tuple[Prints, Lens | None, tuple[int, ...]]


def _only_adds_distances(now: _Inputs, before: _Inputs) -> bool:
    return now[0].is_more_taped(before[0]) and now[1] is before[1] and now[2] == before[2]


class _ClickedRectangle:
    """A calibration by clicked corners. Without markers, the picture's texture shows when it is no longer valid.

    Attributes:
        calibration: The current calibration.
        set_aside: Always empty.
    """

    def __init__(self, gray: ImageGray, prints: Prints, lens: Lens | None) -> None:
        assert prints.rectangle is not None  # noqa: S101 - the caller checked
        self.calibration = prints.rectangle.calibrate((gray.shape[1], gray.shape[0]), lens)
        self.set_aside: tuple[Trouble, ...] = ()
        self._distance_count, self._texture = 0, Grain(gray)
        self._frames_since_check, self._problem = 0, ""
        self.add_distances(prints)

    def add_distances(self, prints: Prints) -> None:
        """Apply the distances measured since the last call."""
        for taped in prints.taped[self._distance_count :]:
            self.calibration = taped.sharpen(self.calibration)
        self._distance_count = len(prints.taped)

    def follow(self, gray: ImageGray) -> tuple[tuple[Drift, ...], str | None]:
        """Like `_TrackedMarkers.follow`, but it can only report a shift, not correct it."""
        self._frames_since_check += 1
        if self._frames_since_check >= _SHORT_INTERVAL:
            self._frames_since_check, self._problem = 0, _SHIFTED if self._texture.has_shifted(gray) else ""
        return (), self._problem or None


class _TrackedMarkers:
    """A calibration by markers, and the state needed to keep it valid.

    Attributes:
        calibration: The current calibration.
        set_aside: Markers that were not used.
    """

    def __init__(self, gray: ImageGray, start: Fix, prints: Prints, lens: Lens | None) -> None:
        self.calibration = start.calibration
        self.set_aside = start.set_aside
        self._prints, self._lens = prints, lens
        self._scale = times_full_hd(gray.shape)
        self._table = start.calibration  # markers' places and lens with their uncertainty, independent of the pose
        self._pose_ids: frozenset[int] | None = None  # markers of the current pose, once it was solved again
        self._before = (gray, start.calibration.camera)
        self._sights = [start.sight]
        self._bump_frames_left = 0  # frames at rest until another bump is reported
        self._loose: dict[int, FloatArray] = {}
        self._frames_since_search, self._frames_unseen, self._search_interval = 0, 0, _SHORT_INTERVAL
        self._expect(start.sight)

    def follow(self, gray: ImageGray) -> tuple[tuple[Drift, ...], str | None]:
        """The movements in this frame, and the current problem of the calibration (or None)."""
        check = self._marker_tracker.glance(gray)
        self._frames_unseen = 0 if check.corners_px else self._frames_unseen + 1
        self._frames_since_search += 1
        if any(shift > self._still_px for shift in check.shift_px.values()) or self._search_is_due(check):
            self._frames_since_search = 0
            return self._search(gray)
        if self._frames_unseen:
            return (), _NONE_SEEN
        self._add_still_frame(gray)
        return (), None

    def add_distances(self, prints: Prints) -> None:
        """Apply the distances measured since the last call."""
        for taped in prints.taped[len(self._prints.taped) :]:
            self.calibration = taped.sharpen(self.calibration)
        self._prints, self._table = prints, self.calibration
        if self._pose_ids is not None:
            self._freeze_table(self._sights[0])

    @property
    def _still_px(self) -> float:
        return still_px(self._table, self._scale)

    def _search_is_due(self, check: Glance) -> bool:
        if self._loose:
            return True
        if self._frames_unseen:
            return self._frames_since_search >= min(_SHORT_INTERVAL, 1 + self._frames_unseen // 3)
        if not check.hidden:
            self._search_interval = _SHORT_INTERVAL
            return self._frames_since_search >= _LONG_INTERVAL
        if self._frames_since_search < self._search_interval:
            return False
        self._search_interval = min(_LONG_INTERVAL, 2 * self._search_interval)
        return True

    def _add_still_frame(self, gray: ImageGray) -> None:
        """Measure a frame without movement; recalibrate once `FRAMES` of them are collected."""
        self._bump_frames_left = max(0, self._bump_frames_left - 1)
        self._before = (gray, self.calibration.camera)
        if len(self._sights) >= FRAMES:
            return
        self._sights.append(see_again(gray, self._prints, self._sights[0]))
        if len(self._sights) == FRAMES:
            sight = together(self._sights)
            self.calibration = self._recalibrated(sight)
            self._before = (gray, self.calibration.camera)
            self._expect(sight)

    def _recalibrated(self, sight: Sight) -> Calibration:
        if self._pose_ids is None:
            result = fix(sight, self._prints, self._lens)
            self._table, self.set_aside = result.calibration, result.set_aside
            return result.calibration
        targets = seen_on_table(self._table, sight, self._prints)
        return posed(self._table, [t for t in targets if self._pose_ids >= t.marks.keys()], sight.image_size)

    def _search(self, gray: ImageGray) -> tuple[tuple[Drift, ...], str | None]:
        """Search the whole picture for markers, and apply the movements found."""
        sight = see(gray, self._prints)
        try:
            verdict = judge(self._table, self.calibration.camera, sight, self._prints, self._before, gray)
        except UserError as error:
            return (), str(error)
        if verdict is None:
            return (), _UNCLEAR
        drifts = self._apply_pose(verdict, sight)
        drifts += self._relocate(self._at_rest(verdict.loose), sight)
        return drifts, _NONE_SEEN if not verdict.ids and not verdict.loose else None

    def _apply_pose(self, verdict: Verdict, sight: Sight) -> tuple[Drift, ...]:
        if verdict.calibration is None or verdict.what is None:
            if not verdict.loose:
                self._expect(sight)
            return ()
        reported, self._bump_frames_left = self._bump_frames_left > 0, _BUMP_FRAMES
        self.calibration, self._pose_ids = verdict.calibration, verdict.ids
        self._sights = [sight]
        self._expect(sight)
        return () if reported else (Drift(verdict.what, verdict.shift_px),)

    def _at_rest(self, loose: Mapping[int, FloatArray]) -> dict[int, FloatArray]:
        """The markers that have not moved since the previous search; the others wait for the next one."""
        before, self._loose = self._loose, dict(loose)
        return {
            number: self._loose.pop(number)
            for number, px in loose.items()
            if number in before and float(np.abs(px - before[number]).max()) < self._still_px
        }

    def _relocate(self, resting: Mapping[int, FloatArray], sight: Sight) -> tuple[Drift, ...]:
        """Store the new places of markers that came to rest."""
        if not resting:
            return ()
        self.calibration, drifts = laid_anew(self.calibration, resting, self._prints)
        self._freeze_table(sight)
        self._expect(sight)
        return drifts

    def _freeze_table(self, sight: Sight) -> None:
        """Keep the current places: they depend on the current camera, so more frames would not improve them."""
        self._table, self._pose_ids = self.calibration, frozenset(self.calibration.markers_in)
        self._sights = [sight] * FRAMES

    def _expect(self, sight: Sight) -> None:
        """Track the markers at the places of this sight, unseen ones at their predicted places."""
        places = {n: self.calibration.camera.table_to_pixel(c) for n, c in self.calibration.markers_in.items()}
        for number, seen in sight.corners_px.items():
            if number in places and float(np.abs(seen - places[number]).max()) < 2 * self._still_px:
                places[number] = seen
        self._marker_tracker: MarkerTracker = lookout(places, self._prints.dictionary, sight.image_size)
