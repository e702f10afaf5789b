"""Fudge dice (plus, minus and blank), read by their signs and the dice's bodies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.opencv import cv2
from rules.tabletop.table import FloatArray
from vision.dice.body import Body
from vision.dice.lean import COCKED_EXCESS, excess
from vision.dice.marks import Marks
from vision.dice.view import DieKind, DieSeen, Slant, View, other_light

_PLUS_SOLID = (0.45, 0.87)  # area of a plus / area of its hull
_PLUS_ELLIPSE = (0.55, 0.93)
_PLUS_ROUND = 0.72
_BAR_ELLIPSE = (0.87, 0.985)  # 0.955 for a rectangle, 1 for a pip seen obliquely
_BAR_SOLID = 0.85
_BAR_LENGTH = (2.2, 7.0)  # length / width
_PLUS_EXTENT = 4.4  # length of a plus / standard deviation of its area
_BAR_EXTENT = math.sqrt(12)
_SIDE_EXTENTS = (1.15, 2.6)  # side of a die / length of its sign
_SIGN_BODY = 1.5  # least contrast of the body around a sign
_BLANK_BODY = 2.2
_CLEAR_BODY = 3.5  # least contrast of a die of a colour that no other die has
_SQUASHES = (0.94, 0.87, 0.77, 0.68)  # height / width of squares that are seen obliquely
_STRAIGHT = 0.4  # more pluses that an oblique view must explain
_ROUND_SPREAD = 0.06
_ALIKE_SIDE = 1.25
_ALIKE_COLOUR = 45.0  # grey levels, over three channels
_FILLED = 0.9  # share of a blank's square that has the body's colour


@dataclass(frozen=True, slots=True, eq=False)
class _Die:
    face: int
    centre: FloatArray
    axes: FloatArray
    body: Body
    colour_bgr: FloatArray
    doubt: float


def guessed_slant(marks: Marks) -> Slant:
    """The slant under which pluses are as wide as high, for a camera that is not rolled sideways."""
    pluses = marks[_like_plus(marks)]
    weight = np.clip(np.abs(pluses.tone) / 60, 0, 1)
    best, guess = 0.0, Slant.of(np.eye(2))
    for squash in (1.0, *_SQUASHES):
        trial = Slant.of(np.diag([1.0, 1 / squash]))
        unlike = (1 - _roundness(trial.level @ pluses.spread_px2 @ trial.level)) / _ROUND_SPREAD
        worth = float((weight * np.exp(-(unlike**2))).sum()) + (_STRAIGHT if squash == 1.0 else 0.0)
        if worth > best:
            best, guess = worth, trial
    return guess


def _roundness(spread: FloatArray) -> FloatArray:
    """(N,) shorter / longer axes of (N, 2, 2) covariances."""
    low, high = np.linalg.eigvalsh(spread).T
    return np.asarray(np.sqrt(np.maximum(low, 0) / high))


def _like_plus(marks: Marks) -> npt.NDArray[np.bool_]:
    """(N,) whether a mark has the shape of a plus from any direction."""
    fits = (marks.solid > _PLUS_SOLID[0]) & (marks.solid < _PLUS_SOLID[1])
    fits &= (marks.ellipse > _PLUS_ELLIPSE[0]) & (marks.ellipse < _PLUS_ELLIPSE[1])
    return np.asarray(fits)


def read_fudge(view: View) -> tuple[DieSeen, ...]:
    """All Fudge dice, in no particular order."""
    marks = view.level_marks()
    first = _pluses(view, marks, view.side_px) + _bars(view, marks, view.side_px)
    bodies = _bodies(view, marks)
    blank = [die for die, _ in bodies]
    side = view.side_px or _leading_side(view.slant.tops(first + blank if first else blank))
    if side is None:
        return ()
    signs = _pluses(view, marks, side) + _bars(view, marks, side)
    dice = _clear([die for die in signs if _alike(die, side)])
    blanks = [die for die, own in bodies if _alike(die, side) and (own or _coloured(die, dice))]
    dice = _clear(view.slant.tops([*dice, *blanks]))
    dice = view.slant.tops(dice + _hidden_blanks(view, dice, side))
    return tuple(_seen(view, die, side, more) for die, more in zip(dice, excess(view, dice), strict=True))


def _leading_side(dice: Sequence[_Die]) -> float | None:
    """Side of the dice that agree with the best one: spots of the tray may look like small dice."""
    if not dice:
        return None
    worth = [(die.body.contrast - 1) * die.body.side * math.exp(-die.doubt) for die in dice]
    support = [sum(w for other, w in zip(dice, worth, strict=True) if _alike(other, die.body.side)) for die in dice]
    best = dice[int(np.argmax(support))]
    return float(np.median([die.body.side for die in dice if _alike(die, best.body.side)]))


def _alike(die: _Die, side: float) -> bool:
    return abs(math.log(die.body.side / side)) < math.log(_ALIKE_SIDE)


def _coloured(die: _Die, others: Sequence[_Die]) -> bool:
    """Whether a blank has the colour of a die with a sign; True if there is no such die."""
    if not others:
        return True
    return min(float(np.linalg.norm(die.colour_bgr - other.colour_bgr)) for other in others) < _ALIKE_COLOUR * 1.5


def _clear(dice: Sequence[_Die]) -> list[_Die]:
    """Dice that do not overlap a better one; signs take precedence over blanks."""
    accepted: list[_Die] = []
    for die in sorted(dice, key=lambda die: (die.face == 0, die.doubt - die.body.contrast)):
        if all(math.dist(die.centre, other.centre) > 0.42 * (die.body.side + other.body.side) for other in accepted):
            accepted.append(die)
    return accepted


def _pluses(view: View, marks: Marks, side: float | None) -> list[_Die]:
    roundness = _roundness(marks.spread_px2)
    fits = _like_plus(marks) & (roundness > _PLUS_ROUND)
    found = []
    for k in np.flatnonzero(fits):
        extent = _PLUS_EXTENT * marks.radius_px[k] / 2
        found.append(_signed(view, marks, int(k), 1, np.eye(2), extent, 3 * (1 - roundness[k]), side))
    return [die for die in found if die.body.contrast > _SIGN_BODY]


def _bars(view: View, marks: Marks, side: float | None) -> list[_Die]:
    values, vectors = np.linalg.eigh(marks.spread_px2)
    length = np.sqrt(values[:, 1] / np.maximum(values[:, 0], 1e-9))
    fits = (marks.ellipse > _BAR_ELLIPSE[0]) & (marks.ellipse < _BAR_ELLIPSE[1]) & (marks.solid > _BAR_SOLID)
    fits &= (length > _BAR_LENGTH[0]) & (length < _BAR_LENGTH[1])
    found = []
    for k in np.flatnonzero(fits):
        extent = _BAR_EXTENT * math.sqrt(values[k, 1])
        found.append(_signed(view, marks, int(k), -1, vectors[k].T[::-1], extent, max(0.0, 3.0 - length[k]), side))
    return [die for die in found if die.body.contrast > _SIGN_BODY]


def _signed(
    view: View, marks: Marks, k: int, face: int, axes: FloatArray, extent: float, doubt: float, side: float | None
) -> _Die:
    sides = (_SIDE_EXTENTS[0] * extent, _SIDE_EXTENTS[1] * extent)
    if side is not None and sides[0] < side < sides[1]:
        sides = (max(sides[0], side / _ALIKE_SIDE), min(sides[1], side * _ALIKE_SIDE))
    strip = np.linspace(-0.5, 0.5, 7) * extent
    hidden = np.c_[strip, 0 * strip, 0 * strip + 0.16 * extent]
    if face == 1:
        hidden = np.array([[0.0, 0.0, 0.62 * extent]])
    body = view.body(marks.centre_px[k], axes, sides, hidden, marks.ground_bgr[k], turns=face == 1)
    return _Die(face, marks.centre_px[k], axes, body, marks.ground_bgr[k], doubt)


def _bodies(view: View, marks: Marks) -> list[tuple[_Die, bool]]:
    """Squares of even colour that may be blanks, each with whether it cannot be a shadow."""
    fits = (marks.solid > 0.92) & (marks.ellipse > 0.93) & (_roundness(marks.spread_px2) > 0.78)
    found = []
    for k in np.flatnonzero(fits):
        side = math.sqrt(marks.area_px2[k])
        if side < 12:
            continue
        centre, colour = marks.centre_px[k], marks.ink_bgr[k]
        body = view.body(centre, np.eye(2), (0.85 * side, 1.15 * side), np.empty((0, 3)), colour, turns=True)
        if body.contrast > _BLANK_BODY:
            own = body.contrast > _CLEAR_BODY and not other_light(colour, marks.ground_bgr[k])
            found.append((_Die(0, centre, np.eye(2), body, colour, 0.3), own))
    return found


def _hidden_blanks(view: View, dice: Sequence[_Die], side: float) -> list[_Die]:
    """Blanks that touch other dice: whole squares of the dice's colour after the known dice are removed."""
    found: list[_Die] = []
    back = np.linalg.inv(view.level)
    for colour in _colours(dice):
        mask = _of_colour(view, colour, [*dice, *found])
        for _ in range(len(dice) + 8):
            depth = cv2.distanceTransform(mask, cv2.DIST_L2, 5)
            y, x = np.unravel_index(int(depth.argmax()), depth.shape)
            if depth[y, x] < 0.36 * side * math.sqrt(abs(np.linalg.det(back))):
                break
            centre = view.level @ np.array([x, y], float)
            sides = (side / 1.12, side * 1.12)
            body = view.body(centre, np.eye(2), sides, np.empty((0, 3)), colour, turns=True)
            die = _Die(0, centre, np.eye(2), body, colour, 0.8)
            if _filled(view, mask, die) > _FILLED and body.contrast > _SIGN_BODY:
                found.append(die)
            cv2.fillConvexPoly(mask, np.round(view.square_px(centre, die.axes, body)).astype(np.int32), 0)
    return found


