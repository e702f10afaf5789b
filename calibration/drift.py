"""What was moved when markers are no longer where they were, and the calibration after it.

Told apart, as far as one camera can:
- One marker (or some) out of place and the others not: those were moved. Positions on the table stay.
- All as one rigid table seen from elsewhere: camera or table. On the table nothing tells which; what lies beyond it
  does (see `backdrop`). Either way the pose is solved again, while lens and markers' places stay as they were.
- All gone, but the rest of the picture stays: only the prints were moved, as one sheet is.
- Contradicting one another, or two visible ones that no pose explains: nobody can tell, and that is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from calibration.background_motion import Backdrop, backdrop
from calibration.calibration_targets import Prints, Sight
from calibration.camera import TableCamera, times_full_hd
from calibration.consensus import common_pose, misfit_px
from calibration.markers import ImageGray
from calibration.opencv import cv2
from calibration.solve import Calibration, Target, laid_at, place_of, solve
from rules.tabletop.table import FloatArray, PointIn

MOVED_PX = 0.5
"""At 1920 px across, a marker this far from its place is out of it; on a still table it shimmers by 0.03."""

_ONE_TABLE_PX = 1.5
"""So far off, markers are still one table seen from elsewhere: the lens may not be known well."""

_SQUARE_OF_SIDE = 0.03  # a marker's corners so near to a square of its side are one that lies flat

_FEW = 6  # places of the backdrop below which it says nothing
_ALL, _SOME = 0.85, 0.2


class Moved(StrEnum):
    """What was moved."""

    CAMERA = "camera"
    TABLE = "table"
    EITHER = "camera or table"
    MARKER = "marker"


@dataclass(frozen=True, slots=True)
class Drift:
    """Camera, table or markers were moved.

    Attributes:
        what: Which; `CAMERA` also where a table that fills the picture was.
        shift_px: How far the markers went on the picture.
        ids: The markers that were moved on the table; of a moved camera or table none.
        from_in, to_in: Middle of the moved marker before and after, where it is one.
    """

    what: Moved
    shift_px: float
    ids: tuple[int, ...] = ()
    from_in: PointIn | None = None
    to_in: PointIn | None = None

    @property
    def sentence(self) -> str:
        """For people."""
        if self.what is Moved.MARKER:
            names = ", ".join(map(str, self.ids))
            return f"marker {names} was moved on the table; positions on the table stay"
        return f"the {self.what} was moved; the camera's place was found again, and positions on the table stay"


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """What a picture says about the markers.

    Attributes:
        calibration: As it is now; None where the camera is where it was.
        what: Was moved; None while all are where they were.
        ids: The markers that are where they belong on the table.
        loose: Id -> (4, 2) pixels of markers that are elsewhere on the table than they were, or new on it.
        shift_px: How far the markers went on the picture, on the average.
    """

    calibration: Calibration | None
    what: Moved | None
    ids: frozenset[int]
    loose: Mapping[int, FloatArray]
    shift_px: float = 0.0


def judge(
    table: Calibration,
    camera: TableCamera,
    sight: Sight,
    prints: Prints,
    before: tuple[ImageGray, TableCamera],
    now: ImageGray,
) -> Verdict | None:
    """Compare what is seen with where it should be.

    Args:
        table: Lens and markers' places, with their error.
        camera: Where it was in the frame before.
        sight: What the picture `now` shows of the prints.
        before: The last picture in which all was at rest, and its camera.
        now: (height, width) picture.

    Returns:
        None where the markers contradict one another so that nobody can tell.

    Raises:
        UserError: see `posed`.
    """
    targets = seen_on_table(table, sight, prints)
    scale = times_full_hd(sight.image_size)
    in_place = [t for t in targets if misfit_px(camera, t) <= still_px(table, scale)]
    group = _together(
        targets, in_place, camera, still_px(table, scale), max(_ONE_TABLE_PX * scale, 3 * table.residual_px)
    )
    if targets and not group:
        return None
    out = [t for t in targets if not any(t is kept for kept in group)]
    new = {n: px for n, px in sight.corners_px.items() if n not in table.markers_in}
    if all(any(t is kept for kept in in_place) for t in group):
        return Verdict(None, Moved.MARKER if out else None, _ids(group), _pixels(out, sight) | new)
    after = posed(table, group, sight.image_size)
    what = _blame(backdrop(before[0], now, before[1], after.camera, _outlines(table, before[1])))
    if what is Moved.MARKER:
        return Verdict(None, what, frozenset(), _pixels(targets, sight) | new)
    shift_px = float(np.mean([misfit_px(before[1], target) for target in group]))
    return Verdict(after, what, _ids(group), _pixels(out, sight) | new, shift_px)


def still_px(table: Calibration, scale: float) -> float:
    """How far a marker that has not moved may be from its predicted place; `scale` 1 for 1920 px across."""
    return max(MOVED_PX * scale, 2 * table.residual_px)


def seen_on_table(known: Calibration, sight: Sight, prints: Prints) -> list[Target]:
    """The seen prints that have a place, as targets whose frame is the table's."""
    here = (0.0, 0.0, 0.0)
    places = known.markers_in
    if prints.board is None:
        seen = [(number, px) for number, px in sight.corners_px.items() if number in places]
        return [Target(places[number], px, {number: places[number]}, here) for number, px in seen]
    if sight.board is None:
        return []
    marks = prints.board_marks_in
    place = place_of(np.concatenate([*marks.values()]), np.concatenate([places[n] for n in marks]))
    laid = laid_at(prints.board_corners_in(sight.board.ids), place)
    return [Target(laid, sight.board.corners_px, {n: places[n] for n in marks}, here)]


