"""Ease, measured in clicks: the way to a stranger's first shot, and a full turn of two large armies."""

from __future__ import annotations

import random

import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QDialog, QPushButton, QTreeWidget, QWidget

from rules.engine.dice import Roll
from rules.engine.events import ActionResolved
from rules.tabletop.measure import range_between
from rules.tabletop.table import PointIn
from tests.ui.desktop.test_guide_window import step_of
from tests.ui.stories import NEAR_IN, Board, Put, set_up
from tests.ui.windows import LEFT, POSTS, Open, Wait, click, name_of
from ui.desktop.battle.battle_setup_dialog import BattleSetupDialog
from ui.desktop.window import Window
from ui.guide import GuideStep
from vision.simulation.scene import Model, Scene, Sculpt, corner_markers
from vision.simulation.simulator import SimulatedTable, overhead_camera

TABLE_IN = (40.0, 30.0)
PER_SIDE = 15


class Mouse:
    """Clicks what a player can see and reach, and counts."""

    def __init__(self) -> None:
        self.clicks = 0

    def click(self, widget: QWidget, where: QPoint | None = None) -> None:
        """Click a widget, by default in its middle."""
        where = widget.rect().center() if where is None else where
        assert widget.isVisible()
        assert widget.isEnabled()
        window = widget.window()
        reached = window.childAt(widget.mapTo(window, where)) or window
        assert reached is widget or widget.isAncestorOf(reached), f"{reached} is in the way"
        QTest.mouseClick(widget, LEFT, pos=where)
        self.clicks += 1
        modal = QApplication.activeModalWidget()
        assert not isinstance(modal, QDialog), modal.windowTitle()

    def press(self, among: QWidget, words: str) -> None:
        """Click the visible button of this name."""
        buttons = [one for one in among.findChildren(QPushButton) if one.isVisible()]
        [button] = [one for one in buttons if name_of(one) == words]
        self.click(button)

    def row(self, among: QWidget, words: str) -> None:
        """Click the row of a list that starts like this."""
        [tree] = [one for one in among.findChildren(QTreeWidget) if one.isVisible()]
        [item] = tree.findItems(words, Qt.MatchFlag.MatchStartsWith)
        tree.scrollToItem(item)
        viewport = tree.viewport()
        assert viewport is not None
        self.click(viewport, tree.visualItemRect(item).center())


class Crowd(SimulatedTable):
    """Two lines of soldiers that face each other, filmed while a test moves them."""

    def __init__(self) -> None:
        self.places = {
            f"{side}-{number}": (3.0 + 34.0 * (number - 1) / (PER_SIDE - 1), y)
            for side, y in (("green", 9.0), ("tan", 22.0))
            for number in range(1, PER_SIDE + 1)
        }
        models = (
            Model(name, name.split("-")[0], Sculpt.RIFLEMAN, *place, facing_deg=90.0 if name < "tan" else 270.0)
            for name, place in self.places.items()
        )
        self._put = Put()
        scene = Scene(TABLE_IN, markers=corner_markers(TABLE_IN), models=tuple(models))
        super().__init__(scene, overhead_camera((1280, 720), TABLE_IN, 50.0), play=self._put)

    def advance(self, side: str, inches: float) -> None:
        """Move every soldier of a side towards the other one."""
        for name, (x, y) in self.places.items():
            if name.startswith(side):
                self._put.places[name] = (x, y + (inches if side == "green" else -inches))

    def stand(self) -> None:
        """Put every soldier back."""
        self._put.places.clear()


@pytest.fixture(scope="module")
def table() -> Crowd:
    return Crowd()


@pytest.fixture(autouse=True)
def standing(table: Crowd) -> None:
    table.stand()
    table.bare = False


