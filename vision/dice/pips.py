"""Six-sided dice, read by their pips."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rules.tabletop.table import FloatArray
from vision.dice.body import Body
from vision.dice.groups import Group, Pips, groups, select_faces
from vision.dice.lean import COCKED_EXCESS, excess
from vision.dice.view import DieKind, DieSeen, View

_SIDE_PITCHES = (3.1, 5.4)  # side of a die / pitch of its pips
_SIDE_RADII = (6.0, 15.5)  # side of a die / radius of its pips
_ALIKE_SIDE = 1.28  # largest ratio of the sides of dice in one throw
_ALIKE_PIP = (0.6, 2.4)  # radius of a lone pip / that of the others: some ones are large
_BODY = {1: 1.9, 2: 1.35}  # least contrast of the body around so few pips
_LEAST_BODY = 1.25
_CUT_OFF = 0.12  # of its side may be outside the picture
_LEAST_CONFIDENCE = 0.3
_MOST_LONE = 60
_COCKED = 0.84  # cosine of the lean


@dataclass(frozen=True, slots=True, eq=False)
class _Die:
    group: Group
    body: Body
    axes: FloatArray
    radius: float
    colour_bgr: FloatArray

    @property
    def centre(self) -> FloatArray:
        """Middle of the face, in the level frame."""
        return self.group.centre


def read_pips(view: View) -> tuple[DieSeen, ...]:
    """All dice with visible pips, in no particular order."""
    pips = Pips(view.level_marks())
    many = [_fit_die(view, pips, group, view.side_px) for group in select_faces(groups(pips), pips)]
    sides = [die.body.side for die in many if die.group.face > 2 and die.body.contrast > 1.5]
    side = view.side_px or (float(np.median(sides)) if sides else None)
    if side is not None:
        many = [_fit_die(view, pips, die.group, side) for die in many]
    many = [die for die in many if _is_visible(view, die)]
    if side is None:
        side = _leading_side(many + _lone_pips(view, pips, many, None))
    many = [die for die in many if _fits(die, side)]
    dice = view.slant.tops(many + _non_overlapping(_lone_pips(view, pips, many, side), many, side))
    shapes = view.level_marks().spread_px2
    seen = (
        _seen(view, pips, die, side, _lean(die.group, shapes), more)
        for die, more in zip(dice, excess(view, dice), strict=True)
    )
    return tuple(die for die in seen if die.confidence > _LEAST_CONFIDENCE)


def _is_visible(view: View, die: _Die) -> bool:
    """Whether there is a body around the pips, entirely in the picture."""
    if die.body.contrast <= _BODY.get(die.group.face, _LEAST_BODY):
        return False
    corners = view.square_px(die.group.centre, die.axes, die.body)
    margin = _CUT_OFF * die.body.side
    size = np.array(view.image_bgr.shape[1::-1])
    return bool((corners > -margin).all() and (corners < size + margin).all())


def _certainty(die: _Die) -> float:
    """Evidence for a die; small spots occur by chance."""
    return die.body.contrast * die.group.score * die.radius


def _leading_side(dice: Sequence[_Die]) -> float | None:
    """Side of the most certain die, used if no face of many pips gives it."""
    return max(dice, key=_certainty).body.side if dice else None


def _fit_die(view: View, pips: Pips, group: Group, side: float | None) -> _Die:
    """Fit the body around a face."""
    rows = list(group.members)
    radius = float(np.median(pips.radius[rows]))
    axes = group.half / np.linalg.norm(group.half, axis=1)[:, None]
    own = np.linalg.solve(axes.T, (pips.at[rows] - group.centre).T).T
    hidden = np.c_[own, 1.5 * pips.radius[rows]]
    if group.face == 1:
        sides = (_SIDE_RADII[0] * radius, _SIDE_RADII[1] * radius)
    else:
        sides = (_SIDE_PITCHES[0] * group.pitch, _SIDE_PITCHES[1] * group.pitch)
    if side is not None and sides[0] < side < sides[1]:
        sides = (max(sides[0], side / _ALIKE_SIDE), min(sides[1], side * _ALIKE_SIDE))
    colour = np.median(pips.ground[rows], axis=0)
    body = view.body(group.centre, axes, sides, hidden, colour, turns=group.face == 1)
    return _Die(group, body, axes, radius, colour)


def _fits(die: _Die, side: float | None) -> bool:
    return side is None or abs(math.log(die.body.side / side)) < 1.6 * math.log(_ALIKE_SIDE)


def _lone_pips(view: View, pips: Pips, many: Sequence[_Die], side: float | None) -> list[_Die]:
    """Dice that may show a one."""
    usual = float(np.median([die.radius for die in many])) if many else None
    used = {k for die in many for k in die.group.members}
    found = []
    for k in pips.likely.tolist():
        radius = float(pips.radius[k])
        if k in used or (usual is not None and not _ALIKE_PIP[0] < radius / usual < _ALIKE_PIP[1]):
            continue
        if side is not None and not _SIDE_RADII[0] * 0.7 < side / radius < _SIDE_RADII[1] * 1.2:
            continue
        found.append(k)
    found = sorted(found, key=lambda k: -float(pips.quality[k] * abs(pips.tone[k]) * pips.radius[k]))[:_MOST_LONE]
    ones = [Group(1, (k,), pips.at[k], np.eye(2) * 2.7 * pips.radius[k], float(pips.quality[k]), 0) for k in found]
    dice = [_fit_die(view, pips, group, side) for group in ones]
    return [die for die in dice if _is_visible(view, die)]


def _non_overlapping(lone: Sequence[_Die], many: Sequence[_Die], side: float | None) -> list[_Die]:
    """Dice with a one that do not overlap any other, the most certain first."""
    accepted: list[_Die] = []
    for die in sorted(lone, key=_certainty, reverse=True):
        if _fits(die, side) and all(
            math.dist(die.group.centre, other.group.centre) > 0.45 * (die.body.side + other.body.side)
            for other in (*many, *accepted)
        ):
            accepted.append(die)
    return accepted


def _lean(group: Group, shapes: FloatArray) -> float:
    """Cosine of a face's lean, from the shape of its pips."""
    rows = list(group.members)
    mean = (shapes[rows] / np.sqrt(np.linalg.det(shapes[rows]))[:, None, None]).mean(axis=0)
    low, high = np.linalg.eigvalsh(mean)
    return float(np.sqrt(low / high))


def _seen(view: View, pips: Pips, die: _Die, side: float | None, lean: float, more: float) -> DieSeen:
    group = die.group
    rows = list(group.members)
    # Logistic regression on drawn throws; `python -m benchmarks.dice --drawn` checks its calibration.
    odds = (
        4.7
        - 4.2 * float(1 - pips.quality[rows].mean())
        - 1.9 * group.strays
        - 3.0 * max(0.0, 2.6 - die.body.contrast)
        - 1.2 * max(0.0, 0.92 - lean)
        - 3.6 * max(0.0, more - 0.1)
        - {1: 0.2}.get(group.face, 0.0)
    )
    if side is not None:
        odds -= 0.5 * max(0.0, abs(math.log(die.body.side / side)) - 0.05)
    outline = view.square_px(group.centre, die.axes, die.body)
    return DieSeen(
        group.face,
        DieKind.D6,
        tuple((float(x), float(y)) for x, y in outline),
        1 / (1 + math.exp(-odds)),
        bool(lean < _COCKED or more > COCKED_EXCESS),
    )
