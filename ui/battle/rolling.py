"""An action whose dice are being rolled, one request after another. No Qt here."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from rules.engine.dice import Dice, DiceRequest, Procedure, Roll
from rules.engine.position import Position
from rules.engine.referee import Action, ActionPreview
from rules.engine.verdict import Verdict
from ui.battle.battle_session import BattleSession

Throws = tuple[tuple[DiceRequest, Roll], ...]
"""Dice that were rolled, each with its request."""


def needs_dice(preview: ActionPreview) -> bool:
    """Whether dice decide a possible action."""
    unknown = not preview.action.has_odds and preview.before is None
    return preview.possible and (unknown or len(preview.odds) > 1 or bool(preview.odds_of))


def alike(action: Action, others: Sequence[ActionPreview]) -> tuple[Action, ...]:
    """The obligations of an action's kind that can be rolled now, such as all morale checks; empty if none is owed."""
    kind = [one for one in others if action.owed and one.action.owed and one.action.name == action.name]
    return tuple(one.action for one in kind if one.possible and not one.ambiguities)


class RollingAction:
    """Leads an action through its dice. A roll is final; the battle changes only with the last one.

    Attributes:
        action: The action.
        position: The position in which it was begun.
        request: The dice that it needs next; None after the last roll, or if it was cancelled.
        throws: The rolls so far.
        verdict: The result, once all dice are rolled.
    """

    def __init__(self, play: BattleSession, position: Position, action: Action) -> None:
        """Begin an action; raises as `BattleSession.do`, also in `answer`."""
        self.action, self.position, self._play = action, position, play
        self.request: DiceRequest | None = None
        self.throws: Throws = ()
        self.verdict: Verdict | None = None
        self._procedure: Procedure[Verdict] = play.doing(position, action)
        self._advance(None)

    @property
    def may_cancel(self) -> bool:
        """Whether the players may take the action back: until the first die is rolled."""
        return self.request is not None and not self.throws

    @property
    def more_follows(self) -> bool:
        """Whether it may ask for more dice after this request."""
        rolls = [roll for _, roll in self.throws]
        return self.request is not None and self._play.asks_again(self.position, self.action, rolls, self.request)

    @property
    def same(self) -> tuple[Action, ...]:
        """The rolls of its kind that the phase still needs, such as all morale checks; empty if none is needed."""
        return alike(self.action, self._play.owed(self._now)) if self.action.owed else ()

    def following(self, done: Collection[str]) -> RollingAction | None:
        """The next roll of its kind whose words are not in `done`, begun; None after the last."""
        action = next((one for one in self.same if one.words not in done), None)
        return None if action is None else RollingAction(self._play, self._now, action)

    @property
    def _now(self) -> Position:
        """The position after what has happened since it was begun."""
        return replace(self.position, state=self._play.battle.state)

    def answer(self, roll: Roll) -> None:
        """Use a roll for the current request."""
        if self.request is not None:
            self.throws = (*self.throws, (self.request, roll))
            self._advance(roll)

    def answer_all(self, dice: Dice) -> None:
        """Roll everything that is left."""
        while self.request is not None:
            self.answer(dice(self.request))

    def cancel(self) -> None:
        """End it without a result; nothing has happened in the battle."""
        self.request = None
        self._procedure.close()

    def _advance(self, roll: Roll | None) -> None:
        self.request = None  # also if the rules or the disk refuse it
        try:
            self.request = next(self._procedure) if roll is None else self._procedure.send(roll)
        except StopIteration as end:
            self.verdict = end.value
