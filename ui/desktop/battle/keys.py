"""Playing a battle by keys: select the figures in turn, and aim a cross-hair at a place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PyQt6.QtCore import QTimer
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QMainWindow

from rules.engine.state import State
from rules.tabletop.errors import user_error
from ui.battle.round_sequence import PATIENCE
from ui.battle.selection import LONG_STEP_IN, STEP_IN, first_place, search_next, stepped
from ui.desktop.action import create_action, create_key_action
from ui.desktop.battle.battle_controller import BattleController
from ui.desktop.store import Store
from ui.translation import tr

_ARROWS = {"Left": (-1, 0), "Right": (1, 0), "Up": (0, -1), "Down": (0, 1)}
_ENTER = ("Return", "Enter")


class BattleKeys:
    """The keys that work while the Battle tab is shown; the arrow keys only while there is a cross-hair."""

    def __init__(self, window: QMainWindow, controller: BattleController, store: Store) -> None:
        self._controller, self._store = controller, store
        self._search: Iterator[str] = iter(())
        tip = tr("Select the next soldier that may act; with Shift the previous one")
        create_action(window, tr("Next soldier"), "U", tip, partial(self._select_next, 1))
        create_key_action(window, "Shift+U", tr("Next soldier"), tip, partial(self._select_next, -1))
        tip = tr("Aim the selected soldier's blast, flame or grenade with the arrow keys")
        create_action(window, tr("Aim"), "H", tip, self._begin)
        self._aiming = [
            *self._arrows(window, "", tr("Move the cross-hair by a quarter of an inch"), STEP_IN),
            *self._arrows(window, "Shift+", tr("Move the cross-hair by one inch"), LONG_STEP_IN),
            *(
                create_key_action(window, key, tr("Aim"), tr("Aim where the cross-hair is"), self._aim)
                for key in _ENTER
            ),
        ]
        controller.crossed.connect(self._allow)
        self._allow(False)

    def _arrows(self, window: QMainWindow, held: str, tip: str, step_in: float) -> list[QAction]:
        return [
            create_key_action(window, f"{held}{key}", tr("Cross-hair"), tip, partial(self._move, toward, step_in))
            for key, toward in _ARROWS.items()
        ]

    def _allow(self, aiming: bool) -> None:
        for action in self._aiming:
            action.setEnabled(aiming)

    @property
    def _in_sight(self) -> bool:
        return self._controller.panel.isVisible()

    def _select_next(self, direction: int) -> None:
        controller, play, position = self._controller, self._controller.play, self._controller.position
        if not self._in_sight or play is None or position is None:
            return
        self._search = search_next(play, position, controller.chosen, direction)
        self._examine(self._search, position.state)

    def _examine(self, search: Iterator[str], state: State) -> None:
        """Examine a few figures, and the others later, unless the player has gone on meanwhile."""
        position = self._controller.position
        if search is not self._search or position is None or position.state is not state:
            return
        for _ in range(PATIENCE):
            found = next(search, None)
            if found is None:
                self._select("")
                self._store.say(tr("No soldier may act now. Press N for the next phase."))
                return
            if found:
                self._select(found)
                return
        QTimer.singleShot(0, partial(self._examine, search, state))

    def _select(self, figure: str) -> None:
        self._apply(lambda: self._controller.point(figure, None))

    def _begin(self) -> None:
        if self._in_sight and self._controller.position is not None:
            self._apply(self._place_cross_hair)

    def _place_cross_hair(self) -> None:
        controller, position = self._controller, self._controller.position
        if position is None or not controller.chosen:
            raise user_error("Select a soldier first: press U or click one.")
        controller.place_cross_hair(first_place(position, controller.chosen))

    def _move(self, toward_px: tuple[int, int], step_in: float) -> None:
        at_in, camera = self._controller.cross_hair_in, self._store.camera
        if at_in is not None and camera is not None:
            place = stepped(camera, at_in, toward_px, step_in)
            self._apply(lambda: self._controller.place_cross_hair(place))

    def _aim(self) -> None:
        place = self._controller.cross_hair_in
        if place is not None:
            self._apply(lambda: self._controller.point("", place))

    def _apply(self, change: Callable[[], object]) -> None:
        """Apply a change with the selection tool active, because Escape deselects only with that tool."""
        if self._store.tool.name != "select":
            self._store.use_tool("select")
        self._store.change(change)
