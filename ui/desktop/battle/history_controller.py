"""Joins a battle's history to the window: pictures of its moments, the way back, its table, exports."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from PyQt6.QtWidgets import QWidget

from rules.battle import Battle
from rules.events import TableLaid
from rules.progress import Cancelled
from rules.table import Outline, TerrainPiece, UserError
from rules.text import spoken
from ui.battle.export import battle_json, page
from ui.battle.history import Moment, moments
from ui.desktop.background_save import BackgroundSave
from ui.desktop.battle.battle_controller import BattleController
from ui.desktop.battle.history_dialog import HistoryDialog
from ui.desktop.battle.thumbnail_recorder import Moments
from ui.desktop.dialogs import ask_where
from ui.desktop.tools.window_context import WindowContext
from ui.desktop.translation import mark, tr
from ui.files import refuse_unwritable
from ui.setup.profiles import camera_identity

_SETTLED_S = 3.0
"""Terrain that is being dragged is not journalled with every step of the mouse."""

_NONE = mark("There is no battle to tell of: begin one in the menu Battle.")

_Ground = tuple[tuple[TerrainPiece, ...], Outline]


class HistoryController:
    """What the menu Battle does about what has happened.

    Attributes:
        moments: Takes the pictures.
        dialog: The history, if it is open.
        clock: Seconds.
    """

    def __init__(
        self,
        window: QWidget,
        battle: BattleController,
        hands: WindowContext,
        errand: BackgroundSave,
        identity: Callable[[str], str] = camera_identity,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Ask over `window`; `identity` is that of a source, see `camera_identity`."""
        self._window, self._battle, self._hands = window, battle, hands
        self._identity, self.clock = identity, clock
        self.moments, self._errand = Moments(hands.say), errand
        self.dialog: HistoryDialog | None = None
        self._met: Battle | None = None
        self._ground: tuple[_Ground, float] | None = None

    @property
    def _open(self) -> Battle | None:
        return self._battle.play.battle if self._battle.play is not None else None

    def pull(self) -> None:
        """Take a picture of what happened, and note the table; called whenever anything is new."""
        battle = self._open
        if battle is not self._met:
            self._meet(battle)
        self.moments.look(battle, self._hands.view, self._hands.session.state)
        if battle is not None:
            self._note_table(battle)

    def close(self) -> None:
        """Keep what waits."""
        self.moments.close()

    # Looking back

    def show(self) -> None:
        """Open the history."""
        battle = self._open
        if battle is None:
            self._hands.say(tr(_NONE))
            return
        dialog = HistoryDialog(battle, self.moments.album, self._go_to, self._window)
        dialog.finished.connect(dialog.deleteLater)
        dialog.finished.connect(self._shut)
        self.dialog = dialog
        dialog.open()

    def _shut(self) -> None:
        self.dialog = None

    def _go_to(self, moment: Moment) -> None:
        self._hands.change(lambda: self._battle.go_to(moment.seqs[-1]))

    # The table it is played on

    def lay_out(self) -> None:
        """Let the terrain of the battle stand on the table, as a step that can be undone."""
        battle = self._open
        if battle is None or not battle.state.terrain:
            self._hands.say(tr(_NONE) if battle is None else tr("This battle remembers no terrain."))
            return
        session, terrain = self._hands.session, battle.state.terrain
        self._hands.change(lambda: session.set_terrain("the battle's terrain", terrain))

    def _meet(self, battle: Battle | None) -> None:
        self._met, self._ground = battle, None
        if battle is None:
            return
        if battle.state.terrain and not self._hands.session.state.setup.terrain:
            count = len(battle.state.terrain)
            where = tr("Battle, Lay out its terrain puts them where they stood.")
            played = tr("This battle was played with {count} pieces of terrain:", count=count)
            if count == 1:
                played = tr("This battle was played with 1 piece of terrain:")
            self._hands.say(f"{played} {where}")

    def _note_table(self, battle: Battle) -> None:
        """Journal the table once it rests, and once something happens on it: to look at a battle is no entry."""
        state = self._hands.session.state
        now = (state.setup.terrain, state.area.corners_in if state.area is not None else ())
        if now == (battle.state.terrain, battle.state.area_in) or len(battle.entries) == battle.taken_up_at:
            self._ground = None
        elif self._ground is None or self._ground[0] != now:
            self._ground = (now, self.clock())
        elif self.clock() - self._ground[1] > _SETTLED_S:
            self._ground = None
            camera = self._identity(self._hands.bench().spec)
            try:
                battle.record(TableLaid(camera=camera, terrain=now[0], area_in=now[1]))
            except UserError as refusal:
                self._hands.say(str(refusal))

    # Exports

    def save_json(self, path: Path | None = None) -> None:
        """Write the battle as `sandtable replay --json` says it; ask where to if no path is given."""
        self._save(
            path,
            tr("Save as JSON"),
            "json",
            tr("JSON (*.json)"),
            lambda battle: lambda: battle_json(battle, self._step),
        )

    def save_page(self, path: Path | None = None) -> None:
        """Write the story with its pictures as one page that any browser opens."""
        self._save(path, tr("Save with pictures"), "html", tr("Pages (*.html)"), self._page)

    def _page(self, battle: Battle) -> Callable[[], bytes]:
        album = self.moments.album
        sides = " against ".join(map(spoken, battle.state.sides))
        picture = (lambda _: None) if album is None else album.picture

        def make() -> bytes:
            held = [one for one in moments(battle) if one.stands]
            return page(f"{battle.game.title}: {sides}", battle.game.credit, held, picture, self._step)

        return make

    def _save(
        self,
        path: Path | None,
        title: str,
        ending: str,
        kinds: str,
        maker: Callable[[Battle], Callable[[], bytes]],
    ) -> None:
        battle = self._open
        if battle is None:
            self._hands.say(tr(_NONE))
            return
        path = path or ask_where(self._window, title, f"{battle.path.stem}.{ending}", kinds)
        if path is None:
            return
        try:
            refuse_unwritable(path)
        except UserError as refusal:
            self._hands.say(str(refusal))
        else:
            self._errand.send(
                tr("Saving {name}", name=path.name), maker(battle), path, tr("{path} is saved.", path=path)
            )

    def _step(self, _done: int, _of: int) -> None:
        if self._errand.is_cancelled:
            raise Cancelled(tr("Cancelled: nothing was written."))
