"""The sight fan of a soldier and the danger area of a side: takes what was computed, and draws it over the table."""

from __future__ import annotations

from dataclasses import replace

from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QMainWindow

from ui.background_task import NewestAnswer
from ui.desktop.action import create_switch
from ui.desktop.store import Store
from ui.desktop.tools.sight_fan import SightFanTool
from ui.picture.overlay import Preview
from ui.table.finding import Patch
from ui.tools.danger_area import DangerArea, danger_area, side_in_danger
from ui.tools.ground import cells_of
from ui.translation import tr


class SightAreas:
    """Computes both areas, and draws the danger area while its switch is on.

    Attributes:
        tool: The sight fan.
        danger: The switch.
    """

    def __init__(self, window: QMainWindow, store: Store) -> None:
        """Create the tool and the switch."""
        self._store, self.tool = store, SightFanTool(store.tool_context)
        self._dangers: NewestAnswer[DangerArea] = NewestAnswer("sandtable danger area")
        self._is_announced = True
        tip = tr("Show where the enemies of the side whose turn it is can shoot next turn")
        self.danger: QAction = create_switch(window, tr("Danger area"), "Shift+D", tip)
        self.danger.toggled.connect(self._turn)

    def _turn(self, on: bool) -> None:
        self._dangers.forget()
        self._is_announced = not on
        if on and self._store.battle.play is None:
            self.danger.setChecked(False)
            self._store.say(tr("Start a battle first: the danger area depends on the sides and their weapons."))
            return
        if on and self._store.tool is self.tool:
            self._store.use_tool("select")  # otherwise the fan would hide what was asked for last
        self._store.show()

    def over(self, preview: Preview, chosen: str) -> Preview:
        """Add the danger area to a preview without a sight fan; `chosen` is the battle's selected figure."""
        has_fan = any(isinstance(area, Patch) for area in preview.areas)
        now = self._store.tool_context() if self.danger.isChecked() and not has_fan else None
        if now is None or now.position is None or now.view.calibration is None:
            return preview
        side = side_in_danger(now.position, chosen)
        question = (side, now.position, cells_of(now, 1.0), now.state.basis)
        self._dangers.ask(question, lambda: danger_area(now, side))
        found = self._dangers.answer
        return replace(preview, areas=(*found.areas, *preview.areas)) if found is not None else preview

    def pull(self) -> bool:
        """Take what was computed; return whether the picture must be drawn again."""
        has_danger, has_fan = self._dangers.pull(), self.tool.fans.pull()
        if has_danger and not self._is_announced:
            found, self._is_announced = self._dangers.answer, True
            self._store.say(found.words if found is not None else self._dangers.refusal)
        return has_danger or has_fan

    def close(self) -> None:
        """Wait for the threads."""
        for answers in (self._dangers, self.tool.fans):
            answers.join()
