"""The round in progress, in which the figures are asked one after another."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QTimer

from rules.engine.position import Position
from rules.engine.referee import ActionPreview, preview_of
from ui.battle.battle_session import BattleSession
from ui.battle.round_sequence import RoundSequence, RoundState, rounds
from ui.desktop.battle.round_bar import RoundBar


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
        """Whether a round is in progress."""
        return self._sequence is not None

    def begin(self, play: BattleSession, name: str) -> None:
        """Start a round."""
        self._sequence, self.result = RoundSequence(play, name), ""

    def end(self) -> None:
        """Leave the round."""
        self._sequence, self.result = None, ""

    def ask(self, figure: str) -> None:
        """Tell the round which figure was selected; a figure that is not due ends the round."""
        if self._sequence is not None and self._moment is not None:
            self._sequence = self._sequence if self._sequence.go(figure, self._moment).figure == figure else None

    def show(self, play: BattleSession | None, position: Position | None) -> str:
        """Show the progress; return the current figure, empty if none."""
        self._moment = position
        if play is None or position is None:
            self._strip.offer(())
            self._strip.show_round(None)
            return ""
        self._strip.offer(rounds(play, position))
        state = self._sequence.look(position) if self._sequence is not None else None
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
