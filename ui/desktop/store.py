"""The store: what the window works on, and the only way in which players change it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

from PyQt6.QtCore import QObject, pyqtSignal

from calibration.camera import TableCamera
from rules.engine.position import Position
from rules.tabletop.errors import UserError
from ui.battle.battle_session import BattleSession
from ui.desktop.messages import MessageActions, StatusMessage
from ui.desktop.settings import SavedSetups, Settings
from ui.desktop.source_controller import SourceController
from ui.desktop.source_opening import OpenedSource, SourceOpening, handing_over
from ui.desktop.tools.tool import PickResult, Tool
from ui.desktop.tools.toolbox import Toolbox
from ui.hints import TEACH, title_words
from ui.picture.preview import Preview
from ui.picture.shapes import PointPx
from ui.session import Session
from ui.table.terrain import Terrain
from ui.tools.answer import Laid, asked_now, newest
from ui.tools.tool_context import ToolContext
from ui.translation import tr
from vision.frame import Frame
from vision.setup import Setup
from vision.source import Source, is_camera
from vision.table_view import TableView

_REST_PX = 12.0
"""Movement of the mouse over the picture that does not count."""

Pick = Callable[[Frame, TableView | None, PointPx], PickResult]
"""Returns what is at a pixel of the shown picture."""


class OpenBattle(Protocol):
    """The battle as the store knows it."""

    play: BattleSession | None

    @property
    def is_rolling(self) -> bool:
        """Whether an action waits for its dice."""

    @property
    def may_move(self) -> bool:
        """Whether soldiers may be moved now."""

    @property
    def position(self) -> Position | None:
        """The battle's position on the table; None without a battle or before figures are seen."""

    def update_position(self, view: TableView, setup: Setup) -> None:
        """Update the position from the table."""

    def turn_figure(self, figure: str, facing_deg: float) -> None:
        """Journal that a figure faces this way."""

    def undo(self) -> str | None:
        """Undo the last step of the battle; return its name."""


