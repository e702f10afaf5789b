"""One frame in, one view of the table out: calibration kept up, figures found and named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
from shapely.geometry import Point, Polygon

from calibration.calibration_targets import Prints
from calibration.calibration_tracker import Keeper
from calibration.camera import Lens, TableCamera
from calibration.drift import Drift, Moved
from calibration.marker_issue import Trouble
from calibration.opencv import cv2
from calibration.solve import Calibration
from rules.tabletop.errors import UserError
from rules.tabletop.table import STANDING_HEIGHT_IN, Figure, FloatArray, Outline, TerrainPiece
from vision.area import played_area, seen_area, table_area
from vision.examples import Appearance, Examples
from vision.figures import Finder, Sighting
from vision.frame import Frame, ImageBgr
from vision.motion import SHRINK, Box, Motion, MotionDetector
from vision.palette import Palette, nearly_one_colour
from vision.patch_memory import AppearanceMemory
from vision.relabelling import relabelled
from vision.separation import Separation
from vision.silhouette import figure_scale
from vision.tracking import PlaceIn, Scope, Tracker, Tracking, Tracks
from vision.visits import Visits


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """What the player has told the program about the table.

    Attributes:
        prints: The markers that lie on it.
        lens: Lens profile, or None to find the lens along with the pose.
        palette: The armies' colours, taught by clicks.
        propose: Whether figures are grouped into armies by colour while none is taught.
        reference_bgr: The empty table, (height, width, 3), from the same camera.
        reference_camera: Where that hung then, if the picture is of an earlier evening; else it is seen to.
        terrain: Pieces that stand on it.
        figure_height_in: Height of a standing figure.
        aside_px: Parts of the picture that are not played on, as a dice tray: nobody stands there, and what moves
            there is no news.
        area_in: The part of the table that is played on, convex, in the table's frame: nobody is found more than an
            inch beyond it. None for all of it.
        examples: Figures that were confirmed or corrected, which sway postures and armies of those like them.
    """

    prints: Prints = field(default_factory=Prints)
    lens: Lens | None = None
    palette: Palette = ()
    propose: bool = False
    reference_bgr: ImageBgr | None = None
    reference_camera: TableCamera | None = None
    terrain: tuple[TerrainPiece, ...] = ()
    figure_height_in: float = STANDING_HEIGHT_IN
    aside_px: tuple[Box, ...] = ()
    area_in: Outline | None = None
    examples: Examples = field(default_factory=Examples)

    def __post_init__(self) -> None:
        if not 0.3 <= self.figure_height_in <= 12:
            raise UserError(f"a standing figure of {self.figure_height_in:g} in cannot be: give its height in inches")


class Hand(StrEnum):
    """What a hand over the table does."""

    IN = "hand_in"
    OUT = "hand_out"


class Waiting(StrEnum):
    """Why part of the table is not searched."""

    HAND = "hand"
    MOTION = "motion"


@dataclass(frozen=True, slots=True, eq=False)
class TableView:
    """What one picture shows: a snapshot that no later frame changes.

    Attributes:
        frame: The picture.
        calibration: How its pixels become inches; None while no marker was ever measured.
        tracking: The figures with their ids, and what happened to them in this frame.
        drifts: What was found to have been moved in this frame: camera, table or markers.
        set_aside: Markers that were seen and are not measured by, with the reason.
        problem: Why inches are not to be had or not to be trusted now, as a sentence; None when all is well.
        waiting: Why part of the table is not searched now; there the figures are those of before.
        hand: Whether a hand came in or went out with this frame.
        reference_camera: Where the picture of the empty table was taken from, in today's inches; None without one.
        separations: How well the armies were told apart, and from the table, when all of it was last searched.
        proposed: The armies found by grouping the figures by colour, while none is taught.
        appearances: What the figures looked like when last seen, by the camera's names.
    """

    frame: Frame
    calibration: Calibration | None
    tracking: Tracking
    drifts: tuple[Drift, ...] = ()
    set_aside: tuple[Trouble, ...] = ()
    problem: str | None = None
    waiting: Waiting | None = None
    hand: Hand | None = None
    reference_camera: TableCamera | None = None
    separations: tuple[Separation, ...] = ()
    proposed: Palette = ()
    appearances: Mapping[str, Appearance] = field(default_factory=dict)

    @property
    def frozen(self) -> bool:
        """Whether part of the table is not searched now."""
        return self.waiting is not None

    @property
    def camera_moved(self) -> bool:
        """Whether the camera was found in another place over the table than it had been."""
        return _camera_moved(self.drifts)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures that are seen now."""
        return self.tracking.figures


