"""Corrects a figure with two clicks: what is wrong, and what is right."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PyQt6.QtWidgets import QInputDialog, QMenu, QWidget

from rules.tabletop.bearing import bearing_deg
from rules.tabletop.errors import user_error
from rules.tabletop.table import Figure, PointIn, Posture
from ui.desktop.action import add_entry, add_separator
from ui.desktop.messages import MessageActions
from ui.desktop.picture.view import PictureView
from ui.desktop.store import Store
from ui.desktop.tools.tool import PickResult, Tool, figure_id
from ui.desktop.widgets import literal_text, without_keys
from ui.formatting import capitalized, in_order
from ui.picture.preview import Preview
from ui.rules_text import display_name
from ui.setup.armies import armies_of
from ui.table.correction_options import (
    CorrectionOption,
    hull_size_in,
    merge,
    options_at,
    options_for,
    place,
    posture_option,
    rename,
    resize,
    turn,
)
from ui.table.finding import Mark
from ui.table.pose_marks import facing_marks, hull_marks
from ui.table.terrain import standing_place
from ui.translation import mark_for_translation, tr
from ui.vocabulary import posture_words, seen_posture_words
from vision.table_view import TableView

_LEAST_ARM_IN = 0.2
"""A click nearer to a figure's middle shows no direction."""

CORRECT = "correct"
"""Name of the tool."""

_GROUPS = {
    "Add": mark_for_translation("&Add"),
    "Army": mark_for_translation("&Army"),
    "Posture": mark_for_translation("&Posture"),
    "The same as": mark_for_translation("&Same as"),
    "Is really": mark_for_translation("Is &really"),
    "Stands here": mark_for_translation("Stands &here"),
}


def ask_name(parent: QWidget, name: str) -> str | None:
    """Ask for a figure's name; None if cancelled."""
    question = literal_text(tr("New name for {name}:", name=name))
    name_typed, done = QInputDialog.getText(parent, tr("Rename"), question, text=name)
    return name_typed if done else None


@dataclass(frozen=True, slots=True)
class Waiting:
    """A correction that needs one more click."""

    about: str
    hint: str
    take: Callable[[PickResult], None]
    marks: Callable[[PickResult | None], tuple[Mark, ...]] = lambda _: ()


