"""TOO CLOSE TO CALL in the real window: shown on top, answered by a button, journalled."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PyQt6.QtWidgets import QLabel, QPushButton

from rules.tabletop.table import Posture
from tests.ui.desktop.test_battle_window import press, started_battle
from tests.ui.tables import box, piece
from tests.ui.windows import button, next_phase, show_change
from ui.desktop.battle.panel import BattlePanel
from ui.desktop.window import Window
from vision.figure_search import Sighting
from vision.figures import Finder

ASKED = "TOO CLOSE TO CALL: whether Green 1 sees Blue 2"


def texts_of(panel: BattlePanel) -> list[str]:
    return [one.text() for one in panel.findChildren(QLabel)]


def asked(panel: BattlePanel) -> bool:
    return ASKED in texts_of(panel)


def test_a_barely_visible_target_is_decided_by_a_button_and_undone(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b", "army_men", "rifleman")
    while window.battle.turn_bar.shown.heading != "Turn 1 · Small arms":
        next_phase(window)
    window.battle.choose("green-1")
    # From (8, 10) to (21.5, 10.5): at x = 13 the line is at 10.19, and the barn hides all but an edge of the target.
    barn = piece("barn", "building", box(13.0, 10.14, 14.0, 16.0), 5.0)
    window.store.session.set_terrain("barn", (barn,))
    show_change(window)
    assert panel.action_list.choose_target("blue-2")
    assert asked(panel)
    assert not button(panel, "Do it").isEnabled()
    press(panel, "Seen")
    assert not asked(panel)
    assert button(panel, "Roll").isEnabled()
    play = window.battle.play
    assert play.battle.can_undo == "settled: Rifle at Blue 2: whether Green 1 sees Blue 2: seen"
    window.commands.undo()
    window.commands.undo()
    assert asked(panel)
    press(panel, "Hidden")
    assert not button(panel, "Do it").isEnabled()
    assert not panel.chosen.possible


@pytest.fixture
def uncertain(found: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blue 2 looks as if he kneels, but only with a chance of 0.6."""
    find = Finder.find

    def unsure(*args: Any, **options: Any) -> tuple[Sighting, ...]:
        return tuple(
            replace(one, posture=Posture.KNEELING, postures=(0.4, 0.6, 0.0, 0.0)) if one.x_in > 20 else one
            for one in find(*args, **options)
        )

    monkeypatch.setattr("vision.pipeline.Finder.find", unsure)


def postures(window: Window) -> dict[str, tuple[Posture, float]]:
    return {one.id: (one.posture, one.posture_confidence) for one in window.store.view.figures}


def test_an_uncertain_posture_that_matters_is_settled_by_a_button(
    uncertain: None, window: Window, tmp_path: Path
) -> None:
    assert postures(window)["blue-2"] == (Posture.KNEELING, 0.6)
    panel = started_battle(window, tmp_path / "b", "army_men", "rifleman")
    while window.battle.turn_bar.shown.heading != "Turn 1 · Small arms":
        next_phase(window)
    window.battle.choose("green-1")
    assert panel.action_list.choose_target("blue-2")
    asks = "NOT SURE: is Blue 2 kneeling or standing?"
    assert asks not in texts_of(panel), "in the open it does not matter"
    # The eye of Green 1 is 1.6 in up; a wall of 1.58 in close to Blue 2 hides him if he kneels (1.5 in).
    wall = piece("wall", "wall", box(20.6, 6.0, 20.8, 15.0), 1.58)
    window.store.session.set_terrain("wall", (wall,))
    show_change(window)
    window.battle.point("blue-2", None)
    assert asks in texts_of(panel)
    assert not panel.chosen.possible
    press(panel, "Standing")
    assert postures(window)["blue-2"] == (Posture.STANDING, 1.0)
    assert asks not in texts_of(panel)
    assert panel.action_list.choose_target("blue-2")
    assert panel.chosen.possible
    assert window.bar.text == "Corrected: Blue 2 is standing."
    [undo] = [one for one in window.bar.findChildren(QPushButton) if one.text() == "Undo"]
    undo.click()
    assert postures(window)["blue-2"] == (Posture.KNEELING, 0.6)
    window.battle.point("blue-2", None)
    assert asks in texts_of(panel)
