"""The bar that leads through a round: which figure is due, done or skipped."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QWidget

from ui.battle.action_text import round_words
from ui.battle.round_sequence import Mark, RoundState
from ui.desktop.battle.pending_moves import clear_layout
from ui.desktop.labels import wrapping_label
from ui.desktop.layouts import button_with_tip, in_column, in_row
from ui.translation import tr

_ROWS = 4


class RoundBar(QWidget):
    """Offers rounds and shows the one in progress.

    Signals:
        started: Start a round (its name).
        skipped, back, left: Skip the current figure; go back; leave the round.
        gone: Go to this figure.
    """

    started = pyqtSignal(str)
    skipped = pyqtSignal()
    back = pyqtSignal()
    left = pyqtSignal()
    gone = pyqtSignal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words, self._result = wrapping_label(), wrapping_label()
        self._steps, self._round_box = QListWidget(), QWidget()
        self._offers = QHBoxLayout()
        self._offered: tuple[str, ...] = ()
        self._shown: RoundState | None = None
        self._lay_out()
        self.show_round(None)

    @property
    def words(self) -> str:
        """The name of the round and the current figure."""
        return self._words.text() if self._shown is not None else ""

    @property
    def steps(self) -> tuple[str, ...]:
        """All figures of the round, as text."""
        return tuple(step.words for step in self._shown.steps) if self._shown is not None else ()

    def offer(self, rounds: Sequence[str]) -> None:
        """Offer these rounds; shown while no round is in progress."""
        if tuple(rounds) != self._offered:
            self._offered = tuple(rounds)
            clear_layout(self._offers)
            for number, name in enumerate(self._offered):
                tip, key = tr("Go through all soldiers of this round, one by one"), "" if number else "X"
                words = tr("Start {name}", name=round_words(name))
                button = button_with_tip(words, f"{tip} ({key})" if key else tip, partial(self.started.emit, name))
                button.setShortcut(key)
                self._offers.addWidget(button)
        self.setVisible(bool(self._offered) or self._shown is not None)

    def show_round(self, state: RoundState | None, result: str = "") -> None:
        """Show a round's progress and the last result in it; None if no round is in progress."""
        self._round_box.setVisible(state is not None)
        for place in range(self._offers.count()):
            item = self._offers.itemAt(place)
            if item is not None and (button := item.widget()) is not None:
                button.setVisible(state is None)
        self.setVisible(state is not None or bool(self._offered))
        self._result.setText(result)
        self._result.setVisible(bool(result))
        if state is None or state == self._shown:
            self._shown = state
            return
        self._shown = state
        self._words.setText(state.words)
        self._steps.blockSignals(True)
        self._steps.clear()
        for step in state.steps:
            line = QListWidgetItem(step.words)
            line.setData(Qt.ItemDataRole.UserRole, step.figure)
            if step.mark in (Mark.DONE, Mark.IDLE):
                line.setForeground(self.palette().placeholderText())
            self._steps.addItem(line)
        self._steps.setCurrentRow(-1 if state.at is None else state.at)
        self._steps.blockSignals(False)

    def _lay_out(self) -> None:
        bold = self._words.font()
        bold.setBold(True)
        self._words.setFont(bold)
        self._words.setAccessibleName(tr("Round"))
        self._result.setAccessibleName(tr("Last result"))
        self._steps.setAccessibleName(tr("Soldiers of the round"))
        self._steps.setFixedHeight(_ROWS * self.fontMetrics().lineSpacing() + 10)
        self._steps.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._steps.itemClicked.connect(lambda item: self.gone.emit(item.data(Qt.ItemDataRole.UserRole)))
        buttons = []
        for text, key, tip, signal in (
            (tr("Back"), "Alt+Left", tr("Go back to the last soldier that is not done"), self.back),
            (tr("Skip"), "Alt+Right", tr("Skip this soldier; you can come back"), self.skipped),
            (tr("Leave"), "Alt+Up", tr("Leave the round; you can start it again"), self.left),
        ):
            buttons.append(button_with_tip(text, f"{tip} ({key})", signal.emit))
            buttons[-1].setShortcut(key)
        in_column(self._words, self._result, self._steps, in_row(*buttons), on=self._round_box, margin=0)
        in_column(self._offers, self._round_box, on=self, margin=0)
