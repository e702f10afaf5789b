"""The sight fan and the danger area in the real window."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QWidget

from tests.ui.desktop.test_battle_window import started_battle
from tests.ui.windows import BARE_IN, POSTS, Wait, click, next_phase, point
from ui.desktop.picture.image import to_bgr
from ui.desktop.window import Window
from ui.picture.shapes import Region

SHIFT = Qt.KeyboardModifier.ShiftModifier


def regions(window: Window) -> list[Region]:
    return [shape for shape in window.picture.shapes if isinstance(shape, Region)]


def test_the_fan_of_a_soldier_stays_after_a_click_and_goes_with_escape(window: Window, wait_until: Wait) -> None:
    window.picture.setFocus()
    QTest.keyClick(window.picture, Qt.Key.Key_S, SHIFT)
    assert window.store.tool.name == "sight_fan"
    assert regions(window) == []
    point(window, POSTS["green-1"])
    wait_until(lambda: regions(window))
    assert window.panel.headline.text() == "100 % of the table in sight"  # this table has no terrain
    point(window, BARE_IN)
    assert regions(window) == []
    click(window, POSTS["green-1"])
    point(window, BARE_IN)
    wait_until(lambda: regions(window))
    assert "Green 1" in window.store.tool.hint
    QTest.keyClick(window.picture, Qt.Key.Key_Escape)
    assert regions(window) == []
    point(window, POSTS["blue-1"])
    wait_until(lambda: window.panel.headline.text().endswith("in sight"))


def test_the_fan_is_drawn_on_the_map_too(window: Window, wait_until: Wait) -> None:
    window.store.use_tool("sight_fan")
    click(window, POSTS["green-1"])
    wait_until(lambda: regions(window))
    on_picture = regions(window)
    window.display.map.trigger()
    assert regions(window)
    assert regions(window) != on_picture


def orange_part(screen: QWidget) -> float:
    """The part of a black screen that the danger area colours."""
    blue, _, red = np.moveaxis(to_bgr(screen.grab().toImage()), 2, 0)
    return float(((red > 30) & (blue < 20)).mean())


def test_the_danger_area_is_shown_on_picture_and_projector(window: Window, tmp_path: Path, wait_until: Wait) -> None:
    started_battle(window, tmp_path / "b")
    next_phase(window)
    window.picture.setFocus()
    QTest.keyClick(window.picture, Qt.Key.Key_D, SHIFT)
    wait_until(lambda: regions(window))
    assert len(regions(window)) == 2, "both enemies see the whole table"
    assert window.store.message.now[0] == "Enemies of Green can shoot at 100 % of the table next turn."
    window.features.projector.switch.trigger()
    assert orange_part(window.features.projector.screen) > 0.4
    window.features.sight_areas.danger.trigger()
    assert regions(window) == []
    assert orange_part(window.features.projector.screen) < 0.1


def test_the_fan_takes_the_place_of_the_danger_area(window: Window, tmp_path: Path, wait_until: Wait) -> None:
    started_battle(window, tmp_path / "b")
    next_phase(window)
    window.features.sight_areas.danger.trigger()
    wait_until(lambda: len(regions(window)) == 2)
    window.store.use_tool("sight_fan")
    click(window, POSTS["green-1"])
    wait_until(lambda: len(regions(window)) == 1)


def test_the_danger_area_takes_the_place_of_the_fan(window: Window, tmp_path: Path, wait_until: Wait) -> None:
    started_battle(window, tmp_path / "b")
    next_phase(window)
    window.store.use_tool("sight_fan")
    click(window, POSTS["green-1"])
    wait_until(lambda: len(regions(window)) == 1)
    window.features.sight_areas.danger.trigger()
    wait_until(lambda: len(regions(window)) == 2)
    assert window.store.message.now[0].startswith("Enemies of Green")


def test_without_a_battle_there_is_no_danger_area(window: Window) -> None:
    window.features.sight_areas.danger.trigger()
    assert window.store.message.now[0].startswith("Start a battle first")
    assert not window.features.sight_areas.danger.isChecked()
    assert regions(window) == []
