"""The tools of one window, and which one is selected."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from rules.engine.game import Game
from ui.desktop.tools.questions import PlanTool, SightTool, TargetsTool
from ui.desktop.tools.templates import TemplateShapes, TemplateTool
from ui.desktop.tools.tool import MeasureTool, PathTool, PickResult, SelectTool, Tool
from ui.picture.overlay import Preview
from ui.questions.tool_context import Situation
from ui.session import Session
from ui.table.shapes import Kind

_NUMBER_ENDS_S = 1.5
"""A later digit starts another number."""


class Toolbox:
    """Holds the tools for the current session.

    Attributes:
        selected: The selected tool.
    """

    def __init__(self, now: Callable[[], Situation | None]) -> None:
        """`now` returns the tool context; None before the first view."""
        self._now = now
        self._tools: dict[str, Tool] = {}
        self._shelf = TemplateShapes(self._played)
        self._typed, self._typed_s = "", -_NUMBER_ENDS_S
        self.selected: Tool = SelectTool()

    def fill(self, session: Session, others: Iterable[Tool] = ()) -> None:
        """Create the tools for another session; `others` have their own controllers."""
        tools: tuple[Tool, ...] = (
            MeasureTool(session),
            PathTool(session),
            SightTool(self._now),
            TargetsTool(self._now),
            *(TemplateTool(session, kind, self._shelf) for kind in Kind),
            PlanTool(self._now),
            SelectTool(),
            *others,
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

    def type_digit(self, digit: str, now_s: float) -> None:
        """Add a digit or point to the typed number, and pass the number to the tool."""
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
            picked = shown.picked or otherwise.picked
            shown = replace(
                shown, ruler=otherwise.ruler, template=otherwise.template, picked=picked, marks=otherwise.marks
            )
        if otherwise.casualties:
            shown = replace(shown, casualties=otherwise.casualties)  # whatever the tool, they must be taken off
        now = self._now() if shown.hovered or shown.asked else None
        return (
            replace(shown, battle_lines=now.told_of(shown.asked or shown.hovered or "")) if now is not None else shown
        )

    def _played(self) -> Game[Any] | None:
        now = self._now()
        return now.play.battle.game if now is not None and now.play is not None else None
