"""Armies found by colour, accepted and edited in the real window with the real networks."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLineEdit, QPushButton

from tests.ui.desktop.test_battle_window import started_battle
from tests.ui.stories import set_up
from tests.ui.windows import LEFT, POSTS, Open, Wait, click
from ui.desktop.window import Window
from vision.simulation.simulator import SimulatedTable


def bar_button(window: Window, words: str) -> QPushButton:
    [found] = [one for one in window.bar.findChildren(QPushButton) if one.text() == words and one.isVisible()]
    return found


def panel_button(window: Window) -> QPushButton:
    words = ("Find armies", "Use them")
    [found] = [one for one in window.panel.findChildren(QPushButton) if one.text().startswith(words)]
    return found


def counts(window: Window) -> Counter[str]:
    view = window.store.view
    return Counter(figure.army for figure in view.figures) if view is not None else Counter()


def names(window: Window) -> list[str]:
    return [colour.name for colour in window.store.session.state.setup.palette]


@pytest.fixture
def proposing(open_window: Open, wait_until: Wait, table: SimulatedTable) -> Window:
    """An untaught window that has found the armies by colour."""
    table.bare = False
    window = open_window()
    window.store.source_controller.practise(bare=False)  # the session knows as little as about a real table
    wait_until(lambda: window.bar.text.startswith("Found 2 "))
    return window


@pytest.mark.slow
def test_armies_are_proposed_and_accepted_with_one_click(proposing: Window, wait_until: Wait) -> None:
    window = proposing
    assert window.bar.text.endswith(" soldiers, grouped by colour.")
    assert window.store.session.can_undo is None, "nothing was done yet"
    groups = counts(window)
    assert sorted(groups.values()) == [2, 2]
    assert sorted(window.panel.armies.armies) == sorted(groups)
    QTest.mouseClick(bar_button(window, "Use them"), LEFT)
    assert names(window) == sorted(groups)
    assert str(window.store.session.can_undo).startswith("use 2 ")
    assert not panel_button(window).isVisible()
    assert window.bar.text.startswith("These are the armies now.")
    window.commands.undo()
    wait_until(lambda: window.bar.text.startswith("Found 2 "))
    assert names(window) == []


@pytest.mark.slow
def test_a_battle_needs_no_other_click_for_proposed_armies(proposing: Window) -> None:
    groups = counts(proposing)
    proposing.features.files.new_battle("army_men")
    assert names(proposing) == sorted(groups)
    set_up(proposing, "Army Men")
    assert {unit.side for unit in proposing.battle.play.battle.state.units.values()} == set(groups)


@pytest.mark.slow
def test_a_click_that_teaches_withdraws_the_proposal(proposing: Window, wait_until: Wait) -> None:
    window = proposing
    window.store.use_tool("teach")
    assert window.bar.text.startswith("Found 2 "), "it stays while the player may still choose"
    window.panel.choose("Rangers")
    click(window, POSTS["green-1"])
    assert names(window) == ["Rangers"]
    wait_until(lambda: set(counts(window)) == {"Rangers"})
    assert not window.bar.text.startswith("Found")
    assert not panel_button(window).isVisible()


@pytest.mark.slow
def test_the_proposal_can_be_declined_and_requested_again(proposing: Window, wait_until: Wait) -> None:
    window = proposing
    QTest.mouseClick(bar_button(window, "Teach instead"), LEFT)
    assert window.store.tool.name == "teach"
    wait_until(lambda: not counts(window))
    assert window.bar.text == ""
    assert panel_button(window).text() == "Find armies"
    QTest.mouseClick(panel_button(window), LEFT)
    wait_until(lambda: panel_button(window).text().startswith("Use them"))


@pytest.mark.slow
def test_figures_are_grouped_again_on_request(proposing: Window, wait_until: Wait) -> None:
    window = proposing
    groups = counts(window)
    QTest.mouseClick(bar_button(window, "Group again"), LEFT)
    before = window.store.view
    wait_until(lambda: window.store.view is not before and window.bar.text.startswith("Found 2 "))
    assert counts(window) == groups


@pytest.mark.slow
def test_groups_are_renamed_merged_and_split(proposing: Window, wait_until: Wait) -> None:
    window = proposing
    window.store.use_tool("teach")
    one, two = window.panel.armies.armies
    window.panel.armies.choose(one)
    QTest.mouseClick(window.panel.armies.rename, LEFT)
    [line] = window.panel.armies.tree.findChildren(QLineEdit)
    QTest.keyClicks(line, "Rangers")
    QTest.keyClick(line, Qt.Key.Key_Return)
    QApplication.processEvents()
    assert names(window) == sorted(("Rangers", two)), "the first change accepts what was found"
    assert window.store.tool.name == "measure", "nothing is left to teach"
    wait_until(lambda: counts(window) == {"Rangers": 2, two: 2})

    window.panel.armies.choose("Rangers", two)
    QTest.mouseClick(window.panel.armies.merge, LEFT)
    [into] = set(names(window))
    assert len(names(window)) == 2, "an army of two plastics"
    assert window.panel.armies.armies == (into,)
    wait_until(lambda: counts(window) == {into: 4})

    window.panel.armies.choose(into)
    QTest.mouseClick(window.panel.armies.divide, LEFT)
    wait_until(lambda: sorted(counts(window).values()) == [2, 2])
    window.commands.undo()
    wait_until(lambda: counts(window) == {into: 4})
    window.commands.redo()
    wait_until(lambda: sorted(counts(window).values()) == [2, 2])

    window.panel.armies.choose(into)
    QTest.mouseClick(window.panel.armies.divide, LEFT)
    assert "nearly the same colour" in window.bar.text
    assert "bases of another colour" in window.bar.text


def test_a_battle_refuses_changes_of_armies_before_anything_is_typed(window: Window, tmp_path: Path) -> None:
    started_battle(window, tmp_path / "b")
    window.sides.setCurrentWidget(window.panel)
    window.pull()
    before, armies = window.store.session.state.setup, window.panel.armies
    armies.choose("green")
    for button in (armies.rename, armies.merge, armies.divide, armies.forget):
        window.store.message.forget()
        QTest.mouseClick(button, LEFT)
        assert window.store.message.now[0].startswith("Armies cannot be changed during a battle.")
        assert not armies.tree.findChildren(QLineEdit)
        assert not armies.menu.isVisible()
    assert window.store.session.state.setup is before


@pytest.mark.slow
def test_one_figure_is_moved_into_a_new_army(proposing: Window, wait_until: Wait) -> None:
    window = proposing
    window.panel.armies.merged.emit(*(lambda one, two: (one, (two,)))(*window.panel.armies.armies))
    wait_until(lambda: sorted(counts(window).values()) == [4])
    window.store.use_tool("correct")
    click(window, POSTS["blue-2"])
    menu = window.features.corrections.menu
    [army] = [one.menu() for one in menu.actions() if one.text() == "&Army"]
    [another] = [one for one in army.actions() if one.text() == "New army"]
    another.trigger()
    menu.close()
    wait_until(lambda: sorted(counts(window).values()) == [2, 2])
    view = window.store.view
    [moved] = {figure.army for figure in view.figures if figure.x_in > 15}
    assert window.bar.text.endswith(f"and {moved}. Ctrl+Z undoes it.")
