"""Lists what a figure can do: the best actions as large rows, the others and the forbidden ones folded below."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PyQt6.QtCore import QModelIndex, QRect, QRectF, QSize, Qt
from PyQt6.QtGui import QFocusEvent, QFont, QFontMetrics, QKeyEvent, QPainter, QPalette, QPen, QResizeEvent
from PyQt6.QtWidgets import (
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
)

from rules.engine.preview import ActionPreview
from ui.battle.action_text import (
    action_words,
    chance_words,
    forbidden_groups,
    forbidden_words,
    odds_column,
    ranked,
    reason_rows,
)
from ui.desktop.widgets import literal_text, stretch_first_column
from ui.formatting import unbroken
from ui.rules_text import display_name
from ui.translation import tr

_NUMBER = Qt.ItemDataRole.UserRole
_CHIP_PX, _ROW_PX, _ROUND_PX, _INDENT_PX, _SCROLL_BAR_PX, _HIGHEST_PX = 48, 32, 8, 14, 24, 1000
_OPEN, _CLOSED = "▾", "▸"


class ActionList(QTreeWidget):
    """Shows actions in the order of `ui.battle.action_text.ranked`.

    Attributes:
        previews: The actions shown, in the order given.
    """

    def __init__(self) -> None:
        super().__init__()
        self.previews: tuple[ActionPreview, ...] = ()
        self._rows: dict[int, QTreeWidgetItem] = {}
        self.setColumnCount(2)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIndentation(_INDENT_PX)
        self.setExpandsOnDoubleClick(False)
        self.setWordWrap(True)
        self.setFrameShape(QTreeWidget.Shape.NoFrame)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setAccessibleName(tr("Actions"))
        self.setItemDelegate(_Chips(self))
        stretch_first_column(self)
        self.itemClicked.connect(self._fold)
        for turned in (self.itemExpanded, self.itemCollapsed):
            turned.connect(_show_arrow)
            turned.connect(lambda _: self.updateGeometry())

    @property
    def chosen(self) -> ActionPreview | None:
        number = self._number
        return None if number is None else self.previews[number]

    @property
    def _number(self) -> int | None:
        item = self.currentItem()
        number = item.data(0, _NUMBER) if item is not None else None
        return number if isinstance(number, int) else None

    def show_actions(self, previews: Sequence[ActionPreview]) -> bool:
        """Show these actions; return whether the previous selection still exists."""
        same = len(previews) == len(self.previews) and all(map(_is_same, self.previews, previews))
        chosen = self._number if same else None
        opened = {item.data(1, _NUMBER) for item in self._folds() if item.isExpanded()} if same else set()
        self.previews = tuple(previews)
        self.blockSignals(True)
        self.clear()
        order = ranked(previews)
        self._rows = {number: self._row(number, chip=number in order.best) for number in range(len(previews))}
        self.addTopLevelItems([self._rows[number] for number in order.best])
        if order.more:
            words = tr("More… ({count})", count=len(order.more))
            self.addTopLevelItem(_folded("more", words, [self._rows[number] for number in order.more]))
        if order.impossible:
            self.addTopLevelItem(self._why_not(order.impossible))
        for row in (*self._folds(), *(self._rows[number] for number in order.impossible)):
            row.setFirstColumnSpanned(True)
        for item in self._folds():
            item.setExpanded(item.data(1, _NUMBER) in opened)
            _show_arrow(item)
        if chosen is not None:
            self._select(chosen)
        self.blockSignals(False)
        self.updateGeometry()
        return chosen is not None

    def sizeHint(self) -> QSize:
        """As high as all rows: below them the reasons follow at once."""
        return QSize(super().sizeHint().width(), self._rows_px())

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), min(self._rows_px(), 2 * _CHIP_PX))

    def _rows_px(self) -> int:
        model, height_px = self.model(), 0
        index = model.index(0, 0) if model is not None else QModelIndex()
        while index.isValid():
            height_px += self.rowHeight(index)
            index = self.indexBelow(index)
        return height_px

    def choose(self, place: int) -> None:
        """Select an action by its place in the order of the card, from 0; the best one is the first."""
        order = ranked(self.previews)
        for number in (*order.best, *order.more, *order.impossible)[place : place + 1]:
            self._select(number)

    def _select(self, number: int) -> None:
        item = self._rows[number]
        fold = item.parent()
        while fold is not None:
            fold.setExpanded(True)
            _show_arrow(fold)
            fold = fold.parent()
        self.setCurrentItem(item)

    def choose_target(self, figure: str, asks: Callable[[ActionPreview], object] = lambda _: False) -> bool:
        """Select the best possible action against a figure; False if there is none.

        If no action is possible, select one that might be if the players answered what it `asks`.
        """
        order = ranked(self.previews)
        actions = {number: one.action for number, one in enumerate(self.previews)}
        against = {number for number, one in actions.items() if figure in one.at and figure not in one.by}
        numbers = [number for number in (*order.best, *order.more) if number in against]
        numbers += [number for number in order.impossible if number in against and asks(self.previews[number])]
        first = [number for number in numbers if self.previews[number].action.at[0] == figure]
        number = next(iter(first or numbers), None)
        if number is not None:
            self._select(number)
        return number is not None

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Keep the selected action in view: its card opens below and takes room from the list."""
        super().resizeEvent(event)
        chosen = self.currentItem()
        if chosen is not None and not self.visualItemRect(chosen).isEmpty():  # scrolling would open a closed fold
            self.scrollToItem(chosen)

    def focusInEvent(self, event: QFocusEvent | None) -> None:
        """Take the focus, such as after a menu, without selecting the first row as Qt would."""
        chosen = self.currentItem()
        blocked = self.blockSignals(True)
        super().focusInEvent(event)
        self.setCurrentItem(chosen)
        self.blockSignals(blocked)

    def _named(self, one: ActionPreview, words: str) -> str:
        """An action's words with its figure, unless they name its army or all actions belong to one figure."""
        figures = {preview.action.by for preview in self.previews}
        name = display_name(one.action.by[0]) if len(one.action.by) == 1 and len(figures) > 1 else ""
        return words if name.rpartition(" ")[0] in words else f"{name}: {words}"

    def _row(self, number: int, *, chip: bool) -> QTreeWidgetItem:
        one = self.previews[number]
        words = self._named(one, action_words(one) if one.possible else forbidden_words(one))
        item = QTreeWidgetItem([words, odds_column(one)])
        item.setData(0, _NUMBER, number)
        item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setToolTip(0, literal_text("\n".join((action_words(one), *reason_rows(one)))))
        item.setToolTip(1, literal_text(chance_words(one)))
        if chip:
            bold = self.font()
            bold.setBold(True)
            item.setFont(0, bold)
            item.setFont(1, bold)
        if not one.possible:
            item.setForeground(0, self.palette().placeholderText())
        return item

    def _why_not(self, numbers: Sequence[int]) -> QTreeWidgetItem:
        """The fold of the forbidden actions; those that differ only in their targets share a row that opens."""
        rows = [
            self._rows[group[0]] if len(group) == 1 else _folded(words, words, [self._rows[number] for number in group])
            for words, group in forbidden_groups(self.previews, numbers)
        ]
        return _folded("why", tr("Why not? ({count})", count=len(numbers)), rows)

    def _folds(self) -> list[QTreeWidgetItem]:
        top = [item for row in range(self.topLevelItemCount()) if (item := self.topLevelItem(row)) is not None]
        inner = [item for fold in top for row in range(fold.childCount()) if (item := fold.child(row)) is not None]
        return [item for item in (*top, *inner) if item.childCount()]

    def _fold(self, item: QTreeWidgetItem) -> None:
        if item.childCount():
            item.setExpanded(not item.isExpanded())

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Open and close a fold with Return, as with a click."""
        item = self.currentItem()
        if event is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and item in self._folds():
            self._fold(item)
        else:
            super().keyPressEvent(event)


class _Chips(QStyledItemDelegate):
    """Paints a frame around each of the best actions, across both columns."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        """Rows that a finger can hit."""
        size, tree = super().sizeHint(option, index), self.parent()
        if index.parent().isValid() and isinstance(tree, QTreeWidget):  # Qt gives a reason over all columns one line
            depth = 2 if index.parent().parent().isValid() else 1
            width_px = tree.width() - depth * _INDENT_PX - _SCROLL_BAR_PX
            size.setHeight(_wrapped(option.fontMetrics, index.siblingAtColumn(0), width_px).height())
        elif _is_chip(index) and isinstance(tree, QTreeWidget):  # Qt does not know of the chip's margins
            bold = QFont(option.font)
            bold.setBold(True)
            chances = (index.sibling(row, 1) for row in range(tree.topLevelItemCount()))
            chance = _wrapped(QFontMetrics(bold), index.siblingAtColumn(1), _HIGHEST_PX)
            chance_px = max(_wrapped(QFontMetrics(bold), one, _HIGHEST_PX).width() for one in chances)
            width_px = tree.width() - chance_px - 5 * _ROUND_PX
            size.setHeight(
                max(_wrapped(QFontMetrics(bold), index.siblingAtColumn(0), width_px).height(), chance.height())
            )
        return QSize(size.width() + 2 * _ROUND_PX, max(size.height() + 8, _CHIP_PX if _is_chip(index) else _ROW_PX))

    def initStyleOption(self, option: QStyleOptionViewItem | None, index: QModelIndex) -> None:
        """Keep the names of soldiers on one line."""
        super().initStyleOption(option, index)
        if option is not None:
            option.text = unbroken(option.text or "")

    def paint(self, painter: QPainter | None, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        """Paint a row; the frame of a chip is clipped to the column that is painted."""
        tree = self.parent()
        if painter is None or not _is_chip(index) or not isinstance(tree, QTreeWidget):
            super().paint(painter, option, index)
            return
        palette, words = option.palette, QStyleOptionViewItem(option)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        whole = tree.visualRect(index.siblingAtColumn(0)).united(tree.visualRect(index.siblingAtColumn(1)))
        painter.save()
        painter.setClipRect(option.rect)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen((palette.highlight() if selected else palette.mid()).color(), 1.0))
        painter.setBrush(palette.highlight() if selected else palette.button())
        painter.drawRoundedRect(QRectF(whole).adjusted(1.5, 2.5, -1.5, -2.5), _ROUND_PX, _ROUND_PX)
        painter.restore()
        first = index.column() == 0
        words.rect = option.rect.adjusted(_ROUND_PX if first else 0, 0, 0 if first else -_ROUND_PX, 0)
        words.state &= ~(QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_HasFocus)
        words.palette.setBrush(QPalette.ColorRole.Text, palette.highlightedText() if selected else palette.buttonText())
        super().paint(painter, words, index)


def _folded(name: str, words: str, rows: Sequence[QTreeWidgetItem]) -> QTreeWidgetItem:
    """A row that opens in place to show further rows; `name` distinguishes it from the other folds."""
    fold = QTreeWidgetItem([f"{_CLOSED} {words}"])
    fold.setData(1, _NUMBER, name)
    fold.setToolTip(0, literal_text(words))
    fold.addChildren(rows)
    return fold


def _wrapped(metrics: QFontMetrics, index: QModelIndex, width_px: int) -> QRect:
    """The room that a cell's words need in lines of this width."""
    room = QRect(0, 0, width_px, _HIGHEST_PX)
    return metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, unbroken(str(index.data() or "")))


def _is_chip(index: QModelIndex) -> bool:
    number = index.siblingAtColumn(0).data(_NUMBER)
    return isinstance(number, int) and not index.parent().isValid()


def _is_same(before: ActionPreview, now: ActionPreview) -> bool:
    """Whether an action is still offered as before; what the players have just settled may forbid it."""
    as_possible = before.possible == now.possible or bool(before.ambiguities)
    return as_possible and action_words(before) == action_words(now)


def _show_arrow(item: QTreeWidgetItem) -> None:
    if item.childCount():
        item.setText(0, f"{_OPEN if item.isExpanded() else _CLOSED}{item.text(0)[1:]}")
