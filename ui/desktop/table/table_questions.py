"""Questions to the players about what the camera saw: two similar soldiers swapped, soldiers on the empty table."""

from __future__ import annotations

from functools import partial

from ui.desktop.messages import MessageActions
from ui.desktop.store import Store
from ui.rules_text import display_name
from ui.setup.empty_table import EmptyTableCheck
from ui.translation import tr


class MoveQuestions:
    """Keeps the questions until they are answered, one at a time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pairs: tuple[tuple[str, str], ...] = ()
        store.opened.connect(self._forget)

    def _forget(self) -> None:
        self._pairs = ()

    def pull(self) -> None:
        """Collect new questions; called whenever anything is new."""
        view = self._store.view
        new = self._store.session.take_doubtful_moves()
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
            "{one} and {other} both moved. Are their names right?",
            one=display_name(pair[0]),
            other=display_name(pair[1]),
        )
        return words, ((tr("Yes"), partial(self._keep, pair)), (tr("Swap"), partial(self._swap, pair)))

    def _keep(self, pair: tuple[str, str]) -> None:
        self._store.change(lambda: self._settle(pair))

    def _swap(self, pair: tuple[str, str]) -> None:
        self._settle(pair)
        self._store.change(lambda: self._store.session.swap(*pair))

    def _settle(self, pair: tuple[str, str]) -> None:
        self._pairs = tuple(one for one in self._pairs if one != pair)


class EmptyTableController:
    """Checks the picture of the empty table."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._check = EmptyTableCheck()
        store.opened.connect(self._begin)

    def _begin(self) -> None:
        """Check the picture of another table."""
        self._check.close()
        self._check = EmptyTableCheck()

    def pull(self) -> None:
        """Check the picture when it or the armies change; called often."""
        session = self._store.session
        self._check.follow(self._store.source_controller.seen, session.state, at_start=session.can_undo is None)

    def close(self) -> None:
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
        return words, ((tr("Learn again"), self._store.learn_empty_table), (tr("Keep picture"), self._accept))

    def _accept(self) -> None:
        self._store.change(self._check.accept)
