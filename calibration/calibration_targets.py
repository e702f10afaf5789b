"""Calibration targets: the prints (or clicks) that the player describes, and the calibration of pictures of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from calibration.by_hand import Rectangle, TapeMeasurement
from calibration.camera import Lens, times_full_hd
from calibration.consensus import SUSPECT_PX, solve_without_outliers
from calibration.marker_issue import MarkerIssue, Reason, outline_of
from calibration.markers import (
    Board,
    ImageGray,
    SeenBoard,
    SeenMarker,
    dictionary_of,
    find_board,
    refit_marker,
    scan_markers,
)
from calibration.print_scale import TRUE_PRINT, PrintScale
from calibration.solve import Calibration, Target, laid_at, marker_square, place_of, solve
from rules.tabletop.errors import UserError, user_error
from rules.tabletop.table import FloatArray
from rules.tabletop.translation import tr

SHEET_SIDE_IN = 3.0
"""Side of the markers on the program's own sheet."""

_MEASURED_SIGMA, _UNMEASURED_SIGMA = 0.0025, 0.005
"""Relative standard deviation of the prints' size. A ruler is read to 0.25 mm in 100 mm. Without a measurement, most
printers set to 100 % are accurate to 0.5 %; some are off by 2 %, which is why the sheet has scales to measure."""

_LAYOUT_SIGMA_IN = 0.02
"""Standard deviation of a marker's place in a layout: half a millimetre, careful work with a steel rule."""

_STILL_PX = 1.0
"""At 1920 px across, a marker farther than this from its place in another frame was not at rest."""


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationTargets:
    """The calibration targets on the table, as described by the player.

    Attributes:
        side_in: Side of the single markers.
        dictionary: ArUco dictionary, such as "4X4_50".
        board: A ChArUco board instead of single markers.
        layout: Marker id -> (4, 2) corners on the table, if the places are known.
        scale: Measured lengths of the 100 mm scales on the sheet; None if not measured.
        rectangle: A clicked rectangle instead of markers.
        taped: Distances measured on the table, in pixels of the calibrated picture.

    Raises:
        UserError: if the side is out of range, or OpenCV has no such dictionary.
    """

    side_in: float = SHEET_SIDE_IN
    dictionary: str = "4X4_50"
    board: Board | None = None
    layout: Mapping[int, FloatArray] | None = None
    scale: PrintScale | None = None
    rectangle: Rectangle | None = None
    taped: tuple[TapeMeasurement, ...] = ()

    def __post_init__(self) -> None:
        if not 0.2 <= self.side_in <= 40:
            raise user_error(
                "a marker side of {side_in:g} in is out of range (0.2 to 40 in): enter the side of the"
                " printed black square in inches",
                side_in=self.side_in,
            )
        dictionary_of(self.dictionary)

    def adds_distances(self, before: CalibrationTargets) -> bool:
        """Whether these targets differ from `before` only by further measured distances."""
        count = len(before.taped)
        return len(self.taped) > count and self.taped[:count] == before.taped and self._marks == before._marks

    @property
    def unclicked(self) -> CalibrationTargets:
        """The targets without clicked pixels, which belong to one camera's picture."""
        return replace(self, rectangle=None, taped=())

    @property
    def _marks(self) -> tuple[object, ...]:
        return (self.side_in, self.dictionary, self.board, id(self.layout), self.scale, self.rectangle)

    @property
    def size_sigma(self) -> float:
        """Relative standard deviation of the prints' size."""
        return _MEASURED_SIGMA if self.scale else _UNMEASURED_SIGMA

    @property
    def square_in(self) -> FloatArray:
        """(4, 2) corners of a printed marker about its centre; not square if the printer scales unevenly."""
        return self._printed(marker_square(self.side_in))

    @property
    def board_marks_in(self) -> Mapping[int, FloatArray]:
        """Marker id -> (4, 2) corners on the printed board, in its own frame; empty without a board."""
        marks = self.board.marker_corners_in(self.dictionary) if self.board else {}
        return {number: self._printed(corners) for number, corners in marks.items()}

    def board_corners_in(self, ids: npt.NDArray[np.int32]) -> FloatArray:
        """(N, 2) inner corners of the printed board, in its own frame; empty without a board."""
        return self._printed(self.board.corners_in(ids)) if self.board else np.empty((0, 2))

    def _printed(self, drawn_in: FloatArray) -> FloatArray:
        return (self.scale or TRUE_PRINT).true_in(drawn_in)


