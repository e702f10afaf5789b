"""TOO CLOSE TO CALL in the real window: shown on top, answered by a button, journalled."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtWidgets import QLabel

from tests.ui.desktop.test_battle_window import press, started_battle
from tests.ui.tables import box, piece
from tests.ui.windows import button, next_phase, show_change
from ui.desktop.battle.panel import BattlePanel
from ui.desktop.window import Window

ASKED = "TOO CLOSE TO CALL: whether Green 1 sees Blue 2"


def asked(panel: BattlePanel) -> bool:
    return ASKED in [one.text() for one in panel.findChildren(QLabel)]


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
