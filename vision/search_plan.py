"""Decides which parts of a frame are searched, and how many frames after a change."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from calibration.solve import Calibration
from vision.motion import SHRINK, Box, Motion
from vision.setup import Setup
from vision.silhouette import figure_scale
from vision.tracks import PositionIn
from vision.visits import Visits

SEARCHES = 8
"""Frames at rest that are searched after a change; the tracker averages over them. Then none until the next change."""
REPEAT_SEARCHES = 3
"""Frames that are searched when only the camera's pose has changed or improved: enough to report a move."""
PROPOSALS = 3
"""Frames after a change whose figures are grouped into armies; in each, the networks recognise other figures."""

_PROPOSAL_INTERVAL_S = 0.3  # between such frames while something moves: the next one shows other places
_MAX_SHARE = 0.3  # of the picture: above it the whole picture is searched
_MAX_PARTS = 6
_JOIN_PX = 8 * SHRINK  # parts closer than this are searched as one
_FEET_IN = 0.75
"""How far from a change the feet of a 54 mm figure may be; of one as bright as the table, only the shadow differs."""

Parts = tuple[Box, ...] | None
"""Parts of the picture to search; None for the whole picture."""


class SearchPlan:
    """Which parts of the next frames are searched.

    The whole picture is searched after a change of the setup or of the camera's pose, else only changed places.

    Attributes:
        parts_px: What the next search covers.
        searches_left: How many more frames are searched.
        proposals_left: In how many more frames the figures are grouped into armies.
        armies_reopened: Whether the armies have changed and the searches that decide every figure's army go on.
        visits: Where something has moved since each place was last searched at rest.
        whole_table_requested: Set to True by any thread to search the whole table from the next frame on.
    """

    def __init__(self) -> None:
        self.parts_px: Parts = None
        self.searches_left = SEARCHES
        self.proposals_left = 0
        self.armies_reopened = False
        self.visits = Visits()
        self.whole_table_requested = False
        self._searched_with: tuple[Calibration | None, Setup | None] = (None, None)
        self._searches_under_hand = 0
        self._last_proposal_s = -math.inf

    @property
    def ignores_hands(self) -> bool:
        """Whether places under a hand are searched too, because a search was requested."""
        return self._searches_under_hand > 0

    def restart(self) -> None:
        """Treat the next frame as the first one."""
        self._searched_with = (None, None)

    def begin_scene(self) -> None:
        """Search the whole next frame, where everything may have changed except the armies."""
        self.visits, self.searches_left = Visits(), SEARCHES
        self.repeat()

    def repeat(self) -> None:
        """Search the whole next frame although neither setup nor pose have changed."""
        self._searched_with = None, self._searched_with[1]

    def update(
        self,
        motion: Motion,
        calibration: Calibration | None,
        setup: Setup,
        undecided_in: Sequence[PositionIn],
        size_px: tuple[int, int],
        time_s: float,
    ) -> bool:
        """Plan the search of the next frame; returns whether the taught armies have changed.

        Args:
            motion: Motion in this frame.
            calibration: Calibration of this frame.
            setup: Setup for this frame.
            undecided_in: Positions where the tracker needs another search to decide.
            size_px: (width, height) of the frame.
            time_s: Time of the frame.
        """
        if not self.searches_left and not motion.changed_px:
            self.armies_reopened = False
            if motion.blocked is None:
                self.visits.clear()
        self.visits.add(motion, size_px)
        if (calibration, setup) != self._searched_with or self.whole_table_requested:
            return self._search_whole_table(calibration, setup)
        if motion.unsearched and motion.blocked is None and not self.searches_left:
            # A hand was there when the camera moved; what it did beyond the markers was not seen.
            self.visits.mark_everywhere()
            self.proposals_left = PROPOSALS
            self.searches_left, self.parts_px = SEARCHES, None
        elif calibration and not self.searches_left and self.is_proposing(setup, motion, time_s):
            self.searches_left, self.parts_px = 1, None
        else:
            changed_px = _with_feet(motion.changed_px, calibration, setup)
            undecided_px, at_rest = _boxes_px(undecided_in, calibration), motion.blocked is None
            self._search_changes(changed_px, undecided_px, size_px, at_rest=at_rest)
        return False

    def _search_whole_table(self, calibration: Calibration | None, setup: Setup) -> bool:
        requested, self.whole_table_requested = self.whole_table_requested, False
        setup_before = self._searched_with[1]
        is_new = setup is not setup_before or requested
        if is_new:
            self.visits.mark_everywhere()
        armies_changed = setup_before is None or setup_before.palette != setup.palette
        self.armies_reopened |= armies_changed
        self.proposals_left = PROPOSALS
        if requested:
            self._searches_under_hand = SEARCHES
        self._searched_with, self.parts_px = (calibration, setup), None
        self.searches_left = SEARCHES if is_new else max(self.searches_left, REPEAT_SEARCHES)
        return armies_changed

    def _search_changes(
        self, changed_px: tuple[Box, ...], undecided_px: tuple[Box, ...], size_px: tuple[int, int], *, at_rest: bool
    ) -> None:
        if changed_px:
            self.proposals_left = (
                PROPOSALS  # also while searches are left: the last proposal may be of the table before
            )
            unfinished = self.parts_px if self.searches_left else ()
            new_px = (*changed_px, *undecided_px)
            self.parts_px = None if unfinished is None else _joined_parts(new_px, unfinished, size_px)
            self.searches_left = SEARCHES
        elif undecided_px and not self.searches_left and at_rest:
            self.searches_left, self.parts_px = REPEAT_SEARCHES, _joined_parts(undecided_px, (), size_px)

    def is_proposing(self, setup: Setup, motion: Motion, time_s: float) -> bool:
        """Whether this frame's figures are grouped into armies."""
        if not self.proposals_left or setup.palette or not setup.propose:
            return False
        return motion.blocked is None or not 0 <= time_s - self._last_proposal_s < _PROPOSAL_INTERVAL_S

    def proposed(self, time_s: float, *, new_armies: bool) -> None:
        """Count one proposal. New armies are searched for in the whole picture until every figure's army is decided."""
        self.proposals_left, self._last_proposal_s = self.proposals_left - 1, time_s
        if new_armies:
            self.armies_reopened = True
            self.searches_left, self.parts_px = SEARCHES, None

    def searched(self) -> None:
        """Count one search of the planned parts."""
        self.searches_left -= 1
        self.visits.searched(self.parts_px)
        self._searches_under_hand = max(0, self._searches_under_hand - 1)


