"""The actions available now: each with its modifiers and exact odds, or the reason why it is not allowed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import takewhile
from types import MappingProxyType
from typing import Any

from rules.engine.action import Action
from rules.engine.ambiguity import Ambiguity, with_answers
from rules.engine.game import Question
from rules.engine.position import Position
from rules.engine.referee import Referee
from rules.engine.verdict import RuleRefusal, Verdict
from rules.engine.without_dice import verdict_before
from rules.tabletop.errors import UserError
from rules.tabletop.table import PointIn

NOT_ATTACKED = "not attacked"
"""The outcome for a target that is spared because of what happened to one before it."""


class Odds(dict[str, Fraction]):
    """The exact probability of every outcome.

    Attributes:
        harm: The probability that a target is changed for longer than this turn; None if the effects are unknown.
    """

    def __init__(self, odds: Mapping[str, Fraction] = MappingProxyType({}), harm: Fraction | None = None) -> None:
        super().__init__(odds)
        self.harm = harm


@dataclass(frozen=True, slots=True)
class ActionPreview:
    """An action with its verdict before the dice and its odds.

    Attributes:
        action: The action, with the players' answers.
        before: The verdict before the roll: the number needed and every modifier, or the rules that forbid it. None if
            the rule rolls first.
        odds: Its odds; empty if it is forbidden.
        refusal: Why the rules cannot be applied; empty if they can.
        refused_by: The rule concerned, if one is.
        ambiguities: The ambiguities to be settled first.
        asks: The facts that the players must supply, with their defaults.
        odds_of: The odds for each of several targets, without those of the others.
    """

    action: Action
    before: Verdict | None
    odds: Odds = field(default_factory=Odds)
    refusal: str = ""
    refused_by: str | None = None
    ambiguities: tuple[Ambiguity, ...] = ()
    asks: tuple[Question, ...] = ()
    odds_of: Mapping[str, Odds] = field(default_factory=dict)

    @property
    def possible(self) -> bool:
        """Whether the action is allowed."""
        return not self.refusal and (self.before is None or self.before.allowed)

    @property
    def harm(self) -> Fraction | None:
        """The probability that it harms its target, or the first of several; None without odds.

        The odds of further targets are not read: a machine gun has bursts at hundreds, and that takes seconds.
        """
        odds = self.odds or next(iter(self.odds_of.values()), None)
        return odds.harm if odds else None

    @property
    def why_not(self) -> str:
        """Why the action is not allowed, for the player; empty if it is allowed."""
        if self.possible or self.before is None:
            return self.refusal
        reasons = (f"{one.text.removesuffix('.')} ({one.rule})" for one in self.before.reasons)
        return "; ".join(reasons) or self.before.outcome


@dataclass(frozen=True, slots=True)
class AvailableActions:
    """All actions of a figure, allowed or not."""

    figure: str
    movement: ActionPreview
    attacks: tuple[ActionPreview, ...]
    others: tuple[ActionPreview, ...]


def available_actions(referee: Referee[Any], position: Position, figure: str) -> AvailableActions:
    """The actions of a figure now, with the reasons why some are not allowed.

    Raises:
        UserError: if the figure is not in the battle, or not on the table.
    """
    position.unit(figure)
    position.figure(figure)
    return AvailableActions(
        figure,
        preview_of(position, referee.movement(position, figure)),
        tuple(preview_of(position, action, referee) for action in referee.attacks(position, figure)),
        tuple(preview_of(position, action, referee) for action in referee.others(position, figure)),
    )


def at_spot(referee: Referee[Any], position: Position, figure: str, spot_in: PointIn) -> tuple[ActionPreview, ...]:
    """The actions of a figure at a place, with how it sees the place and the odds for each figure hit there.

    Raises:
        UserError: if the figure is not in the battle, or not on the table.
    """
    position.unit(figure)
    position.figure(figure)
    return tuple(preview_of(position, action, referee) for action in referee.at_spot(position, figure, spot_in))


def preview_of(position: Position, action: Action, referee: Referee[Any] | None = None) -> ActionPreview:
    """Preview an action, with the facts that the players have supplied and settled so far.

    With a referee, who knows the effects of verdicts, the odds include the probability of harm.
    """
    action, doubts, asks = with_answers(position, action)
    if in_set_up(position, action):
        return ActionPreview(action, None, refusal=SET_UP, asks=asks)
    if action.blocked_by is not None:
        return ActionPreview(action, action.blocked_by, asks=asks)
    try:
        before = verdict_before(position.game, action)
        rolls = action.has_odds and (before is None or before.allowed)
        odds = _odds(position, action, referee) if rolls and not action.each else Odds()
        odds_of = _OddsOfEach(position, action, referee) if rolls and action.each else {}
        return ActionPreview(action, before, odds, ambiguities=doubts, asks=asks, odds_of=odds_of)
    except UserError as refusal:
        rule = refusal.rule if isinstance(refusal, RuleRefusal) else None
        return ActionPreview(action, None, refusal=str(refusal), refused_by=rule, ambiguities=doubts, asks=asks)


def preview_without_odds(position: Position, action: Action) -> ActionPreview:
    """Preview an action without its odds, which take the longest to compute."""
    return preview_of(position, replace(action, has_odds=False))


def _odds(position: Position, action: Action, referee: Referee[Any] | None) -> Odds:
    """The odds of an action; without a referee, the probability of harm stays unknown."""

    def result_of(found: Verdict) -> tuple[str, bool]:
        if referee is None or not action.at or not found.allowed:
            return found.outcome, False
        lasting = (one for one in referee.effects(position, action, found).changes if not one.this_turn)
        return found.outcome, any(one.figure in action.at and one.key not in referee.harmless for one in lasting)

    odds, harm = Odds(), Fraction(0)
    for (outcome, harms), chance in position.game.odds_of(action.name, action.given, result_of).items():
        odds[outcome] = odds.get(outcome, Fraction(0)) + chance
        harm += chance * harms
    odds.harm = harm if referee else None
    return odds


class _OddsOfEach(Mapping[str, Odds]):
    """The odds for each of an action's targets, computed when first read.

    A machine gun facing thirty enemies has a list of bursts with hundreds of targets, of which one burst's are shown.
    """

    def __init__(self, position: Position, action: Action, referee: Referee[Any] | None) -> None:
        self._position, self._action, self._referee = position, action, referee
        self._odds: dict[str, Odds] = {}

    def __getitem__(self, name: str) -> Odds:
        if name not in self._odds:
            alone = replace(self._action, at=(name,), given=self._given(name))
            odds = _odds(self._position, alone, self._referee)
            self._odds[name] = _if_attacked(odds, self._chance_of_attack(name))
        return self._odds[name]

    def _given(self, name: str) -> Mapping[str, Any]:
        return {**self._action.given, **self._action.each[name]}

    def _chance_of_attack(self, name: str) -> Fraction:
        """The probability that no target before this one ends the action."""
        action, chance = self._action, Fraction(1)
        for before in takewhile(name.__ne__, action.each if action.each_until else ()):
            ends = self._position.game.odds(action.name, self._given(before), action.each_until)
            chance *= 1 - ends.get(True, Fraction(0))
        return chance

    def __iter__(self) -> Iterator[str]:
        return iter(self._action.each)

    def __len__(self) -> int:
        return len(self._action.each)


def _if_attacked(odds: Odds, chance: Fraction) -> Odds:
    """The odds of an attack that is made with this probability."""
    if chance == 1:
        return odds
    scaled = {outcome: chance * each for outcome, each in odds.items()}
    return Odds({**scaled, NOT_ATTACKED: 1 - chance}, None if odds.harm is None else chance * odds.harm)


def obligations(referee: Referee[Any], position: Position) -> tuple[ActionPreview, ...]:
    """Everything that must be done, or waived by name, before the phase may end; also what waits for an answer."""
    owed = (preview_without_odds(position, action) for action in referee.obligations(position) if action.owed)
    return tuple(one for one in owed if is_owed(one))


def is_owed(preview: ActionPreview) -> bool:
    """Whether an action must be done before the phase may end, and can be, if need be after an answer."""
    waits = bool(preview.asks) and preview.refusal not in ("", SET_UP)
    return bool(preview.action.owed) and (preview.possible or waits)


SET_UP = "not started yet: begin the first turn"


def in_set_up(position: Position, action: Action) -> bool:
    """Whether the action is one of figures and the first turn has not begun."""
    return bool(action.by) and not position.state.turn
