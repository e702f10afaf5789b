"""Saves the table as it changes, and offers to restore it when its camera is opened again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from PyQt6.QtWidgets import QWidget

from rules.tabletop.errors import UserError
from ui.analysis import table_document
from ui.background_task import BackgroundTask
from ui.desktop.messages import MessageActions
from ui.desktop.saving import BackgroundSave, ask_where
from ui.desktop.source_controller import SourceController
from ui.desktop.store import Store
from ui.session import TableState
from ui.setup.lens import camera_identity
from ui.setup.saved_table import RestoredTable, SavedTable, as_left
from ui.setup.saved_table_store import Found, SavedTables, TableSaver
from ui.translation import tr
from vision.examples import Examples

_SETTLE_S = 2.0


class TableController:
    """Saves the tables of cameras; the simulated table, pictures and videos start empty each time: see docs/guide.md.

    Attributes:
        left: The saved table of the open camera, until the players start fresh.
    """

    def __init__(
        self, window: QWidget, store: Store, saved_tables: SavedTables, background_save: BackgroundSave
    ) -> None:
        """Save tables in `saved_tables`; dialogs open over `window`."""
        self._window, self._background_save = window, background_save
        self._store, self._saved_tables = store, saved_tables
        self.left: SavedTable | None = None
        self._attached: tuple[SourceController, object] | None = None
        self._loading: BackgroundTask[Found] = BackgroundTask("sandtable saved table")
        self._saver: TableSaver | None = None
        self._camera, self._offer_open, self._refused = "", False, ""
        self._remark = ""
        self._opened_with: object = None
        self._count_before = 0
        self._carried: tuple[object, RestoredTable | UserError | None] = (None, None)

    @property
    def _entry_count(self) -> int:
        """Number of entries in the open battle; 0 without a battle."""
        play = self._store.battle.play
        return len(play.battle.entries) if play is not None else 0

    def pull(self) -> None:
        """Load what was saved for a newly opened camera, and save changes; called whenever anything is new."""
        source_controller = self._store.source_controller
        if self._attached != (source_controller, source_controller.worker):
            self._attach(source_controller)
        if (found := self._loading.take()) is not None:
            self.left, self._remark = found.table, found.remark
            self._offer_open = found.table is not None
            if found.remark and found.table is None:
                self._store.say(found.remark)
        if self._offer_open and self._has_continued(source_controller):
            self._store.attempt(self._archive)
        if self._saver is None or self._loading.busy:
            return
        if not self._offer_open and source_controller.seen is not None:
            self._saver.save_if_changed(source_controller.session, source_controller.seen)
        if self._saver.refusal not in ("", self._refused):
            self._refused = self._saver.refusal
            self._store.say(tr("This table cannot be saved: {refused}", refused=self._refused))

    @property
    def offer(self) -> tuple[str, MessageActions]:
        """The saved table and the buttons for it; empty once answered or if there is none."""
        left = self._fitting() if self._offer_open else None
        if left is None or self.left is None:
            return "", ()
        known = tr("A saved table was found: {table}.", table=self.left.words)
        start_fresh = (tr("Start fresh"), self.start_fresh)
        if isinstance(left, UserError):
            return tr("{known} It cannot be restored: {refusal}.", known=known, refusal=left), (start_fresh,)
        return known, ((tr("Restore table"), self.restore), start_fresh)

    def restore(self) -> None:
        left, source_controller = self._fitting(), self._store.source_controller
        if left is None:
            self._store.say(tr("No table is saved. Only calibrated camera tables are saved."))
        elif isinstance(left, UserError):
            self._store.say(f"{left}.")
        else:
            self._store.change(lambda: left.restore(source_controller.session))
            self._offer_open = False
            if self._saver is not None:
                self._saver.pause(_SETTLE_S)
            remarks = [*left.remarks, *([self._remark] if self._remark else [])]
            self._store.say(" ".join([tr("Table restored. Press Undo to take this back."), *remarks]))

    def start_fresh(self) -> None:
        """Archive the saved table, because this is another one."""
        self._store.attempt(self._archive)
        self.left = None

    def forget_examples(self) -> None:
        """Forget the examples, as a step that can be undone."""
        session = self._store.session
        count = len(session.state.setup.examples.all)
        if not count:
            self._store.say(tr("There are no examples yet. Confirm or correct a soldier first."))
            return
        setup = replace(session.state.setup, examples=Examples())
        self._store.change(lambda: session.do(tr("forget examples"), replace(session.state, setup=setup)))
        self._store.say(tr("Forgot {count} examples. Press Undo to get them back.", count=count))

    def save(self, path: Path | None = None) -> None:
        """Write the table as the JSON of `sandtable analyse`; without a path, ask where."""
        source_controller, view = self._store.source_controller, self._store.view
        if view is None or view.calibration is None:
            self._store.say(tr("Put a printed marker on the table first, so that places can be saved in inches."))
            return
        path = path or ask_where(self._window, tr("Save table"), "table.json", tr("Data (*.json)"))
        if path is None:
            return
        spec, state, seen = source_controller.spec, source_controller.session.state, view

        def make() -> bytes:
            return (json.dumps(table_document(seen, spec, state), indent=1, allow_nan=False) + "\n").encode()

        self._background_save.send(path, make)

    def close(self) -> None:
        """Write pending changes."""
        self._loading.join()
        if self._saver is None or self._attached is None:
            return
        source_controller, found = self._attached[0], self._loading.take()
        if self._offer_open or (found is not None and found.table is not None):
            self._saver.finish()
        else:
            self._saver.finish(source_controller.session, source_controller.seen)

    def _attach(self, source_controller: SourceController) -> None:
        self.close()
        self._attached = (source_controller, source_controller.worker)
        camera = self._camera = camera_identity(source_controller.spec)
        self.left, self._offer_open, self._remark, self._refused = None, False, "", ""
        self._carried = (None, None)
        self._opened_with, self._count_before = _content(source_controller.session.state), self._entry_count
        self._saver = TableSaver(self._saved_tables, camera, self._store.clock) if camera else None
        if camera:
            self._loading.start(lambda: self._saved_tables.load(camera))

    def _has_continued(self, source_controller: SourceController) -> bool:
        """Whether the players changed the table or played on without answering the offer."""
        before, self._count_before = self._count_before, self._entry_count
        return _content(source_controller.session.state) != self._opened_with or 0 < before < self._count_before

    def _archive(self) -> None:
        self._offer_open = False
        self._saved_tables.archive(self._camera)

    def _fitting(self) -> RestoredTable | UserError | None:
        """The saved table in the current calibration, or the error that prevents it; None if there is none."""
        view = self._store.view
        if self.left is None or view is None or view.calibration is None:
            return None
        if self._carried[0] is not view.calibration:
            try:
                self._carried = (view.calibration, as_left(self.left, view))
            except UserError as refusal:
                self._carried = (view.calibration, refusal)
        return self._carried[1]


def _content(state: TableState) -> object:
    """What the players themselves placed on the table."""
    setup = state.setup
    placed = (setup.terrain, id(setup.reference_bgr), state.rulers, state.templates)
    return (*placed, state.area, state.corrections)
