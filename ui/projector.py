"""The projector: its alignment by pictures that the camera sees, and what it paints on the table. No Qt here.

It paints thin lines in true inches, too faint to be taken for soldiers, and nothing on soldiers and printed markers.
Names and numbers stay on the screen.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from shapely import LinearRing, Polygon
from shapely.geometry.polygon import orient

from calibration.camera import TableCamera
from calibration.markers import ImageGray
from calibration.opencv import cv2
from calibration.projector import Pattern, Projection
from calibration.solve import Calibration
from rules.tabletop.errors import UserError, user_error
from rules.tabletop.table import Figure, FloatArray, Outline, PointIn, ellipse_outline
from ui.picture.drawing import Drawing
from ui.picture.preview import Preview
from ui.picture.shapes import Line, Region, Ring, Shape, marked
from ui.session import TableState
from ui.table.finding import Mark, Trace, along, lifted, ring
from ui.theme import CASUALTY, TERRAIN, WHITE, Colour
from ui.translation import tr
from vision.frame import Frame
from vision.light_marks import MOVED_IN, LightMarks, cross_strokes, light_marks
from vision.projected_light import align, board_points, coded_points, linear, pattern_light, solids_px
from vision.setup import Setup
from vision.table_outline import marker_papers
from vision.table_view import TableView

_FIRST_S, _LEAST_S, _PATIENCE_S = 0.7, 0.3, 2.0
"""Time for which a picture is shown: the first one until old light is gone, the others at least and at most."""

_FRAMES = 3  # at rest, of which the mean is taken
_SHRINK = 8
_STILL, _CHANGED = 0.5, 0.4
"""Mean change in grey levels of pictures shrunk by eight: below the first at rest, above the second another one."""

_STEPS = 4

_Light = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """A projector that is aligned with the table.

    Attributes:
        projection: Which pixel lights which place.
        marks: What shows later whether it still does.
        markers_in: The printed markers' places then, by id: other places mean other table coordinates.
    """

    projection: Projection
    marks: LightMarks
    markers_in: dict[int, FloatArray]


class Alignment:
    """One alignment. `take` belongs to one thread; the others are replaced as a whole and may be read by any.

    Attributes:
        picture: What the projector must show now, (height, width).
        aligned: The result, once there is one.
        problem: Why there is none, as a sentence.
    """

    def __init__(self, size_px: tuple[int, int], view: TableView, setup: Setup) -> None:
        """Prepare to align a projector whose picture is `size_px`, (width, height), with the table of a view.

        Raises:
            UserError: if the table has no inches yet.
        """
        if view.calibration is None:
            raise user_error("The camera does not know the table's inches yet. Lay a printed marker on the table.")
        pattern = Pattern(size_px)
        solids = solids_px(view.calibration.camera, view.figures, setup.terrain)
        self._steps = _sequence(pattern, view.calibration, solids)
        self._count, self._most = 0, _STEPS + 2 * pattern.code_bits
        self._before: _Light | None = None
        self._recent: list[tuple[ImageGray, _Light]] = []
        self._shown_s: float | None = None
        self.picture: ImageGray = next(self._steps)
        self.aligned: Aligned | None = None
        self.problem = ""

    @property
    def over(self) -> bool:
        """Whether it has succeeded, failed or been cancelled."""
        return bool(self.aligned or self.problem)

    @property
    def progress(self) -> float:
        """Part of the pictures that were shown, if the codes are needed too; usually it ends long before 1."""
        return self._count / self._most

    def cancel(self) -> None:
        """End without a result."""
        self.problem = self.problem or tr("The projector is not aligned.")

    def take(self, frame: Frame) -> None:
        """Take the camera's next picture."""
        if self.over:
            return
        gray = frame.gray()
        size = (gray.shape[1] // _SHRINK, gray.shape[0] // _SHRINK)
        small = cv2.resize(gray, size, interpolation=cv2.INTER_AREA).astype(np.float32)
        self._recent = [*self._recent[1 - _FRAMES :], (gray, small)]
        self._shown_s = frame.time_s if self._shown_s is None else self._shown_s
        for_s = frame.time_s - self._shown_s
        if for_s < (_LEAST_S if self._count else _FIRST_S):
            self._recent = self._recent[-1:]
            return
        changed = self._before is None or _difference(small, self._before) > _CHANGED
        still = len(self._recent) == _FRAMES and all(_difference(small, other) < _STILL for _, other in self._recent)
        if (changed and still) or for_s > _PATIENCE_S:
            self._go_on(small)
            self._shown_s = None  # from the next frame on, however long this took

    def _go_on(self, small: _Light) -> None:
        self._before, seen = small, linear([gray for gray, _ in self._recent])
        self._recent, self._count = [], self._count + 1
        try:
            self.picture = self._steps.send(seen)
        except StopIteration as end:
            self.aligned = end.value
        except UserError as error:
            self.problem = str(error)


def _difference(one: _Light, other: _Light) -> float:
    return float(np.abs(one - other).mean())


def _sequence(
    pattern: Pattern, measured: Calibration, solids: list[FloatArray]
) -> Generator[ImageGray, _Light, Aligned]:
    """Yields what to show and is sent what the camera then sees: dark, the board, its inverse and dark again.

    Where too few of the board's markers can be read, eight pictures of bits number its squares.

    Raises:
        UserError: if the light is not seen, or too little of it lies on the table.
    """
    black = np.zeros_like(pattern.picture)
    dark = yield black
    board = yield pattern.picture
    light = pattern_light(dark, board, (yield 255 - pattern.picture))
    try:
        projection, places_in = align(light, board_points(light, pattern), pattern, measured, solids)
    except UserError:
        codes = []
        for code in pattern.codes:
            codes.append((yield code))
        projection, places_in = align(light, coded_points(light, codes, pattern), pattern, measured, solids)
    marks = light_marks(dark, measured.camera, places_in, marker_papers(measured))
    yield black  # until the camera sees the table as it was: vision goes on from there
    return Aligned(projection, marks, dict(measured.markers_in))


CHECK_EVERY_S = 1.0
"""Time between two checks of an alignment."""

_TIMES = 3  # checks in a row: a sleeve over a mark or a swinging camera is not a shift
_LEAST_MARKS = 2
_MARKER_MOVED_IN = 0.1


class AlignmentWatch:
    """Checks the projector's own marks, and the printed markers that carry the inches."""

    def __init__(self, aligned: Aligned) -> None:
        self._aligned = aligned
        self._known = np.zeros(len(aligned.marks.places_in), np.bool_)
        self._moved = self._gone = 0

    def problem(self, view: TableView) -> str:
        """Why the light may be in the wrong place, as a sentence; empty while it is right, or if it cannot be seen."""
        if view.calibration is None or view.frozen:
            return ""
        known, now = self._aligned.markers_in, view.calibration.markers_in
        shifts = [float(np.abs(now[number] - known[number]).max()) for number in known.keys() & now.keys()]
        if shifts and np.median(shifts) > _MARKER_MOVED_IN:
            return tr("The printed markers have moved, so the projector's light is in the wrong place. Align it again.")
        offsets_in = self._aligned.marks.offsets_in(view.frame.gray(), view.calibration.camera)
        away_in = np.linalg.norm(offsets_in, axis=1)
        seen = np.isfinite(away_in)
        self._known |= seen
        is_moved = seen.sum() >= _LEAST_MARKS and float(np.median(away_in[seen])) > MOVED_IN
        is_gone = not seen.any() and self._known.sum() >= _LEAST_MARKS  # marks too weak to be seen were never known
        self._moved, self._gone = (self._moved + 1 if is_moved else 0), (self._gone + 1 if is_gone else 0)
        if self._moved >= _TIMES:
            return tr("The projector or the table has moved, so its light is in the wrong place. Align it again.")
        if self._gone >= _TIMES:
            return tr("The camera no longer sees the projector's light. Turn it on, or align it again.")
        return ""


_WIDTH_PX = 2.5  # a tenth of an inch
_LETTERS_PX = 0.5
_WORDS_IN = 1.0  # size of letters
_WORDS_SHARES = (0.2, 0.4, 0.6, 0.8)  # of the side that is free beside the words, before them
_PALE = 0.45  # share of white: light in a pure colour vanishes on wood and grass
_DARK: Colour = (0, 0, 0, 255)
_PAPER_MARGIN = 1.25
_CASUALTY_IN = 1.1
_INSET_IN = 0.6
_FAR_IN = 1000.0


@dataclass(frozen=True, slots=True)
class Turn:
    """Whose turn it is, painted along the table's edge.

    Attributes:
        colour: The side's.
        letters: Closed outlines of the letters, 1 high and y up; their line begins at (0, 0).
    """

    colour: Colour
    letters: tuple[tuple[PointIn, ...], ...] = ()


class Light:
    """The lines for one projector; keeps those that have not changed."""

    def __init__(self, aligned: Aligned) -> None:
        self._aligned, self._drawing = aligned, Drawing()
        self._last: tuple[tuple[object, ...], tuple[Shape, ...]] | None = None

    def painted(
        self, view: TableView, state: TableState, preview: Preview, turn: Turn | None = None
    ) -> tuple[Shape, ...]:
        """Lines in the projector's pixels, from the lowest up; the identical tuple while nothing changes.

        The table's edge shows whose `turn` it is.
        """
        projected = replace(view, calibration=self._aligned.projection)
        beside = replace(preview, badges=(), casualties=())  # no signs beside soldiers, no crosses on them
        layers = self._drawing.of(projected, state, beside, numbers=False)
        key = (*layers, view.figures, preview.casualties, turn, state.area, view.calibration)
        if self._last is None or key != self._last[0]:
            self._last = key, tuple(self._lines(view, state, layers, preview.casualties, turn))
        return self._last[1]

    def _lines(
        self,
        view: TableView,
        state: TableState,
        layers: Sequence[Sequence[Shape]],
        casualties: Sequence[str],
        turn: Turn | None,
    ) -> Iterator[Shape]:
        camera = self._aligned.projection.camera
        areas, resting, found, loose = layers
        for area in areas:
            if isinstance(area, Region):
                yield from (_thin(Line(ring_px, area.style.edge, closed=True)) for ring_px in area.rings_px)
            elif isinstance(area, Line):
                yield _thin(area)
        laid = (shape for shape in resting if not isinstance(shape, Ring))  # no rings round all the soldiers
        for shape in (*laid, *found, *loose):
            if isinstance(shape, Line) and not _stays_on_screen(shape):
                yield _thin(shape)
        yield from _lit(camera, *(_around(figure) for figure in view.figures if figure.id in casualties))
        if turn is not None:
            yield from _signs(camera, view, state, turn)
        yield from _kept_dark(camera, view)
        places = [(float(x), float(y)) for x, y in self._aligned.marks.places_in]
        strokes = [Trace(along(lifted(stroke)), WHITE) for place in places for stroke in cross_strokes(place)]
        yield from (replace(line, halo=False) for line in marked(camera, strokes) if isinstance(line, Line))


def _thin(line: Line) -> Line:
    """The line as light: thin, pale, unfilled, without a dark rim."""
    red, green, blue = (round((1 - _PALE) * part + _PALE * 255) for part in line.colour[:3])
    return Line(
        line.points_px,
        (red, green, blue, 255),
        min(line.width, _WIDTH_PX),
        closed=line.closed,
        halo=False,
        dashed=line.dashed,
    )


def _stays_on_screen(line: Line) -> bool:
    """Whether it is an outline of terrain or a ruler's second line."""
    is_second = line.dashed and not line.closed and line.keep_clear  # from centre to centre, beside the bases' range
    return line.colour[:3] == TERRAIN[:3] or bool(is_second)


def _around(figure: Figure) -> Mark:
    """A ring on the table around a casualty."""
    circle = ellipse_outline(figure.centre_in, _CASUALTY_IN, _CASUALTY_IN)
    return Trace(lifted(circle, figure.z_in), CASUALTY, _WIDTH_PX, closed=True)


def _markers_box(view: TableView) -> Outline:
    """The rectangle around all printed markers; everything if there are none."""
    known = [*view.calibration.markers_in.values()] if view.calibration is not None else []
    corners = np.concatenate(known or [np.array([[-_FAR_IN, -_FAR_IN], [_FAR_IN, _FAR_IN]])])
    (left, near), (right, far) = corners.min(0).tolist(), corners.max(0).tolist()
    return ((left, near), (right, near), (right, far), (left, far))


def _signs(camera: TableCamera, view: TableView, state: TableState, turn: Turn) -> Iterator[Shape]:
    """A line along the edge of what is played on and lit, with words inside its near side."""
    width, height = camera.lens.image_size
    lit_in = camera.pixel_to_table([(0, 0), (0, height), (width, height), (width, 0)])
    played = Polygon(state.area.corners_in if state.area is not None else _markers_box(view))
    if not np.isfinite(lit_in).all():
        return
    edge = played.intersection(Polygon(lit_in)).buffer(-_INSET_IN, join_style="mitre")
    if not isinstance(edge, Polygon) or edge.is_empty:
        return
    corners = [(float(x), float(y)) for x, y in orient(edge).exterior.coords]
    length_in = _WORDS_IN * max((x for letter in turn.letters for x, _ in letter), default=0.0)
    sides = [side for side in pairwise(corners) if math.dist(*side) > length_in]
    nearest = sorted(sides, key=lambda side: side[0][1] + side[1][1])
    rooms = [_room(side, length_in, share) for side in nearest for share in _WORDS_SHARES]
    papers = [Polygon(paper) for paper in _dark_papers(view)]
    clear = (room for room in rooms if not any(Polygon(room).intersects(paper) for paper in papers))
    yield from _lit(camera, Trace(ring(corners[:-1]), turn.colour, _WIDTH_PX, closed=True))
    room = next(clear, next(iter(rooms), None))
    if room is not None and turn.letters:
        yield from _words_in(camera, room, turn)


def _room(side: tuple[PointIn, PointIn], length_in: float, share: float) -> Outline:
    """The rectangle of words inside a side, from the beginning of their line."""
    start, end = np.array(side)
    right = (end - start) / np.linalg.norm(end - start)
    up = np.array((-right[1], right[0]))
    first = start + share * (math.dist(start, end) - length_in) * right + _INSET_IN * up
    corners = (first, first + length_in * right, first + length_in * right + _WORDS_IN * up, first + _WORDS_IN * up)
    return tuple((float(x), float(y)) for x, y in corners)


def _words_in(camera: TableCamera, room: Outline, turn: Turn) -> Iterator[Shape]:
    """Solid letters in their room; black for the holes in them, which turn the other way."""
    first, end = np.array(room[:2])
    right = (end - first) / np.linalg.norm(end - first)
    axes = _WORDS_IN * np.array([right, (-right[1], right[0])])
    turns = LinearRing(max(turn.letters, key=lambda letter: Polygon(letter).area)).is_ccw
    solid = [letter for letter in turn.letters if LinearRing(letter).is_ccw == turns]
    for letter in (*solid, *(letter for letter in turn.letters if letter not in solid)):
        places = (first + np.array(letter) @ axes).tolist()
        for line in _lit(camera, Trace(lifted([(x, y) for x, y in places]), turn.colour, _LETTERS_PX, closed=True)):
            colour = line.colour if letter in solid else _DARK
            yield replace(line, colour=colour, fill=colour)


def _lit(camera: TableCamera, *marks: Mark) -> Iterator[Line]:
    """Marks as light."""
    return (_thin(line) for line in marked(camera, marks) if isinstance(line, Line))


def _dark_papers(view: TableView) -> list[FloatArray]:
    """The outlines (N, 2) round the printed markers within which nothing is painted."""
    papers = [np.array(paper) for paper in marker_papers(view.calibration)] if view.calibration is not None else []
    return [paper.mean(0) + _PAPER_MARGIN * (paper - paper.mean(0)) for paper in papers]


def _kept_dark(camera: TableCamera, view: TableView) -> Iterator[Shape]:
    """Black areas over soldiers and printed markers: light would change their colours."""
    assert view.calibration is not None
    bodies = solids_px(camera, view.figures, ())
    bodies += [camera.table_to_pixel(paper) for paper in _dark_papers(view)]
    for outline in bodies:
        if np.isfinite(outline).all():
            points = tuple((float(x), float(y)) for x, y in outline)
            yield Line(points, _DARK, 1.0, _DARK, closed=True, halo=False)
