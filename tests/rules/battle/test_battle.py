"""A battle in its file: begin, ask, undo, reopen, and the refused cases."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rules.battle.battle import Battle
from rules.battle.journal import Entry, Journal, event_of
from rules.battle.replay import replay
from rules.engine.dice import DiceRequest, Roll, Scripted, play
from rules.engine.events import CameraMoved, Change, Effects, MarkerMoved, Noted, UnitJoined, VerdictOverruled
from rules.engine.verdict import RuleRefusal, Verdict
from rules.tabletop.errors import UserError

SHOT = {"attacker": "ordinary", "attacker_moved": True}


def clock() -> float:
    return 12.5


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "evening.battle"


@pytest.fixture
def battle(path: Path) -> Iterator[Battle]:
    with Battle.begin(path, clock, "simple_plastic", ["green", "tan"]) as one:
        one.record(UnitJoined(figure="green-1", side="green", card="soldier"))
        one.record(UnitJoined(figure="tan-4", side="tan", card="soldier"))
        yield one


def tan_4_falls(found: Verdict) -> Effects:
    fallen = Change(figure="tan-4", key="eliminated", value=True, rule="SP-11")
    return Effects(changes=(fallen,) if found.numbers["kills"] else ())


def test_shot_is_one_entry_and_one_undo_step(battle: Battle) -> None:
    before = len(battle.entries)
    found = play(battle.asking("attack", SHOT, tan_4_falls, ["green-1"]), Scripted([4]))
    assert found.outcome == "kills"  # SP-11: 4 or more
    assert len(battle.entries) == before + 1
    assert battle.state.unit("tan-4").out
    assert dict(battle.state.unit("green-1").acts_this_turn) == {"attack": 1}
    assert battle.can_undo == "Tan 4 eliminated"
    assert battle.undo() == "Tan 4 eliminated"
    assert not battle.state.unit("tan-4").out
    assert battle.entries[-1].body == {"entry": before + 1, "what": "Tan 4 eliminated"}
    assert battle.can_redo == "Tan 4 eliminated"
    assert battle.redo() == "Tan 4 eliminated"
    assert battle.state.unit("tan-4").out
    assert battle.redo() is None


def never(request: DiceRequest) -> Roll:
    raise AssertionError(f"{request.why} is rolled")


def test_impossible_faces_change_nothing(battle: Battle) -> None:
    before = battle.entries, battle.state
    with pytest.raises(RuleRefusal, match="a die cannot show 7"):
        play(battle.asking("attack", SHOT, tan_4_falls, ["green-1"]), Scripted([7]))
    with pytest.raises(RuleRefusal, match="has no action 'atack'"):
        play(battle.asking("atack", SHOT), Scripted([]))
    with pytest.raises(UserError, match="ghost is not in this battle"):
        play(battle.asking("attack", SHOT, by=["ghost"]), never)
    assert (battle.entries, battle.state) == before


def test_beginning_cannot_be_undone(battle: Battle) -> None:
    assert [battle.undo() for _ in range(3)] == ["Tan 4 joins Tan", "Green 1 joins Green", None]
    assert battle.state.sides == ("green", "tan")
    battle.record(Noted(text="another driver"))
    assert battle.can_redo is None


def test_bump_is_not_an_undo_step(battle: Battle) -> None:
    battle.record(CameraMoved(what="table"))
    assert battle.can_undo == "Tan 4 joins Tan"
    assert battle.undo() == "Tan 4 joins Tan"
    battle.record(MarkerMoved(ids=(2,)))
    assert battle.redo() == "Tan 4 joins Tan"
    assert [entry.kind for entry in battle.entries[3:]] == ["camera_moved", "undo", "marker_moved", "redo"]
    assert [battle.undo() for _ in range(3)] == ["Tan 4 joins Tan", "Green 1 joins Green", None]


def test_unknown_card_is_refused(battle: Battle) -> None:
    with pytest.raises(UserError, match="tan-5 has the card 'tank', which Simple Plastic Wargame lacks"):
        battle.record(UnitJoined(figure="tan-5", side="tan", card="tank"))


def test_only_entries_in_force_can_be_overruled(battle: Battle) -> None:
    battle.record(Noted(text="a remark"))
    [*_, note] = battle.entries
    battle.undo()
    with pytest.raises(UserError, match=f"entry {note.seq} cannot be overruled"):
        battle.record(VerdictOverruled(entry=note.seq, reason="why not", effects=Effects()))
    battle.record(VerdictOverruled(entry=3, reason="he was never here", effects=Effects()))
    assert dict(battle.state.overruled) == {3: "he was never here"}


def test_reopened_battle_has_the_same_state(battle: Battle, path: Path) -> None:
    play(battle.asking("attack", SHOT, tan_4_falls, ["green-1"]), Scripted([4]))
    before = battle.state, battle.entries
    battle.close()
    with Battle.open(path, clock) as again:
        assert (again.state, again.entries) == before
        assert again.can_undo == "Tan 4 eliminated"


def test_reopened_battle_keeps_its_options(path: Path) -> None:
    Battle.begin(path, clock, "simple_plastic", ["green", "tan"], {"cover_beyond": 0.25}).close()
    with Battle.open(path, clock) as battle:
        assert battle.game.rules.option("cover_beyond") == 0.25


HOUSE = 'inherits = "simple_plastic"\nhouse_rules = "Sure shots"\n[limits.base_to_kill]\nvalue = 3\n'


def test_house_rules_are_stored_in_the_battle(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_text(HOUSE)
    Battle.begin(path, clock, "simple_plastic", ["green", "tan"], house_rules=file).close()
    file.unlink()
    with Battle.open(path, clock) as battle:
        assert battle.game.rules.labels == ("Sure shots",)
        assert play(battle.asking("attack", SHOT), Scripted([3])).outcome == "kills"
    assert replay(path) == ()


def test_house_rules_of_a_battle_must_not_inherit_a_file(path: Path, tmp_path: Path) -> None:
    (tmp_path / "house.toml").write_text(HOUSE)
    (tmp_path / "more.toml").write_text('inherits = "house.toml"\n')
    with pytest.raises(UserError, match=r"inherits 'house\.toml'.*copy the rules"):
        Battle.begin(path, clock, "simple_plastic", ["green"], house_rules=tmp_path / "more.toml")
    assert not path.exists()


@pytest.mark.parametrize(
    ("game", "players", "options", "message"),
    [
        ("chess", ["white", "black"], {}, "there is no game 'chess'"),
        ("simple_plastic", ["tan", "tan"], {}, "players with different names"),
        ("simple_plastic", ["tan"], {"cover": 1}, "has no option 'cover'"),
        ("plastic_fudge", ["tan", "green", "blue"], {}, "Plastic Fudge is for 2 sides, not 3: combine allies"),
        ("simple_plastic_figure", ["tan", "green", "blue"], {}, "is for 2 sides, not 3: combine allies"),
    ],
)
def test_invalid_battle_creates_no_file(
    path: Path, game: str, players: list[str], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        Battle.begin(path, clock, game, players, options)
    assert not path.exists()


def test_beginning_a_battle_in_an_existing_file_is_refused(battle: Battle, path: Path) -> None:
    battle.close()
    before = path.read_bytes()
    with pytest.raises(UserError, match="already holds a battle"):
        Battle.begin(path, clock, "simple_plastic", ["green", "tan"])
    assert path.read_bytes() == before


def missing(_: Path) -> None:
    """No file."""


def empty(path: Path) -> None:
    path.touch()


def bare(path: Path) -> None:
    """A journal without entries, as left by a process that was killed before the first entry."""
    Journal(path, clock).close()


def foreign(path: Path) -> None:
    path.write_text("Dear diary")


def unknown(path: Path) -> None:
    with Journal(path, clock) as journal:
        journal.append("teleported", {})


def newer_undo(path: Path) -> None:
    with Journal(path, clock) as journal:
        journal.append("undo", {}, version=2)


def impossible(path: Path) -> None:
    Battle.begin(path, clock, "simple_plastic", ["green", "tan"]).close()
    with Journal(path, clock) as journal:
        journal.append("placed", {"figure": "tan-1", "at_in": [1, 2]})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (missing, "there is no battle in"),
        (empty, "there is no battle in"),
        (bare, "does not name a game"),
        (foreign, "is not a battle of Sandtable"),
        (unknown, "entry 1 is of the unknown kind 'teleported'"),
        (newer_undo, r"entry 1 \(undo\) has version 2"),
        (impossible, r"entry 2 \(placed\) does not fit the entries before it: tan-1 is not in this battle"),
    ],
)
def test_invalid_file_is_refused_and_unchanged(make: Callable[[Path], None], message: str, path: Path) -> None:
    make(path)
    before = path.read_bytes() if path.exists() else None
    with pytest.raises(UserError, match=message):
        Battle.open(path, clock)
    assert (path.read_bytes() if path.exists() else None) == before


def test_refused_file_is_closed(path: Path) -> None:
    impossible(path)
    with pytest.raises(UserError) as held:
        Battle.open(path, clock)
    Journal(path, clock).close()  # would raise that the battle is open in another window
    assert held


def test_empty_journal_can_begin_a_battle(path: Path) -> None:
    bare(path)
    Battle.begin(path, clock, "simple_plastic", ["green"]).close()


class Full:
    """A journal on a full disk."""

    def __init__(self, entries: tuple[Entry, ...]) -> None:
        self._entries = entries

    def entries(self, step=None) -> tuple[Entry, ...]:
        return self._entries

    def append(self, *_: object) -> Entry:
        raise UserError("the disk is full")


def test_dice_are_requested_one_at_a_time(battle: Battle) -> None:
    asked: list[str] = []

    def hand(request: DiceRequest) -> Roll:
        asked.append(request.why)
        return Roll((6,) * request.count)

    play(battle.asking("attack", SHOT), hand)
    assert asked == ["the attack"]
    [throw] = event_of(battle.entries[-1]).to_body()["throws"]
    assert throw == {"die": "D6", "for_whom": "the ordinary", "why": "the attack", "faces": [6]}


def test_file_is_readable_with_any_sqlite_tool(battle: Battle, path: Path) -> None:
    battle.close()
    raw = sqlite3.connect(path)
    kinds = [kind for (kind,) in raw.execute("SELECT kind FROM entry ORDER BY seq")]
    raw.close()
    assert kinds == ["begun", "enlisted", "enlisted"]
