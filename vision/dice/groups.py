"""Groups of marks that have the arrangement of a die's face, from one to six pips.

Pure geometry in a level frame, in which the top faces of dice are square and their pips round.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from rules.tabletop.table import FloatArray
from vision.dice.marks import Marks

_ROUND = 0.62  # least shorter / longer axis of a top face's pip
_MOST_PIPS = 300
_PIP_IN_BODY = 0.45  # largest radius of a pip / radius of its die
_CENTRAL = 0.15  # radii from the middle within which a one has its pip; glare in a pip may be anywhere
_PIP_TONE = 0.3  # least tone of a pip / tone of its die
_ALIKE_RADIUS = 1.4
_ALIKE_TONE = 2.2
_ALIKE_INK = 130.0  # grey levels, over three channels
_ALIKE_GROUND = 75.0  # large because of shading and glare
_REACH = (3.8, 12.5)  # radii between two pips of one face
_PITCH = (1.7, 4.4)  # radii from the middle of a face to the edges of the square of its corner pips
_PLACE = 0.22  # half diagonals: largest distance of a pip from its nominal place
_FACE = 1.75  # pitches from the middle within which a pip belongs to the face
SIDE_PITCHES = 4.0
"""Side of a die / its pitch; real dice range from 3.4 to 5."""


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Marks that form one face.

    Attributes:
        face: 1 to 6.
        members: Indices of the marks.
        centre: (2,) middle of the face.
        half: (2, 2) rows from the middle to the middles of two edges of the square of its corner pips; for a one, of a
            usual length and any direction.
        score: Evidence, in pips.
        strays: Similar marks within the face that do not belong to it.
        pitch: Distance from the middle of the face to the rows of its pips.
    """

    face: int
    members: tuple[int, ...]
    centre: FloatArray
    half: FloatArray
    score: float
    strays: int
    pitch: float = field(init=False)

    def __post_init__(self) -> None:
        (a, b), (c, d) = self.half.tolist()
        object.__setattr__(self, "pitch", math.sqrt(abs(a * d - b * c)))


