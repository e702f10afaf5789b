"""The view: what one frame shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from calibration.camera import TableCamera
from calibration.drift import Drift, Moved
from calibration.marker_issue import MarkerIssue
from calibration.solve import Calibration
from rules.tabletop.table import Figure
from vision.examples import Appearance
from vision.frame import Frame
from vision.palette import Palette
from vision.separation import Separation
from vision.tracks import Tracking


class HandEvent(StrEnum):
    """Whether a hand has reached over the table, or left it."""

    IN = "hand_in"
    OUT = "hand_out"


class Waiting(StrEnum):
    """Why part of the table is not searched."""

    HAND = "hand"
    MOTION = "motion"


@dataclass(frozen=True, slots=True, eq=False)
class TableView:
    """What one picture shows: a snapshot that later frames do not change.

    Attributes:
        frame: The picture.
        calibration: Converts pixels to inches; None until a marker has been measured.
        tracking: The figures with their ids, and the events of this frame.
        drifts: Movements of the camera, the table or markers that were detected in this frame.
        set_aside: Markers that are seen but not used for measuring, with the reason.
        problem: Why there are no inches, or why they cannot be trusted now, as a sentence; None when all is well.
        waiting: Why part of the table is not searched now; figures there are as last searched.
        hand: Whether a hand came in or went out with this frame.
        reference_camera: Pose from which the picture of the empty table was taken, in the current table coordinates;
            None without that picture.
        separations: How well the armies' colours separate from each other and from the table, as of the last search of
            the whole table.
        proposed: Armies found by grouping the figures by colour, while no army is taught.
        appearances: What each figure looked like when last seen, by its id.
    """

    frame: Frame
    calibration: Calibration | None
    tracking: Tracking
    drifts: tuple[Drift, ...] = ()
    set_aside: tuple[MarkerIssue, ...] = ()
    problem: str | None = None
    waiting: Waiting | None = None
    hand: HandEvent | None = None
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
        """Whether the camera was found to have moved relative to the table in this frame."""
        return is_camera_drift(self.drifts)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures that are seen now."""
        return self.tracking.figures


def is_camera_drift(drifts: Sequence[Drift]) -> bool:
    """Whether any of the drifts moved the camera relative to the table."""
    return any(drift.what is not Moved.MARKER for drift in drifts)
