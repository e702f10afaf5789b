"""Armies as groups of figures of one colour: proposes, renames, merges and splits them."""

from __future__ import annotations

from collections.abc import Callable

from rules.engine.text import display_name
from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure
from ui.desktop.messages import MessageActions
from ui.desktop.store import Store
from ui.desktop.table.panel import SidePanel
from ui.guide import TEACH, laid_words
from ui.measuring import Read
from ui.session import Session
from ui.setup.armies import (
    OneColour,
    accepted,
    another_army,
    armies_of,
    merged,
    one_colour_words,
    proposed,
    renamed,
    separation_words,
    split,
)
from ui.translation import tr
from vision.table_view import TableView


class GroupsController:
    """Proposes groups while no army is taught, and performs the commands of the army list.

    Attributes:
        is_guided: Returns whether the guide is at the armies' step, where the guide proposes the groups.
    """

    def __init__(self, panel: SidePanel, store: Store, read: Read) -> None:
        """Perform the commands of the list in `panel`; `read` measures a ruler."""
        self._panel, self._store, self._read = panel, store, read
        self.is_guided: Callable[[], bool] = lambda: False
        panel.armies.may_change = self._may_change
        panel.groups_wanted.connect(self.accept)
        panel.usual_wanted.connect(lambda army: store.change(lambda: self._session.begin_army(army)))
        panel.armies.forgotten.connect(lambda army: store.change(lambda: self._session.forget_army(army)))
        panel.armies.renamed.connect(lambda army, name: store.change(lambda: self._rename(army, name)))
        panel.armies.merged.connect(lambda into, others: store.change(lambda: self._merge(into, others)))
        panel.armies.split.connect(lambda army: store.change(lambda: self._split(army)))

    @property
    def offer(self) -> tuple[str, MessageActions]:
        """The groups found and the buttons for them; empty if there are none."""
        words = self._found
        if not words or self.is_guided():
            return "", ()
        view = self._store.view
        doubt = one_colour_words(view) if view is not None else ""
        text = tr("Found {figures}, grouped by colour.", figures=words)
        actions = ((tr("Use them"), self.accept), (tr("Teach instead"), self._teach_instead))
        return " ".join(filter(None, (text, doubt))), actions

    def show(self) -> None:
        """Update the list of armies."""
        view, state = self._store.view, self._session.state
        if view is None:
            return
        apart, laid = separation_words(view, state.setup), laid_words(view, state, self._read)
        self._panel.show_table(armies_of(view, state), view.figures, laid, state.place_words, apart)
        self._panel.show_groups(self._found, may_search=not (state.setup.palette or state.setup.propose))

    def accept(self) -> None:
        """Turn the groups found into armies; if there are none, search for groups."""
        self._store.change(self._accept)

    def split_off(self, figure: Figure) -> None:
        """Move a figure, and all of its army that look like it, into another army."""
        self._store.change(lambda: self._split_off(figure))

    @property
    def _session(self) -> Session:
        return self._store.session

    @property
    def _found(self) -> str:
        return proposed(self._store.view, self._session.state)

    def _accept(self) -> None:
        words, view = self._found, self._store.view
        if not words or view is None:
            self._session.propose(True)
            return
        self._session.do(tr("use {soldiers}", soldiers=words), accepted(view, self._session.state))
        if self._store.tool.name == TEACH:
            self._store.use_tool("measure")
        self._store.say(tr("These are the armies now. Double-click a name on the right to change it."))

    def _teach_instead(self) -> None:
        self._session.propose(False)
        self._store.use_tool(TEACH)

    def _rename(self, army: str, name: str) -> None:
        label = tr("rename {old} to {new}", old=army, new=name.strip())
        self._session.do(label, renamed(self._free(), self._session.state, army, name))

    def _merge(self, into: str, others: tuple[str, ...]) -> None:
        state = merged(self._free(), self._session.state, into, others)
        self._session.do(tr("merge {soldier} into {other}", soldier=", ".join(others), other=into), state)

    def _split(self, army: str) -> None:
        state, name = split(self._free(), self._session.state, army)
        self._session.do(tr("split {name}", name=army), state)
        self._say_split(army, name)

    def _split_off(self, figure: Figure) -> None:
        view = self._free()
        try:
            state, name = split(view, self._session.state, figure.army, figure)
        except OneColour as alike:
            one = another_army(view, self._session.state, figure)
            self._session.correct(tr("{soldier} is {name}", soldier=display_name(figure.id), name=one.army), one)
            self._store.say(tr("Only this soldier is {army} now. {why}", army=one.army, why=str(alike)))
        else:
            self._session.do(tr("split {name}", name=figure.army), state)
            self._say_split(figure.army, name)

    def _say_split(self, army: str, name: str) -> None:
        words = tr("{army} is now two armies, {army} and {name}. Ctrl+Z undoes it.", army=army, name=name)
        self._store.say(words)

    def _may_change(self) -> bool:
        try:
            self._free()
        except UserError as refusal:
            self._store.say(str(refusal))
            return False
        return True

    def _free(self) -> TableView:
        """The current view.

        Raises:
            UserError: during a battle, or before the first view.
        """
        view = self._store.view
        if view is None:
            raise UserError(tr("The search for soldiers is not finished yet. Wait a moment."))
        if self._session.in_play:
            raise UserError(tr("Armies cannot be changed during a battle. Change them before the next one."))
        return view
