"""Warns if soldiers were on the table when it was learned as empty."""

from __future__ import annotations

from collections.abc import Callable

from ui.desktop.bar import MessageActions
from ui.desktop.source_controller import SourceController
from ui.desktop.tools.window_context import WindowContext
from ui.setup.empty_table import EmptyTableCheck
from ui.translation import tr


class EmptyTableController:
    """Checks the picture of the empty table."""

    def __init__(self, context: WindowContext, learn: Callable[[], object]) -> None:
        """`learn` uses the current picture as the empty table."""
        self._context, self._learn = context, learn
        self._bench: SourceController | None = None
        self._check = EmptyTableCheck()

    def pull(self) -> None:
        """Check the picture when it or the armies change; called often."""
        source_controller = self._context.source_controller()
        if source_controller is not self._bench:
            self._check.close()
            self._bench, self._check = source_controller, EmptyTableCheck()
        session = source_controller.session
        self._check.follow(source_controller.seen, session.state, at_start=session.can_undo is None)

    def close(self) -> None:
        """Stop checking."""
        self._check.close()

    @property
    def offer(self) -> tuple[str, MessageActions]:
        """The warning and its buttons; empty if the picture is fine."""
        count = self._check.soldiers
        if not count:
            return "", ()
        words = tr("The empty table shows 1 soldier. Take it off and learn it again.")
        if count > 1:
            words = tr("The empty table shows {count} soldiers. Take them off and learn it again.", count=count)
        return words, ((tr("Learn again"), self._learn), (tr("Keep picture"), self._accept))

    def _accept(self) -> None:
        self._context.change(self._check.accept)