def _waiting(motion: Motion) -> Waiting | None:
    if motion.hand:
        return Waiting.HAND
    return Waiting.MOTION if motion.moving else None


def _camera_moved(drifts: Sequence[Drift]) -> bool:
    return any(drift.what is not Moved.MARKER for drift in drifts)


_ENOUGH_OF_PICTURE = 0.15
_MUCH_OF_PICTURE = 0.3
_MANY_PARTS = 6
LOOKS = 8
"""So many pictures at rest are searched after a change; the tracker averages over them. Then none until the next."""
LOOKS_AGAIN = 3
"""So many where only the camera's place is another, or better known: as many as a move needs to be told."""
START_S, LONGEST_START_S = 0.7, 3.0
"""A camera's first pictures are still finding their exposure: what changes in them has not moved. The second is the
longest that is waited for the light to rest."""
Part = tuple[Box, ...] | None
"""Where figures are looked for: everywhere if None."""


@dataclass(frozen=True, slots=True, eq=False)
class _Empty:
    """The picture of the empty table, and where the camera hung when it was taken.

    Attributes:
        picture_bgr: None while there is none.
        camera: As well as it is known; None for where it hangs now.
        bumped: Whether it hangs elsewhere by now.
    """

    picture_bgr: ImageBgr | None = None
    camera: TableCamera | None = None
    bumped: bool = False

    def after(self, setup: Setup, camera: TableCamera | None, moved: bool) -> _Empty:
        """The same after a frame; `moved` where this frame found the camera elsewhere."""
        if setup.reference_bgr is not self.picture_bgr:
            earlier = setup.reference_camera is not None
            return _Empty(setup.reference_bgr, setup.reference_camera if earlier else camera, bumped=earlier)
        if self.bumped or moved:
            return replace(self, bumped=True)
        return replace(self, camera=camera)


