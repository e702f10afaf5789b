"""The picture fits the table, and never loses it."""

from __future__ import annotations

import numpy as np
import pytest
from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtTest import QTest

from tests.ui.windows import Owned, move, refresh
from ui.desktop.picture.image import to_qimage
from ui.desktop.picture.view import PictureView
from ui.desktop.window import Window

TABLE_PX = (300.0, 140.0, 700.0, 440.0)
RIGHT = Qt.MouseButton.RightButton


@pytest.fixture
def view(owned: Owned[PictureView]) -> PictureView:
    shown = owned(PictureView())
    shown.resize(800, 450)
    shown.show_picture(to_qimage(np.zeros((540, 960, 3), np.uint8)))
    return shown


def visible_table(view: PictureView) -> tuple[float, float]:
    """How many pixels of the widget the table covers, across and down."""
    low, high = view.to_widget((TABLE_PX[0], TABLE_PX[1])), view.to_widget((TABLE_PX[2], TABLE_PX[3]))
    across = min(high.x(), view.width()) - max(low.x(), 0.0)
    down = min(high.y(), view.height()) - max(low.y(), 0.0)
    return (across, down)


def test_a_dialog_at_the_right_covers_no_table(view: PictureView) -> None:
    view.show_table_at(TABLE_PX)
    view.keep_clear(300)
    # 400 px across into 800 - 300: the width limits it.
    assert view.scale == pytest.approx(1.25)
    assert view.to_widget((TABLE_PX[2], TABLE_PX[3])).x() <= 501
    view.keep_clear(0)
    assert view.scale == pytest.approx(1.5)


def test_a_known_table_fills_the_picture(view: PictureView) -> None:
    view.show_table_at(TABLE_PX)
    # 400 x 300 px into 800 x 450: the height limits it.
    assert view.scale == pytest.approx(1.5)
    assert view.to_picture(QPointF(400.0, 225.0)) == pytest.approx((499.5, 289.5), abs=1e-6)
    view.show_table_at(None)
    assert view.scale == pytest.approx(800 / 960)


def test_the_map_leaves_the_floor_out(window: Window) -> None:
    window.display.map.setChecked(True)
    refresh(window)
    view = window.store.view
    assert view is not None
    shown = window.display.seen(view).calibration
    marked = np.vstack(list(shown.markers_in.values()))
    (left, low), (right, high) = marked.min(0), marked.max(0)
    first, last = (
        window.picture.to_widget(tuple(px))
        for px in shown.camera.table_to_pixel([(left, high, 0.0), (right, low, 0.0)])
    )
    # 1.5 in of table are shown beside the markers, and the longer side fills the picture: see `ui.picture.drawing`.
    expected = min(window.picture.width() / (right - left + 3.0), window.picture.height() / (high - low + 3.0))
    assert (last.x() - first.x()) / (right - left) == pytest.approx(expected, rel=0.02)


def test_fit_shows_table_and_whole_picture_in_turn(view: PictureView) -> None:
    view.show_table_at(TABLE_PX)
    scales = []
    for _ in range(3):
        view.toggle_fit()
        scales.append(view.scale)
    assert scales == pytest.approx([800 / 960, 1.5, 800 / 960])
    view.show_table_at((310.0, 140.0, 700.0, 440.0))
    assert view.scale == pytest.approx(800 / 960), "the whole picture was chosen"


def test_fit_returns_to_the_table_after_zooming(view: PictureView) -> None:
    view.show_table_at(TABLE_PX)
    view.zoom(3.0)
    view.show_table_at((310.0, 140.0, 700.0, 440.0))
    assert view.scale == pytest.approx(4.5), "the player's zoom stays"
    view.toggle_fit()
    assert view.scale == pytest.approx(1.5)


@pytest.mark.parametrize("by", [(2000, 0), (-2000, 0), (0, 2000), (0, -2000)])
@pytest.mark.parametrize("factor", [0.8, 1.0, 4.0])
def test_dragging_cannot_lose_the_table(view: PictureView, by: tuple[int, int], factor: float) -> None:
    view.show_table_at(TABLE_PX)
    view.zoom(factor)
    middle = view.rect().center()
    QTest.mousePress(view, RIGHT, pos=middle)
    move(view, middle + type(middle)(*by), RIGHT)
    QTest.mouseRelease(view, RIGHT, pos=middle)
    across, down = visible_table(view)
    # A quarter of the widget, less half a pixel of the picture: `to_widget` counts from pixels' centres.
    assert across >= 800 / 4 - view.scale / 2 - 1e-6
    assert down >= 450 / 4 - view.scale / 2 - 1e-6