class Pips:
    """Round marks in the level frame, and which of them may belong to the same face."""

    def __init__(self, marks: Marks) -> None:
        low, high = np.linalg.eigvalsh(marks.spread_px2).T
        self.roundness = np.sqrt(np.maximum(low, 0) / high)
        self.at, self.radius, self.tone = marks.centre_px, marks.radius_px, marks.tone
        shape = np.clip((marks.ellipse - 0.87) / 0.1, 0, 1) * np.clip((marks.solid - 0.78) / 0.12, 0, 1)
        self.quality = shape * np.clip((self.roundness - _ROUND) / 0.25, 0, 1) * np.clip(np.abs(self.tone) / 45, 0.3, 1)
        self.ink, self.ground = marks.ink_bgr, marks.ground_bgr
        self._tree = cKDTree(self.at) if len(self.at) else None
        self.quality[self._with_inner_marks()] = 0.0
        likely = np.flatnonzero(self.quality > 0.05)
        self.likely = likely[np.argsort(-self.quality[likely] * np.abs(self.tone[likely]), kind="stable")][:_MOST_PIPS]

    def _with_inner_marks(self) -> list[int]:
        """Marks that contain marks of the opposite tone: whole dice, which may lie in rows like pips."""
        good = self.quality > 0.3
        found = []
        for k in np.flatnonzero(good).tolist():
            inside = np.array(self.near(self.at[k], 0.8 * self.radius[k]), np.intp)
            inside = inside[good[inside] & (self.radius[inside] < _PIP_IN_BODY * self.radius[k])]
            inside = inside[self.tone[inside] / self.tone[k] < -_PIP_TONE]
            off = np.linalg.norm(self.at[inside] - self.at[k], axis=1)
            if len(inside) > 1 or (off < _CENTRAL * self.radius[k]).any():
                found.append(k)
        return found

    def alike(self, i: npt.NDArray[np.intp], j: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        """Whether pairs of pips may belong to one face by size and colour."""
        size = np.abs(np.log(self.radius[i] / self.radius[j])) < np.log(_ALIKE_RADIUS)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = self.tone[i] / self.tone[j]
        tone = (ratio > 1 / _ALIKE_TONE) & (ratio < _ALIKE_TONE)
        ink = np.linalg.norm(self.ink[i] - self.ink[j], axis=-1) < _ALIKE_INK
        ground = np.linalg.norm(self.ground[i] - self.ground[j], axis=-1) < _ALIKE_GROUND
        return np.asarray(size & tone & ink & ground)

    def pairs(self) -> npt.NDArray[np.intp]:
        """(N, 2) pairs that may belong to one face."""
        if len(self.likely) < 2:
            return np.empty((0, 2), np.intp)
        i, j = (self.likely[k] for k in np.triu_indices(len(self.likely), 1))
        apart = np.linalg.norm(self.at[i] - self.at[j], axis=1) / np.sqrt(self.radius[i] * self.radius[j])
        near = (apart > _REACH[0]) & (apart < _REACH[1])
        i, j = i[near], j[near]
        ours = self.alike(i, j)
        return np.stack([i[ours], j[ours]], axis=1)

    def near(self, place: FloatArray, within: float) -> list[int]:
        """Marks within a distance of a place."""
        return list(self._tree.query_ball_point(place, within)) if self._tree is not None else []

    def one_at(self, place: FloatArray, within: float, like: int) -> int | None:
        """The nearest likely pip to a place that is similar to another one."""
        found = [k for k in self.near(place, within) if k != like and self.quality[k] > 0.05]
        found = [k for k in found if self.alike(np.array([k]), np.array([like]))[0]]
        return min(found, key=lambda k: float(np.linalg.norm(self.at[k] - place)), default=None)


def groups(pips: Pips, least: int = 2) -> list[Group]:
    """All faces of at least two pips (or four) that the marks could form; most contradict each other."""
    pairs = pips.pairs()
    found: list[Group] = []
    for i, j in pairs.tolist() if least < 4 else ():
        found += _diagonals(pips, i, j)
    found += [group for corners in _rectangles(pips, pairs) for group in _fours(pips, corners)]
    return [group for group in found if _PITCH[0] < group.pitch / _radius(pips, group.members) < _PITCH[1]]


def _radius(pips: Pips, members: Sequence[int]) -> float:
    return float(np.median(pips.radius[list(members)]))


def _diagonals(pips: Pips, i: int, j: int) -> Iterator[Group]:
    """A two, or a three if there is a pip between."""
    middle, diagonal = (pips.at[i] + pips.at[j]) / 2, (pips.at[j] - pips.at[i]) / 2
    across = np.array([-diagonal[1], diagonal[0]])
    half = np.stack([diagonal + across, diagonal - across]) / 2
    reach = float(np.linalg.norm(diagonal))
    between = pips.one_at(middle, _PLACE * reach, i)
    if between is None:
        yield _group(pips, 2, (i, j), middle, half, 0.0)
    else:
        off = float(np.linalg.norm(pips.at[between] - middle))
        yield _group(pips, 3, (i, between, j), middle, half, off / reach)


def _rectangles(pips: Pips, pairs: npt.NDArray[np.intp]) -> Iterator[tuple[int, int, int, int]]:
    """Pairs that cross in their middles: the corners of a rectangle, in order."""
    if not len(pairs):
        return
    middles = (pips.at[pairs[:, 0]] + pips.at[pairs[:, 1]]) / 2
    halves = (pips.at[pairs[:, 1]] - pips.at[pairs[:, 0]]) / 2
    lengths = np.linalg.norm(halves, axis=1)
    close = cKDTree(middles).query_pairs(_PLACE * float(lengths.max()), output_type="ndarray")
    if not len(close):
        return
    a, b = close.T
    cosine = np.abs((halves[a] * halves[b]).sum(axis=1)) / (lengths[a] * lengths[b])
    meet = np.linalg.norm(middles[a] - middles[b], axis=1) < _PLACE * np.minimum(lengths[a], lengths[b])
    ratio = np.abs(np.log(lengths[a] / lengths[b])) < np.log(1.3)
    for p, q in close[meet & ratio & (cosine < 0.55)].tolist():
        if pips.alike(pairs[p], pairs[q]).all():
            yield int(pairs[p, 0]), int(pairs[q, 0]), int(pairs[p, 1]), int(pairs[q, 1])


def _fours(pips: Pips, corners: tuple[int, int, int, int]) -> Iterator[Group]:
    """A four, five or six with these corners, depending on the marks between them."""
    at = pips.at[list(corners)]
    middle = at.mean(axis=0)
    half = np.stack([(at[1] - at[0] + at[2] - at[3]) / 4, (at[3] - at[0] + at[2] - at[1]) / 4])
    lengths = np.linalg.norm(half, axis=1)
    aspect = float(lengths.max() / lengths.min())
    reach = float(np.hypot(*lengths))
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    off = np.linalg.norm(at - middle - signs @ half, axis=1)
    residual = float(np.sqrt((off**2).mean()) / lengths.mean())
    centre = pips.one_at(middle, _PLACE * reach, corners[0])
    for side in (0, 1):
        between = [pips.one_at(middle + sign * half[1 - side], _PLACE * reach, corners[0]) for sign in (1, -1)]
        if None not in between and centre is None and lengths[side] > 0.75 * lengths[1 - side] and aspect < 1.7:
            members = (*corners, *(k for k in between if k is not None))
            yield _group(pips, 6, members, middle, half, residual)
    if centre is not None and aspect < 1.4:
        yield _group(pips, 5, (*corners, centre), middle, half, residual)
    elif centre is None and aspect < 1.45:
        yield _group(pips, 4, corners, middle, half, residual)


def _group(pips: Pips, face: int, members: tuple[int, ...], centre: FloatArray, half: FloatArray, off: float) -> Group:
    pitch = float(np.sqrt(abs(np.linalg.det(half)))) or 1.0
    rows = list(members)
    own = pips.quality[rows]
    near = [k for k in pips.near(centre, 1.5 * _FACE * pitch) if k not in members and pips.quality[k] > 0.2]
    strays = 0
    if near:
        others = np.array(near, np.intp)
        inside = (np.abs((pips.at[others] - centre) @ np.linalg.inv(half)).max(axis=1)) < _FACE
        strays = int((inside & pips.alike(others, np.full(len(others), rows[0]))).sum()) if face > 1 else 0
    spread = float(np.std(np.log(pips.radius[rows]))) if face > 1 else 0.0
    squareness = _squareness(half) if face > 3 else 1.0
    score = float(own.sum()) * squareness - 1.2 * strays - 4 * off * face / 4 - 2 * spread
    return Group(face, members, centre, half, score, strays)


def _squareness(half: FloatArray) -> float:
    """1 for a square, less for rectangles and rhombuses."""
    low, high = np.linalg.svd(half, compute_uv=False)[::-1]
    return float(np.clip(1.25 * low / high + 0.05, 0, 1))


def select_faces(found: Sequence[Group], pips: Pips) -> list[Group]:
    """The best faces that do not contradict each other; dice of one throw have about the same size."""
    typical = _typical([group for group in _greedy(found, pips, None) if group.face > 2 and not group.strays])
    return _greedy(found, pips, typical)


def _typical(agreed: Sequence[Group]) -> float | None:
    return float(np.median([group.pitch for group in agreed])) if agreed else None


def _greedy(found: Sequence[Group], pips: Pips, pitch: float | None) -> list[Group]:
    def worth(group: Group) -> float:
        if pitch is None or group.face == 1:
            return group.score
        return group.score - 3 * max(0.0, abs(math.log(group.pitch / pitch)) - 0.05)

    taken: set[int] = set()
    accepted: list[Group] = []
    for group in sorted(found, key=worth, reverse=True):
        if worth(group) < 0.25 * group.face + 0.1:
            continue
        if not taken.isdisjoint(group.members) or any(_collide(group, other, pitch) for other in accepted):
            continue
        accepted.append(group)
        taken.update(group.members)
    return accepted


def _collide(group: Group, other: Group, pitch: float | None) -> bool:
    """Whether two faces are nearer together than two dice can be."""
    own = pitch if pitch is not None and group.face == 1 else group.pitch
    side = 0.45 * SIDE_PITCHES * (own + other.pitch)
    return math.dist(group.centre, other.centre) < 0.93 * side
