"""A battle in the real window: setup, shots, moves by hand, undo, reopening."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QComboBox, QPushButton

from rules.engine.dice import Scripted
from rules.engine.events import Change, Changed, PhaseBegun
from rules.games import open_game
from rules.tabletop.template import Blast
from tests.ui.windows import POSTS, at, button, click, next_phase, point, show_battle, show_change
from ui.battle.battle_setup import ArmyLists
from ui.desktop.battle.battle_setup_dialog import BattleSetupDialog
from ui.desktop.battle.panel import BattlePanel
from ui.desktop.window import Window
from ui.picture.shapes import Label, Line, Ring
from ui.session import Ruler
from ui.theme import PLATE

LEFT = Qt.MouseButton.LeftButton


def started_battle(window: Window, path: Path, game: str = "simple_plastic", card: str = "") -> BattlePanel:
    """A battle of two figures a side, one squad each, with the game's first card or the given one."""
    view = window.store.view
    dialog = BattleSetupDialog(["green", "blue"], view.figures, ArmyLists(path.parent / "armies"), window)
    dialog.choose_game(game)
    usual = next(iter(open_game(game).rules.plain["cards"]))
    for figure in view.figures:
        dialog.soldiers.choose(figure.id, card or usual, figure.army)
    window.battle.begin(path, dialog.battle_setup)
    dialog.deleteLater()
    show_battle(window)
    return window.battle.panel


def press(panel: BattlePanel, words: str) -> None:
    """Click the button whose text starts like this."""
    QTest.mouseClick(button(panel, words), LEFT)


def rolls(window: Window, *faces: int) -> None:
    """Set the dice's faces, without a dialog."""
    window.battle.rolling.dice = Scripted(faces)


