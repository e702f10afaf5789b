"""The frame around the control that the guide speaks of: it follows, hides with it, and lets clicks through."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import QPoint, QRect
from PyQt6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from tests.ui.windows import Owned, Wait
from ui.desktop.spotlight import Spotlight


@pytest.fixture
def page(owned: Owned[QWidget]) -> QWidget:
    """A window with a box that holds a button."""
    page = owned(QWidget())
    layout = QVBoxLayout(page)
    box = QWidget()
    layout.addStretch(1)
    layout.addWidget(box)
    QVBoxLayout(box).addWidget(QPushButton("Learn"))
    page.resize(300, 200)
    page.show()
    return page


def test_it_follows_its_target_and_hides_with_it(page: QWidget, wait_until: Wait) -> None:
    [button] = page.findChildren(QPushButton)
    light = Spotlight(page)
    assert not light.isVisible()
    light.light(button)
    assert light.isVisible()

    def is_around() -> bool:
        return light.geometry().center() == button.mapTo(page, button.rect().center())

    before = light.geometry()
    assert is_around()
    assert before.contains(QRect(button.mapTo(page, QPoint()), button.size()))
    page.resize(300, 400)  # moves the box, and the button only with it
    wait_until(lambda: is_around() and light.geometry().center().y() == before.center().y() + 200)
    box = button.parentWidget()
    box.hide()
    assert not light.isVisible()
    box.show()
    assert light.isVisible()
    light.light(None)
    assert not light.isVisible()


def test_clicks_go_through_it(page: QWidget) -> None:
    [button] = page.findChildren(QPushButton)
    light = Spotlight(page)
    light.light(button)
    assert page.childAt(light.geometry().center()) is button
    assert not light.grab().isNull()


def test_a_part_outside_its_widget_is_not_lit(page: QWidget) -> None:
    [button] = page.findChildren(QPushButton)
    light = Spotlight(page)
    light.light(button, QRect(0, 0, 10, 10))
    assert light.isVisible()
    assert (light.centre - QPoint(5, 5)).manhattanLength() <= 2
    light.light(button, QRect(1000, 0, 10, 10))
    assert not light.isVisible()


def test_its_frame_does_not_cross_what_stands_beside_it(page: QWidget) -> None:
    light = Spotlight(page)
    soldier, number, far = QRect(100, 50, 60, 60), QRect(120, 105, 20, 16), QRect(250, 50, 20, 16)
    light.light(page, soldier, [number, far])
    frame = light.geometry()
    inner = frame.adjusted(6, 6, -6, -6)  # the frame's width
    assert inner.contains(number)
    assert not frame.intersects(far)
    assert soldier.contains(light.centre)
