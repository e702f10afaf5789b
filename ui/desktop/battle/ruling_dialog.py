"""The dialog in which the players overrule the rules or the dice, with a reason."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QKeySequence, QShortcut
from PyQt6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QHBoxLayout, QLineEdit, QListWidget, QWidget

from rules.battle.overrides import Override
from rules.engine.position import Position
from rules.engine.preview import ActionPreview
from rules.tabletop.errors import user_error
from ui.battle.battle_session import BattleSession
from ui.battle.ruling import (
    Case,
    Ruling,
    case_before,
    cases_after,
    figures_of,
    holdings,
    override_words,
    status_changes,
)
from ui.desktop.widgets import button_with_tip, described, in_column, in_row, ok_and_cancel, plain_label
from ui.rules_text import display_name, translated
from ui.translation import tr

_SIZE = (620, 540)
_STATUS_ROWS = 3


class RulingDialog(QDialog):
    """Asks for an override.

    Attributes:
        statuses: Those that are added to figures.
    """

    def __init__(self, play: BattleSession, position: Position, cases: Sequence[Case], parent: QWidget | None) -> None:
        """Offer these cases of a battle, the likeliest first."""
        super().__init__(parent)
        self.setWindowTitle(tr("Overrule"))
        self.resize(*_SIZE)
        self._play, self._position, self._cases = play, position, tuple(cases)
        self._overrides: tuple[Override, ...] = ()
        self._case, self._figure, self._condition = QComboBox(), QComboBox(), QComboBox()
        self._outcomes, self._statuses, self._reason = QListWidget(), QListWidget(), QLineEdit()
        self.statuses: list[tuple[str, str]] = []
        for case in self._cases:
            self._case.addItem(case.shown)
        self._conditions = {translated(one): one for one in play.referee.conditions}
        self._condition.addItems(list(self._conditions))
        self._lay_out()
        self._take(0)

    @property
    def case(self) -> Case:
        return self._cases[self._case.currentIndex()]

    @property
    def override(self) -> Override | None:
        row = self._outcomes.currentRow()
        return self._overrides[row] if 0 <= row < len(self._overrides) else None

    @property
    def ruling(self) -> Ruling | None:
        """The players' decision; None if no outcome is chosen."""
        if self.override is None:
            return None
        return Ruling(self.case, self.override, self.reason, status_changes(self._play, self.statuses))

    @property
    def reason(self) -> str:
        return self._reason.text().strip()

    def _take(self, row: int) -> None:
        """Show the choices of this case."""
        self._case.setCurrentIndex(row)
        self._overrides = holdings(self._play, self._position, self.case)
        self._outcomes.clear()
        self._outcomes.addItems([override_words(one) for one in self._overrides])
        self._outcomes.setCurrentRow(0)
        self._figure.clear()
        for name in figures_of(self._play, self.case):
            self._figure.addItem(display_name(name), name)
        self._check()

    def _add(self) -> None:
        figure, words = self._figure.currentData(), self._condition.currentText().strip()
        status = self._conditions.get(words, words)
        if figure and words and (figure, status) not in self.statuses:
            self.statuses.append((figure, status))
            self._statuses.addItem(f"{display_name(figure)}: {words}")

    def _remove(self) -> None:
        row = self._statuses.currentRow()
        if row >= 0:
            self._statuses.takeItem(row)
            del self.statuses[row]

    def _check(self) -> None:
        if self._ok is not None:
            self._ok.setEnabled(bool(self.reason) and self.override is not None)

    def _lay_out(self) -> None:
        self._case.setAccessibleName(tr("What to overrule"))
        self._case.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._case.setToolTip(tr("The selected action, or one of the last results"))
        self._case.activated.connect(self._take)
        described(self._outcomes, tr("New result"), tr("All results that the rules allow, or no effect"))
        self._outcomes.setWordWrap(True)
        self._outcomes.currentRowChanged.connect(lambda _: self._check())
        self._reason.setAccessibleName(tr("Reason"))
        self._reason.setPlaceholderText(tr("such as: it stood behind the wagon"))
        self._reason.textChanged.connect(lambda _: self._check())
        buttons = ok_and_cancel(self)
        self._ok = buttons.button(QDialogButtonBox.StandardButton.Ok)
        if self._ok is not None:
            self._ok.setText(tr("Overrule"))
        in_column(
            plain_label(tr("What do you want to overrule?")),
            self._case,
            plain_label(tr("What happens instead?")),
            (self._outcomes, 1),
            plain_label(tr("Add a status to a soldier, if you like:")),
            self._figure_row(),
            self._statuses,
            plain_label(tr("Why? It goes into the history.")),
            self._reason,
            buttons,
            on=self,
        )

    def _figure_row(self) -> QHBoxLayout:
        self._figure.setAccessibleName(tr("Soldier"))
        self._condition.setEditable(True)
        described(self._condition, tr("Status"), tr("A status of the game, or your own word, such as pinned"))
        self._statuses.setAccessibleName(tr("Added statuses"))
        self._statuses.setFixedHeight(_STATUS_ROWS * self.fontMetrics().lineSpacing() + 8)
        add = button_with_tip(tr("Add"), tr("Add this status to the soldier"), self._add)
        remove = button_with_tip(tr("Remove"), tr("Remove the selected line (Delete)"), self._remove)
        for button in (add, remove):
            button.setAutoDefault(False)  # Return confirms the dialog
        delete = QShortcut(QKeySequence(Qt.Key.Key_Delete), self._statuses, self._remove)
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)
        return in_row((self._figure, 1), (self._condition, 2), add, remove)


def ask_ruling(
    play: BattleSession, position: Position, chosen: ActionPreview | None, parent: QWidget | None
) -> Ruling | None:
    """Ask how the players overrule the selected action or one of the last verdicts; None if they cancel.

    Raises:
        UserError: if there is nothing to overrule yet.
    """
    before = (case_before(chosen),) if chosen is not None and position.state.turn else ()
    cases = (*before, *cases_after(play))
    if not cases:
        raise user_error("There is nothing to overrule yet. Select an action first.")
    dialog = RulingDialog(play, position, cases, parent)
    agreed = dialog.exec() == RulingDialog.DialogCode.Accepted
    dialog.deleteLater()
    return dialog.ruling if agreed else None
