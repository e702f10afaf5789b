"""Complete sessions in the real window: a simulated table under the camera, and a player with mouse and keys."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from PyQt6.QtCore import QCoreApplication, QEvent, QPoint, Qt, QTimer
from PyQt6.QtGui import QAction
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QTreeWidget,
    QWidget,
)

from rules.engine.text import display_name
from rules.tabletop.table import PointIn, TerrainPiece
from tests.ui.slot_errors import ERRORS
from tests.ui.windows import LEFT, POSTS, TABLE_IN, Wait, name_of
from tests.ui.windows import click as click_table
from ui.desktop.battle.battle_setup_dialog import BattleSetupDialog
from ui.desktop.battle.dice_card import DiceCard
from ui.desktop.window import Window
from vision.frame import Frame, ImageBgr
from vision.simulation.practice_table import PracticeTable
from vision.simulation.scene import Model, Play, Scene, Sculpt, corner_markers
from vision.simulation.simulator import SimulatedTable, overhead_camera

Part = TypeVar("Part", bound=QWidget)
Answer = Callable[[QDialog], None]
"""What the player does in an opened dialog."""

Rolls = Callable[[DiceCard], None]
"""What the player does when dice are asked for."""

NEAR_IN = 0.3
"""Allowed difference between the program and the simulator."""

_IN_A_ROW = QPoint(8, 8)
_ANSWER_EVERY_MS = 5


@dataclass(frozen=True)
class Put(Play):
    """The positions of the soldiers."""

    places: dict[str, PointIn] = field(default_factory=dict)

    def at(self, scene: Scene, time_s: float) -> Scene:
        return replace(scene, models=tuple(self._put(model) for model in scene.models))

    def _put(self, model: Model) -> Model:
        x_in, y_in = self.places.get(model.id, (model.x_in, model.y_in))
        return replace(model, x_in=x_in, y_in=y_in)


class Board(SimulatedTable):
    """A small table of two facing armies, filmed while a test plays on it.

    Attributes:
        over: An object between table and camera, such as a hand.
    """

    def __init__(self, *terrain: TerrainPiece) -> None:
        models = (
            Model(name, name.split("-")[0], Sculpt.RIFLEMAN, *at, facing_deg=180.0 if name.startswith("blue") else 0.0)
            for name, at in POSTS.items()
        )
        self._put = Put()
        scene = Scene(TABLE_IN, terrain=terrain, markers=corner_markers(TABLE_IN), models=tuple(models))
        super().__init__(scene, overhead_camera((960, 540), TABLE_IN, 40.0), play=self._put)
        self.over: Callable[[ImageBgr], ImageBgr] = lambda image: image

    def tidy(self) -> None:
        """Put the soldiers back, and remove everything in the way."""
        self._put.places.clear()
        self.over, self.bare = lambda image: image, False

    def put(self, name: str, place_in: PointIn) -> None:
        """Move a soldier."""
        self._put.places[name] = place_in

    def read(self) -> Frame | None:
        frame = super().read()
        return None if frame is None else replace(frame, image_bgr=self.over(frame.image_bgr.copy()))


def practice_table() -> PracticeTable:
    """The usual four soldiers on a practice table."""
    models = tuple(Model(name, name.split("-")[0], Sculpt.RIFLEMAN, *place) for name, place in POSTS.items())
    scene = Scene(TABLE_IN, markers=corner_markers(TABLE_IN), models=models)
    return PracticeTable(scene, overhead_camera((960, 540), TABLE_IN, 40.0), clock=time.monotonic)


class Arm:
    """A bare arm that reaches in from the near side and never rests completely."""

    def __init__(self) -> None:
        self._seen = 0

    def __call__(self, image: ImageBgr) -> ImageBgr:
        self._seen += 1
        image[300 + 12 * (self._seen % 2) :, 480:640] = (120, 150, 205)
        return image


@contextmanager
def answering(*answers: Answer) -> Iterator[None]:
    """Answer the dialogs in the order in which they open; all must open and no others."""
    todo, met = list(answers), [None]

    def look() -> None:
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, QDialog) or dialog is met[0] or not dialog.isVisible():
            return
        met[0] = dialog
        assert todo, f"unexpected dialog {dialog.windowTitle()!r}: {words_of(dialog)}"
        todo.pop(0)(dialog)
        assert not dialog.isVisible(), f"the dialog is still open: {words_of(dialog)}"

    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(_ANSWER_EVERY_MS)
    try:
        yield
    finally:
        timer.stop()
    ERRORS.raise_first()
    assert not todo, f"{len(todo)} dialogs never came"


def words_of(widget: QWidget) -> str:
    """All visible text of a widget."""
    return " / ".join(label.text() for label in widget.findChildren(QLabel) if label.isVisible() and label.text())


def typed(faces: str, *expected: str) -> Rolls:
    """Type the dice's faces; the card must show the expected texts."""

    def answer(card: DiceCard) -> None:
        for words in expected:
            assert words in words_of(card), words_of(card)
        line = _named(card, QLineEdit, "Faces")
        QTest.keyClicks(line, faces)
        QTest.keyClick(line, Qt.Key.Key_Return)

    return answer


