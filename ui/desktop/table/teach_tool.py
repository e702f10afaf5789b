"""Teaches armies by clicks: outlines the figure that a click would teach, and asks before mixing two plastics."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PyQt6.QtWidgets import QTabWidget

from rules.engine.text import display_name
from ui.desktop.messages import MessageActions
from ui.desktop.store import Store
from ui.desktop.table.panel import SUGGESTED_ARMIES, SidePanel
from ui.desktop.tools.tool import PickResult, Tool
from ui.guide import TEACH
from ui.picture.overlay import PointPx, Preview
from ui.session import Session
from ui.table.finding import Mark, Note, Trace
from ui.table.teaching import HoverPicker, NoFigureThere, OtherPlastic, Pick
from ui.theme import army_colour, faded
from ui.translation import tr
from vision.frame import Frame

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
        return tr("Click the middle of a {army} soldier. More clicks in other light help.   T: type a name", army=army)

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
        """Stop searching."""
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
        words = tr("teach as {army}", army=army) if army else tr("type a name")
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
            self._say_taught(army)

    def _nearest(self, refusal: NoFigureThere, frame: Frame, army: str) -> MessageActions:
        """A button that teaches the nearest figure, if there is one."""
        px = refusal.nearest_px
        if refusal.nearest is None or px is None:
            return ()
        words = tr("Teach {name}", name=display_name(refusal.nearest.id))
        return ((words, lambda: self._store.change(lambda: self._learn(frame, army, px))),)

    def _army_buttons(self, refusal: OtherPlastic, frame: Frame, px: PointPx) -> MessageActions:
        """Buttons for the armies that the figure may belong to: the similar or a new one, and the chosen one."""
        other = refusal.like or next_free(self._taught)
        actions = []
        if other:
            words = tr("Teach {army}", army=other)
            actions.append((words, self._answer(frame, other, px)))
        words = tr("Teach {army}", army=refusal.army)
        return (*actions, (words, self._answer(frame, refusal.army, px)))

    def _answer(self, frame: Frame, army: str, px: PointPx) -> Callable[[], None]:
        def answered() -> None:
            if army not in self._taught:  # otherwise the next click teaches the army chosen before
                self._panel.choose(army)
            self._store.change(lambda: self._learn(frame, army, px, surely=True))

        return answered

    def _say_taught(self, army: str) -> None:
        self._store.say(tr("{army} is taught. The list on the right shows how many are seen.", army=army))


def next_free(taught: Sequence[str]) -> str:
    """The first suggested name that is free; empty if all are taken."""
    return next((name for name in SUGGESTED_ARMIES if name not in taught), "")
