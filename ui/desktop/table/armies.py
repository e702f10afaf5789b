"""Armies in the window: groups of figures of one colour, and teaching an army by clicks on its soldiers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from PyQt6.QtWidgets import QTabWidget

from rules.tabletop.errors import UserError, user_error
from rules.tabletop.table import Figure
from ui.desktop.messages import MessageActions
from ui.desktop.store import Store
from ui.desktop.table.panel import SUGGESTED_ARMIES, SidePanel
from ui.desktop.tools.tool import PickResult, Tool
from ui.formatting import capitalized
from ui.hints import TEACH, laid_words
from ui.measuring import Read
from ui.picture.preview import Preview
from ui.picture.shapes import PointPx
from ui.rules_text import display_name, side_name
from ui.session import Session, TableState
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
from ui.table.finding import Mark, Note, Trace
from ui.table.teaching import HoverPicker, NoFigureThere, OtherPlastic, Pick
from ui.theme import army_colour, faded
from ui.translation import tr
from vision.frame import Frame
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
        panel.groups_button.clicked.connect(self.accept)
        panel.preset_button.clicked.connect(lambda: store.change(lambda: self._session.begin_army(panel.army)))
        panel.armies.forgotten.connect(lambda army: store.change(lambda: self._forget(army)))
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
        again = (tr("Group again"), self._session.search_now)
        actions = ((tr("Use them"), self.accept), again, (tr("Teach instead"), self._teach_instead))
        return " ".join(filter(None, (text, doubt))), actions

    def show(self) -> None:
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
        self._change(tr("use {soldiers}", soldiers=words), accepted(view, self._session.state))
        if self._session.in_play:  # a battle keeps the names of its armies
            self._store.say(tr("These are the armies now."))
        else:
            self._store.say(tr("These are the armies now. Double-click a name in the tab Table to change it."))

    def _change(self, label: str, state: TableState) -> None:
        """Change the armies; if they were only proposed, nothing is left to teach."""
        if not self._session.state.setup.palette and self._store.tool.name == TEACH:
            self._store.use_tool("measure")
        self._session.do(label, state)

    def _teach_instead(self) -> None:
        self._session.propose(False)
        self._store.use_tool(TEACH)

    def _rename(self, army: str, name: str) -> None:
        label = tr("rename {old} to {new}", old=army, new=name.strip())
        self._change(label, renamed(self._free(), self._session.state, army, name))

    def _forget(self, army: str) -> None:
        self._session.forget_army(army)
        words = tr("{army} is forgotten.", army=capitalized(side_name(army)))
        if self._session.state.setup.palette:
            words = " ".join((words, tr("Its soldiers on the table now count as another army.")))
        self._store.say(words, ((tr("Undo"), lambda: self._store.change(self._session.undo)),))

    def _merge(self, into: str, others: tuple[str, ...]) -> None:
        state = merged(self._free(), self._session.state, into, others)
        self._change(tr("merge {soldier} into {other}", soldier=", ".join(others), other=into), state)

    def _split(self, army: str) -> None:
        state, name = split(self._free(), self._session.state, army)
        self._change(tr("split {name}", name=side_name(army)), state)
        self._say_split(army, name)

    def _split_off(self, figure: Figure) -> None:
        view = self._free()
        try:
            state, name = split(view, self._session.state, figure.army, figure)
        except OneColour as alike:
            one = another_army(view, self._session.state, figure)
            army = side_name(one.army)
            self._session.correct(tr("{soldier} is {name}", soldier=display_name(figure.id), name=army), one)
            self._store.say(tr("Only this soldier is {army} now. {why}", army=army, why=str(alike)))
        else:
            self._session.do(tr("split {name}", name=side_name(figure.army)), state)
            self._say_split(figure.army, name)

    def _say_split(self, army: str, name: str) -> None:
        words = tr(
            "{army} is now two armies, {army} and {name}. Ctrl+Z undoes it.", army=side_name(army), name=side_name(name)
        )
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
            raise user_error("The search for soldiers is not finished yet. Wait a moment.")
        if self._session.in_play:
            raise user_error("Armies cannot be changed during a battle. Change them before the next one.")
        return view


_LABEL_ABOVE_PX = 18.0


class TeachTool(Tool):
    """Learns the colour of the chosen army from a click on one of its soldiers."""

    name = TEACH

    def __init__(self, panel: SidePanel, sides: QTabWidget, store: Store) -> None:
        """The army's name comes from `panel`, a tab of `sides`."""
        self._panel, self._sides, self._store = panel, sides, store
        self._hover = HoverPicker()
        self._question: tuple[str, MessageActions] = ("", ())
        store.tool_selected.connect(self._begin_with)

    @property
    def hint(self) -> str:
        army = self._panel.army.strip()
        if not army:
            return tr("Type the army's name on the right, then click one of its soldiers.")
        return tr(
            "Click the middle of a {army} soldier. More clicks in other light help.   T: type a name",
            army=side_name(army),
        )

    def press(self, at: PickResult) -> None:
        self._learn(at.frame, self._panel.army, at.px)

    def again(self) -> None:
        """Let the player type another name."""
        self._sides.setCurrentWidget(self._panel)
        self._panel.type_army()

    def preview(self, at: PickResult | None) -> Preview:
        """Outline the figure that a click would teach, once known; until then highlight the figure found there."""
        marks = self._outline(at) if at is not None else ()
        return Preview(marks=marks) if marks else super().preview(at)

    def _begin_with(self, tool: str, before: str) -> None:
        """When the tool is selected, show the army names; suggest a free one if the chosen army is already taught."""
        if tool != TEACH or before == TEACH:
            return
        self._question = ("", ())
        self._sides.setCurrentWidget(self._panel)
        if self._panel.army.strip() in self._taught and (free := next_free(self._taught)):
            self._panel.choose(free)

    def pull(self) -> bool:
        """Follow the mouse while the tool is selected; called often. Returns whether the outline may have changed."""
        at = self._store.pointed if self._store.tool.name == TEACH else None
        request = self._session.pick_request(at.frame, at.px) if at is not None else None
        return self._hover.follow(request, self._store.clock())

    def close(self) -> None:
        self._hover.close()

    @property
    def offer(self) -> tuple[str, MessageActions]:
        """The question about the last click and its answers; empty if there is none."""
        return self._question if self._store.tool.name == TEACH else ("", ())

    @property
    def _session(self) -> Session:
        return self._store.session

    @property
    def _taught(self) -> tuple[str, ...]:
        return tuple(colour.name for colour in self._session.state.setup.palette)

    def _pick(self, frame: Frame, px: PointPx) -> Pick | None:
        """The figure at a pixel, if already known."""
        request = self._session.pick_request(frame, px)
        return self._hover.pick_for(request) if request is not None else None

    def _outline(self, at: PickResult) -> tuple[Mark, ...]:
        picked, army = self._pick(at.frame, at.px), self._panel.army.strip()
        if picked is None or picked.figure is None or picked.request.view.calibration is None:
            return ()
        camera, colour = picked.request.view.calibration.camera, army_colour(army, self._taught)
        places = camera.pixel_to_table(picked.figure.outline_px)
        if not np.isfinite(places).all():
            return ()
        round_it = tuple((float(x), float(y), 0.0) for x, y in places)
        words = tr("teach as {army}", army=side_name(army)) if army else tr("type a name")
        top = max(round_it, key=lambda place: place[1])
        return (
            Trace(round_it, colour, 2.5, faded(colour, 30), closed=True),
            Note(top, ((words, 15.0),), colour, (0.0, -_LABEL_ABOVE_PX)),
        )

    # Clicks and their answers

    def _learn(self, frame: Frame, army: str, px: PointPx, *, surely: bool = False) -> None:
        army = army.strip()
        self._question = ("", ())
        try:
            self._session.teach(frame, army, px, picked=self._pick(frame, px), surely=surely)
        except NoFigureThere as refusal:
            self._question = (str(refusal), self._nearest(refusal, frame, army))
        except OtherPlastic as refusal:
            self._question = (str(refusal), self._army_buttons(refusal, frame, px))
        else:
            words = tr("{army} is taught. The list on the right shows how many are seen.", army=side_name(army))
            self._store.say(words)

    def _nearest(self, refusal: NoFigureThere, frame: Frame, army: str) -> MessageActions:
        """A button that teaches the nearest figure, if there is one."""
        px = refusal.nearest_px
        if refusal.nearest is None or px is None:
            return ()
        words = tr("Teach {name}", name=display_name(refusal.nearest.id))
        return ((words, lambda: self._store.change(lambda: self._learn(frame, army, px))),)

    def _army_buttons(self, refusal: OtherPlastic, frame: Frame, px: PointPx) -> MessageActions:
        """Buttons for the armies that the figure may belong to: the similar or a new one, and the chosen one."""
        armies = (refusal.like or next_free(self._taught), refusal.army)
        return tuple(
            (tr("Teach {army}", army=side_name(army)), partial(self._answer, frame, army, px))
            for army in armies
            if army
        )

    def _answer(self, frame: Frame, army: str, px: PointPx) -> None:
        if army not in self._taught:  # otherwise the next click teaches the army chosen before
            self._panel.choose(army)
        self._store.change(lambda: self._learn(frame, army, px, surely=True))


def next_free(taught: Sequence[str]) -> str:
    """The first suggested name that is free; empty if all are taken."""
    return next((name for name in SUGGESTED_ARMIES if name not in taught), "")
