"""A new player's first session by clicks and keys alone, with real vision."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from rules.tabletop.measure import range_between
from tests.ui.desktop.test_guide_window import on_base, step_of, teach
from tests.ui.stories import NEAR_IN, Board, Player, press, set_up
from tests.ui.windows import LEFT, POSTS, Open, Wait
from ui.setup.first_run import Step


@pytest.fixture(scope="module")
def table() -> Board:
    return Board()


@pytest.mark.slow
def test_from_the_first_start_to_a_range(
    open_window: Open, table: Board, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.desktop.setup.guide_controller.cameras", tuple)
    window = open_window(None)
    player, guide = Player(window, table, wait_until), window.help.guide
    guide.begin_on_first_start()
    assert "No camera is plugged in" in guide.bar.words.text()
    press(guide.bar, "Choose")
    [simulated] = [one for one in guide.choices.actions() if one.text() == "Simulated table"]
    QTest.mouseClick(guide.choices, LEFT, pos=guide.choices.actionGeometry(simulated).center())
    wait_until(lambda: step_of(window) is Step.EMPTY and guide.bar.button.isEnabled())
    press(guide.bar, "Learn empty table")
    wait_until(lambda: step_of(window) is Step.ARMIES and not table.bare)
    player.looks()
    for army in ("green", "blue"):
        name = guide.bar.army.lineEdit()
        name.selectAll()
        QTest.keyClicks(name, army)
        teach(window, table, army, wait_until)
    for _ in range(2):  # figures found before the second army was taught do not count
        player.looks()
        wait_until(lambda: step_of(window) is Step.GAME and len(window.source_controller.view.figures) == len(POSTS))
    press(guide.bar, "Choose game")
    set_up(window, "Army Men")
    wait_until(lambda: step_of(window) is Step.SHOT)
    for name in ("green-1", "blue-1"):
        QTest.mouseClick(window.picture, LEFT, pos=on_base(window, table, name))
    a, b = (next(one for one in table.truth.figures if one.id == name) for name in ("green-1", "blue-1"))
    truth = range_between(a, b, 0.0)
    answer_in = float(window.panel.headline.split()[0])
    assert answer_in == pytest.approx(truth.edge_in, abs=NEAR_IN)  # Army Men measures from edge to edge
    wait_until(lambda: step_of(window) is None)
    player.key(Qt.Key.Key_R)
    assert window.display.big.answer.headline == window.panel.headline
