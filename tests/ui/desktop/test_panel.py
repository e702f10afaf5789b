"""The side of the window: what it says of the armies' colours, and where an army begins."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QLabel, QPushButton

from tests.ui.windows import Owned
from ui.desktop.panel import SidePanel


@pytest.fixture
def panel(owned: Owned[SidePanel]) -> SidePanel:
    panel = owned(SidePanel())
    panel.resize(360, 900)
    panel.show()
    return panel


def usual(panel: SidePanel) -> QPushButton:
    (button,) = (one for one in panel.findChildren(QPushButton) if "usual" in one.text())
    return button


def test_an_army_named_after_a_plastic_may_begin_with_it_until_it_is_known(panel: SidePanel) -> None:
    wanted: list[str] = []
    panel.usual_wanted.connect(wanted.append)
    panel.choose("brown")
    assert usual(panel).isVisible()
    QTest.mouseClick(usual(panel), Qt.MouseButton.LeftButton)
    assert wanted == ["brown"]
    panel.show_table(["brown"], (), ())
    assert not usual(panel).isVisible()
    panel.choose("Third Army")
    assert not usual(panel).isVisible()


def test_the_worst_three_doubts_are_shown_and_all_of_them_in_the_tip(panel: SidePanel) -> None:
    words = [f"army {n} and this table look alike" for n in range(4)]
    panel.show_table(["a"], (), (), apart=words)
    assert panel.apart == "\n".join(words[:3])
    (label,) = (one for one in panel.findChildren(QLabel) if one.text() == panel.apart)
    assert label.toolTip() == "\n".join(words)
    panel.show_table(["a"], (), ())
    assert panel.apart == ""
