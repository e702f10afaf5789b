"""Time of listing what a soldier can do: an Army Men machine gun and a rifle facing enemies in the open.

Run with `python -m benchmarks.available_actions`. The baseline, in the same run, is measuring the range to each enemy.
"""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path

from benchmarks.page import Table, number
from benchmarks.stopwatch import time_with_baseline
from rules.battle.battle import Battle
from rules.battle.referees import position_of, referee_of
from rules.engine.events import Placed
from rules.engine.position import Position
from rules.engine.preview import available_actions
from rules.engine.roster import Army, Recruit, enlistment
from rules.tabletop.measure import range_between
from rules.tabletop.table import Figure, Posture, ellipse_outline

GAME = "army_men"
SHOOTERS = {"heavy_machine_gun_team": "automatic_weapons", "rifleman": "small_arms"}
"""Cards, and the phase in which each fires."""
ENEMIES = (10, 30)
REPEATS = 10
"""Baseline runs per round; one alone is too short for the clock."""


def main() -> None:
    print(table(9).markdown())


def table(rounds: int) -> Table:
    """The page's table: for each weapon and number of enemies, the time of its list."""
    rows = []
    referee = referee_of(GAME)
    for count, (card, phase) in itertools.product(ENEMIES, SHOOTERS.items()):
        with tempfile.TemporaryDirectory() as folder, _battle(Path(folder), card, count) as battle:
            position = _position_in(battle, phase)
            enemies = [figure for name, figure in position.figures.items() if name != "green-1"]
            timing = time_with_baseline(
                lambda at=position: available_actions(referee, at, "green-1"),  # type: ignore[misc]
                lambda at=position, them=enemies: [range_between(at.figure("green-1"), one) for one in them],  # type: ignore[misc]
                rounds=rounds,
                repeats=REPEATS,
            )
        rows.append((card.replace("_", " "), str(count), number(timing.ratio), number(timing.ms)))
    return Table("actions", ("soldier", "enemies", "x measuring their ranges", "processor ms"), rows)


def _battle(folder: Path, card: str, count: int) -> Battle:
    battle = Battle.begin(folder / "one.battle", itertools.count().__next__, GAME, ["green", "tan"], {})
    for side, cards in (("green", (card,)), ("tan", ("rifleman",) * count)):
        recruits = tuple(Recruit(figure=f"{side}-{n}", card=one) for n, one in enumerate(cards, 1))
        for joined in enlistment(battle.game, Army(name=side, game=GAME, recruits=recruits), side):
            battle.record(joined)
    battle.record(Placed(figure="green-1", at_in=(12.0, 10.0)))
    for n in range(count):
        battle.record(Placed(figure=f"tan-{n + 1}", at_in=(6.0 + 2 * (n % 10), 24.0 + 3 * (n // 10))))
    return battle


def _position_in(battle: Battle, phase: str) -> Position:
    """The position in the next phase with this name."""
    referee = referee_of(GAME)
    while battle.state.phase != phase:
        battle.record(referee.next_phase(position_of(battle, _figures(battle), ())))
    return position_of(battle, _figures(battle), ())


def _figures(battle: Battle) -> list[Figure]:
    return [
        Figure(one.id, one.side, *one.at_in, 0.0, 0.0, Posture.STANDING, ellipse_outline(one.at_in, 0.5, 0.5), None)
        for one in battle.state.units.values()
        if one.at_in
    ]


if __name__ == "__main__":
    main()
