"""The way to the first shot of a battle: what the players must do next. No Qt here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from rules.engine.events import ActionResolved, PhaseBegun
from rules.engine.position import Position
from rules.engine.preview import ActionPreview
from rules.engine.referee import FIRE
from ui.battle.action_text import ranked
from ui.battle.battle_session import BattleSession
from ui.battle.round_sequence import RoundSequence


class Need(StrEnum):
    """What the player must do next."""

    PHASE = "phase"
    MOVE = "move"
    MOVES = "moves"
    SOLDIER = "soldier"
    TARGET = "target"
    ROLL = "roll"
    DUTY = "duty"
    CHOICE = "choice"
    DICE = "dice"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class ShotStep:
    """The next thing to do, and the figure to click for it; empty if none is, or if it is still searched for."""

    need: Need
    figure: str = ""


class FirstShot:
    """Watches one battle after another until a figure has fired."""

    def __init__(self) -> None:
        self._sequence: RoundSequence | None = None
        self._of: tuple[BattleSession, str] | None = None

    def next_step(
        self,
        play: BattleSession,
        position: Position,
        selected: ActionPreview | None,
        previews: Sequence[ActionPreview] = (),
        *,
        is_rolling: bool = False,
        must_answer: bool = False,
    ) -> ShotStep:
        """The next step.

        `previews` are the actions shown, of the selected figure or of a side; `must_answer` says that moves wait for
        an answer.
        """
        if is_rolling:
            return ShotStep(Need.DICE)
        can_fire = FIRE in play.referee.rounds(position)
        if _has_fired(play, can_fire):
            return ShotStep(Need.NOTHING)
        if selected is not None and selected.possible and _target(selected):
            return ShotStep(Need.ROLL)
        if selected is not None and selected.possible and selected.action.owed:
            return ShotStep(Need.DUTY)
        if sum(one.possible and bool(one.action.owed) and not one.action.by for one in previews) > 1:
            return ShotStep(Need.CHOICE)  # such as which side begins; the turn bar's button cannot choose
        if must_answer:
            return ShotStep(Need.MOVES)
        if not can_fire:
            moves = position.state.turn and play.referee.moves(position)
            return ShotStep(Need.MOVE if moves else Need.PHASE)
        best = next((target for number in ranked(previews).best if (target := _target(previews[number]))), "")
        return ShotStep(Need.TARGET, best) if best else self._shooter(play, position)

    def _shooter(self, play: BattleSession, position: Position) -> ShotStep:
        """A figure that can fire in this phase; one figure is examined per call, because that takes long."""
        of = (play, f"{position.state.turn} {position.state.side} {position.state.phase}")
        if self._sequence is None or of != self._of:
            self._sequence, self._of = RoundSequence(play, FIRE), of
        state = self._sequence.advance(position, patience=1)
        return ShotStep(Need.SOLDIER, state.figure) if state.figure or state.looking else ShotStep(Need.PHASE)


def _target(preview: ActionPreview) -> str:
    action = preview.action
    return next((name for name in action.at if name not in action.by), "") if action.by else ""


def _has_fired(play: BattleSession, can_fire: bool) -> bool:
    """Whether a figure has attacked another since the phase began or, while any figure `can_fire`, rolled dice."""
    for event in reversed([*play.battle.in_force.values()]):
        if isinstance(event, PhaseBegun):
            return False
        if isinstance(event, ActionResolved) and event.by and event.throws and (can_fire or event.at):
            return True
    return False
