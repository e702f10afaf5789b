"""What was printed and laid on the table, and the calibration of a picture that shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from calibration.camera import Lens
from calibration.markers import Board, ImageGray, dictionary_of, find_board, find_markers, refit_marker
from calibration.solve import Calibration, Target, marker_square, place_of, solve
from rules.table import FloatArray, Refused

SHEET_SIDE_IN = 3.0
"""Side of the markers on the program's own sheet."""

MOVED_PX = 1.5
"""At 1920 px across, a marker this far from its place has moved, or the camera has."""


@dataclass(frozen=True, slots=True, eq=False)
class Prints:
    """What the player says lies on the table.

    Attributes:
        side_in: Side of the single markers.
        dictionary: ArUco dictionary, as "4X4_50".
        board: A ChArUco board instead of single markers.
        layout: Marker id -> (4, 2) corners on the table, where the places are known.

    Raises:
        Refused: if the side cannot be, or OpenCV has no such dictionary.
    """

    side_in: float = SHEET_SIDE_IN
    dictionary: str = "4X4_50"
    board: Board | None = None
    layout: Mapping[int, FloatArray] | None = None

    def __post_init__(self) -> None:
        if not 0.2 <= self.side_in <= 40:
            raise Refused(f"a marker side of {self.side_in:g} in cannot be: give the printed black side in inches")
        dictionary_of(self.dictionary)


def calibrate(gray: ImageGray, prints: Prints, lens: Lens | None = None) -> Calibration:
    """Find the prints in the picture and solve for the camera.

    Raises:
        Refused: see `solve` and `find_markers`.
    """
    size = (gray.shape[1], gray.shape[0])
    targets = _board_target(gray, prints) if prints.board else _marker_targets(gray, prints)
    return solve(targets, size, lens)


@dataclass(frozen=True, slots=True)
class Drift:
    """How the markers of a calibrated table look now.

    Attributes:
        seen: How many are where they were, or near it.
        expected: How many there were.
        shift_px: Median distance from the expected places; 0 where none is seen.
    """

    seen: int
    expected: int
    shift_px: float

    def moved(self, image_width_px: int) -> bool:
        """Whether camera or markers are no longer where they were."""
        return self.seen > 0 and self.shift_px > MOVED_PX * image_width_px / 1920


def watch(gray: ImageGray, calibration: Calibration, prints: Prints) -> Drift:
    """Compare the markers with their expected places; cheap, since it looks only there."""
    shifts = []
    for number, corners_in in calibration.markers_in.items():
        expected = calibration.camera.table_to_pixel(corners_in)
        seen = refit_marker(gray, expected, prints.dictionary, number)
        if seen is not None:
            shifts.append(float(np.linalg.norm(seen.corners_px - expected, axis=1).mean()))
    return Drift(len(shifts), len(calibration.markers_in), float(np.median(shifts)) if shifts else 0.0)


def _marker_targets(gray: ImageGray, prints: Prints) -> list[Target]:
    square = marker_square(prints.side_in)
    seen = find_markers(gray, prints.dictionary)
    layout = prints.layout or {}
    if layout and seen and not any(marker.id in layout for marker in seen):
        raise Refused(
            f"none of the layout's markers ({', '.join(map(str, sorted(layout)))}) is in the picture:"
            " check the layout file and the dictionary"
        )
    targets = []
    for marker in seen:
        known = layout.get(marker.id)
        if known is not None:
            _check_side(marker.id, known, prints.side_in)
        place = place_of(square, known) if known is not None else None
        targets.append(Target(square, marker.corners_px, {marker.id: square}, place))
    return targets


def _check_side(number: int, corners_in: FloatArray, side_in: float) -> None:
    side = float(np.linalg.norm(np.roll(corners_in, -1, 0) - corners_in, axis=1).mean())
    if not 0.98 < side / side_in < 1.02:
        raise Refused(
            f"the layout draws marker {number} {side:.3g} in a side, but the markers are said to be {side_in:.3g} in:"
            " give the printed side"
        )


def _board_target(gray: ImageGray, prints: Prints) -> list[Target]:
    board = prints.board
    assert board is not None  # noqa: S101 - the caller asked
    seen = find_board(gray, board, prints.dictionary)
    if seen is None:
        return []
    marks = board.marker_corners_in(prints.dictionary)
    known = [number for number in marks if number in (prints.layout or {})]
    place = None
    if known and prints.layout:
        place = place_of(np.concatenate([marks[n] for n in known]), np.concatenate([prints.layout[n] for n in known]))
    return [Target(board.corners_in(seen.ids), seen.corners_px, marks, place)]
