"""Armies that are told from the figures' colours, by one button and with the real finder."""

from __future__ import annotations

from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLabel, QPushButton

from tests.ui.windows import LEFT, POSTS, Open, Wait
from ui.desktop.window import Window


def button(window: Window) -> QPushButton:
    words = ("Find armies", "Looking for", "Use ")
    [found] = [one for one in window.panel.findChildren(QPushButton) if one.text().startswith(words)]
    return found


def test_a_button_finds_the_armies_by_colour_and_another_click_uses_them(open_window: Open, wait_until: Wait) -> None:
    window = open_window()
    wait_until(lambda: window.bench.view and len(window.bench.view.figures) == len(POSTS))
    wait_until(lambda: not button(window).isVisible())  # armies are taught
    for army in ("green", "blue"):
        window.panel.forget.emit(army)
    wait_until(lambda: window.bench.view and not window.bench.view.figures)
    QApplication.processEvents()
    assert button(window).text() == "Find armies by colour"
    QTest.mouseClick(button(window), LEFT)
    wait_until(lambda: button(window).text().startswith("Use 2 "))
    view = window.bench.view
    assert view is not None
    groups = {one.id: one for one in view.figures}
    assert len(groups) == len(POSTS)
    assert len({one.army for one in groups.values()}) == 2
    assert any("grouped by their colour" in one.text() for one in window.findChildren(QLabel))

    QTest.mouseClick(button(window), LEFT)
    taught = [army.name for army in window.session.state.setup.palette]
    assert sorted(taught) == sorted({one.army for one in groups.values()})
    assert str(window.session.can_undo).startswith("use 2 ")
    wait_until(lambda: not button(window).isVisible())
    wait_until(lambda: window.bench.view and {one.id for one in window.bench.view.figures} == set(groups))

    window.undo()
    wait_until(lambda: button(window).isVisible())
    assert window.session.state.setup.palette == ()
