"""Moves soldiers, camera and lamp on the simulated table, by mouse, keys and menu."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PyQt6.QtCore import QObject, Qt, pyqtSignal
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QMainWindow

from ui.battle.practice_places import PracticePlaces, postures
from ui.desktop.action import ActionMenu
from ui.desktop.picture.view import PictureView
from ui.desktop.store import Store
from ui.desktop.table.terrain_tool import TERRAIN
from ui.desktop.tools.tool import REACH_PX, PickResult, was_dragged
from ui.translation import tr
from vision.simulation.light import Light
from vision.simulation.practice import OFF_S, Practice
from vision.simulation.practice_table import PracticeTable

TURN_DEG = 15.0
"""Degrees per step of the wheel; forward is counter-clockwise."""

LAY_DOWN_KEY, REMOVE_KEY = "Z", "Q"

_OWN_DRAGS = (TERRAIN, "plan")
"""Tools that drag something else from a soldier's place: a piece of terrain, a planned move."""


class PracticeController(QObject):
    """Moves soldiers by mouse and offers the menu Practice, while the simulated table is open.

    A left drag that starts on a soldier carries it, except with tools that drag something else from there. A click
    remains the tool's: it is passed on when the button is released without a drag.

    Signals:
        changed: A soldier was picked up or put down.

    Attributes:
        menu: The menu; hidden for other sources.
    """

    changed = pyqtSignal()

    def __init__(self, window: QMainWindow, picture: PictureView, store: Store) -> None:
        super().__init__(window)
        self._picture, self._store = picture, store
        self._drag: tuple[PracticeTable, str, PickResult] | None = None
        self._is_over, self._places = False, PracticePlaces()
        self._switches: list[tuple[QAction, Callable[[Light], bool]]] = []
        self.menu = ActionMenu(tr("&Practice"), window)
        self.menu.setToolTipsVisible(True)
        self._fill()
        self._offer(None)

    def _fill(self) -> None:
        add = self.menu.add
        tip = tr("Lay down the soldier under the mouse, or stand it up again")
        add(tr("Lay down or stand up"), LAY_DOWN_KEY, tip, self._lay_down_or_stand_up)
        tip = tr("Remove the soldier under the mouse")
        add(tr("Remove soldier"), REMOVE_KEY, tip, self._remove)
        tip = tr("Put all removed soldiers back where they were")
        add(tr("Bring back"), "", tip, self._bring_back)
        self.menu.add_separator()
        tip = tr("Push the camera a little, as if someone had bumped into it")
        add(tr("Bump camera"), "", tip, lambda: self._change(lambda now, _: now.bump()))
        self._fill_lamp()
        self.menu.add_separator()
        tip = tr("Put soldiers, camera and lamp back as they were at first")
        add(tr("Start over"), "", tip, lambda: self._change(lambda now, _: now.start_over()))

    def _fill_lamp(self) -> None:
        def lamp(text: str, tip: str, lit: Callable[[Light, float], Light]) -> None:
            slot = partial(self._change, lambda now, now_s: now.lit(lit(now.light, now_s)))
            self.menu.add(text, "", tip, slot)

        def switch(
            text: str, tip: str, is_on: Callable[[Light], bool], turned: Callable[[Light, bool, float], Light]
        ) -> None:
            action = self.menu.add_switch(text, "", tip)
            action.triggered.connect(lambda on: self._change(lambda now, now_s: now.lit(turned(now.light, on, now_s))))
            self._switches.append((action, is_on))

        lamp(tr("Brighten lamp"), tr("Add a quarter more light"), lambda light, now_s: light.stepped(1, now_s))
        lamp(tr("Dim lamp"), tr("Take away a quarter of the light"), lambda light, now_s: light.stepped(-1, now_s))
        tip = tr("Switch the lamp off for two seconds")
        lamp(tr("Blink lamp"), tip, lambda light, now_s: light.switched_off(OFF_S, now_s))
        tip = tr("Show drifting bands, like those of a lamp on mains power")
        switch(tr("Flicker"), tip, lambda light: light.flickers, lambda light, on, _: light.with_flicker(on))
        tip = tr("Let the sun shine through a window onto the table")
        switch(tr("Sun patches"), tip, lambda light: light.has_sun, lambda light, on, _: light.with_sun(on))
        tip = tr("Let the camera adjust to the light by itself")
        switch(tr("Automatic exposure"), tip, lambda light: light.is_automatic, Light.exposed)

    @property
    def table(self) -> PracticeTable | None:
        """The simulated table, while it is open and shows live pictures with its armies; otherwise None."""
        source_controller = self._store.source_controller
        table = source_controller.practice
        return None if table is None or table.bare or source_controller.worker.held else table

    @property
    def _draggable(self) -> PracticeTable | None:
        """The table, if a drag carries its soldiers; some tools drag things themselves."""
        return None if self._store.tool.name in _OWN_DRAGS else self.table

    @property
    def is_carrying(self) -> bool:
        """Whether the mouse carries a soldier of the open table."""
        if self._drag is None or self._drag[0] is not self._store.source_controller.practice:
            return False
        return self._drag[0].now.carried is not None

    @property
    def hint(self) -> str:
        """What the mouse can do with soldiers now; empty if practice is not possible."""
        if self.is_carrying:
            return tr(
                "Release the button to put it down. The wheel turns it.   {lay}: lay down or stand up   "
                "{remove}: remove   Esc: put back",
                lay=LAY_DOWN_KEY,
                remove=REMOVE_KEY,
            )
        if self.table is None:
            return ""
        play, position = self._store.battle.play, self._store.battle.position
        if play is not None and position is not None and position.figures.keys() & play.awaited.keys():
            return tr("Soldiers are being put where the battle says…")
        if self._draggable is None:
            return ""
        if self._is_over:
            return tr(
                "Drag it to move it.   {lay}: lay down or stand up   {remove}: remove",
                lay=LAY_DOWN_KEY,
                remove=REMOVE_KEY,
            )
        return tr("Drag a soldier to move it.")

    def pull(self) -> None:
        """Put soldiers where the battle says, one at a time."""
        store = self._store
        if not store.source_controller.is_searching:  # a toy that moves meanwhile would be taken for another one
            self._places.follow(self.table, store.view, store.battle.play, store.battle.position)

    def follow(self) -> None:
        """Show the menu only for the simulated table, with its current switches; a soldier may have gone meanwhile."""
        self._look_under_mouse()
        self._offer(self._store.source_controller.practice)

    def _offer(self, practice: PracticeTable | None) -> None:
        bar_entry = self.menu.menuAction()
        if bar_entry is not None:
            bar_entry.setVisible(practice is not None)
        for action in self.menu.actions():
            action.setEnabled(practice is not None)
        for switch, is_on in self._switches:
            switch.setChecked(practice is not None and is_on(practice.now.light))

    # The mouse

    def press(self, at: PickResult) -> bool:
        """Handle the left button's press; return whether a drag would carry a soldier from there."""
        self._drag, table = None, self._draggable
        name = _soldier_at(table, at) if table is not None else None
        if table is None or name is None:
            return False
        self._drag = (table, name, at)
        return True

    def release(self, at: PickResult) -> tuple[bool, PickResult | None]:
        """Handle the release; return whether a soldier was put down, and otherwise the click to pass to the tool."""
        if self._drag is None:
            return False, None
        table, name, pressed_at = self._drag
        self._carry(table, name, pressed_at, at)
        carried = self.is_carrying
        if carried:
            table.change(lambda now, now_s: now.put_down(now_s))
        self._clear_drag()
        return carried, None if carried else pressed_at

    def cancel(self) -> bool:
        """Put the carried soldier back; return whether there was one."""
        if self._drag is None or not self.is_carrying:
            return False
        self._drag[0].change(lambda now, now_s: now.put_back(now_s))
        self._clear_drag()
        return True

    def turn(self, steps: int) -> bool:
        """Turn the carried soldier; return whether there was one."""
        if self._drag is None or not self.is_carrying:
            return False
        table, name, _ = self._drag
        table.change(lambda now, _: now.turn(name, steps * TURN_DEG))
        return True

    def _clear_drag(self) -> None:
        self._drag = None
        self._show_cursor()
        self.changed.emit()

    def move(self) -> None:
        """Move the carried soldier with the mouse."""
        at = self._store.pointed
        if self._drag is not None and at is not None:
            self._carry(self._drag[0], self._drag[1], self._drag[2], at)
        self._look_under_mouse()

    def _look_under_mouse(self) -> None:
        table, at = self._draggable, self._store.pointed
        over = table is not None and at is not None and _soldier_at(table, at) is not None
        if over != self._is_over:
            self._is_over = over
            self._show_cursor()

    def _carry(self, table: PracticeTable, name: str, pressed_at: PickResult, at: PickResult) -> None:
        if not self.is_carrying:
            if table is not self.table or not was_dragged(pressed_at.px, at):
                return
            table.change(lambda now, now_s: now.pick_up(name, now_s, pressed_at.px))
            self._show_cursor()
            self.changed.emit()
        place_in = table.now.place_at(at.px)
        if place_in is not None:
            table.change(lambda now, _: now.carry(place_in))

    def _show_cursor(self) -> None:
        """Show an open hand over a soldier that can be dragged, a closed one while carrying."""
        cursor = Qt.CursorShape.OpenHandCursor if self._is_over else Qt.CursorShape.CrossCursor
        self._picture.setCursor(Qt.CursorShape.ClosedHandCursor if self.is_carrying else cursor)

    # The menu

    def _lay_down_or_stand_up(self) -> None:
        self._with_soldier(lambda now, name, now_s: now.lay_down_or_stand_up(name, now_s))

    def _remove(self) -> None:
        was_carrying = self.is_carrying
        self._with_soldier(lambda now, name, now_s: now.remove(name, now_s))
        if was_carrying:
            self._clear_drag()

    def _bring_back(self) -> None:
        table = self.table
        if table is not None and not table.now.removed:
            self._store.say(tr("No soldier was removed."))
        else:
            self._change(lambda now, now_s: now.bring_back(now_s))

    def _with_soldier(self, operation: Callable[[Practice, str, float], Practice]) -> None:
        """Apply an operation to the carried soldier, otherwise to the one under the mouse."""
        table, at = self.table, self._store.pointed
        if table is None:
            return
        name = table.now.carried or (_soldier_at(table, at) if at is not None else None)
        if name is None:
            self._store.say(tr("Point at a soldier first."))
        else:
            self._change(lambda now, now_s: operation(now, name, now_s))

    def _change(self, operation: Callable[[Practice, float], Practice]) -> None:
        table = self.table
        if table is None:
            self._store.say(tr("The picture is frozen. Press P to go on."))
            return
        before = table.now
        self._store.attempt(lambda: table.change(operation))
        self._note_postures(table, before)
        self.follow()

    def _note_postures(self, table: PracticeTable, before: Practice) -> None:
        """Record in the battle which soldiers lie or stand now, so that they do when it is continued."""
        play, position = self._store.battle.play, self._store.battle.position
        if play is None or position is None:
            return
        for name, posture in postures(before, table.now, position):
            play.pose(name, posture)


def _soldier_at(table: PracticeTable, at: PickResult) -> str | None:
    """The soldier at the mouse, within the tools' usual reach."""
    return table.now.soldier_at(at.px, REACH_PX / at.screen_scale)