def _with_feet(changed_px: tuple[Box, ...], calibration: Calibration | None, setup: Setup) -> tuple[Box, ...]:
    """Boxes around changes, enlarged by the places where the figures that caused them may stand."""
    if calibration is None or not changed_px:
        return changed_px
    camera, reach_in = calibration.camera, _FEET_IN * figure_scale(setup.figure_height_in)
    enlarged = []
    for left, top, right, bottom in changed_px:
        x_in, y_in = camera.pixel_to_table([((left + right) / 2, (top + bottom) / 2)])[0]
        px_per_in = camera.px_per_inch(x_in, y_in) if math.isfinite(x_in) else 0.0
        margin = math.ceil(reach_in * px_per_in) if math.isfinite(px_per_in) else 0
        enlarged.append((left - margin, top - margin, right + margin, bottom + margin))
    return tuple(enlarged)


def _boxes_px(positions_in: Sequence[PositionIn], calibration: Calibration | None) -> tuple[Box, ...]:
    """A small box in the picture around each position."""
    if calibration is None or not positions_in:
        return ()
    feet_px = calibration.camera.table_to_pixel(np.array(positions_in)).round().astype(int)
    return tuple((x - SHRINK, y - SHRINK, x + SHRINK, y + SHRINK) for x, y in feet_px.tolist())


def _joined_parts(new_px: Sequence[Box], unfinished_px: Sequence[Box], size_px: tuple[int, int]) -> Parts:
    """Boxes to search, with a margin, neighbours joined; None for the whole picture if that is not much more."""
    width, height = size_px
    apart: list[Box] = []
    for left, top, right, bottom in (*unfinished_px, *new_px):
        box = (max(0, left - SHRINK), max(0, top - SHRINK), min(width, right + SHRINK), min(height, bottom + SHRINK))
        while (other := next((one for one in apart if _are_neighbours(one, box)), None)) is not None:
            apart.remove(other)
            box = (*np.minimum(box[:2], other[:2]).tolist(), *np.maximum(box[2:], other[2:]).tolist())
        apart.append(box)
    area_px2 = sum((right - left) * (bottom - top) for left, top, right, bottom in apart)
    is_large = area_px2 > _MAX_SHARE * width * height
    return None if is_large or len(apart) > _MAX_PARTS else tuple(apart)


def _are_neighbours(one: Box, other: Box) -> bool:
    return all(one[k] < other[k + 2] + _JOIN_PX and other[k] < one[k + 2] + _JOIN_PX for k in (0, 1))
