"""Replay of a battle: entries that the rules now resolve differently are reported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rules.battle.battle import Battle, events_of
from rules.battle.journal import Entry, event_of
from rules.battle.progress import part_of
from rules.battle.recovery import recover
from rules.battle.replay import differences
from rules.engine.dice import Scripted, play
from rules.engine.events import UnitJoined
from rules.tabletop.errors import UserError

SHOT = {"attacker": "ordinary", "attacker_moved": True}


@pytest.fixture
def battle(tmp_path: Path) -> Iterator[Battle]:
    """One shot, which kills with a 4 (SP-11)."""
    with Battle.begin(tmp_path / "evening.battle", lambda: 12.5, "simple_plastic", ["green", "tan"]) as one:
        one.record(UnitJoined(figure="green-1", side="green", card="soldier"))
        play(one.asking("attack", SHOT, by=["green-1"]), Scripted([4]))
        yield one


def doctored(entries: tuple[Entry, ...], **changes: Any) -> list[Entry]:
    """The journal with changes to its last entry."""
    last = entries[-1]
    return [*entries[:-1], Entry(last.seq, last.time_s, last.kind, last.version, {**last.body, **changes})]


ROLL = {"die": "D6", "for_whom": "the ordinary", "why": "the attack", "faces": [4]}
FOUR = "the ordinary, the attack: 4"


@pytest.mark.parametrize(
    ("changes", "was", "now"),
    [
        ({"verdict": {"outcome": "misses", "numbers": {}, "reasons": []}}, "misses", "kills"),
        ({"action": "shoot"}, "kills", "refused: Simple Plastic Wargame has no action 'shoot'"),
        ({"throws": [ROLL, ROLL]}, f"{FOUR}; {FOUR}", FOUR),
        ({"throws": [{**ROLL, "for_whom": "the sniper"}]}, "the sniper, the attack: 4", FOUR),
        ({"throws": []}, "kills", "refused: the ordinary needs 1 die for the attack, not 0"),
        ({"given": {**SHOT, "target_in_cover": True}}, "kills", "misses"),
    ],
)
def test_different_verdict_is_reported(battle: Battle, changes: dict[str, Any], was: str, now: str) -> None:
    assert differences(battle.game, battle.events) == ()
    [found] = differences(battle.game, events_of(doctored(battle.entries, **changes)))
    assert (found.seq, found.was) == (len(battle.entries), was)
    assert found.now.startswith(now)


def test_undone_entries_are_replayed_too(battle: Battle) -> None:
    wrong = doctored(battle.entries, verdict={"outcome": "misses", "numbers": {}, "reasons": []})
    assert len(differences(battle.game, events_of([*wrong, Entry(9, 0.0, "undo", 1, {})]))) == 1


def test_different_numbers_and_reasons_are_reported(battle: Battle) -> None:
    verdict = dict(event_of(battle.entries[-1]).to_body()["verdict"])
    fewer = {**verdict, "numbers": {**verdict["numbers"], "hits": 3}}
    [found] = differences(battle.game, events_of(doctored(battle.entries, verdict=fewer)))
    assert (found.was, found.now) == ("hits 3", "hits 1")
    silent = {**verdict, "reasons": verdict["reasons"][:1]}
    [found] = differences(battle.game, events_of(doctored(battle.entries, verdict=silent)))
    assert found.was == "SP-11 4 or more kills"
    assert found.now == "SP-11 4 or more kills; SP-10 Distance neither forbids an attack nor changes it."


def test_the_order_of_the_reasons_is_no_difference(battle: Battle) -> None:
    """The journal stores facts by name, so those of units that march together come back in another order."""
    verdict = dict(event_of(battle.entries[-1]).to_body()["verdict"])
    turned = {**verdict, "reasons": verdict["reasons"][::-1]}
    assert differences(battle.game, events_of(doctored(battle.entries, verdict=turned))) == ()


def test_a_copy_that_cannot_be_written_is_refused(battle: Battle, tmp_path: Path) -> None:
    battle.close()
    with pytest.raises(UserError, match="nowhere"):
        recover(tmp_path / "evening.battle", tmp_path / "nowhere" / "copy.battle", lambda: 0.0)


def test_a_copy_says_how_many_entries_it_has(battle: Battle, tmp_path: Path) -> None:
    count = len(battle.entries)
    battle.close()
    assert recover(tmp_path / "evening.battle", tmp_path / "copy.battle", lambda: 0.0) == count


def test_nothing_is_copied_of_a_battle_whose_first_entry_is_damaged(battle: Battle, tmp_path: Path) -> None:
    battle.close()
    file = tmp_path / "evening.battle"
    file.write_bytes(file.read_bytes().replace(b'"simple_plastic"', b'"simple_plastik"'))
    with pytest.raises(UserError, match=r"nothing in the battle .* can be saved"):
        recover(file, tmp_path / "copy.battle", lambda: 0.0)
    assert not (tmp_path / "copy.battle").exists()


def test_the_progress_of_a_part_is_part_of_the_whole() -> None:
    """2 of 10 in the second of three parts: 10 + 2 of 30."""
    seen: list[tuple[int, int]] = []
    part_of(lambda done, of: seen.append((done, of)), 1, 3)(2, 10)
    assert seen == [(12, 30)]
