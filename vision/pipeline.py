"""One frame in, one view of the table out: calibration kept up, figures found and named."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from calibration.camera import Lens
from calibration.markers import ImageGray
from calibration.opencv import cv2
from calibration.prints import Prints, calibrate, watch
from calibration.solve import Calibration
from rules.table import STANDING_HEIGHT_IN, Figure, Outline, Refused, TerrainPiece
from vision.figures import Finder, Sighting
from vision.frame import Frame, ImageBgr
from vision.palette import Palette
from vision.tracking import Tracker, Tracking

_SEARCH_EVERY = 10
"""Frames between searches of the whole picture while every marker is hidden."""


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """What the player has told the program about the table.

    Attributes:
        prints: The markers that lie on it.
        lens: Lens profile, or None to find the lens along with the pose.
        palette: The armies' colours, taught by clicks.
        reference_bgr: The empty table, (height, width, 3), from the same camera.
        terrain: Pieces that stand on it.
        figure_height_in: Height of a standing figure.
    """

    prints: Prints = field(default_factory=Prints)
    lens: Lens | None = None
    palette: Palette = ()
    reference_bgr: ImageBgr | None = None
    terrain: tuple[TerrainPiece, ...] = ()
    figure_height_in: float = STANDING_HEIGHT_IN

    def __post_init__(self) -> None:
        if not 0.3 <= self.figure_height_in <= 12:
            raise Refused(f"a standing figure of {self.figure_height_in:g} in cannot be: give its height in inches")


@dataclass(frozen=True, slots=True, eq=False)
class TableView:
    """What one picture shows: a snapshot that no later frame changes.

    Attributes:
        frame: The picture.
        calibration: How its pixels become inches; None while no marker was ever measured.
        tracking: The figures with their ids, and what happened to them in this frame.
        camera_moved: Whether the camera was found in another place than in the frame before.
        problem: Why inches are not to be had or not to be trusted now, as a sentence; None when all is well.
    """

    frame: Frame
    calibration: Calibration | None
    tracking: Tracking
    camera_moved: bool = False
    problem: str | None = None

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures that are seen now."""
        return self.tracking.figures


class Pipeline:
    """Looks at the frames of one source in order; keeps the calibration and the figures' names between them."""

    def __init__(self) -> None:
        self._calibration: Calibration | None = None
        self._tracker = Tracker()
        self._finder = Finder()
        self._unseen = 0
        self._asked: tuple[Prints, Lens | None] | None = None

    def look(self, frame: Frame, setup: Setup) -> TableView:
        """Everything that this frame shows.

        Raises:
            Refused: if the reference is a picture of another size.
        """
        gray = np.asarray(cv2.cvtColor(frame.image_bgr, cv2.COLOR_BGR2GRAY), np.uint8)
        if self._asked != (setup.prints, setup.lens):
            self._asked, self._calibration, self._unseen = (setup.prints, setup.lens), None, 0
        before = self._calibration
        self._calibration, problem = self._calibrated(gray, setup)
        calibration = self._calibration
        sightings = self._sightings(frame, calibration, setup) if calibration else ()
        tracking = self._tracker.update(sightings)
        moved = before is not None and calibration is not before
        return TableView(frame, calibration, tracking, moved, problem)

    def _calibrated(self, gray: ImageGray, setup: Setup) -> tuple[Calibration | None, str | None]:
        """The calibration to use for this frame, and what is wrong with it."""
        known = self._calibration
        if known is None:
            return self._solved(gray, setup.prints, setup.lens)
        drift = watch(gray, known, setup.prints)
        self._unseen = 0 if drift.seen else self._unseen + 1
        if drift.seen and not drift.moved(gray.shape[1]):
            return known, None
        if drift.seen or self._unseen % _SEARCH_EVERY == 1:
            # The markers' places are known by now: only the camera is solved for, and positions on the table stay.
            moved, problem = self._solved(gray, replace(setup.prints, layout=known.markers_in), known.camera.lens)
            if moved is not None or drift.seen:
                return moved or known, problem
        return known, "no marker is in sight, so inches rest on where the camera was last seen to be: uncover one"

    def _solved(self, gray: ImageGray, prints: Prints, lens: Lens | None) -> tuple[Calibration | None, str | None]:
        try:
            return calibrate(gray, prints, lens), None
        except Refused as refusal:
            return None, str(refusal)

    def _sightings(self, frame: Frame, calibration: Calibration, setup: Setup) -> tuple[Sighting, ...]:
        if not setup.palette:
            return ()
        found = self._finder.find(
            frame.image_bgr,
            calibration.camera,
            setup.palette,
            figure_height_in=setup.figure_height_in,
            terrain=setup.terrain,
            reference_bgr=setup.reference_bgr,
            keep_out_in=marker_papers(calibration),
        )
        if not found:
            return ()
        places = np.array([(s.x_in, s.y_in, s.z_in) for s in found])
        sigmas = np.hypot(calibration.sigma_in(places), [s.sigma_in for s in found])
        return tuple(
            replace(sighting, sigma_in=float(sigma))
            for sighting, sigma in zip(found, sigmas, strict=True)
            if np.isfinite(sigma)
        )


def marker_papers(calibration: Calibration) -> tuple[Outline, ...]:
    """Outlines in inches of the paper round each marker: its quiet zone is a sixth of the side or more."""
    papers = []
    for corners in calibration.markers_in.values():
        middle = corners.mean(0)
        papers.append(tuple((float(x), float(y)) for x, y in middle + (corners - middle) * 1.4))
    return tuple(papers)
