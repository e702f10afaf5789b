"""Lists what a figure can do: one action per row with its odds; the tooltip explains them."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import QEvent, Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent, QResizeEvent
from PyQt6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from rules.engine.referee import ActionPreview
from ui.battle.action_text import action_words, chance_lines, chance_words, reason_rows
from ui.desktop.labels import literal_text
from ui.translation import tr


class ActionList(QTreeWidget):
    """Shows actions; the header counts the rows out of sight.

    Attributes:
        previews: The actions shown, by row.
        of_figure: Whether they belong to one figure, which Escape deselects.

    Signals:
        cancelled: Escape was pressed while a figure's actions are shown.
    """

    cancelled = pyqtSignal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.previews: tuple[ActionPreview, ...] = ()
        self.of_figure = False
        self.setColumnCount(2)
        self.setHeaderLabels([tr("Actions"), tr("Odds")])
        self.setRootIsDecorated(False)
        self.setWordWrap(True)
        self.setAccessibleName(tr("Actions"))
        header, bar = self.header(), self.verticalScrollBar()
        if header is not None and bar is not None:
            header.setStretchLastSection(False)
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
            header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
            bar.valueChanged.connect(self._update_header)
            bar.rangeChanged.connect(self._update_header)

    @property
    def chosen(self) -> ActionPreview | None:
        """The selected action."""
        item = self.currentItem()
        return self.previews[item.data(0, Qt.ItemDataRole.UserRole)] if item is not None else None

    def show_actions(self, previews: Sequence[ActionPreview]) -> bool:
        """Show these actions; return whether the previous selection still exists."""
        chosen = self.indexOfTopLevelItem(self.currentItem()) if self.currentItem() else -1
        kept = chosen >= 0 and [*map(action_words, previews)] == [*map(action_words, self.previews)]
        self.previews = tuple(previews)
        self.blockSignals(True)
        self.clear()
        self.addTopLevelItems([self._row(number, one) for number, one in enumerate(previews)])
        if kept:
            self.choose(chosen)
        self.blockSignals(False)
        self._update_header()
        return kept

    def _row(self, number: int, one: ActionPreview) -> QTreeWidgetItem:
        item = QTreeWidgetItem([action_words(one), chance_lines(one)])
        item.setData(0, Qt.ItemDataRole.UserRole, number)
        item.setToolTip(0, literal_text("\n".join((action_words(one), *reason_rows(one)))))
        item.setToolTip(1, literal_text(chance_words(one)))
        if not one.possible:
            item.setForeground(0, self.palette().placeholderText())
            item.setForeground(1, self.palette().placeholderText())
        return item

    def choose(self, row: int) -> None:
        """Select an action by its row."""
        self.setCurrentItem(self.topLevelItem(row))

    def choose_target(self, figure: str) -> bool:
        """Select the first possible action against a figure; False if there is none."""
        rows = [
            row
            for row, one in enumerate(self.previews)
            if one.possible and figure in one.action.at and figure not in one.action.by
        ]
        first = [row for row in rows if self.previews[row].action.at[0] == figure]
        row = next(iter(first or rows), None)
        if row is not None:
            self.choose(row)
        return row is not None

    def take_focus(self) -> None:
        """Give the list the focus: up and down select, Return performs the action."""
        chosen = self.currentItem()
        blocked = self.blockSignals(True)  # on focus Qt would select the first row
        self.setFocus()
        self.setCurrentItem(chosen)
        self.blockSignals(blocked)

    @property
    def unseen(self) -> tuple[int, int]:
        """Number of rows out of sight, above and below."""
        viewport = self.viewport()
        room_px = viewport.height() if viewport is not None else 0
        rects = [self.visualItemRect(self.topLevelItem(row)) for row in range(self.topLevelItemCount())]
        return sum(one.top() < 0 for one in rects), sum(one.bottom() > room_px for one in rects)

    def _update_header(self) -> None:
        above, below = self.unseen
        words = [tr("{count} above", count=above)] if above else []
        words += [tr("{count} more below", count=below)] if below else []
        head = self.headerItem()
        if head is not None:
            head.setText(0, ": ".join(filter(None, (tr("Actions"), ", ".join(words)))))

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self._update_header()

    def event(self, event: QEvent | None) -> bool:
        """Handle Escape while a figure's actions are shown; the window's shortcut would put the tool away."""
        if self.of_figure and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.cancelled.emit()
                return True
        return super().event(event)
