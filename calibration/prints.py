"""What was printed and laid on the table, and the calibration of pictures that show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.camera import Lens
from calibration.consensus import SUSPECT_PX, agreeing
from calibration.markers import (
    Board,
    ImageGray,
    SeenBoard,
    SeenMarker,
    dictionary_of,
    find_board,
    refit_marker,
    sort_markers,
)
from calibration.solve import Calibration, Target, marker_square, place_of, solve
from calibration.trouble import Reason, Trouble, outline_of
from rules.table import FloatArray, Refused

SHEET_SIDE_IN = 3.0
"""Side of the markers on the program's own sheet."""

_STILL_PX = 1.0
"""At 1920 px across, a marker this far from where another frame saw it was not at rest."""


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


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """What of the prints was seen.

    Attributes:
        image_size: (width, height) of the picture.
        corners_px: Id -> (4, 2) of the single markers.
        board: Inner corners of the board.
        set_aside: Markers that were seen and cannot be measured by.
    """

    image_size: tuple[int, int]
    corners_px: Mapping[int, FloatArray]
    board: SeenBoard | None = None
    set_aside: tuple[Trouble, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Fix:
    """A calibration and what it rests on.

    Attributes:
        calibration: The camera, and the markers' places.
        sight: Where the markers were seen.
        set_aside: Markers that were seen and left out, with the reason.
    """

    calibration: Calibration
    sight: Sight
    set_aside: tuple[Trouble, ...]


def calibrate(gray: ImageGray, prints: Prints, lens: Lens | None = None) -> Calibration:
    """Find the prints in a picture and solve for the camera.

    Raises:
        Refused: see `fix`.
    """
    return fix(see(gray, prints), prints, lens).calibration


def see(gray: ImageGray, prints: Prints) -> Sight:
    """Look for the prints in the whole picture."""
    size = (gray.shape[1], gray.shape[0])
    if prints.board:
        return Sight(size, {}, find_board(gray, prints.board, prints.dictionary))
    seen = sort_markers(gray, prints.dictionary)
    return Sight(size, {marker.id: marker.corners_px for marker in seen.found}, None, seen.set_aside)


def see_again(gray: ImageGray, prints: Prints, before: Sight) -> Sight:
    """Look for the prints where they were seen before; quicker than `see` for single markers."""
    if prints.board:
        return see(gray, prints)
    refits: dict[int, SeenMarker | None] = {
        number: refit_marker(gray, corners, prints.dictionary, number) for number, corners in before.corners_px.items()
    }
    return replace(before, corners_px={number: seen.corners_px for number, seen in refits.items() if seen is not None})


def together(sights: Sequence[Sight]) -> Sight:
    """One sight of several frames of a table at rest, each corner at the median of its places.

    A marker that a hand hid in some frames is there; in frames that saw it elsewhere than the first that saw it, it
    was not at rest, and they do not count for it.
    """
    first = sights[0]
    corners = _medians([sight.corners_px for sight in sights], _STILL_PX * max(first.image_size) / 1920)
    boards = [
        {int(i): px[None] for i, px in zip(sight.board.ids, sight.board.corners_px, strict=True)}
        for sight in sights
        if sight.board is not None
    ]
    inner = _medians(boards, _STILL_PX * max(first.image_size) / 1920)
    board = SeenBoard(np.array([*inner], np.int32), np.concatenate([*inner.values()])) if inner else None
    return Sight(first.image_size, corners, board, first.set_aside)


def _medians(places_px: Sequence[Mapping[int, FloatArray]], still_px: float) -> dict[int, FloatArray]:
    seen: dict[int, list[FloatArray]] = {}
    for places in places_px:
        for number, px in places.items():
            before = seen.setdefault(number, [px])
            if px is not before[0] and float(np.abs(px - before[0]).max()) < still_px:
                before.append(px)
    return {number: np.asarray(np.median(all_px, axis=0)) for number, all_px in sorted(seen.items())}


def fix(sight: Sight, prints: Prints, lens: Lens | None = None) -> Fix:
    """Solve for the camera from what was seen; a marker that contradicts all others is set aside.

    Raises:
        Refused: see `solve`; also if all markers that are seen are of no use, or none is of the layout.
    """
    targets = _board_target(sight, prints) if prints.board else _marker_targets(sight, prints)
    if not targets and sight.set_aside:
        raise Refused(sight.set_aside[0].sentence)
    suspect_px = SUSPECT_PX * max(1.0, max(sight.image_size) / 1920)
    calibration, out = agreeing(targets, lambda kept: solve(kept, sight.image_size, lens), suspect_px)
    misfits = tuple(_misfit(calibration, target, prints.side_in) for target in out)
    return Fix(calibration, sight, (*sight.set_aside, *misfits))


def laid_at(points_in: FloatArray, place: tuple[float, float, float]) -> FloatArray:
    """Points (N, 2) of a print on the table, turned and shifted to a place as `place_of` gives it."""
    x, y, turn = place
    c, s = np.cos(turn), np.sin(turn)
    return np.asarray(points_in @ np.array([[c, s], [-s, c]]) + (x, y))


def _marker_targets(sight: Sight, prints: Prints) -> list[Target]:
    square = marker_square(prints.side_in)
    layout = prints.layout or {}
    if layout and sight.corners_px and not any(number in layout for number in sight.corners_px):
        raise Refused(
            f"none of the layout's markers ({', '.join(map(str, sorted(layout)))}) is in the picture:"
            " check the layout file and the dictionary"
        )
    targets = []
    for number, corners_px in sight.corners_px.items():
        known = layout.get(number)
        if known is not None:
            _check_side(number, known, prints.side_in)
        place = place_of(square, known) if known is not None else None
        targets.append(Target(square, corners_px, {number: square}, place))
    return targets


def _check_side(number: int, corners_in: FloatArray, side_in: float) -> None:
    side = _side(corners_in)
    if not 0.98 < side / side_in < 1.02:
        raise Refused(
            f"the layout draws marker {number} {side:.3g} in a side, but the markers are said to be {side_in:.3g} in:"
            " give the printed side"
        )


def _side(corners: FloatArray) -> float:
    return float(np.linalg.norm(np.roll(corners, -1, 0) - corners, axis=1).mean())


def _misfit(calibration: Calibration, target: Target, side_in: float) -> Trouble:
    """Why a marker contradicts the others: its corners on their table show whether it is a square of another size."""
    (number,) = target.marks
    on_table = calibration.camera.pixel_to_table(target.seen_px)
    side = _side(on_table)
    square = marker_square(side)
    off_square = float(np.abs(laid_at(square, place_of(square, on_table)) - on_table).max())
    outline = outline_of(target.seen_px)
    if abs(side - side_in) / 2 > off_square:
        words = (
            f"marker {number} is {side:.2f} in a side where {side_in:g} in is expected, so it is not used:"
            " print all markers alike, and lay them on the table itself"
        )
        return Trouble(outline, Reason.WRONG_SIDE, words, number)
    words = f"marker {number} does not lie flat as the others do, so it is not used: press it down"
    return Trouble(outline, Reason.NOT_FLAT, words, number)


def _board_target(sight: Sight, prints: Prints) -> list[Target]:
    board, seen = prints.board, sight.board
    assert board is not None  # noqa: S101 - the caller asked
    if seen is None:
        return []
    marks = board.marker_corners_in(prints.dictionary)
    known = [number for number in marks if number in (prints.layout or {})]
    place = None
    if known and prints.layout:
        place = place_of(np.concatenate([marks[n] for n in known]), np.concatenate([prints.layout[n] for n in known]))
    return [Target(board.corners_in(seen.ids), seen.corners_px, marks, place)]
