"""The list of armies and their figures, in which armies are renamed, merged, split and forgotten."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PyQt6.QtCore import QModelIndex, QPoint, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QIcon, QPixmap
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QGridLayout,
    QHeaderView,
    QLineEdit,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from rules.engine.text import display_name
from rules.tabletop.table import Figure, PointIn
from ui.desktop.labels import wrapping_label
from ui.desktop.layouts import button_with_tip, in_column
from ui.formatting import in_order, place_words
from ui.theme import Colour, army_colour
from ui.translation import tr
from ui.vocabulary import posture_words

_ARMY = Qt.ItemDataRole.UserRole


class ArmyList(QWidget):
    """Shows the armies and their figures; independent of camera and session.

    Signals:
        renamed: The player gave an army (its name) another name (the second).
        merged: Merge the others (a tuple of names) into the first army.
        split: Split an army (its name) in two by colour.
        forgotten: Forget an army (its name).

    Attributes:
        menu: The armies that the selected one can be merged into.
        may_change: Returns whether armies may be changed now; if not, it tells the player why.
    """

    renamed = pyqtSignal(str, str)
    merged = pyqtSignal(str, object)
    split = pyqtSignal(str)
    forgotten = pyqtSignal(str)

    def __init__(self) -> None:
        super().__init__()
        self.tree, self.menu = QTreeWidget(), QMenu(self)
        self.may_change: Callable[[], bool] = lambda: True
        tip = tr("Type another name for the selected army, or double-click it")
        self.rename = button_with_tip(tr("Rename"), tip, lambda: self._if_allowed(self.edit))
        tip = tr("Join the selected armies into one; hold Ctrl to select several")
        self.merge = button_with_tip(tr("Merge"), tip, lambda: self._if_allowed(self._merge))
        tip = tr("Split the selected army in two by the colour of its soldiers")
        self.divide = button_with_tip(tr("Split"), tip, lambda: self._if_allowed(self._split))
        tip = tr("Forget the selected army")
        self.forget = button_with_tip(tr("Forget"), tip, lambda: self._if_allowed(self._forget))
        self._buttons = QWidget()
        self._advice = wrapping_label(tr("None yet. Put the soldiers on the table: they are found by their colour."))
        self._counts: dict[str, int] = {}
        self._lay_out()

    @property
    def armies(self) -> tuple[str, ...]:
        """Names of all listed armies."""
        return tuple(self._name(row) for row in range(self.tree.topLevelItemCount()))

    @property
    def chosen(self) -> tuple[str, ...]:
        """Names of the armies that are selected or have a selected figure."""
        items = self.tree.selectedItems()
        return tuple(dict.fromkeys(str((one.parent() or one).data(0, _ARMY)) for one in items))

    def choose(self, *armies: str) -> None:
        """Select only these armies."""
        self.tree.clearSelection()
        for row, army in enumerate(self.armies):
            item = self.tree.topLevelItem(row)
            if item is not None and army in armies:
                item.setSelected(True)

    def show_armies(
        self, armies: Sequence[str], figures: Sequence[Figure], place: Callable[[PointIn], str] = place_words
    ) -> None:
        """Show the armies and the figures of each; `place` formats a position."""
        if self.armies != tuple(armies):
            self._list(armies)
        for row, army in enumerate(armies):
            item = self.tree.topLevelItem(row)
            own = [figure for figure in figures if figure.army == army]
            self._counts[army] = len(own)
            if item is not None:
                _fill_army(item, own, place)
        self._allow()

    def edit(self) -> None:
        """Start editing the name of the selected army."""
        for row, army in enumerate(self.armies):
            item = self.tree.topLevelItem(row)
            if item is not None and army in self.chosen:
                self.tree.setCurrentItem(item)
                self.tree.editItem(item, 0)
                return

    def _list(self, armies: Sequence[str]) -> None:
        chosen = self.chosen
        open_ = {self._name(row) for row in range(self.tree.topLevelItemCount()) if self._is_open(row)}
        self._counts = {}
        self.tree.clear()
        for army in armies:
            top = QTreeWidgetItem([army, ""])
            top.setIcon(0, swatch(army_colour(army, armies)))
            top.setData(0, _ARMY, army)
            top.setFlags(top.flags() | Qt.ItemFlag.ItemIsEditable)
            self.tree.addTopLevelItem(top)
            top.setExpanded(army in open_)
        self.choose(*chosen)

    def _is_open(self, row: int) -> bool:
        item = self.tree.topLevelItem(row)
        return item is not None and item.isExpanded()

    def _name(self, row: int) -> str:
        item = self.tree.topLevelItem(row)
        return str(item.data(0, _ARMY)) if item is not None else ""

    def _edited(self, item: QTreeWidgetItem, column: int) -> None:
        """Report a typed name; the list shows it once the table has accepted it."""
        army, name = str(item.data(0, _ARMY)), item.text(0)
        if item.parent() is None and column == 0 and name != army:
            item.setText(0, army)
            self.renamed.emit(army, name)

    def _allow(self) -> None:
        one = len(self.chosen) == 1
        self._buttons.setVisible(bool(self.armies))
        self._advice.setVisible(not self.armies)
        for button in (self.rename, self.divide, self.forget):
            button.setEnabled(one)
        self.merge.setEnabled(bool(self.chosen) and len(self.armies) > 1)

    def _if_allowed(self, change: Callable[[], None]) -> None:
        if self.may_change():
            change()

    def _split(self) -> None:
        self.split.emit(self.chosen[0])

    def _forget(self) -> None:
        self.forgotten.emit(self.chosen[0])

    def _merge(self) -> None:
        """Merge the selected armies into the largest; if only one is selected, ask into which."""
        chosen = sorted(self.chosen, key=lambda army: -self._counts.get(army, 0))
        if len(chosen) > 1:
            self.merged.emit(chosen[0], tuple(chosen[1:]))
            return
        self.menu.clear()
        for army in self.armies:
            if army not in chosen:
                action = self.menu.addAction(tr("Into {army}", army=army))
                if action is not None:
                    action.triggered.connect(lambda _, into=army: self.merged.emit(into, tuple(chosen)))
        self.menu.popup(self.merge.mapToGlobal(QPoint(0, self.merge.height())))

    def _lay_out(self) -> None:
        self.tree.setColumnCount(2)
        self.tree.setHeaderHidden(True)
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.tree.setExpandsOnDoubleClick(False)
        header = self.tree.header()
        if header is not None:
            header.setStretchLastSection(False)
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
            header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.setItemDelegate(_NameDelegate(self.tree))
        self.tree.setToolTip(tr("The armies, how many soldiers of each the camera sees, and where they are"))
        self.tree.setAccessibleName(tr("Armies and soldiers"))
        self.tree.itemSelectionChanged.connect(self._allow)
        self.tree.itemChanged.connect(self._edited)
        self.tree.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.tree.itemDoubleClicked.connect(lambda *_: self._if_allowed(self.edit))
        row = QGridLayout(self._buttons)  # four in one row are cut off in a narrow panel
        row.setContentsMargins(0, 0, 0, 0)
        for k, button in enumerate((self.rename, self.merge, self.divide, self.forget)):
            row.addWidget(button, k // 2, k % 2)
        in_column(self._advice, (self.tree, 1), self._buttons, on=self, margin=0)
        self._allow()


class _NameDelegate(QStyledItemDelegate):
    """Edits a name in its own column; Qt's editor would grow over the numbers beside it."""

    def createEditor(
        self, parent: QWidget | None, option: QStyleOptionViewItem | None, index: QModelIndex | None
    ) -> QWidget:
        return QLineEdit(parent)


def _fill_army(item: QTreeWidgetItem, figures: Sequence[Figure], place: Callable[[PointIn], str]) -> None:
    item.setText(1, tr("{count} seen", count=len(figures)))
    while item.childCount() > len(figures):
        item.takeChild(item.childCount() - 1)
    while item.childCount() < len(figures):
        item.addChild(QTreeWidgetItem())
    for row, figure in enumerate(in_order(figures)):
        child = item.child(row)
        if child is not None:
            child.setText(0, f"{display_name(figure.id)}  {posture_words(figure.posture)}")
            child.setText(1, place(figure.centre_in))


def swatch(colour: Colour) -> QIcon:
    """A square icon of this colour."""
    pixmap = QPixmap(14, 14)
    pixmap.fill(QColor(*colour))
    return QIcon(pixmap)
