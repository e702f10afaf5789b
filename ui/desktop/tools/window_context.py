"""What the controllers may do with the window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ui.desktop.bar import MessageActions
from ui.desktop.source_controller import SourceController
from ui.desktop.tools.tool import PickResult
from ui.session import Session
from ui.table.terrain import Terrain
from vision.table_view import TableView


class Say(Protocol):
    """Shows the player a message, with buttons that solve it."""

    def __call__(self, words: str, actions: MessageActions = ()) -> None: ...


@dataclass(frozen=True, slots=True)
class WindowContext:
    """The window as the controllers see it.

    Attributes:
        source_controller: Returns the open source.
        change: Applies a change to the table and shows the result; shows `UserError` as a message.
        use_tool: Selects a tool.
        tool: Returns the selected tool's name.
        pointed: Returns what the mouse points at.
        say: Shows the player a message.
    """

    source_controller: Callable[[], SourceController]
    change: Callable[[Callable[[], object]], None]
    use_tool: Callable[[str], None]
    tool: Callable[[], str]
    pointed: Callable[[], PickResult | None]
    say: Say

    @property
    def session(self) -> Session:
        """The session of the open table."""
        return self.source_controller().session

    @property
    def terrain(self) -> Terrain:
        """The terrain on the table."""
        return self.session.state.setup.terrain

    @property
    def view(self) -> TableView | None:
        """The current view."""
        return self.source_controller().view
