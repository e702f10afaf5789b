"""Plays scripted battles like the program: measure, ask the rules, roll, apply the effects, write the journal."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rules.battle.battle import Battle, events_of
from rules.battle.history import history_of
from rules.battle.journal import event_of, standing
from rules.battle.referees import perform, position_of, referee_of
from rules.battle.replay import replay
from rules.battle.story import story_lines
from rules.engine.action import Action
from rules.engine.dice import DiceRequest, Roll, Scripted
from rules.engine.events import Change, Changed, Placed
from rules.engine.position import Position
from rules.engine.preview import ActionPreview, AvailableActions, at_spot, available_actions, preview_of
from rules.engine.roster import Army, Recruit, enlistment
from rules.engine.state import Unit
from rules.engine.verdict import Verdict
from rules.tabletop.table import Figure, PointIn, TerrainPiece
from tests.rules.board import figure


def recruits(side: str, *cards: str | Mapping[str, Any]) -> tuple[Recruit, ...]:
    """The recruits of a side, numbered from 1, each with a ready card by name or a card of the players' own."""
    numbered = {f"{side}-{n}": card for n, card in enumerate(cards, 1)}
    return tuple(
        Recruit(figure=name, card=card) if isinstance(card, str) else Recruit(figure=name, own=card)
        for name, card in numbered.items()
    )


Look = Callable[[Unit], Figure]


def begun(
    path: Path,
    game: str,
    armies: Mapping[str, Army],
    places: Mapping[str, PointIn],
    options: Mapping[str, Any] | None = None,
) -> Battle:
    """A new battle with the armies of all sides and every figure at its starting place."""
    battle = Battle.begin(path, itertools.count().__next__, game, list(armies), dict(options or {}))
    for side, army in armies.items():
        for recruit in enlistment(battle.game, army, side):
            battle.record(recruit)
    for name, place in places.items():
        battle.record(Placed(figure=name, at_in=place))
    return battle


def give_status(battle: Battle, figure: str, key: str, value: object) -> None:
    """Journal a status of a figure, such as that it is out."""
    battle.record(Changed(changes=(Change(figure=figure, key=key, value=value),)))


def inch_base(unit: Unit) -> Figure:
    """A figure on a round base 1 in wide, exactly at its place in the journal."""
    assert unit.at_in is not None
    return figure(unit.id, *unit.at_in)


class BattleDriver:
    """A battle in play on a table whose figures stand at their places in the journal."""

    def __init__(self, battle: Battle, terrain: Sequence[TerrainPiece] = (), look: Look = inch_base) -> None:
        self.battle, self.terrain, self.look = battle, tuple(terrain), look
        self.referee = referee_of(battle.game.name)

    @property
    def position(self) -> Position:
        units = self.battle.state.units.values()
        return position_of(
            self.battle, [self.look(unit) for unit in units if unit.at_in and not unit.out], self.terrain
        )

    def next_phase(self, *expected: Any) -> None:
        """Begin the next phase and check that it is the expected turn, side and phase."""
        begins = self.referee.next_phase(self.position)
        assert (begins.turn, begins.side, begins.phase) == expected
        self.battle.record(begins)

    def do(self, action: Action, *faces: int) -> Verdict:
        """Perform an action with these faces, all of which must be used."""
        dice = Scripted(faces)
        found = perform(self.battle, self.referee, self.position, action, dice)
        dice.finish()
        return found

    def march(self, by: PointIn, *names: str) -> Verdict:
        """Move figures straight by the same vector."""
        position = self.position
        starts = {name: position.figure(name).centre_in for name in names}
        paths = {name: (at, (at[0] + by[0], at[1] + by[1])) for name, at in starts.items()}
        return self.do(self.referee.march(position, paths))

    def available_actions(self, name: str) -> AvailableActions:
        return available_actions(self.referee, self.position, name)

    def attack(self, name: str, at: str, weapon: str = "") -> Action:
        """The action in which one figure attacks another."""
        actions = self.referee.attacks(self.position, name)
        return next(action for action in actions if at in action.at and weapon in ("", action.weapon))

    def other(self, figure: str, name: str, at: str = "") -> Action:
        """An action of a figure that is not an attack."""
        actions = self.referee.others(self.position, figure)
        return next(action for action in actions if action.name == name and (not at or at in action.at))

    def at_spot(self, name: str, spot_in: PointIn, weapon: str = "") -> ActionPreview:
        """The action of a figure at a place, with this weapon if one is given."""
        found = at_spot(self.referee, self.position, name, spot_in)
        return next(one for one in found if weapon in ("", one.action.weapon))

    def obligation(self, name: str) -> Action:
        """The obligation of no single figure with this rule."""
        return next(action for action in self.referee.obligations(self.position) if action.name == name)

    def preview_of(self, action: Action) -> ActionPreview:
        return preview_of(self.position, action)

    def say(self, figure: str, key: str, value: object, this_turn: bool = True) -> None:
        """Record an answer of the players as a status."""
        change = Change(figure=figure, key=key, value=value, this_turn=this_turn)
        self.battle.record(Changed(changes=(change,)))

    def played(self, *turns: Callable[[BattleDriver], None]) -> Battle:
        """The battle after playing these turns."""
        for turn in turns:
            turn(self)
        return self.battle


