"""The tools of one window, which one is selected, and the tools that lay templates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

from rules.engine.game import Game
from rules.games import game_names, open_game
from rules.tabletop.template import Template
from ui.desktop.tools.questions import PlanTool, SightTool, TargetsTool
from ui.desktop.tools.tool import MeasureTool, PathTool, PickResult, SelectTool, Tool, start_preview
from ui.picture.preview import Preview
from ui.picture.shapes import PointPx
from ui.session import End, Session
from ui.table.shapes import USUAL, Form, TemplateKind, forms
from ui.tools.tool_context import ToolContext
from ui.translation import tr

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
            if self._played() is not None:  # in a battle, the card and the picture show the same soldier
                shown = replace(shown, picked=otherwise.picked, asked=shown.hovered or otherwise.picked)
            shown = replace(otherwise, hovered=shown.hovered, asked=shown.asked, picked=shown.picked)
        # Whatever the tool, casualties must be taken off, and leaders are leaders.
        shown = replace(shown, casualties=otherwise.casualties, badges=otherwise.badges)
        now = self._now() if shown.hovered or shown.asked else None
        if now is None:
            return shown
        figure = shown.asked or shown.hovered or ""
        return replace(shown, battle_lines=now.battle_lines(figure), turn_lines=now.turn_lines(figure))

    def _played(self) -> Game[Any] | None:
        now = self._now()
        return now.play.battle.game if now is not None and now.play is not None else None


_HALF_SIGHT_IN = 1.0


class TemplateShapes:
    """The template shapes of the battle's game, or of all games, which are opened on first use."""

    def __init__(self, played: Callable[[], Game[Any] | None]) -> None:
        """`played` returns the battle's game; None without a battle."""
        self._played = played

    def first(self, kind: TemplateKind) -> Form:
        game = self._played()
        return forms(kind, (game,))[0] if game is not None else USUAL[kind]

    def every(self, kind: TemplateKind) -> tuple[Form, ...]:
        """All shapes, the initial one first."""
        game = self._played()
        return forms(kind, (game,)) if game is not None else self._of_all[kind]

    @cached_property
    def _of_all(self) -> dict[TemplateKind, tuple[Form, ...]]:
        games: tuple[Game[Any], ...] = tuple(open_game(name) for name in game_names())
        return {kind: forms(kind, games) for kind in TemplateKind}


class TemplateTool(Tool):
    """Lays templates of one kind, in the games' sizes or any other."""

    takes_wheel = True

    def __init__(self, session: Session, kind: TemplateKind, store: TemplateShapes) -> None:
        self.name = str(kind)
        self._session, self._kind, self._shapes = session, kind, store
        self._start: End | None = None
        self._laid: tuple[PointPx, Form] | None = None
        self._chosen: Form | None = None

    @property
    def form(self) -> Form:
        return self._chosen or self._shapes.first(self._kind)

    @property
    def in_progress(self) -> bool:
        return self._start is not None

    @property
    def hint(self) -> str:
        what = tr(
            "{form}. Change it with the wheel, + and -, or a number; press the tool's key again for the next size.",
            form=self.form.words,
        )
        if self._kind is TemplateKind.BLAST:
            return tr("Click to place a {what}", what=what)
        if self._start is None:
            return tr("Click the soldier or place where it starts: {what}", what=what)
        return tr("Click where it ends: {what}", what=what)

    def press(self, at: PickResult) -> None:
        """Lay a disc; for other shapes set the start, then lay the template."""
        if at.place_in is None or at.end is None:
            return
        if self._kind is not TemplateKind.BLAST and self._start is None:
            self._start = at.end
        elif (template := self._template(at)) is not None:
            self._session.lay(template)
            self._laid, self._start = (at.px, self.form), None

    def _template(self, at: PickResult) -> Template | None:
        """The template that a click there would lay."""
        place = at.place_in
        if place is None:
            return None
        if self._kind is TemplateKind.BLAST:
            return self.form.laid(place, place)
        toward = at.figure.centre_in if at.figure else place
        if self._start is None:
            start = toward
            return self.form.laid(start, (start[0] + _HALF_SIGHT_IN, start[1]))
        begin = at.place_of(self._start)
        return self.form.laid(begin, toward) if begin is not None else None

    def turn(self, steps: int) -> None:
        """Make it longer by half an inch per step."""
        self._chosen = self.form.longer(steps)

    def number(self, value: float) -> None:
        self._chosen = self.form.of_length(value)

    def again(self) -> None:
        """Switch to the next of the games' sizes."""
        every = self._shapes.every(self._kind)
        at = next((n for n, form in enumerate(every) if form == self.form), -1)
        self._chosen = every[(at + 1) % len(every)]

    def cancel(self) -> bool:
        had, self._start = self._start is not None, None
        return had

    def preview(self, at: PickResult | None) -> Preview:
        """The template to lay; none if one was just laid, until the mouse moves."""
        if at is None or at.place_in is None or self._laid == (at.px, self.form):
            return Preview()
        return replace(start_preview(self._start), template=self._template(at))
