"""The tools of one window: which there are, and which is in hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from rules.engine.game import Game
from ui.desktop.tools.questions import FanTool, PlanTool, SightTool
from ui.desktop.tools.templates import FormShelf, TemplateTool
from ui.desktop.tools.tool import MeasureTool, PathTool, PickResult, SelectTool, Tool
from ui.picture.overlay import Preview
from ui.questions.tool_context import Situation
from ui.session import Session
from ui.table.shapes import Kind

_NUMBER_ENDS_S = 1.5
"""A digit that comes later begins another number."""


class Toolbox:
    """Holds the tools for one session after another.

    Attributes:
        in_hand: What the mouse does.
    """

    def __init__(self, now: Callable[[], Situation | None]) -> None:
        """`now` is the table before the tools; None before anything is seen."""
        self._now = now
        self._tools: dict[str, Tool] = {}
        self._shelf = FormShelf(self._played)
        self._typed, self._typed_s = "", -_NUMBER_ENDS_S
        self.in_hand: Tool = SelectTool()

    def fill(self, session: Session, others: Iterable[Tool] = ()) -> None:
        """Hold the tools for another session; `others` are those that have their own controllers."""
        tools: tuple[Tool, ...] = (
            MeasureTool(session),
            PathTool(session),
            SightTool(self._now),
            FanTool(self._now),
            *(TemplateTool(session, kind, self._shelf) for kind in Kind),
            PlanTool(self._now),
            SelectTool(),
            *others,
        )
        self._tools = {tool.name: tool for tool in tools}
        self.in_hand = self._tools["select"]

    def take(self, name: str) -> None:
        """Take a tool in hand; the one that is there already does what it does again."""
        wanted = self._tools[name]
        if wanted is self.in_hand:
            wanted.again()
        else:
            wanted.cancel()
        self.in_hand = wanted

    def type_digit(self, digit: str, now_s: float) -> None:
        """A digit or a point: the number so far goes to the tool in hand."""
        self._typed = (self._typed if now_s - self._typed_s < _NUMBER_ENDS_S else "") + digit
        self._typed_s = now_s
        if self._typed.replace(".", "", 1).isdigit() and float(self._typed) > 0:
            self.in_hand.number(float(self._typed))

    def preview(self, at: PickResult | None, otherwise: Preview) -> Preview:
        """What the tool in hand shows; `otherwise` where it has nothing to say, and beside whom it only points out."""
        shown = self.in_hand.preview(at)
        if shown == Preview():
            shown = otherwise
        elif self.in_hand.name == "select":
            picked = shown.picked or otherwise.picked
            shown = replace(
                shown, ruler=otherwise.ruler, template=otherwise.template, picked=picked, marks=otherwise.marks
            )
        now = self._now() if shown.hovered or shown.asked else None
        return replace(shown, told=now.told_of(shown.asked or shown.hovered or "")) if now is not None else shown

    def _played(self) -> Game[Any] | None:
        now = self._now()
        return now.play.battle.game if now is not None and now.play is not None else None
