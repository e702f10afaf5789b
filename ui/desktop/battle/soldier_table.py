"""The table of soldiers in the setup of a battle, whose rows are also selected on the real table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from PyQt6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QItemSelectionRange,
    QModelIndex,
    QSize,
    Qt,
    pyqtSignal,
)
from PyQt6.QtGui import QEnterEvent, QIcon, QKeyEvent, QMouseEvent, QPixmap, QWheelEvent
from PyQt6.QtWidgets import QComboBox, QHeaderView, QTableWidget, QTableWidgetItem, QWidget
from shapely import MultiPoint, Point, Polygon, make_valid

from rules.engine.roster import Recruit
from rules.tabletop.table import Figure, PointIn
from ui.battle.battle_setup import unit_title
from ui.desktop.picture.image import to_qimage
from ui.desktop.tools.tool import PickResult, was_dragged
from ui.desktop.widgets import literal_text
from ui.rules_text import display_name
from ui.table.finding import Mark, Trace, lifted
from ui.theme import PREVIEW, faded
from ui.translation import tr
from vision.frame import ImageBgr

_How = QItemSelectionModel.SelectionFlag
_FIGURE, _CARD, _SQUAD = range(3)
_ICON_PX, _SQUAD_PX = 40, 96
_NAME_LETTERS = 16  # a longer name would leave no room for the unit


_NEW_CARD = "own card"
"""Data of the entry that makes a card. A game with a card of this name could not offer it."""


class _UnitBox(QComboBox):
    """A list of units that ignores the mouse wheel, so that the table scrolls, and reports when the mouse enters.

    Attributes:
        taken: Index of the unit that was chosen last.

    Signals:
        entered: The mouse came in.
    """

    entered = pyqtSignal()

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.taken = 0
        self.currentIndexChanged.connect(self._note)

    def _note(self, index: int) -> None:
        if index >= 0 and self.itemData(index) != _NEW_CARD:
            self.taken = index

    def enterEvent(self, event: QEnterEvent | None) -> None:
        """Tell the table, which notices the mouse in its other cells only."""
        super().enterEvent(event)
        self.entered.emit()

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        if event is not None:
            event.ignore()


class SoldierTable(QTableWidget):
    """A row for each soldier; a unit chosen in a selected row goes to all selected rows.

    Signals:
        pointed: The selected rows, or the row under the mouse, changed.
        own_wanted: A card of the players' own is to be made, or changed, for this figure.
    """

    pointed = pyqtSignal()
    own_wanted = pyqtSignal(str)

    def __init__(self, figures: Sequence[Figure]) -> None:
        """Prepare a row for each of these figures."""
        super().__init__(len(figures), 3)
        self._figures, self._hovered = tuple(figures), ""
        self._rows = {figure.id: row for row, figure in enumerate(figures)}
        self.setAccessibleName(tr("Soldiers"))
        self.setHorizontalHeaderLabels([tr("Soldier"), tr("Unit"), tr("Squad")])
        if (squad := self.horizontalHeaderItem(_SQUAD)) is not None:
            squad.setToolTip(
                tr("Click a place in this column to type the squad of the soldier, and of all selected soldiers")
            )
        self.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        self.setIconSize(QSize(_ICON_PX, _ICON_PX))
        self.setTabKeyNavigation(False)  # Tab goes on to the buttons, past any number of soldiers
        self.setToolTip(tr("Up and Down choose a soldier, the space bar opens the list of units"))
        self.setMouseTracking(True)
        self.setTextElideMode(Qt.TextElideMode.ElideLeft)  # of a long name, the number remains
        self.setEditTriggers(QTableWidget.EditTrigger.AllEditTriggers)  # one click opens a squad's name
        self.itemSelectionChanged.connect(self.pointed)
        self.cellEntered.connect(lambda row, _: self._hover(self._figures[row].id))

    def fill(self, crops: Mapping[str, ImageBgr]) -> None:
        """Fill the rows, with small pictures of the figures by id; call it once the table has its place in the dialog.

        Qt applies the stylesheet to every unit box again whenever a widget around it gets another parent.
        """
        for row, figure in enumerate(self._figures):
            item = QTableWidgetItem(display_name(figure.id))
            item.setToolTip(literal_text(item.text()))
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            if figure.id in crops:
                item.setIcon(_icon(crops[figure.id]))
            self.setItem(row, _FIGURE, item)
            self._write_squad(row, "")
        for row, figure in enumerate(self._figures):
            self.setCellWidget(row, _CARD, self._unit_box(row, figure))
        self._set_sizes()

    def _unit_box(self, row: int, figure: Figure) -> QComboBox:
        box = _UnitBox(self.viewport())
        box.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        box.setAccessibleName(tr("Unit of {name}", name=display_name(figure.id)))
        box.setToolTip(tr("The unit of this soldier, and of all selected soldiers if it is one of them"))
        box.activated.connect(lambda _: self._take_choice(row))
        box.entered.connect(lambda: self._hover(figure.id))
        return box

    def _set_sizes(self) -> None:
        rows, columns = self.verticalHeader(), self.horizontalHeader()
        if rows is not None and columns is not None:
            rows.hide()
            rows.setDefaultSectionSize(_ICON_PX + 8)
            most_px = _ICON_PX + _NAME_LETTERS * self.fontMetrics().averageCharWidth()
            columns.setSectionResizeMode(_FIGURE, QHeaderView.ResizeMode.Fixed)
            columns.resizeSection(_FIGURE, min(self.sizeHintForColumn(_FIGURE), most_px))
            columns.setSectionResizeMode(_CARD, QHeaderView.ResizeMode.Stretch)
            columns.resizeSection(_SQUAD, _SQUAD_PX)

    @property
    def pointed_out(self) -> tuple[str, ...]:
        """The figures of the selected rows and of the row under the mouse."""
        return tuple(dict.fromkeys((*self.selected, *filter(None, [self._hovered]))))

    @property
    def selected(self) -> tuple[str, ...]:
        return tuple(figure.id for row, figure in enumerate(self._figures) if self._is_selected(row))

    def pick(self, figure: str, *, extend: bool = False) -> None:
        """Select the row of a figure; with `extend`, add it to the selected rows or take it away."""
        if figure in self._rows:
            self._select([self._rows[figure]], _How.Toggle if extend else _How.ClearAndSelect)

    def pick_all(self, figures: Iterable[str], *, extend: bool = False) -> None:
        """Select the rows of these figures; with `extend`, in addition to the selected ones."""
        rows = sorted(self._rows[name] for name in figures if name in self._rows)
        shown = [row for row in rows if not self.isRowHidden(row)]
        self._select(shown, _How.Select if extend else _How.ClearAndSelect)

    def _select(self, rows: Sequence[int], how: _How) -> None:
        chosen = QItemSelection()
        for row in rows:
            chosen.append(QItemSelectionRange(self.indexFromItem(self.item(row, _FIGURE))))
        if (model := self.selectionModel()) is not None:
            model.select(chosen, how | _How.Rows)
        if rows:
            self.scrollTo(self.indexFromItem(self.item(rows[0], _FIGURE)))

    def offer(
        self, cards: Mapping[str, Mapping[str, Any]], recruits: Iterable[Recruit], *, own_cards: bool = False
    ) -> None:
        """Offer the cards of a game, with the units of `recruits` as the choice; other figures take no part.

        `own_cards` offers to make a card as well.
        """
        chosen = {one.figure: one.card for one in recruits}
        for row, figure in enumerate(self._figures):
            box = self._box(row)
            box.clear()
            for name, card in cards.items():
                box.addItem(unit_title(name, card), name)
            box.addItem(tr("not in this battle"), "")
            if own_cards:
                box.addItem(tr("Own card…"), _NEW_CARD)
            box.setCurrentIndex(box.findData(chosen.get(figure.id, "")))
            self._write_squad(row, "")

    def show_squads(self, shown: bool) -> None:
        """Show the column of squads, or hide it in a game whose rules know none."""
        self.setColumnHidden(_SQUAD, not shown)

    def show_sides(self, sides: Collection[str]) -> None:
        """Show the soldiers of these sides only."""
        for row, figure in enumerate(self._figures):
            self.setRowHidden(row, figure.army not in sides)
            if figure.army not in sides and self._is_selected(row):
                self.pick(figure.id, extend=True)

    def recruits(self, side: str) -> tuple[Recruit, ...]:
        """The units of a side as chosen."""
        rows = [(row, figure) for row, figure in enumerate(self._figures) if figure.army == side]
        found = ((figure.id, self._box(row).currentData(), self._squad(row)) for row, figure in rows)
        return tuple(
            Recruit(figure=name, squad=squad, **({"card": card} if isinstance(card, str) else {"own": card}))
            for name, card, squad in found
            if card
        )

    def choose(self, figure: str, card: str, squad: str = "") -> None:
        """Choose a figure's card, none for an empty name, and its squad."""
        row = self._rows[figure]
        box = self._box(row)
        box.setCurrentIndex(box.findData(card))
        self._write_squad(row, squad)

    def enlist(self, figure: str, recruit: Recruit | None) -> None:
        """Choose the card and the squad of an army list's entry; None takes the figure out of the battle."""
        if recruit is not None and recruit.own is not None:
            self._choose_own(self._rows[figure], recruit.own)
            self._write_squad(self._rows[figure], recruit.squad)
        else:
            self.choose(figure, (recruit.card or "") if recruit else "", recruit.squad if recruit else "")

    def card(self, figure: str) -> str | Mapping[str, Any]:
        """The chosen card of a figure: the name of a ready one, or the data of one of the players' own."""
        found: str | Mapping[str, Any] = self._box(self._rows[figure]).currentData()
        return found

    def choose_own(self, figure: str, card: Mapping[str, Any]) -> None:
        """Give a card of the players' own to a figure, and to all selected figures if it is one of them."""
        for name in {figure, *(self.selected if figure in self.selected else ())}:
            self._choose_own(self._rows[name], card)

    def _choose_own(self, row: int, card: Mapping[str, Any]) -> None:
        box = self._box(row)
        if (before := next((k for k in range(box.count()) if isinstance(box.itemData(k), dict)), -1)) >= 0:
            box.removeItem(before)
        box.insertItem(0, str(card.get("title", tr("own card"))), dict(card))
        box.setCurrentIndex(0)

    def selectionCommand(self, index: QModelIndex, event: QEvent | None = None) -> _How:
        """Keep the selected rows if the squad of one of them is clicked: all of them get it."""
        if index.column() == _SQUAD and self._is_selected(index.row()) and isinstance(event, QMouseEvent):
            return _How.NoUpdate
        return super().selectionCommand(index, event)

    def commitData(self, editor: QWidget | None) -> None:
        """Give a typed squad to all selected soldiers if its soldier is one of them."""
        super().commitData(editor)
        row = self.currentRow()
        for name in self.selected if self._is_selected(row) else ():
            self._write_squad(self._rows[name], self._squad(row))

    def leaveEvent(self, event: QEvent | None) -> None:
        """Stop pointing out the row under the mouse."""
        super().leaveEvent(event)
        self._hover("")

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Open the list of units of the current row with the space bar."""
        if event is not None and event.key() == Qt.Key.Key_Space and self.currentRow() >= 0:
            self._box(self.currentRow()).showPopup()
        else:
            super().keyPressEvent(event)

    def _hover(self, figure: str) -> None:
        if figure != self._hovered:
            self._hovered = figure
            self.pointed.emit()

    def _is_selected(self, row: int) -> bool:
        item = self.item(row, _FIGURE)
        return item is not None and item.isSelected()

    def _take_choice(self, row: int) -> None:
        box = self._box(row)
        if box.currentData() == _NEW_CARD:
            box.setCurrentIndex(box.taken)
            self.own_wanted.emit(self._figures[row].id)
        else:
            self._same_for_selected(row)

    def _same_for_selected(self, row: int) -> None:
        if self._is_selected(row):
            card = self._box(row).currentData()
            for box in map(self._box, map(self._rows.__getitem__, self.selected)):
                if (index := box.findData(card)) >= 0:  # a player's own card is offered to its soldier only
                    box.setCurrentIndex(index)

    def _box(self, row: int) -> _UnitBox:
        box = self.cellWidget(row, _CARD)
        assert isinstance(box, _UnitBox)
        return box

    def _write_squad(self, row: int, squad: str) -> None:
        self.setItem(row, _SQUAD, QTableWidgetItem(squad))

    def _squad(self, row: int) -> str:
        item = self.item(row, _SQUAD)
        return item.text().strip() if item is not None else ""


def _icon(crop: ImageBgr) -> QIcon:
    """The picture of a soldier, not tinted when its row is selected."""
    picture = QPixmap.fromImage(to_qimage(crop))
    icon = QIcon(picture)
    icon.addPixmap(picture, QIcon.Mode.Selected)
    return icon


_WIDTH, _FILL = 3.0, 40


class SoldierPicker:
    """Turns the mouse over the table into selected rows."""

    def __init__(self, soldiers: SoldierTable) -> None:
        self._soldiers = soldiers
        self._pressed: PickResult | None = None
        self._line: list[PointIn] = []
        self._extend = False

    def press(self, at: PickResult, *, extend: bool) -> None:
        """Begin a click or a line; with `extend`, it adds to what is selected."""
        self._pressed, self._extend = at, extend
        self._line = [at.place_in] if at.place_in is not None else []

    def move(self, at: PickResult | None) -> None:
        """Draw the line on."""
        if self._pressed is not None and at is not None and at.place_in is not None:
            self._line.append(at.place_in)

    def release(self, at: PickResult) -> None:
        """Select the soldiers inside the line or, after a click, the soldier there; none at a bare place."""
        pressed, self._pressed = self._pressed, None
        if pressed is None:
            return
        if was_dragged(pressed.px, at):
            self._soldiers.pick_all(_inside(_outline(self._line), at.figures), extend=self._extend)
        elif pressed.figure is not None:
            self._soldiers.pick(pressed.figure.id, extend=self._extend)
        elif not self._extend:
            self._soldiers.clearSelection()

    def marks(self, at: PickResult | None) -> tuple[Mark, ...]:
        """The line up to the mouse, closed, or the rectangle that it selects; empty while none is drawn."""
        pressed = self._pressed
        if pressed is None or at is None or not was_dragged(pressed.px, at):
            return ()
        line = _outline([*self._line, at.place_in] if at.place_in is not None else self._line)
        return (Trace(lifted(line), PREVIEW, _WIDTH, faded(PREVIEW, _FILL), closed=True),) if line else ()


_STRAIGHT = 0.15
"""The area of a straight line's hull, as a share of the rectangle around it; half a rectangle has 0.5."""


def _outline(line: Sequence[PointIn]) -> Sequence[PointIn]:
    """A line or, if that is straight, the rectangle between its ends."""
    hull = MultiPoint(line).convex_hull
    if not line or hull.area >= _STRAIGHT * hull.envelope.area:
        return line
    left, low, right, high = hull.bounds
    return ((left, low), (right, low), (right, high), (left, high))


def _inside(line: Sequence[PointIn], figures: Sequence[Figure]) -> tuple[str, ...]:
    """Ids of the figures whose base centre is inside a line, which may cross itself."""
    if len(line) < 3:
        return ()
    area = make_valid(Polygon(line))
    return tuple(figure.id for figure in figures if area.contains(Point(figure.centre_in)))
