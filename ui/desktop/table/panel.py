"""The Table tab: the answer in large type, the armies with their figures, and what lies on the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PyQt6.QtCore import QModelIndex, QPoint, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFont, QFontMetrics, QIcon, QPixmap
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QGridLayout,
    QGroupBox,
    QLineEdit,
    QListWidget,
    QMenu,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from rules.tabletop.table import Figure, PointIn
from ui.desktop.action import add_entry
from ui.desktop.widgets import (
    TextField,
    button_with_tip,
    described,
    fit_font,
    in_column,
    in_row,
    keep_place,
    literal_text,
    plain_label,
    stretch_first_column,
    without_keys,
    wrapping_label,
)
from ui.formatting import in_order, place_words
from ui.rules_text import display_name, side_name, stored_name
from ui.table.finding import Answer
from ui.theme import Colour, army_colour
from ui.translation import tr
from ui.vocabulary import seen_posture_words
from vision.stock_colours import PLASTIC_BGR

SUGGESTED_ARMIES = tuple(PLASTIC_BGR)
_HEADLINE_PX = 28
_WIDTH = 328
_EDGE_PX, _INDENT_PX = 8, 4
_MAX_WARNINGS = 3  # warnings shown about similar armies; the tooltip lists all


class SidePanel(QWidget):
    """The Table tab; independent of camera and session.

    Attributes:
        headline, rows: The answer in large type, and the rows below it.
        warnings: The warnings about similar armies.
        armies: The list of armies and figures.
        army_box: The name of the army to teach.
        preset_button: Starts this army from the stock colour of its plastic.
        groups_button: Groups the figures into armies by colour or, if groups are offered, uses these.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setFixedWidth(_WIDTH)
        self._large = QFont(self.font())
        self._large.setPixelSize(_HEADLINE_PX)
        self._large.setBold(True)
        self.headline, self.rows = plain_label(), wrapping_label()
        self.army_box = QComboBox()
        tip = tr("Start with the usual colour of this plastic; clicking a soldier is more reliable")
        self.preset_button, self.groups_button = button_with_tip(tr("Use preset"), tip), QPushButton(tr("Find armies"))
        self.warnings = wrapping_label()
        self._laid_list, self._laid_box = QListWidget(), QGroupBox(tr("On the table"))
        self.armies, self._armies_box = ArmyList(), QGroupBox(tr("Armies"))
        self._shown_table: tuple[object, ...] = ()
        self._laid: tuple[str, ...] = ()
        parts = (self._answer_box(), (self._fill_armies_box(), 3), (self._fill_laid_box(), 2))
        in_column(*parts, on=self, margin=_EDGE_PX)

    @property
    def army(self) -> str:
        """Name of the army that a click teaches."""
        return stored_name(self.army_box.currentText())

    def choose(self, army: str) -> None:
        self.army_box.setCurrentText(side_name(army))

    def type_army(self) -> None:
        """Let the player type the name of the army to teach."""
        self.army_box.setFocus()
        line = self.army_box.lineEdit()
        if line is not None:
            line.selectAll()

    def show_answer(self, answer: Answer) -> None:
        headline = answer.headline or tr("-- in")
        if headline != self.headline.text():
            self.headline.setFont(fit_font(self._large, headline, _WIDTH - 2 * (_EDGE_PX + _INDENT_PX)))
            self.headline.setText(headline)
            self.headline.setEnabled(bool(answer.headline))
        self.rows.setText("\n".join(answer.rows) or tr("Nothing measured yet."))

    def show_table(
        self,
        armies: Sequence[str],
        figures: Sequence[Figure],
        laid: Sequence[str],
        place: Callable[[PointIn], str] = place_words,
        apart: Sequence[str] = (),
    ) -> None:
        """Show the armies taught, the figures found and what lies on the table.

        `place` formats a position; `apart` are the warnings about similar armies, worst first.
        """
        places = ((f.id, seen_posture_words(f), *(round(v, 1) for v in f.centre_in)) for f in figures)
        table = (place((0.0, 0.0)), *armies, *places, *laid, *apart)
        if table == self._shown_table:
            return
        self._shown_table = table
        self.armies.show_armies(armies, figures, place)
        self.warnings.setText("\n".join(apart[:_MAX_WARNINGS]))
        self.warnings.setToolTip(literal_text("\n".join(apart)))
        self.warnings.setVisible(bool(apart))
        self._allow_preset()
        if tuple(laid) != self._laid:
            self._laid = tuple(laid)
            self._laid_list.clear()
            self._laid_list.addItems(list(laid))
            self._laid_box.setVisible(bool(laid))
        for army in armies:
            if self.army_box.findText(side_name(army)) < 0:
                self.army_box.addItem(swatch(army_colour(army, armies)), side_name(army))

    def show_groups(self, words: str, *, may_search: bool) -> None:
        """Offer to use the groups named by `words`, or to search for groups.

        `may_search` is true if there are figures that could be grouped but are not.
        """
        offered = bool(words) or may_search
        if not offered:
            self.armies.take_focus_from(self.groups_button)
        self.groups_button.setVisible(offered)
        self.groups_button.setText(tr("Use them") if words else tr("Find armies"))
        self.groups_button.setToolTip(
            literal_text(tr("Use {figures} as armies", figures=words))
            if words
            else tr("Group soldiers of one colour into an army")
        )
        self._armies_box.setTitle(tr("Armies found by colour") if words else tr("Armies"))

    def _allow_preset(self) -> None:
        army = self.army.strip()
        self.preset_button.setVisible(army.lower() in PLASTIC_BGR and army not in self.armies.armies)

    def _answer_box(self) -> QWidget:
        # Always as high as large type, otherwise the lists below would jump.
        self.headline.setFixedHeight(QFontMetrics(self._large).height())
        described(self.headline, tr("Answer"), tr("The distance; the true value is within ± in 19 of 20 measurements"))
        self.rows.setMinimumHeight(4 * self.fontMetrics().height())
        self.rows.setAlignment(Qt.AlignmentFlag.AlignTop)
        box = QWidget()
        in_column(self.headline, self.rows, None, on=box, margin=(_INDENT_PX, 0, _INDENT_PX, 0)).setSpacing(0)
        return box

    def _fill_armies_box(self) -> QWidget:
        self.army_box.setLineEdit(TextField())
        self.army_box.addItems(map(side_name, SUGGESTED_ARMIES))
        self.army_box.setToolTip(tr("The army to teach: choose or type a name, then click one of its soldiers"))
        self.army_box.setAccessibleName(tr("Army to teach"))
        self.army_box.editTextChanged.connect(self._allow_preset)
        self.warnings.setAccessibleName(tr("Armies that look alike"))
        # Otherwise the buttons above would jump, and "Forget" would lie where the mouse was about to press another.
        self.warnings.setMinimumHeight(2 * self.warnings.fontMetrics().lineSpacing())
        keep_place(self.preset_button)
        row = in_row(plain_label(tr("Teach:")), (self.army_box, 1))
        in_column(self.armies, self.warnings, self.groups_button, row, self.preset_button, on=self._armies_box)
        return self._armies_box

    def _fill_laid_box(self) -> QWidget:
        described(self._laid_list, tr("Rulers and templates"), tr("Rulers and templates; they follow their soldiers"))
        self._laid_list.setWordWrap(True)
        in_column(self._laid_list, on=self._laid_box)
        self._laid_box.hide()
        return self._laid_box


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
        self._items: dict[str, QTreeWidgetItem] = {}
        self._lay_out()

    @property
    def armies(self) -> tuple[str, ...]:
        return tuple(self._items)

    @property
    def chosen(self) -> tuple[str, ...]:
        """Names of the armies that are selected or have a selected figure."""
        items = self.tree.selectedItems()
        return tuple(dict.fromkeys(str((one.parent() or one).data(0, _ARMY)) for one in items))

    def choose(self, *armies: str) -> None:
        """Select only these armies."""
        self.tree.clearSelection()
        for army, item in self._items.items():
            item.setSelected(army in armies)

    def show_armies(
        self, armies: Sequence[str], figures: Sequence[Figure], place: Callable[[PointIn], str] = place_words
    ) -> None:
        """Show the armies and the figures of each; `place` formats a position."""
        if self.armies != tuple(armies):
            self._list(armies)
        for army, item in self._items.items():
            _fill_army(item, [figure for figure in figures if figure.army == army], place)
        self._allow()

    def take_focus_from(self, button: QPushButton) -> None:
        """Take the focus from a button about to disappear; Qt would give it to a field, which then took tools' keys."""
        if button.hasFocus():
            self.tree.setFocus()

    def edit(self) -> None:
        """Start editing the name of the selected army."""
        for army in self.chosen[:1]:
            self.tree.setCurrentItem(self._items[army])
            self.tree.editItem(self._items[army], 0)

    def _list(self, armies: Sequence[str]) -> None:
        chosen, open_ = self.chosen, {army for army, item in self._items.items() if item.isExpanded()}
        self._items = {}
        self.tree.clear()
        for army in armies:
            top = self._items[army] = QTreeWidgetItem([side_name(army), ""])
            top.setIcon(0, swatch(army_colour(army, armies)))
            top.setData(0, _ARMY, army)
            top.setFlags(top.flags() | Qt.ItemFlag.ItemIsEditable)
            self.tree.addTopLevelItem(top)
            top.setExpanded(army in open_)
        self.choose(*chosen)

    def _edited(self, item: QTreeWidgetItem, column: int) -> None:
        """Report a typed name; the list shows it once the table has accepted it."""
        army, name = str(item.data(0, _ARMY)), stored_name(item.text(0))
        if item.parent() is None and column == 0 and name != army:
            item.setText(0, side_name(army))
            self.renamed.emit(army, name)

    def _allow(self) -> None:
        one = len(self.chosen) == 1
        several = bool(self.chosen) and len(self.armies) > 1
        for button, allowed in ((self.rename, one), (self.divide, one), (self.forget, one), (self.merge, several)):
            if not allowed:
                self.take_focus_from(button)
            button.setEnabled(allowed)
        self._buttons.setVisible(bool(self.armies))
        self._advice.setVisible(not self.armies)

    def _if_allowed(self, change: Callable[[], None]) -> None:
        if self.may_change():
            change()

    def _split(self) -> None:
        self.split.emit(self.chosen[0])

    def _forget(self) -> None:
        self.forgotten.emit(self.chosen[0])

    def _merge(self) -> None:
        """Merge the selected armies into the largest; if only one is selected, ask into which."""
        chosen = sorted(self.chosen, key=lambda army: -self._items[army].childCount())
        if len(chosen) > 1:
            self.merged.emit(chosen[0], tuple(chosen[1:]))
            return
        self.menu.clear()
        for army in self.armies:
            if army not in chosen:
                merge = partial(self.merged.emit, army, tuple(chosen))
                add_entry(self.menu, without_keys(tr("Into {army}", army=side_name(army))), merge)
        self.menu.popup(self.merge.mapToGlobal(QPoint(0, self.merge.height())))

    def _lay_out(self) -> None:
        self.tree.setColumnCount(2)
        self.tree.setHeaderHidden(True)
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.tree.setExpandsOnDoubleClick(False)
        stretch_first_column(self.tree)
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
            child.setText(0, f"{display_name(figure.id)}  {seen_posture_words(figure)}")
            child.setText(1, place(figure.centre_in))


def swatch(colour: Colour) -> QIcon:
    """A square icon of this colour."""
    pixmap = QPixmap(14, 14)
    pixmap.fill(QColor(*colour))
    return QIcon(pixmap)
