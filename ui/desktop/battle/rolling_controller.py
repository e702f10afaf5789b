"""Leads an action through its dice on the battle card, while the rest of the window works on."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from rules.engine.dice import DiceRequest
from rules.engine.text import action_with_actors
from rules.tabletop.errors import UserError
from ui.battle.dice import RollingAction, virtual_dice
from ui.desktop.battle.dice_card import DiceCard
from ui.desktop.battle.panel import BattlePanel
from ui.rules_text import translated
from ui.translation import tr


class RollingController:
    """Shows the dice requests of one action after another, and reports its result.

    Attributes:
        dice: Rolls for the players if they let the program roll.
        card: The open dice request; None if there is none.
    """

    def __init__(
        self,
        panel: BattlePanel,
        chance: random.Random,
        attempt: Callable[[Callable[[], object]], None],
        finish: Callable[[Sequence[RollingAction]], None],
    ) -> None:
        """Show the requests in `panel`; `chance` rolls the program's own dice, `attempt` shows the players a refusal.

        `finish` receives the actions that are done: one, or several that were rolled together.
        """
        self._panel, self._chance, self._attempt, self._finish = panel, chance, attempt, finish
        self.dice = virtual_dice(chance)
        self._rolling: RollingAction | None = None
        self._needed = ""
        self.card: DiceCard | None = None

    def __bool__(self) -> bool:
        """Whether dice must be rolled before anything else can be done."""
        return self._rolling is not None

    def check_none(self) -> None:
        """Raise a `UserError` if dice must be rolled first."""
        if self._rolling is not None:
            words = tr("Roll the dice first, or cancel the action.")
            raise UserError(words if self._rolling.may_cancel else tr("Roll the remaining dice first."))

    def begin(self, rolling: RollingAction, needed: str) -> None:
        """Lead this action through its dice; `needed` is the number needed by its first roll."""
        self._rolling, self._needed = rolling, needed
        self._advance(lambda: None)

    def roll(self, rolling: RollingAction) -> None:
        """Roll all dice of this action without asking for them."""
        rolling.answer_all(self.dice)
        self._finish((rolling,))

    def roll_series(self, rolling: RollingAction) -> None:
        """Roll this action and all others of its kind that the phase needs, such as the morale of an army."""
        self._rolling = rolling
        self._roll_all()

    def cancel(self) -> None:
        """End the action without a result; nothing has happened in the battle."""
        if self._rolling is not None:
            self._rolling.cancel()
            self._close()

    def cancel_unless_begun(self) -> None:
        """Take the action back as the players wish, unless a die was rolled for it."""
        if self.card is not None and self.card.may_cancel:
            self.cancel()
            self._panel.take_focus()

    def _advance(self, answer: Callable[[], object]) -> None:
        """Answer the current request, then ask for the next dice or report the result."""
        self._attempt(lambda: self._answered(answer))

    def _answered(self, answer: Callable[[], object]) -> None:
        rolling = self._rolling
        if rolling is None:
            return
        try:
            answer()
        finally:
            if rolling.request is None:
                self._close()
        if rolling.request is None:
            self._finish((rolling,))
        else:
            self._ask(rolling, rolling.request)

    def _ask(self, rolling: RollingAction, request: DiceRequest) -> None:
        """Show the card of a request."""
        card = DiceCard(request, self._chance)
        words = translated(action_with_actors(rolling.action.by, rolling.action.words))
        card.show_action(words, "" if rolling.throws else self._needed, rolling.throws)
        same = len(rolling.same)
        if same > 1:
            tip = tr("Let the program make this roll and all others of this kind")
            card.offer_all(tr("Roll all {count}", count=same), tip)
        elif rolling.more_follows:
            card.offer_all(tr("Roll all"), tr("Let the program roll these dice and all that follow"))
        card.rolled.connect(lambda roll: self._advance(lambda: rolling.answer(roll)))
        card.roll_all.connect(lambda: self._attempt(self._roll_all))
        card.cancelled.connect(self.cancel_unless_begun)
        self.card = card
        self._panel.show_dice(card)

    def _roll_all(self) -> None:
        """Roll the rest of the action and, in a series such as the morale of an army, all the others."""
        rolling = self._rolling
        if rolling is None:
            return
        done = [rolling]
        try:
            rolling.answer_all(self.dice)
            while (following := done[-1].following({one.action.words for one in done})) is not None:
                following.answer_all(self.dice)
                done.append(following)
        finally:
            self._close()
            self._finish([one for one in done if one.verdict is not None])

    def _close(self) -> None:
        self._rolling = self.card = None
        self._panel.show_dice(None)
