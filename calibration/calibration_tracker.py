"""Keep a calibration valid from frame to frame: check the markers in every frame, and search again after a movement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from calibration.calibration_targets import (
    CalibrationResult,
    CalibrationTargets,
    Detections,
    combine_frames,
    fix,
    redetect,
    see,
)
from calibration.camera import Lens, times_full_hd
from calibration.drift import (
    Drift,
    DriftAssessment,
    assess_drift,
    known_targets,
    relocate_markers,
    solve_pose,
    still_px,
)
from calibration.marker_issue import MarkerIssue
from calibration.marker_tracker import MarkerCheck, MarkerTracker, track_markers
from calibration.markers import ImageGray
from calibration.scene_texture import SceneTexture
from calibration.solve import Calibration
from rules.tabletop.errors import UserError
from rules.tabletop.table import FloatArray
from rules.tabletop.translation import mark_for_translation, tr

FRAMES = 8
"""Frames at rest that are averaged, after the start and after a bump."""

_LONG_INTERVAL, _SHORT_INTERVAL = 300, 10
"""Frames between searches of the whole picture: while all is well, and at first while a marker is hidden."""

_BUMP_FRAMES = 3
"""Frames at rest after which a bump is over; a swinging camera boom stands still for a moment as it turns back."""

_NONE_SEEN = mark_for_translation(
    "no marker is visible, so distances use the last known camera position: uncover a marker"
)
_SHIFTED = mark_for_translation(
    "the camera or the table was moved after the rectangle's corners were clicked, so distances are wrong:"
    " click the corners again, or lay a printed marker on the table"
)
_UNCLEAR = mark_for_translation(
    "the markers contradict one another, so the camera position is unknown:"
    " put moved markers back, or uncover the hidden ones"
)


@dataclass(frozen=True, slots=True, eq=False)
class TrackedCalibration:
    """The calibration to use for one frame.

    Attributes:
        calibration: None until a marker has been measured.
        drifts: Movements detected in this frame.
        set_aside: Markers that were seen but not used.
        problem: Why distances are missing or unreliable, as a sentence; None if all is well.
    """

    calibration: Calibration | None
    drifts: tuple[Drift, ...] = ()
    set_aside: tuple[MarkerIssue, ...] = ()
    problem: str | None = None


class CalibrationTracker:
    """Follows the calibration through the frames of one source."""

    def __init__(self) -> None:
        self._inputs: _Inputs | None = None
        self.tracked: TrackedMarkers | _ClickedRectangle | None = None

    def update(self, gray: ImageGray, prints: CalibrationTargets, lens: Lens | None) -> TrackedCalibration:
        """The calibration for this frame (height, width); other prints, another lens or size start a new one."""
        inputs = (prints, lens, gray.shape)
        if inputs != self._inputs:
            before, self._inputs = self._inputs, inputs
            if self.tracked is None or before is None or not _only_adds_distances(inputs, before):
                self.tracked = None
            else:
                self.tracked.add_distances(prints)
        if self.tracked is None:
            return self._start(gray, prints, lens)
        drifts, problem = self.tracked.follow(gray)
        return TrackedCalibration(self.tracked.calibration, drifts, self.tracked.set_aside, problem)

    def _start(self, gray: ImageGray, prints: CalibrationTargets, lens: Lens | None) -> TrackedCalibration:
        detections = Detections((gray.shape[1], gray.shape[0]), {})
        try:
            if prints.rectangle is not None:
                self.tracked = _ClickedRectangle(gray, prints, lens)
            else:
                detections = see(gray, prints)
                self.tracked = TrackedMarkers(gray, fix(detections, prints, lens), prints, lens)
        except UserError as error:
            return TrackedCalibration(None, (), detections.set_aside, str(error))
        return TrackedCalibration(self.tracked.calibration, (), self.tracked.set_aside)


_Inputs = tuple[CalibrationTargets, Lens | None, tuple[int, ...]]


def _only_adds_distances(now: _Inputs, before: _Inputs) -> bool:
    return now[0].adds_distances(before[0]) and now[1] is before[1] and now[2] == before[2]


class _ClickedRectangle:
    """A calibration by clicked corners. Without markers, the picture's texture shows when it is no longer valid."""

    def __init__(self, gray: ImageGray, prints: CalibrationTargets, lens: Lens | None) -> None:
        assert prints.rectangle is not None  # the caller checked
        self.calibration = prints.rectangle.calibrate((gray.shape[1], gray.shape[0]), lens)
        self.set_aside: tuple[MarkerIssue, ...] = ()
        self._distance_count, self._texture = 0, SceneTexture(gray)
        self._frames_since_check, self._problem = 0, ""
        self.add_distances(prints)

    def add_distances(self, prints: CalibrationTargets) -> None:
        """Apply the distances measured since the last call."""
        for taped in prints.taped[self._distance_count :]:
            self.calibration = taped.sharpen(self.calibration)
        self._distance_count = len(prints.taped)

    def follow(self, gray: ImageGray) -> tuple[tuple[Drift, ...], str | None]:
        """Like `TrackedMarkers.follow`, but it can only report a shift, not correct it."""
        self._frames_since_check += 1
        if self._frames_since_check >= _SHORT_INTERVAL:
            self._frames_since_check, self._problem = 0, tr(_SHIFTED) if self._texture.has_shifted(gray) else ""
        return (), self._problem or None


