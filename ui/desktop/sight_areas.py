"""The sight fan of a soldier and the danger area of a side: takes what was computed, and draws it over the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QMainWindow

from rules.tabletop.table import Figure
from ui.background_task import NewestAnswer
from ui.desktop.action import create_switch
from ui.desktop.store import Store
from ui.desktop.tools.tool import FigureTool, PickResult, figure_id
from ui.picture.preview import Preview
from ui.rules_text import display_name
from ui.table.finding import Answer, Finding, Patch
from ui.tools.sight import DangerArea, SightFan, cells_of, danger_area, side_in_danger, sight_fan
from ui.tools.tool_context import ToolContext
from ui.translation import tr


class SightAreas:
    """Computes both areas, and draws the danger area while its switch is on."""

    def __init__(self, window: QMainWindow, store: Store) -> None:
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


_SETTLED_IN = 0.05
"""Figures that shift less see the same ground."""


class SightFanTool(FigureTool):
    """Shows the ground that a figure sees: point at it, click to keep it."""

    name = "sight_fan"

    def __init__(self, now: Callable[[], ToolContext | None]) -> None:
        """`now` returns the tool context; None before the first view."""
        self._now = now
        self.fans: NewestAnswer[SightFan] = NewestAnswer("sandtable sight fan")

    @property
    def hint(self) -> str:
        if self.picked is None:
            return tr("Point at a soldier to see the ground that it sees; click to keep it.")
        return tr("Bright: {soldier} would see a soldier standing there. Esc: stop", soldier=display_name(self.picked))

    def preview(self, at: PickResult | None) -> Preview:
        """The fan of the figure that was kept or is under the mouse; while it is computed, the figure's last one."""
        now, hovered = self._now(), figure_id(at)
        name = self.picked or hovered
        figure = now.figure(name) if now is not None else None
        if now is None or figure is None or now.view.calibration is None:
            return Preview(hovered=hovered)
        known = self.fans.ask(_question(now, figure), lambda: sight_fan(now, figure))
        fan = self.fans.answer
        if fan is None or fan.figure != figure.id:
            words = (
                self.fans.refusal if known else tr("Computing what {soldier} sees…", soldier=display_name(figure.id))
            )
            return Preview(hovered=hovered, picked=figure.id, finding=Finding(Answer("", (words,))))
        return Preview(hovered=hovered, picked=figure.id, finding=fan.finding, areas=fan.areas)


def _question(now: ToolContext, figure: Figure) -> tuple[object, ...]:
    """Everything that a fan depends on, so that the camera's noise does not change it."""
    others = now.view.figures if now.sight_rules.figures_hide else ()
    places = [(one.id, one.posture, *(round(v / _SETTLED_IN) for v in (*one.centre_in, one.z_in))) for one in others]
    own = (figure.id, figure.posture, *(round(v / _SETTLED_IN) for v in (*figure.centre_in, figure.z_in)))
    return (own, places, now.terrain, now.sight_rules, now.position, cells_of(now, 1.0), now.state.basis)
