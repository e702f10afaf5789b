"""Ranges and their errors, rulers, clicks and blasts on a view from straight above."""

import numpy as np
import pytest

from calibration.solve import PERTURBATION_SIGMAS
from rules.tabletop.path import placed
from rules.tabletop.template import Blast
from tests.ui.views import figure, over, view_of
from ui import measuring
from ui.measuring import Readings, Tape, figure_at, figures_under_blast, measured, read_off
from ui.session import Ruler


def test_with_a_perfect_camera_a_range_has_only_the_figures_errors():
    a, b = figure("tan-1", 4, 8, 0.3), figure("tan-2", 14, 8, 0.4)
    ranges = measured(view_of(a, b), (a, b))
    assert set(ranges) == {("tan-1", "tan-2"), ("tan-2", "tan-1")}
    assert ranges["tan-1", "tan-2"].centre_in == pytest.approx(10)
    assert ranges["tan-1", "tan-2"].edge_in == pytest.approx(9, abs=0.02)
    assert ranges["tan-1", "tan-2"].sigma_in == pytest.approx(0.5)


def test_a_common_shift_is_not_an_error_of_a_range():
    """An error of the camera's position shifts all places equally: places have an error, ranges have not."""
    moved = over(at=(10.0 + 0.5 * PERTURBATION_SIGMAS, 8.0))  # half an inch of standard deviation
    a, b = figure("tan-1", 4, 8, 0.5), figure("tan-2", 14, 8, 0.5)
    view = view_of(a, b, deviants=(moved,))
    assert view.calibration.sigma_in([(4, 8, 0)])[0] == pytest.approx(0.5 / np.sqrt(2), rel=1e-3)
    # 0.5^2 - 0.5^2 / 2 each is the figures' own error; the pair adds nothing: sqrt(2 * 0.125) = 0.5.
    assert measured(view, (a, b))["tan-1", "tan-2"].sigma_in == pytest.approx(0.5, rel=1e-3)


def test_an_error_of_scale_grows_with_the_range():
    higher = over(height_in=40.0 * (1 + 0.01 * PERTURBATION_SIGMAS))  # one per cent of scale
    a, b, c = figure("t-1", 4, 8, 0.0), figure("t-2", 9, 8, 0.0), figure("t-3", 14, 8, 0.0)
    ranges = measured(view_of(a, b, c, deviants=(higher,)), (a, b, c))
    assert ranges["t-1", "t-2"].sigma_in == pytest.approx(0.05, rel=1e-3)
    assert ranges["t-1", "t-3"].sigma_in == pytest.approx(0.10, rel=1e-3)


def test_a_click_on_the_body_picks_the_figure():
    standing = figure("tan-1", 20, 8)
    view = view_of(standing, figure("tan-2", 4, 8))
    head = view.calibration.camera.table_to_pixel((20, 8, 1.6))[0]
    assert np.hypot(*(head - view.calibration.camera.table_to_pixel((20, 8, 0))[0])) > 8
    assert figure_at(view, tuple(head)) is not None
    assert figure_at(view, tuple(head)).id == "tan-1"
    assert figure_at(view, (500, 50)) is None


def test_a_ruler_follows_its_figures_and_waits_for_lost_ones():
    ruler = Ruler("tan-1", (10.0, 8.0))
    assert read_off(view_of(figure("tan-1", 4, 8)), ruler).range.centre_in == pytest.approx(6)
    assert read_off(view_of(figure("tan-1", 7, 8)), ruler).range.centre_in == pytest.approx(3)
    assert read_off(view_of(figure("tan-2", 7, 8)), ruler) is None


def test_a_ruler_is_measured_once_for_all_users(monkeypatch):
    asked = []
    monkeypatch.setattr(measuring, "read_off", lambda view, ruler: asked.append(ruler) or read_off(view, ruler))
    read, near, far = Readings(), Ruler("tan-1", (10.0, 8.0)), Ruler("tan-1", (14.0, 8.0))
    here, moved = view_of(figure("tan-1", 4, 8)), view_of(figure("tan-1", 7, 8))
    assert read(here, near) is read(here, near)
    assert asked == [near]
    for view, ruler in ((here, far), (moved, far), (view_of(figure("tan-2", 7, 8)), near)):
        assert_same(read(view, ruler), read_off(view, ruler))
        assert asked[-1] is ruler
    assert len(asked) == 4


def test_all_rulers_of_the_picture_and_its_map_are_remembered(monkeypatch):
    asked = []
    monkeypatch.setattr(measuring, "read_off", lambda view, ruler: asked.append(ruler) or read_off(view, ruler))
    read, rulers = Readings(), [Ruler("tan-1", (float(x), 8.0)) for x in range(20)]
    picture, table_map = view_of(figure("tan-1", 4, 8)), view_of(figure("tan-1", 4, 8))
    for _ in range(3):
        for ruler in rulers:
            assert_same(read(picture, ruler), read_off(picture, ruler))
            assert_same(read(table_map, ruler), read_off(table_map, ruler))
    assert len(asked) == 2 * len(rulers)


def assert_same(one, other):
    assert (one is None) == (other is None)
    assert one is None or (one.range, one.legs) == (other.range, other.legs)


def test_a_blast_covers_figures_of_a_view():
    view = view_of(figure("tan-1", 4, 8), figure("tan-2", 14, 8))
    assert [hit.id for hit in figures_under_blast(view, Blast((4, 8), 2))] == ["tan-1"]


def test_a_tape_measures_a_moved_figure_again():
    a, b = figure("tan-1", 4, 8), figure("tan-2", 14, 8)
    tape = Tape(view_of(a, b).calibration, (a, b))
    assert tape(a, b).centre_in == pytest.approx(10)
    assert tape(a, placed(b, (17, 12))).centre_in == pytest.approx(np.hypot(13, 4))
    assert tape(a, b).centre_in == pytest.approx(10)
    assert tape(b, a) == tape(a, b).turned()