def test_the_picture_marks_nobody_once_the_next_phase_has_begun(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b")
    next_phase(window)
    window.store.use_tool("select")

    def marked() -> tuple[str | None, str | None]:
        shown = window.store.tools.preview(None, window.battle.aiming(None))
        return shown.picked, shown.asked

    click(window, POSTS["green-1"])
    assert panel.about.text().startswith("<b>Green 1</b>")
    assert marked() == ("green-1", "green-1")
    next_phase(window)
    assert not panel.about.text().startswith("<b>")
    assert marked() == (None, None)


def test_from_setup_to_the_first_shot_and_undo(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b")
    assert window.battle.turn_bar.shown.heading == "Set-up"
    next_phase(window)
    next_phase(window)
    assert window.battle.turn_bar.shown.heading == "Turn 1 · Green attacks"
    window.store.use_tool("select")
    click(window, POSTS["green-1"])
    panel.action_list.choose(0)
    assert "the attacker did not move (SP-12)" in panel.why.text()
    rolls(window, 6)
    target = panel.chosen.action.at[0]  # type: ignore[union-attr]
    click(window, POSTS[target])
    shown = window.store.tools.preview(None, window.battle.aiming(None))
    assert shown.picked == "green-1", "the attacker stays selected"
    press(panel, "Roll")
    assert panel.result.text().startswith("Kills")
    assert panel.result.isVisible()
    assert panel.result.font().pointSizeF() > 1.5 * panel.why.font().pointSizeF()
    assert "4 or more kills" in panel.why.text()
    play = window.battle.play
    assert play.battle.state.unit(target).out
    window.commands.undo()
    assert not play.battle.state.unit(target).out
    window.commands.redo()
    assert play.battle.state.unit(target).out


def test_going_back_in_the_history_clears_the_undone_result(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b")
    next_phase(window)
    next_phase(window)
    play = window.battle.play
    before = play.battle.entries[-1].seq
    window.battle.choose("green-1")
    panel.action_list.choose(0)
    rolls(window, 6)
    press(panel, "Roll")
    assert panel.result.text().startswith("Kills")
    window.battle.go_to(before)
    assert panel.why.text() == ""


def test_ctrl_click_chooses_the_targets_of_a_burst(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b", "army_men", "heavy_machine_gun_team")
    window.battle.play.battle.record(PhaseBegun(turn=1, phase="automatic_weapons"))
    show_change(window)
    window.store.use_tool("select")
    click(window, POSTS["green-1"])
    click(window, POSTS["blue-2"])
    control = Qt.KeyboardModifier.ControlModifier
    QTest.mouseClick(window.picture, LEFT, control, at(window, POSTS["blue-1"]))
    assert panel.chosen.action.at == ("blue-2", "blue-1"), "in the order of the clicks"
    assert "Blue 2, 1" in panel.about.text()
    QTest.mouseClick(window.picture, LEFT, control, at(window, POSTS["blue-2"]))
    assert panel.chosen.action.at == ("blue-1",)
    QTest.mouseClick(window.picture, LEFT, control, at(window, POSTS["blue-2"]))
    assert panel.chosen.action.at == ("blue-1", "blue-2")
    window.battle.cancel()
    assert {one.action.at for one in panel.action_list.previews} >= {("blue-1",), ("blue-2",)}, "all actions again"


def test_a_cancelled_roll_changes_nothing(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b")
    next_phase(window)
    next_phase(window)
    window.battle.choose("green-1")
    panel.action_list.choose(0)
    play = window.battle.play
    before = len(play.battle.entries)

    press(panel, "Own dice")
    press(panel, "Cancel")
    assert window.battle.rolling.card is None
    assert len(play.battle.entries) == before
    assert panel.chosen is not None


def test_a_forbidden_action_is_disabled_and_shows_the_reason(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b")
    next_phase(window)
    window.battle.choose("green-1")
    panel.action_list.choose(0)
    assert "attacking phase" in panel.why.text()
    [do] = [one for one in panel.findChildren(QPushButton) if one.text() == "Do it"]
    assert not do.isEnabled()


def test_an_answered_fact_changes_the_number_needed(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b")
    next_phase(window)
    next_phase(window)
    window.battle.choose("green-1")
    panel.action_list.choose(0)
    assert "67 %" in panel.why.text()  # SP-11, SP-12: 4, less 1 for not moving, is 3 or more
    box = next(one for one in panel.findChildren(QComboBox) if one.findData(True) >= 0)
    box.setCurrentIndex(box.findData(True))
    box.activated.emit(box.currentIndex())
    assert "50 %" in panel.why.text()  # behind cover +1


NEAR_BLUE_1 = (18.5, 11.5)
"""A bare place: 10.6 in from Green 1, 2.1 in from Blue 1, and 3.2 in from Blue 2, whose edge is within 3 in."""


def test_a_grenade_is_aimed_at_the_clicked_place(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b", "army_men", "grenadier")
    while window.battle.turn_bar.shown.heading != "Turn 1 · Heavy weapons":
        next_phase(window)
    window.store.use_tool("select")
    click(window, POSTS["green-1"])
    assert "Click a place to aim there" in panel.about.text()
    point(window, NEAR_BLUE_1)  # the template is previewed before the click
    hovering = window.battle.aiming(NEAR_BLUE_1).template
    assert isinstance(hovering, Blast)
    assert (hovering.centre_in, hovering.radius_in) == (NEAR_BLUE_1, 3.0)
    assert window.battle.aiming(None).template is None
    click(window, NEAR_BLUE_1)
    assert "aims at (18.5, 11.5)" in panel.about.text()
    found = panel.chosen
    assert (found.action.at[0], found.possible) == ("blue-1", True)
    assert "Blue 1: misses 58 %, hits 1 of 1 42 %" in panel.why.text()  # AM-52: 6 or less is 15 of 36
    assert "100 % in sight\nat that place: Blue 1" in panel.why.text()
    preview = window.battle.pointing
    assert isinstance(preview.template, Blast)
    assert (preview.template.centre_in, preview.template.radius_in) == (found.action.spot_in, 3.0)
    assert preview.ruler == Ruler("green-1", preview.template.centre_in)
    rolls(window, 3, 2)
    press(panel, "Roll")
    play = window.battle.play
    assert play.battle.state.unit("blue-1").statuses["down"]
    assert panel.result.text().startswith("Hits 1 of 2")
    window.pull()  # the result stays visible
    assert panel.result.text().startswith("Hits 1 of 2")
    window.commands.undo()
    assert "down" not in play.battle.state.unit("blue-1").statuses
    window.commands.cancel()  # first the place, then the figure
    assert "Click a place" in panel.about.text()
    window.commands.cancel()
    assert panel.about.text().startswith("Click a soldier to see its actions")


def test_below_the_picture_a_battle_says_what_a_click_does(window: Window, tmp_path: Path) -> None:
    started_battle(window, tmp_path / "b")
    window.store.use_tool("select")
    assert window.commands.parts.hint.text().startswith("Click a soldier to see its actions")
    window.battle.close()
    window.store.show()
    assert window.commands.parts.hint.text().startswith("Point at a soldier")


def test_a_soldier_that_comes_back_is_no_longer_missed(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b")
    next_phase(window)
    view = window.store.view
    assert view is not None
    window.battle.choose("green-1")
    missing = replace(
        view, tracking=replace(view.tracking, figures=tuple(f for f in view.figures if f.id != "green-1"))
    )
    window.battle.update_position(missing, window.store.session.state.setup)
    assert panel.why.text().startswith("Green 1 is not on the table")
    assert panel.absent.text() == "Not on the table: Green 1"
    window.battle.update_position(view, window.store.session.state.setup)
    assert "Green 1 is not on the table" not in panel.why.text()
    assert not panel.absent.text()


@pytest.mark.parametrize("tool", ["select", "measure", "sight"])
def test_leaders_wear_their_star_whatever_is_pointed_at(window: Window, tmp_path: Path, tool: str) -> None:
    started_battle(window, tmp_path / "b", "army_men", "officer")
    window.store.use_tool(tool)
    point(window, POSTS["blue-1"])
    stars = [shape for shape in window.picture.shapes if isinstance(shape, Line) and shape.fill == PLATE]
    assert len(stars) == 4


def test_the_circle_of_reach_is_below_all_soldiers_and_numbers(window: Window, tmp_path: Path) -> None:
    started_battle(window, tmp_path / "b")
    next_phase(window)
    window.store.use_tool("select")
    click(window, POSTS["green-1"])
    point(window, POSTS["blue-1"])
    shapes = window.picture.shapes
    [reach] = [k for k, one in enumerate(shapes) if isinstance(one, Line) and one.dashed and one.closed]
    assert reach < min(k for k, one in enumerate(shapes) if isinstance(one, Ring | Label))


def test_a_strayed_shell_is_drawn_where_it_lands(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b", "simple_plastic_figure", "german_50mm_mortar")
    next_phase(window)
    play = window.battle.play
    landed = {"by": "green-1", "weapon": "mortar_50_60", "range_in": 10.0, "on_board": True, "help": {}}
    landed |= {"aimed_in": [15.0, 10.0], "spot_in": [18.0, 10.0]}  # WW-44: 3 in to a side
    play.battle.record(Changed(changes=(Change(figure="", key="landed", value=landed, this_turn=True),)))
    show_change(window)
    panel.action_list.choose(0)
    assert panel.chosen.action.name == "burst"
    shown = window.battle.pointing
    assert shown.ruler == Ruler((15.0, 10.0), (18.0, 10.0))
    assert shown.template == Blast((18.0, 10.0), 4.5)


def test_without_blasts_a_click_on_a_bare_place_deselects(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b")
    window.store.use_tool("select")
    click(window, POSTS["green-1"])
    assert "Green 1" in panel.about.text()
    click(window, NEAR_BLUE_1)
    assert panel.about.text().startswith("Click a soldier to see its actions")


def test_a_figure_that_is_out_can_be_selected(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b")
    next_phase(window)
    next_phase(window)
    play = window.battle.play
    window.battle.choose("blue-1")
    play.battle.record(Changed(changes=(Change(figure="blue-1", key="eliminated", value=True),)))
    show_change(window)
    assert panel.why.text() == "Blue 1 is out of the battle. Choose another soldier"
    window.commands.undo()
    window.commands.redo()  # redoes the kill of the selected figure
    assert panel.why.text() == "Blue 1 is out of the battle. Choose another soldier"
    window.battle.point("", (10.0, 10.0))


@pytest.mark.slow
def test_the_next_phase_deselects_the_figure_and_clears_the_result(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b")
    next_phase(window)
    next_phase(window)
    window.battle.choose("green-1")
    panel.action_list.choose(0)
    rolls(window, 1)
    press(panel, "Roll")
    assert panel.result.text().startswith("Misses")
    next_phase(window)
    assert panel.why.text() == ""
    assert panel.about.text().startswith("Click a soldier to see its actions")


def test_obligations_are_named_while_a_soldier_is_selected(window: Window, tmp_path: Path) -> None:
    panel = started_battle(window, tmp_path / "b", "simple_plastic_figure")
    next_phase(window)
    window.battle.choose("green-1")
    assert "Still to do: " in panel.about.text()
    assert "Who goes first" in panel.about.text()


def test_a_simultaneous_phase_has_no_extra_spaces(window: Window, tmp_path: Path) -> None:
    """Army Men: the initiative step belongs to no single figure."""
    started_battle(window, tmp_path / "b", "army_men")
    tip = window.battle.turn_bar.button.toolTip()
    assert "  " not in tip
    assert tip == "Still to do: Who moves first. Then begin Turn 1 · Green moves (N)"


def test_a_tool_measures_once_in_a_battle_then_clicks_select_again(window: Window, tmp_path: Path) -> None:
    started_battle(window, tmp_path / "b")
    window.store.use_tool("measure")
    for post in ("green-1", "blue-1"):
        click(window, POSTS[post])
    assert len(window.store.session.state.rulers) == 1
    assert window.panel.headline.text().startswith("11."), "the answer stays, although the mouse rests on a soldier"
    click(window, POSTS["green-2"])
    assert window.battle.chosen == "green-2"
    assert len(window.store.session.state.rulers) == 1