def set_up(window: Window, game: str, **cards: str) -> None:
    """Set up and start a battle from the menu; the other soldiers get the first card of the game.

    Args:
        window: The window.
        game: The start of the game's title.
        cards: The starts of the titles of cards, by figure ("green_1").
    """
    dialog = window.findChild(BattleSetupDialog)
    assert dialog is not None, window.bar.text
    games, *_ = dialog.findChildren(QComboBox)
    pick(games, game)
    for row in range(dialog.soldiers.rowCount()):
        name = dialog.soldiers.item(row, 0).text().lower().replace(" ", "_")
        box = dialog.soldiers.cellWidget(row, 1)
        assert isinstance(box, QComboBox)
        pick(box, cards.get(name, box.itemText(0)))
    press(dialog, "Start")
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert window.findChild(BattleSetupDialog) is None, f"the dialog is still open: {words_of(dialog)}"


def pick(box: QWidget, words: str) -> None:
    """Move down a list to the entry that starts like this."""
    assert isinstance(box, QComboBox)
    QTest.keyClick(box, Qt.Key.Key_Home)
    while not box.currentText().startswith(words) and box.currentIndex() < box.count() - 1:
        QTest.keyClick(box, Qt.Key.Key_Down)
    assert box.currentText().startswith(words), f"{words} is none of {[box.itemText(n) for n in range(box.count())]}"


def press(among: QWidget, words: str) -> None:
    """Click the button whose text starts like this."""
    buttons = [one for one in among.findChildren(QPushButton) if one.isVisible()]
    named = [one for one in buttons if name_of(one).startswith(words)]
    assert len(named) == 1, f"{words} is not the one of {[one.text() for one in buttons]}: {words_of(among)}"
    [button] = named
    assert button.isEnabled(), f"{words} cannot be pressed: {words_of(among)}"
    QTest.mouseClick(button, LEFT)