def _together(
    targets: list[Target], in_place: list[Target], camera: TableCamera, tight_px: float, loose_px: float
) -> list[Target]:
    """Those that explain the picture: the ones at their old places or, with another pose, the largest group."""
    if len(in_place) == len(targets):
        return in_place
    tight = common_pose(targets, camera, tight_px)
    if len(tight) == len(targets) or (len(tight) > len(in_place) and len(in_place) < 2):
        return tight
    if len(in_place) >= 2:
        return in_place
    loose = common_pose(targets, camera, loose_px)
    return loose if len(loose) > len(in_place) else in_place


def _blame(seen: Backdrop) -> Moved:
    """Whose motion the rest of the picture shows."""
    count = seen.stayed + seen.went_along
    if count < _FEW:
        return Moved.EITHER
    if seen.stayed > _ALL * count:
        return Moved.MARKER
    return Moved.TABLE if seen.stayed > max(_SOME * count, 5) else Moved.CAMERA


def _outlines(known: Calibration, camera: TableCamera) -> list[FloatArray]:
    outlines = [camera.table_to_pixel(corners) for corners in known.markers_in.values()]
    return [outline for outline in outlines if np.isfinite(outline).all()]


def _ids(targets: Sequence[Target]) -> frozenset[int]:
    return frozenset(number for target in targets for number in target.marks)


def _pixels(targets: Sequence[Target], sight: Sight) -> dict[int, FloatArray]:
    return {number: sight.corners_px[number] for number in _ids(targets) if number in sight.corners_px}


def posed(known: Calibration, targets: Sequence[Target], image_size: tuple[int, int]) -> Calibration:
    """The same table and lens under a camera that now sees these targets, which lie at their places.

    The error of lens and places stays in it: the places that were found with another lens are others, too.

    Args:
        targets: With the table's frame as their own.

    Raises:
        UserError: see `solve`.
    """
    after = solve(targets, image_size, known.camera.lens)
    points = np.concatenate([target.points_in for target in targets])
    carried = tuple(_carried(known.camera, deviant, after.camera, points) for deviant in known.deviants)
    return Calibration(after.camera, known.markers_in, after.residual_px, (*carried, *after.deviants))


def _carried(old: TableCamera, deviant: TableCamera, new: TableCamera, points_in: FloatArray) -> TableCamera:
    """The camera that would have been found instead of `new`, had `deviant` been found instead of `old`.

    With it the points would lie where `deviant` sees what `old` sees at `points_in`. The deviation is so small that
    one linear step takes the pose there.
    """
    places, seen = deviant.pixel_to_table(old.table_to_pixel(points_in)), new.table_to_pixel(points_in)
    flat = np.zeros(len(places))
    turn, lens = cv2.Rodrigues(new.rotation)[0], deviant.lens
    predicted, slopes = cv2.projectPoints(np.c_[places, flat], turn, new.translation, lens.matrix, lens.distortion)
    miss = (seen - predicted.reshape(-1, 2)).ravel()
    good = np.isfinite(miss)  # beyond the lens's model there is nothing to go by
    step = np.linalg.lstsq(slopes[good, :6], miss[good], rcond=None)[0]
    rotation = np.asarray(cv2.Rodrigues(turn.ravel() + step[:3])[0], np.float64)
    return TableCamera(lens, rotation, new.translation + step[3:])


def laid_anew(
    known: Calibration, loose: Mapping[int, FloatArray], prints: Prints
) -> tuple[Calibration, tuple[Drift, ...]]:
    """Markers that came to rest elsewhere, or are new, at the places where (4, 2) pixels show them; and what to tell.

    A new one that is no square of the stated side on the table is left out.
    """
    places = dict(known.markers_in)
    drifts = []
    for number, corners_px in loose.items():
        seen_in = known.camera.pixel_to_table(corners_px)
        before = places.get(number)
        square = prints.square_in if before is None else before
        laid = laid_at(square, place_of(square, seen_in))
        if not np.abs(laid - seen_in).max() < _SQUARE_OF_SIDE * prints.side_in:  # NaN, off the table, is not
            continue
        places[number] = laid
        if before is not None:
            shift_px = float(np.linalg.norm(corners_px - known.camera.table_to_pixel(before), axis=1).mean())
            drifts.append(Drift(Moved.MARKER, shift_px, (number,), _middle(before), _middle(laid)))
    return replace(known, markers_in=places), tuple(drifts)


def _middle(corners_in: FloatArray) -> PointIn:
    x, y = corners_in.mean(0)
    return (float(x), float(y))