class Pipeline:
    """Looks at the frames of one source in order; keeps the calibration and the figures' names between them.

    Figures are looked for after something changed: on the table, in the set-up or in the camera's place. While a hand
    is in the picture nothing is concluded, and while all rests nothing is searched again.
    """

    def __init__(self) -> None:
        self._keeper = Keeper()
        self._tracker = Tracker()
        self._likenesses = AppearanceMemory()
        self._finder = Finder()
        self._motion = MotionDetector()
        self._visits = Visits()
        self._armies_open = False
        self._pinned: frozenset[str] = frozenset()
        self._search_now = False
        self._unheld_looks_left = 0
        self._proposal_due = False
        self._proposed_before: Palette = ()
        self._start_s: float | None = None
        self._proposed_at_start = False
        self._starting = True
        self._table: tuple[Calibration, Setup, Outline] | None = None
        self._asked: tuple[Calibration | None, Setup | None] = (None, None)
        self._looks_left = LOOKS
        self._where: Part = None
        self._empty = _Empty()
        self._known = Tracking()
        self._hand_in = False
        self._camera: TableCamera | None = None
        self._told: Tracks | None = None

    def know(self, tracks: Tracks) -> None:
        """From the next frame on, take these for who is known; may be called while another thread looks."""
        self._told = tracks

    def pin(self, ids: frozenset[str]) -> None:
        """Leave the armies of these figures as they are, whatever colours are taught; may be called from a thread."""
        self._pinned = ids

    def search_now(self) -> None:
        """Search the whole table from the next frame on; may be called from another thread."""
        self._search_now = True

    def look(self, frame: Frame, setup: Setup) -> TableView:
        """Everything that this frame shows.

        Raises:
            UserError: if the reference is a picture of another size.
        """
        if (told := self._told) is not None:
            self._told, self._tracker, self._asked = None, Tracker(tracks=told), (None, None)
        gray = frame.gray()
        kept = self._keeper.look(gray, setup.prints, setup.lens)
        self._follow(kept.calibration, frame)
        self._empty = self._empty.after(setup, self._camera, _camera_moved(kept.drifts))
        table_px = None if kept.calibration is None else self._table_px(frame, kept.calibration, setup)
        motion = self._motion.look(gray, frame.time_s, setup.aside_px, table_px)
        starting = self._is_starting(frame, setup, motion)
        waiting = _waiting(motion) if self._known.figures else None
        self._take_up(motion, kept.calibration, setup, frame.size_px)
        tracking = replace(self._known, events=(), renamed=())
        if self._looks_left and not (motion.unsteady and self._known.figures):
            self._motion.searched()
            tracking = self._known = self._searched(frame, kept.calibration, setup, motion)
            if starting:
                tracking = replace(tracking, events=())
            self._looks_left -= 1
            self._visits.searched(self._where)
            self._unheld_looks_left = max(0, self._unheld_looks_left - 1)
        return TableView(
            frame,
            kept.calibration,
            tracking,
            kept.drifts,
            kept.set_aside,
            kept.problem,
            waiting,
            self._hand_moved(motion),
            self._empty.camera if setup.reference_bgr is not None else None,
            self._finder.separations if setup.palette or setup.propose else (),
            () if setup.palette else self._palette_of(setup),
            self._tracker.appearances,
        )

    def _is_starting(self, frame: Frame, setup: Setup, motion: Motion) -> bool:
        """Whether this is one of the first pictures; what was proposed from them is proposed anew after the last."""
        self._start_s = frame.time_s if self._start_s is None else self._start_s
        since_s = frame.time_s - self._start_s
        was, self._starting = self._starting, since_s < (LONGEST_START_S if motion.unsteady else START_S)
        if was and not self._starting and frame.index > 0 and setup.propose and not setup.palette:
            self._proposed_at_start = True
            self._asked = None, self._asked[1]
        return self._starting

    def _take_up(self, motion: Motion, calibration: Calibration | None, setup: Setup, size_px: tuple[int, int]) -> None:
        """Look again, and where: everywhere for another set-up or camera's place, else where something is new."""
        if not self._looks_left and not motion.places_px:
            self._armies_open = False
            if motion.held is None:
                self._visits.settle()
        self._visits.add(motion, size_px)
        before, asked = self._asked, (calibration, setup)
        if asked != before or self._search_now:
            if setup is not before[1] or self._search_now:
                self._visits.everywhere()
            if before[1] is None or before[1].palette != setup.palette:
                self._armies_open = True
                self._tracker.reopen_armies()
            self._proposal_due = True
            looks = LOOKS if setup is not before[1] or self._search_now else max(self._looks_left, LOOKS_AGAIN)
            if self._search_now:
                self._unheld_looks_left = LOOKS
            self._asked, self._looks_left, self._where, self._search_now = asked, looks, None, False
        elif motion.unseen and motion.held is None and not self._looks_left:
            # A hand was there when the camera was moved; what it did beyond the markers was not seen.
            self._visits.everywhere()
            self._proposal_due = True
            self._looks_left, self._where = LOOKS, None
        elif calibration and not self._looks_left and self._is_proposing(setup, motion):  # a hand was there
            self._looks_left, self._where = LOOKS, None
        else:
            self._look_where_something_is_new(motion, calibration, size_px)

    def _look_where_something_is_new(
        self, motion: Motion, calibration: Calibration | None, size_px: tuple[int, int]
    ) -> None:
        undecided_px = self._undecided_px(calibration)
        if motion.places_px:
            self._proposal_due |= not self._looks_left
            still = self._where if self._looks_left else ()
            self._where = None if still is None else _parts((*motion.places_px, *undecided_px), still, size_px)
            self._looks_left = LOOKS
        elif undecided_px and not self._looks_left and motion.held is None:
            self._looks_left, self._where = LOOKS_AGAIN, _parts(undecided_px, (), size_px)

    def _undecided_px(self, calibration: Calibration | None) -> tuple[Box, ...]:
        """Where somebody has gone or come, and another look will tell who."""
        places_in = self._tracker.undecided_in
        if calibration is None or not places_in:
            return ()
        feet_px = calibration.camera.table_to_pixel(np.array(places_in)).round().astype(int)
        return tuple((x - SHRINK, y - SHRINK, x + SHRINK, y + SHRINK) for x, y in feet_px.tolist())

    def _is_proposing(self, setup: Setup, motion: Motion) -> bool:
        """Whether this picture's figures are to be grouped into armies: hands and sleeves have colours too."""
        return self._proposal_due and setup.propose and not setup.palette and motion.held is None

    def _searched(self, frame: Frame, calibration: Calibration | None, setup: Setup, motion: Motion) -> Tracking:
        """The figures where they are to be looked for, folded into what is known of all."""
        if calibration is None:
            return self._tracker.update(())
        camera = calibration.camera
        proposing = self._is_proposing(setup, motion)
        if proposing and self._proposed_at_start and not motion.hand:
            self._finder.forget_proposed()
            self._proposed_at_start = False
        parts = None if proposing else self._where
        boxes: Sequence[Box | None] = (None,) if parts is None else parts
        found = [one for box in boxes for one in self._sightings(frame, calibration, setup, box, propose=proposing)]
        palette = self._palette_of(setup)
        if proposing and palette != self._proposed_before:
            self._armies_open = True
            self._tracker.reopen_armies()
            self._proposed_before = palette
        self._proposal_due &= not proposing and setup.propose and not setup.palette

        def seen_at(place_in: PlaceIn) -> tuple[float, float]:
            x, y = camera.table_to_pixel(place_in)[0]
            return float(x), float(y)

        def searched(place_in: PlaceIn) -> bool:
            x, y = seen_at(place_in)
            inside = parts is None or any(left <= x < right and top <= y < bottom for left, top, right, bottom in parts)
            return inside and (self._unheld_looks_left > 0 or not motion.holds(x, y))

        colours, scale = {colour.name: colour for colour in palette}, figure_scale(setup.figure_height_in)
        scope = Scope(
            searched=searched,
            visited=lambda place_in: self._visits.include(*seen_at(place_in)),
            touched=lambda place_in: self._visits.changed(
                *seen_at(place_in), scale * camera.px_per_inch(*place_in[:2], place_in[2])
            ),
            unchanged=lambda name: self._likenesses.unchanged(name, frame, camera),
            hidden=lambda place_in: motion.holds(*seen_at(place_in)),
            hand=motion.held is not None,
            alike=lambda one, other: (
                one == other
                or (one in colours and other in colours and nearly_one_colour(colours[one], colours[other]))
            ),
            armies=frozenset(colours),
            reopened=self._armies_open,
            pinned=self._pinned,
        )
        tracking = self._tracker.update([one for one in found if searched((one.x_in, one.y_in, one.z_in))], scope)
        self._likenesses.keep(frame, camera, [one for one in self._tracker.undoubted if searched(one[1])])
        return tracking

    def _table_in(self, frame: Frame, calibration: Calibration, setup: Setup) -> Outline:
        """Outline of the table in inches, as far as the picture tells where it ends."""
        if self._table is None or self._table[:2] != (calibration, setup):
            bare_bgr, camera = frame.image_bgr, calibration.camera
            if setup.reference_bgr is not None:  # no hand reaches over the empty table
                bare_bgr, camera = setup.reference_bgr, self._empty.camera or camera
            self._table = calibration, setup, table_area(camera, bare_bgr, _lying_there(calibration, setup))
        return self._table[2]

    def _table_px(self, frame: Frame, calibration: Calibration, setup: Setup) -> FloatArray:
        """(N, 2) outline, in pixels, of all that stands on the table; what moves beyond it is no news."""
        outline_in = np.array(self._table_in(frame, calibration, setup))
        heights_in = (0.0, setup.figure_height_in)
        points_in = np.vstack([np.c_[outline_in, np.full(len(outline_in), height_in)] for height_in in heights_in])
        points_px = calibration.camera.table_to_pixel(points_in)
        if not np.isfinite(points_px).all():  # behind the camera
            width, height = frame.size_px
            return np.array([[0.0, 0.0], [width, 0], [width, height], [0, height]])
        return np.asarray(cv2.convexHull(points_px.astype(np.float32))[:, 0], np.float64)

    def _palette_of(self, setup: Setup) -> Palette:
        """The armies that are looked for."""
        return setup.palette or (self._finder.proposed if setup.propose else ())

    def _follow(self, calibration: Calibration | None, frame: Frame) -> None:
        """Where the camera was moved, what is known of the picture moves along."""
        before, self._camera = self._camera, calibration.camera if calibration else None
        if calibration is None or before is None or self._camera is None or before is self._camera:
            return
        width, height = frame.size_px
        old_px = np.array([[0.2, 0.2], [0.8, 0.2], [0.8, 0.8], [0.2, 0.8]]) * (width, height)
        new_px = self._camera.table_to_pixel(np.c_[before.pixel_to_table(old_px), np.zeros(4)])
        if np.isfinite(new_px).all() and np.abs(new_px - old_px).max() > SHRINK / 4:
            way = cv2.getPerspectiveTransform(old_px.astype(np.float32), new_px.astype(np.float32))
            self._visits.turned(np.asarray(way))
            self._motion.turned(np.asarray(way), _between_markers_px(calibration, width * height))

    def _hand_moved(self, motion: Motion) -> Hand | None:
        was_in, self._hand_in = self._hand_in, motion.hand
        if was_in == self._hand_in:
            return None
        return Hand.IN if self._hand_in else Hand.OUT

    def _sightings(
        self, frame: Frame, calibration: Calibration, setup: Setup, within_px: Box | None, *, propose: bool
    ) -> tuple[Sighting, ...]:
        if not (setup.palette or setup.propose):
            return ()
        area_in = self._table_in(frame, calibration, setup)
        if setup.area_in is not None:
            played_in = played_area(setup.area_in, seen_area(calibration.camera, frame.image_bgr))
            if played_in is None:
                return ()
            area_in = played_in
        found = self._finder.find(
            frame.image_bgr,
            calibration.camera,
            setup.palette,
            figure_height_in=setup.figure_height_in,
            terrain=setup.terrain,
            reference_bgr=setup.reference_bgr,
            reference_camera=self._empty.camera,
            keep_out_in=marker_papers(calibration),
            aside_px=setup.aside_px,
            area_in=area_in,
            expected_in=[(x, y) for x, y, _ in self._tracker.places_in],
            within_px=within_px,
            propose=propose,
        )
        if setup.area_in is not None:  # a hill may reach beyond it
            found = tuple(one for one in found if Polygon(area_in).covers(Point(one.x_in, one.y_in)))
        if not found:
            return ()
        known = [*self._tracker.appearances.values()]
        found = relabelled(found, setup.examples, figure_scale(setup.figure_height_in), known)
        places = np.array([(s.x_in, s.y_in, s.z_in) for s in found])
        sigmas = np.hypot(calibration.sigma_in(places), [s.sigma_in for s in found])
        return tuple(
            replace(sighting, sigma_in=float(sigma))
            for sighting, sigma in zip(found, sigmas, strict=True)
            if np.isfinite(sigma)
        )