@pytest.mark.slow
def test_a_stranger_fires_the_first_shot_within_12_clicks(
    open_window: Open, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is stored, and the player clicks only what is lit up; then the guide is done, and a ruler is exact."""
    monkeypatch.setattr("ui.desktop.guide.cameras", tuple)
    board = Board()
    window, mouse = open_window(None, lambda _: board), Mouse()
    guide, battle = window.help.guide, window.battle
    guide.begin_on_first_start()

    def follow(words: str) -> None:
        """Click what is lit up, once the guide says or the lit button shows these words."""

        def is_lit() -> bool:
            target = guide.spotlight.target
            shown = target.text() if isinstance(target, QPushButton) else guide.bar.words.text()
            return guide.spotlight.isVisible() and shown.startswith(words)

        wait_until(is_lit)
        assert guide.spotlight.target is not None
        mouse.click(guide.spotlight.target, guide.spotlight.centre)

    follow("Practise")
    wait_until(lambda: step_of(window) is GuideStep.EMPTY and guide.bar.button.isEnabled())
    follow("Learn empty table")
    wait_until(lambda: step_of(window) is GuideStep.ARMIES)
    follow("Use them")
    wait_until(lambda: step_of(window) is GuideStep.GAME and {"blue-1", "green-1"} <= seen(window).keys())
    wait_until(lambda: guide.spotlight.target is battle.panel.games)
    mouse.press(battle.panel.games, "Simple Plastic Wargame")
    dialog = window.findChild(BattleSetupDialog)
    mouse.press(dialog, "Start battle")
    follow("Begin: Blue moves")
    follow("Done: Blue attacks")
    follow("Click the soldier that attacks first")
    follow("Now click the enemy to attack")
    follow("Roll")
    wait_until(lambda: step_of(window) is None)
    [*_, shot] = battle.play.battle.in_force.values()
    assert isinstance(shot, ActionResolved)
    assert len(shot.throws) == 1
    assert mouse.clicks == 10
    window.store.use_tool("measure")
    for name in ("green-1", "blue-1"):
        click(window, POSTS[name])
    a, b = (next(one for one in board.truth.figures if one.id == name) for name in ("green-1", "blue-1"))
    assert float(window.panel.headline.text().split()[0]) == pytest.approx(
        range_between(a, b, 0.0).edge_in, abs=NEAR_IN
    )


def seen(window: Window) -> dict[str, PointIn]:
    """The positions of the soldiers according to the program."""
    view = window.store.view
    return {one.id: one.centre_in for one in view.figures} if view is not None else {}


@pytest.mark.slow
def test_a_turn_of_thirty_soldiers_takes_at_most_60_clicks(
    found: None, open_window: Open, table: Crowd, wait_until: Wait
) -> None:
    """Army Men: initiative, the moves of both armies, a shot of every soldier, and the casualties."""
    window, mouse = open_window(), Mouse()
    window.resize(1366, 768)
    battle, panel = window.battle, window.battle.panel
    wait_until(lambda: len(seen(window)) == 2 * PER_SIDE)
    window.features.files.new_battle()
    set_up(window, "Army Men")
    chance = random.Random(1)
    battle.rolling.dice = lambda asked: Roll(tuple(chance.choice(asked.die.faces) for _ in range(asked.count)))
    play = battle.play
    wait_until(lambda: battle.turn_bar.button.text() == "Who moves first…")
    mouse.click(battle.turn_bar.button)
    mouse.press(panel, "Roll")
    mouse.click(battle.turn_bar.button)
    for _ in range(2):
        table.advance(play.battle.state.side, 1.0)
        wait_until(lambda: len(battle.pending) == PER_SIDE)
        mouse.press(panel, f"Accept all {PER_SIDE}")
        mouse.click(battle.turn_bar.button)
    while "Small arms" not in battle.turn_bar.shown.heading:
        mouse.click(battle.turn_bar.button)
    mouse.press(panel, "Fire: one by one")
    wait_until(lambda: panel.chosen is not None)
    while panel.chosen is not None:
        shooter = battle.chosen
        mouse.press(panel, "Roll")
        wait_until(lambda shooter=shooter: battle.chosen != shooter)
    mouse.click(battle.turn_bar.button)
    for side in ("Green", "Tan"):
        mouse.row(panel, f"Take off {side}")
        mouse.press(panel, "Do it")
    while "Turn 2" not in battle.turn_bar.shown.heading:
        mouse.click(battle.turn_bar.button)
    done = [one for one in play.battle.in_force.values() if isinstance(one, ActionResolved)]
    assert sum(one.title == "Move" for one in done) == 2 * PER_SIDE
    assert len({one.by for one in done if " at " in one.title}) == 2 * PER_SIDE
    assert any(unit.out for unit in play.battle.state.units.values())
    # Of 60: 2 for the initiative, 2 for the moves, 1 + 30 for the shots, 4 for the casualties, 7 for the phases.
    assert mouse.clicks == 46