class Player:
    """Plays in a window by mouse and keys, and reads its text."""

    def __init__(self, window: Window, board: Board, wait_until: Wait) -> None:
        self.window, self.board, self.wait_until = window, board, wait_until

    @property
    def bar(self) -> str:
        """The message over the picture."""
        return self.window.bar.text if self.window.bar.isVisible() else ""

    @property
    def status(self) -> str:
        """The status bar."""
        return words_of(self.window.statusBar())

    def key(self, key: Qt.Key, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        if not self.window.isActiveWindow():  # without a window system the focus does not return after a dialog
            self.window.activateWindow()
            self.wait_until(self.window.isActiveWindow)
        self.window.picture.setFocus()
        QTest.keyClick(self.window.picture, key, keys)

    def undo_words(self) -> tuple[str, str]:
        """The Edit menu's texts for undo and redo."""
        return tuple(self._action("Edit", verb).text() for verb in ("Undo", "Redo"))

    def _action(self, menu: str, entry: str) -> QAction:
        [found] = [one for one in self.window.menuBar().actions() if one.text().replace("&", "") == menu]
        [action] = [one for one in found.menu().actions() if one.text().startswith(entry)]
        return action

    def looks(self) -> None:
        """Wait for a few pictures."""
        for _ in range(3):
            before = self.window.store.source_controller.frame
            self.wait_until(lambda before=before: self.window.store.source_controller.frame is not before)

    # The table

    def sees(self, name: str) -> PointIn | None:
        """The position of a soldier according to the program."""
        view = self.window.store.source_controller.view
        return next((one.centre_in for one in view.figures if one.id == name), None) if view else None

    def carries(self, name: str, place_in: PointIn) -> None:
        """Move a soldier, and wait until the program has seen it."""
        self.board.put(name, place_in)
        self.wait_until(lambda: (at := self.sees(name)) is not None and math.dist(at, place_in) < NEAR_IN)

    @property
    def ruler(self) -> str:
        """The first ruler or template, as the panel describes it."""
        return _named(self.window.panel, QListWidget, "Rulers and templates").item(0).text()

    # The battle

    def begins(self, game: str, **cards: str) -> None:
        """Start a battle from the menu; see `set_up`."""
        self.key(Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
        set_up(self.window, game, **cards)
        self.wait_until(lambda: self.phase == "Set-up")
        self.key(Qt.Key.Key_V)

    @property
    def phase(self) -> str:
        return self.window.battle.turn_bar.shown.heading

    @property
    def about(self) -> str:
        """The text about the selected figure."""
        return self.window.battle.panel.about.text()

    @property
    def why(self) -> str:
        """The reasons for the selected action, or the last result with its reasons."""
        panel = self.window.battle.panel
        return "\n".join(filter(None, (panel.result.text(), panel.why.text())))

    @property
    def actions(self) -> dict[str, str]:
        """The offered actions with their odds."""
        found = self._action_tree.findItems("", Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchRecursive)
        return {item.text(0): item.toolTip(1) for item in found if not item.childCount()}

    @property
    def story(self) -> list[str]:
        """The lines of the history."""
        told = _named(self.window.battle.panel, QListWidget, "History")
        return [told.item(row).text() for row in range(told.count())]

    @property
    def plot(self) -> list[str]:
        """The history's lines of the present phase, without dice and rules."""
        own = self.story[len(self.story) - self.story[::-1].index(self.phase) :]
        return [line.strip() for line in own if not line.startswith("    ")]

    def goes_on(self, *phases: str) -> None:
        """Press the key for the next phase repeatedly; each phase must be the expected one."""
        for phase in phases:
            before = self.phase
            self.key(Qt.Key.Key_N)
            self.wait_until(lambda before=before: self.phase != before)
            assert self.phase == phase, self.phase
            self.wait_until(lambda phase=phase: self.undo_words()[0].casefold() == f"undo {phase}".casefold())

    def chooses(self, name: str, action: str = "") -> None:
        """Click a soldier in the picture (none for an empty name), and an action in the list."""
        if name:
            click_table(self.window, self.sees(name))
            assert display_name(name) in self.about
        else:
            self.key(Qt.Key.Key_Escape)
            assert self.about.startswith("Click a soldier")
        if action:
            tree = self._action_tree
            [item] = tree.findItems(action, Qt.MatchFlag.MatchStartsWith | Qt.MatchFlag.MatchRecursive)
            folds = [fold] if (fold := item.parent()) else []
            while folds and (outer := folds[0].parent()):
                folds.insert(0, outer)
            for fold in folds:
                if not fold.isExpanded():
                    tree.scrollToItem(fold)
                    QTest.mouseClick(tree.viewport(), LEFT, pos=tree.visualItemRect(fold).topLeft() + _IN_A_ROW)
                assert fold.isExpanded()
            tree.scrollToItem(item)
            QTest.mouseClick(tree.viewport(), LEFT, pos=tree.visualItemRect(item).topLeft() + _IN_A_ROW)

    def does(self, name: str, action: str, *answers: Rolls) -> str:
        """Select an action, perform it and roll its dice; return the result."""
        self.chooses(name, action)
        press(self.window.battle.panel, "Own dice" if answers else "Do it")
        for answer in answers:
            card = self.window.battle.rolling.card
            assert card is not None, "no dice are asked for"
            answer(card)
            assert self.window.battle.rolling.card is not card, f"the dice are still asked for: {words_of(card)}"
        assert self.window.battle.rolling.card is None, "more dice are asked for"
        return self.why

    def may_not(self, name: str, action: str) -> str:
        """Select a forbidden action; return the reason."""
        self.chooses(name, action)
        assert self.actions[next(one for one in self.actions if one.startswith(action))] == "no"
        [do] = [one for one in self.window.battle.panel.findChildren(QPushButton) if one.text() == "Do it"]
        assert not do.isEnabled()
        return self.why

    def settles(self, what: str, *buttons: str) -> None:
        """Press buttons that wait in the battle's panel below a text, such as a move that was seen."""
        panel = self.window.battle.panel
        for button in buttons:
            self.wait_until(
                lambda button=button: what in words_of(panel) and any(one.startswith(button) for one in self.waiting)
            )
            press(panel, button)
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # as the event loop would

    @property
    def waiting(self) -> list[str]:
        """The texts of all buttons in the Battle tab."""
        buttons = self.window.battle.panel.findChildren(QPushButton)
        return [one.text() for one in buttons if one.isVisible()]

    def undoes_all(self) -> list[str]:
        """Undo everything; return the menu's name of each step."""
        return self._turns(0, Qt.KeyboardModifier.ControlModifier)

    def redoes_all(self) -> list[str]:
        """Redo everything; return the menu's name of each step."""
        return self._turns(1, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)

    def _turns(self, which: int, keys: Qt.KeyboardModifier) -> list[str]:
        names = []
        while (words := self.undo_words()[which]) not in ("Undo", "Redo"):
            names.append(words.partition(" ")[2])
            self.key(Qt.Key.Key_Z, keys)
        return names

    @property
    def _action_tree(self) -> QTreeWidget:
        return _named(self.window.battle.panel, QTreeWidget, "Actions")


def _named(among: QWidget, kind: type[Part], name: str) -> Part:
    """The widget with this accessible name."""
    return next(part for part in among.findChildren(kind) if part.accessibleName() == name)
