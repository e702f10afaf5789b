"""The tools of one window, and which one is selected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rules.engine.game import Game
from ui.desktop.tools.questions import PlanTool, SightTool, TargetsTool
from ui.desktop.tools.templates import TemplateShapes, TemplateTool
from ui.desktop.tools.tool import MeasureTool, PathTool, PickResult, SelectTool, Tool
from ui.picture.overlay import Preview
from ui.session import Session
from ui.table.shapes import TemplateKind
from ui.tools.tool_context import ToolContext

_NUMBER_ENDS_S = 1.5
"""A later digit starts another number."""


class Toolbox:
    """Holds the tools for the current session."""

    def __init__(self, now: Callable[[], ToolContext | None], clock: Callable[[], float]) -> None:
        """`now` returns the tool context, None before the first view; `clock` returns seconds."""
        self._now, self._clock = now, clock
        self._tools: dict[str, Tool] = {}
        self._feature_tools: tuple[Tool, ...] = ()
        self._shapes = TemplateShapes(self._played)
        self._typed, self._typed_s = "", -_NUMBER_ENDS_S
        self.selected: Tool = SelectTool()

    def add(self, tool: Tool) -> None:
        """Add a tool that has its own controller and serves all sessions."""
        self._feature_tools = (*self._feature_tools, tool)

    def fill(self, session: Session) -> None:
        """Create the tools for another session."""
        tools: tuple[Tool, ...] = (
            MeasureTool(session),
            PathTool(session),
            SightTool(self._now),
            TargetsTool(self._now),
            *(TemplateTool(session, kind, self._shapes) for kind in TemplateKind),
            PlanTool(self._now),
            SelectTool(),
            *self._feature_tools,
        )
        self._tools = {tool.name: tool for tool in tools}
        self.selected = self._tools["select"]

    def take(self, name: str) -> None:
        """Select a tool; selecting the current one again calls its `again`."""
        wanted = self._tools[name]
        if wanted is self.selected:
            wanted.again()
        else:
            wanted.cancel()
        self.selected = wanted

    def type_digit(self, digit: str) -> None:
        """Add a digit or point to the typed number, and pass the number to the tool."""
        now_s = self._clock()
        self._typed = (self._typed if now_s - self._typed_s < _NUMBER_ENDS_S else "") + digit
        self._typed_s = now_s
        if self._typed.replace(".", "", 1).isdigit() and float(self._typed) > 0:
            self.selected.number(float(self._typed))

    def preview(self, at: PickResult | None, otherwise: Preview) -> Preview:
        """The selected tool's preview; `otherwise` if it is empty, and combined with it for the selection tool."""
        shown = self.selected.preview(at)
        if shown == Preview():
            shown = otherwise
        elif self.selected.name == "select":
            picked = otherwise.picked or shown.picked  # in a battle, a click on a target does not select it
            shown = replace(otherwise, hovered=shown.hovered, asked=shown.asked, picked=picked)
        # Whatever the tool, casualties must be taken off, and leaders are leaders.
        shown = replace(shown, casualties=otherwise.casualties, badges=otherwise.badges)
        now = self._now() if shown.hovered or shown.asked else None
        return (
            replace(shown, battle_lines=now.battle_lines(shown.asked or shown.hovered or ""))
            if now is not None
            else shown
        )

    def _played(self) -> Game[Any] | None:
        now = self._now()
        return now.play.battle.game if now is not None and now.play is not None else None