class Store(QObject):
    """The open table, the battle, the tools and the message.

    Features read from it, and change it by `change`; the window draws it after each signal.

    Attributes:
        source_controller: The open source with its session.
        battle: The open battle, if any.
        battle_shown: Whether the Battle tab is shown, so that clicks and undo belong to the battle.
        tools: The tools, of which one is selected.
        message: The current message.
        clock: Returns seconds.
        mouse_px: The mouse's position over the picture; None elsewhere.

    Signals:
        changed: The player changed something: show it at once.
        closing, opened: The open source will be closed; another one is open.
        restarted: All figures get new ids, because a source was opened, perhaps the same one again.
        tool_selected: Names of the newly and the previously selected tool.
        said: There is a new message.
    """

    changed = pyqtSignal()
    closing = pyqtSignal()
    opened = pyqtSignal()
    restarted = pyqtSignal()
    tool_selected = pyqtSignal(str, str)
    said = pyqtSignal()

    source_controller: SourceController
    battle: OpenBattle

    def __init__(
        self, settings: Settings, pick: Pick, opener: Callable[[str], Source], clock: Callable[[], float]
    ) -> None:
        """Create a store without a source; `opener` opens one, called in a thread, and `clock` returns seconds."""
        super().__init__()
        self._settings, self._pick, self._opener, self.clock = settings, pick, opener, clock
        self._saved_setups = SavedSetups(settings)
        self._opening = SourceOpening(opener)
        self._old_sources: list[SourceController] = []
        self._last_laid: Laid | None = None
        self.battle_shown = False
        self.tools = Toolbox(self.tool_context, clock)
        self.message = StatusMessage(clock)
        self.mouse_px: PointPx | None = None
        self._answered_px: PointPx | None = None

    # What there is

    @property
    def session(self) -> Session:
        return self.source_controller.session

    @property
    def frame(self) -> Frame | None:
        """The picture to show; None before the first."""
        return self.source_controller.frame

    @property
    def view(self) -> TableView | None:
        """The newest view with the players' corrections; None before the first."""
        return self.source_controller.view

    @property
    def camera(self) -> TableCamera | None:
        """The current camera; None without a calibration."""
        view = self.view
        return view.calibration.camera if view is not None and view.calibration is not None else None

    @property
    def terrain(self) -> Terrain:
        return self.session.state.setup.terrain

    @property
    def tool(self) -> Tool:
        return self.tools.selected

    @property
    def in_battle(self) -> bool:
        """Whether a battle is open and shown."""
        return self.battle_shown and self.battle.play is not None

    @property
    def pointed(self) -> PickResult | None:
        """What the mouse points at; None if it is elsewhere or there is no picture."""
        frame = self.frame
        return self._pick(frame, self.view, self.mouse_px) if frame is not None and self.mouse_px is not None else None

    @property
    def rests_on_answer(self) -> bool:
        """Whether the mouse still is where a measurement ended, so that its answer stays readable."""
        then_px, now_px = self._answered_px, self.mouse_px
        return then_px is not None and now_px is not None and math.dist(then_px, now_px) < _REST_PX

    def question(self, preview: Preview) -> Laid | None:
        """The ruler or template whose answer is shown: the tool's, else the one laid last."""
        return asked_now(self.session.state, preview, self._last_laid)

    def tool_context(self) -> ToolContext | None:
        """What the tools work on; None before the first view."""
        view = self.view
        return ToolContext(view, self.session.state, self.battle.play, self.battle.position) if view else None

    # How it changes

    def change(self, change: Callable[[], object]) -> None:
        """Apply a change by the player, which replaces the message, and show the result."""
        self.message.forget()
        self.go_on(change)

    def go_on(self, change: Callable[[], object]) -> None:
        """Apply a change that belongs to the one before, whose message stays, and show the result."""
        before = self.session.state
        self.attempt(change)
        if self.session.state is not before:
            laid = newest(before, self.session.state)
            self._last_laid = laid or self._last_laid
            self._saved_setups.keep(self.source_controller.spec, self.session.state.setup)
            if laid is not None and self.in_battle:
                self._take("select")  # the next click belongs to the battle again
                self._answered_px = self.mouse_px
        self.show()

    def attempt(self, change: Callable[[], object]) -> None:
        """Call `change`; show a `UserError` as the message."""
        try:
            change()
        except UserError as refusal:
            self.say(str(refusal))

    def say(self, words: str, actions: MessageActions = ()) -> None:
        """Show the player a message, with buttons that solve it."""
        self.message.say(words, actions)
        self.said.emit()

    def show(self) -> None:
        """Show the player's own change at once."""
        self.follow_table()
        self.changed.emit()

    def follow_table(self) -> None:
        """Tell the battle what the camera sees now, which may journal new figures.

        A film that shows an earlier moment tells it nothing.
        """
        play = self.battle.play
        self.session.in_battle = play.facings if play is not None else ()
        view = self.view
        if view is not None and not self.source_controller.looks_back:
            if play is not None:
                play.has_hand = self.source_controller.practice is not None
            self.battle.update_position(view, self.session.state.setup)

    def use_tool(self, name: str) -> None:
        self._take(name)
        self.message.forget()
        self.show()

    def _take(self, name: str) -> None:
        before, self._answered_px = self.tool.name, None
        self.tools.take(name)
        self.tool_selected.emit(name, before)

    def learn_empty_table(self) -> None:
        """Use the current picture as the empty table."""
        frame = self.frame
        if frame is not None:
            self.change(lambda: self.session.learn_empty_table(frame))
            self.say(tr("This picture is now the empty table. Leave the camera where it is and put the soldiers on."))

    # Sources

    def open(self, spec: str) -> None:
        """Open another source: a new table, with the markers of the last real one; cameras have their armies too.

        One that cannot be opened changes nothing.
        """
        is_open = is_camera(spec) and spec == self.source_controller.spec  # a camera cannot be opened twice
        if spec == "demo" or is_open:
            self._opening.cancel()
            self._replace_source(spec, self._opener)
        else:
            self.say(tr("Opening {spec}…", spec=title_words(spec)))
            self._opening.start(spec)

    def pull_opening(self) -> None:
        """Show the source that was being opened, once it is open; called by the window's timer."""
        opened = self._opening.take()
        if isinstance(opened, OpenedSource):
            self._replace_source(opened.spec, handing_over(opened, self._opener))
        elif opened is not None:
            self.say(opened)

    def _replace_source(self, spec: str, opener: Callable[[str], Source]) -> None:
        self.closing.emit()
        self.source_controller.stop()
        self._old_sources = [one for one in (*self._old_sources, self.source_controller) if not one.join(0)]
        self._open(spec, opener)
        self._settings.source = spec

    def open_first(self, spec: str) -> None:
        """Open a source when none is open."""
        self._open(spec, self._opener)

    def _open(self, spec: str, opener: Callable[[str], Source]) -> None:
        setup = self._saved_setups.setup_for(spec)
        self.source_controller = SourceController(spec, setup, opener, self.clock)
        self._last_laid = None
        self.message.forget()
        self.tools.fill(self.session)
        self.restarted.emit()
        self.opened.emit()
        self.use_tool("measure" if spec == "demo" or setup.palette else TEACH)

    def try_again(self) -> None:
        """Open the same source again; what lies on the table stays."""
        self.restarted.emit()
        self.source_controller.try_again()

    def close(self) -> None:
        """Close all sources, without waiting for a camera that does not answer."""
        self._opening.close()
        for source_controller in (*self._old_sources, self.source_controller):
            source_controller.stop()

    def join(self) -> None:
        """Wait for the threads of all sources, once they are closed."""
        self._opening.join()
        for source_controller in (*self._old_sources, self.source_controller):
            source_controller.join()
