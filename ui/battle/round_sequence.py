"""Rounds that ask one figure after another: morale, wounds, simultaneous fire, opportunity fire."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from rules.engine.action import Action
from rules.engine.position import Position
from rules.engine.preview import preview_of
from rules.engine.referee import FIRE
from ui.battle.action_text import round_words
from ui.battle.battle_session import BattleSession
from ui.formatting import capitalized
from ui.rules_text import display_name
from ui.translation import tr

PATIENCE = 2
"""Figures that one call may examine, so that the window does not wait."""


class RoundMark(StrEnum):
    """The state of a figure in a round."""

    OPEN = "open"
    DONE = "done"
    SKIPPED = "skipped"
    IDLE = "idle"


@dataclass(frozen=True, slots=True)
class RoundStep:
    """A figure in a round, by its id, and its state."""

    figure: str
    mark: RoundMark

    @property
    def words(self) -> str:
        """Such as "✓ Tan 4" or "Tan 5, skipped"."""
        name = display_name(self.figure)
        match self.mark:
            case RoundMark.DONE:
                return f"✓ {name}"
            case RoundMark.SKIPPED:
                return tr("{soldier}, skipped", soldier=name)
            case _:
                return name


@dataclass(frozen=True, slots=True)
class RoundState:
    """The state of a round.

    Attributes:
        name: The round's name.
        steps: All its figures, in order.
        at: Index of the current figure; None if none is left.
        looking: Whether the next figure is not known yet.
    """

    name: str
    steps: tuple[RoundStep, ...]
    at: int | None
    looking: bool = False

    @property
    def listed(self) -> tuple[RoundStep, ...]:
        """The figures without those that have nothing to do."""
        return tuple(step for step in self.steps if step.mark is not RoundMark.IDLE)

    @property
    def figure(self) -> str:
        """Id of the current figure; empty if there is none."""
        return self.steps[self.at].figure if self.at is not None else ""

    @property
    def title(self) -> str:
        """The round in the player's language, such as "Morale"."""
        return capitalized(round_words(self.name))

    @property
    def words(self) -> str:
        """Such as "Morale, 3 of 5: Tan 4"."""
        listed = [step.figure for step in self.listed]
        if self.at is not None:
            number, count = listed.index(self.figure) + 1, len(listed)
            return tr(
                "{name}, {number} of {count}: {soldier}",
                name=self.title, number=number, count=count, soldier=display_name(self.figure),
            )  # fmt: skip
        if self.looking:
            return tr("{name}: finding the next soldier…", name=self.title)
        skipped = sum(step.mark is RoundMark.SKIPPED for step in self.steps)
        if skipped:
            return tr("{name}: {count} skipped", name=self.title, count=skipped)
        return tr("{name}: all done", name=self.title) if listed else tr("{name}: nobody can act", name=self.title)


def rounds(play: BattleSession, position: Position, chosen: str = "") -> tuple[str, ...]:
    """Names of the possible rounds now: obligations first, then attacks, unless `chosen` is an enemy of their side."""
    if not position.state.turn:
        return ()
    owed = dict.fromkeys(action.round for action in play.referee.obligations(position) if action.round and action.by)
    side, unit = position.state.side, position.state.units.get(chosen)
    if side and unit is not None and unit.side != side:
        return tuple(owed)
    return (*owed, *(name for name in play.referee.rounds(position) if name not in owed))


