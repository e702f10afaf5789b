"""Shapes over the picture of a known camera."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.camera import Lens, TableCamera
from calibration.marker_issue import MarkerIssue, Reason
from calibration.solve import PERTURBATION_SIGMAS, Calibration
from rules.tabletop.table import Figure, Posture, ellipse_outline
from rules.tabletop.template import Blast
from ui.picture.drawing import table_overlay
from ui.picture.figure_shapes import figure_number
from ui.picture.overlay import marker_issue_shapes, resting_shapes
from ui.picture.preview import Preview
from ui.picture.shapes import Label, Line, Ring, Shape, marked
from ui.session import Ruler, TableState
from ui.table.finding import Trace
from ui.theme import BLAST, CASUALTY, PREVIEW, RULER, WHITE, army_colour, army_dash
from vision.frame import Frame
from vision.table_view import TableView

SIZE_PX = (1280, 720)
LENS = Lens(SIZE_PX, np.array([[1000.0, 0, 640], [0, 1000, 360], [0, 0, 1]]), np.array([-0.2, 0.03, 0, 0, 0]))
# Looking straight down from 50 in over (24, 14): the picture's right is +x, its lower edge -y.
DOWN = np.diag([1.0, -1.0, -1.0])
CAMERA = TableCamera(LENS, DOWN, -DOWN @ (24.0, 14.0, 50.0))
# One standard deviation of its height is 0.05 in: 0.1 % of a distance.
NUDGED = TableCamera(LENS, DOWN, -DOWN @ (24.0, 14.0, 50.0 + 0.05 * PERTURBATION_SIGMAS))
MARKER = np.array([[1.0, 4], [4, 4], [4, 1], [1, 1]])


def figure(name: str, x: float, y: float, z: float = 0.0) -> Figure:
    return Figure(name, name.split("-")[0], x, y, z, 0.05, Posture.STANDING, ellipse_outline((x, y), 0.5, 0.4))


GREEN, TAN = figure("green-1", 10, 10), figure("tan-1", 30, 18, 2.0)


def view_of(*figures: Figure, camera: TableCamera = CAMERA) -> TableView:
    frame = Frame(np.zeros((SIZE_PX[1], SIZE_PX[0], 3), np.uint8), 0, 0.0)
    calibration = Calibration(camera, {0: MARKER}, 0.1, (NUDGED,))
    return TableView(frame, calibration, SimpleNamespace(figures=figures))  # type: ignore[arg-type]


def lines(shapes: tuple[Shape, ...], colour: tuple[int, ...]) -> list[Line]:
    return [shape for shape in shapes if isinstance(shape, Line) and shape.colour == colour]


def words(shapes: tuple[Shape, ...]) -> list[str]:
    return [row for shape in shapes if isinstance(shape, Label) for row, _ in shape.rows]


def test_without_calibration_nothing_is_drawn() -> None:
    assert table_overlay(replace(view_of(GREEN), calibration=None), TableState()) == ()


def test_a_ring_shows_the_base_at_its_height() -> None:
    (ring,) = lines(table_overlay(view_of(TAN), TableState()), army_colour("tan", []))
    back = CAMERA.pixel_to_table(ring.points_px, 2.0)
    assert ring.closed
    assert back == pytest.approx(np.array(TAN.base_in), abs=1e-6)


def test_a_ruler_follows_the_lens_distortion() -> None:
    shapes = table_overlay(view_of(GREEN, TAN), TableState(rulers=(Ruler("green-1", "tan-1"),)))
    thin, strong = sorted(lines(shapes, RULER), key=lambda line: line.width)
    points = np.array(thin.points_px)
    # A third of the segment, in inches and height, projected through the lens.
    third = len(points) // 3
    part = third / (len(points) - 1)
    expected = CAMERA.table_to_pixel((10 + 20 * part, 10 + 8 * part, 2 * part))[0]
    assert len(points) >= 25
    assert points[third] == pytest.approx(expected, abs=1e-6)
    straight = points[0] + (points[-1] - points[0]) * part
    assert np.linalg.norm(points[third] - straight) > 1.0
    # The strong part leaves out a base's reach, 0.4 to 0.5 in (20 px to the inch), at either end.
    assert 8 * 2 < np.linalg.norm(points[-1] - points[0]) - math.dist(strong.points_px[0], strong.points_px[-1]) < 22


def test_a_ruler_shows_both_distances_and_their_error() -> None:
    shapes = table_overlay(view_of(GREEN, TAN), TableState(rulers=(Ruler("green-1", "tan-1"),)))
    # sqrt(20^2 + 8^2) = 21.54; two sigma of 0.05 each, sqrt(2) * 0.1 = 0.14, rounded up with the calibration's.
    assert "21.5 in ± 0.2" in words(shapes)
    # Less what the two ellipses reach towards one another: 0.48 in each at 22 degrees.
    assert "edge 20.6 in" in words(shapes)


def test_a_ruler_without_its_figure_is_not_drawn() -> None:
    state = TableState(rulers=(Ruler("green-1", "tan-1"),))
    assert lines(table_overlay(view_of(GREEN), state), RULER) == []


def test_a_ruler_to_a_bare_place_has_no_edge() -> None:
    shapes = table_overlay(view_of(GREEN), TableState(), Preview(ruler=Ruler("green-1", (10.0, 20.0))))
    # Two sigma of the figure's 0.05; the place itself has only the calibration's error.
    assert "10.0 in ± 0.1" in words(shapes)
    assert not any(row.startswith("edge") for row in words(shapes))
    assert [line.closed for line in lines(shapes, PREVIEW)] == [True, False, False], "the figure's ring, then the ruler"


@settings(max_examples=30)
@given(st.floats(8, 40), st.floats(6, 22), st.floats(0.5, 5))
def test_a_blast_is_a_circle_on_the_table(x: float, y: float, radius: float) -> None:
    (disc,) = lines(table_overlay(view_of(), TableState(templates=(Blast((x, y), radius),))), BLAST)
    rim = CAMERA.pixel_to_table(disc.points_px) - (x, y)
    assert len(rim) == 96
    assert np.hypot(*rim.T) == pytest.approx(radius, abs=1e-4)


def test_parts_of_a_blast_outside_the_picture_are_left_out() -> None:
    # 5 in over the table at (24, 14), looking along +y: what lies behind y = 14 has no pixel.
    ahead = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    camera = TableCamera(LENS, ahead, -ahead @ (24.0, 14.0, 5.0))
    (disc,) = lines(table_overlay(view_of(camera=camera), TableState(templates=(Blast((24, 14), 20.0),))), BLAST)
    assert 0 < len(disc.points_px) < 48
    assert np.isfinite(disc.points_px).all()


def test_figures_under_a_blast_show_their_part() -> None:
    # The blast's rim runs through the base's centre: nearly half of it is inside, by symmetry less the rim's curve.
    state = TableState(templates=(Blast((13.0, 10.0), 3.0),))
    shapes = table_overlay(view_of(GREEN, TAN), state)
    (percent,) = [row for row in words(shapes) if row.endswith("%")]
    assert 40 < int(percent.split()[0]) < 50
    rings = [shape for shape in shapes if isinstance(shape, Line) and len(shape.points_px) == 24]
    assert [ring.fill is not None and ring.fill[:3] == BLAST[:3] for ring in rings] == [True, False]


def test_names_appear_if_there_is_room() -> None:
    # 20 px to the inch: three screen pixels per picture pixel give enough room.
    assert "Green 1" not in words(table_overlay(view_of(GREEN), TableState()))
    assert "Green 1" in words(table_overlay(view_of(GREEN), TableState(), screen_scale=3.0))
    assert "Green 1" in words(table_overlay(view_of(GREEN), TableState(), Preview(hovered="green-1")))


def test_every_figure_wears_its_number_unless_switched_off() -> None:
    view = view_of(GREEN, TAN)
    assert words(table_overlay(view, TableState())) == ["1", "1"]
    assert words(table_overlay(view, TableState(), screen_scale=0.5)) == [], "10 px to the inch are too few"
    assert words(resting_shapes(view, TableState(), None, 1.0, quiet=False, numbers=False)) == []
    assert [figure_number(name) for name in ("tan-12", "green_3", "the_general")] == ["12", "3", "The general"]


def test_a_number_keeps_off_the_figures_body() -> None:
    [ring] = [shape for shape in table_overlay(view_of(TAN), TableState()) if isinstance(shape, Ring)]
    [body] = ring.keep_clear
    # Standing 2 in up and 2.1 in tall: its head is farther from the picture's middle, below which the camera hangs.
    middle = np.array([640, 360])
    base, head = np.array(body[:24]).mean(0), np.array(body[24:]).mean(0)
    assert np.linalg.norm(head - middle) > np.linalg.norm(base - middle)


def test_armies_differ_by_colour_and_by_pattern() -> None:
    rings = [shape for shape in table_overlay(view_of(GREEN, TAN), TableState()) if isinstance(shape, Ring)]
    assert len({ring.colour for ring in rings}) == 2
    assert len({army_dash(army, ["green", "grey", "tan"]) for army in ("green", "grey", "tan")}) == 3


def test_a_casualty_is_crossed_out_and_named_under_the_mouse() -> None:
    def drawn(**parts: str) -> tuple[Shape, ...]:
        return table_overlay(view_of(GREEN, TAN), TableState(), Preview(casualties=("tan-1",), **parts))

    assert len(lines(drawn(), CASUALTY)) == 2
    assert "Take off Tan 1" not in words(drawn())
    assert "Take off Tan 1" in words(drawn(hovered="tan-1"))
    assert "Take off Tan 1" not in words(drawn(hovered="green-1"))


def test_a_rulers_label_does_not_cover_it() -> None:
    for end in ((30.0, 10.0), (10.0, 24.0), (24.0, 24.0)):
        shapes = table_overlay(view_of(GREEN), TableState(), Preview(ruler=Ruler("green-1", end)))
        (label,) = [shape for shape in shapes if isinstance(shape, Label) and not shape.small]
        way = np.array(CAMERA.table_to_pixel((*end, 0.0))[0]) - CAMERA.table_to_pixel((10.0, 10.0, 0.0))[0]
        across = np.array([way[1], -way[0]]) / np.hypot(*way)
        corners = [np.array(label.offset) + (h, v) for h in (-90, 90) for v in (-25, 25)]
        sides = [float(corner @ across) for corner in corners]
        assert min(sides) > 0 or max(sides) < 0


def test_armies_have_different_colours() -> None:
    armies = ["green", "tan", "grey", "blue", "red", "yellow"]
    assert len({army_colour(army, armies) for army in armies}) == 6
    others = ["Alpha", "Bravo", "green"]
    assert len({army_colour(army, others) for army in others}) == 3


def test_an_unusable_marker_is_outlined_with_its_reason() -> None:
    inside = ((600.0, 300.0), (640.0, 300.0), (640.0, 340.0), (600.0, 340.0))
    corner = ((0.0, 690.0), (20.0, 690.0), (20.0, 720.0), (0.0, 720.0))
    shapes = marker_issue_shapes(
        (MarkerIssue(inside, Reason.DUPLICATE, "twice", 4), MarkerIssue(corner, Reason.CUT_OFF, "cut")), SIZE_PX
    )
    assert [line.points_px for line in lines(shapes, BLAST)] == [inside, corner]
    assert words(shapes) == ["marker 4: number used twice", "cut off"]
    below, above = (shape for shape in shapes if isinstance(shape, Label))
    assert (below.at_px, below.offset[1] > 0) == ((620.0, 340.0), True)
    assert above.at_px[0] > 60, "the label is moved inside by half its width"
    assert (above.at_px[1], above.offset[1] < 0) == (690.0, True)


def test_the_picked_figure_and_its_target_stand_in_white_rings() -> None:
    view, state = view_of(GREEN, TAN), TableState()
    assert lines(table_overlay(view, state), PREVIEW) == []
    [around] = lines(table_overlay(view, state, Preview(picked="green-1")), PREVIEW)
    assert around.closed
    at = CAMERA.pixel_to_table(around.points_px, 0.0)
    # The base has half axes of 0.5 and 0.4 in; the ring is 1.6 times as large.
    assert np.ptp(at[:, 0]) == pytest.approx(2 * 0.5 * 1.6, abs=0.02)
    aimed = table_overlay(view, state, Preview(picked="green-1", ruler=Ruler("green-1", "tan-1")))
    assert sum(line.closed for line in lines(aimed, PREVIEW)) == 2


def test_white_rings_are_below_the_numbers() -> None:
    shapes = table_overlay(view_of(GREEN, TAN), TableState(), Preview(picked="green-1"), screen_scale=2.0)
    [ring] = lines(shapes, PREVIEW)
    numbers = [shape for shape in shapes if isinstance(shape, Label) and shape.small]
    assert numbers
    assert all(shapes.index(ring) < shapes.index(number) for number in numbers)


def test_labels_keep_off_badges() -> None:
    places = ((1.0, 1.0, 0.0), (2.0, 1.0, 0.0), (2.0, 2.0, 0.0))
    disc = Trace(places, WHITE, closed=True, clear_in=(places,))
    [line] = [one for one in marked(CAMERA, [disc]) if isinstance(one, Line)]
    assert line.keep_clear == (line.points_px,)
    [free] = [one for one in marked(CAMERA, [replace(disc, clear_in=())]) if isinstance(one, Line)]
    assert free.keep_clear == ()
