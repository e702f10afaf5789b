"""What the projector paints: true inches, on the table only, and nothing on soldiers and markers."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.projector import Projection
from rules.tabletop.table import TerrainKind, TerrainPiece
from rules.tabletop.template import Blast
from tests.ui.views import figure, over, view_of
from ui.picture.preview import Preview
from ui.picture.shapes import Line
from ui.projector import Aligned, Light, Turn
from ui.session import Ruler, TableState
from ui.table.finding import Note, Trace, lifted
from ui.table.play_area import PlayArea
from ui.theme import CASUALTY, ORANGE, WHITE
from vision.light_marks import ARM_IN, LightMarks
from vision.setup import Setup
from vision.simulation.projector import hung_projector

MODEL = hung_projector((800, 600), (20.0, 16.0), keystone_deg=20.0)
PLACES_IN = np.array([[3.0, 3.0], [17.0, 13.0]])
VIEW = view_of(figure("green-1", 5, 8), figure("tan-1", 15, 8))
MARKER_IN = np.array([[9.0, 12.0], [11.0, 12.0], [11.0, 10.0], [9.0, 10.0]])


@pytest.fixture
def light():
    projection = Projection(MODEL, {}, 0.1, (), VIEW.calibration)
    return Light(Aligned(projection, LightMarks(PLACES_IN, ()), {}))


def on_table(line):
    return MODEL.pixel_to_table(line.points_px)


def added(light, view=VIEW, state=TableState(), preview=Preview(), turn=None):  # noqa: B008
    """The lines beside those of an empty table: they come first."""
    bare = light.painted(view, TableState(), Preview())
    return [shape for shape in light.painted(view, state, preview, turn) if shape not in bare]


def test_a_blast_is_a_thin_circle_of_true_inches(light):
    [circle] = added(light, state=TableState(templates=(Blast((8.0, 5.0), 2.5),)))
    assert np.linalg.norm(on_table(circle) - (8.0, 5.0), axis=1) == pytest.approx(2.5, abs=1e-3)
    assert circle.closed
    assert (circle.fill, circle.halo) == (None, False)


def test_a_ruler_is_one_line_between_the_bases(light):
    [ruler] = added(light, state=TableState(rulers=(Ruler("green-1", "tan-1"),)))
    # From edge to edge of bases with a half length of 0.5 in; an ellipse of 48 corners is a little smaller.
    assert on_table(ruler)[[0, -1]] == pytest.approx(np.array([[5.5, 8.0], [14.5, 8.0]]), abs=0.01)


@pytest.mark.parametrize("part", ["marks", "areas"])
def test_marks_of_a_battle_are_painted_but_texts_and_terrain_are_not(light, part):
    reach = Trace(lifted([(4.0, 4.0), (6.0, 4.0), (6.0, 6.0)]), ORANGE, closed=True, fill=ORANGE)
    house = TerrainPiece("house", TerrainKind.BUILDING, ((8, 2), (10, 2), (10, 4), (8, 4)), 0.0, 3.0)
    state = TableState(Setup(terrain=(house,)))
    [shown] = added(light, state=state, preview=Preview(**{part: (reach, Note((5.0, 5.0, 0.0), (("words", 12.0),)))}))
    assert on_table(shown) == pytest.approx(np.array([[4.0, 4.0], [6.0, 4.0], [6.0, 6.0]]), abs=1e-6)


@pytest.mark.parametrize(("colour", "width"), [(CASUALTY, 2.0), (WHITE, 6.0)])
def test_marks_are_painted_whatever_their_colour_and_width(light, colour, width):
    line = Trace(lifted([(4.0, 4.0), (6.0, 4.0)]), colour, width)
    assert len(added(light, preview=Preview(marks=(line,)))) == 1


def test_a_casualty_gets_a_ring_around_it_instead_of_a_cross_on_it(light):
    [circle] = added(light, preview=Preview(casualties=("tan-1", "gone-1")))
    # 24 corners around a disc of the same area: 1.1 * sqrt(x / sin(x)) with x = 15 degrees is 1.1063.
    assert np.linalg.norm(on_table(circle) - (15.0, 8.0), axis=1) == pytest.approx(1.1063, abs=1e-3)


def test_the_edge_shows_whose_turn_it_is(light):
    letters = (((0.0, 0.0), (10.0, 0.0), (10.0, 1.0)), ((3.0, 0.2), (4.0, 0.6), (4.0, 0.2)))
    state = TableState(area=PlayArea((1.0, 2.0), 18.0, 12.0))
    edge, *words = added(light, state=state, turn=Turn(ORANGE, letters))[-3:]
    assert on_table(edge).min(0) == pytest.approx((1.6, 2.6), abs=1e-3)
    assert on_table(edge).max(0) == pytest.approx((18.4, 13.4), abs=1e-3)
    # Letters are 1 in high: the words are 10 in long, 0.6 in above the near
    # edge, a fifth of the other 6.8 in from its beginning at 1.6 in.
    assert on_table(words[0]) == pytest.approx(np.array([[2.96, 3.2], [12.96, 3.2], [12.96, 4.2]]), abs=1e-3)
    assert on_table(words[1])[0] == pytest.approx((5.96, 3.4), abs=1e-3)
    # The second outline turns the other way: it is a hole in the first.
    assert [word.fill for word in words] == [words[0].colour, (0, 0, 0, 255)]
    assert words[0].colour != (0, 0, 0, 255)
    assert edge not in light.painted(VIEW, state, Preview())
    view = replace(VIEW, calibration=replace(VIEW.calibration, markers_in={0: MARKER_IN, 1: MARKER_IN - (6, 8)}))
    without_area = added(light, view, turn=Turn(ORANGE))
    assert any(on_table(line).max(0) == pytest.approx((10.4, 11.4), abs=1e-3) for line in without_area)


def test_the_words_keep_off_printed_markers(light):
    letters = (((0.0, 0.0), (10.0, 0.0), (10.0, 1.0)),)
    state = TableState(area=PlayArea((1.0, 2.0), 18.0, 12.0))
    view = replace(VIEW, calibration=replace(VIEW.calibration, markers_in={0: MARKER_IN - (6.5, 8.0)}))
    *_, words = added(light, view, state=state, turn=Turn(ORANGE, letters))
    # The dark paper ends 1.75 in from the marker's middle, at 5.25 in. A fifth and two fifths of the free
    # 6.8 in after 1.6 in are on it, three fifths are the first place beside it.
    assert on_table(words).min(0) == pytest.approx((5.68, 3.2), abs=1e-3)


def test_soldiers_and_printed_markers_stay_dark(light):
    view = replace(VIEW, calibration=replace(VIEW.calibration, markers_in={0: MARKER_IN}))
    shapes = light.painted(view, TableState(rulers=(Ruler("green-1", "tan-1"),)), Preview())
    dark = [shape for shape in shapes if isinstance(shape, Line) and shape.fill is not None]
    assert {shape.fill for shape in dark} == {(0, 0, 0, 255)}
    assert len(dark) == 3
    # The paper is 1.4 times as wide as its marker of 2 in, with a margin of a quarter.
    assert on_table(dark[-1]).max(0) == pytest.approx((10 + 1.4 * 1.25, 11 + 1.4 * 1.25), abs=1e-3)
    ruler = next(shape for shape in shapes if shape.fill is None)
    assert shapes.index(ruler) < shapes.index(dark[0])  # the ruler does not cover a soldier


def test_the_marks_are_crosses_in_their_places(light):
    strokes = light.painted(VIEW, TableState(), Preview())[-4:]
    ends = np.array([on_table(stroke)[[0, -1]] for stroke in strokes])
    assert ends.mean(1)[::2] == pytest.approx(PLACES_IN, abs=1e-6)
    assert np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) == pytest.approx(2 * ARM_IN, abs=1e-6)


def test_lines_stay_identical_while_nothing_changes(light):
    state = TableState(templates=(Blast((8.0, 5.0), 2.5),))
    first = light.painted(VIEW, state, Preview())
    assert light.painted(VIEW, state, Preview()) is first
    bumped = replace(VIEW, calibration=replace(VIEW.calibration, camera=over(41.0)))
    assert light.painted(bumped, state, Preview()) == first  # inches belong to the table, not to the camera
