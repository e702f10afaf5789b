"""Goals in the real window: asked in the setup, shown beside the battle, changed and undone."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QComboBox, QDialogButtonBox, QGroupBox, QLineEdit, QSpinBox

from rules.engine.objectives import Objective
from rules.tabletop.table import TerrainKind, TerrainPiece
from tests.ui.desktop.modal import answered
from tests.ui.desktop.test_battle_window import press, started_battle
from tests.ui.stories import pick
from tests.ui.windows import next_phase, show_battle, show_change
from ui.battle.battle_setup import ArmyLists, agreed_aims, standings
from ui.desktop.battle.battle_setup_dialog import BattleSetupDialog
from ui.desktop.battle.goals_dialog import GoalsDialog
from ui.desktop.window import Window


def aims(window: Window) -> tuple[Objective, ...]:
    return agreed_aims(window.battle.play.battle)


def ok(dialog: GoalsDialog) -> None:
    [box] = dialog.findChildren(QDialogButtonBox)
    button = box.button(QDialogButtonBox.StandardButton.Ok)
    assert button is not None
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.mark.slow
def test_goals_are_asked_in_the_setup(window: Window, tmp_path: Path) -> None:
    view = window.store.view
    dialog = BattleSetupDialog(["green", "blue"], view.figures, ArmyLists(tmp_path / "armies"), window)
    dialog.choose_game("fudge_miniatures")
    dialog.goals.choose("green", "hold_bridge", 2, "the stone one")
    window.battle.begin(tmp_path / "b", dialog.battle_setup)
    dialog.deleteLater()
    show_battle(window)
    assert aims(window) == (
        Objective("green", "hold_bridge", 2, "the stone one"),
        Objective("blue", "last_man_standing"),
    )
    told = "Green wins when the bridge was held for the turns agreed (2 turns): the stone one"
    assert told in window.battle.panel.about.text()
    window.commands.undo()
    assert aims(window)[0] == Objective("green", "hold_bridge", 2, "the stone one"), "they belong to the set-up"


@pytest.mark.slow
def test_goals_are_changed_during_the_battle_with_the_usual_number(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b", "simple_plastic_figure")
    next_phase(window)

    def answer(dialog: GoalsDialog) -> None:
        assert [one.title() for one in dialog.findChildren(QGroupBox)] == ["Green: not yet", "Blue: not yet"]
        _, blue = dialog.findChildren(QGroupBox)
        [number], box = blue.findChildren(QSpinBox), blue.findChildren(QComboBox)[0]
        assert not number.isVisible()
        box.setCurrentIndex(box.findData("eliminate_number"))
        box.activated.emit(box.currentIndex())
        assert number.isVisible()
        assert number.value() == 1  # half of two enemies
        number.setValue(2)
        ok(dialog)

    with answered(GoalsDialog, answer):
        press(panel, "Goals")
    assert aims(window) == (Objective("green", "eliminate_all"), Objective("blue", "eliminate_number", 2))
    assert "Blue is to eliminate a number (2 figures)" in panel.about.text()
    window.commands.undo()
    assert aims(window)[1] == Objective("blue", "eliminate_all")
    assert "Blue is to eliminate all" in panel.about.text()


@pytest.mark.slow
def test_places_are_chosen_in_the_dialog_and_not_listed_as_actions(window: Window, tmp_path: Path) -> None:
    """WW-05: a side may have to take or hold a place; whether it does is read from the table."""
    outline_in = ((6.0, 8.0), (10.0, 8.0), (10.0, 12.0), (6.0, 12.0))  # around Green 1 at (8, 10)
    beside_in = tuple((x_in, y_in + 5.0) for x_in, y_in in outline_in)
    places = {"farm": outline_in, "mill": beside_in}
    pieces = tuple(TerrainPiece(name, TerrainKind.OTHER, where_in) for name, where_in in places.items())
    window.store.session.set_terrain("places", pieces)
    panel = started_battle(window, tmp_path / "b", "simple_plastic_figure")
    show_change(window)
    listed = [one.action.words for one in panel.action_list.previews]
    assert listed == ["Are both sides ready", "Declare victory of Green", "Declare victory of Blue"]

    def answer(dialog: GoalsDialog) -> None:
        green, blue = dialog.findChildren(QGroupBox)
        for side, name in ((green, "farm"), (blue, "mill")):
            task, place = side.findChildren(QComboBox)
            assert not place.isVisible()
            pick(task, "Take or hold a place")
            assert place.isVisible()
            pick(place, name)
        ok(dialog)

    with answered(GoalsDialog, answer):
        press(panel, "Goals")
    assert "Green is to take or hold a place: farm" in panel.about.text()
    assert standings(window.battle.play, window.battle.position) == {"green": "won", "blue": "not yet"}


@pytest.mark.slow
def test_a_game_without_tasks_uses_the_players_own_words(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b")

    def answer(dialog: GoalsDialog) -> None:
        green, _ = dialog.findChildren(QGroupBox)
        assert not any(box.isVisible() for box in green.findChildren(QComboBox))
        [own] = [line for line in green.findChildren(QLineEdit) if line.parent() is green]
        own.setFocus()
        QTest.keyClicks(own, "take the <flag>")
        QTest.keyClick(own, Qt.Key.Key_Return)

    with answered(GoalsDialog, answer):
        QTest.keyClick(window, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
    assert aims(window)[0].words == "take the <flag>"
    assert "Green: take the &lt;flag&gt;" in panel.about.text()


@pytest.mark.slow
def test_cancelled_or_unchanged_goals_are_not_journalled(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b", "army_men")
    before = len(window.battle.play.battle.entries)
    with answered(GoalsDialog, ok):
        press(panel, "Goals")
    with answered(GoalsDialog, lambda dialog: QTest.keyClick(dialog, Qt.Key.Key_Escape)):
        press(panel, "Goals")
    assert len(window.battle.play.battle.entries) == before