class RoundSequence:
    """Leads through one round: it knows which figures are done or skipped, and which is next.

    Whether a figure can attack takes long to compute, so only figures that might be next are examined.
    """

    def __init__(self, play: BattleSession, name: str) -> None:
        """Prepare a round; the first `look` selects its first figure."""
        self.name = name
        self._play = play
        self._order: list[str] = []
        self._skipped: set[str] = set()
        self._idle: set[str] = set()
        self._done: set[str] = set()
        self._last = self._at = ""
        self._moment: Position | None = None
        self._owed: dict[str, tuple[Action, ...]] = {}

    def advance(self, position: Position, patience: int = PATIENCE) -> RoundState:
        """Go on to the next figure if the current one is done or has nothing to do, and return the round's state.

        If examining `patience` figures is not enough, the result is `looking`.
        """
        self._take(position)
        for name in self._coming():
            if not patience:
                return self._state(looking=True)
            patience -= 1
            if self._is_open(name):
                self._last = self._at = name
                return self._state()
            self._idle.add(name)
        self._at = ""
        return self._state()

    @property
    def idle(self) -> frozenset[str]:
        """The figures that were found to have nothing to do."""
        return frozenset(self._idle)

    def actions(self, position: Position) -> tuple[Action, ...]:
        """The actions of the current figure in this round."""
        self._take(position)
        return self._actions_of(self._at) if self._at else ()

    def skip(self, position: Position) -> RoundState:
        """Skip the current figure; `back` and `go` return to it."""
        if self._at:
            self._skipped.add(self._at)
        return self.advance(position)

    def back(self, position: Position) -> RoundState:
        """Return to the previous figure that is not done, cyclically."""
        self._take(position)
        here = self._order.index(self._at) if self._at else len(self._order)
        previous = [*self._order[:here][::-1], *self._order[here + 1 :][::-1]]
        found = next((name for name in previous if self._is_open(name)), "")
        return self.go(found, position) if found else self.advance(position)

    def go(self, figure: str, position: Position) -> RoundState:
        """Make this figure the next, if it has anything to do."""
        if figure in self._order:
            self._skipped.discard(figure)
            self._idle.discard(figure)
            self._last = figure
        return self.advance(position)

    def _take(self, position: Position) -> None:
        """Update to the battle's position; after an undo, all idle figures are examined again."""
        if position is self._moment:
            return
        self._moment, done = position, self._play.acted
        if undone := [name for name in self._order if name in self._done - done]:
            self._idle.clear()
            self._last = undone[0]
        self._done = done
        owed = [
            action for action in self._play.referee.obligations(position) if action.round == self.name and action.by
        ]
        self._owed = {action.by[0]: tuple(own for own in owed if own.by[0] == action.by[0]) for action in owed}
        self._idle -= self._owed.keys()
        coming: Iterable[str] = self._owed
        if self.name in self._play.referee.rounds(position):
            ready = self._play.referee.ready
            coming = (name for name in able_to_attack(position) if name in done or ready(position, position.unit(name)))
        self._order += [name for name in coming if name not in self._order]

    def _coming(self) -> list[str]:
        """The current figure and those after it, cyclically."""
        here = self._order.index(self._last) if self._last in self._order else 0
        names = [*self._order[here:], *self._order[:here]]
        return [name for name in names if name not in self._skipped and name not in self._idle]

    def _actions_of(self, figure: str) -> tuple[Action, ...]:
        if figure in self._owed:
            return self._owed[figure]
        position = self._moment
        if position is None or figure not in position.figures or position.unit(figure).out:
            return ()
        every = self._play.referee.attacks(position, figure)
        return tuple(action for action in every if (action.round or FIRE) == self.name)

    def _is_open(self, figure: str) -> bool:
        return self._moment is not None and any(_possible(self._moment, action) for action in self._actions_of(figure))

    def _state(self, *, looking: bool = False) -> RoundState:
        steps = tuple(RoundStep(name, self._mark(name)) for name in self._order)
        at = None if looking or not self._at else self._order.index(self._at)
        return RoundState(self.name, steps, at, looking)

    def _mark(self, name: str) -> RoundMark:
        if name in self._skipped:
            return RoundMark.SKIPPED
        if name != self._at and name in self._done and name not in self._owed:
            return RoundMark.DONE
        return RoundMark.IDLE if name in self._idle else RoundMark.OPEN


def able_to_attack(position: Position) -> list[str]:
    """Ids of figures that may attack in this phase, in the order of the battle."""
    side = position.state.side
    units = position.state.units.values()
    return [unit.id for unit in units if unit.id in position.figures and not unit.out and side in ("", unit.side)]


def able_to_act(play: BattleSession, position: Position) -> list[str]:
    """Those of them that have not acted and that no rule stops, whatever they see."""
    done = play.acted
    return [
        name
        for name in able_to_attack(position)
        if name not in done and play.referee.ready(position, position.unit(name))
    ]


def can_act(play: BattleSession, position: Position, figure: str) -> bool:
    """Whether a figure has a possible action: a move, an attack at a target that it sees, or something it owes."""
    referee = play.referee
    if any(action.by == (figure,) for action in referee.obligations(position)):
        return True
    if referee.moves(position) and _possible(position, referee.movement(position, figure)):
        return True
    every = itertools.chain(referee.attacks(position, figure), referee.others(position, figure))
    return any(_possible(position, action) for action in every)


def _possible(position: Position, action: Action) -> bool:
    """Whether the action is possible, without computing its odds or ambiguities."""
    return preview_of(position, replace(action, has_odds=False, measured=())).possible