def _colours(dice: Sequence[_Die]) -> list[FloatArray]:
    colours: list[FloatArray] = []
    for die in dice:
        if all(np.linalg.norm(die.colour_bgr - other) > _ALIKE_COLOUR for other in colours):
            colours.append(die.colour_bgr)
    return colours


def _of_colour(view: View, colour: FloatArray, dice: Sequence[_Die]) -> npt.NDArray[np.uint8]:
    """Mask of a body's colour without the known dice."""
    away = np.linalg.norm(view.image_bgr.astype(np.float32) - colour.astype(np.float32), axis=2)
    mask = cv2.medianBlur((away < _ALIKE_COLOUR).astype(np.uint8), 5)
    for die in dice:
        corners = view.square_px(die.centre, die.axes, die.body)
        cv2.fillConvexPoly(mask, np.round(corners).astype(np.int32), 0)
    return np.asarray(mask, np.uint8)


def _filled(view: View, mask: npt.NDArray[np.uint8], die: _Die) -> float:
    square = np.zeros_like(mask)
    corners = view.square_px(die.centre, die.axes, die.body)
    cv2.fillConvexPoly(
        square, np.round(corners.mean(axis=0) + 0.9 * (corners - corners.mean(axis=0))).astype(np.int32), 1
    )
    return float((mask & square).sum() / max(1, int(square.sum())))


def _seen(view: View, die: _Die, side: float, more: float) -> DieSeen:
    # Logistic regression on drawn throws, as for pips.
    odds = 4.5 - 1.75 * die.doubt - 3.0 * max(0.0, 2.6 - die.body.contrast)
    odds -= 1.2 * abs(math.log(die.body.side / side)) + 2.3 * max(0.0, more - 0.1)
    outline = view.square_px(die.centre, die.axes, die.body)
    return DieSeen(
        die.face,
        DieKind.FUDGE,
        tuple((float(x), float(y)) for x, y in outline),
        1 / (1 + math.exp(-odds)),
        bool(more > COCKED_EXCESS),
    )