class CorrectTool(Tool):
    """Offers corrections for the clicked figure or place, in a menu.

    Attributes:
        menu: The open menu; None if there is none.
        waiting: The correction that needs one more click, if any.
    """

    name = CORRECT

    def __init__(self, picture: PictureView, store: Store, split_off: Callable[[Figure], None]) -> None:
        """Open menus over `picture` on request; `split_off` moves a figure and similar ones into another army."""
        self._picture, self._store, self._split_off = picture, store, split_off
        self._before = CORRECT
        self.waiting: Waiting | None = None
        self.menu: QMenu | None = None
        self._skipped: frozenset[str] | None = None  # while postures are checked: those to leave as they are
        picture.asked.connect(self._offer)

    @property
    def hint(self) -> str:
        if self.waiting is not None:
            return tr("{hint} Esc cancels.", hint=self.waiting.hint)
        return tr("Click a soldier that is wrong, or a place where a soldier is missing.")

    def press(self, at: PickResult) -> None:
        """Offer corrections, or use the awaited click. Raises `UserError` if the awaited click is invalid."""
        if self.waiting is None:
            self._offer_at(at)
        else:
            self.waiting.take(at)

    def set_posture(self, name: str, posture: Posture) -> None:
        """Correct or confirm the posture of the figure with this id, if it is visible."""
        view = self._store.view
        figure = next((one for one in view.figures if one.id == name), None) if view is not None else None
        if figure is not None:
            self._store.change(lambda: self._correct(posture_option(figure, posture)))

    def check_postures(self) -> None:
        """Ask for each posture that the camera is not sure of, one soldier after the other."""
        self._store.use_tool(CORRECT)
        self._skipped = frozenset()
        if self._unsure is None:
            self._store.say(tr("No posture is in doubt."))
        self._store.show()

    @property
    def _unsure(self) -> Figure | None:
        """The soldier whose posture is asked for now."""
        return next(iter(self._doubtful), None)

    @property
    def _doubtful(self) -> Sequence[Figure]:
        view = self._store.view
        if self._skipped is None or self._store.tool is not self or view is None:
            return ()
        left = (figure for figure in view.figures if figure.id not in self._skipped)
        return in_order(figure for figure in left if len(figure.possible_postures) > 1)

    @property
    def offer(self) -> tuple[str, MessageActions]:
        """The question for a soldier's posture and its answers; empty unless postures are being checked."""
        figure = self._unsure
        if figure is None:
            return "", ()
        seen, other = map(posture_words, figure.possible_postures)
        words = tr("Is {soldier} {seen} or {other}?", soldier=display_name(figure.id), seen=seen, other=other)
        words = tr("{question} {count} to check", question=words, count=len(self._doubtful))
        answers = [
            (capitalized(posture_words(posture)), partial(self._settle, posture_option(figure, posture)))
            for posture in figure.possible_postures
        ]
        return words, (*answers, (tr("Skip"), partial(self._skip, figure.id)), (tr("Stop"), self._stop))

    def _settle(self, option: CorrectionOption) -> None:
        self._store.change(lambda: self._store.session.correct(option.label, *option.corrections))

    def _skip(self, name: str) -> None:
        self._skipped = (self._skipped or frozenset()) | {name}
        self._store.show()

    def _stop(self) -> None:
        self.cancel()
        self._store.show()

    def cancel(self) -> bool:
        had, self.waiting = self.waiting is not None or self._unsure is not None, None
        self._skipped = None
        return had

    def preview(self, at: PickResult | None) -> Preview:
        hovered, waiting = figure_id(at), self.waiting
        if waiting is not None:
            return Preview(hovered=hovered, picked=waiting.about, marks=waiting.marks(at))
        figure, asked = at.figure if at is not None else None, self._unsure
        if asked is not None:
            return Preview(hovered=hovered, picked=asked.id)
        return Preview(hovered=hovered, marks=facing_marks(figure, figure.facing_deg) if figure is not None else ())

    def _offer(self) -> None:
        """Open the menu for what the mouse points at."""
        at = self._store.pointed
        if at is not None:
            self._store.change(lambda: self._offer_at(at))

    def _offer_at(self, at: PickResult) -> None:
        """Open the menu for the clicked figure or place. Raises `UserError` if nothing can be corrected there."""
        view, camera = self._store.view, self._store.camera
        if view is None or camera is None or at.place_in is None:
            raise user_error("Nothing can be corrected here. Click on the table, with a marker in the picture.")
        self._before = self._store.tool.name
        if self.menu is not None:
            self.menu.deleteLater()
        self.menu = QMenu(self._picture)
        self.menu.setToolTipsVisible(True)
        if at.figure is not None:
            x, y = camera.pixel_to_table(at.px, at.figure.z_in)[0]
            self._fill_for(self.menu, view, at.figure, (float(x), float(y)))
        else:
            self._fill_at(self.menu, view, standing_place(camera, at.px, self._store.terrain))
        self.menu.popup(self._picture.mapToGlobal(self._picture.to_widget(at.px).toPoint()))

    def _fill_for(self, menu: QMenu, view: TableView, figure: Figure, at_in: PointIn) -> None:
        shown_name = display_name(figure.id)
        _add_heading(menu, f"{shown_name}, {seen_posture_words(figure)}")
        groups = self._fill(menu, options_for(view, figure, at_in, self._armies))
        tip = tr("Move {name} and all soldiers that look like it into a new army", name=shown_name)
        army_menu = groups.get("Army") or _submenu(menu, tr(_GROUPS["Army"]))
        add_entry(army_menu, tr("New army"), lambda: self._split_off(figure), tip)
        hint = tr("Now click the soldier that is the same as {name}.", name=shown_name)
        merging = Waiting(figure.id, hint, partial(self._merge, figure))
        self._later(groups.get("The same as") or menu, tr("The soldier I click next"), merging)
        hint = tr("Now click the middle of {name}'s base.", name=shown_name)
        self._later(menu, tr("Place by &click"), Waiting(figure.id, hint, partial(self._place, figure)))
        self._add_poses(menu, figure, shown_name)
        add_entry(menu, tr("Rena&me…"), lambda: self._store.change(lambda: self._rename(view, figure)))

    def _add_poses(self, menu: QMenu, figure: Figure, shown_name: str) -> None:
        """Offer to turn a figure that stands, and to resize a vehicle."""
        if figure.posture is not Posture.DOWN:
            hint = tr("Now click where {name} looks.", name=shown_name)
            marks = partial(self._turn_marks, figure)
            self._later(menu, tr("&Turn…"), Waiting(figure.id, hint, partial(self._turn, figure), marks))
        if figure.posture is Posture.VEHICLE:
            hint = tr("Now click a corner of {name}.", name=shown_name)
            marks = partial(self._size_marks, figure)
            self._later(menu, tr("Si&ze…"), Waiting(figure.id, hint, partial(self._resize, figure), marks))

    def _fill_at(self, menu: QMenu, view: TableView, there: tuple[PointIn, float] | None) -> None:
        if there is not None:
            _add_heading(menu, tr("No soldier is seen here"))
            self._fill(menu, options_at(view, *there, self._armies))
        if not menu.actions():
            raise user_error("No army is known yet. Press T and teach one first.")

    @property
    def _armies(self) -> tuple[str, ...]:
        view = self._store.view
        return armies_of(view, self._store.session.state) if view is not None else ()

    def _fill(self, menu: QMenu, options: tuple[CorrectionOption, ...]) -> dict[str, QMenu]:
        groups: dict[str, QMenu] = {}
        for option in options:
            if option.group and option.group not in groups:
                groups[option.group] = _submenu(menu, tr(_GROUPS.get(option.group, option.group)))
            target, words = groups.get(option.group, menu), without_keys(option.words)
            add_entry(target, words, partial(self._apply, option), option.label)
        return groups

    def _later(self, menu: QMenu, words: str, waiting: Waiting) -> None:
        add_entry(menu, words, lambda: self._store.change(lambda: self._wait(waiting)))

    def _wait(self, waiting: Waiting) -> None:
        self._store.use_tool(CORRECT)
        self.waiting = waiting

    def _apply(self, option: CorrectionOption) -> None:
        self._store.change(lambda: self._correct(option))

    def _correct(self, option: CorrectionOption) -> None:
        self._store.session.correct(option.label, *option.corrections)
        # In a battle, Ctrl+Z takes back the last step of the battle instead.
        self._say_corrected(option, self._store.session.undo)

    def _say_corrected(self, option: CorrectionOption, undo: Callable[[], object]) -> None:
        button = (tr("Undo"), lambda: self._store.change(undo))
        self._store.say(tr("Corrected: {label}.", label=option.label), (button,))

    def _merge(self, figure: Figure, at: PickResult) -> None:
        if at.figure is None or at.figure.id == figure.id:
            raise user_error(
                "Click the other soldier that is the same as {id}, or press Esc.", id=display_name(figure.id)
            )
        self._end(merge(figure, at.figure))

    def _place(self, figure: Figure, at: PickResult) -> None:
        view, camera = self._store.view, self._store.camera
        there = standing_place(camera, at.px, self._store.terrain) if camera is not None else None
        if view is None or there is None:
            raise user_error(
                "{id} cannot stand there. Click a place on the table, or press Esc.", id=display_name(figure.id)
            )
        self._end(place(view, figure, *there))

    def _turn_marks(self, figure: Figure, at: PickResult | None) -> tuple[Mark, ...]:
        """How the figure faces now, dashed, and how it would after a click here."""
        now = facing_marks(figure, figure.facing_deg, sure=False)
        place_in = self._place_beside(figure, at)
        return now if place_in is None else (*now, *facing_marks(figure, bearing_deg(figure.centre_in, place_in)))

    def _turn(self, figure: Figure, at: PickResult) -> None:
        place_in, play = self._place_beside(figure, at), self._store.battle.play
        if place_in is None:
            raise user_error("Click beside {id}, or press Esc.", id=display_name(figure.id))
        facing_deg = round(bearing_deg(figure.centre_in, place_in), 1)
        option = turn(figure, facing_deg)
        if play is None or figure.id not in play.battle.state.units:
            self._end(option)
            return
        self._store.use_tool(self._before)
        self._store.battle.turn_figure(figure.id, facing_deg)
        self._say_corrected(option, self._store.battle.undo)

    def _size_marks(self, vehicle: Figure, at: PickResult | None) -> tuple[Mark, ...]:
        place_in = self._place_beside(vehicle, at)
        return () if place_in is None else hull_marks(vehicle, hull_size_in(vehicle, place_in))

    def _resize(self, vehicle: Figure, at: PickResult) -> None:
        place_in = self._place_beside(vehicle, at)
        if place_in is None:
            raise user_error("Click a corner of {id}, or press Esc.", id=display_name(vehicle.id))
        self._end(resize(vehicle, place_in))

    def _place_beside(self, figure: Figure, at: PickResult | None) -> PointIn | None:
        """The place under the mouse at the height of a figure; None off the table and in the figure's middle."""
        camera = self._store.camera
        if camera is None or at is None or at.place_in is None:
            return None
        x, y = camera.pixel_to_table(at.px, figure.z_in)[0].tolist()
        return (x, y) if _LEAST_ARM_IN < math.dist((x, y), figure.centre_in) < math.inf else None

    def _end(self, option: CorrectionOption) -> None:
        self._store.use_tool(self._before)
        self._correct(option)

    def _rename(self, view: TableView, figure: Figure) -> None:
        name_typed = ask_name(self._picture, figure.id)
        if name_typed is not None and name_typed.strip() != figure.id:
            self._correct(rename(view, figure, name_typed))


def _submenu(menu: QMenu, words: str) -> QMenu:
    group = QMenu(words, menu)
    group.setToolTipsVisible(True)
    menu.addMenu(group)
    return group


def _add_heading(menu: QMenu, words: str) -> None:
    """Start a menu with a line of text; a style sheet hides the titles of Qt's own sections."""
    add_entry(menu, without_keys(words), lambda: None).setEnabled(False)
    add_separator(menu)