@dataclass(frozen=True, slots=True, eq=False)
class Detections:
    """The targets detected in a picture.

    Attributes:
        image_size: (width, height) of the picture.
        corners_px: Id -> (4, 2) corners of the single markers.
        board: Inner corners of the board.
        set_aside: Markers that were seen but are unusable.
    """

    image_size: tuple[int, int]
    corners_px: Mapping[int, FloatArray]
    board: SeenBoard | None = None
    set_aside: tuple[MarkerIssue, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationResult:
    """A calibration and its input."""

    calibration: Calibration
    detections: Detections
    set_aside: tuple[MarkerIssue, ...]


def calibrate(gray: ImageGray, prints: CalibrationTargets, lens: Lens | None = None) -> Calibration:
    """Detect the targets in a picture and solve for the camera. Raises `UserError` like `fix`."""
    return fix(see(gray, prints), prints, lens).calibration


def see(gray: ImageGray, prints: CalibrationTargets) -> Detections:
    """Detect the targets in the whole picture."""
    size = (gray.shape[1], gray.shape[0])
    if prints.board:
        return Detections(size, {}, find_board(gray, prints.board, prints.dictionary))
    seen = scan_markers(gray, prints.dictionary)
    return Detections(size, {marker.id: marker.corners_px for marker in seen.found}, None, seen.set_aside)


def redetect(gray: ImageGray, prints: CalibrationTargets, before: Detections) -> Detections:
    """Detect the targets near their previous places; faster than `see` for single markers."""
    if prints.board:
        return see(gray, prints)
    refits: dict[int, SeenMarker | None] = {
        number: refit_marker(gray, corners, prints.dictionary, number) for number, corners in before.corners_px.items()
    }
    return replace(before, corners_px={number: seen.corners_px for number, seen in refits.items() if seen is not None})


def combine_frames(frames: Sequence[Detections]) -> Detections:
    """Combine the detections of several frames of a table at rest: each corner at the median of its places.

    A marker may be hidden in some frames. Frames in which it is away from its first place are ignored for that marker,
    because it was not at rest.
    """
    first = frames[0]
    still_px = _STILL_PX * times_full_hd(first.image_size)
    corners = _medians([detections.corners_px for detections in frames], still_px)
    boards = [
        {int(i): px[None] for i, px in zip(detections.board.ids, detections.board.corners_px, strict=True)}
        for detections in frames
        if detections.board is not None
    ]
    inner = _medians(boards, still_px)
    board = SeenBoard(np.array([*inner], np.int32), np.concatenate([*inner.values()])) if inner else None
    return Detections(first.image_size, corners, board, first.set_aside)


def _medians(places_px: Sequence[Mapping[int, FloatArray]], still_px: float) -> dict[int, FloatArray]:
    seen: dict[int, list[FloatArray]] = {}
    for places in places_px:
        for number, px in places.items():
            before = seen.setdefault(number, [])
            if not before or float(np.abs(px - before[0]).max()) < still_px:
                before.append(px)
    return {number: np.asarray(np.median(all_px, axis=0)) for number, all_px in sorted(seen.items())}


def fix(detections: Detections, prints: CalibrationTargets, lens: Lens | None = None) -> CalibrationResult:
    """Solve for the camera; a marker that contradicts the others is set aside.

    Raises:
        UserError: see `solve`; also if all seen markers are unusable, none belongs to the layout, or a measured
            distance contradicts them.
    """
    targets = _board_target(detections, prints) if prints.board else _marker_targets(detections, prints)
    if not targets and detections.set_aside:
        raise UserError(detections.set_aside[0].sentence)
    suspect_px = SUSPECT_PX * max(1.0, times_full_hd(detections.image_size))
    calibration, out = solve_without_outliers(
        targets, lambda kept: solve(kept, detections.image_size, lens, prints.size_sigma), suspect_px
    )
    misfits = tuple(_misfit(calibration, target, prints) for target in out)
    for taped in prints.taped:
        calibration = taped.sharpen(calibration)
    return CalibrationResult(calibration, detections, (*detections.set_aside, *misfits))


def _marker_targets(detections: Detections, prints: CalibrationTargets) -> list[Target]:
    square = prints.square_in
    layout = prints.layout or {}
    if layout and detections.corners_px and not any(number in layout for number in detections.corners_px):
        raise user_error(
            "none of the markers in the layout ({markers}) is in the picture: check the layout file and the dictionary",
            markers=", ".join(map(str, sorted(layout))),
        )
    targets = []
    for number, corners_px in detections.corners_px.items():
        known = layout.get(number)
        if known is not None:
            _check_side(number, known, prints.side_in)
        place = place_of(square, known) if known is not None else None
        place_sigma_in = 0.0 if place is None else _LAYOUT_SIGMA_IN
        targets.append(Target(square, corners_px, {number: square}, place, place_sigma_in=place_sigma_in))
    return targets


def _check_side(number: int, corners_in: FloatArray, side_in: float) -> None:
    side = _side(corners_in)
    if not 0.98 < side / side_in < 1.02:
        raise user_error(
            "marker {number} has a side of {side:.3g} in in the layout file, but the marker side is"
            " set to {side_in:.3g} in: set it to the printed side",
            number=number,
            side=side,
            side_in=side_in,
        )


def _side(corners: FloatArray) -> float:
    return float(np.linalg.norm(np.roll(corners, -1, 0) - corners, axis=1).mean())


def _misfit(calibration: Calibration, target: Target, prints: CalibrationTargets) -> MarkerIssue:
    """Why a marker contradicts the others: it has another size if its corners form a square on their table."""
    (number,) = target.marks
    on_table = calibration.camera.pixel_to_table(target.seen_px)
    side = _side(on_table)
    square = prints.square_in * (side / prints.side_in)
    off_square = float(np.abs(laid_at(square, place_of(square, on_table)) - on_table).max())
    outline = outline_of(target.seen_px)
    if abs(side - prints.side_in) / 2 > off_square:
        sentence = tr(
            "marker {number} is not used, because its side is {side:.2f} in instead of {side_in:g}"
            " in: print all markers at one size, and lay them directly on the table",
            number=number,
            side=side,
            side_in=prints.side_in,
        )
        return MarkerIssue(outline, Reason.WRONG_SIDE, sentence, number)
    sentence = tr(
        "marker {number} is not used, because it does not lie flat like the others: press it down", number=number
    )
    return MarkerIssue(outline, Reason.NOT_FLAT, sentence, number)


def _board_target(detections: Detections, prints: CalibrationTargets) -> list[Target]:
    seen = detections.board
    if seen is None:
        return []
    marks = prints.board_marks_in
    known = [number for number in marks if number in (prints.layout or {})]
    place, place_sigma_in = None, 0.0
    if known and prints.layout:
        place_sigma_in = _LAYOUT_SIGMA_IN
        place = place_of(np.concatenate([marks[n] for n in known]), np.concatenate([prints.layout[n] for n in known]))
    corners = prints.board_corners_in(seen.ids)
    return [Target(corners, seen.corners_px, marks, place, place_sigma_in=place_sigma_in)]
