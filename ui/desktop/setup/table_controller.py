"""The table as it was left: kept as it changes, offered when its camera is opened again."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PyQt6.QtWidgets import QWidget

from rules.tabletop.errors import UserError
from ui.analysis import table_document
from ui.background_task import Behind
from ui.desktop.background_save import BackgroundSave
from ui.desktop.bar import Ways
from ui.desktop.dialogs import ask_where
from ui.desktop.source_controller import Bench
from ui.desktop.tools.window_context import WindowContext
from ui.desktop.translation import tr
from ui.files import refuse_unwritable
from ui.session import TableState
from ui.setup.profiles import camera_identity
from ui.setup.saved_table import KeptTable, RestoredTable, as_left
from ui.setup.saved_table_store import Found, TableKeeper, TableShelf
from vision.examples import Examples

Deeds = Callable[[], int]
"""How much has happened in the battle that is open; 0 where there is none."""

_SETTLE_S = 2.0


class TableController:
    """Keeps the tables of cameras. The simulated table, pictures and videos begin anew each time: see docs/guide.md.

    Attributes:
        left: What was kept of the open camera's table, until the players begin afresh.
    """

    def __init__(
        self,
        window: QWidget,
        hands: WindowContext,
        shelf: TableShelf,
        deeds: Deeds,
        errand: BackgroundSave,
        identity: Callable[[str], str] = camera_identity,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Keep tables on `shelf`, ask over `window`; `identity` is that of a source, see `camera_identity`."""
        self._window, self._errand = window, errand
        self._hands, self._shelf, self._deeds = hands, shelf, deeds
        self._identity, self._clock = identity, clock
        self.left: KeptTable | None = None
        self._met: tuple[Bench, object] | None = None
        self._loading: Behind[Found] = Behind("sandtable kept table")
        self._keeper: TableKeeper | None = None
        self._camera, self._waits, self._refused = "", False, ""
        self._remark = ""
        self._opened_with: object = None
        self._deeds_before = 0
        self._carried: tuple[object, RestoredTable | UserError | None] = (None, None)

    def pull(self) -> None:
        """Meet what was opened, offer what was kept of it, and keep what is new; called whenever anything is."""
        bench = self._hands.bench()
        if self._met is None or self._met[0] is not bench or self._met[1] is not bench.worker:
            self._meet(bench)
        if (found := self._loading.take()) is not None:
            self.left, self._remark = found.table, found.remark
            self._waits = found.table is not None
            if found.remark and found.table is None:
                self._hands.say(found.remark)
        if self._waits and self._went_on(bench):
            self._try(self._lay_by)
        if self._keeper is None or self._loading.busy:
            return
        if not self._waits and bench.seen is not None:
            self._keeper.note(bench.session, bench.seen)
        if self._keeper.refusal not in ("", self._refused):
            self._refused = self._keeper.refusal
            self._hands.say(tr("This table cannot be kept: {refused}", refused=self._refused))

    @property
    def offer(self) -> tuple[str, Ways]:
        """What is known of this table and what can be done with it; nothing where it is answered."""
        left = self._fitting() if self._waits else None
        if left is None or self.left is None:
            return "", ()
        known = tr("This table is known: {table}.", table=self.left.words)
        afresh = (tr("Begin afresh"), self.begin_afresh)
        if isinstance(left, UserError):
            return tr("{known} But {refusal}.", known=known, refusal=left), (afresh,)
        return known, ((tr("As you left it"), self.take_up), afresh)

    def take_up(self) -> None:
        """Let the table be as it was left."""
        left, bench = self._fitting(), self._hands.bench()
        if left is None:
            self._hands.say(
                tr("Nothing is kept of this table: only those of cameras are, as soon as inches are known.")
            )
        elif isinstance(left, UserError):
            self._hands.say(f"{left}.")
        else:
            self._hands.change(lambda: left.take_up(bench.session))
            self._waits = False
            if self._keeper is not None:
                self._keeper.rest(_SETTLE_S)
            remarks = [*left.remarks, *([self._remark] if self._remark else [])]
            self._hands.say(" ".join([tr("The table is as you left it; Undo takes that back."), *remarks]))

    def begin_afresh(self) -> None:
        """Lay by what was kept: the table before us is another."""
        self._try(self._lay_by)
        self.left = None

    def forget_examples(self) -> None:
        """Forget the learned figures, as a step that can be undone."""
        session = self._hands.session
        count = len(session.state.setup.examples.all)
        if not count:
            self._hands.say(tr("No figures are learned yet: confirm or correct one."))
            return
        setup = replace(session.state.setup, examples=Examples())
        self._hands.change(lambda: session.do("forget learned figures", replace(session.state, setup=setup)))
        self._hands.say(tr("The learned figures ({count}) are forgotten; Undo brings them back.", count=count))

    def save(self, path: Path | None = None) -> None:
        """Write what lies there as the JSON that `sandtable analyse` writes; ask where to if no path is given."""
        bench, view = self._hands.bench(), self._hands.view
        if view is None or view.calibration is None:
            self._hands.say(tr("There are no inches to write down yet: lay a printed marker down first."))
            return
        path = path or ask_where(self._window, tr("Save what lies there"), "table.json", tr("JSON (*.json)"))
        if path is None:
            return
        spec, state, seen = bench.spec, bench.session.state, view

        def make() -> bytes:
            return (json.dumps(table_document(seen, spec, state), indent=1, allow_nan=False) + "\n").encode()

        try:
            refuse_unwritable(path)
        except UserError as refusal:
            self._hands.say(str(refusal))
        else:
            self._errand.send(tr("Saving {name}", name=path.name), make, path, tr("{path} is saved.", path=path))

    def close(self) -> None:
        """Keep what is still to be kept."""
        self._loading.join()
        if self._keeper is None or self._met is None:
            return
        bench = self._met[0]
        if self._waits or self._loading.take() is not None:
            self._keeper.finish()
        else:
            self._keeper.finish(bench.session, bench.seen)

    def _meet(self, bench: Bench) -> None:
        self.close()
        self._met, self._camera = (bench, bench.worker), self._identity(bench.spec)
        self.left, self._waits, self._remark, self._refused = None, False, "", ""
        self._carried = (None, None)
        self._opened_with, self._deeds_before = _content(bench.session.state), self._deeds()
        self._keeper = TableKeeper(self._shelf, self._camera, self._clock) if self._camera else None
        if self._camera:
            camera = self._camera
            self._loading.start(lambda: self._shelf.take(camera))

    def _went_on(self, bench: Bench) -> bool:
        """Whether the players laid something on the table, or played on, without an answer."""
        before, self._deeds_before = self._deeds_before, self._deeds()
        return _content(bench.session.state) != self._opened_with or 0 < before < self._deeds_before

    def _lay_by(self) -> None:
        self._waits = False
        self._shelf.lay_by(self._camera)

    def _fitting(self) -> RestoredTable | UserError | None:
        """What was kept, as it lies before the camera now; why it cannot be told; None where there is nothing."""
        view = self._hands.view
        if self.left is None or view is None or view.calibration is None:
            return None
        if self._carried[0] is not view.calibration:
            try:
                self._carried = (view.calibration, as_left(self.left, view))
            except UserError as refusal:
                self._carried = (view.calibration, refusal)
        return self._carried[1]

    def _try(self, change: Callable[[], object]) -> None:
        try:
            change()
        except UserError as refusal:
            self._hands.say(str(refusal))


def _content(state: TableState) -> object:
    """What the players have laid on the table themselves."""
    setup = state.setup
    told = (setup.terrain, id(setup.reference_bgr), state.rulers, state.templates)
    return (*told, state.area, state.corrections)
