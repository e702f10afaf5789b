"""Corrects a figure with two clicks: what is wrong, and what is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PyQt6.QtCore import QObject
from PyQt6.QtWidgets import QInputDialog, QMenu, QWidget

from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure
from ui.desktop.labels import literal_text
from ui.desktop.picture.view import PictureView
from ui.desktop.tools.tool import PickResult, PlainTool
from ui.desktop.tools.window_context import WindowContext
from ui.picture.overlay import Preview
from ui.setup.groups import armies_of
from ui.table.correction_options import CorrectionOption, merge, options_at, options_for, place, rename
from ui.table.terrain import standing_place
from ui.translation import mark_for_translation, tr
from ui.vocabulary import posture_words
from vision.table_view import TableView

CORRECT = "correct"
"""Name of the tool."""

_GROUPS = {
    "Add": mark_for_translation("&Add"),
    "Army": mark_for_translation("&Army"),
    "Posture": mark_for_translation("&Posture"),
    "The same as": mark_for_translation("&Same as"),
    "Is really": mark_for_translation("Is &really"),
}

Asker = Callable[[QWidget, str], str | None]


def ask_name(parent: QWidget, name: str) -> str | None:
    """Ask for a figure's name; None if cancelled."""
    question = literal_text(tr("New name for {name}:", name=name))
    name_typed, done = QInputDialog.getText(parent, tr("Rename"), question, text=name)
    return name_typed if done else None


@dataclass(frozen=True, slots=True)
class Waiting:
    """A correction that needs one more click.

    Attributes:
        about: Id of the figure.
        hint: What to click.
        take: Called with the click.
    """

    about: str
    hint: str
    take: Callable[[PickResult], None]


class CorrectTool(PlainTool):
    """Offers corrections for the clicked figure or place."""

    name = CORRECT

    def __init__(self, ask: Callable[[PickResult], None]) -> None:
        self._ask = ask
        self.waiting: Waiting | None = None

    @property
    def hint(self) -> str:
        if self.waiting is not None:
            return tr("{hint} Esc cancels.", hint=self.waiting.hint)
        return tr("Click a soldier that is wrong, or a place where a soldier is missing.")

    def press(self, at: PickResult) -> None:
        """Offer corrections, or use the awaited click.

        Raises:
            UserError: if the awaited click is invalid.
        """
        if self.waiting is None:
            self._ask(at)
        else:
            self.waiting.take(at)

    def cancel(self) -> bool:
        """Stop waiting for a click."""
        had, self.waiting = self.waiting is not None, None
        return had

    def preview(self, at: PickResult | None) -> Preview:
        """Highlight the figure under the mouse and the one being corrected."""
        hovered = at.figure.id if at and at.figure else None
        return Preview(hovered=hovered, picked=self.waiting.about if self.waiting else None)


