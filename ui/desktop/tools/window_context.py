"""What the desks of a window may do with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ui.desktop.bar import Ways
from ui.desktop.source_controller import Bench
from ui.desktop.tools.tool import PickResult
from ui.session import Session
from ui.table.terrain import Terrain
from vision.table_view import TableView


class Say(Protocol):
    """Shows a sentence to the player, with buttons that do something about it."""

    def __call__(self, words: str, ways: Ways = ()) -> None: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class WindowContext:
    """The window, as far as a desk knows it.

    Attributes:
        bench: What is open now.
        change: Does something to the table and shows what came of it; what is refused is told.
        use_tool: Takes another tool in hand.
        tool: Name of the one in hand.
        pointed: What the mouse points at.
        say: Tells the player a sentence.
    """

    bench: Callable[[], Bench]
    change: Callable[[Callable[[], object]], None]
    use_tool: Callable[[str], None]
    tool: Callable[[], str]
    pointed: Callable[[], PickResult | None]
    say: Say

    @property
    def session(self) -> Session:
        """The table before us."""
        return self.bench().session

    @property
    def terrain(self) -> Terrain:
        """What stands on it."""
        return self.session.state.setup.terrain

    @property
    def view(self) -> TableView | None:
        """What is seen of it."""
        return self.bench().view
