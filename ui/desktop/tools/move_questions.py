"""Asks whether two similar figures were swapped when both were moved during one visit of a hand."""

from __future__ import annotations

from functools import partial

from rules.engine.text import display_name
from ui.desktop.bar import MessageActions
from ui.desktop.source_controller import SourceController
from ui.desktop.tools.window_context import WindowContext
from ui.translation import tr


class MoveQuestions:
    """Keeps the questions until they are answered, one at a time."""

    def __init__(self, context: WindowContext) -> None:
        """`context` gives access to the window."""
        self._context = context
        self._bench: SourceController | None = None
        self._pairs: tuple[tuple[str, str], ...] = ()

    def pull(self) -> None:
        """Collect new questions; called whenever anything is new."""
        source_controller, view = self._context.source_controller(), self._context.view
        if source_controller is not self._bench:
            self._bench, self._pairs = source_controller, ()
        new = source_controller.session.take_doubtful_moves()
        tracking = view.tracking if view is not None else None
        known = {one.id for one in (*tracking.figures, *tracking.lost)} if tracking is not None else set()
        self._pairs = tuple(dict.fromkeys(pair for pair in (*self._pairs, *new) if known.issuperset(pair)))

    @property
    def offer(self) -> tuple[str, MessageActions]:
        """The first question and its answers; empty if there is none."""
        if not self._pairs:
            return "", ()
        pair = self._pairs[0]
        words = tr(
            "{one} and {other} both moved. Is each one right?", one=display_name(pair[0]), other=display_name(pair[1])
        )
        return words, ((tr("Yes"), partial(self._keep, pair)), (tr("Swap"), partial(self._swap, pair)))

    def _keep(self, pair: tuple[str, str]) -> None:
        self._context.change(lambda: self._settle(pair))

    def _swap(self, pair: tuple[str, str]) -> None:
        self._settle(pair)
        self._context.change(lambda: self._context.session.swap(*pair))

    def _settle(self, pair: tuple[str, str]) -> None:
        self._pairs = tuple(one for one in self._pairs if one != pair)