def _parts(new_px: Sequence[Box], still_px: Sequence[Box], size_px: tuple[int, int]) -> Part:
    """Boxes to search, with some room, those that touch as one; None for the whole picture if that is not much more."""
    width, height = size_px
    apart: list[Box] = []
    for left, top, right, bottom in (*still_px, *new_px):
        box = (max(0, left - SHRINK), max(0, top - SHRINK), min(width, right + SHRINK), min(height, bottom + SHRINK))
        while (other := next((one for one in apart if _touch(one, box)), None)) is not None:
            apart.remove(other)
            box = (*np.minimum(box[:2], other[:2]).tolist(), *np.maximum(box[2:], other[2:]).tolist())
        apart.append(box)
    whole = (
        sum((right - left) * (bottom - top) for left, top, right, bottom in apart) > _MUCH_OF_PICTURE * width * height
    )
    return None if whole or len(apart) > _MANY_PARTS else tuple(apart)


def _touch(one: Box, other: Box) -> bool:
    near = 8 * SHRINK
    return all(one[k] < other[k + 2] + near and other[k] < one[k + 2] + near for k in (0, 1))


def _between_markers_px(calibration: Calibration, picture_px2: int) -> FloatArray | None:
    """(N, 2) pixels round all markers, where they enclose enough of the picture to go by."""
    corners_in = np.concatenate([*calibration.markers_in.values()])
    corners_px = calibration.camera.table_to_pixel(np.c_[corners_in, np.zeros(len(corners_in))])
    hull = cv2.convexHull(corners_px.astype(np.float32))
    return hull[:, 0].astype(np.float64) if cv2.contourArea(hull) > _ENOUGH_OF_PICTURE * picture_px2 else None


def _lying_there(calibration: Calibration, setup: Setup) -> tuple[Outline, ...]:
    """Outlines of what is known to lie on the table: the markers' papers, or the rectangle that stands in for them."""
    if setup.prints.rectangle is None:
        return marker_papers(calibration)
    width, depth = setup.prints.rectangle.size_in
    return (((0.0, 0.0), (width, 0.0), (width, depth), (0.0, depth)),)


def marker_papers(calibration: Calibration) -> tuple[Outline, ...]:
    """Outlines in inches of the paper round each marker: its quiet zone is a sixth of the side or more."""
    papers = []
    for corners in calibration.markers_in.values():
        middle = corners.mean(0)
        papers.append(tuple((float(x), float(y)) for x, y in middle + (corners - middle) * 1.4))
    return tuple(papers)