def played_from(set_up: Callable[[Path], BattleDriver]) -> Any:
    """A fixture that sets up an driver with this function."""

    @pytest.fixture
    def driver(tmp_path: Path) -> Iterator[BattleDriver]:
        one = set_up(tmp_path / "b")
        with one.battle:
            yield one

    return driver


def story_of(battle: Battle) -> list[str]:
    """The lines of the story so far."""
    return list(story_lines(battle.game, (event_of(entry) for entry in standing(battle.entries))))


def plot(battle: Battle) -> list[str]:
    """The story without dice and reasons."""
    return [line for line in story_of(battle) if not line.startswith("    ")]


def replays_to_the_same(path: Path, battle: Battle) -> None:
    """Check that a closed battle replays without differences and reopens with the same state."""
    with battle:
        before = battle.state
    assert replay(path) == ()
    with Battle.open(path, lambda: 0.0) as again:
        assert again.state == before


def undone_and_done_again(battle: Battle) -> list[str]:
    """Undo to the first event, redo everything, compare all states, and return the labels in the order of undo."""
    states, names = [battle.state], []
    while name := battle.undo():
        names.append(name)
        states.append(battle.state)
    assert not battle.state.units
    for before, name in zip(states[-2::-1], names[::-1], strict=True):
        assert battle.redo() == name
        assert battle.state == before
    assert battle.redo() is None
    return names


def play_at_random(driver: BattleDriver, seed: int, steps: int) -> None:
    """Play random allowed actions with random dice, and check that the journal always folds to the same state."""
    chance, places = random.Random(seed), random.Random(seed)

    def fall(request: DiceRequest) -> Roll:
        return Roll(tuple(chance.choice(request.die.faces) for _ in range(request.count)))

    battle = driver.battle
    for _ in range(steps):
        position = driver.position
        actions = [*driver.referee.obligations(position)]
        for unit in chance.sample(sorted(position.figures), min(2, len(position.figures))):
            actions += [*driver.referee.attacks(position, unit), *driver.referee.others(position, unit)]
            x, y = position.figure(places.choice(sorted(position.figures))).centre_in
            spot_in = (x + places.uniform(-2, 2), y + places.uniform(-2, 2))
            actions += driver.referee.at_spot(position, unit, spot_in)
        previews = [preview_of(position, replace(action, has_odds=False)) for action in actions]
        pairs = zip(actions, previews, strict=True)
        open_deeds = [action for action, preview in pairs if preview.possible and not preview.ambiguities]
        if open_deeds and chance.random() < 0.7:
            perform(battle, driver.referee, position, chance.choice(open_deeds), fall)
        else:
            battle.record(driver.referee.next_phase(position))
        assert history_of(battle.entries, events_of(battle.entries)).state == battle.state
