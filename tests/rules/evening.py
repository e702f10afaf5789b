"""Plays scripted battles like the program: measure, ask the rules, roll, apply the effects, write the journal."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rules.battle.battle import Battle
from rules.battle.event_codec import event_of
from rules.battle.history import course_of
from rules.battle.journal import standing
from rules.battle.referees import perform, position_of, referee_of
from rules.battle.replay import replay
from rules.battle.story import tell
from rules.engine.dice import DiceRequest, Roll, Scripted
from rules.engine.events import Change, Changed, Placed
from rules.engine.position import Position
from rules.engine.referee import ActionPreview, AvailableActions, Deed, at_spot, outlook, prospect
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


def inch_base(unit: Unit) -> Figure:
    """A figure on a round base 1 in wide, exactly at its place in the journal."""
    assert unit.at_in is not None
    return figure(unit.id, *unit.at_in)


class Evening:
    """A battle in play on a table whose figures stand at their places in the journal."""

    def __init__(self, battle: Battle, terrain: Sequence[TerrainPiece] = (), look: Look = inch_base) -> None:
        self.battle, self.terrain, self.look = battle, tuple(terrain), look
        self.referee = referee_of(battle.game.name)

    @property
    def moment(self) -> Position:
        units = self.battle.state.units.values()
        return position_of(
            self.battle, [self.look(unit) for unit in units if unit.at_in and not unit.out], self.terrain
        )

    def next_phase(self, *expected: Any) -> None:
        """Begin the next phase and check that it is the expected turn, side and phase."""
        begins = self.referee.next_phase(self.moment)
        assert (begins.turn, begins.side, begins.phase) == expected
        self.battle.record(begins)

    def do(self, deed: Deed, *faces: int) -> Verdict:
        """Perform an action with these faces, all of which must be used."""
        dice = Scripted(faces)
        found = perform(self.battle, self.referee, self.moment, deed, dice)
        dice.finish()
        return found

    def march(self, by: PointIn, *names: str) -> Verdict:
        """Move figures straight by the same vector."""
        moment = self.moment
        starts = {name: moment.figure(name).centre_in for name in names}
        paths = {name: (at, (at[0] + by[0], at[1] + by[1])) for name, at in starts.items()}
        return self.do(self.referee.march(moment, paths))

    def outlook(self, name: str) -> AvailableActions:
        return outlook(self.referee, self.moment, name)

    def attack(self, name: str, at: str, weapon: str = "") -> Deed:
        """The action in which one figure attacks another."""
        deeds = self.referee.attacks(self.moment, name)
        return next(deed for deed in deeds if at in deed.at and weapon in ("", deed.weapon))

    def other(self, name: str, action: str, at: str = "") -> Deed:
        """An action of a figure that is not an attack."""
        deeds = self.referee.others(self.moment, name)
        return next(deed for deed in deeds if deed.action == action and (not at or at in deed.at))

    def at_spot(self, name: str, spot_in: PointIn, weapon: str = "") -> ActionPreview:
        """The action of a figure at a place, with this weapon if one is given."""
        found = at_spot(self.referee, self.moment, name, spot_in)
        return next(one for one in found if weapon in ("", one.deed.weapon))

    def duty(self, action: str) -> Deed:
        """The obligation of no single figure with this rule."""
        return next(deed for deed in self.referee.duties(self.moment) if deed.action == action)

    def prospect(self, deed: Deed) -> ActionPreview:
        return prospect(self.moment, deed)

    def say(self, figure: str, key: str, value: object, this_turn: bool = True) -> None:
        """Record an answer of the players as a status."""
        change = Change(figure=figure, key=key, value=value, this_turn=this_turn)
        self.battle.record(Changed(changes=(change,)))

    def played(self, *turns: Callable[[Evening], None]) -> Battle:
        """The battle after playing these turns."""
        for turn in turns:
            turn(self)
        return self.battle


def played_from(set_up: Callable[[Path], Evening]) -> Any:
    """A fixture that sets up an evening with this function."""

    @pytest.fixture
    def evening(tmp_path: Path) -> Iterator[Evening]:
        one = set_up(tmp_path / "b")
        with one.battle:
            yield one

    return evening


def told(battle: Battle) -> list[str]:
    """The lines of the story so far."""
    return list(tell(battle.game, (event_of(entry) for entry in standing(battle.entries))))


def plot(battle: Battle) -> list[str]:
    """The story without dice and reasons."""
    return [line for line in told(battle) if not line.startswith("    ")]


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


def random_evening(evening: Evening, seed: int, steps: int) -> None:
    """Play random allowed actions with random dice, and check that the journal always folds to the same state."""
    chance, places = random.Random(seed), random.Random(seed)

    def fall(request: DiceRequest) -> Roll:
        return Roll(tuple(chance.choice(request.die.faces) for _ in range(request.count)))

    battle = evening.battle
    for _ in range(steps):
        moment = evening.moment
        deeds = [*evening.referee.duties(moment)]
        for unit in chance.sample(sorted(moment.figures), min(2, len(moment.figures))):
            deeds += [*evening.referee.attacks(moment, unit), *evening.referee.others(moment, unit)]
            x, y = moment.figure(places.choice(sorted(moment.figures))).centre_in
            spot_in = (x + places.uniform(-2, 2), y + places.uniform(-2, 2))
            deeds += evening.referee.at_spot(moment, unit, spot_in)
        open_deeds = [deed for deed in deeds if prospect(moment, replace(deed, listed=False)).possible]
        if open_deeds and chance.random() < 0.7:
            perform(battle, evening.referee, moment, chance.choice(open_deeds), fall)
        else:
            battle.record(evening.referee.next_phase(moment))
        events = {entry.seq: event_of(entry) for entry in battle.entries}
        assert course_of(battle.entries, events).state == battle.state
