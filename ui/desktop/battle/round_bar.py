"""Leads through a round, in which the figures are asked one after another: who is due, done or skipped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtWidgets import QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from rules.engine.position import Position
from rules.engine.preview import ActionPreview, preview_of
from ui.battle.action_text import round_words
from ui.battle.battle_session import BattleSession
from ui.battle.round_sequence import RoundMark, RoundSequence, RoundState, rounds
from ui.desktop.widgets import button_with_tip, clear_layout, in_column, in_row, set_font, show_words, wrapping_label
from ui.formatting import capitalized
from ui.translation import tr

_LEAST_ROWS, _ROWS = 1, 4


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

    def __init__(self) -> None:
        super().__init__()
        self._words, self._result = wrapping_label(), wrapping_label()
        self._steps, self._round_box = QListWidget(), QWidget()
        self._offers = QVBoxLayout()
        self._offered: tuple[str, ...] = ()
        self._shown: RoundState | None = None
        self._lay_out()
        self.show_round(None)

    @property
    def words(self) -> str:
        """The name of the round and the current figure."""
        return self._words.text() if self._shown is not None else ""

    def offer(self, names: Sequence[str]) -> None:
        """Offer these rounds; shown while no figure of a round is due."""
        if tuple(names) != self._offered:
            self._offered = tuple(names)
            clear_layout(self._offers)
            for number, name in enumerate(self._offered):
                tip, key = tr("Go through all soldiers of this round, one by one"), "" if number else "X"
                words = tr("{round}: one by one", round=capitalized(round_words(name)))
                full_tip = f"{tip} ({key})" if key else tip
                self._offers.addWidget(button_with_tip(words, full_tip, partial(self.started.emit, name), key))
        self.setVisible(bool(self._offered) or self._shown is not None)

    def show_round(self, state: RoundState | None, result: str = "") -> None:
        """Show a round's progress and the last result in it; None if no round is in progress."""
        self._round_box.setVisible(state is not None)
        over = state is None or not (state.figure or state.looking)
        for place, name in enumerate(self._offered):
            item = self._offers.itemAt(place)
            if item is not None and (button := item.widget()) is not None:
                button.setVisible(over and (state is None or name != state.name))
        self.setVisible(state is not None or bool(self._offered))
        show_words(self._result, result)
        if state is None or state == self._shown:
            self._shown = state
            return
        self._shown = state
        self._words.setText(state.words)
        self._steps.blockSignals(True)
        self._steps.clear()
        for step in state.listed:
            line = QListWidgetItem(step.words)
            line.setData(Qt.ItemDataRole.UserRole, step.figure)
            if step.mark is RoundMark.DONE:
                line.setForeground(self.palette().placeholderText())
            self._steps.addItem(line)
            if step.figure == state.figure:
                self._steps.setCurrentItem(line)
                self._steps.scrollToItem(line, QListWidget.ScrollHint.PositionAtTop)
        self._steps.setVisible(self._steps.count() > 0)
        self._steps.setMaximumHeight(min(self._steps.count(), _ROWS) * self.fontMetrics().lineSpacing() + 10)
        self._steps.blockSignals(False)

    def _lay_out(self) -> None:
        set_font(self._words, bold=True)
        self._words.setAccessibleName(tr("Round"))
        self._result.setAccessibleName(tr("Last result"))
        self._steps.setAccessibleName(tr("Soldiers of the round"))
        row_px = self.fontMetrics().lineSpacing()
        self._steps.setMinimumHeight(_LEAST_ROWS * row_px + 10)  # else a small window would grow
        self._steps.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._steps.itemClicked.connect(lambda item: self.gone.emit(item.data(Qt.ItemDataRole.UserRole)))
        buttons = []
        for text, key, tip, signal in (
            (tr("Back"), "Alt+Left", tr("Go back to the last soldier that is not done"), self.back),
            (tr("Skip"), "Alt+Right", tr("Skip this soldier; you can come back"), self.skipped),
            (tr("Leave"), "Alt+Up", tr("Leave the round; you can start it again"), self.left),
        ):
            buttons.append(button_with_tip(text, f"{tip} ({key})", signal.emit, key))
        in_column(self._words, self._result, self._steps, in_row(*buttons), on=self._round_box, margin=0)
        in_column(self._offers, self._round_box, on=self, margin=0)


class RoundController:
    """Leads through a round and shows its progress.

    Attributes:
        result: The result of the last action, shown above the next figure.
    """

    def __init__(self, strip: RoundBar, turned: Callable[[], object], show: Callable[[], object]) -> None:
        """Show rounds in `strip`; `turned` is called on a change to another figure, `show` refreshes everything."""
        self.result = ""
        self._strip, self._turned, self._show = strip, turned, show
        self._sequence: RoundSequence | None = None
        self._moment: Position | None = None
        strip.skipped.connect(lambda: self._turn(RoundSequence.skip))
        strip.back.connect(lambda: self._turn(RoundSequence.back))
        strip.gone.connect(lambda name: self._turn(lambda walker, position: walker.go(name, position)))

    def __bool__(self) -> bool:
        return self._sequence is not None

    @property
    def name(self) -> str:
        """The round in progress; empty if there is none."""
        return self._sequence.name if self._sequence is not None else ""

    @property
    def idle(self) -> frozenset[str]:
        """The figures of the round that are known to have nothing to do in it."""
        return self._sequence.idle if self._sequence is not None else frozenset()

    def begin(self, play: BattleSession, name: str) -> None:
        self._sequence, self.result = RoundSequence(play, name), ""

    def end(self) -> None:
        self._sequence, self.result = None, ""

    def ask(self, figure: str) -> None:
        """Tell the round which figure was selected; a figure that is not due ends the round."""
        if self._sequence is not None and self._moment is not None:
            self._sequence = self._sequence if self._sequence.go(figure, self._moment).figure == figure else None

    def show(self, play: BattleSession | None, position: Position | None, chosen: str = "") -> str:
        """Show the progress, or the rounds to start beside the chosen figure; return the current one, empty if none."""
        self._moment = position
        if play is None or position is None:
            self._strip.offer(())
            self._strip.show_round(None)
            return ""
        self._strip.offer(rounds(play, position, chosen))
        state = self._sequence.advance(position) if self._sequence is not None else None
        self._strip.show_round(state, self.result)
        if state is not None and state.looking:
            QTimer.singleShot(0, self._continue_search)
        return state.figure if state is not None else ""

    def previews(self, play: BattleSession, position: Position) -> list[ActionPreview]:
        """The actions that the round asks of the current figure."""
        actions = self._sequence.actions(position) if self._sequence is not None else ()
        return [preview_of(position, action, play.referee) for action in actions]

    def _turn(self, change: Callable[[RoundSequence, Position], RoundState]) -> None:
        if self._sequence is not None and self._moment is not None:
            change(self._sequence, self._moment)
            self.result = ""
            self._turned()

    def _continue_search(self) -> None:
        """Search for the next figure, a few at a time, so that the window stays responsive."""
        if self._sequence is not None:
            self._show()