class TrackedMarkers:
    """A calibration by markers, and the state needed to keep it valid."""

    def __init__(
        self, gray: ImageGray, start: CalibrationResult, prints: CalibrationTargets, lens: Lens | None
    ) -> None:
        self.calibration = start.calibration
        self.set_aside = start.set_aside
        self._prints, self._lens = prints, lens
        self._scale = times_full_hd(gray.shape)
        self._table = start.calibration  # markers' places and lens with their uncertainty, independent of the pose
        self._pose_ids: frozenset[int] | None = None  # markers of the current pose, once it was solved again
        self._before = (gray, start.calibration.camera)
        self._detections = [start.detections]
        self._bump_frames_left = 0  # frames at rest until another bump is reported
        self.displaced: dict[int, FloatArray] = {}
        self.frames_since_search, self.frames_unseen, self._search_interval = 0, 0, _SHORT_INTERVAL
        self.expect(start.detections)

    def follow(self, gray: ImageGray) -> tuple[tuple[Drift, ...], str | None]:
        """The movements in this frame, and the current problem of the calibration (or None)."""
        check = self.tracker.check(gray)
        self.frames_unseen = 0 if check.corners_px else self.frames_unseen + 1
        self.frames_since_search += 1
        if any(shift > self.still_limit_px for shift in check.shift_px.values()) or self.search_is_due(check):
            self.frames_since_search = 0
            return self._search(gray)
        if self.frames_unseen:
            return (), tr(_NONE_SEEN)
        self._add_still_frame(gray)
        return (), None

    def add_distances(self, prints: CalibrationTargets) -> None:
        """Apply the distances measured since the last call."""
        for taped in prints.taped[len(self._prints.taped) :]:
            self.calibration = taped.sharpen(self.calibration)
        self._prints, self._table = prints, self.calibration
        if self._pose_ids is not None:
            self._freeze_table(self._detections[0])

    @property
    def still_limit_px(self) -> float:
        """Shift in pixels below which a marker counts as at rest."""
        return still_px(self._table, self._scale)

    def search_is_due(self, check: MarkerCheck) -> bool:
        """Whether the whole picture should be searched for markers in this frame."""
        if self.displaced:
            return True
        if self.frames_unseen:
            return self.frames_since_search >= min(_SHORT_INTERVAL, 1 + self.frames_unseen // 3)
        if not check.hidden:
            self._search_interval = _SHORT_INTERVAL
            return self.frames_since_search >= _LONG_INTERVAL
        if self.frames_since_search < self._search_interval:
            return False
        self._search_interval = min(_LONG_INTERVAL, 2 * self._search_interval)
        return True

    def _add_still_frame(self, gray: ImageGray) -> None:
        """Measure a frame without movement; recalibrate once `FRAMES` of them are collected."""
        self._bump_frames_left = max(0, self._bump_frames_left - 1)
        self._before = (gray, self.calibration.camera)
        if len(self._detections) >= FRAMES:
            return
        self._detections.append(redetect(gray, self._prints, self._detections[0]))
        if len(self._detections) == FRAMES:
            detections = combine_frames(self._detections)
            self.calibration = self._recalibrated(detections)
            self._before = (gray, self.calibration.camera)
            self.expect(detections)

    def _recalibrated(self, detections: Detections) -> Calibration:
        if self._pose_ids is None:
            result = fix(detections, self._prints, self._lens)
            self._table, self.set_aside = result.calibration, result.set_aside
            return result.calibration
        targets = known_targets(self._table, detections, self._prints)
        return solve_pose(self._table, [t for t in targets if self._pose_ids >= t.marks.keys()], detections.image_size)

    def _search(self, gray: ImageGray) -> tuple[tuple[Drift, ...], str | None]:
        """Search the whole picture for markers, and apply the movements found."""
        detections = see(gray, self._prints)
        try:
            assessment = assess_drift(
                self._table, self.calibration.camera, detections, self._prints, self._before, gray
            )
        except UserError as error:
            return (), str(error)
        if assessment is None:
            return (), tr(_UNCLEAR)
        drifts = self._apply_pose(assessment, detections)
        drifts += self._relocate(self._at_rest(assessment.displaced), detections)
        return drifts, tr(_NONE_SEEN) if not assessment.ids and not assessment.displaced else None

    def _apply_pose(self, assessment: DriftAssessment, detections: Detections) -> tuple[Drift, ...]:
        if assessment.calibration is None or assessment.what is None:
            if not assessment.displaced:
                self.expect(detections)
            return ()
        reported, self._bump_frames_left = self._bump_frames_left > 0, _BUMP_FRAMES
        self.calibration, self._pose_ids = assessment.calibration, assessment.ids
        self._detections = [detections]
        self.expect(detections)
        return () if reported else (Drift(assessment.what, assessment.shift_px),)

    def _at_rest(self, displaced: Mapping[int, FloatArray]) -> dict[int, FloatArray]:
        """The markers that have not moved since the previous search; the others wait for the next one."""
        before, self.displaced = self.displaced, dict(displaced)
        return {
            number: self.displaced.pop(number)
            for number, px in displaced.items()
            if number in before and float(np.abs(px - before[number]).max()) < self.still_limit_px
        }

    def _relocate(self, resting: Mapping[int, FloatArray], detections: Detections) -> tuple[Drift, ...]:
        """Store the new places of markers that came to rest."""
        if not resting:
            return ()
        self.calibration, drifts = relocate_markers(self.calibration, resting, self._prints)
        self._freeze_table(detections)
        self.expect(detections)
        return drifts

    def _freeze_table(self, detections: Detections) -> None:
        """Keep the current places: they depend on the current camera, so more frames would not improve them."""
        self._table, self._pose_ids = self.calibration, frozenset(self.calibration.markers_in)
        self._detections = [detections] * FRAMES

    def expect(self, detections: Detections) -> None:
        """Track the markers at the places of this sight, unseen ones at their predicted places."""
        places = {n: self.calibration.camera.table_to_pixel(c) for n, c in self.calibration.markers_in.items()}
        for number, seen in detections.corners_px.items():
            if number in places and float(np.abs(seen - places[number]).max()) < 2 * self.still_limit_px:
                places[number] = seen
        self.tracker: MarkerTracker = track_markers(places, self._prints.dictionary, detections.image_size)