class CorrectionController(QObject):
    """Offers corrections in a menu.

    Attributes:
        tool: The mouse tool.
        menu: The open menu; None if there is none.
    """

    def __init__(
        self, picture: PictureView, context: WindowContext, split_off: Callable[[Figure], None], ask: Asker = ask_name
    ) -> None:
        """Open menus over `picture` on request.

        Args:
            picture: The picture.
            context: Access to the window.
            split_off: Moves a figure and similar ones into another army.
            ask: Asks for a name.
        """
        super().__init__(picture)
        self._picture, self._context, self._split_off, self._asker = picture, context, split_off, ask
        self._before = CORRECT
        self.tool = CorrectTool(self._offer_at)
        self.menu: QMenu | None = None
        picture.asked.connect(self.offer)

    def offer(self) -> None:
        """Open the menu for what the mouse points at."""
        at = self._context.pointed()
        if at is not None:
            self._context.change(lambda: self._offer_at(at))

    def _offer_at(self, at: PickResult) -> None:
        """Open the menu for the clicked figure or place.

        Raises:
            UserError: if nothing can be corrected there.
        """
        view = self._context.view
        if view is None or view.calibration is None or at.place_in is None:
            raise UserError(tr("Nothing can be corrected here. Click on the table; it needs a marker."))
        self._before = self._context.tool()
        if self.menu is not None:
            self.menu.deleteLater()
        self.menu = QMenu(self._picture)
        self.menu.setToolTipsVisible(True)
        if at.figure is not None:
            self._fill_for(self.menu, view, at.figure, at)
        else:
            self._fill_at(self.menu, view, at)
        self.menu.popup(self._picture.mapToGlobal(self._picture.to_widget(at.px).toPoint()))

    def _fill_for(self, menu: QMenu, view: TableView, figure: Figure, at: PickResult) -> None:
        assert view.calibration is not None
        x, y = view.calibration.camera.pixel_to_table(at.px, figure.z_in)[0]
        menu.addSection(f"{figure.id}, {posture_words(figure.posture)}")
        groups = self._offer(menu, options_for(view, figure, (float(x), float(y)), self._armies))
        title = _GROUPS["Army"]
        another = (groups.get("Army") or _submenu(menu, tr(title))).addAction(tr("New army"))
        if another is not None:
            another.setToolTip(
                literal_text(tr("Move {name} and all soldiers that look like it into a new army", name=figure.id))
            )
            another.triggered.connect(lambda: self._split_off(figure))
        name = figure.id
        self._later(
            groups.get("The same as") or menu,
            tr("The soldier I click next"),
            Waiting(
                name, tr("Now click the soldier that is the same as {name}.", name=name), partial(self._merge, figure)
            ),
        )
        self._later(
            menu,
            tr("Place by &click"),
            Waiting(name, tr("Now click the middle of {name}'s base.", name=name), partial(self._place, figure)),
        )
        rename_action = menu.addAction(tr("Rena&me…"))
        if rename_action is not None:
            rename_action.triggered.connect(lambda: self._context.change(lambda: self._rename(view, figure)))

    def _fill_at(self, menu: QMenu, view: TableView, at: PickResult) -> None:
        assert view.calibration is not None
        there = standing_place(view.calibration.camera, at.px, self._context.session.state.setup.terrain)
        if there is not None:
            menu.addSection(tr("No soldier is seen here"))
            self._offer(menu, options_at(view, *there, self._armies))
        if not menu.actions():
            raise UserError(tr("No army is known yet. Press T and teach one first."))

    @property
    def _armies(self) -> tuple[str, ...]:
        view = self._context.view
        return armies_of(view, self._context.session.state) if view is not None else ()

    def _offer(self, menu: QMenu, remedies: tuple[CorrectionOption, ...]) -> dict[str, QMenu]:
        groups: dict[str, QMenu] = {}
        for remedy in remedies:
            if remedy.group and remedy.group not in groups:
                groups[remedy.group] = _submenu(menu, tr(_GROUPS.get(remedy.group, remedy.group)))
            action = groups.get(remedy.group, menu).addAction(remedy.words)
            if action is not None:
                action.setToolTip(literal_text(tr("{label}; Ctrl+Z undoes it", label=remedy.label)))
                action.triggered.connect(partial(self._apply, remedy))
        return groups

    def _later(self, menu: QMenu, words: str, waiting: Waiting) -> None:
        action = menu.addAction(words)
        if action is not None:
            action.triggered.connect(lambda: self._context.change(lambda: self._wait(waiting)))

    def _wait(self, waiting: Waiting) -> None:
        self._context.use_tool(CORRECT)
        self.tool.waiting = waiting

    def _apply(self, remedy: CorrectionOption, _checked: bool = False) -> None:
        self._context.change(lambda: self._correct(remedy))

    def _correct(self, remedy: CorrectionOption) -> None:
        self._context.session.correct(remedy.label, *remedy.corrections)
        self._context.say(tr("{label}. Ctrl+Z undoes it.", label=remedy.label))

    def _merge(self, figure: Figure, at: PickResult) -> None:
        if at.figure is None or at.figure.id == figure.id:
            raise UserError(tr("Click the other soldier that is the same as {id}, or press Esc.", id=figure.id))
        self._end(merge(figure, at.figure))

    def _place(self, figure: Figure, at: PickResult) -> None:
        view = self._context.view
        there = None
        if view is not None and view.calibration is not None:
            there = standing_place(view.calibration.camera, at.px, self._context.session.state.setup.terrain)
        if view is None or there is None:
            raise UserError(tr("{id} cannot stand there. Click a place on the table, or press Esc.", id=figure.id))
        self._end(place(view, figure, *there))

    def _end(self, remedy: CorrectionOption) -> None:
        self._context.use_tool(self._before)
        self._correct(remedy)

    def _rename(self, view: TableView, figure: Figure) -> None:
        name_typed = self._asker(self._picture, figure.id)
        if name_typed is not None and name_typed.strip() != figure.id:
            self._correct(rename(view, figure, name_typed))


def _submenu(menu: QMenu, words: str) -> QMenu:
    group = QMenu(words, menu)
    group.setToolTipsVisible(True)
    menu.addMenu(group)
    return group
