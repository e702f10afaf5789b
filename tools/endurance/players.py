"""Simulated players who act on what the camera sees and record what was confirmed."""

from __future__ import annotations

import random
from pathlib import Path

from rules.battle.battle import Battle
from rules.battle.journal import Entry
from rules.battle.replay import replay
from rules.engine.action import Action
from rules.engine.dice import Dice, DiceRequest, Roll, rolled
from rules.engine.position import Position
from rules.games import open_game
from rules.tabletop.errors import UserError
from ui.battle.battle_session import BattleSession, Proposal
from ui.battle.battle_setup import BattleSetup, begin, usual_armies
from ui.session import Session
from vision.table_view import TableView

GAME = "army_men"
MAX_ACTIONS = 400
"""Number of actions in a battle; all further actions are undone."""


class Players:
    """The simulated players of both sides."""

    def __init__(self, path: Path, session: Session, view: TableView, rng: random.Random) -> None:
        """Start a battle with all figures in view."""
        game = open_game(GAME)
        armies = usual_armies(game, ("green", "tan"), view.figures)
        self._path, self._session, self._rng = path, session, rng
        self.play = BattleSession(begin(path, lambda: 0.0, BattleSetup(GAME, armies)))
        self.entries: list[Entry] = []
        self.faults: list[str] = []
        self.accepted = self.passed = self.shifted = self.actions = self.taken_back = self.refused = 0
        self._apply(lambda: self.play.place_all(self._moment(view)))
        self._apply(lambda: self.play.go_on(self._moment(view)))

    def look(self, view: TableView) -> None:
        """Answer proposed moves; at random, act, undo an action, or advance the turn."""
        for drift in self._session.take_drifts():
            self._apply(lambda drift=drift: self.play.drifted(drift))  # type: ignore[misc]
        for _ in range(40):
            proposals = self.play.proposals(self._moment(view))
            if not proposals:
                break
            self._answer(view, proposals[0])
        else:
            self.faults.append("an answered question was asked again")
        if self._rng.random() < 0.5:
            self._act(self._moment(view))
        if self._rng.random() < 0.3:
            self._apply(lambda: self.play.go_on(self._moment(view)))
        if self._rng.random() < 0.1:
            self._lay()

    def _answer(self, view: TableView, proposal: Proposal) -> None:
        play, position, preview = self.play, self._moment(view), proposal.preview
        if preview.ambiguities:
            doubt = preview.ambiguities[0]
            self._apply(lambda: play.settle(doubt, self._rng.choice([*doubt.answers])))
        elif preview.possible and not preview.asks and self._accept(position, proposal):
            self.accepted += 1
        elif self._rng.random() < 0.5:
            self._apply(lambda: play.let_pass(position, proposal, "agreed at the table"))
            self.passed += 1
        else:
            self._apply(lambda: play.only_shifted(proposal))
            self.shifted += 1

    def _accept(self, position: Position, proposal: Proposal) -> bool:
        found = []
        self._apply(lambda: found.append(self.play.accept(position, proposal)))
        return bool(found) and found[0].allowed

    def _act(self, position: Position) -> None:
        """A figure shoots or takes another action; most actions are undone, and some redone."""
        name = self._rng.choice([*position.figures])
        try:
            available = self.play.available_actions(position, name)
        except UserError:
            return
        ways = [one.action for one in (*available.attacks, *available.others) if one.possible and not one.ambiguities]
        if not ways:
            return
        action = self._rng.choice(ways)
        if not self._apply(lambda: self.play.do(position, action, self._dice())):
            return
        self.actions += 1
        if self._rng.random() < 0.7 or self.actions > MAX_ACTIONS or _hurts(action):
            self._apply(self.play.battle.undo)
            self.taken_back += 1
            if self._rng.random() < 0.3:
                self._apply(self.play.battle.redo)
                self._apply(self.play.battle.undo)

    def _lay(self) -> None:
        """Place a ruler on the table, or remove all rulers."""
        session = self._session
        names = sorted(self.play.battle.state.units)
        if len(session.state.rulers) < 5:
            session.lay_ruler(*self._rng.sample(names, 2))
        else:
            session.clear()

    def _dice(self) -> Dice:
        def thrown(request: DiceRequest) -> Roll:
            return rolled(request, (self._rng.choice(request.die.faces) for _ in range(request.count)))

        return thrown

    def _moment(self, view: TableView) -> Position:
        return self.play.position(view, self._session.state.setup)

    def _apply(self, change: object) -> bool:
        """Apply a change and record all confirmed entries; a refusal by the rules is not a fault."""
        before = len(self.play.battle.entries)
        try:
            change()  # type: ignore[operator]
        except UserError:
            self.refused += 1
            return False
        finally:
            self.entries += self.play.battle.entries[before:]
        return True

    def checked(self) -> list[str]:
        """Close the battle and read it from disk; returns the differences from what was confirmed."""
        state = self.play.battle.state
        self.play.battle.close()
        faults = [*self.faults]
        with Battle.open(self._path, lambda: 0.0) as again:
            faults += [f"lost: {entry}" for entry in self.entries if entry not in again.entries]
            if again.state != state:
                faults.append("the journal folds into another state")
        faults += [f"replays otherwise: {one}" for one in replay(self._path)]
        return faults


def _hurts(action: Action) -> bool:
    """Whether the action can remove a figure from the battle."""
    return bool(action.at)
