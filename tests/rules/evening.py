"""Plays scripted battles as the program does: everything is measured, asked, rolled, applied and journalled."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rules.battle import Battle
from rules.dice import DiceRequest, Roll, Scripted
from rules.event_codec import event_of
from rules.events import Change, Changed, Placed
from rules.games.referees import moment_of, referee_of
from rules.journal import standing
from rules.position import Moment
from rules.referee import ActionPreview, AvailableActions, Deed, at_spot, outlook, perform, prospect
from rules.replay import replay
from rules.roster import Army, Recruit, enlistment
from rules.state import Unit
from rules.story import tell
from rules.table import Figure, PointIn, TerrainPiece
from rules.turn_history import course_of
from rules.verdict import Verdict
from tests.rules.board import figure


def recruits(side: str, *cards: str | Mapping[str, Any]) -> tuple[Recruit, ...]:
    """A side's figures, numbered from 1: each a ready card by its name, or one of the players' own."""
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
    """A battle set up: each side's army enlisted, every figure where it starts."""
    battle = Battle.begin(path, itertools.count().__next__, game, list(armies), dict(options or {}))
    for side, army in armies.items():
        for recruit in enlistment(battle.game, army, side):
            battle.record(recruit)
    for name, place in places.items():
        battle.record(Placed(figure=name, at_in=place))
    return battle


def inch_base(unit: Unit) -> Figure:
    """A man on a round base an inch across, exactly where the journal has him."""
    assert unit.at_in is not None
    return figure(unit.id, *unit.at_in)


class Evening:
    """A battle in play on a table that is what its journal says."""

    def __init__(self, battle: Battle, terrain: Sequence[TerrainPiece] = (), look: Look = inch_base) -> None:
        self.battle, self.terrain, self.look = battle, tuple(terrain), look
        self.referee = referee_of(battle.game.name)

    @property
    def moment(self) -> Moment:
        units = self.battle.state.units.values()
        return moment_of(self.battle, [self.look(unit) for unit in units if unit.at_in and not unit.out], self.terrain)

    def next_phase(self, *expected: Any) -> None:
        """Go on; what begins must be what the script expects: turn, side, phase."""
        begins = self.referee.next_phase(self.moment)
        assert (begins.turn, begins.side, begins.phase) == expected
        self.battle.record(begins)

    def do(self, deed: Deed, *faces: int) -> Verdict:
        """Perform a deed with these faces, all of which must be asked for."""
        dice = Scripted(faces)
        found = perform(self.battle, self.referee, self.moment, deed, dice)
        dice.finish()
        return found

    def march(self, by: PointIn, *names: str) -> Verdict:
        """Figures go straight, all the same way."""
        moment = self.moment
        starts = {name: moment.figure(name).centre_in for name in names}
        paths = {name: (at, (at[0] + by[0], at[1] + by[1])) for name, at in starts.items()}
        return self.do(self.referee.march(moment, paths))

    def outlook(self, name: str) -> AvailableActions:
        return outlook(self.referee, self.moment, name)

    def attack(self, name: str, at: str, weapon: str = "") -> Deed:
        """The attack of one figure at another."""
        deeds = self.referee.attacks(self.moment, name)
        return next(deed for deed in deeds if at in deed.at and weapon in ("", deed.weapon))

    def other(self, name: str, action: str, at: str = "") -> Deed:
        """Another deed of a figure."""
        deeds = self.referee.others(self.moment, name)
        return next(deed for deed in deeds if deed.action == action and (not at or at in deed.at))

    def at_spot(self, name: str, spot_in: PointIn, weapon: str = "") -> ActionPreview:
        """What a figure can do at a bare place, with this weapon if told."""
        found = at_spot(self.referee, self.moment, name, spot_in)
        return next(one for one in found if weapon in ("", one.deed.weapon))

    def duty(self, action: str) -> Deed:
        """What is owed by nobody alone."""
        return next(deed for deed in self.referee.duties(self.moment) if deed.action == action)

    def prospect(self, deed: Deed) -> ActionPreview:
        return prospect(self.moment, deed)

    def say(self, figure: str, key: str, value: object, this_turn: bool = True) -> None:
        """The players answer what was asked."""
        change = Change(figure=figure, key=key, value=value, this_turn=this_turn)
        self.battle.record(Changed(changes=(change,)))

    def played(self, *turns: Callable[[Evening], None]) -> Battle:
        """The battle after these turns of its script."""
        for turn in turns:
            turn(self)
        return self.battle


def played_from(set_up: Callable[[Path], Evening]) -> Any:
    """The fixture of an evening that is set up so."""

    @pytest.fixture
    def evening(tmp_path: Path) -> Iterator[Evening]:
        one = set_up(tmp_path / "b")
        with one.battle:
            yield one

    return evening


def told(battle: Battle) -> list[str]:
    """The story so far."""
    return list(tell(battle.game, (event_of(entry) for entry in standing(battle.entries))))


def plot(battle: Battle) -> list[str]:
    """The story without dice and reasons."""
    return [line for line in told(battle) if not line.startswith("    ")]


def replays_to_the_same(path: Path, battle: Battle) -> None:
    """Closed, a battle asks no rule otherwise when it is replayed, and a new process finds it as it was."""
    with battle:
        before = battle.state
    assert replay(path) == ()
    with Battle.open(path, lambda: 0.0) as again:
        assert again.state == before


def undone_and_done_again(battle: Battle) -> list[str]:
    """Undo to the first event, compare every state on the way back, and say what was undone, in order."""
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
    """A player who picks any possible deed, with any dice: nothing breaks, and the journal folds to the same state."""
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
