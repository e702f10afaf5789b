"""The pipeline: one frame in, one view of the table out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial

import numpy as np
from shapely.geometry import Point, Polygon

from calibration.calibration_tracker import CalibrationTracker, TrackedCalibration
from calibration.camera import TableCamera
from calibration.opencv import cv2
from calibration.solve import Calibration
from rules.tabletop.table import PointIn
from vision.area import area_between
from vision.figure_search import Sighting
from vision.figures import Finder
from vision.frame import Frame
from vision.motion import SHRINK, Box, Motion, MotionDetector
from vision.palette import Palette, nearly_one_colour
from vision.patch_memory import PatchMemory
from vision.reference import ReferencePicture
from vision.relabelling import relabelled
from vision.scene_memory import SceneMemory
from vision.search_plan import Parts, SearchPlan
from vision.setup import Setup
from vision.silhouette import figure_scale
from vision.table_outline import TableOutline, marker_papers, markers_hull_px
from vision.table_view import HandEvent, TableView, Waiting, is_camera_drift
from vision.tracking import Tracker
from vision.tracks import PositionIn, SearchScope, Tracking, Tracks

START_S, _MAX_START_S = 0.7, 3.0
"""A camera adjusts its exposure during its first pictures, so changes in them are not reported as moves. The second is
the longest time to wait for steady light."""
_SAME_PLACE_IN = 0.5
"""A figure found again within this distance has not moved."""


class Pipeline:
    """Processes the frames of one source in order, and keeps the calibration and the tracks between them.

    Figures are searched after a change on the table, in the setup or in the camera's pose. Places under a hand are not
    searched, and a table at rest is not searched again.
    """

    def __init__(self) -> None:
        self._calibration_tracker = CalibrationTracker()
        self._tracker = Tracker()
        self._patches = PatchMemory()
        self._finder = Finder()
        self._motion = MotionDetector()
        self._plan = SearchPlan()
        self._outline = TableOutline()
        self._reference = ReferencePicture()
        self._tracking = Tracking()
        self._camera: TableCamera | None = None
        self._hand_in = False
        self._start_s: float | None = None
        self._unsteady_s = -math.inf
        self._start_searched = False
        self._starting = True
        self._proposed_at_start = False
        self._proposed_before: Palette = ()
        self._scene: int | None = None
        self._scenes = SceneMemory()
        # Set by other threads:
        self._restored: Tracks | None = None
        self._pinned: frozenset[str] = frozenset()

    def know(self, tracks: Tracks) -> None:
        """Replace the known figures by these from the next frame on; safe to call from another thread."""
        self._restored = tracks

    def pin(self, ids: frozenset[str]) -> None:
        """Keep the armies of these figures whatever colours are taught; safe to call from another thread."""
        self._pinned = ids

    def search_now(self) -> None:
        """Search the whole table from the next frame on; if no army is taught, group the figures again.

        Safe to call from another thread.
        """
        self._plan.whole_table_requested = True

    def process(self, frame: Frame, setup: Setup) -> TableView:
        """Process the next frame.

        Raises:
            UserError: If the picture of the empty table has another size than the frame.
        """
        if (restored := self._restored) is not None:
            self._restored, self._tracker = None, Tracker(tracks=restored)
            self._plan.restart()
        if frame.scene != self._scene:
            self._begin_scene(frame)
        gray = frame.gray()
        kept = self._calibration_tracker.update(gray, setup.prints, setup.lens)
        calibration = kept.calibration
        self._follow_camera(calibration, frame)
        self._reference = self._reference.after(setup, self._camera, is_camera_drift(kept.drifts))
        table_px = None
        if calibration is not None:
            table_px = self._outline.outline_px(frame, calibration, setup, self._reference.camera)
        motion = self._motion.detect(gray, frame.time_s, setup.aside_px, table_px)
        starting = self._is_starting(frame, setup, motion)
        waiting = _waiting(motion) if self._tracking.figures else None
        if self._plan.whole_table_requested:
            self._finder.forget_unseen(())
        if self._plan.update(motion, calibration, setup, self._tracker.undecided_in, frame.size_px, frame.time_s):
            self._tracker.reopen_armies()
            self._scenes.clear()
        tracking = replace(self._tracking, events=(), renamed=())
        if self._plan.searches_left and not (motion.light_changing and self._tracking.figures):
            self._motion.searched()
            tracking = self._tracking = self._search(frame, calibration, setup, motion)
            if starting:
                tracking = replace(tracking, events=())
            self._plan.searched()
            if frame.scene is not None:
                self._scenes.keep(frame.index, self._tracker.tracks)
        if starting and frame.scene:
            kept = replace(kept, drifts=())
        return self._view(frame, setup, kept, tracking, waiting, self._hand_event(motion))

    def _begin_scene(self, frame: Frame) -> None:
        """After a jump in a recording, search again without reporting what is different there.

        The figures get the ids back that they had there. If that place was never shown, they keep those of now.
        """
        before, self._scene = self._scene, frame.scene
        if before is None or frame.scene is None:
            return
        self._tracker = Tracker(tracks=self._scenes.at(frame.index, self._pinned) or self._tracker.tracks)
        self._motion = MotionDetector()
        self._plan.begin_scene()
        self._start_s, self._unsteady_s, self._starting, self._start_searched = None, -math.inf, True, False

    def _view(
        self,
        frame: Frame,
        setup: Setup,
        kept: TrackedCalibration,
        tracking: Tracking,
        waiting: Waiting | None,
        hand: HandEvent | None,
    ) -> TableView:
        return TableView(
            frame,
            kept.calibration,
            tracking,
            kept.drifts,
            kept.set_aside,
            kept.problem,
            waiting,
            hand,
            self._reference.camera if setup.reference_bgr is not None else None,
            self._finder.separations if setup.palette or setup.propose else (),
            () if setup.palette else self._current_palette(setup),
            self._tracker.appearances,
        )

    def _follow_camera(self, calibration: Calibration | None, frame: Frame) -> None:
        """After a movement of the camera, move what is known of the picture along with the table."""
        before, self._camera = self._camera, calibration.camera if calibration else None
        if calibration is None or before is None or self._camera is None or before is self._camera:
            return
        width, height = frame.size_px
        old_px = np.array([[0.2, 0.2], [0.8, 0.2], [0.8, 0.8], [0.2, 0.8]]) * (width, height)
        new_px = self._camera.table_to_pixel(np.c_[before.pixel_to_table(old_px), np.zeros(4)])
        if np.isfinite(new_px).all() and np.abs(new_px - old_px).max() > SHRINK / 4:
            homography = cv2.getPerspectiveTransform(old_px.astype(np.float32), new_px.astype(np.float32))
            old_to_new = np.asarray(homography, np.float64)
            self._plan.visits.follow_camera(old_to_new)
            self._motion.follow_camera(old_to_new, markers_hull_px(calibration, width * height))

    def _is_starting(self, frame: Frame, setup: Setup, motion: Motion) -> bool:
        """Whether this is one of a camera's first pictures. After the last one, armies are proposed again."""
        self._start_s = frame.time_s if self._start_s is None else self._start_s
        self._unsteady_s = frame.time_s if motion.light_changing else max(self._unsteady_s, self._start_s)
        since_s = frame.time_s - self._start_s
        if not self._start_searched and since_s >= (_MAX_START_S if motion.light_changing else START_S):
            self._start_searched = True
            if frame.index > 0 and not frame.scene and setup.propose and not setup.palette:
                self._proposed_at_start = True
                self._plan.repeat()
        self._starting &= frame.time_s - self._unsteady_s < START_S and since_s < _MAX_START_S
        return self._starting

    def _hand_event(self, motion: Motion) -> HandEvent | None:
        was_in, self._hand_in = self._hand_in, motion.hand
        if was_in == self._hand_in:
            return None
        return HandEvent.IN if self._hand_in else HandEvent.OUT

    def _current_palette(self, setup: Setup) -> Palette:
        return setup.palette or (self._finder.proposed if setup.propose else ())

    def _search(self, frame: Frame, calibration: Calibration | None, setup: Setup, motion: Motion) -> Tracking:
        """Search the planned parts and update the tracks."""
        if calibration is None:
            return self._tracker.update(())
        proposing = self._plan.is_proposing(setup, motion, frame.time_s)
        parts = None if proposing else self._plan.parts_px
        boxes: Sequence[Box | None] = (None,) if parts is None else parts
        found = [
            one for box in boxes for one in self._sightings(frame, calibration, setup, motion, box, propose=proposing)
        ]
        if proposing:
            if self._proposed_at_start and not motion.moving:
                self._finder.forget_unseen({one.army for one in found})
                self._proposed_at_start = False
            palette = self._current_palette(setup)
            if palette != self._proposed_before:
                self._tracker.reopen_armies()
            self._plan.proposed(frame.time_s, new_armies=palette != self._proposed_before)
            self._proposed_before = palette
        scope = self._search_scope(frame, calibration.camera, setup, motion, parts)
        tracking = self._tracker.update([one for one in found if scope.searched((one.x_in, one.y_in, one.z_in))], scope)
        searched = [one for one in self._tracker.unambiguous if scope.searched(one[1])]
        self._patches.keep(frame, calibration.camera, searched)
        if motion.blocked is None:
            self._patches.keep_table(frame, calibration.camera)
        return tracking

    def _search_scope(
        self, frame: Frame, camera: TableCamera, setup: Setup, motion: Motion, parts: Parts
    ) -> SearchScope:
        colours = {colour.name: colour for colour in self._current_palette(setup)}
        scale = figure_scale(setup.figure_height_in)
        visits = self._plan.visits
        pixel = cache(partial(_pixel, camera))

        def searched(position_in: PositionIn) -> bool:
            x, y = pixel(position_in)
            inside = parts is None or any(left <= x < right and top <= y < bottom for left, top, right, bottom in parts)
            return inside and (self._plan.ignores_hands or not motion.is_blocked(x, y))

        def changed(position_in: PositionIn) -> bool:
            px_per_in = camera.px_per_inch(*position_in[:2], position_in[2])
            x, y = pixel(position_in)
            return visits.changed(x, y, scale * px_per_in) or (
                visits.visited(x, y) and self._patches.changed(position_in, frame, camera)
            )

        def armies_alike(one: str, other: str) -> bool:
            known = one in colours and other in colours
            return one == other or (known and nearly_one_colour(colours[one], colours[other]))

        return SearchScope(
            searched=searched,
            visited=lambda position_in: visits.visited(*pixel(position_in)),
            changed=changed,
            patch_unchanged=lambda name: self._patches.unchanged(name, frame, camera),
            under_hand=lambda position_in: motion.is_blocked(*pixel(position_in)),
            hand_present=motion.blocked is not None,
            armies_alike=armies_alike,
            armies=frozenset(colours),
            armies_reopened=self._plan.armies_reopened,
            pinned=self._pinned,
        )

    def _sightings(
        self,
        frame: Frame,
        calibration: Calibration,
        setup: Setup,
        motion: Motion,
        within_px: Box | None,
        *,
        propose: bool,
    ) -> tuple[Sighting, ...]:
        """Figures in one part of the picture, with the calibration's error included in their sigma."""
        if not (setup.palette or setup.propose):
            return ()
        area_in = self._outline.search_area(frame, calibration, setup, self._reference.camera)
        if area_in is None:
            return ()
        places_in = [(x, y) for x, y, _ in self._tracker.positions_in]
        found = self._finder.find(
            frame.image_bgr,
            calibration.camera,
            setup.palette,
            figure_height_in=setup.figure_height_in,
            terrain=setup.terrain,
            reference_bgr=setup.reference_bgr,
            reference_camera=self._reference.camera,
            keep_out_in=marker_papers(calibration),
            aside_px=setup.aside_px,
            area_in=area_in,
            expected_in=places_in,
            within_px=within_px,
            propose=propose,
            hidden=lambda position_in: motion.is_blocked(*_pixel(calibration.camera, position_in)),
            known_in=places_in if motion.moving else (),
        )
        if setup.area_in is not None:  # a hill may extend beyond it
            found = tuple(one for one in found if Polygon(area_in).covers(Point(one.x_in, one.y_in)))
        if self._reference.bumped:
            found = _on_table(found, places_in, calibration)
        if not found:
            return ()
        known = [*self._tracker.appearances.values()]
        found = relabelled(found, setup.examples, figure_scale(setup.figure_height_in), known)
        positions = np.array([(s.x_in, s.y_in, s.z_in) for s in found])
        sigmas = np.hypot(calibration.sigma_in(positions), [s.sigma_in for s in found])
        return tuple(
            replace(sighting, sigma_in=float(sigma))
            for sighting, sigma in zip(found, sigmas, strict=True)
            if np.isfinite(sigma)
        )


def _on_table(
    found: tuple[Sighting, ...], places_in: Sequence[PointIn], calibration: Calibration
) -> tuple[Sighting, ...]:
    """The sightings between the papers in the table's corners, and those of figures that stood beyond them before.

    Beyond the papers the floor may be seen. It lies lower than the table, so once the camera has moved, it looks unlike
    the picture of the empty table.
    """
    between_in = area_between(marker_papers(calibration))
    if between_in is None:
        return found
    surely = Polygon(between_in)

    def stood_there(x_in: float, y_in: float) -> bool:
        return any(math.dist((x_in, y_in), place) < _SAME_PLACE_IN for place in places_in)

    return tuple(one for one in found if surely.covers(Point(one.x_in, one.y_in)) or stood_there(one.x_in, one.y_in))


def _pixel(camera: TableCamera, position_in: PositionIn) -> tuple[float, float]:
    x, y = camera.table_to_pixel(position_in)[0]
    return float(x), float(y)


def _waiting(motion: Motion) -> Waiting | None:
    if motion.hand:
        return Waiting.HAND
    return Waiting.MOTION if motion.moving else None
