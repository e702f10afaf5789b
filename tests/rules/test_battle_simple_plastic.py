"""A whole battle of Simple Plastic Wargame, from set-up to victory: two squads, a hedge, dice that are written down.

Every distance, every cover and every target is measured on the table that the battle's own state describes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from rules.battle import Battle, replay
from rules.dice import Scripted
from rules.events import Change, Effects, Move, PhaseBegun, Placed, event_of
from rules.games.simple_plastic_movement import distances, sight_rules
from rules.journal import standing
from rules.measure import range_between
from rules.roster import Army, Recruit, enlistment, points_check
from rules.sight import exposures
from rules.state import Unit
from rules.story import tell
from rules.table import Figure, PointIn, TerrainKind
from rules.verdict import Verdict
from tests.rules.board import box, figure, piece

HEDGE = piece("hedge", TerrainKind.HEDGE, box(0, 13, 12, 13.4), height=1.0)

GREEN = Army(
    name="First rifles",
    game="simple_plastic",
    recruits=(
        *(Recruit(figure=f"green-{n}", card="soldier", squad="rifles") for n in (1, 2, 3)),
        Recruit(figure="green-4", card="heavy_machine_gunner", squad="rifles"),
    ),
)
TAN = Army(
    name="Hedge guard",
    game="simple_plastic",
    recruits=(
        *(Recruit(figure=f"tan-{n}", card="soldier", squad="guard") for n in (1, 2)),
        Recruit(figure="tan-3", card="sniper"),
    ),
)
PLACES: dict[str, PointIn] = {
    "green-1": (4, 4), "green-2": (5.3, 4), "green-3": (6.6, 4), "green-4": (7.9, 4),
    "tan-1": (4, 14.5), "tan-2": (5.3, 14.5), "tan-3": (16, 15),
}  # fmt: skip
"""Centres; bases are an inch across, so that men 1.3 in apart leave gaps of 0.3."""


class Evening:
    """Plays a battle: measures the facts that the rules ask for, and says what their verdicts do."""

    def __init__(self, battle: Battle) -> None:
        self.battle = battle

    def men(self, name: str) -> tuple[Unit, ...]:
        units = self.battle.state.units.values()
        return tuple(unit for unit in units if name in (unit.squad, unit.id) and not unit.out)

    def phase(self, turn: int, side: str, phase: str) -> None:
        self.battle.record(PhaseBegun(turn=turn, side=side, phase=phase))

    def march(self, squad: str, dx: float, dy: float) -> Verdict:
        """All go the same way, led by the first."""
        men = self.men(squad)
        length = math.hypot(dx, dy)
        after = [standing_at(man, (dx, dy)) for man in men]
        gaps = [link.edge_in for link in distances(self.battle.game.rules, after)]
        facts = {"lead_moved_in": length, "follower_moved_in": [length] * (len(men) - 1), "gaps_in": gaps}

        def effects(found: Verdict) -> Effects:
            if not found.allowed:
                return Effects()
            moves = tuple(moved(man, place, length) for man, place in zip(men, after, strict=True))
            return Effects(moves=moves, changes=marks(men, "moved"))

        return self.battle.ask("squad_move", facts, Scripted([]), effects, [man.id for man in men])

    def fire(self, squad: str, at: str, faces: Sequence[int]) -> Verdict:
        """Every man of a squad attacks those that he sees."""
        men = self.men(squad)
        facts = {
            "attackers": [kind(man) for man in men],
            "views": [self.view(man, at) for man in men],
            "attacker_moved": any(man.this_turn.get("moved") for man in men),
        }
        return self.battle.ask("squad_attack", facts, Scripted(faces), killed, [man.id for man in men])

    def snipe(self, sniper: str, at: Sequence[str], faces: Sequence[int]) -> Verdict:
        [man] = self.men(sniper)
        facts = {
            "attacker_moved": bool(man.this_turn.get("moved")),
            "targets": [self.view(man, target)[0] for target in at],
        }
        return self.battle.ask("sniper_attacks", facts, Scripted(faces), killed, [sniper])

    def view(self, man: Unit, at: str) -> list[dict[str, Any]]:
        """The enemies of a squad as a man has them before him."""
        enemies = self.men(at)
        figures = [standing_at(unit) for unit in (man, *enemies)]
        seen = exposures(figures, [HEDGE], sight_rules(self.battle.game.rules))
        return [
            {
                "id": enemy.id,
                "distance_in": round(range_between(figures[0], figures[column]).edge_in, 2),
                "special": kind(enemy) != "ordinary",
                "visible_fraction": round(float(seen.exposure_to_fire[0, column]), 2),
                "obstacle": "semi_solid" if seen.hidden_by(0, column) else None,
                "squad": enemy.squad or enemy.id,
            }
            for column, enemy in enumerate(enemies, 1)
        ]

    def count(self) -> Verdict:
        return self.battle.ask("victory", {"figures_left": self.battle.state.figures_left}, Scripted([]))


def standing_at(man: Unit, by: PointIn = (0, 0)) -> Figure:
    assert man.at_in is not None
    return figure(man.id, man.at_in[0] + by[0], man.at_in[1] + by[1])


def moved(man: Unit, to: Figure, length: float) -> Move:
    assert man.at_in is not None
    return Move(figure=man.id, from_in=man.at_in, to_in=to.centre_in, moved_in=length, cost_in=length)


def marks(men: Sequence[Unit], key: str) -> tuple[Change, ...]:
    return tuple(Change(figure=man.id, key=key, value=True, rule="SP-02", this_turn=True) for man in men)


def kind(man: Unit) -> str:
    return {"soldier": "ordinary", "heavy_machine_gunner": "heavy_weapon", "sniper": "sniper"}[str(man.card)]


def killed(found: Verdict) -> Effects:
    fallen = found.numbers.get("killed", [])
    return Effects(changes=tuple(Change(figure=name, key="eliminated", value=True, rule="SP-11") for name in fallen))


def set_up(path: Path) -> Battle:
    battle = Battle.begin(
        path, itertools.count().__next__, "simple_plastic", ["green", "tan"], {"victory": "elimination"}
    )
    for side, army in (("green", GREEN), ("tan", TAN)):
        found = points_check(battle.game, army)
        assert found is not None
        assert found.outcome == "legal"
        for recruit in enlistment(battle.game, army, side):
            battle.record(recruit)
    for name, place in PLACES.items():
        battle.record(Placed(figure=name, at_in=place))
    return battle


def turn_1(evening: Evening) -> None:
    evening.phase(1, "green", "moving")
    evening.march("rifles", 0, 4)
    evening.phase(1, "green", "attacking")
    # Who moved needs 4 + 1 for the hedge, the heavy weapon 1 less: three rifles miss, the best of four dice kills.
    evening.fire("rifles", "guard", [2, 4, 3, 5, 1, 2, 1])
    evening.phase(1, "tan", "attacking")
    # A sniper who stays needs 4 - 1 - 1, and 1 more against a heavy weapon.
    evening.snipe("tan-3", ["green-4", "green-4"], [1, 3])
    evening.fire("guard", "rifles", [2])  # 4 - 1 for staying: so near the hedge he looks over it


def turn_2(evening: Evening) -> None:
    evening.phase(2, "green", "attacking")
    evening.fire("rifles", "guard", [3, 4])  # 4 - 1 + 1: the second kills, and the third has nobody left
    evening.phase(2, "tan", "attacking")
    evening.snipe("tan-3", ["green-1", "green-2"], [2, 6])  # 4 - 1 - 1 in the open


def turn_3(evening: Evening) -> None:
    evening.phase(3, "green", "attacking")
    evening.fire("rifles", "tan-3", [6])  # 4 - 1 + 1 for a special unit
    evening.count()


def played(path: Path) -> Battle:
    battle = set_up(path)
    evening = Evening(battle)
    for turn in (turn_1, turn_2, turn_3):
        turn(evening)
    return battle


@pytest.fixture
def battle(tmp_path: Path) -> Iterator[Battle]:
    with played(tmp_path / "evening.battle") as one:
        yield one


def told(battle: Battle) -> list[str]:
    return list(tell(battle.game, (event_of(entry) for entry in standing(battle.entries))))


def test_it_reads_as_a_story(battle: Battle) -> None:
    lines = [line for line in told(battle) if not line.startswith("    ")]  # without dice and reasons
    assert lines[lines.index("Turn 1, Green, moving") :] == [
        "Turn 1, Green, moving",
        "  Green 1, Green 2, Green 3, Green 4: squad move: legal.",
        "  Green 1 moves 4.0 in to (4.0, 8.0).",
        "  Green 2 moves 4.0 in to (5.3, 8.0).",
        "  Green 3 moves 4.0 in to (6.6, 8.0).",
        "  Green 4 moves 4.0 in to (7.9, 8.0).",
        "",
        "Turn 1, Green, attacking",
        "  Green 1, Green 2, Green 3, Green 4: squad attack: kills.",
        "  Tan 2 eliminated.",
        "",
        "Turn 1, Tan, attacking",
        "  Tan 3: sniper attacks: kills.",
        "  Green 4 eliminated.",
        "  Tan 1: squad attack: misses.",
        "",
        "Turn 2, Green, attacking",
        "  Green 1, Green 2, Green 3: squad attack: kills.",
        "  Tan 1 eliminated.",
        "",
        "Turn 2, Tan, attacking",
        "  Tan 3: sniper attacks: kills.",
        "  Green 1 eliminated.",
        "  Green 2 eliminated.",
        "",
        "Turn 3, Green, attacking",
        "  Green 3: squad attack: kills.",
        "  Tan 3 eliminated.",
        "  Victory: victory for Green.",
    ]


def test_the_last_shot_tells_its_dice_and_its_rules(battle: Battle) -> None:
    lines = told(battle)
    shot = lines.index("  Green 3: squad attack: kills.")
    assert lines[shot + 1] == "    6 on the dice: the ordinary, the attack"
    # From the rulebook's table: 4, not moved -1, target special +1; no hedge on this line.
    assert lines[shot + 5 : shot + 9] == [
        "    SP-11  4 or more kills (+4)",
        "    SP-12  the attacker did not move (-1)",
        "    SP-25  the target is a special unit (+1)",
        "    SP-11  the ordinary rolls 6 and kills tan-3",
    ]


def test_green_wins_with_one_man(battle: Battle) -> None:
    last = event_of(battle.entries[-1])
    assert (battle.state.figures_left, battle.state.turn) == ({"green": 1, "tan": 0}, 3)
    assert last.to_body()["verdict"]["numbers"] == {"over": True, "winner": "green", "by": "elimination"}
    hero = battle.state.unit("green-3")
    assert hero.at_in == (6.6, 8.0)
    assert dict(hero.acts) == {"squad_move": 1, "squad_attack": 3}


def test_replayed_it_is_the_same_battle(tmp_path: Path) -> None:
    path = tmp_path / "evening.battle"
    with played(path) as battle:
        before = battle.state
    assert replay(path) == ()
    with Battle.open(path, lambda: 0.0) as again:
        assert again.state == before


def test_undone_to_the_beginning_and_done_again(battle: Battle) -> None:
    states, names = [battle.state], []
    while name := battle.undo():
        names.append(name)
        states.append(battle.state)
    assert names[:3] == ["victory: victory", "Tan 3 eliminated", "turn 3, Green, attacking"]
    assert names[-1] == "Green 1 joins Green"
    assert battle.state.sides == ("green", "tan")
    assert not battle.state.units
    for before in states[-2::-1]:
        assert battle.redo() == names.pop()
        assert battle.state == before
    assert battle.redo() is None


def test_undo_gives_the_allowance_back(tmp_path: Path) -> None:
    with set_up(tmp_path / "b") as battle:
        evening = Evening(battle)
        evening.phase(1, "green", "moving")
        evening.march("rifles", 0, 4)
        man = battle.state.unit("green-2")
        assert (man.at_in, man.allowance_used_in, dict(man.this_turn)) == ((5.3, 8.0), 4.0, {"moved": True})
        assert battle.undo() == "Green 1, Green 2, Green 3, Green 4 moved 4.0 in"
        man = battle.state.unit("green-2")
        assert (man.at_in, man.allowance_used_in, dict(man.this_turn)) == ((5.3, 4.0), 0.0, {})


def test_a_march_that_is_too_long_is_told_and_moves_nobody(tmp_path: Path) -> None:
    with set_up(tmp_path / "b") as battle:
        evening = Evening(battle)
        evening.phase(1, "green", "moving")
        before = battle.state.unit("green-1").at_in
        assert evening.march("rifles", 0, 4.5).numbers["reason"] == "too_far"
        assert battle.state.unit("green-1").at_in == before


def test_after_every_event_the_file_holds_the_state(tmp_path: Path) -> None:
    """As a new process would find it."""
    with played(tmp_path / "whole") as whole:
        events = [event_of(entry) for entry in whole.entries]
    path = tmp_path / "again"
    begun, *rest = events
    options = begun.to_body()["options"]
    Battle.begin(path, lambda: 0.0, "simple_plastic", ["green", "tan"], options).close()
    for event in rest:
        with Battle.open(path, lambda: 0.0) as battle:
            battle.record(event)
            before = battle.state
        with Battle.open(path, lambda: 0.0) as battle:
            assert battle.state == before
