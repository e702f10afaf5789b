"""Drift detection: find out what moved when markers are no longer in place, and update the calibration.

One camera can distinguish these cases:
- Some markers are out of place and the others are not: those markers moved. Positions on the table stay valid.
- All markers fit one rigid table seen from another pose: the camera or the table moved. The table cannot show which;
  the background can, see `compare_background`. In both cases the pose is solved again, while lens and places stay.
- All markers moved, but the rest of the picture did not: only the prints moved, for example as one sheet.
- The markers contradict one another, or no pose explains the two visible ones: the result is None.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from calibration.background_motion import BackgroundMotion, compare_background
from calibration.calibration_targets import CalibrationTargets, Detections
from calibration.camera import TableCamera, times_full_hd
from calibration.consensus import common_pose, misfit_px
from calibration.markers import ImageGray
from calibration.opencv import cv2
from calibration.solve import Calibration, Target, laid_at, place_of, solve
from rules.tabletop.table import FloatArray, PointIn
from rules.tabletop.translation import mark_for_translation, tr

MOVED_PX = 0.5
"""At 1920 px across, a marker farther than this from its place has moved; on a still table the noise is 0.03 px."""

_ONE_TABLE_PX = 1.5
"""Residual up to which markers still fit one rigid table; the lens may be known only roughly."""

_SQUARE_TOLERANCE_SIDES = 0.03  # corners closer than this to a square of the stated side are a flat marker

_MIN_BACKGROUND_POINTS = 6
_ALL_SHARE, _SOME_SHARE = 0.85, 0.2  # share of the background points that stayed


class Moved(StrEnum):
    """What moved."""

    CAMERA = mark_for_translation("camera")
    TABLE = mark_for_translation("table")
    EITHER = mark_for_translation("camera or table")
    MARKER = "marker"


@dataclass(frozen=True, slots=True)
class Drift:
    """A movement of the camera, the table or a marker.

    Attributes:
        what: What moved; `CAMERA` also for a table that fills the picture.
        shift_px: Mean shift of the markers in the picture.
        ids: The markers that moved on the table; empty for a moved camera or table.
        from_in, to_in: Centre of the moved marker before and after; None for a moved camera or table.
    """

    what: Moved
    shift_px: float
    ids: tuple[int, ...] = ()
    from_in: PointIn | None = None
    to_in: PointIn | None = None

    @property
    def sentence(self) -> str:
        """The drift as a sentence for players."""
        if self.what is Moved.MARKER:
            names = ", ".join(map(str, self.ids))
            return tr("marker {names} was moved on the table; positions on the table stay valid", names=names)
        return tr(
            "the {what} was moved; the camera position was updated, and positions on the table stay valid",
            what=tr(self.what),
        )


@dataclass(frozen=True, slots=True, eq=False)
class DriftAssessment:
    """What moved according to one picture.

    Attributes:
        calibration: The new calibration; None if the camera pose is unchanged.
        what: What moved; None if nothing did.
        ids: The markers at their known places on the table.
        displaced: Id -> (4, 2) pixels of markers that are new or elsewhere on the table.
        shift_px: Mean shift of the markers in the picture.
    """

    calibration: Calibration | None
    what: Moved | None
    ids: frozenset[int]
    displaced: Mapping[int, FloatArray]
    shift_px: float = 0.0


def assess_drift(
    table: Calibration,
    camera: TableCamera,
    detections: Detections,
    prints: CalibrationTargets,
    before: tuple[ImageGray, TableCamera],
    now: ImageGray,
) -> DriftAssessment | None:
    """Compare the seen markers with their expected places.

    Args:
        table: Lens and markers' places, with their uncertainty.
        camera: The camera in the previous frame.
        detections: The prints seen in the picture `now`.
        before: The last picture at rest, and its camera.
        now: (height, width) picture.

    Returns:
        None if the markers contradict one another.

    Raises:
        UserError: see `solve_pose`.
    """
    targets = known_targets(table, detections, prints)
    scale = times_full_hd(detections.image_size)
    in_place = [t for t in targets if misfit_px(camera, t) <= still_px(table, scale)]
    group = _consistent(
        targets, in_place, camera, still_px(table, scale), max(_ONE_TABLE_PX * scale, 3 * table.residual_px)
    )
    if targets and not group:
        return None
    out = [t for t in targets if not any(t is kept for kept in group)]
    new = {n: px for n, px in detections.corners_px.items() if n not in table.markers_in}
    if all(any(t is kept for kept in in_place) for t in group):
        return DriftAssessment(None, Moved.MARKER if out else None, _ids(group), _pixels(out, detections) | new)
    after = solve_pose(table, group, detections.image_size)
    what = moved_part(compare_background(before[0], now, before[1], after.camera, _outlines(table, before[1])))
    if what is Moved.MARKER:
        return DriftAssessment(None, what, frozenset(), _pixels(targets, detections) | new)
    shift_px = float(np.mean([misfit_px(before[1], target) for target in group]))
    return DriftAssessment(after, what, _ids(group), _pixels(out, detections) | new, shift_px)


def still_px(table: Calibration, scale: float) -> float:
    """Distance up to which a marker counts as unmoved; `scale` is 1 for a picture 1920 px across."""
    return max(MOVED_PX * scale, 2 * table.residual_px)


def known_targets(known: Calibration, detections: Detections, prints: CalibrationTargets) -> list[Target]:
    """The seen prints with a known place, as targets in table coordinates."""
    origin = (0.0, 0.0, 0.0)
    places = known.markers_in
    if prints.board is None:
        seen = [(number, px) for number, px in detections.corners_px.items() if number in places]
        return [Target(places[number], px, {number: places[number]}, origin) for number, px in seen]
    if detections.board is None:
        return []
    marks = prints.board_marks_in
    place = place_of(np.concatenate([*marks.values()]), np.concatenate([places[n] for n in marks]))
    laid = laid_at(prints.board_corners_in(detections.board.ids), place)
    return [Target(laid, detections.board.corners_px, {n: places[n] for n in marks}, origin)]


def _consistent(
    targets: list[Target], in_place: list[Target], camera: TableCamera, tight_px: float, loose_px: float
) -> list[Target]:
    """The consistent targets: those at their old places or, with another pose, the largest rigid group."""
    if len(in_place) == len(targets):
        return in_place
    tight = common_pose(targets, camera, tight_px)
    if len(tight) == len(targets) or (len(tight) > len(in_place) and len(in_place) < 2):
        return tight
    if len(in_place) >= 2:
        return in_place
    displaced = common_pose(targets, camera, loose_px)
    return displaced if len(displaced) > len(in_place) else in_place


def moved_part(seen: BackgroundMotion) -> Moved:
    """What moved, according to the background."""
    count = seen.stayed + seen.moved_along
    if count < _MIN_BACKGROUND_POINTS:
        return Moved.EITHER
    if seen.stayed > _ALL_SHARE * count:
        return Moved.MARKER
    return Moved.TABLE if seen.stayed > max(_SOME_SHARE * count, 5) else Moved.CAMERA


def _outlines(known: Calibration, camera: TableCamera) -> list[FloatArray]:
    outlines = [camera.table_to_pixel(corners) for corners in known.markers_in.values()]
    return [outline for outline in outlines if np.isfinite(outline).all()]


def _ids(targets: Sequence[Target]) -> frozenset[int]:
    return frozenset(number for target in targets for number in target.marks)


def _pixels(targets: Sequence[Target], detections: Detections) -> dict[int, FloatArray]:
    return {number: detections.corners_px[number] for number in _ids(targets) if number in detections.corners_px}


def solve_pose(known: Calibration, targets: Sequence[Target], image_size: tuple[int, int]) -> Calibration:
    """Solve for a new camera pose and keep the lens and the markers' places.

    The uncertainty of lens and places is carried over, because another lens would also imply other places.

    Raises:
        UserError: see `solve`.
    """
    after = solve(targets, image_size, known.camera.lens)
    points = np.concatenate([target.points_in for target in targets])
    carried = tuple(_propagated(known.camera, deviant, after.camera, points) for deviant in known.deviants)
    return Calibration(after.camera, known.markers_in, after.residual_px, (*carried, *after.deviants))


def _propagated(old: TableCamera, deviant: TableCamera, new: TableCamera, points_in: FloatArray) -> TableCamera:
    """The camera to find instead of `new` if `deviant` had been found instead of `old`.

    Its points lie where `deviant` places the pixels that `old` sees at `points_in`. The perturbation is so small that
    one linear step finds the pose.
    """
    places, seen = deviant.pixel_to_table(old.table_to_pixel(points_in)), new.table_to_pixel(points_in)
    flat = np.zeros(len(places))
    turn, lens = cv2.Rodrigues(new.rotation)[0], deviant.lens
    predicted, slopes = cv2.projectPoints(np.c_[places, flat], turn, new.translation, lens.matrix, lens.distortion)
    miss = (seen - predicted.reshape(-1, 2)).ravel()
    good = np.isfinite(miss)  # NaN beyond the range of the lens model
    step = np.linalg.lstsq(slopes[good, :6], miss[good], rcond=None)[0]
    rotation = np.asarray(cv2.Rodrigues(turn.ravel() + step[:3])[0], np.float64)
    return TableCamera(lens, rotation, new.translation + step[3:])


def relocate_markers(
    known: Calibration, displaced: Mapping[int, FloatArray], prints: CalibrationTargets
) -> tuple[Calibration, tuple[Drift, ...]]:
    """The calibration with new places for moved or new markers, and the drifts of the moved ones.

    A new marker that is not a square of the stated side on the table is skipped.

    Args:
        known: The calibration so far.
        displaced: Id -> (4, 2) pixels of each marker at its new place.
        prints: The stated size of the markers.
    """
    places = dict(known.markers_in)
    drifts = []
    for number, corners_px in displaced.items():
        seen_in = known.camera.pixel_to_table(corners_px)
        before = places.get(number)
        square = prints.square_in if before is None else before
        laid = laid_at(square, place_of(square, seen_in))
        if not np.abs(laid - seen_in).max() < _SQUARE_TOLERANCE_SIDES * prints.side_in:  # also skips NaN
            continue
        places[number] = laid
        if before is not None:
            shift_px = float(np.linalg.norm(corners_px - known.camera.table_to_pixel(before), axis=1).mean())
            drifts.append(Drift(Moved.MARKER, shift_px, (number,), _centre(before), _centre(laid)))
    return replace(known, markers_in=places), tuple(drifts)


def _centre(corners_in: FloatArray) -> PointIn:
    x, y = corners_in.mean(0)
    return (float(x), float(y))
